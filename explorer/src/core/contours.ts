/** Densities on grids: normals added up, highest-density levels, and the curves on which a density has one value. */

import { contours } from "d3-contour";

/** Densities at cells × cells nodes; node (i, j) is at low + step · (i, j). */
export interface Grid {
  readonly cells: number;
  readonly density: Float64Array;
  readonly low: readonly [number, number];
  readonly step: readonly [number, number];
}

/** Nodes along each side of a grid, where nothing asks for more. */
export const USUAL = 48;

// Densities this near to the highest count as it: the top of a plateau.
const flat = 0.02;

/**
 * The density above which the cells of highest mass hold a probability. Coarse grids are looked at
 * `parts` times finer, as linear between nodes: so are the rings drawn through them.
 */
export function massLevel(grid: Grid, probability: number, parts = 1): number {
  const { cells, density } = grid;
  let sorted = density.slice();
  if (parts > 1) {
    sorted = new Float64Array(((cells - 1) * parts) ** 2);
    let at = 0;
    for (let i = 0; i < (cells - 1) * parts; i++) {
      for (let j = 0; j < (cells - 1) * parts; j++) {
        sorted[at++] = between(grid, (i + 0.5) / parts, (j + 0.5) / parts);
      }
    }
  }
  sorted.sort().reverse();
  const wanted = probability * sorted.reduce((sum, value) => sum + value, 0);
  let held = 0;
  const found = sorted.findIndex((value) => (held += value) >= wanted);
  return sorted[Math.max(found, 0)];
}

/** The density above which a share of points lies. */
export function pointLevel(grid: Grid, points: readonly (readonly [number, number])[], share: number): number {
  const heights = Float64Array.from(points, ([x, y]) => heightAt(grid, x, y)).sort().reverse();
  return heights[Math.min(Math.max(Math.round(share * heights.length) - 1, 0), heights.length - 1)];
}

/** Adds the density of a normal law, times 2π; as far as `reach` standard deviations. */
export function addNormal(
  { cells, density, low, step }: Grid,
  weight: number,
  mean: readonly [number, number],
  [a, b, c]: readonly [number, number, number],
  reach: number,
): void {
  const determinant = Math.max(a * c - b * b, 1e-8 * a * c);
  const factor = weight / Math.sqrt(determinant);
  const [x0, y0] = [(mean[0] - low[0]) / step[0], (mean[1] - low[1]) / step[1]];
  const [dx, dy] = [(reach * Math.sqrt(a)) / step[0], (reach * Math.sqrt(c)) / step[1]];
  const last = Math.min(Math.floor(x0 + dx), cells - 1);
  const [from, to] = [Math.max(Math.ceil(y0 - dy), 0), Math.min(Math.floor(y0 + dy), cells - 1)];
  for (let i = Math.max(Math.ceil(x0 - dx), 0); i <= last; i++) {
    const x = (i - x0) * step[0];
    for (let j = from; j <= to; j++) {
      const y = (j - y0) * step[1];
      density[i * cells + j] += factor * Math.exp((-0.5 * (c * x * x - 2 * b * x * y + a * y * y)) / determinant);
    }
  }
}

/**
 * The region above a level that holds a probability. At the very top, where a plateau is level, it is
 * the whole top, shrunk about its centre.
 */
export function region(grid: Grid, level: number, probability: number): Float64Array[] {
  const { density } = grid;
  const top = (1 - flat) * density.reduce((most, value) => Math.max(most, value), 0);
  if (level > top) {
    const found = rings(grid, top);
    const [held, all] = [density.filter((value) => value > top), density].map((part) => part.reduce((sum, value) => sum + value, 0));
    if (found.length === 1) return [shrunk(found[0], Math.sqrt(Math.min((probability * all) / held, 1)))];
  }
  return rings(grid, level);
}

/** The density at a place, linear between nodes; none outside. */
function heightAt(grid: Grid, x: number, y: number): number {
  const { cells, low, step } = grid;
  const [p, q] = [(x - low[0]) / step[0], (y - low[1]) / step[1]];
  return p >= 0 && q >= 0 && p < cells - 1 && q < cells - 1 ? between(grid, p, q) : 0;
}

/** The density between nodes, by how many nodes it is from the first. */
function between({ cells, density }: Grid, p: number, q: number): number {
  const [i, j] = [Math.floor(p), Math.floor(q)];
  const at = i * cells + j;
  const lower = density[at] + (q - j) * (density[at + 1] - density[at]);
  const upper = density[at + cells] + (q - j) * (density[at + cells + 1] - density[at + cells]);
  return lower + (p - i) * (upper - lower);
}

/** A ring made smaller about its middle. */
function shrunk(ring: Float64Array, factor: number): Float64Array {
  const { middle } = areaOf(ring);
  return ring.map((value, k) => middle[k % 2] + factor * (value - middle[k % 2]));
}

/** The area of a ring, twice and negative for one that goes the other way round, and its centre. */
export function areaOf(ring: Float64Array): { area: number; middle: readonly [number, number] } {
  let [area, x, y] = [0, 0, 0];
  for (let k = 0; k < ring.length; k += 2) {
    const next = (k + 2) % ring.length;
    const cross = ring[k] * ring[next + 1] - ring[next] * ring[k + 1];
    area += cross;
    x += (ring[k] + ring[next]) * cross;
    y += (ring[k + 1] + ring[next + 1]) * cross;
  }
  return { area, middle: [x / (3 * area), y / (3 * area)] };
}

/** Closed curves on which the density has one value, as x, y, x, y, …; the inside lies to the left. */
export function rings({ cells, density, low, step }: Grid, level: number): Float64Array[] {
  // There nodes are the middles of unit cells, the last coordinate of a node comes first, and the first point again last.
  const found = contours().size([cells, cells]).contour(density as unknown as number[], level).coordinates.flat();
  return found.map((ring) =>
    Float64Array.from(ring.slice(1).flatMap(([y, x]) => [low[0] + (x - 0.5) * step[0], low[1] + (y - 0.5) * step[1]])),
  );
}
