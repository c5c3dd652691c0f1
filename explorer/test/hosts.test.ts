import assert from "node:assert/strict";
import { test } from "node:test";
import { fromFragment, toFragment } from "../src/hosts/fragment";
import { Store, allowed } from "../src/hosts/store";
import type { Dataset, State } from "../src/model";

const initial: State = {
  scale: 1,
  weights: null,
  selection: [],
  pair: [0, 1],
  level: 0.95,
  standardise: false,
  hovered: null,
};
const dataset = { n: 3, d: 4, initial, precomputed: null } as unknown as Dataset;

test("what opens the page needs no fragment", () => {
  assert.equal(toFragment(initial, dataset), "");
  assert.deepEqual(fromFragment("", dataset), initial);
  assert.deepEqual(fromFragment("#", dataset), initial);
});

test("a view survives the way through the address, to the last bit", () => {
  const state: State = {
    scale: 0.1 + 0.2,
    weights: Float64Array.of(1 / 3, 2 / 3, 0),
    selection: [0, 2],
    pair: [3, 1],
    level: 0.5,
    standardise: true,
    hovered: null,
  };
  const fragment = toFragment(state, dataset);
  assert.match(fragment, /^[\w=&.,-]*$/);
  assert.deepEqual(fromFragment(`#${fragment}`, dataset), state);
  assert.equal(fromFragment(toFragment({ ...state, scale: Infinity }, dataset), dataset).scale, Infinity);
  const sent = { ...dataset, initial: { ...initial, weights: Float64Array.of(1, 0, 0) } } as Dataset;
  assert.equal(fromFragment(toFragment(initial, sent), sent).weights, null);
});

test("nonsense in the address changes nothing", () => {
  for (const text of ["#s=much", "#s=-1", "#pair=9-9", "#level=7", "#rows=x", "#w=1_2", "#w=", "#%%%"]) {
    assert.deepEqual(new Store(dataset, fromFragment(text, dataset)).get(), initial, text);
  }
});

test("a store lets in what is allowed, in order", () => {
  assert.deepEqual(allowed({ selection: [2, 0, 2, 7, -1, 0.5] }, dataset), { selection: [0, 2] });
  assert.deepEqual(allowed({ weights: Float64Array.of(2, 2, 0) }, dataset).weights, Float64Array.of(0.5, 0.5, 0));
  assert.deepEqual(allowed({ hovered: { kind: "feature", index: 4 } }, dataset), {});
  assert.deepEqual(allowed({ hovered: { kind: "feature", index: 3 } }, dataset).hovered, { kind: "feature", index: 3 });
  assert.deepEqual(allowed({ scale: NaN, level: 0, pair: [1, 1] }, dataset), {});
  const single = { ...dataset, d: 1 } as Dataset;
  assert.deepEqual(allowed({ pair: [0, 0] }, single), { pair: [0, 0] });
  const fixed = { ...dataset, precomputed: { q: 2 } } as unknown as Dataset;
  assert.deepEqual(allowed({ weights: Float64Array.of(1, 1, 1), pair: [1, 2] }, fixed), {});
});

test("listeners hear what has changed, once, until they stop", () => {
  const store = new Store(dataset);
  const heard: string[][] = [];
  const stop = store.onChange((_, changed) => heard.push([...changed]));
  store.set({ scale: 1, level: 0.95, selection: [] });
  store.set({ scale: 2, level: 0.95, selection: [1] });
  store.set({ selection: [1] });
  stop();
  store.set({ scale: 3 });
  assert.deepEqual(heard, [["scale", "selection"]]);
});
