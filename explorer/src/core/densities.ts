/**
 * Highest-density regions of rows that are not normal, for any projection into a plane.
 *
 * Mixtures of normals have their density in closed form. That of independent features is found on a
 * lattice. Samples are shared out over a grid in the coordinates in which the projected law is
 * round, and smoothed there; their regions hold the given shares of the samples.
 */

import type { RowLaw } from "../model";
import { addNormal, type Grid, massLevel, pointLevel, region, USUAL } from "./contours";
import { lattice, type Term, termsOf } from "./lattice";
import { multiply, rangeOf, rowDot } from "./matrices";

/** Two axes, what they are measured from, and the mean and covariance of a row on them. */
export interface Plane {
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly centre: Float64Array;
  readonly mean: readonly [number, number];
  readonly covariance: readonly [number, number, number];
}

/** A law made ready for many projections. */
export type Prepared = Exclude<RowLaw, { kind: "independent" }> | { readonly kind: "terms"; readonly terms: readonly Term[] };

export function prepared(law: RowLaw): Prepared {
  return law.kind === "independent" ? { kind: "terms", terms: termsOf(law) } : law;
}

type Point = readonly [number, number];

/**
 * Rings around the regions of the plane that hold the given probabilities; null where the law has no
 * area. Grids have at most `most` nodes along a side.
 */
export function regions(law: Prepared, plane: Plane, probabilities: readonly number[], most: number): Float64Array[][] | null {
  const round = roundFrame(plane);
  if (round === null) return null;
  const [x0, y0] = plane.mean;
  let grid: Grid;
  let level = (probability: number) => massLevel(grid, probability);
  let place: (x: number, y: number) => Point;
  if (law.kind === "terms") {
    const found = lattice(law.terms, plane.first, plane.second, most);
    if (found === null) return null;
    const { first: a, second: b } = found;
    grid = found.grid;
    place = (x, y) => [x0 + x * a[0] + y * b[0], y0 + x * a[1] + y * b[1]];
  } else {
    const [a, b, c] = round;
    place = (x, y) => [x0 + a * x, y0 + b * x + c * y];
    const inverse = ([x, y]: Point): Point => [(x - x0) / a, (y - y0 - (b * (x - x0)) / a) / c];
    if (law.kind === "mixture") {
      const sums = mixtureGrid(law, plane, round, inverse, most);
      // Of a normal the radius is linear between nodes, the density is not.
      const top = sums.density.reduce((most, value) => Math.max(most, value), 0);
      const inward = (value: number) => -Math.sqrt(-Math.log(value / top));
      grid = { ...sums, density: sums.density.map(inward) };
      level = (probability) => inward(massLevel(sums, probability, sums.cells < 100 ? 4 : 2));
    } else {
      const d = plane.first.length;
      const points = Array.from({ length: law.values.length / d }, (_, k) => inverse(projected(law.values, k, plane)));
      // Scott's rule in the plane, as in Python.
      grid = pointsGrid(points, law.effective ** (-1 / 6), most);
      level = (probability) => pointLevel(grid, points, probability);
    }
  }
  return probabilities.map((probability) =>
    region(grid, level(probability), probability).map((ring) => {
      const out = new Float64Array(ring.length);
      for (let k = 0; k < ring.length; k += 2) [out[k], out[k + 1]] = place(ring[k], ring[k + 1]);
      return out;
    }),
  );
}

/** The Cholesky factor L of the covariance: in z, x = mean + L z, the law is round. Null for lines and points. */
function roundFrame({ covariance: [a, b, c] }: Plane): readonly [number, number, number] | null {
  const largest = 0.5 * (a + c) + Math.hypot(0.5 * (a - c), b);
  const determinant = a * c - b * b;
  // As thin as a millionth of its length: a line for the eye.
  if (!(determinant > 1e-12 * largest * largest)) return null;
  const first = Math.sqrt(a);
  return [first, b / first, Math.sqrt(determinant) / first];
}

/** Row k of some values in the plane. */
function projected(values: Float64Array, k: number, { first, second, centre }: Plane): Point {
  let [x, y] = [0, 0];
  for (let j = 0; j < first.length; j++) {
    const deviation = values[k * first.length + j] - centre[j];
    x += first[j] * deviation;
    y += second[j] * deviation;
  }
  return [x, y];
}

/** An empty grid from `low` to `high`, at most `most` nodes wide, in which details of these widths have a shape. */
function emptyGrid(low: Point, high: Point, widths: Point, most: number): Grid {
  const nodes = (axis: 0 | 1) => (4 * (high[axis] - low[axis])) / widths[axis] + 1;
  const cells = Math.round(Math.min(Math.max(nodes(0), nodes(1), USUAL), most));
  const step: Point = [(high[0] - low[0]) / (cells - 1), (high[1] - low[1]) / (cells - 1)];
  return { cells, density: new Float64Array(cells * cells), low, step };
}

/** The kernel density of points: shared between the four nearest nodes, then smoothed. */
function pointsGrid(points: readonly Point[], bandwidth: number, most: number): Grid {
  // Far outliers would make the grid too coarse for the rest; beyond 8 deviations they are left out.
  const ends = ([0, 1] as const).map((axis) => {
    const [low, high] = rangeOf(Float64Array.from(points, (point) => point[axis]));
    return [Math.max(low, -8) - 3.5 * bandwidth, Math.min(high, 8) + 3.5 * bandwidth];
  });
  const [low, high] = [0, 1].map((end): Point => [ends[0][end], ends[1][end]]);
  const grid = emptyGrid(low, high, [bandwidth, bandwidth], most);
  const { cells, step, density } = grid;
  for (const point of points) {
    const [x, y] = [(point[0] - low[0]) / step[0], (point[1] - low[1]) / step[1]];
    const [i, j] = [Math.floor(x), Math.floor(y)];
    if (i < 0 || j < 0 || i >= cells - 1 || j >= cells - 1) continue;
    const [p, q, at] = [x - i, y - j, i * cells + j];
    density[at] += (1 - p) * (1 - q);
    density[at + 1] += (1 - p) * q;
    density[at + cells] += p * (1 - q);
    density[at + cells + 1] += p * q;
  }
  // Sharing widens by a sixth of the squared step, which is taken off the kernel.
  const [down, across] = step.map((s) => Math.sqrt(Math.max(bandwidth ** 2 - s ** 2 / 6, 0)) / s);
  return { ...grid, density: convolved(convolved(density, cells, down, cells, 1), cells, across, 1, cells) };
}

/** Smoothed by a normal kernel along the axis whose neighbours are `stride` apart; `across` is the other's stride. */
function convolved(from: Float64Array, cells: number, width: number, stride: number, across: number): Float64Array {
  const reach = Math.ceil(3.5 * width);
  const kernel = Array.from({ length: 2 * reach + 1 }, (_, k) => (width > 0 ? Math.exp(-0.5 * ((k - reach) / width) ** 2) : 1));
  const sum = kernel.reduce((a, b) => a + b, 0);
  const to = new Float64Array(cells * cells);
  for (let line = 0; line < cells; line++) {
    for (let i = 0; i < cells; i++) {
      const value = from[line * across + i * stride] / sum;
      if (value === 0) continue;
      const last = Math.min(i + reach, cells - 1);
      for (let k = Math.max(i - reach, 0); k <= last; k++) to[line * across + k * stride] += value * kernel[k - i + reach];
    }
  }
  return to;
}

function mixtureGrid(
  law: Extract<RowLaw, { kind: "mixture" }>,
  plane: Plane,
  round: readonly [number, number, number],
  inverse: (point: Point) => Point,
  most: number,
): Grid {
  const { first, second } = plane;
  const d = first.length;
  const shear = round[1] / round[0];
  // The parts in the round coordinates: each a mean and a covariance there.
  const parts = Array.from(law.weights, (weight, part) => {
    const covariance = law.covariances.subarray(part * d * d, (part + 1) * d * d);
    const [u, v] = [first, second].map((axis) => multiply(covariance, axis, d, d, 1));
    const [a, b, c] = [rowDot(first, 0, u, 0, d), rowDot(first, 0, v, 0, d), rowDot(second, 0, v, 0, d)];
    return {
      weight,
      mean: inverse(projected(law.means, part, plane)),
      // A part without extent is as thin as a hundredth of the whole.
      a: Math.max(a / round[0] ** 2, 1e-4),
      b: (b - shear * a) / (round[0] * round[2]),
      c: Math.max((c - 2 * shear * b + shear * shear * a) / round[2] ** 2, 1e-4),
    };
  }).filter(({ weight }) => weight > 0);
  const ends = (side: number): Point => {
    const outer = side < 0 ? Math.min : Math.max;
    return [
      outer(...parts.map((p) => p.mean[0] + 4 * side * Math.sqrt(p.a))),
      outer(...parts.map((p) => p.mean[1] + 4 * side * Math.sqrt(p.c))),
    ];
  };
  const widths: Point = [Math.sqrt(Math.min(...parts.map(({ a }) => a))), Math.sqrt(Math.min(...parts.map(({ c }) => c)))];
  const grid = emptyGrid(ends(-1), ends(1), widths, most);
  for (const { weight, mean, a, b, c } of parts) addNormal(grid, weight, mean, [a, b, c], Infinity);
  return grid;
}
