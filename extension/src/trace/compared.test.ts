// Two profiles side by side: what both have is one row, what one has is new or gone, and how differences read.
import { expect, test } from "vitest";
import type { TracePayload } from "../../../kernel/mime.ts";
import { columns, compared } from "./compared.ts";

type Time = readonly [name: string, operation: string | null, calls: number, total: number];

const profileOf = (...kernels: readonly Time[]): TracePayload =>
  ({
    kernels: kernels.map(([name, operation, calls, total]) => ({ name, operation, calls, total })),
  }) as unknown as TracePayload;

const texts = (row: Parameters<(typeof columns)[number]["text"]>[0]): Record<string, string> =>
  Object.fromEntries(columns.map(({ id, text }) => [id, text(row)]));

test("a row has both times, their difference and their ratio", () => {
  const before = profileOf(
    ["saxpy", null, 2, 3e6],
    ["old", null, 1, 1e6],
    ["unary", "exp", 1, 500],
    ["unary", "exp", 1, 500],
  );
  const after = profileOf(
    ["saxpy", null, 4, 1.5e6],
    ["new", null, 1, 2e6],
    ["unary", "exp", 1, 1000],
    ["unary", "log", 1, 10],
  );
  const rows = compared(before, after, "Kernels");
  expect(rows.map(texts)).toEqual([
    expect.objectContaining({
      name: "saxpy",
      before: "3.00 ms",
      after: "1.50 ms",
      difference: "−1.50 ms",
      ratio: "0.50×",
      "calls-before": "2",
      "calls-after": "4",
    }),
    expect.objectContaining({ name: "old", before: "1.00 ms", after: "–", difference: "−1.00 ms", ratio: "gone" }),
    expect.objectContaining({ name: "unary", more: "exp", ratio: "1.00×", "calls-before": "2" }),
    expect.objectContaining({ name: "new", before: "–", difference: "+2.00 ms", ratio: "new" }),
    expect.objectContaining({ name: "unary", more: "log", ratio: "new" }),
  ]);
  // Sorted by the size of the difference, and a spreadsheet gets its sign.
  const difference = columns.find(({ id }) => id === "difference")!;
  expect(rows.map((row) => difference.key(row))).toEqual([1.5e6, 1e6, 0, 2e6, 10]);
  expect(rows.map((row) => difference.raw!(row))).toEqual([-1.5e6, -1e6, 0, 2e6, 10]);
});

test("what has taken no time before has no ratio", () => {
  const [row] = compared(profileOf(["permute", null, 1, 0]), profileOf(["permute", null, 1, 10]), "Kernels");
  expect(texts(row!)).toMatchObject({ before: "0 ns", difference: "+10 ns", ratio: "–" });
});

test("profiles from before operations were kept have none of them", () => {
  expect(compared(profileOf(), profileOf(), "Operations")).toEqual([]);
});

test("names of properties of every object are names like others", () => {
  const [row] = compared(
    profileOf(["__proto__", "constructor", 1, 10]),
    profileOf(["__proto__", "constructor", 1, 20]),
    "Kernels",
  );
  expect(texts(row!)).toMatchObject({ name: "__proto__", ratio: "2.00×" });
});
