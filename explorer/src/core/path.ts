/** The components for every s, on a grid so fine that none shown turns far from point to point. */

import type { Break, Path } from "../model";
import { sOf } from "../model";
import type { Family, Pairs } from "./family";
import { follow, likePlaced, reach } from "./following";

/** The largest angle by which a shown component turns between neighbours: two degrees. */
const turn = (2 * Math.PI) / 180;
const coarse = 64;
// Neighbours as near as this are parted no further: what still turns there has swapped places.
const finest = 2 ** -34;
const floor = 2 ** -50;

/** The path of a family, fine enough for its `resolved` leading components. */
export function adaptivePath(family: Family, resolved: number): Path {
  const { d } = family;
  const shown = Math.min(resolved, d);
  const limit = Math.cos(turn);
  let points = union(firstGrid(family, coarse), [0, 0.5, 1]).map((u) => family.at(u));
  const enclosed = new Set<number>();
  const beside = new Set<number>();
  for (;;) {
    const wanted = besideTies(family, points, shown, beside);
    for (let k = 0; k + 1 < points.length; k++) {
      const [low, high] = [points[k], points[k + 1]];
      const overlaps = likePlaced(low.vectors, high.vectors, d, shown);
      if (overlaps.every((overlap) => Math.abs(overlap) >= limit)) continue;
      if (enclosed.has(low.u) || isFinest(low.u, high.u)) continue;
      const [added, swap] = parted(family, low, high, shown);
      wanted.push(...added);
      if (swap !== null) enclosed.add(swap);
    }
    if (wanted.length === 0) break;
    points = merged(points, wanted.map((u) => family.at(u)));
  }
  return assembled(points, d, shown);
}

/** The path on a given grid, rising from 0 to 1. */
export function fixedPath(family: Family, grid: readonly number[]): Path {
  return assembled(grid.map((u) => family.at(u)), family.d, 0);
}

function assembled(points: Pairs[], d: number, resolved: number): Path {
  let anchor = 0;
  points.forEach(({ u }, k) => {
    if (Math.abs(u - 0.5) < Math.abs(points[anchor].u - 0.5)) anchor = k;
  });
  const order = follow(points, d, anchor);
  const eigenvalues = new Float64Array(points.length * d);
  const components = new Float64Array(points.length * d * d);
  const breaks: Break[] = [];
  points.forEach((point, k) => {
    eigenvalues.set(point.values, k * d);
    components.set(point.vectors, k * d * d);
    if (k === 0 || order[k] === order[k - 1]) return;
    const ranks: number[] = [];
    for (let i = 0; i < d; i++) if (order[k][i] !== order[k - 1][i]) ranks.push(order[k][i]);
    if (ranks.length > 0) breaks.push({ at: k, ranks: ranks.sort((a, b) => a - b) });
  });
  const u = Float64Array.from(points, (point) => point.u);
  return { d, q: d, resolved, u, scales: u.map(sOf), eigenvalues, components, breaks };
}

/** A coarse grid, and where both ends differ in size, one more about their balance. */
export function firstGrid(family: Family, count: number): number[] {
  const even = Array.from({ length: count + 1 }, (_, k) => k / count);
  const [near, far] = family.roots();
  if (Math.min(near, far) <= 0 || (near / far > 0.25 && near / far < 4)) return even;
  return union(
    even,
    even.map((u) => (u * near) / ((1 - u) * far + u * near)),
  );
}

/** Two grids as one, rising, each point once. */
export function merged(points: readonly Pairs[], added: readonly Pairs[]): Pairs[] {
  const sorted = [...points, ...added].sort((a, b) => a.u - b.u);
  return sorted.filter((point, k) => k === 0 || point.u !== sorted[k - 1].u);
}

function union(first: readonly number[], second: readonly number[]): number[] {
  return [...new Set([...first, ...second])].sort((a, b) => a - b);
}

/** New points where leading vectors turn too far, and the lower side of a crossing just enclosed. */
function parted(
  family: Family,
  before: Pairs,
  after: Pairs,
  shown: number,
): [added: number[], swap: number | null] {
  const { d } = family;
  let [low, high] = [before, after];
  const { places, angle } = reach(low, high, d, 0, shown);
  if (angle > turn) return [[0.5 * (low.u + high.u)], null];
  if (unmoved(places, shown)) return [[], null];
  while (!isFinest(low.u, high.u)) {
    const here = family.at(0.5 * (low.u + high.u));
    const first = reach(low, here, d, 0, shown);
    const second = reach(here, high, d, 0, shown);
    const still = unmoved(first.places, shown);
    if (Math.max(first.angle, second.angle) > turn || still === unmoved(second.places, shown)) {
      return [[here.u], null];
    }
    if (still) low = here;
    else high = here;
  }
  return [[low.u, high.u], low.u];
}

/** Points beside ties of shown vectors that sit alone on the grid: vectors may swap places there. */
function besideTies(family: Family, points: Pairs[], shown: number, done: Set<number>): number[] {
  const wanted: number[] = [];
  for (let k = 1; k + 1 < points.length; k++) {
    const { u, tied } = points[k];
    const lone: number[] = [];
    for (let i = 0; i < Math.min(shown, family.d - 1); i++) {
      if (tied[i] && !points[k - 1].tied[i] && !points[k + 1].tied[i]) lone.push(i);
    }
    if (lone.length === 0 || done.has(u)) continue;
    done.add(u);
    const nearest = Math.max(finest * Math.min(u, 1 - u), 4 * spacing(u));
    for (const side of [-1, 1]) {
      const room = Math.abs(points[k + side].u - u);
      for (let step = nearest; step < room; step *= 4) {
        const at = u + side * step;
        const found = family.at(at);
        // The first at which the values have parted.
        if (lone.every((i) => !found.tied[i])) {
          wanted.push(at);
          break;
        }
      }
    }
  }
  return wanted;
}

/** The distance from x to the next larger number. */
function spacing(x: number): number {
  return 2 ** (Math.floor(Math.log2(x)) - 52);
}

function unmoved(places: Int32Array, shown: number): boolean {
  for (let i = 0; i < shown; i++) if (places[i] !== i) return false;
  return true;
}

function isFinest(low: number, high: number): boolean {
  return high - low <= Math.max(finest * Math.min(high, 1 - low), floor);
}
