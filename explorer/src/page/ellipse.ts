/** Ellipses of projected rows: half axes, outlines and boxes. */

import { hundredths as f } from "./format";

/** A 2 × 2 covariance [[xx, xy], [xy, yy]]. */
export interface Plane {
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
}

export interface Ellipse {
  /** Half axes in units of the covariance, the longer first. */
  readonly major: number;
  readonly minor: number;
  /** Angle of the longer one, in radians from x towards y. */
  readonly angle: number;
}

/** The radius, in standard deviations, that holds a share of a normal law in the plane. */
export function planeRadius(level: number): number {
  return Math.sqrt(-2 * Math.log1p(-level));
}

/** The half width, in standard deviations, that holds a share of a normal law on a line. */
export function lineRadius(level: number): number {
  // Newton's method on 2Φ(z) − 1 = level; the start is the tail's own bound.
  let z = Math.sqrt(-2 * Math.log1p(-level)) * 0.8;
  for (let k = 0; k < 30; k++) {
    const density = Math.sqrt(2 / Math.PI) * Math.exp(-0.5 * z * z);
    const step = (central(z) - level) / density;
    z -= step;
    if (Math.abs(step) < 1e-13) break;
  }
  return z;
}

/** P(|Z| ≤ z): the series of the error function, which for these few levels converges quickly. */
function central(z: number): number {
  let term = z;
  let sum = z;
  for (let k = 1; k < 200; k++) {
    term *= (z * z) / (2 * k + 1);
    sum += term;
    if (term < 1e-17 * sum) break;
  }
  return Math.sqrt(2 / Math.PI) * Math.exp(-0.5 * z * z) * sum;
}

/** Half axes and angle of the ellipse at `radius` standard deviations. */
export function ellipse(c: Plane, radius: number): Ellipse {
  const middle = 0.5 * (c.xx + c.yy);
  const half = Math.hypot(0.5 * (c.xx - c.yy), c.xy);
  const major = radius * Math.sqrt(Math.max(middle + half, 0));
  const minor = radius * Math.sqrt(Math.max(middle - half, 0));
  return { major, minor, angle: 0.5 * Math.atan2(2 * c.xy, c.xx - c.yy) };
}

/** The outline as an SVG path around (x, y) on a screen, where y points down; a line if flat. */
export function ellipsePath(x: number, y: number, e: Ellipse, unit: number): string {
  const a = e.major * unit;
  const b = e.minor * unit;
  const dx = a * Math.cos(e.angle);
  const dy = -a * Math.sin(e.angle);
  const turn = (-e.angle * 180) / Math.PI;
  const arc = `A${f(a)},${f(b)},${f(turn)},1,0,`;
  return `M${f(x + dx)},${f(y + dy)}${arc}${f(x - dx)},${f(y - dy)}${arc}${f(x + dx)},${f(y + dy)}Z`;
}
