/** Names beside their marks, kept off each other. */

import { shortened } from "./format";
import type { Box } from "./view";

export interface Anchor {
  readonly index: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Drawn even where it covers another: what is selected or pointed at. */
  readonly forced: boolean;
}

/** Left and middle of the text, and its width. */
export interface Label extends Pick<Anchor, "index" | "x" | "y" | "width"> {
  /** So far from its mark that it needs a line to it. */
  readonly led: boolean;
}

// Where a label may go: direction, and distance of its box from the mark in pixels.
const DIRECTIONS = [[1, 0], [1, -1], [-1, 0], [0, -1], [1, 1], [0, 1], [-1, -1], [-1, 1]] as const;
const DISTANCES = [7, 18, 32];
const FEW = 12; // names that may cover a mark rather than be left out

/** The place straight above a mark. */
export const ABOVE = 3;

/**
 * Places chosen greedily, most important first.
 *
 * `previous` holds the place each name had: while things move, a name stays on its side as long as
 * that costs little, so that the picture does not flicker.
 */
export function placed(
  anchors: readonly Anchor[],
  frame: Box,
  previous: Map<number, number>,
  obstacles: readonly { readonly x: number; readonly y: number }[] = anchors,
): Label[] {
  const covering = anchors.length > FEW ? 2.4 : 1.2; // a mark
  const taken: Box[] = [];
  const labels: Label[] = [];
  const kept = new Map<number, number>();
  for (const anchor of anchors) {
    let best: { cost: number; box: Box; place: number } | null = null;
    for (let place = 0; place < DIRECTIONS.length * DISTANCES.length; place++) {
      const ring = Math.floor(place / DIRECTIONS.length);
      const box = boxAt(anchor, DIRECTIONS[place % DIRECTIONS.length], DISTANCES[ring]);
      if (box.left < frame.left || box.top < frame.top || box.right > frame.right || box.bottom > frame.bottom)
        continue;
      let cost = 0.02 * (place % DIRECTIONS.length) + 0.6 * ring - (previous.get(anchor.index) === place ? 0.5 : 0);
      for (const other of taken) cost += 100 * shared(box, other);
      for (const other of obstacles) {
        if (other !== anchor && contains(box, other.x, other.y, 5)) cost += covering;
      }
      if (!best || cost < best.cost) best = { cost, box, place };
    }
    if (!best || (best.cost > 2.4 && !anchor.forced)) continue;
    taken.push(best.box);
    kept.set(anchor.index, best.place);
    const { left: x, top, bottom } = best.box;
    labels.push({ index: anchor.index, x, y: 0.5 * (top + bottom), width: anchor.width, led: best.place >= DIRECTIONS.length });
  }
  previous.clear();
  kept.forEach((place, index) => previous.set(index, place));
  return labels;
}

function boxAt(anchor: Anchor, [dx, dy]: readonly [number, number], distance: number): Box {
  const reach = dx && dy ? distance * 0.75 : distance;
  const [width, height] = [anchor.width / 2, anchor.height / 2];
  const [x, y] = [anchor.x + dx * (reach + width), anchor.y + dy * (reach + height)];
  return { left: x - width, right: x + width, top: y - height, bottom: y + height };
}

/** How much of the smaller box the two have in common, from 0 to 1. */
function shared(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left) + 2;
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  const area = (box: Box) => (box.right - box.left) * (box.bottom - box.top);
  return (width * height) / Math.max(Math.min(area(a), area(b)), 1);
}

/** Whether a point is in a box, or within a margin of it. */
export function contains(box: Box, x: number, y: number, margin = 0): boolean {
  return x >= box.left - margin && x <= box.right + margin && y >= box.top - margin && y <= box.bottom + margin;
}

/** As much of a text as fits into a width. */
export function fitting(text: string, width: number, font: string): string {
  let short = text;
  for (let count = text.length - 1; count > 1 && textWidth(short, font) > width; count--) short = shortened(text, count);
  return short;
}

let context: CanvasRenderingContext2D | null = null;
const widths = new Map<string, number>();

/** The width of a text on screen in pixels, measured once. */
export function textWidth(text: string, font: string): number {
  const key = `${font}|${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    context ??= document.createElement("canvas").getContext("2d");
    if (context) context.font = font;
    width = context ? context.measureText(text).width : 7 * text.length;
    if (widths.size > 5000) widths.clear();
    widths.set(key, width);
  }
  return width;
}
