// What the translation of one function knows: its names and types, and what has to stand in front of a statement.
import type { Cells } from "./cells.ts";
import type { Declarator, Expression, Statement, TypeName } from "./nodes.ts";
import { Untranslated } from "./read-expressions.ts";
import { builtinTypeOf, Place, plain, scalar, type StructType, type Type } from "./types.ts";
import { expressionOf } from "./expressions.ts";
import { unitOf } from "./clocks.ts";
import { converted, value, type Value } from "./value.ts";
import { helpers } from "./helpers.ts";
import { initialised } from "./initialise.ts";

export interface Variable {
  /** In TypeScript, where some words are no names. */
  readonly name: string;
  readonly type: Type;
  /** How many elements it has, as text; `null`: not known. */
  length: string | null;
  /** An int that is never negative: the counter of a loop. */
  readonly positive: boolean;
  /** Not declared yet: where it is first given something it is. */
  isPending: boolean;
  /** What it was first given, where nothing else is given to it later. */
  readonly first: Expression | null;
}

export class Translator {
  readonly cells: Cells;
  /** Template parameters that are types, and those that are values. */
  readonly types = new Map<string, Type>();
  readonly constants = new Map<string, Value>();
  isMain: boolean;
  /** How often each name is given something after its declaration. */
  readonly assigned: ReadonlyMap<string, number>;
  result: Type;
  /** The result is what is returned first. */
  isInferred = false;
  /** Vectors that get more elements later. */
  growing: ReadonlySet<string> = new Set();
  /** Statements that come before the one that is being translated. */
  before: string[] = [];
  awaits = false;
  /** What `main` returns in the middle of it, so that it has to be a function. */
  leaves = false;
  /** What the block has so far. */
  lines: string[] = [];
  /** Structs whose fields are being read. */
  readonly #open = new Set<string>();
  readonly #fresh = new Map<Variable, { line: string; count: string; block: string[]; declared: boolean }>();
  readonly #scopes: Map<string, Variable>[] = [new Map()];

  constructor(cells: Cells, assigned: ReadonlyMap<string, number>, isMain: boolean) {
    this.cells = cells;
    this.assigned = assigned;
    this.isMain = isMain;
    this.result = plain("void");
  }

  // --- names

  inside<T>(work: () => T): T {
    this.#scopes.push(new Map());
    try {
      return work();
    } finally {
      this.#scopes.pop();
    }
  }

  declare(name: string, type: Type, more: Partial<Variable> = {}): Variable {
    const variable = {
      name: safeName(name),
      type,
      length: null,
      positive: false,
      isPending: false,
      first: null,
      ...more,
    };
    this.#scopes.at(-1)!.set(name, variable);
    return variable;
  }

  find(name: string): Variable | null {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const found = this.#scopes[i]!.get(name);
      if (found !== undefined) return found;
    }
    return null;
  }

  /** The variables of the innermost block that are not declared yet. */
  get pending(): [string, Variable][] {
    return [...this.#scopes.at(-1)!].filter(([, { isPending }]) => isPending);
  }

  isAssigned(name: string): boolean {
    return (this.assigned.get(name) ?? 0) > 0;
  }

  /** `name = text`, which declares a variable that was not yet. */
  assign(name: string, variable: Variable, text: string): void {
    if (!variable.isPending) {
      this.before.push(`${variable.name} = ${text};`);
      return;
    }
    variable.isPending = false;
    const word = (this.assigned.get(name) ?? 0) > 1 ? "let" : "const";
    const { type } = variable;
    const isLent = word === "let" && type.kind === "pointer" && type.place.is === "host";
    this.before.push(`${word} ${variable.name}${isLent ? `: ${this.cells.typeText(type)}` : ""} = ${text};`);
  }

  /** Has a variable declared without its first value. */
  declareEmpty(variable: Variable): void {
    variable.isPending = false;
    const { type, name } = variable;
    const zero = type.kind === "scalar" || type.kind === "text" ? initialised(this, type, null) : null;
    this.before.push(zero === null ? `let ${name}: ${this.cells.typeText(type)};` : `let ${name} = ${zero.text};`);
  }

  /** The lines of a statement; where it cannot be translated, a comment, and all is as it was before. */
  attempt(work: () => string[], statement: Statement): string[] {
    const pending = this.pending;
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Untranslated)) throw error;
      for (const [, variable] of pending) variable.isPending = true;
      return this.cells.todo(statement);
    }
  }

  // --- memory that was just made

  /** Notes that a variable's memory holds nothing yet, by the last statement. */
  fresh(variable: Variable, count: string): void {
    this.#fresh.set(variable, {
      line: this.before.at(-1)!,
      count,
      block: this.lines,
      declared: !this.before.at(-1)!.startsWith(variable.name),
    });
  }

  isFresh(name: string): boolean {
    const variable = this.find(name);
    return variable !== null && this.#fresh.has(variable);
  }

  /** Has a variable's memory made with what is in it, in one; false: it has been used, or is not all of it. */
  replaceFresh(name: string, count: string, text: string): boolean {
    const variable = this.find(name)!;
    const noted = this.#fresh.get(variable);
    if (noted === undefined || noted.count !== count || noted.block !== this.lines) return false;
    this.#fresh.delete(variable);
    for (const lines of [this.lines, this.before]) {
      const at = lines.lastIndexOf(noted.line);
      if (at >= 0) lines.splice(at, 1);
    }
    variable.isPending = noted.declared;
    this.assign(name, variable, text);
    return true;
  }

  // --- types

  typeOf(name: TypeName): Type {
    const { words } = name;
    let type = this.#base(name);
    for (let star = 0; star < name.stars; star++) {
      const isText = star === 0 && words.length === 1 && words[0] === "char" && name.isConst;
      const isTexts = star === 1 && (type.kind === "text" || (type.kind === "pointer" && words[0] === "char"));
      type = isText ? plain("text") : isTexts ? plain("texts") : { kind: "pointer", to: type, place: new Place() };
    }
    return type;
  }

  #base(name: TypeName): Type {
    const [word = ""] = name.words;
    const bound = this.types.get(word);
    if (bound !== undefined) return bound;
    if (word === "duration") return plain(unitOf(name.args[1]));
    if (word === "vector") {
      const [element] = name.args;
      if (element === undefined || !("words" in element)) throw new Untranslated("a vector of something unknown");
      return { kind: "vector", of: this.typeOf(element), grows: { yes: false } };
    }
    const builtin = builtinTypeOf(name.words);
    if (builtin !== null) return builtin;
    const alias = this.cells.program.aliases.get(word);
    if (alias !== undefined) return this.typeOf(alias);
    const fields = this.cells.program.structs.get(word);
    if (fields === undefined || name.args.length > 0) throw new Untranslated(`the type ${name.words.join(" ")}`);
    return this.#struct(word, fields);
  }

  #struct(name: string, fields: readonly Declarator[]): StructType {
    if (this.#open.has(name)) throw new Untranslated(`the struct ${name}, which leads to others of its kind`);
    this.#open.add(name);
    try {
      return {
        kind: "struct",
        name,
        fields: fields.map((field) => ({ name: field.name, type: this.declaredType(field) })),
      };
    } finally {
      this.#open.delete(name);
    }
  }

  /** The type of what a declarator declares. */
  declaredType({ type, lengths }: Declarator): Type {
    const element = this.typeOf(type);
    return lengths.reduceRight<Type>(
      (of, length) => ({ kind: "array", of, length: length === null ? "" : this.expr(length).text }),
      element,
    );
  }

  // --- values

  expr(expression: Expression): Value {
    return expressionOf(this, expression);
  }

  /** An expression where a type is wanted. */
  as(expression: Expression, type: Type): Value {
    if (expression.kind === "list") return initialised(this, type, expression);
    return converted(this.expr(expression), type);
  }

  /** A variable, read. */
  read(variable: Variable): Value {
    if (variable.isPending) this.declareEmpty(variable);
    this.#fresh.delete(variable);
    const { type, positive } = variable;
    return value(variable.name, type, positive ? { positive: true } : {});
  }

  /** A name of the library that the cell has to import. */
  imported(name: string): string {
    this.cells.imports.add(name);
    return name;
  }
}

const reserved = new Set(
  "arguments await catch class debugger delete enum eval export extends finally function implements import in instanceof interface let module new null package private protected public static super this throw try typeof undefined var void with yield require process console display Array Math Number BigInt String Object".split(
    " ",
  ),
);
const ownNames = new Set([
  ..."tensor empty zeros synchronize Event Stream Tensor withStream".split(" "),
  ...Object.keys(helpers),
]);

export function safeName(name: string): string {
  return reserved.has(name) || ownNames.has(name) ? `${name}_` : name;
}

export const index: Type = scalar("size");
