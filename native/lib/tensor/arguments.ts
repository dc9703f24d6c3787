// What a function takes, said once, and read in one place: too few arguments, too many, of a wrong kind, and options
// that are none are errors by name for every function and method of the library.
//
// A function is declared with what it takes and its body, which gets the tensor and one object of named values:
//
//   export const topk = define("topk", { required: { k: count }, options: { axis: wholeNumber, largest: flag } },
//     (x, { k, axis = -1, largest = true }) => …);
//   install(Tensor.prototype, { topk });     // x.topk(3, { largest: false }), and topk(x, 3, { largest: false })
//
// The types that users see are those of the methods (`declare module "./tensor.ts"`); a function has them by
// {@link FunctionOf}. `bare` lists options that NumPy and PyTorch take without their names: x.sum(0, true).
import { DeviceArray } from "../memory/array.ts";
import { dtypeNames, isDType, type DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { listed, toBeTensor, worded } from "../wording.ts";
import type { Tensor } from "./tensor.ts";
import { onRow, type ShapeWithoutAxes } from "./without-axes.ts";

type Scalar = number | bigint | boolean;

/** Which values an argument may have, and what messages call them. */
export interface Kind<T> {
  readonly wanted: string;
  readonly has: (value: unknown) => boolean;
  /** `wanted` says what it is for; messages need no name beside it. */
  readonly isPlain?: true;
  /** Of types only. */
  readonly type?: T;
}
const kind = <T>(wanted: string, has: (value: unknown) => boolean): Kind<T> => ({ wanted, has });

const isScalar = (value: unknown): value is Scalar =>
  typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
const isTensor = (value: unknown): value is Tensor => value instanceof DeviceArray;
const areAll = (value: unknown, test: (each: unknown) => boolean): boolean =>
  Array.isArray(value) && Array.from(value).every(test);

export const number = kind<number>("a number", (value) => typeof value === "number" && !Number.isNaN(value));
export const finite = kind<number>("a finite number", Number.isFinite);
export const bigint = kind<bigint>("a bigint", (value) => typeof value === "bigint");
export const wholeNumber = kind<number>("a whole number", Number.isSafeInteger);
export const count = kind<number>(
  "a whole number of at least 0",
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);
export const scalar = kind<Scalar>("a number", isScalar);
export const flag = kind<boolean>("true or false", (value) => typeof value === "boolean");
export const text = kind<string>("a text", (value) => typeof value === "string");
export const axis = kind<number>("an axis, a whole number,", Number.isInteger);
export const axes = kind<number | readonly number[]>(
  "an axis or a list of them",
  (value) => Number.isInteger(value) || areAll(value, Number.isInteger),
);
export const numbers = kind<readonly number[]>("a list of numbers", (value) =>
  areAll(value, (each) => typeof each === "number"),
);
export const wholeNumbers = kind<readonly number[]>("a list of whole numbers", (value) =>
  areAll(value, Number.isInteger),
);
export const dtype = kind<DType>(`a dtype (${dtypeNames.join(", ")})`, isDType);
export const device = kind<string>('a device, such as "cpu" or "cuda",', (value) => typeof value === "string");
export const seed = kind<number | bigint>(
  "a whole number from 0 to 2^64 - 1",
  (value) =>
    (Number.isSafeInteger(value) || typeof value === "bigint") && (value as number) >= 0 && (value as number) < 2 ** 64,
);
export const tensor = kind<Tensor>("a tensor", isTensor);
/** What is one element. */
export const scalarOrTensor = kind<Tensor | Scalar>(
  "a number or a tensor without axes",
  (value) => isScalar(value) || (isTensor(value) && value.shape.length === 0),
);
export const operand = kind<Tensor | Scalar>("a tensor or a number", (value) => isTensor(value) || isScalar(value));
export const tensors: Kind<readonly Tensor[]> = {
  ...kind<readonly Tensor[]>(
    "an array of at least one tensor",
    (value) => areAll(value, isTensor) && (value as unknown[]).length > 0,
  ),
  isPlain: true,
};
/** What the body looks at itself. */
export const anything = kind<unknown>("a value", (value) => value !== undefined);

/** A number that is not below another. */
export const atLeast = (least: number): Kind<number> =>
  kind(`a number of at least ${least}`, (value) => typeof value === "number" && value >= least);

/** One of these words. */
export function oneOf<const T extends string>(...words: readonly T[]): Kind<T> {
  const quoted = words.map((word) => JSON.stringify(word));
  return kind(
    words.length === 1 ? quoted[0]! : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`,
    (value) => typeof value === "string" && (words as readonly string[]).includes(value),
  );
}

/** The kind, or `null`. */
export const orNull = <T>(of: Kind<T>): Kind<T | null> =>
  kind(`${of.wanted} or null`, (value) => value === null || of.has(value));
/** Of either kind. */
export const either = <A, B>(a: Kind<A>, b: Kind<B>): Kind<A | B> =>
  kind(`${a.wanted} or ${b.wanted}`, (value) => a.has(value) || b.has(value));

type Kinds = Readonly<Record<string, Kind<unknown>>>;
type Values<K extends Kinds> = { readonly [Name in keyof K]: K[Name] extends Kind<infer T> ? T : never };

/** What a function takes after its tensor. */
export interface Takes<R extends Kinds, O extends Kinds> {
  /** Arguments that must come, in this order. */
  readonly required?: R;
  /** One object of options at the end; all may be left out. */
  readonly options?: O;
  /** Options that may be written as arguments, in this order. */
  readonly bare?: readonly (keyof O & string)[];
  /** Several whole numbers in a row are one list, the first required argument: `x.reshape(2, -1)`. */
  readonly spread?: true;
  /** Works along an axis, which a tensor without axes has too, see {@link onRow}. */
  readonly withoutAxes?: ShapeWithoutAxes;
  /** What other libraries call something here: the option's name, or what the value stands for. */
  readonly aliases?: Readonly<Record<string, (keyof O & string) | ((value: unknown) => Partial<Values<O>>)>>;
  /** Options that others have and this has not: what to write instead. */
  readonly instead?: Readonly<Record<string, string>>;
  /** How a call is written where that is not the name alone: `new nn.Linear`. */
  readonly written?: string;
  /** Another function that somebody may mean who leaves out what is required: a sentence. */
  readonly otherwise?: string;
}

/** {@link Takes} as messages look at it. */
interface Taken {
  readonly written?: string;
  readonly otherwise?: string;
  readonly required?: Kinds;
  readonly options?: Kinds;
  readonly aliases?: Readonly<Record<string, string | ((value: unknown) => object)>>;
  readonly instead?: Readonly<Record<string, string>>;
}

/** The values of an argument list, by name. */
export type Given<R extends Kinds, O extends Kinds> = Values<R> & Partial<Values<O>>;

// PyTorch's names for what NumPy and this library call axis and keepdims.
const commonAliases: Readonly<Record<string, string>> = { dim: "axis", keepdim: "keepdims", dims: "axis" };

/** Reads the arguments of one function. Throws TensorError with the name of the function for what it does not take. */
export type Reader<R extends Kinds, O extends Kinds> = (args: readonly unknown[]) => Given<R, O>;

export function reader<R extends Kinds = Record<never, never>, O extends Kinds = Record<never, never>>(
  name: string,
  takes: Takes<R, O> = {},
): Reader<R, O> {
  const { bare = [], spread = false } = takes;
  const taken = takes as Taken;
  const required = Object.entries(takes.required ?? {});
  const options: Kinds = takes.options ?? {};
  const otherwise = taken.otherwise === undefined ? "" : ` ${taken.otherwise}`;
  const most = required.length + bare.length;
  return (given) => {
    // By far the most calls.
    if (given.length === 0 && required.length === 0) return {} as Given<R, O>;
    const args = spread ? spreadOut(given) : given;
    const last = args.length > required.length && isOptions(args.at(-1)) ? args.length - 1 : args.length;
    const found: Record<string, unknown> = {};
    required.forEach(([key, of], at) => {
      const value = at < last ? args[at] : undefined;
      if (!of.has(value)) fail(name, key, value, of, ` Write ${callOf(name, taken)}.${otherwise}`);
      found[key] = value;
    });
    const surplus = args.slice(most, last).find((each) => each !== undefined);
    if (surplus !== undefined) tooMany(name, taken, surplus);
    bare.forEach((key, at) => {
      const value = args[required.length + at];
      if (required.length + at >= last || value === undefined) return;
      found[key] = checked(name, options, key, value);
    });
    if (last < args.length) readOptions(name, taken, options, args[last] as object, found);
    for (const key in found) checkLiving(name, found[key]);
    return found as Given<R, O>;
  };
}

/** Throws TensorError with the name of the function for a tensor, or one of a list, that has been disposed of. */
function checkLiving(name: string, value: unknown): void {
  if (value instanceof DeviceArray) value.checkLiving(name);
  else if (Array.isArray(value)) for (const each of value) if (each instanceof DeviceArray) each.checkLiving(name);
}

/** What {@link optionsOf} reads. */
export type OptionsOf<O extends Kinds> = Partial<Values<O>>;

/** Checks an object of options alone, for constructors and the like. Throws TensorError. */
export function optionsOf<O extends Kinds>(
  name: string,
  options: O,
  given: unknown,
  more: Pick<Taken, "aliases" | "instead"> = {},
): OptionsOf<O> {
  if (given === undefined) return {};
  if (!isOptions(given)) tooMany(name, { options, ...more }, given);
  const found: Record<string, unknown> = {};
  readOptions(name, { options, ...more }, options, given as object, found);
  for (const key in found) checkLiving(name, found[key]);
  return found as OptionsOf<O>;
}

function readOptions(name: string, takes: Taken, options: Kinds, given: object, found: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (Object.hasOwn(options, key)) {
      found[key] = checked(name, options, key, value);
      continue;
    }
    const alias =
      takes.aliases?.[key] ?? (Object.hasOwn(options, commonAliases[key] ?? "") ? commonAliases[key] : undefined);
    if (typeof alias === "function") Object.assign(found, alias(value));
    else if (alias !== undefined) found[alias] = checked(name, options, alias, value, key);
    else unknownOption(name, takes, options, key);
  }
}

function checked(name: string, options: Kinds, key: string, value: unknown, written = key): unknown {
  const of = options[key]!;
  if (!of.has(value)) fail(name, written, value, of);
  return value;
}

/** Lists and numbers as they were written. */
const shown = (value: unknown): string => (Array.isArray(value) && value.length <= 8 ? listed(value) : worded(value));

const isOptions = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !ArrayBuffer.isView(value) &&
  !isTensor(value) &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

/** Leading whole numbers as one list. */
function spreadOut(args: readonly unknown[]): readonly unknown[] {
  const end = args.findIndex((each) => !Number.isInteger(each));
  const length = end < 0 ? args.length : end;
  return length === 0 ? args : [args.slice(0, length), ...args.slice(length)];
}

/** `topk(k, { axis, largest })`. */
export function callOf(name: string, { required = {}, options = {}, written = name }: Taken): string {
  const keys = Object.keys(options);
  return `${written}(${[...Object.keys(required), ...(keys.length > 0 ? [`{ ${keys.join(", ")} }`] : [])].join(", ")})`;
}

function fail(name: string, key: string, value: unknown, { wanted, isPlain }: Kind<unknown>, advice = ""): never {
  const got = value === undefined ? "nothing" : shown(value);
  throw new TensorError("ARGUMENTS", `${name} takes ${wanted}${isPlain ? "" : ` as ${key}`} but got ${got}.${advice}`);
}

function tooMany(name: string, takes: Taken, surplus: unknown): never {
  const advice = takes.options === undefined ? "Write" : "Options are an object:";
  throw new TensorError(
    "ARGUMENTS",
    `${name} does not take ${shown(surplus)} there. ${advice} ${callOf(name, takes)}.`,
  );
}

function unknownOption(name: string, takes: Taken, options: Kinds, key: string): never {
  const plain = (word: string) => word.toLowerCase().replaceAll("_", "");
  const keys = Object.keys(options);
  const near = keys.find((each) => plain(each) === plain(key)) ?? keys.find((each) => isNear(plain(each), plain(key)));
  const advice =
    takes.instead?.[key] ??
    (near !== undefined
      ? `Write ${near}.`
      : keys.length > 0
        ? `Its options are ${keys.join(", ")}.`
        : "It takes no options.");
  throw new TensorError("OPTIONS", `${name} has no option ${key}. ${advice}`);
}

/** Whether one letter more, less or other makes one word of the other. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || Math.min(a.length, b.length) < 4) return false;
  const start = [...a].findIndex((letter, at) => letter !== b[at]);
  if (start < 0) return true;
  const rest = (word: string, from: number) => word.slice(from);
  return [
    [1, 1],
    [1, 0],
    [0, 1],
  ].some(([left, right]) => rest(a, start + left!) === rest(b, start + right!));
}

type OptionsTaken = Pick<Takes<Kinds, Kinds>, "options" | "bare" | "aliases" | "instead">;
const takenBy = new WeakMap<object, OptionsTaken>();

/** What a function takes beside its tensors: for a layer that keeps it. */
export const optionsTaken = (compute: object): OptionsTaken => takenBy.get(compute)!;

/** Under its name, with what it takes. */
function named<F>(name: string, compute: (...args: unknown[]) => unknown, takes: object): F {
  Object.defineProperty(compute, "name", { value: name });
  const { options, bare, aliases, instead } = takes as OptionsTaken;
  takenBy.set(
    compute,
    Object.fromEntries(Object.entries({ options, bare, aliases, instead }).filter(([, value]) => value !== undefined)),
  );
  return compute as F;
}

/** A function whose first argument is a tensor; it is a method, too, once it is installed. */
export function define<R extends Kinds, O extends Kinds, F extends (x: never, ...args: never[]) => unknown>(
  name: string,
  takes: Takes<R, O>,
  body: (x: Tensor, given: Given<R, O>) => unknown,
): F {
  const read = reader(name, takes);
  const { withoutAxes } = takes;
  const compute = (x: unknown, ...args: unknown[]): unknown => {
    if (!isTensor(x))
      throw new TensorError("OPERANDS", `${name} takes a tensor but got ${worded(x)}. ${toBeTensor(x)}`);
    x.checkLiving(name);
    const given = read(args);
    if (withoutAxes !== undefined && x.shape.length === 0) return onRow(withoutAxes, x, given, body);
    return body(x, given);
  };
  return named(name, compute, takes);
}

/** A function that takes no tensor first. */
export function free<R extends Kinds, O extends Kinds, F extends (...args: never[]) => unknown>(
  name: string,
  takes: Takes<R, O>,
  body: (given: Given<R, O>) => unknown,
): F {
  const read = reader(name, takes);
  return named(name, (...args) => body(read(args)), takes);
}

/** A method as a function of the tensor and its arguments. */
export type FunctionOf<K extends keyof Tensor> = <D extends DType>(
  x: Tensor<D>,
  ...args: Tensor<D>[K] extends (...args: infer A) => unknown ? A : never
) => Tensor<D>[K] extends (...args: never[]) => infer R ? R : never;

type Method = (x: never, ...args: never[]) => unknown;

/** Gives the class functions as methods. */
export function install(prototype: object, functions: Readonly<Record<string, Method>>): void {
  for (const [name, compute] of Object.entries(functions)) {
    const method = {
      [name](this: Tensor, ...args: never[]) {
        return compute(this as never, ...args);
      },
    }[name];
    Object.defineProperty(prototype, name, { value: method, writable: true, configurable: true });
  }
}
