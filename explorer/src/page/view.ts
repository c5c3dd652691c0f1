/** From the plane of the components to the screen and back, with the same unit on both axes; ellipses there. */

import { areaOf } from "../core/contours";
import type { Projection } from "../model";
import { hundredths as f, lineThrough } from "./format";

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The box between two of its corners on the screen. */
export function boxOf(a: { x: number; y: number }, b: { x: number; y: number }): Box {
  return { left: Math.min(a.x, b.x), right: Math.max(a.x, b.x), top: Math.min(a.y, b.y), bottom: Math.max(a.y, b.y) };
}

export class View {
  /** Pixels for one unit of the components, before zooming. */
  private unit = 1;
  private centre: readonly [number, number] = [0, 0];
  private half: readonly [number, number] = [1, 1];
  private middle: readonly [number, number] = [0, 0];
  /** Zoom factor and shift in pixels. */
  zoom = { k: 1, x: 0, y: 0 };
  /** Whether the second axis has a unit of its own: strips of rows for a single component. */
  private strips = 0;

  /**
   * Makes an extent fit into a frame on screen: anew for a new question. For one that only moves, the
   * view grows when it must, and shrinks when it is filled to less than a share `slack`, so that it
   * does not breathe with every frame.
   */
  fit(extent: Box, frame: Box, slack: number, strips = 0): void {
    const width = Math.max(frame.right - frame.left, 20);
    const height = Math.max(frame.bottom - frame.top, 20);
    this.middle = [frame.left + width / 2, frame.top + height / 2];
    this.strips = strips;
    const wanted = [(extent.right - extent.left) / 2, strips ? 0 : (extent.top - extent.bottom) / 2] as const;
    const centre = [(extent.left + extent.right) / 2, strips ? 0 : (extent.bottom + extent.top) / 2] as const;
    const needed = Math.max(wanted[0] / width, wanted[1] / height);
    const present = Math.max(this.half[0] / width, this.half[1] / height);
    const outside =
      Math.abs(centre[0] - this.centre[0]) + wanted[0] > present * width * 1.001 ||
      Math.abs(centre[1] - this.centre[1]) + wanted[1] > present * height * 1.001;
    if (outside || needed < slack * present) {
      const margin = 1.08;
      this.half = [wanted[0] * margin || (wanted[1] * margin * width) / height || 1, wanted[1] * margin];
      this.centre = centre;
    }
    this.unit = 0.5 / Math.max(this.half[0] / width, this.half[1] / height);
  }

  /** Pixels for one unit, zoom included. */
  get scale(): number {
    return this.unit * this.zoom.k;
  }

  x(value: number): number {
    return this.zoom.k * (this.middle[0] + (value - this.centre[0]) * this.unit) + this.zoom.x;
  }

  /** Of a value, or of a row where there is one component and rows lie below each other. */
  y(value: number): number {
    if (this.strips) {
      const step = Math.min((2 * this.middle[1] * 0.8) / this.strips, 40);
      return this.middle[1] + (value - (this.strips - 1) / 2) * step;
    }
    return this.zoom.k * (this.middle[1] - (value - this.centre[1]) * this.unit) + this.zoom.y;
  }

  invertX(px: number): number {
    return ((px - this.zoom.x) / this.zoom.k - this.middle[0]) / this.unit + this.centre[0];
  }

  invertY(px: number): number {
    return (this.middle[1] - (px - this.zoom.y) / this.zoom.k) / this.unit + this.centre[1];
  }

  /** Rings in the plane as an SVG path. */
  rings(rings: readonly Float64Array[]): string {
    const lines = rings.map((ring) => lineThrough(ring.map((value, k) => (k % 2 ? this.y(value) : this.x(value)))));
    return lines.map((line) => `${line}Z`).join("");
  }

  /** A line through the middles of the outer rings: what belongs to one row. Nothing for a single one. */
  modes(rings: readonly Float64Array[]): string {
    const parts = rings.map(areaOf);
    const largest = parts.reduce((most, { area }) => (Math.abs(area) > Math.abs(most) ? area : most), 0);
    const outer = parts.filter(({ area }) => area * largest > 0); // holes go the other way round
    const line = outer.flatMap(({ middle: [x, y] }) => [this.x(x), this.y(y)]);
    return outer.length > 1 ? lineThrough(Float64Array.from(line)) : "";
  }

  /** Where a row is on the screen: its mean, and the Cholesky factor of its covariance. */
  spread(projection: Projection, row: number): Spread {
    const { means } = projection;
    const [a, b, c] = rootOf(projection, row);
    return [this.x(means[2 * row]), this.y(means[2 * row + 1]), this.scale * a, -this.scale * b, -this.scale * c];
  }

  /** The ellipse of a row at `radius` standard deviations as an SVG path; a line if flat. */
  ellipse({ means, covariances: c }: Projection, row: number, radius: number): string {
    const [xx, xy, yy] = [c[3 * row], c[3 * row + 1], c[3 * row + 2]];
    const [middle, half] = [0.5 * (xx + yy), Math.hypot(0.5 * (xx - yy), xy)];
    const [a, b] = [middle + half, middle - half].map((variance) => radius * Math.sqrt(Math.max(variance, 0)) * this.scale);
    const angle = 0.5 * Math.atan2(2 * xy, xx - yy);
    const [x, y] = [this.x(means[2 * row]), this.y(means[2 * row + 1])];
    const [dx, dy] = [a * Math.cos(angle), -a * Math.sin(angle)];
    const arc = `A${f(a)},${f(b)},${f((-angle * 180) / Math.PI)},1,0,`;
    return `M${f(x + dx)},${f(y + dy)}${arc}${f(x - dx)},${f(y - dy)}${arc}${f(x + dx)},${f(y + dy)}Z`;
  }

  /** The interval of a row on a single component. */
  interval({ means, covariances }: Projection, row: number, radius: number): string {
    const half = radius * Math.sqrt(Math.max(covariances[3 * row], 0));
    const [a, b, y] = [this.x(means[2 * row] - half), this.x(means[2 * row] + half), this.y(row)];
    return `M${f(a)},${f(y - 6)}V${f(y + 6)}M${f(a)},${f(y)}H${f(b)}M${f(b)},${f(y - 6)}V${f(y + 6)}`;
  }
}

/** The Cholesky factor of a row's covariance: its first column, and the end of its second. */
export function rootOf({ covariances: c }: Projection, row: number): [number, number, number] {
  const a = Math.sqrt(Math.max(c[3 * row], 0));
  const b = a > 0 ? c[3 * row + 1] / a : 0;
  return [a, b, Math.sqrt(Math.max(c[3 * row + 2] - b * b, 0))];
}

/** The squared distance of a place from the mean of a row, in its standard deviations; along the line of a flat one. */
export function squaredDistance(c: Float64Array, row: number, dx: number, dy: number): number {
  const [xx, xy, yy] = c.subarray(3 * row, 3 * row + 3);
  const area = xx * yy - xy * xy;
  return area > 1e-12 * xx * yy ? (yy * dx * dx - 2 * xy * dx * dy + xx * dy * dy) / area : (dx * dx + dy * dy) / (xx + yy);
}

export type Spread = readonly [x: number, y: number, a: number, b: number, c: number];

/** The transform that takes a row from where it was to where it is now; none where it has not moved. */
export function carried(before: Spread, now: Spread): string | undefined {
  if (before.every((value, k) => value === now[k])) return undefined;
  const [x, y, a, b, c] = before;
  const [across, along] = [now[2] / a, now[4] / c];
  const shear = (now[3] - along * b) / a;
  const [left, top] = [now[0] - across * x, now[1] - shear * x - along * y];
  return `matrix(${across},${shear},0,${along},${left},${top})`;
}

/** How much room is needed by all regions, of rows and groups, and, if shown, by the original points. */
export function extentOf(all: readonly (Projection | false)[], points: Float64Array | null, radius: number): Box {
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  const include = (x: number, y: number, dx: number, dy: number) => {
    left = Math.min(left, x - dx);
    right = Math.max(right, x + dx);
    bottom = Math.min(bottom, y - dy);
    top = Math.max(top, y + dy);
  };
  for (const shown of all) {
    for (let k = 0; shown && k < shown.n; k++) {
      const [dx, dy] = [0, 2].map((at) => radius * Math.sqrt(Math.max(shown.covariances[3 * k + at], 0)));
      include(shown.means[2 * k], shown.means[2 * k + 1], dx, dy);
    }
  }
  for (let k = 0; points && k < points.length; k += 2) include(points[k], points[k + 1], 0, 0);
  if (!(right > left) && !(top > bottom)) include(left, bottom, 1, 1);
  return { left, right, bottom, top };
}

/** The radius, in standard deviations, that holds a share of a normal law in the plane. */
export function planeRadius(level: number): number {
  return Math.sqrt(-2 * Math.log1p(-level));
}

/** The half width, in standard deviations, that holds a share of a normal law on a line. */
export function lineRadius(level: number): number {
  // Newton's method on 2Φ(z) − 1 = level, with the series of the error function.
  let z = 0.8 * planeRadius(level);
  for (let k = 0; k < 30; k++) {
    const density = Math.sqrt(2 / Math.PI) * Math.exp(-0.5 * z * z);
    let [term, sum] = [z, z];
    for (let i = 1; term > 1e-17 * sum; i++) sum += term *= (z * z) / (2 * i + 1);
    z -= sum - level / density;
  }
  return z;
}
