/**
 * Every word of the page, in one table: another language is another table. A test finds words elsewhere.
 *
 * Components are PC1, PC2, … as everywhere in uapca.
 */

/** "a", "a and b", "a, b and c". */
function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** Of posterior rows. */
const without = "At s = 1 these posterior rows have the covariance of the truth. Leaving their uncertainty out (s = 0)";

export const texts = {
  listed,
  component: (i: number) => `PC${i + 1}`,
  components: (which: readonly number[]) => listed(which.map((i) => `PC${i + 1}`)),
  axis: (i: number, share: string) => `PC${i + 1} · ${share}`,
  eigenvalue: (i: number) => `λ${String(i + 1).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)])}`,
  scale: (s: string) => `s = ${s}`,
  percent: (number: string) => `${number} %`,
  controls: {
    label: "Controls",
    play: "Play",
    pause: "Pause",
    playTitle: "Let s run from 0 to ∞ and back",
    scale: "Scale s of the uncertainty",
    entry: "Scale s as a number; ∞ for infinity",
    current: "s = ",
    components: "Components ",
    horizontal: "Component on the horizontal axis",
    vertical: "Component on the vertical axis",
    level: "Level ",
    levelTitle: "Probability inside an ellipse",
    standardize: "Standardize",
    standardizeTitle: "Divide each feature by its total standard deviation first",
    names: "Names",
    namesTitle: "Names beside the rows",
    points: "Points",
    pointsTitle: "The original points",
    densities: "Densities",
    densitiesTitle: "Outlines of the true densities instead of ellipses",
    groups: "Groups",
    groupsTitle: "An ellipse for each group: of all its rows taken together",
  },
  header: {
    untitled: "Uncertain data",
    size: (n: number, d: number) =>
      `${n.toLocaleString("en")} ${n === 1 ? "row" : "rows"} · ${d} ${d === 1 ? "feature" : "features"}`,
    export: "Export",
    saved: (name: string) => `${name} saved`,
    link: "Copy link",
    linkTitle: "Copy the address of this page as it looks now",
    linked: "Link copied",
    verdict: "Verdict",
    standardized: "standardized",
    reweighted: "weights changed",
    precomputed: "With so many features the components were computed beforehand; in between they are interpolated.",
  },
  projection: {
    title: "Projection",
    label:
      "Projection of the rows. Arrow keys walk through the rows, Enter selects, Shift and Enter adds, Escape lets go.",
    pan: "Pan",
    panTitle: "Drag to move the picture instead of selecting",
    zoomOut: "Zoom out",
    zoomIn: "Zoom in",
    zoomInTitle: "Zoom in (or Ctrl and the wheel)",
    fit: "Fit",
    fitTitle: "Show all",
    key: "Colors of the rows",
    wide: (name: string, times: string) => `${name}: ${times} × median width`,
    noGroup: "(no group)",
    legend: (parts: { shape: "interval" | "outline" | "ellipse"; level: string; assumed: "no" | "some" | "all" }) => {
      const shape = { interval: "Interval", outline: "Outline", ellipse: "Ellipse" }[parts.shape];
      const densest = parts.shape === "outline" ? ", where it is densest" : "";
      const assumed = { no: "", some: ", some taken as normal", all: ", if normal" }[parts.assumed];
      return `${shape}: ${parts.level} % of each row’s probability${densest}${assumed}`;
    },
    marker: " Marker: its mean.",
    modes: " Dotted: joins the modes of one row.",
    dots: " Small dots: the original points.",
    open: " Open marker: not in the fit.",
    together: (level: string) => ` Thick ellipse: ${level} % of the group, if normal.`,
    whole: (normal: boolean) =>
      ` Shaded: 50, 80 and 95 % of all rows together: their average density${normal ? ", if normal" : ""}, narrow ones smoothed. ` +
      "The rows farthest out, the widest and the chosen ones have their own outline.",
  },
  traces: {
    title: "Factor traces",
    label:
      "Factor traces: where each feature points, for every scale s. Arrow keys walk through the features, Enter keeps one in view.",
    across: (component: string) => `${component} →`,
    along: (component: string) => `↑ ${component}`,
    note: "Shaded: 0 ≤ s ≤ 1. Line: s > 1, arrowhead at s = ∞. Dot: the current s. Pale: mirrored twin.",
    longest: (named: number, all: number) => ` The ${named} longest of ${all} are named.`,
    one: "There is one component at every s: nothing can turn.",
  },
  eigenvalues: {
    title: "Eigenvalues over s",
    label: "Eigenvalues over the scale s. Left and right arrow keys move s.",
    log: "log",
    logTitle: "Logarithmic axis",
    axis: "scale s",
    note: "Share of the variance of K(s). Drag to move s.",
    swap: (which: string, scale: string) => `${which} change places at s = ${scale}`,
    close: (which: string, scale: string, gap: string, of: string) =>
      `${which} come close at s = ${scale}: their gap is ${gap} of ${of}`,
    goTo: (words: string) => `${words}. Go there.`,
  },
  loadings: {
    title: "Components",
    label:
      "Entries of the two components shown. Arrow keys walk through the features, Enter keeps one in view.",
    choice: "What the bars show",
    kinds: { entries: "entries", contributions: "contributions" },
    entries: "Entries of the unit vectors, from −1 to 1. Lines: what moves the row that is pointed at.",
    contributions: "Squared entries: the share of each feature in a component.",
    scroll: (count: number) => ` All ${count} features: scroll.`,
  },
  weights: {
    title: "Rows and weights",
    undo: "Undo",
    undoTitle: "Take the last change of weights back",
    undone: "Weights taken back",
    reset: "Reset",
    resetTitle: "The weights the data came with",
    equal: "Equal",
    equalTitle: "The same weight for every row",
    byCount: "By count",
    byCountTitle: "As many points as stand behind each row",
    find: "Find a row",
    found: (count: number) => `${count} ${count === 1 ? "row" : "rows"} found`,
    list: "Rows and their weights",
    fixed: "Weights cannot be moved here: with so many features the path was computed beforehand.",
    of: (name: string) => `Weight of ${name}`,
    only: "Only",
    onlyOf: (name: string) => `Only ${name}`,
    onlyTitle: "All the weight on this row",
  },
  details: {
    title: "Details",
    label: "Details of the chosen rows",
    head: "mean ± sd",
    moreFeatures: (count: number) => `and ${count} more`,
    supplementary: "not in the fit",
    weight: "weight",
    points: "points",
    shown: "uncertainty shown",
    more: (count: number, shown: number) => `${count} rows are selected; the first ${shown} are listed.`,
    hint: "Point at a row to see its numbers; click to keep them here, drag a rectangle to keep several.",
  },
  verdict: {
    degrees: (angle: number) => (angle < 0.5 ? "less than 1°" : `${Math.round(angle)}°`),
    nothing: "Nothing varies: all rows are the same certain point.",
    oneFeature: "There is one feature, and so one component at every s.",
    certain: "All rows are certain: the picture is the same at every s.",
    oneRow: "There is one row: only its own uncertainty can be seen, the same at every s > 0.",
    sameMeans: "The means do not differ: only the rows’ own uncertainty can be seen, the same at every s > 0.",
    barely: (posterior: boolean, which: string, turns: string) =>
      `${posterior ? without : "Adding the uncertainty"} barely turns ${which} (${turns}).`,
    turns: (posterior: boolean, parts: string, plane: string) =>
      `${posterior ? without : "Adding the uncertainty (s = 0 to s = 1)"} turns ${parts}${plane}.`,
    turned: (which: string, angle: string) => `${which} by ${angle}`,
    planeStays: (angle: string) => `; the plane they span stays within ${angle}`,
    planeTurns: (angle: string) => `; the plane they span turns by ${angle}`,
    gains: (up: string | null, down: string | null) =>
      up && down
        ? `${up} becomes more visible, ${down} less.`
        : up
          ? `${up} becomes more visible.`
          : `${down} becomes less visible.`,
    explain: (shown: number, before: string, after: string, held: string) => {
      const [subject, show] = shown > 1 ? ["Together they explain", "they show"] : ["It explains", "it shows"];
      const explained = before === after ? "at both" : `at s = 0 and ${after} at s = 1`;
      return `${subject} ${before} of the variance ${explained}; ${show} ${held} of the rows’ uncertainty.`;
    },
    undefinedAt: (which: string, several: boolean, scale: number, tied: boolean) =>
      `${which} ${several ? "are" : "is"} not defined at s = ${scale}: ` +
      (tied ? "other directions have the same variance." : `no variance is left for ${several ? "them" : "it"}.`),
    swap: (which: string, scale: string) => `${which} change places at s = ${scale}.`,
    meet: (which: string, scale: string) => `${which} nearly meet at s = ${scale}: there it is uncertain which is which.`,
  },
} as const;
