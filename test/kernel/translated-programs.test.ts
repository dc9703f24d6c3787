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

/** Runs a cell, and those that it brings, one below the other. Returns what all of them print. */
async function printed(session: TestSession, text: string): Promise<string> {
  let output = "";
  for (let next: string | undefined = text; next !== undefined; ) {
    const { error, stdout, payload } = await session.run(next);
    expect(error, next).toBe(null);
    output += stdout;
    next = payload.find(({ source }) => source === "set_next_input")?.["text"] as string | undefined;
  }
  return output;
}

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
    const own = await printed(session, `%%cuda -- ${words(name)}\n${source(name)}`);
    expect(await printed(session, `%%cuda --cells -- ${words(name)}\n${source(name)}`)).toBe(own);
  });
});
