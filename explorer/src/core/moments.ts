/** μ, C and Ψ̄ of weighted rows. */

import type { Dataset, Moments } from "../model";
import { averageInto } from "./covariances";
import { trace } from "./matrices";

/** Writable moments of one data set; computing them again allocates nothing. */
export class MomentsOf implements Moments {
  readonly d: number;
  readonly mean: Float64Array;
  readonly residue: Float64Array;
  readonly units: Float64Array;
  readonly between: Float64Array;
  readonly within: Float64Array;
  certain = true;
  private readonly shift: Float64Array;

  constructor(private readonly dataset: Dataset) {
    const { d } = dataset;
    this.d = d;
    this.mean = new Float64Array(d);
    this.residue = new Float64Array(d);
    this.units = new Float64Array(d).fill(1);
    this.between = new Float64Array(d * d);
    this.within = new Float64Array(d * d);
    this.shift = new Float64Array(d);
  }

  compute(weights: Float64Array, standardize: boolean): void {
    this.centre(weights);
    averageInto(this.dataset.cov, weights, this.d, this.within);
    this.certain = trace(this.within, this.d) <= 0;
    this.units.fill(1);
    // Python projects from μ as rounded, but standardized data is centred twice: once from that,
    // and then from what is left. Far from 0 the second step is the larger part of 1e-9.
    if (standardize) this.standardize();
    else this.residue.fill(0);
  }

  /** Centred first: the form E[mmᵀ] − μμᵀ cancels. */
  private centre(weights: Float64Array): void {
    const { mean, residue, between, shift, d } = this;
    const { n, mean: rows } = this.dataset;
    // Measured from one of the rows, so that an offset all of them share costs no digits.
    let heaviest = 0;
    let total = 0;
    for (let r = 0; r < n; r++) {
      if (weights[r] > weights[heaviest]) heaviest = r;
      total += weights[r];
    }
    const origin = heaviest * d;
    shift.fill(0);
    for (let r = 0; r < n; r++) {
      const w = weights[r];
      if (w === 0) continue;
      for (let j = 0; j < d; j++) shift[j] += w * (rows[r * d + j] - rows[origin + j]);
    }
    for (let j = 0; j < d; j++) {
      shift[j] /= total;
      mean[j] = rows[origin + j] + shift[j];
      residue[j] = shift[j] - (mean[j] - rows[origin + j]);
    }
    between.fill(0);
    for (let r = 0; r < n; r++) {
      const w = weights[r];
      if (w === 0) continue;
      for (let i = 0; i < d; i++) {
        const deviation = w * (rows[r * d + i] - rows[origin + i] - shift[i]);
        for (let j = i; j < d; j++) {
          between[i * d + j] += deviation * (rows[r * d + j] - rows[origin + j] - shift[j]);
        }
      }
    }
    for (let i = 0; i < d; i++) {
      for (let j = i; j < d; j++) {
        between[i * d + j] /= total;
        between[j * d + i] = between[i * d + j];
      }
    }
  }

  /** Total standard deviations become 1, as with UncertainScaler; what does not vary keeps unit 1. */
  private standardize(): void {
    const { d, mean, units, between, within } = this;
    const noise = this.dataset.n * Number.EPSILON;
    for (let j = 0; j < d; j++) {
      const variance = between[j * d + j] + within[j * d + j];
      const still = variance <= noise * variance + (noise * mean[j]) ** 2;
      units[j] = still ? 1 : Math.sqrt(variance);
    }
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < d; j++) {
        between[i * d + j] /= units[i] * units[j];
        within[i * d + j] /= units[i] * units[j];
      }
    }
  }
}
