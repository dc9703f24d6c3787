// progress in a terminal and in a pipe: what it writes, what it leaves alone, and every error.
import "./device/cache.ts";
import { afterEach, expect, test } from "vitest";
import { progress, tensor } from "../native/lib/index.ts";

const real = Object.getOwnPropertyDescriptor(process, "stdout")!;
afterEach(() => {
  Object.defineProperty(process, "stdout", real);
});

/** What is written to a terminal, or to a pipe, of so many columns. */
function written(isTTY: boolean, run: () => void, columns = 80): string[] {
  const lines: string[] = [];
  const out = { isTTY, columns, write: (text: string) => lines.push(text) };
  Object.defineProperty(process, "stdout", { value: out, configurable: true });
  try {
    run();
  } finally {
    Object.defineProperty(process, "stdout", real);
  }
  return lines;
}

test("in a terminal one line is written over, with the latest values, and the last one stays", () => {
  let loss = 0;
  const seen: number[] = [];
  const lines = written(true, () => {
    for (const each of progress([1, 2, 4], { show: () => ({ loss: tensor(loss, { device: "cpu" }), at: each0() }) })) {
      seen.push(each);
      loss = 1 / each;
    }
  });
  function each0() {
    return seen.length;
  }
  expect(seen).toEqual([1, 2, 4]);
  expect(lines[0]).toMatch(/^\r\u001b\[K {2}0% │ +│ 0\/3 · 0:00$/);
  expect(lines.at(-1)).toMatch(/^\r\u001b\[K100% │█+│ 3\/3 · .* · loss 0\.25 · at 3\n$/);
  expect(lines.slice(0, -1).every((line) => !line.includes("\n"))).toBe(true);
});

test("a loop that is left, or throws, says how far it came", () => {
  const left = written(true, () => {
    for (const each of progress(new Set([1, 2, 3]))) if (each === 2) break;
  });
  expect(left.at(-1)).toMatch(/ 33% │.*│ 1\/3 · .*\n$/);
  const thrown = written(true, () => {
    expect(() => {
      for (const each of progress([1, 2], { total: 8 })) if (each === 2) throw new Error("mine");
    }).toThrow("mine");
  });
  expect(thrown.at(-1)).toMatch(/ 12% │.*│ 1\/8 · .*\n$/);
});

test("in a pipe it is silent, and asks for no values", () => {
  const lines = written(false, () => {
    for (const each of progress([1, 2], { show: () => ({ odd: each0 as never }) })) void each;
  });
  const each0 = 0;
  expect(lines).toEqual([]);
});

test("values that come later, and counts that nobody knows", async () => {
  async function* later() {
    yield* [1, 2];
  }
  const seen: number[] = [];
  const counted = progress(later());
  for await (const each of counted) seen.push(each);
  expect([seen, counted.length, progress([1, 2]).length]).toEqual([[1, 2], undefined, 2]);
  expect(() => [...counted]).toThrow("These values come later: write for await (const each of progress(…)).");
});

test("what no loop goes through", () => {
  for (const [call, sentence] of [
    [
      () => progress(3 as never),
      "progress takes what a loop goes through, such as an array or a DataLoader, but got 3.",
    ],
    [() => progress(null as never), "progress takes what a loop goes through"],
    [() => progress([1], { show: 3 as never }), "progress takes a function as show, () => ({ loss }), but got 3."],
    [() => progress([1], { total: -1 }), "progress takes a whole number of at least 0 as total but got -1."],
    [() => progress([1], { label: "x" } as never), "progress has no option label."],
  ] as const)
    expect(call).toThrow(sentence);
});
