/** The page host: data in the document, state in the address. */

import { decode } from "../core/decode";
import { Engine } from "../core/engine";
import { mount } from "../page/index";
import sheet from "../page.css";
import { fromFragment, toFragment } from "./fragment";
import { Store } from "./store";

/** Fills the page, if this document is one: it holds the data and a place for the explorer. */
export function openPage(): void {
  const data = document.getElementById("uapca-explorer-data");
  const root = document.getElementById("uapca-explorer");
  if (data === null || root === null) return;
  const styles = new CSSStyleSheet();
  styles.replaceSync(sheet);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles];
  const dataset = decode(JSON.parse(data.textContent ?? ""));
  const store = new Store(dataset, fromFragment(location.hash, dataset));
  const fragment = () => toFragment(store.get(), dataset);
  const isShown = () => location.hash.replace(/^#/, "") === fragment();
  const link = () => `${location.href.replace(/#.*$/, "")}#${fragment()}`;
  const compact = dataset.compact || new URLSearchParams(location.hash.slice(1)).get("compact") === "1";
  const { get, set, onChange } = store;
  mount(root, new Engine({ ...dataset, compact }), { kind: "page", get, set, onChange, link });
  let timer: ReturnType<typeof setTimeout> | undefined;
  onChange((_, changed) => {
    if (changed.size === 1 && changed.has("hovered")) return;
    // Browsers allow only so many changes of the address in a while. None is an entry in the history.
    clearTimeout(timer);
    timer = setTimeout(() => isShown() || history.replaceState(history.state, "", `#${fragment()}`), 250);
  });
  addEventListener("hashchange", () => {
    // What is in the address already is no news: a change on the way to it must not be undone.
    if (isShown()) return;
    const { hovered: _, ...view } = fromFragment(location.hash, dataset);
    set(view);
  });
}
