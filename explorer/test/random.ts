/** Numbers between −½ and ½, the same ones for the same seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

export function randomSymmetric(next: () => number, d: number): Float64Array {
  const out = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      out[i * d + j] = next();
      out[j * d + i] = out[i * d + j];
    }
  }
  return out;
}
