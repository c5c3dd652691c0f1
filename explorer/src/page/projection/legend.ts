/** What the marks of the projection mean, in words. */

import type { Dataset } from "../../model";
import { el, nameNode, setText, svg } from "../dom";
import { digits } from "../format";
import { colour, dash, marker } from "../palette";
import { has, type Changes, type Context, type Scene } from "../scene";

const MOST = 24;

export interface Legend {
  readonly node: HTMLElement;
  draw(scene: Scene, changes: Changes): void;
}

/** The groups and their palette entries, as far as there is room to tell them. */
export function groupEntries(data: Dataset): (readonly [label: string, look: number])[] {
  const entries = data.groups?.labels.slice(0, MOST).map((label, look) => [label, look] as const) ?? [];
  if (data.groups?.codes.some((code) => code < 0)) entries.push(["(no group)", data.groups.labels.length]);
  return entries;
}

/** What is drawn around a row, and how much of it is inside. */
export function outline(data: Dataset, { state, options }: Scene): string {
  const one = state.pair[0] === state.pair[1];
  const densities = options.shape === "densities" && !one;
  const shape = one ? "Interval" : densities ? "Outline" : "Ellipse";
  const assumed = data.assumed || (data.laws && !densities);
  return (
    `${shape}: ${digits(100 * state.level, 4)} % of each row’s probability` +
    (densities ? ", where it is densest" : "") +
    (assumed ? (densities ? ", some taken as normal" : ", if normal") : "")
  );
}

export function legend(context: Context): Legend {
  const { data } = context;
  const words = el("p", { class: "uapca-note" });
  const list = el("ul", { class: "uapca-legend", "aria-label": "Groups" });
  const entries = groupEntries(data);
  list.hidden = !entries.length;
  const node = el("div", { class: "uapca-key" }, words, list);
  return {
    node,
    draw(scene, changes) {
      const points = scene.points ? " Small dots: the original points." : "";
      setText(words, `${outline(data, scene)}. Marker: its mean.${points}`);
      if (entries.length && has(changes, "theme", "size")) {
        list.replaceChildren(
          ...entries.map(([label, look]) => el("li", {}, swatch(look, colour(look, scene.theme)), nameNode(label, 24))),
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
