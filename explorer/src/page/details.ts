/** The numbers of the selected rows, side by side. */

import { section } from "./chart";
import { el, nameNode, setText } from "./dom";
import { percent } from "./format";
import { color } from "./palette";
import { swatch } from "./projection/legend";
import { measured } from "./projection/tooltip";
import { has, type Changes, type Context, type Panel, type Scene } from "./scene";
import { texts } from "./texts";

const MOST = 5;
const words = texts.details;

export function details(context: Context): Panel {
  const { data, host } = context;
  const table = el("table", { class: "uapca-table" });
  const sheet = el("div", { class: "uapca-sheet", tabindex: 0, role: "group", "aria-label": words.label }, table);
  const note = el("p", { class: "uapca-note" });
  const node = section("details", words.title, el("div", { class: "uapca-tools" }), sheet, note);
  let shown = "";

  function fill(scene: Scene, rows: readonly number[]): void {
    const head = el("tr", {}, el("th", { scope: "col" }, words.head));
    for (const row of rows) {
      const look = context.look(row);
      head.append(el("th", { scope: "col" }, swatch(look, color(look, scene.theme)), nameNode(data.names[row], 18)));
    }
    const body = data.features.map((feature, j) => {
      const line = el("tr", { "data-feature": j }, el("th", { scope: "row" }, nameNode(feature, 24)));
      for (const row of rows) line.append(el("td", {}, measured(data, row, j)));
      line.addEventListener("pointerenter", () => host.set({ hovered: { kind: "feature", index: j } }));
      line.addEventListener("pointerleave", () => {
        if (host.get().hovered?.kind === "feature") host.set({ hovered: null });
      });
      return line;
    });
    const last = (title: string, value: (row: number) => string) =>
      el("tr", { class: "uapca-total" }, el("th", { scope: "row" }, title), ...rows.map((row) => el("td", {}, value(row))));
    const lines = [last(words.weight, (row) => percent(scene.weights[row]))];
    const { counts } = data;
    if (counts) lines.push(last(words.points, (row) => String(counts[row])));
    table.replaceChildren(el("thead", {}, head), el("tbody", {}, ...body, ...lines));
  }

  return {
    node,
    draw(scene: Scene, changes: Changes) {
      const { selection } = scene.state;
      const rows = selection.slice(0, MOST);
      const now = rows.join(" ");
      if (now !== shown || (rows.length && has(changes, "weights", "theme"))) {
        if (rows.length) fill(scene, rows);
        else table.replaceChildren();
        shown = now;
      }
      sheet.hidden = !rows.length;
      for (const line of table.querySelectorAll("[data-feature]")) {
        line.classList.toggle("is-on", Number(line.getAttribute("data-feature")) === scene.feature);
      }
      setText(note, selection.length > MOST ? words.more(selection.length, MOST) : rows.length ? "" : words.hint);
    },
  };
}
