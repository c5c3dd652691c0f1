/** What is on the canvas, as SVG, for an export. */

import { svg } from "../dom";
import { ellipse, ellipsePath } from "../ellipse";
import { hundredths as f } from "../format";
import { colour, marker } from "../palette";
import type { Context, Scene } from "../scene";
import type { View } from "./view";

/** Original points, and rows where they are drawn on the canvas; one path for each colour. */
export function inked(context: Context, scene: Scene, view: View, radius: number, rows: boolean): SVGGElement {
  const { data } = context;
  const group = svg("g");
  const fill = (look: number) => colour(look, scene.theme);
  if (scene.points && data.points) {
    const { points } = scene;
    for (const [look, members] of byLook(data.points.rows, context.look)) {
      const d = members.map((k) => `M${f(view.x(points[2 * k]))},${f(view.y(points[2 * k + 1]))}h0`).join("");
      group.append(
        svg("path", { d, stroke: fill(look), "stroke-width": 2.4, "stroke-linecap": "round", "stroke-opacity": 0.45 }),
      );
    }
  }
  if (rows) {
    const { means, covariances: c } = scene.projection;
    const all = Int32Array.from({ length: data.n }, (_, row) => row);
    for (const [look, members] of byLook(all, context.look)) {
      const place = (row: number) => [view.x(means[2 * row]), view.y(means[2 * row + 1])] as const;
      const regions = members.map((row) => {
        const e = ellipse({ xx: c[3 * row], xy: c[3 * row + 1], yy: c[3 * row + 2] }, radius);
        return ellipsePath(...place(row), e, view.scale);
      });
      group.append(svg("path", { d: regions.join(""), fill: "none", stroke: fill(look), "stroke-opacity": 0.3 }));
      const shape = marker(look, 2.4);
      for (const row of members) {
        const [x, y] = place(row);
        group.append(svg("path", { d: shape, fill: fill(look), transform: `translate(${f(x)},${f(y)})` }));
      }
    }
  }
  return group;
}

function byLook(owners: Int32Array, look: (row: number) => number): Map<number, number[]> {
  const found = new Map<number, number[]>();
  owners.forEach((row, k) => {
    const list = found.get(look(row));
    if (list) list.push(k);
    else found.set(look(row), [k]);
  });
  return found;
}
