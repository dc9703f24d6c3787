// What the library's own namespace has in place of a member that it lacks.
import { foreignNames } from "./foreign-names.ts";
import { nearest } from "./nearest.ts";

/**
 * What to add to `wc.no_grad is not a function`, or, with "" as `object`, to a name that cannot be imported; "" where
 * nothing in the library is like it.
 */
export function insteadOfMember(library: object, object: string, member: string): string {
  const of = (name: string): string => (object === "" ? name : `${object}.${name}`);
  if (member in Object.prototype) return "";
  const known = foreign(member, of(""));
  if (known !== undefined) return known;
  const inCamelCase = member.replace(/_+([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
  const members = Object.keys(library);
  if (members.includes(inCamelCase)) return `: write ${of(inCamelCase)}.`;
  const room = members.find((name) => /^[a-z]+$/.test(name) && has(Reflect.get(library, name), inCamelCase));
  if (room !== undefined) return `: write ${of(`${room}.${inCamelCase}`)}.`;
  const method = methodOf(Reflect.get(library, "Tensor"), inCamelCase);
  if (method !== "") return `: ${method}.`;
  const meant = nearest(member, members);
  return meant === undefined ? "" : `. Did you mean ${of(meant)}?`;
}

/**
 * What to add to `start.elapsed is not a function`, where `object` is the name of a value that the library made, or of
 * one of its functions and rooms; "" for other values, and where it has nothing like it.
 */
export function insteadOfMethod(library: object, value: unknown, object: string, member: string): string {
  if (!isOf(library, value) || member in Object.prototype) return "";
  const meant = nearest(member, methodsOf(value as object));
  return foreign(member, "") ?? (meant === undefined ? "" : `. Did you mean ${object}.${meant}?`);
}

/** Whether a value is one of the library's, or made by a class of it or of one of its rooms. */
function isOf(library: object, value: unknown): boolean {
  const own = Object.values(library).flatMap((each) =>
    typeof each === "object" && each !== null ? [each, ...Object.values(each)] : [each],
  );
  return own.some((each) => each === value || (isClass(each) && value instanceof each));
}

const isClass = (value: unknown): value is new () => object =>
  typeof value === "function" && typeof value.prototype === "object" && value.prototype !== null;

function methodsOf(value: object): string[] {
  const names = new Set<string>();
  for (let each = value; each !== Object.prototype && each !== Function.prototype && each !== null; ) {
    for (const [name, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(each)))
      if (typeof method === "function" && name !== "constructor") names.add(name);
    each = Object.getPrototypeOf(each);
  }
  return [...names];
}

/** What is said of a name of other libraries, also where it is written in camel case; `undefined` for no such name. */
function foreign(member: string, library: string): string | undefined {
  const known =
    foreignNames.get(member) ?? foreignNames.get(member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return known === undefined ? undefined : known === "" ? "" : `: ${known.replaceAll("@", library)}.`;
}

function has(room: unknown, name: string): boolean {
  return ((typeof room === "object" && room !== null) || typeof room === "function") && Object.hasOwn(room, name);
}

/** How a tensor has it: as a method, or as the error of a name that has another one says. */
function methodOf(tensor: unknown, name: string): string {
  if (typeof tensor !== "function" || !(name in tensor.prototype)) return "";
  try {
    return typeof Reflect.get(tensor.prototype, name) === "function" ? `write x.${name}(…), of a tensor` : "";
  } catch (error) {
    return /: (write .*)\.$/.exec(error instanceof Error ? error.message : "")?.[1] ?? "";
  }
}
