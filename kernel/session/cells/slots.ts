// Keeps the values of the notebook's names in slot objects and lets code that knows no slots see them as globals.
import { Scope } from "../../language/scope.ts";

type Chunk = Record<string, unknown>;

/**
 * An object that has no property but the notebook's names, of which `constructor` may be one. Without any prototype it
 * would be a hash table, several times slower.
 */
const Chunk = class {} as unknown as new () => Chunk;
delete Chunk.prototype.constructor;
Object.setPrototypeOf(Chunk.prototype, null);

export class Slots {
  readonly scope = new Scope();
  readonly #chunks: Chunk[] = [];

  /** The first `count` chunks, to be handed to the code of a cell. */
  chunks(count: number): Chunk[] {
    while (this.#chunks.length < count) this.#chunks.push(new Chunk());
    return this.#chunks.slice(0, count);
  }

  /**
   * From when they have a value code of earlier cells finds the names of this one, and code of modules finds nothing
   * before: lodash asks whether there is another `_`.
   */
  expose(names: readonly string[]): void {
    for (const name of names) {
      const chunk = this.#chunkOf(name);
      if (!(name in chunk) || name in globalThis) continue;
      Object.defineProperty(globalThis, name, {
        configurable: true,
        get: () => chunk[name],
        set: (value: unknown) => {
          chunk[name] = value;
        },
      });
    }
  }

  /** After a cell ran: names that never got a value are unknown again. */
  conclude(names: readonly string[]): void {
    this.expose(names);
    for (const name of names) if (!(name in this.#chunkOf(name))) this.scope.forget(name);
  }

  /** Gives a name a value that no TypeScript cell declared. */
  define(name: string, value: unknown, kind: "constant" | "variable" = "constant"): void {
    this.scope.declare(name, kind);
    this.#chunkOf(name)[name] = value;
    this.expose([name]);
  }

  /** `undefined` for a name that has none. */
  valueOf(name: string): unknown {
    return this.scope.names().includes(name) ? this.#chunkOf(name)[name] : undefined;
  }

  /** The names that have a value, with it. */
  entries(): [name: string, value: unknown][] {
    return this.scope
      .names()
      .filter((name) => name in this.#chunkOf(name))
      .map((name) => [name, this.#chunkOf(name)[name]]);
  }

  #chunkOf(name: string): Chunk {
    return this.chunks(this.scope.chunk(name) + 1).at(-1)!;
  }
}
