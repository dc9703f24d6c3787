// Names that other libraries give to what has another one here: using one is an error that says what to write. Such
// names are not declared, so that the checker marks them and no editor offers them.
import { TensorError } from "./errors.ts";

/** What to write, by the name that is not there. */
export type Instead = Readonly<Record<string, string>>;

/** `A tensor has no view: write x.reshape([2, 3]).` */
export const refusal = (owner: string, name: string, instead: string): TensorError =>
  new TensorError("NAME", `${owner} has no ${name}: write ${instead}.`);

/** A function, also for `new`, of a name that stands for something else here. */
export function absent(name: string, instead: string): () => never {
  return function () {
    throw new TensorError("NAME", `There is no ${name}: write ${instead}.`);
  };
}

/** Names in the style of Python, of those that are there: index_select for indexSelect. */
export function pythonNames(prototype: object, object: string): Instead {
  return Object.fromEntries(
    Object.getOwnPropertyNames(prototype)
      .filter((name) => /^[a-z]+[A-Z]/.test(name))
      .map((name) => [
        name.replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`),
        `${object}.${name}${typeof Object.getOwnPropertyDescriptor(prototype, name)!.value === "function" ? "(…)" : ""}`,
      ]),
  );
}

/** Has reading and writing of the names throw. */
export function refuseAccess(prototype: object, owner: string, names: Instead): void {
  for (const [name, instead] of Object.entries(names)) {
    const refuse = (): never => {
      throw refusal(owner, name, instead);
    };
    Object.defineProperty(prototype, name, { get: refuse, set: refuse, configurable: true });
  }
}

/** Has calls of the names throw; a subclass may still give its objects such properties. */
export function refuseCalls(prototype: object, owner: string, names: Instead): void {
  for (const [name, instead] of Object.entries(names)) {
    const value = (): never => {
      throw refusal(owner, name, instead);
    };
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  }
}
