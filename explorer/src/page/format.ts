/** Numbers in words and digits, as people read them. */

import { texts } from "./texts";

/** Three significant digits, a true minus sign, no trailing zeros. */
export function digits(x: number, count = 3): string {
  if (Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e6 || size < 1e-4 ? x.toExponential(count - 1) : Number(x.toPrecision(count)).toString();
  return text.replace("e+", "e").replace(/-/g, "−");
}

/** A share as a percentage: 12.3 %, 0.4 %, 100 %. */
export function percent(share: number, places = 1): string {
  if (!Number.isFinite(share)) return "–";
  const value = 100 * share;
  const text = value > 0 && value < 0.05 ? "<0.1" : value.toFixed(value >= 99.95 || value === 0 ? 0 : places);
  return texts.percent(text.replace("-", "−"));
}

/** A scale s: ½ and ∞ as people write them. */
export function scaleText(s: number): string {
  return s === 0.5 ? "½" : digits(s);
}

/** A length on screen, to hundredths of a pixel: paths become no longer than they look. */
export function hundredths(x: number): number {
  return Math.round(x * 100) / 100;
}

/**
 * The line through points of the screen, x, y, x, y, …, from one to another, lifted where it starts anew.
 * A point within a pixel of the one before would not be seen.
 */
export function lineThrough(points: Float64Array, from = 0, to = points.length / 2 - 1, breaks?: ReadonlySet<number>): string {
  let text = "";
  let [px, py] = [0, 0];
  for (let k = from; k <= to; k++) {
    const [x, y] = [points[2 * k], points[2 * k + 1]];
    const anew = k === from || breaks?.has(k);
    if (!anew && k < to && Math.abs(x - px) + Math.abs(y - py) < 1) continue;
    text += `${anew ? "M" : "L"}${hundredths(x)},${hundredths(y)}`;
    [px, py] = [x, y];
  }
  return text;
}

/** Numbers kept together with their units and signs at the ends of lines. */
export function unbroken(text: string): string {
  const signs = text.replace(/s ([=\u2264>]) /g, "s\u00a0$1\u00a0").replace(/ \u2192 /g, "\u00a0→\u00a0");
  return signs.replace(/(\d) %/g, "$1\u00a0%");
}

/** A remark as a sentence: a capital at its start, a stop at its end. */
export function sentence(text: string): string {
  const whole = text.slice(0, 1).toLocaleUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

const segmenter = new Intl.Segmenter();

/** A name of at most `limit` characters as readers count them: what it leaves out is in its middle. */
export function shortened(name: string, limit: number): string {
  if (name.length <= limit) return name;
  const parts = Array.from(segmenter.segment(name.slice(0, 4000)), (part) => part.segment);
  if (parts.length <= limit) return name;
  const tail = Math.floor((limit - 1) * 0.4);
  return `${parts.slice(0, limit - 1 - tail).join("").trimEnd()}…${parts.slice(parts.length - tail).join("").trimStart()}`;
}

/**
 * Names shortened so that different ones stay different. Long ones lose the words that all of them have, then the
 * ends of the others; what is still alike gets a number.
 */
export function shortNames(names: readonly string[], limit: number): string[] {
  const wordsOf = (name: string) => name.split(/[\s_,;:/-]+/u).filter(Boolean);
  const long = [...new Set(names)].filter((name) => name.length > limit);
  const counts = new Map<string, number>();
  for (const word of long.flatMap((name) => [...new Set(wordsOf(name))])) counts.set(word, (counts.get(word) ?? 0) + 1);
  const [owners, copies] = [new Map<string, string>(), new Map<string, number>()];
  return names.map((name) => {
    const own = name.length > limit ? wordsOf(name).filter((word) => counts.get(word)! < long.length) : [];
    const cut = own.length > 1 && own.join(" ").length > limit ? own.filter((word) => !/\d/.test(word)) : []; // numbers stay
    const each = Math.max(Math.floor((limit + 1 - own.length - own.join("").length + cut.join("").length) / cut.length), 2);
    const text = shortened(own.map((word) => (cut.includes(word) ? word.slice(0, each) : word)).join(" ") || name, limit);
    let short = text;
    while ((owners.get(short) ?? name) !== name) {
      const copy = (copies.get(text) ?? 1) + 1;
      copies.set(text, copy);
      short = `${shortened(text, limit - 3 - String(copy).length)} (${copy})`;
    }
    owners.set(short, name);
    return short;
  });
}
