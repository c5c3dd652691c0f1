/** From the payload of Python, schema 1, to a `Dataset`. As `uapca/explorer/payload.py`. */

import type {
  Covariance,
  Dataset,
  Groups,
  Path,
  Points,
  Precomputed,
  PrecomputedPath,
  RowLaw,
  State,
} from "../model";
import { sOf } from "../model";

/** An array on the wire: little-endian bytes, as base64 in a page and as a buffer in a widget. */
export interface WireArray {
  readonly dtype: "<f8" | "<f4" | "<i4";
  readonly shape: readonly number[];
  readonly data: string | DataView | ArrayBuffer | Uint8Array;
}

/* eslint-disable @typescript-eslint/no-explicit-any -- what comes from outside has no type yet */
type Wire = any;

export const schema = 1;

/** Decodes and checks: a payload of another schema, or with arrays of other sizes, is refused. */
export function decode(payload: Wire): Dataset {
  if (payload?.schema !== schema) {
    throw new Error(
      `this page reads data of schema ${schema}, not ${payload?.schema}: update uapca on both sides`,
    );
  }
  const n = size(payload.n, "n");
  const d = size(payload.d, "d");
  const names = strings(payload.names) ?? Array.from({ length: n }, (_, i) => `${i}`);
  const features = strings(payload.features) ?? Array.from({ length: d }, (_, j) => `x${j}`);
  const weights =
    payload.weights === null ? new Float64Array(n).fill(1 / n) : floats(payload.weights, n, "weights");
  return {
    n,
    d,
    mean: floats(payload.mean, n * d, "mean"),
    cov: covariance(payload.cov, n, d),
    weights,
    counts: payload.counts === null ? null : floats(payload.counts, n, "counts"),
    names: counted(names, n, "names"),
    features: counted(features, d, "features"),
    groups: payload.groups === null ? null : groups(payload.groups, n),
    points: payload.points === null ? null : points(payload.points, d),
    laws: payload.laws === null ? null : counted(payload.laws.map((law: Wire) => rowLaw(law, d)), n, "laws"),
    assumed: payload.assumed === true,
    title: String(payload.title),
    supplementary: payload.supplementary ?? 0,
    compact: payload.compact === true,
    units: strings(payload.units),
    remarks: strings(payload.remarks) ?? [],
    initial: initialState(payload.state),
    precomputed: payload.precomputed === null ? null : precomputed(payload.precomputed, d),
  };
}

/** A number that may be infinite: JSON has no word for that. */
/** A larger scale, whose square would not fit into a double, is infinite: as in Python. */
const infinite = 1e150;

export function boundedScale(scale: number): number {
  return scale >= infinite ? Infinity : scale;
}

export function decodeScale(value: unknown): number {
  return value === "inf" ? Infinity : boundedScale(Number(value));
}

export function encodeScale(value: number): number | string {
  return value === Infinity ? "inf" : value;
}

function initialState(state: Wire): State {
  return {
    scale: decodeScale(state.scale),
    weights: state.weights === null ? null : Float64Array.from(state.weights as number[]),
    selection: state.selection,
    pair: [state.pair[0], state.pair[1]],
    level: state.level,
    standardize: state.standardize,
    hovered: null,
  };
}

function covariance(cov: Wire, n: number, d: number): Covariance {
  const multiplier = cov.multiplier ?? 1;
  switch (cov.kind) {
    case "zero":
      return { kind: "zero" };
    case "diagonal":
      return diagonal(cov.std, n, d, multiplier);
    case "shared":
      return { kind: "shared", matrix: floats(cov.matrix, d * d, "cov"), multiplier };
    case "dense":
      return { kind: "dense", upper: floats(cov.upper, (n * d * (d + 1)) / 2, "cov"), multiplier };
    case "low-rank": {
      const rank = cov.factors.shape[2];
      return {
        kind: "low-rank",
        factors: floats(cov.factors, n * d * rank, "factors"),
        rank,
        rest: cov.std === null ? null : diagonal(cov.std, n, d, 1),
        multiplier,
      };
    }
    default:
      throw new Error(`covariances are of no kind known here: ${cov.kind}`);
  }
}

function diagonal(
  std: WireArray,
  n: number,
  d: number,
  multiplier: number,
): Extract<Covariance, { kind: "diagonal" }> {
  const [rows, columns] = std.shape;
  if ((rows !== 1 && rows !== n) || (columns !== 1 && columns !== d)) {
    throw new Error(`standard deviations of shape ${std.shape} are not for ${n} × ${d} values`);
  }
  return { kind: "diagonal", std: floats(std, rows * columns, "std"), rows, columns, multiplier };
}

function rowLaw(law: Wire, d: number): RowLaw | null {
  if (law === null) return null;
  switch (law.kind) {
    case "independent":
      return { kind: "independent", quantiles: counted(law.quantiles.map((q: Wire) => floats(q)), d, "quantiles") };
    case "points": {
      const count = law.values.shape[0];
      return { kind: "points", values: floats(law.values, count * d, "values"), count, effective: law.effective };
    }
    case "mixture":
      return {
        kind: "mixture",
        weights: floats(law.weights),
        means: floats(law.means),
        covariances: floats(law.covariances),
      };
    default:
      throw new Error(`a law is of no kind known here: ${law.kind}`);
  }
}

function groups(wire: Wire, n: number): Groups {
  const values = wire.values ? floats(wire.values, n, "groups") : null;
  return { labels: strings(wire.labels) ?? [], codes: integers(wire.codes, n, "groups"), values };
}

function points(wire: Wire, d: number): Points {
  const count = wire.values.shape[0];
  return {
    count,
    values: floats(wire.values, count * d, "points"),
    rows: integers(wire.rows, count, "points"),
  };
}

function precomputed(wire: Wire, d: number): Precomputed {
  const path = (part: Wire): PrecomputedPath => {
    const u = floats(part.u);
    const q = wire.q;
    const followed: Path = {
      d,
      q,
      resolved: q,
      u,
      scales: u.map(sOf),
      eigenvalues: floats(part.eigenvalues, u.length * q, "eigenvalues"),
      components: floats(part.components, u.length * q * d, "components"),
      breaks: part.breaks,
    };
    return {
      mean: floats(part.mean, d, "mean"),
      units: floats(part.units, d, "units"),
      totals: [part.totals[0], part.totals[1]],
      path: followed,
      crossings: part.crossings.map((wire: Wire) => ({ ...wire, scale: sOf(wire.u) })),
    };
  };
  return { q: wire.q, plain: path(wire.plain), standardized: path(wire.standardized) };
}

function floats(wire: WireArray, length?: number, name = "array"): Float64Array {
  const bytes = bytesOf(wire.data);
  const values = wire.dtype === "<f4" ? Float64Array.from(new Float32Array(bytes)) : new Float64Array(bytes);
  return checked(values, wire, length, name);
}

function integers(wire: WireArray, length: number, name: string): Int32Array {
  return checked(new Int32Array(bytesOf(wire.data)), wire, length, name);
}

function checked<T extends { readonly length: number }>(
  values: T,
  wire: WireArray,
  length: number | undefined,
  name: string,
): T {
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

function strings(list: Wire): string[] | null {
  return list === null || list === undefined ? null : list.map(String);
}

function counted<T>(list: T[], count: number, name: string): T[] {
  if (list.length !== count) throw new Error(`${name} has ${list.length} entries, not ${count}`);
  return list;
}

function size(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
  throw new Error(`${name} must be a positive whole number, not ${value}`);
}
