/** Eigenvalues over s, as shares of the variance, on the hyperbolic axis; crossings can be clicked. */

import { axisBottom, axisLeft } from "d3-axis";
import { drag } from "d3-drag";
import { scaleLinear, scaleLog } from "d3-scale";
import { select } from "d3-selection";

import { uOf, type Crossing, type Path } from "../model";
import { arrowStep, chart, scaleAt, snapped, TICKS } from "./chart";
import { button, pool, set, setText, svg } from "./dom";
import { lineThrough, percent, scaleText } from "./format";
import { has, type Context, type Panel, type Scene } from "./scene";
import { texts } from "./texts";

/** Around the plot, in heights of the text; 0.001 % on a logarithmic axis is long. */
const AROUND = { top: 1, right: 2.8, bottom: 3.3, left: 4, logarithmic: 5 };
const MOST = 60; // components that are drawn
const NAMED = 6; // and named, where there is room
const FLOOR = 1e-6;
const CLOSE = 0.3; // gaps below this share of the upper eigenvalue are marked, as in `plot.eigenvalues`
const words = texts.eigenvalues;

export function eigenvalues(context: Context): Panel {
  const { data, host } = context;
  const view = chart(context, "eigenvalues");
  const log = button(words.log, { class: "uapca-toggle", "aria-pressed": "false", title: words.logTitle }, () =>
    host.set({ logarithmic: !host.get().logarithmic }),
  );
  view.tools.append(log);
  const grid = svg("g", { class: "uapca-axis uapca-axis-grid" });
  const bottom = svg("g", { class: "uapca-axis" });
  const lines = svg("g", { class: "uapca-lines" });
  const now = svg("line", { class: "uapca-now" });
  const dots = svg("g");
  const marks = svg("g", { class: "uapca-crossings" });
  const ends = svg("g", { class: "uapca-labels" });
  const title = svg("text", { class: "uapca-axis-name", "text-anchor": "middle" }, words.axis);
  view.svg.removeAttribute("aria-hidden");
  view.svg.append(grid, bottom, lines, now, dots, ends, marks, title);
  setText(view.note, words.note);

  let curves: readonly SVGPathElement[] = [];
  const x = scaleLinear([0, 1], [0, 1]);
  let y: (share: number) => number = () => 0;
  let [top, low] = [0, 0]; // ends of the vertical axis on the screen
  let shares: Float64Array = new Float64Array(0); // of the variance, S × q
  let drawn: Partial<Pick<Scene, "path" | "crossings">> = {};

  const move = (u: number, reach: number) => host.set({ scale: scaleAt(snapped(u, reach)) });
  select(view.svg as Element).call(
    drag<Element, unknown>()
      .container(() => view.svg)
      .clickDistance(4)
      .filter((event: MouseEvent) => !event.button && !(event.target as Element).closest(".uapca-crossing"))
      .on("start drag", (event: { x: number }) => move(x.invert(event.x), 5 / Math.max(x.range()[1] - x.range()[0], 1))),
  );
  view.stage.addEventListener("keydown", (event) => {
    if (event.target !== view.stage) return;
    const step = arrowStep(event.key, 0.01);
    const end = { Home: 0, End: 1 }[event.key];
    if (step === undefined && end === undefined) return;
    move(end ?? uOf(host.get().scale) + step!, end === undefined ? 0.004 : 0);
    event.preventDefault();
  });

  function frame({ path, state }: Scene): void {
    const { em } = view.type;
    const left = (state.logarithmic ? AROUND.logarithmic : AROUND.left) * em;
    const right = Math.max(view.size.width - AROUND.right * em, left + 40);
    top = AROUND.top * em;
    low = Math.max(view.size.height - AROUND.bottom * em, top + 40);
    x.range([left, right]);
    const count = Math.min(path.q, MOST);
    const seen = shares.filter((_, at) => at % path.q < count);
    const most = Math.min(1, 1.05 * seen.reduce((a, b) => Math.max(a, b), 0) || 1);
    const least = seen.reduce((a, b) => (b > FLOOR ? Math.min(a, b) : a), most / 10);
    const scale = state.logarithmic ? scaleLog([least, most], [low, top]).clamp(true) : scaleLinear([0, most], [low, top]);
    y = (share) => scale(Math.max(share, state.logarithmic ? least : 0));
    const ticks = state.logarithmic ? powers(scale.ticks(), least, most) : scale.ticks(Math.max(Math.round((low - top) / 44), 2));
    const beside = axisLeft(scale).tickValues(ticks).tickSize(left - right).tickPadding(6);
    select(grid).attr("transform", `translate(${left},0)`).call(beside.tickFormat((v) => texts.percent(String(Number((100 * v.valueOf()).toPrecision(3))))));
    const below = axisBottom(x).tickValues(TICKS.map((t) => t.u)).tickSizeOuter(0);
    select(bottom).attr("transform", `translate(0,${low})`).call(below.tickFormat((_, i) => TICKS[i].label));
    set(title, { x: (left + right) / 2, y: low + 2.8 * em });
    curves = pool(lines, count, () => svg("path", { class: "uapca-curve" }));
    curves.forEach((curve, i) => {
      const places = Float64Array.from({ length: 2 * path.u.length }, (_, at) => {
        const k = at >> 1;
        return at % 2 ? y(shares[k * path.q + i]) : x(path.u[k]);
      });
      set(curve, { d: lineThrough(places), "data-component": i });
    });
    set(log, { "aria-pressed": String(state.logarithmic) });
  }

  /** The two components shown are the strong lines. Names at the ends: of these always, of others where there is room. */
  function label({ path, state }: Scene): void {
    const [a, b] = state.pair;
    curves.forEach((curve, i) => {
      curve.classList.toggle("is-first", i === a);
      curve.classList.toggle("is-second", i === b && b !== a);
    });
    const heights = Array.from(shares.subarray((path.u.length - 1) * path.q).subarray(0, curves.length), (share) => y(share));
    const put = endLabels(heights, state.pair.filter((i) => i < heights.length), NAMED, 1.1 * view.type.em, low);
    const names = pool(ends, put.length, () => svg("text", { class: "uapca-label", "dominant-baseline": "central" }));
    put.forEach(([i, height], k) => {
      setText(names[k], texts.eigenvalue(i));
      set(names[k], { x: x(1) + 6, y: height });
    });
  }

  function crossingMark(crossing: Crossing, { path, state }: Scene): SVGGElement {
    const { pair, kind, scale, u } = crossing;
    const k = Math.min(Math.max(path.u.findIndex((at) => at >= u), 1), path.u.length - 1);
    const t = (u - path.u[k - 1]) / (path.u[k] - path.u[k - 1] || 1);
    const [upper, lower] = pair.map((r) => y((1 - t) * shares[(k - 1) * path.q + r] + t * shares[k * path.q + r]));
    const which = texts.components(pair);
    const text =
      kind === "true"
        ? words.swap(which, scaleText(scale))
        : words.close(which, scaleText(scale), percent(crossing.relativeGap), texts.eigenvalue(pair[0]));
    const strong = pair.some((i) => state.pair.includes(i));
    const half = Math.abs(upper - lower) / 2;
    const node = svg(
      "g",
      {
        class: `uapca-crossing${strong ? " is-strong" : ""}`,
        transform: `translate(${x(u)},${(upper + lower) / 2})`,
        role: "button",
        tabindex: strong ? 0 : -1,
        "aria-label": words.goTo(text),
        "data-scale": String(scale),
        "data-kind": kind,
        "data-pair": pair.join(" "),
      },
      svg("title", {}, text),
      svg("circle", { class: "uapca-reach", r: 11 }),
      ...(strong && half > 6 ? [svg("line", { class: "uapca-gap", y1: -half, y2: half })] : []),
      kind === "true"
        ? svg("path", { class: "uapca-mark", d: "M-4,-4L4,4M-4,4L4,-4" })
        : svg("circle", { class: "uapca-mark", r: strong ? 5 : 3 }),
    );
    const go = () => host.set({ scale });
    node.addEventListener("click", go);
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      go();
    });
    return node;
  }

  function current({ state, fit }: Scene): void {
    const px = x(uOf(state.scale));
    set(now, { x1: px, x2: px, y1: top, y2: low });
    const pair = [...new Set(state.pair)];
    const points = pool(dots, pair.length, () => svg("circle", { class: "uapca-now-dot", r: 4.5 }));
    pair.forEach((i, k) => {
      set(points[k], { cx: px, cy: y(fit.shares[i] || 0) });
      points[k].classList.toggle("is-second", k === 1);
    });
  }

  return {
    node: view.node,
    picture: () => view.svg,
    draw(scene, changes) {
      if (!view.size.width) return;
      const { path, state } = scene;
      const anew = path !== drawn.path || has(changes, "size", "theme", "logarithmic");
      if (anew) {
        shares = sharesOf(path, data.precomputed?.[state.standardize ? "standardized" : "plain"].totals);
        frame(scene);
      }
      if (anew || scene.crossings !== drawn.crossings || has(changes, "pair")) {
        label(scene);
        const shown = scene.crossings.filter((c) => c.pair[1] < curves.length && c.relativeGap < CLOSE);
        marks.replaceChildren(...shown.map((crossing) => crossingMark(crossing, scene)));
      }
      drawn = scene;
      current(scene);
    },
  };
}

/** Shares of the variance, S × q; of all of it, tr C and tr Ψ̄, where only some components are known. */
function sharesOf({ u, q, eigenvalues }: Path, totals?: readonly [number, number]): Float64Array {
  const out = new Float64Array(eigenvalues.length);
  const last = u.length - 1;
  const share = (k: number) => {
    const own = eigenvalues.subarray(k * q, (k + 1) * q);
    const total = totals ? (1 - u[k]) ** 2 * totals[0] + u[k] ** 2 * totals[1] : own.reduce((a, b) => a + b, 0);
    return total > 0 ? own.map((value) => value / total) : null;
  };
  for (let k = 0; k <= last; k++) {
    // Where nothing varies at an end of the path there are no shares but the limits.
    const found = share(k) ?? (last > 0 && k === 0 ? share(1) : last > 0 && k === last ? share(last - 1) : null);
    if (found) out.set(found, k * q);
  }
  return out;
}

/**
 * Which ends of lines are named, and at which height; `heights` are those of the lines, the largest
 * eigenvalue first. The `chosen` always are, moved apart and off the lower edge where they must be;
 * of the first `most` others those that keep `room` from all that is there.
 */
export function endLabels(
  heights: readonly number[],
  chosen: readonly number[],
  most: number,
  room: number,
  lowest: number,
): [component: number, height: number][] {
  const wanted = [...new Set(chosen)].sort((i, j) => i - j);
  const put = wanted.map((i): [number, number] => [i, heights[i]]);
  if (put.length === 2) {
    const push = Math.max(room - (put[1][1] - put[0][1]), 0) / 2;
    const down = Math.min(push, Math.max(lowest - put[1][1], 0));
    put[1][1] += down;
    put[0][1] -= 2 * push - down;
  }
  for (let i = 0; i < Math.min(heights.length, most); i++) {
    if (put.every(([j, height]) => i !== j && Math.abs(heights[i] - height) >= room)) put.push([i, heights[i]]);
  }
  return put.sort(([i], [j]) => i - j);
}

/** Powers of ten; where there are but one or two, also twice and five times them. */
function powers(ticks: number[], floor: number, top: number): number[] {
  const kept = Math.log10(top / floor) > 2.5 ? [1] : [1, 2, 5];
  return ticks.filter((share) => kept.includes(Number((share / 10 ** Math.floor(Math.log10(share) + 1e-9)).toPrecision(6))));
}
