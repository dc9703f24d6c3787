// What a function used that must be the same when it is run again: it is noted in its order, and given out once more.
import { Scoped } from "./scoped.ts";

interface Notes<T> {
  readonly list: T[];
  readonly outer: Notes<T> | null;
}

export class Repeated<T> {
  readonly #noting = new Scoped<Notes<T> | null>(null);
  readonly #repeating = new Scoped<Iterator<T, undefined> | null>(null);

  /** Nothing was noted or is noted now: {@link next} is but what it is given. */
  get isIdle(): boolean {
    return this.#noting.current === null && this.#repeating.current === null;
  }

  /** What is given out was noted before. */
  get isRepeating(): boolean {
    return this.#repeating.current !== null;
  }

  /** What `fn` returns, and what it used; whoever notes around it notes that, too. */
  note<R>(fn: () => R): { readonly result: R; readonly noted: readonly T[] } {
    const notes: Notes<T> = { list: [], outer: this.#noting.current };
    return { result: this.#noting.run(notes, fn), noted: notes.list };
  }

  /** Runs `fn`, which uses what was noted, and goes on with what is new when that is used up. */
  repeat<R>(noted: readonly T[], fn: () => R): R {
    return this.#repeating.run(noted.values() as Iterator<T, undefined>, fn);
  }

  /** What is to be used next. */
  next(make: () => T): T {
    const value = this.#repeating.current?.next().value ?? make();
    for (let each = this.#noting.current; each !== null; each = each.outer) each.list.push(value);
    return value;
  }
}
