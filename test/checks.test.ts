// What a user of a bare machine reads: one sentence that names what is missing and the command that installs it.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checks, missing } from "../scripts/checks.mjs";

/** A program that answers as a Python of another version would. */
function fakePython(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-python-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "python3");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test("an old Node is named with the version needed", () => {
  expect(checks.node("18.19.1")).toMatch(/^Node\.js 20\.19 or newer is needed, but this is 18\.19\.1\. Install/);
  expect(checks.node("20.18.9")).toBeDefined();
  expect(checks.node("20.19.0")).toBeUndefined();
  expect(checks.node("22.1.0")).toBeUndefined();
});

test("a missing Python is named with the command that installs it", () => {
  expect(checks.python("/nonexistent/python3")).toMatch(
    /^Python 3\.10 or newer is needed, but .* does not run\. Install it with: sudo apt-get install python3 python3-venv$/,
  );
});

test("an old Python is named with its version", () => {
  expect(checks.python(fakePython("echo 3 9"))).toMatch(
    /^Python 3\.10 or newer is needed, but .* is 3\.9\. Install a newer one with: sudo apt-get install/,
  );
});

test("a Python without venv is named", () => {
  expect(checks.python(fakePython('case "$2" in *venv*) exit 1;; *) echo 3 11;; esac'))).toMatch(
    /^".*" does not have Python's venv module\. Install it with: sudo apt-get install python3-venv$/,
  );
});

test("a missing compiler and build tool are named", () => {
  expect(checks.compiler(["/nonexistent/g++"])).toMatch(
    /^There is no C\+\+17 compiler: none of .*apt-get install g\+\+$/,
  );
  expect(checks.buildTool(["/nonexistent/make"])).toMatch(
    /^Building the native part takes ninja or make, .*apt-get install make$/,
  );
});

test("this machine lacks nothing", () => {
  expect(missing()).toEqual([]);
});

test.each([
  '"',
  "$",
  "*",
  "[",
  "]",
  "|",
  "#",
  "?",
  "!",
  "`",
  "\\",
  ";",
  ":",
  "\n",
  "%20",
])("a folder with %j in its path is named, with what to do", (part) => {
  expect(checks.folder(`/home/me/a${part}b/warpcell`)).toBe(
    `The tools that build cannot take the path ${JSON.stringify(`/home/me/a${part}b/warpcell`)}, which has ${JSON.stringify(part)} in it. Rename that folder, or move this one, and run the command again.`,
  );
});

test("a folder with spaces, an apostrophe or letters of any language is as good as another", () => {
  expect(checks.folder("/home/me/it's (my) ünïcode 100% dir, 1+1 & <b>")).toBeUndefined();
});
