// Every example of the documentation, on every device: it passes the checker and prints what stands beside it.
import "./cache.ts";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CheckedText, type Entry } from "../helpers/checked-text.ts";
import { plain, runExample } from "../helpers/examples.ts";
import { devices } from "./devices.ts";

const nameOf = ({ owner, name }: Entry) => (owner === "" ? name : `${owner}.${name}`);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "warpcell-examples-")));
const before = process.cwd();
const text = new CheckedText();
const reference = text.reference();

beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
  text[Symbol.dispose]();
});

test("every public name has one", () => {
  expect(reference.length).toBeGreaterThan(700);
  const bare = reference.filter(({ kind, examples }) => kind === "value" && examples.length === 0);
  expect(bare.map(nameOf)).toEqual([]);
});

test("the checker finds nothing in them", () => {
  const names = reference
    .filter(({ owner }) => owner === "")
    .map(({ kind, name }) => (kind === "type" ? `type ${name}` : name));
  const lines = [`import { ${names.join(", ")} } from "warpcell";`];
  const owners = [""];
  for (const entry of reference)
    for (const example of entry.examples) {
      const body = [`async () => {`, ...example.split("\n"), `};`];
      lines.push(...body);
      owners.push(...body.map(() => nameOf(entry)));
    }
  const found = text.check(lines.join("\n"));
  expect(found.map(({ line, message }) => `${owners[line - 1]}: ${lines[line - 1]}: ${message}`)).toEqual([]);
});

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  let library: Readonly<Record<string, unknown>>;
  beforeAll(async () => {
    vi.stubEnv("WARPCELL_DEVICE", device);
    // The default device is chosen once by each copy of the library.
    vi.resetModules();
    library = await import("../../native/lib/index.ts");
  });
  afterAll(() => vi.unstubAllEnvs());

  test("they print what they say", async () => {
    const wrong: string[] = [];
    let count = 0;
    for (const entry of reference)
      for (const example of entry.examples)
        try {
          for (const { line, wanted, printed } of await runExample(library, example)) {
            count++;
            if (plain(wanted) !== plain(printed))
              wrong.push(`${nameOf(entry)}: ${line} prints ${printed}, not ${wanted.trim()}`);
          }
        } catch (error) {
          wrong.push(`${nameOf(entry)}: ${(error as Error).stack}`);
        }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(400);
  });
});
