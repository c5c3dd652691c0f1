/** The frame of a panel with a picture in it, and what hands do on pictures. */

import type { Hovered } from "../model";
import { el, set, svg } from "./dom";
import type { Context } from "./scene";
import { texts } from "./texts";

export interface Chart {
  readonly node: HTMLElement;
  /** Beside the heading, for buttons. */
  readonly tools: HTMLElement;
  /** The stack of picture layers; takes the keyboard. */
  readonly stage: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly note: HTMLElement;
  readonly size: { width: number; height: number };
  /** The font of the picture, for measuring, and its size in pixels. */
  readonly type: { font: string; em: number };
}

/** A titled section with a picture that fills its stage. */
export function chart(context: Context, name: "projection" | "traces" | "eigenvalues" | "loadings"): Chart {
  const { title, label } = texts[name];
  const tools = el("div", { class: "uapca-tools" });
  const picture = svg("svg", { class: "uapca-svg", "aria-hidden": "true" });
  const stage = el("div", { class: "uapca-stage", tabindex: 0, role: "group", "aria-label": label }, picture);
  const note = el("p", { class: "uapca-note" });
  const node = section(name, title, tools, stage, note);
  const size = { width: 0, height: 0 };
  const type = { font: "12px sans-serif", em: 12 };
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

/** A feature that is pointed at is shown everywhere, and kept in view by a click. */
export function pointsAtFeatures(stage: Element, context: Context, featureAt: (event: MouseEvent) => number | null): void {
  const { host } = context;
  stage.addEventListener("pointermove", (event) => context.hover("feature", featureAt(event as MouseEvent)));
  stage.addEventListener("pointerleave", () => context.hover("feature", null));
  stage.addEventListener("click", (event) => {
    const index = featureAt(event as MouseEvent);
    host.set({ pinned: index === host.get().pinned ? null : index });
  });
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
