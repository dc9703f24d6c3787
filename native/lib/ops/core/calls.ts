// Operations by name for those whose gradients are made of them: the table calls itself through here, without importing
// what applies it.
import type { DeviceArray } from "../../memory/array.ts";
import type { Operand } from "./operation.ts";
import type { AttributesGiven, InputsOf, OperationName } from "./table.ts";

type Apply = (name: string, inputs: readonly Operand[], attributes: object) => readonly DeviceArray[];

let applied: Apply | undefined;

/** Called once, by apply.ts. */
export function callsGoTo(apply: Apply): void {
  applied = apply;
}

/** The results of an operation that is known by its name only, such as one that was recorded. */
export function callNamed(name: string, inputs: readonly Operand[], attributes: object): readonly DeviceArray[] {
  return applied!(name, inputs, attributes);
}

/** The results of one operation. */
export function callAll<N extends OperationName>(
  name: N,
  inputs: InputsOf<N>,
  ...[attributes]: AttributesGiven<N>
): readonly DeviceArray[] {
  return applied!(name, inputs, attributes ?? {});
}

/** The result of one operation. */
export function call<N extends OperationName>(
  name: N,
  inputs: InputsOf<N>,
  ...[attributes]: AttributesGiven<N>
): DeviceArray {
  return applied!(name, inputs, attributes ?? {})[0]!;
}
