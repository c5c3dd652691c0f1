import assert from "node:assert/strict";
import { test } from "node:test";
import { fromFragment, toFragment } from "../src/hosts/fragment";
import { Store, allowed } from "../src/hosts/store";
import { widgetHost, type WidgetModel } from "../src/hosts/widget";
import type { Dataset, State } from "../src/model";

const initial: State = {
  scale: 1,
  weights: null,
  selection: [],
  pair: [0, 1],
  level: 0.95,
  standardize: false,
  names: true,
  points: false,
  densities: true,
  groups: false,
  logarithmic: false,
  bars: "entries",
  pinned: null,
  hovered: null,
};
const law = { kind: "points", values: new Float64Array(4), effective: 1 } as const;
const points = { values: new Float64Array(4), rows: new Int32Array(1) };
const groups = { name: null, labels: ["a"], codes: Int32Array.of(0, 0, 0), values: null };
const dataset = { n: 3, d: 4, q: 4, initial, groups, precomputed: null, points, laws: [law, null, null] } as unknown as Dataset;

test("what opens the page needs no fragment", () => {
  assert.equal(toFragment(initial, dataset), "");
  assert.deepEqual(fromFragment("", dataset), initial);
  assert.deepEqual(fromFragment("#", dataset), initial);
});

test("a view survives the way through the address, to the last bit", () => {
  const state: State = {
    ...initial,
    scale: 0.1 + 0.2,
    weights: Float64Array.of(1 / 3, 2 / 3, 0),
    selection: [0, 2],
    pair: [3, 1],
    level: 0.5,
    standardize: true,
    hovered: null,
  };
  const fragment = toFragment(state, dataset);
  assert.match(fragment, /^[\w=&.,-]*$/);
  assert.deepEqual(fromFragment(`#${fragment}`, dataset), state);
  assert.equal(fromFragment(toFragment({ ...state, scale: Infinity }, dataset), dataset).scale, Infinity);
  const sent = { ...dataset, initial: { ...initial, weights: Float64Array.of(1, 0, 0) } } as Dataset;
  assert.equal(fromFragment(toFragment(initial, sent), sent).weights, null);
});

test("large scales survive the address, and those without a square are infinite", () => {
  for (const scale of [1e21, 1.5e149, 1e-9, Number.MIN_VALUE]) {
    const view = fromFragment(`#${toFragment({ ...initial, scale }, dataset)}`, dataset);
    assert.equal(new Store(dataset, view).get().scale, scale);
  }
  for (const text of ["#s=1e150", "#s=1e154", "#s=1e200", "#s=1e999"]) {
    assert.equal(new Store(dataset, fromFragment(text, dataset)).get().scale, Infinity, text);
  }
  assert.deepEqual(allowed({ scale: 1e200 }, dataset), { scale: Infinity });
});

test("how one looks survives the way through the address, as far as the data allows it", () => {
  const state: State = { ...initial, scale: 2, names: false, points: true, densities: false, groups: true, logarithmic: true, bars: "contributions", pinned: 2 };
  const fragment = toFragment(state, dataset);
  assert.equal(fragment, "s=2&names=0&points=1&log=1&densities=0&groups=1&bars=contributions&feature=2");
  assert.deepEqual(new Store(dataset, fromFragment(`#${fragment}`, dataset)).get(), state);
  const nonsense = fromFragment("#names=yes&points=2&log=&densities=x&bars=pies&feature=-1", dataset);
  assert.deepEqual(new Store(dataset, nonsense).get(), initial);
  const plain = { ...dataset, points: null, laws: null, initial: { ...initial, densities: false } } as Dataset;
  const poor = new Store(plain, fromFragment("#points=1&densities=1&feature=4", plain)).get();
  assert.deepEqual(poor, plain.initial);
});

test("nonsense in the address changes nothing", () => {
  for (const text of ["#s=much", "#s=-1", "#pair=9-9", "#level=7", "#rows=x", "#w=1_2", "#w=", "#w=__1", "#s=%20", "#rows=--", "#%%%"]) {
    assert.deepEqual(new Store(dataset, fromFragment(text, dataset)).get(), initial, text);
  }
});

test("a store lets in what is allowed, in order", () => {
  assert.deepEqual(allowed({ selection: [2, 0, 2, 7, -1, 0.5] }, dataset), { selection: [0, 2] });
  assert.deepEqual(allowed({ weights: Float64Array.of(2, 2, 0) }, dataset).weights, Float64Array.of(0.5, 0.5, 0));
  assert.deepEqual(allowed({ hovered: { kind: "feature", index: 4 } }, dataset), {});
  assert.deepEqual(allowed({ hovered: { kind: "feature", index: 3 } }, dataset).hovered, { kind: "feature", index: 3 });
  assert.deepEqual(allowed({ scale: NaN, level: 0, pair: [1, 1] }, dataset), {});
  const single = { ...dataset, d: 1, q: 1 } as Dataset;
  assert.deepEqual(allowed({ pair: [0, 0] }, single), { pair: [0, 0] });
  const fixed = { ...dataset, q: 2, precomputed: {} } as unknown as Dataset;
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

/** As much of a Backbone model as anywidget hands out. */
class Model implements WidgetModel {
  saved: Record<string, unknown>[] = [];
  private unsaved: Record<string, unknown> = {};
  private readonly callbacks: [string, () => void][] = [];
  constructor(private readonly traits: Record<string, unknown>) {}
  get(trait: string): unknown {
    return this.traits[trait];
  }
  set(trait: string, value: unknown): void {
    if (Object.is(this.traits[trait], value)) return;
    this.traits[trait] = value;
    this.unsaved[trait] = value;
    for (const [event, callback] of [...this.callbacks]) if (event === `change:${trait}`) callback();
  }
  save_changes(): void {
    this.saved.push(this.unsaved);
    this.unsaved = {};
  }
  on(event: string, callback: () => void): void {
    this.callbacks.push([event, callback]);
  }
  off(event: string, callback: () => void): void {
    const at = this.callbacks.findIndex(([name, own]) => name === event && own === callback);
    this.callbacks.splice(at, 1);
  }
}

const traits = { scale: 1, weights: null, selection: [], pair: [0, 1], level: 0.95, standardize: false };
const later = (): Promise<void> => new Promise((done) => setTimeout(done, 80));

test("two views of one widget show the same, and nothing goes round in circles", async () => {
  const model = new Model({ ...traits });
  const [first, second] = [widgetHost(model, dataset), widgetHost(model, dataset)];
  first.host.set({ scale: Infinity, weights: Float64Array.of(1, 1, 2), hovered: { kind: "row", index: 1 } });
  await later();
  assert.equal(second.host.get().scale, Infinity);
  assert.deepEqual(second.host.get().weights, Float64Array.of(0.25, 0.25, 0.5));
  assert.equal(second.host.get().hovered, null);
  assert.deepEqual(model.saved, [{ scale: "inf", weights: [0.25, 0.25, 0.5] }]);
  await later();
  assert.equal(model.saved.length, 1);
});

test("a view that is closed says its last word and hears no more", async () => {
  const model = new Model({ ...traits });
  const { host, close } = widgetHost(model, dataset);
  host.set({ level: 0.5 });
  close();
  assert.deepEqual(model.saved, [{ level: 0.5 }]);
  model.set("scale", 7);
  assert.equal(host.get().scale, 1);
});

test("what a person does while the kernel answers is not undone", async () => {
  const model = new Model({ ...traits });
  const { host } = widgetHost(model, dataset);
  host.set({ scale: 5 });
  model.set("scale", 2);
  assert.equal(host.get().scale, 5);
  await later();
  assert.equal(model.get("scale"), 5);
});
