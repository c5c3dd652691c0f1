/**
 * Eigenvalues and eigenvectors of a symmetric matrix: Householder reflections to tridiagonal form,
 * then implicitly shifted QL steps (Golub & Van Loan, Matrix Computations, ch. 8).
 *
 * Vectors are kept as rows, so that every inner loop walks through memory in order.
 */

import { largest } from "./matrices";

/** Eigenvalues, falling, and eigenvectors as rows. */
export interface Spectrum {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

/** The eigenpairs of `matrix`, d × d; only its upper triangle is looked at. */
export function eigenpairs(matrix: Float64Array, d: number): Spectrum {
  // A power of two brings the largest entry near 1: squares neither overflow nor underflow, and no
  // digit changes. In two steps, since 2^±1074 has no reciprocal.
  const size = largest(matrix);
  const exponent = size > 0 && size < Infinity ? Math.floor(Math.log2(size)) : 0;
  const half = Math.trunc(-exponent / 2);
  const [first, second] = [2 ** half, 2 ** (-exponent - half)];
  const work = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) work[i * d + j] = work[j * d + i] = matrix[i * d + j] * first * second;
  }
  const [values, off, betas] = [new Float64Array(d), new Float64Array(d), new Float64Array(d)];
  reduce(work, values, off, betas);
  const vectors = accumulated(work, betas);
  iterate(values, off, vectors);
  return sorted(values.map((value) => value / first / second), vectors);
}

/** To tridiagonal form; the reflections' vectors stay in the rows of `work`, right of the diagonal. */
function reduce(work: Float64Array, values: Float64Array, off: Float64Array, betas: Float64Array): void {
  const d = values.length;
  const image = new Float64Array(d);
  for (let k = 0; k < d; k++) {
    const at = k * d;
    values[k] = work[at + k];
    if (k === d - 1) break;
    let tail = 0;
    for (let j = k + 2; j < d; j++) tail += work[at + j] * work[at + j];
    const head = work[at + k + 1];
    off[k] = head;
    if (tail === 0) continue;
    off[k] = head > 0 ? -Math.sqrt(head * head + tail) : Math.sqrt(head * head + tail);
    const pivot = head - off[k];
    work[at + k + 1] = pivot;
    const beta = (betas[k] = 2 / (pivot * pivot + tail));
    // A ← (I − βvvᵀ) A (I − βvvᵀ) for the block that is left, as a symmetric rank-two step.
    let along = 0;
    for (let i = k + 1; i < d; i++) {
      let sum = 0;
      for (let j = k + 1; j < d; j++) sum += work[i * d + j] * work[at + j];
      image[i] = beta * sum;
      along += image[i] * work[at + i];
    }
    for (let i = k + 1; i < d; i++) image[i] -= 0.5 * beta * along * work[at + i];
    for (let i = k + 1; i < d; i++) {
      const [vi, pi, start] = [work[at + i], image[i], i * d];
      for (let j = k + 1; j < d; j++) work[start + j] -= vi * image[j] + pi * work[at + j];
    }
  }
}

/** The product of the reflections, transposed. */
function accumulated(work: Float64Array, betas: Float64Array): Float64Array {
  const d = betas.length;
  const vectors = new Float64Array(d * d);
  for (let i = 0; i < d; i++) vectors[i * d + i] = 1;
  for (let k = d - 3; k >= 0; k--) {
    const [beta, at] = [betas[k], k * d];
    if (beta === 0) continue;
    for (let i = k + 1; i < d; i++) {
      const start = i * d;
      let sum = 0;
      for (let j = k + 1; j < d; j++) sum += vectors[start + j] * work[at + j];
      sum *= beta;
      for (let j = k + 1; j < d; j++) vectors[start + j] -= sum * work[at + j];
    }
  }
  return vectors;
}

/** QL steps until every off-diagonal entry is lost in its neighbours' rounding. */
function iterate(values: Float64Array, off: Float64Array, vectors: Float64Array): void {
  const d = values.length;
  for (let low = 0; low < d; low++) {
    for (let steps = 0; ; steps++) {
      let high = low;
      for (; high < d - 1; high++) {
        const size = Math.abs(values[high]) + Math.abs(values[high + 1]);
        if (Math.abs(off[high]) <= Number.EPSILON * 0.5 * size) break;
      }
      if (high === low) break;
      if (steps === 60) throw new Error("the eigenvalues were not found: the matrix is not finite");
      // Wilkinson's shift, from the 2 × 2 block at the lower end.
      const ratio = (values[low + 1] - values[low]) / (2 * off[low]);
      const length = Math.hypot(ratio, 1);
      let bulge = values[high] - values[low] + off[low] / (ratio + (ratio < 0 ? -length : length));
      let [sine, cosine, shift] = [1, 1, 0];
      let split = false;
      for (let i = high - 1; i >= low; i--) {
        const f = sine * off[i];
        const b = cosine * off[i];
        const radius = Math.hypot(f, bulge);
        off[i + 1] = radius;
        if (radius === 0) {
          values[i + 1] -= shift;
          off[high] = 0;
          split = true;
          break;
        }
        sine = f / radius;
        cosine = bulge / radius;
        const rest = values[i + 1] - shift;
        const turn = (values[i] - rest) * sine + 2 * cosine * b;
        shift = sine * turn;
        values[i + 1] = rest + shift;
        bulge = cosine * turn - b;
        const upper = i * d;
        const lower = upper + d;
        for (let k = 0; k < d; k++) {
          const x = vectors[upper + k];
          const y = vectors[lower + k];
          vectors[lower + k] = sine * x + cosine * y;
          vectors[upper + k] = cosine * x - sine * y;
        }
      }
      if (split) continue;
      values[low] -= shift;
      off[low] = bulge;
      off[high] = 0;
    }
  }
}

function sorted(values: Float64Array, vectors: Float64Array): Spectrum {
  const d = values.length;
  const order = Array.from(values.keys()).sort((i, j) => values[j] - values[i]);
  const out = { values: new Float64Array(d), vectors: new Float64Array(d * d) };
  order.forEach((from, to) => {
    out.values[to] = values[from];
    out.vectors.set(vectors.subarray(from * d, from * d + d), to * d);
  });
  return out;
}
