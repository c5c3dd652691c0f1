/**
 * Highest-density regions of rows that are not normal, for any projection into a plane.
 *
 * Mixtures of normals have their density in closed form. That of independent features is found on a
 * lattice. Samples are shared out over a grid in the coordinates in which the projected law is
 * round, and smoothed there; their regions hold the given shares of the samples.
 */

import type { Contour, RowLaw } from "../model";
import { type Grid, massLevel, pointLevel, region, usual } from "./contours";
import { lattice, type Term, termsOf } from "./lattice";

/** A law projected into the plane: its mean and covariance. */
export interface Plane {
  readonly mean: readonly [number, number];
  readonly covariance: readonly [number, number, number];
}

/** A law made ready for many projections. */
export type Prepared = Exclude<RowLaw, { kind: "independent" }> | { readonly kind: "terms"; readonly terms: readonly Term[] };

export function prepared(law: RowLaw): Prepared {
  return law.kind === "independent" ? { kind: "terms", terms: termsOf(law) } : law;
}

/** Nodes that a length needs for details of a width to have a shape; at most so many. */
function nodesFor(length: number, width: number, most: number): number {
  return Math.round(Math.min(Math.max((4 * length) / width + 1, usual), most));
}

/**
 * Regions of the plane that hold the given probabilities; null where the law has no area. Grids have
 * at most `most` nodes along a side.
 */
export function regions(
  law: Prepared,
  plane: Plane,
  first: Float64Array,
  second: Float64Array,
  centre: Float64Array,
  probabilities: readonly number[],
  most: number,
): Contour[] | null {
  const frame = rounded(plane);
  if (frame === null) return null;
  if (law.kind === "terms") {
    const found = lattice(law.terms, first, second, Math.max(most, 2 * usual));
    if (found === null) return null;
    const { grid, first: a, second: b } = found;
    return probabilities.map((probability) => ({
      probability,
      rings: region(grid, massLevel(grid, probability), probability).map((ring) =>
        mapped(ring, (x, y) => [plane.mean[0] + x * a[0] + y * b[0], plane.mean[1] + x * a[1] + y * b[1]]),
      ),
    }));
  }
  const [grid, level] =
    law.kind === "mixture"
      ? mixtureGrid(law, frame, first, second, centre, most)
      : // Scott's rule in the plane, as in Python.
        pointsGrid(law.values, law.effective ** (-1 / 6), frame, first, second, centre, most);
  const { mean, lower } = frame;
  return probabilities.map((probability) => ({
    probability,
    rings: region(grid, level(probability), probability).map((ring) =>
      mapped(ring, (x, y) => [mean[0] + lower[0] * x, mean[1] + lower[1] * x + lower[2] * y]),
    ),
  }));
}

type Levelled = [grid: Grid, level: (probability: number) => number];

function mapped(ring: Float64Array, map: (x: number, y: number) => readonly [number, number]): Float64Array {
  const out = new Float64Array(ring.length);
  for (let k = 0; k < ring.length; k += 2) [out[k], out[k + 1]] = map(ring[k], ring[k + 1]);
  return out;
}

/** Coordinates in which the law is round: x = mean + L z. */
interface Frame {
  readonly mean: readonly [number, number];
  readonly lower: readonly [number, number, number];
}

function rounded({ mean, covariance: [a, b, c] }: Plane): Frame | null {
  const middle = 0.5 * (a + c);
  const largest = middle + Math.hypot(0.5 * (a - c), b);
  const determinant = a * c - b * b;
  // As thin as a millionth of its length: a line for the eye.
  if (!(determinant > 1e-12 * largest * largest)) return null;
  const first = Math.sqrt(a);
  return { mean, lower: [first, b / first, Math.sqrt(determinant) / first] };
}

function pointsGrid(
  values: Float64Array,
  bandwidth: number,
  { mean, lower }: Frame,
  first: Float64Array,
  second: Float64Array,
  centre: Float64Array,
  most: number,
): Levelled {
  const d = first.length;
  const m = values.length / d;
  const z = new Float64Array(2 * m);
  const low: [number, number] = [Infinity, Infinity];
  const high: [number, number] = [-Infinity, -Infinity];
  for (let k = 0; k < m; k++) {
    let x = -mean[0];
    let y = -mean[1];
    for (let j = 0; j < d; j++) {
      const deviation = values[k * d + j] - centre[j];
      x += first[j] * deviation;
      y += second[j] * deviation;
    }
    z[2 * k] = x / lower[0];
    z[2 * k + 1] = (y - lower[1] * z[2 * k]) / lower[2];
    for (const axis of [0, 1]) {
      low[axis] = Math.min(low[axis], z[2 * k + axis]);
      high[axis] = Math.max(high[axis], z[2 * k + axis]);
    }
  }
  for (const axis of [0, 1]) {
    // Far outliers would make the grid too coarse for the rest; beyond 8 deviations they are left out.
    low[axis] = Math.max(low[axis], -8) - 3.5 * bandwidth;
    high[axis] = Math.min(high[axis], 8) + 3.5 * bandwidth;
  }
  const lengths = [high[0] - low[0], high[1] - low[1]] as const;
  const cells = nodesFor(Math.max(...lengths), bandwidth, most);
  const step: [number, number] = [lengths[0] / (cells - 1), lengths[1] / (cells - 1)];
  const mass = new Float64Array(cells * cells);
  for (let k = 0; k < m; k++) {
    const x = (z[2 * k] - low[0]) / step[0];
    const y = (z[2 * k + 1] - low[1]) / step[1];
    const i = Math.floor(x);
    const j = Math.floor(y);
    if (i < 0 || j < 0 || i >= cells - 1 || j >= cells - 1) continue;
    const p = x - i;
    const q = y - j;
    const at = i * cells + j;
    mass[at] += (1 - p) * (1 - q);
    mass[at + 1] += (1 - p) * q;
    mass[at + cells] += p * (1 - q);
    mass[at + cells + 1] += p * q;
  }
  // Sharing widens by a sixth of the squared step, which is taken off the kernel.
  const widths = step.map((s) => Math.sqrt(Math.max(bandwidth ** 2 - s ** 2 / 6, 0)) / s);
  const grid = { cells, density: blurred(mass, cells, widths[0], widths[1]), low, step };
  return [grid, (probability) => pointLevel(grid, z, probability)];
}

function blurred(mass: Float64Array, cells: number, first: number, second: number): Float64Array {
  const along = new Float64Array(cells * cells);
  const [rows, columns] = [kernel(first), kernel(second)];
  convolve(mass, along, cells, rows, cells, 1);
  const out = new Float64Array(cells * cells);
  convolve(along, out, cells, columns, 1, cells);
  return out;
}

function kernel(width: number): Float64Array {
  const reach = Math.max(Math.ceil(3.5 * width), 0);
  const out = new Float64Array(2 * reach + 1);
  let sum = 0;
  for (let k = -reach; k <= reach; k++) {
    const value = width > 0 ? Math.exp(-0.5 * (k / width) ** 2) : 1;
    out[k + reach] = value;
    sum += value;
  }
  return out.map((value) => value / sum);
}

/** Along the axis whose neighbours are `stride` apart; `across` is the other axis' stride. */
function convolve(
  from: Float64Array,
  to: Float64Array,
  cells: number,
  weights: Float64Array,
  stride: number,
  across: number,
): void {
  const reach = (weights.length - 1) / 2;
  for (let line = 0; line < cells; line++) {
    const start = line * across;
    for (let i = 0; i < cells; i++) {
      const value = from[start + i * stride];
      if (value === 0) continue;
      const last = Math.min(i + reach, cells - 1);
      for (let k = Math.max(i - reach, 0); k <= last; k++) {
        to[start + k * stride] += value * weights[k - i + reach];
      }
    }
  }
}

function mixtureGrid(
  law: Extract<RowLaw, { kind: "mixture" }>,
  { mean, lower }: Frame,
  first: Float64Array,
  second: Float64Array,
  centre: Float64Array,
  most: number,
): Levelled {
  const d = first.length;
  // The parts in the round coordinates: each a mean and a covariance there.
  const parts = Array.from(law.weights, (weight, part) => {
    let x = -mean[0];
    let y = -mean[1];
    for (let j = 0; j < d; j++) {
      const deviation = law.means[part * d + j] - centre[j];
      x += first[j] * deviation;
      y += second[j] * deviation;
    }
    let [a, b, c] = [0, 0, 0];
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < d; j++) {
        const entry = law.covariances[(part * d + i) * d + j];
        a += first[i] * entry * first[j];
        b += first[i] * entry * second[j];
        c += second[i] * entry * second[j];
      }
    }
    const z0 = x / lower[0];
    const shear = lower[1] / lower[0];
    return {
      weight,
      z0,
      z1: (y - lower[1] * z0) / lower[2],
      // A part without extent is as thin as a hundredth of the whole.
      a: Math.max(a / lower[0] ** 2, 1e-4),
      b: (b - shear * a) / (lower[0] * lower[2]),
      c: Math.max((c - 2 * shear * b + shear * shear * a) / lower[2] ** 2, 1e-4),
    };
  }).filter(({ weight }) => weight > 0);
  const low: [number, number] = [
    Math.min(...parts.map((p) => p.z0 - 4 * Math.sqrt(p.a))),
    Math.min(...parts.map((p) => p.z1 - 4 * Math.sqrt(p.c))),
  ];
  const high = [
    Math.max(...parts.map((p) => p.z0 + 4 * Math.sqrt(p.a))),
    Math.max(...parts.map((p) => p.z1 + 4 * Math.sqrt(p.c))),
  ];
  const lengths = [high[0] - low[0], high[1] - low[1]] as const;
  const cells = Math.max(
    nodesFor(lengths[0], Math.sqrt(Math.min(...parts.map(({ a }) => a))), most),
    nodesFor(lengths[1], Math.sqrt(Math.min(...parts.map(({ c }) => c))), most),
  );
  const step: [number, number] = [lengths[0] / (cells - 1), lengths[1] / (cells - 1)];
  const density = new Float64Array(cells * cells);
  for (const { weight, z0, z1, a, b, c } of parts) {
    const determinant = Math.max(a * c - b * b, 1e-8 * a * c);
    const factor = weight / Math.sqrt(determinant);
    for (let i = 0; i < cells; i++) {
      const x = low[0] + i * step[0] - z0;
      for (let j = 0; j < cells; j++) {
        const y = low[1] + j * step[1] - z1;
        density[i * cells + j] += factor * Math.exp((-0.5 * (c * x * x - 2 * b * x * y + a * y * y)) / determinant);
      }
    }
  }
  const grid = { cells, density, low, step };
  return [grid, (probability) => massLevel(grid, probability, cells < 100 ? 4 : 2)];
}
