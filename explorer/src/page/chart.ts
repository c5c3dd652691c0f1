/** The frame of a panel with a picture in it. */

import { el, set, svg } from "./dom";

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

/** A titled section with a picture that fills its stage; `resized` is called when it can be drawn. */
export function chart(name: string, title: string, label: string, resized: () => void): Chart {
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
    resized();
  }).observe(stage);
  return { node, tools, stage, svg: picture, note, size, type };
}

/** A titled section of the page. */
export function section(name: string, title: string, tools: HTMLElement, ...body: HTMLElement[]): HTMLElement {
  const heading = el("h2", { class: "uapca-heading" }, title);
  return el(
    "section",
    { class: `uapca-panel uapca-${name}`, "aria-label": title },
    el("div", { class: "uapca-bar" }, heading, tools),
    ...body,
  );
}
