// The payloads that say what a notebook has: its names and the memory behind them. Types only, as in payloads.ts.
/**
 * A line of a cell. `cell` is the front end's id of the cell where it has told one; `count` its execution count; 0: not
 * of a cell.
 */
export interface TracePlace {
  /** "Cell [3]:4" */
  readonly text: string;
  readonly cell: string | null;
  readonly count: number;
  readonly line: number;
}

/** `comm_msg` data on `warpcell.variables`, from the front end: the names of the notebook. */
export interface VariablesRequest {
  readonly request: number;
  readonly variables: true;
}

/** The kernel's reply: the names that have a value, as they were declared; or a sentence. */
export interface VariablesReply {
  readonly request: number;
  readonly variables: readonly NotebookVariable[];
  /** A cell runs: the names are those from before it. */
  readonly running: boolean;
  readonly problem: string | null;
}

/** What can be said of a name's value without running any code of the user's. */
export interface NotebookVariable {
  readonly name: string;
  /** "Tensor", "number", "Map", "class Net", "function", … */
  readonly type: string;
  /** In a few words: a number, the start of a text, how many items there are; empty where there are none. */
  readonly value: string;
  readonly isImport: boolean;
  /** Of a tensor. */
  readonly shape: readonly number[] | null;
  readonly dtype: string | null;
  readonly device: string | null;
  /** How many tensors the value holds, itself among them, and their bytes; those that are disposed of do not count. */
  readonly tensors: number;
  readonly bytes: number;
  /** Names the tensor on `warpcell.tensor` and in a preview, as long as it lives; `null`: of no tensor. */
  readonly id: string | null;
  /** Where the tensor was made, or the name was declared. */
  readonly place: TracePlace | null;
}

/** `comm_msg` data on `warpcell.variables`, from the front end: dispose of the tensor. */
export interface DisposeRequest {
  readonly request: number;
  readonly dispose: string;
}

/** The kernel's reply: how many bytes are free since, which are none where views keep them; or a sentence. */
export interface DisposeReply {
  readonly request: number;
  readonly freed: number;
  readonly problem: string | null;
}

/** `comm_msg` data on `warpcell.memory`, from the front end: what holds the memory of the devices in use. */
export interface MemoryRequest {
  readonly request: number;
  readonly memory: true;
}

/** The kernel's reply. `running`: a cell runs, and names are those from before it. */
export interface MemoryReply {
  readonly request: number;
  readonly devices: readonly DeviceMemory[];
  /** The last cells that allocated or freed memory, the latest last. */
  readonly cells: readonly CellMemory[];
  readonly running: boolean;
  readonly problem: string | null;
}

/** One device's memory as the kernel's allocator has it. Bytes. */
export interface DeviceMemory {
  /** "cpu", "cuda:0", … */
  readonly device: string;
  readonly allocated: number;
  readonly reserved: number;
  readonly peak: number;
  /** What is reserved and in no tensor, and its largest piece. */
  readonly free: number;
  readonly largestFree: number;
  /** In tensors that a name of the notebook leads to; `null`: not known. */
  readonly named: number | null;
  /** Where blocks were allocated, for the indices of the others. */
  readonly places: readonly TracePlace[];
  readonly segments: readonly MemorySegment[];
  /** The largest blocks in use, the largest first. */
  readonly largest: readonly MemoryBlock[];
  /** In use, by the cell that allocated it, the most first. */
  readonly byCell: readonly { readonly text: string; readonly bytes: number; readonly blocks: number }[];
}

/** An output of type `memoryMime`: what held a device's memory when there was not enough of it. */
export interface ShortagePayload {
  readonly version: 1;
  /** The bytes that were wanted. */
  readonly requested: number;
  readonly memory: DeviceMemory;
}

/** A piece of memory that the device gave, from its start to its end. */
export interface MemorySegment {
  readonly bytes: number;
  readonly blocks: readonly MemoryBlock[];
}

/** A part of a segment. Neighbours too small to be seen that belong together are one, of `count` blocks. */
export interface MemoryBlock {
  readonly bytes: number;
  readonly count: number;
  /** −1: it is free. 0: nobody knows who allocated it. Else 1 + an index of `places`. */
  readonly place: number;
  /** Of the tensor that was made there; `null`: not known. */
  readonly shape: readonly number[] | null;
  readonly dtype: string | null;
  /** Names of the notebook that lead to it. */
  readonly names: readonly string[];
  /** Milliseconds since the epoch, when the cell that allocated it began; `null`: not known. */
  readonly since: number | null;
}

/** Bytes in tensors of a device before a cell, at most while it ran, and after it. */
export interface CellMemory {
  /** "Cell [3]"; `cell` and `count` as in {@link TracePlace}. */
  readonly text: string;
  readonly cell: string | null;
  readonly count: number;
  readonly device: string;
  readonly before: number;
  readonly peak: number;
  readonly after: number;
  /** It still runs: `after` is now. */
  readonly running: boolean;
}

/** `comm_msg` data on `warpcell.memory`, from the front end: what is to be given back. */
export interface ReleaseRequest {
  readonly request: number;
  /** collect: what no variable leads to is free. trim: what is free goes back to the devices. */
  readonly release: "collect" | "trim";
}

/** The kernel's reply: bytes that tensors no longer hold, or that devices have back; or a sentence. */
export interface ReleaseReply {
  readonly request: number;
  readonly freed: number;
  readonly problem: string | null;
}
