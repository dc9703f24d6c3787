// The tensors and other values in the arguments and the results of a function, by name.
import { DeviceArray } from "../memory/array.ts";

/** A value that is neither an array nor an object, or a tensor. */
export interface Leaf {
  /** "x", "batch.tokens", "layers[2]". */
  readonly name: string;
  readonly value: unknown;
}

const isPlain = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== "object" || value === null || value instanceof DeviceArray) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/** The leaves of a value, in its order. */
export function eachLeaf(value: unknown, name: string): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => eachLeaf(each, `${name}[${index}]`));
  if (isPlain(value)) return Object.entries(value).flatMap(([key, each]) => eachLeaf(each, `${name}.${key}`));
  return [{ name, value }];
}

/** The same value with other leaves. */
export function mapLeaves(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => mapLeaves(each, change));
  if (isPlain(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapLeaves(each, change)]));
  return change(value);
}

/** The names of a function's parameters, as far as they are plain ones. */
export function parameterNames(fn: (...args: never[]) => unknown): string[] {
  const text = Function.prototype.toString.call(fn);
  const list = /^(?:function\b[^(]*|[\w$]+)?\(([^)]*)\)/.exec(text)?.[1] ?? /^([\w$]+)\s*=>/.exec(text)?.[1] ?? "";
  const names = list.split(",").map((each) => each.trim());
  return names.every((each) => /^[\w$]+$/.test(each)) ? names : [];
}
