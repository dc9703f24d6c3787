// What can be said of any value without running code of the user's: no getter, no proxy's trap, no method. Functions of
// JavaScript's own are kept from before the first cell.
import { types } from "node:util";

const { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const getter = (owner: object, name: string) => getOwnPropertyDescriptor(owner, name)!.get!;
const lengthOfTyped = getter(getPrototypeOf(Uint8Array.prototype)!, "length");
const sizeOfMap = getter(Map.prototype, "size");
const sizeOfSet = getter(Set.prototype, "size");
const bytesOfBuffer = getter(ArrayBuffer.prototype, "byteLength");
const eachOfMap = Map.prototype.forEach;
const eachOfSet = Set.prototype.forEach;
const timeOfDate = Date.prototype.getTime;
const functionText = Function.prototype.toString;
const isEnumerable = Object.prototype.propertyIsEnumerable;

/** Prototypes are looked at so far up. */
const mostPrototypes = 50;
/** A text is shown so far. */
const mostCharacters = 40;
/** Objects, and items of each, that are looked into for tensors. */
const mostObjects = 4000;
const mostItems = 1000;

/** The value of an own property that is plain data; `undefined` of others. */
export function dataOf(owner: object, key: string | symbol): unknown {
  if (types.isProxy(owner)) return undefined;
  return getOwnPropertyDescriptor(owner, key)?.value as unknown;
}

/** "number", "Tensor", "Map", "class Net", "function", … */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object" && typeof value !== "function") return typeof value;
  if (types.isProxy(value)) return "Proxy";
  if (types.isModuleNamespaceObject(value)) return "module";
  const name = className(value);
  if (typeof value !== "function") return name;
  if (!/^(Async)?(Generator)?Function$/.test(name)) return name;
  const isClass = /^class\b/.test(apply(functionText, value, []) as string);
  return isClass ? "class" : "function";
}

function className(value: object): string {
  let owner = getPrototypeOf(value);
  for (let depth = 0; owner !== null && !types.isProxy(owner) && depth < mostPrototypes; depth++) {
    const made = dataOf(owner, "constructor");
    const name = typeof made === "function" ? dataOf(made, "name") : undefined;
    if (typeof name === "string" && name !== "") return name;
    owner = getPrototypeOf(owner);
  }
  return "Object";
}

const items = (count: number, noun = "item"): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

function shortened(text: string): string {
  const line = JSON.stringify(text.slice(0, mostCharacters));
  return text.length > mostCharacters ? `${line.slice(0, -1)}…"` : line;
}

/** In a few words; empty where there are none. */
export function valueText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return shortened(value);
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${String(value).slice(0, mostCharacters)}n`;
    case "boolean":
    case "symbol":
      return String(value);
    case "object":
      return value === null ? "" : objectText(value);
    default:
      return "";
  }
}

function objectText(value: object): string {
  if (types.isProxy(value) || types.isModuleNamespaceObject(value)) return "";
  if (Array.isArray(value)) return items(dataOf(value, "length") as number);
  if (types.isMap(value)) return items(apply(sizeOfMap, value, []) as number);
  if (types.isSet(value)) return items(apply(sizeOfSet, value, []) as number);
  if (types.isTypedArray(value)) return items(apply(lengthOfTyped, value, []) as number);
  if (types.isArrayBuffer(value)) return items(apply(bytesOfBuffer, value, []) as number, "byte");
  if (types.isDate(value)) {
    const time = apply(timeOfDate, value, []) as number;
    return Number.isNaN(time) ? "invalid" : new Date(time).toISOString();
  }
  if (types.isNativeError(value)) {
    const message = dataOf(value, "message");
    return typeof message === "string" ? shortened(message) : "";
  }
  const isPlain = getPrototypeOf(value) === Object.prototype || getPrototypeOf(value) === null;
  return isPlain ? items(ownKeys(value).length, "field") : "";
}

/** One thing that a value is made of; `null` where only a getter could tell. */
export interface Part {
  readonly name: string;
  readonly data: { readonly value: unknown } | null;
}

/** So many parts of a value are shown. */
const mostParts = 1000;

/** What a value is made of, as one opens it: items, entries, and own properties that can be seen. */
export function shownParts(value: unknown): { parts: Part[]; more: number } {
  if (!isObject(value) || types.isProxy(value)) return { parts: [], more: 0 };
  const parts = entriesOf(value) ?? propertiesOf(value);
  return { parts: parts.slice(0, mostParts), more: countOf(value, parts.length) - Math.min(parts.length, mostParts) };
}

/** Whether there is anything to open. */
export function hasParts(value: unknown): boolean {
  if (!isObject(value) || types.isProxy(value)) return false;
  return countOf(value, -1) > 0 || ownKeys(value).some((key) => isShown(value, key));
}

function entriesOf(value: object): Part[] | null {
  const parts: Part[] = [];
  const take = (name: string, part: unknown): void => {
    if (parts.length < mostParts) parts.push({ name, data: { value: part } });
  };
  if (types.isMap(value))
    apply(eachOfMap, value, [(item: unknown, key: unknown) => take(valueText(key) || typeOf(key), item)]);
  else if (types.isSet(value)) apply(eachOfSet, value, [(item: unknown) => take(String(parts.length), item)]);
  else if (types.isTypedArray(value)) {
    const length = Math.min(countOf(value, 0), mostParts);
    for (let index = 0; index < length; index++) take(String(index), value[index]);
  } else if (Array.isArray(value)) {
    const length = Math.min(countOf(value, 0), mostParts);
    for (let index = 0; index < length; index++) parts.push(partOf(value, String(index)));
  } else return null;
  return parts;
}

function countOf(value: object, otherwise: number): number {
  if (types.isMap(value)) return apply(sizeOfMap, value, []) as number;
  if (types.isSet(value)) return apply(sizeOfSet, value, []) as number;
  if (types.isTypedArray(value)) return apply(lengthOfTyped, value, []) as number;
  return Array.isArray(value) ? (dataOf(value, "length") as number) : otherwise;
}

const propertiesOf = (value: object): Part[] =>
  ownKeys(value)
    .filter((key) => isShown(value, key))
    .map((key) => partOf(value, key));

/** An error's own are hidden, and what one wants to know of it. */
const isShown = (value: object, key: string | symbol): boolean =>
  types.isNativeError(value) || types.isModuleNamespaceObject(value) || (apply(isEnumerable, value, [key]) as boolean);

function partOf(value: object, key: string | symbol): Part {
  const name = String(key);
  try {
    const descriptor = getOwnPropertyDescriptor(value, key);
    const isData = descriptor === undefined || "value" in descriptor;
    return { name, data: isData ? { value: descriptor?.value as unknown } : null };
  } catch {
    // A module's name that has no value yet.
    return { name, data: null };
  }
}

/** Objects that plain data leads to from a value, itself first, as far as one looks. `isWhole`: not into this one. */
export function* reachable(value: unknown, isWhole: (object: object) => boolean): Generator<object> {
  const seen = new Set<object>();
  const waiting = [value];
  while (waiting.length > 0 && seen.size < mostObjects) {
    const next = waiting.pop();
    if (!isObject(next) || seen.has(next) || types.isProxy(next)) continue;
    seen.add(next);
    yield next;
    if (!isWhole(next) && !isOpaque(next)) waiting.push(...partsOf(next));
  }
}

/** Layers are functions. */
const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

const isOpaque = (value: object): boolean =>
  types.isTypedArray(value) || types.isAnyArrayBuffer(value) || types.isModuleNamespaceObject(value);

function partsOf(value: object): unknown[] {
  const parts: unknown[] = [];
  const take = (part: unknown): void => {
    if (isObject(part) && parts.length < mostItems) parts.push(part);
  };
  if (types.isMap(value)) apply(eachOfMap, value, [take]);
  if (types.isSet(value)) apply(eachOfSet, value, [take]);
  if (Array.isArray(value)) {
    const length = Math.min(dataOf(value, "length") as number, mostItems);
    for (let index = 0; index < length; index++) take(dataOf(value, String(index)));
    return parts;
  }
  for (const key of ownKeys(value).slice(0, mostItems)) if (key !== "prototype") take(dataOf(value, key));
  return parts;
}
