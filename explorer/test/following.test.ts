import assert from "node:assert/strict";
import { test } from "node:test";
import { eigenpairs } from "../src/core/eigen";
import { assignment, match, reach } from "../src/core/following";
import { random, randomSymmetric } from "./random";

test("what is more than half itself stays; no other vector and place have more in common than with what they got", () => {
  const next = random(6);
  for (let round = 0; round < 60; round++) {
    const d = 2 + (round % 4);
    // Shares of orthonormal bases: rows and columns sum to one.
    const first = eigenpairs(randomSymmetric(next, d), d).vectors;
    const share = first.map((value) => value * value);
    const places = assignment(share, d);
    const stays = (i: number): boolean => share[i * d + i] > 0.5;
    assert.deepEqual([...places].sort(), Array.from({ length: d }, (_, i) => i));
    places.forEach((place, i) => {
      if (stays(i)) return assert.equal(place, i);
      for (let j = 0; j < d; j++) {
        if (!stays(j)) assert.ok(share[i * d + j] <= Math.max(share[i * d + place], share[places.indexOf(j) * d + j]));
      }
    });
  }
});

test("a permuted basis is found again, signs and all", () => {
  const d = 5;
  const before = eigenpairs(randomSymmetric(random(7), d), d).vectors.slice();
  const order = [3, 0, 4, 1, 2]; // where each goes
  const after = new Float64Array(d * d);
  order.forEach((place, i) => {
    for (let j = 0; j < d; j++) after[place * d + j] = (i % 2 ? -1 : 1) * before[i * d + j];
  });
  const { places, overlaps } = match(before, after, new Array(d - 1).fill(false), d);
  assert.deepEqual([...places], order);
  overlaps.forEach((overlap, i) => assert.ok(Math.abs(overlap - (i % 2 ? -1 : 1)) < 1e-12));
});

test("a tied subspace is turned to its predecessor", () => {
  const d = 4;
  const before = eigenpairs(randomSymmetric(random(8), d), d).vectors.slice();
  const after = before.slice();
  const [c, s] = [Math.cos(1.1), Math.sin(1.1)];
  for (let j = 0; j < d; j++) {
    after[d + j] = c * before[d + j] + s * before[2 * d + j];
    after[2 * d + j] = c * before[2 * d + j] - s * before[d + j];
  }
  match(before, after, [false, true, false], d);
  after.forEach((value, at) => assert.ok(Math.abs(value - before[at]) < 1e-12));
});

test("reach is the angle between matched vectors", () => {
  const d = 3;
  const [c, s] = [Math.cos(0.2), Math.sin(0.2)];
  const values = Float64Array.of(3, 2, 1);
  const tied = [false, false];
  const before = { u: 0, values, vectors: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), tied };
  const after = { u: 0, values, vectors: Float64Array.of(c, s, 0, -s, c, 0, 0, 0, 1), tied };
  assert.ok(Math.abs(reach(before, after, d, 0, 2).angle - 0.2) < 1e-12);
  assert.ok(reach(before, after, d, 2, 3).angle < 1e-12);
});
