/** Bars of the two components shown: how much of each feature is in them. */

import { chart } from "./chart";
import { button, set, setText, shortened, svg } from "./dom";
import { digits, hundredths as f, percent } from "./format";
import { fitting, textWidth } from "./labels";
import { color } from "./palette";
import { has, type Changes, type Context, type Panel, type Scene } from "./scene";
import { texts } from "./texts";
import { walks } from "./walk";

const NAME = 20; // characters of a name
const HEAD = 1.9; // above the bars, in heights of the text

interface Bars {
  readonly group: SVGGElement;
  readonly back: SVGRectElement;
  readonly name: SVGTextElement;
  readonly bars: readonly SVGRectElement[];
  readonly parts: readonly SVGLineElement[];
  readonly values: readonly SVGTextElement[];
}

export function loadings(context: Context): Panel {
  const { data, host } = context;
  const view = chart(
    "loadings",
    texts.loadings.title,
    texts.loadings.label,
    () => context.redraw("size"),
  );
  const kinds = (["entries", "contributions"] as const).map((kind) =>
    button(kind, { class: "uapca-toggle", "aria-pressed": "false" }, () => context.choose({ bars: kind })),
  );
  const choice = view.tools;
  choice.setAttribute("role", "group");
  choice.setAttribute("aria-label", texts.loadings.choice);
  choice.append(...kinds);
  const zero = svg("line", { class: "uapca-zero" });
  const heads = [0, 1].map(() => svg("text", { class: "uapca-axis-name", "text-anchor": "end" }));
  const keys = [0, 1].map((k) =>
    svg("rect", { class: `uapca-part is-${k ? "second" : "first"}`, width: 9, height: 9 }),
  );
  view.svg.append(...keys, ...heads);
  const rows: Bars[] = data.features.map((feature, j) => featureBars(feature, j));
  view.svg.append(...rows.map((row) => row.group), zero);
  const plain = new Float64Array(2);
  let pinned: number | null = null;

  const pin = (feature: number) => context.choose({ pinned: pinned === feature ? null : feature });
  walks(view.stage, context, "feature", pin);
  view.svg.addEventListener("pointermove", (event) => {
    const index = featureOf(event.target);
    const { hovered } = host.get();
    if (index !== null && (hovered?.kind !== "feature" || hovered.index !== index)) {
      host.set({ hovered: { kind: "feature", index } });
    }
  });
  view.svg.addEventListener("pointerleave", () => {
    if (host.get().hovered?.kind === "feature") host.set({ hovered: null });
  });
  view.svg.addEventListener("click", (event) => {
    const index = featureOf(event.target);
    if (index !== null) pin(index);
  });

  view.stage.style.setProperty("--uapca-tall", `${24 + 28 * data.d}px`);
  let step = 26;
  let left = 60;
  let span = 100;
  let hidden = false; // some features are below the edge

  function layout(scene: Scene): void {
    const { width, height } = view.size;
    const widest = Math.max(
      ...data.features.slice(0, 400).map((name) => textWidth(shortened(name, NAME), view.type.font)),
      20,
    );
    left = Math.min(widest + 12, width * 0.4);
    const top = HEAD * view.type.em;
    step = Math.min(Math.max((height - top - 4) / data.d, 1.65 * view.type.em), 44);
    const tall = Math.max(top + step * data.d + 4, height);
    hidden = tall > height + 1;
    set(view.svg, { height: tall, viewBox: `0 0 ${width} ${tall}`, "data-used": top + step * data.d + 4 });
    const column = 4.3 * view.type.em;
    const columns = [width - 6 - column, width - 6];
    span = columns[0] - 0.9 * column - left;
    const two = scene.state.pair[0] !== scene.state.pair[1];
    scene.state.pair.forEach((component, k) => {
      const text = texts.component(component);
      const hidden = k === 1 && !two;
      setText(heads[k], hidden ? "" : text);
      set(heads[k], { x: columns[k], y: 1.1 * view.type.em });
      set(keys[k], {
        x: columns[k] - textWidth(text, view.type.font) - 14,
        y: 1.1 * view.type.em - 9,
        visibility: hidden ? "hidden" : "visible",
      });
    });
    const thick = Math.max(Math.min(step * 0.36, 12), 4);
    rows.forEach((row, j) => {
      set(row.group, { transform: `translate(0,${top + j * step})` });
      set(row.back, { width, height: step });
      set(row.name, { x: left - 8, y: step / 2 });
      setText(row.name, fitting(data.features[j], NAME, left - 12, view.type.font));
      row.bars.forEach((bar, k) => set(bar, { y: step / 2 + (k ? 0.5 : -thick - 0.5), height: thick }));
      row.parts.forEach((part, k) => {
        const y = step / 2 + (k ? 0.5 + thick / 2 : -thick / 2 - 0.5);
        set(part, { y1: y, y2: y });
      });
      row.values.forEach((value, k) => set(value, { x: columns[k], y: step / 2 }));
    });
    kinds.forEach((node) => set(node, { "aria-pressed": String(node.textContent === scene.options.bars) }));
    set(zero, { y1: top - 2, y2: top + step * data.d });
  }

  function values(scene: Scene): void {
    const { fit, state, options, theme } = scene;
    const shares = options.bars === "contributions";
    const origin = shares ? left : left + span / 2;
    const unit = shares ? span : span / 2;
    set(zero, { x1: origin, x2: origin });
    const two = state.pair[0] !== state.pair[1];
    const parts = scene.row === null || shares ? null : reasons(scene, scene.row);
    rows.forEach((row, j) => {
      row.group.classList.toggle("is-on", j === scene.feature);
      state.pair.forEach((component, k) => {
        plain[k] = fit.components[component * fit.d + j];
        const shown = shares ? plain[k] ** 2 : plain[k];
        const hidden = k === 1 && !two;
        set(row.bars[k], {
          x: f(Math.min(origin, origin + shown * unit)),
          width: hidden ? 0 : f(Math.abs(shown) * unit),
          fill: color(j, theme),
          stroke: color(j, theme),
        });
        setText(row.values[k], hidden ? "" : shares ? percent(shown, 0).replace(" ", " ") : fixed(shown));
        const part = parts?.[2 * j + k] ?? 0;
        set(row.parts[k], {
          x1: origin,
          x2: f(origin + part * unit),
          visibility: parts && !hidden ? "visible" : "hidden",
        });
      });
    });
  }

  /** How much each feature moves a row along the two components, the largest part being 1. */
  function reasons(scene: Scene, row: number): Float64Array {
    const { fit, state } = scene;
    const out = new Float64Array(2 * data.d);
    let most = 0;
    for (let j = 0; j < data.d; j++) {
      const away = (data.mean[row * data.d + j] - fit.mean[j]) / fit.units[j];
      for (const k of [0, 1]) {
        out[2 * j + k] = away * fit.components[state.pair[k] * fit.d + j];
        most = Math.max(most, Math.abs(out[2 * j + k]));
      }
    }
    return most > 0 ? out.map((part) => part / most) : out;
  }

  return {
    node: view.node,
    picture: () => view.svg,
    draw(scene: Scene, changes: Changes) {
      pinned = scene.options.pinned;
      if (!view.size.width) return;
      if (has(changes, "size", "pair", "bars")) layout(scene);
      values(scene);
      setText(
        view.note,
        // The same words whether a row is pointed at or not: the page must not move under the pointer.
        (scene.options.bars === "entries" ? texts.loadings.entries : texts.loadings.contributions) +
          (hidden ? texts.loadings.scroll(data.d) : ""),
      );
    },
  };
}

function featureBars(feature: string, j: number): Bars {
  const part = {
    back: svg("rect", { class: "uapca-row-back", x: 0, y: 0 }),
    name: svg("text", { class: "uapca-label", "text-anchor": "end", "dominant-baseline": "central" }),
    bars: [0, 1].map((k) => svg("rect", { class: `uapca-part is-${k ? "second" : "first"}` })),
    parts: [0, 1].map(() => svg("line", { class: "uapca-reason" })),
    values: [0, 1].map(() =>
      svg("text", { class: "uapca-value", "text-anchor": "end", "dominant-baseline": "central" }),
    ),
  };
  const group = svg(
    "g",
    { class: "uapca-feature", "data-feature": j },
    svg("title", {}, feature),
    part.back,
    part.name,
    ...part.bars,
    ...part.parts,
    ...part.values,
  );
  return { group, ...part };
}

function featureOf(target: EventTarget | null): number | null {
  const group = target instanceof Element ? target.closest("[data-feature]") : null;
  return group ? Number(group.getAttribute("data-feature")) : null;
}

function fixed(x: number): string {
  return Math.abs(x) < 0.005 ? "0.00" : Math.abs(x) < 10 ? x.toFixed(2).replace("-", "−") : digits(x);
}
