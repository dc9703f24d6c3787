// Profiles of cells: `%%profile`, cells that launch kernels of `%%cuda --profile`, and the line below each `%%cuda`
// cell, which a profile brings up to date.
import type { Library } from "../cells/library.ts";
import { bundleOf } from "./mime-bundle.ts";
import type { Output } from "../requests/output.ts";
import type { Requests } from "../requests/request.ts";

type CudaModule = Awaited<ReturnType<Library["warpcell"]["compile"]>>;
type AnyKernel = CudaModule["kernels"][string];
type Kernel = InstanceType<Library["warpcell"]["Kernel"]>;
type Profiling = ReturnType<Library["host"]["Profiling"]["begin"]>;
type Latest = Parameters<Parameters<Library["host"]["Profiling"]["whenEnded"]>[0]>[0][number];

interface Footer {
  readonly displayId: string;
  readonly device: string;
  readonly time: string;
  readonly kernels: Map<string, { kernel: AnyKernel; latest: Latest | null }>;
}

export class Profiles {
  readonly #output: Output;
  readonly #requests: Requests;
  /** The one that shows a kernel of a name is the last that made it. */
  readonly #footers: Footer[] = [];
  /** Of the cell that runs. */
  #profiling: Profiling | null = null;
  #library: Library | null = null;

  constructor(output: Output, requests: Requests) {
    this.#output = output;
    this.#requests = requests;
  }

  /** Once, when the library is there. */
  use(library: Library): void {
    this.#library = library;
    library.host.Profiling.whenEnded((latest) => this.#update(latest));
  }

  /** Profiles the cell that begins. Throws what a device refuses with. */
  begin({ host }: Library, label: string, options: { counters: boolean; samples: boolean; typescript: boolean }): void {
    this.#profiling = host.Profiling.begin({ ...options, title: `Profile of ${label}` });
  }

  /** Shows the profile of the cell that has run, if there is one. Rejects with what the work failed with. */
  async end(label: string): Promise<void> {
    const profiling = this.#profiling;
    if (profiling === null) return;
    this.#profiling = null;
    profiling.cell(label);
    const profile = new this.#library!.host.Profile(await profiling.end());
    this.#output.send({
      type: "display",
      request: this.#requests.current.id,
      data: await bundleOf(profile),
      metadata: {},
      displayId: null,
      update: false,
      buffers: [],
    });
  }

  /** Shows what a cell did before it threw, unless the devices' work has failed, too. */
  async endAfterError(label: string): Promise<void> {
    try {
      await this.end(label);
    } catch (error) {
      // It is what the cell has failed with, or follows from it.
      if (!(error instanceof this.#library!.warpcell.WarpcellError)) throw error;
    }
  }

  /** Ends what a cell that failed, or was stopped, has left on. */
  abandon(): void {
    this.#profiling = null;
    this.#library?.host.Profiling.current?.abandon();
  }

  /** From now on every cell is profiled that launches one of these kernels, from the first launch on. */
  watch(module: CudaModule): void {
    module.beforeLaunch(() => {
      const { Profiling } = this.#library!.host;
      if (Profiling.current === null) this.#profiling = Profiling.begin();
    });
  }

  /** Shows the line below a cell of kernels. */
  showKernels({ kernels, cached, milliseconds, device }: CudaModule, displayId: string): void {
    const time = cached
      ? "cached"
      : `compiled in ${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
    const footer = {
      displayId,
      device,
      time,
      kernels: new Map(Object.values(kernels).map((kernel) => [kernel.name, { kernel, latest: null }])),
    };
    this.#forget(footer);
    this.#footers.push(footer);
    this.#show(footer, false);
  }

  /** A kernel that was made again is not kept for the line below its old cell. */
  #forget({ device, kernels }: Footer): void {
    for (const older of this.#footers)
      if (older.device === device) for (const name of kernels.keys()) older.kernels.delete(name);
    this.#footers.splice(0, Infinity, ...this.#footers.filter((footer) => footer.kernels.size > 0));
  }

  #update(latest: readonly Latest[]): void {
    const changed = new Set<Footer>();
    for (const launch of latest) {
      if (launch.operation !== null) continue;
      // An instance of a template stands on the template's line.
      const name = launch.name.replace(/<.*>$/s, "");
      const footer = this.#footers.findLast(
        ({ device, kernels }) => device === launch.device && (kernels.has(launch.name) || kernels.has(name)),
      );
      const line = footer?.kernels.get(launch.name) ?? footer?.kernels.get(name);
      if (line === undefined) continue;
      line.latest = launch;
      changed.add(footer!);
    }
    for (const footer of changed) this.#show(footer, true);
  }

  #show({ displayId, kernels, time }: Footer, update: boolean): void {
    const lines = [...kernels.values()].map(({ kernel, latest }) =>
      [
        String(kernel),
        ...("info" in kernel ? resources(kernel) : []),
        time,
        ...(latest === null ? [] : [lastLaunch(latest)]),
      ].join(" · "),
    );
    const data = { "text/plain": lines.length === 0 ? `no kernels · ${time}` : lines.join("\n") };
    this.#output.send({
      type: "display",
      request: this.#requests.current.id,
      data,
      metadata: {},
      displayId,
      update,
      buffers: [],
    });
  }
}

/** What the device knows. */
function resources(kernel: Kernel): string[] {
  const { registers, shared, spillStores, spillLoads } = kernel.info;
  const spilled = (spillStores ?? 0) + (spillLoads ?? 0);
  return [
    ...(registers === null ? [] : [`${registers} registers`]),
    ...(shared === null || shared === 0 ? [] : [`${shared} bytes shared`]),
    ...(spilled === 0 ? [] : [`${spilled} bytes spilled`]),
    ...occupancy(kernel),
  ];
}

/** Of the block that `over` takes. */
function occupancy(kernel: Kernel): string[] {
  if (kernel.info.registers === null) return [];
  const { suggestedBlock } = kernel.occupancy(Math.min(256, kernel.info.maxThreads ?? 256));
  const { percent, limiter } = kernel.occupancy(suggestedBlock);
  return [`${Math.round(percent)} % occupancy at ${suggestedBlock} threads${percent < 100 ? `, by ${limiter}` : ""}`];
}

function lastLaunch({ start, end, bytes }: Latest): string {
  const nanoseconds = end - start;
  const time =
    nanoseconds < 1e6 ? `${(nanoseconds / 1e3).toPrecision(3)} µs` : `${(nanoseconds / 1e6).toPrecision(3)} ms`;
  return `last launch ${time}${bytes === null || nanoseconds === 0 ? "" : `, ${(bytes / nanoseconds).toPrecision(3)} GB/s`}`;
}
