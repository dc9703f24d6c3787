// Changes in place as the tape sees them: of a tensor, of a view and with it of its base, and of a base under views.
import { DeviceArray, keepBeyondScopes, type Lineage } from "../memory/array.ts";
import type { Storage } from "../memory/storage.ts";
import { GradientError } from "../errors.ts";
import { recording } from "../ops/core/hooks.ts";
import { call, callNamed } from "../ops/core/calls.ts";
import type { Operand, Operation, Viewing } from "../ops/core/operation.ts";
import { operationNamed } from "../ops/core/table.ts";
import { append, isTracked, trackOf } from "./tape.ts";

type Constructor = new (...parameters: unknown[]) => DeviceArray;

/** An array with the memory of `shown` that looks as `like` does and has its history. */
function standIn(like: DeviceArray, shown: DeviceArray = like): DeviceArray {
  const stand = new (like.constructor as Constructor)(shown.living().hold(), like.dtype, like, like.isContiguous);
  stand.track = like.track;
  return stand;
}

/** The operations that made a view of its base, in their order. */
function stepsOf(lineage: Lineage): Lineage[] {
  const steps: Lineage[] = [];
  for (let each = lineage; each.from !== null; each = each.from) steps.unshift(each);
  return steps;
}

/** A view whose base, or another view of it, has changed: what it shows now came about as its base did. */
function renew(view: DeviceArray): void {
  const lineage = view.lineage!;
  const { family } = lineage;
  lineage.seen = family.changes;
  if (family.base.track === null || view.isDisposed) {
    view.track = null;
    return;
  }
  let shown = standIn(family.base, view);
  for (const { name, attributes } of stepsOf(lineage)) {
    const operation = operationNamed(name) as Viewing;
    const next = new (view.constructor as Constructor)(
      shown.living().hold(),
      shown.dtype,
      operation.view(shown, attributes),
    );
    append(name, operation, [shown], [next], attributes);
    shown.dispose();
    shown = next;
  }
  view.track = shown.track;
  shown.dispose();
}

/** Whether an element may be at several places: where a step along an axis is no longer than all steps within it. */
function showsTwice({ shape, strides }: DeviceArray): boolean {
  const axes = [...shape.keys()].filter((axis) => shape[axis]! > 1);
  axes.sort((a, b) => Math.abs(strides[a]!) - Math.abs(strides[b]!));
  let reach = 0;
  return axes.some((axis) => {
    const stride = Math.abs(strides[axis]!);
    const isWithin = stride <= reach;
    reach += (shape[axis]! - 1) * stride;
    return isWithin;
  });
}

/** Throws GradientError where a change of the view cannot be told as one of its base. */
function checkView(name: string, view: DeviceArray, base: DeviceArray): void {
  const why = !base.isContiguous
    ? "a view of a tensor with gaps"
    : showsTwice(view)
      ? "a view that shows elements several times"
      : null;
  if (why !== null)
    throw new GradientError(
      "VIEW_IN_PLACE",
      `${methodOf(name)} would change ${why}, which gradients cannot follow: change its .clone() instead.`,
    );
}

/** The history of a base of which a view was changed: its own but for the view's part, which is the view's. */
function rewrite(name: string, view: DeviceArray, lineage: Lineage): void {
  const { base } = lineage.family;
  const part = { shape: view.shape, strides: view.strides, offset: view.offset - base.offset };
  const steps = stepsOf(lineage).map((step) => ({ name: step.name, attributes: step.attributes }));
  using stand = standIn(base, view);
  append(
    name,
    {
      gradient: ([g], { wanted }) => {
        const whole = g!.isContiguous ? g! : call("clone", [g!]);
        return [
          wanted[0] ? call("cleared", [whole], { part }) : null,
          steps.reduce((shown, step) => callNamed(step.name, [shown], step.attributes)[0]!, whole),
        ];
      },
    },
    [stand, view],
    [stand],
    {},
  );
  base.track = stand.track;
  keepBeyondScopes(base);
}

/**
 * Operations whose gradients read nothing of their first operand: none is kept of what a change in place overwrites.
 */
const readsResultOnly: ReadonlySet<string> = new Set(
  `add sub neg div convert fullLike set where floor ceil round trunc frac sign
  exp exp2 expm1 sqrt rsqrt reciprocal cbrt tan tanh sigmoid erfinv relu`.split(/\s+/),
);

/** Methods in place that are called otherwise than their operation. */
const methods: Readonly<Record<string, string>> = {
  convert: "copy_",
  fullLike: "fill_",
  set: "set",
  where: "maskedFill_",
};
const methodOf = (operation: string): string => methods[operation] ?? `${operation}_`;

/** What the target was, for the gradient: a copy where that may read it, since its memory is about to change. */
function kept(name: string, target: DeviceArray, inputs: readonly Operand[], attributes: object): DeviceArray {
  const { mode } = attributes as { readonly mode?: string };
  const isRead =
    inputs.includes(target) &&
    !readsResultOnly.has(name) &&
    !(name === "put" && (mode === "set" || mode === "add")) &&
    (name !== "mul" || inputs.some((input) => input !== target && isTracked(input)));
  if (!isRead) return standIn(target);
  const copy = recording.run(null, () => call("clone", [target]));
  copy.track = target.track;
  return copy;
}

/**
 * An in-place operation on a tensor of the tape: what it was goes in, what it is comes out. Called before it runs; the
 * function returned, after. Throws GradientError.
 */
export function recordInPlace(
  name: string,
  operation: Operation,
  target: DeviceArray,
  inputs: readonly Operand[],
  attributes: object,
): (() => void) | null {
  const { lineage } = target;
  const base = lineage?.family.base ?? target;
  if (trackOf(base)?.kind === "leaf" || trackOf(target)?.kind === "leaf")
    throw new GradientError(
      "LEAF_IN_PLACE",
      `${methodOf(name)} would change ${base === target ? "a tensor" : "a view of a tensor"} whose gradient is wanted: change it in noGrad(() => …), or work on a copy.`,
    );
  // It was made where nothing was recorded.
  if (target.track === null && base.track !== null) renew(target);
  if (!inputs.some(isTracked) && target.track === null) return null;
  if (base !== target) checkView(name, target, base);
  const before = kept(name, target, inputs, attributes);
  const operands = inputs.map((input) => (input === target ? before : input));
  const storage = target.living();
  const { version } = storage;
  return () => {
    const node = append(name, operation, operands, [target], attributes);
    keepBeyondScopes(target);
    // What was saved of this memory is its old self.
    const saved = node.saved!;
    for (const input of saved.inputs)
      if (input instanceof DeviceArray && input.storage === storage)
        (saved.versions as Map<DeviceArray, readonly [Storage, number]>).set(input, [storage, version]);
    before.dispose();
    if (lineage === null) return;
    if (base !== target) rewrite(name, target, lineage);
    lineage.family.changes += 1;
    lineage.family.renew = renew;
    lineage.seen = base.lineage!.seen = lineage.family.changes;
  };
}
