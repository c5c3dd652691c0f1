/**
 * The few words of DOM the page is written in.
 *
 * Names come from users' data: they only ever become text nodes and attribute values, never markup.
 */

import { shortened } from "./format";

type Attributes = Record<string, string | number | boolean | undefined>;
type Child = Node | string;

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with attributes and children; `false` and `undefined` attributes are left out. */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element with attributes and children. */
export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled<T extends Element>(node: T, attributes: Attributes, children: Child[]): T {
  set(node, attributes);
  node.append(...children);
  return node;
}

/** Attributes set, or taken away where the value is `false` or `undefined`. */
export function set(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Text put into a node if it differs: unchanged live regions are not read out again. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** The children of an element brought to `count`, made by `make` and thrown away from the end. */
export function pool<T extends Element>(parent: Element, count: number, make: () => T): readonly T[] {
  while (parent.childElementCount > count) parent.lastElementChild!.remove();
  while (parent.childElementCount < count) parent.append(make());
  return Array.from(parent.children as HTMLCollectionOf<T>);
}

/** A name on screen: isolated from the direction of its surroundings, with all of it in the title. */
export function nameNode(name: string, short: number | string): HTMLElement {
  return el("bdi", { class: "uapca-name", title: name }, typeof short === "number" ? shortened(name, short) : short);
}

/** A push button. */
export function button(label: string, attributes: Attributes, act: (event: MouseEvent) => void): HTMLButtonElement {
  const node = el("button", { type: "button", ...attributes }, label);
  node.addEventListener("click", act);
  return node;
}
