/** Eigenvalues over s, as shares of the variance, on the hyperbolic axis; crossings can be clicked. */

import { axisBottom, axisLeft } from "d3-axis";
import { drag } from "d3-drag";
import { scaleLinear, scaleLog } from "d3-scale";
import { select } from "d3-selection";
import { line } from "d3-shape";

import { uOf, type Crossing } from "../model";
import { chart } from "./chart";
import { button, pool, set, setText, svg } from "./dom";
import { hundredths, percent, scaleText } from "./format";
import { scaleAt, snapped, TICKS } from "./hyperbolic";
import { texts } from "./texts";
import { has, type Changes, type Context, type Panel, type Scene } from "./scene";

/** Around the plot, in heights of the text. */
const AROUND = { top: 1, right: 2.8, bottom: 3.3, left: 4 };
const MOST = 60; // components that are drawn
const NAMED = 6; // and named, where there is room
const FLOOR = 1e-6;

export function eigenvalues(context: Context): Panel {
  const { data, host } = context;
  const view = chart(
    "eigenvalues",
    texts.eigenvalues.title,
    texts.eigenvalues.label,
    () => context.redraw("size"),
  );
  const log = button("log", { class: "uapca-toggle", "aria-pressed": "false", title: texts.eigenvalues.logTitle }, () => {
    context.choose({ logarithmic: log.getAttribute("aria-pressed") !== "true" });
  });
  view.tools.append(log);
  const grid = svg("g", { class: "uapca-axis uapca-axis-grid" });
  const bottom = svg("g", { class: "uapca-axis" });
  const lines = svg("g", { class: "uapca-lines" });
  const now = svg("line", { class: "uapca-now" });
  const dots = svg("g");
  const marks = svg("g", { class: "uapca-crossings" });
  const ends = svg("g", { class: "uapca-labels" });
  const title = svg("text", { class: "uapca-axis-name", "text-anchor": "middle" });
  view.svg.removeAttribute("aria-hidden");
  view.svg.append(grid, bottom, lines, now, dots, ends, marks, title);

  const curves: SVGPathElement[] = [];
  const names: SVGTextElement[] = [];
  const points: SVGCircleElement[] = [];
  const x = scaleLinear();
  let y: (share: number) => number = () => 0;
  let drawn: Partial<Pick<Scene, "path" | "crossings">> = {};

  const move = (u: number, reach: number) => host.set({ scale: scaleAt(snapped(u, reach)) });
  const at = (px: number) => move(x.invert(px), 5 / Math.max(x.range()[1] - x.range()[0], 1));
  select(view.svg as Element).call(
    drag<Element, unknown>()
      .container(() => view.svg)
      .clickDistance(4)
      .filter((event: MouseEvent) => !event.button && !(event.target as Element).closest(".uapca-crossing"))
      .on("start drag", (event: { x: number }) => at(event.x)),
  );
  view.stage.addEventListener("keydown", (event) => {
    if (event.target !== view.stage) return;
    const u = uOf(host.get().scale);
    const step = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01 }[event.key];
    if (step) move(u + step, 0.004);
    else if (event.key === "Home") move(0, 0);
    else if (event.key === "End") move(1, 0);
    else return;
    event.preventDefault();
  });

  function margins(scene: Scene): typeof AROUND {
    const { em } = view.type;
    const left = scene.options.logarithmic ? 5 : AROUND.left; // 0.001 % is long
    return { top: AROUND.top * em, right: AROUND.right * em, bottom: AROUND.bottom * em, left: left * em };
  }

  function frame(scene: Scene): void {
    const { width, height } = view.size;
    const margin = margins(scene);
    const { path, options } = scene;
    const right = Math.max(width - margin.right, margin.left + 40);
    const low = Math.max(height - margin.bottom, margin.top + 40);
    x.domain([0, 1]).range([margin.left, right]);
    const count = Math.min(path.q, MOST);
    const all = shares(scene);
    let most = 0;
    let least = 1;
    for (let k = 0; k < path.u.length; k++) {
      for (let i = 0; i < count; i++) {
        const share = all[k * path.q + i];
        most = Math.max(most, share);
        if (share > FLOOR) least = Math.min(least, share);
      }
    }
    const top = Math.min(1, most * 1.05 || 1);
    const floor = Math.max(Math.min(least, top / 10), FLOOR);
    const scale = options.logarithmic
      ? scaleLog([floor, top], [low, margin.top]).clamp(true)
      : scaleLinear([0, top], [low, margin.top]);
    y = (share) => scale(Math.max(share, options.logarithmic ? floor : 0));
    const ticks = Math.max(Math.round((low - margin.top) / 44), 2);
    const left = axisLeft(scale)
      .tickValues(options.logarithmic ? powers(scale.ticks(), floor, top) : scale.ticks(ticks))
      .tickSize(margin.left - right)
      .tickPadding(6)
      .tickFormat((v) => tickText(v.valueOf()));
    select(grid).attr("transform", `translate(${margin.left},0)`).call(left);
    select(bottom)
      .attr("transform", `translate(0,${low})`)
      .call(
        axisBottom(x)
          .tickValues(TICKS.map((t) => t.u))
          .tickFormat((_, i) => TICKS[i].label)
          .tickSizeOuter(0),
      );
    set(title, { x: (margin.left + right) / 2, y: low + 2.8 * view.type.em });
    setText(title, texts.eigenvalues.axis);

    pool(lines, curves, count, () => svg("path", { class: "uapca-curve" }));
    const draw = line<number>(
      (k) => hundredths(x(path.u[k])),
      (share) => share,
    );
    const index = Array.from(path.u, (_, k) => k);
    for (let i = 0; i < count; i++) {
      draw.y((k) => hundredths(y(all[k * path.q + i])));
      set(curves[i], { d: draw(index) ?? "", "data-component": i });
    }
    set(log, { "aria-pressed": String(options.logarithmic) });
    setText(view.note, texts.eigenvalues.note);
  }

  /** Names at the ends of the lines: the two shown always, others where there is room. */
  function label(scene: Scene): void {
    const { path, state } = scene;
    const all = shares(scene);
    const count = Math.min(path.q, MOST);
    const last = (path.u.length - 1) * path.q;
    const room = 1.1 * view.type.em;
    const put = endLabels(
      Array.from({ length: count }, (_, i) => y(all[last + i])),
      state.pair.filter((i) => i < count),
      NAMED,
      room,
      Math.max(view.size.height - margins(scene).bottom, 0),
    );
    pool(ends, names, put.length, () => svg("text", { class: "uapca-label", "dominant-baseline": "central" }));
    put.forEach(([i, py], k) => {
      setText(names[k], `λ${subscript(i + 1)}`);
      set(names[k], { x: x(1) + 6, y: py });
    });
  }

  function crossings(scene: Scene): void {
    const all = shares(scene);
    const { path, state } = scene;
    const relevant = (c: Crossing) => c.pair.some((i) => state.pair.includes(i));
    const shown = scene.crossings.filter((c) => c.pair[1] < Math.min(path.q, MOST));
    marks.replaceChildren(
      ...shown.map((crossing) => {
        const [i, j] = crossing.pair;
        const k = Math.min(
          Math.max(
            path.u.findIndex((u) => u >= crossing.u),
            1,
          ),
          path.u.length - 1,
        );
        const t = (crossing.u - path.u[k - 1]) / (path.u[k] - path.u[k - 1] || 1);
        const share = (r: number) => (1 - t) * all[(k - 1) * path.q + r] + t * all[k * path.q + r];
        const words =
          crossing.kind === "true"
            ? `Components ${i + 1} and ${j + 1} change places at s = ${scaleText(crossing.scale)}`
            : `Components ${i + 1} and ${j + 1} come close at s = ${scaleText(crossing.scale)}: ` +
              `their gap is ${percent(crossing.relativeGap)} of λ${subscript(i + 1)}`;
        const strong = relevant(crossing);
        const half = Math.abs(y(share(i)) - y(share(j))) / 2;
        const node = svg(
          "g",
          {
            class: `uapca-crossing${strong ? " is-strong" : ""}`,
            transform: `translate(${x(crossing.u)},${(y(share(i)) + y(share(j))) / 2})`,
            role: "button",
            tabindex: strong ? 0 : -1,
            "aria-label": `${words}. Go there.`,
            "data-scale": String(crossing.scale),
            "data-kind": crossing.kind,
            "data-pair": crossing.pair.join(" "),
          },
          svg("title", {}, words),
          svg("circle", { class: "uapca-reach", r: 11 }),
          ...(strong && half > 6 ? [svg("line", { class: "uapca-gap", y1: -half, y2: half })] : []),
          crossing.kind === "true"
            ? svg("path", { class: "uapca-mark", d: "M-4,-4L4,4M-4,4L4,-4" })
            : svg("circle", { class: "uapca-mark", r: strong ? 5 : 3 }),
        );
        const go = () => host.set({ scale: crossing.scale });
        node.addEventListener("click", go);
        node.addEventListener("keydown", (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          go();
        });
        return node;
      }),
    );
  }

  /** Line weights: the two components shown are the strong lines. */
  function emphasise(scene: Scene): void {
    const [a, b] = scene.state.pair;
    curves.forEach((curve, i) => {
      curve.classList.toggle("is-first", i === a);
      curve.classList.toggle("is-second", i === b && b !== a);
    });
  }

  function current(scene: Scene): void {
    const { state, fit } = scene;
    const px = x(uOf(state.scale));
    const margin = margins(scene);
    set(now, { x1: px, x2: px, y1: margin.top, y2: Math.max(view.size.height - margin.bottom, margin.top) });
    const pair = state.pair[0] === state.pair[1] ? [state.pair[0]] : state.pair;
    pool(dots, points, pair.length, () => svg("circle", { class: "uapca-now-dot", r: 4.5 }));
    pair.forEach((i, k) => {
      set(points[k], { cx: px, cy: y(fit.shares[i] || 0) });
      points[k].classList.toggle("is-second", k === 1);
    });
  }

  return {
    node: view.node,
    picture: () => view.svg,
    draw(scene: Scene, changes: Changes) {
      if (!view.size.width || !data.n) return;
      const anew = scene.path !== drawn.path || has(changes, "size", "theme", "logarithmic");
      if (anew) frame(scene);
      if (anew || scene.crossings !== drawn.crossings || has(changes, "pair")) {
        label(scene);
        crossings(scene);
        emphasise(scene);
      }
      drawn = scene;
      current(scene);
    },
  };

  /** Shares of the variance, S × q; of all of it, where only some components are known. */
  function shares(scene: Scene): Float64Array {
    const { path, state } = scene;
    const out = new Float64Array(path.eigenvalues.length);
    const whole = data.precomputed?.[state.standardize ? "standardized" : "plain"].totals;
    for (let k = 0; k < path.u.length; k++) {
      const u = path.u[k];
      let total = 0;
      if (whole) total = (1 - u) ** 2 * whole[0] + u ** 2 * whole[1];
      else for (let i = 0; i < path.q; i++) total += path.eigenvalues[k * path.q + i];
      for (let i = 0; i < path.q; i++) {
        out[k * path.q + i] = total > 0 ? path.eigenvalues[k * path.q + i] / total : NaN;
      }
    }
    // Where nothing varies at an end of the path there are no shares but the limits.
    const [q, last] = [path.q, path.u.length - 1];
    if (last > 0 && Number.isNaN(out[0])) out.copyWithin(0, q, 2 * q);
    if (last > 0 && Number.isNaN(out[last * q])) out.copyWithin(last * q, (last - 1) * q, last * q);
    return out.map((share) => (share > 0 ? share : 0));
  }
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

function tickText(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}

/** Powers of ten; where there are but one or two, also twice and five times them. */
function powers(ticks: number[], floor: number, top: number): number[] {
  const kept = Math.log10(top / floor) > 2.5 ? [1] : [1, 2, 5];
  return ticks.filter((share) => kept.includes(Number((share / 10 ** Math.floor(Math.log10(share) + 1e-9)).toPrecision(6))));
}

function subscript(i: number): string {
  return String(i).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);
}
