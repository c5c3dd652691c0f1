/** The controls: the scale with its ticks and animation, the components, the level, the look. */

import { uOf } from "../model";
import { button, el, set } from "./dom";
import { digits, scaleText } from "./format";
import { scaleAt, snapped, TICKS } from "./hyperbolic";
import { player } from "./player";
import { has, hasDensities, type Changes, type Context, type Panel, type Scene } from "./scene";
import { texts } from "./texts";

const words = texts.controls;

const LEVELS = [0.5, 0.68, 0.9, 0.95, 0.99];
const THUMB = 18; // width of the slider's handle in pixels; the style sheet has the same

export interface Controls extends Panel {
  /** Ends the animation. */
  stop(): void;
}

export function controls(context: Context): Controls {
  const { data, host } = context;
  const play = button(
    words.play,
    { class: "uapca-play", "aria-pressed": "false", title: words.playTitle },
    () => motion.toggle(),
  );
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
  const go = (u: number, reach: number) => {
    motion.stop();
    host.set({ scale: scaleAt(snapped(u, reach)) });
  };
  slider.addEventListener("input", () => go(Number(slider.value), 5 / Math.max(slider.clientWidth - THUMB, 50)));
  slider.addEventListener("keydown", (event) => {
    const u = uOf(host.get().scale);
    const small = event.shiftKey ? 0.001 : 0.01;
    const step = { ArrowLeft: -small, ArrowDown: -small, ArrowRight: small, ArrowUp: small }[event.key];
    if (step) go(u + step, small * 0.4);
    else if (event.key === "Home") go(0, 0);
    else if (event.key === "End") go(1, 0);
    else if (event.key === "PageUp") go((TICKS.find((t) => t.u > u + 1e-9) ?? TICKS[TICKS.length - 1]).u, 0);
    else if (event.key === "PageDown") go(([...TICKS].reverse().find((t) => t.u < u - 1e-9) ?? TICKS[0]).u, 0);
    else return;
    event.preventDefault();
  });
  const ticks = TICKS.map((tick) => {
    const node = button(tick.label, { class: "uapca-tick", tabindex: -1, "aria-label": `s = ${tick.label}` }, () =>
      go(tick.u, 0),
    );
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
  const read = () => {
    const text = entry.value.trim().replace(",", ".");
    const value = /^(\u221e|inf|infinity)$/i.test(text)
      ? Infinity
      : text === "½"
        ? 0.5
        : text === ""
          ? NaN
          : Number(text);
    motion.stop();
    if (value >= 0) host.set({ scale: value });
    else entry.value = entryText(host.get().scale);
  };
  entry.addEventListener("change", read);

  const count = data.precomputed?.q ?? data.d;
  const pair = [0, 1].map((k) => {
    const node = el("select", {
      "aria-label": k ? words.vertical : words.horizontal,
    });
    for (let i = 0; i < count; i++) node.append(el("option", { value: i }, texts.component(i)));
    node.addEventListener("change", () => {
      const next = [...host.get().pair] as [number, number];
      const before = next[k];
      next[k] = Number(node.value);
      // The other axis gives way: the same component twice would show a line.
      if (next[0] === next[1] && count > 1) next[1 - k] = before;
      host.set({ pair: next });
    });
    return node;
  });
  const both = el("span", { class: "uapca-field" }, words.components, pair[0], " × ", pair[1]);
  both.hidden = count < 2;
  const level = el("select", { "aria-label": words.levelTitle });
  level.addEventListener("change", () => host.set({ level: Number(level.value) }));
  const standardize = check(words.standardize, words.standardizeTitle, (on) =>
    host.set({ standardize: on }),
  );
  const labels = check(words.names, words.namesTitle, (on) => context.choose({ labels: on }));
  const points = check(words.points, words.pointsTitle, (on) => context.choose({ points: on }));
  const densities = check(words.densities, words.densitiesTitle, (on) =>
    context.choose({ shape: on ? "densities" : "ellipses" }),
  );
  points.node.hidden = !data.points;
  densities.node.hidden = !hasDensities(data);

  const track = el("div", { class: "uapca-track" }, slider, el("div", { class: "uapca-ticks" }, ...ticks));
  const choices = el(
    "div",
    { class: "uapca-choices" },
    both,
    el("label", { class: "uapca-field" }, words.level, level),
    standardize.node,
    labels.node,
    points.node,
    densities.node,
  );
  const node = el(
    "section",
    { class: "uapca-controls", "aria-label": words.label },
    el("div", { class: "uapca-motion" }, play, track, el("label", { class: "uapca-now-value" }, "s = ", entry)),
    choices,
  );
  // On a phone the choices scroll away and the slider stays; how many lines they take depends on the data.
  const watch = new ResizeObserver(() =>
    node.style.setProperty("--uapca-choices", `${choices.offsetHeight + 10}px`),
  );
  watch.observe(choices);

  return {
    node,
    stop() {
      motion.stop();
      watch.disconnect();
    },
    draw(scene: Scene, changes: Changes) {
      const { state, options } = scene;
      if (has(changes, "scale")) {
        const u = uOf(state.scale);
        if (Number(slider.value) !== u) slider.value = String(u);
        slider.style.setProperty("--uapca-at", `${100 * u}%`);
        set(slider, { "aria-valuetext": `s = ${scaleText(state.scale)}` });
        if (!entry.matches(":focus") || motion.playing) entry.value = entryText(state.scale);
        ticks.forEach((tick, i) => tick.classList.toggle("is-on", TICKS[i].scale === state.scale));
      }
      if (has(changes, "pair")) pair.forEach((select, k) => (select.value = String(state.pair[k])));
      if (has(changes, "level")) offer(state.level);
      if (has(changes, "standardize")) standardize.box.checked = state.standardize;
      show(labels, options.labels);
      show(points, options.points);
      show(densities, options.shape === "densities");
    },
  };

  /** The usual levels, and the current one if it is another. */
  function offer(current: number): void {
    const levels = LEVELS.includes(current) ? LEVELS : [...LEVELS, current].sort((a, b) => a - b);
    level.replaceChildren(...levels.map((p) => el("option", { value: p }, `${digits(100 * p, 4)} %`)));
    level.value = String(current);
  }
}

interface Check {
  readonly node: HTMLElement;
  readonly box: HTMLInputElement;
}

function check(label: string, title: string, act: (on: boolean) => void): Check {
  const box = el("input", { type: "checkbox" });
  box.addEventListener("change", () => act(box.checked));
  return { node: el("label", { class: "uapca-field uapca-check", title }, box, ` ${label}`), box };
}

function show({ box }: Check, on: boolean): void {
  if (box.checked !== on) box.checked = on;
}

function entryText(s: number): string {
  return s === Infinity ? "∞" : String(Number(s.toPrecision(4)));
}
