/** The current view as a picture, and its numbers as tables. */

import { el, set, svg } from "./dom";
import { scaleText, shortened } from "./format";
import { textWidth } from "./labels";
import { outline, swatch } from "./legend";
import type { Context, Panel, Scene } from "./scene";
import { texts } from "./texts";

/** Properties that the style sheet gives and a picture on its own has to carry. */
const CARRIED =
  "fill fill-opacity stroke stroke-width stroke-opacity stroke-dasharray stroke-linecap stroke-linejoin opacity font-family " +
  "font-size font-weight font-variant-numeric paint-order visibility vector-effect unicode-bidi";
/** Characters that XML cannot hold, not even escaped. */
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Surrogate}]/gu;
const GAP = 24;
const HEAD = 56;
const LINE = 20;

/** All pictures in one SVG, in two columns. */
export function drawing(context: Context, scene: Scene, panels: readonly Panel[], root: HTMLElement): SVGSVGElement {
  const style = getComputedStyle(root);
  const [ink, paper] = [style.getPropertyValue("--uapca-ink").trim(), style.getPropertyValue("--uapca-paper").trim()];
  const family = style.fontFamily;
  const titles = [texts.projection, texts.traces, texts.eigenvalues, texts.loadings].map(({ title }) => title);
  const boxes = panels.map((panel) => {
    const node = panel.picture!();
    // A panel may be taller than what is drawn in it.
    const height = Number(node.dataset["used"]) || node.clientHeight || node.height.baseVal.value;
    return { node, width: node.clientWidth || node.width.baseVal.value, height };
  });
  const lefts = [GAP, GAP + boxes[0].width + GAP];
  const widest = Math.max(lefts[1] + boxes[1].width, ...boxes.map((box) => GAP + box.width)) - GAP;
  const key = groupKey(context, scene, family, ink, widest);
  const start = HEAD + GAP + key.height;
  const ends = [start, start];
  const places = boxes.map((box, k) => {
    // The first on the left, the second beside it, each further one where there is more room.
    const column = k < 2 ? k : ends[0] < ends[1] ? 0 : 1;
    const place = { x: lefts[column], y: ends[column] };
    ends[column] += box.height + GAP + 20;
    return place;
  });
  const width = Math.max(...boxes.map((box, k) => places[k].x + box.width)) + GAP;
  const height = Math.max(...ends);
  const text = (words: string, x: number, y: number, size: number, weight: number) =>
    svg("text", { x, y, fill: ink, "font-family": family, "font-size": size, "font-weight": weight }, words);
  const out = svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", role: "img", width, height, viewBox: `0 0 ${width} ${height}` },
    svg("title", {}, context.data.title),
    svg("desc", {}, [described(context, scene), ...titles].join(". ")),
    svg("rect", { width, height, fill: paper }),
    text(shortened(context.data.title, 80), GAP, GAP + 14, 18, 600),
    text(described(context, scene), GAP, GAP + 34, 12, 400),
    key.node,
  );
  boxes.forEach((box, k) => {
    const { x, y } = places[k];
    const beneath = panels[k].beneath?.();
    const layers = [...(beneath ? [beneath] : []), carried(box.node)];
    out.append(text(titles[k], x, y, 13, 600), svg("g", { transform: `translate(${x},${y + 12})` }, ...layers));
  });
  return out;
}

/** The groups and their marks in lines of a width, below the head. */
function groupKey(context: Context, scene: Scene, family: string, ink: string, width: number) {
  const node = svg("g", { transform: `translate(${GAP},${HEAD + 22})` });
  let [x, y] = [0, 0];
  for (const [label, look] of context.key) {
    const name = shortened(label, context.data.groups ? 24 : 48);
    const needed = 26 + textWidth(name, `12px ${family}`);
    if (x > 0 && x + needed > width) [x, y] = [0, y + LINE];
    const mark = swatch(look, scene.theme);
    mark.removeAttribute("class");
    set(mark, { x, y: y - 10 });
    const words = { x: x + 26, y, fill: ink, "font-family": family, "font-size": 12, "unicode-bidi": "isolate" };
    node.append(mark, svg("text", words, name));
    x += needed + 18;
  }
  return { node, height: node.childElementCount ? y + LINE + 6 : 0 };
}

/** What is on display, in a line. */
function described({ data }: Context, scene: Scene): string {
  const { state } = scene;
  const parts = [texts.scale(scaleText(state.scale)), texts.components([...new Set(state.pair)]), outline(data, scene)];
  if (state.standardize) parts.push(texts.header.standardized);
  if (state.weights) parts.push(texts.header.reweighted);
  return parts.join(" · ");
}

/** A copy of a picture that needs no style sheet. */
function carried(node: SVGSVGElement): SVGSVGElement {
  const copy = node.cloneNode(true) as SVGSVGElement;
  const [from, to] = [
    [node, ...node.querySelectorAll("*")],
    [copy, ...copy.querySelectorAll("*")],
  ];
  from.forEach((original, k) => {
    const style = getComputedStyle(original);
    for (const property of CARRIED.split(" ")) {
      const value = style.getPropertyValue(property);
      if (value) to[k].setAttribute(property, value);
    }
    for (const name of ["class", "style", "tabindex", "role", "aria-label", "aria-hidden"]) to[k].removeAttribute(name);
  });
  return copy;
}

export function svgText(picture: SVGSVGElement): string {
  const text = new XMLSerializer().serializeToString(picture);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text.replace(UNWRITABLE, "\ufffd")}\n`;
}

/** A picture as PNG, two pixels for each of the screen's. */
export async function png(picture: SVGSVGElement): Promise<Blob> {
  const [width, height] = [Number(picture.getAttribute("width")), Number(picture.getAttribute("height"))];
  const image = new Image();
  await new Promise<void>((done, failed) => {
    image.onload = () => done();
    image.onerror = () => failed(new Error("the picture could not be drawn"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(picture))}`;
  });
  const sheet = el("canvas", { width: Math.round(2 * width), height: Math.round(2 * height) });
  const pen = sheet.getContext("2d")!;
  pen.scale(2, 2);
  pen.drawImage(image, 0, 0, width, height);
  return new Promise((done, failed) =>
    sheet.toBlob((blob) => (blob ? done(blob) : failed(new Error("the picture could not be written"))), "image/png"),
  );
}

/** The projected rows, one line each; numbers with all their digits. */
export function csv({ data }: Context, { state, projection, weights }: Scene): string {
  const [a, b] = state.pair.map(texts.component);
  const columns: [string, (row: number) => number | string][] = [
    ["row", (row) => quoted(data.names[row])],
    ["weight", (row) => weights[row]],
    [a, (row) => projection.means[2 * row]],
    [b, (row) => projection.means[2 * row + 1]],
    [`variance_${a}`, (row) => projection.covariances[3 * row]],
    [`covariance_${a}_${b}`, (row) => projection.covariances[3 * row + 1]],
    [`variance_${b}`, (row) => projection.covariances[3 * row + 2]],
  ];
  const shown = a === b ? [0, 1, 2, 4].map((k) => columns[k]) : columns;
  const lines = data.names.map((_, row) => shown.map(([, value]) => value(row)).join(","));
  return `${[shown.map(([title]) => title).join(","), ...lines].join("\r\n")}\r\n`;
}

/**
 * A name as a cell. Spreadsheets take one that begins with =, +, −, @, a tab or a line break for a
 * formula and compute it: an apostrophe before it keeps it text.
 */
export function quoted(name: string): string {
  const text = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(name) ? `'${name}` : name;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Everything on display; infinity, which JSON has no number for, as the word "Infinity". */
export function json(context: Context, scene: Scene): string {
  const { data } = context;
  const { fit, state, projection: rows, weights } = scene;
  const finite = (x: number) => (Number.isFinite(x) ? x : String(x));
  return `${JSON.stringify(
    {
      title: data.title,
      scale: finite(state.scale),
      standardized: state.standardize,
      level: state.level,
      components_shown: state.pair.map((i) => i + 1),
      selection: state.selection.map((row) => data.names[row]),
      mean: [...fit.mean],
      units: [...fit.units],
      eigenvalues: [...fit.eigenvalues],
      explained_variance_ratio: [...fit.shares],
      components: Array.from({ length: fit.q }, (_, i) => [...fit.components.subarray(i * fit.d, (i + 1) * fit.d)]),
      features: data.features,
      crossings: scene.crossings.map((c) => ({
        scale: finite(c.scale),
        components: c.pair.map((i) => i + 1),
        kind: c.kind,
        gap: finite(c.gap),
      })),
      rows: data.names.map((name, row) => ({
        name,
        weight: weights[row],
        mean: [...rows.means.subarray(2 * row, 2 * row + 2)],
        covariance: [...rows.covariances.subarray(3 * row, 3 * row + 3)],
      })),
    },
    null,
    1,
  )}\n`;
}

/** A file name from a title: letters and digits of any script, nothing else. */
export function fileName(title: string, kind: string): string {
  const words = title.normalize("NFKC").match(/[\p{L}\p{N}]+/gu) ?? ["uapca"];
  return `${words.join("-").slice(0, 60)}.${kind}`;
}
