// Runs the programs of test/programs on every device, and compares what they print with what is computed here in
// float64 from the same random seed.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runProgram } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

export const seed = Math.floor(Math.random() * 10_000);

export interface Program {
  readonly args: readonly (string | number)[];
  /** All of its output; or, of floats, the numbers in it, and how far each may be off. */
  readonly prints: () => string | { readonly numbers: readonly number[]; readonly within: number };
  readonly stderr?: string | RegExp;
  readonly exitCode?: () => number;
  /** The standard of C++, of one that is newer than the default. */
  readonly std?: string;
}

/** The text of a program. */
export const source = (name: string): string =>
  readFileSync(new URL(`../programs/${name}.cu`, import.meta.url), "utf8");

/** `hash` of the programs. */
export function hash(i: number, by: number): number {
  let h = (Math.imul(i, 747796405) + Math.imul(by, 2891336453) + 12345) >>> 0;
  h = Math.imul((h >>> ((h >>> 28) + 4)) ^ h, 277803737) >>> 0;
  return ((h >>> 22) ^ h) >>> 0;
}

export const numbers = (n: number, of: (i: number) => number): number[] => Array.from({ length: n }, (_, i) => of(i));
export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
/** `checksum` of the programs. */
export const checksum = (values: readonly number[]): number => sum(values.map((value, i) => value * (i % 97)));

/** A test for each program on each device. */
export function runPrograms(title: string, programs: Record<string, Program>): void {
  describe.each(devices)(`${title} on $name`, ({ name: device }) => {
    test.each(Object.keys(programs))("%s", { timeout: 120_000 }, async (name) => {
      const { args, prints, stderr = "", exitCode, std } = programs[name]!;
      const options = { device, args: args.map(String), ...(std === undefined ? {} : { std }) };
      const ended = await runProgram(source(name), options);
      const wanted = prints();
      if (typeof stderr === "string") expect(ended.stderr).toBe(stderr);
      else expect(ended.stderr).toMatch(stderr);
      if (typeof wanted === "string") expect(ended.stdout).toBe(wanted);
      else compare(ended.stdout, wanted.numbers, wanted.within);
      expect(ended.exitCode).toBe(exitCode?.() ?? 0);
      expect(ended.unchecked).toEqual([]);
    });
  });
}

/** A test for six of the programs, others in the next run, and for all in the long one: each takes about a second. */
export function runSomePrograms(title: string, programs: Record<string, Program>): void {
  const random = seeded(freshSeed());
  const names = Object.keys(programs)
    .map((name) => [random(), name] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, process.env["WARPCELL_LONG"] === "1" ? Infinity : 6)
    .map(([, name]) => name);
  runPrograms(title, Object.fromEntries(names.map((name) => [name, programs[name]!])));
}

function compare(stdout: string, wanted: readonly number[], within: number): void {
  const printed = stdout.match(/-?\d+(\.\d+)?(e[+-]?\d+)?/g)!.map(Number);
  expect(printed).toHaveLength(wanted.length);
  printed.forEach((value, i) => {
    expect(Math.abs(value - wanted[i]!), `${value} instead of ${wanted[i]}`).toBeLessThanOrEqual(within);
  });
}
