import assert from "node:assert/strict";
import { test } from "node:test";
import { massLevel, region, rings, type Grid, USUAL as cells } from "../src/core/contours";
import { regions } from "../src/core/densities";
import { lattice, termsOf } from "../src/core/lattice";

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
  return sum / 2; // the inside lies to the left
}

test("regions of a round normal law are disks of the right size", () => {
  const grid = gridOf((x, y) => Math.exp(-0.5 * (x * x + y * y)));
  const probabilities = [0.3, 0.5, 0.9];
  probabilities.forEach((probability) => {
    const [ring, ...more] = region(grid, massLevel(grid, probability), probability);
    assert.equal(more.length, 0);
    const radius = Math.sqrt(-2 * Math.log(1 - probability));
    for (let at = 0; at < ring.length; at += 2) {
      assert.ok(Math.abs(Math.hypot(ring[at], ring[at + 1]) - radius) < 0.02);
    }
  });
});

/** Quantiles of the uniform law on [−1, 1] at the places of a table. */
const uniform = Float64Array.from({ length: 64 }, (_, k) => 2 * Math.sin((Math.PI / 2) * ((k + 0.5) / 64)) ** 2 - 1);

test("the masses of a lattice are a law with the right mean and covariance", () => {
  const terms = termsOf({ kind: "independent", quantiles: [uniform, uniform, uniform] });
  const [first, second] = [Float64Array.of(1, 0.5, -0.4), Float64Array.of(0.2, 1, 0.8)];
  const { grid, first: a, second: b } = lattice(terms, first, second, 96)!;
  let [mass, x, y, xx, xy, yy] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < 96; i++) {
    for (let j = 0; j < 96; j++) {
      const m = grid.density[i * 96 + j];
      assert.ok(m >= 0);
      const [p, q] = [grid.low[0] + i * grid.step[0], grid.low[1] + j * grid.step[1]];
      const place = [p * a[0] + q * b[0], p * a[1] + q * b[1]];
      mass += m;
      x += m * place[0];
      y += m * place[1];
      xx += m * place[0] ** 2;
      xy += m * place[0] * place[1];
      yy += m * place[1] ** 2;
    }
  }
  const dot = (u: Float64Array, v: Float64Array) => u.reduce((sum, value, j) => sum + value * v[j], 0) / 3;
  assert.ok(Math.abs(mass - 1) < 1e-3);
  assert.ok(Math.hypot(x, y) < 2e-3);
  assert.ok(Math.abs(xx - dot(first, first)) < 5e-3);
  assert.ok(Math.abs(xy - dot(first, second)) < 5e-3);
  assert.ok(Math.abs(yy - dot(second, second)) < 5e-3);
});

test("two uniform terms have a parallelogram with sharp edges, and no area where they are parallel", () => {
  const terms = termsOf({ kind: "independent", quantiles: [uniform, uniform] });
  const found = lattice(terms, Float64Array.of(1, 0.5), Float64Array.of(0, 1), 96)!;
  const [ring, ...more] = region(found.grid, massLevel(found.grid, 0.95), 0.95);
  assert.equal(more.length, 0);
  assert.ok(Math.abs(Math.abs(area(ring)) - 0.95 * 4) < 0.1);
  assert.equal(lattice(terms, Float64Array.of(1, 2), Float64Array.of(1, 2), 96), null);
});

test("a fine outline of two trapezoids has no teeth", () => {
  // Quantiles of the density that rises on [0, 1], is level on [1, 3] and falls on [3, 5].
  const trapezoid = uniform.map((value) => {
    const p = (3.5 * (value + 1)) / 2;
    return p < 0.5 ? Math.sqrt(2 * p) : p < 2.5 ? p + 0.5 : 5 - 2 * Math.sqrt(3.5 - p);
  });
  const terms = termsOf({ kind: "independent", quantiles: [trapezoid, trapezoid] });
  const { grid } = lattice(terms, Float64Array.of(1, 0), Float64Array.of(0, 1), 448)!;
  const [ring, ...more] = region(grid, massLevel(grid, 0.95), 0.95);
  assert.equal(more.length, 0);
  let turned = 0;
  let before = Math.atan2(ring[1] - ring[ring.length - 1], ring[0] - ring[ring.length - 2]);
  for (let k = 2; k < ring.length; k += 2) {
    const [dx, dy] = [ring[k] - ring[k - 2], ring[k + 1] - ring[k - 1]];
    if (Math.hypot(dx, dy) < 1e-3) continue;
    const now = Math.atan2(dy, dx);
    turned += Math.abs(((now - before + 3 * Math.PI) % (2 * Math.PI)) - Math.PI);
    before = now;
  }
  assert.ok(turned < 4 * Math.PI, `it turns by ${turned / Math.PI} half circles`);
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

test("the parts of a mixture far from each other have round outlines", () => {
  const round = [1, 0, 0, 1];
  const law = {
    kind: "mixture" as const,
    weights: Float64Array.of(0.5, 0.5),
    means: Float64Array.of(-9, 0, 9, 0),
    covariances: Float64Array.from([...round, ...round]),
  };
  const [first, second, centre] = [Float64Array.of(1, 0), Float64Array.of(0, 1), new Float64Array(2)];
  const found = regions(law, { first, second, centre, mean: [0, 0], covariance: [82, 0, 1] }, [0.95], 224)![0];
  assert.equal(found.length, 2);
  for (const ring of found) {
    const side = Math.sign(ring[0]);
    const radii = ring.filter((_, k) => k % 2 === 0).map((x, k) => Math.hypot(x - 9 * side, ring[2 * k + 1]));
    radii.forEach((radius) => assert.ok(Math.abs(radius - Math.sqrt(-2 * Math.log(0.05))) < 0.01));
  }
});
