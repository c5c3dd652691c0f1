/** The density of all rows together, for pictures with too many rows to outline each. */

import { type Grid, massLevel, rings } from "../../core/contours";
import type { Scene } from "../scene";
import type { Extent } from "./view";

/** Probabilities of the shaded regions, the largest first. */
export const SHADES = [0.95, 0.8, 0.5] as const;

/** Rows that are added up, and nodes along a side: while things move, and at rest. */
const [MOVING, RESTING] = [
  { rows: 400, nodes: 40 },
  { rows: 20_000, nodes: 80 },
];
const REACH = 3.2; // standard deviations

/** Rings around the regions that hold the shades of the average of the rows' densities, taken as normal. */
export function wholeDensity(scene: Scene, extent: Extent, calm: boolean): Float64Array[][] {
  const { rows, nodes } = calm ? RESTING : MOVING;
  const { n, means, covariances: c } = scene.projection;
  const step: [number, number] = [(extent.right - extent.left) / (nodes - 1), (extent.top - extent.bottom) / (nodes - 1)];
  if (!(step[0] > 0 && step[1] > 0)) return SHADES.map(() => []);
  const grid: Grid = { cells: nodes, density: new Float64Array(nodes * nodes), low: [extent.left, extent.bottom], step };
  const every = Math.max(Math.ceil(n / rows), 1);
  // Rows narrower than a cell are as wide as one: none falls between the nodes.
  const least = [0.8 * step[0], 0.8 * step[1]].map((width) => width * width);
  for (let row = 0; row < n; row += every) {
    if (!(scene.weights[row] > 0)) continue;
    const [a, b, d] = [c[3 * row] + least[0], c[3 * row + 1], c[3 * row + 2] + least[1]];
    const determinant = a * d - b * b;
    const factor = scene.weights[row] / Math.sqrt(determinant);
    const [x0, y0] = [(means[2 * row] - extent.left) / step[0], (means[2 * row + 1] - extent.bottom) / step[1]];
    const [dx, dy] = [(REACH * Math.sqrt(a)) / step[0], (REACH * Math.sqrt(d)) / step[1]];
    const last = Math.min(Math.floor(x0 + dx), nodes - 1);
    const [from, to] = [Math.max(Math.ceil(y0 - dy), 0), Math.min(Math.floor(y0 + dy), nodes - 1)];
    for (let i = Math.max(Math.ceil(x0 - dx), 0); i <= last; i++) {
      const x = (i - x0) * step[0];
      for (let j = from; j <= to; j++) {
        const y = (j - y0) * step[1];
        grid.density[i * nodes + j] += factor * Math.exp((-0.5 * (d * x * x - 2 * b * x * y + a * y * y)) / determinant);
      }
    }
  }
  return SHADES.map((probability) => rings(grid, massLevel(grid, probability)));
}

/** Rows by how far out their means lie, the farthest first; and the widest ones. */
export function outstanding(scene: Scene, far: number, wide: number): { far: number[]; wide: number[] } {
  const { n, means, covariances: c } = scene.projection;
  let [x, y, xx, xy, yy, total] = [0, 0, 0, 0, 0, 0];
  for (let row = 0; row < n; row++) {
    const [w, p, q] = [scene.weights[row], means[2 * row], means[2 * row + 1]];
    total += w;
    x += w * p;
    y += w * q;
    xx += w * p * p;
    xy += w * p * q;
    yy += w * q * q;
  }
  [x, y] = [x / total, y / total];
  [xx, xy, yy] = [xx / total - x * x, xy / total - x * y, yy / total - y * y];
  const determinant = Math.max(xx * yy - xy * xy, 1e-12 * xx * yy);
  const distance = new Float64Array(n);
  const width = new Float64Array(n);
  for (let row = 0; row < n; row++) {
    const [p, q] = [means[2 * row] - x, means[2 * row + 1] - y];
    distance[row] = determinant > 0 ? (yy * p * p - 2 * xy * p * q + xx * q * q) / determinant : p * p + q * q;
    width[row] = c[3 * row] + c[3 * row + 2];
  }
  return { far: largest(distance, far), wide: largest(width, wide) };
}

/** Where the largest values are, the largest first. */
function largest(values: Float64Array, count: number): number[] {
  const order = Array.from(values.keys());
  return order.sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
}
