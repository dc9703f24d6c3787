// A piece of CUDA C++ with its options, for one device: turns names of kernels into an artifact, from the cache or the
// device's compiler.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { binding, deviceExecutable, deviceSources } from "../wire/binding.ts";
import { cacheDirectory, CompileCache, cacheKey, type CachedCompilation } from "./cache.ts";
import { areCurrent, dependenciesOf, probes } from "./dependencies.ts";
import type { AnswerOf, RequestOf } from "../wire/messages.ts";
import { deviceNamed } from "../device/choice.ts";
import type { EarlierKernels } from "./host/earlier-kernels.ts";
import { type HostPart, hostPart } from "./host/find.ts";
import { compileFailure, refusal, withExcerpts } from "./compile-failure.ts";
import { hostCode } from "./device-code.ts";
import { CheckError, CompileError, type Diagnostic } from "../errors.ts";
import { parseDiagnostics } from "./compiler-log.ts";
import type { CodeCell } from "../device/origins.ts";
import type { DeviceProcess } from "../device/process.ts";
import { headerFile } from "./header-files.ts";
import type { CudaModule } from "./module.ts";
import { type Brought, nothingBrought, type SharedSource } from "./shared-code.ts";
import { parseSignatures, type Signatures } from "./signature.ts";
import { DeviceVariable } from "./variable.ts";
import { macrosOf, tokenize } from "./tokens.ts";
import { listed, worded } from "../wording.ts";

/** How CUDA C++ is compiled. */
export interface CompileOptions {
  /** What messages call the source, e.g. "Cell [3]". */
  readonly name?: string;
  /** "cpu", "cuda", "cuda:1"; the default device when left out. */
  readonly device?: string;
  /** "c++17" (default), "c++20", … */
  readonly std?: string;
  /** "sm_90a", …; the device's own when left out. */
  readonly arch?: string;
  /** NAME or NAME=VALUE. */
  readonly defines?: readonly string[];
  /** Directories of header files. */
  readonly includes?: readonly string[];
  /** Passed to the compiler as they are. */
  readonly flags?: readonly string[];
  readonly fastMath?: boolean;
  /**
   * Launches are followed, on the `cpu` device only: what one does wrong (an index out of bounds, a race, memory that
   * nothing has written, a barrier that not all threads reach) is a CheckError of the next wait.
   */
  readonly check?: boolean;
  /**
   * And counted, line by line.
   * @internal
   */
  readonly count?: boolean;
  /**
   * And a thread says what its variables hold.
   * @internal
   */
  readonly follow?: boolean;
  /** The log says more: registers, spills, the compiler's own words. */
  readonly verbose?: boolean;
  /** A module whose declarations the source may use, and those that this one could use. */
  readonly after?: CudaModule;
  /** A file of the library's own, which may use any name. */
  readonly isLibrary?: boolean;
  /**
   * The cell that the source is: what shows its kernels leads back there.
   * @internal
   */
  readonly cell?: CodeCell;
  /**
   * What the source uses of other cells.
   * @internal
   */
  readonly brought?: Brought;
  /**
   * Kernels of other cells, which its host functions may launch.
   * @internal
   */
  readonly earlier?: EarlierKernels;
  /**
   * The device's half of a program, whose kernels its host code calls: no TypeScript needs to understand them.
   * @internal
   */
  readonly isProgram?: boolean;
  /**
   * What messages quote in place of the source, whose lines say where they are of it.
   * @internal
   */
  readonly written?: string;
}

/** A variable of the device in a source. */
export interface CompiledVariable {
  readonly variable: DeviceVariable;
  readonly isOwn: boolean;
  /** The source declares it, and has not been loaded yet. */
  isNew: boolean;
}

/** `lowered`: of the kernels, then of the variables. */
export interface Compiled extends CachedCompilation {
  readonly cached: boolean;
  readonly milliseconds: number;
}

// Names of sources appear in logs but must not decide what is found in the cache: the third cell is the first one after
// a restart.
const placeholder = (index: number): string => `\0name${index}\0`;
const placeholderOf = (names: readonly string[]) => (source: SharedSource) => placeholder(names.indexOf(source.name));
// In code that says its name itself it decides.
const saysName = /\bassert\b|\b__FILE__\b/;

/** Warnings that are mistakes. */
const mistakes = /\[-W(?:format|[a-z-]*uninitialized)/;

const caches = new Map<string, CompileCache>();

export function cache(): CompileCache {
  const directory = cacheDirectory();
  const known = caches.get(directory) ?? new CompileCache(directory);
  caches.set(directory, known);
  return known;
}

export class Compilation {
  readonly source: string;
  /** Its host functions; `null` without any. */
  readonly host: HostPart | null;
  /** What the device's compiler gets of it: as many lines and columns. */
  readonly #text: string;
  /** What messages quote of it. */
  readonly #written: string;
  readonly name: string;
  readonly device: DeviceProcess;
  readonly signatures: Signatures;
  /** Those that the source declares, and those that it uses of others. */
  readonly variables: readonly CompiledVariable[];
  /** What it uses of other sources. */
  readonly brought: Brought;
  /** The cell that the source is; `null` for other text. */
  readonly cell: CodeCell | null;
  /** Called before each launch of its kernels. */
  beforeLaunch: (() => void) | null = null;
  /** Its launches are followed. */
  readonly isChecked: boolean;
  /** And counted. */
  readonly isCounted: boolean;
  /** And a thread of them says what its variables hold. */
  readonly isFollowed: boolean;
  /** Of a checked source: mistakes that the compiler has seen, until a launch has told them. */
  readonly warnings: Diagnostic[] = [];
  readonly #given: CompileOptions;
  readonly #options: readonly string[];
  /** Folders of header files that the user names. */
  readonly folders: readonly string[];
  #base: readonly string[] | undefined;

  /**
   * Reads the kernels of `source`. Throws CompileError for one that cannot be called from TypeScript,
   * DeviceUnavailable. `on`: a process to compile with, whatever device the options name. `sharedVariables`: those
   * of another compilation of the same source, which are this one's, too.
   */
  constructor(
    source: string,
    options: CompileOptions,
    on?: DeviceProcess,
    sharedVariables?: readonly CompiledVariable[],
  ) {
    checkForms(source, options);
    this.source = source;
    this.host = options.isLibrary === true || options.isProgram === true ? null : hostPart(source);
    this.#text = this.host?.split.device ?? source;
    this.#written = options.written ?? source;
    this.name = options.name ?? "kernel.cu";
    this.cell = options.cell ?? null;
    this.device = on ?? deviceNamed(options.device);
    this.brought = options.brought ?? options.after?.shared.before(source, "", options.defines) ?? nothingBrought;
    const includes = [...(options.includes ?? []), ...this.brought.folders];
    this.folders = [...includes, ...foldersIn(options.flags ?? [])].map((folder) => resolve(folder));
    const shared = this.brought.text();
    this.#given = options;
    this.isChecked = options.check === true;
    this.isCounted = options.count === true;
    this.isFollowed = options.follow === true;
    if (this.isChecked && this.device.kind !== "cpu")
      throw new CheckError(
        "NO_CHECK",
        `${this.name} is for ${this.device.name}, but launches are checked on the cpu device: write --check --device cpu, or { check: true, device: "cpu" }, and give the kernels tensors of the cpu.`,
      );
    try {
      this.signatures =
        options.isProgram === true
          ? { kernels: [], variables: [] }
          : parseSignatures(this.#text, options.defines, [
              ...includedTexts(shared + this.#text, [...this.folders, `${deviceSources}include`]),
              shared,
            ]);
    } catch (error) {
      throw withExcerpts(error, this);
    }
    const own = options.isLibrary === true ? [] : this.signatures.variables;
    this.variables = sharedVariables?.map((each) => ({ ...each, isNew: false })) ?? [
      ...own.map((declaration) => {
        const kept = this.brought.kept.get(declaration.name);
        const isKept = kept?.isLike(declaration) === true;
        return { variable: isKept ? kept : new DeviceVariable(declaration), isNew: true, isOwn: true };
      }),
      ...[...this.brought.variables.values()].map((variable) => ({ variable, isNew: false, isOwn: false })),
    ];
    const refused =
      options.isLibrary === true
        ? []
        : hostCode(tokenize(this.#text, macrosOf(options.defines ?? [])).tokens, tokenize(shared).tokens);
    const unreachable = this.host?.unreachable ?? null;
    if (unreachable !== null) refused.push(unreachable);
    if (refused.length > 0) throw refusal(this, refused);
    this.#options = optionWords({ ...options, includes });
  }

  /** The same source with the same variables, to be checked, and counted or followed perhaps. */
  checkedCopy(more: { readonly count?: boolean; readonly follow?: boolean }): Compilation {
    const { name, brought } = this;
    const options = { ...this.#given, name, brought, check: true, ...more };
    return new Compilation(this.source, options, this.device, this.variables);
  }

  /** Keeps what of a compiler's log is a mistake of a checked source. */
  noteWarnings(log: string): void {
    // Of variables without a value that are told the compiler warns, too.
    if (!this.isChecked || this.isFollowed) return;
    const found = parseDiagnostics(log, this.name).filter(({ message }) => mistakes.test(message));
    for (const each of found)
      if (!this.warnings.some(({ line, message }) => line === each.line && message === each.message))
        this.warnings.push(each);
  }

  /**
   * The artifact with these kernels ("fill", "axpy<float>") and all variables. Blocks. Throws CompileError with diagnostics. */
  obtain(kernels: readonly string[]): Compiled {
    const started = startNow();
    const key = this.#key(kernels);
    const hit = this.#cached(key, started);
    if (hit !== null) return hit;
    try {
      return this.#store(key, this.device.request("compile", this.#request(kernels)), started);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** {@link obtain} without blocking the event loop. */
  async obtainAsync(kernels: readonly string[]): Promise<Compiled> {
    const started = startNow();
    const key = this.#key(kernels);
    const hit = this.#cached(key, started);
    if (hit !== null) return hit;
    try {
      return this.#store(key, await this.device.requestAsync("compile", this.#request(kernels)), started);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** What the compiler says of the source, of which it makes nothing. Throws CompileError with diagnostics. */
  async syntax(): Promise<string> {
    const request = { ...this.#request([]), expressions: [] };
    try {
      return (await this.device.requestAsync("compile", { ...request, options: [...request.options, "--syntax"] })).log;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #request(kernels: readonly string[]): RequestOf<"compile"> {
    const { name } = this;
    const expressions = this.#expressions(kernels);
    const written = this.brought.before(this.#text, name);
    // NVRTC finds no managed variable, and nothing but kernels reads a cell's: it is the device's. As long, so that
    // columns stay.
    const isManaged = this.device.kind !== "cpu" && this.#given.isProgram !== true;
    const source = isManaged ? written.replaceAll(/\b__managed__\b/g, "__device__ ") : written;
    return { source, name, headers: deviceSources.replace(/\/$/, ""), expressions, options: this.#options };
  }

  /** What the compiler is asked for: kernels, then variables by their addresses. */
  #expressions(kernels: readonly string[]): string[] {
    return [...kernels, ...this.variables.map(({ variable }) => `&${variable.name}`)];
  }

  #key(kernels: readonly string[]): string {
    const { arch, compiler, kind } = this.device.properties;
    this.#base ??= [
      String(binding.protocolVersion),
      kind,
      arch,
      compiler === null ? "" : `${compiler.name} ${compiler.version} ${compiler.path}`,
      // Code for a CPU may use every instruction of the one it was compiled on.
      kind === "cpu" ? (cpus()[0]?.model ?? "") : "",
      // A name with a folder is where a compiler looks for headers first.
      ownHash(),
      this.name.includes("/") ? dirname(resolve(this.name)) : "",
      this.brought.before(this.#text, "", placeholderOf(this.#names)),
      this.#options.join("\0"),
    ];
    return cacheKey([...this.#base, this.#expressions(kernels).join("\n")]);
  }

  #cached(key: string, started: Start): Compiled | null {
    const entry = cache().get(key);
    if (entry === null || (entry.name ?? this.#said) !== this.#said || !areCurrent(entry.dependencies)) return null;
    const { artifact, lowered, log } = entry;
    return {
      artifact,
      lowered,
      log: this.#names.reduce((text, name, index) => text.replaceAll(placeholder(index), name), log),
      cached: true,
      milliseconds: performance.now() - started.ticks,
    };
  }

  #store(key: string, { dependencies, ...compiled }: AnswerOf<"compile">, started: Start): Compiled {
    this.#keep(key, compiled, dependencies, started);
    return { ...compiled, cached: false, milliseconds: performance.now() - started.ticks };
  }

  /**
   * `read`: the files that the compiler has read; `null` when it does not say: what includes nothing is kept then all
   * the same.
   */
  #keep(key: string, compiled: CachedCompilation, read: readonly string[] | null, started: Start): void {
    const own = [this.brought.text(), this.#text, ...this.#options].join("\n");
    if (probes(own) || (read === null && /include|import|=@/.test(own.replace(/\\\r?\n/g, "")))) return;
    const paths = (read ?? []).filter((path) => !path.startsWith(deviceSources));
    const systems = systemFolders(this.device.properties.compiler?.path);
    const dependencies = dependenciesOf(
      paths,
      paths.length === 0 ? [] : [...this.folders, process.cwd()],
      systems,
      started.clock,
    );
    if (dependencies === null) return;
    const texts = () =>
      paths
        .filter((path) => !systems.some((folder) => path.startsWith(`${folder}/`)))
        .map((path) => readFileSync(path, "utf8"));
    // Checked code tells where it is by the names that it was compiled with.
    const hasName = this.isChecked || [own, ...texts()].some((text) => saysName.test(text));
    const name = hasName ? this.#said : null;
    const log = this.#names.reduce((text, each, index) => text.replaceAll(each, placeholder(index)), compiled.log);
    cache().put(key, { ...compiled, log, dependencies, name });
  }

  /** What logs call the source, and those that it uses. */
  get #names(): string[] {
    return [this.name, ...this.brought.sources.map(({ name }) => name)];
  }

  get #said(): string {
    return this.#names.join("\0");
  }

  #explained(error: unknown): unknown {
    if (!(error instanceof CompileError)) return error;
    return compileFailure(
      {
        source: this.#written,
        name: this.name,
        device: this.device.kind,
        signatures: this.signatures,
        isProgram: this.#given.isProgram === true,
        shared: this.brought.sources,
      },
      error.log,
    );
  }
}

/** Options as the device process takes them. */
export function optionWords(options: CompileOptions): string[] {
  return [
    ...(options.std === undefined ? [] : [`--std=${options.std}`]),
    ...(options.arch === undefined ? [] : [`--arch=${options.arch}`]),
    ...(options.defines ?? []).map((define) => `--define=${define}`),
    ...(options.includes ?? []).map((directory) => `--include=${directory}`),
    ...(options.flags ?? []).map((flag) => `--flag=${flag}`),
    ...(options.fastMath === true ? ["--fast-math"] : []),
    ...(options.isLibrary === true ? ["--library"] : []),
    ...(options.check === true ? ["--check"] : []),
    ...(options.count === true ? ["--count"] : []),
    ...(options.follow === true ? ["--follow"] : []),
    ...(options.verbose === true ? ["--verbose"] : []),
  ];
}

/** When a compilation began: on the clock of files, and to tell how long it took. */
interface Start {
  readonly clock: number;
  readonly ticks: number;
}

function startNow(): Start {
  return { clock: Date.now(), ticks: performance.now() };
}

/** Where headers lie that come with a compiler, whose version stands for them. */
export function systemFolders(compiler: string | undefined): string[] {
  const around = compiler === undefined ? [] : [dirname(dirname(compiler)), compiler.replace(/(\/nvidia)\/.*$/, "$1")];
  return ["/usr", ...around, process.env["CUDA_PATH"], process.env["CUDA_HOME"]].filter(
    (folder) => folder !== undefined && isAbsolute(folder) && folder !== "/",
  ) as string[];
}

/** The folders of header files that options of a compiler name: -I/a, -isystem /a, --include-path=/a. */
function foldersIn(flags: readonly string[]): string[] {
  const option = /^(?:-I|-iquote|-isystem|-idirafter|--include-path=?|--include-directory=?)(.*)$/;
  return flags.flatMap((flag, index) => {
    const named = option.exec(flag)?.[1];
    return named === undefined ? [] : named === "" ? flags.slice(index + 1, index + 2) : [named];
  });
}

export function checkForms(source: unknown, options: CompileOptions): void {
  if (typeof source !== "string")
    throw new CompileError(`The CUDA C++ to compile must be text, but got ${worded(source)}.`, "");
  if (typeof options !== "object" || options === null)
    throw new CompileError(
      `The options to compile with must be an object such as { device: "cpu" }, but got ${worded(options)}.`,
      "",
    );
  for (const option of ["defines", "includes", "flags"] as const) {
    const given: unknown = options[option] ?? [];
    if (!Array.isArray(given) || !given.every((each) => typeof each === "string"))
      throw new CompileError(`The option ${option} must be an array of text, but got ${listed(given)}.`, "");
  }
}

let own: string | undefined;

/**
 * One hash over all files that come with the library for device code, and the program that has it compiled: they decide
 * what any source becomes.
 */
export function ownHash(): string {
  if (own !== undefined) return own;
  const hash = createHash("sha256");
  const files = readdirSync(deviceSources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of [...files.sort(), deviceExecutable]) hash.update(`${file}\0`).update(readFileSync(file));
  return (own = hash.digest("hex"));
}

/**
 * The texts of the files in `directories` that the source includes, directly or not, each behind those that it
 * includes: they declare types that kernels take. What only a preprocessor finds, by a macro for example, is not seen.
 */
function includedTexts(source: string, directories: readonly string[]): string[] {
  const found = new Map<string, string>();
  const seen = new Set<string>();
  const scan = (text: string, from: string | null): void => {
    const plain = text.replace(/\\\r?\n/g, "").replace(/\/\*[^]*?\*\//g, " ");
    for (const [, quoted, angled] of plain.matchAll(
      /^[ \t]*(?:#|%:)[ \t]*(?:include(?:_next)?|import)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)/gm,
    )) {
      const file = headerFile({ quoted, angled }, from, directories);
      if (file === null || seen.has(file)) continue;
      seen.add(file);
      const content = readFileSync(file, "utf8");
      scan(content, dirname(file));
      found.set(file, content);
    }
  };
  scan(source, null);
  return [...found.values()];
}
