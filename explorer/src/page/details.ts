/** The numbers of rows: of the one that is pointed at beside it, of the selected ones side by side. */

import { standardDeviation } from "../core/covariances";
import type { Dataset } from "../model";
import { section } from "./chart";
import { el, nameNode, setText } from "./dom";
import { digits, percent } from "./format";
import { swatch } from "./legend";
import { has, reasons, shownVariance, type Context, type Panel, type Scene } from "./scene";
import { texts } from "./texts";

const FEATURES = 6; // listed beside a row
const ROWS = 5; // side by side
const AWAY = 14; // pixels
const words = texts.details;

/** A value and its standard deviation, to the place of the latter's second digit, with the unit. */
function measured(data: Dataset, row: number, feature: number): string {
  const [mean, sd] = [data.mean[row * data.d + feature], standardDeviation(data.cov, row, feature, data.d)];
  const places = 1 - Math.floor(Math.log10(sd)); // infinite of certain values
  const common = places >= 0 && places < 8 && Math.abs(mean) < 1e6;
  const [value, error] = common ? [mean, sd].map((x) => x.toFixed(places).replace("-", "−")) : [digits(mean, 4), digits(sd, 2)];
  return [value, ...(sd > 0 ? ["±", error] : []), data.units?.[feature]].filter(Boolean).join(" ");
}

function line(kind: string, title: string | HTMLElement, ...values: string[]): HTMLTableRowElement {
  return el("tr", { class: kind || undefined }, el("th", { scope: "row" }, title), ...values.map((value) => el("td", {}, value)));
}

/** The numbers of a row beside a place of the stage. */
export function tooltip(context: Context) {
  const { data, looks } = context;
  const node = el("div", { class: "uapca-tip", role: "tooltip", hidden: true });
  const weight = el("td");
  let shown = "";
  let [width, height] = [0, 0];

  function content(scene: Scene, row: number): HTMLElement[] {
    const lines = named(scene, row).map((j) => line("", nameNode(data.features[j], context.short.features[j]), measured(data, row, j)));
    if (data.d > FEATURES) lines.push(line("", words.moreFeatures(data.d - FEATURES), ""));
    const inFit = row < data.n - data.supplementary;
    const last = line("uapca-total", inFit ? words.weight : words.supplementary);
    if (inFit) last.append(weight);
    lines.push(last);
    return [
      el("p", { class: "uapca-tip-name" }, swatch(looks[row], scene.theme), nameNode(data.names[row], 60)),
      el("table", { class: "uapca-table" }, el("tbody", {}, ...lines)),
    ];
  }

  /** The features to list: all, or those that move the row most along the two components. */
  function named(scene: Scene, row: number): number[] {
    const all = Array.from({ length: data.d }, (_, j) => j);
    if (data.d <= FEATURES) return all;
    const reason = reasons(data, scene, row).map((parts) => Math.hypot(...parts));
    return all.sort((i, j) => reason[j] - reason[i]).slice(0, FEATURES);
  }

  return {
    node,
    draw(scene: Scene, row: number | null, x: number, y: number, size: { width: number; height: number }): void {
      node.hidden = row === null;
      if (row === null) return;
      setText(weight, percent(scene.weights[row]));
      const now = `${row} ${scene.theme} ${scene.state.pair} ${size.width}`;
      if (now !== shown) {
        shown = now;
        node.replaceChildren(...content(scene, row));
        // Measured once: while a weight is dragged it would make the browser lay out the page in every frame.
        [width, height] = [node.offsetWidth, node.offsetHeight];
      }
      const left = x + AWAY + width <= size.width ? x + AWAY : Math.max(x - AWAY - width, 0);
      const top = Math.min(Math.max(y - height / 2, 0), Math.max(size.height - height, 0));
      node.style.transform = `translate(${Math.round(left)}px,${Math.round(top)}px)`;
    },
  };
}

/** The selected rows side by side. */
export function details(context: Context): Panel {
  const { data, looks } = context;
  const table = el("table", { class: "uapca-table" });
  const sheet = el("div", { class: "uapca-sheet", tabindex: 0, role: "group", "aria-label": words.label }, table);
  const note = el("p", { class: "uapca-note" });
  const node = section("details", words.title, el("div", { class: "uapca-tools" }), sheet, note);
  let shown = "";
  let spreads: number[] = []; // the total variance of each row
  let held: NodeListOf<HTMLElement>; // how much of it is in the picture

  function fill(scene: Scene, rows: readonly number[]): void {
    if (!rows.length) return table.replaceChildren();
    spreads = rows.map((row) =>
      scene.fit.units.reduce((sum, unit, j) => sum + (standardDeviation(data.cov, row, j, data.d) / unit) ** 2, 0),
    );
    const names = rows.map((row) => el("th", { scope: "col" }, swatch(looks[row], scene.theme), nameNode(data.names[row], context.short.names[row])));
    const lines = data.features.map((feature, j) => {
      const one = line("", nameNode(feature, context.short.features[j]), ...rows.map((row) => measured(data, row, j)));
      one.dataset["feature"] = String(j);
      one.addEventListener("pointerenter", () => context.hover("feature", j));
      one.addEventListener("pointerleave", () => context.hover("feature", null));
      return one;
    });
    lines.push(line("uapca-total", words.weight, ...rows.map((row) => percent(scene.weights[row]))));
    if (data.counts) lines.push(line("uapca-total", words.points, ...rows.map((row) => String(data.counts![row]))));
    const share = line("uapca-total", words.shown, ...rows.map(() => ""));
    held = share.querySelectorAll("td");
    const head = el("tr", {}, el("th", { scope: "col" }, words.head), ...names);
    table.replaceChildren(el("thead", {}, head), el("tbody", {}, ...lines, share));
  }

  return {
    node,
    draw(scene, changes) {
      const { selection } = scene.state;
      const rows = selection.slice(0, ROWS);
      const now = rows.join(" ");
      if (now !== shown || has(changes, "weights", "theme", "standardize")) fill(scene, rows);
      shown = now;
      rows.forEach((row, k) => setText(held[k], percent(shownVariance(scene.projection, scene.state.pair, row) / spreads[k], 0)));
      sheet.hidden = !rows.length;
      for (const one of table.querySelectorAll<HTMLElement>("[data-feature]")) {
        one.classList.toggle("is-on", Number(one.dataset["feature"]) === scene.feature);
      }
      setText(note, selection.length > ROWS ? words.more(selection.length, ROWS) : rows.length ? "" : words.hint);
    },
  };
}
