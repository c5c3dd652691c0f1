/** What the marks of the projection mean, in words. */

import type { Dataset } from "../../model";
import { el, nameNode, setText, svg } from "../dom";
import { digits } from "../format";
import { color, continuous, dash, marker } from "../palette";
import { ELEMENTS, has, rangeOf, type Changes, type Context, type Scene } from "../scene";
import { texts } from "../texts";

const MOST = 24;

export interface Legend {
  readonly node: HTMLElement;
  draw(scene: Scene, changes: Changes): void;
}

/** The groups and their palette entries, as far as there is room to tell them. */
export function groupEntries(data: Dataset): (readonly [label: string, look: number])[] {
  const { groups } = data;
  if (groups?.values) {
    const [low, high] = rangeOf(groups.values);
    return [0, 0.25, 0.5, 0.75, 1].map((share) => [digits(low + share * (high - low)), continuous(share)] as const);
  }
  const entries = groups?.labels.slice(0, MOST).map((label, look) => [label, look] as const) ?? [];
  if (groups?.codes.some((code) => code < 0)) entries.push([texts.projection.noGroup, groups.labels.length]);
  return entries;
}

/** What is drawn around a row, and how much of it is inside. */
export function outline(data: Dataset, { state, options }: Scene): string {
  const one = state.pair[0] === state.pair[1];
  const densities = options.shape === "densities" && !one;
  return texts.projection.legend({
    shape: one ? "interval" : densities ? "outline" : "ellipse",
    level: digits(100 * state.level, 4),
    assumed: !data.assumed && !(data.laws && !densities) ? "no" : densities ? "some" : "all",
  });
}

export function legend(context: Context): Legend {
  const { data } = context;
  const words = el("p", { class: "uapca-note" });
  const list = el("ul", { class: "uapca-legend", "aria-label": texts.projection.groups });
  const entries = groupEntries(data);
  list.hidden = !entries.length;
  const node = el("div", { class: "uapca-key" }, words, list);
  const crowd = data.n > ELEMENTS && data.d > 1 ? ` ${texts.projection.whole}` : "";
  return {
    node,
    draw(scene, changes) {
      const points = scene.points ? texts.projection.dots : "";
      const open = data.supplementary ? texts.projection.open : "";
      setText(words, `${outline(data, scene)}.${texts.projection.marker}${points}${open}${crowd}`);
      if (entries.length && has(changes, "theme", "size")) {
        list.replaceChildren(
          ...entries.map(([label, look]) => el("li", {}, swatch(look, color(look, scene.theme)), nameNode(label, 24))),
        );
      }
    },
  };
}

/** The marker of a palette entry, with a bit of its line. */
export function swatch(look: number, fill: string): SVGSVGElement {
  return svg(
    "svg",
    { class: "uapca-swatch", width: 20, height: 12, viewBox: "-10 -6 20 12", "aria-hidden": "true" },
    svg("line", { x1: -10, x2: 10, stroke: fill, "stroke-dasharray": dash(look) || undefined, "stroke-width": 1.5 }),
    svg("path", { d: marker(look, 4), fill }),
  );
}
