/** A row in the projection: the region that holds a share of its probability, and its mean. */

import { set, svg } from "../dom";
import { ellipse, ellipsePath } from "../ellipse";
import { hundredths as f } from "../format";
import { ringsPath } from "./canvas";
import { color, dash, marker } from "../palette";
import type { Context, Scene } from "../scene";
import type { View } from "./view";

export interface Mark {
  readonly node: SVGGElement;
  draw(scene: Scene, view: View, row: number, radius: number): void;
}

/** Elements for one row; which one, is said when it is drawn. */
export function mark(context: Context): Mark {
  const region = svg("path", { class: "uapca-region" });
  const mean = svg("path", { class: "uapca-mean" });
  const node = svg("g", { class: "uapca-row" }, region, mean);
  let dressed = "";
  return {
    node,
    draw(scene, view, row, radius) {
      const look = context.look(row);
      const dress = `${row} ${look} ${scene.theme}`;
      if (dress !== dressed) {
        dressed = dress;
        const stroke = color(look, scene.theme);
        set(node, { "data-row": row });
        set(region, { stroke, fill: stroke, "stroke-dasharray": dash(look) || undefined });
        const open = row >= context.data.n - context.data.supplementary;
        set(mean, { d: marker(look, 4.5), fill: stroke });
        node.classList.toggle("is-open", open);
      }
      const { means } = scene.projection;
      const x = view.x(means[2 * row]);
      const y = view.y(means[2 * row + 1]);
      region.setAttribute("d", regionPath(scene, view, row, radius, x, y));
      mean.setAttribute("transform", `translate(${f(x)},${f(y)})`);
    },
  };
}

/** The outline of a row as an SVG path: its contour where it is not normal, else its ellipse. */
export function regionPath(scene: Scene, view: View, row: number, radius: number, x: number, y: number): string {
  const rings = scene.contours(row);
  if (rings) return ringsPath(rings, view);
  const c = scene.projection.covariances;
  const e = ellipse({ xx: c[3 * row], xy: c[3 * row + 1], yy: c[3 * row + 2] }, radius);
  return ellipsePath(x, y, e, view.scale);
}

/** A row on a single component: the interval that holds a share of its probability. */
export function stripPath(scene: Scene, view: View, row: number, radius: number): string {
  const half = radius * Math.sqrt(Math.max(scene.projection.covariances[3 * row], 0));
  const centre = scene.projection.means[2 * row];
  const [a, b, y] = [view.x(centre - half), view.x(centre + half), view.y(row)];
  return `M${f(a)},${f(y - 6)}V${f(y + 6)}M${f(a)},${f(y)}H${f(b)}M${f(b)},${f(y - 6)}V${f(y + 6)}`;
}
