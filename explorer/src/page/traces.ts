/**
 * Factor traces (Görtler et al. 2020, Sec. "Factor Traces"): where the unit vector of each feature
 * lies in the picture, for every s. The area is shaded for 0 ≤ s ≤ 1; beyond, there is a line alone,
 * with an arrowhead at s = ∞. Signs have no meaning, hence the mirrored twin.
 */

import type { Path } from "../model";
import { chart, pointsAtFeatures } from "./chart";
import { pool, set, setText, svg } from "./dom";
import { hundredths as f, lineThrough, unbroken } from "./format";
import { placed, textWidth, type Anchor } from "./labels";
import { kind, marker, PALE } from "./palette";
import { has, type Context, type Panel, type Scene } from "./scene";
import { texts } from "./texts";

const MOST = 40; // features that are drawn
const POINT = 4e-3; // a trace shorter than this, in radii, is a point
const NAMED = 6; // features with the longest traces: the only ones in color where there are more (paper, Sec. 5.2)
const MARGIN = 2.2; // around the circle, in heights of the text

/** A trace: its feature, its places in pixels from the centre, how far they reach, and its length. */
interface Trace {
  readonly feature: number;
  readonly points: Float64Array;
  readonly reach: number;
  readonly length: number;
}

export function traces(context: Context): Panel {
  const { data } = context;
  const view = chart(context, "traces");
  const circle = svg("circle", { class: "uapca-circle" });
  const axes = [svg("line"), svg("line")];
  const axisNames = [svg("text", { class: "uapca-axis-name" }), svg("text", { class: "uapca-axis-name" })];
  const lines = svg("g");
  const [ray, rayEnd] = [svg("line"), svg("path")];
  const direction = svg("g", { class: "uapca-ray" }, ray, rayEnd);
  const names = svg("g", { class: "uapca-labels" });
  const grid = svg("g", { class: "uapca-grid-lines" }, circle, ...axes, ...axisNames);
  const centre = svg("g", {}, grid, lines, direction, names);
  view.svg.append(centre);
  lines.classList.toggle("is-many", data.d > NAMED);

  let groups: readonly SVGGElement[] = [];
  const places = new Map<number, number>();
  let radius = 1;
  let drawn: Trace[] = [];
  let path: Path | null = null; // as drawn
  let leading: readonly number[] = []; // features with the longest traces

  /** The feature whose trace is within reach of the pointer. */
  pointsAtFeatures(view.stage, view.stage, context, (event) => {
    const box = view.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - view.size.width / 2, event.clientY - box.top - view.size.height / 2];
    let best = 14;
    let found: number | null = null;
    for (const { points, feature } of drawn) {
      for (let k = 0; k < points.length; k += 2) {
        // Of a point or its mirror image.
        const distance = Math.min(Math.hypot(points[k] - x, points[k + 1] - y), Math.hypot(points[k] + x, points[k + 1] + y));
        if (distance < best) [best, found] = [distance, feature];
      }
    }
    return found;
  });

  function outline({ path, state, theme }: Scene): void {
    const { width, height } = view.size;
    const { em } = view.type;
    radius = Math.max(Math.min(width, height) / 2 - MARGIN * em, 20);
    set(centre, { transform: `translate(${width / 2},${height / 2})` });
    set(circle, { r: radius });
    set(axes[0], { x1: -radius, x2: radius, y1: 0, y2: 0 });
    set(axes[1], { x1: 0, x2: 0, y1: -radius, y2: radius });
    setText(axisNames[0], texts.traces.across(texts.component(state.pair[0])));
    set(axisNames[0], { x: radius, y: radius + 1.5 * em, "text-anchor": "end" });
    setText(axisNames[1], texts.traces.along(texts.component(state.pair[1])));
    set(axisNames[1], { x: -radius, y: -radius - 0.7 * em, "text-anchor": "start" });

    const breaks = new Set(path.breaks.filter(({ ranks }) => ranks.some((i) => state.pair.includes(i))).map(({ at }) => at));
    const all = data.features.map((_, feature) => traceOf(path, state.pair, feature, radius, breaks));
    // Of very many those that reach farthest from the centre, in the order of the features.
    const farthest = [...all].sort((p, q) => q.reach - p.reach).slice(0, MOST);
    // Of traces that are no more than points, those whose end is farthest out, as in the plots.
    const moved = ({ length }: Trace) => (length < POINT * radius ? 0 : length);
    const out = ({ points }: Trace) => Math.hypot(points.at(-2)!, points.at(-1)!);
    const longest = [...all].sort((p, q) => moved(q) - moved(p) || out(q) - out(p)).slice(0, NAMED);
    drawn = data.d > MOST ? all.filter((one) => farthest.includes(one) || longest.includes(one)) : all;
    leading = longest.map((one) => one.feature);
    groups = pool(lines, drawn.length, traceNode);
    const [middle, last] = [path.u.findIndex((u) => u >= 0.5), path.u.length - 1];
    drawn.forEach(({ feature, points }, i) => {
      const leads = leading.includes(feature);
      const color = leads ? kind(feature)[theme] : PALE[theme];
      const dashes = { stroke: color, "stroke-dasharray": leads ? kind(feature).dash : undefined };
      set(groups[i], { "data-feature": feature });
      groups[i].classList.toggle("is-rest", !leads);
      const [twin, shade, far, near, head, spoke, dot] = groups[i].children;
      const line = lineThrough(points, 0, middle, breaks);
      set(twin, { d: lineThrough(points, 0, last, breaks), ...dashes });
      // The area between the centre and each stretch of the line.
      set(shade, { d: line.replaceAll("M", "M0,0L"), fill: color });
      set(far, { d: lineThrough(points, middle, last, breaks), ...dashes });
      set(near, { d: line, ...dashes });
      set(head, { d: arrowhead(points), fill: color });
      set(spoke, { stroke: color });
      set(dot, { fill: color });
    });
    setText(view.note, unbroken(texts.traces.note) + (data.d > NAMED ? texts.traces.longest(NAMED, data.d) : ""));
  }

  function current({ fit, state, feature: focused }: Scene): void {
    const { width, height } = view.size;
    const anchors = drawn.map(({ feature }, i): Anchor => {
      const [x, y] = state.pair.map((component, k) => (k ? -radius : radius) * fit.components[component * fit.d + feature]);
      const [spoke, dot] = [groups[i].children[5], groups[i].children[6]];
      set(spoke, { x2: x, y2: y });
      set(dot, { cx: x, cy: y });
      const forced = feature === focused;
      groups[i].classList.toggle("is-on", forced);
      groups[i].classList.toggle("is-off", focused !== null && !forced);
      const wide = textWidth(context.short.features[feature], view.type.font) + 3;
      return { index: feature, x: x + width / 2, y: y + height / 2, width: wide, height: 1.2 * view.type.em, forced };
    });
    const rank = ({ index }: Anchor) => leading.indexOf(index);
    // Many features hardly show in the picture: their names would only crowd its centre.
    const near = data.d > NAMED ? 0.12 * radius : 0;
    const away = ({ x, y }: Anchor) => Math.hypot(x - width / 2, y - height / 2) >= near;
    const chosen = anchors.filter((anchor) => anchor.forced || (rank(anchor) >= 0 && away(anchor)));
    chosen.sort((p, q) => Number(q.forced) - Number(p.forced) || rank(p) - rank(q));
    const put = placed(chosen, { left: 1, top: 1, right: width - 1, bottom: height - 1 }, places, anchors);
    const labels = pool(names, put.length, () => svg("text", { class: "uapca-label", "dominant-baseline": "central" }));
    put.forEach(({ index, x, y }, i) => {
      setText(labels[i], context.short.features[index]);
      set(labels[i], { x: x - width / 2, y: y - height / 2 });
      labels[i].classList.toggle("is-on", index === focused);
    });
  }

  /** The direction in which the row in focus lies. */
  function point({ row, projection, theme }: Scene): void {
    const [x, y] = row === null ? [0, 0] : projection.means.subarray(2 * row, 2 * row + 2);
    const length = Math.hypot(x, y);
    set(direction, { visibility: length > 0 ? "visible" : "hidden" });
    if (row === null || !(length > 0)) return;
    const [px, py, look] = [(radius * x) / length, (-radius * y) / length, context.looks[row]];
    set(ray, { x2: px, y2: py, stroke: look[theme] });
    set(rayEnd, { d: marker(look, 5), transform: `translate(${px},${py})`, fill: look[theme] });
  }

  return {
    node: view.node,
    picture: () => view.svg,
    draw(scene, changes) {
      if (!view.size.width) return;
      if (data.q < 2) return setText(view.note, texts.traces.one);
      if (scene.path !== path || has(changes, "pair", "size", "theme")) outline(scene);
      path = scene.path;
      current(scene);
      point(scene);
    },
  };
}

/** The elements of a trace, in the order in which they are drawn. */
function traceNode(): SVGGElement {
  return svg(
    "g",
    { class: "uapca-trace" },
    svg("path", { class: "uapca-twin", transform: "scale(-1)" }),
    svg("path", { class: "uapca-shade" }),
    svg("path", { class: "uapca-far" }),
    svg("path", { class: "uapca-near" }),
    svg("path", { class: "uapca-head-mark" }),
    svg("line", { class: "uapca-spoke", x1: 0, y1: 0 }),
    svg("circle", { class: "uapca-dot", r: 4.5 }),
  );
}

function traceOf(path: Path, [a, b]: readonly [number, number], feature: number, radius: number, breaks: ReadonlySet<number>): Trace {
  const { u, q, d, components } = path;
  const points = new Float64Array(2 * u.length);
  let [reach, length] = [0, 0];
  for (let k = 0; k < u.length; k++) {
    points[2 * k] = radius * components[(k * q + a) * d + feature];
    points[2 * k + 1] = -radius * components[(k * q + b) * d + feature];
    reach = Math.max(reach, Math.hypot(points[2 * k], points[2 * k + 1]));
    if (k && !breaks.has(k)) length += Math.hypot(points[2 * k] - points[2 * k - 2], points[2 * k + 1] - points[2 * k - 1]);
  }
  return { feature, points, reach, length };
}

/** An arrowhead at s = ∞, in the direction in which the trace arrives; a ring if it stands still. */
function arrowhead(points: Float64Array): string {
  const last = points.length - 2;
  const [x, y] = [points[last], points[last + 1]];
  for (let k = last - 2; k >= 0; k -= 2) {
    const length = Math.hypot(x - points[k], y - points[k + 1]);
    if (length < 4) continue;
    const [dx, dy] = [(x - points[k]) / length, (y - points[k + 1]) / length];
    const [bx, by] = [x - 9 * dx, y - 9 * dy];
    return `M${f(x)},${f(y)}L${f(bx - 4 * dy)},${f(by + 4 * dx)}L${f(bx + 4 * dy)},${f(by - 4 * dx)}Z`;
  }
  return `M${f(x - 3)},${f(y)}a3,3,0,1,0,6,0a3,3,0,1,0,-6,0Z`;
}
