/** What covariances of rows answer, at the cost their structure allows. */

import type { Covariance } from "../model";

/** The covariance of one row alone. */
export function covarianceOf(cov: Covariance, row: number, d: number): Covariance {
  const own = (part: Float64Array | null, size: number) =>
    part && (part.length === size ? part : part.subarray(row * size, (row + 1) * size));
  return { ...cov, std: own(cov.std, d), upper: own(cov.upper, (d * (d + 1)) / 2), factors: own(cov.factors, d * cov.rank) };
}

/** Ψ̄ = Σ wₙ Ψₙ, d × d; the weights sum to 1. */
export function averageOf(cov: Covariance, w: Float64Array, d: number): Float64Array {
  const { multiplier, std, upper, factors, rank } = cov;
  const out = new Float64Array(d * d);
  const each = (part: Float64Array | null, size: number, add: (at: number, weight: number) => void) => {
    const rows = part ? part.length / size : 0;
    for (let row = 0; row < rows; row++) {
      const weight = multiplier * (rows === 1 ? 1 : w[row]);
      if (weight !== 0) add(row * size, weight);
    }
  };
  each(std, d, (at, weight) => {
    for (let j = 0; j < d; j++) out[j * d + j] += weight * std![at + j] ** 2;
  });
  each(upper, (d * (d + 1)) / 2, (at, weight) => {
    for (let i = 0; i < d; i++) for (let j = i; j < d; j++) out[i * d + j] += weight * upper![at++];
  });
  each(factors, d * rank, (at, weight) => {
    for (let i = 0; i < d; i++) {
      for (let j = i; j < d; j++) {
        let sum = 0;
        for (let k = 0; k < rank; k++) sum += factors![at + i * rank + k] * factors![at + j * rank + k];
        out[i * d + j] += weight * sum;
      }
    }
  });
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) out[i * d + j] = out[j * d + i];
  return out;
}

/** (aᵀΨa, aᵀΨb, bᵀΨb) of every row, n × 3. */
export function projectedCovariances(cov: Covariance, a: Float64Array, b: Float64Array, n: number): Float64Array {
  const { multiplier, std, upper, factors, rank } = cov;
  const d = a.length;
  const out = new Float64Array(3 * n);
  const each = (part: Float64Array | null, size: number, add: (at: number, to: number) => void) => {
    const rows = part ? part.length / size : 0;
    for (let row = 0; row < rows; row++) add(row * size, 3 * row);
    if (rows === 1) for (let row = 1; row < n; row++) out.copyWithin(3 * row, 0, 3);
  };
  // Parts that stand for all rows come before those that each row has of its own.
  each(upper, (d * (d + 1)) / 2, (at, to) => {
    let [first, both, second] = [0, 0, 0];
    for (let i = 0; i < d; i++) {
      // Off the diagonal each entry stands for two; the sums are by rows of the triangle.
      const own = upper![at++];
      let alongA = 0.5 * own * a[i];
      let alongB = 0.5 * own * b[i];
      for (let j = i + 1; j < d; j++) {
        const entry = upper![at++];
        alongA += entry * a[j];
        alongB += entry * b[j];
      }
      first += 2 * a[i] * alongA;
      both += a[i] * alongB + b[i] * alongA;
      second += 2 * b[i] * alongB;
    }
    out[to] += first;
    out[to + 1] += both;
    out[to + 2] += second;
  });
  each(std, d, (at, to) => {
    for (let j = 0; j < d; j++) {
      const variance = std![at + j] ** 2;
      out[to] += variance * a[j] * a[j];
      out[to + 1] += variance * a[j] * b[j];
      out[to + 2] += variance * b[j] * b[j];
    }
  });
  each(factors, d * rank, (at, to) => {
    for (let k = 0; k < rank; k++) {
      let [alongA, alongB] = [0, 0];
      for (let i = 0; i < d; i++) {
        const entry = factors![at + i * rank + k];
        alongA += entry * a[i];
        alongB += entry * b[i];
      }
      out[to] += alongA * alongA;
      out[to + 1] += alongA * alongB;
      out[to + 2] += alongB * alongB;
    }
  });
  if (multiplier !== 1) for (let k = 0; k < out.length; k++) out[k] *= multiplier;
  return out;
}

/** The standard deviation of one value, for details on demand. */
export function standardDeviation(cov: Covariance, row: number, feature: number, d: number): number {
  const axis = new Float64Array(d);
  axis[feature] = 1;
  return Math.sqrt(Math.max(projectedCovariances(covarianceOf(cov, row, d), axis, axis, 1)[0], 0));
}
