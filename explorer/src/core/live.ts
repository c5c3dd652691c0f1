/** The engine for data that is decomposed while it is looked at. */

import type { Contour, Crossing, Dataset, Fit, Moments, Path, Projection } from "../model";
import { uOf } from "../model";
import { crossingsOf } from "./crossings";
import type { Engine } from "./engine";
import { Family } from "./family";
import { trace } from "./matrices";
import { MomentsOf } from "./moments";
import { adaptivePath, fixedPath } from "./path";
import { Projector } from "./projector";
import { Solver } from "./spectrum";

const sketchPoints = 33;
const leadingGaps = 6;

/** What stays until weights or units change. */
interface Known {
  family: Family | null;
  path: Path | null;
  crossings: { readonly gaps: number; readonly found: readonly Crossing[] } | null;
}

export class Live implements Engine {
  readonly moments: Moments;
  private readonly writable: MomentsOf;
  private readonly solver: Solver;
  private readonly projector: Projector;
  private readonly weights: Float64Array;
  private standardized = false;
  private totals: [number, number] = [0, 0];
  private known: Known = { family: null, path: null, crossings: null };

  constructor(readonly dataset: Dataset) {
    this.writable = new MomentsOf(dataset);
    this.moments = this.writable;
    this.solver = new Solver(dataset.d);
    this.projector = new Projector(dataset);
    this.weights = new Float64Array(dataset.n);
    this.weights.set(dataset.weights);
    this.refresh(false);
  }

  configure(weights: Float64Array | null, standardize: boolean): void {
    const wanted = weights === null ? this.dataset.weights : normalised(weights);
    const same = wanted.every((weight, row) => weight === this.weights[row]);
    if (same && standardize === this.standardized) return;
    this.weights.set(wanted);
    this.refresh(standardize);
  }

  fit(scale: number, into?: Fit): Fit {
    const { d } = this.dataset;
    const { between, within, mean, residue, units } = this.moments;
    const fit = into ?? emptyFit(d, d);
    const found = this.solver.scaled(between, within, scale);
    const [spread, errors] = this.totals;
    const certain = errors <= 0;
    fit.scale = scale;
    fit.total = certain ? spread : scale === Infinity ? errors : spread + scale * scale * errors;
    fit.mean.set(mean);
    fit.residue.set(residue);
    fit.units.set(units);
    fit.eigenvalues.set(found.values);
    fit.components.set(found.vectors);
    setShares(fit);
    return fit;
  }

  followedFit(scale: number, into?: Fit): Fit {
    return signedBy(this.known.path ?? this.path(), this.fit(scale, into));
  }

  project(fit: Fit, pair: readonly [number, number], into?: Projection): Projection {
    return this.projector.project(fit, pair, into);
  }

  projectPoints(fit: Fit, pair: readonly [number, number]): Float64Array | null {
    return this.projector.projectPoints(fit, pair);
  }

  path(resolved = 2): Path {
    const wanted = Math.min(resolved, this.dataset.d);
    if (this.known.path === null || this.known.path.resolved < wanted) {
      this.known.path = adaptivePath(this.family(), wanted);
    }
    return this.known.path;
  }

  sketch(): Path {
    const last = sketchPoints - 1;
    return fixedPath(
      this.family(),
      Array.from({ length: sketchPoints }, (_, k) => k / last),
    );
  }

  crossings(gaps = leadingGaps): readonly Crossing[] {
    const { known } = this;
    if (known.crossings?.gaps !== gaps) known.crossings = { gaps, found: crossingsOf(this.family(), gaps) };
    return known.crossings.found;
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

  private family(): Family {
    const { between, within, d } = this.moments;
    this.known.family ??= new Family(between.slice(), within.slice(), d);
    return this.known.family;
  }

  private refresh(standardize: boolean): void {
    this.standardized = standardize;
    this.writable.compute(this.weights, standardize);
    const { between, within, d } = this.moments;
    this.totals = [trace(between, d), trace(within, d)];
    this.known = { family: null, path: null, crossings: null };
  }
}

/** A fit to be filled in. */
export function emptyFit(d: number, q: number): Fit {
  return {
    scale: 0,
    d,
    q,
    mean: new Float64Array(d),
    residue: new Float64Array(d),
    units: new Float64Array(d),
    eigenvalues: new Float64Array(q),
    shares: new Float64Array(q),
    components: new Float64Array(q * d),
    total: 0,
    exact: true,
  };
}

export function setShares(fit: Fit): void {
  const { eigenvalues, shares, total } = fit;
  for (let i = 0; i < shares.length; i++) shares[i] = total > 0 ? eigenvalues[i] / total : 0;
}

/** Non-negative numbers made to sum to 1; equal shares if there is nothing to share. */
export function normalised(weights: Float64Array): Float64Array {
  let largest = 0;
  for (const weight of weights) largest = Math.max(largest, weight);
  if (!(largest > 0 && largest < Infinity)) return weights.map(() => 1 / weights.length);
  let sum = 0;
  for (const weight of weights) sum += Math.max(weight, 0) / largest;
  return weights.map((weight) => Math.max(weight, 0) / largest / sum);
}

/** The fit with each component's sign that of the path beside it, whichever side is nearer. */
export function signedBy(path: Path, fit: Fit): Fit {
  const { d } = path;
  const k = segment(path.u, uOf(fit.scale));
  for (let i = 0; i < fit.q; i++) {
    let strongest = 0;
    for (const point of [k, Math.min(k + 1, path.u.length - 1)]) {
      let overlap = 0;
      const start = (point * path.q + i) * d;
      for (let j = 0; j < d; j++) overlap += path.components[start + j] * fit.components[i * d + j];
      if (Math.abs(overlap) > Math.abs(strongest)) strongest = overlap;
    }
    if (strongest >= 0) continue;
    for (let j = i * d; j < i * d + d; j++) fit.components[j] = -fit.components[j];
  }
  return fit;
}

/** The last point of a rising grid that is not beyond u, but one before the end. */
export function segment(grid: Float64Array, u: number): number {
  let low = 0;
  let high = grid.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (grid[middle] <= u) low = middle;
    else high = middle;
  }
  return low;
}
