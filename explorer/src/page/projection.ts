/** The rows in the plane of two components. */

import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";

import { ELEMENTS } from "../core/decode";
import { chart, clicked, walks } from "./chart";
import { crowdCanvas, crowdSvg, outlying, wholeDensity } from "./crowd";
import { tooltip } from "./details";
import { button, pool, set, setText, svg } from "./dom";
import { hundredths as f, percent } from "./format";
import { ABOVE, contains, placed, textWidth, type Anchor } from "./labels";
import { legend } from "./legend";
import { marker, own } from "./palette";
import { pointer } from "./pointer";
import { has, type Context, type Outline, type Panel, type Scene } from "./scene";
import { texts } from "./texts";
import { carried, extentOf, lineRadius, planeRadius, squaredDistance, View, type Box, type Spread } from "./view";

/** How little of the view may be filled before it is fitted again: never less, at rest, in motion. */
const [ANEW, CALM, MOVING] = [Infinity, 0.8, 0.5];
/** Rows up to this number are all named where there is room; of more, the widest and the outlying ones. */
const NAMES = 40;
/** How many times finer outlines become when they are looked at closely. */
const FINEST = 2;
/** Around the plot, in heights of the text. */
const AROUND = { top: 1.2, right: 1.3, bottom: 3.7, left: 4.5 };
const words = texts.projection;

export function projection(context: Context): Panel {
  const { data, host, looks } = context;
  const panel = chart(context, "projection");
  const { stage, size, tools, type } = panel;
  const crowd = data.n > ELEMENTS;
  const under = crowdCanvas(context);
  stage.prepend(under.node);
  const tip = tooltip(context);
  stage.append(tip.node);

  const clip = context.id("clip");
  const inside = svg("rect");
  const across = svg("g", { class: "uapca-axis uapca-axis-grid" });
  const along = svg("g", { class: "uapca-axis uapca-axis-grid" });
  const titles = [0, 1].map(() => svg("text", { class: "uapca-axis-name", "text-anchor": "middle" }));
  const rows = svg("g", { class: "uapca-rows" });
  const groups = svg("g", { class: "uapca-groups" });
  const [shaft, arrowName, head] = [svg("line"), svg("text", { class: "uapca-label is-on" }), svg("path", { d: "M0,0L-10,4.5L-10,-4.5Z" })];
  const arrow = svg("g", { class: "uapca-arrow" }, shaft, arrowName, head);
  const leaders = svg("path", { class: "uapca-leaders" });
  const names = svg("g", { class: "uapca-labels" });
  const inner = svg("g", { "clip-path": `url(#${clip})` }, rows, groups, arrow, leaders, names);
  panel.svg.append(svg("defs", {}, svg("clipPath", { id: clip }, inside)), along, across, ...titles, inner);
  const key = legend(context);
  panel.node.append(key.node);
  rows.style.setProperty("--uapca-fill", String(Math.min(0.1, 1.2 / data.n)));
  rows.classList.toggle("is-many", data.n > 30);

  const view = new View();
  let marks: readonly SVGGElement[] = [];
  const outlines = new Map<number, { rings: Outline["rings"]; spread: Spread }>(); // by row, as their paths are written
  const sides = new Map<number, number>();
  let scene: Scene | null = null;
  let frame: Box = { left: 0, right: 0, top: 0, bottom: 0 };
  let fitted = ""; // the question that the view answers
  let ticked = ""; // what the axes show
  let panning = false;
  let shades: Float64Array[][] | null = null;
  let special: readonly number[] = context.wide; // with those far out
  let pointed: { x: number; y: number } | null = null; // where the pointer is on the stage

  const pan = button(words.pan, { class: "uapca-toggle", "aria-pressed": "false", title: words.panTitle }, () => {
    panning = !panning;
    set(pan, { "aria-pressed": String(panning) });
    stage.classList.toggle("is-panning", panning);
  });
  const hand = pointer(stage, panel.svg, {
    rowAt,
    panning: () => panning,
    hover(row, x, y) {
      pointed = row === null ? null : { x, y };
      context.hover("row", row);
    },
    click(row, extend) {
      const { selection } = host.get();
      host.set({ selection: row === null ? (extend ? selection : []) : clicked(selection, row, extend) });
    },
    brush(box, extend) {
      const found = Array.from(data.names.keys()).filter((row) => contains(box, ...placeOf(row)));
      host.set({ selection: [...(extend ? host.get().selection : []), ...found] });
    },
    zoomed({ k, x, y }) {
      view.zoom = { k, x, y };
      context.refine(Math.min(Math.max(Math.round(k), 1), FINEST));
      context.redraw("size");
    },
  });
  const tool = (text: string, label: string, title: string, act: () => void) =>
    button(text, { class: "uapca-tool", "aria-label": label, title }, act);
  tools.append(
    pan,
    tool("−", words.zoomOut, words.zoomOut, () => hand.zoomBy(1 / 1.5)),
    tool("+", words.zoomIn, words.zoomInTitle, () => hand.zoomBy(1.5)),
    tool(words.fit, words.fit, words.fitTitle, showAll),
  );
  walks(stage, context, "row", (row, extend) => host.set({ selection: clicked(host.get().selection, row, extend) }));
  context.reveal = (row) => {
    if (scene && !contains(frame, ...placeOf(row))) showAll();
  };

  function showAll(): void {
    fitted = "";
    hand.reset();
    context.redraw("size");
  }

  function single(): boolean {
    return scene!.state.pair[0] === scene!.state.pair[1];
  }

  /** Where a row's mean is on the stage. */
  function placeOf(row: number): [number, number] {
    const { means } = scene!.projection;
    return [view.x(means[2 * row]), view.y(single() ? row : means[2 * row + 1])];
  }

  /** The row whose mean is near, or the smallest region around the point. */
  function rowAt(px: number, py: number): number | null {
    if (!scene) return null;
    const { means, covariances: c } = scene.projection;
    let [best, smallest] = [18 * 18, Infinity];
    let found: number | null = null;
    for (let row = 0; row < data.n; row++) {
      const [x, y] = placeOf(row);
      const distance = (x - px) ** 2 + (y - py) ** 2;
      if (distance < best) [best, found] = [distance, row];
    }
    if (found !== null || single()) return found;
    const [x, y, radius] = [view.invertX(px), view.invertY(py), planeRadius(scene.state.level)];
    for (let row = 0; row < data.n; row++) {
      const area = c[3 * row] * c[3 * row + 2] - c[3 * row + 1] ** 2;
      if (!(area > 0) || area >= smallest) continue;
      if (squaredDistance(c, row, x - means[2 * row], y - means[2 * row + 1]) <= radius ** 2) [smallest, found] = [area, row];
    }
    return found;
  }

  function axes({ state, fit }: Scene): void {
    const { left, right, top, bottom } = frame;
    const names = state.pair.map((i) => texts.axis(i, percent(fit.shares[i])));
    setText(titles[0], names[0]);
    setText(titles[1], single() ? "" : names[1]);
    const ends = [view.invertX(left), view.invertX(right), view.invertY(bottom), view.invertY(top), left, right, top, bottom];
    if (ends.join(" ") === ticked) return;
    ticked = ends.join(" ");
    set(inside, { x: left, y: top - 8, width: Math.max(right - left + 8, 1), height: Math.max(bottom - top + 8, 1) });
    const x = scaleLinear(ends.slice(0, 2), [left, right]);
    const below = axisBottom(x).ticks(Math.max((right - left) / 90, 2)).tickSize(top - bottom).tickPadding(8);
    select(across).attr("transform", `translate(0,${bottom})`).call(below);
    if (single()) along.replaceChildren();
    else {
      const y = scaleLinear(ends.slice(2, 4), [bottom, top]);
      const beside = axisLeft(y).ticks(Math.max((bottom - top) / 70, 2)).tickSize(left - right).tickPadding(6);
      select(along).attr("transform", `translate(${left},0)`).call(beside);
    }
    set(titles[0], { x: (left + right) / 2, y: size.height - 0.5 * type.em });
    set(titles[1], { transform: `translate(${1.1 * type.em},${(top + bottom) / 2}) rotate(-90)` });
  }

  /** A mark for each row, or of very many for those that stand out or are looked at. */
  function mark(scene: Scene, radius: number): void {
    const { state, theme } = scene;
    const outlined = single() ? [] : special;
    const looked = [...state.selection.slice(0, ELEMENTS), ...(scene.row === null ? [] : [scene.row])];
    const shown = crowd ? [...new Set([...outlined, ...looked])] : Array.from(data.names.keys());
    marks = pool(rows, shown.length, () =>
      svg("g", { class: "uapca-row" }, ...["region", "modes", "mean"].map((part) => svg("path", { class: `uapca-${part}` }))),
    );
    const chosen = new Set(state.selection);
    rows.classList.toggle("has-selection", chosen.size > 0);
    shown.forEach((row, i) => {
      const node = marks[i];
      const [region, modes, mean] = node.children;
      const dress = `${row} ${theme}`;
      if (node.dataset["dress"] !== dress) {
        const look = looks[row];
        set(node, { "data-row": row, "data-dress": dress });
        outlines.delete(row);
        set(region, { stroke: look[theme], fill: look[theme], "stroke-dasharray": look.dash });
        set(modes, { stroke: look[theme] });
        set(mean, { d: marker(look, 4.5), fill: look[theme] });
        node.classList.toggle("is-open", row >= data.n - data.supplementary);
      }
      surround(region, modes, scene, row, radius);
      const [x, y] = placeOf(row);
      mean.setAttribute("transform", `translate(${f(x)},${f(y)})`);
      node.classList.toggle("is-selected", chosen.has(row));
      node.classList.toggle("is-hovered", row === scene.row);
    });
  }

  /** The outline of a row, or its ellipse. While things move outlines are carried along; writing all of them anew takes too long. */
  function surround(region: Element, modes: Element, { projection, outline, calm }: Scene, row: number, radius: number): void {
    const found = single() ? null : outline(row);
    if (!found?.rings) {
      outlines.delete(row);
      set(modes, { d: undefined });
      const d = single() ? view.interval(projection, row, radius) : view.ellipse(projection, row, radius);
      return set(region, { d, transform: undefined });
    }
    const now = view.spread(projection, row);
    let written = outlines.get(row);
    if (written?.rings !== found.rings || (calm && found.of === projection && carried(written.spread, now))) {
      written = { rings: found.rings, spread: view.spread(found.of, row) };
      outlines.set(row, written);
      set(region, { d: view.rings(found.rings) });
      set(modes, { d: view.modes(found.rings) || undefined });
    }
    for (const path of [region, modes]) set(path, { transform: carried(written.spread, now) });
  }

  /** An ellipse for each group. */
  function gather({ groups: shown, theme }: Scene, radius: number): void {
    pool(groups, shown ? shown.n : 0, () => svg("path")).forEach((path, i) => {
      const look = own(data, i);
      if (shown) set(path, { d: view.ellipse(shown, i, radius), stroke: look[theme], "stroke-dasharray": look.dash });
    });
  }

  function name({ state, row: hovered, weights }: Scene): void {
    const chosen = new Set(state.selection);
    const forced = (row: number) => row === hovered || (chosen.size <= 20 && chosen.has(row));
    const few = data.n <= NAMES;
    const candidates = few ? Array.from(data.names.keys()) : special;
    const order = state.names ? candidates.filter((row) => !forced(row)) : [];
    if (few) order.sort((a, b) => weights[b] - weights[a] || a - b);
    order.unshift(...new Set([...(hovered === null ? [] : [hovered]), ...state.selection].filter(forced)));
    const anchors: Anchor[] = order.slice(0, NAMES).flatMap((row) => {
      const [x, y] = placeOf(row);
      if (x < frame.left || x > size.width || y < 0 || y > frame.bottom) return [];
      if (single()) sides.set(row, ABOVE);
      const width = textWidth(context.short.names[row], type.font) + 3;
      return [{ index: row, x, y, width, height: 1.25 * type.em, forced: forced(row) }];
    });
    const put = placed(anchors, { left: frame.left, top: 2, right: size.width - 4, bottom: frame.bottom }, sides);
    const labels = pool(names, put.length, () => svg("text", { class: "uapca-label", "dominant-baseline": "central" }));
    let lines = "";
    put.forEach(({ index, x, y, width, led }, i) => {
      setText(labels[i], context.short.names[index]);
      set(labels[i], { x: f(x), y: f(y) });
      labels[i].classList.toggle("is-on", forced(index));
      labels[i].classList.toggle("is-off", chosen.size > 0 && !forced(index));
      if (!led) return;
      const [px, py] = placeOf(index);
      lines += `M${f(px)},${f(py)}L${f(Math.min(Math.max(px, x), x + width))},${f(y + (py < y ? -6 : 6))}`;
    });
    set(leaders, { d: lines });
  }

  /** The direction of the feature in focus, through the middle of the data. */
  function feature({ fit, state, feature: j }: Scene): void {
    set(arrow, { visibility: j === null || single() ? "hidden" : "visible" });
    if (j === null || single()) return;
    const reach = 0.38 * Math.min(frame.right - frame.left, frame.bottom - frame.top);
    const [x, y] = [view.x(0), view.y(0)];
    const [dx, dy] = state.pair.map((i, k) => (k ? -reach : reach) * fit.components[i * fit.d + j]);
    set(shaft, { x1: x, y1: y, x2: x + dx, y2: y + dy });
    set(head, { transform: `translate(${x + dx},${y + dy}) rotate(${(Math.atan2(dy, dx) * 180) / Math.PI})` });
    setText(arrowName, context.short.features[j]);
    set(arrowName, { x: x + dx, y: y + dy + (dy > 0 ? 14 : -6), "text-anchor": dx < 0 ? "end" : "start" });
  }

  return {
    node: panel.node,
    picture: () => panel.svg,
    beneath: () => crowdSvg(context, scene!, view, single() ? null : shades),
    draw(next, changes) {
      scene = next;
      if (!size.width) return;
      const { state } = next;
      const one = single();
      const { em } = type;
      frame = { left: AROUND.left * em, right: size.width - AROUND.right * em, top: AROUND.top * em, bottom: size.height - AROUND.bottom * em };
      const radius = one ? lineRadius(state.level) : planeRadius(state.level);
      // A new question gets a new frame; the same one, moving, keeps it as long as it can.
      const question = `${state.pair} ${state.standardize} ${size.width} ${size.height}`;
      const moved = has(changes, "scale", "weights", "path", "level", "pair", "standardize", "points", "densities", "groups");
      const slack = question !== fitted || has(changes, "level") ? ANEW : next.calm ? CALM : MOVING;
      const extent = extentOf([next.projection, next.groups], next.points, radius);
      view.fit(extent, frame, slack, one ? data.n : 0);
      fitted = question;
      if (moved || has(changes, "size")) {
        if (data.n > NAMES) special = [...new Set([...context.wide, ...outlying(next)])];
        if (crowd && !one) shades = wholeDensity(next, extent);
      }
      const anew = moved || has(changes, "size", "theme", "names");
      if (anew) axes(next);
      if (anew || has(changes, "selection")) under.draw(next, view, size, one ? null : shades);
      mark(next, radius);
      gather(next, radius);
      name(next);
      feature(next);
      key.draw(next, changes, marks.some((node) => node.children[1].hasAttribute("d")));
      const [x, y] = pointed ? [pointed.x, pointed.y] : next.row === null ? [0, 0] : placeOf(next.row);
      tip.draw(next, next.row, x, y, size);
    },
  };
}
