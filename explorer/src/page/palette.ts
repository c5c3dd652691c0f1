/**
 * Colors, markers and dashes of rows and features: those of `uapca/_looks.py`, which a test
 * compares. The colors are those of Okabe and Ito (2008), which people with every kind of color vision
 * can tell apart; from the ninth kind on, dashes and shapes go on telling apart.
 */

import type { Dataset } from "../model";
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
const GREY = ["#6b6b6b", "#a6a6a6"];
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

/** Rows colored one by one up to this number; beyond, colors would mean nothing. */
const MANY = 24;
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

const NONE: Look = { light: GREY[0], dark: GREY[1], dash: undefined, shape: CIRCLE };
const scale = Array.from({ length: STEPS + 1 }, (_, k): Look => {
  const at = (k / STEPS) * (SEQUENTIAL.length - 1);
  const low = Math.min(Math.floor(at), SEQUENTIAL.length - 2);
  const [a, b] = [SEQUENTIAL[low], SEQUENTIAL[low + 1]].map((text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)));
  const color = `rgb(${a.map((part, i) => Math.round(part + (at - low) * (b[i] - part))).join(", ")})`;
  return { light: color, dark: color, dash: undefined, shape: CIRCLE };
});

/** The look of each row: on the scale of colors, that of its group, its own if rows are few, or the first. */
export function rowLooks({ groups, n }: Dataset): Look[] {
  const [low, high] = groups?.values ? rangeOf(groups.values) : [0, 0];
  return Array.from({ length: n }, (_, row) => {
    if (groups?.values) {
      const share = high > low ? (groups.values[row] - low) / (high - low) : 0.5;
      return Number.isNaN(share) ? NONE : scale[Math.round(share * STEPS)];
    }
    if (groups) return groups.codes[row] < 0 ? NONE : kind(groups.codes[row]);
    return plain[n <= MANY ? row : 0];
  });
}

/** Rows without groups are told apart by color and dash alone, as in the plots. */
const plain = Array.from({ length: MANY }, (_, row): Look => ({ ...kind(row), shape: CIRCLE }));

/** Groups, or five numbers on the scale, and their looks. */
export function groupLooks({ groups }: Dataset): [string, Look][] {
  if (groups?.values) {
    const [low, high] = rangeOf(groups.values);
    // Digits that tell the five apart, and no more.
    const places = Math.min(Math.max(2 - Math.floor(Math.log10(high - low || 1)), 0), 100);
    const text = (share: number) => (share || !groups.name ? "" : `${groups.name}: `) + digits(Number((low + share * (high - low)).toFixed(places)), 12);
    return [0, 0.25, 0.5, 0.75, 1].map((share) => [text(share), scale[Math.round(share * STEPS)]]);
  }
  const entries = groups?.labels.slice(0, TOLD).map((label, i): [string, Look] => [label, kind(i)]) ?? [];
  return groups?.codes.some((code) => code < 0) ? [...entries, [texts.projection.noGroup, NONE]] : entries;
}

/** The smallest and largest of the numbers that are there. */
function rangeOf(values: Float64Array): [number, number] {
  const there = values.filter((value) => !Number.isNaN(value));
  return [there.reduce((a, b) => Math.min(a, b), Infinity), there.reduce((a, b) => Math.max(a, b), -Infinity)];
}

/** A marker as an SVG path around a place. */
export function marker({ shape }: Look, radius: number, x = 0, y = 0): string {
  return `M${shape.map(([dx, dy]) => `${f(x + dx * radius)},${f(y + dy * radius)}`).join("L")}Z`;
}
