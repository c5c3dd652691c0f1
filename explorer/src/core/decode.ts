/** From the payload of Python, schema 1, to a `Dataset`. As `uapca/explorer/payload.py`. */

import { sOf, type Covariance, type Dataset, type Precomputed, type RowLaw, type State } from "../model";

/** An array on the wire: little-endian bytes, as base64 in a page and as a buffer in a widget. */
export interface WireArray {
  readonly dtype: "<f8" | "<f4" | "<i4";
  readonly shape: readonly number[];
  readonly data: string | DataView | ArrayBuffer | Uint8Array;
}

/** What comes from outside has no type yet. */
type Wire = any;

export const schema = 1;

/** Densities of rows that are not normal are shown from the start up to this number of rows. */
const DENSITIES = 60;
/** Rows up to this number are elements of their own; beyond, the density of them all is shown. */
export const ELEMENTS = 200;

/** Decodes and checks: a payload of another schema, or with arrays of other sizes, is refused. */
export function decode(payload: Wire): Dataset {
  if (payload?.schema !== schema) {
    throw new Error(
      `this page reads data of schema ${schema}, not ${payload?.schema}: update uapca on both sides`,
    );
  }
  const { n, d, precomputed: kept, state } = payload;
  const data = {
    n,
    d,
    q: kept?.q ?? d,
    mean: floats(payload.mean, n * d, "mean"),
    cov: covariance(payload.cov),
    weights: payload.weights ? floats(payload.weights, n, "weights") : new Float64Array(n).fill(1 / n),
    counts: payload.counts && floats(payload.counts, n, "counts"),
    names: payload.names ?? Array.from({ length: n }, (_, i) => `${i}`),
    features: payload.features ?? Array.from({ length: d }, (_, j) => `x${j}`),
    groups: payload.groups && {
      ...payload.groups,
      codes: integers(payload.groups.codes, n, "groups"),
      values: payload.groups.values && floats(payload.groups.values, n, "groups"),
    },
    colors: payload.colors ?? null,
    points: payload.points && {
      values: floats(payload.points.values),
      rows: integers(payload.points.rows, payload.points.values.shape[0], "points"),
    },
    laws: payload.laws && payload.laws.map((law: Wire) => rowLaw(law, d)),
    assumed: payload.assumed === true,
    title: String(payload.title),
    supplementary: payload.supplementary ?? 0,
    compact: payload.compact === true,
    units: payload.units,
    posterior: payload.posterior === true,
    remarks: payload.remarks,
    trust: payload.trust,
    precomputed: kept && {
      plain: precomputed(kept.plain, kept.q, d),
      standardized: precomputed(kept.standardized, kept.q, d),
    },
  };
  const initial: State = {
    scale: decodeScale(state.scale),
    weights: state.weights && Float64Array.from(state.weights as number[]),
    selection: state.selection,
    pair: [state.pair[0], state.pair[1]],
    level: state.level,
    standardize: state.standardize,
    names: true,
    points: false,
    densities: n <= DENSITIES && hasDensities(data),
    groups: false,
    logarithmic: false,
    bars: "entries",
    pinned: null,
    hovered: null,
  };
  return { ...data, initial };
}

/** Whether there is more to show of some row than an ellipse. */
export function hasDensities({ n, d, laws }: Pick<Dataset, "n" | "d" | "laws">): boolean {
  return d > 1 && n <= ELEMENTS && (laws?.some((law) => law !== null) ?? false);
}

/** Whether there are groups to draw ellipses of. */
export const hasGroups = ({ d, groups }: Dataset): boolean => d > 1 && (groups?.labels.length ?? 0) > 0;

/** A larger scale, whose square would not fit into a double, is infinite: as in Python. */
export function boundedScale(scale: number): number {
  return scale >= 1e150 ? Infinity : scale;
}

/** A number that may be infinite: JSON has no word for that. */
export function decodeScale(value: unknown): number {
  return value === "inf" ? Infinity : boundedScale(Number(value));
}

export function encodeScale(value: number): number | string {
  return value === Infinity ? "inf" : value;
}

function covariance(cov: Wire): Covariance {
  const part = (wire: WireArray | null) => wire && floats(wire);
  const rank = cov.factors?.shape[2] ?? 0;
  return { multiplier: cov.multiplier, std: part(cov.std), upper: part(cov.upper), factors: part(cov.factors), rank };
}

function rowLaw(law: Wire, d: number): RowLaw | null {
  switch (law?.kind) {
    case undefined:
      return null;
    case "independent":
      return { kind: "independent", quantiles: law.quantiles.map((q: Wire) => floats(q)) };
    case "points":
      return { kind: "points", values: floats(law.values, law.values.shape[0] * d, "values"), effective: law.effective };
    case "mixture": {
      const [weights, means, covariances] = [law.weights, law.means, law.covariances].map((part) => floats(part));
      return { kind: "mixture", weights, means, covariances };
    }
    default:
      throw new Error(`a law is of no kind known here: ${law.kind}`);
  }
}

function precomputed(part: Wire, q: number, d: number): Precomputed {
  const u = floats(part.u);
  const eigenvalues = floats(part.eigenvalues, u.length * q, "eigenvalues");
  const components = floats(part.components, u.length * q * d, "components");
  return {
    mean: floats(part.mean, d, "mean"),
    units: floats(part.units, d, "units"),
    totals: [part.totals[0], part.totals[1]],
    path: { d, q, u, eigenvalues, components, breaks: part.breaks },
    crossings: part.crossings.map((crossing: Wire) => ({ ...crossing, scale: sOf(crossing.u) })),
  };
}

function floats(wire: WireArray, length?: number, name = "array"): Float64Array {
  const bytes = bytesOf(wire.data);
  const values = wire.dtype === "<f4" ? Float64Array.from(new Float32Array(bytes)) : new Float64Array(bytes);
  return checked(values, wire, length, name);
}

function integers(wire: WireArray, length: number, name: string): Int32Array {
  return checked(new Int32Array(bytesOf(wire.data)), wire, length, name);
}

function checked<T extends { readonly length: number }>(values: T, wire: WireArray, length: number | undefined, name: string): T {
  const whole = wire.shape.reduce((a, b) => a * b, 1);
  if (values.length !== whole || (length !== undefined && whole !== length)) {
    throw new Error(`${name} has ${values.length} numbers, not ${length ?? whole}`);
  }
  return values;
}

/** Bytes of their own, so that any array can lie over them. */
function bytesOf(data: WireArray["data"]): ArrayBuffer {
  if (typeof data === "string") {
    const text = atob(data);
    const out = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out.buffer;
  }
  if (data instanceof ArrayBuffer) return data.slice(0);
  return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength).slice().buffer;
}
