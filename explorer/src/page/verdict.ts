/** What the picture says, in words: which components can be relied on, and what uncertainty changes. */

import type { Engine } from "../core/engine";
import type { Fit } from "../model";
import { rowDot } from "../core/matrices";
import { percent, scaleText, shortened } from "./format";
import { shownVariance, type Scene } from "./scene";
import { texts } from "./texts";

const words = texts.verdict;

/** Degrees up to which a component barely turns. */
const STABLE = 10;
/** Gaps below this share of the upper eigenvalue are worth a word. */
const CLOSE = 0.1;
/** Of the largest eigenvalue: what may be rounding. Below it neither a gap nor a variance is one. */
const ROUNDING = 1e-12;

/** Sentences on the way from s = 0, the means alone, to s = 1, the data as given. */
export function verdict(engine: Engine, scene: Scene): string[] {
  const { dataset: data } = engine;
  const { pair } = scene.state;
  const before = engine.fit(0);
  const after = engine.fit(1);
  if (!(after.total > 0)) return [words.nothing];
  if (data.d === 1) return [words.oneFeature];
  if (engine.moments.totals[1] <= 0) return [words.certain];
  const shown = pair[0] === pair[1] ? [pair[0]] : [...pair].sort((a, b) => a - b);
  if (!(before.total > 0)) {
    return [data.n === 1 ? words.oneRow : words.sameMeans];
  }
  const sentences = [before, after].flatMap((fit) => undefinedAt(fit, shown));
  const defined = shown.filter((i) => !doubt(before, i) && !doubt(after, i));
  // Posteriors already are the estimate of the truth at s = 1: there it tells what is lost without their uncertainty.
  const [from, to] = data.posterior ? [after, before] : [before, after];
  if (defined.length) sentences.push(stability(from, to, defined, data.posterior));
  const change = defined.length === shown.length ? gains(data.features, from, to, pair) : null;
  if (change) sentences.push(change);
  sentences.push(...encounters(scene, shown));
  const [a, b] = [before, after].map((fit) => percent(shown.reduce((sum, i) => sum + fit.shares[i], 0), 0));
  const projection = engine.project(after, pair);
  const held = scene.weights.reduce((sum, weight, row) => sum + weight * shownVariance(projection, pair, row), 0);
  sentences.push(words.explain(shown.length, a, b, percent(held / engine.moments.totals[1], 0)));
  return sentences;
}

/** Why a direction is not one of the data but of a rule that had to choose; null where it is. */
function doubt({ eigenvalues, d }: Fit, i: number): "tied" | "none" | null {
  const limit = ROUNDING * eigenvalues[0];
  const near = [i - 1, i + 1].filter((k) => k >= 0 && k < d);
  // One direction without variance is what the others leave; which of several is anyone's choice.
  // Eigenvalues that were not kept are no larger than the last.
  const alike = near.some((k) => Math.abs((eigenvalues[k] ?? 0) - eigenvalues[i]) <= limit);
  return !alike ? null : eigenvalues[i] > limit ? "tied" : "none";
}

function undefinedAt(fit: Fit, shown: readonly number[]): string[] {
  return (["tied", "none"] as const).flatMap((reason) => {
    const found = shown.filter((i) => doubt(fit, i) === reason);
    return found.length ? [words.undefinedAt(texts.components(found), found.length > 1, fit.scale, reason === "tied")] : [];
  });
}

function stability(before: Fit, after: Fit, shown: readonly number[], posterior: boolean): string {
  // Signs have no meaning.
  const angles = shown.map((i) => degrees(Math.abs(dot(before, i, after, i))));
  if (angles.every((x) => x <= STABLE)) {
    return words.barely(posterior, texts.components(shown), texts.listed([...new Set(angles.map(words.degrees))]));
  }
  const parts = shown.map((i, k) => words.turned(texts.component(i), words.degrees(angles[k])));
  const plane = shown.length > 1 ? planeAngle(before, after, shown) : null;
  const tail = plane === null ? "" : (plane <= STABLE ? words.planeStays : words.planeTurns)(words.degrees(plane));
  return words.turns(posterior, texts.listed(parts), tail);
}

/** The features whose place in the picture changes most. */
function gains(features: readonly string[], before: Fit, after: Fit, pair: readonly [number, number]): string | null {
  const length = (fit: Fit, j: number) => Math.hypot(...[...new Set(pair)].map((i) => fit.components[i * fit.d + j]));
  let [up, down] = [-1, -1];
  let [most, least] = [0.1, -0.1];
  for (let j = 0; j < before.d; j++) {
    const change = length(after, j) - length(before, j);
    if (change > most) [most, up] = [change, j];
    if (change < least) [least, down] = [change, j];
  }
  const said = (j: number) =>
    `${shortened(features[j], 24)} (${length(before, j).toFixed(2)} → ${length(after, j).toFixed(2)})`;
  if (up < 0 && down < 0) return null;
  return words.gains(up < 0 ? null : said(up), down < 0 ? null : said(down));
}

function encounters(scene: Scene, shown: readonly number[]): string[] {
  const close = scene.crossings.filter(
    (c) => c.scale <= 1 && c.pair.some((i) => shown.includes(i)) && (c.kind === "true" || c.relativeGap < CLOSE),
  );
  return close.slice(0, 3).map((c) => (c.kind === "true" ? words.swap : words.meet)(texts.components(c.pair), scaleText(c.scale)));
}

/** The largest principal angle between the planes of the same two components at two scales. */
function planeAngle(a: Fit, b: Fit, [i, j]: readonly number[]): number {
  const m = [dot(a, i, b, i), dot(a, i, b, j), dot(a, j, b, i), dot(a, j, b, j)];
  const sum = m.reduce((total, x) => total + x * x, 0);
  const det = m[0] * m[3] - m[1] * m[2];
  const small = (sum - Math.sqrt(Math.max(sum * sum - 4 * det * det, 0))) / 2;
  return degrees(Math.sqrt(Math.max(small, 0)));
}

function dot(a: Fit, i: number, b: Fit, j: number): number {
  return rowDot(a.components, i, b.components, j, a.d);
}

function degrees(cosine: number): number {
  return (Math.acos(Math.min(cosine, 1)) * 180) / Math.PI;
}
