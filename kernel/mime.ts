// The payloads that leave the kernel for a front end: the contract between the library, the kernel and extension/,
// which may import this file alone. Types only: no code but the names. A change that an old reader would misread is a
// new version.

/** MIME types of our own. Each output also carries text/plain and an HTML fallback. */
export const tensorMime = "application/vnd.warpcell.tensor.v1+json";
export const traceMime = "application/vnd.warpcell.trace.v1+json";
export const asmMime = "application/vnd.warpcell.asm.v1+json";

/** Comm targets. */
export const gaugesTarget = "warpcell.gauges";
export const tensorTarget = "warpcell.tensor";
export const traceTarget = "warpcell.trace";

/**
 * A tensor as shown below a cell: the facts of its one line, and a reduced picture that travels with the output, so
 * that it shows in a notebook opened without a kernel. Statistics are over finite elements; `null` where there are none
 * (empty, all NaN).
 */
export interface TensorPayload {
  version: 1;
  shape: number[];
  dtype: string;
  /** "cpu", "cuda:0", … */
  device: string;
  /** Number of elements, and bytes of them. */
  size: number;
  bytes: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  nan: number;
  /** Number of ±Infinity elements. */
  inf: number;
  /** A launch that did not finish may have been writing it. */
  suspect: boolean;
  tile: TensorTile | null;
  /** Names the tensor on {@link tensorTarget}, as long as it lives; only where there is more than one slice. */
  id?: string;
}

/**
 * The last two axes (the first slice of all others; a vector is one row) reduced to at most 256 cells along each and
 * 24,576 in all. A cell is the mean of the finite elements of its block, brought within float32's range; when it has
 * none NaN if one is NaN, else the infinity that it has more of.
 */
export interface TensorTile {
  rows: number;
  columns: number;
  /** Elements per cell along each axis; the last cell of an axis may cover fewer. */
  rowStep: number;
  columnStep: number;
  /** Row-major float32, little-endian, base64. */
  values: string;
}

/**
 * `comm_msg` data on {@link tensorTarget}, from the front end: a picture of the last two axes at `index` of all others.
 */
export interface SliceRequest {
  request: number;
  id: string;
  index: number[];
}

/** The kernel's reply: the slice as it is now, or a sentence. `tile` is `null` where there is a problem. */
export interface SliceReply {
  request: number;
  tile: TensorTile | null;
  problem: string | null;
}

/**
 * `comm_close` data on {@link gaugesTarget}, when a front end has left the kernel: nothing says which comms were its
 * own, so the kernel closes them all, and who is still there opens a new one. A close without it is final.
 */
export interface ReopenPayload {
  reopen: true;
}

/**
 * `comm_msg` data on {@link gaugesTarget}, at most four a second, each complete in itself. The front end sends nothing.
 */
export interface GaugesPayload {
  version: 1;
  /** Counts up; a lower number than the last seen is stale. */
  sequence: number;
  /** A cell is running. */
  busy: boolean;
  devices: DeviceGauge[];
}

export interface DeviceGauge {
  /** "cpu", "cuda:0", … */
  device: string;
  name: string;
  /** The device that new tensors go to. */
  active: boolean;
  /** Bytes; `null`: not known. */
  memoryTotal: number | null;
  memoryUsed: number | null;
  /** Bytes of living tensors of this notebook, and held for them. */
  allocated: number;
  reserved: number;
  /** 0 … 1 */
  utilization: number | null;
  /** °C, W */
  temperature: number | null;
  power: number | null;
  /** Milliseconds since the epoch. */
  sampled: number | null;
}

/**
 * What a profile saw, as shown below a cell. All times are nanoseconds since the profile's start. A small profile
 * travels whole; of a large one the output has an overview and the kernel the rest, by time window on {@link
 * traceTarget}, as long as it lives.
 */
export interface TracePayload {
  version: 1;
  title: string;
  duration: number;
  devices: TraceDevice[];
  tracks: TraceTrack[];
  /**
   * What slices are called: {@link SliceColumns} `name` is an index into it, as `place` and `detail` are into the next
   * two.
   */
  names: string[];
  places: TracePlace[];
  details: TraceDetail[];
  slices: SliceColumns;
  /** `slices` are all that there are. Otherwise those too narrow for an overview are merged. */
  complete: boolean;
  /** Slices of the whole profile. */
  count: number;
  /** Names the profile on {@link traceTarget}, as long as it lives; only where the output does not have all of it. */
  id?: string;
  counters: TraceCounter[];
  kernels: TraceKernel[];
  advice: TraceAdvice[];
  /** What a reader must know of the data: records that were dropped, what was not permitted and the remedy. */
  notes: string[];
}

/** Rates are what the device was measured to do at best, per second; `null`: not measured. */
export interface TraceDevice {
  /** "cpu", "cuda:0", … */
  device: string;
  name: string;
  /** Bytes a copy moves, read and written. */
  copy: number | null;
  /** Operations of a matrix product, by dtype. */
  product: Record<string, number>;
  /** The share of the profile's time in which the device worked, 0 … 1. */
  busy: number;
}

/** One row of the timeline, from top to bottom as they are listed; slices of one track nest by `depth`. */
export interface TraceTrack {
  name: string;
  /** host: the session's thread. range: the user's annotations. stream, worker: of a device. */
  kind: "host" | "range" | "stream" | "worker";
  device: string | null;
  /** Levels of nesting: 1 where slices never overlap. */
  depth: number;
}

/**
 * A line of a cell. `cell` is the front end's id of the cell where it has told one; `count` its execution count; 0: not
 * of a cell.
 */
export interface TracePlace {
  /** "Cell [3]:4" */
  text: string;
  cell: string | null;
  count: number;
  line: number;
}

/** What hovering says of a slice beyond its name and times; slices with the same facts share one. */
export interface TraceDetail {
  /** launch, operation, kernel, copy, fill, wait, compile, collector, cell, range, worker, overhead */
  kind: string;
  /** In order: ["grid", "4096"], ["block", "256"], ["registers", "24"], ["x", "float32 [1024, 1024]"] … */
  facts: [string, string][];
  /** Of one such slice; `null`: not known. */
  bytes: number | null;
  flops: number | null;
  /** The stack of the first of them, innermost first. */
  stack: string[];
}

/**
 * Little-endian columns in base64, sorted by track, then by start; each of `length` items. `cause`: 1 + the index of
 * the slice that this one follows from (the launch of a kernel); 0: none. `place`: 1 + an index; 0: none. `kernel`: 1 +
 * a row of `kernels`; 0: none. `merged` only where the profile is not complete: how many slices one stands for; `busy`
 * then is the sum of their durations.
 */
export interface SliceColumns {
  length: number;
  /** float64, nanoseconds. */
  start: string;
  /** float32, nanoseconds. */
  duration: string;
  /** uint16 */
  track: string;
  /** uint8 */
  depth: string;
  /** uint32, all of them. */
  name: string;
  place: string;
  detail: string;
  cause: string;
  kernel: string;
  merged?: string;
  /** float32, nanoseconds. */
  busy?: string;
}

/** A quantity over time: it keeps each value until the next. float64 columns, base64. */
export interface TraceCounter {
  /** "memory of cuda:0" */
  name: string;
  unit: "bytes";
  length: number;
  time: string;
  value: string;
}

/** All launches of one kernel on one device. Times are nanoseconds. */
export interface TraceKernel {
  name: string;
  /** The library's operation that launches it; `null`: a kernel of a cell. */
  operation: string | null;
  device: string;
  calls: number;
  total: number;
  mean: number;
  deviation: number;
  min: number;
  max: number;
  /** Of the time that all kernels of the profile took, 0 … 1. */
  share: number;
  /** Of the launch that took longest. */
  grid: number[];
  block: number[];
  /** `null`: not known, here and below. Bytes. */
  registers: number | null;
  shared: number | null;
  local: number | null;
  /**
   * Percent of the warps that a multiprocessor holds. `achieved`: measured, or estimated from how the grid fills the
   * device.
   */
  theoreticalOccupancy: number | null;
  achievedOccupancy: number | null;
  limiter: string | null;
  /** Of one launch, in the mean. */
  bytes: number | null;
  flops: number | null;
  /** The dtype whose matrix product is the ceiling. */
  dtype: string | null;
  /** Measured by the device, by name, where asked for. */
  counters: Record<string, number>;
  /**
   * How often the device found a warp in it, by what that waited for: "long scoreboard", "barrier" …; empty, or left
   * out by an older kernel, where it was not asked for.
   */
  samples?: Record<string, number>;
  /** Indices of `places` that launched it. */
  places: number[];
}

/** One sentence with its number, and where it leads. */
export interface TraceAdvice {
  text: string;
  /** An index of `places`; `null`: none. */
  place: number | null;
  /** What to look at, nanoseconds. */
  start: number;
  end: number;
}

/**
 * `comm_msg` data on {@link traceTarget}, from the front end: the slices between two times, as `width` pixels show
 * them.
 */
export interface WindowRequest {
  request: number;
  id: string;
  start: number;
  end: number;
  width: number;
}

/**
 * The kernel's reply, with one buffer: the columns of {@link SliceColumns} in the order of `columns`, each from a
 * multiple of 8 bytes on; or a sentence.
 */
export interface WindowReply {
  request: number;
  length: number;
  columns: { name: Exclude<keyof SliceColumns, "length">; offset: number }[];
  /** Nothing in the window was merged. */
  complete: boolean;
  problem: string | null;
}

/** A kernel's source beside what compilers made of it. Lines are counted from 1; 0: of no line. */
export interface AsmPayload {
  version: 1;
  kernel: string;
  device: string;
  /** "sm_90a", "x86-64", … */
  arch: string;
  /** "Cell [2]"; `cell` and `count` as in {@link TracePlace}. */
  title: string;
  cell: string | null;
  count: number;
  source: string[];
  /** From nearest to the source to nearest to the machine: PTX and SASS of a GPU, assembly of the CPU. */
  listings: AsmListing[];
  registers: number | null;
  shared: number | null;
  spills: number | null;
  /** Over block sizes, percent; empty where the device has none. */
  occupancy: { block: number; percent: number; limiter: string }[];
  notes: string[];
}

/** One form of the machine's code. All arrays have an item per line of `lines`. */
export interface AsmListing {
  name: "PTX" | "SASS" | "assembly";
  lines: string[];
  /** The line of the source. */
  source: number[];
  /** Registers that hold a value needed later; empty where nobody says. */
  live: number[];
  /**
   * Of the profiler; empty: none were taken. Only machine code is sampled: in PTX those of a line of the source stand
   * at its first instruction.
   */
  samples: number[];
}
