import assert from "node:assert/strict";
import { test } from "node:test";
import { shortNames } from "../src/page/format";

test("names that differ anywhere stay different, and say where", () => {
  const names = ["greater", "lower"].flatMap((kind) =>
    ["Amazon", "Danube", "Ob"].flatMap((river) =>
      ["north", "south"].map((part) => `Administrative region of the ${kind} ${river} river basin, ${part} district`),
    ),
  );
  for (const limit of [8, 12, 16, 22]) {
    const short = shortNames(names, limit);
    assert.equal(new Set(short).size, names.length);
    assert.ok(short.every((name) => name.length <= limit));
  }
  assert.deepEqual(shortNames(names, 22).slice(0, 2), ["greater Amazon north", "greater Amazon south"]);
  const years = [2010, 2020].flatMap((year) => ["thousand", "million"].map((of) => `Registered cars per ${of} inhabitants, ${year}`));
  assert.deepEqual(shortNames(years, 12), ["thousan 2010", "million 2010", "thousan 2020", "million 2020"]);
  const codes = Array.from({ length: 300 }, (_, i) => `plate_with_a_long_prefix_${1000 + i}_replicate`);
  assert.deepEqual(shortNames(codes, 16).slice(0, 2), ["1000", "1001"]);
});

test("short names stay as they are, and so do names that are the same", () => {
  assert.deepEqual(shortNames(["Tom", "a name that is too long", "Tom"], 12), ["Tom", "a name…long", "Tom"]);
  const same = shortNames(["x".repeat(40), "x".repeat(41), "x".repeat(42)], 10);
  assert.deepEqual(same, ["xxxxxx…xxx", "xxx…xx (2)", "xxx…xx (3)"]);
});
