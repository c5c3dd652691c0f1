// The browser's end of a comm: a mock of anywidget's model around the built bundle's widget host.
// Each line of standard input is an event, each line of standard output what came of it.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [, , bundle] = process.argv;
const { core, widgetHost } = await import(pathToFileURL(bundle).href);

/** Buffers come apart from the state, as DataViews at their paths: the protocol of ipywidgets. */
const restored = (state, paths, buffers) => {
  paths.forEach((path, k) => {
    const bytes = Buffer.from(buffers[k], "base64");
    const place = path.slice(0, -1).reduce((value, key) => value[key], state);
    place[path.at(-1)] = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  });
  return state;
};

const traits = {};
const callbacks = new Map();
const changes = {};
const model = {
  get: (trait) => traits[trait],
  set: (trait, value) => {
    traits[trait] = value;
    changes[trait] = value;
  },
  save_changes: () => {
    say({ method: "update", state: { ...changes } });
    for (const trait of Object.keys(changes)) delete changes[trait];
  },
  on: (event, callback) => callbacks.set(event, callback),
  off: (event) => callbacks.delete(event),
};
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
// The traits and what is pointed at; how a person looks stays in the browser.
const plain = ({ scale, weights, selection, pair, level, standardize, hovered }) => ({
  scale: core.encodeScale(scale),
  weights: weights && Array.from(weights),
  selection,
  pair,
  level,
  standardize,
  hovered,
});

let open = null;
for await (const line of createInterface({ input: process.stdin })) {
  const { kind, state, paths, buffers, change } = JSON.parse(line);
  if (kind === "open") {
    Object.assign(traits, restored(state, paths, buffers));
    const dataset = core.decode(traits._payload);
    open = widgetHost(model, dataset);
    const engine = new core.Engine(dataset);
    say({ state: plain(open.host.get()), shares: Array.from(engine.fit(1).shares) });
  } else if (kind === "from python") {
    for (const [trait, value] of Object.entries(state)) {
      traits[trait] = value;
      callbacks.get(`change:${trait}`)?.();
    }
    say({ state: plain(open.host.get()) });
  } else if (kind === "by person") {
    if (change.scale !== undefined) change.scale = core.decodeScale(change.scale);
    open.host.set(change); // says what it saves, a little later
  } else if (kind === "close") {
    open.close();
    say({ listening: callbacks.size });
    break;
  }
}
