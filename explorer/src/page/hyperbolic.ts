/** The axis of the scale: u = s / (1 + s) brings all of s in [0, ∞] onto [0, 1]. */

import { sOf, uOf } from "../model";
import { scaleText } from "./format";

/** The scales that have a tick; s = 1, the data as given, is in the middle. */
export const TICKS = [0, 0.5, 1, 2, Infinity].map((scale) => ({ scale, u: uOf(scale), label: scaleText(scale) }));

/** s at u; scales that have a tick come out as written, not within a rounding of it. */
export function scaleAt(u: number): number {
  return TICKS.find((t) => t.u === u)?.scale ?? sOf(Math.min(Math.max(u, 0), 1));
}

/** The tick nearest to u if it is within `reach`, otherwise u itself. */
export function snapped(u: number, reach: number): number {
  return TICKS.find((t) => Math.abs(t.u - u) <= reach)?.u ?? Math.min(Math.max(u, 0), 1);
}
