/** The numbers of the row that is pointed at, beside it. */

import { standardDeviation } from "../../core/index";
import type { Dataset } from "../../model";
import { el, nameNode } from "../dom";
import { digits, percent } from "../format";
import { color } from "../palette";
import type { Context, Scene } from "../scene";
import { texts } from "../texts";
import { swatch } from "./legend";

const MOST = 10; // features listed
const AWAY = 14; // pixels

export interface Tooltip {
  readonly node: HTMLElement;
  /** Beside a place of the stage; null hides it. */
  draw(scene: Scene, row: number | null, x: number, y: number, size: { width: number; height: number }): void;
}

export function tooltip(context: Context): Tooltip {
  const { data } = context;
  const node = el("div", { class: "uapca-tip", role: "tooltip", hidden: true });
  let shown = "";
  return {
    node,
    draw(scene, row, x, y, size) {
      node.hidden = row === null;
      if (row === null) return;
      const now = `${row} ${scene.theme} ${scene.weights[row]}`;
      if (now !== shown) {
        shown = now;
        node.replaceChildren(...content(context, scene, row));
      }
      const [width, height] = [node.offsetWidth, node.offsetHeight];
      const left = x + AWAY + width <= size.width ? x + AWAY : Math.max(x - AWAY - width, 0);
      const top = Math.min(Math.max(y - height / 2, 0), Math.max(size.height - height, 0));
      node.style.transform = `translate(${Math.round(left)}px,${Math.round(top)}px)`;
    },
  };

  function content({ look }: Context, scene: Scene, row: number): HTMLElement[] {
    const lines = named(scene, row).map((j) =>
      el("tr", {}, el("th", { scope: "row" }, nameNode(data.features[j], 24)), el("td", {}, measured(data, row, j))),
    );
    if (data.d > MOST) lines.push(el("tr", {}, el("th", {}, texts.projection.moreFeatures(data.d - MOST)), el("td")));
    const inFit = row < data.n - data.supplementary;
    lines.push(
      el(
        "tr",
        { class: "uapca-total" },
        el("th", { scope: "row" }, inFit ? texts.projection.weight : texts.projection.supplementary),
        el("td", {}, inFit ? percent(scene.weights[row]) : ""),
      ),
    );
    const kind = look(row);
    return [
      el("p", { class: "uapca-tip-name" }, swatch(kind, color(kind, scene.theme)), nameNode(data.names[row], 60)),
      el("table", { class: "uapca-table" }, el("tbody", {}, ...lines)),
    ];
  }

  /** The features to list: all, or those that move the row most along the two components. */
  function named({ fit, state }: Scene, row: number): number[] {
    const all = Array.from({ length: data.d }, (_, j) => j);
    if (data.d <= MOST) return all;
    const reason = all.map((j) => {
      const away = (data.mean[row * data.d + j] - fit.mean[j]) / fit.units[j];
      return Math.hypot(...state.pair.map((i) => away * fit.components[i * fit.d + j]));
    });
    return all.sort((i, j) => reason[j] - reason[i]).slice(0, MOST);
  }
}

/** A value with its unit and standard deviation. */
export function measured(data: Dataset, row: number, feature: number): string {
  const sd = standardDeviation(data.cov, row, feature, data.d);
  const mean = digits(data.mean[row * data.d + feature], 4);
  const unit = data.units?.[feature];
  return `${mean}${sd > 0 ? ` ± ${digits(sd, 2)}` : ""}${unit ? ` ${unit}` : ""}`;
}
