// What holds a device's memory: its allocator's blocks, each with the line that wanted it and the tensor that was made
// there. It reads figures only, so that it answers on any thread, also while another one allocates.
import { binding } from "../wire/binding.ts";
import { heldBy } from "../device/large-blocks.ts";
import { DeviceProcess } from "../device/process.ts";
import { OutOfMemory, type HeldMemory } from "../errors.ts";
import { originPlace, placeText, type CodePlace } from "../device/origins.ts";
import type { DeviceMemory, MemoryBlock, MemorySegment, TracePlace } from "../payloads.ts";
import { DeviceArray } from "./array.ts";
import type { Storage } from "./storage.ts";

/** What was made at a place of a device's memory, by which names of the notebook it is found. */
export interface KnownTensor {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly names: readonly string[];
}

/** What one thread knows of a device's blocks, for another one. Plain data. */
export interface KnownMemory {
  readonly client: number;
  readonly device: string;
  /** By the place of a block. */
  readonly tensors: ReadonlyMap<number, KnownTensor>;
  /** By origin; with the start of the cell, in ms since the epoch. */
  readonly places: ReadonlyMap<number, { readonly place: TracePlace; readonly since: number | null }>;
  readonly named: number | null;
}

/** A segment of a picture has room for so many blocks. */
const mostBlocks = 600;
const mostListed = 40;

interface Block {
  readonly segment: number;
  readonly place: number;
  readonly bytes: number;
  readonly origin: number;
}

export const placeOf = ({ label, cell, count, line }: CodePlace): TracePlace => ({
  text: placeText({ label, cell, count, line }),
  cell,
  count,
  line,
});

/** The storages of this thread on a device that are neither disposed of nor collected. */
export function storagesOn(device: DeviceProcess): Storage[] {
  return binding.owners(device.client) as Storage[];
}

/** The memory under a value that is an array, without running any code of the value's. */
export function storageOf(value: object): Storage | null | undefined {
  return DeviceArray.storageOf(value);
}

/** By which names of the notebook a storage is found. */
type NamesOf = (storage: Storage) => readonly string[];
/** When a cell began, in ms since the epoch. */
type StartOf = (cell: CodePlace) => number | null;

/** What this thread knows of its devices. */
export function knownMemory(namesOf: NamesOf, startOf: StartOf): KnownMemory[] {
  return DeviceProcess.all().map((device) => knownOf(device, blocksIn(heldBy(device.client)), namesOf, startOf));
}

function knownOf(device: DeviceProcess, blocks: readonly Block[], namesOf: NamesOf, startOf: StartOf): KnownMemory {
  const tensors = new Map<number, KnownTensor>();
  const places: Map<number, { place: TracePlace; since: number | null }> = new Map();
  let named = 0;
  for (const storage of storagesOn(device)) {
    const { place, shape, dtype, bytes } = storage;
    const names = namesOf(storage);
    if (names.length > 0) named += bytes;
    if (dtype !== null) tensors.set(place, { shape, dtype, names });
  }
  for (const { origin } of blocks) {
    if (origin <= 0 || places.has(origin)) continue;
    const found = originPlace(origin);
    if (found !== undefined) places.set(origin, { place: placeOf(found), since: startOf(found) });
  }
  return { client: device.client, device: device.name, tensors, places, named };
}

/**
 * The memory of a device as it was when an {@link OutOfMemory} was thrown, whatever has been freed since; `null` of
 * anything else, and where the device has ended.
 */
export function memoryAt(thrown: unknown, namesOf: NamesOf, startOf: StartOf): DeviceMemory | null {
  const held = OutOfMemory.heldAt(thrown);
  const device = held && DeviceProcess.all().find(({ client }) => client === held.client);
  return device ? describedMemory(knownOf(device, blocksIn(held), namesOf, startOf), held) : null;
}

function blocksIn({ blocks: numbers }: Pick<HeldMemory, "blocks">): Block[] {
  return Array.from({ length: numbers.length / 4 }, (_, index) => ({
    segment: numbers[4 * index]!,
    place: numbers[4 * index + 1]!,
    bytes: numbers[4 * index + 2]!,
    origin: numbers[4 * index + 3]!,
  }));
}

/** The memory of a device as it is now. Callable from any thread. */
export function deviceMemory(known: KnownMemory): DeviceMemory {
  return describedMemory(known, heldBy(known.client));
}

function describedMemory(known: KnownMemory, held: HeldMemory): DeviceMemory {
  const { device, named } = known;
  const { allocated, reserved, peak } = held;
  const blocks = blocksIn(held);
  const described = new Descriptions(known);
  const used = blocks.filter(({ origin }) => origin >= 0).toSorted((a, b) => b.bytes - a.bytes);
  const free = blocks.filter(({ origin }) => origin < 0);
  return {
    device,
    allocated,
    reserved,
    peak,
    free: sumOf(free),
    largestFree: free.reduce((most, { bytes }) => Math.max(most, bytes), 0),
    named,
    segments: groupsOf(blocks, ({ segment }) => segment).map(({ items }) => segmentOf(items, described)),
    largest: used.slice(0, mostListed).map((block) => described.of(block)),
    byCell: groupsOf(used, (block) => described.cellOf(block))
      .map(({ key, items }) => ({ text: key, bytes: sumOf(items), blocks: items.length }))
      .toSorted((a, b) => b.bytes - a.bytes),
    places: described.places,
  };
}

const sumOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { bytes }) => sum + bytes, 0);

function groupsOf<T, K>(items: readonly T[], keyOf: (item: T) => K): { key: K; items: T[] }[] {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups].map(([key, group]) => ({ key, items: group }));
}

/** Blocks in the words of a payload, whose places are listed once. */
class Descriptions {
  readonly places: TracePlace[] = [];
  readonly #known: KnownMemory;
  readonly #numbers = new Map<string, number>();

  constructor(known: KnownMemory) {
    this.#known = known;
  }

  cellOf({ origin }: Block): string {
    const text = this.#known.places.get(origin)?.place.text;
    return text === undefined ? "" : text.slice(0, text.lastIndexOf(":"));
  }

  of({ place, bytes, origin }: Block): MemoryBlock {
    const { names = [], shape = null, dtype = null } = this.#known.tensors.get(place) ?? {};
    const since = this.#known.places.get(origin)?.since ?? null;
    return { bytes, count: 1, place: origin < 0 ? -1 : this.#numberOf(origin), shape, dtype, names, since };
  }

  #numberOf(origin: number): number {
    const place = this.#known.places.get(origin)?.place;
    if (place === undefined) return 0;
    const number = this.#numbers.get(place.text) ?? this.places.push(place);
    this.#numbers.set(place.text, number);
    return number;
  }
}

function segmentOf(blocks: readonly Block[], described: Descriptions): MemorySegment {
  const bytes = sumOf(blocks);
  const least = bytes / mostBlocks;
  const shown: MemoryBlock[] = [];
  /** Whose small blocks come one after the other. */
  let run: string | null = null;
  for (const block of blocks) {
    const owner = block.origin < 0 ? "free" : `by ${described.cellOf(block)}`;
    const last = shown.at(-1);
    const isSmall = block.bytes < least;
    if (isSmall && run === owner && last !== undefined)
      shown[shown.length - 1] = {
        ...last,
        bytes: last.bytes + block.bytes,
        count: last.count + 1,
        shape: null,
        dtype: null,
        names: [],
      };
    else shown.push(described.of(block));
    run = isSmall ? owner : null;
  }
  return { bytes, blocks: shown };
}
