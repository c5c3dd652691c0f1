/** Numbers on demand: mean and standard deviation of the rows that are pointed at or selected. */

import { standardDeviation } from "../core/index";
import type { Dataset } from "../model";
import { section } from "./chart";
import { el, nameNode, setText } from "./dom";
import { digits, percent } from "./format";
import { colour } from "./palette";
import { swatch } from "./projection/legend";
import { has, type Changes, type Context, type Panel, type Scene } from "./scene";

const MOST = 5;

export function details(context: Context): Panel {
  const { data, host } = context;
  const table = el("table", { class: "uapca-table" });
  const sheet = el(
    "div",
    { class: "uapca-sheet", tabindex: 0, role: "group", "aria-label": "Details of the chosen rows" },
    table,
  );
  const note = el("p", { class: "uapca-note" });
  const node = section("details", "Details", el("div", { class: "uapca-tools" }), sheet, note);
  // Room for a whole table, so that it need not be scrolled: its head, the features, weight and count.
  node.style.setProperty("--uapca-sheet", `${66 + 28 * (data.d + (data.counts ? 3 : 2))}px`);
  let shown = "";

  function fill(scene: Scene, rows: readonly number[]): void {
    const head = el("tr", {}, el("th", { scope: "col" }, "mean ± sd"));
    for (const row of rows) {
      const look = context.look(row);
      head.append(el("th", { scope: "col" }, swatch(look, colour(look, scene.theme)), nameNode(data.names[row], 18)));
    }
    const body = data.features.map((feature, j) => {
      const unit = data.units?.[j];
      const line = el("tr", { "data-feature": j }, el("th", { scope: "row" }, nameNode(feature, 24)));
      if (unit) line.firstElementChild!.append(el("span", { class: "uapca-unit" }, ` ${unit}`));
      for (const row of rows) line.append(el("td", {}, measured(data, row, j)));
      line.addEventListener("pointerenter", () => host.set({ hovered: { kind: "feature", index: j } }));
      line.addEventListener("pointerleave", () => {
        if (host.get().hovered?.kind === "feature") host.set({ hovered: null });
      });
      return line;
    });
    const weight = el("tr", { class: "uapca-total" }, el("th", { scope: "row" }, "weight"));
    for (const row of rows) weight.append(el("td", {}, percent(scene.weights[row])));
    const lines = [weight];
    const { counts } = data;
    if (counts) {
      const count = el("tr", { class: "uapca-total" }, el("th", { scope: "row" }, "points"));
      for (const row of rows) count.append(el("td", {}, String(counts[row])));
      lines.push(count);
    }
    table.replaceChildren(el("thead", {}, head), el("tbody", {}, ...body, ...lines));
  }

  return {
    node,
    draw(scene: Scene, changes: Changes) {
      const { selection } = scene.state;
      const chosen = selection.slice(0, MOST);
      const rows =
        scene.row !== null && !chosen.includes(scene.row) ? [...chosen.slice(0, MOST - 1), scene.row] : chosen;
      const now = rows.join(" ");
      if (now !== shown || (rows.length && has(changes, "weights", "theme"))) {
        // The last row pointed at stays: a table that vanishes under the pointer cannot be read.
        if (rows.length) fill(scene, rows);
        else if (!shown || has(changes, "selection")) table.replaceChildren();
        if (rows.length || has(changes, "selection")) shown = now;
      }
      for (const line of table.querySelectorAll("[data-feature]")) {
        line.classList.toggle("is-on", Number(line.getAttribute("data-feature")) === scene.feature);
      }
      const more = selection.length - MOST;
      setText(
        note,
        more > 0
          ? `${selection.length} rows are selected; the first ${MOST} are listed.`
          : rows.length || table.childElementCount
            ? ""
            : "Point at a row to see its numbers; click to keep it, drag a rectangle to keep several.",
      );
    },
  };
}

function measured(data: Dataset, row: number, feature: number): string {
  const sd = standardDeviation(data.cov, row, feature, data.d);
  const mean = digits(data.mean[row * data.d + feature], 4);
  return sd > 0 ? `${mean} ± ${digits(sd, 2)}` : mean;
}
