// Turns binary buffers into what travels between supervisor and session, and back: large ones go through files in shared memory. Knows nothing of messages.
import { closeSync, constants, existsSync, fstatSync, openSync, readSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CarriedBuffer } from "./session-protocol.ts";

/** From this many bytes on a file is faster than the channel. */
const largeBytes = 256 * 1024;
const sharedMemory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Buffers ready to be sent to the other process. Throws the file system's error when shared memory is full; files written until then are removed. */
export function packBuffers(buffers: readonly Uint8Array[]): CarriedBuffer[] {
  const packed: CarriedBuffer[] = [];

  try {
    for (const buffer of buffers) packed.push(buffer.byteLength < largeBytes ? buffer : writeFile(buffer));
  } catch (error) {
    discardBuffers(packed);
    throw error;
  }
  return packed;
}

/** The bytes of received buffers; their files are removed, and cannot be read again. */
export function unpackBuffers(carried: readonly CarriedBuffer[]): Uint8Array[] {
  return carried.map((buffer) => (buffer instanceof Uint8Array ? buffer : readFile(buffer)));
}

/** Removes the files of buffers, if nobody has read them. */
export function discardBuffers(carried: readonly CarriedBuffer[]): void {
  for (const buffer of carried) if (!(buffer instanceof Uint8Array)) rmSync(buffer.file, { force: true });
}

function writeFile(buffer: Uint8Array): CarriedBuffer {
  const file = join(sharedMemory, `warpcell-${process.pid}-${randomBytes(8).toString("hex")}`);
  const descriptor = openSync(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);

  try {
    for (let written = 0; written < buffer.byteLength; ) written += writeSync(descriptor, buffer, written);
  } catch (error) {
    unlinkSync(file);
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return { file, bytes: buffer.byteLength };
}

function readFile({ file, bytes }: { file: string; bytes: number }): Uint8Array {
  const descriptor = openSync(file, constants.O_RDONLY);

  try {
    unlinkSync(file);
    const present = fstatSync(descriptor).size;
    if (present !== bytes) throw new RangeError(`Expected ${bytes} bytes in ${file} but got ${present}: the process that wrote it ended early.`);
    const buffer = Buffer.allocUnsafeSlow(bytes);
    for (let read = 0; read < bytes; ) read += readSync(descriptor, buffer, read, bytes - read, null);
    return buffer;
  } finally {
    closeSync(descriptor);
  }
}
