import assert from "node:assert/strict";
import { test } from "node:test";
import { endLabels } from "../src/page/eigenvalues";

test("the components shown are always named, others where there is room", () => {
  const heights = [10, 80, 84, 100];
  assert.deepEqual(endLabels(heights, [0, 1], 6, 13, 100), [[0, 10], [1, 80], [3, 100]]);
  // 80 and 84 are moved apart to 75.5 and 88.5; 100 is too near then.
  assert.deepEqual(endLabels(heights, [2, 1], 6, 13, 100), [[0, 10], [1, 75.5], [2, 88.5]]);
  assert.deepEqual(endLabels(heights, [3, 3], 6, 13, 100), [[0, 10], [1, 80], [3, 100]]);
});

test("names do not fall below the axis", () => {
  const put = endLabels([10, 99, 100], [1, 2], 6, 13, 100);
  assert.deepEqual(put, [[0, 10], [1, 87], [2, 100]]);
});

test("of many only the first few are named besides those shown", () => {
  const heights = Array.from({ length: 30 }, (_, i) => 20 * i);
  const named = endLabels(heights, [20, 4], 6, 13, 1000).map(([i]) => i);
  assert.deepEqual(named, [0, 1, 2, 3, 4, 5, 20]);
});
