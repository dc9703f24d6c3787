// A kernel as notebooks hold it: a declaration and what a compiler made of it into checked launches, figures and
// listings.
import { assemblyOf, type AsmForm, type Assembly } from "./asm.ts";
import { checking } from "./check.ts";
import { counting } from "./line-counts.ts";
import { LoadedModule, type LoadedKernel } from "./loaded-module.ts";
import type { Compilation, Compiled } from "./compilation.ts";
import { deviceSources } from "../wire/binding.ts";
import { maxArgumentBytes } from "../wire/commands.ts";
import { CheckError, CompileError, LaunchError } from "../errors.ts";
import { settingError } from "./launch-error.ts";
import { occupancyOf, type ArchitectureOccupancy, type Occupancy } from "./occupancy.ts";
import { LaunchPlan, type LaunchConfig, type PackedArguments, type Size } from "./plan.ts";
import { blockOf, blocksOver, countsOf, wholeClusters } from "./items.ts";
import { following } from "./thread-steps.ts";
import { lastLaunchTime, noteLaunchTime } from "./launch-times.ts";
import { checkLayout } from "./parameter-layout.ts";
import { keepSamples, samplesOf } from "./samples.ts";
import type { KernelDeclaration } from "./signature.ts";
import { summarize, type Timing } from "./timing.ts";
import type { Execution } from "../device/execution.ts";
import { executionOf, type Stream } from "../device/stream.ts";
import { placeOf } from "../memory/report.ts";
import type { CompiledCode } from "../payloads.ts";
import { worded } from "../wording.ts";

/** What is known of a compiled kernel; `null`: the device does not know. Bytes. */
export interface KernelInfo extends Omit<LoadedKernel, "parameters"> {
  readonly device: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: string;
    readonly offset: number;
    readonly size: number;
  }[];
}

/** `repeats`: timed launches; `warmup`: launches before them. */
export interface TimeConfig extends LaunchConfig {
  readonly repeats?: number;
  readonly warmup?: number;
}

/** Settings of a launch whose grid follows from the number of items. */
export type OverConfig = Omit<LaunchConfig, "grid" | "block"> & { readonly block?: Size };

const cpuBlock = 256;

/**
 * What a kernel is besides its methods: a function that refuses to be called, because a call says nothing of grid and
 * block.
 */
class Uncallable {
  constructor(refuse: () => never) {
    return Object.setPrototypeOf(refuse, new.target.prototype) as this;
  }
}

/**
 * A `__global__` function that can be launched, from a `%%cuda` cell or {@link compile}; `A` are the types of its
 * arguments. A launch does not wait; arguments and sizes are checked before, and a LaunchError says which is wrong.
 * @example
 * const module = await compile('extern "C" __global__ void twice(float* p) { p[threadIdx.x] *= 2; }');
 * const twice = module.kernels.twice as Kernel;
 * const x = tensor([1, 2, 3]);
 * twice.launch({ grid: 1, block: 3 }, x);
 * x; // → tensor([2, 4, 6], shape [3], float32, cpu)
 */
export class Kernel<A extends readonly unknown[] = readonly unknown[]> extends Uncallable {
  /** As CUDA C++ names it: "fill", "ns::axpy<float>". */
  readonly name: string;
  /** The text that it was compiled from. */
  readonly source: string;
  /** Registers, shared memory, parameters, and what else the compiler made of it. */
  readonly info: KernelInfo;
  readonly #compilation: Compilation;
  readonly #module: LoadedModule;
  readonly #id: number;
  readonly #plan: LaunchPlan;
  readonly #maxThreads: number;
  readonly #instance: Instance;
  /** Not of what users may have changed. */
  readonly #facts: Omit<CompiledCode, "lastTime">;
  #suggestedBlock: number | undefined;
  /** For {@link check}, {@link sourceCounters} and {@link traceThread}. */
  readonly #copies: { checked?: Kernel<A>; counted?: Kernel<A>; followed?: Kernel<A> } = {};

  /**
   * For the library: kernels come from `compile`. Throws CompileError when the compiler lays the parameters out
   * differently from how the declaration was read.
   */
  constructor(
    name: string,
    declaration: KernelDeclaration,
    templateArguments: readonly string[],
    compilation: Compilation,
    module: LoadedModule,
    index: number,
  ) {
    super(() => {
      const call = `(${declaration.written.map((parameter) => parameter.name).join(", ")})`;
      throw new LaunchError(
        "CALL",
        `A kernel is launched, not called: write ${name}.over(n)${call} for n threads, or ${name}.launch({ grid, block }${call === "()" ? "" : ", "}${call.slice(1)}.`,
      );
    });
    const { device } = compilation;
    const loaded = module.kernels[index]!;
    const { parameters, bytes } = declaration.parameters(templateArguments);
    checkLayout(name, parameters, loaded);
    if (bytes > maxArgumentBytes)
      throw new CompileError(
        `Kernel ${name} has ${bytes} bytes of parameters, more than the ${maxArgumentBytes} that can be passed. Pass what is large as a tensor.`,
        "",
      );
    this.name = name;
    this.source = compilation.source;
    this.info = {
      ...loaded,
      name,
      device: device.name,
      parameters: parameters.map(({ name: parameter, type, offset }) => ({
        name: parameter,
        type: type.name,
        offset,
        size: type.size,
      })),
    };
    this.#compilation = compilation;
    this.#instance = { name, declaration, args: templateArguments };
    this.#facts = {
      kind: "kernel",
      name,
      signature: signatureText(name, this.info),
      device: device.name,
      registers: loaded.registers,
      shared: loaded.shared,
      execution: loaded.execution,
      place:
        compilation.cell === null
          ? null
          : placeOf({ ...compilation.cell, label: compilation.name, line: declaration.line }),
    };
    this.#module = module;
    this.#id = module.firstKernel + index;
    keepSamples(this.#id, new Map());
    this.#plan = new LaunchPlan(name, this.#id, parameters, bytes, device, loaded, module);
    this.#maxThreads = Math.min(device.properties.maxThreadsPerBlock, loaded.maxThreads ?? Infinity);
  }

  /**
   * Launches the kernel; it runs asynchronously. Throws LaunchError before anything is submitted: for a wrong count or
   * type of arguments, a number out of its parameter's range, a tensor of another dtype or device, disposed of or not
   * contiguous, a size over the device's limits.
   */
  launch(config: LaunchConfig, ...args: A): void {
    this.#compilation.beforeLaunch?.();
    this.#launch(this.#on(config?.stream), config, args);
  }

  #launch(on: Execution, config: LaunchConfig, args: A): void {
    const followed = this.#followed(on);
    this.#module.claim();
    if (followed === null) return this.#plan.launch(on, config, args);
    if (followed !== this) return followed.#launch(on, config, args);
    this.#plan.follow(on, config, args, this.#compilation);
  }

  /** The kernel whose launches are followed in place of its own; `null`: none is. */
  #followed(on: Execution): Kernel<A> | null {
    const { isChecked, isCounted, isFollowed } = this.#compilation;
    // What is recorded runs later, and is not followed.
    if (on.target.runsLater) return null;
    const isTraced = following.current?.isDone === false;
    if ((isTraced || counting.current !== null) && on.device.kind !== "cpu")
      throw new CheckError(
        "NO_CHECK",
        `Kernel ${this.name} is for ${on.device.name}, but launches are ${isTraced ? "traced" : "counted"} on the cpu device: compile it with --device cpu, or { device: "cpu" }, and give it tensors of the cpu.`,
      );
    if (isTraced) return isFollowed ? this : (this.#copies.followed ??= this.#checkedCopy({ follow: true }));
    if (counting.current !== null)
      return isCounted ? this : (this.#copies.counted ??= this.#checkedCopy({ count: true }));
    if (isChecked) return this;
    if (!checking.current || on.device.kind !== "cpu") return null;
    return (this.#copies.checked ??= this.#checkedCopy({}));
  }

  /** @internal */
  get deviceName(): string {
    return this.info.device;
  }

  /** @internal `null`: the value is no kernel. Runs no code of the user's. */
  static described(value: object): CompiledCode | null {
    return #facts in value ? { ...value.#facts, lastTime: lastLaunchTime(value.#id) } : null;
  }

  /** @internal By which launches name it. */
  get number(): number {
    return this.#id;
  }

  /** @internal Launches it with arguments that host code has packed. */
  launchPacked(config: LaunchConfig, packed: PackedArguments): void {
    this.#compilation.beforeLaunch?.();
    const on = this.#on(undefined);
    const followed = this.#followed(on);
    this.#module.claim();
    if (followed === null) return this.#plan.launchPacked(on, config, packed);
    if (followed !== this) return followed.launchPacked(config, packed);
    this.#plan.followPacked(on, config, packed, this.#compilation);
  }

  /** The same kernel, compiled to be checked, and counted or followed perhaps; it blocks. */
  #checkedCopy(more: { count?: true; follow?: true }): Kernel<A> {
    const compilation = this.#compilation.checkedCopy(more);
    const { name, declaration, args } = this.#instance;
    const instance = { name, declaration, args };
    return loadKernels(compilation, compilation.obtain([name]), [instance])[0] as Kernel<A>;
  }

  /**
   * Launches one thread per item when called with the arguments: `fill.over(n)(p, n, 1)`, or, along x and y,
   * `blur.over([width, height])(image, width, height)`. The last blocks may have threads beyond the items.
   */
  over(items: Size, options: OverConfig = {}): (...args: A) => void {
    if (typeof options !== "object" || options === null)
      throw new LaunchError(
        "BLOCK",
        `The options of over() for kernel ${this.name} must be an object such as { block: 256 }, but got ${worded(options)}.`,
      );
    const counts = countsOf(this.name, items);
    const {
      block = blockOf(this.#blockThreads(), counts.length),
      cluster,
      shared,
      cooperative,
      bytes,
      flops,
      stream,
      ...unknown
    } = options;
    for (const key in unknown)
      throw settingError(this.name, key, "over", "block, cluster, shared, cooperative, bytes, flops and stream");
    const config = {
      grid: wholeClusters(blocksOver(this.name, counts, block), cluster ?? this.info.cluster ?? 1),
      block,
      cluster,
      shared,
      cooperative,
      bytes,
      flops,
    };
    // The functions hold the kernel, and so its module: it must not be unloaded while they live.
    if (counts.includes(0)) return (...args) => void this.#plan.record(config, args);
    return (...args) => {
      this.#compilation.beforeLaunch?.();
      this.#launch(this.#on(stream), config, args);
    };
  }

  #on(stream: Stream | undefined): Execution {
    const { device } = this.#compilation;
    return stream === undefined ? device.execution : executionOf(stream, device);
  }

  #blockThreads(): number {
    if (this.#compilation.device.kind === "cpu") return Math.min(cpuBlock, this.#maxThreads);
    return (this.#suggestedBlock ??= this.occupancy(Math.min(cpuBlock, this.#maxThreads)).suggestedBlock);
  }

  /**
   * How many blocks of `block` threads, with `shared` bytes of dynamic shared memory each, a multiprocessor holds.
   * Throws where the device has none (`cpu`). With `arch`, such as "sm_90", of that architecture by its threads, blocks
   * and shared memory alone, on every device: registers may allow fewer.
   */
  occupancy(block: number, shared?: number): Occupancy;
  occupancy(block: number, shared: number, arch: string): ArchitectureOccupancy;
  occupancy(block: number, shared = 0, arch?: string): Occupancy | ArchitectureOccupancy {
    const { device } = this.#compilation;
    if (arch !== undefined) {
      const { name, info } = this;
      const maxThreads = info.maxThreads ?? Infinity;
      return occupancyOf({ kernel: name, arch, block, shared: (info.shared ?? 0) + shared, maxThreads });
    }
    return JSON.parse(device.request("occupancy", { kernel: this.#id, threads: block, shared }).figures) as Occupancy;
  }

  /**
   * Times launches on the device, in milliseconds. The kernel runs `warmup` + `repeats` times on the same arguments.
   */
  async time(config: TimeConfig, ...args: A): Promise<Timing> {
    const { repeats = 20, warmup = 3, ...launch }: Partial<TimeConfig> = config ?? {};
    if (!Number.isInteger(repeats) || repeats < 1 || !Number.isInteger(warmup) || warmup < 0) {
      throw new LaunchError(
        "REPEATS",
        `To time kernel ${this.name}, repeats ≥ 1 and warmup ≥ 0 must be whole numbers, but got ${worded(repeats)} and ${worded(warmup)}.`,
      );
    }
    const record = this.#plan.record(launch as LaunchConfig, args);
    this.#module.claim();
    const { device } = this.#compilation;
    const answer = device.requestAsync("time", { repeats, warmup, launch: record });
    // At once: a fault must find the mark, and the tensors may be disposed of meanwhile.
    this.#plan.markWritten(args, device.lastSequence);
    const timing = summarize((await answer).milliseconds.map(Number));
    noteLaunchTime(this.#id, timing.samples.at(-1)!);
    return timing;
  }

  /** The kernel's module as PTX. Throws where the device has none (`cpu`). */
  get ptx(): string {
    return this.#disassemble("ptx");
  }

  /** The kernel's module as machine code. Throws where the device or a disassembler has none. */
  get sass(): string {
    return this.#disassemble("sass");
  }

  /**
   * The source beside what compilers made of it, linked line by line: PTX and SASS of a GPU, assembly of the CPU.
   * It has the samples that the last profile took of this kernel.
   */
  get asm(): Assembly {
    const { device, name, cell } = this.#compilation;
    const index = this.#id - this.#module.firstKernel;
    return assemblyOf({
      kernel: this,
      title: name,
      cell,
      symbol: this.#module.lowered[index]!,
      arch: device.properties.arch,
      samples: samplesOf(this.#id),
      text: (form) => this.#disassemble(form),
    });
  }

  #disassemble(form: AsmForm | "ptx" | "sass"): string {
    const { artifact } = this.#module;
    return this.#compilation.device.request("disassemble", { artifact, form, headers: deviceSources }).listing;
  }

  override toString(): string {
    return signatureText(this.name, this.info);
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `kernel ${this.toString()} on ${this.info.device}`;
  }
}

/**
 * A `__global__` template: `axpy.as("float")` is a kernel. `A` are the arguments of any instance.
 * @example
 * const module = await compile("template <class T> __global__ void twice(T* p) { p[threadIdx.x] *= 2; }");
 * const x = tensor([1, 2, 3]);
 * (module.kernels.twice as KernelTemplate).as("float").launch({ grid: 1, block: 3 }, x);
 * x; // → tensor([2, 4, 6], shape [3], float32, cpu)
 */
export class KernelTemplate<A extends readonly unknown[] = readonly unknown[]> extends Uncallable {
  /** As CUDA C++ names it: "axpy". */
  readonly name: string;
  /** The text that it is compiled from. */
  readonly source: string;
  readonly #declaration: KernelDeclaration;
  readonly #compilation: Compilation;
  readonly #instances = new Map<string, Kernel<A>>();

  constructor(declaration: KernelDeclaration, compilation: Compilation) {
    super(() => refuseTemplate(this.name, "over(n)"));
    this.name = declaration.name;
    this.source = compilation.source;
    this.#declaration = declaration;
    this.#compilation = compilation;
  }

  /** @internal */
  get deviceName(): string {
    return this.#compilation.device.name;
  }

  /** @internal Those that were compiled; `null`: the value is no template. Runs no code of the user's. */
  static instancesOf(value: object): Kernel[] | null {
    return #instances in value ? [...(value.#instances as Map<string, Kernel>).values()] : null;
  }

  /**
   * The instance with these template arguments, as C++ text or values: `reduce.as("float", 256)`. Compiled at the first
   * call, which blocks. Throws CompileError.
   */
  as(...args: (string | number | bigint | boolean)[]): Kernel<A> {
    const texts = args.map(String);
    const key = texts.join(", ");
    const known = this.#instances.get(key);
    if (known !== undefined) return known;

    const most = this.#declaration.template!.length;
    if (texts.length > most)
      throw new CompileError(
        `${this.name} takes at most ${most} template argument${most === 1 ? "" : "s"} but got ${texts.length}: ${key}.`,
        "",
      );
    const name = `${this.name}<${key}>`;
    const [kernel] = this.#explaining(texts, () => {
      this.#declaration.parameters(texts);
      return loadKernels(this.#compilation, this.#compilation.obtain([name]), [
        { name, declaration: this.#declaration, args: texts },
      ]);
    });
    this.#instances.set(key, kernel as Kernel<A>);
    return kernel as Kernel<A>;
  }

  /** A compiler blames what uses a type that there is not; the user wrote it in `as`. */
  #explaining<T>(args: readonly string[], body: () => T): T {
    try {
      return body();
    } catch (error) {
      const unknown = error instanceof CompileError ? this.#declaration.unknownType(args) : null;
      if (unknown === null) throw error;
      throw new CompileError(
        `${this.name}.as(${args.map((arg) => JSON.stringify(arg)).join(", ")}) names ${unknown}, which is not a known type. Known types are float, double, int, unsigned, long long, unsigned char, half (with cuda_fp16.h) …, float4 and the like, and structs that the cell declares.`,
        (error as CompileError).log,
      );
    }
  }

  override toString(): string {
    const parameters = this.#declaration.template!.map(({ name, fallback }) =>
      fallback === null ? name : `${name} = ${fallback}`,
    );
    return `${this.name}<${parameters.join(", ")}>(${this.#declaration.written.map(({ text }) => text).join(", ")})`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `kernel template ${this.toString()} on ${this.#compilation.device.name}`;
  }
}

function signatureText(name: string, { parameters }: KernelInfo): string {
  return `${name}(${parameters.map((parameter) => `${parameter.name}: ${parameter.type}`).join(", ")})`;
}

function refuseTemplate(name: string, use: string): never {
  throw new LaunchError(
    "TEMPLATE",
    `${name} is a kernel template, which cannot be launched itself. Choose its arguments first: ${name}.as("float").${use}(…).`,
  );
}

// Not in the type, so that the checker says it too.
for (const method of ["launch", "over", "time"]) {
  Object.defineProperty(KernelTemplate.prototype, method, {
    value(this: KernelTemplate) {
      refuseTemplate(this.name, method);
    },
  });
}

export interface Instance {
  /** As CUDA C++ names it: "axpy". */
  readonly name: string;
  readonly declaration: KernelDeclaration;
  readonly args: readonly string[];
}

/**
 * Loads what was compiled, with its variables, and makes a kernel of each instance, in the order in which they were
 * asked for.
 */
export function loadKernels(compilation: Compilation, compiled: Compiled, instances: readonly Instance[]): Kernel[] {
  const { variables } = compilation;
  if (instances.length + variables.length === 0) return [];
  compilation.noteWarnings(compiled.log);
  const module = LoadedModule.load(
    compilation.device,
    compiled.artifact,
    compiled.lowered.slice(0, instances.length),
    compilation.name,
    instances.map(({ name }) => name),
    variables.map(({ variable, isNew }, index) => ({
      variable,
      isNew,
      symbol: compiled.lowered[instances.length + index]!,
    })),
  );
  for (const each of variables) each.isNew = false;
  return instances.map(
    ({ name, declaration, args }, index) => new Kernel(name, declaration, args, compilation, module, index),
  );
}

export type { ArchitectureOccupancy, LaunchConfig, Occupancy, Size };
