// The C++ types with which host functions of a cell meet TypeScript: read from tokens, and written as TypeScript.
import { builtinType, type Scalar } from "../c-types.ts";

/** `any`: the compiler alone knows it. */
export type HostType =
  | { readonly kind: "tensor" | "text" | "void" | "any" }
  | { readonly kind: "scalar"; readonly scalar: Scalar; readonly name: string }
  | { readonly kind: "optional" | "list"; readonly of: HostType }
  | { readonly kind: "tuple"; readonly parts: readonly HostType[] };

/** Names that a source gives to types: `using Tensor = warpcell::Tensor;`. */
export type Aliases = ReadonlyMap<string, readonly string[]>;

const ignored = new Set(["const", "&", "typename", "inline", "extern", "__host__", "constexpr", "struct", "class"]);
const templates: Readonly<Record<string, "optional" | "list" | "tuple">> = {
  "std::optional": "optional",
  "std::vector": "list",
  "std::tuple": "tuple",
  "std::pair": "tuple",
};

/** The type that these words are; `null` for one that cannot cross. */
export function hostType(words: readonly string[], aliases: Aliases): HostType | null {
  const reader = new Reader(
    words.filter((word) => !ignored.has(word)),
    aliases,
  );
  const type = reader.type();
  return reader.isDone ? type : null;
}

class Reader {
  readonly #words: readonly string[];
  readonly #aliases: Aliases;
  #at = 0;

  constructor(words: readonly string[], aliases: Aliases) {
    this.#words = words;
    this.#aliases = aliases;
  }

  get isDone(): boolean {
    return this.#at === this.#words.length;
  }

  type(): HostType | null {
    const name = this.#name();
    const written = name.join("");
    const alias = this.#aliases.get(written);
    if (alias !== undefined && this.#next !== "<") return hostType(alias, withoutName(this.#aliases, written));
    const full = (alias?.join("") ?? written).replace(/^::/, "");
    if (full === "warpcell::Tensor") return this.#next === "<" ? null : { kind: "tensor" };
    if (full === "std::string") return { kind: "text" };
    if (full === "warpcell::Sizes") return { kind: "list", of: scalarOf(["int64_t"])! };
    if (full === "void") return this.#next === undefined ? { kind: "void" } : null;
    if (full === "auto") return { kind: "any" };
    const template = templates[full];
    if (template !== undefined) return this.#template(template);
    return scalarOf(name.length === 3 && name[0] === "std" ? name.slice(2) : name);
  }

  #template(kind: "optional" | "list" | "tuple"): HostType | null {
    const parts: HostType[] = [];
    if (this.#take() !== "<") return null;
    for (;;) {
      const part = this.type();
      if (part === null || part.kind === "void") return null;
      parts.push(part);
      const mark = this.#take();
      if (mark === ">") break;
      if (mark !== ",") return null;
    }
    return kind === "tuple" ? { kind, parts } : parts.length === 1 ? { kind, of: parts[0]! } : null;
  }

  /** The words of `unsigned long`, or of a qualified name. */
  #name(): string[] {
    const name: string[] = [];
    for (; this.#next !== undefined && /^(\w+|::)$/.test(this.#next); this.#at++) name.push(this.#next);
    return name;
  }

  get #next(): string | undefined {
    return this.#words[this.#at];
  }

  #take(): string | undefined {
    return this.#words[this.#at++];
  }
}

function withoutName(aliases: Aliases, name: string): Aliases {
  return new Map([...aliases].filter(([known]) => known !== name));
}

function scalarOf(words: readonly string[]): HostType | null {
  const type = builtinType(words);
  if (type?.kind !== "scalar" || type.scalar === "f16" || type.scalar === "bf16") return null;
  return { kind: "scalar", scalar: type.scalar, name: type.name };
}

/** Whether a tensor is among it. */
export function hasTensor(type: HostType): boolean {
  if (type.kind === "tensor") return true;
  if (type.kind === "optional" || type.kind === "list") return hasTensor(type.of);
  return type.kind === "tuple" && type.parts.some(hasTensor);
}

const library = `import("warpcell")`;
const isLong = (scalar: Scalar) => scalar === "i64" || scalar === "u64";

/** As TypeScript writes it: what a parameter takes, or what a result is. */
export function typeText(type: HostType, side: "parameter" | "result"): string {
  switch (type.kind) {
    case "tensor":
      return `${library}.Tensor`;
    case "text":
      return "string";
    case "void":
    case "any":
      return type.kind;
    case "scalar":
      if (type.scalar === "bool") return "boolean";
      return isLong(type.scalar) ? (side === "result" ? "bigint" : "number | bigint") : "number";
    case "optional":
      return `${typeText(type.of, side)} | null`;
    case "list": {
      const item = typeText(type.of, side);
      const list = item.includes("|") ? `(${item})[]` : `${item}[]`;
      return side === "result" ? list : `readonly ${list}`;
    }
    case "tuple":
      return `[${type.parts.map((part) => typeText(part, side)).join(", ")}]`;
  }
}
