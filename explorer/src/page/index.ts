/** The explorer on a page or in a notebook: panels around one state, drawn once for each frame. */

import type { Dataset, Mount, Options } from "../model";
import { controls } from "./controls";
import { details } from "./details";
import { button, el, framed, nameNode, set, setText } from "./dom";
import { eigenvalues } from "./eigenvalues";
import { csv, drawing, fileName, json, png, svgText, type Pictured } from "./exports";
import { sentence, unbroken } from "./format";
import { texts } from "./texts";
import { loadings } from "./loadings";
import { publish } from "./numbers";
import { optionChanges, optionsWith } from "./options";
import { projection } from "./projection/panel";
import { Computed, has, looks, type Change, type Context, type Scene } from "./scene";
import { currentTheme, onTheme } from "./theme";
import { traces } from "./traces";
import { verdict } from "./verdict";
import { weights } from "./weights";

// Milliseconds without a change after which words and numbers follow; after one of weights also the
// exact path, which takes longer than a frame and must not come between two steps of a slow hand.
const [CALM, PAUSE] = [120, 250];

const FRAME = "uapca-frame"; // what each frame cost, among the browser's own measurements
const KEPT = 600; // frames; browsers would keep them all

let explorers = 0;

/** Puts the explorer into an element; returns a function that takes it away again. */
export const mount: Mount = (root, engine, host) => {
  const data = engine.dataset;
  const prefix = `uapca-${++explorers}`;
  const live = el("p", { class: "uapca-unseen", "aria-live": "polite" });
  const words = el("p", { class: "uapca-verdict", role: "status", "aria-live": "polite", "aria-label": texts.header.verdict });
  // A page of its own has a main part and a first heading; in a notebook these are others'.
  const explorer = el(host.kind === "page" ? "main" : "div", { class: "uapca", "data-host": host.kind, "data-state": "moving" });
  root.append(explorer);

  const computed = new Computed(engine);
  const changes = new Set<Change>(["theme", "size", "path", "labels", ...(Object.keys(host.get()) as Change[])]);
  let options = optionsWith(host.looks?.get() ?? {}, data);
  let scene: Scene | null = null;
  let hurried = false;
  let calm = true;
  let frames = 0;
  let room = 0; // the verdict's width when its height was taken
  let theme = currentTheme();
  let waiting: ReturnType<typeof setTimeout> | undefined;

  const context: Context = {
    data,
    engine,
    host,
    id: (name) => `${prefix}-${name}`,
    look: looks(data),
    choose(change) {
      take({ ...options, ...change });
      host.looks?.set(optionChanges(options, data));
    },
    reveal: () => undefined,
    refine(detail) {
      if (computed.detail === detail) return;
      computed.detail = detail;
      changes.add("shape");
      frame.request();
    },
    announce: (text) => setText(live, text),
    redraw(change) {
      changes.add(change);
      frame.request();
    },
  };
  const panels = {
    controls: controls(context),
    projection: projection(context),
    traces: traces(context),
    eigenvalues: eigenvalues(context),
    loadings: loadings(context),
    weights: weights(context),
    details: details(context),
  };
  const pictures: Pictured[] = [
    { title: texts.projection.title, panel: panels.projection },
    { title: texts.traces.title, panel: panels.traces },
    { title: texts.eigenvalues.title, panel: panels.eigenvalues },
    { title: texts.loadings.title, panel: panels.loadings },
  ];
  const frame = framed(draw);

  function take(next: Options): void {
    for (const key of Object.keys(next) as (keyof Options)[]) if (next[key] !== options[key]) changes.add(key);
    options = next;
    frame.request();
  }

  function draw(): void {
    const now = new Set(changes);
    changes.clear();
    performance.mark(FRAME);
    scene = computed.scene(host.get(), options, theme, now, hurried, calm);
    calm = false;
    if (has(now, "theme")) set(explorer, { "data-theme": scene.theme });
    for (const panel of Object.values(panels)) panel.draw(scene, now);
    if (![...now].every((change) => change === "hovered")) {
      set(explorer, { "data-state": "moving" });
      clearTimeout(waiting);
      waiting = setTimeout(settle, hurried ? PAUSE : CALM);
    }
    performance.measure(FRAME, FRAME);
    performance.clearMarks(FRAME);
    if (++frames % KEPT === 0) performance.clearMeasures(FRAME);
  }

  /** What may wait until nothing moves: the exact path, the words, the numbers for machines. */
  function settle(): void {
    if (hurried || computed.rough) {
      hurried = false;
      calm = true;
      changes.add("path");
      frame.request();
      return;
    }
    if (!scene || changes.size) return;
    say(unbroken([...verdict(engine, scene), ...remarks(scene)].join(" ")));
    publish(explorer, scene);
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

  function remarks(scene: Scene): readonly string[] {
    const notes = data.precomputed
      ? [texts.header.precomputed]
      : [];
    // What Python says is about the data as given.
    return scene.state.weights || scene.state.standardize ? notes : [...notes, ...data.remarks.map(sentence)];
  }

  /** Everything brought up to date at once, with nothing left for later. */
  function catchUp(): void {
    if (explorer.dataset["state"] === "settled" && !changes.size) return;
    hurried = false;
    calm = true;
    changes.add("path");
    frame.cancel();
    draw();
    clearTimeout(waiting);
    settle();
  }

  async function save(kind: "svg" | "png" | "csv" | "json"): Promise<void> {
    catchUp();
    if (!scene) return;
    const name = fileName(data.title, kind);
    if (kind === "csv") host.save(name, new Blob([csv(context, scene)], { type: "text/csv;charset=utf-8" }));
    else if (kind === "json") host.save(name, new Blob([json(context, scene)], { type: "application/json" }));
    else {
      const picture = drawing(context, scene, pictures, explorer);
      if (kind === "svg") host.save(name, new Blob([svgText(picture)], { type: "image/svg+xml" }));
      else host.save(name, await png(picture));
    }
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
    exports.append(
      button(texts.header.link, { class: "uapca-tool", title: texts.header.linkTitle }, () => void copyLink()),
    );
  }
  explorer.append(
    header(data, host.kind === "page" ? "h1" : "h2", exports),
    panels.controls.node,
    words,
    el(
      "div",
      { class: "uapca-grid" },
      panels.projection.node,
      el(
        "div",
        { class: "uapca-side" },
        el("div", { class: "uapca-lists" }, panels.weights.node, panels.details.node),
        el("div", { class: "uapca-pictures" }, panels.traces.node, panels.eigenvalues.node, panels.loadings.node),
      ),
    ),
    live,
  );
  if (data.d < 2) explorer.classList.add("is-single");
  if (data.compact) explorer.classList.add("is-compact");
  // The projection stays in view below the controls, however high these are.
  const watch = new ResizeObserver(() =>
    explorer.style.setProperty("--uapca-controls", `${panels.controls.node.offsetHeight}px`),
  );
  watch.observe(panels.controls.node);

  const stop = host.onChange((_, changed) => {
    if (changed.has("weights")) hurried = true;
    changed.forEach((key) => changes.add(key));
    frame.request();
  });
  host.looks?.onChange(() => take(optionsWith(host.looks!.get(), data)));
  const untheme = onTheme(() => {
    theme = currentTheme();
    context.redraw("theme");
  });
  frame.request();
  return () => {
    stop();
    untheme();
    panels.controls.stop();
    frame.cancel();
    clearTimeout(waiting);
    watch.disconnect();
    explorer.remove();
  };
};

function header(data: Dataset, heading: "h1" | "h2", ...actions: HTMLElement[]): HTMLElement {
  return el(
    "header",
    { class: "uapca-head" },
    el(heading, { class: "uapca-title" }, nameNode(data.title || texts.header.untitled, 80)),
    el("p", { class: "uapca-size" }, texts.header.size(data.n - data.supplementary, data.d)),
    ...actions,
  );
}
