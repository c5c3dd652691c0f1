/** Everything that is computed while a person moves something, for one data set. */

import type { Contour, Crossing, Dataset, Fit, Moments, Path, Projection } from "../model";

export interface Engine {
  readonly dataset: Dataset;
  /** The moments for the current weights and units. */
  readonly moments: Moments;
  /**
   * Other weights (null for the data's own; any non-negative numbers, they are made to sum to 1) and
   * whether to standardize. Cheap if nothing has changed. Forgets path and crossings otherwise.
   */
  configure(weights: Float64Array | null, standardize: boolean): void;
  /**
   * The components at a scale, as `UAPCA(scale=s).fit(X)` has them. `into`, a fit of this engine,
   * is overwritten and returned: no allocation.
   */
  fit(scale: number, into?: Fit): Fit;
  /** The same with the signs of the path, so that nothing flips while s moves. */
  followedFit(scale: number, into?: Fit): Fit;
  /** The rows on two components of a fit. */
  project(fit: Fit, pair: readonly [number, number], into?: Projection): Projection;
  /** The original points on two components, m × 2; null if there are none. */
  projectPoints(fit: Fit, pair: readonly [number, number]): Float64Array | null;
  /** Components for all s; the first `resolved` (2 by default) smoothly. Kept until `configure`. */
  path(resolved?: number): Path;
  /** A quick path on 33 points, for while weights are dragged. Not kept. */
  sketch(): Path;
  /**
   * Every local minimum of one of the leading gaps between neighbouring eigenvalues, by rising s: of
   * the first 6, or as many as asked for. Kept.
   */
  crossings(gaps?: number): readonly Crossing[];
  /**
   * Highest-density regions of a row that is not normal, on two components of a fit; null for
   * normal rows and where the projected law has no area (draw the ellipse).
   */
  contours(
    row: number,
    fit: Fit,
    pair: readonly [number, number],
    probabilities: readonly number[],
    detail?: number,
  ): readonly Contour[] | null;
}
