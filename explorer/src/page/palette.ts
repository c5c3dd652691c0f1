/**
 * Colors, markers and dashes of rows and features.
 *
 * The colors are those of Okabe and Ito (2008), which people with every kind of color vision can
 * tell apart, in the order of their contrast; yellow is left out, it vanishes on white. Marker and
 * dash change along with the color, and on their own where there are more rows than colors.
 */

import { hundredths as f } from "./format";

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
// On a dark page blue and black would vanish: the same hues, lighter.
const DARK = ["#4ba6e3", "#ee7b30", "#1fb890", "#dd92bc", "#efb02e", "#93d2f8", "#e4e4e4"];

const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "5 2 1 2 1 2"];

type Outline = ReadonlyArray<readonly [number, number]>;

const CROSS: Outline = [
  [-0.35, -1.1],
  [0.35, -1.1],
  [0.35, -0.35],
  [1.1, -0.35],
  [1.1, 0.35],
  [0.35, 0.35],
  [0.35, 1.1],
  [-0.35, 1.1],
  [-0.35, 0.35],
  [-1.1, 0.35],
  [-1.1, -0.35],
  [-0.35, -0.35],
];

/** Marker outlines within a circle of radius 1. */
const MARKERS: readonly Outline[] = [
  circle(16),
  [
    [-0.85, -0.85],
    [0.85, -0.85],
    [0.85, 0.85],
    [-0.85, 0.85],
  ],
  [
    [0, -1.15],
    [1.05, 0.75],
    [-1.05, 0.75],
  ],
  [
    [0, -1.25],
    [1.05, 0],
    [0, 1.25],
    [-1.05, 0],
  ],
  [
    [0, 1.15],
    [-1.05, -0.75],
    [1.05, -0.75],
  ],
  CROSS,
  star(5),
  turned(CROSS, Math.PI / 4),
];

export type Theme = "light" | "dark";

// Seven points of viridis, which rises evenly in lightness; between them colors are mixed.
const VIRIDIS = ["#440154", "#443983", "#31688e", "#21918c", "#35b779", "#90d743", "#fde725"];
const STEPS = 120;
const FIRST = 1 << 20; // entries of the palette from here on are numbers, not groups

/** The entry of the palette for a number from 0 to 1. */
export function continuous(share: number): number {
  return FIRST + Math.round(share * STEPS);
}

function mixed(share: number): string {
  const at = Math.min(Math.max(share, 0), 1) * (VIRIDIS.length - 1);
  const low = Math.min(Math.floor(at), VIRIDIS.length - 2);
  const part = (k: number) => {
    const [a, b] = [VIRIDIS[low], VIRIDIS[low + 1]].map((text) => parseInt(text!.slice(1 + 2 * k, 3 + 2 * k), 16));
    return Math.round(a! + (at - low) * (b! - a!));
  };
  return `rgb(${part(0)}, ${part(1)}, ${part(2)})`;
}

export function color(index: number, theme: Theme): string {
  if (index >= FIRST) return mixed((index - FIRST) / STEPS);
  const colors = theme === "dark" ? DARK : LIGHT;
  return colors[index % colors.length]!;
}

export function dash(index: number): string {
  if (index >= FIRST) return "";
  return DASHES[Math.floor(index / LIGHT.length) % DASHES.length]!;
}

/** The outline of a row's marker as an SVG path around the origin. */
export function marker(index: number, radius: number): string {
  const points = outline(index);
  return `M${points.map(([x, y]) => `${f(x * radius)},${f(y * radius)}`).join("L")}Z`;
}

/** The points of a row's marker, within a circle of about radius 1. */
export function outline(index: number): Outline {
  return MARKERS[index >= FIRST ? 0 : index % MARKERS.length]!;
}

function circle(count: number): [number, number][] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    return [Math.cos(angle), Math.sin(angle)];
  });
}

function star(points: number): [number, number][] {
  return Array.from({ length: 2 * points }, (_, i) => {
    const angle = (Math.PI * i) / points - Math.PI / 2;
    const radius = i % 2 ? 0.55 : 1.25;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

function turned(shape: Outline, angle: number): Outline {
  const [c, k] = [Math.cos(angle), Math.sin(angle)];
  return shape.map(([x, y]) => [c * x - k * y, k * x + c * y]);
}
