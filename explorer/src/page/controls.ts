/** The controls: the scale with its ticks and animation, the components, the level, the look. */

import { hasDensities, hasGroups } from "../core/decode";
import { uOf, type Host, type State } from "../model";
import { arrowStep, scaleAt, snapped, TICKS } from "./chart";
import { button, el, set } from "./dom";
import { digits, scaleText } from "./format";
import { has, type Context, type Panel } from "./scene";
import { texts } from "./texts";

const words = texts.controls;

const LEVELS = [0.5, 0.68, 0.9, 0.95, 0.99];
const THUMB = 18; // width of the slider's handle in pixels; the style sheet has the same
const SECONDS = 9; // of the animation, from s = 0 to s = ∞
const PAUSE = 1500; // milliseconds at each tick, where motion is to be reduced

export function controls(context: Context): Panel {
  const { data, host } = context;
  const play = button(words.play, { class: "uapca-play", "aria-pressed": "false", title: words.playTitle }, () => motion.toggle());
  const motion = player(host, (playing) => {
    play.textContent = playing ? words.pause : words.play;
    set(play, { "aria-pressed": String(playing) });
  });
  const slider = el("input", {
    type: "range",
    min: 0,
    max: 1,
    step: "any",
    class: "uapca-range uapca-scale",
    id: context.id("scale"),
    "aria-label": words.scale,
  });
  const go = (u: number, reach = 0) => {
    motion.stop();
    host.set({ scale: scaleAt(snapped(u, reach)) });
  };
  slider.addEventListener("input", () => go(Number(slider.value), 5 / Math.max(slider.clientWidth - THUMB, 50)));
  slider.addEventListener("keydown", (event) => {
    const u = uOf(host.get().scale);
    const small = event.shiftKey ? 0.001 : 0.01;
    const step = arrowStep(event.key, small);
    if (step) go(u + step, small * 0.4);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(1);
    else if (event.key === "PageUp") go(TICKS.find((t) => t.u > u + 1e-9)?.u ?? 1);
    else if (event.key === "PageDown") go([...TICKS].reverse().find((t) => t.u < u - 1e-9)?.u ?? 0);
    else return;
    event.preventDefault();
  });
  const ticks = TICKS.map((tick) => {
    const node = button(tick.label, { class: "uapca-tick", tabindex: -1, "aria-label": texts.scale(tick.label) }, () => go(tick.u));
    node.style.left = `${100 * tick.u}%`;
    return node;
  });
  const entry = el("input", {
    type: "text",
    class: "uapca-entry",
    inputmode: "decimal",
    autocomplete: "off",
    "aria-label": words.entry,
    size: 6,
  });
  entry.addEventListener("change", () => {
    const text = entry.value.trim().replace(",", ".");
    const value = /^(\u221e|inf|infinity)$/i.test(text) ? Infinity : text === "½" ? 0.5 : text === "" ? NaN : Number(text);
    motion.stop();
    if (value >= 0) host.set({ scale: value });
    else entry.value = entryText(host.get().scale);
  });

  const pair = [words.horizontal, words.vertical].map((label, k) => {
    const node = el("select", { "aria-label": label });
    for (let i = 0; i < data.q; i++) node.append(el("option", { value: i }, texts.component(i)));
    node.addEventListener("change", () => {
      const next = [...host.get().pair] as [number, number];
      const before = next[k];
      next[k] = Number(node.value);
      // The other axis gives way: the same component twice would show a line.
      if (next[0] === next[1] && data.q > 1) next[1 - k] = before;
      host.set({ pair: next });
    });
    return node;
  });
  const both = el("span", { class: "uapca-field" }, words.components, pair[0], " × ", pair[1]);
  both.hidden = data.q < 2;
  const level = el("select", { "aria-label": words.levelTitle });
  level.addEventListener("change", () => host.set({ level: Number(level.value) }));
  const checks = (["standardize", "names", "points", "densities", "groups"] as const).map((key) => {
    const box = el("input", { type: "checkbox" });
    box.addEventListener("change", () => host.set({ [key]: box.checked }));
    const node = el("label", { class: "uapca-field uapca-check", title: words[`${key}Title`] }, box, ` ${words[key]}`);
    node.hidden = { points: !data.points, densities: !hasDensities(data), groups: !hasGroups(data), standardize: false, names: false }[key];
    return { key, box, node };
  });

  const track = el("div", { class: "uapca-track" }, slider, el("div", { class: "uapca-ticks" }, ...ticks));
  const levels = el("label", { class: "uapca-field" }, words.level, level);
  const choices = el("div", { class: "uapca-choices" }, both, levels, ...checks.map((check) => check.node));
  const node = el(
    "section",
    { class: "uapca-controls", "aria-label": words.label },
    el("div", { class: "uapca-motion" }, play, track, el("label", { class: "uapca-now-value" }, words.current, entry)),
    choices,
  );
  // On a phone the choices scroll away and the slider stays; how many lines they take depends on the data.
  const watch = new ResizeObserver(() => node.style.setProperty("--uapca-choices", `${choices.offsetHeight + 10}px`));
  watch.observe(choices);

  return {
    node,
    stop() {
      motion.stop();
      watch.disconnect();
    },
    draw({ state }, changes) {
      if (has(changes, "scale")) {
        const u = uOf(state.scale);
        if (Number(slider.value) !== u) slider.value = String(u);
        slider.style.setProperty("--uapca-at", `${100 * u}%`);
        set(slider, { "aria-valuetext": texts.scale(scaleText(state.scale)) });
        if (!entry.matches(":focus") || motion.playing()) entry.value = entryText(state.scale);
        ticks.forEach((tick, i) => tick.classList.toggle("is-on", TICKS[i].scale === state.scale));
      }
      if (has(changes, "pair")) pair.forEach((select, k) => (select.value = String(state.pair[k])));
      if (has(changes, "level")) offer(state);
      for (const { key, box } of checks) if (box.checked !== state[key]) box.checked = state[key];
    },
  };

  /** The usual levels, and the current one if it is another. */
  function offer({ level: current }: State): void {
    const offered = [...new Set([...LEVELS, current])].sort((a, b) => a - b);
    level.replaceChildren(...offered.map((p) => el("option", { value: p }, texts.percent(digits(100 * p, 4)))));
    level.value = String(current);
  }
}

function entryText(s: number): string {
  return s === Infinity ? "∞" : String(Number(s.toPrecision(4)));
}

/** Moves s there and back until stopped; in jumps from tick to tick for people who asked for less motion. */
function player(host: Host, changed: (playing: boolean) => void) {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [direction, before] = [1, 0];

  function glide(now: number): void {
    const elapsed = before ? Math.min(Math.max(now - before, 0), 100) / 1000 : 0;
    before = now;
    let u = uOf(host.get().scale) + (direction * elapsed) / SECONDS;
    if (u >= 1) [u, direction] = [1, -1];
    if (u <= 0) [u, direction] = [0, 1];
    host.set({ scale: scaleAt(u) });
    frame = requestAnimationFrame(glide);
  }

  function jump(): void {
    const u = uOf(host.get().scale);
    host.set({ scale: (TICKS.find((tick) => tick.u > u + 1e-9) ?? TICKS[0]).scale });
    timer = setTimeout(jump, PAUSE);
  }

  const playing = () => frame !== 0 || timer !== undefined;
  const stop = () => {
    if (!playing()) return;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    [frame, timer] = [0, undefined];
    changed(false);
  };
  const toggle = () => {
    if (playing()) return stop();
    changed(true);
    [direction, before] = [host.get().scale === Infinity ? -1 : 1, 0];
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) jump();
    else frame = requestAnimationFrame(glide);
  };
  return { playing, stop, toggle };
}
