// Commands laid out by hand: turns numbers into records and submits them, so that the process is tested without the
// library above it.
import { readFileSync } from "node:fs";
import { binding, deviceSources } from "../../native/lib/wire/binding.ts";
import { headerBytes, Op } from "../../native/lib/wire/commands.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";

const record = new DataView(binding.scratch);
const text = new TextDecoder();

function head(bytes: number, op: number): void {
  new Uint8Array(binding.scratch, 0, bytes).fill(0);
  record.setUint32(0, bytes, true);
  record.setUint16(4, op, true);
}

/** Fills `size` bytes at a place with a pattern of `width` bytes. Returns the sequence. */
export function fill(device: DeviceProcess, place: number, size: number, pattern: bigint, width: number): number {
  head(headerBytes + 32, Op.fill);
  record.setBigUint64(24, BigInt(place), true);
  record.setBigUint64(32, BigInt(size), true);
  record.setBigUint64(40, pattern, true);
  record.setUint32(48, width, true);
  return device.submit();
}

export function copy(device: DeviceProcess, destination: number, source: number, size: number): number {
  head(headerBytes + 24, Op.copy);
  record.setBigUint64(24, BigInt(destination), true);
  record.setBigUint64(32, BigInt(source), true);
  record.setBigUint64(40, BigInt(size), true);
  return device.submit();
}

/** A command of one number: `segment_release`, `module_unload`. Returns the sequence. */
export function submitNumbered(device: DeviceProcess, op: number, number: number): number {
  head(headerBytes + 8, op);
  record.setUint32(24, number, true);
  return device.submit();
}

export interface RawLaunch {
  kernel: number;
  grid?: [number, number, number];
  block?: [number, number, number];
  /** Dynamic shared memory, bytes. */
  shared?: number;
  /** Pointers first, then 32-bit integers: the order of the test kernels' parameters. `null`: a null pointer. */
  pointers?: (number | null)[];
  integers?: number[];
}

/** Lays a launch out in scratch memory and returns its bytes. */
export function layLaunch({
  kernel,
  grid = [1, 1, 1],
  block = [1, 1, 1],
  shared = 0,
  pointers = [],
  integers = [],
}: RawLaunch): number {
  const offsets = Math.ceil((pointers.length * 2) / 8) * 8;
  const base = headerBytes + 40 + offsets;
  const argumentBytes = pointers.length * 8 + integers.length * 4;
  const bytes = base + Math.ceil(argumentBytes / 8) * 8;
  head(bytes, Op.launch);

  record.setUint32(24, kernel, true);
  grid.forEach((size, axis) => record.setUint32(28 + axis * 4, size, true));
  block.forEach((size, axis) => record.setUint32(40 + axis * 4, size, true));
  record.setUint32(52, shared, true);
  record.setUint16(56, argumentBytes, true);
  record.setUint16(58, pointers.length, true);
  pointers.forEach((place, index) => {
    record.setUint16(headerBytes + 40 + index * 2, index * 8, true);
    record.setBigUint64(base + index * 8, place === null ? 0xffff_ffff_ffff_ffffn : BigInt(place), true);
  });
  integers.forEach((value, index) => record.setInt32(base + pointers.length * 8 + index * 4, value, true));
  return bytes;
}

export function launch(device: DeviceProcess, options: RawLaunch): number {
  layLaunch(options);
  return device.submit();
}

/**
 * Compiles a source and loads it as a module; its kernels get the ids from `firstKernel` on, and are loaded again after
 * a restart.
 */
export function load(
  device: DeviceProcess,
  source: string,
  names: string[],
  firstKernel: number,
  options: string[] = [],
): void {
  const [, artifact, lowered] = device.request(Op.compile, [
    source,
    "test.cu",
    deviceSources,
    names.join("\n"),
    ...options,
  ]);
  if (artifact === undefined || lowered === undefined) throw new Error("Expected an artifact and lowered names.");
  const send = (): void =>
    void device.request(Op.module_load, [
      String(firstKernel),
      String(firstKernel),
      artifact,
      text.decode(lowered),
      "test",
    ]);
  send();
  device.onRestart(send);
}

/** The bytes at a place of the device, copied to host memory. */
export function read(device: DeviceProcess, place: number, size: number): Uint8Array {
  const host = device.allocate(size, "host");
  const view = new Uint8Array(device.part(host, size)).fill(0xa5);
  copy(device, host, place, size);
  device.synchronize();
  const bytes = view.slice();
  device.free(host);
  return bytes;
}

export function write(device: DeviceProcess, place: number, bytes: Uint8Array): void {
  const host = device.allocate(bytes.length, "host");
  new Uint8Array(device.part(host, bytes.length)).set(bytes);
  copy(device, place, host, bytes.length);
  device.synchronize();
  device.free(host);
}

/** `protocol/commands.h`, for tests that compare it with TypeScript. */
export function commandHeader(): string {
  return readFileSync(new URL("../../native/protocol/commands.h", import.meta.url), "utf8");
}
