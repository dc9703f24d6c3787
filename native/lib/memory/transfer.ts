// Bytes between JavaScript and a storage: through shared memory directly where the device works in it, else through
// pinned blocks.
import { binding } from "../wire/binding.ts";
import { afterCollection } from "../device/collection.ts";
import { Capture } from "../device/capture.ts";
import { hazards } from "../device/hazards.ts";
import type { Execution } from "../device/execution.ts";
import type { DeviceKind, DeviceProcess } from "../device/process.ts";
import { writeCopy } from "../wire/copy.ts";
import { putOff } from "../wire/target.ts";
import type { Storage } from "./storage.ts";

/** Bytes that one step moves through a pinned block, and that may be under way before the sender waits. */
const stepBytes = 16 * 2 ** 20;
const aheadBytes = 64 * 2 ** 20;
/** From this many bytes on a pinned block of their own costs less than a copy out of one. */
const pinnedBytes = 256 * 1024;

interface Staged {
  readonly stream: number;
  readonly place: number;
  readonly bytes: number;
  readonly sequence: number;
}

// A pinned block may be written again only when its copy is done, so blocks wait here and not in the allocator.
const staged = new WeakMap<DeviceProcess, Staged[]>();

// Not the whole segment's buffer: V8 takes its 64 MiB for young garbage, and collects whenever the next read makes
// another.
function sharedBytes(device: DeviceProcess, place: number, bytes: number): Uint8Array {
  return new Uint8Array(device.part(place, bytes));
}

/**
 * From this many bytes on several cores copy faster than one: from fewer in a machine with a GPU, which has many. The
 * cpu's own memory is in the caches, of which one core copies 4 MiB in the time that a thread takes to come.
 */
const sharedOutBytes: Readonly<Record<DeviceKind, number>> = {
  cuda: 2 * 2 ** 20,
  nvrtc: 2 * 2 ** 20,
  cpu: 8 * 2 ** 20,
};

function copyBytes(target: Uint8Array, source: Uint8Array, kind: DeviceKind): void {
  if (source.length >= sharedOutBytes[kind] && source.buffer instanceof ArrayBuffer) binding.copy(target, source);
  else target.set(source);
}

/**
 * Writes `source` at `offset` bytes into the storage, behind all work submitted before. `source` may be changed as soon
 * as this returns.
 */
export function upload(storage: Storage, offset: number, source: Uint8Array): void {
  const { device, place } = storage;
  putOff.current?.();
  if (device.execution.target instanceof Capture)
    return uploadAtEachRun(device.execution.target, storage, offset, source);
  if (device.kind === "cpu" && !device.isBusy) {
    copyBytes(sharedBytes(device, place + offset, source.length), source, device.kind);
    storage.written(0, source.length);
    hazards.current?.of(device).idle();
    return;
  }
  for (let at = 0; at < source.length; at += stepBytes) {
    const part = source.subarray(at, at + stepBytes);
    const sequence = sendStaged(device, place + offset + at, part);
    // With the last part the whole is there.
    storage.written(sequence, at + part.length === source.length ? source.length : 0);
  }
}

/** Has every run of what is recorded write the bytes, which are kept for it. */
function uploadAtEachRun(capture: Capture, { device, place }: Storage, offset: number, source: Uint8Array): void {
  if (source.length === 0) return;
  const block = capture.allocateHost(source.length);
  copyBytes(sharedBytes(device, block, source.length), source, device.kind);
  writeCopy(device.execution, place + offset, block, source.length);
}

/** Has a pinned block be free when the command with that sequence of a stream is done. */
export function freeAfter(device: DeviceProcess, place: number, bytes: number, sequence: number, stream = 0): void {
  staged.set(device, [...(staged.get(device) ?? []), { place, bytes, sequence, stream }]);
}

/**
 * Has the device write the whole of a storage from a pinned block, which must stay as it is until then. Returns the
 * sequence of the copy.
 */
export function uploadFrom(block: number, storage: Storage): number {
  const { device, place, bytes } = storage;
  const sequence = writeCopy(device.execution, place, block, bytes);
  storage.written(sequence, bytes);
  return sequence;
}

/** Returns the sequence of the copy. */
function sendStaged(device: DeviceProcess, place: number, part: Uint8Array): number {
  const block = stagingBlock(device, part.length);
  try {
    copyBytes(sharedBytes(device, block, part.length), part, device.kind);
    const sequence = writeCopy(device.execution, place, block, part.length);
    staged.get(device)!.push({ place: block, bytes: part.length, sequence, stream: device.execution.stream });
    return sequence;
  } catch (error) {
    device.free(block);
    throw error;
  }
}

function stagingBlock(device: DeviceProcess, bytes: number): number {
  const waiting = staged.get(device) ?? [];
  if (waiting.reduce((sum, block) => sum + block.bytes, bytes) > aheadBytes) device.synchronize();
  const isDone = ({ sequence, stream }: Staged) => sequence <= binding.completed(device.client, stream);
  const done = new Set(waiting.filter(isDone));
  for (const block of done) device.free(block.place);
  staged.set(
    device,
    waiting.filter((block) => !done.has(block)),
  );
  return device.allocate(bytes, "host");
}

/**
 * Shows `use` the bytes from `offset` on, after all work submitted before, part by part; a part is gone when `use`
 * returns. Throws what the work before failed with, and TensorError RECORDED where it has not been run.
 */
export function read(
  on: Execution,
  storage: Storage,
  offset: number,
  bytes: number,
  use: (part: Uint8Array, at: number) => void,
): void {
  on.checkRuns("read");
  const { device, place } = storage;
  // Whichever stream has written it.
  on.waitForAll();
  if (device.kind === "cpu" || bytes === 0) {
    on.synchronize();
    if (bytes > 0) use(sharedBytes(device, place + offset, bytes), 0);
    return;
  }
  const block = device.allocate(Math.min(bytes, stepBytes), "host", on.stream);
  try {
    for (let at = 0; at < bytes; at += stepBytes) {
      const count = Math.min(stepBytes, bytes - at);
      writeCopy(on, block, place + offset + at, count);
      on.synchronize();
      use(sharedBytes(device, block, count), at);
    }
  } finally {
    device.free(block);
  }
}

/**
 * A buffer with the bytes from `offset` on, after all work submitted before. On `cpu` it is the storage itself, which
 * lives as long as the buffer; on other devices a copy in pinned memory, which the device writes without a detour.
 * Throws what the work before failed with, and OutOfMemory.
 */
export function expose(storage: Storage, offset: number, bytes: number): { buffer: ArrayBuffer; byteOffset: number } {
  const { device } = storage;
  device.execution.checkRuns("read");
  if (device.kind === "cpu") {
    device.synchronize();
    return { buffer: storage.expose(), byteOffset: offset };
  }
  if (bytes < pinnedBytes) {
    const copy = new Uint8Array(bytes);
    read(device.execution, storage, offset, bytes, (part, at) =>
      copyBytes(copy.subarray(at, at + part.length), part, device.kind),
    );
    return { buffer: copy.buffer, byteOffset: 0 };
  }
  const block = device.allocate(bytes, "host");
  try {
    device.execution.waitForAll();
    writeCopy(device.execution, block, storage.place + offset, bytes);
    device.synchronize();
    const buffer = device.part(block, bytes);
    afterCollection(buffer, () => device.free(block));
    return { buffer, byteOffset: 0 };
  } catch (error) {
    device.free(block);
    throw error;
  }
}
