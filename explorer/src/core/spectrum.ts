/**
 * Order, signs, ties and large scales: the rules of `uapca/decomposition/spectrum.py`, repeated.
 *
 * Eigenvalues fall, and rounding below zero is zero. The entry of largest magnitude of a component
 * is positive. Eigenvalues equal up to rounding span a subspace whose basis depends on it alone.
 * Where Ψ̄ has ties, C decides within them at every s, so large scales are decoupled first.
 */

import { eigenpairs, type Spectrum } from "./eigen";
import { largest, multiply, multiplyTransposed, orthonormalize, trace } from "./matrices";

/** How much larger than C the differences of s²Ψ̄ have to be: what a first correction leaves out is its square. */
const decoupledFrom = 1e6;

/** Vectors from a first to before a last one. */
type Run = readonly [start: number, stop: number];

/** The relative difference up to which eigenvalues of a d × d matrix count as equal. */
export function tieTolerance(d: number): number {
  return 8 * Number.EPSILON * Math.max(Math.sqrt(d), 2);
}

/** Whether each of falling values and the next differ by at most `limit`. */
export function ties(values: Float64Array, limit: number): boolean[] {
  return Array.from({ length: values.length - 1 }, (_, i) => values[i] - values[i + 1] <= limit);
}

/** Runs of tied vectors, also those of one. */
export function runsOf(tied: readonly boolean[]): Run[] {
  const out: Run[] = [];
  let start = 0;
  for (let i = 0; i <= tied.length; i++) {
    if (tied[i]) continue;
    out.push([start, i + 1]);
    start = i + 1;
  }
  return out;
}

/** The eigenpairs of a covariance matrix, all rules applied. */
export function spectrumOf(matrix: Float64Array, d: number): Spectrum {
  const { values, vectors } = eigenpairs(matrix, d);
  settle(values, vectors, d);
  return { values: values.map((value) => Math.max(value, 0)), vectors };
}

/** The eigenpairs of C + s²Ψ̄ for s in [0, ∞]; at ∞ the values are those of Ψ̄. */
export function scaledSpectrum(between: Float64Array, within: Float64Array, s: number, d: number): Spectrum {
  const size = trace(within, d);
  if (s === 0 || size <= 0) return spectrumOf(between, d);
  if (s * s * size > decoupledFrom * trace(between, d)) {
    const { values, vectors } = eigenpairs(within, d);
    const psi = values.map((value) => Math.max(value, 0));
    const runs = runsOf(ties(psi, tieTolerance(d) * psi[0]));
    if (s === Infinity || (runs.length < d && apart(psi, runs, s, between))) {
      return decoupled(between, psi, vectors, runs, s);
    }
  }
  return spectrumOf(between.map((value, k) => value + s * s * within[k]), d);
}

/**
 * One group of equal eigenvalues of Ψ̄ after the other. At so large scales the subspace of a group, and
 * K(s) − s²ψ in it, are those of s = ∞ and a first correction, from the coupling to the other groups.
 */
function decoupled(between: Float64Array, psi: Float64Array, rows: Float64Array, runs: Run[], s: number): Spectrum {
  const d = psi.length;
  const turned = multiplyTransposed(multiply(rows, between, d, d, d), rows, d, d, d);
  const values = new Float64Array(d);
  const vectors = new Float64Array(d * d);
  for (const [start, stop] of runs) {
    const k = stop - start;
    const level = psi.subarray(start, stop).reduce((sum, value) => sum + value, 0) / k;
    const inner = new Float64Array(k * k).map((_, at) => turned[(start + Math.floor(at / k)) * d + start + (at % k)]);
    const basis = rows.slice(start * d, stop * d);
    for (let other = 0; other < d; other++) {
      if (other >= start && other < stop) continue;
      const coupling = turned.subarray(other * d + start, other * d + stop);
      coupling.forEach((value, i) => {
        const tilt = value / (s * s * (level - psi[other]));
        for (let j = 0; j < k; j++) inner[j * k + i] += coupling[j] * tilt;
        for (let j = 0; j < d; j++) basis[i * d + j] += tilt * rows[other * d + j];
      });
    }
    orthonormalize(basis, k, d);
    const found = eigenpairs(inner, k);
    const images = multiply(found.vectors, basis, k, k, d);
    settle(found.values, images, d);
    vectors.set(images, start * d);
    found.values.forEach((value, i) => {
      values[start + i] = Math.max(s < Infinity ? s * s * level + value : level, 0);
    });
  }
  return { values, vectors };
}

/** Ties and signs put right in place: falling eigenvalues and their vectors, rows of length `d`. */
function settle(values: Float64Array, rows: Float64Array, d: number): void {
  const limit = tieTolerance(d) * Math.max(Math.abs(values[0]), Math.abs(values[values.length - 1]));
  for (const [start, stop] of runsOf(ties(values, limit))) {
    if (stop - start > 1) canonical(rows.subarray(start * d, stop * d), d);
  }
  for (let i = 0; i < values.length; i++) if (isFlipped(rows, i, d)) flip(rows, i, d);
}

/** Whether the entry of largest magnitude of a vector is negative; among equals, up to 1e-8, the first decides. */
export function isFlipped(rows: Float64Array, place: number, d: number): boolean {
  const row = rows.subarray(place * d, place * d + d);
  const limit = (1 - 1e-8) * largest(row);
  return row.find((value) => Math.abs(value) >= limit)! < 0;
}

/** Turns a vector round. */
export function flip(rows: Float64Array, place: number, d: number): void {
  for (let j = place * d; j < place * d + d; j++) rows[j] = -rows[j];
}

/**
 * A basis of the rows' span that depends on the span alone, in place: the axes with the longest
 * projections into it, made orthogonal one after the other. A small slope breaks their ties.
 */
function canonical(rows: Float64Array, d: number): void {
  const k = rows.length / d;
  // Columns of `left` are the axes' projections, in coordinates of the span.
  const left = rows.map((value, at) => value * (1 - (1e-6 * (at % d)) / d));
  const turn = new Float64Array(k * k);
  const lengths = () => indices(d).map((j) => indices(k).reduce((sum, i) => sum + left[i * d + j] ** 2, 0));
  const chosen = new Set<number>();
  for (let step = 0; step < k; step++) {
    const length = lengths().map((value, j) => (chosen.has(j) ? -1 : value));
    const best = length.indexOf(Math.max(...length));
    chosen.add(best);
    const norm = Math.sqrt(length[best]);
    const axis = indices(k).map((i) => (norm > 0 ? left[i * d + best] / norm : 0));
    for (let j = 0; j < d; j++) {
      const along = axis.reduce((sum, value, i) => sum + value * left[i * d + j], 0);
      for (let i = 0; i < k; i++) left[i * d + j] -= along * axis[i];
    }
    for (let i = 0; i < k; i++) turn[step * k + i] = rows[i * d + best];
  }
  orthonormalize(turn, k, k);
  rows.set(multiply(turn, rows, k, k, d));
}

/** Whether the groups of s²Ψ̄ lie so far apart that C hardly couples them. */
function apart(psi: Float64Array, runs: readonly Run[], s: number, between: Float64Array): boolean {
  const levels = runs.map(([start]) => psi[start]);
  const nearest = Math.min(...levels.slice(1).map((level, i) => levels[i] - level));
  return s * s * nearest > decoupledFrom * Math.hypot(...between);
}

function indices(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
