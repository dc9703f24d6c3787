// Brings in the library `warpcell` when it is first needed, and tells those who depend on it. The only file of the
// session's main thread that loads it.
import type * as Host from "warpcell/host";
import type * as Warpcell from "warpcell";

/** The library for cells, and what it offers to those who run them. */
export interface Library {
  warpcell: typeof Warpcell;
  host: typeof Host;
}

/** The module with the library's functions for any thread. */
export const hostUrl = import.meta.resolve("warpcell/host");

export class LibraryLoader {
  /** The folder of the library's compiled files. */
  readonly folder = new URL(".", hostUrl).href;
  readonly #whenLoaded: ((library: Library) => void)[] = [];
  #library: Promise<Library> | null = null;
  #loaded: Library | null = null;

  /** The library, if anybody has needed it yet. */
  get loaded(): Library | null {
    return this.#loaded;
  }

  whenLoaded(listener: (library: Library) => void): void {
    this.#whenLoaded.push(listener);
  }

  /** Rejects with the reason when the library cannot be loaded; the next call tries again. */
  load(): Promise<Library> {
    this.#library ??= this.#import().catch((error: unknown) => {
      this.#library = null;
      throw error;
    });
    return this.#library;
  }

  async #import(): Promise<Library> {
    const [warpcell, host] = await Promise.all([import("warpcell"), import("warpcell/host")]);
    this.#loaded = { warpcell, host };
    for (const listener of this.#whenLoaded) listener(this.#loaded);
    return this.#loaded;
  }
}
