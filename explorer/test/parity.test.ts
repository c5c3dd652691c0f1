import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decode, decodeScale } from "../src/core/decode";
import { Engine } from "../src/core/engine";
import { finished } from "../src/core/path";

// Written by tests/explorer/shared_cases.py, which says how.
const cases = JSON.parse(readFileSync("test/cases.json", "utf8"));

function close(found: ArrayLike<number>, wanted: readonly number[], size: number): void {
  wanted.forEach((value, k) => assert.ok(Math.abs(found[k] - value) <= 1e-9 * size, `${found[k]}, not ${value}`));
}

for (const [name, { payload, fits, crossings }] of Object.entries<any>(cases)) {
  test(`Python and the browser agree: ${name}`, () => {
    const dataset = decode(payload);
    const engine = new Engine(dataset);
    for (const wanted of fits) {
      const fit = engine.fit(decodeScale(wanted.scale));
      close(fit.eigenvalues, wanted.eigenvalues, wanted.eigenvalues[0]);
      close(fit.shares, wanted.shares, 1);
      close(fit.components, wanted.components.flat(), 1);
      const { means } = engine.project(fit, [0, Math.min(1, dataset.d - 1)]);
      const offset = Math.max(...dataset.mean.map(Math.abs));
      const size = Math.max(...wanted.scores.flat().map(Math.abs), 1) + offset * 1e-6;
      if (wanted.scores[0].length === 2) close(means, wanted.scores.flat(), size);
    }
    const found = finished(engine.exact(2, 99)).crossings;
    assert.deepEqual(found.map(({ pair, kind }) => ({ pair: [...pair], kind })), crossings.map(({ pair, kind }: any) => ({ pair, kind })));
    close(found.map(({ u }) => u), crossings.map(({ u }: any) => u), 10);
  });
}

test("a payload of another schema is refused", () => {
  const { payload } = cases.students;
  assert.throws(() => decode({ ...payload, schema: 2 }), /reads data of schema 1, not 2: update uapca on both sides/);
  assert.throws(() => decode({ ...payload, n: 5 }), /mean has 24 numbers, not 20/);
});
