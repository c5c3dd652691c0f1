/** The keyboard on a picture: arrow keys walk through rows or features, Enter selects, Escape lets go. */

import type { Hovered } from "../model";
import type { Context } from "./scene";

export function walks(
  stage: HTMLElement,
  context: Context,
  kind: Hovered["kind"],
  act: (index: number, extend: boolean) => void,
): void {
  const { data, host } = context;
  const [count, names] = kind === "row" ? [data.n, data.names] : [data.d, data.features];
  stage.addEventListener("keydown", (event) => {
    if (event.target !== stage || event.altKey || event.metaKey || event.ctrlKey) return;
    const { hovered, selection } = host.get();
    const here = hovered?.kind === kind ? hovered.index : null;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    let next: number | null = null;
    if (step) next = here === null ? (step > 0 ? 0 : count - 1) : (here + step + count) % count;
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = count - 1;
    else if ((event.key === "Enter" || event.key === " ") && here !== null) act(here, event.shiftKey);
    else if (event.key === "Escape") {
      context.choose({ pinned: null });
      host.set(selection.length ? { hovered: null, selection: [] } : { hovered: null });
    } else return;
    event.preventDefault();
    if (next === null || next < 0 || next >= count) return;
    host.set({ hovered: { kind, index: next } });
    context.announce(names[next]);
  });
  stage.addEventListener("blur", () => {
    if (host.get().hovered?.kind === kind) host.set({ hovered: null });
  });
}

/** The selection after a click on a row: that row alone, or with the others where `extend`. */
export function clicked(selection: readonly number[], row: number, extend: boolean): number[] {
  if (extend) {
    return selection.includes(row)
      ? selection.filter((other) => other !== row)
      : [...selection, row].sort((a, b) => a - b);
  }
  return selection.length === 1 && selection[0] === row ? [] : [row];
}
