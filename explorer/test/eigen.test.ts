import assert from "node:assert/strict";
import { test } from "node:test";
import { eigenpairs, type Spectrum } from "../src/core/eigen";
import { multiply, multiplyTransposed } from "../src/core/matrices";
import { scaledSpectrum } from "../src/core/spectrum";
import { random, randomSymmetric } from "./random";

/** A = Vᵀ Λ V, orthonormal rows, falling values: all an eigen-decomposition has to be. */
function check(matrix: Float64Array, d: number, tolerance = 1e-13): Spectrum {
  const found = eigenpairs(matrix, d);
  const size = Math.max(...matrix.map(Math.abs), Number.MIN_VALUE);
  const scaled = found.vectors.map((value, at) => value * (found.values[Math.floor(at / d)] / size));
  const product = multiply(transpose(found.vectors, d), scaled, d, d, d);
  for (let k = 0; k < d * d; k++) assert.ok(Math.abs(product[k] - matrix[k] / size) < tolerance * d);
  const gram = multiplyTransposed(found.vectors, found.vectors, d, d, d);
  gram.forEach((value, at) => assert.ok(Math.abs(value - (at % (d + 1) === 0 ? 1 : 0)) < tolerance));
  for (let i = 1; i < d; i++) assert.ok(found.values[i - 1] >= found.values[i]);
  return found;
}

function transpose(matrix: Float64Array, d: number): Float64Array {
  return matrix.map((_, at) => matrix[(at % d) * d + Math.floor(at / d)]);
}

test("random matrices of every size", () => {
  const next = random(1);
  for (const d of [1, 2, 3, 4, 5, 8, 13, 21, 40, 60]) check(randomSymmetric(next, d), d);
});

test("a case by hand", () => {
  const { values, vectors } = check(Float64Array.of(2, 1, 1, 2), 2);
  assert.deepEqual(Array.from(values, (value) => +value.toFixed(12)), [3, 1]);
  assert.ok(Math.abs(Math.abs(vectors[0]) - Math.SQRT1_2) < 1e-15);
});

test("ties, zeros, one entry, and diagonal matrices", () => {
  for (const d of [1, 3, 7]) {
    check(new Float64Array(d * d), d);
    check(Float64Array.from({ length: d * d }, (_, at) => (at % (d + 1) === 0 ? 3 : 0)), d);
    check(Float64Array.from({ length: d * d }, (_, at) => (at % (d + 1) === 0 ? at : 0)), d);
    check(new Float64Array(d * d).fill(1), d);
  }
});

test("the smallest and the largest numbers", () => {
  const next = random(2);
  const matrix = randomSymmetric(next, 6);
  for (const size of [1e-300, 1e-160, 1e160, 1e300]) check(matrix.map((value) => value * size), 6);
});

test("graded matrices keep what their size allows", () => {
  const next = random(3);
  const scales = [1e8, 1e4, 1, 1e-4, 1e-8];
  const graded = randomSymmetric(next, 5).map((value, at) => value * scales[Math.floor(at / 5)] * scales[at % 5]);
  check(graded, 5);
});

test("solving changes nothing and remembers nothing", () => {
  const next = random(4);
  const first = randomSymmetric(next, 5);
  const before = first.slice();
  const { values } = eigenpairs(first, 5);
  eigenpairs(randomSymmetric(next, 5), 5);
  assert.deepEqual(eigenpairs(first, 5).values, values);
  assert.deepEqual(first, before);
});

test("what is not finite is refused, not looped over", () => {
  assert.throws(() => eigenpairs(new Float64Array(9).fill(NaN), 3));
});

test("isotropic errors give the same components at every scale", () => {
  const next = random(5);
  const half = randomSymmetric(next, 4);
  const between = multiplyTransposed(half, half, 4, 4, 4);
  const within = Float64Array.from({ length: 16 }, (_, at) => (at % 5 === 0 ? 0.7 : 0));
  const wanted = scaledSpectrum(between, within, 0, 4).vectors;
  for (const s of [1e-3, 1, 1e3, 1e8, Infinity]) {
    const found = scaledSpectrum(between, within, s, 4).vectors;
    found.forEach((value, at) => assert.ok(Math.abs(value - wanted[at]) < 1e-12, `s = ${s}`));
  }
});
