// Bundles the tests next to this file and runs them with Node's own test runner.
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = new URL(".", import.meta.url);
const out = new URL("../node_modules/.tests/", here);
const tests = (await readdir(here)).filter((name) => name.endsWith(".test.ts"));
await rm(out, { recursive: true, force: true });
await build({
  entryPoints: tests.map((name) => fileURLToPath(new URL(name, here))),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "es2022",
  outExtension: { ".js": ".mjs" },
  outdir: fileURLToPath(out),
  loader: { ".css": "text" },
  external: ["typescript"],
});
const files = tests.map((name) => fileURLToPath(new URL(name.replace(/\.ts$/, ".mjs"), out)));
process.exit(spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1);
