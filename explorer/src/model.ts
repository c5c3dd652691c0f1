/**
 * The nouns of the explorer: the data as decoded, what is computed from it, and what a host offers.
 *
 * Matrices are flat, row by row. Rows and features are counted from 0, components too.
 */

/** Covariances of the rows: `multiplier` times the sum of the parts that are there. */
export interface Covariance {
  readonly multiplier: number;
  /** Standard deviations, n × d or one row for all. */
  readonly std: Float64Array | null;
  /** Upper triangles, row by row: n × d (d + 1) / 2, or one for all rows. */
  readonly upper: Float64Array | null;
  /** F of F Fᵀ, n × d × rank. */
  readonly factors: Float64Array | null;
  readonly rank: number;
}

/** What is known of a row that is not normal; enough to draw its density for any projection. */
export type RowLaw =
  /** Independent features: quantiles at sin²(π/2 · (k + ½) / length); one value where certain. */
  | { readonly kind: "independent"; readonly quantiles: readonly Float64Array[] }
  /** Points, m × d, that count the same; they stand for `effective` points. */
  | { readonly kind: "points"; readonly values: Float64Array; readonly effective: number }
  /** Normal parts: weights (k), means k × d, covariances k × d × d. */
  | { readonly kind: "mixture"; readonly weights: Float64Array; readonly means: Float64Array; readonly covariances: Float64Array };

/**
 * Groups of rows, for color: `codes[row]` is an index into `labels`, or −1 for none. Where rows have
 * a number instead (`values`, NaN for none) there are no labels. `name` is what is told apart, where known.
 */
export interface Groups {
  readonly name: string | null;
  readonly labels: readonly string[];
  readonly codes: Int32Array;
  readonly values: Float64Array | null;
}

/** Original points, m × d, and the row each belongs to. */
export interface Points {
  readonly values: Float64Array;
  readonly rows: Int32Array;
}

/** What Python computed of data with too many features to be decomposed live. */
export interface Precomputed extends Pick<Moments, "mean" | "units" | "totals"> {
  readonly path: Path;
  readonly crossings: readonly Crossing[];
}

export interface Dataset {
  readonly n: number;
  readonly d: number;
  /** How many components there are: d, or those kept of a precomputed path. */
  readonly q: number;
  /** Means, n × d. */
  readonly mean: Float64Array;
  readonly cov: Covariance;
  /** As given in Python; they sum to 1. */
  readonly weights: Float64Array;
  /** How many points stand behind each row, where that is known ("by count"). */
  readonly counts: Float64Array | null;
  readonly names: readonly string[];
  readonly features: readonly string[];
  readonly groups: Groups | null;
  /** Colors given in Python, and which dash: of each group, or without groups of each row. */
  readonly colors: readonly (readonly [color: string, dash: number])[] | null;
  readonly points: Points | null;
  /** By row; null for normal rows, and all of it null where there are none but normal rows. */
  readonly laws: readonly (RowLaw | null)[] | null;
  /** Whether some rows are normal only because no more than their moments is known. */
  readonly assumed: boolean;
  readonly title: string;
  /** How many of the last rows are not in the fit: they have no weight and are only shown. */
  readonly supplementary: number;
  /** One panel alone, to be embedded. */
  readonly compact: boolean;
  /** Units of the features for axis labels and details; null where none were given. */
  readonly units: readonly string[] | null;
  /** Whether rows are posteriors of noisy observations: then s = 1 is the estimate of the truth. */
  readonly posterior: boolean;
  /** Sentences by Python: about what is shown, and how far components can be trusted, as the page opens. */
  readonly remarks: readonly string[];
  readonly trust: readonly string[];
  readonly initial: State;
  /**
   * Set where d > 60: then weights are fixed, only `q` components are there, and what is shown
   * between the points of the path is interpolated in u. The page has to say so.
   */
  readonly precomputed: { readonly plain: Precomputed; readonly standardized: Precomputed } | null;
}

/** What a person can change. */
export interface State {
  /** s in [0, ∞]; `Infinity` is a value like any other. u = s / (1 + s), see `uOf` and `sOf`. */
  readonly scale: number;
  /** n shares that sum to 1; null for the data's own. */
  readonly weights: Float64Array | null;
  /** Selected rows, rising, each once. */
  readonly selection: readonly number[];
  /** Components on the two axes, counted from 0; the second may equal the first only if d = 1. */
  readonly pair: readonly [number, number];
  /** Probability inside an ellipse or contour, between 0 and 1. */
  readonly level: number;
  /** Whether features are divided by their total standard deviation √K(1)ⱼⱼ first. */
  readonly standardize: boolean;
  /** How a person looks, not at what: names beside rows, original points, outlines, ellipses of groups, axes, bars. */
  readonly names: boolean;
  readonly points: boolean;
  readonly densities: boolean;
  readonly groups: boolean;
  readonly logarithmic: boolean;
  readonly bars: "entries" | "contributions";
  /** A feature kept in view after the pointer has left it. */
  readonly pinned: number | null;
  /** What the pointer or the focus is on, in any panel; not kept by the hosts. */
  readonly hovered: Hovered | null;
}

export interface Hovered {
  readonly kind: "row" | "feature";
  readonly index: number;
}

/** Where the explorer lives: a notebook widget or a page of its own. */
export interface Host {
  readonly kind: "widget" | "page";
  get(): State;
  /** Checks and merges; what is not allowed is brought to the nearest that is, or ignored. */
  set(change: Partial<State>): void;
  /** Calls back after every change, by whichever side; returns a function that ends it. */
  onChange(listener: (state: State, changed: ReadonlySet<keyof State>) => void): () => void;
  /** The address of the view as it is now; null where it has none. */
  link(): string | null;
}

/** μ, C and Ψ̄ for some weights, after division by the units. */
export interface Moments {
  /** μ in the original units. */
  readonly mean: Float64Array;
  /** What rounding took off μ, where the projection can tell; all 0 unless standardized. */
  readonly residue: Float64Array;
  /** What each feature is divided by: all 1 unless standardized. */
  readonly units: Float64Array;
  /** C and Ψ̄, d × d; empty where the path was computed in Python. */
  readonly between: Float64Array;
  readonly within: Float64Array;
  /** tr C and tr Ψ̄; the latter is 0 where all rows that count are certain. */
  readonly totals: readonly [between: number, within: number];
}

/** The components at one scale. */
export interface Fit extends Pick<Moments, "mean" | "residue" | "units"> {
  readonly scale: number;
  readonly d: number;
  readonly q: number;
  /** Falling; at s = ∞ in units of s², as in Python. */
  readonly eigenvalues: Float64Array;
  /** Their shares in the total variance. */
  readonly shares: Float64Array;
  /** q × d: rows are components, as `components_`. */
  readonly components: Float64Array;
  /** tr K(s); at s = ∞ in units of s². */
  readonly total: number;
  /** False where the components were interpolated. */
  readonly exact: boolean;
}

/** The rows on two components. */
export interface Projection {
  readonly n: number;
  /** n × 2. */
  readonly means: Float64Array;
  /** n × 3: variance on the first, covariance, variance on the second. */
  readonly covariances: Float64Array;
}

/** Eigenpairs for every s, followed from 0 to ∞. */
export interface Path {
  readonly d: number;
  /** Components stored: d, or those kept of a precomputed path. */
  readonly q: number;
  /** Points, rising from 0 to 1; 0, ½ and 1 are among them. */
  readonly u: Float64Array;
  /** S × q: eigenvalues of (1 − u)²C + u²Ψ̄ by rank, falling; finite at s = ∞ too. */
  readonly eigenvalues: Float64Array;
  /** S × q × d: components by rank, with signs that follow their neighbours; at u = ½ those of a fit. */
  readonly components: Float64Array;
  /** Where lines drawn through ranks start anew, rising. */
  readonly breaks: readonly Break[];
}

/** Between points `at` − 1 and `at` of a path these ranks change hands (a true crossing). */
export interface Break {
  readonly at: number;
  readonly ranks: readonly number[];
}

/** A local minimum of the gap between two neighbouring eigenvalues of K(s). */
export interface Crossing {
  readonly u: number;
  readonly scale: number;
  /** Ranks (i, i + 1), from 0. */
  readonly pair: readonly [number, number];
  /** λᵢ − λᵢ₊₁ of K(s) there; 0 at a true crossing. */
  readonly gap: number;
  readonly relativeGap: number;
  readonly kind: "avoided" | "true";
}

/** s = u / (1 − u). */
export function sOf(u: number): number {
  return u >= 1 ? Infinity : u / (1 - u);
}

/** u = s / (1 + s). */
export function uOf(s: number): number {
  return s === Infinity ? 1 : s / (1 + s);
}
