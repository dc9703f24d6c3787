// Gives each name that a notebook declares a place, `slots[chunk].name`, which it keeps for ever.

/** How a name was declared last; a `constant` may not be assigned. */
export type Kind = "constant" | "variable";

/** Objects with more properties than V8 keeps in their shape become hash tables, several times slower. */
const namesPerChunk = 64;

interface Name {
  chunk: number;
  kind: Kind;
  declared: boolean;
  launcher: boolean;
}

export class Scope {
  readonly #names = new Map<string, Name>();

  /** Chunks of slots that are needed for the names declared so far. */
  get chunks(): number {
    return Math.ceil(this.#names.size / namesPerChunk);
  }

  /** A cell declares this name; it keeps the place it may already have, so that older closures see the new value. */
  declare(name: string, kind: Kind): void {
    const known = this.#names.get(name);
    const chunk = known?.chunk ?? Math.floor(this.#names.size / namesPerChunk);
    this.#names.set(name, { chunk, kind, declared: true, launcher: false });
  }

  /** The cell failed before the name got a value: it is unknown again. Its place remains. */
  forget(name: string): void {
    const known = this.#names.get(name);
    if (known !== undefined) known.declared = false;
  }

  has(name: string): boolean {
    return this.#names.get(name)?.declared === true;
  }

  /** Number of the chunk that holds the name. It must have been declared. */
  chunk(name: string): number {
    const known = this.#names.get(name);
    if (known === undefined) throw new Error(`${name} is not declared.`);
    return known.chunk;
  }

  isConstant(name: string): boolean {
    return this.#names.get(name)?.kind === "constant";
  }

  /** The name holds what `kernel.over(n)` returned: calling it launches. */
  markLauncher(name: string): void {
    const known = this.#names.get(name);
    if (known !== undefined) known.launcher = true;
  }

  isLauncher(name: string): boolean {
    return this.#names.get(name)?.launcher === true;
  }

  names(): string[] {
    return [...this.#names].filter(([, name]) => name.declared).map(([name]) => name);
  }
}
