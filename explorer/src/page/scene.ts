/** What the panels draw: everything computed for one state, each part only when it has changed. */

import { signedBy } from "../core/index";
import type { Engine } from "../core/engine";
import type { Contour, Crossing, Dataset, Fit, Host, Options, Path, Projection, State } from "../model";
import { continuous, type Theme } from "./palette";

/** Why panels are drawn anew. */
export type Change = keyof State | keyof Options | "size" | "theme" | "path";
export type Changes = ReadonlySet<Change>;

export interface Scene {
  readonly state: State;
  readonly options: Options;
  readonly theme: Theme;
  /** The weights in force: those of the state, or the data's own. */
  readonly weights: Float64Array;
  readonly fit: Fit;
  readonly projection: Projection;
  /** m × 2, only where original points are to be shown. */
  readonly points: Float64Array | null;
  readonly path: Path;
  /** Whether nothing moves: what takes long is done now. */
  readonly calm: boolean;
  /** False while weights are being moved: the path is then a sketch. */
  readonly settled: boolean;
  /** Empty until the path has settled. */
  readonly crossings: readonly Crossing[];
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
  /** The entry of the palette that a row has. */
  readonly look: (row: number) => number;
  choose(change: Partial<Options>): void;
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
}

export function has(changes: Changes, ...any: Change[]): boolean {
  return any.some((change) => changes.has(change));
}

/** The picture needs a path through as many components as are shown. */
export function resolved(state: State): number {
  return Math.max(2, state.pair[0] + 1, state.pair[1] + 1);
}

/** Rows colored one by one up to this number; beyond, colors would mean nothing. */
export const FEW = 14;

/** Rows up to this number are elements of their own; beyond, the density of them all is shown. */
export const ELEMENTS = 200;

/** Densities are shown from the start up to this number of rows; they cost a few milliseconds each. */
export const DENSITIES = 60;

/** Whether there is more to show of some row than an ellipse. */
export function hasDensities(data: Dataset): boolean {
  return data.d > 1 && data.n <= ELEMENTS && (data.laws?.some((law) => law !== null) ?? false);
}

/**
 * Which entry of the palette each row has: that of its group, its own if rows are few, or the first.
 * Rows without a group have the entry after the last group's.
 */
export function looks(data: Dataset): (row: number) => number {
  const groups = data.groups;
  if (groups?.values) {
    const { values } = groups;
    const [low, high] = rangeOf(values);
    return (row) => (Number.isNaN(values[row]) ? 0 : continuous(high > low ? (values[row] - low) / (high - low) : 0.5));
  }
  if (groups) return (row) => (groups.codes[row] < 0 ? groups.labels.length : groups.codes[row]);
  return data.n <= FEW ? (row) => row : () => 0;
}

/** The smallest and largest of the numbers that are there. */
export function rangeOf(values: Float64Array): [number, number] {
  const there = values.filter((value) => !Number.isNaN(value));
  return [there.reduce((a, b) => Math.min(a, b), Infinity), there.reduce((a, b) => Math.max(a, b), -Infinity)];
}

/**
 * While weights move, rows do so in every frame. A sketch of the path that takes long, and with it
 * the lines drawn from it, follows in every fourth at the least: for each so many milliseconds of it
 * one frame goes without.
 */
const [SKETCH, APART] = [1.5, 3];

const NONE: readonly Crossing[] = [];

/** Milliseconds of a frame that may go into outlines while things move. */
const BUDGET = 6;

/** The outline of a row, and its mean and covariance when that was found. */
interface Outline {
  readonly rings: readonly Float64Array[];
  readonly mean: readonly [number, number];
  readonly covariance: readonly [number, number, number];
}

/** Keeps what has been computed from one frame to the next. */
export class Computed {
  private fit: Fit | undefined;
  private projection: Projection | undefined;
  private points: Float64Array | null = null;
  private path: Path | undefined;
  private crossings = NONE;
  private apart = 0;
  private settled = false;
  private outlines = new Map<number, readonly Float64Array[] | null>();
  private known = new Map<number, Outline | null>();
  private spent = 0;
  /** How many times finer than usual outlines are. */
  detail = 1;
  /** Whether some outline of the last scene was carried over from an earlier one. */
  rough = false;

  constructor(private readonly engine: Engine) {}

  /**
   * The scene of a state. While weights move (`hurried`) the path is a sketch and crossings wait.
   * While anything moves (not `calm`) outlines that would take too long are carried over.
   */
  scene(state: State, options: Options, theme: Theme, changes: Changes, hurried: boolean, calm: boolean): Scene {
    const { engine } = this;
    const { dataset } = engine;
    const first = !this.fit || !this.projection || !this.path;
    const moved = first || has(changes, "weights", "standardize");
    if (moved) {
      engine.configure(state.weights, state.standardize);
      this.settled = false;
    }
    if (moved || !this.settled || has(changes, "pair")) {
      if (hurried && !first) {
        if (moved && (--this.apart < 0 || has(changes, "standardize"))) {
          const start = performance.now();
          this.path = engine.sketch();
          this.apart = Math.min(Math.floor((performance.now() - start) / SKETCH), APART);
        }
        this.crossings = NONE;
      } else {
        this.path = engine.path(resolved(state));
        this.crossings = engine.crossings(Math.max(6, resolved(state)));
        this.settled = true;
        this.apart = 0;
      }
    }
    const turned = moved || has(changes, "scale", "pair", "path");
    if (turned) {
      this.fit =
        hurried && !this.settled
          ? signedBy(this.path!, engine.fit(state.scale))
          : engine.followedFit(state.scale);
      this.projection = engine.project(this.fit, state.pair, this.projection);
    }
    if (turned || has(changes, "points")) {
      this.points = options.points ? engine.projectPoints(this.fit!, state.pair) : null;
    }
    if (turned || has(changes, "level", "shape")) this.outlines.clear();
    if (calm || has(changes, "level", "shape", "pair", "standardize")) this.known.clear();
    this.spent = 0;
    this.rough = false;
    const { hovered } = state;
    return {
      state,
      options,
      theme,
      weights: state.weights ?? dataset.weights,
      fit: this.fit!,
      projection: this.projection!,
      points: this.points,
      path: this.path!,
      calm,
      settled: this.settled,
      crossings: this.crossings,
      row: hovered?.kind === "row" ? hovered.index : null,
      feature: hovered?.kind === "feature" ? hovered.index : options.pinned,
      contours: (row) => this.outline(row, state, options),
    };
  }

  private outline(row: number, state: State, options: Options): readonly Float64Array[] | null {
    if (options.shape !== "densities") return null;
    let rings = this.outlines.get(row);
    if (rings === undefined) {
      const known = this.known.get(row);
      if (known !== undefined && this.spent > BUDGET) {
        rings = known && carried(known, this.projection!, row);
        this.rough = true;
      } else {
        const start = performance.now();
        const found: readonly Contour[] | null = this.engine.contours(
          row,
          this.fit!,
          state.pair,
          [state.level],
          this.detail,
        );
        rings = found && found.length ? found[0].rings : null;
        this.known.set(row, rings && { rings, ...placeOf(this.projection!, row) });
        this.spent += performance.now() - start;
      }
      this.outlines.set(row, rings);
    }
    return rings;
  }
}

function placeOf({ means, covariances: c }: Projection, row: number): Pick<Outline, "mean" | "covariance"> {
  return {
    mean: [means[2 * row], means[2 * row + 1]],
    covariance: [c[3 * row], c[3 * row + 1], c[3 * row + 2]],
  };
}

/** An outline moved to where the row is now: the map that takes its old mean and covariance there. */
function carried(outline: Outline, projection: Projection, row: number): readonly Float64Array[] {
  const now = placeOf(projection, row);
  const [a, b, c] = lower(outline.covariance);
  const [p, q, r] = lower(now.covariance);
  if (!(a > 0 && c > 0)) return outline.rings;
  return outline.rings.map((ring) => {
    const out = new Float64Array(ring.length);
    for (let k = 0; k < ring.length; k += 2) {
      const x = (ring[k] - outline.mean[0]) / a;
      const y = (ring[k + 1] - outline.mean[1] - b * x) / c;
      out[k] = now.mean[0] + p * x;
      out[k + 1] = now.mean[1] + q * x + r * y;
    }
    return out;
  });
}

/** The Cholesky factor of a 2 × 2 covariance. */
function lower([xx, xy, yy]: readonly [number, number, number]): [number, number, number] {
  const a = Math.sqrt(Math.max(xx, 0));
  const b = a > 0 ? xy / a : 0;
  return [a, b, Math.sqrt(Math.max(yy - b * b, 0))];
}
