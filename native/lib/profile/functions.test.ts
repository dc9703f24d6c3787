// What V8 saw, as runs of functions: nested as they called each other, without the frames of others above the user's.
import type { Profiler } from "node:inspector";
import { expect, onTestFinished, test } from "vitest";
import { describeFunctions } from "../device/origins.ts";
import { runsOf } from "./functions.ts";

const library = new URL("../tensor/tensor.js", import.meta.url).href;

/** Nodes as [id, function, script, children]. */
const nodesOf = (...nodes: [id: number, functionName: string, url: string, ...children: number[]][]) =>
  nodes.map(
    ([id, functionName, url, ...children]): Profiler.ProfileNode => ({
      id,
      callFrame: { functionName, scriptId: "0", url, lineNumber: id, columnNumber: 0 },
      children,
    }),
  );
const nodes = nodesOf(
  [1, "(root)", "", 2, 3, 4, 5],
  [2, "(program)", ""],
  [3, "(garbage collector)", ""],
  [4, "(idle)", ""],
  [5, "run", library, 6],
  [6, "train", "file:///a/step.ts", 7, 8],
  [7, "sum", library, 9],
  [8, "", "file:///a/step.ts"],
  [9, "", "node:internal/timers", 10],
  [10, "callback", "file:///a/step.ts"],
);
const runs = (...samples: number[]) =>
  runsOf({
    nodes,
    samples,
    timeDeltas: samples.map(() => 10),
    startTime: 100,
    endTime: 100 + 10 * (samples.length + 1),
  }).map(({ name, start, end }) => [name, start, end]);
const [train, anonymous, callback] = ["train (step.ts:7)", "(anonymous) (step.ts:9)", "callback (step.ts:11)"];

test("what is found again is one run, and what it calls lies within it", () =>
  expect(runs(6, 8, 8, 6)).toEqual([
    [anonymous, 120, 140],
    [train, 110, 150],
  ]));

test("what the library does is one run, whatever it calls; a function that it calls back lies within", () => {
  expect(runs(7, 9, 7)).toEqual([
    [train, 110, 140],
    ["Warpcell", 110, 140],
  ]);
  expect(runs(10, 9)).toEqual([
    [callback, 110, 120],
    [train, 110, 130],
    ["Warpcell", 110, 130],
  ]);
});

test("what Node.js does for a function of a cell is its own, and names that cells are given are not shown", () => {
  onTestFinished(() => describeFunctions(() => undefined));
  const cell = { label: "Cell [3]", cell: null, count: 3, line: 4 };
  describeFunctions((url) => (url === "cell:1" ? cell : "ours"));
  const nodes = nodesOf(
    [1, "(root)", "", 2],
    [2, "run", "file:///kernel.js", 3, 6],
    [6, "append", "file:///node_modules/text.js"],
    [3, "$$0.f", "cell:1", 4, 5],
    [4, "now", "node:internal/perf"],
    [5, "show", "file:///kernel.js"],
  );
  const found = runsOf({ nodes, samples: [4, 5], timeDeltas: [1, 1], startTime: 0, endTime: 3 });
  expect(found.map(({ name, place }) => [name, place])).toEqual([
    ["Node.js", undefined],
    ["(anonymous)", cell],
    ["Warpcell", undefined],
  ]);
  const named = (nodes: Profiler.ProfileNode[], sample: number) =>
    runsOf({ nodes, samples: [sample], timeDeltas: [1], startTime: 0, endTime: 3 }).map(({ name }) => name);
  expect(named(nodes, 6)).toEqual(["Warpcell"]);
  const turn = nodesOf(
    [1, "(root)", "", 2],
    [2, "runMicrotasks", "", 3],
    [3, "run", "file:///kernel.js", 4],
    [4, "append", "file:///node_modules/text.js"],
  );
  expect(named(turn, 4)).toEqual(["Warpcell"]);
});

test("the collector interrupts nothing, idleness ends what ran, and what runs a function is not shown", () => {
  expect(runs(6, 3, 6)).toEqual([[train, 110, 140]]);
  expect(runs(6, 4, 6, 2)).toEqual([
    [train, 110, 120],
    [train, 130, 140],
  ]);
  expect(runs(5, 5)).toEqual([["Warpcell", 110, 130]]);
  expect(runs()).toEqual([]);
});

test("a recursion without end has an end here", () => {
  const deep = nodesOf(
    [1, "(root)", "", 2],
    ...Array.from({ length: 500 }, (_, index): [number, string, string, number] => [
      index + 2,
      `f${index}`,
      "file:///a.ts",
      index + 3,
    ]),
    [502, "last", "file:///a.ts"],
  );
  expect(runsOf({ nodes: deep, samples: [502], timeDeltas: [1], startTime: 0, endTime: 2 })).toHaveLength(60);
});
