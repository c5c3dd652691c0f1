/** The rows in the plane of two components. */

import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";

import { chart } from "../chart";
import { button, pool, set, setText, shortened, svg } from "../dom";
import { lineRadius, planeRadius } from "../ellipse";
import { percent } from "../format";
import { ABOVE, placed, textWidth, type Anchor } from "../labels";
import { ELEMENTS, has, type Changes, type Context, type Panel, type Scene } from "../scene";
import { texts } from "../texts";
import { clicked, walks } from "../walk";
import { canvas, inked, type Crowd } from "./canvas";
import { extentOf } from "./extent";
import { legend } from "./legend";
import { mark, stripPath, type Mark } from "./marks";
import { pointer, type Box } from "./pointer";
import { tooltip } from "./tooltip";
import { View } from "./view";
import { outstanding, wholeDensity } from "./whole";

/** How little of the view may be filled before it is fitted again: never less, at rest, in motion. */
const [ANEW, CALM, MOVING] = [Infinity, 0.8, 0.5];
/** Rows up to this number are all named where there is room; of more, this many of the outlying ones. */
const [NAMES, OUTLYING, WIDEST] = [40, 12, 4];
/** How many times finer outlines become when they are looked at closely. */
const FINEST = 3;
/** Around the plot, in heights of the text. */
const AROUND = { top: 1.2, right: 1.3, bottom: 3.7, left: 4.5 };

export function projection(context: Context): Panel {
  const { data, host } = context;
  const chartView = chart(
    "projection",
    texts.projection.title,
    texts.projection.label,
    () => context.redraw("size"),
  );
  const { stage, size, tools, type } = chartView;
  const crowd = data.n > ELEMENTS;
  const under = canvas(context);
  stage.prepend(under.node);
  const tip = tooltip(context);
  stage.append(tip.node);

  const clip = context.id("clip");
  const frame = svg("rect");
  const across = svg("g", { class: "uapca-axis uapca-axis-grid" });
  const along = svg("g", { class: "uapca-axis uapca-axis-grid" });
  const titles = [0, 1].map(() => svg("text", { class: "uapca-axis-name", "text-anchor": "middle" }));
  const rows = svg("g", { class: "uapca-rows" });
  const arrow = svg(
    "g",
    { class: "uapca-arrow" },
    svg("line"),
    svg("text", { class: "uapca-label is-on" }),
    svg("path", { d: "M0,0L-10,4.5L-10,-4.5Z" }),
  );
  const leaders = svg("path", { class: "uapca-leaders" });
  const names = svg("g", { class: "uapca-labels" });
  const inner = svg("g", { "clip-path": `url(#${clip})` }, rows, arrow, leaders, names);
  chartView.svg.append(svg("defs", {}, svg("clipPath", { id: clip }, frame)), along, across, ...titles, inner);

  const view = new View();
  const marks: Mark[] = [];
  const labels: SVGTextElement[] = [];
  const sides = new Map<number, number>();
  const key = legend(context);
  chartView.node.append(key.node);
  rows.style.setProperty("--uapca-fill", String(Math.min(0.1, 1.2 / data.n)));
  rows.classList.toggle("is-many", data.n > 30);
  let scene: Scene | null = null;
  let fitted = "";
  let still = false;
  let panning = false;
  let calm: ReturnType<typeof setTimeout> | undefined;
  let density: Crowd | null = null;
  let special = { far: [] as number[], wide: [] as number[] };
  let pointed: { x: number; y: number } | null = null; // where the pointer is on the stage

  const pan = button(
    texts.projection.pan,
    { class: "uapca-toggle", "aria-pressed": "false", title: texts.projection.panTitle },
    () => {
      panning = !panning;
      set(pan, { "aria-pressed": String(panning) });
      stage.classList.toggle("is-panning", panning);
    },
  );
  const hand = pointer(stage, chartView.svg, {
    rowAt,
    panning: () => panning,
    hover(row, x, y) {
      pointed = row === null ? null : { x, y };
      const { hovered } = host.get();
      if (row === null ? hovered?.kind === "row" : hovered?.kind !== "row" || hovered.index !== row) {
        host.set({ hovered: row === null ? null : { kind: "row", index: row } });
      }
    },
    click(row, extend) {
      const { selection } = host.get();
      host.set({ selection: row === null ? (extend ? selection : []) : clicked(selection, row, extend) });
    },
    brush(box, extend) {
      const found = within(box);
      const before = extend ? host.get().selection : [];
      host.set({ selection: [...new Set([...before, ...found])].sort((a, b) => a - b) });
    },
    zoomed(transform) {
      view.zoom = { k: transform.k, x: transform.x, y: transform.y };
      context.refine(Math.min(Math.max(Math.round(transform.k), 1), FINEST));
      context.redraw("size");
    },
  });
  tools.append(
    pan,
    button("−", { class: "uapca-tool", "aria-label": texts.projection.zoomOut, title: texts.projection.zoomOut }, () => hand.zoomBy(1 / 1.5)),
    button("+", { class: "uapca-tool", "aria-label": texts.projection.zoomIn, title: texts.projection.zoomInTitle }, () =>
      hand.zoomBy(1.5),
    ),
    button(texts.projection.fit, { class: "uapca-tool", title: texts.projection.fitTitle }, () => showAll()),
  );
  const showAll = () => {
    fitted = "";
    hand.reset();
    context.redraw("size");
  };
  context.reveal = (row) => {
    if (!scene) return;
    const [x, y] = [view.x(scene.projection.means[2 * row]), rowY(scene, row)];
    const inside = x > inset.left && x < size.width - inset.right && y > inset.top && y < size.height - inset.bottom;
    if (!inside) showAll();
  };
  walks(stage, context, "row", (row, extend) => host.set({ selection: clicked(host.get().selection, row, extend) }));

  let inset = AROUND;
  const single = (scene: Scene) => scene.state.pair[0] === scene.state.pair[1];
  const rowY = (scene: Scene, row: number) =>
    single(scene) ? view.y(row) : view.y(scene.projection.means[2 * row + 1]);

  /** The row whose mean is near, or the smallest region around the point. */
  function rowAt(px: number, py: number): number | null {
    if (!scene) return null;
    const { means, covariances: c } = scene.projection;
    let best = 18 * 18;
    let found: number | null = null;
    for (let row = 0; row < data.n; row++) {
      const distance = (view.x(means[2 * row]) - px) ** 2 + (rowY(scene, row) - py) ** 2;
      if (distance < best) [best, found] = [distance, row];
    }
    if (found !== null || single(scene)) return found;
    const [x, y, radius] = [view.invertX(px), view.invertY(py), planeRadius(scene.state.level)];
    let smallest = Infinity;
    for (let row = 0; row < data.n; row++) {
      const area = c[3 * row] * c[3 * row + 2] - c[3 * row + 1] ** 2;
      if (!(area > 0) || area >= smallest) continue;
      const [dx, dy] = [x - means[2 * row], y - means[2 * row + 1]];
      const distance = (c[3 * row + 2] * dx * dx - 2 * c[3 * row + 1] * dx * dy + c[3 * row] * dy * dy) / area;
      if (distance <= radius * radius) [smallest, found] = [area, row];
    }
    return found;
  }

  function within(box: Box): number[] {
    if (!scene) return [];
    const found: number[] = [];
    for (let row = 0; row < data.n; row++) {
      const [x, y] = [view.x(scene.projection.means[2 * row]), rowY(scene, row)];
      if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) found.push(row);
    }
    return found;
  }

  function axes(scene: Scene): void {
    const { state, fit } = scene;
    const [low, right] = [size.height - inset.bottom, size.width - inset.right];
    set(frame, {
      x: inset.left,
      y: inset.top - 8,
      width: Math.max(right - inset.left + 8, 1),
      height: Math.max(low - inset.top + 8, 1),
    });
    const x = scaleLinear([view.invertX(inset.left), view.invertX(right)], [inset.left, right]);
    const wide = Math.max(right - inset.left, 1);
    select(across)
      .attr("transform", `translate(0,${low})`)
      .call(
        axisBottom(x)
          .ticks(Math.max(wide / 90, 2))
          .tickSize(inset.top - low)
          .tickPadding(8),
      );
    if (single(scene)) along.replaceChildren();
    else {
      const tall = Math.max(low - inset.top, 1);
      const y = scaleLinear([view.invertY(low), view.invertY(inset.top)], [low, inset.top]);
      select(along)
        .attr("transform", `translate(${inset.left},0)`)
        .call(
          axisLeft(y)
            .ticks(Math.max(tall / 70, 2))
            .tickSize(inset.left - right)
            .tickPadding(6),
        );
    }
    const words = state.pair.map((i) => `${texts.component(i)} · ${percent(fit.shares[i])}`);
    setText(titles[0], words[0]);
    set(titles[0], { x: (inset.left + right) / 2, y: size.height - 0.5 * type.em });
    setText(titles[1], single(scene) ? "" : words[1]);
    set(titles[1], { transform: `translate(${1.1 * type.em},${(inset.top + low) / 2}) rotate(-90)` });
  }

  function draw(scene: Scene, radius: number): void {
    const { selection } = scene.state;
    const outlined = single(scene) ? [] : [...special.far, ...special.wide];
    const shown = crowd
      ? [...new Set([...outlined, ...selection.slice(0, ELEMENTS), ...(scene.row === null ? [] : [scene.row])])]
      : null;
    const count = shown ? shown.length : data.n;
    while (marks.length > count) marks.pop()!.node.remove();
    while (marks.length < count) {
      const one = mark(context);
      marks.push(one);
      rows.append(one.node);
    }
    const chosen = new Set(selection);
    rows.classList.toggle("has-selection", chosen.size > 0);
    marks.forEach((one, i) => {
      const row = shown ? shown[i] : i;
      one.draw(scene, view, row, radius);
      if (single(scene)) {
        one.node.children[0].setAttribute("d", stripPath(scene, view, row, radius));
        set(one.node.children[1], {
          transform: `translate(${view.x(scene.projection.means[2 * row])},${view.y(row)})`,
        });
      }
      one.node.classList.toggle("is-selected", chosen.has(row));
      one.node.classList.toggle("is-hovered", row === scene.row);
    });
  }

  function name(scene: Scene): void {
    const { means } = scene.projection;
    const chosen = new Set(scene.state.selection);
    const forced = (row: number) => row === scene.row || (chosen.size <= 20 && chosen.has(row));
    const few = data.n <= NAMES;
    const candidates = few ? Array.from({ length: data.n }, (_, row) => row) : special.far;
    const order = scene.options.labels ? candidates.filter((row) => !forced(row)) : [];
    if (few) order.sort((a, b) => scene.weights[b] - scene.weights[a] || a - b);
    order.unshift(...new Set([...(scene.row === null ? [] : [scene.row]), ...scene.state.selection].filter(forced)));
    const anchors: Anchor[] = [];
    for (const row of order.slice(0, NAMES)) {
      const [x, y] = [view.x(means[2 * row]), rowY(scene, row)];
      if (x < inset.left || x > size.width || y < 0 || y > size.height - inset.bottom) continue;
      const text = shortened(data.names[row], 22);
      if (single(scene)) sides.set(row, ABOVE);
      anchors.push({
        index: row,
        x,
        y,
        width: textWidth(text, type.font) + 3,
        height: 1.25 * type.em,
        forced: forced(row),
      });
    }
    const room = { left: inset.left, top: 2, right: size.width - 4, bottom: size.height - inset.bottom };
    const put = placed(anchors, room, sides);
    pool(names, labels, put.length, () => svg("text", { class: "uapca-label", "dominant-baseline": "central" }));
    let lines = "";
    put.forEach((label, i) => {
      const full = data.names[label.index];
      const text = shortened(full, 22);
      setText(labels[i], text);
      set(labels[i], { x: Math.round(label.x * 10) / 10, y: Math.round(label.y * 10) / 10 });
      labels[i].classList.toggle("is-on", forced(label.index));
      labels[i].classList.toggle("is-off", chosen.size > 0 && !forced(label.index));
      if (label.led) {
        const width = textWidth(text, type.font);
        const [x, y] = [view.x(means[2 * label.index]), rowY(scene, label.index)];
        lines += `M${x},${y}L${Math.min(Math.max(x, label.x), label.x + width)},${label.y + (y < label.y ? -6 : 6)}`;
      }
    });
    set(leaders, { d: lines });
  }

  /** The direction of the feature in focus, through the middle of the data. */
  function feature(scene: Scene): void {
    const { fit, state, feature: j } = scene;
    if (j === null || single(scene)) {
      set(arrow, { visibility: "hidden" });
      return;
    }
    set(arrow, { visibility: "visible" });
    const [line, text] = [arrow.children[0], arrow.children[1]];
    const reach = 0.38 * Math.min(size.width - inset.left - inset.right, size.height - inset.top - inset.bottom);
    const [x, y] = [view.x(0), view.y(0)];
    const tip = [
      x + reach * fit.components[state.pair[0] * fit.d + j],
      y - reach * fit.components[state.pair[1] * fit.d + j],
    ];
    set(line, { x1: x, y1: y, x2: tip[0], y2: tip[1] });
    const turn = (Math.atan2(tip[1] - y, tip[0] - x) * 180) / Math.PI;
    set(arrow.children[2], { transform: `translate(${tip[0]},${tip[1]}) rotate(${turn})` });
    setText(text, shortened(data.features[j], 22));
    set(text, { x: tip[0], y: tip[1] + (tip[1] > y ? 14 : -6), "text-anchor": tip[0] < x ? "end" : "start" });
  }

  return {
    node: chartView.node,
    picture: () => chartView.svg,
    beneath: () => inked(context, scene!, view, single(scene!) ? null : density),
    draw(next: Scene, changes: Changes) {
      scene = next;
      if (!size.width || !data.n) return;
      const { em } = type;
      inset = { top: AROUND.top * em, right: AROUND.right * em, bottom: AROUND.bottom * em, left: AROUND.left * em };
      const { state } = next;
      const one = single(next);
      const radius = one ? lineRadius(state.level) : planeRadius(state.level);
      // A new question gets a new frame; the same one, moving, keeps it as long as it can.
      const question = `${state.pair} ${state.standardize} ${size.width} ${size.height}`;
      const moved = has(changes, "scale", "weights", "path", "level", "pair", "standardize", "points", "shape");
      const slack = question !== fitted || has(changes, "level") ? ANEW : still ? CALM : MOVING;
      still = false;
      const extent = extentOf(next, radius);
      view.fit(extent, size, inset, slack, one ? data.n : 0);
      if (moved && question === fitted) {
        clearTimeout(calm);
        calm = setTimeout(settle, 400);
      }
      fitted = question;
      const only = !moved && !has(changes, "size", "theme", "labels");
      if (moved || has(changes, "size")) {
        if (data.n > NAMES) special = outstanding(next, OUTLYING, crowd ? WIDEST : 0);
        if (crowd && !one) density = { shades: wholeDensity(next, extent, next.calm) };
      }
      if (!only) axes(next);
      if (!only || has(changes, "selection")) under.draw(next, view, size, one ? null : density);
      draw(next, radius);
      name(next);
      feature(next);
      key.draw(next, changes);
      const { row } = next;
      const place = row === null ? [0, 0] : pointed ? [pointed.x, pointed.y] : [view.x(next.projection.means[2 * row]), rowY(next, row)];
      tip.draw(next, row, place[0], place[1], size);
    },
  };

  /** Once nothing moves, a picture that has become small is fitted again. */
  function settle(): void {
    still = true;
    context.redraw("size");
  }
}
