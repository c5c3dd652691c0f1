/** The mathematics, with no document in sight. */
export { standardDeviation } from "./covariances";
export { createEngine } from "./create";
export { boundedScale, decode, decodeScale, encodeScale, schema } from "./decode";
export { Symmetric } from "./eigen";
export type { Engine } from "./engine";
export { normalised, signedBy } from "./live";
