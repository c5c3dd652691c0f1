import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decode } from "../src/core/decode";
import { Engine } from "../src/core/engine";
import type { Projection } from "../src/model";
import { outlying, wholeDensity } from "../src/page/crowd";
import { extentOf } from "../src/page/view";
import { random } from "./random";

/** Three clusters, 24 times as long as wide, each in a direction of its own; every row with the same standard deviation. */
function thinClusters(n: number, sd: number): Projection {
  const normal = normals(1);
  const means = new Float64Array(2 * n);
  for (let row = 0; row < n; row++) {
    const [along, across, angle] = [1.2 * normal(), 0.05 * normal(), [0.6, -0.8, 0.2][row % 3]];
    const [x, y] = [[-4, 0], [0, 3], [4, -1]][row % 3];
    means[2 * row] = x + along * Math.cos(angle) - across * Math.sin(angle);
    means[2 * row + 1] = y + along * Math.sin(angle) + across * Math.cos(angle);
  }
  return { n, means, covariances: Float64Array.from({ length: 3 * n }, (_, k) => (k % 3 === 1 ? 0 : sd ** 2)) };
}

function normals(seed: number): () => number {
  const next = random(seed);
  return () => Math.sqrt(-2 * Math.log(0.5 - next())) * Math.cos(2 * Math.PI * next());
}

/** Whether a point is inside of rings, by how often a ray from it meets them. */
function inside(rings: readonly Float64Array[], x: number, y: number): boolean {
  let odd = false;
  for (const ring of rings) {
    for (let k = 0; k < ring.length; k += 2) {
      const [x0, y0, x1, y1] = [ring[k], ring[k + 1], ring[(k + 2) % ring.length], ring[(k + 3) % ring.length]];
      if (y0 > y !== y1 > y && x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)) odd = !odd;
    }
  }
  return odd;
}

for (const [n, sd] of [[250, 0.001], [250, 0.3], [900, 0.05], [3000, 0.3], [3000, 1]]) {
  test(`shades hold as many draws of ${n} rows of standard deviation ${sd} as the legend says`, () => {
    const projection = thinClusters(n, sd);
    const weights = new Float64Array(n).fill(1 / n);
    const shades = wholeDensity({ projection, weights, calm: true }, extentOf([projection], null, 2.45));
    const normal = normals(2);
    const held = [0, 0, 0];
    const draws = 15_000;
    for (let k = 0; k < draws; k++) {
      const [x, y] = [0, 1].map((axis) => projection.means[2 * (k % n) + axis] + sd * normal());
      shades.forEach((region, i) => (held[i] += inside(region, x, y) ? 1 / draws : 0));
    }
    [0.95, 0.8, 0.5].forEach((share, i) => assert.ok(Math.abs(held[i] - share) < 0.02, `${held[i]}, not ${share}`));
  });
}

for (const [name, { payload, outlying: wanted }] of Object.entries<any>(JSON.parse(readFileSync("test/cases.json", "utf8")))) {
  test(`the rows far out are those of the plots: ${name}`, () => {
    const dataset = decode(payload);
    const engine = new Engine(dataset);
    const projection = engine.project(engine.fit(1), [0, Math.min(1, dataset.d - 1)]);
    if (dataset.d > 1) assert.deepEqual(outlying({ projection, weights: dataset.weights }), wanted);
  });
}
