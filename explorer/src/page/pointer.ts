/** The pointer on the projection: hover, click, brush, pan and zoom. */

import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomBehavior } from "d3-zoom";

import { set, svg } from "./dom";
import { boxOf, type Box } from "./view";

export interface Acts {
  /** What lies under a point of the stage. */
  rowAt(x: number, y: number): number | null;
  hover(row: number | null, x: number, y: number): void;
  click(row: number | null, extend: boolean): void;
  brush(box: Box, extend: boolean): void;
  zoomed(transform: { k: number; x: number; y: number }): void;
  panning(): boolean;
}

const STILL = 4; // pixels that a hand moves while it clicks

export function pointer(stage: HTMLElement, surface: SVGSVGElement, acts: Acts) {
  const band = svg("rect", { class: "uapca-brush", visibility: "hidden" });
  surface.append(band);
  let start: { id: number; x: number; y: number; brushing: boolean } | null = null;

  const where = (event: MouseEvent) => {
    const box = surface.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const hide = () => {
    if (start?.brushing && stage.hasPointerCapture(start.id)) stage.releasePointerCapture(start.id);
    start = null;
    set(band, { visibility: "hidden" });
    document.removeEventListener("keydown", abandon, true);
  };
  // Wherever the focus is, and before any panel hears of it: what was selected stays so.
  const abandon = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    hide();
  };

  stage.addEventListener("pointerdown", (event) => {
    if (event.button || !event.isPrimary || acts.panning()) return;
    start = { id: event.pointerId, ...where(event), brushing: false };
    document.addEventListener("keydown", abandon, true);
  });
  stage.addEventListener("pointermove", (event) => {
    const { x, y } = where(event);
    if (!start || event.pointerId !== start.id) {
      if (event.pointerType !== "touch") acts.hover(acts.rowAt(x, y), x, y);
      return;
    }
    if (!start.brushing && Math.hypot(x - start.x, y - start.y) > STILL) {
      start.brushing = true;
      stage.setPointerCapture(event.pointerId);
    }
    if (start.brushing) {
      const { left, right, top, bottom } = boxOf(start, { x, y });
      set(band, { x: left, y: top, width: right - left, height: bottom - top, visibility: "visible" });
    }
  });
  stage.addEventListener("pointerup", (event) => {
    if (!start || event.pointerId !== start.id) return;
    const { x, y } = where(event);
    const extend = event.shiftKey || event.ctrlKey || event.metaKey;
    if (start.brushing) {
      acts.brush(boxOf(start, { x, y }), extend);
    } else {
      acts.click(acts.rowAt(x, y), extend || event.pointerType === "touch");
    }
    hide();
  });
  stage.addEventListener("pointercancel", hide);
  stage.addEventListener("pointerleave", () => {
    if (!start) acts.hover(null, 0, 0);
  });

  const behaviour: ZoomBehavior<SVGSVGElement, unknown> = zoom<SVGSVGElement, unknown>()
    .scaleExtent([0.5, 60])
    // The wheel alone scrolls the page; one finger scrolls or selects, two zoom.
    .filter((event: Event) => {
      if (event.type === "wheel") return (event as WheelEvent).ctrlKey || (event as WheelEvent).metaKey;
      if (event.type.startsWith("touch")) return acts.panning() || (event as TouchEvent).touches.length > 1;
      return event.type !== "dblclick" && acts.panning() && !(event as MouseEvent).button;
    })
    .on("zoom", (event: D3ZoomEvent<SVGSVGElement, unknown>) => acts.zoomed(event.transform));
  const selected = select(surface).call(behaviour);
  return {
    zoomBy: (factor: number) => behaviour.scaleBy(selected, factor),
    reset: () => behaviour.transform(selected, zoomIdentity),
  };
}
