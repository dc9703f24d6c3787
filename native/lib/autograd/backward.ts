// The backward pass: gradients from results through the tape to the tensors that they were computed from.
import { Scoped } from "../scoped.ts";
import { casting, isRecording, watchOperands } from "../ops/core/hooks.ts";
import { applyInto } from "../ops/core/apply.ts";
import { call } from "../ops/core/calls.ts";
import { captures } from "../device/capture.ts";
import type { Operation } from "../ops/core/operation.ts";
import { DeviceArray, keepBeyondScopes } from "../memory/array.ts";
import { originPlace, placeText } from "../device/origins.ts";
import { GradientError } from "../errors.ts";
import { NodeQueue } from "./queue.ts";
import { withRecording } from "./recording.ts";
import { GradientSum, PassingGradients } from "./sums.ts";
import {
  checkGradient,
  gradientOf,
  indices,
  keepSum,
  outputIndex,
  replaceGradient,
  trackOf,
  type Hook,
  type Leaf,
  type Node,
  type Saved,
  type Track,
} from "./tape.ts";

const anomalies = new Scoped(false);

/** Runs `fn`, whose gradients are then checked for NaN: an error names the operation and the line that ran it. */
export function withAnomalies<T>(fn: () => T): T {
  return anomalies.run(true, fn);
}

function sentenceOf({ name, origin: line }: Node): string {
  const place = originPlace(line);
  return place === undefined ? name : `${name} (${placeText(place)})`;
}

function savedOf(node: Node): Saved {
  if (node.saved === null)
    throw new GradientError(
      "CONSUMED",
      `The tape of ${sentenceOf(node)} has been used up by an earlier backward: pass { retainGraph: true } to that one.`,
    );
  node.away?.bring();
  return node.saved;
}

/** The gradients of one operation's inputs; what a row of the table makes on the way to them goes at once. */
function backThrough(
  node: Node,
  gradients: readonly (DeviceArray | null)[],
  keep: boolean,
  passing: PassingGradients,
): readonly (DeviceArray | null)[] {
  const { operation } = node;
  const saved = savedOf(node);
  if (operation.gradient === null)
    throw new GradientError(
      "NO_GRADIENT",
      `${sentenceOf(node)} has no gradient: use .detach() on its operand if you need none.`,
    );
  const checkUnchanged = (operand: DeviceArray) => {
    const version = saved.versions.get(operand);
    if (version !== undefined && version[0].version !== version[1]) {
      throw new GradientError(
        "CHANGED",
        `The gradient of ${sentenceOf(node)} needs a tensor of shape [${operand.shape.join(", ")}] as it was then, but it has been changed in place since: change a .clone() instead.`,
      );
    }
  };
  try {
    const forward = {
      inputs: saved.inputs,
      outputs: saved.outputs,
      attributes: node.attributes,
      wanted: node.tracks.map((each) => each !== null),
      isDifferentiated: isRecording(),
    };
    const run = () => watchOperands(checkUnchanged, () => operation.gradient!(gradients, forward));
    if (!isOfTable(node)) for (const each of gradients) if (each !== null) passing.release(each);
    const back = isOfTable(node) && !forward.isDifferentiated ? passing.made(run) : run();
    if (anomalies.current)
      back.forEach((gradient) => {
        if (gradient !== null) checkFinite(node, gradient);
      });
    return back;
  } finally {
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
  }) as DeviceArray & { item(): number };
  if (count.item() > 0)
    throw new GradientError(
      "ANOMALY",
      `The gradient of ${sentenceOf(node)} has ${count.item()} NaN among ${gradient.size} elements.`,
    );
}

/** No function of a user's, who may keep what it is given and what it gives. */
const isOfTable = ({ operation }: Node): boolean => "cost" in operation;

/** An operation that shows a part: its gradient is zeros with that of the part in its place. */
function showsPart({ operation }: Node): boolean {
  return "isPart" in (operation as Operation);
}

/** `retainGraph`: the tape can be used again. `createGraph`: the gradients can be differentiated in turn. */
export interface BackwardOptions {
  readonly retainGraph?: boolean;
  readonly createGraph?: boolean;
}

/**
 * Carries gradients from `roots` to every leaf, or only to `targets`. Returns the gradient of each target, `null` for
 * one that no root depends on. Without targets, gradients are added to what the leaves have. `endsThere`: nothing is
 * carried on from targets that were computed.
 */
export function backward(
  roots: readonly DeviceArray[],
  seeds: readonly DeviceArray[],
  targets: readonly DeviceArray[] | null,
  { createGraph = false, retainGraph = createGraph, endsThere = false }: BackwardOptions & { endsThere?: boolean },
): (DeviceArray | null)[] {
  // Gradients are computed in the dtypes of what they are gradients of.
  return withRecording(createGraph, () =>
    casting.run(null, () => {
      const pending = new Map<Track, GradientSum[]>();
      const found = new Map<Track, Map<number, DeviceArray>>();
      const wanted = new Set(targets?.map((target) => trackOf(target)));
      const passing = new PassingGradients();
      const sumOf = (to: Track, output: number): GradientSum => {
        let sums = pending.get(to);
        if (sums === undefined) {
          pending.set(to, (sums = []));
          if (to.kind === "node") queue.push(to);
        }
        return (sums[output] ??= new GradientSum(createGraph, passing));
      };
      const queue = new NodeQueue<Node>();
      roots.forEach((root, index) => sumOf(trackOf(root)!, outputIndex(root)).add(seeds[index]!, false));

      for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
        const sums = pending.get(node)!;
        const values = node.outputs.map((_, output) => sums[output]?.value ?? null);
        node.outputs.forEach(({ hooks }, output) => {
          if (hooks.size > 0 && values[output] !== null) passing.release(values[output]!);
        });
        const gradients = node.outputs.map(({ hooks }, output) => hooked(hooks, values[output]!));
        pending.delete(node);
        node.outputs.forEach(({ kept }, output) => {
          const tensor = kept?.deref();
          if (tensor !== undefined && gradients[output] != null) keep(tensor, gradients[output]!);
        });
        if (wanted.has(node)) {
          found.set(
            node,
            new Map(gradients.flatMap((gradient, output) => (gradient === null ? [] : [[output, gradient] as const]))),
          );
          for (const gradient of gradients) if (gradient !== null) passing.release(gradient);
          if (endsThere) {
            if (!retainGraph) consume(node, savedOf(node));
            continue;
          }
        }
        const places = indices.get(node)!;
        const isPart = showsPart(node);
        const whole = isPart && !anomalies.current ? sumOf(node.tracks[0]!, places[0]!) : null;
        if (whole?.takesParts === true) {
          const saved = savedOf(node);
          whole.addPart(gradients[0]!, node.name, node.attributes);
          if (!retainGraph) consume(node, saved);
        } else {
          const back = backThrough(node, gradients, retainGraph, passing);
          for (const gradient of back) if (gradient !== null) passing.hold(gradient);
          node.tracks.forEach((to, input) => {
            const gradient = back[input] ?? null;
            if (to !== null && gradient !== null) sumOf(to, places[input]!).add(gradient, isPart);
          });
          for (const gradient of back) if (gradient !== null) passing.drop(gradient);
        }
        for (const value of values) if (value !== null) passing.drop(value);
      }
      for (const [leaf, [sum]] of pending) {
        if (leaf.kind !== "leaf") continue;
        if (leaf.hooks.size > 0) passing.release(sum!.value!);
        const final = hooked(leaf.hooks, sum!.value)!;
        const tensor = leaf.tensor.deref();
        // Module.to may have changed it since it was used.
        if (tensor !== undefined) checkGradient(tensor, final, "Backward");
        if (targets !== null) {
          found.set(leaf, new Map([[0, final]]));
          passing.release(final);
        } else {
          // Every run of a graph adds to the same gradient.
          if (leaf.gradient !== null && captures.current !== null && !createGraph)
            applyInto("add", leaf.gradient, [leaf.gradient, final], {});
          else if (createGraph)
            replaceGradient(leaf, leaf.gradient === null ? final : call("add", [leaf.gradient, final]), false);
          else replaceGradient(leaf, ownGradient(leaf, final, passing), leaf.hooks.size === 0);
          keepBeyondScopes(leaf.gradient!);
          passing.drop(sum!.value!);
        }
      }
      return (targets ?? []).map((target) => found.get(trackOf(target)!)?.get(outputIndex(target)) ?? null);
    }),
  );
}

/** What a leaf has once a gradient is added to it, in memory that nobody else has. */
function ownGradient({ gradient }: Leaf, added: DeviceArray, passing: PassingGradients): DeviceArray {
  if (gradient !== null) return call("add", [gradient, added]);
  if (!passing.isOwn(added)) return owned(added);
  passing.release(added);
  return added;
}

/** A gradient that shares no memory with another: a user may change it in place. */
function owned(gradient: DeviceArray): DeviceArray {
  return call("clone", [gradient]);
}

function keep(tensor: DeviceArray, gradient: DeviceArray): void {
  const known = gradientOf(tensor);
  keepSum(tensor, known === null ? owned(gradient) : call("add", [known, gradient]));
}

function hooked(hooks: ReadonlySet<Hook>, gradient: DeviceArray | null): DeviceArray | null {
  if (gradient === null) return null;
  let current = gradient;
  for (const hook of hooks) {
    const next = hook(current) ?? current;
    checkGradient(current, next, "A hook");
    current = next;
  }
  return current;
}
