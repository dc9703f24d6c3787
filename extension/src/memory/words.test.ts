// What the panel of memory says of blocks and devices, and of answers that are not what kernel/mime.ts describes.
import { expect, test } from "vitest";
import type { CellMemory, DeviceMemory, MemoryBlock } from "../../../kernel/mime.ts";
import { CellHues, cellOfPlace } from "./cell-colours.ts";
import { checkMemory } from "./payload.ts";
import { checkShortage } from "./shortage-payload.ts";
import { ageText, blockText, freeText, unnamedText } from "./words.ts";

const places = [{ text: "Cell [3]:4", cell: "a", count: 3, line: 4 }];
const block: MemoryBlock = {
  bytes: 2 ** 22,
  count: 1,
  place: 1,
  shape: [1024, 1024],
  dtype: "float32",
  names: ["x", "list"],
  since: 1000,
};
const free: MemoryBlock = { bytes: 2 ** 25, count: 1, place: -1, shape: null, dtype: null, names: [], since: null };
const device: DeviceMemory = {
  device: "cpu",
  allocated: 2 ** 22,
  reserved: 2 ** 25 + 2 ** 22,
  peak: 2 ** 23,
  free: 2 ** 25,
  largestFree: 2 ** 25,
  named: 2 ** 22,
  places,
  segments: [{ bytes: 2 ** 25 + 2 ** 22, blocks: [block, free] }],
  largest: [block],
  byCell: [{ text: "Cell [3]", bytes: 2 ** 22, blocks: 1 }],
};
const cell: CellMemory = {
  text: "Cell [3]",
  cell: "a",
  count: 3,
  device: "cpu",
  before: 0,
  peak: 5,
  after: 4,
  running: false,
};

test.each<[Partial<MemoryBlock>, string]>([
  [{}, "4.0 MiB · x, list · float32 [1024, 1024] · Cell [3]:4 · its cell began 2 min ago"],
  [{ names: [], since: null }, "4.0 MiB · float32 [1024, 1024] · Cell [3]:4"],
  [{ place: 0, shape: null, names: [], since: null }, "4.0 MiB · the library's, or of no known line"],
  [{ count: 1200, shape: null, names: [] }, "4.0 MiB in 1,200 small blocks of Cell [3]"],
  [{ count: 2, place: 0 }, "4.0 MiB in 2 small blocks"],
  [free, "32.0 MiB free"],
  [{ ...free, count: 3 }, "32.0 MiB free in 3 pieces"],
])("a block with %j", (changes, text) => expect(blockText({ ...block, ...changes }, device, 140_000)).toBe(text));

test.each([
  [0, "0 s"],
  [59_400, "59 s"],
  [60_000, "1 min"],
  [3_599_000, "59 min"],
  [7_300_000, "2 h"],
])("%i ms ago is %s", (time, text) => expect(ageText(0, time)).toBe(text));

test("what is free, and what no name leads to", () => {
  expect(freeText(device)).toBe("32.0 MiB of what is held is free, in one piece");
  expect(freeText({ free: 2 ** 25, largestFree: 2 ** 23 })).toBe(
    "32.0 MiB of what is held is free, at most 8.0 MiB in one piece (25 %)",
  );
  expect(freeText({ free: 0, largestFree: 0 })).toBe("nothing held is free");
  expect(unnamedText(device)).toBe("");
  expect(unnamedText({ ...device, named: null })).toBe("");
  expect(unnamedText({ ...device, named: 0 })).toMatch(/^4\.0 MiB in tensors that no variable leads to/);
});

test("cells have hues of their own, and keep them", () => {
  const hues = new CellHues();
  const some = Array.from({ length: 12 }, (_, index) => hues.of(`Cell [${index}]`)!);
  expect(hues.of("Cell [3]")).toBe(some[3]);
  expect(hues.of("")).toBeNull();
  const distances = some.flatMap((one, at) => some.slice(at + 1).map((other) => Math.abs(one - other)));
  expect(Math.min(...distances.map((distance) => Math.min(distance, 360 - distance)))).toBeGreaterThan(15);
  expect(cellOfPlace("Cell [3]:4")).toBe("Cell [3]");
});

test.each<[unknown, string]>([
  [{}, "The kernel's answer has no lists of devices and cells."],
  [
    { devices: [{ ...device, free: -1 }], cells: [] },
    '"free" of a device\'s memory is -1 but should be a whole number ≥ 0.',
  ],
  [
    { devices: [{ ...device, segments: [{ bytes: 1, blocks: [{ ...block, names: "x" }] }] }], cells: [] },
    '"names" of block 1 of a device\'s memory is "x" but should be a list of strings.',
  ],
  [
    { devices: [{ ...device, largest: [{ ...block, place: 2 }] }], cells: [] },
    "A block of a device's memory names a place that is not listed.",
  ],
  [
    { devices: [device], cells: [{ ...cell, peak: null }] },
    '"peak" of cell 1 of the memory is null but should be a whole number ≥ 0.',
  ],
])("%j is refused with a sentence", (data, problem) => expect(checkMemory(data)).toEqual({ ok: false, problem }));

test("an answer as described is trusted", () => {
  const answer = { devices: [device], cells: [cell], running: true };
  expect(checkMemory(answer)).toEqual({ ok: true, value: answer });
});

test("what held memory when it ran out", () => {
  const right = { version: 1, requested: 2 ** 30, memory: device };
  expect(checkShortage(right)).toEqual({ ok: true, value: right });
  const problem = (value: unknown) => (checkShortage(value) as { problem: string }).problem;
  expect(problem({ ...right, version: 2 })).toMatch(/^"version" of a map of memory is 2 but should be 1\. Bring the /);
  expect(problem({ ...right, requested: -1 })).toMatch(
    /^"requested" of a map of memory is -1 but should be a whole number ≥ 0\.$/,
  );
  expect(problem({ ...right, memory: [] })).toMatch(/ should be /);
  expect(problem({ ...right, memory: { ...device, largest: [{ ...block, place: 2 }] } })).toBe(
    "A block of a device's memory names a place that is not listed.",
  );
});
