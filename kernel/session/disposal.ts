// Keeps what `using` declared at the top level of a cell and disposes of it when the cell ends, the last first. It must not know the cell.

export class Disposal {
  readonly #stack: (() => unknown)[] = [];

  /** Throws a TypeError when the value cannot be disposed of; `null` and `undefined` need not be. */
  add(value: unknown, isAsync: boolean): void {
    if (value === null || value === undefined) return;
    const methods = value as Record<symbol, unknown>;
    const dispose = (isAsync ? methods[Symbol.asyncDispose] : undefined) ?? methods[Symbol.dispose];
    if (typeof dispose !== "function") throw new TypeError(`Expected a value with a [Symbol.${isAsync ? "asyncDispose" : "dispose"}] method after using but got ${typeof value}.`);
    this.#stack.push(() => (dispose as () => unknown).call(value));
  }

  /** Disposes of everything, also when something fails, and then throws the first failure. */
  async end(): Promise<void> {
    const failures: unknown[] = [];
    while (this.#stack.length > 0) {
      try {
        await this.#stack.pop()!();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
