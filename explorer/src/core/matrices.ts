/** Products of small flat matrices. */

/** A B for A of n × k and B of k × m. */
export function multiply(A: Float64Array, B: Float64Array, n: number, k: number, m: number): Float64Array {
  const out = new Float64Array(n * m);
  for (let i = 0; i < n; i++) {
    for (let r = 0; r < k; r++) {
      const factor = A[i * k + r];
      if (factor === 0) continue;
      for (let j = 0; j < m; j++) out[i * m + j] += factor * B[r * m + j];
    }
  }
  return out;
}

/** A Bᵀ for A of n × k and B of m × k. */
export function multiplyTransposed(
  A: Float64Array,
  B: Float64Array,
  n: number,
  k: number,
  m: number,
): Float64Array {
  const out = new Float64Array(n * m);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      let sum = 0;
      for (let r = 0; r < k; r++) sum += A[i * k + r] * B[j * k + r];
      out[i * m + j] = sum;
    }
  }
  return out;
}

export function transposed(A: Float64Array, n: number, m: number): Float64Array {
  const out = new Float64Array(n * m);
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) out[j * n + i] = A[i * m + j];
  return out;
}

export function trace(A: Float64Array, d: number): number {
  let sum = 0;
  for (let i = 0; i < d; i++) sum += A[i * d + i];
  return sum;
}

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
