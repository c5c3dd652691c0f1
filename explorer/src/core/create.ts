import type { Dataset } from "../model";
import type { Engine } from "./engine";
import { Interpolated } from "./interpolated";
import { Live } from "./live";

/** The engine of a data set, with its own weights and units at first. */
export function createEngine(dataset: Dataset): Engine {
  const { precomputed } = dataset;
  return precomputed === null ? new Live(dataset) : new Interpolated(dataset, precomputed);
}
