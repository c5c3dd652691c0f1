/** Rows and points on two components of a fit. */

import type { Contour, Dataset, Fit, Projection } from "../model";
import { usual } from "./contours";
import { projectInto } from "./covariances";
import { type Prepared, prepared, regions } from "./densities";

/** Up to this many mixtures and samples, grids of their densities may be so much finer. */
const [FEW, FINE] = [12, 224];

type Pair = readonly [number, number];

export class Projector {
  private readonly first: Float64Array;
  private readonly second: Float64Array;
  private readonly ready = new Map<number, Prepared>();
  private scratch: Projection | null = null;
  private readonly finest: number;

  constructor(private readonly dataset: Dataset) {
    this.first = new Float64Array(dataset.d);
    this.second = new Float64Array(dataset.d);
    const shaped = dataset.laws?.filter((law) => law !== null && law.kind !== "independent").length ?? 0;
    this.finest = shaped <= FEW ? FINE : usual;
  }

  /** Means A(m − μ) and covariances AΨAᵀ; A with the units divided out. */
  project(fit: Fit, pair: Pair, into?: Projection): Projection {
    const { n, mean, cov } = this.dataset;
    const out = into ?? { n, means: new Float64Array(2 * n), covariances: new Float64Array(3 * n) };
    this.aim(fit, pair);
    this.scores(mean, n, fit, out.means);
    projectInto(cov, this.first, this.second, n, out.covariances);
    return out;
  }

  projectPoints(fit: Fit, pair: Pair): Float64Array | null {
    const { points } = this.dataset;
    if (points === null) return null;
    const out = new Float64Array(2 * points.count);
    this.aim(fit, pair);
    this.scores(points.values, points.count, fit, out);
    return out;
  }

  contours(row: number, fit: Fit, pair: Pair, probabilities: readonly number[], detail = 1): Contour[] | null {
    const law = this.dataset.laws?.[row] ?? null;
    if (law === null || pair[0] === pair[1]) return null;
    const ready = this.ready.get(row) ?? prepared(law);
    this.ready.set(row, ready);
    this.scratch = this.project(fit, pair, this.scratch ?? undefined);
    const { means, covariances } = this.scratch;
    const plane = {
      mean: [means[2 * row], means[2 * row + 1]] as const,
      covariance: [covariances[3 * row], covariances[3 * row + 1], covariances[3 * row + 2]] as const,
    };
    return regions(ready, plane, this.first, this.second, fit.mean, probabilities, Math.round(detail * this.finest));
  }

  private aim(fit: Fit, [i, k]: Pair): void {
    const { d, components, units } = fit;
    for (let j = 0; j < d; j++) {
      this.first[j] = components[i * d + j] / units[j];
      this.second[j] = components[k * d + j] / units[j];
    }
  }

  private scores(values: Float64Array, count: number, { mean: centre, residue }: Fit, out: Float64Array): void {
    const { first, second } = this;
    const d = first.length;
    let [x0, y0] = [0, 0];
    for (let j = 0; j < d; j++) {
      x0 -= first[j] * residue[j];
      y0 -= second[j] * residue[j];
    }
    for (let r = 0; r < count; r++) {
      let x = x0;
      let y = y0;
      for (let j = 0, at = r * d; j < d; j++, at++) {
        const deviation = values[at] - centre[j];
        x += first[j] * deviation;
        y += second[j] * deviation;
      }
      out[2 * r] = x;
      out[2 * r + 1] = y;
    }
  }
}
