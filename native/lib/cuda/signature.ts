// CUDA C++ text into the kernels that it declares: finds `__global__` functions and the types they use.
import { CompileError } from "../errors.ts";
import { builtinType, enumType, placeParameters, type CType, type ScalarType } from "./c-types.ts";
import { integerOf, macrosOf, tokenize, type Token, type TokenizedSource } from "./tokens.ts";
import { parseParameter, resolveType, structOf, type Names, type WrittenParameter } from "./parameter.ts";

export interface Parameter {
  readonly name: string;
  readonly type: CType;
  /** Bytes from the start of the parameter block. */
  readonly offset: number;
}

export interface TemplateParameter {
  readonly name: string;
  readonly kind: "type" | "value";
  /** Default argument as text, or `null`. */
  readonly fallback: string | null;
}

/** One `__global__` function. `template` is `null` for one that can be launched as it is. */
export interface KernelDeclaration {
  /** With its namespaces: "ns::axpy". */
  readonly name: string;
  readonly line: number;
  readonly template: readonly TemplateParameter[] | null;
  /** The parameters as written, for messages and for the editor. */
  readonly written: readonly WrittenParameter[];
  /** Where their types are looked up: the namespace, and what the source declares. */
  readonly scope: string;
  readonly names: Names;
  /**
   * The parameters of one instance; `args` are template arguments as C++ text. Throws CompileError naming a parameter
   * that it cannot understand.
   */
  parameters(args?: readonly string[]): { parameters: Parameter[]; bytes: number };
  /** The first argument for a type that is one word and names none that is known; else `null`. */
  unknownType(args: readonly string[]): string | null;
}

export interface Signatures {
  readonly kernels: readonly KernelDeclaration[];
}

/**
 * Every kernel that `source` defines, in order. `headers` are the texts of the files that it includes, each behind
 * those that it includes itself: they lend their types and macros. Throws CompileError for a kernel without template
 * whose parameters it cannot understand.
 */
export function parseSignatures(
  source: string,
  defines: readonly string[] = [],
  headers: readonly string[] = [],
): Signatures {
  const names: Names = { types: new Map(), aliases: new Map(), constants: new Map(), opened: new Set() };
  const macros = macrosOf(defines);
  for (const header of headers) new Walk(tokenize(header, macros), names).all();
  const kernels = new Walk(tokenize(source, macros), names).all();
  for (const kernel of kernels) if (kernel.template === null) kernel.parameters();
  return { kernels };
}

const closers: Record<string, string> = { "(": ")", "[": "]", "{": "}" };
const attributes = new Set([
  "__launch_bounds__",
  "__attribute__",
  "__cluster_dims__",
  "__block_size__",
  "__maxnreg__",
  "alignas",
  "__align__",
  "__declspec",
]);

class Walk {
  readonly #kernels = new Map<string, KernelDeclaration>();
  readonly #tokens: readonly Token[];
  readonly #names: Names;

  constructor({ tokens, macros }: TokenizedSource, names: Names) {
    this.#tokens = tokens;
    this.#names = names;
    for (const [name, text] of macros) {
      const replacement = tokenize(text).tokens;
      if (replacement.length === 1 && replacement[0]!.kind === "number")
        this.#names.constants.set(name, integerOf(replacement[0]));
      else if (replacement.length > 0 && replacement.every(({ kind, text: word }) => kind === "word" || word === "::"))
        this.#names.aliases.set(name, { tokens: replacement, scope: "" });
    }
  }

  all(): KernelDeclaration[] {
    this.#scope(0, this.#tokens.length, "");
    return [...this.#kernels.values()];
  }

  #text(index: number): string {
    return this.#tokens[index]?.text ?? "";
  }

  /** The index after the bracket that closes the one at `index`. */
  #after(index: number, end: number): number {
    const open = this.#text(index);
    const close = closers[open]!;
    let depth = 0;
    for (let at = index; at < end; at++) {
      if (this.#text(at) === open) depth += 1;
      else if (this.#text(at) === close && --depth === 0) return at + 1;
    }
    return end;
  }

  /** The index after `<…>`; brackets inside may hold any mark. */
  #afterAngles(index: number, end: number): number {
    let depth = 0;
    for (let at = index; at < end; at++) {
      const text = this.#text(at);
      if (text in closers) at = this.#after(at, end) - 1;
      else if (text === "<") depth += 1;
      else if (text === ">" && --depth === 0) return at + 1;
    }
    return end;
  }

  /** All declarations from `start` to `end`, which lie in the namespace `prefix` ("a::b::"). */
  #scope(start: number, end: number, prefix: string): void {
    let at = start;
    while (at < end) {
      const text = this.#text(at);
      if (text === "namespace" || (text === "inline" && this.#text(at + 1) === "namespace"))
        at = this.#namespace(at + (text === "inline" ? 2 : 1), end, prefix);
      else if (text === "extern" && this.#tokens[at + 1]?.kind === "string" && this.#text(at + 2) === "{") {
        const after = this.#after(at + 2, end);
        this.#scope(at + 3, after - 1, prefix);
        at = after;
      } else at = this.#declaration(at, end, prefix);
    }
  }

  #namespace(start: number, end: number, prefix: string): number {
    let at = start;
    while (at < end && !["{", "=", ";"].includes(this.#text(at))) at += 1;
    if (this.#text(at) !== "{") return this.#declaration(at, end, prefix);
    const name = this.#tokens
      .slice(start, at)
      .map(({ text }) => text)
      .filter((text) => text !== "inline")
      .join("");
    const after = this.#after(at, end);
    this.#scope(at + 1, after - 1, name === "" ? prefix : `${prefix}${name}::`);
    return after;
  }

  #declaration(start: number, end: number, prefix: string): number {
    let at = start;
    let template: Token[] | null = null;
    while (this.#text(at) === "template" && this.#text(at + 1) === "<") {
      const after = this.#afterAngles(at + 1, end);
      template = this.#tokens.slice(at + 2, after - 1);
      at = after;
    }
    const head: Token[] = [];
    let body: { start: number; end: number } | null = null;
    let initialised = false;
    while (at < end) {
      const text = this.#text(at);
      if (text === ";") {
        at += 1;
        break;
      }
      if (text === "{") {
        const after = this.#after(at, end);
        body ??= { start: at + 1, end: after - 1 };
        at = after;
        if (head.some(({ text: word }) => word === "(") && !initialised) {
          if (this.#text(at) === ";") at += 1;
          break;
        }
        continue;
      }
      if (text === "(" || text === "[") {
        const after = this.#after(at, end);
        head.push(...this.#tokens.slice(at, after));
        at = after;
        continue;
      }
      // Neither a default argument, which is in brackets, nor the name of an operator ("operator+=").
      initialised ||= text === "=" && !head.some(({ text: word }) => word === "operator");
      head.push(this.#tokens[at]!);
      at += 1;
    }
    this.#take(head, body, template, prefix);
    return at;
  }

  #take(head: Token[], body: { start: number; end: number } | null, template: Token[] | null, prefix: string): void {
    const words = new Set(head.map(({ text }) => text));
    if (words.has("__global__")) {
      if (body !== null && head[0]!.text !== "template" && template?.length !== 0) this.#kernel(head, template, prefix);
    } else if (template !== null) {
      return;
    } else if (head[0]?.text === "using" && head[1]?.text === "namespace") {
      this.#names.opened.add(
        `${head
          .slice(2)
          .map(({ text }) => text)
          .join("")}::`,
      );
    } else if (head[0]?.text === "using" && words.has("=")) {
      this.#names.aliases.set(prefix + head[1]!.text, {
        tokens: head.slice(head.findIndex(({ text }) => text === "=") + 1),
        scope: prefix,
      });
    } else if (head.some(({ text }) => text === "enum") && body !== null) {
      this.#enum(head, prefix);
    } else if (
      (body !== null && (words.has("struct") || words.has("class") || words.has("union")) && !words.has("(")) ||
      this.#isAlignedStruct(head, body)
    ) {
      this.#struct(head, body!, prefix);
    } else if (head[0]?.text === "typedef") {
      const name = head.at(-1);
      if (name?.kind === "word")
        this.#names.aliases.set(prefix + name.text, { tokens: head.slice(1, -1), scope: prefix });
    } else if (
      (words.has("constexpr") || words.has("const")) &&
      head.at(-1)?.kind === "number" &&
      head.at(-2)?.text === "="
    ) {
      this.#names.constants.set(head.at(-3)!.text, integerOf(head.at(-1)));
    }
  }

  #isAlignedStruct(head: readonly Token[], body: unknown): boolean {
    return (
      body !== null &&
      head.some(({ text }) => text === "struct") &&
      withoutAttributes(head).every(({ text }) => text !== "(")
    );
  }

  #enum(head: readonly Token[], prefix: string): void {
    const words = withoutAttributes(head).filter(({ text }) => !["typedef", "enum", "class", "struct"].includes(text));
    const colon = words.findIndex(({ text }) => text === ":");
    const underlying = colon < 0 ? null : resolveType(words.slice(colon + 1), prefix, this.#names);
    for (const name of declaredNames(head, words)) {
      this.#names.types.set(
        prefix + name,
        enumType(name, (underlying as ScalarType | null) ?? (builtinType(["int"]) as ScalarType)),
      );
    }
  }

  #struct(head: readonly Token[], body: { start: number; end: number }, prefix: string): void {
    const words = withoutAttributes(head).filter(
      ({ text }) => !["typedef", "struct", "class", "union", "final"].includes(text),
    );
    const isPlain = !head.some(({ text }) => [":", "union", "packed", "__packed__"].includes(text));
    const align = alignmentOf(head, this.#names);
    for (const name of declaredNames(head, words)) {
      this.#names.types.set(
        prefix + name,
        isPlain && align !== null
          ? structOf(name, this.#tokens.slice(body.start, body.end), align, prefix, this.#names)
          : null,
      );
    }
  }

  #kernel(head: readonly Token[], template: readonly Token[] | null, prefix: string): void {
    const plain = withoutAttributes(head);
    // A requires clause may have brackets before.
    const global = plain.findIndex(({ text }) => text === "__global__");
    const open = plain.findIndex(({ text }, index) => index > global && text === "(");
    const name = plain[open - 1];
    // An explicit specialisation (k<float>) is an instance of a template that is declared elsewhere.
    if (open < 1 || name?.kind !== "word") return;
    const qualified = prefix + name.text;
    const result = plain.slice(0, open - 1).filter(({ text }) => builtinType([text]) !== undefined || text === "void");
    if (result.length > 0 && result.every(({ text }) => text !== "void")) {
      throw new CompileError(
        `Kernel ${qualified} must return void, but returns ${joined(result)}. Write the result to memory that a pointer parameter points to.`,
        "",
        [{ line: name.line, column: 1, severity: "error", message: `a kernel returns void, not ${joined(result)}` }],
      );
    }
    const close = matching(plain, open);
    const written = split(plain.slice(open + 1, close)).map((tokens, index) =>
      parseParameter(tokens, index, qualified),
    );
    const templateParameters = template === null ? null : split(template).map(templateParameter);
    const hidden = new Set(templateParameters?.map((parameter) => prefix + parameter.name));
    const names = this.#names;

    const parameters = (args: readonly string[] = []) => {
      const substitutions = substitute(qualified, templateParameters ?? [], args);
      const kept = new Map([...names.types].filter(([type]) => !hidden.has(type)));
      const scoped: Names = {
        ...names,
        types: kept,
        aliases: new Map([
          ...names.aliases,
          ...substitutions.map(([parameter, tokens]) => [prefix + parameter, { tokens, scope: prefix }] as const),
        ]),
      };
      const types = written.map((parameter) => parameter.type.resolve(prefix, scoped));
      const { places, bytes } = placeParameters(types);
      return {
        parameters: written.map((parameter, index) => ({
          name: parameter.name,
          type: types[index]!,
          offset: places[index]!.offset,
        })),
        bytes,
      };
    };
    const unknownType = (args: readonly string[]): string | null =>
      args.find(
        (text, index) =>
          templateParameters?.[index]?.kind === "type" &&
          /^\w+$/.test(text) &&
          resolveType(tokenize(text).tokens, prefix, names) === undefined,
      ) ?? null;
    const known = this.#kernels.get(qualified);
    if (
      known !== undefined &&
      known.written.map(({ text }) => text).join() !== written.map(({ text }) => text).join()
    ) {
      throw new CompileError(
        `Two kernels with different parameters are named ${qualified}, on lines ${known.line} and ${name.line}. Give each its own name.`,
        "",
        [
          {
            line: name.line,
            column: 1,
            severity: "error",
            message: `a kernel named ${qualified} is already on line ${known.line}`,
          },
        ],
      );
    }
    this.#kernels.set(qualified, {
      name: qualified,
      line: name.line,
      template: templateParameters,
      written,
      scope: prefix,
      names,
      parameters,
      unknownType,
    });
  }
}

function substitute(
  kernel: string,
  parameters: readonly TemplateParameter[],
  args: readonly string[],
): [string, readonly Token[]][] {
  return parameters.map((parameter, index) => {
    const text = args[index] ?? parameter.fallback;
    if (text === null) {
      throw new CompileError(
        `${kernel} needs a template argument for ${parameter.name} but got ${args.length === 0 ? "none" : args.join(", ")}. Write ${kernel}.as(${parameters.map(({ name }) => name).join(", ")}).`,
        "",
      );
    }
    return [parameter.name, tokenize(text).tokens];
  });
}

function templateParameter(tokens: readonly Token[], index: number): TemplateParameter {
  // Outside of brackets: enable_if_t<N == 2> has an = too.
  let depth = 0;
  const equals = tokens.findIndex(({ text }) => {
    if ("([{<".includes(text)) depth += 1;
    else if (")]}>".includes(text)) depth -= 1;
    return text === "=" && depth === 0;
  });
  const declared = equals < 0 ? tokens : tokens.slice(0, equals);
  const last = declared.at(-1);
  const isNamed =
    declared.length > 1 &&
    last?.kind === "word" &&
    builtinType([last.text]) === undefined &&
    declared.at(-2)?.text !== "::";
  const kind = declared[0]!.text === "class" || declared[0]!.text === "typename" ? "type" : "value";
  return {
    name: isNamed ? last.text : `argument${index + 1}`,
    kind,
    fallback: equals < 0 ? null : joined(tokens.slice(equals + 1)),
  };
}

function joined(tokens: readonly Token[]): string {
  return tokens
    .map(({ text }) => text)
    .join(" ")
    .replace(/ (::|[<>,*&\]]) ?/g, "$1")
    .replace(/([<[]) /g, "$1");
}

/** The index of the bracket that closes the one at `open`. */
function matching(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (tokens[at]!.text in closers) depth += 1;
    else if (Object.values(closers).includes(tokens[at]!.text) && --depth === 0) return at;
  }
  return tokens.length;
}

function withoutAttributes(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const text = tokens[at]!.text;
    if (attributes.has(text) && tokens[at + 1]?.text === "(") at = matching(tokens, at + 1);
    else if (text === "[" && tokens[at + 1]?.text === "[") at = matching(tokens, at);
    else kept.push(tokens[at]!);
  }
  return kept;
}

/**
 * The names that a struct or enum is declared under: its own, and those that a typedef gives it. `words` are `head`
 * without keywords.
 */
function declaredNames(head: readonly Token[], words: readonly Token[]): string[] {
  const isTypedef = head[0]?.text === "typedef";
  return words
    .filter(
      ({ kind }, index) =>
        kind === "word" &&
        (index === 0 || (isTypedef && words[index - 1]!.text !== "*" && words[index - 1]!.text !== ":")),
    )
    .map(({ text }) => text);
}

/** The alignment that a struct is given; `null` when only a compiler knows it. */
function alignmentOf(tokens: readonly Token[], { constants }: Names): number | null {
  const at = tokens.findIndex(({ text }) => text === "alignas" || text === "__align__");
  if (at < 0) return 1;
  const value = tokens[at + 2]!;
  const align = tokens[at + 3]?.text === ")" ? (constants.get(value.text) ?? integerOf(value)) : NaN;
  return Number.isNaN(align) ? null : align;
}

/** Parts between the commas that no bracket encloses. */
function split(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if ("([{<".includes(token.text)) depth += 1;
    else if (")]}>".includes(token.text)) depth -= 1;
    if (token.text === "," && depth === 0) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  const empty =
    parts.length === 1 && (parts[0]!.length === 0 || (parts[0]!.length === 1 && parts[0]![0]!.text === "void"));
  return empty ? [] : parts;
}
