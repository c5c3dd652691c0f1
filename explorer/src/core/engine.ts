/** Everything that is computed while a person moves something, for one data set. */

import { uOf, type Crossing, type Dataset, type Fit, type Moments, type Path, type Precomputed, type Projection } from "../model";
import { averageOf, covarianceOf, projectedCovariances } from "./covariances";
import { crossingsOf } from "./crossings";
import { prepared, regions, type Prepared } from "./densities";
import { Family } from "./family";
import { orthonormalize, rowDot, segment, trace } from "./matrices";
import { adaptivePath, fixedPath, type Steps } from "./path";
import { flip, scaledSpectrum } from "./spectrum";

const sketchPoints = 33;

type Pair = readonly [number, number];

export class Engine {
  /** The moments for the current weights and units. */
  moments: Moments;
  private weights: Float64Array;
  private standardized = false;
  private family: Family | null = null; // until weights or units change
  private readonly ready = new Map<number, Prepared>();
  private readonly finest: number; // nodes along a side of a grid

  /** With the data's own weights and units at first. */
  constructor(readonly dataset: Dataset) {
    this.weights = dataset.weights;
    this.moments = this.computed();
    const shaped = dataset.laws?.filter((law) => law !== null).length ?? 0;
    this.finest = shaped <= 12 ? 224 : shaped <= 60 ? 96 : 64;
  }

  /**
   * Other weights (null for the data's own; any non-negative numbers, they are made to sum to 1) and
   * whether to standardize. Cheap if nothing has changed. Forgets path and crossings otherwise.
   */
  configure(weights: Float64Array | null, standardize: boolean): void {
    const wanted = weights === null ? this.dataset.weights : normalized(weights);
    const same = wanted.every((weight, row) => weight === this.weights[row]);
    if (same && standardize === this.standardized) return;
    this.weights = wanted;
    this.standardized = standardize;
    this.moments = this.computed();
    this.family = null;
  }

  /** The components at a scale, as `UAPCA(scale=s).fit(X)` has them. */
  fit(scale: number): Fit {
    const { d, q } = this.dataset;
    const { mean, residue, units, between, within, totals } = this.moments;
    const [spread, errors] = totals;
    const certain = errors <= 0;
    const total = certain ? spread : scale === Infinity ? errors : spread + scale * scale * errors;
    const { values, vectors, exact } = this.precomputed
      ? interpolated(this.precomputed.path, certain ? 0 : uOf(scale))
      : { ...scaledSpectrum(between, within, scale, d), exact: true };
    const shares = values.map((value) => (total > 0 ? value / total : 0));
    return { scale, d, q, mean, residue, units, eigenvalues: values, shares, components: vectors, total, exact };
  }

  /** The same with the signs of a path, so that nothing flips while s moves. */
  followedFit(scale: number, path: Path): Fit {
    const fit = this.fit(scale);
    const { d, q } = fit;
    const k = segment(path.u, uOf(scale));
    for (let i = 0; i < q; i++) {
      const [low, high] = [k, k + 1].map((point) => rowDot(path.components, point * q + i, fit.components, i, d) || 0);
      if ((Math.abs(high) > Math.abs(low) ? high : low) < 0) flip(fit.components, i, d);
    }
    return fit;
  }

  /** The rows on two components of a fit: means A(m − μ) and covariances AΨAᵀ, the units divided out. */
  project(fit: Fit, pair: Pair): Projection {
    const { n, mean, cov } = this.dataset;
    const [first, second] = axes(fit, pair);
    return { n, means: scores(mean, fit, first, second), covariances: projectedCovariances(cov, first, second, n) };
  }

  /** The original points on two components, m × 2; null if there are none. */
  projectPoints(fit: Fit, pair: Pair): Float64Array | null {
    const { points } = this.dataset;
    return points && scores(points.values, fit, ...axes(fit, pair));
  }

  /** A quick path on 33 points for the present weights, for while these are dragged. Not kept. */
  *sketch(): Steps<Path> {
    return this.precomputed?.path ?? (yield* fixedPath(this.familyOf(), sketchPoints));
  }

  /**
   * In steps, to be given up if weights or units change in between: components for all s, the first `resolved`
   * smoothly, and every local minimum of one of the leading gaps between neighbouring eigenvalues, by rising s.
   */
  *exact(resolved: number, gaps: number): Steps<{ path: Path; crossings: readonly Crossing[] }> {
    if (this.precomputed) return this.precomputed;
    return { path: yield* adaptivePath(this.familyOf(), resolved), crossings: yield* crossingsOf(this.familyOf(), gaps) };
  }

  /**
   * Highest-density regions of a row that is not normal, each as closed rings on two components of a
   * fit; null for normal rows and where the projected law has no area (draw the ellipse).
   */
  contours(row: number, fit: Fit, pair: Pair, probabilities: readonly number[], detail = 1): Float64Array[][] | null {
    const law = this.dataset.laws?.[row] ?? null;
    if (law === null || pair[0] === pair[1]) return null;
    const ready = this.ready.get(row) ?? prepared(law);
    this.ready.set(row, ready);
    const { d, mean, cov } = this.dataset;
    const [first, second] = axes(fit, pair);
    const [x, y] = scores(mean.subarray(row * d, (row + 1) * d), fit, first, second);
    const [xx, xy, yy] = projectedCovariances(covarianceOf(cov, row, d), first, second, 1);
    const plane = { first, second, centre: fit.mean, mean: [x, y], covariance: [xx, xy, yy] } as const;
    return regions(ready, plane, probabilities, Math.round(detail * this.finest));
  }

  private get precomputed(): Precomputed | null {
    return this.dataset.precomputed?.[this.standardized ? "standardized" : "plain"] ?? null;
  }

  private familyOf(): Family {
    return (this.family ??= new Family(this.moments.between, this.moments.within, this.dataset.d));
  }

  private computed(): Moments {
    const { dataset, precomputed } = this;
    if (!precomputed) return momentsOf(dataset, this.weights, this.standardized);
    const none = new Float64Array(0);
    return { ...precomputed, residue: new Float64Array(dataset.d), between: none, within: none };
  }
}

/** μ, C and Ψ̄ of weighted rows. Centred first: the form E[mmᵀ] − μμᵀ cancels. */
function momentsOf({ n, d, mean: rows, cov }: Dataset, weights: Float64Array, standardize: boolean): Moments {
  // Measured from one of the rows, so that an offset all of them share costs no digits.
  let [heaviest, total] = [0, 0];
  for (let r = 0; r < n; r++) {
    if (weights[r] > weights[heaviest]) heaviest = r;
    total += weights[r];
  }
  const origin = rows.subarray(heaviest * d, heaviest * d + d);
  const shift = new Float64Array(d);
  for (let r = 0; r < n; r++) {
    if (weights[r] !== 0) for (let j = 0; j < d; j++) shift[j] += (weights[r] / total) * (rows[r * d + j] - origin[j]);
  }
  const mean = origin.map((value, j) => value + shift[j]);
  const between = new Float64Array(d * d);
  for (let r = 0; r < n; r++) {
    if (weights[r] === 0) continue;
    for (let i = 0; i < d; i++) {
      const deviation = (weights[r] / total) * (rows[r * d + i] - origin[i] - shift[i]);
      for (let j = i; j < d; j++) between[i * d + j] += deviation * (rows[r * d + j] - origin[j] - shift[j]);
    }
  }
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) between[i * d + j] = between[j * d + i];
  const within = averageOf(cov, weights, d);
  const units = new Float64Array(d).fill(1);
  const residue = new Float64Array(d);
  if (standardize) {
    // Total standard deviations become 1, as with UncertainScaler; what does not vary keeps unit 1.
    const noise = n * Number.EPSILON;
    for (let j = 0; j < d; j++) {
      const variance = between[j * d + j] + within[j * d + j];
      if (variance > noise * variance + (noise * mean[j]) ** 2) units[j] = Math.sqrt(variance);
      // Python projects from μ as rounded, but standardized data is centred twice: once from that,
      // and then from what is left. Far from 0 the second step is the larger part of 1e-9.
      residue[j] = shift[j] - (mean[j] - origin[j]);
    }
    for (const matrix of [between, within]) {
      for (let k = 0; k < d * d; k++) matrix[k] /= units[Math.floor(k / d)] * units[k % d];
    }
  }
  return { mean, residue, units, between, within, totals: [trace(between, d), trace(within, d)] };
}

/** Eigenpairs of K(s) between the points of a path in u; exact on them. */
function interpolated({ u: grid, q, d, eigenvalues, components, breaks }: Path, u: number) {
  const k = segment(grid, u);
  let share = (u - grid[k]) / (grid[k + 1] - grid[k]);
  // From s back to u a point of the path may miss itself by rounding.
  const exact = share < 1e-9 || share > 1 - 1e-9;
  // Where components swap there is nothing between the two sides.
  if (breaks.some((point) => point.at === k + 1)) share = Math.round(share);
  const mixed = (values: Float64Array, size: number) =>
    values.slice(k * size, (k + 1) * size).map((low, i) => low + share * (values[(k + 1) * size + i] - low));
  // From (1 − u)² K(s) to K(s), but for s = ∞, where both are in units of s².
  const left = u < 1 ? (1 - u) ** 2 : 1;
  const vectors = mixed(components, q * d);
  orthonormalize(vectors, q, d);
  return { values: mixed(eigenvalues, q).map((value) => value / left), vectors, exact };
}

/** The two components of a fit, with the units divided out. */
function axes({ d, components, units }: Fit, pair: Pair): [Float64Array, Float64Array] {
  const [first, second] = pair.map((i) => units.map((unit, j) => components[i * d + j] / unit));
  return [first, second];
}

/** Rows of values on two axes, about the mean. */
function scores(values: Float64Array, { mean, residue, d }: Fit, first: Float64Array, second: Float64Array): Float64Array {
  const out = new Float64Array((2 * values.length) / d);
  const [x0, y0] = [rowDot(first, 0, residue, 0, d), rowDot(second, 0, residue, 0, d)];
  for (let at = 0, to = 0; at < values.length; to += 2) {
    let [x, y] = [-x0, -y0];
    for (let j = 0; j < d; j++, at++) {
      const deviation = values[at] - mean[j];
      x += first[j] * deviation;
      y += second[j] * deviation;
    }
    out[to] = x;
    out[to + 1] = y;
  }
  return out;
}

/** The moments of weighted rows taken together, for each of `count` groups; a negative code is no group. */
export function together(rows: Projection, weights: Float64Array, codes: ArrayLike<number>, count: number): Projection {
  const [total, means, covariances] = [1, 2, 3].map((size) => new Float64Array(size * count));
  weights.forEach((w, row) => (total[codes[row]] += w));
  weights.forEach((w, row) => {
    for (let k = 0; k < 2 && w > 0; k++) means[2 * codes[row] + k] += (w / total[codes[row]]) * rows.means[2 * row + k];
  });
  weights.forEach((w, row) => {
    const [x, y] = [rows.means[2 * row] - means[2 * codes[row]], rows.means[2 * row + 1] - means[2 * codes[row] + 1]];
    const apart = [x * x, x * y, y * y];
    for (let k = 0; k < 3 && w > 0; k++) covariances[3 * codes[row] + k] += (w / total[codes[row]]) * (apart[k] + rows.covariances[3 * row + k]);
  });
  return { n: count, means, covariances };
}

/** Non-negative numbers made to sum to 1; equal shares if there is nothing to share. */
export function normalized(weights: Float64Array): Float64Array {
  const largest = weights.reduce((a, b) => Math.max(a, b), 0);
  if (!(largest > 0 && largest < Infinity)) return weights.map(() => 1 / weights.length);
  const sum = weights.reduce((total, weight) => total + Math.max(weight, 0) / largest, 0);
  return weights.map((weight) => Math.max(weight, 0) / largest / sum);
}
