// The gradient of a function from the operations that it was traced as: by the rules of the table, on traced tensors or
// on those with numbers.
import type { DeviceArray } from "../memory/array.ts";
import { GradientError } from "../errors.ts";
import { isRecording } from "../ops/core/hooks.ts";
import { call, callNamed } from "../ops/core/calls.ts";
import type { Operand } from "../ops/core/operation.ts";
import { Traced, type Noted } from "./traced.ts";

/** The operations run one by one on `leaves`; what each traced tensor is. */
export function replayed(
  operations: readonly Noted[],
  leaves: readonly DeviceArray[],
): (traced: Traced) => DeviceArray {
  const values = new Map<number, DeviceArray>();
  const valueOf = (traced: Traced): DeviceArray =>
    traced.node.kind === "leaf" ? leaves[traced.node.leaf]! : values.get(traced.id)!;
  for (const { name, inputs, outputs, attributes } of operations) {
    const results = callNamed(
      name,
      inputs.map((input) => (input instanceof Traced ? valueOf(input) : input)),
      attributes,
    );
    outputs.forEach((output, index) => values.set(output.id, results[index]!));
  }
  return valueOf;
}

/**
 * The gradient of `result` for each wanted leaf, from `seed`, the gradient of the result; `null` where it does not
 * depend on it. `valueOf` says what stands for a traced tensor: itself, or one with numbers.
 */
export function pullback(
  operations: readonly Noted[],
  result: Traced,
  seed: DeviceArray,
  wanted: readonly boolean[],
  valueOf: (traced: Traced) => DeviceArray,
): (DeviceArray | null)[] {
  const gradients = new Map<number, DeviceArray>([[result.id, seed]]);
  const found: (DeviceArray | null)[] = wanted.map(() => null);
  const wants = wantedIn(operations, wanted);
  const give = (to: Traced, gradient: DeviceArray): void => {
    const known = gradients.get(to.id);
    const sum = known === undefined ? gradient : call("add", [known, gradient]);
    gradients.set(to.id, sum);
    if (to.node.kind === "leaf" && wanted[to.node.leaf]) found[to.node.leaf] = sum;
  };
  if (result.node.kind === "leaf" && wanted[result.node.leaf]) found[result.node.leaf] = seed;
  for (const { name, operation, inputs, outputs, attributes } of [...operations].reverse()) {
    const gradient = gradients.get(outputs[0]!.id);
    if (gradient === undefined || !inputs.some((input) => isWanted(input, wants))) continue;
    if (operation.gradient === null)
      throw new GradientError("NO_GRADIENT", `${name} has no gradient: use .detach() on its operand if you need none.`);
    const operands = inputs.map((input) => (input instanceof Traced ? valueOf(input) : input));
    const back = operation.gradient([gradient], {
      inputs: operands,
      outputs: outputs.map(valueOf),
      attributes,
      wanted: inputs.map((input) => isWanted(input, wants)),
      isDifferentiated: isRecording(),
    });
    inputs.forEach((input, index) => {
      const part = back[index] ?? null;
      if (input instanceof Traced && part !== null && isWanted(input, wants)) give(input, part);
    });
  }
  return found;
}

const isWanted = (input: Operand, wants: ReadonlySet<number>): boolean =>
  input instanceof Traced && wants.has(input.id);

/** The traced tensors through which a gradient reaches a wanted leaf. */
function wantedIn(operations: readonly Noted[], wanted: readonly boolean[]): Set<number> {
  const wants = new Set<number>();
  for (const { inputs, outputs } of operations) {
    for (const input of inputs)
      if (input instanceof Traced && input.node.kind === "leaf" && wanted[input.node.leaf]) wants.add(input.id);
    if (inputs.some((input) => isWanted(input, wants))) for (const output of outputs) wants.add(output.id);
  }
  return wants;
}
