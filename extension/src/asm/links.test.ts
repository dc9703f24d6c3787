// Lines of source and listings linked both ways, their colours, their samples, what is searched for, and the words
// about them.
import { expect, test } from "vitest";
import type { AsmListing, AsmPayload } from "../../../kernel/mime.ts";
import { bandCount, Links, sourceSamples } from "./links.ts";
import { occurrences } from "./marks.ts";
import { bestOf, stepSentence } from "./occupancy-chart.ts";
import { matchesIn, stepped } from "./search.ts";
import { factsOf, linkSentence } from "./summary.ts";

const listing = (source: number[], samples: number[] = []): AsmListing => ({
  name: "PTX",
  lines: source.map(String),
  source,
  live: [],
  samples,
});

test("every line of the source knows its instructions in each listing, and neighbours differ in colour", () => {
  const links = new Links({ listings: [listing([0, 4, 4, 9, 4]), listing([9, 2])] });
  expect([links.linesOf(0, 4), links.linesOf(1, 4), links.linesOf(1, 9), links.linesOf(5, 1)]).toEqual([
    [1, 2, 4],
    [],
    [0],
    [],
  ]);
  expect([2, 4, 9, 3, 0].map((line) => links.bandOf(line))).toEqual([0, 1, 2, null, null]);
  const many = new Links({ listings: [listing(Array.from({ length: 100 }, (_, index) => index + 1))] });
  for (let line = 2; line <= 100; line++) expect(many.bandOf(line)).not.toBe(many.bandOf(line - 1));
  expect(Math.max(...Array.from({ length: 100 }, (_, index) => many.bandOf(index + 1)!))).toBe(bandCount - 1);
});

test("samples of the source are those of the listing nearest to the machine that has any", () => {
  expect(sourceSamples(4, [listing([1, 2], [9, 9]), listing([1, 4, 4, 0], [1, 2, 3, 50])])).toEqual([1, 0, 0, 5]);
  expect(sourceSamples(2, [listing([1, 2], [9, 7]), listing([1, 2], [0, 0])])).toEqual([9, 7]);
  expect(sourceSamples(2, [listing([1, 2])])).toEqual([]);
});

test("a search finds lines whatever their case, not hidden ones, and goes round", () => {
  const pane = (lines: string[], hidden: number[] = []) => ({
    lines,
    isShown: (index: number) => !hidden.includes(index),
  });
  expect(matchesIn([pane(["y += a", "A*x"]), pane(["FMA.RN", ".loc a", "mov"], [1])], "a")).toEqual([
    { pane: 0, index: 0 },
    { pane: 0, index: 1 },
    { pane: 1, index: 0 },
  ]);
  expect(matchesIn([pane(["a"])], "")).toEqual([]);
  expect([
    stepped(-1, 3, false),
    stepped(2, 3, false),
    stepped(-1, 3, true),
    stepped(0, 3, true),
    stepped(1, 0, false),
  ]).toEqual([0, 0, 2, 2, -1]);
  expect([...occurrences("FMA fma.rn Fma", "fma")]).toEqual([0, 4, 11]);
  expect([...occurrences("aaaa", "aa")]).toEqual([0, 2]);
  expect([...occurrences("İİ fma", "fma")]).toEqual([]);
});

test("words", () => {
  const payload: AsmPayload = {
    version: 1,
    kernel: "k",
    device: "cuda:0",
    arch: "sm_90a",
    title: "Cell [2]",
    cell: null,
    count: 2,
    source: [],
    listings: [],
    registers: 1,
    shared: 4096,
    spills: 16,
    occupancy: [],
    notes: [],
  };
  expect(factsOf(payload)).toEqual(["Cell [2]", "cuda:0", "sm_90a", "1 register", "4.0 KiB shared", "16 B spilled"]);
  expect(factsOf({ ...payload, title: "", registers: null, shared: null, spills: 0 })).toEqual([
    "cuda:0",
    "sm_90a",
    "no spills",
  ]);
  expect(linkSentence(4, ["PTX", "SASS"], [11, 1])).toBe("Line 4: 11 lines of PTX, 1 of SASS");
  expect(linkSentence(4, ["PTX", "SASS"], [0, 1])).toBe("Line 4: 1 line of SASS");
  expect(linkSentence(2, ["PTX"], [0])).toBe("Line 2: no instructions");
  const steps = [
    { block: 32, percent: 50, limiter: "blocks" },
    { block: 64, percent: 100, limiter: "warps" },
    { block: 128, percent: 100, limiter: "" },
  ];
  expect(bestOf(steps).block).toBe(64);
  expect(steps.map(stepSentence)).toEqual([
    "blocks of 32: 50 %, limited by blocks",
    "blocks of 64: 100 %, limited by warps",
    "blocks of 128: 100 %",
  ]);
});
