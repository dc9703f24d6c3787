// Operations of a profile: self times, devices' times, shapes and lines, from slices whose times are known.
import { expect, test } from "vitest";
import { Drafts } from "./drafts.ts";
import { operationRows } from "./operations.ts";
import type { Detail, Track } from "./slices.ts";

const detail = (kind: string, facts: [string, string][] = []): Detail => ({
  kind,
  facts,
  bytes: null,
  flops: null,
  stack: [],
});
const tracks: Track[] = [
  { name: "TypeScript", kind: "host", device: null, depth: 1 },
  { name: "stream 0", kind: "stream", device: "cpu", depth: 1 },
  { name: "core 0", kind: "worker", device: "cpu", depth: 1 },
];
const on: [string, string] = ["device", "cpu"];

test("what an operation took itself, on both sides, by the shapes that it was given", () => {
  const drafts = new Drafts();
  const names = ["softmax", "exp", "launch unary", "unary", "launch mine", "mine"];
  const details = [
    detail("operation", [on, ["input", "float32 [4]"], ["result", "float32 [4]"]]),
    detail("operation", [on, ["input", "float32 [8]"], ["result", "float32 [8]"]]),
    detail("launch", [on]),
    detail("kernel"),
    detail("launch", [on, ["x", "float32 [8]"]]),
    detail("worker"),
  ];
  // softmax calls exp, which launches, and launches itself.
  drafts.add(0, 0, 100, 0, 0, 0);
  drafts.add(0, 10, 40, 1, 0, 0);
  const inner = drafts.add(0, 20, 30, 2, 0, 2);
  const outer = drafts.add(0, 50, 60, 2, 0, 2);
  drafts.add(1, 25, 75, 3, 0, 3, inner, 0);
  drafts.add(1, 80, 90, 3, 0, 3, outer, 0);
  // The part of a core is in its kernel's time.
  drafts.add(2, 80, 90, 3, 0, 5, outer);
  // Another shape, and a kernel of a cell, twice.
  drafts.add(0, 100, 110, 0, 1, 1);
  for (const start of [200, 300]) {
    const launch = drafts.add(0, start, start + 5, 4, 2, 4);
    drafts.add(1, start + 5, start + 105, 5, 2, 3, launch, 1);
  }
  const row = { device: "cpu", calls: 1, places: [0] };
  const arrow = "float32 [4] → float32 [4]";
  expect(operationRows({ drafts, tracks, details, names })).toEqual([
    {
      name: "mine",
      shapes: "float32 [8]",
      device: "cpu",
      calls: 2,
      host: 10,
      hostSelf: 10,
      deviceSelf: 200,
      share: 200 / 260,
      places: [2],
    },
    { ...row, name: "exp", shapes: arrow, host: 30, hostSelf: 30, deviceSelf: 50, share: 50 / 260 },
    { ...row, name: "softmax", shapes: arrow, host: 100, hostSelf: 70, deviceSelf: 10, share: 10 / 260 },
    {
      ...row,
      name: "softmax",
      shapes: "float32 [8] → float32 [8]",
      host: 10,
      hostSelf: 10,
      deviceSelf: 0,
      share: 0,
      places: [1],
    },
  ]);
});

test("of more rows than people read the last are one", () => {
  const drafts = new Drafts();
  const details = Array.from({ length: 500 }, (_, at) => detail("operation", [on, ["result", `float32 [${at}]`]]));
  details.forEach((_, at) => drafts.add(0, at * 10, at * 10 + 1 + (at % 7), 0, -1, at));
  const rows = operationRows({ drafts, tracks, details, names: ["zeros"] });
  expect(rows).toHaveLength(401);
  expect(rows.at(-1)).toMatchObject({ name: "100 others", calls: 100 });
  const all = Array.from({ length: 500 }, (_, at) => 1 + (at % 7)).reduce((sum, time) => sum + time, 0);
  expect(rows.reduce((sum, { hostSelf }) => sum + hostSelf, 0)).toBe(all);
  expect(operationRows({ drafts: new Drafts(), tracks, details, names: [] })).toEqual([]);
});
