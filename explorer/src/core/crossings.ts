/**
 * Where neighbouring eigenvalues of K(s) come closest. The slope of a gap needs no differences of
 * eigenvalues, dλ/dt = vᵀΨ̄v with t = s², so a minimum is where the difference of two slopes turns
 * from negative to positive. As `uapca/sensitivity/crossings.py`.
 */

import { sOf, type Crossing } from "../model";
import type { Family, Pairs } from "./family";
import { reach } from "./following";
import { largest } from "./matrices";
import { firstGrid, resolvedGrid, type Steps, withPoints } from "./path";
import { tieTolerance } from "./spectrum";

const coarse = 128;
// Between neighbours that turn by less than this, a gap hardly ever has more than one minimum.
const turn = (15 * Math.PI) / 180;
const dips = 20;
const nearest = 2 ** -40;

interface Bracket {
  readonly place: number;
  low: number;
  high: number;
  left: number;
  right: number;
}

/** Every local minimum of one of the `gaps` leading gaps, in their order along u. */
export function* crossingsOf(family: Family, gaps: number): Steps<Crossing[]> {
  const count = Math.min(gaps, family.d - 1);
  if (count < 1) return [];
  const points = yield* gapGrid(family, count);
  const u = points.map((point) => point.u);
  const found: Crossing[] = [];
  for (const bracket of brackets(u, points.map((point) => slopes(family, point, count)))) {
    const { low, high } = bracket;
    const where = minimum(family, { ...bracket });
    // Compared with the ends of its bracket, or the points beyond where it lies on one of them.
    const near = 2 ** -10 * (high - low);
    const before = where - low > near ? low : u[Math.max(u.indexOf(low) - 1, 0)];
    const after = high - where > near ? high : u[Math.min(u.indexOf(high) + 1, u.length - 1)];
    const crossing = judged(family, bracket.place, where, before, after);
    if (crossing !== null) found.push(crossing);
    yield;
  }
  return found.sort((a, b) => a.u - b.u || a.pair[0] - b.pair[0]);
}

/** A grid on which each of the leading gaps has at most one minimum between neighbours. */
function* gapGrid(family: Family, count: number): Steps<Pairs[]> {
  let points = yield* resolvedGrid(family, firstGrid(family, coarse), count + 1, turn);
  for (let pass = 0; pass < dips; pass++) {
    const wanted = dipping(family, points, count);
    if (wanted.length === 0) break;
    points = yield* withPoints(family, points, wanted);
  }
  return points;
}

/**
 * Where to look for slopes that go through zero and back between neighbours: a convex slope stays
 * beyond the point at which the tangents at both ends meet.
 */
function dipping(family: Family, points: readonly Pairs[], count: number): number[] {
  const inside = points.filter((point) => point.u < 1);
  const slope = inside.map((point) => slopes(family, point, count));
  const bend = inside.map((point) => family.bends(point, count + 1));
  const size = Math.max(...slope.map(largest), Number.MIN_VALUE);
  const wanted: number[] = [];
  for (let k = 0; k + 1 < inside.length; k++) {
    const [a, b] = [inside[k].u, inside[k + 1].u];
    if (b - a <= 1e-6 * Math.min(b, 1 - a)) continue;
    const step = (b / (1 - b)) ** 2 - (a / (1 - a)) ** 2;
    for (let i = 0; i < count; i++) {
      const side = Math.sign(slope[k][i]);
      const left = (side * slope[k][i]) / size;
      const right = (side * slope[k + 1][i]) / size;
      const falling = (side * (bend[k][i] - bend[k][i + 1])) / size;
      const rising = (side * (bend[k + 1][i] - bend[k + 1][i + 1])) / size;
      if (!(left > 0 && right > 0 && falling < 0 && rising > 0)) continue;
      const where = (right - left - rising * step) / (falling - rising);
      // Half of the nearer end instead of zero: the slope need not be convex in a wide interval.
      if (left + falling * where <= 0.5 * Math.min(left, right)) {
        wanted.push(0.5 * (a + b));
        break;
      }
    }
  }
  return wanted;
}

/** How fast each gap of K grows: zero where no more than rounding; a tie counts as growing. */
function slopes(family: Family, point: Pairs, count: number): Float64Array {
  const rates = family.rates(point, count + 1);
  const size = largest(rates);
  const limit = tieTolerance(family.d) * size;
  return Float64Array.from({ length: count }, (_, i) => {
    const slope = rates[i] - rates[i + 1];
    const clear = Math.abs(slope) <= limit ? 0 : slope;
    return point.tied[i] ? Math.max(Math.abs(clear), size) : clear;
  });
}

/** Where a gap stops falling and starts to grow. */
function brackets(u: readonly number[], slope: readonly Float64Array[]): Bracket[] {
  const found: Bracket[] = [];
  for (let place = 0; place < slope[0].length; place++) {
    let last = -1;
    for (let k = 0; k < u.length; k++) {
      const value = slope[k][place];
      if (value === 0) continue;
      if (last >= 0 && slope[last][place] < 0 && value > 0) {
        found.push({ place, low: u[last], high: u[k], left: slope[last][place], right: value });
      }
      last = k;
    }
  }
  return found;
}

/** The root of a slope by the ITP method (Oliveira & Takahashi 2020): as sure as bisection. */
function minimum(family: Family, bracket: Bracket): number {
  const { place } = bracket;
  const width = 0.5 * nearest * Math.min(bracket.high, 1 - bracket.low);
  const first = bracket.high - bracket.low;
  let budget = width * 2 ** (Math.max(Math.ceil(Math.log2(first / (2 * width))), 0) + 1);
  for (;;) {
    const { low, high, left, right } = bracket;
    const middle = 0.5 * (low + high);
    if (!(high - low > 2 * width && middle > low && middle < high)) return middle;
    const secant = (high * left - low * right) / (left - right);
    const toward = Math.sign(middle - secant);
    const nudge = (0.2 * (high - low) ** 2) / first;
    const trial = nudge <= Math.abs(middle - secant) ? secant + toward * nudge : middle;
    const spare = Math.max(budget - 0.5 * (high - low), 0);
    budget *= 0.5;
    let at = Math.abs(trial - middle) <= spare ? trial : middle - toward * spare;
    if (!(at > low && at < high)) at = middle;
    const slope = slopes(family, family.at(at), place + 1)[place];
    if (slope <= 0) [bracket.low, bracket.left] = [at, slope];
    if (slope >= 0) [bracket.high, bracket.right] = [at, slope];
  }
}

/** The minimum with its gap and kind; null if it is no more than rounding. */
function judged(family: Family, place: number, u: number, low: number, high: number): Crossing | null {
  const gapAt = (values: Float64Array): number => values[place] - values[place + 1];
  const { values } = family.at(u);
  const unit = (1 - u) ** 2;
  const size = values[0];
  const upper = values[place] / unit;
  const gap = gapAt(values);
  const base = { u, scale: sOf(u), pair: [place, place + 1] as const };
  if (gap <= 1e-8 * size && swaps(family, u, place, size)) {
    return { ...base, gap: 0, relativeGap: 0, kind: "true" };
  }
  const noise = tieTolerance(family.d) * size;
  // Multiplied out, since at u = 1 the unit is zero.
  const deeper = [low, high].every(
    (at) => gapAt(family.at(at).values) * unit - (gap + noise) * (1 - at) ** 2 > 0,
  );
  if (!deeper) return null;
  const there = gap / unit;
  return { ...base, gap: there, relativeGap: upper > 0 ? there / upper : 0, kind: "avoided" };
}

/** Whether the pair's vectors swap places at u without turning: no coupling keeps them apart. */
function swaps(family: Family, u: number, place: number, size: number): boolean {
  const room = Math.min(u, 1 - u);
  let slope = 0;
  for (const side of [-1, 1]) {
    const rates = family.rates(family.at(u + side * 2 ** -20 * room), place + 2);
    slope = Math.max(slope, Math.abs(rates[place + 1] - rates[place]));
  }
  slope *= (2 * u) / (1 - u);
  if (slope <= Number.EPSILON * size) return false;
  const h = Math.sqrt((Number.EPSILON * size) / slope);
  if (h >= 2 ** -8 * room) return false;
  const { places, angle } = reach(family.at(u - h), family.at(u + h), family.d, place, place + 2);
  return (places[place] !== place || places[place + 1] !== place + 1) && angle <= 1e3 * h;
}
