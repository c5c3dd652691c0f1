// Bundles src/index.ts into the one file that the Python package ships.
// `node build.mjs --check` writes nothing and fails if the committed file differs.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const here = new URL(".", import.meta.url);
const target = new URL("../src/uapca/explorer/explorer.js", here);
const largest = 350_000;

// Style sheets become strings, minified: they are adopted by the host's document or shadow root.
const styles = {
  name: "styles",
  setup(bundle) {
    bundle.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("src/index.ts", here))],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "ascii",
  legalComments: "inline",
  absWorkingDir: fileURLToPath(here),
  plugins: [styles],
  write: false,
});
const code = outputFiles[0].text;

if (code.length >= largest) {
  console.error(`the bundle has ${code.length} bytes; it must stay under ${largest}`);
  process.exit(1);
}
if (/<\/script|<!--/i.test(code)) {
  console.error("the bundle holds text that would end the script element it is inlined into");
  process.exit(1);
}
if (process.argv.includes("--check")) {
  const committed = await readFile(target, "utf8").catch(() => "");
  if (committed !== code) {
    console.error("src/uapca/explorer/explorer.js is out of date: run `make explorer`");
    process.exit(1);
  }
} else {
  await writeFile(target, code);
}
console.log(`explorer.js: ${(code.length / 1000).toFixed(1)} kB`);
