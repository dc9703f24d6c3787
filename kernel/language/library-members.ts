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
  const known = foreignNames.get(member);
  if (known !== undefined) return known === "" ? "" : `: ${known.replaceAll("@", of(""))}.`;
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
