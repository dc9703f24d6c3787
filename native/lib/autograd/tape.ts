// The tape: for every result of an operation on tensors that want gradients, how it came about, so that the backward
// pass can go from one to the next.
import type { Applied } from "../ops/core/hooks.ts";
import type { Operand, Operation } from "../ops/core/operation.ts";
import { DeviceArray, keepBeyondScopes } from "../memory/array.ts";
import type { Storage } from "../memory/storage.ts";
import { factsOf, hasGradients } from "../memory/dtype.ts";
import { origin } from "../device/origins.ts";
import { formatShape } from "../memory/shape.ts";
import { GradientError } from "../errors.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { Scoped } from "../scoped.ts";
import { worded } from "../wording.ts";

/** A change to a gradient on its way: the gradient that takes its place, or nothing. */
export type Hook = (gradient: DeviceArray) => DeviceArray | void;

/** Where gradients of one tensor go: the operation that made it, or the tensor itself. */
export type Track = Node | Leaf;

/** A tensor that was not computed from others and wants its gradient. */
export interface Leaf {
  readonly kind: "leaf";
  readonly tensor: WeakRef<DeviceArray>;
  gradient: DeviceArray | null;
  /** Nobody outside has been given the gradient: it is freed when another takes its place. */
  isUnseen: boolean;
  readonly hooks: Set<Hook>;
}

/** One operation that was recorded. */
export interface Node {
  readonly kind: "node";
  readonly name: string;
  readonly operation: Pick<Operation, "gradient">;
  /** Where the user asked for it. */
  readonly origin: number;
  readonly order: number;
  readonly tracks: readonly (Track | null)[];
  readonly attributes: object;
  /** Shapes and dtypes of the outputs, and which of them want their gradient kept. */
  readonly outputs: readonly OutputFacts[];
  /** What the gradient may use; `null` once the tape has been consumed. */
  saved: Saved | null;
  /** Brings back what of that has been taken elsewhere. */
  away: { bring(): void } | null;
}

interface OutputFacts {
  readonly hooks: Set<Hook>;
  kept: WeakRef<DeviceArray> | null;
}

export interface Saved {
  readonly inputs: readonly Operand[];
  readonly outputs: readonly DeviceArray[];
  readonly versions: ReadonlyMap<DeviceArray, readonly [Storage, number]>;
}

let order = 0;

export const trackOf = (array: DeviceArray): Track | null =>
  (array.track as { track: Track; output: number } | null)?.track ?? null;
export const outputIndex = (array: DeviceArray): number => (array.track as { output: number } | null)?.output ?? 0;

function track(array: DeviceArray, to: Track, output = 0): void {
  array.track = { track: to, output };
}

/** Makes a tensor a leaf, or takes that back. */
export function setLeaf(array: DeviceArray, wanted: boolean): void {
  const known = trackOf(array);
  if (known?.kind === "node")
    throw new GradientError(
      "LEAF",
      `This tensor was computed by ${known.name}, so it takes part in gradients as long as its operands do: use .detach() for one that does not.`,
    );
  if (wanted && !hasGradients(array.dtype))
    throw new GradientError(
      "DTYPE",
      `Only floats have gradients, but this tensor holds ${array.dtype}: convert it first, e.g. with .to("float32").`,
    );
  if (wanted === (known !== null)) return;
  // A view that is a leaf has no history but its own.
  if (array.lineage?.from != null) array.lineage = null;
  if (known !== null) replaceGradient(known, null, false);
  if (wanted) frozen.delete(array);
  else frozen.add(array);
  if (wanted)
    track(array, { kind: "leaf", tensor: new WeakRef(array), gradient: null, isUnseen: false, hooks: new Set() });
  else array.track = null;
}

/** Tensors that wanted a gradient, and no longer do. */
export const frozen = new WeakSet<DeviceArray>();

export const isTracked = (operand: Operand): operand is DeviceArray =>
  operand instanceof DeviceArray && operand.track !== null;

/** Told of every operation that ran. */
export function record({ name, operation, inputs, outputs, attributes }: Applied): void {
  if (!inputs.some(isTracked)) return;
  if (!outputs.some(({ dtype }) => hasGradients(dtype))) return;
  append(name, operation, inputs, outputs, attributes);
}

/** What stands on the tape for tensors that take part in others, while a function is run again. */
export const standIns = new Scoped<ReadonlyMap<DeviceArray, DeviceArray> | null>(null);

export function append(
  name: string,
  operation: Pick<Operation, "gradient">,
  given: readonly Operand[],
  outputs: readonly DeviceArray[],
  attributes: object,
): Node {
  const others = standIns.current;
  const inputs = others === null ? given : given.map((each) => others.get(each as DeviceArray) ?? each);
  const versions = new Map<DeviceArray, readonly [Storage, number]>();
  for (const array of [...inputs, ...outputs])
    if (array instanceof DeviceArray && array.storage !== null)
      versions.set(array, [array.storage, array.storage.version]);
  const node: Node = {
    kind: "node",
    name,
    operation,
    origin: origin.current,
    order: order++,
    attributes,
    tracks: inputs.map((input) => (input instanceof DeviceArray ? trackOf(input) : null)),
    outputs: outputs.map(() => ({ hooks: new Set(), kept: null })),
    saved: null,
    away: null,
  };
  const hold = (array: DeviceArray, trackedBy: object | null) => held(array, versions, trackedBy);
  node.saved = {
    inputs: inputs.map((input) => (input instanceof DeviceArray ? hold(input, input.track) : input)),
    outputs: outputs.map((output, index) => hold(output, { track: node, output: index })),
    versions,
  };
  indices.set(
    node,
    inputs.map((input) => (input instanceof DeviceArray ? outputIndex(input) : 0)),
  );
  outputs.forEach((output, index) => {
    if (hasGradients(output.dtype)) track(output, node, index);
  });
  appended.current?.push(node);
  return node;
}

/** Gets what is recorded. */
export const appended = new Scoped<Node[] | null>(null);

/** Which output of each track an input was. */
export const indices = new WeakMap<Node, readonly number[]>();

/** The tape's own hold on memory, so that it outlives a dispose. It carries the track, for gradients of gradients. */
function held(
  array: DeviceArray,
  versions: Map<DeviceArray, readonly [Storage, number]>,
  trackedBy: object | null,
): DeviceArray {
  const copy = new (array.constructor as new (...parameters: unknown[]) => DeviceArray)(
    array.living().hold(),
    array.dtype,
    array,
    array.isContiguous,
  );
  versions.set(copy, versions.get(array)!);
  copy.track = trackedBy;
  return copy;
}

/** Of tensors that were computed. */
const keptGradients = new WeakMap<DeviceArray, DeviceArray>();
/** Adds to the gradient that a computed tensor was told to keep, with a sum that is nobody else's. */
export function keepSum(tensor: DeviceArray, sum: DeviceArray): void {
  keptGradients.set(tensor, sum);
  keepBeyondScopes(sum);
}

/** The gradient of a leaf, or of a tensor that was told to keep it. */
export function gradientOf(array: DeviceArray): DeviceArray | null {
  const known = trackOf(array);
  return known?.kind === "leaf" ? known.gradient : (keptGradients.get(array) ?? null);
}

/** Throws GradientError for what is no gradient of a tensor like this. `from`: who gave it. */
export function checkGradient(array: DeviceArray, gradient: unknown, from: string): void {
  const isFitting =
    gradient instanceof DeviceArray &&
    gradient.dtype === array.dtype &&
    gradient.deviceProcess === array.deviceProcess &&
    sameShape(gradient.shape, array.shape);
  if (isFitting) return;
  const facts = ({ dtype, shape, deviceProcess }: DeviceArray) =>
    `shape ${formatShape(shape)}, ${dtype}, on ${deviceProcess.name}`;
  throw new GradientError(
    "GRADIENT",
    `${from} gave ${gradient instanceof DeviceArray ? `a gradient of ${facts(gradient)}` : worded(gradient)} to a tensor of ${facts(array)}: a gradient is like its tensor. Use .to(…) or .reshape(…).`,
  );
}

/** The same for somebody outside, who may keep it. */
export function shownGradientOf(array: DeviceArray): DeviceArray | null {
  const known = trackOf(array);
  if (known?.kind === "leaf") known.isUnseen = false;
  return gradientOf(array);
}

/** Puts a gradient in the place of a leaf's. `isUnseen`: nobody outside has it. */
export function replaceGradient(leaf: Leaf, gradient: DeviceArray | null, isUnseen: boolean): void {
  if (leaf.isUnseen && leaf.gradient !== gradient) leaf.gradient?.dispose();
  leaf.gradient = gradient;
  leaf.isUnseen = isUnseen;
}

export function setGradient(array: DeviceArray, gradient: DeviceArray | null): void {
  if (gradient !== null) {
    checkGradient(array, gradient, "An assignment");
    keepBeyondScopes(gradient);
  }
  const known = trackOf(array);
  if (known?.kind === "leaf") replaceGradient(known, gradient, false);
  else if (gradient === null) keptGradients.delete(array);
  else keptGradients.set(array, gradient);
}

/** Has a tensor that was computed keep its gradient, too. */
export function keepGradient(array: DeviceArray): void {
  const known = trackOf(array);
  if (known?.kind === "node") known.outputs[outputIndex(array)]!.kept = new WeakRef(array);
}

/** Calls `hook` with each gradient that reaches the tensor; returns what takes that back. */
export function addHook(array: DeviceArray, hook: Hook): () => void {
  const known = trackOf(array);
  if (known === null)
    throw new GradientError(
      "NOT_TRACKED",
      "No gradient reaches this tensor: set requiresGrad on it or on an operand first.",
    );
  const { hooks } = known.kind === "leaf" ? known : known.outputs[outputIndex(array)]!;
  hooks.add(hook);
  return () => {
    hooks.delete(hook);
  };
}
