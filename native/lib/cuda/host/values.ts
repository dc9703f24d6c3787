// Arguments and results of host functions: turns values of JavaScript into the fields that travel, and back, by the types
// of the declaration.
import { HostFunctionError } from "../../errors.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { DeviceArray } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { worded } from "../../wording.ts";
import type { Scalar } from "../c-types.ts";
import type { HostDeclaration } from "./find.ts";
import type { HostType } from "./types.ts";

/** Dtypes by their numbers in device/program/warpcell_program/session.h; a test compares the two. */
export const hostDTypes: readonly DType[] = [
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "int8",
  "uint8",
  "int16",
  "uint16",
  "int32",
  "uint32",
  "int64",
  "uint64",
  "bool",
  "complex64",
  "complex128",
  "float8_e4m3",
  "float8_e5m2",
];

/** A tensor as the device process is told of it. */
export function tensorField(array: DeviceArray, number: number): string {
  const { place, bytes } = array.living();
  const dtype = hostDTypes.indexOf(array.dtype);
  return [number, array.place, place, bytes, dtype, array.ndim, ...array.shape, ...array.strides].join(" ");
}

/** What an argument needs besides its value. */
export interface Taking {
  readonly declaration: HostDeclaration;
  readonly device: DeviceProcess;
  /** The number of a tensor in this call. */
  readonly numberOf: (array: DeviceArray) => number;
}

const integers: Partial<Record<Scalar, readonly [bigint, bigint]>> = {
  i8: [-(2n ** 7n), 2n ** 7n - 1n],
  u8: [0n, 2n ** 8n - 1n],
  i16: [-(2n ** 15n), 2n ** 15n - 1n],
  u16: [0n, 2n ** 16n - 1n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  u32: [0n, 2n ** 32n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
  u64: [0n, 2n ** 64n - 1n],
};

/** The fields of all arguments. Throws HostFunctionError for one that does not fit its parameter. */
export function argumentFields(args: readonly unknown[], taking: Taking): string[] {
  const { name, parameters } = taking.declaration;
  const least = parameters.filter(({ hasDefault }) => !hasDefault).length;
  if (args.length < least || args.length > parameters.length) {
    const most = parameters.length;
    const count = least === most ? `${most}` : `${least} to ${most}`;
    throw new HostFunctionError(
      "ARGUMENTS",
      `${name} takes ${count} argument${count === "1" ? "" : "s"} (${parameters.map((each) => each.name).join(", ")}), but got ${args.length}.`,
      name,
    );
  }
  return args.flatMap((value, index) => {
    const parameter = parameters[index]!;
    return fields(parameter.type, value, parameter.name, { ...taking, position: index + 1 });
  });
}

function fields(
  type: HostType,
  value: unknown,
  what: string,
  taking: Taking & { readonly position: number },
): string[] {
  const refuse = (expected: string): never => {
    const { name } = taking.declaration;
    throw new HostFunctionError(
      "ARGUMENT",
      `Argument ${taking.position} (${what}) of ${name} must be ${expected}, but got ${worded(value)}.`,
      name,
    );
  };
  switch (type.kind) {
    case "tensor": {
      const on = taking.device.name;
      if (!(value instanceof DeviceArray)) return refuse(`a tensor on ${on}`);
      if (value.living(taking.declaration.name).device !== taking.device) return refuse(`a tensor on ${on}`);
      return [`t${tensorField(value, taking.numberOf(value))}`];
    }
    case "text":
      return typeof value === "string" ? [`s${value}`] : refuse("text");
    case "optional":
      return value === null || value === undefined ? ["z"] : fields(type.of, value, what, taking);
    case "list": {
      const isList = Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
      if (!isList) return refuse("an array");
      const list = Array.from(value as ArrayLike<unknown>);
      return [`l${list.length}`, ...list.flatMap((each, at) => fields(type.of, each, `${what}[${at}]`, taking))];
    }
    case "scalar":
      return [scalarField(type.scalar, value) ?? refuse(expectedOf(type.scalar, type.name))];
    default:
      throw new Error(`No parameter of a host function is ${type.kind}.`);
  }
}

function scalarField(scalar: Scalar, value: unknown): string | null {
  if (scalar === "bool") return typeof value === "boolean" ? `b${value ? 1 : 0}` : null;
  const range = integers[scalar];
  if (range === undefined) {
    if (typeof value !== "number") return null;
    const isLost = scalar === "f32" && Number.isFinite(value) && !Number.isFinite(Math.fround(value));
    return isLost ? null : `n${value}`;
  }
  const isWhole = typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
  if (!isWhole) return null;
  const whole = BigInt(value);
  return whole >= range[0] && whole <= range[1] ? `i${BigInt.asIntN(64, whole)}` : null;
}

function expectedOf(scalar: Scalar, name: string): string {
  if (scalar === "bool") return "true or false";
  const range = integers[scalar];
  return range === undefined ? `a number (${name})` : `a whole number from ${range[0]} to ${range[1]} (${name})`;
}

/** A part of a result as it travels. */
export type ResultField =
  | null
  | boolean
  | { readonly integer: string }
  | { readonly number: string }
  | { readonly text: string }
  | { readonly tensor: number }
  | readonly ResultField[];

const special: Readonly<Record<string, number>> = { inf: Infinity, "-inf": -Infinity, nan: NaN, "-nan": NaN };

/** The value of a result; `type`: what is known of it. */
export function resultOf(field: ResultField, type: HostType, tensor: (number: number) => DeviceArray): unknown {
  if (type.kind === "void") return undefined;
  if (type.kind === "optional" && field !== null) return resultOf(field, type.of, tensor);
  if (field === null || typeof field === "boolean") return field;
  if ("integer" in field) {
    const isShort = type.kind === "scalar" && type.scalar !== "i64" && type.scalar !== "u64";
    return isShort ? Number(field.integer) : BigInt(field.integer);
  }
  if ("number" in field) return special[field.number] ?? Number(field.number);
  if ("text" in field) return field.text;
  if ("tensor" in field) return tensor(field.tensor);
  return field.map((part, index) => resultOf(part, partOf(type, index), tensor));
}

function partOf(type: HostType, index: number): HostType {
  if (type.kind === "list") return type.of;
  return type.kind === "tuple" ? type.parts[index]! : { kind: "any" };
}
