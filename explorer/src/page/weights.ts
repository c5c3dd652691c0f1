/** Weights of the rows: a slider each, steps back, and the usual choices. */

import { arrowStep, clicked, section } from "./chart";
import { button, el, nameNode, pool, set, setText } from "./dom";
import { percent, shortNames } from "./format";
import { swatch } from "./legend";
import { has, type Context, type Panel, type Scene } from "./scene";
import { texts } from "./texts";

const words = texts.weights;

const HEIGHT = 34; // of a line, in pixels; the style sheet has the same
const SPARE = 6; // lines kept ready above and below what is seen
const LETTER = 7; // width of one, in pixels
const STEPS_BACK = 100;

/** A slider being moved: the others keep their proportions in `base` until something else happens. */
interface Grip {
  readonly row: number;
  readonly base: Float64Array;
  /** What was last put by it. */
  last: Float64Array;
  remembered: boolean;
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
  const tool = (label: string, title: string, act: () => void) => button(label, { class: "uapca-tool", title }, act);
  const undo = tool(words.undo, words.undoTitle, back);
  undo.disabled = true;
  const reset = tool(words.reset, words.resetTitle, () => change(null));
  const equal = tool(words.equal, words.equalTitle, () => change(new Float64Array(data.n).fill(1 / own, 0, own)));
  const byCount = tool(words.byCount, words.byCountTitle, () => change(Float64Array.from(data.counts!)));
  const tools = el("div", { class: "uapca-tools" }, undo, ...(fixed ? [] : [reset, equal, ...(data.counts ? [byCount] : [])]));
  const find = el("input", { type: "search", class: "uapca-find", placeholder: words.find, "aria-label": words.find });
  find.hidden = data.n <= 20;
  const list = el("div", { class: "uapca-list", role: "list", "aria-label": words.list });
  const sheet = el("div", { class: "uapca-sheet" }, list);
  const note = el("p", { class: "uapca-note" }, data.precomputed ? words.fixed : "");
  const node = section("weights", words.title, tools, find, sheet, note);
  let lines: readonly HTMLElement[] = [];
  let found = Array.from({ length: own }, (_, row) => row);
  let shown = ""; // which lines, and how wide
  let letters = 0; // for which there is room
  let short: readonly string[] = data.names;

  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLocaleLowerCase();
    found = Array.from({ length: own }, (_, row) => row).filter((row) => data.names[row].toLocaleLowerCase().includes(wanted));
    sheet.scrollTop = 0;
    shown = "";
    seen();
    context.announce(words.found(found.length));
    context.hover("row", wanted && found.length ? found[0] : null);
    if (wanted && found.length) context.reveal(found[0]);
  });
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !found.length) return;
    host.set({ selection: [found[0]], hovered: null });
    context.reveal(found[0]);
  });
  sheet.addEventListener("scroll", () => seen(), { passive: true });
  new ResizeObserver(() => seen()).observe(sheet);
  node.addEventListener("keydown", (event) => {
    const undoes = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (event.target === find || !undoes) return;
    event.preventDefault();
    back();
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

  /** A row's share by the place of its slider. */
  function pull(row: number, place: number): void {
    const before = host.get().weights;
    if (grip?.row !== row || !alike(grip.last, current())) {
      grip = { row, base: Float64Array.from(current()), last: current(), remembered: false };
    }
    host.set({ weights: reshared(grip.base, row, shareAt(Math.min(Math.max(place, 0), 1))) });
    grip.last = current();
    if (grip.remembered || host.get().weights === before) return;
    grip.remembered = true;
    remember(before);
  }

  /** A line for any row: which one is said by its attribute. */
  function line(): HTMLElement {
    const row = () => Number(node.dataset["row"]);
    const name = button("", { class: "uapca-row-name" }, (event) => {
      const extend = event.shiftKey || event.ctrlKey || event.metaKey;
      host.set({ selection: clicked(host.get().selection, row(), extend) });
    });
    const slider = el("input", { type: "range", min: 0, max: 1, step: "any", class: "uapca-range", disabled: fixed });
    const only = button(words.only, { class: "uapca-tool uapca-only", disabled: fixed, title: words.onlyTitle }, () =>
      change(new Float64Array(data.n).fill(1, row(), row() + 1)),
    );
    const node = el("div", { class: "uapca-line", role: "listitem" }, name, slider, el("output", { class: "uapca-share" }), only);
    slider.addEventListener("input", () => pull(row(), Number(slider.value)));
    for (const end of ["change", "blur"]) slider.addEventListener(end, () => (grip = null));
    slider.addEventListener("keydown", (event) => {
      // A range without steps moves by what the browser thinks best: one hundredth is our own.
      const step = arrowStep(event.key, 0.01) ?? { PageDown: -0.1, PageUp: 0.1 }[event.key];
      const end = { Home: 0, End: 1 }[event.key];
      if (step === undefined && end === undefined) return;
      event.preventDefault();
      pull(row(), end ?? placeOf(current()[row()]) + step!);
    });
    for (const enter of ["pointerenter", "focusin"]) node.addEventListener(enter, () => context.hover("row", row()));
    for (const leave of ["pointerleave", "focusout"]) node.addEventListener(leave, () => context.hover("row", null));
    return node;
  }

  /** Only the lines that can be seen exist. */
  function seen(): void {
    if (!scene) return;
    const all = found.length <= 40;
    const first = all ? 0 : Math.max(Math.floor(sheet.scrollTop / HEIGHT) - SPARE, 0);
    const end = all ? Infinity : Math.ceil((sheet.scrollTop + sheet.clientHeight) / HEIGHT) + SPARE;
    const last = Math.min(end, found.length);
    const now = `${first} ${last} ${sheet.clientWidth}`;
    if (now === shown) return;
    shown = now;
    list.style.paddingTop = `${first * HEIGHT}px`;
    list.style.paddingBottom = `${(found.length - last) * HEIGHT}px`;
    lines = pool(list, last - first, line);
    // In steps of four letters: while the page grows the names are not cut anew with every pixel.
    const room = 4 * Math.max(Math.floor(((lines[0]?.firstElementChild?.clientWidth ?? 0) - 30) / (4 * LETTER)), 2);
    if (room !== letters) [letters, short] = [room, shortNames(data.names, room)];
    lines.forEach((one, i) => {
      const row = found[first + i];
      const [name, slider, , only] = one.children;
      set(one, { "data-row": row, "aria-setsize": found.length, "aria-posinset": first + i + 1 });
      name.replaceChildren(swatch(context.looks[row], scene!.theme), nameNode(data.names[row], short[row]));
      set(slider, { "aria-label": words.of(data.names[row]) });
      set(only, { "aria-label": words.onlyOf(data.names[row]) });
    });
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

  function values(scene: Scene): void {
    const chosen = new Set(scene.state.selection);
    for (const one of lines) {
      const row = Number(one.dataset["row"]);
      const [name, slider, output] = one.children as unknown as [HTMLElement, HTMLInputElement, HTMLElement];
      const share = scene.weights[row];
      if (!slider.matches(":focus") || Math.abs(shareAt(Number(slider.value)) - share) > 1e-12) {
        slider.value = String(placeOf(share));
      }
      setText(output, percent(share));
      set(slider, { "aria-valuetext": percent(share) });
      one.classList.toggle("is-hovered", row === scene.row);
      one.classList.toggle("is-selected", chosen.has(row));
      set(name, { "aria-pressed": String(chosen.has(row)) });
    }
  }

  return {
    node,
    draw(next, changes) {
      scene = next;
      if (has(changes, "theme")) shown = "";
      // Asking where the list is scrolled to makes the browser lay out the page: not in every frame.
      if (!shown) seen();
      const [first, ...more] = next.state.selection;
      if (has(changes, "selection") && first !== undefined && !more.length) bring(first);
      if (has(changes, "weights", "selection", "hovered", "theme")) values(next);
    },
  };
}
