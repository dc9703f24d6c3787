// The tape: for every result of an operation on tensors that want gradients, how it came about, so that gradients can go the way back.
import { recordWith, watchOperands, type Applied } from "../ops/apply.ts";
import { call } from "../ops/calls.ts";
import type { Operand, Operation } from "../ops/operation.ts";
import { DeviceArray, keepBeyondScopes } from "../memory/array.ts";
import type { Storage } from "../memory/storage.ts";
import { factsOf } from "../memory/dtype.ts";
import { origin, originText } from "../device/origins.ts";
import { GradientError } from "../errors.ts";
import { NodeQueue } from "./queue.ts";

/** A change to a gradient on its way: the gradient that takes its place, or nothing. */
export type Hook = (gradient: DeviceArray) => DeviceArray | void;

/** Where gradients of one tensor go: the operation that made it, or the tensor itself. */
export type Track = Node | Leaf;

/** A tensor that was not computed from others and wants its gradient. */
export interface Leaf {
  readonly kind: "leaf";
  readonly tensor: WeakRef<DeviceArray>;
  gradient: DeviceArray | null;
  readonly hooks: Set<Hook>;
}

/** One operation that was recorded. */
export interface Node {
  readonly kind: "node";
  readonly name: string;
  readonly operation: Pick<Operation<object>, "gradient">;
  /** Where the user asked for it. */
  readonly origin: number;
  readonly order: number;
  readonly tracks: readonly (Track | null)[];
  readonly attributes: object;
  /** Shapes and dtypes of the outputs, and which of them want their gradient kept. */
  readonly outputs: readonly OutputFacts[];
  /** What the gradient may use; `null` once the tape has been consumed. */
  saved: Saved | null;
}

interface OutputFacts {
  readonly hooks: Set<Hook>;
  kept: WeakRef<DeviceArray> | null;
}

interface Saved {
  readonly inputs: readonly Operand[];
  readonly outputs: readonly DeviceArray[];
  readonly versions: ReadonlyMap<DeviceArray, readonly [Storage, number]>;
}

let order = 0;
let anomalies = false;

export const trackOf = (array: DeviceArray): Track | null =>
  (array.track as { track: Track; output: number } | null)?.track ?? null;
const outputIndex = (array: DeviceArray): number => (array.track as { output: number } | null)?.output ?? 0;

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
  if (wanted && factsOf(array.dtype).kind !== "float")
    throw new GradientError(
      "DTYPE",
      `Only floats have gradients, but this tensor holds ${array.dtype}: convert it first, e.g. with .to("float32").`,
    );
  if (wanted === (known !== null)) return;
  if (wanted) track(array, { kind: "leaf", tensor: new WeakRef(array), gradient: null, hooks: new Set() });
  else array.track = null;
}

const isTracked = (operand: Operand): operand is DeviceArray =>
  operand instanceof DeviceArray && operand.track !== null;

function record({ name, operation, inputs, outputs, attributes }: Applied): void {
  if (!inputs.some(isTracked)) return;
  if (!outputs.some(({ dtype }) => factsOf(dtype).kind === "float")) return;
  append(name, operation, inputs, outputs, attributes);
}

export function append(
  name: string,
  operation: Pick<Operation<object>, "gradient">,
  inputs: readonly Operand[],
  outputs: readonly DeviceArray[],
  attributes: object,
): Node {
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
    if (factsOf(output.dtype).kind === "float") track(output, node, index);
  });
  return node;
}

/** Which output of each track an input was. */
const indices = new WeakMap<Node, readonly number[]>();

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

/** An in-place operation on a tensor of the tape: what it was goes in, what it is comes out. Called before it runs; the function returned, after. */
export function recordInPlace(
  name: string,
  operation: Operation<object>,
  target: DeviceArray,
  inputs: readonly Operand[],
  attributes: object,
): (() => void) | null {
  const known = trackOf(target);
  if (known?.kind === "leaf")
    throw new GradientError(
      "LEAF_IN_PLACE",
      `${name}_ would change a tensor whose gradient is wanted: change it in noGrad(() => …), or work on a copy.`,
    );
  if (!inputs.some(isTracked) && known === null) return null;
  const before = new (target.constructor as new (...parameters: unknown[]) => DeviceArray)(
    target.living().hold(),
    target.dtype,
    target,
    target.isContiguous,
  );
  before.track = target.track;
  const operands = inputs.map((input) => (input === target ? before : input));
  const { version } = target.living();
  return () => {
    const node = append(name, operation, operands, [target], attributes);
    keepBeyondScopes(target);
    // What was saved of the target is its old self.
    const saved = node.saved!;
    saved.inputs.forEach((input, index) => {
      if (operands[index] === before)
        (saved.versions as Map<DeviceArray, readonly [Storage, number]>).set(input as DeviceArray, [
          target.living(),
          version,
        ]);
    });
    before.dispose();
  };
}

/** Has every operation recorded from now on. */
export function startRecording(): void {
  recordWith({ record, recordInPlace });
}

/** Runs `fn` with recording on or off. */
export function withRecording<T>(on: boolean, fn: () => T): T {
  const previous = recordWith(on ? { record, recordInPlace } : null);
  try {
    return fn();
  } finally {
    recordWith(previous);
  }
}

/** Runs `fn`, whose gradients are then checked for NaN: an error names the operation and the line that ran it. */
export function withAnomalies<T>(fn: () => T): T {
  const previous = anomalies;
  anomalies = true;
  try {
    return fn();
  } finally {
    anomalies = previous;
  }
}

function sentenceOf({ name, origin: line }: Node): string {
  const place = originText(line);
  return place === undefined ? name : `${name} (${place})`;
}

/** The gradients of one operation's inputs. */
function backThrough(
  node: Node,
  gradients: readonly (DeviceArray | null)[],
  keep: boolean,
): readonly (DeviceArray | null)[] {
  const { saved, operation } = node;
  if (saved === null)
    throw new GradientError(
      "CONSUMED",
      `The tape of ${sentenceOf(node)} has been used up by an earlier backward: pass { retainGraph: true } to that one.`,
    );
  if (operation.gradient === null)
    throw new GradientError(
      "NO_GRADIENT",
      `${sentenceOf(node)} has no gradient: use .detach() on its operand if none is wanted.`,
    );
  const unwatch = watchOperands((operand) => {
    const version = saved.versions.get(operand);
    if (version !== undefined && version[0].version !== version[1]) {
      throw new GradientError(
        "CHANGED",
        `The gradient of ${sentenceOf(node)} needs a tensor of shape [${operand.shape.join(", ")}] as it was then, but it has been changed in place since: change a .clone() instead.`,
      );
    }
  });
  try {
    const back = operation.gradient(gradients, {
      inputs: saved.inputs,
      outputs: saved.outputs,
      attributes: node.attributes,
      wanted: node.tracks.map((each) => each !== null),
    });
    if (anomalies)
      back.forEach((gradient) => {
        if (gradient !== null) checkFinite(node, gradient);
      });
    return back;
  } finally {
    unwatch();
    if (!keep) consume(node, saved);
  }
}

function consume(node: Node, saved: Saved): void {
  node.saved = null;
  for (const array of [...saved.inputs, ...saved.outputs]) if (array instanceof DeviceArray) array.dispose();
}

function checkFinite(node: Node, gradient: DeviceArray): void {
  const count = call("sum", [call("convert", [call("isnan", [gradient])], { dtype: "int32" })], {
    axes: [...gradient.shape.keys()],
    keepdims: false,
  }) as DeviceArray & { item(): bigint };
  if (count.item() > 0n)
    throw new GradientError(
      "ANOMALY",
      `The gradient of ${sentenceOf(node)} has ${count.item()} NaN of ${gradient.size} elements.`,
    );
}

export interface BackwardOptions {
  readonly retainGraph?: boolean;
  readonly createGraph?: boolean;
}

/**
 * Carries gradients from `roots` to every leaf, or only to `targets`. Returns the gradient of each target, `null` for one that no root depends on. Without targets,
 * gradients are added to what the leaves have.
 */
export function backward(
  roots: readonly DeviceArray[],
  seeds: readonly DeviceArray[],
  targets: readonly DeviceArray[] | null,
  { createGraph = false, retainGraph = createGraph }: BackwardOptions,
): (DeviceArray | null)[] {
  return withRecording(createGraph, () => {
    const pending = new Map<Track, (DeviceArray | null)[]>();
    const found = new Map<Track, Map<number, DeviceArray>>();
    const give = (to: Track, output: number, gradient: DeviceArray): void => {
      const list = pending.get(to) ?? [];
      const known = list[output] ?? null;
      list[output] = known === null ? gradient : call("add", [known, gradient]);
      pending.set(to, list);
      if (to.kind === "node" && !queued.has(to)) {
        queued.add(to);
        queue.push(to);
      }
    };
    const queued = new Set<Node>();
    const queue = new NodeQueue<Node>();
    roots.forEach((root, index) => give(trackOf(root)!, outputIndex(root), seeds[index]!));

    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      const gradients = node.outputs.map(({ hooks }, output) => hooked(hooks, pending.get(node!)![output] ?? null));
      pending.delete(node);
      node.outputs.forEach(({ kept }, output) => {
        const tensor = kept?.deref();
        if (tensor !== undefined && gradients[output] != null) keep(tensor, gradients[output]!);
      });
      found.set(
        node,
        new Map(gradients.flatMap((gradient, output) => (gradient === null ? [] : [[output, gradient] as const]))),
      );
      const back = backThrough(node, gradients, retainGraph);
      const places = indices.get(node)!;
      node.tracks.forEach((to, input) => {
        const gradient = back[input] ?? null;
        if (to !== null && gradient !== null) give(to, places[input]!, gradient);
      });
    }
    for (const [leaf, [gradient]] of pending) {
      if (leaf.kind !== "leaf") continue;
      const final = hooked(leaf.hooks, gradient ?? null)!;
      found.set(leaf, new Map([[0, final]]));
      if (targets === null)
        keepBeyondScopes(
          (leaf.gradient =
            leaf.gradient === null ? (createGraph ? final : owned(final)) : call("add", [leaf.gradient, final])),
        );
    }
    return (targets ?? []).map((target) => found.get(trackOf(target)!)?.get(outputIndex(target)) ?? null);
  });
}

/** A gradient that shares no memory with another: a user may change it in place. */
function owned(gradient: DeviceArray): DeviceArray {
  return call("convert", [gradient], { dtype: gradient.dtype });
}

const keptGradients = new WeakMap<DeviceArray, DeviceArray>();
function keep(tensor: DeviceArray, gradient: DeviceArray): void {
  const known = keptGradients.get(tensor);
  const sum = known === undefined ? owned(gradient) : call("add", [known, gradient]);
  keptGradients.set(tensor, sum);
  keepBeyondScopes(sum);
}

/** The gradient of a leaf, or of a tensor that was told to keep it. */
export function gradientOf(array: DeviceArray): DeviceArray | null {
  const known = trackOf(array);
  return known?.kind === "leaf" ? known.gradient : (keptGradients.get(array) ?? null);
}

export function setGradient(array: DeviceArray, gradient: DeviceArray | null): void {
  if (gradient !== null) keepBeyondScopes(gradient);
  const known = trackOf(array);
  if (known?.kind === "leaf") known.gradient = gradient;
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

function hooked(hooks: ReadonlySet<Hook>, gradient: DeviceArray | null): DeviceArray | null {
  if (gradient === null) return null;
  let current = gradient;
  for (const hook of hooks) current = hook(current) ?? current;
  return current;
}
