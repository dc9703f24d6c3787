// The kernels that compute attention: the first of these paths that takes a call runs it.
import type { Execution } from "../../device/execution.ts";
import type { LibraryChoice } from "../../device/library-plan.ts";
import type { DeviceArray } from "../../memory/array.ts";
import { TensorError } from "../../errors.ts";
import type { DType } from "../../memory/dtype.ts";
import { mayTake, refusal, takes, type PathOf } from "../core/dispatch.ts";
import { decoding } from "./decoding.ts";
import { decodingOnCores } from "./decoding-serial.ts";
import { compiled, generic } from "./generic.ts";
import { byLibrary } from "./library-attention.ts";
import type { GradientSteps, Problem } from "./problem.ts";
import { ampere, hopper, ofFloats } from "./tensor-cores.ts";

/** Arrays whose places and steps the problem has. */
export interface AttentionCall {
  readonly dtype: DType;
  readonly problem: Problem;
  readonly q: DeviceArray;
  readonly k: DeviceArray;
  readonly v: DeviceArray;
  readonly mask: DeviceArray | null;
  readonly out: DeviceArray;
  /** [batches, heads, queries] without gaps, as sums are kept: log Σ e^score, −∞ of a query that sees nothing. */
  readonly lse: DeviceArray;
}
export interface BackwardCall extends AttentionCall {
  readonly steps: GradientSteps;
  readonly dOut: DeviceArray;
  /** The gradient of `lse`, where it has one. */
  readonly dLse: DeviceArray | null;
  /** As `lse`: Σ dOut · out of each query, less the gradient of its `lse`. */
  readonly delta: DeviceArray;
  readonly dq: DeviceArray;
  readonly dk: DeviceArray;
  readonly dv: DeviceArray;
}

export interface AttentionPath {
  readonly name: PathOf<"attention">;
  /** It takes calls whose keys grow from run to run of what is recorded. */
  readonly grows?: true;
  /** Its backward pass does not read `delta`. */
  readonly makesDelta?: true;
  takes(on: Execution, call: AttentionCall | BackwardCall): boolean;
  /** The library that computes a call that it takes. */
  library?(on: Execution, call: AttentionCall | BackwardCall): LibraryChoice;
  /** Fills `out` and `lse`. */
  forward(on: Execution, call: AttentionCall): void;
  /** Fills `dq`, `dk` and `dv`. */
  backward(on: Execution, call: BackwardCall): void;
}

const paths: readonly AttentionPath[] = [decoding, decodingOnCores, byLibrary, hopper, ampere, ofFloats, generic];
/** Those that a function of the user's can be compiled into. */
const bentPaths: readonly AttentionPath[] = [hopper, ampere, compiled];

/** Of a call whose keys grow from run to run, and which no path takes. */
export const cannotGrow = (): TensorError =>
  new TensorError(
    "RECORDED",
    "In a graph, attention with a KeyValueCache takes up to 16 queries for each head of keys, whose rows are whole 16 bytes and at most 256 numbers, without a mask and dropout, on a GPU of float32, float16 or bfloat16. Do the rest outside of the graph, such as the first tokens of a text.",
  );

/** Throws TensorError where the path that was named does not take the call, or none does. */
export function pathOf(on: Execution, call: AttentionCall): AttentionPath {
  const { now, bend } = call.problem;
  const isGrowing = now !== undefined;
  const path = (bend === undefined ? paths : bentPaths).find(
    (each) => (each.grows === true || !isGrowing) && mayTake("attention", each.name) && each.takes(on, call),
  );
  if (path === undefined) throw isGrowing ? cannotGrow() : refusal("attention");
  takes(on, "attention", path.name, path.library?.(on, call) ?? null);
  return path;
}
