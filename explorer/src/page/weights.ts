/** Weights of the rows: a slider each, steps back, and the usual choices. */

import { section } from "./chart";
import { button, el, nameNode, set, setText } from "./dom";
import { percent } from "./format";
import { color } from "./palette";
import { swatch } from "./projection/legend";
import { has, type Changes, type Context, type Panel, type Scene } from "./scene";
import { texts } from "./texts";
import { clicked } from "./walk";

const words = texts.weights;

const HEIGHT = 34; // of a line, in pixels; the style sheet has the same
const SPARE = 6; // lines kept ready above and below what is seen
const STEPS_BACK = 100;

/** A slider being moved: the others keep their proportions in `base` until something else happens. */
interface Grip {
  readonly row: number;
  readonly base: Float64Array;
  /** What was last put by it. */
  last: Float64Array;
  remembered: boolean;
}

interface Line {
  readonly node: HTMLElement;
  readonly name: HTMLButtonElement;
  readonly slider: HTMLInputElement;
  readonly share: HTMLOutputElement;
  row: number;
}

/** A slider's place for a share: square roots, so that small shares have room too. */
export const placeOf = (share: number) => Math.sqrt(share);
export const shareAt = (place: number) => place * place;

/** One row's share set, the others keeping their proportions; equal ones if they had none. */
export function reshared(base: Float64Array, row: number, share: number): Float64Array {
  const rest = base.reduce((sum, w, i) => (i === row ? sum : sum + w), 0);
  const left = 1 - share;
  return base.map((w, i) => {
    if (i === row) return base.length === 1 ? 1 : share;
    return rest > 0 ? (w / rest) * left : left / (base.length - 1);
  });
}

/** Whether weights are the same but for rounding, such as that of a kernel that sends them back. */
function alike(a: Float64Array, b: Float64Array): boolean {
  return a.every((weight, row) => Math.abs(weight - b[row]) <= 1e-12);
}

export function weights(context: Context): Panel {
  const { data, host } = context;
  const own = data.n - data.supplementary; // rows of the fit; the others have no weight
  const fixed = data.precomputed !== null || own < 2;
  const past: (Float64Array | null)[] = [];
  let scene: Scene | null = null;
  let grip: Grip | null = null;

  const current = () => host.get().weights ?? data.weights;
  const remember = (weights: Float64Array | null) => {
    past.push(weights);
    if (past.length > STEPS_BACK) past.shift();
    undo.disabled = false;
  };
  const change = (next: Float64Array | null) => {
    const before = host.get().weights;
    host.set({ weights: next });
    if (host.get().weights !== before) remember(before);
  };
  const undo = button(
    words.undo,
    { class: "uapca-tool", title: words.undoTitle, disabled: true },
    back,
  );
  const reset = button(words.reset, { class: "uapca-tool", title: words.resetTitle }, () => change(null));
  const tools = el("div", { class: "uapca-tools" }, undo);
  if (!fixed) {
    tools.append(
      reset,
      button(words.equal, { class: "uapca-tool", title: words.equalTitle }, () =>
        change(new Float64Array(data.n).fill(1 / own, 0, own)),
      ),
    );
    const { counts } = data;
    if (counts) {
      const total = counts.reduce((a, b) => a + b, 0);
      tools.append(
        button(words.byCount, { class: "uapca-tool", title: words.byCountTitle }, () =>
          change(counts.map((count) => count / total)),
        ),
      );
    }
  }
  const find = el("input", {
    type: "search",
    class: "uapca-find",
    placeholder: words.find,
    "aria-label": words.find,
  });
  find.hidden = data.n <= 20;
  const list = el("div", { class: "uapca-list", role: "list", "aria-label": words.list });
  const sheet = el("div", { class: "uapca-sheet" }, list);
  const note = el("p", { class: "uapca-note" });
  const node = section("weights", words.title, tools, find, sheet, note);
  if (data.precomputed)
    note.textContent = words.fixed;
  const lines: Line[] = [];
  let found = Array.from({ length: own }, (_, row) => row);
  let shown = [-1, -1];

  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLocaleLowerCase();
    found = [];
    data.names.slice(0, own).forEach((name, row) => {
      if (name.toLocaleLowerCase().includes(wanted)) found.push(row);
    });
    sheet.scrollTop = 0;
    shown = [-1, -1];
    seen();
    context.announce(words.found(found.length));
    if (wanted && found.length) show(found[0]);
    else host.set({ hovered: null });
  });
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !found.length) return;
    host.set({ selection: [found[0]], hovered: null });
    context.reveal(found[0]);
  });
  const show = (row: number) => {
    host.set({ hovered: { kind: "row", index: row } });
    context.reveal(row);
  };
  sheet.addEventListener("scroll", () => seen(), { passive: true });
  new ResizeObserver(() => seen()).observe(sheet);
  node.addEventListener("keydown", (event) => {
    const typing = event.target === find;
    if (!typing && event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
      event.preventDefault();
      back();
    }
  });

  function back(): void {
    if (!past.length) return;
    grip = null;
    host.set({ weights: past.pop()! });
    // A button that is switched off loses the focus, and with it the person's place.
    if (!past.length && undo.matches(":focus")) reset.focus();
    undo.disabled = !past.length;
    context.announce(words.undone);
  }

  function line(): Line {
    const name = button("", { class: "uapca-row-name" }, (event) => {
      const extend = event.shiftKey || event.ctrlKey || event.metaKey;
      host.set({ selection: clicked(host.get().selection, one.row, extend) });
    });
    const slider = el("input", { type: "range", min: 0, max: 1, step: "any", class: "uapca-range", disabled: fixed });
    const share = el("output", { class: "uapca-share" });
    const only = button(words.only, { class: "uapca-tool uapca-only", disabled: fixed }, () => {
      const next = new Float64Array(data.n);
      next[one.row] = 1;
      change(next);
    });
    const node = el("div", { class: "uapca-line", role: "listitem" }, name, slider, share, only);
    const one: Line = { node, name, slider, share, row: -1 };
    const release = () => {
      grip = null;
    };
    const pull = (place: number) => {
      const { row } = one;
      const before = host.get().weights;
      if (grip?.row !== row || !alike(grip.last, current())) {
        grip = { row, base: Float64Array.from(current()), last: current(), remembered: false };
      }
      host.set({ weights: reshared(grip.base, row, shareAt(Math.min(Math.max(place, 0), 1))) });
      grip.last = current();
      if (grip.remembered || host.get().weights === before) return;
      grip.remembered = true;
      remember(before);
    };
    slider.addEventListener("input", () => pull(Number(slider.value)));
    slider.addEventListener("change", release);
    slider.addEventListener("blur", release);
    slider.addEventListener("keydown", (event) => {
      // A range without steps moves by what the browser thinks best: one hundredth is our own.
      const step = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01, PageDown: -0.1, PageUp: 0.1 }[
        event.key
      ];
      const end = { Home: 0, End: 1 }[event.key];
      if (step === undefined && end === undefined) return;
      event.preventDefault();
      pull(end ?? placeOf(current()[one.row]) + (step ?? 0));
    });
    const enter = () => host.set({ hovered: { kind: "row", index: one.row } });
    const leave = () => {
      if (host.get().hovered?.kind === "row") host.set({ hovered: null });
    };
    node.addEventListener("pointerenter", enter);
    node.addEventListener("pointerleave", leave);
    node.addEventListener("focusin", enter);
    node.addEventListener("focusout", leave);
    return one;
  }

  /** Only the lines that can be seen exist. */
  function seen(): void {
    if (!scene || !data.n) return;
    const all = found.length <= 40;
    const first = all ? 0 : Math.max(Math.floor(sheet.scrollTop / HEIGHT) - SPARE, 0);
    const last = all
      ? found.length
      : Math.min(Math.ceil((sheet.scrollTop + sheet.clientHeight) / HEIGHT) + SPARE, found.length);
    if (first === shown[0] && last === shown[1]) return;
    shown = [first, last];
    list.style.paddingTop = `${first * HEIGHT}px`;
    list.style.paddingBottom = `${(found.length - last) * HEIGHT}px`;
    while (lines.length > last - first) lines.pop()!.node.remove();
    while (lines.length < last - first) {
      const one = line();
      lines.push(one);
      list.append(one.node);
    }
    lines.forEach((one, i) => dress(one, found[first + i], scene!));
    values(scene);
  }

  /** Scrolls the list to a row that was chosen elsewhere. */
  function bring(row: number): void {
    const at = found.indexOf(row) * HEIGHT;
    if (at >= 0 && (at < sheet.scrollTop || at + HEIGHT > sheet.scrollTop + sheet.clientHeight)) {
      sheet.scrollTop = at - HEIGHT;
      seen();
    }
  }

  function dress(one: Line, row: number, scene: Scene): void {
    one.row = row;
    const name = data.names[row];
    const look = context.look(row);
    set(one.node, { "data-row": row, "aria-setsize": found.length, "aria-posinset": found.indexOf(row) + 1 });
    one.name.replaceChildren(swatch(look, color(look, scene.theme)), nameNode(name, 40));
    set(one.slider, { "aria-label": words.of(name) });
    set(one.node.lastElementChild!, { "aria-label": words.onlyOf(name), title: words.onlyTitle });
  }

  function values(scene: Scene): void {
    const chosen = new Set(scene.state.selection);
    for (const one of lines) {
      const share = scene.weights[one.row];
      const text = percent(share);
      if (!one.slider.matches(":focus") || Math.abs(shareAt(Number(one.slider.value)) - share) > 1e-12) {
        one.slider.value = String(placeOf(share));
      }
      if (one.slider.getAttribute("aria-valuetext") !== text) set(one.slider, { "aria-valuetext": text });
      setText(one.share, text);
      one.node.classList.toggle("is-hovered", one.row === scene.row);
      one.node.classList.toggle("is-selected", chosen.has(one.row));
      set(one.name, { "aria-pressed": String(chosen.has(one.row)) });
    }
  }

  return {
    node,
    draw(next: Scene, changes: Changes) {
      scene = next;
      if (has(changes, "theme")) shown = [-1, -1];
      // Asking where the list is scrolled to makes the browser lay out the page: not in every frame.
      if (shown[0] < 0) seen();
      const [first] = next.state.selection;
      if (has(changes, "selection") && first !== undefined && next.state.selection.length === 1) bring(first);
      if (has(changes, "weights", "selection", "hovered", "theme")) values(next);
    },
  };
}
