import assert from "node:assert/strict";
import { test } from "node:test";
import { drawnRegions, rings, type Grid, usual as cells } from "../src/core/contours";
import { normals } from "../src/core/normals";

/** A density on [−4, 4]². */
function gridOf(density: (x: number, y: number) => number): Grid {
  const step = 8 / (cells - 1);
  const values = new Float64Array(cells * cells);
  for (let i = 0; i < cells; i++) {
    for (let j = 0; j < cells; j++) values[i * cells + j] = density(-4 + i * step, -4 + j * step);
  }
  return { cells, density: values, low: [-4, -4], step: [step, step] };
}

function area(ring: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < ring.length; k += 2) {
    const next = (k + 2) % ring.length;
    sum += ring[k] * ring[next + 1] - ring[next] * ring[k + 1];
  }
  return -sum / 2; // the inside lies to the right
}

test("regions of a round normal law are disks of the right size", () => {
  const grid = gridOf((x, y) => Math.exp(-0.5 * (x * x + y * y)));
  const probabilities = [0.3, 0.5, 0.9];
  drawnRegions(grid, normals(), probabilities).forEach(([ring, ...more], k) => {
    assert.equal(more.length, 0);
    const radius = Math.sqrt(-2 * Math.log(1 - probabilities[k]));
    for (let at = 0; at < ring.length; at += 2) {
      assert.ok(Math.abs(Math.hypot(ring[at], ring[at + 1]) - radius) < 0.01);
    }
  });
});

test("the draws have the moments of the normal law", () => {
  const draws = normals();
  const moment = (p: number, q: number) => {
    let sum = 0;
    for (let k = 0; k < draws.length; k += 2) sum += draws[k] ** p * draws[k + 1] ** q;
    return sum / (draws.length / 2);
  };
  const wanted = [[1, 0, 0], [0, 1, 0], [2, 0, 1], [0, 2, 1], [1, 1, 0], [4, 0, 3], [2, 2, 1]];
  for (const [p, q, value] of wanted) assert.ok(Math.abs(moment(p, q) - value) < 0.005 * (p + q) ** 2, `${p} ${q}`);
});

test("a ring around a hole turns the other way", () => {
  const found = rings(gridOf((x, y) => Math.exp(-4 * (Math.hypot(x, y) - 2) ** 2)), 0.5);
  const areas = found.map(area).sort((a, b) => a - b);
  const width = Math.sqrt(Math.log(2) / 4);
  assert.equal(areas.length, 2);
  assert.ok(Math.abs(areas[1] - Math.PI * (2 + width) ** 2) < 0.3);
  assert.ok(Math.abs(areas[0] + Math.PI * (2 - width) ** 2) < 0.3);
});

test("saddles are resolved into closed rings, whatever they join", () => {
  for (const level of [0.1, 0.2, 0.4]) {
    const found = rings(gridOf((x, y) => Math.exp(-0.3 * (x * x + y * y)) * (1 + Math.sin(5 * x) * Math.sin(5 * y))), level);
    assert.ok(found.length > 0);
    for (const ring of found) {
      for (let at = 0; at < ring.length; at += 2) {
        const next = (at + 2) % ring.length;
        const gap = Math.hypot(ring[at] - ring[next], ring[at + 1] - ring[next + 1]);
        assert.ok(gap < 0.3, "neighbours on a ring lie in one cell");
      }
    }
  }
});

test("what reaches the edge of the grid is closed along it", () => {
  const [ring, ...more] = rings(gridOf(() => 1), 0.5);
  assert.equal(more.length, 0);
  const side = 8 + 8 / (cells - 1); // halfway to the nodes beyond, where there is nothing
  assert.ok(Math.abs(area(ring) - side ** 2) < 0.1);
});
