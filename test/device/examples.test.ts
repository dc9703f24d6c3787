// Every example of the documentation prints what stands beside it, every line of the tables in the guides runs, and
// what they say of mistakes is what is thrown: on every device.
import "./cache.ts";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CheckedText, nameOf } from "../helpers/checked-text.ts";
import { plain, runExample } from "../helpers/examples.ts";
import { codeIn, preambleOf, rowsOf, says } from "../helpers/guides.ts";
import { devices } from "./devices.ts";

const guide = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/guides/${name}`, import.meta.url)), "utf8");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "warpcell-examples-")));
const before = process.cwd();
const text = new CheckedText(true);

beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
  text[Symbol.dispose]();
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
  const messageOf = (code: string) =>
    runExample(library, code).then(
      () => "",
      (error: Error) => error.message,
    );

  test("examples print what they say", async () => {
    const wrong: string[] = [];
    let count = 0;
    for (const entry of text.reference())
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
    expect(count).toBeGreaterThan(600);
  }, 180_000);

  test.each(["numpy.md", "pytorch.md", "from-cuda.md"])("every line of %s runs", async (name) => {
    const page = guide(name);
    const wrong: string[] = [];
    for (const cells of rowsOf(page)) {
      const code = codeIn(cells.at(-1)!).join(";\n");
      const message = await messageOf(`${preambleOf(page)}\n${code}`);
      if (message !== "") wrong.push(`${code}: ${message}`);
    }
    expect(wrong).toEqual([]);
  });

  test("what one wrote throws what errors.md says, and what to write instead runs", async () => {
    const page = guide("errors.md");
    const wrong: string[] = [];
    const rows = rowsOf(page.slice(page.indexOf("\n## ")));
    for (const [written, sentence, instead] of rows) {
      const message = await messageOf(`${preambleOf(page)}\n${codeIn(written!)[0]!}`);
      if (!says(message, sentence!)) wrong.push(`${written} says ${message}`);
      const again = await messageOf(`${preambleOf(page)}\n${codeIn(instead!)[0]!}`);
      if (again !== "") wrong.push(`${instead} says ${again}`);
    }
    expect(wrong).toEqual([]);
    expect(rows.length).toBeGreaterThan(45);
  });
});
