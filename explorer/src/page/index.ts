/** The explorer on a page or in a notebook: panels around one state, drawn once for each frame. */

import type { Engine } from "../core/engine";
import type { Host } from "../model";
import { controls } from "./controls";
import { details } from "./details";
import { button, el, nameNode, set, setText } from "./dom";
import { eigenvalues } from "./eigenvalues";
import { csv, drawing, fileName, json, png, svgText } from "./exports";
import { digits, sentence, shortNames, unbroken } from "./format";
import { loadings } from "./loadings";
import { groupLooks, kind, rowLooks, widest, type Theme } from "./palette";
import { projection } from "./projection";
import { Computed, has, type Change, type Context, type Scene } from "./scene";
import { texts } from "./texts";
import { traces } from "./traces";
import { verdict } from "./verdict";
import { weights } from "./weights";

// Milliseconds without a change after which what takes long follows; after one of weights more, since
// the exact path must not come between two steps of a slow hand.
const [CALM, PAUSE] = [120, 250];
const SLICE = 10; // milliseconds of that work at a time
const [SHORT, FEATURE] = [22, 28]; // characters of the name of a row and of a feature in a picture
const PUBLISHED = 5000; // rows whose numbers are attributes of the page

let explorers = 0;

/**
 * Fills `root`, an empty element in a document or in a shadow root that has adopted the style sheet;
 * returns a function that takes the explorer away again.
 */
export function mount(root: HTMLElement, engine: Engine, host: Host): () => void {
  const data = engine.dataset;
  const prefix = `uapca-${++explorers}`;
  const live = el("p", { class: "uapca-unseen", "aria-live": "polite" });
  const words = el("p", { class: "uapca-verdict", role: "status", "aria-live": "polite", "aria-label": texts.header.verdict });
  // A page of its own has a main part and a first heading; in a notebook these are others'.
  const explorer = el(host.kind === "page" ? "main" : "div", { class: "uapca", "data-host": host.kind, "data-state": "moving" });
  root.append(explorer);

  const computed = new Computed(engine);
  const changes = new Set<Change>(["theme", "size", "path", ...(Object.keys(host.get()) as Change[])]);
  let scene: Scene | null = null;
  let calm = false; // nothing moves: the next frame may take its time
  let held = false; // a button of the pointer is down
  let room = 0; // the verdict's width when its height was taken
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let frame = 0; // the next one, if it was asked for
  const request = () => (frame ||= requestAnimationFrame(draw));

  engine.configure(null, data.initial.standardize);
  const wide = widest(data, engine.project(engine.fit(data.initial.scale), data.initial.pair));
  const looks = rowLooks(data, wide.map(([row]) => row));
  const short = { names: shortNames(data.names, SHORT), features: shortNames(data.features, FEATURE) };
  const context: Context = {
    data,
    engine,
    host,
    id: (name) => `${prefix}-${name}`,
    looks,
    wide: wide.map(([row]) => row),
    key: [...groupLooks(data), ...wide.map(([row, times]) => [texts.projection.wide(short.names[row], digits(times, 2)), looks[row]] as const)],
    short,
    hover(kind, index) {
      if (index !== null) host.set({ hovered: { kind, index } });
      else if (host.get().hovered?.kind === kind) host.set({ hovered: null });
    },
    reveal: () => undefined,
    refine(detail) {
      computed.detail = detail;
    },
    announce: (text) => setText(live, text),
    redraw(change) {
      changes.add(change);
      request();
    },
  };
  const pictures = [projection(context), traces(context), eigenvalues(context), loadings(context)];
  const [control, rows, numbers] = [controls(context), weights(context), details(context)];
  const panels = [control, ...pictures, rows, numbers];

  function draw(): void {
    frame = 0;
    const now = new Set(changes);
    changes.clear();
    scene = computed.scene(host.get(), currentTheme(), now, calm);
    if (has(now, "theme")) {
      set(explorer, { "data-theme": scene.theme });
      explorer.style.setProperty("--uapca-strong", kind(1)[scene.theme]);
    }
    for (const panel of panels) panel.draw(scene, now);
    if ([...now].every((change) => change === "hovered")) return;
    set(explorer, { "data-state": "moving" });
    clearTimeout(waiting);
    waiting = setTimeout(settle, calm ? 0 : has(now, "weights") ? PAUSE : CALM);
    calm = false;
  }

  /** What may wait until nothing moves: the exact path and outlines, the words, the numbers for machines. */
  function settle(): void {
    if (changes.size || held) return;
    const before = scene!.path;
    if (!computed.work(SLICE)) {
      waiting = setTimeout(settle, 0);
      return;
    }
    if (!scene!.calm || computed.rough || computed.path !== before) {
      calm = true;
      context.redraw("path");
      return;
    }
    say(unbroken([...verdict(engine, scene!), ...remarks(scene!)].join(" ")));
    publish(explorer, scene!);
    set(explorer, { "data-state": "settled" });
  }

  /** The verdict. Where it was longer before it keeps its room: nothing below moves from under a hand. */
  function say(text: string): void {
    if (words.clientWidth !== room) words.style.minHeight = "";
    setText(words, text);
    room = words.clientWidth;
    // As laid out: what is measured on screen includes by how much the host enlarges the page.
    words.style.minHeight = `${Math.ceil(parseFloat(getComputedStyle(words).height))}px`;
  }

  function remarks({ state }: Scene): readonly string[] {
    // How far components can be trusted is known for the weights and units with which the page opens.
    const trust = state.weights || state.standardize !== data.initial.standardize ? [] : data.trust;
    return [...(data.precomputed ? [texts.header.precomputed] : []), ...[...trust, ...data.remarks].map(sentence)];
  }

  async function save(kind: "svg" | "png" | "csv" | "json"): Promise<void> {
    // Everything brought up to date at once, with nothing left for later.
    held = false;
    while (changes.size || explorer.dataset["state"] !== "settled") {
      cancelAnimationFrame(frame);
      if (changes.size) draw();
      clearTimeout(waiting);
      settle();
    }
    const name = fileName(data.title, kind);
    const picture = () => drawing(context, scene!, pictures, explorer);
    const content = {
      svg: () => new Blob([svgText(picture())], { type: "image/svg+xml" }),
      png: () => png(picture()),
      csv: () => new Blob([csv(context, scene!)], { type: "text/csv;charset=utf-8" }),
      json: () => new Blob([json(context, scene!)], { type: "application/json" }),
    }[kind]();
    const link = el("a", { href: URL.createObjectURL(await content), download: name });
    link.click();
    // The download has its own hold on the data by then.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    context.announce(texts.header.saved(name));
  }

  async function copyLink(): Promise<void> {
    const link = host.link()!;
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      // Pages opened from a file may not write to the clipboard: a field is copied the old way.
      const field = el("textarea", { class: "uapca-unseen" }, link);
      explorer.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    context.announce(texts.header.linked);
  }

  const exports = el("div", { class: "uapca-exports", role: "group", "aria-label": texts.header.export }, `${texts.header.export} `);
  for (const kind of ["svg", "png", "csv", "json"] as const) {
    exports.append(button(kind.toUpperCase(), { class: "uapca-tool", "data-export": kind }, () => void save(kind)));
  }
  if (host.link() !== null) {
    exports.append(button(texts.header.link, { class: "uapca-tool", title: texts.header.linkTitle }, () => void copyLink()));
  }
  const header = el(
    "header",
    { class: "uapca-head" },
    el(host.kind === "page" ? "h1" : "h2", { class: "uapca-title" }, nameNode(data.title || texts.header.untitled, 80)),
    el("p", { class: "uapca-size" }, texts.header.size(data.n - data.supplementary, data.d)),
    exports,
  );
  const lists = el("div", { class: "uapca-lists" }, rows.node, numbers.node);
  const others = el("div", { class: "uapca-pictures" }, ...pictures.slice(1).map((panel) => panel.node));
  const grid = el("div", { class: "uapca-grid" }, pictures[0].node, el("div", { class: "uapca-side" }, lists, others));
  explorer.append(header, control.node, words, grid, live);
  explorer.classList.toggle("is-single", data.d < 2);
  explorer.classList.toggle("is-compact", data.compact);
  // The projection stays in view below the controls, however high these are.
  const watch = new ResizeObserver(() => explorer.style.setProperty("--uapca-controls", `${control.node.offsetHeight}px`));
  watch.observe(control.node);

  const stop = host.onChange((_, changed) => {
    changed.forEach((key) => changes.add(key));
    request();
  });
  const end = new AbortController();
  const theme = () => context.redraw("theme");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme, { signal: end.signal });
  const themes = new MutationObserver(theme); // of notebooks
  themes.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  // While a hand drags nothing comes in its way; what takes long follows when it lets go.
  const grasp = (event: PointerEvent) => {
    const before = held;
    held = event.buttons !== 0;
    if (!before || held) return;
    clearTimeout(waiting);
    waiting = setTimeout(settle, CALM);
  };
  for (const hand of ["pointerdown", "pointermove", "pointerup", "pointercancel"] as const) {
    document.addEventListener(hand, grasp, { capture: true, signal: end.signal });
  }
  request();
  return () => {
    stop();
    end.abort();
    for (const panel of panels) panel.stop?.();
    cancelAnimationFrame(frame);
    clearTimeout(waiting);
    watch.disconnect();
    themes.disconnect();
    explorer.remove();
  };
}

/** The numbers on display as `data-*` attributes of the root, with all their digits. */
function publish(root: HTMLElement, { state, fit, projection, weights, crossings }: Scene): void {
  const list = (values: ArrayLike<number>) => Array.from(values).join(" ");
  set(root, {
    "data-scale": String(state.scale),
    "data-pair": list(state.pair),
    "data-level": String(state.level),
    "data-standardize": String(state.standardize),
    "data-selection": list(state.selection),
    "data-mean": list(fit.mean),
    "data-units": list(fit.units),
    "data-eigenvalues": list(fit.eigenvalues),
    "data-shares": list(fit.shares),
    "data-components": state.pair.map((i) => list(fit.components.subarray(i * fit.d, (i + 1) * fit.d))).join(" "),
    "data-crossings": list(crossings.map((c) => c.scale)),
  });
  if (projection.n > PUBLISHED) return;
  const { means, covariances } = projection;
  set(root, { "data-means": list(means), "data-covariances": list(covariances), "data-weights": list(weights) });
}

/** Light or dark: as the notebook around says, otherwise as the system does. */
function currentTheme(): Theme {
  const { jpThemeLight: notebook, vscodeThemeKind: kind } = document.body.dataset;
  if (notebook) return notebook === "false" ? "dark" : "light";
  if (kind) return kind.includes("light") ? "light" : "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
