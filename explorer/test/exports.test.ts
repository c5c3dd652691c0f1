import assert from "node:assert/strict";
import { test } from "node:test";
import { quoted } from "../src/page/exports";

test("no name is a formula in a spreadsheet, and others stay as they are", () => {
  for (const name of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\uff1d1"]) assert.equal(quoted(name), `'${name}`);
  assert.equal(quoted('=HYPERLINK("x","y")'), `"'=HYPERLINK(""x"",""y"")"`);
  assert.equal(quoted("\r=1"), `"'\r=1"`);
  for (const name of ["Tom", "a=b", "", "1.5", "x-y", "'quoted'"]) assert.equal(quoted(name), name);
  assert.equal(quoted("a, b"), '"a, b"');
});
