/** Products of small matrices, flat and row by row; a place in a rising list. */

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
export function multiplyTransposed(A: Float64Array, B: Float64Array, n: number, k: number, m: number): Float64Array {
  const out = new Float64Array(n * m);
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) out[i * m + j] = rowDot(A, i, B, j, k);
  return out;
}

export function trace(A: Float64Array, d: number): number {
  let sum = 0;
  for (let i = 0; i < d; i++) sum += A[i * d + i];
  return sum;
}

/** The largest magnitude of an entry. */
export function largest(A: Float64Array): number {
  return A.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

/** Row i of A times row j of B, both of length d. */
export function rowDot(A: Float64Array, i: number, B: Float64Array, j: number, d: number): number {
  let sum = 0;
  for (let k = 0; k < d; k++) sum += A[i * d + k] * B[j * d + k];
  return sum;
}

/** Rows made orthonormal in place (Gram and Schmidt, twice), each as near to itself as those before it allow. */
export function orthonormalize(rows: Float64Array, count: number, d: number): void {
  for (let i = 0; i < count; i++) {
    const row = rows.subarray(i * d, i * d + d);
    for (let axis = -1; axis < d; axis++) {
      // A row that the others span already gives way to the first axis that they do not.
      if (axis >= 0) row.fill(0)[axis] = 1;
      const before = Math.sqrt(rowDot(row, 0, row, 0, d));
      for (let pass = 0; pass < 2; pass++) {
        for (let done = 0; done < i; done++) {
          const along = rowDot(rows, done, row, 0, d);
          for (let j = 0; j < d; j++) row[j] -= along * rows[done * d + j];
        }
      }
      const norm = Math.sqrt(rowDot(row, 0, row, 0, d));
      for (let j = 0; j < d; j++) row[j] /= norm;
      if (norm > 1e-8 * before) break;
    }
  }
}

/** The last of rising values that is not beyond another, but one before the end. */
export function segment(rising: Float64Array, value: number): number {
  const beyond = rising.findIndex((point, k) => k > 0 && point > value);
  return (beyond < 0 ? rising.length - 1 : beyond) - 1;
}

/** The smallest and largest of the numbers that are there. */
export function rangeOf(values: Float64Array): [number, number] {
  const there = values.filter((value) => !Number.isNaN(value));
  return [there.reduce((a, b) => Math.min(a, b), Infinity), there.reduce((a, b) => Math.max(a, b), -Infinity)];
}
