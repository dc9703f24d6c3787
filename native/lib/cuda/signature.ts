// CUDA C++ text into the kernels that it declares: finds `__global__` functions and the types they use.
import { CompileError } from "../errors.ts";
import { builtinType, enumType, placeParameters, type CType, type ScalarType } from "./c-types.ts";
import { declarationsIn, declaredNames, joined, matching, split, withoutAttributes, type Declaration } from "./scan.ts";
import { constantValue } from "./constant-value.ts";
import { integerOf, macrosOf, tokenize, type Token, type TokenizedSource } from "./tokens.ts";
import { fieldsOf, parseParameter, resolveType, structOf, type Names, type WrittenParameter } from "./parameter.ts";

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

/** A variable of the device outside of functions. */
export interface VariableDeclaration {
  /** With its namespaces. */
  readonly name: string;
  readonly space: VariableSpace;
  readonly isConst: boolean;
  readonly type: CType;
  readonly line: number;
}

export type VariableSpace = "constant" | "managed" | "device";
const variableSpaces = ["constant", "managed"] as const;
const qualifiers = new Set(["static", "inline", "volatile"]);
const hasTokens = (tokens: readonly Token[]): boolean => tokens.length > 0;

export interface Signatures {
  readonly kernels: readonly KernelDeclaration[];
  readonly variables: readonly VariableDeclaration[];
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
  const found = new Walk(tokenize(source, macros), names).all();
  for (const kernel of found.kernels) if (kernel.template === null) kernel.parameters();
  return found;
}

class Walk {
  readonly #kernels = new Map<string, KernelDeclaration>();
  readonly #tokens: readonly Token[];
  readonly #names: Names;
  readonly #found: VariableDeclaration[] = [];

  constructor({ tokens, macros }: TokenizedSource, names: Names) {
    this.#tokens = tokens;
    this.#names = names;
    for (const [name, text] of macros) {
      const replacement = tokenize(text).tokens;
      const value = constantValue(replacement, this.#names.constants);
      if (!Number.isNaN(value)) this.#names.constants.set(name, value);
      else if (replacement.length > 0 && replacement.every(({ kind, text: word }) => kind === "word" || word === "::"))
        this.#names.aliases.set(name, { tokens: replacement, scope: "" });
    }
  }

  all(): Signatures {
    for (const declaration of declarationsIn(this.#tokens)) this.#take(declaration);
    return { kernels: [...this.#kernels.values()], variables: this.#found };
  }

  #take({ head, body, template, prefix }: Declaration): void {
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
    } else {
      const equals = head.findIndex(({ text }) => text === "=");
      const isConst = words.has("constexpr") || words.has("const");
      const value = isConst && equals > 0 ? constantValue(head.slice(equals + 1), this.#names.constants) : NaN;
      if (!Number.isNaN(value)) this.#names.constants.set(head[equals - 1]!.text, value);
      this.#variables(head, body, prefix);
    }
  }

  /** `__constant__ float filter[2 * RADIUS + 1], scale;`; those whose layout only a compiler knows are left out. */
  #variables(head: readonly Token[], body: { start: number; end: number } | null, prefix: string): void {
    const words = new Set(head.map(({ text }) => text));
    const space =
      variableSpaces.find((each) => words.has(`__${each}__`)) ?? (words.has("__device__") ? "device" : null);
    if (space === null || words.has("__shared__") || words.has("constexpr") || words.has("extern")) return;
    const declared = withoutAttributes(head).filter(({ text }) => !text.startsWith("__") && !qualifiers.has(text));
    const elements = body === null ? NaN : split(this.#tokens.slice(body.start, body.end)).filter(hasTokens).length;
    for (const { name, type } of fieldsOf(declared, prefix, this.#names, elements) ?? [])
      this.#found.push({
        name: prefix + name,
        space,
        isConst: words.has("const"),
        type,
        line: head[0]!.line,
      });
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

/** The alignment that a struct is given; `null` when only a compiler knows it. */
function alignmentOf(tokens: readonly Token[], { constants }: Names): number | null {
  const at = tokens.findIndex(({ text }) => text === "alignas" || text === "__align__");
  if (at < 0) return 1;
  const value = tokens[at + 2]!;
  const align = tokens[at + 3]?.text === ")" ? (constants.get(value.text) ?? integerOf(value)) : NaN;
  return Number.isNaN(align) ? null : align;
}
