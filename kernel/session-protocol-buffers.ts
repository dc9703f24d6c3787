// Turns binary buffers into what travels between supervisor and session, and back: large ones go through files in shared memory. Knows nothing of messages.
import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import type { CarriedBuffer } from "./session-protocol.ts";

/** From this many bytes on a file is faster than the channel. */
const largeBytes = 256 * 1024;

/** Where such files are. They have no name for longer than it takes to open them, so that nothing is left when a process is killed; the other one opens them through /proc. */
const sharedMemory = "/dev/shm";
const possible = existsSync(sharedMemory) && existsSync("/proc/self/fd");

/** A file begins with a byte that says whose turn it is; the buffer follows on the next page. */
const dataStart = 4096;
const turn = { reader: Buffer.from([0]), writer: Buffer.from([1]) };

/** Files that were read are written again, which is twice as fast as new ones; so much of them is kept, in bytes. */
const keptBytes = 256 << 20;

interface SharedFile { descriptor: number; capacity: number; }
let files: SharedFile[] = [];

/** Buffers ready to be sent to the other process. Throws the file system's error when shared memory is full. */
export function packBuffers(buffers: readonly Uint8Array[]): CarriedBuffer[] {
  const packed: CarriedBuffer[] = [];

  try {
    for (const buffer of buffers) packed.push(!possible || buffer.byteLength < largeBytes ? buffer : writeFile(buffer));
  } catch (error) {
    discardBuffers(packed);
    throw error;
  }
  return packed;
}

/** The bytes of received buffers, which can be read once. Throws when the process that sent a large one has ended. */
export function unpackBuffers(carried: readonly CarriedBuffer[]): Uint8Array[] {
  return carried.map((buffer) => (buffer instanceof Uint8Array ? buffer : readFile(buffer.file, buffer.bytes)));
}

/** Gives buffers back that nobody will read. */
export function discardBuffers(carried: readonly CarriedBuffer[]): void {
  for (const buffer of carried) if (!(buffer instanceof Uint8Array)) readFile(buffer.file, 0);
}

function writeFile(buffer: Uint8Array): CarriedBuffer {
  const file = takeFile(buffer.byteLength);
  try {
    for (let written = 0; written < buffer.byteLength; ) written += writeSync(file.descriptor, buffer, written, buffer.byteLength - written, dataStart + written);
    writeSync(file.descriptor, turn.reader, 0, 1, 0);
  } catch (error) {
    files = files.filter((other) => other !== file);
    closeSync(file.descriptor);
    throw error;
  }
  return { file: `/proc/${process.pid}/fd/${file.descriptor}`, bytes: buffer.byteLength };
}

/** A file that is this process's to write: one that was read, or a new one. */
function takeFile(bytes: number): SharedFile {
  const free = files.filter(({ descriptor }) => isFree(descriptor));
  const chosen = free.find(({ capacity }) => capacity >= bytes);
  let kept = 0;
  for (const file of free) {
    kept += file.capacity;
    if (file === chosen || kept <= keptBytes) continue;
    files = files.filter((other) => other !== file);
    closeSync(file.descriptor);
  }
  return chosen ?? createFile(bytes);
}

function createFile(capacity: number): SharedFile {
  const name = `${sharedMemory}/warpcell-${process.pid}-${randomBytes(8).toString("hex")}`;
  const descriptor = openSync(name, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600);
  unlinkSync(name);
  const file = { descriptor, capacity };
  files.push(file);
  return file;
}

function isFree(descriptor: number): boolean {
  const state = Buffer.alloc(1);
  return readSync(descriptor, state, 0, 1, 0) === 1 && state[0] === turn.writer[0];
}

function readFile(file: string, bytes: number): Uint8Array {
  const descriptor = openSync(file, constants.O_RDWR);

  try {
    const buffer = Buffer.allocUnsafeSlow(bytes);
    for (let read = 0; read < bytes; ) {
      const count = readSync(descriptor, buffer, read, bytes - read, dataStart + read);
      if (count === 0) throw new RangeError(`Expected ${bytes} bytes in ${file} but got ${read}.`);
      read += count;
    }
    return buffer;
  } finally {
    writeSync(descriptor, turn.writer, 0, 1, 0);
    closeSync(descriptor);
  }
}
