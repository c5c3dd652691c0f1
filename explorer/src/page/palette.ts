/**
 * Colours, markers and dashes of rows and features.
 *
 * The colours are those of Okabe and Ito (2008), which people with every kind of colour vision can
 * tell apart, in the order of their contrast; yellow is left out, it vanishes on white. Marker and
 * dash change along with the colour, and on their own where there are more rows than colours.
 */

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b8588f", "#c98a00", "#3f9fd8", "#5b5b5b"];
const DARK = ["#4aa8e0", "#f07f2e", "#1fbf92", "#dd94bb", "#eab13c", "#86cdf7", "#b9b9b9"];

const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "5 2 1 2 1 2"];

/** Marker outlines within a circle of radius 1. */
const MARKERS: ReadonlyArray<ReadonlyArray<readonly [number, number]>> = [
  circle(16),
  [[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]],
  [[0, -1.15], [1.05, 0.75], [-1.05, 0.75]],
  [[0, -1.25], [1.05, 0], [0, 1.25], [-1.05, 0]],
  [[0, 1.15], [-1.05, -0.75], [1.05, -0.75]],
  [[-0.35, -1.1], [0.35, -1.1], [0.35, -0.35], [1.1, -0.35], [1.1, 0.35], [0.35, 0.35], [0.35, 1.1], [-0.35, 1.1], [-0.35, 0.35], [-1.1, 0.35], [-1.1, -0.35], [-0.35, -0.35]],
  star(5),
  hexagon(),
];

export type Theme = "light" | "dark";

export function colour(index: number, theme: Theme): string {
  const colours = theme === "dark" ? DARK : LIGHT;
  return colours[index % colours.length]!;
}

export function dash(index: number): string {
  return DASHES[Math.floor(index / LIGHT.length) % DASHES.length]!;
}

/** The outline of a row's marker as an SVG path around the origin. */
export function marker(index: number, radius: number): string {
  const points = outline(index);
  return `M${points.map(([x, y]) => `${round(x * radius)},${round(y * radius)}`).join("L")}Z`;
}

/** The points of a row's marker, within a circle of about radius 1. */
export function outline(index: number): ReadonlyArray<readonly [number, number]> {
  return MARKERS[index % MARKERS.length]!;
}

function round(x: number): number {
  return Math.round(x * 100) / 100;
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

function hexagon(): [number, number][] {
  return Array.from({ length: 6 }, (_, i) => {
    const angle = (Math.PI * i) / 3;
    return [1.05 * Math.cos(angle), 1.05 * Math.sin(angle)];
  });
}
