/** Bars of the two components shown: how much of each feature is in them. */

import { chart, pointsAtFeatures } from "./chart";
import { button, set, setText, svg } from "./dom";
import { digits, hundredths as f, percent } from "./format";
import { fitting, textWidth } from "./labels";
import { kind } from "./palette";
import { has, reasons, type Context, type Panel, type Scene } from "./scene";
import { texts } from "./texts";

const HEAD = 1.9; // above the bars, in heights of the text
const words = texts.loadings;

export function loadings(context: Context): Panel {
  const { data, host } = context;
  const view = chart(context, "loadings");
  const kinds = (["entries", "contributions"] as const).map((bars) => ({
    bars,
    node: button(words.kinds[bars], { class: "uapca-toggle" }, () => host.set({ bars })),
  }));
  set(view.tools, { role: "group", "aria-label": words.choice });
  view.tools.append(...kinds.map(({ node }) => node));
  const part = (k: number) => `uapca-part is-${k ? "second" : "first"}`;
  const zero = svg("line", { class: "uapca-zero" });
  const heads = [0, 1].map(() => svg("text", { class: "uapca-axis-name", "text-anchor": "end" }));
  const keys = [0, 1].map((k) => svg("rect", { class: part(k), width: 9, height: 9 }));
  const rows = data.features.map((feature, j) => {
    const back = svg("rect", { class: "uapca-row-back", x: 0, y: 0 });
    const name = svg("text", { class: "uapca-label", "text-anchor": "end", "dominant-baseline": "central" });
    const bars = [0, 1].map((k) => svg("rect", { class: part(k) }));
    const reasons = [0, 1].map(() => svg("line", { class: "uapca-reason" }));
    const values = [0, 1].map(() => svg("text", { class: "uapca-value", "text-anchor": "end", "dominant-baseline": "central" }));
    const parts = [svg("title", {}, feature), back, name, ...bars, ...reasons, ...values];
    const group = svg("g", { class: "uapca-feature", "data-feature": j }, ...parts);
    return { group, back, name, bars, reasons, values };
  });
  view.svg.append(...keys, ...heads, ...rows.map((row) => row.group), zero);
  pointsAtFeatures(view.stage, view.svg, context, ({ target }) => {
    const group = target instanceof Element ? target.closest("[data-feature]") : null;
    return group && Number(group.getAttribute("data-feature"));
  });
  view.stage.style.setProperty("--uapca-tall", `${24 + 28 * data.d}px`);
  let [left, span] = [60, 100];
  let scrolls = false; // some features are below the edge

  function layout({ state }: Scene): void {
    const { width, height } = view.size;
    const { em, font } = view.type;
    const names = context.short.features;
    left = Math.min(Math.max(...names.map((name) => textWidth(name, font)), 20) + 12, width * 0.4);
    const top = HEAD * em;
    const step = Math.min(Math.max((height - top - 4) / data.d, 1.65 * em), 44);
    const used = top + step * data.d + 4;
    const tall = Math.max(used, height);
    scrolls = tall > height + 1;
    set(view.svg, { height: tall, viewBox: `0 0 ${width} ${tall}`, "data-used": used });
    const column = 4.3 * em;
    const columns = [width - 6 - column, width - 6];
    span = columns[0] - 0.9 * column - left;
    state.pair.forEach((component, k) => {
      const text = texts.component(component);
      const visibility = k && state.pair[0] === state.pair[1] ? "hidden" : "visible";
      setText(heads[k], text);
      set(heads[k], { x: columns[k], y: 1.1 * em, visibility });
      set(keys[k], { x: columns[k] - textWidth(text, font) - 14, y: 1.1 * em - 9, visibility });
      for (const { bars, reasons, values } of rows) for (const one of [bars[k], reasons[k], values[k]]) set(one, { visibility });
    });
    const thick = Math.max(Math.min(step * 0.36, 12), 4);
    rows.forEach((row, j) => {
      set(row.group, { transform: `translate(0,${top + j * step})` });
      set(row.back, { width, height: step });
      set(row.name, { x: left - 8, y: step / 2 });
      setText(row.name, fitting(names[j], left - 12, font));
      [0, 1].forEach((k) => {
        const y = step / 2 + (k ? 0.5 : -thick - 0.5);
        set(row.bars[k], { y, height: thick });
        set(row.reasons[k], { y1: y + thick / 2, y2: y + thick / 2 });
        set(row.values[k], { x: columns[k], y: step / 2 });
      });
    });
    for (const { bars, node } of kinds) set(node, { "aria-pressed": String(bars === state.bars) });
    set(zero, { y1: top - 2, y2: top + step * data.d });
  }

  function values(scene: Scene): void {
    const { fit, state, theme } = scene;
    const shares = state.bars === "contributions";
    const origin = shares ? left : left + span / 2;
    const unit = shares ? span : span / 2;
    set(zero, { x1: origin, x2: origin });
    // The largest part is as long as an entry of 1.
    const parts = scene.row === null || shares ? null : reasons(data, scene, scene.row);
    const most = parts && (Math.max(...parts.flat().map(Math.abs)) || 1);
    rows.forEach((row, j) => {
      row.group.classList.toggle("is-on", j === scene.feature);
      const color = kind(j)[theme];
      state.pair.forEach((component, k) => {
        const entry = fit.components[component * fit.d + j];
        const shown = shares ? entry ** 2 : entry;
        set(row.bars[k], { x: f(Math.min(origin, origin + shown * unit)), width: f(Math.abs(shown) * unit), fill: color, stroke: color });
        setText(row.values[k], shares ? percent(shown, 0) : fixed(shown));
        const both = k === 0 || component !== state.pair[0];
        set(row.reasons[k], {
          x1: origin,
          x2: f(origin + (parts && most ? parts[j][k] / most : 0) * unit),
          visibility: parts && both ? "visible" : "hidden",
        });
      });
    });
  }

  return {
    node: view.node,
    picture: () => view.svg,
    draw(scene, changes) {
      if (!view.size.width) return;
      if (has(changes, "size", "pair", "bars")) layout(scene);
      values(scene);
      // The same words whether a row is pointed at or not: the page must not move under the pointer.
      setText(view.note, words[scene.state.bars] + (scrolls ? words.scroll(data.d) : ""));
    },
  };
}

function fixed(x: number): string {
  return Math.abs(x) < 0.005 ? "0.00" : Math.abs(x) < 10 ? x.toFixed(2).replace("-", "−") : digits(x);
}
