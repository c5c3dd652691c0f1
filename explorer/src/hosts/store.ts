/** State with its rules, shared by both hosts. */

import { boundedScale, hasDensities, hasGroups } from "../core/decode";
import { normalized } from "../core/engine";
import type { Dataset, State } from "../model";

export type Listener = (state: State, changed: ReadonlySet<keyof State>) => void;

/** Keeps a state, lets in only what is allowed, and tells listeners what has changed. */
export class Store {
  private state: State;
  private readonly listeners = new Set<Listener>();

  constructor(private readonly dataset: Dataset, change: Partial<State> = {}) {
    this.state = { ...dataset.initial, ...allowed(change, dataset) };
  }

  readonly get = (): State => this.state;

  readonly set = (change: Partial<State>): void => {
    const wanted = allowed(change, this.dataset);
    const changed = new Set<keyof State>();
    for (const key of Object.keys(wanted) as (keyof State)[]) {
      if (!same(wanted[key], this.state[key])) changed.add(key);
    }
    if (changed.size === 0) return;
    this.state = { ...this.state, ...wanted };
    for (const listener of [...this.listeners]) listener(this.state, changed);
  };

  readonly onChange = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

/** The parts of a change that make sense for the data, brought into order; the rest is left out. */
export function allowed(change: Partial<State>, dataset: Dataset): Partial<State> {
  const { n, d, q, precomputed } = dataset;
  const isIndex = (i: unknown, count: number) => Number.isInteger(i) && (i as number) >= 0 && (i as number) < count;
  const flag = (on: unknown) => (typeof on === "boolean" ? on : undefined);
  // Each rule returns what is let in, or undefined.
  const rules: { [K in keyof State]: (value: State[K]) => State[K] | undefined } = {
    scale: (scale) => (typeof scale === "number" && scale >= 0 ? boundedScale(scale) : undefined),
    weights: (weights) => {
      if (weights === null) return null;
      const values = Float64Array.from(weights);
      const sensible = values.length === n && values.every((w) => w >= 0 && w < Infinity) && values.some((w) => w > 0);
      return sensible && !precomputed ? normalized(values) : undefined;
    },
    selection: (rows) => Array.isArray(rows) ? [...new Set(rows.filter((row) => isIndex(row, n)))].sort((a, b) => a - b) : undefined,
    pair: (pair) => {
      const inside = Array.isArray(pair) && pair.length === 2 && pair.every((i) => isIndex(i, q));
      return inside && (pair[0] !== pair[1] || q === 1) ? [pair[0], pair[1]] : undefined;
    },
    level: (level) => (typeof level === "number" && level > 0 && level < 1 ? level : undefined),
    standardize: flag,
    names: flag,
    points: (on) => flag(on) && dataset.points !== null,
    densities: (on) => flag(on) && hasDensities(dataset),
    groups: (on) => flag(on) && hasGroups(dataset),
    logarithmic: flag,
    bars: (bars) => (bars === "entries" || bars === "contributions" ? bars : undefined),
    pinned: (feature) => (feature === null || isIndex(feature, d) ? feature : undefined),
    hovered: (hovered) => {
      if (hovered === null) return null;
      const count = hovered.kind === "row" ? n : hovered.kind === "feature" ? d : 0;
      return isIndex(hovered.index, count) ? { kind: hovered.kind, index: hovered.index } : undefined;
    },
  };
  const entries = (Object.keys(change) as (keyof State)[]).flatMap((key) => {
    const value = change[key] === undefined ? undefined : (rules[key] as (value: unknown) => unknown)(change[key]);
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** Whether two values of a state are equal, entry by entry. */
function same(a: unknown, b: unknown): boolean {
  // Thousands of weights are compared in every frame.
  if (a instanceof Float64Array && b instanceof Float64Array) return a.length === b.length && a.every((value, i) => value === b[i]);
  return a === b || (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));
}
