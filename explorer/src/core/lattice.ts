/**
 * The density of a sum of independent terms in the plane, as masses on a lattice.
 *
 * The method of `uapca.laws`: the axes of the lattice lie along the two terms that span the plane
 * best. These two are exact, differences of their distribution functions; every other term puts the
 * mass of small cells on a line, shared between the four nearest nodes. Masses are never negative,
 * and edges are sharp to a cell.
 */

import type { RowLaw } from "../model";
import type { Grid } from "./contours";
import { segment } from "./matrices";

/** An uncertain feature: its quantiles at sin²(π/2 · (k + ½) / length), about its mean. */
export interface Term {
  readonly feature: number;
  readonly sd: number;
  readonly quantiles: Float64Array;
  /** The density at each of them, for a distribution function without kinks. */
  readonly slopes: Float64Array;
  /** Small cells of equal steps in the table: the mean within each, and its mass. */
  readonly places: Float64Array;
  readonly masses: Float64Array;
}

const cells = 72;
const fine = 6; // nodes within a cell
const reach = 8; // standard deviations of the sum that a lattice holds at the most

/** The terms of a row with independent features; certain ones add nothing. */
export function termsOf(law: Extract<RowLaw, { kind: "independent" }>): Term[] {
  const terms: Term[] = [];
  law.quantiles.forEach((table, feature) => {
    if (table.length < 2) return;
    const places = new Float64Array(cells);
    const masses = new Float64Array(cells);
    let [mean, square] = [0, 0];
    for (let k = 0; k < cells * fine; k++) {
      const mass = share((k + 1) / (cells * fine)) - share(k / (cells * fine));
      const value = quantile(table, (k + 0.5) / (cells * fine));
      const cell = Math.floor(k / fine);
      masses[cell] += mass;
      places[cell] += mass * value;
      mean += mass * value;
      square += mass * value * value;
    }
    const sd = Math.sqrt(Math.max(square - mean * mean, 0));
    if (!(sd > 0)) return;
    for (let cell = 0; cell < cells; cell++) places[cell] = places[cell] / masses[cell] - mean;
    const quantiles = table.map((value) => value - mean);
    terms.push({ feature, sd, quantiles, slopes: slopesOf(quantiles), places, masses });
  });
  return terms;
}

/**
 * The law of Σ xⱼ bⱼ about its mean; `first` and `second` are the coordinates of each feature's b.
 * Node (i, j) is at (low + step · (i, j)) times the two directions; null where the terms do not span the plane. Has at
 * most `most` nodes along a side, fewer for sums of many terms: these are smooth, and each term costs as much as the first.
 */
export function lattice(terms: readonly Term[], first: Float64Array, second: Float64Array, most: number) {
  let [best, i, k] = [0, -1, -1];
  terms.forEach((a, p) =>
    terms.slice(0, p).forEach((b, q) => {
      const area = Math.abs(
        (first[a.feature] * second[b.feature] - second[a.feature] * first[b.feature]) * a.sd * b.sd,
      );
      if (area > best) [best, i, k] = [area, q, p];
    }),
  );
  if (i < 0) return null;
  const [one, two] = [terms[i], terms[k]];
  const a = [first[one.feature], second[one.feature]] as const;
  const b = [first[two.feature], second[two.feature]] as const;
  const determinant = a[0] * b[1] - a[1] * b[0];
  const others = terms
    .filter((term) => term !== one && term !== two)
    .map((term) => {
      const [x, y] = [first[term.feature], second[term.feature]];
      return { term, slopes: [(x * b[1] - y * b[0]) / determinant, (a[0] * y - a[1] * x) / determinant] as const };
    });
  const nodes = Math.max(Math.round(most / Math.sqrt(Math.max(others.length, 1))), Math.min(most, 64));
  const axes = [one, two].map((own, axis) => {
    let [low, high, variance] = [own.quantiles[0], own.quantiles[own.quantiles.length - 1], own.sd ** 2];
    for (const { term, slopes } of others) {
      const ends = [term.places[0], term.places[cells - 1]].map((place) => slopes[axis] * place);
      low += Math.min(...ends);
      high += Math.max(...ends);
      variance += (slopes[axis] * term.sd) ** 2;
    }
    const farthest = reach * Math.sqrt(variance);
    [low, high] = [Math.max(low, -farthest), Math.min(high, farthest)];
    const step = (high - low) / (nodes - 3);
    return { low: low - step, step, masses: cellMasses(own, low - step, step, nodes) };
  });
  const [x, y] = axes;
  const grid: Grid = { cells: nodes, density: spread(axes, others, nodes), low: [x.low, y.low], step: [x.step, y.step] };
  return { grid, first: a, second: b };
}

/** The mass of a law within half a step of each node. */
function cellMasses(term: Term, low: number, step: number, nodes: number): Float64Array {
  const out = new Float64Array(nodes);
  let before = below(term, low - step / 2);
  for (let node = 0; node < nodes; node++) {
    const now = below(term, low + (node + 0.5) * step);
    out[node] = now - before;
    before = now;
  }
  return out;
}

interface Axis {
  readonly low: number;
  readonly step: number;
  readonly masses: Float64Array;
}

/** The product of the two axes, spread along the line of every other term. */
function spread(
  axes: readonly Axis[],
  others: readonly { term: Term; slopes: readonly [number, number] }[],
  nodes: number,
): Float64Array {
  let mass = new Float64Array(nodes * nodes);
  for (let p = 0; p < nodes; p++) {
    for (let q = 0; q < nodes; q++) mass[p * nodes + q] = axes[0].masses[p] * axes[1].masses[q];
  }
  for (const { term, slopes } of others) {
    const next = new Float64Array(nodes * nodes);
    for (const [shift, weight] of shifts(term, slopes, axes)) {
      const [down, across] = shift;
      const [from, to] = [Math.max(0, -down), Math.min(nodes, nodes - down)];
      const [left, right] = [Math.max(0, -across), Math.min(nodes, nodes - across)];
      for (let p = from; p < to; p++) {
        const offset = down * nodes + across;
        for (let at = p * nodes + left, end = p * nodes + right; at < end; at++) next[at + offset] += weight * mass[at];
      }
    }
    mass = next;
  }
  return mass;
}

/** A term as whole shifts of the lattice, each with its share of the mass. */
function shifts(
  term: Term,
  slopes: readonly [number, number],
  axes: readonly Axis[],
): [shift: readonly [number, number], weight: number][] {
  const found = new Map<string, [readonly [number, number], number]>();
  for (let cell = 0; cell < cells; cell++) {
    const [x, y] = [0, 1].map((axis) => (slopes[axis] * term.places[cell]) / axes[axis].step);
    const [i, j] = [Math.floor(x), Math.floor(y)];
    for (const [down, across, part] of [
      [i, j, (1 - x + i) * (1 - y + j)],
      [i, j + 1, (1 - x + i) * (y - j)],
      [i + 1, j, (x - i) * (1 - y + j)],
      [i + 1, j + 1, (x - i) * (y - j)],
    ]) {
      const key = `${down} ${across}`;
      const before = found.get(key)?.[1] ?? 0;
      if (part > 0) found.set(key, [[down, across], before + part * term.masses[cell]]);
    }
  }
  return [...found.values()];
}

function share(t: number): number {
  return Math.sin((Math.PI / 2) * t) ** 2;
}

/** The value below which a share sin²(π/2 · t) lies. */
function quantile(table: Float64Array, t: number): number {
  const at = t * table.length - 0.5;
  const low = Math.min(Math.max(Math.floor(at), 0), table.length - 2);
  return table[low] + Math.min(Math.max(at - low, 0), 1) * (table[low + 1] - table[low]);
}

/** The probability below the k-th quantile of a table, of what lies between the first and the last. */
function probability(table: Float64Array, k: number): number {
  const [outer, at] = [0.5, k + 0.5].map((place) => share(place / table.length));
  return (at - outer) / (1 - 2 * outer);
}

/**
 * Slopes of the distribution function at the quantiles, those of parabolas through three of them, so
 * limited that it never falls (Fritsch and Carlson); edges stay sharp and plateaus level.
 */
function slopesOf(table: Float64Array): Float64Array {
  const last = table.length - 1;
  const widths = Array.from({ length: last }, (_, k) => Math.max(table[k + 1] - table[k], Number.MIN_VALUE));
  const secants = widths.map((width, k) => (probability(table, k + 1) - probability(table, k)) / width);
  return table.map((_, k) => {
    if (k === 0 || k === last) return secants[k && last - 1];
    const [left, right] = [secants[k - 1], secants[k]];
    const share = widths[k] / (widths[k - 1] + widths[k]);
    return Math.min(share * left + (1 - share) * right, 3 * left, 3 * right);
  });
}

/** The probability below a value: cubic between quantiles. */
function below({ quantiles: table, slopes }: Term, value: number): number {
  if (value <= table[0]) return 0;
  if (value >= table[table.length - 1]) return 1;
  const low = segment(table, value);
  const high = low + 1;
  const [from, to] = [probability(table, low), probability(table, high)];
  const width = table[high] - table[low];
  const t = (value - table[low]) / width;
  const bend = t * (1 - t) * ((1 - t) * (slopes[low] * width - (to - from)) - t * (slopes[high] * width - (to - from)));
  return from + t * (to - from) + bend;
}
