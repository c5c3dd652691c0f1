/** The animation of s: there and back on the hyperbolic axis. */

import { uOf, type Host } from "../model";
import { scaleAt, TICKS } from "./hyperbolic";

const SECONDS = 9; // from s = 0 to s = ∞
const PAUSE = 1500; // milliseconds at each tick, where motion is to be reduced

export interface Player {
  readonly playing: boolean;
  toggle(): void;
  stop(): void;
}

/** Moves s until stopped; in jumps from tick to tick for people who asked for less motion. */
export function player(host: Host, changed: (playing: boolean) => void): Player {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let playing = false;
  let direction = 1;
  let before = 0;

  function glide(now: number): void {
    const elapsed = Math.min(Math.max(now - before, 0), 100) / 1000;
    before = now;
    let u = uOf(host.get().scale) + (direction * elapsed) / SECONDS;
    if (u >= 1) [u, direction] = [1, -1];
    if (u <= 0) [u, direction] = [0, 1];
    host.set({ scale: scaleAt(u) });
    frame = requestAnimationFrame(glide);
  }

  function jump(): void {
    const u = uOf(host.get().scale);
    const next = TICKS.find((tick) => tick.u > u + 1e-9) ?? TICKS[0];
    host.set({ scale: next.scale });
    timer = setTimeout(jump, PAUSE);
  }

  function stop(): void {
    if (!playing) return;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    playing = false;
    changed(false);
  }

  return {
    get playing() {
      return playing;
    },
    toggle() {
      if (playing) {
        stop();
        return;
      }
      playing = true;
      changed(true);
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) jump();
      else {
        direction = host.get().scale === Infinity ? -1 : 1;
        frame = requestAnimationFrame((now) => {
          before = now;
          glide(now);
        });
      }
    },
    stop,
  };
}
