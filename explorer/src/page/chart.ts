/** The frame of a panel with a picture in it, and what hands do on pictures. */

import { sOf, uOf, type Hovered } from "../model";
import { el, set, svg } from "./dom";
import { scaleText } from "./format";
import type { Context } from "./scene";
import { texts } from "./texts";

/** A titled section with a picture that fills its stage, which takes the keyboard; buttons go into its tools, beside the heading. */
export function chart(context: Context, name: "projection" | "traces" | "eigenvalues" | "loadings") {
  const { title, label } = texts[name];
  const tools = el("div", { class: "uapca-tools" });
  const picture = svg("svg", { class: "uapca-svg", "aria-hidden": "true" });
  const stage = el("div", { class: "uapca-stage", tabindex: 0, role: "group", "aria-label": label }, picture);
  const note = el("p", { class: "uapca-note" });
  const node = section(name, title, tools, stage, note);
  const size = { width: 0, height: 0 };
  const type = { font: "12px sans-serif", em: 12 }; // of the picture, for measuring, and its size in pixels
  new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = stage;
    if (!width || !height || (width === size.width && height === size.height)) return;
    Object.assign(size, { width, height });
    const { fontSize, fontFamily } = getComputedStyle(picture);
    Object.assign(type, { font: `${fontSize} ${fontFamily}`, em: parseFloat(fontSize) });
    set(picture, { width, height, viewBox: `0 0 ${width} ${height}` });
    context.redraw("size");
  }).observe(stage);
  return { node, tools, stage, svg: picture, note, size, type };
}

/** A titled section of the page. */
export function section(name: string, title: string, tools: HTMLElement, ...body: HTMLElement[]): HTMLElement {
  const bar = el("div", { class: "uapca-bar" }, el("h2", { class: "uapca-heading" }, title), tools);
  return el("section", { class: `uapca-panel uapca-${name}`, "aria-label": title }, bar, ...body);
}

/** Arrow keys walk through rows or features, Enter selects, Escape lets go. */
export function walks(stage: HTMLElement, context: Context, kind: Hovered["kind"], act: (index: number, extend: boolean) => void): void {
  const { data, host } = context;
  const [count, names] = kind === "row" ? [data.n, data.names] : [data.d, data.features];
  stage.addEventListener("keydown", (event) => {
    if (event.target !== stage || event.altKey || event.metaKey || event.ctrlKey) return;
    const { hovered } = host.get();
    const here = hovered?.kind === kind ? hovered.index : null;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    let next: number | undefined = { Home: 0, End: count - 1 }[event.key];
    if (step) next = here === null ? (step > 0 ? 0 : count - 1) : (here + step + count) % count;
    else if ((event.key === "Enter" || event.key === " ") && here !== null) act(here, event.shiftKey);
    else if (event.key === "Escape") host.set({ hovered: null, selection: [], pinned: null });
    else if (next === undefined) return;
    event.preventDefault();
    if (next === undefined) return;
    context.hover(kind, next);
    context.announce(names[next]);
  });
  stage.addEventListener("blur", () => context.hover(kind, null));
}

/** A feature that is pointed at, or reached by keys, is shown everywhere, and kept in view by a click or Enter. */
export function pointsAtFeatures(panel: HTMLElement, stage: Element, context: Context, featureAt: (event: MouseEvent) => number | null): void {
  const { host } = context;
  const keep = (index: number | null) => host.set({ pinned: index === host.get().pinned ? null : index });
  walks(panel, context, "feature", keep);
  stage.addEventListener("pointermove", (event) => context.hover("feature", featureAt(event as MouseEvent)));
  stage.addEventListener("pointerleave", () => context.hover("feature", null));
  stage.addEventListener("click", (event) => keep(featureAt(event as MouseEvent)));
}

/** How far an arrow key moves along a scale; undefined for other keys. */
export function arrowStep(key: string, step: number): number | undefined {
  return { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step }[key];
}

/** The selection after a click on a row: that row alone, or with the others where `extend`. */
export function clicked(selection: readonly number[], row: number, extend: boolean): number[] {
  if (!extend) return selection.length === 1 && selection[0] === row ? [] : [row];
  return selection.includes(row) ? selection.filter((other) => other !== row) : [...selection, row];
}

/** The scales that have a tick on the axis of u = s / (1 + s); s = 1, the data as given, is in the middle. */
export const TICKS = [0, 0.5, 1, 2, Infinity].map((scale) => ({ scale, u: uOf(scale), label: scaleText(scale) }));

/** s at u; scales that have a tick come out as written, not within a rounding of it. */
export function scaleAt(u: number): number {
  return TICKS.find((t) => t.u === u)?.scale ?? sOf(Math.min(Math.max(u, 0), 1));
}

/** The tick nearest to u if it is within `reach`, otherwise u itself. */
export function snapped(u: number, reach: number): number {
  return TICKS.find((t) => Math.abs(t.u - u) <= reach)?.u ?? Math.min(Math.max(u, 0), 1);
}
