/** What the panels draw: everything computed for one state, each part only when it has changed. */

import type { Engine } from "../core/engine";
import type { Steps } from "../core/path";
import type { Crossing, Dataset, Fit, Host, Hovered, Path, Projection, State } from "../model";
import type { Look, Theme } from "./palette";

/** Why panels are drawn anew. */
export type Change = keyof State | "size" | "theme" | "path";
export type Changes = ReadonlySet<Change>;

export interface Scene {
  readonly state: State;
  readonly theme: Theme;
  /** The weights in force: those of the state, or the data's own. */
  readonly weights: Float64Array;
  readonly fit: Fit;
  readonly projection: Projection;
  /** m × 2, only where original points are to be shown. */
  readonly points: Float64Array | null;
  /** A sketch while weights are being moved. */
  readonly path: Path;
  /** Empty until the path is exact. */
  readonly crossings: readonly Crossing[];
  /** Whether nothing moves: what takes long is done now. */
  readonly calm: boolean;
  /** The row or feature in focus: pointed at, or pinned. */
  readonly row: number | null;
  readonly feature: number | null;
  /** Outlines of rows that are not normal, by row; null where an ellipse is right. */
  contours(row: number): readonly Float64Array[] | null;
}

/** What a panel is given once. */
export interface Context {
  readonly data: Dataset;
  readonly engine: Engine;
  readonly host: Host;
  /** Names of elements, different for every explorer on the same page. */
  readonly id: (name: string) => string;
  readonly looks: readonly Look[];
  /** Names of rows and features that fit into pictures. */
  readonly short: { readonly names: readonly string[]; readonly features: readonly string[] };
  /** Points at a row or feature everywhere; null lets go of it. */
  hover(kind: Hovered["kind"], index: number | null): void;
  /** Brings a row into view. */
  reveal(row: number): void;
  /** Outlines this many times finer than usual, as when they are looked at closely. */
  refine(detail: number): void;
  /** Says something to people who listen instead of looking. */
  announce(text: string): void;
  /** Draws again although nothing but the size or the view of a panel has changed. */
  redraw(change: Change): void;
}

export interface Panel {
  readonly node: HTMLElement;
  draw(scene: Scene, changes: Changes): void;
  /** The picture for an export, in its own SVG element; panels of controls have none. */
  picture?(): SVGSVGElement;
  /** What the panel draws on a canvas beneath that, as SVG. */
  beneath?(): SVGElement;
  /** Ends what goes on by itself. */
  stop?(): void;
}

export function has(changes: Changes, ...any: Change[]): boolean {
  return any.some((change) => changes.has(change));
}

/**
 * While weights move, rows do so in every frame. A sketch of the path that takes long, and with it
 * the lines drawn from it, follows in every fourth at the least: for each so many milliseconds of it
 * one frame goes without.
 */
const [SKETCH, APART] = [1.5, 3];
/** Milliseconds of a frame that may go into outlines: while things move, and at rest. */
const [MOVING, RESTING] = [3, 20];
const NONE: readonly Crossing[] = [];

/** The outline of a row, and which projection, with which mean and covariance, it was found in. */
interface Outline {
  readonly rings: readonly Float64Array[] | null;
  readonly of: Projection;
  readonly detail: number;
}

/** Keeps what has been computed from one frame to the next. */
export class Computed {
  private fit: Fit | undefined;
  private projection: Projection | undefined;
  private points: Float64Array | null = null;
  private path: Path | undefined;
  private crossings = NONE;
  private apart = 0;
  private gaps = 6;
  private steps: Steps<void> | null = null;
  private outlines = new Map<number, Outline>();
  private left = 0; // milliseconds
  /** How many times finer than usual outlines are. */
  detail = 1;
  /** Whether some outline of the last scene was carried over from an earlier one, or is still missing. */
  rough = false;

  constructor(private readonly engine: Engine) {}

  /** The scene of a state. Until `work` is done the path is a sketch and there are no crossings. */
  scene(state: State, theme: Theme, changes: Changes, calm: boolean): Scene {
    const { engine } = this;
    const moved = !this.path || has(changes, "weights", "standardize");
    if (moved) {
      engine.configure(state.weights, state.standardize);
      if (!this.path || --this.apart < 0 || has(changes, "standardize")) {
        const start = performance.now();
        this.path = engine.sketch();
        this.apart = Math.min(Math.floor((performance.now() - start) / SKETCH), APART);
      }
      this.crossings = NONE;
    }
    if (moved || has(changes, "pair")) {
      const resolved = Math.max(2, state.pair[0] + 1, state.pair[1] + 1);
      this.gaps = Math.max(6, resolved);
      this.steps = engine.exact(resolved, this.gaps);
    }
    if (moved || has(changes, "scale", "pair", "path")) {
      const fit = engine.followedFit(state.scale, this.path);
      const same = this.fit?.components.every((value, k) => value === fit.components[k]);
      if (!same || moved || has(changes, "pair")) this.projection = engine.project(fit, state.pair);
      this.fit = fit;
      this.points = null;
    }
    if (state.points) this.points ??= engine.projectPoints(this.fit!, state.pair);
    if (has(changes, "level", "pair", "standardize")) this.outlines.clear();
    this.left = calm ? RESTING : MOVING;
    this.rough = false;
    const { hovered } = state;
    return {
      state,
      theme,
      weights: state.weights ?? engine.dataset.weights,
      fit: this.fit!,
      projection: this.projection!,
      points: state.points ? this.points : null,
      path: this.path!,
      crossings: this.crossings,
      calm,
      row: hovered?.kind === "row" ? hovered.index : null,
      feature: hovered?.kind === "feature" ? hovered.index : state.pinned,
      contours: (row) => (state.densities ? this.outline(row, state) : null),
    };
  }

  /** Whether the exact path is there; so many milliseconds are spent on it. */
  work(milliseconds: number): boolean {
    const start = performance.now();
    while (this.steps !== null) {
      if (this.steps.next().done) {
        this.steps = null;
        this.path = this.engine.path();
        this.crossings = this.engine.crossings(this.gaps);
      } else if (performance.now() - start > milliseconds) return false;
    }
    return true;
  }

  /** Whether the path has become another since it was drawn. */
  isNewer(drawn: Path): boolean {
    return this.path !== drawn;
  }

  private outline(row: number, state: State): readonly Float64Array[] | null {
    const known = this.outlines.get(row);
    const now = this.projection!;
    if (known?.of === now && known.detail === this.detail) return known.rings;
    if (this.left <= 0) {
      this.rough = true;
      return known?.rings ? carried(known.rings, known.of, now, row) : null;
    }
    const start = performance.now();
    const rings = this.engine.contours(row, this.fit!, state.pair, [state.level], this.detail)?.[0] ?? null;
    this.outlines.set(row, { rings, of: now, detail: this.detail });
    this.left -= performance.now() - start;
    return rings;
  }
}

/** Rings moved to where the row is now: the map that takes its old mean and covariance there. */
function carried(rings: readonly Float64Array[], before: Projection, now: Projection, row: number): readonly Float64Array[] {
  const [a, b, c] = factor(before, row);
  const [p, q, r] = factor(now, row);
  if (!(a > 0 && c > 0)) return rings;
  return rings.map((ring) => {
    const out = new Float64Array(ring.length);
    for (let k = 0; k < ring.length; k += 2) {
      const x = (ring[k] - before.means[2 * row]) / a;
      const y = (ring[k + 1] - before.means[2 * row + 1] - b * x) / c;
      out[k] = now.means[2 * row] + p * x;
      out[k + 1] = now.means[2 * row + 1] + q * x + r * y;
    }
    return out;
  });
}

/** The Cholesky factor of a row's covariance. */
function factor({ covariances: c }: Projection, row: number): [number, number, number] {
  const a = Math.sqrt(Math.max(c[3 * row], 0));
  const b = a > 0 ? c[3 * row + 1] / a : 0;
  return [a, b, Math.sqrt(Math.max(c[3 * row + 2] - b * b, 0))];
}
