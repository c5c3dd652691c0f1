/** Original points, and where there are very many rows the density of them all and their means. */

import { svg } from "../dom";
import { hundredths as f } from "../format";
import { color, marker, outline } from "../palette";
import type { Context, Scene } from "../scene";
import type { View } from "./view";

const SHADE = 0.13; // of each of the nested regions
const BATCH = 500; // means to a path

export interface Crowd {
  /** Nested regions of the density of all rows, as rings in the plane of the components. */
  readonly shades: readonly (readonly Float64Array[])[];
}

export interface Canvas {
  readonly node: HTMLCanvasElement;
  draw(scene: Scene, view: View, size: { width: number; height: number }, crowd: Crowd | null): void;
}

export function canvas(context: Context): Canvas {
  const { data } = context;
  const node = document.createElement("canvas");
  node.className = "uapca-canvas";
  node.setAttribute("aria-hidden", "true");
  const pen = node.getContext("2d");

  function resize(size: { width: number; height: number }): number {
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (node.width !== width || node.height !== height) Object.assign(node, { width, height });
    return ratio;
  }

  return {
    node,
    draw(scene, view, size, crowd) {
      if (!pen) return;
      const ratio = resize(size);
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, node.width, node.height);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      const chosen = new Set(scene.state.selection);
      if (crowd) {
        pen.globalAlpha = SHADE;
        pen.fillStyle = getComputedStyle(node).color;
        for (const rings of crowd.shades) pen.fill(new Path2D(ringsPath(rings, view)), "evenodd");
        means(pen);
      }
      if (scene.points && data.points) dots(pen, scene.points, data.points.rows);
      pen.globalAlpha = 1;

      function dots(pen: CanvasRenderingContext2D, points: Float64Array, owners: Int32Array): void {
        const side = owners.length > 2000 ? 1.6 : 2.6;
        let last = "";
        for (let k = 0; k < owners.length; k++) {
          const fill = color(context.look(owners[k]), scene.theme);
          if (fill !== last) pen.fillStyle = last = fill;
          pen.globalAlpha = chosen.size && !chosen.has(owners[k]) ? 0.06 : 0.45;
          pen.fillRect(view.x(points[2 * k]) - side / 2, view.y(points[2 * k + 1]) - side / 2, side, side);
        }
      }

      /** Some means to a path: one for each would cost too much, and one for all even more. */
      function means(pen: CanvasRenderingContext2D): void {
        const radius = Math.max(1.2, Math.min(2.6, 60 / Math.sqrt(data.n)));
        for (const [look, rows] of byLook(Int32Array.from({ length: data.n }, (_, row) => row), context.look)) {
          pen.fillStyle = color(look, scene.theme);
          pen.globalAlpha = chosen.size ? 0.2 : 0.75;
          const shape = outline(look);
          for (let first = 0; first < rows.length; first += BATCH) {
            pen.beginPath();
            for (const row of rows.slice(first, first + BATCH)) {
              const [x, y] = placeOf(scene, view, row);
              shape.forEach(([dx, dy], k) => (k ? pen.lineTo(x + dx * radius, y + dy * radius) : pen.moveTo(x + dx * radius, y + dy * radius)));
            }
            pen.fill();
          }
        }
      }
    },
  };
}

/** What is on the canvas, as SVG, for an export. */
export function inked(context: Context, scene: Scene, view: View, crowd: Crowd | null): SVGGElement {
  const { data } = context;
  const group = svg("g");
  const fill = (look: number) => color(look, scene.theme);
  if (crowd) {
    for (const rings of crowd.shades) {
      group.append(svg("path", { d: ringsPath(rings, view), fill: "#59636d", "fill-opacity": SHADE, "fill-rule": "evenodd" }));
    }
    for (const [look, rows] of byLook(Int32Array.from({ length: data.n }, (_, row) => row), context.look)) {
      const shape = marker(look, 1.8);
      for (const row of rows) {
        const [x, y] = placeOf(scene, view, row);
        group.append(svg("path", { d: shape, fill: fill(look), transform: `translate(${f(x)},${f(y)})` }));
      }
    }
  }
  if (scene.points && data.points) {
    const { points } = scene;
    for (const [look, members] of byLook(data.points.rows, context.look)) {
      const d = members.map((k) => `M${f(view.x(points[2 * k]))},${f(view.y(points[2 * k + 1]))}h0`).join("");
      group.append(
        svg("path", { d, stroke: fill(look), "stroke-width": 2.4, "stroke-linecap": "round", "stroke-opacity": 0.45 }),
      );
    }
  }
  return group;
}

function placeOf(scene: Scene, view: View, row: number): [number, number] {
  const { means } = scene.projection;
  return [view.x(means[2 * row]), view.y(means[2 * row + 1])];
}

/** Rings in the plane of the components as an SVG path. */
export function ringsPath(rings: readonly Float64Array[], view: View): string {
  let text = "";
  for (const ring of rings) {
    for (let k = 0; k < ring.length; k += 2) text += `${k ? "L" : "M"}${f(view.x(ring[k]))},${f(view.y(ring[k + 1]))}`;
    text += "Z";
  }
  return text;
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
