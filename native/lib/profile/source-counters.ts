// What launches did in each line of their kernels, in a notebook's hands.
import { CountCollector, counting, type Request, type SourceCounterRow } from "../cuda/line-counts.ts";
import { DeviceProcess } from "../device/process.ts";
import { CheckError } from "../errors.ts";
import { displayKey } from "../tensor/display.ts";
import { worded } from "../wording.ts";
import { htmlOf, textOf } from "./source-counters-text.ts";

/**
 * What launches did in each line of their kernels; see {@link sourceCounters}. It shows itself as the source with a
 * shaded column for each count, and as text.
 * @example
 * const counts = await sourceCounters(() => {});
 * counts.rows; // → []
 */
export class SourceCounters {
  /** A row for each line that ran or that has accesses. */
  readonly rows: readonly SourceCounterRow[];
  /** Launches that were counted. */
  readonly launches: number;
  /** What a reader must know about the counts. */
  readonly notes: readonly string[];
  readonly #requests: readonly Request[];

  /** For the library: use {@link sourceCounters}. */
  constructor(collected: CountCollector) {
    this.rows = collected.rows();
    this.launches = collected.launches;
    this.notes = notesOf(collected);
    this.#requests = collected.requests();
  }

  /** The lines with their counts, as text. */
  toString(): string {
    return textOf(this);
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  [displayKey](): Record<string, string> {
    return { "text/plain": this.toString(), "text/html": htmlOf(this, this.#requests) };
  }
}

function notesOf({ launches, lost, hasStatements }: CountCollector): string[] {
  if (launches === 0)
    return ["No launch was counted: the function launches no kernel of a %%cuda cell, or only by a graph."];
  return [
    ...(hasStatements
      ? []
      : ["How often lines ran is not known: a source does not compile with counters before its statements."]),
    ...(lost === 0 ? [] : [`${lost} accesses are left out: threads of a warp went too far apart to be put together.`]),
  ];
}

/**
 * Runs `fn` and counts what the launches of users' kernels in it do in each line, on the `cpu` device: threads that run
 * it, warps of which only some threads do, sectors of 32 bytes that its accesses to global memory move, conflicts of
 * banks of shared memory, threads that an atomic function has at one address. The launches are checked, too, as those
 * of {@link check} are. Throws CheckError for what they did wrong, and for a launch on a GPU; what `fn` throws.
 * @example
 * const source = 'extern "C" __global__ void apart(float* x) { x[threadIdx.x * 8] = 1; }';
 * const { kernels } = await compile(source, { device: "cpu" });
 * const x = zeros([256], { device: "cpu" });
 * const counts = await sourceCounters(() => (kernels.apart as Kernel).launch({ grid: 1, block: 32 }, x));
 * counts.rows[0].global; // → { requests: 1, transactions: 32, fewest: 4, worst: 32, contention: 0 }
 */
export async function sourceCounters(fn: () => unknown): Promise<SourceCounters> {
  if (typeof fn !== "function")
    throw new CheckError(
      "ARGUMENTS",
      `sourceCounters takes a function, as in sourceCounters(() => kernel.over(n)(x, n)), but got ${worded(fn)}.`,
    );
  const collector = new CountCollector();
  const scope = counting.begin(collector);
  try {
    await fn();
    for (const device of DeviceProcess.all()) await device.synchronizeAsync();
  } finally {
    scope[Symbol.dispose]();
  }
  return new SourceCounters(collector);
}
