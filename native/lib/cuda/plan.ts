// A checked launch: turns sizes and arguments into a record, with all that can be known beforehand prepared once.
import { packerOf, read, type Pack } from "./argument.ts";
import { pointerOffsets, type CType } from "./c-types.ts";
import { clusterFlags, LaunchFlag, LaunchLayout, launchWords, nullWord, putSizes } from "../wire/launch.ts";
import { putLong } from "../wire/long.ts";
import { Recording } from "../wire/recording.ts";
import type { Room, TargetStream } from "../wire/target.ts";
import {
  addressError,
  amountError,
  argumentError,
  blockThreadsError,
  clusterError,
  clustersError,
  cooperativeError,
  countError,
  noClustersError,
  otherClusterError,
  settingError,
  sharedError,
  sizeError,
} from "./launch-error.ts";
import type { DeviceProcess } from "../device/process.ts";
import type { Stream } from "../device/stream.ts";
import type { Execution } from "../device/execution.ts";
import { followLaunch, type FollowedSource } from "./checked-launch.ts";
import type { Parameter } from "./signature.ts";
import { DeviceArray } from "../memory/array.ts";
import { activity, type Described } from "../device/activity.ts";
import { TexelObject } from "./texture.ts";

/**
 * Blocks or threads along x, or along up to three axes. No tuple: `const config = { grid: [4, 4], block: 16 }` has an
 * array of any length, and the launch counts it.
 */
export type Size = number | readonly number[];
/**
 * `cluster`: blocks that run at once and reach each other's shared memory (`this_cluster()`); the grid is a multiple of
 * it. `shared`: dynamic shared memory, bytes. `cooperative`: all blocks run at once and may wait for each other
 * (`this_grid().sync()`), or the launch is refused. `bytes`, `flops`: what the launch moves and computes, for a profile
 * to say how fast that was. `stream`: where it runs, in place of that of `withStream`.
 */
export interface LaunchConfig {
  readonly grid: Size;
  readonly block: Size;
  readonly cluster?: Size;
  readonly shared?: number;
  readonly cooperative?: boolean;
  readonly bytes?: number;
  readonly flops?: number;
  readonly stream?: Stream;
}

/** Arguments as they lie in memory, with the tensors that pointers among them point into. */
export interface PackedArguments {
  readonly bytes: Uint8Array;
  /** `from`: bytes from the start of the array's storage. */
  readonly pointers: readonly { readonly offset: number; readonly array: DeviceArray; readonly from: number }[];
}

/** What the device knows of the loaded kernel and a launch must keep to. */
export interface KernelLimits {
  readonly maxThreads: number | null;
  readonly shared: number | null;
  /** Blocks of a cluster, as the kernel declares it. */
  readonly cluster?: readonly number[] | null;
}

/** Of a record. */
const sizesIn = (words: Uint32Array): { grid: readonly number[]; block: readonly number[] } => ({
  grid: [...words.subarray(launchWords.grid, launchWords.grid + 3)],
  block: [...words.subarray(launchWords.block, launchWords.block + 3)],
});

/** Launches of one kernel on one device. */
export class LaunchPlan {
  readonly #kernel: string;
  readonly #device: DeviceProcess;
  readonly #parameters: readonly Parameter[];
  readonly #layout: LaunchLayout;
  /** Bytes of the arguments. */
  readonly #pointers: readonly number[];
  readonly #packs: readonly Pack[];
  /** Some parameter is a vector or a struct. */
  readonly #hasParts: boolean;
  readonly #places: readonly number[];
  /** Arguments that the kernel may write. */
  readonly #written: readonly number[];
  /** Arguments with tensors among their fields. */
  readonly #holders: readonly number[];
  /** Some parameter is a texture or a surface, or has one among its fields. */
  readonly #hasObjects: boolean;
  readonly #maxGrid: readonly number[];
  readonly #maxBlock: readonly number[];
  readonly #maxThreads: number;
  readonly #isBlockLimitOwn: boolean;
  readonly #staticShared: number;
  readonly #maxShared: number;
  readonly #cluster: readonly number[] | null;
  readonly #owner: object;
  #described: Described | null = null;

  /** The kernel can be launched for as long as `owner` lives. */
  constructor(
    kernel: string,
    id: number,
    parameters: readonly Parameter[],
    argumentBytes: number,
    device: DeviceProcess,
    limits: KernelLimits,
    owner: object,
  ) {
    const { properties } = device;
    this.#kernel = kernel;
    this.#device = device;
    this.#owner = owner;
    this.#parameters = parameters;
    this.#maxGrid = properties.maxGrid;
    this.#maxBlock = properties.maxBlock;
    this.#maxThreads = Math.min(properties.maxThreadsPerBlock, limits.maxThreads ?? Infinity);
    this.#isBlockLimitOwn = this.#maxThreads < properties.maxThreadsPerBlock;
    this.#staticShared = limits.shared ?? 0;
    this.#maxShared = properties.sharedPerBlockOptin;
    this.#cluster = limits.cluster ?? null;

    this.#pointers = parameters.flatMap(({ type, offset }) => pointerOffsets(type, offset));
    this.#layout = new LaunchLayout(id, argumentBytes, this.#pointers);
    this.#places = parameters.map(({ offset }) => this.#layout.parameters + offset);
    this.#packs = parameters.map(({ type }) => packerOf(type, device));
    this.#hasParts = parameters.some(({ type }) => type.kind === "vector" || type.kind === "struct");
    this.#written = parameters.flatMap(({ type }, index) =>
      (type.kind === "pointer" && !type.const) || (type.kind === "view" && !type.element.const) ? [index] : [],
    );
    this.#holders = parameters.flatMap(({ type }, index) =>
      type.kind === "struct" && pointerOffsets(type, 0).length > 0 ? [index] : [],
    );
    this.#hasObjects = parameters.some(({ type }) => hasObjects(type));
  }

  /** Checks one launch and runs it. Throws LaunchError before anything is submitted. */
  launch(on: Execution, config: LaunchConfig, args: readonly unknown[]): void {
    this.#write(on, config, args);
    const sequence = on.target.commit();
    if (sequence === 0) {
      on.target.keep(this.#owner);
      if (this.#hasObjects) for (const object of args.flatMap(objectsIn)) on.target.keep(object);
      return;
    }
    this.markWritten(args, sequence, on.stream);
    if (on.device.notesUses)
      args.forEach((argument, index) => {
        for (const array of arraysIn(argument)) array.usedOn(on.stream, this.#isWritten(index, argument, array));
      });
    activity.current?.describe(this.#describe(config, args));
  }

  /** {@link launch} with arguments that host code has packed. */
  launchPacked(on: Execution, config: LaunchConfig, packed: PackedArguments): void {
    this.#write(on, config, [], packed);
    const sequence = on.target.commit();
    if (sequence === 0) return on.target.keep(this.#owner);
    this.#markPacked(packed, sequence);
    if (on.device.notesUses)
      for (const { array, offset } of packed.pointers)
        array.usedOn(on.stream, !isConstant(this.#parameterAt(offset).type));
    const operands = packed.pointers.map(({ offset, array: { dtype, shape } }) => {
      return { name: this.#parameterAt(offset).name, dtype, shape };
    });
    activity.current?.describe({ operands, bytes: undefined, flops: undefined });
  }

  /** {@link follow} with arguments that host code has packed. */
  followPacked(
    on: Execution,
    config: LaunchConfig,
    packed: PackedArguments,
    { source, name, warnings, brought }: FollowedSource,
  ): void {
    const target = new Recording();
    this.#write({ target, stream: on.stream }, config, [], packed);
    target.commit();
    followLaunch(
      {
        device: this.#device,
        kernel: this.#kernel,
        source,
        name,
        warnings,
        brought,
        record: target.records[0]!,
        tensors: packed.pointers.map(({ offset, array }) => ({
          name: this.#parameterAt(offset).name,
          array,
          isWritten: !isConstant(this.#parameterAt(offset).type),
        })),
        numbers: [],
        ...sizesIn(target.room.words),
      },
      () => this.#markPacked(packed, this.#device.lastSequence),
    );
  }

  #isWritten(index: number, argument: unknown, array: DeviceArray): boolean {
    return this.#written.includes(index) || writableIn(this.#parameters[index]!.type, argument).includes(array);
  }

  #parameterAt(offset: number): Parameter {
    return this.#parameters.findLast((parameter) => parameter.offset <= offset)!;
  }

  #markPacked({ pointers }: PackedArguments, sequence: number): void {
    for (const { offset, array } of pointers)
      if (!isConstant(this.#parameterAt(offset).type)) array.storage!.written(sequence, array.bytes);
  }

  #writePacked(room: Room, { bytes, pointers }: PackedArguments): void {
    const at = this.#layout.parameters;
    room.bytes.set(bytes, at);
    const known = new Map(pointers.map((pointer) => [pointer.offset, pointer]));
    for (const offset of this.#pointers) {
      const pointer = known.get(offset);
      const word = (at + offset) >> 2;
      if (pointer !== undefined) putLong(room.words, word, pointer.array.living().place + pointer.from);
      else if (room.longs[word >> 1] === 0n) room.words.fill(nullWord, word, word + 2);
      else throw addressError(this.#kernel, this.#parameterAt(offset), room.longs[word >> 1]!);
    }
  }

  /** The same, followed by the device; it is done when this returns, and the next wait throws what was found. */
  follow(
    on: Execution,
    config: LaunchConfig,
    args: readonly unknown[],
    { source, name, warnings, brought }: FollowedSource,
  ): void {
    const target = new Recording();
    this.#write({ target, stream: on.stream }, config, args);
    target.commit();
    const tensors = args.flatMap((argument, index) =>
      arraysIn(argument).map((array) => ({
        name: this.#parameters[index]!.name,
        array,
        isWritten: this.#isWritten(index, argument, array),
      })),
    );
    followLaunch(
      {
        device: this.#device,
        kernel: this.#kernel,
        source,
        name,
        warnings,
        brought,
        record: target.records[0]!,
        tensors,
        numbers: args.filter((argument) => !(argument instanceof DeviceArray)),
        ...sizesIn(target.room.words),
      },
      () => this.markWritten(args, this.#device.lastSequence),
    );
  }

  /** Checks a launch and returns its record, without having it run. Throws LaunchError. */
  record(config: LaunchConfig, args: readonly unknown[]): Uint8Array {
    const target = new Recording();
    this.#write({ target, stream: 0 }, config, args);
    target.commit();
    return target.records[0]!;
  }

  #write(on: TargetStream, config: LaunchConfig, args: readonly unknown[], packed?: PackedArguments): void {
    // Read before the record is laid out: a getter may use the device, and so the room.
    const { grid, block, cluster, shared = 0, cooperative = false, bytes, flops }: Partial<LaunchConfig> = config ?? {};
    for (const key in config) {
      if (isSetting(key)) continue;
      if (config instanceof DeviceArray || Array.isArray(config))
        throw sizeError("grid", this.#kernel, undefined, this.#maxGrid, this.#device);
      throw settingError(this.#kernel, key);
    }
    if (typeof cooperative !== "boolean") throw cooperativeError(this.#kernel, cooperative);
    if (bytes !== undefined && !isAmount(bytes)) throw amountError(this.#kernel, "bytes", bytes);
    if (flops !== undefined && !isAmount(flops)) throw amountError(this.#kernel, "flops", flops);
    const values = this.#hasParts
      ? args.map((value, index) =>
          index < this.#parameters.length ? read(this.#parameters[index]!.type, value) : value,
        )
      : args;
    const room = this.#layout.begin(on);
    this.#writeSizes(room.words, grid, block, shared);
    room.words[launchWords.flags] =
      (cooperative ? LaunchFlag.cooperative : 0) |
      (cluster === undefined && this.#cluster === null ? 0 : this.#clusterFlags(room.words, cluster));
    if (packed === undefined) this.#writeArguments(room, values, args);
    else this.#writePacked(room, packed);
  }

  /** Notes that `sequence` may write the tensors that the kernel takes as not const. */
  markWritten(args: readonly unknown[], sequence: number, stream = 0): void {
    if (this.#hasObjects) for (const object of args.flatMap(objectsIn)) object.used(stream, sequence);
    const written = this.#written;
    for (let index = 0; index < written.length; index++) {
      const argument = args[written[index]!] as DeviceArray | null;
      if (argument !== null) argument.storage!.written(sequence, argument.bytes);
    }
    const holders = this.#holders;
    for (let index = 0; index < holders.length; index++)
      for (const tensor of writableIn(this.#parameters[holders[index]!]!.type, args[holders[index]!]))
        tensor.storage!.written(sequence, tensor.bytes);
  }

  /** The same object as the last time where it says the same. */
  #describe({ bytes, flops }: LaunchConfig, args: readonly unknown[]): Described {
    const known = this.#described;
    if (known !== null && known.bytes === bytes && known.flops === flops) {
      let at = 0;
      let isSame = true;
      for (const argument of args) {
        if (!(argument instanceof DeviceArray)) continue;
        const operand = known.operands[at++];
        isSame &&=
          operand !== undefined && operand.dtype === argument.dtype && sameLengths(operand.shape, argument.shape);
      }
      if (isSame && at === known.operands.length) return known;
    }
    const operands = args.flatMap((argument, index) =>
      argument instanceof DeviceArray
        ? [{ name: this.#parameters[index]!.name, dtype: argument.dtype, shape: argument.shape }]
        : [],
    );
    return (this.#described = { operands, bytes, flops });
  }

  #writeArguments(room: Room, values: readonly unknown[], args: readonly unknown[]): void {
    const packs = this.#packs;
    if (args.length !== packs.length) throw countError(this.#kernel, this.#parameters, args.length);
    for (let index = 0; index < packs.length; index++) {
      if (!packs[index]!(room, values[index], this.#places[index]!))
        throw argumentError(this.#kernel, this.#parameters[index]!, index, args[index], this.#device);
    }
  }

  /** Throws LaunchError where the grid is not made of such clusters, or there are none on the device. */
  #clusterFlags(words: Uint32Array, cluster: Size | undefined): number {
    const own = this.#cluster;
    const room = new Uint32Array(3);
    const given = cluster ?? own!;
    const isSize = writeSize(room, 0, given, [mostOfCluster, mostOfCluster, mostOfCluster]);
    const [x, y, z] = [room[0]!, room[1]!, room[2]!];
    if (!isSize || x * y * z > mostOfCluster) throw clusterError(this.#kernel, given, mostOfCluster);
    if (own !== null && !sameLengths(own, [x, y, z])) throw otherClusterError(this.#kernel, own, [x, y, z]);
    if (x * y * z === 1) return 0;
    const grid = [...words.subarray(launchWords.grid, launchWords.grid + 3)];
    if (grid.some((length, axis) => length % room[axis]! !== 0)) throw clustersError(this.#kernel, grid, [x, y, z]);
    const { arch, kind } = this.#device.properties;
    if (kind === "cuda" && Number(/\d+/.exec(arch)?.[0]) < 90) throw noClustersError(this.#kernel, this.#device);
    return cluster === undefined ? 0 : clusterFlags(x, y, z);
  }

  #writeSizes(words: Uint32Array, grid: Size | undefined, block: Size | undefined, shared: number): void {
    if (!writeSize(words, launchWords.grid, grid, this.#maxGrid))
      throw sizeError("grid", this.#kernel, grid, this.#maxGrid, this.#device);
    if (!writeSize(words, launchWords.block, block, this.#maxBlock))
      throw sizeError("block", this.#kernel, block, this.#maxBlock, this.#device);
    const threads = words[launchWords.block]! * words[launchWords.block + 1]! * words[launchWords.block + 2]!;
    if (threads > this.#maxThreads)
      throw blockThreadsError(this.#kernel, threads, this.#maxThreads, this.#isBlockLimitOwn, this.#device);
    if (!Number.isInteger(shared) || shared < 0 || shared + this.#staticShared > this.#maxShared)
      throw sharedError(this.#kernel, shared, this.#staticShared, this.#maxShared, this.#device);
    words[launchWords.shared] = shared;
  }
}

/** Whether a kernel only reads what such a parameter points to. */
function isConstant(type: CType): boolean {
  return (type.kind === "pointer" && type.const) || (type.kind === "view" && type.element.const);
}

/** Blocks of a cluster that every GPU with clusters has. */
const mostOfCluster = 8;

// Compared one by one, which costs a launch some 10 ns; a set would cost more.
function isSetting(key: string): boolean {
  return (
    key === "grid" ||
    key === "block" ||
    key === "cluster" ||
    key === "shared" ||
    key === "cooperative" ||
    key === "bytes" ||
    key === "flops" ||
    key === "stream"
  );
}

function sameLengths(a: readonly number[], b: readonly number[]): boolean {
  return a === b || (a.length === b.length && a.every((length, axis) => length === b[axis]));
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value < Infinity;
}

function hasObjects(type: CType): boolean {
  if (type.kind === "struct") return type.fields.some((field) => hasObjects(field.type));
  return type.kind === "array" ? hasObjects(type.element) : type.kind === "object";
}

/** The textures and surfaces that an argument is, or holds. */
function objectsIn(value: unknown): TexelObject[] {
  if (value instanceof TexelObject) return [value];
  if (value instanceof DeviceArray) return [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(objectsIn) : [];
}

/** The arrays that an argument is, or holds. */
function arraysIn(value: unknown): DeviceArray[] {
  if (value instanceof DeviceArray) return [value];
  if (value instanceof TexelObject) return [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(arraysIn) : [];
}

/** The arrays that a value holds where its type has pointers that are not const. */
function writableIn(type: CType, value: unknown): DeviceArray[] {
  if (type.kind === "pointer") return type.const || value === null ? [] : [value as DeviceArray];
  if (type.kind === "array")
    return pointerOffsets(type, 0).length === 0
      ? []
      : (value as unknown[]).flatMap((element) => writableIn(type.element, element));
  if (type.kind !== "struct") return [];
  return type.fields.flatMap((field) => writableIn(field.type, (value as Record<string, unknown>)[field.name]));
}

function writeSize(words: Uint32Array, index: number, size: Size | undefined, limits: readonly number[]): boolean {
  if (typeof size === "number") {
    putSizes(words, index, size, 1, 1);
    return Number.isInteger(size) && size >= 1 && size <= limits[0]!;
  }
  if (!Array.isArray(size) || size.length < 1 || size.length > 3) return false;
  for (let axis = 0; axis < 3; axis++) {
    const length = axis < size.length ? (size[axis] as number) : 1;
    if (!Number.isInteger(length) || length < 1 || length > limits[axis]!) return false;
    words[index + axis] = length;
  }
  return true;
}
