/**
 * The family (1 − u)² C + u² Ψ̄ = (1 − u)² K(s), s = u / (1 − u): the same eigenvectors as K(s), and
 * finite from s = 0 to s = ∞. As `uapca/sensitivity/family.py`.
 */

import { dot, multiply, multiplyTransposed, trace } from "./matrices";
import { Solver, tieTolerance } from "./spectrum";

/** Eigenpairs at one point: values fall, vectors are rows. */
export interface Pairs {
  readonly u: number;
  readonly values: Float64Array;
  readonly vectors: Float64Array;
  /** Whether a value and the next belong to one subspace in which any basis is as good. */
  readonly tied: boolean[];
}

// From this ratio on, the matrix at an end leads and decides its own ties.
const leadsFrom = 1e3;

export class Family {
  readonly d: number;
  private readonly solver: Solver;
  private readonly sum: Float64Array;
  private readonly constant: Pairs | null;
  private readonly startTied: boolean;
  private readonly stopTied: boolean;
  private readonly sizes: readonly [number, number];

  constructor(
    readonly start: Float64Array,
    readonly stop: Float64Array,
    d: number,
  ) {
    this.d = d;
    this.solver = new Solver(d);
    this.sum = new Float64Array(d * d);
    this.sizes = [largest(start), largest(stop)];
    this.constant = this.constantPairs();
    this.startTied = this.hasTies(start);
    this.stopTied = this.hasTies(stop);
  }

  /** Eigenpairs at u, with the one-sided limits at both ends. */
  at(u: number): Pairs {
    const a = 1 - u;
    const b = u;
    if (this.constant !== null) return this.multiple(this.constant, a, b);
    const { d, sum, start, stop } = this;
    for (let k = 0; k < d * d; k++) sum[k] = a * a * start[k] + b * b * stop[k];
    const found = this.solver.raw(sum);
    const values = found.values.map((value) => Math.max(value, 0));
    const limit = tieTolerance(d) * values[0];
    const tied = Array.from({ length: d - 1 }, (_, i) => values[i] - values[i + 1] <= limit);
    const pairs = { u, values, vectors: found.vectors.slice(), tied };
    if (this.startTied) this.settle(pairs, start, stop, a, b, this.sizes);
    if (this.stopTied) this.settle(pairs, stop, start, b, a, [this.sizes[1], this.sizes[0]]);
    return pairs;
  }

  /** How fast the eigenvalues of K change with t = s²: vᵀ Ψ̄ v, of the first `count`. */
  rates(pairs: Pairs, count: number): Float64Array {
    const { d, stop } = this;
    const turned = multiply(pairs.vectors, stop, count, d, d);
    return Float64Array.from({ length: count }, (_, i) =>
      dot(turned.subarray(i * d, i * d + d), pairs.vectors.subarray(i * d, i * d + d)),
    );
  }

  /** How fast `rates` change with t: 2 Σ (vⱼᵀ Ψ̄ v)² / (λ − λⱼ) of K; tied terms are left out. */
  bends(pairs: Pairs, count: number): Float64Array {
    const { d, stop } = this;
    const { values, vectors, u } = pairs;
    const coupling = multiplyTransposed(multiply(vectors, stop, count, d, d), vectors, count, d, d);
    const limit = tieTolerance(d) * values[0];
    const unit = (1 - u) ** 2;
    return Float64Array.from({ length: count }, (_, i) => {
      let sum = 0;
      for (let j = 0; j < d; j++) {
        const gap = values[i] - values[j];
        if (Math.abs(gap) > limit) sum += coupling[i * d + j] * (coupling[i * d + j] / gap);
      }
      return 2 * sum * unit;
    });
  }

  /** √tr of both ends. */
  roots(): [number, number] {
    return [Math.sqrt(trace(this.start, this.d)), Math.sqrt(trace(this.stop, this.d))];
  }

  /** Puts right the eigenvectors near an end whose matrix `lead` has tied eigenvalues. */
  private settle(
    pairs: { values: Float64Array; vectors: Float64Array; tied: boolean[] },
    lead: Float64Array,
    far: Float64Array,
    a: number,
    b: number,
    sizes: readonly [number, number],
  ): void {
    const { d } = this;
    if (a * a * sizes[0] < leadsFrom * b * b * sizes[1]) return;
    const found = this.solver.scaled(far, lead, b === 0 ? Infinity : a / b);
    if (b !== 0) for (let i = 0; i < d; i++) pairs.values[i] = b * b * found.values[i];
    pairs.vectors.set(found.vectors);
    const turned = multiply(pairs.vectors, far, d, d, d);
    const inner = (i: number): number =>
      dot(turned.subarray(i * d, i * d + d), pairs.vectors.subarray(i * d, i * d + d));
    const limit = tieTolerance(d) * sizes[1];
    for (let i = 0; i < d - 1; i++) {
      if (pairs.tied[i]) pairs.tied[i] = Math.abs(inner(i + 1) - inner(i)) <= limit;
    }
  }

  /** The eigenpairs of the only end that is no multiple of the identity, if there is at most one. */
  private constantPairs(): Pairs | null {
    const { d, start, stop } = this;
    const isScalar = [scalar(start, d), scalar(stop, d)];
    if (!isScalar[0] && !isScalar[1]) return null;
    const which = !isScalar[0] || isScalar[1] ? 0 : 1;
    const found = this.solver.plain(which === 0 ? start : stop);
    const values = found.values.slice();
    const limit = tieTolerance(d) * values[0];
    const tied = Array.from({ length: d - 1 }, (_, i) => values[i] - values[i + 1] <= limit);
    return { u: which, values, vectors: found.vectors.slice(), tied };
  }

  private multiple(fixed: Pairs, a: number, b: number): Pairs {
    const { d } = this;
    const [own, other, rest] = fixed.u === 0 ? [a * a, b * b, this.stop] : [b * b, a * a, this.start];
    const level = (other * trace(rest, d)) / d;
    const values = fixed.values.map((value) => own * value + level);
    return { u: b, values, vectors: fixed.vectors.slice(), tied: fixed.tied.slice() };
  }

  private hasTies(matrix: Float64Array): boolean {
    const { values } = this.solver.raw(matrix);
    const limit = tieTolerance(this.d) * Math.abs(values[0]);
    for (let i = 1; i < this.d; i++) if (values[i - 1] - values[i] <= limit) return true;
    return false;
  }
}

/** Whether a matrix is a multiple of the identity, up to rounding. */
function scalar(matrix: Float64Array, d: number): boolean {
  const level = trace(matrix, d) / d;
  let off = 0;
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) {
      off = Math.max(off, Math.abs(matrix[i * d + j] - (i === j ? level : 0)));
    }
  }
  return off <= tieTolerance(d) * Math.abs(level);
}

function largest(matrix: Float64Array): number {
  let size = 0;
  for (const value of matrix) size = Math.max(size, Math.abs(value));
  return size;
}
