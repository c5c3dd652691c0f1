/** The notebook host: an anywidget whose traits mirror the state, both ways. */

import { decode, decodeScale, encodeScale } from "../core/decode";
import { Engine } from "../core/engine";
import type { Dataset, Host, State } from "../model";
import { mount } from "../page/index";
import sheet from "../page.css";
import { Store } from "./store";

/** The part of anywidget's model that is used here. */
export interface WidgetModel {
  get(trait: string): unknown;
  set(trait: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

const traits = ["scale", "weights", "selection", "pair", "level", "standardize"] as const;
type Trait = (typeof traits)[number];

/** A host whose state is that of a widget's traits, and a function that lets go of them. */
export function widgetHost(model: WidgetModel, dataset: Dataset): { host: Host; close: () => void } {
  const store = new Store(dataset, Object.assign({}, ...traits.map((trait) => fromTrait(model, trait))));
  const waiting = new Set<Trait>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    const state = store.get();
    for (const trait of waiting) model.set(trait, toTrait(state, trait));
    waiting.clear();
    model.save_changes();
  };
  let listening = false; // to the kernel: what came from there is not sent back
  const stop = store.onChange((_, changed) => {
    if (listening) return;
    for (const trait of traits) if (changed.has(trait)) waiting.add(trait);
    // A drag changes the state with every frame; the kernel need not hear of each.
    if (waiting.size > 0) timer ??= setTimeout(flush, 50);
  });
  const heard = traits.map((trait) => {
    const callback = (): void => {
      if (waiting.has(trait)) return; // the person was later
      listening = true;
      store.set(fromTrait(model, trait));
      listening = false;
    };
    model.on(`change:${trait}`, callback);
    return () => model.off(`change:${trait}`, callback);
  });
  const { get, set, onChange } = store;
  return {
    host: { kind: "widget", get, set, onChange, link: () => null },
    close: () => {
      if (timer !== undefined) {
        clearTimeout(timer);
        flush();
      }
      stop();
      for (const end of heard) end();
    },
  };
}

/** Draws a widget into an element; called by anywidget, once for each place it is shown in. */
export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const dataset = decode(model.get("_payload"));
  // A shadow root keeps the notebook's styles out, and ours in.
  const shadow = el.shadowRoot ?? el.attachShadow({ mode: "open" });
  const styles = new CSSStyleSheet();
  styles.replaceSync(sheet);
  shadow.adoptedStyleSheets = [styles];
  const root = document.createElement("div");
  shadow.replaceChildren(root);
  // From outside a shadow root no one can tell that keys go into a field. Notebooks, which have
  // keys of their own, are told: JupyterLab by the attribute, others because they hear nothing.
  el.dataset["lmSuppressShortcuts"] = "true";
  const keep = (event: Event): void => event.stopPropagation();
  el.addEventListener("keydown", keep);
  const { host, close } = widgetHost(model, dataset);
  const unmount = mount(root, new Engine(dataset), host);
  return () => {
    unmount();
    close();
    el.removeEventListener("keydown", keep);
    shadow.replaceChildren();
  };
}

function fromTrait(model: WidgetModel, trait: Trait): Partial<State> {
  const value = model.get(trait);
  if (trait === "scale") return { scale: decodeScale(value) };
  return { [trait]: trait === "weights" && value !== null ? Float64Array.from(value as number[]) : value };
}

function toTrait(state: State, trait: Trait): unknown {
  if (trait === "scale") return encodeScale(state.scale);
  return trait === "weights" && state.weights !== null ? Array.from(state.weights) : state[trait];
}
