// The payloads that say what a kernel runs on and has compiled. Types only, as in payloads.ts.
import type { TracePlace } from "./payloads-notebook.ts";

/** `comm_msg` data on `warpcell.kernel`, from the front end: what the kernel has compiled, and where. */
export interface KernelRequest {
  readonly request: number;
  readonly kernel: true;
}

/** The kernel's reply. `running`: a cell runs, and the code is that from before it. */
export interface KernelReply {
  readonly request: number;
  readonly code: readonly CompiledCode[];
  /** `null`: the library has not been loaded yet. */
  readonly cache: CacheSize | null;
  /** The devices in use. */
  readonly devices: readonly OpenDevice[];
  readonly running: boolean;
  readonly problem: string | null;
}

/** A kernel or a host function that a name of the notebook leads to. */
export interface CompiledCode {
  readonly kind: "kernel" | "host function";
  /** As CUDA C++ names it: "ns::axpy<float>". */
  readonly name: string;
  /** "axpy(y: float*, x: const float*, n: int)" */
  readonly signature: string;
  readonly device: string;
  /** Of a thread; `null`: not known. */
  readonly registers: number | null;
  /** Static shared memory of a block, in bytes; `null`: not known. */
  readonly shared: number | null;
  /** How the CPU runs the threads of a block: "loop", "split", "fibers: …" with the reason; `null`: not on a CPU. */
  readonly execution: string | null;
  /** Milliseconds of the last launch that was timed or profiled; `null`: none was. */
  readonly lastTime: number | null;
  /** Where it is declared, or the name that leads to it. */
  readonly place: TracePlace | null;
}

/** The folder of compiled code on disk. */
export interface CacheSize {
  readonly directory: string;
  readonly files: number;
  readonly bytes: number;
}

/** A device whose process runs. */
export interface OpenDevice {
  readonly device: string;
  readonly name: string;
  /** Arrays outlive its process. */
  readonly keepsArrays: boolean;
}

/** `comm_msg` data on `warpcell.kernel`, from the front end: remove what was compiled from the disk. */
export interface ClearCacheRequest {
  readonly request: number;
  readonly clear: true;
}

/** The kernel's reply: what was removed; or a sentence. */
export interface ClearCacheReply {
  readonly request: number;
  readonly files: number;
  readonly bytes: number;
  readonly problem: string | null;
}

/** `comm_msg` data on `warpcell.kernel`, from the front end: end the process of this device, and start another. */
export interface RestartDeviceRequest {
  readonly request: number;
  readonly restart: string;
}

/** The kernel's reply: it has started, or a sentence. */
export interface RestartDeviceReply {
  readonly request: number;
  readonly problem: string | null;
}

/** `comm_msg` data on `warpcell.kernel`, from the front end: what `warpcell doctor` finds on this machine. */
export interface MachineRequest {
  readonly request: number;
  readonly machine: true;
}

/** The kernel's reply: what a process of its own has found, since looking may crash; or a sentence. */
export interface MachineReply {
  readonly request: number;
  readonly findings: readonly Finding[];
  readonly problem: string | null;
}

/** One thing that a machine has, or lacks. */
export interface Finding {
  /** Of which device; `null`: of none. */
  readonly device: string | null;
  /** "driver", "compiler", "OpenBLAS", …; "" for the device itself. */
  readonly what: string;
  /** What was found; or what is missing, and how to get it. */
  readonly found: string;
  readonly isMissing: boolean;
}
