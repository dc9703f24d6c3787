// The payloads that leave the library for a front end, and their names: what library, kernel and extension are all
// checked against. kernel/mime.ts hands them to extension/, which imports nothing else. A change that an old reader
// would misread is a new version.
import type { TracePlace } from "./payloads-notebook.ts";

export type * from "./payloads-notebook.ts";
export type * from "./payloads-kernel.ts";
export type * from "./payloads-editor.ts";
export type * from "./payloads-viewer.ts";

/** MIME types of our own. Each output also carries text/plain, and a picture or HTML for other front ends. */
export const tensorMime = "application/vnd.warpcell.tensor.v1+json";
export const traceMime = "application/vnd.warpcell.trace.v1+json";
export const asmMime = "application/vnd.warpcell.asm.v1+json";
export const chartMime = "application/vnd.warpcell.chart.v1+json";
export const memoryMime = "application/vnd.warpcell.memory.v1+json";

/** Comm targets. */
export const gaugesTarget = "warpcell.gauges";
export const tensorTarget = "warpcell.tensor";
export const traceTarget = "warpcell.trace";
export const mistakesTarget = "warpcell.mistakes";
export const variablesTarget = "warpcell.variables";
export const memoryTarget = "warpcell.memory";
export const kernelTarget = "warpcell.kernel";
export const editorTarget = "warpcell.editor";
/** The kernel opens one on this target, with an {@link OpenPayload}, where a cell asks for a viewer. */
export const viewerTarget = "warpcell.viewer";

/**
 * `comm_msg` data on {@link mistakesTarget}, from the front end: the text of a code cell as it is written, and of the
 * code cells above it, from the first. A front end with such a comm shows mistakes itself: its cells print no type
 * errors.
 */
export interface MistakesRequest {
  readonly request: number;
  readonly code: string;
  readonly before: readonly string[];
}

/** The kernel's reply. */
export interface MistakesReply {
  readonly request: number;
  readonly mistakes: readonly CellMistake[];
  readonly problem: string | null;
}

/** Between two offsets of the cell's text, in UTF-16 units. */
export interface CellMistake {
  readonly start: number;
  readonly end: number;
  readonly severity: "error" | "warning";
  /** "TS2322"; empty where a compiler has no number for it. */
  readonly code: string;
  readonly message: string;
}

/**
 * A tensor as shown below a cell: the facts of its one line, and a reduced picture that travels with the output, so
 * that it shows in a notebook opened without a kernel. Statistics are over finite elements; `null` where there are none
 * (empty, all NaN).
 */
export interface TensorPayload {
  readonly version: 1;
  readonly shape: readonly number[];
  readonly dtype: string;
  /** "cpu", "cuda:0", … */
  readonly device: string;
  /** Number of elements, and bytes of them. */
  readonly size: number;
  readonly bytes: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly nan: number;
  /** Number of ±Infinity elements. */
  readonly inf: number;
  /** A launch that did not finish may have been writing it. */
  readonly suspect: boolean;
  readonly tile: TensorTile | null;
  /**
   * What the output's image/png shows that a heat map of one slice does not: a vector's line, colours, or all slices.
   * Left out where that is nothing.
   */
  readonly picture?: "line" | "colours" | "slices";
  /** Names the tensor on {@link tensorTarget}, as long as it lives; left out where there is nothing to draw. */
  readonly id?: string;
}

/**
 * The last two axes (the first slice of all others; a vector is one row) reduced to at most 256 cells along each and
 * 24,576 in all. A cell is the mean of the finite elements of its block, brought within float32's range; when it has
 * none NaN if one is NaN, else the infinity that it has more of.
 */
export interface TensorTile {
  readonly rows: number;
  readonly columns: number;
  /** Elements per cell along each axis; the last cell of an axis may cover fewer. */
  readonly rowStep: number;
  readonly columnStep: number;
  /** Row-major float32, little-endian, base64. */
  readonly values: string;
}

/**
 * `comm_msg` data on {@link tensorTarget}, from the front end: a picture of the last two axes at `index` of all others.
 */
export interface SliceRequest {
  readonly request: number;
  readonly id: string;
  readonly index: readonly number[];
}

/** The kernel's reply: the slice as it is now, or a sentence. `tile` is `null` where there is a problem. */
export interface SliceReply {
  readonly request: number;
  readonly tile: TensorTile | null;
  readonly problem: string | null;
  /** A cell or its kernels were at work meanwhile: elements may be of before and of after what they write. */
  readonly unfinished: boolean;
}

/** `comm_msg` data on {@link tensorTarget}, from the front end: what {@link TensorPayload} says of all elements. */
export interface FiguresRequest {
  readonly request: number;
  readonly id: string;
  readonly figures: true;
}

/** The kernel's reply: the figures as they are now, or a sentence; `unfinished` as in {@link SliceReply}. */
export interface FiguresReply {
  readonly request: number;
  readonly figures: Pick<TensorPayload, "min" | "max" | "mean" | "nan" | "inf"> | null;
  readonly problem: string | null;
  readonly unfinished: boolean;
}

/**
 * `comm_close` data on {@link gaugesTarget}, when a front end has left the kernel: nothing says which comms were its
 * own, so the kernel closes them all, and who is still there opens a new one. A close without it is final.
 */
export interface ReopenPayload {
  readonly reopen: true;
}

/**
 * `comm_msg` data on {@link gaugesTarget}, at most four a second, each complete in itself. The front end sends nothing.
 */
export interface GaugesPayload {
  readonly version: 1;
  /** Counts up; a lower number than the last seen is stale. */
  readonly sequence: number;
  /** A cell is running. */
  readonly busy: boolean;
  readonly devices: readonly DeviceGauge[];
}

export interface DeviceGauge {
  /** "cpu", "cuda:0", … */
  readonly device: string;
  readonly name: string;
  /** The device that new tensors go to. */
  readonly active: boolean;
  /** Bytes; `null`: not known. */
  readonly memoryTotal: number | null;
  readonly memoryUsed: number | null;
  /** Bytes of living tensors of this notebook, and held for them. */
  readonly allocated: number;
  readonly reserved: number;
  /** The most bytes of living tensors so far; left out by an older kernel. */
  readonly peak?: number;
  /** 0 … 1 */
  readonly utilization: number | null;
  /** °C, W */
  readonly temperature: number | null;
  readonly power: number | null;
  /** Milliseconds since the epoch. */
  readonly sampled: number | null;
}

/** `comm_msg` data on {@link variablesTarget}, from the front end: what an output of the tensor shows. */
export interface PreviewRequest {
  readonly request: number;
  readonly preview: string;
}

/** The kernel's reply: the payload and the PNG of an output, or a sentence; `unfinished` as in {@link SliceReply}. */
export interface PreviewReply {
  readonly request: number;
  readonly payload: TensorPayload | null;
  readonly png: string | null;
  readonly unfinished: boolean;
  readonly problem: string | null;
}

/**
 * What a profile saw, as shown below a cell. All times are nanoseconds since the profile's start. A small profile
 * travels whole; of a large one the output has an overview and the kernel the rest, by time window on {@link
 * TraceTarget}, as long as it lives.
 */
export interface TracePayload {
  readonly version: 1;
  readonly title: string;
  readonly duration: number;
  readonly devices: readonly TraceDevice[];
  readonly tracks: readonly TraceTrack[];
  /**
   * What slices are called: {@link SliceColumns} `name` is an index into it, as `place` and `detail` are into the next
   * two.
   */
  readonly names: readonly string[];
  readonly places: readonly TracePlace[];
  readonly details: readonly TraceDetail[];
  readonly slices: SliceColumns;
  /** `slices` are all that there are. Otherwise those too narrow for an overview are merged. */
  readonly complete: boolean;
  /** Slices of the whole profile. */
  readonly count: number;
  /** Names the profile on {@link traceTarget}, as long as it lives; only where the output does not have all of it. */
  readonly id?: string;
  readonly counters: readonly TraceCounter[];
  readonly kernels: readonly TraceKernel[];
  /** Those of before had none. */
  readonly operations?: readonly TraceOperation[];
  readonly advice: readonly TraceAdvice[];
  /** What a reader must know about the data: records that were dropped, what was not permitted and the remedy. */
  readonly notes: readonly string[];
}

/** Rates are what the device was measured to do at best, per second; `null`: not measured. */
export interface TraceDevice {
  /** "cpu", "cuda:0", … */
  readonly device: string;
  readonly name: string;
  /** Bytes a copy moves, read and written. */
  readonly copy: number | null;
  /** Operations of a matrix product, by dtype. */
  readonly product: Readonly<Record<string, number>>;
  /** The share of the profile's time in which the device worked, 0 … 1. */
  readonly busy: number;
}

/** One row of the timeline, from top to bottom as they are listed; slices of one track nest by `depth`. */
export interface TraceTrack {
  readonly name: string;
  /** host: the session's thread. range: the user's annotations. stream, worker: of a device. */
  readonly kind: "host" | "range" | "stream" | "worker";
  readonly device: string | null;
  /** Levels of nesting: 1 where slices never overlap. */
  readonly depth: number;
}

/** What hovering says of a slice beyond its name and times; slices with the same facts share one. */
export interface TraceDetail {
  /** launch, operation, kernel, copy, fill, wait, compile, collector, cell, range, worker, overhead */
  readonly kind: string;
  /** In order: ["grid", "4096"], ["block", "256"], ["registers", "24"], ["x", "float32 [1024, 1024]"] … */
  readonly facts: readonly [string, string][];
  /** Of one such slice; `null`: not known. */
  readonly bytes: number | null;
  readonly flops: number | null;
  /** The stack of the first of them, innermost first. */
  readonly stack: readonly string[];
}

/**
 * Little-endian columns in base64, sorted by track, then by start; each of `length` items. `cause`: 1 + the index of
 * the slice that this one follows from (the launch of a kernel); 0: none. `place`: 1 + an index; 0: none. `kernel`: 1 +
 * a row of `kernels`; 0: none. `merged` only where the profile is not complete: how many slices one stands for; `busy`
 * then is the sum of their durations.
 */
export interface SliceColumns {
  readonly length: number;
  /** float64, nanoseconds. */
  readonly start: string;
  /** float32, nanoseconds. */
  readonly duration: string;
  /** uint16 */
  readonly track: string;
  /** uint8 */
  readonly depth: string;
  /** uint32, all of them. */
  readonly name: string;
  readonly place: string;
  readonly detail: string;
  readonly cause: string;
  readonly kernel: string;
  readonly merged?: string;
  /** float32, nanoseconds. */
  readonly busy?: string;
}

/** A quantity over time: it keeps each value until the next. float64 columns, base64. */
export interface TraceCounter {
  /** "memory of cuda:0" */
  readonly name: string;
  readonly unit: "bytes";
  readonly length: number;
  readonly time: string;
  readonly value: string;
}

/**
 * All calls of one operation, or launches of a kernel outside of any, with operands of the same dtypes and shapes on
 * one device. Times are nanoseconds.
 */
export interface TraceOperation {
  readonly name: string;
  /** "float32 [64, 32], float32 [32] → float32 [64]" */
  readonly shapes: string;
  readonly device: string;
  readonly calls: number;
  /** Of the session's thread, with the operations that it calls, and without. */
  readonly host: number;
  readonly hostSelf: number;
  /** Of the kernels, copies and fills that it launches itself. */
  readonly deviceSelf: number;
  /** Of the time that devices spent on all operations, 0 … 1. */
  readonly share: number;
  /** Indices of the profile's places. */
  readonly places: readonly number[];
}

/** All launches of one kernel on one device. Times are nanoseconds. */
export interface TraceKernel {
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
  /** Share of the time that all kernels of the profile took, 0 … 1. */
  readonly share: number;
  /** Of the launch that took longest. */
  readonly grid: readonly number[];
  readonly block: readonly number[];
  /** `null`: not known, here and below. Bytes. */
  readonly registers: number | null;
  readonly shared: number | null;
  readonly local: number | null;
  /**
   * Percent of the warps that a multiprocessor holds. `achieved`: measured, or estimated from how the grid fills the
   * device.
   */
  readonly theoreticalOccupancy: number | null;
  readonly achievedOccupancy: number | null;
  readonly limiter: string | null;
  /** Of one launch, in the mean. */
  readonly bytes: number | null;
  readonly flops: number | null;
  /** The dtype whose matrix product is the ceiling. */
  readonly dtype: string | null;
  /** Measured by the device, by name, where asked for. */
  readonly counters: Readonly<Record<string, number>>;
  /**
   * How often the device found a warp in it, by what that waited for: "long scoreboard", "barrier" …; empty, or left
   * out by an older kernel, where it was not asked for.
   */
  readonly samples?: Readonly<Record<string, number>>;
  /** Indices of `places` that launched it. */
  readonly places: readonly number[];
}

/** One sentence with its number, and where it leads. */
export interface TraceAdvice {
  readonly text: string;
  /** An index of `places`; `null`: none. */
  readonly place: number | null;
  /** What to look at, nanoseconds. */
  readonly start: number;
  readonly end: number;
}

/**
 * `comm_msg` data on {@link traceTarget}, from the front end: the slices between two times, as `width` pixels show
 * them.
 */
export interface WindowRequest {
  readonly request: number;
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly width: number;
}

/**
 * The kernel's reply, with one buffer: the columns of {@link SliceColumns} in the order of `columns`, each from a
 * multiple of 8 bytes on; or a sentence.
 */
export interface WindowReply {
  readonly request: number;
  readonly length: number;
  readonly columns: readonly { name: Exclude<keyof SliceColumns, "length">; offset: number }[];
  /** Nothing in the window was merged. */
  readonly complete: boolean;
  readonly problem: string | null;
}

/** A kernel's source beside what compilers made of it. Lines are counted from 1; 0: of no line. */
export interface AsmPayload {
  readonly version: 1;
  readonly kernel: string;
  readonly device: string;
  /** "sm_90a", "x86-64", … */
  readonly arch: string;
  /** "Cell [2]"; `cell` and `count` as in {@link TracePlace}. */
  readonly title: string;
  readonly cell: string | null;
  readonly count: number;
  readonly source: readonly string[];
  /** From nearest to the source to nearest to the machine: PTX and SASS of a GPU, assembly of the CPU. */
  readonly listings: readonly AsmListing[];
  readonly registers: number | null;
  readonly shared: number | null;
  readonly spills: number | null;
  /** Over block sizes, percent; empty where the device has none. */
  readonly occupancy: readonly { block: number; percent: number; limiter: string }[];
  readonly notes: readonly string[];
}

/** One form of the machine's code. All arrays have an item per line of `lines`. */
export interface AsmListing {
  readonly name: "PTX" | "SASS" | "assembly";
  readonly lines: readonly string[];
  /** The line of the source. */
  readonly source: readonly number[];
  /** Registers that hold a value needed later; empty where nobody says. */
  readonly live: readonly number[];
  /**
   * Of the profiler; empty: none were taken. Only machine code is sampled: in PTX those of a line of the source stand
   * at its first instruction.
   */
  readonly samples: readonly number[];
}

/**
 * A chart below a cell. What is drawn is the output's image/svg+xml; this says where in it the axes lie, so that a
 * front end can say which values are under the pointer.
 */
export interface ChartPayload {
  readonly version: 1;
  /** Pixels of the whole drawing. */
  readonly width: number;
  readonly height: number;
  /** The rectangle of the axes. */
  readonly area: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  readonly kind: "line" | "points" | "bars" | "histogram";
  /** Names of the whole numbers along x. */
  readonly categories?: readonly string[];
}

/** Values at both ends of an axis of a chart. */
export interface ChartAxis {
  readonly low: number;
  readonly high: number;
  readonly isLogarithmic: boolean;
  /** Values are milliseconds since 1970, UTC; left out where they are not. */
  readonly isTime?: boolean;
}
