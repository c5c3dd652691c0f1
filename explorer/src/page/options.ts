/** How the page looks at first, and what of it a person has changed. */

import type { Dataset, Options } from "../model";
import { DENSITIES, hasDensities } from "./scene";

export function firstOptions(data: Dataset): Options {
  return {
    shape: hasDensities(data) && data.n <= DENSITIES ? "densities" : "ellipses",
    points: false,
    labels: true,
    bars: "entries",
    logarithmic: false,
    pinned: null,
  };
}

/** The first options with those changes that make sense for the data. */
export function optionsWith(change: Partial<Options>, data: Dataset): Options {
  const options = { ...firstOptions(data), ...change };
  return {
    ...options,
    shape: hasDensities(data) ? options.shape : "ellipses",
    points: options.points && data.points !== null,
    pinned: options.pinned !== null && options.pinned < data.d ? options.pinned : null,
  };
}

/** What differs from the first options. */
export function optionChanges(options: Options, data: Dataset): Partial<Options> {
  const first = firstOptions(data);
  const keys = (Object.keys(first) as (keyof Options)[]).filter((key) => options[key] !== first[key]);
  return Object.fromEntries(keys.map((key) => [key, options[key]]));
}
