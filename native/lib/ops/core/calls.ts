// Operations by name for those whose gradients are made of them: the table calls itself through here, without importing
// what applies it.
import type { DeviceArray } from "../../memory/array.ts";
import type { Operand } from "./operation.ts";

type Apply = (name: string, inputs: readonly Operand[], attributes: object) => readonly DeviceArray[];

let applied: Apply | undefined;

/** Called once, by apply.ts. */
export function callsGoTo(apply: Apply): void {
  applied = apply;
}

/** The results of one operation. */
export function callAll(name: string, inputs: readonly Operand[], attributes: object = {}): readonly DeviceArray[] {
  return applied!(name, inputs, attributes);
}

/** The result of one operation. */
export function call(name: string, inputs: readonly Operand[], attributes: object = {}): DeviceArray {
  return callAll(name, inputs, attributes)[0]!;
}
