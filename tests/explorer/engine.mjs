// Reads requests from standard input, answers with what the built bundle computes.
// A request: { payload, weights, standardize, scales, pair, contours: [row, probabilities] | null }.
import { pathToFileURL } from "node:url";

const [, , bundle] = process.argv;
const { core } = await import(pathToFileURL(bundle).href);
let text = "";
for await (const part of process.stdin) text += part;

const list = (values) => (values === null ? null : Array.from(values));
const answer = ({ payload, weights, standardize, scales, pair, gaps, contours }) => {
  const dataset = core.decode(payload);
  const engine = new core.Engine(dataset);
  engine.configure(weights === null ? null : Float64Array.from(weights), standardize);
  const { path, crossings } = core.finished(engine.exact(2, gaps));
  const fits = scales.map((wire) => {
    const scale = core.decodeScale(wire);
    const fit = engine.fit(scale);
    const followed = engine.followedFit(scale, path);
    const { means, covariances } = engine.project(fit, pair);
    return {
      mean: list(fit.mean),
      units: list(fit.units),
      eigenvalues: list(fit.eigenvalues),
      shares: list(fit.shares),
      components: list(fit.components),
      followed: list(followed.components),
      total: fit.total,
      exact: fit.exact,
      means: list(means),
      covariances: list(covariances),
      points: list(engine.projectPoints(fit, pair)),
    };
  });
  const { between, within } = engine.moments;
  return {
    between: list(between),
    within: list(within),
    fits,
    path: {
      u: list(path.u),
      q: path.q,
      eigenvalues: list(path.eigenvalues),
      components: list(path.components),
      breaks: path.breaks,
    },
    crossings,
    deviations: Array.from({ length: dataset.n * dataset.d }, (_, k) =>
      core.standardDeviation(dataset.cov, Math.floor(k / dataset.d), k % dataset.d, dataset.d),
    ),
    contours:
      contours === null
        ? null
        : (engine.contours(contours[0], engine.fit(1), pair, contours[1]) ?? []).map((rings) => rings.map(list)),
  };
};
process.stdout.write(JSON.stringify(JSON.parse(text).map(answer)));
