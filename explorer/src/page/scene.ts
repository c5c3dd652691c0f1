/** What the panels draw: everything computed for one state, each part only when it has changed. */

import { together, type Engine } from "../core/engine";
import { finished, type Steps } from "../core/path";
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
  /** Each group's rows taken together, only where that is to be shown. */
  readonly groups: Projection | false;
  /** A sketch while weights are being moved. */
  readonly path: Path;
  /** Empty until the path is exact. */
  readonly crossings: readonly Crossing[];
  /** Whether nothing moves: what takes long is done now. */
  readonly calm: boolean;
  /** The row or feature in focus: pointed at, or pinned. */
  readonly row: number | null;
  readonly feature: number | null;
  /** The outline of a row; null where there is none yet or none is wanted. */
  outline(row: number): Outline | null;
}

/** Rings around a row, and the projection they were found in: while things move it may be an earlier one. */
export interface Outline {
  /** Null where an ellipse is right. */
  readonly rings: readonly Float64Array[] | null;
  readonly of: Projection;
  readonly detail: number;
}

/** What a panel is given once. */
export interface Context {
  readonly data: Dataset;
  readonly engine: Engine;
  readonly host: Host;
  /** Names of elements, different for every explorer on the same page. */
  readonly id: (name: string) => string;
  readonly looks: readonly Look[];
  /** Many rows' widest, which have looks of their own, and what looks mean in words. */
  readonly wide: readonly number[];
  readonly key: readonly (readonly [string, Look])[];
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

/** How much each feature moves a row along the two components shown. */
export function reasons({ d, mean }: Dataset, { fit, state }: Scene, row: number): number[][] {
  return Array.from({ length: d }, (_, j) => {
    const away = (mean[row * d + j] - fit.mean[j]) / fit.units[j];
    return state.pair.map((i) => away * fit.components[i * d + j]);
  });
}

/** The variance of a row of a projection along the components shown. */
export function shownVariance({ covariances }: Projection, [first, second]: State["pair"], row: number): number {
  return covariances[3 * row] + (first === second ? 0 : covariances[3 * row + 2]);
}

/** Milliseconds of a frame that may go into a sketch of the path, which follows moving weights when it is done. */
const SKETCH = 2;
/** Milliseconds of a frame that may go into outlines: while things move, and at rest. */
const [MOVING, RESTING] = [2, 20];
const COARSE = 0.5; // detail of outlines while things move
const NONE: readonly Crossing[] = [];

/** Keeps what has been computed from one frame to the next. */
export class Computed {
  private fit: Fit | undefined;
  private projection: Projection | undefined;
  private points: Float64Array | null = null;
  /** Exact once `work` is done. */
  path: Path | undefined;
  private crossings = NONE;
  private sketch: Steps<Path> | null = null;
  private exact: ReturnType<Engine["exact"]> | null = null;
  private readonly outlines = new Map<number, Outline>(); // the oldest first
  private took = 0; // milliseconds of the last outline while things moved
  /** How many times finer than usual outlines are at rest. */
  detail = 1;
  /** Whether some outline of the last scene is of an earlier one, or is still missing. */
  rough = false;

  constructor(private readonly engine: Engine) {}

  /** The scene of a state. Until `work` is done the path is a sketch and there are no crossings. */
  scene(state: State, theme: Theme, changes: Changes, calm: boolean): Scene {
    const { engine } = this;
    const moved = !this.path || has(changes, "weights", "standardize");
    if (moved) {
      engine.configure(state.weights, state.standardize);
      if (!this.path || has(changes, "standardize")) [this.path, this.sketch] = [finished(engine.sketch()), null];
      else this.sketch ??= engine.sketch();
      this.crossings = NONE;
    }
    const path = this.sketch && finished(this.sketch, SKETCH);
    if (path) [this.path, this.sketch] = [path, null];
    if (moved || has(changes, "pair")) {
      const resolved = Math.max(2, state.pair[0] + 1, state.pair[1] + 1);
      this.exact = engine.exact(resolved, Math.max(6, resolved));
    }
    if (moved || has(changes, "scale", "pair", "path")) {
      const fit = engine.followedFit(state.scale, this.path!);
      const same = this.fit?.components.every((value, k) => value === fit.components[k]);
      if (!same || moved || has(changes, "pair")) this.projection = engine.project(fit, state.pair);
      this.fit = fit;
      this.points = null;
    }
    if (state.points) this.points ??= engine.projectPoints(this.fit!, state.pair);
    if (has(changes, "level", "pair", "standardize")) this.outlines.clear();
    this.rough = false;
    const { hovered } = state;
    const { groups } = engine.dataset;
    const weights = state.weights ?? engine.dataset.weights;
    return {
      state,
      theme,
      weights,
      fit: this.fit!,
      projection: this.projection!,
      points: state.points ? this.points : null,
      groups: state.groups && together(this.projection!, weights, groups!.codes, groups!.labels.length),
      path: this.path!,
      crossings: this.crossings,
      calm,
      row: hovered?.kind === "row" ? hovered.index : null,
      feature: hovered?.kind === "feature" ? hovered.index : state.pinned,
      outline: state.densities ? this.outliner(state, calm) : () => null,
    };
  }

  /** Whether the exact path is there; so many milliseconds are spent on it. */
  work(milliseconds: number): boolean {
    const found = this.exact && finished(this.exact, milliseconds);
    if (found) {
      ({ path: this.path, crossings: this.crossings } = found);
      this.exact = this.sketch = null;
    }
    return this.exact === null;
  }

  /** Brings the oldest outlines up to date while there is time; returns a function that has those of all rows. */
  private outliner(state: State, calm: boolean): Scene["outline"] {
    const [time, detail] = calm ? [RESTING, this.detail] : [MOVING, COARSE];
    const [of, end] = [this.projection!, performance.now() + time];
    const isCurrent = (known: Outline) => known.of === of && known.detail >= detail;
    const find = (row: number): Outline => {
      const start = performance.now();
      const rings = this.engine.contours(row, this.fit!, state.pair, [state.level], detail)?.[0] ?? null;
      this.outlines.delete(row);
      this.outlines.set(row, { rings, of, detail });
      if (!calm) this.took = performance.now() - start;
      return this.outlines.get(row)!;
    };
    // While things move, none that would take longer than there is time; what took long is tried again later.
    this.took *= 0.9;
    const hasTime = () => performance.now() + (calm ? 0 : this.took) < end;
    for (const [row, known] of this.outlines) {
      if (!hasTime()) break;
      if (!isCurrent(known)) find(row);
    }
    return (row) => {
      const known = this.outlines.get(row) ?? (hasTime() ? find(row) : null);
      this.rough ||= known === null || !isCurrent(known);
      return known;
    };
  }
}
