export { Symmetric } from "./eigen";
export type { Engine } from "./engine";
