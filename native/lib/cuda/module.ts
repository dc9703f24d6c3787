// One piece of CUDA C++ compiled: its kernels by name, the TypeScript that declares them, and what the compiler said.
import { Compilation, type Compiled, type CompileOptions } from "./compilation.ts";
import { refuseMain, warningText } from "./compile-failure.ts";
import { parseDiagnostics } from "./compiler-log.ts";
import { almostKernel } from "./device-code.ts";
import type { DeviceVariable } from "./variable.ts";
import { tokenize } from "./tokens.ts";
import { declarationsOf } from "./declarations.ts";
import { deviceNamed } from "../device/choice.ts";
import { EarlierKernels, type EarlierKernel } from "./host/earlier-kernels.ts";
import type { HostFunction } from "./host/host-function.ts";
import { compileHostFunctions, hostFunctions } from "./host/load.ts";
import type { HostCode } from "./program/host-code.ts";
import type { Diagnostic } from "../errors.ts";
import { LongWork } from "../long-work.ts";
import { SharedCode } from "./shared-code.ts";
import { Kernel, KernelTemplate, loadKernels, type Instance } from "./kernel.ts";

/** One name for the type checker: TypeScript text that declares it, with no initialiser. */
export interface KernelDeclarationText {
  readonly name: string;
  readonly text: string;
}

/** What a module has besides its compilation. */
interface Beside {
  readonly after?: CudaModule | undefined;
  readonly host?: HostCode | null;
  /** Kernels of others that its host functions launch. */
  readonly launched?: readonly EarlierKernel[];
}

/**
 * Compiled CUDA C++ on one device, with its kernels by name: what {@link compile} gives.
 * @example
 * const module = await compile("__global__ void nothing() {}");
 * Object.keys(module.kernels); // → [ 'nothing' ]
 */
export class CudaModule {
  /** "cpu", "cuda:0", … */
  readonly device: string;
  /** Under names that TypeScript allows: the kernel's own, without namespaces where that is unambiguous. */
  readonly kernels: Readonly<Record<string, Kernel | KernelTemplate>>;
  /** The variables that the source declares outside of functions, under names that TypeScript allows. */
  readonly globals: Readonly<Record<string, DeviceVariable>>;
  /**
   * Host functions that use `<<<…>>>` or `warpcell::Tensor`, under names that TypeScript allows: all that are not
   * `static`, templates, or of types that TypeScript has not.
   */
  readonly functions: Readonly<Record<string, HostFunction>>;
  /** What the type checker is told of each kernel, variable and host function. */
  readonly declarations: readonly KernelDeclarationText[];
  /** All that the compiler wrote, and its messages about the source. */
  readonly log: string;
  /** The compiler's messages about the source, each with its line. */
  readonly diagnostics: readonly Diagnostic[];
  /** The compiler's warnings about the source as text, each with its line; "" without any. */
  readonly warnings: string;
  /** It came from the cache. */
  readonly cached: boolean;
  /** From the call to loaded kernels. */
  readonly milliseconds: number;
  /** What the module declares, and those that it came after: what `after` gives to later sources. */
  readonly #after: CudaModule | null;
  #shared: SharedCode | null = null;
  readonly #compilation: Compilation;

  /** For the library: use {@link compile}. */
  constructor(
    compilation: Compilation,
    compiled: Compiled | null,
    started: number,
    { after, host = null, launched = [] }: Beside = {},
  ) {
    this.#after = after ?? null;
    const { signatures, device } = compilation;
    const instances = plainInstances(compilation);
    const loaded = compiled === null ? [] : loadKernels(compilation, compiled, instances);
    const { variables } = signatures;
    const declared = compilation.host?.functions ?? [];
    this.declarations = declarationsOf(signatures, declared);
    const names = this.declarations.map(({ name }) => name);
    const globals = compilation.variables.filter(({ isOwn }) => isOwn).map(({ variable }) => variable);
    const values = signatures.kernels.map((declaration) =>
      declaration.template === null
        ? loaded[instances.findIndex(({ name }) => name === declaration.name)]!
        : new KernelTemplate(declaration, compilation),
    );
    this.#compilation = compilation;
    this.device = device.name;
    this.kernels = Object.fromEntries(values.map((value, index) => [names[index]!, value]));
    const globalNames = names.slice(values.length, values.length + variables.length);
    const functionNames = names.slice(values.length + variables.length);
    const functions =
      host === null ? [] : hostFunctions(compilation, host, [...values, ...launched.map(({ value }) => value)]);
    this.functions = Object.fromEntries(functions.map((fn, index) => [functionNames[index]!, fn]));
    this.globals = Object.fromEntries(globals.map((variable, index) => [globalNames[index]!, variable]));
    this.log = compiled?.log ?? "";
    const isWithoutKernels = signatures.kernels.length === 0 && compilation.host === null;
    const almost = isWithoutKernels ? almostKernel(tokenize(compilation.source).tokens) : null;
    this.diagnostics = [...parseDiagnostics(this.log, compilation.name), ...(almost === null ? [] : [almost])];
    this.warnings = warningText(
      compilation,
      this.diagnostics.filter(({ severity }) => severity === "warning"),
    );
    this.cached = (compiled?.cached ?? true) && (host?.cached ?? true);
    this.milliseconds = performance.now() - started;
  }

  /** @internal */
  get shared(): SharedCode {
    if (this.#shared !== null) return this.#shared;
    const { name, source, folders } = this.#compilation;
    const shared = this.#after?.shared.copy() ?? new SharedCode();
    shared.take({ key: `module ${shared.sources.length}`, name, source, folders }, Object.values(this.globals));
    return (this.#shared = shared);
  }

  /** @internal */
  get earlierKernels(): EarlierKernels {
    const before = this.#after?.earlierKernels ?? new EarlierKernels();
    return before.copy().take(Object.values(this.kernels));
  }

  /** Has `listener` called before each launch of the module's kernels, templates' included; `null`: nobody. */
  beforeLaunch(listener: (() => void) | null): void {
    this.#compilation.beforeLaunch = listener;
  }
}

function plainInstances({ signatures }: Compilation): Instance[] {
  return signatures.kernels
    .filter(({ template }) => template === null)
    .map((declaration) => ({ name: declaration.name, declaration, args: [] }));
}

/**
 * Compiles CUDA C++ for a device and loads its kernels. Templates are compiled per instance, when `as` is called.
 * Throws CompileError with diagnostics and the compiler's log; DeviceUnavailable.
 * @example
 * const { kernels } = await compile(`
 *   extern "C" __global__ void fill(float* p, int n, float value) {
 *     int i = blockIdx.x * blockDim.x + threadIdx.x;
 *     if (i < n) p[i] = value;
 *   }`);
 * const y = zeros([4]);
 * (kernels.fill as Kernel).over(4)(y, 4, 1.5);
 * y; // → tensor([1.5, 1.5, 1.5, 1.5], shape [4], float32, cpu)
 */
export async function compile(source: string, options: CompileOptions = {}): Promise<CudaModule> {
  const started = performance.now();
  const { after, brought: given, earlier = after?.earlierKernels } = options;
  const launched = earlier?.for(source, () => deviceNamed(options.device).name) ?? [];
  const heads = launched.map(({ declaration }) => declaration).join("");
  const brought = given ?? after?.shared.before(`${source}\n${heads}`, "", options.defines);
  const compilation = new Compilation(source, brought === undefined ? options : { ...options, brought });
  using _line = new LongWork(`Compiling ${compilation.name}`);
  // Two compilers at once.
  const [compiled, host] = await Promise.all([
    compilation.obtainAsync(plainInstances(compilation).map(({ name }) => name)),
    compilation.host === null ? null : compileHostFunctions(compilation, options, launched),
  ]);
  refuseMain(compilation);
  return new CudaModule(compilation, compiled, started, { after, host, launched });
}

/** The kernel templates of `source`, with nothing compiled yet. */
export function declareTemplates(source: string, options: CompileOptions): CudaModule {
  return new CudaModule(new Compilation(source, options), null, performance.now());
}
