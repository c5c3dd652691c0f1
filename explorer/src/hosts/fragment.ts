/** A view as the fragment of an address: `#s=2.5&pair=1-3&level=0.5&std=1&rows=0-4-7&w=…&names=0`. */

import { decodeScale, encodeScale } from "../core/decode";
import type { Dataset, State } from "../model";

/** The word for the weights that come with the data. */
const own = "own";

interface Part<T> {
  readonly name: string;
  write(value: T): string;
  /** Undefined for nonsense that no rule for states would find. */
  read(text: string): T | undefined;
}

const flag = (name: string): Part<boolean> => ({
  name,
  write: (on) => (on ? "1" : "0"),
  read: (text) => ({ "0": false, "1": true })[text],
});

/** What an address keeps, in the order in which it is written. */
const parts: { readonly [K in Exclude<keyof State, "hovered">]: Part<State[K]> } = {
  // A plus in an address is read as a space: 1e+21 goes as 1e21.
  scale: {
    name: "s",
    write: (scale) => String(encodeScale(scale)).replace("+", ""),
    read: (text) => (text.trim() === "" ? undefined : decodeScale(text)),
  },
  pair: {
    name: "pair",
    write: (pair) => pair.map((i) => i + 1).join("-"),
    read: (text) => numbers(text, "-").map((i) => i - 1) as [number, number],
  },
  level: { name: "level", write: String, read: Number },
  standardize: flag("std"),
  selection: { name: "rows", write: (rows) => rows.join("-"), read: (text) => numbers(text, "-") },
  weights: {
    name: "w",
    // All digits, but no more characters than it takes.
    write: (weights) => (weights ? Array.from(weights, (w) => String(w).replace(/^0\./, ".")).join("_") : own),
    read: (text) => (text === own ? null : Float64Array.from(numbers(text, "_"))),
  },
  names: flag("names"),
  points: flag("points"),
  logarithmic: flag("log"),
  densities: flag("densities"),
  groups: flag("groups"),
  bars: { name: "bars", write: String, read: (text) => (["entries", "contributions"] as const).find((kind) => kind === text) },
  pinned: { name: "feature", write: String, read: (text) => (/^\d+$/.test(text) ? Number(text) : undefined) },
};
const keys = Object.keys(parts) as (keyof typeof parts)[];

/** What differs from how the page opens, and nothing that does not. */
export function toFragment(state: State, { initial }: Dataset): string {
  return keys
    .filter((key) => String(state[key]) !== String(initial[key]))
    .map((key) => `${parts[key].name}=${(parts[key] as Part<unknown>).write(state[key])}`)
    .join("&");
}

/** The view a fragment stands for. What it does not mention is as the page opens. */
export function fromFragment(fragment: string, { initial }: Dataset): State {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const found = keys.flatMap((key) => {
    const text = given.get(parts[key].name);
    const value = text === null ? undefined : parts[key].read(text);
    return value === undefined ? [] : [[key, value]];
  });
  return { ...initial, ...Object.fromEntries(found) };
}

function numbers(text: string, separator: string): number[] {
  return text === "" ? [] : text.split(separator).map((part) => (part.trim() === "" ? NaN : Number(part)));
}
