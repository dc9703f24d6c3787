// What the cells of a translation are made of: their imports, helpers, constants and functions, each once, in the order
// in which they are needed.
import { assignedIn, growingIn } from "./assigned.ts";
import { helpers, type HelperName, type Placement } from "./helpers.ts";
import { initialised } from "./initialise.ts";
import { deduce } from "./launch.ts";
import type { Expression, Span, TypeName } from "./nodes.ts";
import { onHost } from "./pointers.ts";
import type { HostFunction, ProgramParts } from "./program.ts";
import { Untranslated } from "./read-expressions.ts";
import { blockOf } from "./statements.ts";
import { index, safeName, Translator } from "./translator.ts";
import { isScalar, keyOf, scalars, type Type } from "./types.ts";
import { converted, levels, settled, value, type Value } from "./value.ts";

interface Instance {
  readonly name: string;
  result: Type;
  awaits: boolean;
}

export class Cells {
  readonly program: ProgramParts;
  readonly imports = new Set<string>();
  /** Lines of the program that stay as they were. */
  readonly left: number[] = [];
  readonly #definitions = new Map<string, string>();
  readonly #constants = new Map<string, Value>();
  readonly #instances = new Map<string, Instance>();
  readonly #lines: readonly string[];

  /** Of tensors, streams and helpers. */
  readonly placement: Placement;

  /** `device`: where the program's memory is; `null` for the default. */
  constructor(program: ProgramParts, device: string | null) {
    this.program = program;
    const term = `device: ${JSON.stringify(device)}`;
    this.placement = device === null ? { on: "", and: "" } : { on: `, { ${term} }`, and: `, ${term}` };
    this.#lines = program.source.split("\n");
  }

  get definitions(): string[] {
    return [...this.#definitions.values()];
  }

  has(name: string): boolean {
    return this.#definitions.has(name);
  }

  define(name: string, text: string): void {
    this.#definitions.set(name, text);
  }

  helper(name: HelperName): void {
    if (this.has(name)) return;
    const { text, imports, needs } = helpers[name];
    for (const each of needs) this.helper(each);
    for (const each of imports) this.imports.add(each);
    this.define(name, typeof text === "string" ? text : text(this.placement));
  }

  // --- text of the program

  lineOf(token: number): number {
    return this.program.tokens[token]!.line;
  }

  /** The statement as it stands, as a comment. */
  todo({ from, to }: Span): string[] {
    const [first, last] = [this.lineOf(from), this.lineOf(to)];
    this.left.push(first);
    const [start = "", ...rest] = this.#lines.slice(first - 1, last);
    return [`// TODO from line ${first}: ${start.trim()}`, ...rest.map((line) => `//   ${line.trim()}`)];
  }

  /** The comments, and a blank line, between two statements. */
  between(last: number, next: number): string[] {
    const lines = this.#lines.slice(this.lineOf(last), this.lineOf(next) - 1).map((line) => line.trim());
    return lines.filter((line, i) => line.startsWith("//") || (line === "" && lines[i - 1] !== ""));
  }

  wordsIn({ from, to }: Span): Set<string> {
    return new Set(this.program.tokens.slice(from, to + 1).map(({ text }) => text));
  }

  // --- types

  typeText(type: Type): string {
    switch (type.kind) {
      case "scalar": {
        const { kind } = scalars[type.name];
        return kind === "bool" ? "boolean" : kind === "big" ? "bigint" : "number";
      }
      case "pointer":
        return this.#pointerText(type);
      case "array":
        return this.#arrayText(type.of, false);
      case "vector":
        return this.#arrayText(type.of, type.grows.yes);
      case "struct":
        return `{ ${type.fields.map(({ name, type: field }) => `${name}: ${this.typeText(field)}`).join("; ")} }`;
      case "text":
        return "string";
      case "texts":
        return "string[]";
      case "dim3":
        return "[number, number?, number?]";
      case "event":
        return this.#imported("Event");
      case "stream":
        return this.#imported("Stream");
      case "void":
        return "void";
      default:
        return "unknown";
    }
  }

  #imported(name: string): string {
    this.imports.add(name);
    return name;
  }

  #arrayText(of: Type, grows: boolean): string {
    return isScalar(of) && !grows
      ? scalars[of.name].array
      : `${this.typeText(of)}[]`.replace(/^(\{.*\})\[\]$/, "($1)[]");
  }

  #pointerText({ to, place }: Extract<Type, { kind: "pointer" }>): string {
    if (place.is === "host" || place.is === null) return this.#arrayText(to, false);
    if (place.is === "managed") {
      if (isScalar(to)) return `Managed<${scalars[to.name].array}>`;
      return `ManagedRecords<${this.typeText(to)}>`;
    }
    const tensor = this.#imported("Tensor");
    return isScalar(to) ? `${tensor}<"${scalars[to.name].dtype}">` : `${tensor}<any>`;
  }

  // --- constants and functions

  /** A constant of the program, which the cells get. */
  constant(t: Translator, name: string): Value {
    const known = this.#constants.get(name);
    if (known !== undefined) return known;
    const constant = this.program.constants.get(name);
    if (constant === undefined) throw new Untranslated(`${name} is not known`);
    const scope = new Translator(this, new Map(), false);
    for (const [bound, type] of t.types) scope.types.set(bound, type);
    const { type, lengths, value: first, isConst } = constant;
    const declared = type === null ? null : scope.declaredType({ name, type, lengths, first, args: null });
    // A pointer is known by what is done with it, which another function may do.
    if (declared !== null && !isConst && !isScalar(declared) && declared.kind !== "array")
      throw new Untranslated(`${name}, which functions share`);
    const list = first?.kind === "list" ? first : null;
    const given =
      declared === null
        ? settled(scope.expr(first!))
        : settled(first === null || list !== null ? initialised(scope, declared, list) : scope.as(first, declared));
    const whole = declared ?? given.type;
    const made = value(safeName(name), whole, isScalar(whole) && isConst ? { positive: given.positive } : {});
    this.define(name, `${isConst || !isScalar(whole) ? "const" : "let"} ${made.text} = ${given.text};`);
    this.#constants.set(name, made);
    return made;
  }

  /** A call of a function of the program, which is translated for those types of arguments. */
  call(
    t: Translator,
    own: HostFunction,
    chosen: readonly (TypeName | Expression)[] | null,
    args: readonly Expression[],
  ): Value {
    const scope = new Translator(this, assignedIn(own.body), false);
    scope.growing = growingIn(own.body);
    const given = args.map((arg) => (arg.kind === "list" ? null : own.usesDevice ? t.expr(arg) : onHost(t.expr(arg))));
    chosen?.forEach((each, i) => {
      if ("words" in each) scope.types.set(own.templates[i]!, t.typeOf(each));
      else scope.constants.set(own.templates[i]!, settled(t.expr(each)));
    });
    deduce(own.templates, own.parameters, given, scope.types);
    const taken = own.parameters.map(({ type, first }, i) => {
      const wanted = scope.typeOf(type);
      if (type.isReference && !type.isConst && isScalar(wanted))
        throw new Untranslated("a function that changes a number it is given");
      const arg = args[i] ?? first;
      if (arg === null) throw new Untranslated(`a call of ${own.name} with too few arguments`);
      const own_ = given[i] ?? t.as(arg, wanted);
      // Characters that the program writes are an array, where a string of C is text.
      const isCharacters = wanted.kind === "text" && own_.type.kind !== "text";
      const made = settled(isCharacters ? own_ : converted(own_, wanted));
      return { text: made.text, type: isCharacters || made.type.kind === "vector" ? made.type : wanted };
    });
    const key = `${own.name}(${taken.map(({ type }) => keyOf(type)).join()})${[...scope.types].map(([name, type]) => `${name}=${keyOf(type)}`).join()}${[...scope.constants.values()].map(({ text }) => text).join()}`;
    const instance = this.#instances.get(key) ?? this.#instance(key, own, scope, taken);
    const text = `${instance.name}(${taken.map((each) => each.text).join(", ")})`;
    if (!instance.awaits) return value(text, instance.result);
    t.awaits = true;
    return value(`await ${text}`, instance.result, { level: levels.unary });
  }

  #instance(key: string, own: HostFunction, scope: Translator, taken: readonly { type: Type }[]): Instance {
    const others = [...this.#instances.values()].filter(({ name }) => name.replace(/\d+$/, "") === own.name).length;
    const name = others === 0 ? safeName(own.name) : `${own.name}${others + 1}`;
    scope.result = scope.typeOf(own.result);
    const instance: Instance = { name, result: scope.result, awaits: false };
    this.#instances.set(key, instance);
    const parameters = own.parameters.map((parameter, i) => {
      const { name: declared } = scope.declare(parameter.name || `unused${i}`, taken[i]!.type);
      return `${declared}: ${this.typeText(taken[i]!.type)}`;
    });
    const body = blockOf(scope, own.body);
    instance.awaits = scope.awaits;
    instance.result = scope.result;
    const result = this.typeText(scope.result);
    const head = `${scope.awaits ? "async " : ""}function ${name}(${parameters.join(", ")}): ${scope.awaits ? `Promise<${result}>` : result} {`;
    this.define(key, [head, ...body.map((line) => (line === "" ? "" : `  ${line}`)), "}"].join("\n"));
    return instance;
  }
}

/** `main` as lines of a cell. */
export function mainOf(cells: Cells, args: readonly string[]): string[] {
  const main = cells.program.functions.get("main")!;
  const t = new Translator(cells, assignedIn(main.body), true);
  t.growing = growingIn(main.body);
  const [count, list] = main.parameters;
  const lines: string[] = [];
  if (list !== undefined) {
    const { name } = t.declare(list.name, { kind: "texts" });
    const words = ["program", ...args].map((word) => JSON.stringify(word)).join(", ");
    lines.push(`const ${name} = [${words}];`);
    const counted = t.declare(count!.name, index);
    Object.assign(counted, { name: `${name}.length` });
  }
  const body = blockOf(t, main.body, true);
  if (!t.leaves) return [...lines, ...body];
  return [
    ...lines,
    "async function main() {",
    ...body.map((line) => (line === "" ? "" : `  ${line}`)),
    "}",
    "await main();",
  ];
}
