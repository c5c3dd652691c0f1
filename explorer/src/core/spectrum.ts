/**
 * Order, signs, ties and large scales: the rules of `uapca/decomposition/spectrum.py`, repeated.
 *
 * Eigenvalues fall, and rounding below zero is zero. The entry of largest magnitude of a component
 * is positive. Eigenvalues equal up to rounding span a subspace whose basis depends on it alone.
 * Where Ψ̄ has ties, C decides within them at every s, so large scales are decoupled first.
 */

import { Symmetric } from "./eigen";
import { multiply, multiplyTransposed, trace, transposed } from "./matrices";

/** Eigenvalues, falling, and eigenvectors as rows. */
export interface Spectrum {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

interface Run {
  readonly start: number;
  readonly stop: number;
}

const decoupledFrom = 1e3;

/** The relative difference up to which eigenvalues of a d × d matrix count as equal. */
export function tieTolerance(d: number): number {
  return 8 * Number.EPSILON * Math.max(Math.sqrt(d), 2);
}

/** Solves by the rules, again and again in the same workspace. */
export class Solver {
  private readonly full: Symmetric;
  private readonly sum: Float64Array;
  private readonly solvers = new Map<number, Symmetric>();

  constructor(readonly d: number) {
    this.full = new Symmetric(d);
    this.sum = new Float64Array(d * d);
    this.solvers.set(d, this.full);
  }

  /** Eigenvalues, falling, and vectors as rows, as rounding left them; valid until the next call. */
  raw(matrix: Float64Array): Spectrum {
    return this.full.solve(matrix);
  }

  /** The eigenpairs of a covariance matrix, all rules applied; valid until the next call. */
  plain(matrix: Float64Array): Spectrum {
    const found = this.full.solve(matrix);
    settle(found.values, found.vectors, this.d, this.d);
    for (let i = 0; i < this.d; i++) found.values[i] = Math.max(found.values[i], 0);
    return found;
  }

  /** The eigenpairs of C + s²Ψ̄ for s in [0, ∞]; at ∞ the values are those of Ψ̄. */
  scaled(between: Float64Array, within: Float64Array, s: number): Spectrum {
    const { d, sum } = this;
    const size = trace(within, d);
    if (s === 0 || size <= 0) return this.plain(between);
    if (s * s * size > decoupledFrom * trace(between, d)) {
      const found = this.full.solve(within);
      const values = found.values.map((value) => Math.max(value, 0));
      const runs = tied(values, tieTolerance(d) * values[0]);
      const some = runs.length < d;
      if (s === Infinity || (some && apart(values, runs, s, between))) {
        return this.decoupled(between, values, found.vectors.slice(), runs, s);
      }
    }
    for (let k = 0; k < d * d; k++) sum[k] = between[k] + s * s * within[k];
    return this.plain(sum);
  }

  /** A solver for matrices of another size. */
  private sized(k: number): Symmetric {
    let solver = this.solvers.get(k);
    if (solver === undefined) {
      solver = new Symmetric(k);
      this.solvers.set(k, solver);
    }
    return solver;
  }

  /** One group of equal eigenvalues of Ψ̄ after the other. */
  private decoupled(
    between: Float64Array,
    psi: Float64Array,
    rows: Float64Array,
    runs: readonly Run[],
    s: number,
  ): Spectrum {
    const { d } = this;
    const turned = multiplyTransposed(multiply(rows, between, d, d, d), rows, d, d, d);
    const values = new Float64Array(d);
    const vectors = new Float64Array(d * d);
    for (const run of runs) {
      const k = run.stop - run.start;
      let inner: Float64Array = block(turned, d, indices(run), indices(run));
      let basis: Float64Array = rows.slice(run.start * d, run.stop * d);
      if (s < Infinity && runs.length > 1) {
        [inner, basis] = this.corrected(turned, psi, rows, run, s);
      }
      const found = this.sized(k).solve(inner);
      const images = multiply(found.vectors, basis, k, k, d);
      settle(found.values, images, k, d);
      vectors.set(images, run.start * d);
      const level = average(psi, run);
      for (let i = 0; i < k; i++) {
        const value = s < Infinity ? s * s * level + found.values[i] : level;
        values[run.start + i] = Math.max(value, 0);
      }
    }
    return { values, vectors };
  }

  /**
   * The restriction of K(s) − s²ψ to a group's subspace and an orthonormal basis of it. In the
   * eigenbasis of Ψ̄ the subspace is spanned by [I; X]; X solves a Riccati equation by fixed point.
   */
  private corrected(
    turned: Float64Array,
    psi: Float64Array,
    rows: Float64Array,
    run: Run,
    s: number,
  ): [Float64Array, Float64Array] {
    const { d } = this;
    const inside = indices(run);
    const outside = Array.from({ length: d }, (_, i) => i).filter((i) => i < run.start || i >= run.stop);
    const k = inside.length;
    const m = outside.length;
    const level = average(psi, run);
    const own = block(turned, d, inside, inside);
    const cross = block(turned, d, outside, inside);
    const others = block(turned, d, outside, outside);
    const gaps = outside.map((i) => s * s * (level - psi[i]));
    let X = cross.map((value, at) => value / gaps[Math.floor(at / k)]);
    const restriction = (): Float64Array => {
      const inner = multiply(transposed(cross, m, k), X, k, m, k);
      for (let i = 0; i < inner.length; i++) inner[i] += own[i];
      return inner;
    };
    for (let step = 0; step < 8; step++) {
      const pushed = multiply(others, X, m, m, k);
      const pulled = multiply(X, restriction(), m, k, k);
      X = X.map((_, at) => (cross[at] + pushed[at] - pulled[at]) / gaps[Math.floor(at / k)]);
    }
    const across = transposed(X, m, k);
    const metric = this.sized(k).solve(multiply(across, X, k, m, k));
    const root = power(metric, k, 0.5);
    const inverse = power(metric, k, -0.5);
    const restricted = multiply(multiply(root, restriction(), k, k, k), inverse, k, k, k);
    const symmetric = restricted.map((value, at) => {
      const i = Math.floor(at / k);
      return 0.5 * (value + restricted[(at - i * k) * k + i]);
    });
    const span = multiply(across, rowsAt(rows, d, outside), k, m, d);
    for (let i = 0; i < k; i++) {
      for (let j = 0; j < d; j++) span[i * d + j] += rows[inside[i] * d + j];
    }
    return [symmetric, multiply(inverse, span, k, k, d)];
  }
}

/** Ties and signs put right in place: `count` falling eigenvalues, rows of length `d`. */
export function settle(values: Float64Array, rows: Float64Array, count: number, d: number): void {
  const limit = tieTolerance(d) * Math.max(Math.abs(values[0]), Math.abs(values[count - 1]));
  for (const run of tied(values.subarray(0, count), limit)) {
    if (run.stop - run.start > 1) canonical(rows.subarray(run.start * d, run.stop * d), d);
  }
  for (let i = 0; i < count; i++) sign(rows.subarray(i * d, i * d + d));
}

/** Makes the entry of largest magnitude positive; among equals, up to 1e-8, the first decides. */
export function sign(row: Float64Array): void {
  let largest = 0;
  for (let j = 0; j < row.length; j++) largest = Math.max(largest, Math.abs(row[j]));
  const enough = (1 - 1e-8) * largest;
  for (let j = 0; j < row.length; j++) {
    if (Math.abs(row[j]) >= enough) {
      if (row[j] < 0) for (let i = 0; i < row.length; i++) row[i] = -row[i];
      return;
    }
  }
}

/** Runs of falling values whose neighbours differ by at most `limit`. */
export function tied(values: Float64Array, limit: number): Run[] {
  const runs: Run[] = [];
  let start = 0;
  for (let i = 1; i <= values.length; i++) {
    if (i === values.length || values[i - 1] - values[i] > limit) {
      runs.push({ start, stop: i });
      start = i;
    }
  }
  return runs;
}

/**
 * A basis of the rows' span that depends on the span alone, in place: the axes with the longest
 * projections into it, made orthogonal one after the other. A small slope breaks their ties.
 */
function canonical(rows: Float64Array, d: number): void {
  const k = rows.length / d;
  const slope = (j: number): number => 1 - (1e-6 * j) / d;
  // Columns of `left` are the axes' projections, in coordinates of the span.
  const left = rows.map((value, at) => value * slope(at % d));
  const pivots: number[] = [];
  for (let step = 0; step < k; step++) {
    let best = -1;
    let longest = -1;
    for (let j = 0; j < d; j++) {
      if (pivots.includes(j)) continue;
      let length = 0;
      for (let i = 0; i < k; i++) length += left[i * d + j] ** 2;
      if (length > longest) {
        longest = length;
        best = j;
      }
    }
    pivots.push(best);
    const norm = Math.sqrt(longest);
    const axis = Array.from({ length: k }, (_, i) => (norm > 0 ? left[i * d + best] / norm : 0));
    for (let j = 0; j < d; j++) {
      let along = 0;
      for (let i = 0; i < k; i++) along += axis[i] * left[i * d + j];
      for (let i = 0; i < k; i++) left[i * d + j] -= along * axis[i];
    }
  }
  // Gram and Schmidt, twice for each: what the first pass leaves of the others the second takes.
  const turn = new Float64Array(k * k);
  for (let step = 0; step < k; step++) {
    const axis = Array.from({ length: k }, (_, i) => rows[i * d + pivots[step]]);
    for (let pass = 0; pass < 2; pass++) {
      for (let done = 0; done < step; done++) {
        let along = 0;
        for (let i = 0; i < k; i++) along += turn[done * k + i] * axis[i];
        for (let i = 0; i < k; i++) axis[i] -= along * turn[done * k + i];
      }
    }
    const norm = Math.hypot(...axis);
    for (let i = 0; i < k; i++) turn[step * k + i] = axis[i] / norm;
  }
  rows.set(multiply(turn, rows, k, k, d));
}

/** Whether the groups of s²Ψ̄ lie so far apart that C hardly couples them. */
function apart(values: Float64Array, runs: readonly Run[], s: number, between: Float64Array): boolean {
  let nearest = Infinity;
  for (let i = 1; i < runs.length; i++) {
    nearest = Math.min(nearest, average(values, runs[i - 1]) - average(values, runs[i]));
  }
  let squares = 0;
  for (let k = 0; k < between.length; k++) squares += between[k] ** 2;
  return runs.length === 1 || s * s * nearest > decoupledFrom * Math.sqrt(squares);
}

/** (I + M)^exponent of a symmetric matrix known by its eigenpairs. */
function power(found: Spectrum, k: number, exponent: number): Float64Array {
  const out = new Float64Array(k * k);
  for (let r = 0; r < k; r++) {
    const factor = (1 + Math.max(found.values[r], 0)) ** exponent;
    for (let i = 0; i < k; i++) {
      for (let j = 0; j < k; j++) {
        out[i * k + j] += factor * found.vectors[r * k + i] * found.vectors[r * k + j];
      }
    }
  }
  return out;
}

function average(values: Float64Array, run: Run): number {
  let sum = 0;
  for (let i = run.start; i < run.stop; i++) sum += values[i];
  return sum / (run.stop - run.start);
}

function indices(run: Run): number[] {
  return Array.from({ length: run.stop - run.start }, (_, i) => run.start + i);
}

function block(matrix: Float64Array, d: number, rows: number[], columns: number[]): Float64Array {
  const out = new Float64Array(rows.length * columns.length);
  let at = 0;
  for (const i of rows) for (const j of columns) out[at++] = matrix[i * d + j];
  return out;
}

function rowsAt(matrix: Float64Array, d: number, rows: number[]): Float64Array {
  const out = new Float64Array(rows.length * d);
  rows.forEach((i, at) => out.set(matrix.subarray(i * d, i * d + d), at * d));
  return out;
}
