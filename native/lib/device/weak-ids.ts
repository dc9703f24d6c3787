// Ids by which front ends name objects of this process, for as long as those live: an id keeps nothing alive.
import { randomUUID } from "node:crypto";
import { afterCollection, living } from "./collection.ts";

export class WeakIds<T extends object> {
  readonly #ids = new WeakMap<T, string>();
  readonly #watched = new Map<string, number>();

  /** The same at every call, and of no other object ever: a stored notebook may name it to another kernel. */
  of(object: T): string {
    const known = this.#ids.get(object);
    if (known !== undefined) return known;
    const id = randomUUID();
    this.#ids.set(object, id);
    this.#watched.set(
      id,
      afterCollection(object, () => this.#watched.delete(id)),
    );
    return id;
  }

  /** `null` once it has been collected. */
  find(id: string): T | null {
    const number = this.#watched.get(id);
    return number === undefined ? null : (living(number) as T | null);
  }
}
