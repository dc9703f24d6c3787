// Every error of the library: turns what went wrong into one class with a stable code, a sentence and its data.
import { placeText, type CodePlace } from "./device/origins.ts";

/**
 * What every error of the library is. `code` is stable, the sentence in `message` is not.
 * @example
 * try {
 *   zeros([2]).reshape([3]);
 * } catch (error) {
 *   error instanceof WarpcellError; // → true
 * }
 */
export class WarpcellError extends Error {
  /** What kind of error it is, in capitals: stable, unlike the sentence. */
  readonly code: string;

  constructor(code: string, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/**
 * A device that cannot be used here: no driver, no such GPU, the device process does not start.
 * @example
 * try {
 *   zeros([1], { device: "cuda:4096" });
 * } catch (error) {
 *   error instanceof DeviceUnavailable; // → true
 * }
 */
export class DeviceUnavailable extends WarpcellError {
  /** "cpu", "cuda:0", … */
  readonly device: string;

  constructor(code: string, device: string, sentence: string, options?: ErrorOptions) {
    super(code, sentence, options);
    this.device = device;
  }
}

/**
 * A device refused a request; it goes on working. `details` is its own text, a driver's log for example.
 * @example
 * try {
 *   (await compile("__global__ void f() {}")).kernels.f.toString();
 * } catch (error) {
 *   if (error instanceof DeviceError) console.log(error.code, error.details);
 * }
 */
export class DeviceError extends WarpcellError {
  /** The device that refused: "cpu", "cuda:0", … */
  readonly device: string;
  /** The device's own text, a driver's log for example; "" without one. */
  readonly details: string;

  constructor(code: string, device: string, sentence: string, details = "") {
    super(code, sentence);
    this.device = device;
    this.details = details;
  }
}

/** A launch that may be to blame for a fault. */
export interface FaultCandidate {
  sequence: number;
  kernel: string;
  /** The line that launched it; `undefined` when nobody knows. */
  place: CodePlace | undefined;
}

export interface FaultFacts {
  device: string;
  /** The name of the kernel that is to blame, or the first that may be. */
  kernel: string | undefined;
  place: CodePlace | undefined;
  block?: [number, number, number] | undefined;
  thread?: [number, number, number] | undefined;
  sequence: number | undefined;
  candidates: FaultCandidate[];
}

/**
 * A kernel broke its device process (or the process died). The process has been started again; arrays and kernels are
 * back.
 * @example
 * const { kernels } = await compile('extern "C" __global__ void bad(float* p) { p[1ll << 40] = 1; }');
 * (kernels.bad as Kernel).launch({ grid: 1, block: 1 }, zeros([1]));
 * await synchronize().catch((error) => error instanceof DeviceFault && error.kernel); // → 'bad'
 */
export class DeviceFault extends WarpcellError implements FaultFacts {
  /** The device whose process broke: "cpu", "cuda:0", … */
  readonly device: string;
  /** The kernel that ran, or the first that may be to blame; `undefined` when nobody knows. */
  readonly kernel: string | undefined;
  /** The line that launched it; `undefined` when nobody knows. */
  readonly place: CodePlace | undefined;
  /** The same as text, "Cell [3]:4". */
  readonly where: string | undefined;
  /** The block that broke it, where the device says so. */
  readonly block: [number, number, number] | undefined;
  /** The thread that broke it, where the device says so. */
  readonly thread: [number, number, number] | undefined;
  /** The number of the command, in the order of submission. */
  readonly sequence: number | undefined;
  /** All launches that may be to blame. */
  readonly candidates: FaultCandidate[];

  constructor(code: string, sentence: string, facts: FaultFacts) {
    super(code, sentence);
    this.device = facts.device;
    this.kernel = facts.kernel;
    this.place = facts.place;
    this.where = facts.place && placeText(facts.place);
    this.block = facts.block;
    this.thread = facts.thread;
    this.sequence = facts.sequence;
    this.candidates = facts.candidates;
  }
}

/**
 * The user interrupted while a device was working. The work is lost; arrays and kernels are back.
 * @example
 * // "Interrupt the kernel" ends the wait for a device with it.
 * await synchronize().catch((error) => {
 *   if (!(error instanceof InterruptedError)) throw error;
 * });
 */
export class InterruptedError extends WarpcellError {
  /** The device that was working: "cpu", "cuda:0", … */
  readonly device: string;
  /** The kernel that ran, or the first that may be to blame; `undefined` when nobody knows. */
  readonly kernel: string | undefined;
  /** The line that launched it; `undefined` when nobody knows. */
  readonly place: CodePlace | undefined;
  /** The same as text, "Cell [3]:4". */
  readonly where: string | undefined;

  constructor(sentence: string, device: string, kernel: string | undefined, place: CodePlace | undefined) {
    super("INTERRUPTED", sentence);
    this.device = device;
    this.kernel = kernel;
    this.place = place;
    this.where = place && placeText(place);
  }
}

/** One message of a compiler, relative to the source that it was given (lines and columns from 1). */
export interface Diagnostic {
  line: number;
  column: number;
  severity: "error" | "warning" | "note";
  message: string;
}

/**
 * CUDA C++ that does not compile. `log` is all that the compiler wrote.
 * @example
 * await compile("__global__ void f( {}").catch((error) => error instanceof CompileError); // → true
 */
export class CompileError extends WarpcellError {
  /** What the compiler found, by line. */
  readonly diagnostics: Diagnostic[];
  /** All that the compiler wrote. */
  readonly log: string;

  constructor(sentence: string, log: string, diagnostics: Diagnostic[] = []) {
    super("COMPILE", sentence);
    this.log = log;
    this.diagnostics = diagnostics;
  }
}

/**
 * A program with `main()` that did not come to its end: it crashed, a kernel of it did, or it could not be started. One
 * that ends with an exit code, whatever it is, throws nothing.
 * @example
 * await runProgram("int main() { volatile int* p = nullptr; *p = 1; }").catch((error) => error.code); // → 'PROGRAM_CRASH'
 */
export class ProgramError extends WarpcellError {
  /** The kernel that was launched last; `null` for none. */
  readonly kernel: string | null;
  /** The line that launched it. */
  readonly line: number | null;

  constructor(code: string, sentence: string, kernel: string | null = null, line: number | null = null) {
    super(code, sentence);
    this.kernel = kernel;
    this.line = line;
  }
}

/**
 * A host function of a `%%cuda` cell that was called wrongly, or that threw: `WARPCELL_CHECK`, an exception of C++, a
 * launch or a call of CUDA that failed. The device goes on working.
 * @example
 * const { functions } = await compile(`
 *   warpcell::Tensor positive(const warpcell::Tensor& x, int n) {
 *     WARPCELL_CHECK(n > 0, "n must be positive, not ", n);
 *     return x;
 *   }`);
 * try {
 *   functions.positive(zeros([1]), -1);
 * } catch (error) {
 *   error instanceof HostFunctionError && error.code; // → 'CHECK'
 * }
 */
export class HostFunctionError extends WarpcellError {
  /** The function's name in C++. */
  readonly function: string;
  /** The line of the cell that it was at; `undefined` when nobody knows. */
  readonly place: CodePlace | undefined;
  /** The same as text, "Cell [3]:4". */
  readonly where: string | undefined;

  constructor(
    code: "ARGUMENT" | "ARGUMENTS" | "CHECK" | "EXCEPTION" | "CALL",
    sentence: string,
    name: string,
    place?: CodePlace,
  ) {
    super(code, sentence);
    this.function = name;
    this.place = place;
    this.where = place && placeText(place);
  }
}

/**
 * A launch that breaks a rule: found before the run, or by the device before the kernel begins.
 * @example
 * try {
 *   validateLaunch({ grid: 1, block: 100_000 });
 * } catch (error) {
 *   error instanceof LaunchError; // → true
 * }
 */
export class LaunchError extends WarpcellError {
  /** The line that launched, of what the device refused, which comes later; else the error's stack has it. */
  readonly place: CodePlace | undefined;

  constructor(code: string, sentence: string, place?: CodePlace) {
    super(code, sentence);
    this.place = place;
  }
}

/** One mistake that a checked launch made. */
export interface CheckFinding {
  /**
   * "bounds", "address", "disposed", "unwritten", "race", "barrier", "ended", "stuck", "mask", "shuffle", "index",
   * "alignment", "null", "division", "overflow", "shift", "warning" or "unreached".
   */
  readonly kind: string;
  readonly kernel: string;
  /** Of the cell, from 1; `undefined` when nobody knows. */
  readonly line: number | undefined;
  /** Of a race: the line of the other access. */
  readonly otherLine: number | undefined;
  /** What went wrong, where it happened first, and in how many threads. */
  readonly sentence: string;
  /** How many threads did it. */
  readonly threads: number;
  /** Where it happened first; `undefined` for what no thread does. */
  readonly block: readonly number[] | undefined;
  readonly thread: readonly number[] | undefined;
}

/**
 * What checked launches of kernels did wrong: of `%%cuda --check`, `compile(source, { check: true })` and {@link check}.
 * The worst comes first. The device goes on working, and what was written outside of a tensor has been undone.
 * @example
 * const { kernels } = await compile('extern "C" __global__ void last(float* x, int n) { x[n] = 1; }', { check: true });
 * (kernels.last as Kernel).launch({ grid: 1, block: 1 }, zeros([3]), 3);
 * await synchronize().catch((error) => error instanceof CheckError && error.findings[0].kind); // → 'bounds'
 */
export class CheckError extends WarpcellError {
  /** What was found, the worst first. */
  readonly findings: readonly CheckFinding[];
  /** The kernel of the first finding. */
  readonly kernel: string | undefined;
  /** The line that launched it; `undefined` when nobody knows. */
  readonly place: CodePlace | undefined;
  /** The same as text, "Cell [3]:4". */
  readonly where: string | undefined;

  constructor(code: string, sentence: string, findings: readonly CheckFinding[] = [], place?: CodePlace) {
    super(code, sentence);
    this.findings = findings;
    this.kernel = findings[0]?.kernel;
    this.place = place;
    this.where = place && placeText(place);
  }
}

/** Figures of an allocator, and its blocks as the addon lists them. */
export interface HeldMemory {
  readonly client: number;
  readonly allocated: number;
  readonly reserved: number;
  readonly peak: number;
  readonly blocks: Float64Array;
}

/**
 * There is no memory left on a device. `requested` are the bytes that were wanted.
 * @example
 * try {
 *   zeros([2 ** 50]);
 * } catch (error) {
 *   error instanceof OutOfMemory; // → true
 * }
 */
export class OutOfMemory extends WarpcellError {
  /** The device that is full: "cpu", "cuda:0", … */
  readonly device: string;
  /** The bytes that were wanted. */
  readonly requested: number;
  /** @internal What the device's memory held when it was thrown; `null`: no memory of a device was wanted. */
  readonly #held: HeldMemory | null;

  constructor(sentence: string, device: string, requested: number, held: HeldMemory | null = null) {
    super("OUT_OF_MEMORY", sentence);
    this.device = device;
    this.requested = requested;
    this.#held = held;
  }

  /** @internal Whatever was thrown. */
  static heldAt(thrown: unknown): HeldMemory | null {
    return thrown instanceof OutOfMemory ? thrown.#held : null;
  }
}

/**
 * A tensor used in a way that it does not allow: shape, dtype, device, disposed.
 * @example
 * try {
 *   zeros([2]).add(zeros([3]));
 * } catch (error) {
 *   error instanceof TensorError; // → true
 *   error.code; // → 'SHAPE'
 * }
 */
export class TensorError extends WarpcellError {}

/**
 * A tensor that is not what a function wants: see `checkTensor`.
 * @example
 * try {
 *   checkTensor(zeros([4]), { ndim: 2 });
 * } catch (error) {
 *   error.message; // → 'input must be 2D, but has shape [4].'
 * }
 */
export class TensorCheckError extends TensorError {}

/**
 * Gradients that cannot be had: an operation without one, a tape that is used up, a tensor that was changed since.
 * @example
 * try {
 *   tensor([1]).backward();
 * } catch (error) {
 *   error instanceof GradientError; // → true
 * }
 */
export class GradientError extends WarpcellError {}

/**
 * A file that is damaged, dishonest about its sizes, or of a kind that is not read. Nothing was allocated for what it
 * promised.
 * @example
 * await io.load(new Uint8Array([1, 2, 3]), { format: "npy" }).catch((error) => error instanceof FormatError);
 * // → true
 */
export class FormatError extends WarpcellError {
  /** The path, or what else the bytes came from. */
  readonly file: string;

  constructor(
    code: "TRUNCATED" | "HEADER" | "SHAPE" | "DTYPE" | "OFFSET" | "RATIO" | "CHECKSUM" | "UNSUPPORTED" | "FORMAT",
    file: string,
    sentence: string,
    options?: ErrorOptions,
  ) {
    super(code, sentence, options);
    this.file = file;
  }
}
