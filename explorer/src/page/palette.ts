/**
 * Colors, markers and dashes of rows and features: those of `uapca/_looks.py`, which a test
 * compares. The colors are those of Okabe and Ito (2008), which people with every kind of color vision
 * can tell apart; from the ninth kind on, dashes and shapes go on telling apart.
 */

import { rangeOf } from "../core/matrices";
import type { Dataset, Projection } from "../model";
import { digits, hundredths as f } from "./format";
import { texts } from "./texts";

export type Theme = "light" | "dark";
type Outline = ReadonlyArray<readonly [number, number]>;

/** A color on light and on dark paper, the dashes of lines, and a marker within a circle of about radius 1. */
export interface Look {
  readonly light: string;
  readonly dark: string;
  readonly dash: string | undefined;
  readonly shape: Outline;
}

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7d7400"];
// On a dark page blue and black would vanish: the same hues, lighter.
const DARK = ["#4ba6e3", "#ee7b30", "#1fb890", "#dd92bc", "#efb02e", "#93d2f8", "#e4e4e4", "#f0e442"];
const DASHES = [undefined, "7 3", "1.5 2.5", "9 3 2 3"];
/** What belongs to no kind, and what stands back. */
export const GREY = { light: "#6b6b6b", dark: "#a6a6a6" };
export const PALE = { light: "#aab2ba", dark: "#5d666f" };
// Of cividis, which rises evenly in lightness; between them colors are mixed.
const SEQUENTIAL = ["#00224e", "#213b6e", "#4b546c", "#6c6d72", "#8d8878", "#b0a571", "#d6c35d"];

const turned = (shape: Outline, angle: number): Outline =>
  shape.map(([x, y]) => [Math.cos(angle) * x - Math.sin(angle) * y, Math.sin(angle) * x + Math.cos(angle) * y]);
const regular = (corners: number, radius: number, angle: number): Outline =>
  Array.from({ length: corners }, (_, i) => turned([[radius, 0]], (2 * Math.PI * i) / corners + angle)[0]);
const CIRCLE = regular(16, 1, 0);
const PLUS = [0, 1, 2, 3].flatMap((k) => turned([[-0.35, -1.1], [0.35, -1.1], [0.35, -0.35]], (k * Math.PI) / 2));
/** Circle, square, triangle, diamond, triangle upside down, cross and plus. */
const SHAPES = [
  CIRCLE,
  regular(4, 1.2, Math.PI / 4),
  regular(3, 1.25, -Math.PI / 2),
  regular(4, 1.25, 0),
  regular(3, 1.25, Math.PI / 2),
  turned(PLUS, Math.PI / 4),
  PLUS,
];

/** Rows colored one by one up to this number; beyond, only some of the widest: those this many times as wide as most. */
const MANY = 24;
const [WIDEST, WIDE] = [5, 2];
const TOLD = 24; // groups in a legend
const STEPS = 120; // of the scale of colors

const kinds: Look[] = [];
/** The look of the i-th group or feature. */
export function kind(i: number): Look {
  return (kinds[i] ??= {
    light: LIGHT[i % LIGHT.length],
    dark: DARK[i % DARK.length],
    dash: DASHES[Math.floor(i / LIGHT.length) % DASHES.length],
    shape: SHAPES[i % SHAPES.length],
  });
}

/** The look of the i-th group, or of a row without groups: in the color given in Python, if one was. */
export function own({ colors }: Dataset, i: number): Look {
  if (!colors) return kind(i);
  const [color, dash] = colors[i];
  return { light: color, dark: color, dash: DASHES[dash], shape: kind(i).shape };
}

const NONE: Look = { ...GREY, dash: undefined, shape: CIRCLE };
const scale = Array.from({ length: STEPS + 1 }, (_, k): Look => {
  const at = (k / STEPS) * (SEQUENTIAL.length - 1);
  const low = Math.min(Math.floor(at), SEQUENTIAL.length - 2);
  const [a, b] = [SEQUENTIAL[low], SEQUENTIAL[low + 1]].map((text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)));
  const color = `rgb(${a.map((part, i) => Math.round(part + (at - low) * (b[i] - part))).join(", ")})`;
  return { light: color, dark: color, dash: undefined, shape: CIRCLE };
});

/** Of many rows without groups those much wider than most in a picture, the widest first: row, and times the median. */
export function widest({ groups, colors, n, supplementary }: Dataset, { covariances: c }: Projection): [number, number][] {
  if (groups || colors || n <= MANY) return [];
  const spreads = Float64Array.from({ length: n - supplementary }, (_, row) => Math.sqrt(Math.max(c[3 * row] + c[3 * row + 2], 0)));
  const sorted = spreads.slice().sort();
  const median = (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
  const order = Array.from(spreads.keys()).filter((row) => spreads[row] > WIDE * median);
  return order.sort((i, j) => spreads[j] - spreads[i] || i - j).slice(0, WIDEST).map((row) => [row, spreads[row] / median]);
}

/** The look of each row: on the scale of colors, that of its group, its own if rows are few or it is wide, or the first. */
export function rowLooks(data: Dataset, wide: readonly number[]): Look[] {
  const { groups, colors, n } = data;
  const [low, high] = groups?.values ? rangeOf(groups.values) : [0, 0];
  return Array.from({ length: n }, (_, row) => {
    if (groups?.values) {
      const share = high > low ? (groups.values[row] - low) / (high - low) : 0.5;
      return Number.isNaN(share) ? NONE : scale[Math.round(share * STEPS)];
    }
    if (groups) return groups.codes[row] < 0 ? NONE : own(data, groups.codes[row]);
    return colors ? { ...own(data, row), shape: CIRCLE } : plain[n <= MANY ? row : wide.indexOf(row) + 1];
  });
}

/** Rows without groups are told apart by color and dash alone, as in the plots. */
const plain = Array.from({ length: MANY }, (_, row): Look => ({ ...kind(row), shape: CIRCLE }));

/** Groups, or five numbers on the scale, and their looks. */
export function groupLooks(data: Dataset): [string, Look][] {
  const { groups } = data;
  if (groups?.values) {
    const [low, high] = rangeOf(groups.values);
    // Digits that tell the five apart, and no more.
    const places = Math.min(Math.max(2 - Math.floor(Math.log10(high - low || 1)), 0), 100);
    const text = (share: number) => (share || !groups.name ? "" : `${groups.name}: `) + digits(Number((low + share * (high - low)).toFixed(places)), 12);
    return [0, 0.25, 0.5, 0.75, 1].map((share) => [text(share), scale[Math.round(share * STEPS)]]);
  }
  const entries = groups?.labels.slice(0, TOLD).map((label, i): [string, Look] => [label, own(data, i)]) ?? [];
  return groups?.codes.some((code) => code < 0) ? [...entries, [texts.projection.noGroup, NONE]] : entries;
}

/** A marker as an SVG path around a place. */
export function marker({ shape }: Look, radius: number, x = 0, y = 0): string {
  return `M${shape.map(([dx, dy]) => `${f(x + dx * radius)},${f(y + dy * radius)}`).join("L")}Z`;
}
