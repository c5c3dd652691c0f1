/** What is drawn beneath the rows: the original points, and of very many rows the density of them all and their means. */

import { addNormal, pointLevel, rings, type Grid } from "../core/contours";
import { together } from "../core/engine";
import type { Projection } from "../model";
import { svg } from "./dom";
import { hundredths as f } from "./format";
import { GREY, marker } from "./palette";
import type { Context, Scene } from "./scene";
import { rootOf, squaredDistance, type Box, type View } from "./view";

/** Probabilities of the shaded regions, the largest first, and how dark each is. */
const SHADES = [0.95, 0.8, 0.5];
const SHADE = 0.13;
/** Nodes along a side, values added up at them, and draws: while things move, and at rest. */
const MOVING = { nodes: 40, values: 60_000, draws: 4_000 };
const RESTING = { nodes: 80, values: 1_000_000, draws: 20_000 };
const REACH = 3.2; // standard deviations
const NARROWEST = 0.8; // of a kernel, in nodes
const [FARTHEST, FAR] = [5, 3.5]; // outlying rows at most, and standard deviations of all rows together from which on they are
const SHAPED = 1000; // more means than this are dots: so small, no shape can be told from another

/**
 * Nested regions that hold the shades of draws from the rows, taken as normal, where their average density is highest. For
 * that a row less than half as wide as it takes to have √N rows nearby, or as Scott's rule, is widened to that, as in
 * `plot.projection`.
 */
export function wholeDensity({ projection, weights, calm }: Pick<Scene, "projection" | "weights" | "calm">, extent: Box): Float64Array[][] {
  const { nodes, values, draws } = calm ? RESTING : MOVING;
  const { n, means, covariances: c } = projection;
  const step = [(extent.right - extent.left) / (nodes - 1), (extent.top - extent.bottom) / (nodes - 1)] as const;
  if (!(step[0] > 0 && step[1] > 0)) return SHADES.map(() => []);
  const grid: Grid = { cells: nodes, density: new Float64Array(nodes * nodes), low: [extent.left, extent.bottom], step };
  // In nodes: from Scott's rule down to the narrowest that has enough rows in a box about as large.
  const { covariances: all } = together({ ...projection, covariances: new Float64Array(3 * n) }, weights, new Int8Array(n), 1);
  const scott = Math.sqrt(Math.max(all[0] / step[0] ** 2, all[2] / step[1] ** 2)) * n ** (-1 / 6);
  const widths = new Float64Array(n).fill(Math.max(scott, NARROWEST));
  for (let width = scott; width > NARROWEST; width /= Math.SQRT2) {
    const held = new Float64Array(nodes * nodes);
    const side = Math.sqrt(2 * Math.PI) * width;
    const at = (row: number, k: 0 | 1) => Math.floor((means[2 * row + k] - grid.low[k]) / step[k] / side);
    const box = (row: number) => at(row, 0) * nodes + at(row, 1);
    for (let row = 0; row < n; row++) held[box(row)] += weights[row];
    for (let row = 0; row < n; row++) if (held[box(row)] >= n ** (-1 / 2)) widths[row] = width;
  }
  // Rows that are wide enough themselves are widened by no more than lets none fall between the nodes.
  let visits = 0;
  const wide = Array.from(widths, (width, row) => {
    const own = Math.min(c[3 * row] / step[0] ** 2, c[3 * row + 2] / step[1] ** 2);
    const extra = (own < 0.25 * width ** 2 ? width : NARROWEST) ** 2;
    const [a, b] = [c[3 * row] + extra * step[0] ** 2, c[3 * row + 2] + extra * step[1] ** 2];
    visits += Math.min((2 * REACH * Math.sqrt(a)) / step[0], nodes) * Math.min((2 * REACH * Math.sqrt(b)) / step[1], nodes);
    return [a, c[3 * row + 1], b] as const;
  });
  // More than a frame has time for are represented by some, whatever the order in which groups take turns.
  const share = Math.min(values / visits, 1);
  for (let row = 0; row < n; row++) {
    if (weights[row] > 0 && (row * (Math.SQRT2 - 1)) % 1 < share) addNormal(grid, weights[row], [means[2 * row], means[2 * row + 1]], wide[row], REACH);
  }
  const drawn = drawsOf(projection, weights, draws);
  return SHADES.map((probability) => rings(grid, pointLevel(grid, drawn, probability)));
}

/** Draws from the rows, as many of each as its weight says: even ones, by the powers of the plastic number. */
function drawsOf(projection: Projection, weights: Float64Array, count: number): [number, number][] {
  let [row, below] = [0, weights[0]];
  return Array.from({ length: count }, (_, k) => {
    while (row + 1 < projection.n && below < (k + 0.5) / count) below += weights[++row];
    const radius = Math.sqrt(-2 * Math.log(1 - ((0.7548776662466927 * k) % 1)));
    const angle = 2 * Math.PI * ((0.5698402909980532 * k) % 1);
    const [p, q, [a, b, c]] = [radius * Math.cos(angle), radius * Math.sin(angle), rootOf(projection, row)];
    return [projection.means[2 * row] + a * p, projection.means[2 * row + 1] + b * p + c * q];
  });
}

/** The rows farthest from the mean of all, if they are far in terms of K(1): those that `plot.projection` names. */
export function outlying({ projection, weights }: Pick<Scene, "projection" | "weights">): number[] {
  const { n, means } = projection;
  const { means: [x, y], covariances } = together(projection, weights, new Int8Array(n), 1);
  const distances = Float64Array.from({ length: n }, (_, row) => squaredDistance(covariances, 0, means[2 * row] - x, means[2 * row + 1] - y));
  const far = Array.from(distances.keys()).filter((row) => distances[row] > FAR ** 2);
  return far.sort((a, b) => distances[b] - distances[a] || a - b).slice(0, FARTHEST);
}

/** An area with its outline as an SVG path, or dots in the middle of squares of a side. */
type Layer = { readonly color: string; readonly opacity: number } & (
  | { readonly d: string }
  | { readonly side: number; readonly places: readonly (readonly [number, number])[] }
);

/** Shades, means and points, the lowest first; where rows are selected, the others fade. */
function layersOf(context: Context, scene: Scene, view: View, shades: readonly Float64Array[][] | null): Layer[] {
  const { data, looks } = context;
  const { state, theme, projection, points } = scene;
  const chosen = new Set(state.selection);
  const layers: Layer[] = (shades ?? []).map((region) => ({ color: GREY[theme], opacity: SHADE, d: view.rings(region) }));
  // The more means there are the fainter they are: the shades stay visible.
  const radius = Math.max(1.2, Math.min(2.6, 32 / Math.sqrt(data.n)));
  const opacity = chosen.size ? 0.2 : Math.max(0.25, Math.min(0.75, 25 / Math.sqrt(data.n)));
  for (const [look, rows] of shades ? Map.groupBy(looks.keys(), (row) => looks[row]) : []) {
    const places = rows.map((row) => [view.x(projection.means[2 * row]), view.y(projection.means[2 * row + 1])] as const);
    const color = look[theme];
    if (data.n > SHAPED) layers.push({ color, opacity, side: 1.7 * radius, places });
    else layers.push({ color, opacity, d: places.map((place) => marker(look, radius, ...place)).join("") });
  }
  if (!points || !data.points) return layers;
  const { rows: owners } = data.points;
  const side = owners.length > 2000 ? 1.6 : 2.6;
  for (const [look, members] of Map.groupBy(owners.keys(), (k) => looks[owners[k]])) {
    for (const faded of [true, false]) {
      const some = members.filter((k) => faded === (chosen.size > 0 && !chosen.has(owners[k])));
      const places = some.map((k) => [view.x(points[2 * k]), view.y(points[2 * k + 1])] as const);
      layers.push({ color: look[theme], opacity: faded ? 0.06 : 0.45, side, places });
    }
  }
  return layers;
}

/** A canvas beneath a picture. */
export function crowdCanvas(context: Context) {
  const node = document.createElement("canvas");
  node.className = "uapca-canvas";
  node.setAttribute("aria-hidden", "true");
  const pen = node.getContext("2d")!;
  return {
    node,
    draw(scene: Scene, view: View, size: { width: number; height: number }, shades: readonly Float64Array[][] | null): void {
      const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
      const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
      if (node.width !== width || node.height !== height) Object.assign(node, { width, height });
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, width, height);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      for (const layer of layersOf(context, scene, view, shades)) {
        pen.fillStyle = layer.color;
        pen.globalAlpha = layer.opacity;
        if ("d" in layer) pen.fill(new Path2D(layer.d));
        else for (const [x, y] of layer.places) pen.fillRect(x - layer.side / 2, y - layer.side / 2, layer.side, layer.side);
      }
    },
  };
}

/** What is on the canvas, as SVG, for an export. */
export function crowdSvg(context: Context, scene: Scene, view: View, shades: readonly Float64Array[][] | null): SVGGElement {
  const paths = layersOf(context, scene, view, shades).map((layer) => {
    if ("d" in layer) return svg("path", { d: layer.d, fill: layer.color, "fill-opacity": layer.opacity });
    const d = layer.places.map(([x, y]) => `M${f(x)},${f(y)}h0`).join("");
    return svg("path", { d, stroke: layer.color, "stroke-width": layer.side, "stroke-linecap": "round", "stroke-opacity": layer.opacity });
  });
  return svg("g", {}, ...paths);
}
