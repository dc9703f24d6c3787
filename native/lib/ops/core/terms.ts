// Arithmetic as gradients write it: operations by short names.
import type { DeviceArray } from "../../memory/array.ts";
import { call } from "./calls.ts";
import type { Operand } from "./operation.ts";

export const mul = (a: Operand, b: Operand) => call("mul", [a, b]);
export const add = (a: Operand, b: Operand) => call("add", [a, b]);
export const sub = (a: Operand, b: Operand) => call("sub", [a, b]);
export const div = (a: Operand, b: Operand) => call("div", [a, b]);
export const of = (name: string, x: Operand) => call(name, [x]);
/** A mask as 0 and 1 of the dtype of `like`. */
export const asFloat = (mask: DeviceArray, like: DeviceArray) => call("convert", [mask], { dtype: like.dtype });
