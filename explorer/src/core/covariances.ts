/** What each representation of the rows' covariances answers, at the cost its structure allows. */

import type { Covariance } from "../model";

type Diagonal = Extract<Covariance, { kind: "diagonal" }>;

/** Ψ̄ = Σ wₙ Ψₙ into `out`, d × d. */
export function averageInto(cov: Covariance, w: Float64Array, d: number, out: Float64Array): void {
  out.fill(0);
  const n = w.length;
  switch (cov.kind) {
    case "zero":
      return;
    case "diagonal":
      addDiagonal(cov, w, d, cov.multiplier, out);
      return;
    case "shared":
      for (let i = 0; i < d; i++) {
        for (let j = 0; j < d; j++) {
          out[i * d + j] = 0.5 * cov.multiplier * (cov.matrix[i * d + j] + cov.matrix[j * d + i]);
        }
      }
      return;
    case "dense": {
      const { upper, multiplier } = cov;
      const size = (d * (d + 1)) / 2;
      for (let r = 0; r < n; r++) {
        const weight = w[r] * multiplier;
        if (weight === 0) continue;
        let at = r * size;
        for (let i = 0; i < d; i++) {
          for (let j = i; j < d; j++) out[i * d + j] += weight * upper[at++];
        }
      }
      mirror(out, d);
      return;
    }
    case "low-rank": {
      const { factors, rank, multiplier } = cov;
      for (let r = 0; r < n; r++) {
        const weight = w[r] * multiplier;
        if (weight === 0) continue;
        const at = r * d * rank;
        for (let i = 0; i < d; i++) {
          for (let j = i; j < d; j++) {
            let sum = 0;
            for (let k = 0; k < rank; k++) sum += factors[at + i * rank + k] * factors[at + j * rank + k];
            out[i * d + j] += weight * sum;
          }
        }
      }
      mirror(out, d);
      if (cov.rest !== null) addDiagonal(cov.rest, w, d, multiplier, out);
      return;
    }
  }
}

function addDiagonal(cov: Diagonal, w: Float64Array, d: number, factor: number, out: Float64Array): void {
  const { std, rows, columns } = cov;
  for (let j = 0; j < columns; j++) {
    let sum = 0;
    if (rows === 1) sum = std[j] * std[j];
    else for (let r = 0; r < rows; r++) sum += w[r] * std[r * columns + j] ** 2;
    if (columns === 1) for (let i = 0; i < d; i++) out[i * d + i] += factor * sum;
    else out[j * d + j] += factor * sum;
  }
}

function mirror(out: Float64Array, d: number): void {
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) out[i * d + j] = out[j * d + i];
}

/** (aᵀΨa, aᵀΨb, bᵀΨb) of every row into `out`, n × 3. */
export function projectInto(
  cov: Covariance,
  a: Float64Array,
  b: Float64Array,
  n: number,
  out: Float64Array,
): void {
  const d = a.length;
  switch (cov.kind) {
    case "zero":
      out.fill(0);
      return;
    case "diagonal":
      out.fill(0);
      projectDiagonal(cov, a, b, n, cov.multiplier, out);
      return;
    case "shared": {
      const { matrix, multiplier } = cov;
      let first = 0;
      let both = 0;
      let second = 0;
      for (let i = 0; i < d; i++) {
        let alongA = 0;
        let alongB = 0;
        for (let j = 0; j < d; j++) {
          const entry = 0.5 * (matrix[i * d + j] + matrix[j * d + i]);
          alongA += entry * a[j];
          alongB += entry * b[j];
        }
        first += a[i] * alongA;
        both += a[i] * alongB;
        second += b[i] * alongB;
      }
      for (let r = 0; r < n; r++) {
        out[3 * r] = multiplier * first;
        out[3 * r + 1] = multiplier * both;
        out[3 * r + 2] = multiplier * second;
      }
      return;
    }
    case "dense": {
      const { upper, multiplier } = cov;
      const size = (d * (d + 1)) / 2;
      for (let r = 0; r < n; r++) {
        let at = r * size;
        let first = 0;
        let both = 0;
        let second = 0;
        for (let i = 0; i < d; i++) {
          const ai = a[i];
          const bi = b[i];
          // Off the diagonal each entry stands for two; the sums are by rows of the triangle.
          const own = upper[at++];
          let alongA = 0.5 * own * ai;
          let alongB = 0.5 * own * bi;
          for (let j = i + 1; j < d; j++) {
            const entry = upper[at++];
            alongA += entry * a[j];
            alongB += entry * b[j];
          }
          first += ai * alongA;
          both += ai * alongB + bi * alongA;
          second += bi * alongB;
        }
        out[3 * r] = 2 * multiplier * first;
        out[3 * r + 1] = multiplier * both;
        out[3 * r + 2] = 2 * multiplier * second;
      }
      return;
    }
    case "low-rank": {
      const { factors, rank, multiplier } = cov;
      for (let r = 0; r < n; r++) {
        const start = r * d * rank;
        let first = 0;
        let both = 0;
        let second = 0;
        for (let k = 0; k < rank; k++) {
          let alongA = 0;
          let alongB = 0;
          for (let i = 0; i < d; i++) {
            const entry = factors[start + i * rank + k];
            alongA += entry * a[i];
            alongB += entry * b[i];
          }
          first += alongA * alongA;
          both += alongA * alongB;
          second += alongB * alongB;
        }
        out[3 * r] = multiplier * first;
        out[3 * r + 1] = multiplier * both;
        out[3 * r + 2] = multiplier * second;
      }
      if (cov.rest !== null) projectDiagonal(cov.rest, a, b, n, multiplier, out);
      return;
    }
  }
}

function projectDiagonal(
  cov: Diagonal,
  a: Float64Array,
  b: Float64Array,
  n: number,
  factor: number,
  out: Float64Array,
): void {
  const { std, rows, columns } = cov;
  const d = a.length;
  for (let r = 0; r < n; r++) {
    let first = 0;
    let both = 0;
    let second = 0;
    const start = rows === 1 ? 0 : r * columns;
    for (let j = 0; j < d; j++) {
      const sd = std[columns === 1 ? start : start + j];
      const variance = sd * sd;
      first += variance * a[j] * a[j];
      both += variance * a[j] * b[j];
      second += variance * b[j] * b[j];
    }
    out[3 * r] += factor * first;
    out[3 * r + 1] += factor * both;
    out[3 * r + 2] += factor * second;
  }
}

/** The standard deviation of one value, for details on demand. */
export function standardDeviation(cov: Covariance, row: number, feature: number, d: number): number {
  switch (cov.kind) {
    case "zero":
      return 0;
    case "diagonal":
      return Math.sqrt(cov.multiplier) * entry(cov, row, feature);
    case "shared":
      return Math.sqrt(Math.max(cov.multiplier * cov.matrix[feature * d + feature], 0));
    case "dense": {
      const at = (row * d * (d + 1)) / 2 + feature * d - (feature * (feature - 1)) / 2;
      return Math.sqrt(Math.max(cov.multiplier * cov.upper[at], 0));
    }
    case "low-rank": {
      let variance = cov.rest === null ? 0 : entry(cov.rest, row, feature) ** 2;
      const start = (row * d + feature) * cov.rank;
      for (let k = 0; k < cov.rank; k++) variance += cov.factors[start + k] ** 2;
      return Math.sqrt(cov.multiplier * variance);
    }
  }
}

function entry(cov: Diagonal, row: number, feature: number): number {
  const start = cov.rows === 1 ? 0 : row * cov.columns;
  return cov.std[cov.columns === 1 ? start : start + feature];
}
