// Shared memory between two holders of one descriptor: what one writes the other sees, and a loan says when it has
// ended.
import { closeSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { lendMemory, mapMemory, shareMemory } from "./shared-memory.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Memory and a second mapping of it. */
function two(bytes: number): { memory: ArrayBuffer; other: ArrayBuffer } {
  const { memory, descriptor } = shareMemory(bytes)!;
  try {
    return { memory, other: mapMemory(descriptor) };
  } finally {
    closeSync(descriptor);
  }
}

test("is the same in every mapping, whole and in part", () => {
  const { memory, other } = two(8192);
  expect([memory.byteLength, other.byteLength]).toEqual([8192, 8192]);
  const value = Math.floor(Math.random() * 256);
  new Uint8Array(memory)[5000] = value;
  const part = new Uint8Array(lendMemory(other, 4096, 2000));
  expect([part.byteLength, part[904]]).toEqual([2000, value]);
  part[0] = value + 1;
  expect(new Uint8Array(memory)[4096]).toBe((value + 1) & 255);
});

test("a loan that was collected writes 0 to the first word, and not before", async () => {
  const { memory, other } = two(8192);
  const turn = new Int32Array(memory, 0, 1);
  turn[0] = 7;
  let loan: ArrayBuffer | null = lendMemory(other, 4096, 4096);
  const view = () => new Uint8Array(loan!);
  collect();
  await new Promise(setImmediate);
  expect([turn[0], view().byteLength]).toEqual([7, 4096]);
  loan = null;
  await expect.poll(() => (collect(), turn[0])).toBe(0);
});

test("a loan outlives the mapping it was taken from", async () => {
  const { memory, descriptor } = shareMemory(1 << 20)!;
  new Uint8Array(memory).fill(9);
  const loan = new Uint8Array(lendMemory(mapMemory(descriptor), 4096, 100));
  closeSync(descriptor);
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise(setImmediate);
  }
  expect(loan.every((byte) => byte === 9)).toBe(true);
});

test("more than the system has is refused", () => {
  expect(shareMemory(2 ** 50)).toBeNull();
  expect(() => shareMemory(-1)).toThrow("A number of bytes cannot be -1.");
});

test("memory that could shrink under a reader is not mapped", () => {
  const file = join(tmpdir(), `warpcell-shared-${process.pid}`);
  const descriptor = openSync(file, "w+");
  try {
    expect(() => mapMemory(descriptor)).toThrow("This is not a descriptor of shared memory that keeps its size.");
    expect(() => mapMemory(-1)).toThrow("This is not a descriptor of shared memory that keeps its size.");
  } finally {
    closeSync(descriptor);
    rmSync(file);
  }
});

test("a loan of other memory, or outside it, is refused", () => {
  const { other } = two(8192);
  expect(() => lendMemory(new ArrayBuffer(8192), 4096, 1)).toThrow(
    "Only an ArrayBuffer made by mapMemory or shareMemory can be lent.",
  );
  for (const [offset, bytes] of [
    [0, 10],
    [4096, 4097],
    [8193, 0],
  ] as const) {
    expect(() => lendMemory(other, offset, bytes)).toThrow(
      `${bytes} bytes at ${offset} do not lie behind the first word of 8192 bytes.`,
    );
  }
});
