// What is told of operations while they run, or takes them over: the tape, a profile, a trace of a
// fused function, autocast.
import type { DeviceArray } from "../../memory/array.ts";
import type { Execution } from "../../device/execution.ts";
import type { DType } from "../../memory/dtype.ts";
import { Scoped } from "../../scoped.ts";
import type { Computation, Operand, Operation } from "./operation.ts";

/** One operation that has been run. */
export interface Applied {
  readonly name: string;
  readonly operation: Operation;
  readonly inputs: readonly Operand[];
  readonly outputs: readonly DeviceArray[];
  readonly attributes: object;
}

/** What is told of operations. */
export interface Recorder {
  /** After an operation ran. */
  record(applied: Applied): void;
  /** Before an in-place one; what it returns is called after. */
  recordInPlace(
    name: string,
    operation: Operation,
    target: DeviceArray,
    inputs: readonly Operand[],
    attributes: object,
  ): (() => void) | null;
}

/** What sees every operation, also those that are not recorded, and those that others run within them. */
export interface Observer {
  /** What it returns is given to {@link after}, which does not come for an operation that failed. */
  before(): number;
  after(applied: Applied, before: number): void;
}

/** What takes an operation over, without having it run. */
export interface Tracer {
  /** The results where the operands are the tracer's own; `null`: the operation is none of its business. */
  trace(
    name: string,
    operation: Operation,
    inputs: readonly Operand[],
    attributes: object,
  ): readonly DeviceArray[] | null;
}

/** What puts work off, to do that of several operations at once. */
export interface Deferrer {
  /** Whether it does the operation's work, on its results or over a target, before anything else is done. */
  takes(
    name: string,
    operation: Computation,
    target: DeviceArray,
    inputs: readonly Operand[],
    attributes: object,
    on: Execution,
  ): boolean;
}

/** What decides in which dtype an operation computes. */
export interface Caster {
  /** What products are computed in. */
  readonly dtype: DType;
  /** The operands, those converted that are to be. */
  operands(name: string, inputs: readonly Operand[]): readonly Operand[];
  /** Runs `fn`, whose operations compute as it decided while it was current. */
  again<T>(fn: () => T): T;
}

/** `null`: nothing is recorded. */
export const recording = new Scoped<Recorder | null>(null);
export const observing = new Scoped<Observer | null>(null);
export const tracing = new Scoped<Tracer | null>(null);
/** `null`: each computes in what it gets. */
export const casting = new Scoped<Caster | null>(null);
export const deferring = new Scoped<Deferrer | null>(null);
export const watching = new Scoped<((operand: DeviceArray) => void) | null>(null);

export function isRecording(): boolean {
  return recording.current !== null;
}

/** Runs `fn` and shows `watch` every operand before its operation runs; what watches already sees them, too. */
export function watchOperands<R>(watch: (operand: DeviceArray) => void, fn: () => R): R {
  const outer = watching.current;
  const both = (operand: DeviceArray) => {
    outer!(operand);
    watch(operand);
  };
  return watching.run(outer === null ? watch : both, fn);
}
