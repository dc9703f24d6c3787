// Programs as cells: `%%cuda --cells` answers with cells that run in the same session and print what the program prints.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { translated } from "../../kernel/language/cuda/as-cells/translate.ts";
import { programArguments } from "../helpers/program-arguments.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { TestSession } from "../helpers/session.ts";

const folder = new URL("../programs/", import.meta.url);
const names = readdirSync(folder).map((file) => file.replace(/\.cu$/, ""));
const source = (name: string): string => readFileSync(new URL(`${name}.cu`, folder), "utf8");

/** How many lines of a program stay as they were. */
const leftOf = (name: string): number => translated(source(name), "%%cuda", []).left.length;
const whole = names.filter((name) => leftOf(name) === 0);

const seed = freshSeed() % 10_000;
const given = programArguments(seed);
const words = (name: string): string => given[name]!.map((word) => JSON.stringify(String(word))).join(" ");

interface Ended {
  /** What all cells print, on the device last. */
  readonly output: string;
  /** The first error that a cell ended with. */
  readonly error: string | null;
}

/** Runs a cell, and those that it brings, one below the other. */
async function ended(session: TestSession, text: string): Promise<Ended> {
  let output = "";
  let failed: string | null = null;
  const before = session.native.stdout.length;
  for (let next: string | undefined = text; next !== undefined; ) {
    const { error, stdout, payload } = await session.run(next);
    failed ??= error?.message ?? null;
    output += stdout;
    next = payload.find(({ source }) => source === "set_next_input")?.["text"] as string | undefined;
  }
  const native = session.native.stdout.slice(before).replace(/\u001e[0-9a-f]*\u001e/g, "");
  return { output: output + native, error: failed };
}

/** Of a program whose kernels print, too: what of both comes first is chance, since each has a pipe of its own. */
const lines = (name: string, output: string): string =>
  translated(source(name), "%%cuda", []).cells[0]!.includes("printf") ? output.split("\n").sort().join("\n") : output;

describe("what is translated wholly runs as the program does", () => {
  const random = seeded(freshSeed());
  const some = whole
    .map((name) => [random(), name] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, process.env["WARPCELL_LONG"] === "1" ? Infinity : 6)
    .map(([, name]) => name)
    .filter((name) => process.env["ONLY"] === undefined || process.env["ONLY"].split(",").includes(name));

  test.each(some)("%s", { timeout: 120_000 }, async (name) => {
    const session = await TestSession.start();
    onTestFinished(() => session.end());
    const own = await ended(session, `%%cuda -- ${words(name)}\n${source(name)}`);
    const cells = await ended(session, `%%cuda --cells -- ${words(name)}\n${source(name)}`);
    // A program that looks at what CUDA returns says it and leaves; the library throws.
    if (own.error !== null) expect([cells.error !== null, own.output.startsWith(cells.output)]).toEqual([true, true]);
    else expect({ ...cells, output: lines(name, cells.output) }).toEqual({ ...own, output: lines(name, own.output) });
  });
});
