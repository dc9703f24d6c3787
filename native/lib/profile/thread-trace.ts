// One thread of a kernel, step by step, in a notebook's hands.
import { following, StepCollector, type StepAccess, type ThreadStep, type TracedValue } from "../cuda/thread-steps.ts";
import type { Size } from "../cuda/plan.ts";
import { DeviceProcess } from "../device/process.ts";
import { CheckError } from "../errors.ts";
import { counted, countText } from "../figures.ts";
import { displayKey } from "../tensor/display.ts";
import { escaped, worded } from "../wording.ts";

/** `block`, `thread`: a number, x first, or [x, y, z]; the first of all when left out. */
export interface ThreadChoice {
  readonly block?: Size;
  readonly thread?: Size;
}

/** Rows that are shown; all are in `steps`. */
const mostShown = 200;

/**
 * What one thread of a launch did; see {@link traceThread}. It shows itself as a row for each step: the line, what it
 * changed, what it read and wrote.
 * @example
 * const { kernels } = await compile('extern "C" __global__ void k(float* x) { x[0] = 2; }', { device: "cpu" });
 * const x = zeros([1], { device: "cpu" });
 * const traced = await traceThread(() => (kernels.k as Kernel).launch({ grid: 1, block: 1 }, x));
 * traced.steps[0].accesses; // → [ { how: 'write', name: 'x', index: 0, value: 2 } ]
 */
export class ThreadTrace {
  /** As CUDA C++ names it. */
  readonly kernel: string;
  /** Along x, y and z. */
  readonly block: readonly number[];
  /** Along x, y and z, in its block. */
  readonly thread: readonly number[];
  /** In the order in which the thread came to them; of more than 10,000 the first. */
  readonly steps: readonly ThreadStep[];
  /** How many there were. */
  readonly count: number;

  /** For the library: use {@link traceThread}. */
  constructor({ kernel, block, thread, steps, count }: StepCollector) {
    this.kernel = kernel!;
    this.block = block;
    this.thread = thread;
    this.steps = steps;
    this.count = count;
  }

  /** The steps, a line each. */
  toString(): string {
    const rows = rowsOf(this).map((row) => columns.map(({ of }) => of(row)));
    const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
    const lines = rows.map((row) =>
      row
        .map((cell, at) => (at === 0 ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
        .join("  ")
        .trimEnd(),
    );
    return [headline(this), ...lines, ...notesOf(this).map((note) => `! ${note}`)].join("\n");
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  [displayKey](): Record<string, string> {
    return { "text/plain": this.toString(), "text/html": htmlOf(this) };
  }
}

const triple = (place: readonly number[]): string => `(${place.join(", ")})`;

const headline = ({ kernel, block, thread, count }: ThreadTrace): string =>
  `Thread ${triple(thread)} of block ${triple(block)} of kernel ${kernel}: ${counted(count, "step")}`;

function notesOf({ steps, count, kernel }: ThreadTrace): string[] {
  if (count === 0)
    return [`What ${kernel} does is not known: it does not compile with a note before each of its statements.`];
  const shown = Math.min(steps.length, mostShown);
  return shown === count
    ? []
    : [`${countText(count - shown)} more steps are not shown: .steps has the first ${countText(steps.length)}.`];
}

/** A step, and whether the one before it was in another function. */
interface Row extends ThreadStep {
  readonly isEntered: boolean;
}

const rowsOf = ({ steps }: ThreadTrace): Row[] =>
  steps
    .slice(0, mostShown)
    .map((step, at) => ({ ...step, isEntered: at > 0 && steps[at - 1]!.function !== step.function }));

const valueText = (value: TracedValue): string =>
  Array.isArray(value) ? `[${value.map(oneText).join(", ")}]` : oneText(value as number);
function oneText(value: number | bigint | boolean | string): string {
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(7)));
}

const valuesText = (values: ThreadStep["values"]): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} = ${valueText(value)}`)
    .join(", ");

const verbs: Readonly<Record<StepAccess["how"], string>> = { read: "reads", write: "writes", change: "changes" };

const accessText = ({ name, index, value }: StepAccess): string =>
  `${name}[${index}]${value === null ? "" : ` = ${valueText(value)}`}`;

/** "reads x[3] = 1, y[3] = 2; writes y[3] = 3". */
function accessesText(accesses: readonly StepAccess[]): string {
  let said: string | null = null;
  return accesses
    .map((access, at) => {
      const verb = said === access.how ? "" : `${verbs[access.how]} `;
      const mark = at === 0 ? "" : verb === "" ? ", " : "; ";
      said = access.how;
      return `${mark}${verb}${accessText(access)}`;
    })
    .join("");
}

const columns: readonly { readonly title: string; readonly of: (row: Row) => string }[] = [
  { title: "Line", of: ({ line }) => String(line) },
  { title: "Source", of: ({ text, isEntered, function: name }) => (isEntered ? `${text}  (${name})` : text) },
  { title: "Changes", of: ({ changed }) => valuesText(changed) },
  { title: "Memory", of: ({ accesses }) => accessesText(accesses) },
];

function htmlOf(trace: ThreadTrace): string {
  const style = "text-align:left;white-space:pre;font-family:monospace;padding:0 8px";
  const head = columns.map(({ title }) => `<th style="text-align:left;padding:0 8px">${title}</th>`).join("");
  const body = rowsOf(trace).map((row) => {
    const cells = columns.map(({ of }) => `<td style="${style}">${escaped(of(row))}</td>`);
    // What a reader who points at a row wants to know besides.
    return `<tr title="${escaped(valuesText(row.values))}">${cells.join("")}</tr>`;
  });
  const notes = notesOf(trace).map((note) => `<li>${escaped(note)}</li>`);
  return `<div>${escaped(headline(trace))}</div><table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>${notes.length === 0 ? "" : `<ul>${notes.join("")}</ul>`}`;
}

/**
 * Runs `fn` and follows one thread of the first launch of a user's kernel in it, on the `cpu` device: the statements and
 * conditions that it comes to, what its variables hold, what it reads and writes of tensors and of shared memory. The
 * launch is checked, too, as those of {@link check} are. Throws CheckError for what it does wrong, for a block or a
 * thread that it has not, for a launch on a GPU, and where nothing is launched; what `fn` throws.
 * @example
 * const source = `extern "C" __global__ void steps(float* x) {
 *   int i = threadIdx.x;
 *   float twice = 2 * x[i];
 *   x[i] = twice + 1;
 * }`;
 * const { kernels } = await compile(source, { device: "cpu" });
 * const x = tensor([5, 6, 7], { device: "cpu" });
 * const traced = await traceThread(() => (kernels.steps as Kernel).launch({ grid: 1, block: 3 }, x), { thread: 1 });
 * traced.steps[1].changed; // → { twice: 12 }
 */
export async function traceThread(fn: () => unknown, options: ThreadChoice = {}): Promise<ThreadTrace> {
  if (typeof fn !== "function")
    throw new CheckError(
      "ARGUMENTS",
      `traceThread takes a function, as in traceThread(() => kernel.over(n)(x, n), { thread: 3 }), but got ${worded(fn)}.`,
    );
  const { block = 0, thread = 0, ...unknown } = options;
  for (const key in unknown)
    throw new CheckError("ARGUMENTS", `traceThread has no option ${key}. Its options are block, thread.`);
  const collector = new StepCollector(block, thread);
  const scope = following.begin(collector);
  try {
    await fn();
    for (const device of DeviceProcess.all()) await device.synchronizeAsync();
  } finally {
    scope[Symbol.dispose]();
  }
  if (!collector.isDone)
    throw new CheckError(
      "NO_LAUNCH",
      "traceThread follows a thread of the first launch in the function, which launches no kernel of a %%cuda cell, or only by a graph.",
    );
  return new ThreadTrace(collector);
}
