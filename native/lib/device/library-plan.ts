// A planned call of a vendor's library on a device: asks for it once, runs it as cheaply as a kernel, and plans it
// again in every new process.
import { Recording } from "../wire/recording.ts";
import { writeRun, type RunPlaces } from "../wire/run.ts";
import { DeviceError } from "../errors.ts";
import { afterCollection } from "./collection.ts";
import { describePlans } from "./origins.ts";
import type { Execution } from "./execution.ts";
import type { DeviceProcess } from "./process.ts";

export type { RunPlaces } from "../wire/run.ts";

/** What a device chose for a call. */
export interface LibraryChoice {
  /** "OpenBLAS", "cuBLASLt". */
  readonly library: string;
  readonly version: string;
  readonly path: string;
  /** In the library's own words. */
  readonly algorithm: string;
}

/** Operands of a first run, which may be measured. */
export interface Trial {
  readonly places: RunPlaces;
  readonly scalars: readonly number[];
}

interface Entry {
  readonly number: number;
  readonly text: string;
  readonly choice: Uint8Array;
}

/** What one device has planned. */
interface Plans {
  /** By text: a plan, or why no library serves it. */
  readonly known: Map<string, LibraryPlan | DeviceError>;
  /** What a new process must be sent; of plans that nobody can run any more the numbers are free. */
  readonly entries: Map<number, Entry>;
  readonly free: number[];
}

/** Most plans that a device remembers by their text. */
const mostKnown = 4096;

const plans = new WeakMap<DeviceProcess, Plans>();
const names = new Map<number, string>();
const next = { number: 1 };
const nothing = new Uint8Array();

describePlans((number) => names.get(number));

function plansOf(device: DeviceProcess): Plans {
  const known = plans.get(device);
  if (known !== undefined) return known;
  const fresh: Plans = { known: new Map(), entries: new Map(), free: [] };
  plans.set(device, fresh);
  device.onRestart(() => {
    for (const { number, text, choice } of fresh.entries.values())
      device.request("plan", { plan: number, call: text, choice, trial: nothing });
  });
  return fresh;
}

function isRefusal(error: unknown): error is DeviceError {
  return error instanceof DeviceError && (error.code === "NO_LIBRARY" || error.code === "UNSUPPORTED");
}

export class LibraryPlan {
  readonly chosen: LibraryChoice;
  /** Bytes that each run borrows from the device. */
  readonly workspace: number;
  readonly #device: DeviceProcess;
  readonly #number: number;

  private constructor(device: DeviceProcess, number: number, workspace: number, chosen: LibraryChoice) {
    this.#device = device;
    this.#number = number;
    this.workspace = workspace;
    this.chosen = chosen;
  }

  /**
   * The plan of a call with all its terms, e.g. "matmul m=2 n=2 …"; equal texts give the same plan. A new one may be
   * measured by running the `trial`, so what that writes must be written again. Throws DeviceError NO_LIBRARY with the
   * way to get it, UNSUPPORTED.
   */
  static obtain(device: DeviceProcess, text: string, trial?: Trial): LibraryPlan {
    const { known } = plansOf(device);
    const found = known.get(text) ?? LibraryPlan.#remember(device, text, trial);
    if (found instanceof DeviceError) throw found;
    return found;
  }

  /** {@link obtain}, or `null` where no library of the device serves the call. */
  static find(device: DeviceProcess, text: string, trial?: Trial): LibraryPlan | null {
    const found = plansOf(device).known.get(text) ?? LibraryPlan.#remember(device, text, trial);
    return found instanceof DeviceError ? null : found;
  }

  static #remember(device: DeviceProcess, text: string, trial: Trial | undefined): LibraryPlan | DeviceError {
    const { known } = plansOf(device);
    if (known.size >= mostKnown) known.delete(known.keys().next().value!);
    const planned = LibraryPlan.#plan(device, text, trial);
    known.set(text, planned);
    return planned;
  }

  static #plan(device: DeviceProcess, call: string, trial: Trial | undefined): LibraryPlan | DeviceError {
    const { entries, free } = plansOf(device);
    const number = free.pop() ?? next.number++;
    names.set(number, call.slice(0, call.indexOf(" ")));
    try {
      const record = trial === undefined ? nothing : recorded(number, trial);
      const answer = device.request("plan", { plan: number, call, choice: nothing, trial: record });
      const chosen = JSON.parse(answer.chosen) as LibraryChoice;
      const plan = new LibraryPlan(device, number, answer.workspace, chosen);
      names.set(number, `${names.get(number)} of ${chosen.library}`);
      entries.set(number, { number, text: call, choice: answer.choice });
      afterCollection(plan, () => {
        entries.delete(number);
        free.push(number);
      });
      return plan;
    } catch (error) {
      free.push(number);
      if (isRefusal(error)) return error;
      throw error;
    }
  }

  /**
   * Runs it once, with places and scalars as the call has them; returns the sequence. Throws OutOfMemory when there is
   * no room for the workspace.
   */
  run(on: Execution, places: RunPlaces, scalars: readonly number[]): number {
    if (this.workspace === 0) return writeRun(on, this.#number, places, scalars, null);
    const workspace = this.#device.allocate(this.workspace, "device");
    try {
      return writeRun(on, this.#number, places, scalars, workspace);
    } finally {
      // What takes it next is written after this run.
      this.#device.free(workspace);
    }
  }
}

/** The record of a trial, to travel in a message. */
function recorded(plan: number, { places, scalars }: Trial): Uint8Array {
  const target = new Recording();
  writeRun({ target, stream: 0 }, plan, places, scalars, null);
  return target.records[0]!;
}
