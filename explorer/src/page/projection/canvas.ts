/** Original points, and rows where there are too many for elements of their own. */

import { ellipse } from "../ellipse";
import { colour, outline } from "../palette";
import type { Context, Scene } from "../scene";
import type { View } from "./view";

const BATCH = 40; // rows to a path

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

      /** Some rows to a path: one for each would cost too much, and one for all even more. */
      function many(pen: CanvasRenderingContext2D, chosen: Set<number>): void {
        const faint = Math.max(0.08, Math.min(0.5, 160 / data.n));
        const byLook = new Map<number, number[][]>();
        for (let row = 0; row < data.n; row++) {
          const look = context.look(row);
          if (!byLook.has(look)) byLook.set(look, [[], []]);
          byLook.get(look)![Number(chosen.has(row))].push(row);
        }
        pen.lineWidth = 1;
        for (const [look, sides] of byLook) {
          pen.strokeStyle = pen.fillStyle = colour(look, scene.theme);
          sides.forEach((rows, inside) => {
            pen.globalAlpha = inside ? 0.9 : chosen.size ? faint * 0.4 : faint;
            batches(rows, region, () => pen.stroke());
            pen.globalAlpha = inside ? 1 : chosen.size ? 0.3 : 0.8;
            const [shape, reach] = [outline(look), inside ? 3.4 : 2.4];
            batches(
              rows,
              (row) => centre(row, shape, reach),
              () => pen.fill(),
            );
          });
        }

        function batches(rows: readonly number[], trace: (row: number) => void, finish: () => void): void {
          for (let first = 0; first < rows.length; first += BATCH) {
            pen.beginPath();
            for (let k = first; k < Math.min(first + BATCH, rows.length); k++) trace(rows[k]);
            finish();
          }
        }
      }

      function region(row: number): void {
        const { means, covariances: c } = scene.projection;
        const e = ellipse({ xx: c[3 * row], xy: c[3 * row + 1], yy: c[3 * row + 2] }, radius * view.scale);
        const [x, y] = [view.x(means[2 * row]), view.y(means[2 * row + 1])];
        pen!.moveTo(x + e.major * Math.cos(e.angle), y - e.major * Math.sin(e.angle));
        pen!.ellipse(x, y, e.major, e.minor, -e.angle, 0, 2 * Math.PI);
      }

      function centre(row: number, shape: ReadonlyArray<readonly [number, number]>, reach: number): void {
        const { means } = scene.projection;
        const [x, y] = [view.x(means[2 * row]), view.y(means[2 * row + 1])];
        pen!.moveTo(x + shape[0][0] * reach, y + shape[0][1] * reach);
        for (let k = 1; k < shape.length; k++) pen!.lineTo(x + shape[k][0] * reach, y + shape[k][1] * reach);
      }
    },
  };
}
