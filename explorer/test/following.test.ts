import assert from "node:assert/strict";
import { test } from "node:test";
import { eigenpairs } from "../src/core/eigen";
import { assignment, match, reach } from "../src/core/following";
import { random, randomSymmetric } from "./random";

/** Every order of 0, …, d − 1. */
function* orders(d: number): Generator<number[]> {
  if (d === 0) {
    yield [];
    return;
  }
  for (const rest of orders(d - 1)) {
    for (let at = 0; at <= rest.length; at++) yield [...rest.slice(0, at), d - 1, ...rest.slice(at)];
  }
}

test("what is more than half itself stays; the rest has the largest total share of all orders", () => {
  const next = random(6);
  for (let round = 0; round < 60; round++) {
    const d = 2 + (round % 4);
    // Shares of orthonormal bases: rows and columns sum to one.
    const first = eigenpairs(randomSymmetric(next, d), d).vectors;
    const share = first.map((value) => value * value);
    const total = (places: ArrayLike<number>): number =>
      Array.from(places).reduce((sum, place, i) => sum + share[i * d + place], 0);
    let best = 0;
    const stays = (i: number): boolean => share[i * d + i] > 0.5;
    for (const places of orders(d)) {
      if (places.every((place, i) => place === i || !stays(i))) best = Math.max(best, total(places));
    }
    const found = assignment(share, d);
    found.forEach((place, i) => assert.ok(place === i || !stays(i)));
    assert.deepEqual([...found].sort(), Array.from({ length: d }, (_, i) => i));
    assert.ok(Math.abs(total(found) - best) < 1e-12);
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
