// When warnings are looked for, shown, and kept for later.
import { expect, test } from "vitest";
import { Diagnostics, format, type Checker } from "./type-warnings.ts";
import type { Diagnostic } from "./type-service.ts";

/** What is shown of the warning about `code` in a cell. */
const text = (cell: number, code: string): string =>
  `\u001b[33mtype error TS1\u001b[39m: ${code}\n\nCell [${cell}]:1:3\n> 1 | ${code}\n    |   ^\n`;

const warning = (cell: number, message: string): Diagnostic => ({
  cell,
  line: 1,
  column: 3,
  code: "TS1",
  severity: "error",
  message,
});

/** For warnings that come in time. */
const never = (text: string): boolean => {
  throw new Error(`late: ${text}`);
};

/** A checker whose answers are given by the test. */
function checker(warm: boolean): { checker: Checker; asked: string[]; answer: (code: string) => void; hear: string[] } {
  const waiting = new Map<string, () => void>();
  const asked: string[] = [],
    hear: string[] = [];
  return {
    asked,
    hear,
    answer: (code) => waiting.get(code)?.(),
    checker: {
      warm,
      diagnose: (cell, code) =>
        new Promise((resolve) => {
          asked.push(code);
          waiting.set(code, () => resolve(code.includes("wrong") ? [warning(cell, code)] : []));
          if (warm) resolve(code.includes("wrong") ? [warning(cell, code)] : []);
        }),
      commit: async (cell, code) => void hear.push(`${cell}: ${code}`),
      commitDevice: async (code) => void hear.push(`device: ${code}`),
      declare: async (cell, declarations) => void hear.push(`${cell}: ${declarations.map(({ text }) => text).join()}`),
    },
  };
}

test("a warm service's warnings are shown under their own cell, with its label", async () => {
  const diagnostics = new Diagnostics(checker(true).checker);
  expect(await diagnostics.shown(4, diagnostics.check(4, "wrong"), null, never)).toBe(text(4, "wrong"));
  expect(format(4, "", [], "warning")).toBe("");
});

test("several are one below the other, each with its line and a caret, red where they stop the cell", () => {
  const found = [
    { ...warning(1, "first"), line: 2, column: 7 },
    { ...warning(1, "second"), line: 12, column: 2 },
  ];
  expect(format(3, "a\n\tconst b\n\n\n\n\n\n\n\n\nbefore\n\tc", found, "error").split("\n")).toEqual([
    "\u001b[31mtype error TS1\u001b[39m: first",
    "",
    "Cell [3]:2:7",
    "  1 | a",
    "> 2 | \tconst b",
    "    | \t     ^",
    "",
    "\u001b[31mtype error TS1\u001b[39m: second",
    "",
    "Cell [3]:12:2",
    "  11 | before",
    "> 12 | \tc",
    "     | \t^",
    "",
  ]);
});

test("a cold service is not waited for: its warnings come under the next cell when that runs already", async () => {
  const { checker: cold, answer } = checker(false);
  const diagnostics = new Diagnostics(cold);
  const late: string[] = [];
  const busy = (text: string): boolean => late.push(text) === 0;
  expect(await diagnostics.shown(1, diagnostics.check(1, "wrong"), null, busy)).toBe("");
  answer("wrong");
  await new Promise((resolve) => setImmediate(resolve));
  expect(late).toEqual([text(1, "wrong")]);
  expect(await diagnostics.shown(2, diagnostics.check(2, "right"), null, busy)).toBe(text(1, "wrong"));
});

test("late warnings of a cell that nothing follows are shown under it, once", async () => {
  const { checker: cold, answer } = checker(false);
  const diagnostics = new Diagnostics(cold);
  const late: string[] = [];
  const idle = (text: string): boolean => late.push(text) > 0;
  expect(await diagnostics.shown(1, diagnostics.check(1, "wrong"), null, idle)).toBe("");
  answer("wrong");
  await new Promise((resolve) => setImmediate(resolve));
  expect(late).toEqual([text(1, "wrong")]);
  expect(await diagnostics.shown(2, diagnostics.check(2, "right"), null, idle)).toBe("");
});

test("the same text is not checked again, and said no more, until another cell ran", async () => {
  const { checker: warm, asked, hear } = checker(true);
  const diagnostics = new Diagnostics(warm);
  const run = async (cell: number, code: string): Promise<void> => {
    await diagnostics.shown(cell, diagnostics.check(cell, code), null, never);
    diagnostics.ran(cell, code);
  };
  for (let cell = 1; cell <= 5; cell++) await run(cell, "1 + 1");
  expect([asked, hear]).toEqual([["1 + 1"], ["1: 1 + 1"]]);
  await run(6, "const a = 1");
  await run(7, "1 + 1");
  expect(asked).toEqual(["1 + 1", "const a = 1", "1 + 1"]);
  diagnostics.declared(8, [{ name: "k", text: "declare const k: 1" }]);
  await run(9, "1 + 1");
  expect(asked).toHaveLength(4);
});

test("an earlier text that declares its names anew counts like a new one", async () => {
  const { checker: warm, asked, hear } = checker(true);
  const diagnostics = new Diagnostics(warm);
  for (const [i, code] of ["let x = 1", "let x = 'a'", "x", "let x = 1", "x"].entries()) {
    await diagnostics.shown(i, diagnostics.check(i, code), null, never);
    diagnostics.ran(i, code);
  }
  expect(asked).toEqual(["let x = 1", "let x = 'a'", "x", "let x = 1", "x"]);
  expect(hear).toHaveLength(5);
});

test("mode off asks nothing", async () => {
  const { checker: warm, asked } = checker(true);
  const diagnostics = new Diagnostics(warm);
  diagnostics.mode = "off";
  expect(await diagnostics.shown(1, diagnostics.check(1, "wrong"), null, never)).toBe("");
  expect(asked).toEqual([]);
});
