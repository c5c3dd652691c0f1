/**
 * Eigenvalues and eigenvectors of a symmetric matrix: Householder reflections to tridiagonal form,
 * then implicitly shifted QL steps (Golub & Van Loan, Matrix Computations, ch. 8).
 *
 * Vectors are kept as rows, so that every inner loop walks through memory in order. A `Symmetric`
 * keeps its workspace: solving again allocates nothing.
 */
export class Symmetric {
  /** Eigenvalues, falling. */
  readonly values: Float64Array;
  /** Eigenvectors as rows, in the order of the values. */
  readonly vectors: Float64Array;
  private readonly work: Float64Array;
  private readonly off: Float64Array;
  private readonly image: Float64Array;
  private readonly betas: Float64Array;
  private readonly row: Float64Array;

  constructor(readonly d: number) {
    this.values = new Float64Array(d);
    this.vectors = new Float64Array(d * d);
    this.work = new Float64Array(d * d);
    this.off = new Float64Array(d);
    this.image = new Float64Array(d);
    this.betas = new Float64Array(d);
    this.row = new Float64Array(d);
  }

  /** Decomposes `matrix`, d × d; only its upper triangle is looked at. */
  solve(matrix: Float64Array): this {
    const { d, work } = this;
    // A power of two brings the largest entry near 1: squares neither overflow nor underflow, and
    // no digit changes.
    let largest = 0;
    for (let i = 0; i < d; i++) {
      for (let j = i; j < d; j++) {
        const size = Math.abs(matrix[i * d + j]);
        if (size > largest) largest = size;
      }
    }
    const exponent = largest > 0 && largest < Infinity ? Math.floor(Math.log2(largest)) : 0;
    // In two steps, since 2^±1074 has no reciprocal.
    const half = Math.trunc(-exponent / 2);
    const first = 2 ** half;
    const second = 2 ** (-exponent - half);
    for (let i = 0; i < d; i++) {
      for (let j = i; j < d; j++) {
        const value = matrix[i * d + j] * first * second;
        work[i * d + j] = value;
        work[j * d + i] = value;
      }
    }
    this.reduce();
    this.accumulate();
    this.iterate();
    this.sort();
    for (let i = 0; i < d; i++) this.values[i] = this.values[i] / first / second;
    return this;
  }

  /** To tridiagonal form; the reflections' vectors stay in the rows of `work`, right of the diagonal. */
  private reduce(): void {
    const { d, work, off, values, image, betas } = this;
    for (let k = 0; k < d; k++) {
      values[k] = work[k * d + k];
      betas[k] = 0;
      const at = k * d;
      if (k === d - 1) {
        off[k] = 0;
        break;
      }
      let tail = 0;
      for (let j = k + 2; j < d; j++) tail += work[at + j] * work[at + j];
      const head = work[at + k + 1];
      if (tail === 0) {
        off[k] = head;
        continue;
      }
      const alpha = head > 0 ? -Math.sqrt(head * head + tail) : Math.sqrt(head * head + tail);
      off[k] = alpha;
      const pivot = head - alpha;
      work[at + k + 1] = pivot;
      const beta = 2 / (pivot * pivot + tail);
      betas[k] = beta;
      // A ← (I − βvvᵀ) A (I − βvvᵀ) for the block that is left, as a symmetric rank-two step.
      let along = 0;
      for (let i = k + 1; i < d; i++) {
        let sum = 0;
        for (let j = k + 1; j < d; j++) sum += work[i * d + j] * work[at + j];
        image[i] = beta * sum;
        along += image[i] * work[at + i];
      }
      const share = 0.5 * beta * along;
      for (let i = k + 1; i < d; i++) image[i] -= share * work[at + i];
      for (let i = k + 1; i < d; i++) {
        const vi = work[at + i];
        const pi = image[i];
        const start = i * d;
        for (let j = k + 1; j < d; j++) work[start + j] -= vi * image[j] + pi * work[at + j];
      }
    }
  }

  /** The product of the reflections, transposed, into `vectors`. */
  private accumulate(): void {
    const { d, work, vectors, betas } = this;
    vectors.fill(0);
    for (let i = 0; i < d; i++) vectors[i * d + i] = 1;
    for (let k = d - 3; k >= 0; k--) {
      const beta = betas[k];
      if (beta === 0) continue;
      const at = k * d;
      for (let i = k + 1; i < d; i++) {
        const start = i * d;
        let sum = 0;
        for (let j = k + 1; j < d; j++) sum += vectors[start + j] * work[at + j];
        sum *= beta;
        for (let j = k + 1; j < d; j++) vectors[start + j] -= sum * work[at + j];
      }
    }
  }

  /** QL steps until every off-diagonal entry is lost in its neighbours' rounding. */
  private iterate(): void {
    const { d, values, off, vectors } = this;
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
        let bulge =
          values[high] - values[low] + off[low] / (ratio + (ratio < 0 ? -length : length));
        let sine = 1;
        let cosine = 1;
        let shift = 0;
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

  private sort(): void {
    const { d, values, vectors, row } = this;
    for (let i = 0; i < d - 1; i++) {
      let best = i;
      for (let j = i + 1; j < d; j++) if (values[j] > values[best]) best = j;
      if (best === i) continue;
      const value = values[i];
      values[i] = values[best];
      values[best] = value;
      row.set(vectors.subarray(i * d, i * d + d));
      vectors.copyWithin(i * d, best * d, best * d + d);
      vectors.set(row, best * d);
    }
  }
}
