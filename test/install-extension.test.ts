// The extension's folder below a Python prefix: put there whole, replaced whole, and refused with a sentence.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installExtension } from "../scripts/install-extension.mjs";

let folder: string;
let from: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "warpcell-install-"));
  from = join(folder, "built");
  mkdirSync(join(from, "static"), { recursive: true });
  writeFileSync(join(from, "package.json"), JSON.stringify({ name: "@warpcell/jupyterlab" }));
  writeFileSync(join(from, "static", "one.js"), "1");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("an installation replaces the one before and leaves nothing of it", () => {
  const prefix = join(folder, "prefix");
  installExtension(prefix, { from });
  rmSync(join(from, "static", "one.js"));
  writeFileSync(join(from, "static", "two.js"), "2");
  const target = installExtension(prefix, { from });
  expect(target).toBe(join(prefix, "share", "jupyter", "labextensions", "@warpcell", "jupyterlab"));
  expect(readdirSync(join(target, "static"))).toEqual(["two.js"]);
  expect(readdirSync(join(target, ".."))).toEqual(["jupyterlab"]);
  expect(JSON.parse(readFileSync(join(target, "install.json"), "utf8"))).toEqual({
    packageManager: "npm",
    packageName: "@warpcell/jupyterlab",
    uninstallInstructions: `Remove the folder ${target}`,
  });
});

test("a link follows the build, and a copy takes its place without touching the build", () => {
  const target = installExtension(folder, { from, link: true });
  expect(lstatSync(target).isSymbolicLink()).toBe(true);
  installExtension(folder, { from });
  expect(lstatSync(target).isSymbolicLink()).toBe(false);
  expect(existsSync(join(from, "package.json"))).toBe(true);
});

test("without a build, or without a prefix, one sentence says what to do", () => {
  expect(() => installExtension(folder, { from: join(folder, "none") })).toThrow(
    `There is no built extension in ${join(folder, "none")}. Run "npm run build:labextension -w @warpcell/jupyterlab".`,
  );
  const result = spawnSync(
    process.execPath,
    [fileURLToPath(new URL("../scripts/install-extension.mjs", import.meta.url))],
    { encoding: "utf8" },
  );
  expect(result.status).toBe(1);
  expect(result.stderr).toBe("Name a Python prefix. Usage: node scripts/install-extension.mjs PREFIX [--link]\n");
});
