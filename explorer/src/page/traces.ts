/**
 * Factor traces (Görtler et al. 2020, Sec. "Factor Traces"): where the unit vector of each feature
 * lies in the picture, for every s. The area is shaded for 0 ≤ s ≤ 1; beyond, there is a line alone,
 * with an arrowhead at s = ∞. Signs have no meaning, hence the mirrored twin.
 */

import type { Path } from "../model";
import { chart } from "./chart";
import { pool, set, setText, shortened, svg } from "./dom";
import { hundredths as f, unbroken } from "./format";
import { placed, textWidth, type Anchor } from "./labels";
import { color, dash, marker } from "./palette";
import { has, type Changes, type Context, type Panel, type Scene } from "./scene";
import { texts } from "./texts";
import { walks } from "./walk";

const MOST = 40; // features that are drawn
const NAMED = 6; // features with the longest traces: the only ones in color where there are more (paper, Sec. 5.2)
const MARGIN = 2.2; // around the circle, in heights of the text

interface Trace {
  readonly group: SVGGElement;
  readonly twin: SVGPathElement;
  readonly shade: SVGPathElement;
  readonly near: SVGPathElement;
  readonly far: SVGPathElement;
  readonly head: SVGPathElement;
  readonly spoke: SVGLineElement;
  readonly dot: SVGCircleElement;
  feature: number;
  /** Pixels from the centre, for the pointer. */
  points: Float64Array;
}

export function traces(context: Context): Panel {
  const { data, host } = context;
  const view = chart(
    "traces",
    texts.traces.title,
    texts.traces.label,
    () => context.redraw("size"),
  );
  const grid = svg("g", { class: "uapca-grid-lines" });
  const lines = svg("g");
  const ray = svg("g", { class: "uapca-ray" }, svg("line"), svg("path"));
  const names = svg("g", { class: "uapca-labels" });
  const centre = svg("g", {}, grid, lines, ray, names);
  view.svg.append(centre);
  const circle = svg("circle", { class: "uapca-circle" });
  const axes = [svg("line"), svg("line")];
  const axisNames = [svg("text", { class: "uapca-axis-name" }), svg("text", { class: "uapca-axis-name" })];
  grid.append(circle, ...axes, ...axisNames);

  const drawn: Trace[] = [];
  const labels: SVGTextElement[] = [];
  const places = new Map<number, number>();
  let radius = 1;
  let scene: Scene | null = null;
  let path: Path | null = null; // as drawn
  let leading: readonly number[] = []; // features with the longest traces

  const pin = (feature: number) => {
    context.choose({ pinned: scene?.options.pinned === feature ? null : feature });
  };
  walks(view.stage, context, "feature", pin);
  view.stage.addEventListener("pointermove", (event) => {
    const index = nearest(event);
    const { hovered } = host.get();
    if (index === null ? hovered?.kind === "feature" : hovered?.kind !== "feature" || hovered.index !== index) {
      host.set({ hovered: index === null ? null : { kind: "feature", index } });
    }
  });
  view.stage.addEventListener("pointerleave", () => {
    if (host.get().hovered?.kind === "feature") host.set({ hovered: null });
  });
  view.stage.addEventListener("click", (event) => {
    const index = nearest(event);
    if (index !== null) pin(index);
    else context.choose({ pinned: null });
  });

  /** The feature whose trace, or its twin, is within reach of the pointer. */
  function nearest(event: MouseEvent): number | null {
    const box = view.svg.getBoundingClientRect();
    const x = event.clientX - box.left - view.size.width / 2;
    const y = event.clientY - box.top - view.size.height / 2;
    let best = 14 * 14;
    let found: number | null = null;
    for (const { points, feature } of drawn) {
      for (let k = 0; k < points.length; k += 2) {
        const dx = Math.abs(points[k] - x);
        const dy = Math.abs(points[k + 1] - y);
        const distance = dx * dx + dy * dy;
        if (distance < best) {
          best = distance;
          found = feature;
        }
      }
    }
    return found;
  }

  function outline(scene: Scene): void {
    const { width, height } = view.size;
    const { path, state } = scene;
    radius = Math.max(Math.min(width, height) / 2 - MARGIN * view.type.em, 20);
    set(centre, { transform: `translate(${width / 2},${height / 2})` });
    lines.classList.toggle("is-many", data.d > NAMED);
    set(circle, { r: radius });
    set(axes[0], { x1: -radius, x2: radius, y1: 0, y2: 0 });
    set(axes[1], { x1: 0, x2: 0, y1: -radius, y2: radius });
    setText(axisNames[0], `${texts.component(state.pair[0])} →`);
    set(axisNames[0], { x: radius, y: radius + 1.5 * view.type.em, "text-anchor": "end" });
    setText(axisNames[1], `↑ ${texts.component(state.pair[1])}`);
    set(axisNames[1], { x: -radius, y: -radius - 0.7 * view.type.em, "text-anchor": "start" });

    const shown = longest(scene, MOST);
    while (drawn.length > shown.length) drawn.pop()!.group.remove();
    while (drawn.length < shown.length) {
      const one = trace();
      drawn.push(one);
      lines.append(one.group);
    }
    const [a, b] = state.pair;
    const breaks = new Set(
      path.breaks.filter(({ ranks }) => ranks.includes(a) || ranks.includes(b)).map(({ at }) => at),
    );
    shown.forEach((feature, i) => {
      const one = drawn[i];
      one.feature = feature;
      one.points = new Float64Array(2 * path.u.length);
      for (let k = 0; k < path.u.length; k++) {
        one.points[2 * k] = radius * path.components[(k * path.q + a) * path.d + feature];
        one.points[2 * k + 1] = -radius * path.components[(k * path.q + b) * path.d + feature];
      }
      const middle = path.u.findIndex((u) => u >= 0.5);
      const last = path.u.length - 1;
      const near = segments(one.points, breaks, 0, middle);
      const all = segments(one.points, breaks, 0, last);
      set(one.near, { d: near });
      set(one.far, { d: segments(one.points, breaks, middle, last) });
      set(one.twin, { d: all });
      set(one.shade, { d: fans(one.points, breaks, middle) });
      set(one.head, { d: head(one.points) });
    });
    const length = ({ points }: Trace) => {
      let sum = 0;
      for (let k = 2; k < points.length; k += 2) {
        if (!breaks.has(k / 2)) sum += Math.hypot(points[k] - points[k - 2], points[k + 1] - points[k - 1]);
      }
      return sum;
    };
    const lengths = new Map(drawn.map((one) => [one.feature, length(one)]));
    leading = [...lengths.keys()].sort((i, j) => lengths.get(j)! - lengths.get(i)! || i - j).slice(0, NAMED);
    for (const one of drawn) paint(one, scene);
    setText(view.note, unbroken(texts.traces.note) + (data.d > NAMED ? texts.traces.longest(NAMED, data.d) : ""));
  }

  function paint(one: Trace, scene: Scene): void {
    const leads = leading.includes(one.feature);
    const stroke = leads ? color(one.feature, scene.theme) : scene.theme === "dark" ? "#5d666f" : "#aab2ba";
    const dashes = (leads && dash(one.feature)) || undefined;
    set(one.group, { "data-feature": one.feature });
    one.group.classList.toggle("is-rest", !leads);
    for (const line of [one.near, one.far, one.twin]) set(line, { stroke, "stroke-dasharray": dashes });
    set(one.shade, { fill: stroke });
    set(one.head, { fill: stroke });
    set(one.spoke, { stroke });
    set(one.dot, { fill: stroke });
  }

  function current(scene: Scene): void {
    const { fit, state } = scene;
    const [a, b] = state.pair;
    const anchors: Anchor[] = [];
    for (const one of drawn) {
      const x = radius * fit.components[a * fit.d + one.feature];
      const y = -radius * fit.components[b * fit.d + one.feature];
      set(one.spoke, { x2: x, y2: y });
      set(one.dot, { cx: x, cy: y });
      const on = one.feature === scene.feature;
      one.group.classList.toggle("is-on", on);
      one.group.classList.toggle("is-off", scene.feature !== null && !on);
      const text = shortened(data.features[one.feature], 18);
      anchors.push({
        index: one.feature,
        x: x + view.size.width / 2,
        y: y + view.size.height / 2,
        width: textWidth(text, view.type.font) + 3,
        height: 1.2 * view.type.em,
        forced: on,
      });
    }
    const rank = (anchor: Anchor) => leading.indexOf(anchor.index);
    const chosen = anchors
      .filter((anchor) => anchor.forced || rank(anchor) >= 0)
      .sort((p, q) => Number(q.forced) - Number(p.forced) || rank(p) - rank(q));
    // Many features hardly show in the picture: their names would only crowd its centre.
    const near = data.d > 6 ? 0.12 * radius : 0;
    const put = placed(
      chosen.filter((anchor) => anchor.forced || away(anchor) >= near),
      { left: 1, top: 1, right: view.size.width - 1, bottom: view.size.height - 1 },
      places,
      anchors,
    );
    pool(names, labels, put.length, () => svg("text", { class: "uapca-label", "dominant-baseline": "central" }));
    put.forEach((label, i) => {
      const name = data.features[label.index];
      setText(labels[i], shortened(name, 18));
      set(labels[i], { x: label.x - view.size.width / 2, y: label.y - view.size.height / 2 });
      labels[i].classList.toggle("is-on", label.index === scene.feature);
    });
  }

  function away(anchor: Anchor): number {
    return Math.hypot(anchor.x - view.size.width / 2, anchor.y - view.size.height / 2);
  }

  /** The direction in which the row in focus lies. */
  function point(scene: Scene): void {
    const [line, end] = [ray.children[0], ray.children[1]];
    const { row } = scene;
    const x = row === null ? 0 : scene.projection.means[2 * row];
    const y = row === null ? 0 : scene.projection.means[2 * row + 1];
    const length = Math.hypot(x, y);
    if (row === null || !(length > 0)) {
      set(ray, { visibility: "hidden" });
      return;
    }
    set(ray, { visibility: "visible" });
    const [px, py] = [(radius * x) / length, (-radius * y) / length];
    const look = context.look(row);
    set(line, { x2: px, y2: py, stroke: color(look, scene.theme) });
    set(end, { d: marker(look, 5), transform: `translate(${px},${py})`, fill: color(look, scene.theme) });
  }

  return {
    node: view.node,
    picture: () => view.svg,
    draw(next: Scene, changes: Changes) {
      scene = next;
      if (!view.size.width) return;
      if (data.d < 2 || next.path.q < 2) {
        setText(view.note, texts.traces.one);
        return;
      }
      if (next.path !== path || has(changes, "pair", "size", "theme")) outline(next);
      path = next.path;
      current(next);
      point(next);
    },
  };
}

function trace(): Trace {
  const one = {
    group: svg("g", { class: "uapca-trace" }),
    twin: svg("path", { class: "uapca-twin", transform: "scale(-1)" }),
    shade: svg("path", { class: "uapca-shade" }),
    near: svg("path", { class: "uapca-near" }),
    far: svg("path", { class: "uapca-far" }),
    head: svg("path", { class: "uapca-head-mark" }),
    spoke: svg("line", { class: "uapca-spoke", x1: 0, y1: 0 }),
    dot: svg("circle", { class: "uapca-dot", r: 4.5 }),
  };
  one.group.append(one.twin, one.shade, one.far, one.near, one.head, one.spoke, one.dot);
  return { ...one, feature: 0, points: new Float64Array(0) };
}

/** The features that reach farthest from the centre anywhere on their trace, in their own order. */
function longest(scene: Scene, count: number): number[] {
  const { path, state } = scene;
  const features = Array.from({ length: path.d }, (_, j) => j);
  if (path.d <= count) return features;
  const [a, b] = state.pair;
  const reach = features.map((j) => {
    let most = 0;
    for (let k = 0; k < path.u.length; k++) {
      const x = path.components[(k * path.q + a) * path.d + j];
      const y = path.components[(k * path.q + b) * path.d + j];
      most = Math.max(most, x * x + y * y);
    }
    return most;
  });
  return features
    .sort((i, j) => reach[j] - reach[i])
    .slice(0, count)
    .sort((i, j) => i - j);
}

/** The line through points `from` to `to`, lifted where the path starts anew. */
function segments(points: Float64Array, breaks: ReadonlySet<number>, from: number, to: number): string {
  let text = "";
  for (let k = from; k <= to; k++) {
    text += `${k === from || breaks.has(k) ? "M" : "L"}${f(points[2 * k])},${f(points[2 * k + 1])}`;
  }
  return text;
}

/** The area between the centre and the trace up to s = 1, one fan for each unbroken stretch. */
function fans(points: Float64Array, breaks: ReadonlySet<number>, to: number): string {
  let text = "M0,0";
  for (let k = 0; k <= to; k++) {
    if (k && breaks.has(k)) text += "ZM0,0";
    text += `L${f(points[2 * k])},${f(points[2 * k + 1])}`;
  }
  return `${text}Z`;
}

/** An arrowhead at s = ∞, in the direction in which the trace arrives; a ring if it stands still. */
function head(points: Float64Array): string {
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
