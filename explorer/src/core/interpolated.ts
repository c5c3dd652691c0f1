/** The engine for data with many features: a path computed in Python, interpolated in u. */

import type {
  Contour,
  Crossing,
  Dataset,
  Fit,
  Moments,
  Path,
  Precomputed,
  PrecomputedPath,
  Projection,
} from "../model";
import { uOf } from "../model";
import type { Engine } from "./engine";
import { emptyFit, segment, setShares } from "./live";
import { Projector } from "./projector";

export class Interpolated implements Engine {
  private current: PrecomputedPath;
  private readonly projector: Projector;

  constructor(
    readonly dataset: Dataset,
    private readonly precomputed: Precomputed,
  ) {
    this.current = precomputed.plain;
    this.projector = new Projector(dataset);
  }

  /** Without C and Ψ̄, which are too large to be sent: both matrices are empty. */
  get moments(): Moments {
    const { mean, units, totals } = this.current;
    const none = new Float64Array(0);
    const residue = new Float64Array(this.dataset.d);
    return { d: this.dataset.d, mean, residue, units, between: none, within: none, certain: totals[1] <= 0 };
  }

  /** The weights are those of the data, whatever is asked for: the path was computed with them. */
  configure(_weights: Float64Array | null, standardize: boolean): void {
    this.current = standardize ? this.precomputed.standardized : this.precomputed.plain;
  }

  fit(scale: number, into?: Fit): Fit {
    const { d } = this.dataset;
    const { q } = this.precomputed;
    const { path, totals, mean, units } = this.current;
    const fit = into ?? emptyFit(d, q);
    const certain = totals[1] <= 0;
    const u = certain ? 0 : uOf(scale);
    const k = segment(path.u, u);
    const next = Math.min(k + 1, path.u.length - 1);
    let share = next === k ? 0 : (u - path.u[k]) / (path.u[next] - path.u[k]);
    // From s back to u a point of the path may miss itself by rounding.
    fit.exact = certain || share < 1e-9 || share > 1 - 1e-9;
    // Where components swap there is nothing between the two sides.
    if (path.breaks.some((point) => point.at === next)) share = Math.round(share);
    for (let i = 0; i < q; i++) {
      const low = path.eigenvalues[k * q + i];
      fit.eigenvalues[i] = low + share * (path.eigenvalues[next * q + i] - low);
      for (let j = 0; j < d; j++) {
        const from = path.components[(k * q + i) * d + j];
        fit.components[i * d + j] = from + share * (path.components[(next * q + i) * d + j] - from);
      }
    }
    orthonormalise(fit.components, q, d);
    fit.scale = scale;
    fit.mean.set(mean);
    fit.units.set(units);
    const left = (1 - u) ** 2;
    fit.total = left * totals[0] + u * u * totals[1];
    setShares(fit);
    // From (1 − u)² K(s) to K(s), but for s = ∞, where both are in units of s².
    if (left > 0) {
      for (let i = 0; i < q; i++) fit.eigenvalues[i] /= left;
      fit.total /= left;
    }
    return fit;
  }

  /** The same: a path's signs follow already. */
  followedFit(scale: number, into?: Fit): Fit {
    return this.fit(scale, into);
  }

  project(fit: Fit, pair: readonly [number, number], into?: Projection): Projection {
    return this.projector.project(fit, pair, into);
  }

  projectPoints(fit: Fit, pair: readonly [number, number]): Float64Array | null {
    return this.projector.projectPoints(fit, pair);
  }

  path(): Path {
    return this.current.path;
  }

  sketch(): Path {
    return this.current.path;
  }

  crossings(): readonly Crossing[] {
    return this.current.crossings;
  }

  contours(
    row: number,
    fit: Fit,
    pair: readonly [number, number],
    probabilities: readonly number[],
    detail?: number,
  ): readonly Contour[] | null {
    return this.projector.contours(row, fit, pair, probabilities, detail);
  }
}

/** Rows made orthonormal in place, each as near to itself as those before it allow. */
function orthonormalise(rows: Float64Array, q: number, d: number): void {
  for (let i = 0; i < q; i++) {
    const row = rows.subarray(i * d, i * d + d);
    for (let done = 0; done < i; done++) {
      let along = 0;
      for (let j = 0; j < d; j++) along += rows[done * d + j] * row[j];
      for (let j = 0; j < d; j++) row[j] -= along * rows[done * d + j];
    }
    let squares = 0;
    for (let j = 0; j < d; j++) squares += row[j] * row[j];
    const norm = Math.sqrt(squares);
    for (let j = 0; j < d; j++) row[j] /= norm;
  }
}
