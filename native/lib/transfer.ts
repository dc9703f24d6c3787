// Bytes between JavaScript and a storage: through shared memory directly where the device works in it, else through pinned blocks. It must not know shapes or dtypes.
import { binding } from "./binding.ts";
import { offsetOf, segmentOf } from "./commands.ts";
import type { DeviceProcess } from "./process.ts";
import { submitCopy } from "./records.ts";
import type { Storage } from "./storage.ts";

/** Bytes that one step moves through a pinned block, and that may be under way before the sender waits. */
const stepBytes = 16 * 2 ** 20;
const aheadBytes = 64 * 2 ** 20;

interface Staged { readonly place: number; readonly bytes: number; readonly sequence: number; }

// A pinned block may be written again only when its copy is done, so blocks wait here and not in the allocator.
const staged = new WeakMap<DeviceProcess, Staged[]>();

function sharedBytes(device: DeviceProcess, place: number, bytes: number): Uint8Array {
  return new Uint8Array(device.buffer(segmentOf(place)), offsetOf(place), bytes);
}

/** Writes `source` at `offset` bytes into the storage, behind all work submitted before. `source` may be changed as soon as this returns. */
export function upload(storage: Storage, offset: number, source: Uint8Array): void {
  const { device, place } = storage;
  if (device.kind === "cpu" && !device.isBusy) {
    sharedBytes(device, place + offset, source.length).set(source);
    storage.writtenBy = 0;
    return;
  }
  for (let at = 0; at < source.length; at += stepBytes) {
    const part = source.subarray(at, at + stepBytes);
    const block = stagingBlock(device, part.length);
    sharedBytes(device, block, part.length).set(part);
    const sequence = submitCopy(device, place + offset + at, block, part.length);
    staged.get(device)!.push({ place: block, bytes: part.length, sequence });
    storage.writtenBy = sequence;
  }
}

function stagingBlock(device: DeviceProcess, bytes: number): number {
  const waiting = staged.get(device) ?? [];
  if (waiting.reduce((sum, block) => sum + block.bytes, bytes) > aheadBytes) device.synchronize();
  const completed = binding.completed(device.client);
  for (const block of waiting) if (block.sequence <= completed) device.free(block.place);
  staged.set(device, waiting.filter(({ sequence }) => sequence > completed));
  return device.allocate(bytes, "host");
}

/**
 * The bytes from `offset` on, after all work submitted before. On `cpu` they are the storage's own memory, not a copy: later kernels show in
 * them, and they must not be read after the storage is freed. Throws what the work before failed with.
 */
export function download(storage: Storage, offset: number, bytes: number): Uint8Array {
  const { device, place } = storage;
  if (device.kind === "cpu") {
    device.synchronize();
    return sharedBytes(device, place + offset, bytes);
  }
  const result = new Uint8Array(bytes);
  const block = device.allocate(Math.min(Math.max(bytes, 1), stepBytes), "host");
  try {
    for (let at = 0; at < bytes; at += stepBytes) {
      const count = Math.min(stepBytes, bytes - at);
      submitCopy(device, block, place + offset + at, count);
      device.synchronize();
      result.set(sharedBytes(device, block, count), at);
    }
    if (bytes === 0) device.synchronize();
  } finally {
    device.free(block);
  }
  return result;
}
