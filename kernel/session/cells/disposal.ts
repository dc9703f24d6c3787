// Keeps what `using` declared at the top level of a cell and disposes of it when the cell ends, the last first.

export class Disposal {
  readonly #stack: (() => unknown)[] = [];

  /** Throws a TypeError when the value cannot be disposed of; `null` and `undefined` need not be. */
  add(value: unknown, isAsync: boolean): void {
    if (value === null || value === undefined) return;
    const methods = value as Record<symbol, unknown>;
    const dispose = (isAsync ? methods[Symbol.asyncDispose] : undefined) ?? methods[Symbol.dispose];
    if (typeof dispose !== "function")
      throw new TypeError(
        `What follows using must have a [Symbol.${isAsync ? "asyncDispose" : "dispose"}] method, but this ${typeof value} has none.`,
      );
    this.#stack.push(() => (dispose as () => unknown).call(value));
  }

  /** Disposes of everything, also when something fails, and then throws what failed. */
  async end(): Promise<void> {
    const failure = await this.endAfter(nothing);
    if (failure !== nothing) throw failure;
  }

  /** Disposes of everything after the cell has thrown. Resolves with what to throw on. */
  async endAfter(thrown: unknown): Promise<unknown> {
    let failure = thrown;
    while (this.#stack.length > 0) {
      try {
        await this.#stack.pop()!();
      } catch (error) {
        failure = combined(failure, error);
      }
    }
    return failure;
  }
}

/** Stands for what was thrown where nothing was; `undefined` can be thrown. */
export const nothing = Symbol("nothing");

/** What the block threw is not lost behind what its disposal throws. */
export function combined(first: unknown, second: unknown): unknown {
  return first === nothing
    ? second
    : Object.assign(new AggregateError([second, first], "An error was suppressed during disposal."), {
        name: "SuppressedError",
        error: second,
        suppressed: first,
      });
}
