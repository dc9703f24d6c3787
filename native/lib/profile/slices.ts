// The data of a profile: slices as columns of numbers, and the tables that they point into. Times are nanoseconds since
// the profile's start.
import type { TraceOperation } from "../payloads.ts";
import type { SampleCounts, SampledKernel } from "./samples.ts";

/** `SliceColumns` of payloads.ts says what each means; `cause`, `place` and `kernel` count from 1. */
export interface Slices {
  readonly length: number;
  readonly start: Float64Array;
  readonly duration: Float32Array;
  readonly track: Uint16Array;
  readonly depth: Uint8Array;
  readonly name: Uint32Array;
  readonly place: Uint32Array;
  readonly detail: Uint32Array;
  readonly cause: Uint32Array;
  readonly kernel: Uint32Array;
}

export interface Track {
  readonly name: string;
  readonly kind: "host" | "range" | "stream" | "worker";
  readonly device: string | null;
  depth: number;
}

/** A line of a cell, or of a program. */
export interface Place {
  readonly text: string;
  readonly cell: string | null;
  readonly count: number;
  readonly line: number;
}

export interface Detail {
  readonly kind: string;
  readonly facts: [string, string][];
  /** Of one slice; `null`: not known. */
  readonly bytes: number | null;
  readonly flops: number | null;
  readonly stack: string[];
}

export interface Counter {
  readonly name: string;
  readonly unit: "bytes";
  readonly time: Float64Array;
  readonly value: Float64Array;
}

/** What a device can do at best, per second; `null`: not measured. `busy`: the share of the profile's time, 0 … 1. */
export interface ProfiledDevice {
  readonly device: string;
  readonly name: string;
  copy: number | null;
  product: Record<string, number>;
  readonly busy: number;
}

/** All launches of one kernel on one device. */
export interface KernelRow {
  readonly name: string;
  /** The library's operation that launches it; `null`: a kernel of a cell. */
  readonly operation: string | null;
  readonly device: string;
  readonly calls: number;
  readonly total: number;
  readonly mean: number;
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
  /** Of the time of all kernels, 0 … 1. */
  readonly share: number;
  /** Of the launch that took longest. */
  readonly grid: number[];
  readonly block: number[];
  readonly registers: number | null;
  readonly shared: number | null;
  readonly local: number | null;
  readonly theoreticalOccupancy: number | null;
  readonly achievedOccupancy: number | null;
  readonly limiter: string | null;
  /** Of one launch, in the mean; `null`: not known. */
  readonly bytes: number | null;
  readonly flops: number | null;
  readonly dtype: string | null;
  counters: Record<string, number>;
  /** How often the device found a warp in it, by what that waited for; empty where it was not asked to. */
  readonly samples: SampleCounts;
  readonly places: number[];
}

export interface Advice {
  readonly text: string;
  readonly place: number | null;
  readonly start: number;
  readonly end: number;
}

export interface ProfileData {
  readonly title: string;
  readonly duration: number;
  readonly devices: ProfiledDevice[];
  readonly tracks: Track[];
  readonly names: string[];
  readonly places: Place[];
  readonly details: Detail[];
  readonly slices: Slices;
  readonly counters: Counter[];
  readonly kernels: KernelRow[];
  readonly operations: readonly TraceOperation[];
  readonly advice: Advice[];
  readonly notes: string[];
  readonly samples: readonly SampledKernel[];
}

/** In memory that another thread, which answers front ends, sees without a copy. */
export function emptySlices(length: number): Slices {
  const memory = (bytes: number) => new SharedArrayBuffer(length * bytes);
  return {
    length,
    start: new Float64Array(memory(8)),
    duration: new Float32Array(memory(4)),
    track: new Uint16Array(memory(2)),
    depth: new Uint8Array(memory(1)),
    name: new Uint32Array(memory(4)),
    place: new Uint32Array(memory(4)),
    detail: new Uint32Array(memory(4)),
    cause: new Uint32Array(memory(4)),
    kernel: new Uint32Array(memory(4)),
  };
}

/** Numbers for values that are equal by their key. */
export class Interned<T> {
  readonly items: T[] = [];
  readonly #indices = new Map<string, number>();

  of(key: string, make: () => T): number {
    let index = this.#indices.get(key);
    if (index === undefined) this.#indices.set(key, (index = this.items.push(make()) - 1));
    return index;
  }
}
