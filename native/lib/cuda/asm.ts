// A kernel's machine code as notebooks show it: source and listings side by side, with registers and occupancy.
import { DeviceError } from "../errors.ts";
import type { CodeCell } from "../device/origins.ts";
import type { KernelInfo, Occupancy } from "./kernel.ts";
import { parseAssembly, parsePtx, parseSass, readable, withSamplesOf, type Listing } from "./listings.ts";
import { asmMime, type AsmPayload } from "../payloads.ts";
import type { Samples } from "./samples.ts";
import { binding } from "../wire/binding.ts";

/** Texts that a device process gives of an artifact. */
export type AsmForm = "ptx" | "sass-lines" | "sass-registers" | "assembly";

interface Subject {
  readonly name: string;
  readonly source: string;
  readonly info: KernelInfo;
  occupancy(block: number): Occupancy;
}
interface Given {
  readonly kernel: Subject;
  readonly title: string;
  readonly cell: CodeCell | null;
  readonly symbol: string;
  readonly arch: string;
  readonly samples: Samples;
  readonly text: (form: AsmForm) => string;
}

const displayKey = Symbol.for("Jupyter.display");
/** Threads of a block that the chart of the occupancy has. */
const blockStep = 32;

/** Each form, from nearest to the source on. A device has some of them. */
const forms: readonly { readonly form: AsmForm; readonly parse: (text: string, given: Given) => Listing }[] = [
  { form: "ptx", parse: (text, { symbol, title }) => parsePtx(text, symbol, title) },
  {
    form: "sass-lines",
    parse: (text, { symbol, title, samples, text: textOf }) =>
      parseSass(
        text,
        symbol,
        title,
        optional(() => textOf("sass-registers")),
        samples,
      ),
  },
  { form: "assembly", parse: (text, { symbol, title }) => parseAssembly(text, symbol, title) },
];

export class Assembly {
  readonly kernel: string;
  readonly device: string;
  readonly arch: string;
  readonly title: string;
  readonly source: readonly string[];
  readonly listings: readonly Listing[];
  /** What could not be had, and the way to get it. */
  readonly notes: readonly string[];
  readonly #info: KernelInfo;
  readonly #cell: Given["cell"];
  readonly #occupancy: readonly { block: number; percent: number; limiter: string }[];

  /** For the library: `kernel.asm`. */
  constructor({ kernel, title, cell, arch }: Given, listings: readonly Listing[], notes: readonly string[]) {
    this.kernel = kernel.name;
    this.device = kernel.info.device;
    this.arch = arch;
    this.title = title;
    this.source = kernel.source.split("\n");
    this.listings = listings;
    this.notes = notes;
    this.#info = kernel.info;
    this.#cell = cell;
    this.#occupancy =
      kernel.info.registers === null
        ? []
        : blocks(kernel.info.maxThreads ?? 1024).map((block) => {
            const { percent, limiter } = kernel.occupancy(block);
            return { block, percent, limiter };
          });
  }

  /**
   * The listings one after the other; instructions say their line of the source, and how many samples were taken at
   * them.
   */
  toString(): string {
    const width = String(this.source.length).length;
    const written = this.listings.map(({ name, lines, source, samples }) => {
      const most = samples.reduce((highest, count) => Math.max(highest, count), 0);
      const all = samples.reduce((sum, count) => sum + count, 0);
      const cell = (number: number, room: number): string => `${number === 0 ? "" : number}`.padStart(room);
      const title = [this.kernel, name, this.arch, ...(all === 0 ? [] : [`${all} samples`])].join(" · ");
      return [
        title,
        ...lines.map((line, at) =>
          [cell(source[at]!, width), ...(all === 0 ? [] : [cell(samples[at]!, String(most).length)]), line].join(" │ "),
        ),
      ].join("\n");
    });
    return [...written, ...this.notes.map((note) => `! ${note}`)].join("\n\n");
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  [displayKey](): Record<string, unknown> {
    const { kernel, device, arch, title, source, listings, notes } = this;
    const { registers, shared, spillStores, spillLoads } = this.#info;
    const payload: AsmPayload = {
      version: 1,
      kernel,
      device,
      arch,
      title,
      cell: this.#cell?.cell ?? null,
      count: this.#cell?.count ?? 0,
      source,
      listings,
      registers,
      shared,
      spills: spillStores === null ? null : spillStores + (spillLoads ?? 0),
      occupancy: this.#occupancy,
      notes,
    };
    return { "text/plain": this.toString(), [asmMime]: payload };
  }
}

/** Throws DeviceError where the device has no listing at all. */
export function assemblyOf(given: Given): Assembly {
  const listings: Listing[] = [];
  const refusals: DeviceError[] = [];
  for (const { form, parse } of forms) {
    try {
      listings.push(readable(parse(given.text(form), given), (symbol) => binding.demangled(symbol)));
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      refusals.push(error);
    }
  }
  if (listings.length === 0) throw refusals.at(-1)!;
  const sampled = listings.find(({ samples }) => samples.length > 0);
  const shown =
    sampled === undefined
      ? listings
      : listings.map((listing) => (listing.samples.length > 0 ? listing : withSamplesOf(sampled, listing)));
  // A form that the device never has goes without saying.
  return new Assembly(
    given,
    shown,
    refusals.filter(({ code }) => code !== "NO_SUCH_FORM").map(({ message }) => message),
  );
}

function optional(text: () => string): string {
  try {
    return text();
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return "";
  }
}

function blocks(most: number): number[] {
  return Array.from({ length: Math.floor(most / blockStep) }, (_, index) => (index + 1) * blockStep);
}
