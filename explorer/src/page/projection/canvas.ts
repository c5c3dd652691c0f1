/** Original points, and rows where there are too many for elements of their own. */

import { colour, outline } from "../palette";
import { ellipse } from "../ellipse";
import type { Context, Scene } from "../scene";
import type { View } from "./view";

export interface Canvas {
  readonly node: HTMLCanvasElement;
  draw(scene: Scene, view: View, size: { width: number; height: number }, radius: number, rows: boolean): void;
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
    if (node.width !== width || node.height !== height) {
      node.width = width;
      node.height = height;
    }
    return ratio;
  }

  return {
    node,
    draw(scene, view, size, radius, rows) {
      if (!pen) return;
      const ratio = resize(size);
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, node.width, node.height);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      const chosen = new Set(scene.state.selection);
      if (scene.points && data.points) dots(pen, scene.points, data.points.rows);
      if (rows) many(pen, chosen);
      pen.globalAlpha = 1;

      function dots(pen: CanvasRenderingContext2D, points: Float64Array, owners: Int32Array): void {
        const side = owners.length > 2000 ? 1.6 : 2.6;
        let last = "";
        for (let k = 0; k < owners.length; k++) {
          const fill = colour(context.look(owners[k]), scene.theme);
          if (fill !== last) pen.fillStyle = last = fill;
          pen.globalAlpha = chosen.size && !chosen.has(owners[k]) ? 0.06 : 0.45;
          pen.fillRect(view.x(points[2 * k]) - side / 2, view.y(points[2 * k + 1]) - side / 2, side, side);
        }
      }

      /** One path for all rows of a colour: thousands of strokes would cost too much. */
      function many(pen: CanvasRenderingContext2D, chosen: Set<number>): void {
        const { means, covariances } = scene.projection;
        const faint = Math.max(0.08, Math.min(0.5, 160 / data.n));
        const byLook = new Map<number, number[]>();
        for (let row = 0; row < data.n; row++) {
          const look = context.look(row);
          const list = byLook.get(look);
          if (list) list.push(row);
          else byLook.set(look, [row]);
        }
        for (const [look, members] of byLook) {
          pen.strokeStyle = pen.fillStyle = colour(look, scene.theme);
          pen.lineWidth = 1;
          const shape = outline(look);
          for (const inside of chosen.size ? [false, true] : [false]) {
            pen.beginPath();
            for (const row of members) {
              if (chosen.has(row) !== inside) continue;
              const c = { xx: covariances[3 * row], xy: covariances[3 * row + 1], yy: covariances[3 * row + 2] };
              const e = ellipse(c, radius * view.scale);
              const [x, y] = [view.x(means[2 * row]), view.y(means[2 * row + 1])];
              pen.moveTo(x + e.major * Math.cos(e.angle), y - e.major * Math.sin(e.angle));
              pen.ellipse(x, y, e.major, e.minor, -e.angle, 0, 2 * Math.PI);
            }
            pen.globalAlpha = inside ? 0.9 : chosen.size ? faint * 0.4 : faint;
            pen.stroke();
            pen.beginPath();
            for (const row of members) {
              if (chosen.has(row) !== inside) continue;
              const [x, y] = [view.x(means[2 * row]), view.y(means[2 * row + 1])];
              const size = inside ? 3.4 : 2.4;
              shape.forEach(([px, py], i) => {
                if (i) pen.lineTo(x + px * size, y + py * size);
                else pen.moveTo(x + px * size, y + py * size);
              });
              pen.closePath();
            }
            pen.globalAlpha = inside ? 1 : chosen.size ? 0.3 : 0.8;
            pen.fill();
          }
        }
      }
    },
  };
}
