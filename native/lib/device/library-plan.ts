// A planned call of a vendor's library on a device: asks for it once, runs it as cheaply as a kernel, and plans it again
// where a process has not got it.
import { Op } from "../wire/commands.ts";
import { writePlanRelease } from "../wire/mark.ts";
import type { AnswerOf } from "../wire/messages.ts";
import { Recording } from "../wire/recording.ts";
import { writeRun, type RunPlaces } from "../wire/run.ts";
import { DeviceError, type WarpcellError } from "../errors.ts";
import { afterCollection } from "./collection.ts";
import { describePlans } from "./origins.ts";
import type { Execution } from "./execution.ts";
import type { DeviceProcess } from "./process.ts";
import type { Resident } from "./residents.ts";
import { WatchedWords } from "./watched-words.ts";

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

/** What a text has come to. */
interface Known {
  readonly outcome: LibraryPlan | DeviceError;
  /** What it costs to remember, here and in the process. */
  readonly bytes: number;
  /** Since room was last made. */
  isUsed: boolean;
}

/** What one device has planned. */
interface Plans {
  /** By text: a plan, or why no library serves it. */
  readonly known: Map<string, Known>;
  /** Of all that is known. */
  bytes: number;
  /** Numbers of plans that nobody can run any more. */
  readonly free: number[];
}

/**
 * Most bytes of plans that a device remembers by their text: room for some ten thousand matrix products, more than
 * programs have shapes that they use again. What is forgotten is planned again when it is asked for, which takes a
 * product as long as a launch and a wait.
 */
const mostBytes = 16 * 2 ** 20;
/** Room is made for many at once: the device is waited for before it releases them. */
const keptBytes = mostBytes * 0.75;
/** Of a plan besides its text, its choice and what the process keeps: the objects here. */
const planBytes = 1024;

const plans = new WeakMap<DeviceProcess, Plans>();
const names = new Map<number, string>();
const next = { number: 1 };
const nothing = new Uint8Array();

describePlans((number) => names.get(number));

function plansOf(device: DeviceProcess): Plans {
  const known = plans.get(device);
  if (known !== undefined) return known;
  const fresh: Plans = { known: new Map(), bytes: 0, free: [] };
  plans.set(device, fresh);
  return fresh;
}

function isRefusal(error: unknown): error is DeviceError {
  return error instanceof DeviceError && (error.code === "NO_LIBRARY" || error.code === "UNSUPPORTED");
}

export class LibraryPlan {
  readonly chosen: LibraryChoice;
  /** Bytes that each run borrows: of the device, and of its process. */
  readonly workspace: number;
  readonly hostWorkspace: number;
  readonly #device: DeviceProcess;
  readonly #number: number;
  readonly #resident: Resident;
  readonly #hasStatus: boolean;

  private constructor(device: DeviceProcess, number: number, answer: AnswerOf<"plan">, resident: Resident) {
    this.#device = device;
    this.#number = number;
    this.#resident = resident;
    this.#hasStatus = answer.hasStatus;
    this.workspace = answer.workspace;
    this.hostWorkspace = answer.hostWorkspace;
    this.chosen = JSON.parse(answer.chosen) as LibraryChoice;
  }

  /**
   * The plan of a call with all its terms, e.g. "matmul m=2 n=2 …"; equal texts give the same plan, as long as it is
   * remembered. A new one may be measured by running the `trial`, so what that writes must be written again. Throws
   * DeviceError NO_LIBRARY with the way to get it, UNSUPPORTED.
   */
  static obtain(device: DeviceProcess, text: string, trial?: Trial): LibraryPlan {
    const outcome = LibraryPlan.#outcome(device, text, trial);
    if (outcome instanceof DeviceError) throw outcome;
    return outcome;
  }

  /** {@link obtain}, or `null` where no library of the device serves the call. */
  static find(device: DeviceProcess, text: string, trial?: Trial): LibraryPlan | null {
    const outcome = LibraryPlan.#outcome(device, text, trial);
    return outcome instanceof DeviceError ? null : outcome;
  }

  static #outcome(device: DeviceProcess, text: string, trial: Trial | undefined): LibraryPlan | DeviceError {
    const known = plansOf(device).known.get(text) ?? LibraryPlan.#remember(device, text, trial);
    known.isUsed = true;
    return known.outcome;
  }

  static #remember(device: DeviceProcess, text: string, trial: Trial | undefined): Known {
    const plans = plansOf(device);
    LibraryPlan.#forget(device, plans);
    const known = LibraryPlan.#plan(device, text, trial);
    plans.known.set(text, known);
    plans.bytes += known.bytes;
    return known;
  }

  /**
   * Makes room, where there is too little: the oldest go, but those used since the last time get to the end once. Who
   * holds a plan that is forgotten may run it.
   */
  static #forget(device: DeviceProcess, plans: Plans): void {
    if (plans.bytes <= mostBytes) return;
    for (const [text, known] of plans.known) {
      if (plans.bytes <= keptBytes) return;
      plans.known.delete(text);
      if (known.isUsed) {
        known.isUsed = false;
        plans.known.set(text, known);
        continue;
      }
      plans.bytes -= known.bytes;
      if (known.outcome instanceof LibraryPlan) device.residents.withdraw(known.outcome.#resident);
    }
  }

  static #plan(device: DeviceProcess, call: string, trial: Trial | undefined): Known {
    const { residents } = device;
    const { free } = plansOf(device);
    residents.sweep();
    const number = free.pop() ?? next.number++;
    names.set(number, call.slice(0, call.indexOf(" ")));
    try {
      const record = trial === undefined ? nothing : recorded(number, trial);
      const answer = device.request("plan", { plan: number, call, choice: nothing, trial: record });
      const { choice, kept } = answer;
      const resident = residents.add(Op.run, number, 1, {
        send: () => device.request("plan", { plan: number, call, choice, trial: nothing }),
        release: () => writePlanRelease(device.direct, number),
      });
      const plan = new LibraryPlan(device, number, answer, resident);
      names.set(number, `${names.get(number)} of ${plan.chosen.library}`);
      afterCollection(plan, () => {
        residents.drop(resident);
        free.push(number);
      });
      return { outcome: plan, bytes: planBytes + call.length + choice.length + kept, isUsed: false };
    } catch (error) {
      free.push(number);
      if (isRefusal(error)) return { outcome: error, bytes: planBytes + call.length, isUsed: false };
      throw error;
    }
  }

  /**
   * Runs it once, with places and scalars as the call has them; returns the sequence. Where the call has a status, the
   * first wait for the device after it throws what `explain` makes of one that is not 0. Throws OutOfMemory when there
   * is no room for the workspace.
   */
  run(
    on: Execution,
    places: RunPlaces,
    scalars: readonly number[],
    explain?: (status: number) => WarpcellError,
  ): number {
    if (!this.#hasStatus) return this.#write(on, places, scalars, undefined);
    on.checkRuns("check the status of");
    return WatchedWords.of(this.#device).over(
      on,
      0n,
      (word) => this.#failure(Number(BigInt.asIntN(32, word)), explain),
      (status) => this.#write(on, places, scalars, status),
    );
  }

  #write(on: Execution, places: RunPlaces, scalars: readonly number[], status: number | undefined): number {
    const workspace = this.workspace === 0 ? undefined : this.#device.allocate(this.workspace, "device", on.stream);
    try {
      const sequence = writeRun(on, this.#number, places, scalars, workspace, status);
      if (sequence === 0) on.target.keep(this);
      return sequence;
    } finally {
      // What takes it next is written after this run.
      if (workspace !== undefined) this.#device.free(workspace);
    }
  }

  #failure(status: number, explain: ((status: number) => WarpcellError) | undefined): WarpcellError {
    if (explain !== undefined) return explain(status);
    return new DeviceError("LIBRARY", this.#device.name, `${names.get(this.#number)} ended with status ${status}.`);
  }
}

/** The record of a trial, to travel in a message. */
function recorded(plan: number, { places, scalars }: Trial): Uint8Array {
  const target = new Recording();
  writeRun({ target, stream: 0 }, plan, places, scalars, undefined, undefined);
  return target.records[0]!;
}
