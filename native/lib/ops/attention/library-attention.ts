// Attention by a device's library: the terms of the call "attention", and its plan run where it is faster than the
// kernels for tensor cores.
import { measured } from "../../device/event.ts";
import type { Execution } from "../../device/execution.ts";
import { LibraryPlan, type RunPlaces } from "../../device/library-plan.ts";
import type { DeviceProcess } from "../../device/process.ts";
import type { DeviceArray } from "../../memory/array.ts";
import { isNamed } from "../core/dispatch.ts";
import type { AttentionCall, AttentionPath, BackwardCall } from "./paths.ts";
import type { Problem, Steps } from "./problem.ts";
import { ampere, areAligned, halves, hopper } from "./tensor-cores.ts";

/** Operations below which a call is over so soon that a plan, which takes the library up to a second, is not worth it. */
const fewestOperations = 2 ** 34;
/** What the library takes. */
const mostWidth = 256;
/** Sizes for which there are plans on a device. */
const mostSizes = 64;

/** The kernels that do the same, the quickest first. */
const rivals: readonly AttentionPath[] = [hopper, ampere];

/** The library's word for which keys a query sees, `null` where it has none. */
function maskOf({ queries, keys, first, last }: Problem): string | null {
  if (first > 1 - queries) return null;
  if (last >= keys - 1) return "none";
  if (last === 0) return "first";
  return last === keys - queries && last > 0 ? "last" : null;
}

const isBackward = (call: AttentionCall | BackwardCall): call is BackwardCall => "steps" in call;

function termsOf(call: AttentionCall | BackwardCall): string | null {
  const { dtype, problem: p } = call;
  const { batches, heads, group, queries, keys, width, valueWidth } = p;
  const mask = maskOf(p);
  if (mask === null) return null;
  const sizes = [batches, heads, heads / group, queries, keys, width, valueWidth].join("x");
  const steps = ({ batch, head, token }: Steps) => `${batch}x${head}x${token}`;
  const operands = ` type=${dtype} sizes=${sizes} mask=${mask} q=${steps(p.q)} k=${steps(p.k)} v=${steps(p.v)} out=${steps(p.out)}`;
  if (!isBackward(call)) return `attention result=output${operands}`;
  const { dOut, dq, dk, dv } = call.steps;
  return `attention result=gradients${operands} dOut=${steps(dOut)} dq=${steps(dq)} dk=${steps(dk)} dv=${steps(dv)}`;
}

/** What is written, first. */
const written = (call: AttentionCall | BackwardCall): readonly DeviceArray[] =>
  isBackward(call) ? [call.dq, call.dk, call.dv] : [call.out, call.lse];
function placesOf(call: AttentionCall | BackwardCall): RunPlaces {
  const { q, k, v, out, lse } = call;
  const read = isBackward(call) ? [q, k, v, out, lse, call.dOut] : [q, k, v];
  return [...written(call), ...read].map(({ place }) => place);
}

const suits = (call: AttentionCall | BackwardCall) => {
  const { maskKind, softcap, p, width, valueWidth, queries, keys, bend } = call.problem;
  return (
    halves.includes(call.dtype) &&
    maskKind === "none" &&
    softcap === 0 &&
    p === 0 &&
    bend === undefined &&
    [width, valueWidth].every((each) => each > 0 && each % 8 === 0 && each <= mostWidth) &&
    queries > 0 &&
    keys > 0 &&
    areAligned(call) &&
    !(isBackward(call) && call.dLse !== null)
  );
};

/** Of calls that have asked already: their terms are long. */
const found = new WeakMap<AttentionCall, LibraryPlan | null>();

function planOf({ device }: Execution, call: AttentionCall | BackwardCall): LibraryPlan | null {
  const known = found.get(call);
  if (known !== undefined) return known;
  const terms = suits(call) ? termsOf(call) : null;
  const trial = { places: placesOf(call), scalars: [call.problem.scale] };
  const plan = terms === null ? null : LibraryPlan.find(device, terms, trial);
  found.set(call, plan);
  return plan;
}

function run(on: Execution, plan: LibraryPlan, call: AttentionCall | BackwardCall): void {
  const sequence = plan.run(on, placesOf(call), [call.problem.scale]);
  if (sequence === 0) return;
  for (const each of written(call)) each.living().written(sequence, each.bytes);
}

/** Of each plan, whether it is faster: measured when it is new. */
const isFaster = new WeakMap<LibraryPlan, boolean>();

function isQuicker({ device }: Execution, plan: LibraryPlan, call: AttentionCall): boolean {
  const known = isFaster.get(plan);
  if (known !== undefined) return known;
  const rival = rivals.find((each) => each.takes(device.direct, call));
  const timed = (work: (on: Execution) => void) => Math.min(...[0, 1, 2].map(() => measured(device, work)));
  const wins = rival === undefined || timed((on) => run(on, plan, call)) < timed((on) => rival.forward(on, call));
  isFaster.set(plan, wins);
  return wins;
}

const isLarge = ({ problem: { batches, heads, queries, keys, width, valueWidth } }: AttentionCall) =>
  2 * batches * heads * queries * keys * (width + valueWidth) >= fewestOperations;

/** Sizes that are asked for, by device: each costs a plan, so that those of texts of every length are not. */
const asked = new WeakMap<DeviceProcess, Set<string>>();
function isWorthPlan({ device }: Execution, call: AttentionCall): boolean {
  if (!isLarge(call)) return false;
  const known = asked.get(device) ?? new Set<string>();
  asked.set(device, known);
  const { batches, heads, queries, keys, width } = call.problem;
  const sizes = [batches, heads, queries, keys, width].join();
  return known.has(sizes) || (known.size < mostSizes && known.add(sizes).has(sizes));
}

export const byLibrary: AttentionPath = {
  name: "library",
  makesDelta: true,
  takes(on, call) {
    if (isNamed("attention", "library")) return planOf(on, call) !== null;
    // Gradients of queries are added up in another order each time.
    if (isBackward(call) || !isWorthPlan(on, call)) return false;
    const plan = planOf(on, call);
    return plan !== null && isQuicker(on, plan, call);
  },
  library: (on, call) => planOf(on, call)!.chosen,
  forward: (on, call) => run(on, planOf(on, call)!, call),
  backward: (on, call) => run(on, planOf(on, call)!, call),
};
