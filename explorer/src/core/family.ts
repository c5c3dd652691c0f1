/**
 * The family (1 − u)² C + u² Ψ̄ = (1 − u)² K(s), s = u / (1 − u): the same eigenvectors as K(s), and
 * finite from s = 0 to s = ∞. As `uapca/sensitivity/family.py`.
 */

import { eigenpairs, type Spectrum } from "./eigen";
import { largest, multiply, multiplyTransposed, rowDot } from "./matrices";
import { scaledSpectrum, ties, tieTolerance } from "./spectrum";

/** Eigenpairs at one point. */
export interface Pairs extends Spectrum {
  readonly u: number;
  /** Whether a value and the next belong to one subspace in which any basis is as good. */
  readonly tied: boolean[];
}

// From this ratio on, the matrix at an end leads and decides its own ties.
const leadsFrom = 1e3;

export class Family {
  /** For each end, whether its matrix has tied eigenvalues. */
  private readonly loose: readonly boolean[];

  constructor(
    readonly start: Float64Array,
    readonly stop: Float64Array,
    readonly d: number,
  ) {
    this.loose = [start, stop].map((matrix) => {
      const { values } = eigenpairs(matrix, d);
      return ties(values, tieTolerance(d) * Math.abs(values[0])).includes(true);
    });
  }

  /** Eigenpairs at u, with the one-sided limits at both ends. */
  at(u: number): Pairs {
    const { d, start, stop } = this;
    const [a, b] = [1 - u, u];
    const { vectors, ...found } = eigenpairs(start.map((value, k) => a * a * value + b * b * stop[k]), d);
    const values = found.values.map((value) => Math.max(value, 0));
    const pairs = { u, values, vectors, tied: ties(values, tieTolerance(d) * values[0]) };
    if (this.loose[0]) this.settle(pairs, start, stop, a, b);
    if (this.loose[1]) this.settle(pairs, stop, start, b, a);
    return pairs;
  }

  /** How fast the eigenvalues of K change with t = s²: vᵀ Ψ̄ v, of the first `count`. */
  rates({ vectors }: Pairs, count: number): Float64Array {
    const turned = multiply(vectors, this.stop, count, this.d, this.d);
    return Float64Array.from({ length: count }, (_, i) => rowDot(turned, i, vectors, i, this.d));
  }

  /** How fast `rates` change with t: 2 Σ (vⱼᵀ Ψ̄ v)² / (λ − λⱼ) of K; tied terms are left out. */
  bends({ values, vectors, u }: Pairs, count: number): Float64Array {
    const { d, stop } = this;
    const coupling = multiplyTransposed(multiply(vectors, stop, count, d, d), vectors, count, d, d);
    const limit = tieTolerance(d) * values[0];
    return Float64Array.from({ length: count }, (_, i) => {
      let sum = 0;
      for (let j = 0; j < d; j++) {
        const gap = values[i] - values[j];
        if (Math.abs(gap) > limit) sum += coupling[i * d + j] * (coupling[i * d + j] / gap);
      }
      return 2 * sum * (1 - u) ** 2;
    });
  }

  /** Puts right the eigenvectors near an end whose matrix `lead` has tied eigenvalues. */
  private settle({ values, vectors, tied }: Pairs, lead: Float64Array, far: Float64Array, a: number, b: number): void {
    const { d } = this;
    if (a * a * largest(lead) < leadsFrom * b * b * largest(far)) return;
    const found = scaledSpectrum(far, lead, b === 0 ? Infinity : a / b, d);
    if (b !== 0) values.set(found.values.map((value) => b * b * value));
    vectors.set(found.vectors);
    const turned = multiply(vectors, far, d, d, d);
    const inner = (i: number) => rowDot(turned, i, vectors, i, d);
    const limit = tieTolerance(d) * largest(far);
    tied.forEach((on, i) => (tied[i] = on && Math.abs(inner(i + 1) - inner(i)) <= limit));
  }
}
