// Blocks for a device whose blocks are one thread, and for one with many.
import { describe, expect, test } from "vitest";
import type { DeviceProcess } from "../../device/process.ts";
import { blocksFor, onDevice, threadsOf } from "./blocks.ts";

const device = (libraryBlock: number) => ({ properties: { libraryBlock } }) as DeviceProcess;
const [serial, threads] = [device(1), device(128)];

describe("blocks of one thread", () => {
  test.each([
    [0, undefined, 0],
    [1, undefined, 1],
    [16384, undefined, 1],
    [16385, undefined, 2],
    [1025, { serial: 1024, each: 7, threads: 32 }, 2],
  ])("take their share of %i items", (count, share, grid) => {
    expect(blocksFor(serial, count, share)).toEqual({ grid, block: 1 });
  });

  test("are of one thread whatever the kernel is made for", () => {
    expect(threadsOf(serial, 256)).toBe(1);
    expect(threadsOf(serial, [32, 8])).toBe(1);
  });
});

describe("blocks of many threads", () => {
  test.each([
    [0, undefined, { grid: 0, block: 128 }],
    [129, undefined, { grid: 2, block: 128 }],
    [4097, { each: 32 }, { grid: 2, block: 128 }],
    [4097, { serial: 1, each: 32, threads: 64 }, { grid: 3, block: 64 }],
    [5, { each: 1 / 32 }, { grid: 2, block: 128 }],
  ])("take what their threads do of %i items", (count, share, blocks) => {
    expect(blocksFor(threads, count, share)).toEqual(blocks);
  });

  test("have the threads that the kernel is made for", () => {
    expect(threadsOf(threads, 256)).toBe(256);
    expect(threadsOf(threads, [32, 8])).toEqual([32, 8]);
  });
});

test("what differs is chosen by the device", () => {
  const ways = { serial: "loop", threads: "tiles" };
  expect([serial, threads].map((each) => onDevice(each, ways))).toEqual(["loop", "tiles"]);
});
