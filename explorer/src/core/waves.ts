/**
 * The density of a sum of independent terms in the plane, from their characteristic functions.
 *
 * Each uncertain feature adds a term along its own direction, so the characteristic function of the
 * projected row is a product of one-dimensional ones. These are tabulated once; any projection is
 * then a product of look-ups and an inverse Fourier sum, smoothed a little where laws have edges.
 */

import type { RowLaw } from "../model";
import { type Grid, usual as cells } from "./contours";

/** A term: its feature, and E[cos τ(x − m)], E[sin τ(x − m)] at even steps of τ · sd. */
export interface Wave {
  readonly feature: number;
  readonly mean: number;
  readonly sd: number;
  readonly reach: readonly [number, number];
  readonly cosine: Float64Array;
  readonly sine: Float64Array;
  /** Its quantiles at sin²(π/2 · t) for even t. */
  readonly table: Float64Array;
}

/** The standard deviation of the smoothing, in those of the projected law. */
const smoothing = 0.14;
const highest = 3.1 / smoothing;
const step = 0.1;
const nodes = 256;

/** The terms of a row with independent features; certain ones add nothing. */
export function wavesOf(law: Extract<RowLaw, { kind: "independent" }>): Wave[] {
  const waves: Wave[] = [];
  law.quantiles.forEach((table, feature) => {
    if (table.length < 2) return;
    // Nodes and weights dense in the tails, as the table is: evenly likely ones would be lumps there.
    const x = Float64Array.from({ length: nodes }, (_, k) => entry(table, (k + 0.5) / nodes));
    const share = (k: number): number => Math.sin((Math.PI / 2) * (k / nodes)) ** 2;
    const weights = x.map((_, k) => share(k + 1) - share(k));
    let mean = 0;
    x.forEach((value, k) => (mean += weights[k] * value));
    let variance = 0;
    x.forEach((value, k) => (variance += weights[k] * (value - mean) ** 2));
    const sd = Math.sqrt(variance);
    if (!(sd > 0)) return;
    // The projected law has unit variances, so no term's frequency exceeds those of the plane.
    const count = Math.ceil((Math.SQRT2 * highest) / step) + 2;
    const cosine = new Float64Array(count);
    const sine = new Float64Array(count);
    x.forEach((value, node) => {
      // Each node turns by the same angle from step to step.
      const angle = (step / sd) * (value - mean);
      const turnCosine = Math.cos(angle);
      const turnSine = Math.sin(angle);
      let real = weights[node];
      let imaginary = 0;
      for (let k = 0; k < count; k++) {
        cosine[k] += real;
        sine[k] += imaginary;
        const next = real * turnCosine - imaginary * turnSine;
        imaginary = real * turnSine + imaginary * turnCosine;
        real = next;
      }
    });
    waves.push({ feature, mean, sd, reach: [x[0] - mean, x[nodes - 1] - mean], cosine, sine, table });
  });
  return waves;
}

/** The value below which a share sin²(π/2 · t) lies. */
function entry(table: Float64Array, t: number): number {
  const at = t * table.length - 0.5;
  const low = Math.min(Math.max(Math.floor(at), 0), table.length - 2);
  const share = Math.min(Math.max(at - low, 0), 1);
  return table[low] + share * (table[low + 1] - table[low]);
}

const draws = 2048;
const sequences = new Map<number, Float64Array[]>();

/** Evenly spread places t of `count` quantiles: steps of the powers of a generalised golden ratio. */
function spread(count: number): Float64Array[] {
  let found = sequences.get(count);
  if (found === undefined) {
    let ratio = 2;
    for (let step = 0; step < 60; step++) ratio = (1 + ratio) ** (1 / (count + 1));
    found = Array.from({ length: count }, (_, j) =>
      Float64Array.from({ length: draws }, (_, k) => {
        const share = (0.5 + (k + 1) * ratio ** -(j + 1)) % 1;
        return (2 / Math.PI) * Math.asin(Math.sqrt(share));
      }),
    );
    sequences.set(count, found);
  }
  return found;
}

/** Points that stand for Σ (xⱼ − meanⱼ) bⱼ, as x, y, x, y, …; directions as in `wavesGrid`. */
export function wavesDraws(waves: readonly Wave[], first: Float64Array, second: Float64Array): Float64Array {
  const out = new Float64Array(2 * draws);
  const places = spread(waves.length);
  waves.forEach(({ feature, mean, table }, j) => {
    const [x, y] = [first[feature], second[feature]];
    for (let k = 0; k < draws; k++) {
      const value = entry(table, places[j][k]) - mean;
      out[2 * k] += value * x;
      out[2 * k + 1] += value * y;
    }
  });
  return out;
}

/**
 * The density of Σ (xⱼ − meanⱼ) bⱼ on a grid that holds it. `first` and `second` are the two
 * coordinates of each feature's direction b, in units in which the sum has unit covariance.
 */
export function wavesGrid(waves: readonly Wave[], first: Float64Array, second: Float64Array): Grid {
  const low: [number, number] = [0, 0];
  const high: [number, number] = [0, 0];
  for (const { feature, reach } of waves) {
    [first[feature], second[feature]].forEach((b, axis) => {
      low[axis] += Math.min(b * reach[0], b * reach[1]);
      high[axis] += Math.max(b * reach[0], b * reach[1]);
    });
  }
  const lengths = [0, 1].map((axis) => {
    low[axis] = Math.max(low[axis], -4.5) - 3.5 * smoothing;
    high[axis] = Math.min(high[axis], 4.5) + 3.5 * smoothing;
    return high[axis] - low[axis];
  });
  const modes = lengths.map((length) => Math.ceil((highest * length) / (2 * Math.PI)));
  const units = lengths.map((length) => (2 * Math.PI) / length);
  const spacing: [number, number] = [lengths[0] / (cells - 1), lengths[1] / (cells - 1)];
  // Only frequencies with a positive second part: the others are their conjugates.
  const rows = 2 * modes[0] + 1;
  const columns = modes[1] + 1;
  const innerReal = new Float64Array(rows * cells);
  const innerImaginary = new Float64Array(rows * cells);
  const [acrossCosine, acrossSine] = circle(columns, units[1], low[1], spacing[1]);
  for (let r = 0; r < rows; r++) {
    const p = (r - modes[0]) * units[0];
    for (let c = 0; c < columns; c++) {
      const q = c * units[1];
      const damping = Math.exp(-0.5 * smoothing * smoothing * (p * p + q * q));
      if (damping < 0.008) break; // beyond the circle of the highest frequency
      let real = damping * (c === 0 ? 0.5 : 1);
      let imaginary = 0;
      for (const wave of waves) {
        const tau = (p * first[wave.feature] + q * second[wave.feature]) * wave.sd;
        const at = Math.abs(tau) / step;
        const k = Math.min(Math.floor(at), wave.cosine.length - 2);
        const share = at - k;
        const cos = wave.cosine[k] + share * (wave.cosine[k + 1] - wave.cosine[k]);
        const size = wave.sine[k] + share * (wave.sine[k + 1] - wave.sine[k]);
        const sin = tau < 0 ? -size : size;
        const next = real * cos - imaginary * sin;
        imaginary = real * sin + imaginary * cos;
        real = next;
      }
      // times exp(−i q y)
      for (let j = 0, at = c * cells, to = r * cells; j < cells; j++, at++, to++) {
        innerReal[to] += real * acrossCosine[at] + imaginary * acrossSine[at];
        innerImaginary[to] += imaginary * acrossCosine[at] - real * acrossSine[at];
      }
    }
  }
  const [alongCosine, alongSine] = circle(rows, units[0], low[0], spacing[0], -modes[0]);
  const density = new Float64Array(cells * cells);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < cells; i++) {
      const cos = alongCosine[r * cells + i];
      const sin = alongSine[r * cells + i];
      for (let j = 0, at = r * cells, to = i * cells; j < cells; j++, at++, to++) {
        density[to] += innerReal[at] * cos + innerImaginary[at] * sin;
      }
    }
  }
  for (let k = 0; k < density.length; k++) density[k] = Math.max(density[k], 0);
  return { cells, density, low, step: spacing };
}

/** cos and sin of every frequency at every node: count × cells. */
function circle(
  count: number,
  unit: number,
  low: number,
  spacing: number,
  from = 0,
): [cosine: Float64Array, sine: Float64Array] {
  const cosine = new Float64Array(count * cells);
  const sine = new Float64Array(count * cells);
  for (let k = 0; k < count; k++) {
    for (let i = 0; i < cells; i++) {
      const angle = (k + from) * unit * (low + i * spacing);
      cosine[k * cells + i] = Math.cos(angle);
      sine[k * cells + i] = Math.sin(angle);
    }
  }
  return [cosine, sine];
}
