/**
 * Which eigenvector is which, from one point of a path to the next: by overlap with its predecessor,
 * never by a rule about signs. Tied subspaces are matched as a whole. As
 * `uapca/sensitivity/tracking.py`.
 */

import type { Pairs } from "./family";
import { multiply, multiplyTransposed, orthonormalize, rowDot } from "./matrices";
import { flip, isFlipped, runsOf } from "./spectrum";

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
    const [before, after] = [points[k - 1], points[k]];
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
    if (!isFlipped(points[anchor].vectors, order[anchor][i], d)) continue;
    points.forEach((point, k) => flip(point.vectors, order[k][i], d));
  }
  return order;
}

/** Overlaps of vectors with the same places; only of the first `count` if given. */
export function likePlaced(before: Float64Array, after: Float64Array, d: number, count = d): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => rowDot(before, i, after, i, d));
}

/**
 * Where each vector of a basis stands in another, and its overlap with it. `after` is changed in place: its tied
 * subspaces are turned to fit `before`.
 */
export function match(before: Float64Array, after: Float64Array, tied: readonly boolean[], d: number) {
  const overlap = multiplyTransposed(before, after, d, d, d);
  const share = overlap.map((value) => value * value);
  const groups = runsOf(tied).filter(([start, stop]) => stop - start > 1);
  for (const [start, stop] of groups) {
    for (let i = 0; i < d; i++) {
      const part = share.subarray(i * d + start, i * d + stop);
      part.fill(part.reduce((sum, value) => sum + value, 0) / part.length);
    }
  }
  const places = assignment(share, d);
  for (const [start, stop] of groups) {
    const k = stop - start;
    const members = Array.from(places.keys()).filter((i) => places[i] >= start && places[i] < stop);
    // Row r of the turned basis is what fits member r.
    const turn = new Float64Array(k * k);
    members.forEach((i, r) => turn.set(overlap.subarray(i * d + start, i * d + stop), r * k));
    orthonormalize(turn, k, k);
    after.set(multiply(turn, after.subarray(start * d, stop * d), k, k, d), start * d);
    members.forEach((i, r) => (places[i] = start + r));
  }
  return { places, overlaps: Float64Array.from(places, (place, i) => rowDot(before, i, after, place, d)) };
}

/**
 * How two points' vectors are matched, and the largest angle between matched ones of which one
 * stands in a place from `first` to before `last`. Ties are undone on both sides; nothing is changed.
 */
export function reach(before: Pairs, after: Pairs, d: number, first: number, last: number): { places: Int32Array; angle: number } {
  const [start, end] = [before.vectors.slice(), after.vectors.slice()];
  if (before.tied.includes(true)) match(end, start, before.tied, d);
  const { places, overlaps } = match(start, end, after.tied, d);
  const counts = (place: number) => place >= first && place < last;
  let angle = 0;
  overlaps.forEach((overlap, i) => {
    if (counts(i) || counts(places[i])) angle = Math.max(angle, Math.acos(Math.min(Math.abs(overlap), 1)));
  });
  return { places, angle };
}

/**
 * A one-to-one matching by share. A vector with more than half of itself in its own place stays; of
 * the others the largest shares decide first.
 */
export function assignment(share: Float64Array, d: number): Int32Array {
  const places = Int32Array.from({ length: d }, (_, i) => i);
  const open = Array.from(places).filter((i) => share[i * d + i] <= 0.5);
  const options = open.flatMap((from) => open.map((to) => ({ from, to, share: share[from * d + to] })));
  const [left, free] = [new Set(open), new Set(open)];
  for (const { from, to } of options.sort((a, b) => b.share - a.share)) {
    if (!left.has(from) || !free.has(to)) continue;
    places[from] = to;
    left.delete(from);
    free.delete(to);
  }
  return places;
}
