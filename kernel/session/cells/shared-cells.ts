// The device code that `%%cuda` cells share: gives a cell what it uses of earlier ones, notes what it declares itself, and
// says which kernels that leaves behind.
import type * as Host from "warpcell/host";
import type { CudaModule } from "warpcell";
import type { CudaOptions } from "../../language/cuda-options.ts";
import type { RanCell } from "./cell-registry.ts";
import type { CudaSource } from "./cuda-source.ts";
import type { Library } from "./library.ts";

/** Options of a compile. */
interface Shared {
  readonly brought: ReturnType<Host.SharedCode["before"]>;
  readonly earlier: Host.EarlierKernels;
}

export class SharedCells {
  readonly #tell: (sources: Host.SharedSource[]) => void;
  #host: typeof Host | null = null;
  #code: Host.SharedCode | null = null;
  /** Of all cells that ran. */
  #kernels: Host.EarlierKernels | null = null;

  /** `tell` hears of all that is shared, whenever that changes. */
  constructor(tell: (sources: Host.SharedSource[]) => void) {
    this.#tell = tell;
  }

  use({ host }: Library): void {
    this.#host = host;
    this.#code = new host.SharedCode();
    this.#kernels = new host.EarlierKernels();
  }

  /** What a cell uses of those that ran before, as options of its compile. */
  before(code: string, { defines, device }: CudaOptions, ran: RanCell): Shared {
    const launched = this.#kernels!.for(code, () => this.#host!.deviceNameOf(device));
    const heads = launched.map(({ declaration }) => declaration);
    return {
      brought: this.#code!.before([code, ...heads].join("\n"), keyOf(ran), defines),
      earlier: this.#kernels!,
    };
  }

  /** What a cell that has compiled declares for others, and what is to be said below it, as lines. */
  take(
    { code, name, includes }: CudaSource,
    ran: RanCell,
    module: CudaModule,
  ): { readonly declared: readonly string[]; readonly told: string } {
    const source = { key: keyOf(ran), name, source: code, folders: includes };
    const { declared, outdated } = this.#code!.take(source, Object.values(module.globals));
    this.#kernels!.take(Object.values(module.kernels));
    this.#tell(this.#code!.sources);
    const lines = [
      ...(Object.keys(module.kernels).length === 0 && declared.length > 0 ? [`declared: ${declared.join(", ")}`] : []),
      ...(outdated.length > 0 ? [this.#host!.outdatedText(outdated)] : []),
    ];
    return { declared, told: lines.map((line) => `${line}\n`).join("") };
  }
}

/** What a cell that runs again has kept: a front end's id of it, or else its name. */
function keyOf({ id, label }: RanCell): string {
  return id ?? label;
}
