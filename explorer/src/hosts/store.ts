/** State with its rules, shared by both hosts. */

import { boundedScale, normalised } from "../core/index";
import type { Dataset, State } from "../model";

export type Listener = (state: State, changed: ReadonlySet<keyof State>) => void;

/** Keeps a state, lets in only what is allowed, and tells listeners what has changed. */
export class Store {
  private state: State;
  private readonly listeners = new Set<Listener>();

  constructor(
    private readonly dataset: Dataset,
    change: Partial<State> = {},
  ) {
    this.state = { ...dataset.initial, ...allowed(change, dataset) };
  }

  get(): State {
    return this.state;
  }

  set(change: Partial<State>): void {
    const wanted = allowed(change, this.dataset);
    const changed = new Set<keyof State>();
    for (const key of Object.keys(wanted) as (keyof State)[]) {
      if (!same(wanted[key], this.state[key])) changed.add(key);
    }
    if (changed.size === 0) return;
    this.state = { ...this.state, ...wanted };
    for (const listener of [...this.listeners]) listener(this.state, changed);
  }

  onChange(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The parts of a change that make sense for the data, brought into order; the rest is left out. */
export function allowed(change: Partial<State>, dataset: Dataset): Partial<State> {
  const { n, d, precomputed } = dataset;
  const q = precomputed?.q ?? d;
  const out: { -readonly [K in keyof State]?: State[K] } = {};
  const { scale, weights, selection, pair, level, standardize, hovered } = change;
  if (typeof scale === "number" && scale >= 0) out.scale = boundedScale(scale);
  if (weights === null) out.weights = null;
  else if (weights !== undefined && precomputed === null && sensible(weights, n)) {
    out.weights = normalised(Float64Array.from(weights));
  }
  if (Array.isArray(selection)) {
    const rows = selection.filter((row) => Number.isInteger(row) && row >= 0 && row < n);
    out.selection = [...new Set(rows)].sort((a, b) => a - b);
  }
  if (Array.isArray(pair) && pair.length === 2) {
    const inside = pair.every((i) => Number.isInteger(i) && i >= 0 && i < q);
    if (inside && (pair[0] !== pair[1] || q === 1)) out.pair = [pair[0], pair[1]];
  }
  if (typeof level === "number" && level > 0 && level < 1) out.level = level;
  if (typeof standardize === "boolean") out.standardize = standardize;
  if (hovered === null) out.hovered = null;
  else if (hovered !== undefined) {
    const count = hovered.kind === "row" ? n : hovered.kind === "feature" ? d : 0;
    if (Number.isInteger(hovered.index) && hovered.index >= 0 && hovered.index < count) {
      out.hovered = { kind: hovered.kind, index: hovered.index };
    }
  }
  return out;
}

function sensible(weights: ArrayLike<number>, n: number): boolean {
  if (weights.length !== n) return false;
  let some = false;
  for (let row = 0; row < n; row++) {
    if (!(weights[row] >= 0 && weights[row] < Infinity)) return false;
    some ||= weights[row] > 0;
  }
  return some;
}

/** Whether two values of a state are equal, entry by entry. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [left, right] = [Object.entries(a), b as Record<string, unknown>];
  return left.length === Object.keys(b).length && left.every(([key, value]) => value === right[key]);
}
