/** The numbers on display as `data-*` attributes of the root, with all their digits. */

import { set } from "./dom";
import { exact, exactList } from "./format";
import type { Scene } from "./scene";

export function publish(root: HTMLElement, scene: Scene): void {
  const { state, fit, projection, weights } = scene;
  const shown = state.pair.map((i) => fit.components.subarray(i * fit.d, (i + 1) * fit.d));
  set(root, {
    "data-scale": exact(state.scale),
    "data-pair": state.pair.join(" "),
    "data-level": exact(state.level),
    "data-standardize": String(state.standardize),
    "data-selection": state.selection.join(" "),
    "data-mean": exactList(fit.mean),
    "data-units": exactList(fit.units),
    "data-eigenvalues": exactList(fit.eigenvalues),
    "data-shares": exactList(fit.shares),
    "data-components": shown.map(exactList).join(" "),
    "data-means": exactList(projection.means),
    "data-covariances": exactList(projection.covariances),
    "data-weights": exactList(weights),
    "data-crossings": exactList(scene.crossings.map((c) => c.scale)),
  });
}
