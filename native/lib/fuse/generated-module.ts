// A module of generated kernels on one device: compiles its text, at once or beside other work.
import { Compilation, type Compiled } from "../cuda/compilation.ts";
import { LoadedModule } from "../cuda/loaded-module.ts";
import type { DeviceProcess } from "../device/process.ts";
import { onDevice, type ByBlock } from "../ops/kernels/blocks.ts";

interface Options {
  readonly defines: readonly string[];
  readonly flags: (architectures: readonly string[]) => string[];
}
/** As scripts/build-kernels.mjs compiles the library's own. */
export const optionsOf: ByBlock<Options> = {
  serial: {
    defines: ["WARPCELL_SERIAL"],
    flags: ([best]) => [
      "-O3",
      "-fno-semantic-interposition",
      ...(best === "x86-64-v4" ? ["-mprefer-vector-width=512"] : []),
    ],
  },
  threads: { defines: [], flags: () => [] },
};

export class GeneratedModule {
  readonly #device: DeviceProcess;
  readonly #source: string;
  readonly #names: readonly string[];
  readonly #loaded: (module: LoadedModule) => void;
  #isLoaded = false;
  #compiled: Promise<void> | null = null;
  /** What compiling it beside other work has failed with. */
  #failure: { readonly error: unknown } | null = null;

  /** `names`: of the kernels. `loaded` gets the module, once. */
  constructor(device: DeviceProcess, source: string, names: readonly string[], loaded: (module: LoadedModule) => void) {
    this.#device = device;
    this.#source = source;
    this.#names = names;
    this.#loaded = loaded;
  }

  /** Its kernels can run. Else its compilation begins. Throws what an earlier one failed with. */
  isReady(): boolean {
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure.error;
    if (!this.#isLoaded) {
      this.#compiled ??= this.#compilation()
        .obtainAsync(this.#names)
        .then(
          (compiled) => this.#load(compiled),
          (error: unknown) => {
            this.#failure = { error };
          },
        )
        .finally(() => {
          this.#compiled = null;
        });
    }
    return this.#isLoaded;
  }

  /** Resolves at the end of the compilation that is under way. */
  get compiled(): Promise<void> {
    return this.#compiled ?? Promise.resolve();
  }

  /** Compiles it now. Throws CompileError. */
  prepare(): void {
    if (!this.#isLoaded) this.#load(this.#compilation().obtain(this.#names));
  }

  #compilation(): Compilation {
    const { defines, flags } = onDevice(this.#device, optionsOf);
    const { architectures } = this.#device.properties;
    return new Compilation(this.#source, {
      name: "fused.cu",
      device: this.#device.name,
      defines: [...(/__half|__nv_bfloat16/.test(this.#source) ? ["WARPCELL_SIXTEEN_BITS"] : []), ...defines],
      flags: flags(architectures),
    });
  }

  #load({ artifact, lowered }: Compiled): void {
    if (this.#isLoaded) return;
    this.#loaded(LoadedModule.load(this.#device, artifact, lowered, "fused.cu", this.#names));
    this.#isLoaded = true;
  }
}
