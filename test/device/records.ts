// Commands by their numbers, submitted to a device process: it is tested without the library above it.
import { binding, deviceSources } from "../../native/lib/wire/binding.ts";
import { answerFields } from "../../native/lib/wire/answers.ts";
import { headerBytes, Op } from "../../native/lib/wire/commands.ts";
import { writeCopy, writeFill } from "../../native/lib/wire/copy.ts";
import { clusterFlags, LaunchLayout, launchWords, nullWord } from "../../native/lib/wire/launch.ts";
import { putLong } from "../../native/lib/wire/long.ts";
import type { AnswerOf, Field } from "../../native/lib/wire/messages.ts";
import { Recording } from "../../native/lib/wire/recording.ts";
import { begin, type TargetStream } from "../../native/lib/wire/target.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";

/** Fills `size` bytes at a place with a pattern of `width` bytes. Returns the sequence. */
export function fill(device: DeviceProcess, place: number, size: number, pattern: bigint, width: number): number {
  return writeFill(device.execution, place, size, pattern, width as 1 | 2 | 4 | 8);
}

export function copy(device: DeviceProcess, destination: number, source: number, size: number): number {
  return writeCopy(device.execution, destination, source, size);
}

/** A command of one number: `segment_release`, `module_unload`. Returns the sequence. */
export function submitNumbered(device: DeviceProcess, op: Op, number: number): number {
  const { words } = begin(device.execution, op, headerBytes + 8);
  words.set([number, 0], headerBytes / 4);
  return device.execution.target.commit();
}

export interface RawLaunch {
  kernel: number;
  grid?: [number, number, number];
  block?: [number, number, number];
  cluster?: [number, number, number];
  /** Dynamic shared memory, bytes. */
  shared?: number;
  /** Pointers first, then 32-bit integers: the order of the test kernels' parameters. `null`: a null pointer. */
  pointers?: (number | null)[];
  integers?: number[];
}

/** A launch on a stream, or into another target. Returns the sequence. */
export function launchOn(
  on: TargetStream,
  {
    kernel,
    grid = [1, 1, 1],
    block = [1, 1, 1],
    cluster = [0, 0, 0],
    shared = 0,
    pointers = [],
    integers = [],
  }: RawLaunch,
): number {
  const layout = new LaunchLayout(
    kernel,
    pointers.length * 8 + integers.length * 4,
    pointers.map((_, index) => index * 8),
  );
  const { words } = layout.begin(on);
  words.set(grid, launchWords.grid);
  words.set(block, launchWords.block);
  words[launchWords.shared] = shared;
  words[launchWords.flags] = clusterFlags(...cluster);
  const at = layout.parameters / 4;
  pointers.forEach((place, index) => {
    if (place === null) words.fill(nullWord, at + 2 * index, at + 2 * index + 2);
    else putLong(words, at + 2 * index, place);
  });
  words.set(integers, at + 2 * pointers.length);
  return on.target.commit();
}

export function launch(device: DeviceProcess, options: RawLaunch): number {
  return launchOn(device.execution, options);
}

/** The record of a launch, which is not submitted. */
export function recordOf(options: RawLaunch): Uint8Array {
  const target = new Recording();
  launchOn({ target, stream: 0 }, options);
  return target.records[0]!;
}

/** What the device's compiler answers for a source. */
export function compiled(
  device: DeviceProcess,
  source: string,
  names: string[],
  options: string[] = [],
): AnswerOf<"compile"> {
  return device.request("compile", {
    source,
    name: "test.cu",
    headers: deviceSources,
    expressions: names,
    options,
  });
}

/** Sends fields as they are, and throws what they are refused with. */
export function requestFieldsAsTheyAre(device: DeviceProcess, op: Op, fields: Field[]): void {
  const sequence = binding.request(device.client, op, fields, 0);
  if (binding.wait(device.client, 0, sequence, -1) !== "done") throw new Error("Expected an answer.");
  answerFields(binding.reply(device.client, sequence)!, device.name);
}

/**
 * Compiles a source and loads it as a module; its kernels get the ids from `firstKernel` on, and are loaded again when
 * they are launched after a restart.
 */
export function load(
  device: DeviceProcess,
  source: string,
  names: string[],
  firstKernel: number,
  options: string[] = [],
): void {
  const { artifact, lowered } = compiled(device, source, names, options);
  const send = (): void => void device.request("module_load", { module: firstKernel, firstKernel, artifact, lowered });
  send();
  device.residents.add(Op.launch, firstKernel, names.length, { send, release: () => {} });
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
