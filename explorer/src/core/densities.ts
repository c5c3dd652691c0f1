/**
 * Highest-density regions of rows that are not normal, for any projection into a plane.
 *
 * Mixtures of normals have their density in closed form. Anything else is known by points: those of
 * the samples, or quasi-random ones from the quantiles of independent features. They are shared out
 * over a grid in the coordinates in which the projected law is round, and smoothed there.
 */

import type { Contour, RowLaw } from "../model";

/** A law projected into the plane: its mean and covariance. */
export interface Plane {
  readonly mean: readonly [number, number];
  readonly covariance: readonly [number, number, number];
}

const draws = 4096;
const cells = 72;
// Quasi-random points fill the plane more evenly than samples: a narrower kernel is enough.
const narrow = 0.12;

/** Points that stand for a law, m × d, each as likely; null for mixtures, which need none. */
export function standIns(law: RowLaw, d: number): { values: Float64Array; bandwidth: number } | null {
  if (law.kind === "mixture") return null;
  if (law.kind === "points") {
    // Scott's rule in the plane, as in Python.
    return { values: law.values, bandwidth: law.effective ** (-1 / 6) };
  }
  const free = law.quantiles.map((_, j) => j).filter((j) => law.quantiles[j].length > 1);
  const steps = additive(free.length);
  const values = new Float64Array(draws * d);
  law.quantiles.forEach((quantiles, j) => {
    const step = steps[free.indexOf(j)];
    for (let k = 0; k < draws; k++) {
      values[k * d + j] = quantiles.length === 1 ? quantiles[0] : quantile(quantiles, (0.5 + k * step) % 1);
    }
  });
  return { values, bandwidth: narrow };
}

/** Steps of an additive sequence that fills m dimensions evenly: powers of the root of x^(m+1) = x + 1. */
function additive(m: number): number[] {
  let root = 2;
  for (let k = 0; k < 40; k++) root = (1 + root) ** (1 / (m + 1));
  return Array.from({ length: m }, (_, j) => root ** -(j + 1) % 1);
}

/** The value below which a share p lies; the table is dense in the tails. */
function quantile(table: Float64Array, p: number): number {
  const at = ((2 / Math.PI) * Math.asin(Math.sqrt(p))) * table.length - 0.5;
  const low = Math.min(Math.max(Math.floor(at), 0), table.length - 2);
  const share = Math.min(Math.max(at - low, 0), 1);
  return table[low] + share * (table[low + 1] - table[low]);
}

/** Regions of the plane that hold the given probabilities; null where the law has no area. */
export function regions(
  law: RowLaw,
  stand: { values: Float64Array; bandwidth: number } | null,
  plane: Plane,
  first: Float64Array,
  second: Float64Array,
  centre: Float64Array,
  probabilities: readonly number[],
): Contour[] | null {
  const frame = rounded(plane);
  if (frame === null) return null;
  const grid =
    law.kind === "mixture"
      ? mixtureGrid(law, frame, first, second, centre)
      : pointsGrid(stand!.values, stand!.bandwidth, frame, first, second, centre);
  const heights = levels(grid.density, probabilities);
  return probabilities.map((probability, k) => ({
    probability,
    rings: rings(grid, heights[k]).map((ring) => unrounded(ring, frame)),
  }));
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

function unrounded(ring: Float64Array, { mean, lower }: Frame): Float64Array {
  const out = new Float64Array(ring.length);
  for (let k = 0; k < ring.length; k += 2) {
    out[k] = mean[0] + lower[0] * ring[k];
    out[k + 1] = mean[1] + lower[1] * ring[k] + lower[2] * ring[k + 1];
  }
  return out;
}

/** Densities at the nodes of a square grid; node (i, j) is at low + step · (i, j). */
interface Grid {
  readonly density: Float64Array;
  readonly low: readonly [number, number];
  readonly step: readonly [number, number];
}

function pointsGrid(
  values: Float64Array,
  bandwidth: number,
  { mean, lower }: Frame,
  first: Float64Array,
  second: Float64Array,
  centre: Float64Array,
): Grid {
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
  const step: [number, number] = [0, 0];
  for (const axis of [0, 1]) {
    // Far outliers would make the grid too coarse for the rest; beyond 8 deviations they are left out.
    low[axis] = Math.max(low[axis], -8) - 3.5 * bandwidth;
    high[axis] = Math.min(high[axis], 8) + 3.5 * bandwidth;
    step[axis] = (high[axis] - low[axis]) / (cells - 1);
  }
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
  return { density: blurred(mass, widths[0], widths[1]), low, step };
}

function blurred(mass: Float64Array, first: number, second: number): Float64Array {
  const along = new Float64Array(cells * cells);
  const [rows, columns] = [kernel(first), kernel(second)];
  convolve(mass, along, rows, cells, 1);
  const out = new Float64Array(cells * cells);
  convolve(along, out, columns, 1, cells);
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
): Grid {
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
  const step: [number, number] = [(high[0] - low[0]) / (cells - 1), (high[1] - low[1]) / (cells - 1)];
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
  return { density, low, step };
}

/** The density values whose superlevel sets hold the given shares of the mass. */
function levels(density: Float64Array, probabilities: readonly number[]): number[] {
  const falling = density.slice().sort().reverse();
  let total = 0;
  for (const value of falling) total += value;
  return probabilities.map((probability) => {
    let held = 0;
    for (let k = 0; k < falling.length; k++) {
      // A cell's mass lies around its value: half of it counts as above.
      held += 0.5 * falling[k];
      if (held >= probability * total) return falling[k];
      held += 0.5 * falling[k];
    }
    return 0;
  });
}

/** Closed curves on which the density has one value (marching squares), as x, y, x, y, … */
function rings({ density, low, step }: Grid, level: number): Float64Array[] {
  const at = (i: number, j: number): number =>
    i < 0 || j < 0 || i >= cells || j >= cells ? 0 : density[i * cells + j];
  const width = cells + 2;
  // Edges are numbered by their lower node and direction; each holds one point of a curve.
  const edge = (i: number, j: number, along: number): number => ((i + 1) * width + j + 1) * 2 + along;
  const place = (i: number, j: number, along: number): [number, number] => {
    const here = at(i, j);
    const there = along === 0 ? at(i + 1, j) : at(i, j + 1);
    const share = (level - here) / (there - here);
    return [low[0] + (i + (along === 0 ? share : 0)) * step[0], low[1] + (j + (along === 1 ? share : 0)) * step[1]];
  };
  const next = new Map<number, number>();
  const spots = new Map<number, [number, number]>();
  for (let i = -1; i < cells; i++) {
    for (let j = -1; j < cells; j++) {
      const inside = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)].map((v) => v > level);
      const sides: [number, number, number][] = [[i, j, 0], [i + 1, j, 1], [i, j + 1, 0], [i, j, 1]];
      // Going round the cell, a curve leaves where the inside begins and enters where it ends.
      const begins: number[] = [];
      const ends: number[] = [];
      for (let side = 0; side < 4; side++) {
        const to = inside[(side + 1) % 4];
        if (inside[side] === to) continue;
        (to ? begins : ends).push(side);
      }
      const count = begins.length;
      if (count === 0) continue;
      const joined = count === 2 && 0.25 * (at(i, j) + at(i + 1, j) + at(i + 1, j + 1) + at(i, j + 1)) > level;
      for (let k = 0; k < count; k++) {
        // In a saddle the middle says whether the two corners inside belong together.
        const begin = begins[k];
        const end = count === 1 ? ends[0] : ends.find((side) => (side === (begin + 1) % 4) !== joined)!;
        const from = edge(...sides[begin]);
        const to = edge(...sides[end]);
        spots.set(from, place(...sides[begin]));
        spots.set(to, place(...sides[end]));
        next.set(from, to);
      }
    }
  }
  const out: Float64Array[] = [];
  while (next.size > 0) {
    const points: number[] = [];
    let here: number | undefined = next.keys().next().value as number;
    while (here !== undefined && next.has(here)) {
      points.push(...spots.get(here)!);
      const following: number = next.get(here)!;
      next.delete(here);
      here = following;
    }
    if (points.length >= 6) out.push(Float64Array.from(points));
  }
  return out;
}
