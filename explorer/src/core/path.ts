/** The components for every s, on a grid so fine that none shown turns far from point to point. */

import type { Break, Path } from "../model";
import type { Family, Pairs } from "./family";
import { follow, likePlaced, reach } from "./following";
import { trace } from "./matrices";

/** The largest angle by which a shown component turns between neighbours: two degrees. */
const turn = (2 * Math.PI) / 180;
const coarse = 64;
// Neighbours as near as this are parted no further: what still turns there has swapped places.
const finest = 2 ** -34;
const floor = 2 ** -50;

/** Work that takes longer than a frame, in steps: between any two of them the page can draw. */
export type Steps<T> = Generator<void, T, void>;

/** What steps lead to, all at once or after so many milliseconds; undefined if they take longer. */
export function finished<T>(steps: Steps<T>): T;
export function finished<T>(steps: Steps<T>, milliseconds: number): T | undefined;
export function finished<T>(steps: Steps<T>, milliseconds = Infinity): T | undefined {
  const start = performance.now();
  do {
    const { done, value } = steps.next();
    if (done) return value;
  } while (performance.now() - start < milliseconds);
  return undefined;
}

/** The path of a family, fine enough for its `resolved` leading components. */
export function* adaptivePath(family: Family, resolved: number): Steps<Path> {
  const grid = [...firstGrid(family, coarse), 0.5];
  return assembled(yield* resolvedGrid(family, grid, Math.min(resolved, family.d), turn), family.d);
}

/** A grid between whose points no leading vector turns by more than an angle, but those that swap places. */
export function* resolvedGrid(family: Family, grid: readonly number[], shown: number, angle: number): Steps<Pairs[]> {
  const enclosed = new Set<number>();
  const beside = new Set<number>();
  let points = yield* withPoints(family, [], grid);
  for (;;) {
    const wanted = besideTies(family, points, shown, beside);
    for (const [low, high] of turning(points, family.d, shown, angle)) {
      if (enclosed.has(low.u) || isFinest(low.u, high.u)) continue;
      const [added, swap] = parted(family, low, high, shown, angle);
      yield;
      wanted.push(...added);
      if (swap !== null) enclosed.add(swap);
    }
    if (wanted.length === 0) return points;
    points = yield* withPoints(family, points, wanted);
  }
}

/** A quick path on so many even points. */
export function* fixedPath(family: Family, count: number): Steps<Path> {
  const grid = Array.from({ length: count }, (_, k) => k / (count - 1));
  return assembled(yield* withPoints(family, [], grid), family.d);
}

function assembled(points: Pairs[], d: number): Path {
  const u = Float64Array.from(points, (point) => point.u);
  const order = follow(points, d, u.findIndex((at) => at >= 0.5));
  const breaks: Break[] = [];
  for (let k = 1; k < points.length; k++) {
    const ranks = Array.from(order[k]).filter((rank, i) => rank !== order[k - 1][i]);
    if (ranks.length > 0) breaks.push({ at: k, ranks: ranks.sort((a, b) => a - b) });
  }
  const eigenvalues = new Float64Array(points.length * d);
  const components = new Float64Array(points.length * d * d);
  points.forEach((point, k) => {
    eigenvalues.set(point.values, k * d);
    components.set(point.vectors, k * d * d);
  });
  return { d, q: d, u, eigenvalues, components, breaks };
}

/** A coarse grid, and where both ends differ in size, one more about their balance. */
export function firstGrid(family: Family, count: number): number[] {
  const even = Array.from({ length: count + 1 }, (_, k) => k / count);
  const [near, far] = [family.start, family.stop].map((matrix) => Math.sqrt(trace(matrix, family.d)));
  if (Math.min(near, far) <= 0 || (near / far > 0.25 && near / far < 4)) return even;
  return [...even, ...even.map((u) => (u * near) / ((1 - u) * far + u * near))];
}

/** A grid with further points, rising, each once. */
export function* withPoints(family: Family, points: readonly Pairs[], added: readonly number[]): Steps<Pairs[]> {
  const known = new Map(points.map((point) => [point.u, point]));
  for (const u of added) {
    if (known.has(u)) continue;
    known.set(u, family.at(u));
    yield;
  }
  return [...known.values()].sort((a, b) => a.u - b.u);
}

/** Neighbours between which one of the first vectors turns by more than an angle. */
function turning(points: readonly Pairs[], d: number, count: number, angle: number): [Pairs, Pairs][] {
  const pairs = points.slice(1).map((high, k): [Pairs, Pairs] => [points[k], high]);
  const overlaps = ([low, high]: [Pairs, Pairs]) => likePlaced(low.vectors, high.vectors, d, count);
  return pairs.filter((pair) => overlaps(pair).some((overlap) => Math.abs(overlap) < Math.cos(angle)));
}

/** New points where leading vectors turn too far, and the lower side of a crossing just enclosed. */
function parted(family: Family, low: Pairs, high: Pairs, shown: number, most: number): [added: number[], swap: number | null] {
  const { d } = family;
  const { places, angle } = reach(low, high, d, 0, shown);
  if (angle > most) return [[0.5 * (low.u + high.u)], null];
  if (unmoved(places, shown)) return [[], null];
  while (!isFinest(low.u, high.u)) {
    const here = family.at(0.5 * (low.u + high.u));
    const [first, second] = [reach(low, here, d, 0, shown), reach(here, high, d, 0, shown)];
    const still = unmoved(first.places, shown);
    if (Math.max(first.angle, second.angle) > most || still === unmoved(second.places, shown)) {
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
    const lone = tied
      .map((on, i) => (on && i < shown && !points[k - 1].tied[i] && !points[k + 1].tied[i] ? i : -1))
      .filter((i) => i >= 0);
    if (lone.length === 0 || done.has(u)) continue;
    done.add(u);
    const spacing = 2 ** (Math.floor(Math.log2(u)) - 52); // to the next larger number
    const nearest = Math.max(finest * Math.min(u, 1 - u), 4 * spacing);
    for (const side of [-1, 1]) {
      const room = Math.abs(points[k + side].u - u);
      for (let step = nearest; step < room; step *= 4) {
        const { tied: there } = family.at(u + side * step);
        if (lone.some((i) => there[i])) continue;
        wanted.push(u + side * step); // the first at which the values have parted
        break;
      }
    }
  }
  return wanted;
}

function unmoved(places: Int32Array, shown: number): boolean {
  return places.subarray(0, shown).every((place, i) => place === i);
}

function isFinest(low: number, high: number): boolean {
  return high - low <= Math.max(finest * Math.min(high, 1 - low), floor);
}
