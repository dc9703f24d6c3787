// Binary buffers between supervisor and session: large ones lie in memory that both processes map.
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import type * as SharedMemory from "warpcell/shared-memory";
import type { CarriedBuffer, ViewAnswer } from "./session-protocol.ts";

/** From this many bytes on shared memory is faster than the channel. */
const largeBytes = 256 * 1024;

/**
 * From this many bytes on the reader gets the shared memory itself; less is copied, so that the writer soon has it
 * back.
 */
const lentBytes = 4 << 20;

/**
 * Regions that were read are written again: their pages are there already, which new ones are not for many times the
 * price of a copy. So much of them is kept, in bytes.
 */
const keptBytes = 256 << 20;

/** Each is an open file of the writer. Buffers beyond them take the channel. */
const maxRegions = 64;

/**
 * A region's first word says whose turn it is; the buffer follows on the next page. A buffer that was lent gives the
 * turn back when it is collected.
 */
const turns = { writer: 0, reader: 1, closed: 2 } as const;
const dataStart = 4096;

interface Region {
  memory: ArrayBuffer;
  turn: Int32Array;
}
interface OwnRegion extends Region {
  descriptor: number;
}

let written: OwnRegion[] = [];
/** By the identity of the file. */
const read = new Map<bigint, Region>();

let shared: typeof SharedMemory | null = null;
let missing: string | null = null;

/**
 * Resolves when buffers can be read. Loading goes on beside the start of a process, which need not wait for it to
 * write.
 */
export const buffersReady: Promise<void> = import("warpcell/shared-memory").then(
  (module) => void (shared = module),
  (error: unknown) => void (missing = error instanceof Error ? error.message : String(error)),
);

/** Buffers ready to be sent to the other process. Throws when there is no memory left for them. */
export function packBuffers(buffers: readonly Uint8Array[]): CarriedBuffer[] {
  const packed: CarriedBuffer[] = [];

  try {
    for (const buffer of buffers)
      packed.push(buffer.byteLength < largeBytes ? buffer : (writeRegion(buffer) ?? buffer));
  } catch (error) {
    discardBuffers(packed);
    throw error;
  }
  return packed;
}

/**
 * The bytes of received buffers, which can be read once, after {@link buffersReady}. Throws when the process that sent
 * a large one has ended.
 */
export function unpackBuffers(carried: readonly CarriedBuffer[]): Uint8Array[] {
  return carried.map((buffer) => (buffer instanceof Uint8Array ? buffer : readRegion(buffer.file, buffer.bytes)));
}

/** The same for a line of text: bytes are base64 there. */
export function packForLine(buffers: readonly Uint8Array[]): ViewAnswer["buffers"] {
  return packBuffers(buffers).map((buffer) =>
    buffer instanceof Uint8Array ? Buffer.from(buffer).toString("base64") : buffer,
  );
}

/** The buffers of a line, to be unpacked. */
export function buffersOfLine(buffers: ViewAnswer["buffers"]): CarriedBuffer[] {
  return buffers.map((buffer) => (typeof buffer === "string" ? Buffer.from(buffer, "base64") : buffer));
}

/** Gives buffers back that nobody will read. */
export function discardBuffers(carried: readonly CarriedBuffer[]): void {
  for (const buffer of carried) if (!(buffer instanceof Uint8Array)) readRegion(buffer.file, 0);
}

/**
 * The other process has ended: what it wrote lives only as long as somebody uses it, and what was written for it nobody
 * reads any more.
 */
export function forgetBuffers(): void {
  read.clear();
  for (const { turn } of written) Atomics.store(turn, 0, turns.writer);
}

/** `null` when the buffer must take the channel. */
function writeRegion(buffer: Uint8Array): CarriedBuffer | null {
  const region = takeRegion(buffer.byteLength);
  if (region === null) return null;
  new Uint8Array(region.memory, dataStart).set(buffer);
  Atomics.store(region.turn, 0, turns.reader);
  return { file: `/proc/${process.pid}/fd/${region.descriptor}`, bytes: buffer.byteLength };
}

/** A region that is this process's to write: one that was read, or a new one. */
function takeRegion(bytes: number): OwnRegion | null {
  const free = written.filter(({ turn }) => Atomics.load(turn, 0) === turns.writer);
  const chosen = free.find(({ memory }) => memory.byteLength >= dataStart + bytes);
  let kept = 0;
  for (const region of free) {
    kept += region.memory.byteLength;
    if (region === chosen || kept <= keptBytes) continue;
    written = written.filter((other) => other !== region);
    Atomics.store(region.turn, 0, turns.closed);
    closeSync(region.descriptor);
  }
  return chosen ?? createRegion(bytes);
}

function createRegion(bytes: number): OwnRegion | null {
  if (missing !== null) {
    process.emitWarning(
      `Large buffers between notebook and kernel are slow, because the native part of warpcell could not be loaded: ${missing}`,
    );
    missing = null;
  }
  if (shared === null || written.length >= maxRegions) return null;
  const created = shared.shareMemory(dataStart + bytes);
  if (created === null)
    throw new RangeError(
      `A buffer of ${bytes} bytes cannot be handed over: the system does not have that much memory left. Show less at once, or free something.`,
    );
  const region = { ...created, turn: new Int32Array(created.memory, 0, 1) };
  written.push(region);
  return region;
}

function readRegion(file: string, bytes: number): Uint8Array {
  const { memory, turn } = findRegion(file);
  if (bytes >= lentBytes) return new Uint8Array(shared!.lendMemory(memory, dataStart, bytes));
  const copy = new Uint8Array(memory, dataStart, bytes).slice();
  Atomics.store(turn, 0, turns.writer);
  return copy;
}

function findRegion(file: string): Region {
  for (const [identity, { turn }] of read) if (Atomics.load(turn, 0) === turns.closed) read.delete(identity);

  const descriptor = openSync(file, constants.O_RDWR);
  try {
    const identity = fstatSync(descriptor, { bigint: true }).ino;
    let region = read.get(identity);
    if (region === undefined) {
      const memory = shared!.mapMemory(descriptor);
      region = { memory, turn: new Int32Array(memory, 0, 1) };
      read.set(identity, region);
    }
    return region;
  } finally {
    closeSync(descriptor);
  }
}
