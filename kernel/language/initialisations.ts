// When a cell's code may read what it declares: a `let`, `const` or class has no value before its declaration has run,
// also when an earlier run of the cell left one.
import type { Program } from "oxc-parser";
import { boundNames } from "./hoisting.ts";
import type { Analysis, Reference } from "./references.ts";

/** Where a name gets its value; within a pattern some get theirs before others. */
interface Initialisation {
  start: number;
  end: number;
  isPattern: boolean;
}

/** Whether a use comes before the declaration: surely, or maybe, which only shows when it runs. */
type Earliness = "no" | "maybe" | "surely";

export class Initialisations {
  /** Names that something may read too early. What runs keeps for each whether its declaration has run. */
  readonly watched = new Set<string>();
  readonly #places = new Map<string, Initialisation>();
  readonly #calls: readonly number[];

  constructor(program: Program, { calls, references }: Analysis) {
    this.#calls = calls;
    for (const statement of program.body) {
      const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      if (declaration?.type === "ClassDeclaration" && declaration.id !== null)
        this.#places.set(declaration.id.name, { start: declaration.start, end: declaration.start, isPattern: false });
      if (declaration?.type !== "VariableDeclaration" || declaration.kind === "var") continue;
      for (const { id, start, end } of declaration.declarations) {
        for (const name of boundNames(id)) this.#places.set(name, { start, end, isPattern: id.type !== "Identifier" });
      }
    }
    for (const reference of references) if (this.earliness(reference) === "maybe") this.watched.add(reference.name);
  }

  earliness({ name, form, start, immediate }: Reference): Earliness {
    const place = this.#places.get(name);
    if (place === undefined || (form !== "read" && form !== "call" && form !== "shorthand")) return "no";
    // A function can only be called too early where something is called before.
    if (!immediate) return this.#calls.some((call) => call < place.end) ? "maybe" : "no";
    if (start >= place.end) return "no";
    return place.isPattern && start >= place.start ? "maybe" : "surely";
  }

  isPattern(name: string): boolean {
    return this.#places.get(name)?.isPattern === true;
  }
}
