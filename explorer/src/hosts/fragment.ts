/** A view as the fragment of an address: `#s=2.5&pair=1-3&level=0.5&std=1&rows=0-4-7&w=…&names=0`. */

import { encodeScale, decodeScale } from "../core/index";
import type { Dataset, Options, State } from "../model";

/** The word for the weights that come with the data. */
const own = "own";

/** What differs from how the page opens, and nothing that does not. */
export function toFragment(state: State, { initial }: Dataset, looks: Partial<Options> = {}): string {
  const parts: string[] = [];
  if (state.scale !== initial.scale) parts.push(`s=${unspaced(state.scale)}`);
  if (state.pair.join() !== initial.pair.join()) {
    parts.push(`pair=${state.pair.map((i) => i + 1).join("-")}`);
  }
  if (state.level !== initial.level) parts.push(`level=${state.level}`);
  if (state.standardize !== initial.standardize) parts.push(`std=${state.standardize ? 1 : 0}`);
  if (state.selection.join() !== initial.selection.join()) parts.push(`rows=${state.selection.join("-")}`);
  if (state.weights?.join() !== initial.weights?.join()) {
    parts.push(`w=${state.weights === null ? own : Array.from(state.weights, packed).join("_")}`);
  }
  const { labels, points, logarithmic, shape, bars, pinned } = looks;
  if (labels !== undefined) parts.push(`names=${labels ? 1 : 0}`);
  if (points !== undefined) parts.push(`points=${points ? 1 : 0}`);
  if (logarithmic !== undefined) parts.push(`log=${logarithmic ? 1 : 0}`);
  if (shape !== undefined) parts.push(`densities=${shape === "densities" ? 1 : 0}`);
  if (bars !== undefined) parts.push(`bars=${bars}`);
  if (typeof pinned === "number") parts.push(`feature=${pinned}`);
  return parts.join("&");
}

/** The view a fragment stands for. What it does not mention is as the page opens. */
export function fromFragment(fragment: string, { initial }: Dataset): Partial<State> {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const state: { -readonly [K in keyof State]?: State[K] } = { ...initial };
  const scale = parts.get("s");
  if (scale !== null && scale.trim() !== "") state.scale = decodeScale(scale);
  const pair = numbers(parts.get("pair"), "-");
  if (pair !== null && pair.length === 2) state.pair = [pair[0] - 1, pair[1] - 1];
  const level = parts.get("level");
  if (level !== null) state.level = Number(level);
  const standardize = parts.get("std");
  if (standardize !== null) state.standardize = standardize === "1";
  const rows = numbers(parts.get("rows"), "-");
  if (rows !== null) state.selection = rows;
  const weights = parts.get("w");
  if (weights === own) state.weights = null;
  else if (weights !== null) state.weights = Float64Array.from(numbers(weights, "_")!);
  return state;
}

/** How the page of a fragment is looked at: what differs from how it opens. */
export function looksOf(fragment: string): Partial<Options> {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const looks: { -readonly [K in keyof Options]?: Options[K] } = {};
  const flag = (name: string, act: (on: boolean) => void) => {
    const value = parts.get(name);
    if (value === "0" || value === "1") act(value === "1");
  };
  flag("names", (on) => (looks.labels = on));
  flag("points", (on) => (looks.points = on));
  flag("log", (on) => (looks.logarithmic = on));
  flag("densities", (on) => (looks.shape = on ? "densities" : "ellipses"));
  const bars = parts.get("bars");
  if (bars === "entries" || bars === "contributions") looks.bars = bars;
  const feature = parts.get("feature");
  if (feature !== null && /^\d+$/.test(feature)) looks.pinned = Number(feature);
  return looks;
}

/** A plus in an address is read as a space: 1e+21 goes as 1e21. */
function unspaced(scale: number): string {
  return String(encodeScale(scale)).replace("+", "");
}

/** All digits, but no more characters than it takes. */
function packed(weight: number): string {
  return String(weight).replace(/^0\./, ".");
}

function numbers(text: string | null, separator: string): number[] | null {
  if (text === null) return null;
  return text === "" ? [] : text.split(separator).map((part) => (part.trim() === "" ? NaN : Number(part)));
}
