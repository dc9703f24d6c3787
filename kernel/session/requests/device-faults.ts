// Makes a device's fault its cell's error, once, whoever meets it first: also a promise that nobody awaits.
import type { LibraryLoader } from "../cells/library.ts";
import type { Request } from "./request.ts";

export class DeviceFaults {
  readonly #library: LibraryLoader;
  readonly #told = new WeakSet<object>();
  #running: { request: Request; fault: object | null } | null = null;

  constructor(library: LibraryLoader) {
    this.#library = library;
  }

  begin(request: Request): void {
    this.#running = { request, fault: null };
  }

  /** Ends what {@link begin} began. Returns a fault that nobody has been told of yet, if there was one. */
  end(): object | null {
    const fault = this.#running?.fault ?? null;
    this.#running = null;
    return fault !== null && !this.#told.has(fault) ? fault : null;
  }

  /** It is the error of a cell now. */
  told(thrown: unknown): void {
    if (this.#isFault(thrown)) this.#told.add(thrown);
  }

  /** Whether a rejection that nobody awaits is, or will be, a cell's error. */
  adopt(reason: unknown, request: Request): boolean {
    if (!this.#isFault(reason)) return false;
    if (this.#told.has(reason)) return true;
    if (this.#running?.request !== request) return false;
    this.#running.fault ??= reason;
    return true;
  }

  #isFault(thrown: unknown): thrown is object {
    const library = this.#library.loaded;
    return library !== null && thrown instanceof library.warpcell.DeviceFault;
  }
}
