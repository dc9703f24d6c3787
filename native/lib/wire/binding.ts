// The only file that opens addon.node: turns its untyped exports into one typed object.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * How a wait ended: `done`; an `error` record has arrived; `interrupted` by {@link Binding.interrupt}; the device
 * process `died`; `timeout`.
 */
export type Outcome = "done" | "error" | "interrupted" | "died" | "timeout";

/** What went wrong with a command that has no answer (`ErrorRecord` in protocol/commands.h). */
export interface ErrorRecord {
  sequence: number;
  last: number;
  fatal: boolean;
  code: string;
  text: string;
  block?: [number, number, number];
  thread?: [number, number, number];
}

/**
 * A sample of a device (`Gauges` in protocol/commands.h) with the allocator's own figures. Bytes, 0…1, °C, W, ms since
 * the epoch; `null`: not known.
 */
export interface GaugeSample {
  client: number;
  kind: "cpu" | "cuda";
  index: number;
  memoryTotal: number | null;
  memoryUsed: number | null;
  processMemory: number | null;
  utilization: number | null;
  temperature: number | null;
  power: number | null;
  sampled: number | null;
  /** Bytes of living tensors, of segments held for them, and of tensors at most so far. */
  allocated: number;
  reserved: number;
  peak: number;
  /** Not all that was submitted is known to be done. */
  isBusy: boolean;
}

/** Commands that follow each other, `last` among them. */
export interface SequenceRange {
  first: number;
  last: number;
}

/** One submitted launch, as the flight recorder remembers it. */
export interface FlightRecord {
  sequence: number;
  kernel: number;
  origin: number;
}

/** Bytes of device memory: in tensors now, held from the device, and in tensors at most so far. */
export interface MemoryStatistics {
  allocated: number;
  reserved: number;
  peak: number;
  blocks: number;
  segments: number;
}

/**
 * The addon. A client (a small integer) is one device process and all that the session keeps for it: control segment,
 * ring, segments' descriptors, allocator, flight recorder. Every client is known to all threads of this Node process.
 */
export interface Binding {
  readonly protocolVersion: number;

  /**
   * Creates the client and starts its device process. Does not wait for it: send `hello`. Throws a system error when it
   * cannot start.
   */
  open(kind: "cpu" | "cuda" | "nvrtc", index: number, executable: string): number;
  /**
   * The same for what answers front ends beside the user's work: {@link gauges} leave it out, and no {@link interrupt}
   * ends its waits.
   */
  openView(kind: "cpu" | "cuda" | "nvrtc", index: number, executable: string): number;
  /**
   * Starts a new process for a client whose process has died or was killed, and gives it back every segment. Returns
   * their count.
   */
  restart(client: number): number;
  /** Kills the device process and reaps it (at most a second). Segments, tensors and sequence numbers stay. */
  kill(client: number): void;
  /** Stops the process and frees everything. */
  close(client: number): void;
  /**
   * `running`, or how the process ended: "signal 9", "exit 70", or why a wait killed it: `interrupted`, or what was
   * wrong with its answers.
   */
  state(client: number): string;
  processId(client: number): number;

  /**
   * Memory of the client's in which one record at a time is laid out (little-endian, protocol/commands.h), 64 KiB. It
   * stays the same for every process of the client, and lives as long as the buffer.
   */
  room(client: number): ArrayBuffer;
  /** Opens one of the streams 1 … 31, in this process and in all that follow. */
  openStream(client: number, stream: number): void;
  /**
   * Copies the record in the client's {@link room}, whose head lacks the sequence alone, to the ring and returns the
   * sequence. Blocks while the ring is full; returns −1 when the process is dead, −2 when interrupted.
   */
  submit(client: number): number;
  /** Sends a command with a message and returns its sequence; −1 and −2 as {@link submit}. */
  request(client: number, op: number, fields: (string | Uint8Array)[], origin: number): number;
  /** The answer of a request once `wait` said done; `null` when there is none yet. Each answer can be taken once. */
  reply(client: number, sequence: number): Uint8Array[] | null;
  /**
   * Blocks until `completed` of the stream (or the answer, for which the stream is 0) reaches `sequence`. `error` as long as records wait to be read by {@link
   * errors}. `timeout` in ms, −1: none. `interrupted` means that the process has been killed here: JavaScript may be
   * terminated before it could do so.
   */
  wait(client: number, stream: number, sequence: number, timeout: number): Outcome;
  /** The same without blocking the event loop. */
  waitAsync(client: number, stream: number, sequence: number): Promise<Outcome>;
  /** How far a stream is: commands that are done and visible; kernels that have finished, as far as is known. */
  completed(client: number, stream: number): number;
  progress(client: number, stream: number): number;
  /** The last command of a stream. */
  submitted(client: number, stream: number): number;
  /** The last command of all. */
  lastSequence(client: number): number;
  /** Commands that are not known to be done, of all streams, in their order. */
  unfinished(client: number): SequenceRange[];
  /** Something is not known to be done; callable from any thread. */
  isBusy(client: number): boolean;
  /** Errors that arrived since the last call, oldest first. */
  errors(client: number): ErrorRecord[];
  /** Launches with first ≤ sequence ≤ last that the recorder (the last 65,536) still has. */
  flights(client: number, first: number, last: number): FlightRecord[];

  /**
   * A block of at least `bytes` (256-byte aligned), as a place: of memory that the client has, or of more of it when it
   * `mayGrow`. memory 0: device, 1: host. What the stream does there comes after what others did there before. Returns −1 when there is no memory left, −2 when the process is dead, −3 when
   * interrupted.
   */
  allocate(client: number, memory: 0 | 1, stream: number, bytes: number, mayGrow: boolean): number;
  /** Notes that another stream than the one it was allocated for uses a block, too: that is free after both. */
  use(client: number, place: number, stream: number): void;
  /** {@link use} of the block around a place, where there is one. */
  useAround(client: number, place: number, stream: number): void;
  free(client: number, place: number): void;
  /**
   * A pool of device memory, whose number stands for a stream's in {@link allocate} and {@link own}: work of stream 0
   * that is done again and again has the memory, and nobody else gets any of it before the pool is closed.
   */
  openPool(client: number): number;
  /** Has the block around a place stay until the pool is closed, whoever frees it. False: nothing is allocated there. */
  pin(client: number, pool: number, place: number): boolean;
  /** What the pool has is free, and what others hold of it stream 0's. */
  closePool(client: number, pool: number): void;
  /**
   * {@link allocate} of device memory for an object, which owns the block: it is freed by {@link disown}, or some time
   * after the object has been collected. {@link blocks} tells of `origin`.
   */
  own(client: number, stream: number, bytes: number, owner: object, mayGrow: boolean, origin: number): number;
  disown(client: number, place: number): void;
  /**
   * The whole segment of a place as memory of this process: host segments, and device segments of `cpu`. The mapping
   * lives as long as the buffer.
   */
  buffer(client: number, segment: number): ArrayBuffer;
  /** The same of `bytes` bytes at a place, and nothing around them. */
  part(client: number, place: number, bytes: number): ArrayBuffer;
  /** The same of a client that another thread opened. */
  partOf(client: number, place: number, bytes: number): ArrayBuffer;
  /** Copies bytes between arrays of one length that share none, by several cores. */
  copy(target: Uint8Array, source: Uint8Array): void;
  /**
   * New memory of `bytes` that other processes can map: the descriptor is the caller's to close. `null` when the system
   * has not so much left.
   */
  shareMemory(bytes: number): { descriptor: number; memory: ArrayBuffer } | null;
  /**
   * The memory behind a descriptor that another process's {@link shareMemory} made, whole. The mapping lives as long as
   * the buffer.
   */
  mapMemory(descriptor: number): ArrayBuffer;
  /**
   * A part of what the two above answered. When it has been collected, the first Int32 of `memory` becomes 0, in all
   * processes.
   */
  lendMemory(memory: ArrayBuffer, offset: number, bytes: number): ArrayBuffer;
  /** Gives unused segments back. Returns the bytes. */
  trim(client: number): number;
  /**
   * Has the client map the segment of another client's, of any thread, in which that one has a place, and returns the
   * place as this client names it. Returns −1 where there is no such segment; −2 and −3 as {@link allocate}.
   */
  borrow(client: number, owner: number, place: number): number;
  /** Ends what {@link borrow} answered with that place. */
  giveBack(client: number, place: number): void;
  /** Of device memory. */
  memory(client: number): MemoryStatistics;
  /** Has the client take no more device memory from the device than so many bytes in all. */
  limitMemory(client: number, bytes: number): void;
  /** The largest blocks of device memory that are allocated, at most so many: places and bytes in turns. */
  largest(client: number, count: number): number[];
  /** The most bytes in tensors since this was last asked with `begin`. */
  recentPeak(client: number, begin: boolean): number;
  /**
   * All device memory that is held, by place: four numbers a block, its segment, its place, its bytes, and the origin
   * that it was allocated for, 0 where none is known; −1: it is free. Callable from any thread, also while another
   * allocates.
   */
  blocks(client: number): Float64Array;
  /** The objects of this thread that own blocks of the client's, those that wait for the collector among them. */
  owners(client: number): object[];

  /** Notes an object, without keeping it, and returns a number for it. */
  watch(object: object): number;
  /** The object, or `null` once it has been collected. */
  watched(number: number): object | null;
  /**
   * The numbers of watched objects that the collector has taken, each once, and frees the blocks of owners that it has
   * taken: then 0 is among the numbers. It sees them also in the midst of a job.
   */
  collected(): number[];

  /**
   * Makes every blocking and asynchronous wait of this Node process end with `interrupted`, now and until {@link
   * clearInterrupt}. Callable from any thread.
   */
  interrupt(): void;
  clearInterrupt(): void;
  /** Latest gauges of every open client. Callable from any thread, also while another blocks. */
  gauges(): GaugeSample[];
  /** The name that people know a symbol of C++ by; the symbol itself where it is none. */
  demangled(symbol: string): string;
}

/** The folder of the package: the parent of `lib` and of `dist`. */
const home = fileURLToPath(new URL("../..", import.meta.url));
/** Tests of another build of the two programs (scripts/sanitizers.mjs) name its folder. */
const named = process.env["WARPCELL_NATIVE"];
const folders = named === undefined ? [`${home}build/Release/`, `${home}build/`] : [`${named}/`];
const folder = folders.find((candidate) => existsSync(candidate + "addon.node"));
if (folder === undefined) {
  throw new Error(`The native addon is not built: there is no ${folders[0]}addon.node. Run "npm run build".`);
}

export const binding = createRequire(import.meta.url)(folder + "addon.node") as Binding;
/** The program that hosts a device. */
export const deviceExecutable = folder + "warpcell-device";
/** Kernels of the library that were compiled ahead, a folder per architecture. */
export const kernelsFolder = `${folder}kernels/`;
/** The library's CUDA headers and kernels (`native/device`). */
export const deviceSources = `${home}device/`;
