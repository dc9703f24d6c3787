// A value that holds while a function runs, or from one call to another: whatever ends first, what has ended never
// comes back.

interface Entry<T> {
  readonly value: T;
  readonly outer: Entry<T> | null;
  isOver: boolean;
}

export class Scoped<T> {
  #innermost: Entry<T>;
  #current: T;

  /** `value` holds where nothing else does. */
  constructor(value: T) {
    this.#innermost = { value, outer: null, isOver: false };
    this.#current = value;
  }

  /** The value that began last of those that have not ended. */
  get current(): T {
    return this.#current;
  }

  /** Runs `fn`, which is not async, with a value. */
  run<R>(value: T, fn: () => R): R {
    const entry = this.#begin(value);
    try {
      return fn();
    } finally {
      this.#end(entry);
    }
  }

  /** Has a value hold until what is returned is disposed of, also within and after what runs meanwhile. */
  begin(value: T): Disposable {
    const entry = this.#begin(value);
    return { [Symbol.dispose]: () => this.#end(entry) };
  }

  #begin(value: T): Entry<T> {
    const entry = { value, outer: this.#innermost, isOver: false };
    this.#innermost = entry;
    this.#current = value;
    return entry;
  }

  #end(entry: Entry<T>): void {
    entry.isOver = true;
    let innermost = this.#innermost;
    while (innermost.isOver) innermost = innermost.outer!;
    this.#innermost = innermost;
    this.#current = innermost.value;
  }
}
