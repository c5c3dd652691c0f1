/** What the picture says, in words: which components can be relied on, and what uncertainty changes. */

import type { Engine } from "../core/engine";
import type { Fit } from "../model";
import { shortened } from "./dom";
import { listed, percent, scaleText } from "./format";
import type { Scene } from "./scene";

/** Degrees up to which a component counts as stable, and from which as another one. */
const STABLE = 10;
const OTHER = 45;
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
  if (!(after.total > 0)) return ["Nothing varies: all rows are the same certain point."];
  if (data.d === 1) return ["There is one feature, and so one component at every s."];
  if (engine.moments.certain) return ["All rows are certain: the picture is the same at every s."];
  const shown = pair[0] === pair[1] ? [pair[0]] : [...pair].sort((a, b) => a - b);
  if (!(before.total > 0)) {
    if (data.n === 1) return ["There is one row: all there is to see is its own uncertainty, the same at every s > 0."];
    return ["The means do not differ: all there is to see is the rows’ own uncertainty, the same at every s > 0."];
  }
  const sentences = [before, after].flatMap((fit) => undefinedAt(fit, shown));
  const defined = shown.filter((i) => !doubt(before, i) && !doubt(after, i));
  if (defined.length) sentences.push(stability(before, after, defined));
  const change = defined.length === shown.length ? gains(data.features, before, after, pair) : null;
  if (change) sentences.push(change);
  sentences.push(...encounters(scene, shown));
  const [a, b] = [before, after].map((fit) =>
    percent(
      shown.reduce((sum, i) => sum + fit.shares[i], 0),
      0,
    ),
  );
  const subject = shown.length > 1 ? "Together they explain" : "It explains";
  sentences.push(a === b ? `${subject} ${a} at both.` : `${subject} ${a} at s = 0 and ${b} at s = 1.`);
  return sentences;
}

/** Why a direction is not one of the data but of a rule that had to choose; null where it is. */
function doubt({ eigenvalues, d }: Fit, i: number): "tied" | "no variance" | null {
  const limit = ROUNDING * eigenvalues[0];
  const near = [i - 1, i + 1].filter((k) => k >= 0 && k < d);
  // One direction without variance is what the others leave; which of several is anyone's choice.
  // Eigenvalues that were not kept are no larger than the last.
  const alike = near.some((k) => Math.abs((eigenvalues[k] ?? 0) - eigenvalues[i]) <= limit);
  return !alike ? null : eigenvalues[i] > limit ? "tied" : "no variance";
}

function undefinedAt(fit: Fit, shown: readonly number[]): string[] {
  return (["tied", "no variance"] as const).flatMap((reason) => {
    const found = shown.filter((i) => doubt(fit, i) === reason).map((i) => String(i + 1));
    if (!found.length) return [];
    const which = found.length > 1 ? `Components ${listed(found)} are` : `Component ${found[0]} is`;
    const why = reason === "tied" ? "tied: other directions have the same variance" : "no variance is left for it";
    return [`${which} not defined at s = ${fit.scale} (${found.length > 1 ? why.replace(" it", " them") : why}).`];
  });
}

function stability(before: Fit, after: Fit, shown: readonly number[]): string {
  const angles = shown.map((i) => angle(before, after, i));
  const words = (i: number) => `${shown.length > 1 && i === shown[0] ? "Component" : "component"} ${i + 1}`;
  const whole = (degrees: number) => (degrees < 0.5 ? "less than 1°" : `${Math.round(degrees)}°`);
  const path = "from s = 0 to s = 1";
  if (angles.every((x) => x <= STABLE)) {
    const which =
      shown.length > 1 ? `Components ${listed(shown.map((i) => String(i + 1)))} are` : `Component ${shown[0] + 1} is`;
    return `${which} stable: ${path} ${shown.length > 1 ? "they turn" : "it turns"} by ${listed([...new Set(angles.map(whole))])}.`;
  }
  const parts = shown.map((i, k) => {
    const turn = angles[k];
    const kind =
      turn <= STABLE ? "is stable, it turns by" : turn < OTHER ? "turns by" : "becomes another one, it turns by";
    return `${words(i)} ${kind} ${whole(turn)}`;
  });
  const plane = shown.length > 1 ? planeAngle(before, after, shown) : null;
  const tail =
    plane === null
      ? ""
      : plane <= STABLE
        ? `; the plane they span is stable (${whole(plane)})`
        : `; the plane they span turns by ${whole(plane)}`;
  return `From s = 0 to s = 1 ${listed(parts).replace(/^C/, "c")}${tail}.`;
}

/** The features whose place in the picture changes most. */
function gains(features: readonly string[], before: Fit, after: Fit, pair: readonly [number, number]): string | null {
  const length = (fit: Fit, j: number) =>
    pair[0] === pair[1]
      ? Math.abs(fit.components[pair[0] * fit.d + j])
      : Math.hypot(fit.components[pair[0] * fit.d + j], fit.components[pair[1] * fit.d + j]);
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
  if (up >= 0 && down >= 0) return `More of ${said(up)} comes into the picture, ${said(down)} recedes.`;
  return up >= 0 ? `More of ${said(up)} comes into the picture.` : `${said(down)} recedes from the picture.`;
}

function encounters(scene: Scene, shown: readonly number[]): string[] {
  const close = scene.crossings.filter(
    (c) => c.scale <= 1 && c.pair.some((i) => shown.includes(i)) && (c.kind === "true" || c.relativeGap < CLOSE),
  );
  return close.slice(0, 3).map((c) => {
    const which = `Components ${c.pair[0] + 1} and ${c.pair[1] + 1}`;
    return c.kind === "true"
      ? `${which} change places at s = ${scaleText(c.scale)}.`
      : `${which} almost meet at s = ${scaleText(c.scale)}: which is which is uncertain there.`;
  });
}

/** The angle between a component at two scales, in degrees; signs have no meaning. */
function angle(a: Fit, b: Fit, i: number): number {
  return degrees(Math.abs(dot(a, i, b, i)));
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
  let sum = 0;
  for (let k = 0; k < a.d; k++) sum += a.components[i * a.d + k] * b.components[j * b.d + k];
  return sum;
}

function degrees(cosine: number): number {
  return (Math.acos(Math.min(cosine, 1)) * 180) / Math.PI;
}
