/** What the marks of the projection mean, in words. */

import { ELEMENTS } from "../core/decode";
import type { Dataset } from "../model";
import { el, nameNode, setText, svg } from "./dom";
import { digits } from "./format";
import { marker, type Look, type Theme } from "./palette";
import { has, type Changes, type Context, type Scene } from "./scene";
import { texts } from "./texts";

const words = texts.projection;

/** What is drawn around a row, and how much of it is inside. */
export function outline(data: Dataset, { state }: Scene): string {
  const one = state.pair[0] === state.pair[1];
  const densities = state.densities && !one;
  return words.legend({
    shape: one ? "interval" : densities ? "outline" : "ellipse",
    level: digits(100 * state.level, 4),
    assumed: !data.assumed && !(data.laws && !densities) ? "no" : densities ? "some" : "all",
  });
}

export function legend({ data, key }: Context) {
  const note = el("p", { class: "uapca-note" });
  const list = el("ul", { class: "uapca-legend", "aria-label": words.key });
  list.hidden = !key.length;
  const crowd = data.n > ELEMENTS && data.d > 1 ? words.whole(data.assumed || data.laws !== null) : "";
  return {
    node: el("div", { class: "uapca-key" }, note, list),
    draw(scene: Scene, changes: Changes, joined: boolean) {
      const together = scene.groups ? words.together(digits(100 * scene.state.level, 4)) : "";
      const parts = [joined ? words.modes : "", scene.points ? words.dots : "", data.supplementary ? words.open : "", together, crowd];
      setText(note, `${outline(data, scene)}.${words.marker}${parts.join("")}`);
      if (!key.length || !has(changes, "theme", "size")) return;
      list.replaceChildren(...key.map(([label, look]) => el("li", {}, swatch(look, scene.theme), nameNode(label, data.groups ? 24 : 48))));
    },
  };
}

/** A marker with a bit of its line. */
export function swatch(look: Look, theme: Theme): SVGSVGElement {
  return svg(
    "svg",
    { class: "uapca-swatch", width: 20, height: 12, viewBox: "-10 -6 20 12", "aria-hidden": "true" },
    svg("line", { x1: -10, x2: 10, stroke: look[theme], "stroke-dasharray": look.dash, "stroke-width": 1.5 }),
    svg("path", { d: marker(look, 4), fill: look[theme] }),
  );
}
