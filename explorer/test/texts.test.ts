import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import ts from "typescript";

/** Attributes that people read or hear. */
const read = new Set(["aria-label", "aria-valuetext", "placeholder", "title"]);
/** Which arguments of a call people read, from the first to before the last. */
const shown = new Map([
  ["announce", [0, 1]],
  ["button", [0, 1]],
  ["el", [2, Infinity]],
  ["nameNode", [0, 2]],
  ["section", [1, 2]],
  ["setText", [1, 2]],
  ["svg", [2, Infinity]],
]);

const compares = (node: ts.Node) => ts.isBinaryExpression(node) && node.operatorToken.getText() === "===";

/** Words that a source puts on the page by itself: prose anywhere, and single words where people read them. */
function strays(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node, isShown: boolean): void => {
    if (ts.isNewExpression(node) && node.expression.getText() === "Error") return;
    if (ts.isPropertyAssignment(node) && node.name.getText() === "class") return;
    if (ts.isVariableDeclaration(node) && node.name.getText() === "CARRIED") return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const isProse = /(^|\s)\p{L}{2,}[,.:;]? \p{L}{2,}/u.test(node.text);
      if (isProse || (isShown && /\p{L}/u.test(node.text))) found.push(node.text);
    }
    const calls = ts.isCallExpression(node) ? node : null;
    const called = calls?.expression.getText().replace(/^.*\./s, "") ?? "";
    const [from, to] = shown.get(called) ?? [0, 0];
    const attribute = ts.isPropertyAssignment(node) && read.has(node.name.getText().replaceAll('"', ""));
    node.forEachChild((child) => {
      const at = calls ? calls.arguments.indexOf(child as ts.Expression) : -1;
      if (called === "on" && at === 0) return; // names of events
      // What is inside a call or an object is judged there; keys and what is compared are not shown.
      const passesOn = isShown && !calls && !ts.isObjectLiteralExpression(node) && !ts.isElementAccessExpression(node) && !compares(node);
      const isValue = attribute && child !== node.name;
      visit(child, isValue || passesOn || (at >= from && at < to));
    });
  };
  visit(ts.createSourceFile("page.ts", source, ts.ScriptTarget.Latest, true), false);
  return found;
}

test("words outside the table are found", () => {
  assert.deepEqual(strays('setText(node, "Found");'), ["Found"]);
  assert.deepEqual(strays('tools.append(button("log", { class: "uapca-tool", title: "Axis" }, go));'), ["log", "Axis"]);
  assert.deepEqual(strays("el('p', {}, `s = ${scale}`);"), ["s = "]);
  assert.deepEqual(strays('const text = many ? "and so on" : "";'), ["and so on"]);
  assert.deepEqual(strays('set(node, { "aria-label": many ? "Rows" : "Row" });'), ["Rows", "Row"]);
  assert.deepEqual(strays('svg("g", { class: "uapca-axis uapca-grid", role: "img" }, svg("title", {}, words.title));'), []);
  assert.deepEqual(strays('throw new Error("the picture could not be drawn");'), []);
});

const sources = readdirSync("src/page").filter((name) => name.endsWith(".ts") && name !== "texts.ts");
for (const name of sources) {
  test(`${name} takes its words from the table`, () => {
    assert.deepEqual(strays(readFileSync(`src/page/${name}`, "utf8")), []);
  });
}
