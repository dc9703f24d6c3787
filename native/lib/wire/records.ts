// Copies and fills as records of the ring: lays the commands of protocol/commands.h out in `binding.scratch` and
// submits them.
import { binding } from "./binding.ts";
import { headerBytes, headerOffsets, Op } from "./commands.ts";
import type { DeviceProcess } from "../device/process.ts";

const record = new DataView(binding.scratch);
const nullPlace = 2n ** 64n - 1n;

function head(op: Op, bytes: number): void {
  record.setUint32(headerOffsets.bytes, bytes, true);
  record.setUint32(headerOffsets.op, op, true);
}

function putPlace(at: number, place: number): void {
  const low = place >>> 0;
  record.setUint32(at, low, true);
  record.setUint32(at + 4, (place - low) / 2 ** 32, true);
}

/** Copies `bytes` from one place to another, behind all that was submitted before. Returns the sequence. */
export function submitCopy(device: DeviceProcess, destination: number, source: number, bytes: number): number {
  head(Op.copy, headerBytes + 24);
  putPlace(headerBytes, destination);
  putPlace(headerBytes + 8, source);
  putPlace(headerBytes + 16, bytes);
  return device.submit();
}

/** Repeats `pattern`, of `width` bytes, over `bytes` bytes. Returns the sequence. */
export function submitFill(
  device: DeviceProcess,
  destination: number,
  bytes: number,
  pattern: bigint,
  width: 1 | 2 | 4 | 8,
): number {
  head(Op.fill, headerBytes + 32);
  putPlace(headerBytes, destination);
  putPlace(headerBytes + 8, bytes);
  record.setBigUint64(headerBytes + 16, pattern, true);
  record.setUint32(headerBytes + 24, width, true);
  record.setUint32(headerBytes + 28, 0, true);
  return device.submit();
}

/**
 * Lays a run of a planned call out: `places` and `scalars` in the order that the call has them, `undefined` for no
 * place. Returns its bytes.
 */
export function layRun(plan: number, places: readonly (number | undefined)[], scalars: readonly number[]): number {
  const bytes = headerBytes + 8 + (places.length + scalars.length) * 8;
  head(Op.run, bytes);
  record.setUint32(headerBytes, plan, true);
  record.setUint16(headerBytes + 4, places.length, true);
  record.setUint16(headerBytes + 6, scalars.length, true);
  let at = headerBytes + 8;
  for (const place of places) {
    if (place === undefined) record.setBigUint64(at, nullPlace, true);
    else putPlace(at, place);
    at += 8;
  }
  for (const scalar of scalars) {
    record.setFloat64(at, scalar, true);
    at += 8;
  }
  return bytes;
}

/** Unloads a module. Its kernels must not be launched again. */
export function submitUnload(device: DeviceProcess, module: number): number {
  head(Op.module_unload, headerBytes + 8);
  record.setUint32(headerBytes, module, true);
  record.setUint32(headerBytes + 4, 0, true);
  return device.submit();
}
