// Arithmetic as gradients write it: operations by short names. Their types stand here, for rows that are typed by what
// they are made of.
import type { DeviceArray } from "../../memory/array.ts";
import { call } from "./calls.ts";
import type { Operand } from "./operation.ts";
import type { UnaryName } from "./table.ts";

type Pair = (a: Operand, b: Operand) => DeviceArray;

export const mul: Pair = (a, b) => call("mul", [a, b]);
export const add: Pair = (a, b) => call("add", [a, b]);
export const sub: Pair = (a, b) => call("sub", [a, b]);
export const div: Pair = (a, b) => call("div", [a, b]);
export const of = (name: UnaryName, x: DeviceArray): DeviceArray => call(name, [x]);
/** A mask as 0 and 1 of the dtype of `like`. */
export const asFloat = (mask: DeviceArray, like: DeviceArray): DeviceArray =>
  call("convert", [mask], { dtype: like.dtype });
