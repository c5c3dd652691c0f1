/**
 * Which eigenvector is which, from one point of a path to the next: by overlap with its predecessor,
 * never by a rule about signs. Tied subspaces are matched as a whole. As
 * `uapca/sensitivity/following.py`.
 */

import type { Pairs } from "./family";
import { multiply, multiplyTransposed } from "./matrices";
import { Symmetric } from "./eigen";
import { sign } from "./spectrum";

export interface Matching {
  /** Where each vector of the first basis stands in the second. */
  readonly places: Int32Array;
  /** Its overlap with it. */
  readonly overlaps: Float64Array;
}

/**
 * Follows the eigenvectors from the first point to the last, in place: signs, and bases of tied
 * subspaces, go by the predecessor; at `anchor` the signs are those of a fit.
 *
 * Returns where each followed vector stands in the falling order, at each point.
 */
export function follow(points: readonly Pairs[], d: number, anchor: number): Int32Array[] {
  const identity = Int32Array.from({ length: d }, (_, i) => i);
  const order: Int32Array[] = [identity];
  for (let k = 1; k < points.length; k++) {
    const before = points[k - 1];
    const after = points[k];
    const loose = before.tied.includes(true) || after.tied.includes(true);
    const like = loose ? null : likePlaced(before.vectors, after.vectors, d);
    const clear = like !== null && like.every((overlap) => Math.abs(overlap) > Math.SQRT1_2);
    const { places, overlaps } = clear
      ? { places: identity, overlaps: like }
      : match(before.vectors, after.vectors, after.tied, d);
    for (let i = 0; i < d; i++) if (overlaps[i] < 0) flip(after.vectors, places[i], d);
    order.push(clear ? order[k - 1] : order[k - 1].map((place) => places[place]));
  }
  // The rule for signs decides once, at the anchor; from there they follow both ways.
  for (let i = 0; i < d; i++) {
    const place = order[anchor][i];
    const row = points[anchor].vectors.slice(place * d, place * d + d);
    const ruled = row.slice();
    sign(ruled);
    if (row.every((value, j) => value === ruled[j])) continue;
    points.forEach((point, k) => flip(point.vectors, order[k][i], d));
  }
  return order;
}

function flip(vectors: Float64Array, place: number, d: number): void {
  for (let j = place * d; j < place * d + d; j++) vectors[j] = -vectors[j];
}

/** Overlaps of vectors with the same places; only of the first `count` if given. */
export function likePlaced(
  before: Float64Array,
  after: Float64Array,
  d: number,
  count: number = d,
): Float64Array {
  const out = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let sum = 0;
    for (let j = i * d; j < i * d + d; j++) sum += before[j] * after[j];
    out[i] = sum;
  }
  return out;
}

/** Matches two bases; `after` is changed in place: its tied subspaces are turned to fit `before`. */
export function match(
  before: Float64Array,
  after: Float64Array,
  tied: readonly boolean[],
  d: number,
): Matching {
  let overlap = multiplyTransposed(before, after, d, d, d);
  const share = overlap.map((value) => value * value);
  const groups = runs(tied);
  for (const [start, stop] of groups) {
    for (let i = 0; i < d; i++) {
      let sum = 0;
      for (let j = start; j < stop; j++) sum += share[i * d + j];
      for (let j = start; j < stop; j++) share[i * d + j] = sum / (stop - start);
    }
  }
  const places = assignment(share, d);
  for (const [start, stop] of groups) {
    const k = stop - start;
    const members: number[] = [];
    for (let i = 0; i < d; i++) if (places[i] >= start && places[i] < stop) members.push(i);
    // Row r of the turned basis is what fits member r: the polar factor of their overlaps.
    const inner = new Float64Array(k * k);
    members.forEach((i, r) => {
      for (let j = 0; j < k; j++) inner[r * k + j] = overlap[i * d + start + j];
    });
    const turned = multiply(polar(inner, k), after.subarray(start * d, stop * d), k, k, d);
    after.set(turned, start * d);
    members.forEach((i, r) => {
      places[i] = start + r;
    });
  }
  if (groups.length > 0) overlap = multiplyTransposed(before, after, d, d, d);
  return { places, overlaps: Float64Array.from(places, (place, i) => overlap[i * d + place]) };
}

/**
 * How two points' vectors are matched, and the largest angle between matched ones of which one
 * stands in a place from `first` to before `last`. Ties are undone on both sides; nothing is changed.
 */
export function reach(
  before: Pairs,
  after: Pairs,
  d: number,
  first: number,
  last: number,
): { places: Int32Array; angle: number } {
  const start = before.vectors.slice();
  const end = after.vectors.slice();
  if (before.tied.includes(true)) match(end, start, before.tied, d);
  const { places, overlaps } = match(start, end, after.tied, d);
  let angle = 0;
  for (let i = 0; i < d; i++) {
    const counts = (i >= first && i < last) || (places[i] >= first && places[i] < last);
    if (counts) angle = Math.max(angle, Math.acos(Math.min(Math.abs(overlaps[i]), 1)));
  }
  return { places, angle };
}

/** Runs of tied vectors, two or more each. */
function runs(tied: readonly boolean[]): [number, number][] {
  const out: [number, number][] = [];
  let start = 0;
  for (let i = 0; i <= tied.length; i++) {
    if (tied[i] === true) continue;
    if (i > start) out.push([start, i + 1]);
    start = i + 1;
  }
  return out;
}

/** The orthogonal matrix nearest to a square one. */
function polar(matrix: Float64Array, k: number): Float64Array {
  const gram = new Symmetric(k);
  const product = new Float64Array(k * k);
  for (let r = 0; r < k; r++) {
    for (let i = 0; i < k; i++) {
      for (let j = 0; j < k; j++) product[i * k + j] += matrix[r * k + i] * matrix[r * k + j];
    }
  }
  gram.solve(product);
  const right = gram.vectors;
  // Rows of `left` are the left singular vectors; where one has no length, any that is orthogonal.
  const left = multiplyTransposed(right, matrix, k, k, k);
  for (let i = 0; i < k; i++) {
    const row = left.subarray(i * k, i * k + k);
    let spare = 0;
    let norm = Math.hypot(...row);
    for (let tries = 0; tries <= k; tries++) {
      if (norm > 1e-8) break;
      row.fill(0);
      row[spare++] = 1;
      norm = 1;
    }
    for (let pass = 0; pass < 2; pass++) {
      for (let j = 0; j < k; j++) row[j] /= norm;
      for (let done = 0; done < i; done++) {
        let along = 0;
        for (let j = 0; j < k; j++) along += left[done * k + j] * row[j];
        for (let j = 0; j < k; j++) row[j] -= along * left[done * k + j];
      }
      norm = Math.hypot(...row);
    }
    for (let j = 0; j < k; j++) row[j] /= norm;
  }
  const out = new Float64Array(k * k);
  for (let r = 0; r < k; r++) {
    for (let i = 0; i < k; i++) {
      for (let j = 0; j < k; j++) out[i * k + j] += left[r * k + i] * right[r * k + j];
    }
  }
  return out;
}

/**
 * A one-to-one matching by share. A vector with more than half of itself in its own place stays; the
 * others are given the largest total share, by shortest augmenting paths.
 */
export function assignment(share: Float64Array, d: number): Int32Array {
  const places = Int32Array.from({ length: d }, (_, i) => i);
  const open: number[] = [];
  for (let i = 0; i < d; i++) if (share[i * d + i] <= 0.5) open.push(i);
  const m = open.length;
  if (m === 0) return places;
  const cost = (i: number, j: number): number => -share[open[i] * d + open[j]];
  const rowPrice = new Float64Array(m + 1);
  const columnPrice = new Float64Array(m + 1);
  const owner = new Int32Array(m + 1); // of a column, counted from 1; 0 for none
  for (let row = 1; row <= m; row++) {
    owner[0] = row;
    let column = 0;
    const distance = new Float64Array(m + 1).fill(Infinity);
    const from = new Int32Array(m + 1);
    const seen = new Uint8Array(m + 1);
    do {
      seen[column] = 1;
      const i = owner[column];
      let step = Infinity;
      let next = 0;
      for (let j = 1; j <= m; j++) {
        if (seen[j]) continue;
        const reduced = cost(i - 1, j - 1) - rowPrice[i] - columnPrice[j];
        if (reduced < distance[j]) {
          distance[j] = reduced;
          from[j] = column;
        }
        if (distance[j] < step) {
          step = distance[j];
          next = j;
        }
      }
      for (let j = 0; j <= m; j++) {
        if (seen[j]) {
          rowPrice[owner[j]] += step;
          columnPrice[j] -= step;
        } else {
          distance[j] -= step;
        }
      }
      column = next;
    } while (owner[column] !== 0);
    while (column !== 0) {
      owner[column] = owner[from[column]];
      column = from[column];
    }
  }
  for (let j = 1; j <= m; j++) places[open[owner[j] - 1]] = open[j - 1];
  return places;
}
