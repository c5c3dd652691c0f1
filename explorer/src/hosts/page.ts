/** The page host: data in the document, state in the address. */

import { createEngine, decode } from "../core/index";
import type { Host, Options, State } from "../model";
import { mount } from "../page/index";
import sheet from "../page.css";
import { fromFragment, looksOf, toFragment } from "./fragment";
import { save } from "./save";
import { Store } from "./store";

const dataId = "uapca-explorer-data";
const rootId = "uapca-explorer";

/** Fills the page, if this document is one: it holds the data and a place for the explorer. */
export function openPage(): void {
  const data = document.getElementById(dataId);
  const root = document.getElementById(rootId);
  if (data === null || root === null) return;
  const styles = new CSSStyleSheet();
  styles.replaceSync(sheet);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles];
  const dataset = decode(JSON.parse(data.textContent ?? ""));
  const store = new Store(dataset, fromFragment(location.hash, dataset));
  let looks = looksOf(location.hash);
  const watching = new Set<() => void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const fragment = () => toFragment(store.get(), dataset, looks);
  const keep = () => {
    // Browsers allow only so many changes of the address in a while.
    clearTimeout(timer);
    timer = setTimeout(() => show(fragment()), 250);
  };
  const host: Host = {
    kind: "page",
    get: () => store.get(),
    set: (change) => store.set(change),
    onChange: (listener) => store.onChange(listener),
    looks: {
      get: () => looks,
      set(options: Partial<Options>) {
        looks = options;
        keep();
      },
      onChange: (listener) => void watching.add(listener),
    },
    link: () => `${location.href.replace(/#.*$/, "")}#${fragment()}`,
    save,
  };
  const compact = dataset.compact || new URLSearchParams(location.hash.slice(1)).get("compact") === "1";
  mount(root, createEngine({ ...dataset, compact }), host);
  store.onChange((_, changed) => {
    if (changed.size > 1 || !changed.has("hovered")) keep();
  });
  addEventListener("hashchange", () => {
    // What is in the address already is no news: a change on the way to it must not be undone.
    if (location.hash.replace(/^#/, "") === fragment()) return;
    const { hovered: _, ...view } = fromFragment(location.hash, dataset) as State;
    store.set(view);
    looks = looksOf(location.hash);
    for (const listener of watching) listener();
  });
}

/** Puts a fragment into the address without a new entry in the history. */
function show(fragment: string): void {
  if (location.hash.replace(/^#/, "") === fragment) return;
  history.replaceState(history.state, "", `#${fragment}`);
}
