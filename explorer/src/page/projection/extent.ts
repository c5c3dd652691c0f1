/** How much room the rows need on the plane of the components. */

import type { Scene } from "../scene";
import type { Extent } from "./view";

/** Around all regions and, if shown, the original points. */
export function extentOf(scene: Scene, radius: number): Extent {
  const { n, means, covariances } = scene.projection;
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  const include = (x: number, y: number, dx: number, dy: number) => {
    left = Math.min(left, x - dx);
    right = Math.max(right, x + dx);
    bottom = Math.min(bottom, y - dy);
    top = Math.max(top, y + dy);
  };
  for (let row = 0; row < n; row++) {
    const dx = radius * Math.sqrt(Math.max(covariances[3 * row], 0));
    const dy = radius * Math.sqrt(Math.max(covariances[3 * row + 2], 0));
    include(means[2 * row], means[2 * row + 1], dx, dy);
  }
  const { points } = scene;
  if (points) for (let k = 0; k < points.length; k += 2) include(points[k], points[k + 1], 0, 0);
  if (!(right > left) && !(top > bottom)) {
    const [x, y] = Number.isFinite(left) ? [left, bottom] : [0, 0];
    return { left: x - 1, right: x + 1, bottom: y - 1, top: y + 1 };
  }
  return { left, right, bottom, top };
}
