// CUDA C++ text into tokens: takes out comments and preprocessor lines, and keeps what the preprocessor lines said.

export interface Token {
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in its line. */
  readonly column: number;
  readonly kind: "word" | "number" | "string" | "mark";
}

/** A preprocessor line, with the lines that continue it. */
export interface Directive {
  readonly name: string;
  /** What follows the name, without comments. */
  readonly rest: string;
  readonly line: number;
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
}

export interface TokenizedSource {
  readonly tokens: readonly Token[];
  /** All of them, also in branches that are left out. */
  readonly directives: readonly Directive[];
  /** Object-like macros: name → replacement text. */
  readonly macros: ReadonlyMap<string, string>;
}

// Raw strings come before words, so that the R of R"(…)" does not become a name. Loops run over single characters,
// which V8 needs no stack for: tables in strings are long.
const pattern = new RegExp(
  [
    /(?<space>[ \t\r\f\v]+|\\\r?\n)/,
    /(?<newline>\n)/,
    /(?<comment>\/\/[^\\\n]*(?:\\(?:\r?\n)?[^\\\n]*)*|\/\*[\s\S]*?(?:\*\/|$))/,
    /(?<string>(?:u8|[uUL])?R"(?<fence>[^()\\\s]{0,16})\([\s\S]*?\)\k<fence>"|(?:u8|[uUL])?"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"|(?:u8|[uUL])?'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*')/,
    /(?<number>\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z]|[0-9A-Za-z_.])*)/,
    /(?<word>[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*)/,
    /(?<mark>::|->|\.\.\.|[\s\S])/,
  ]
    .map((part) => part.source)
    .join("|"),
  "y",
);

/** Macros given from outside, as NAME or NAME=VALUE. */
export function macrosOf(defines: readonly string[]): Map<string, string> {
  return new Map(
    defines.map((define) => {
      const [name = "", ...value] = define.split("=");
      return [name, value.length > 0 ? value.join("=") : "1"] as const;
    }),
  );
}

/** The value of an integer literal; NaN for another token. */
export function integerOf(token: Token | undefined): number {
  if (token?.kind !== "number") return NaN;
  const digits = token.text.replaceAll("'", "").replace(/[uUlLzZ]+$/, "");
  return /^0[0-7]+$/.test(digits) ? parseInt(digits, 8) : Number.isInteger(Number(digits)) ? Number(digits) : NaN;
}

/**
 * Splits `source` into tokens. `macros` are those defined before, and then those defined after it. Branches of `#if 0`,
 * `#ifdef NAME` and `#if defined(NAME)` that cannot be compiled are left out; of conditions that only a compiler can
 * evaluate, all branches stay. Macros stay as they are, but for those that say `__global__`.
 */
export function tokenize(source: string, macros = new Map<string, string>()): TokenizedSource {
  const tokens: Token[] = [];
  const directives: Directive[] = [];
  const conditions = new Conditions(macros);

  let line = 1;
  let lineAt = 0;
  let lineStarts = true;
  for (let next = 0; next < source.length; ) {
    pattern.lastIndex = next;
    const match = pattern.exec(source)!;
    const groups = match.groups!;
    const at = match.index;
    next = pattern.lastIndex;
    if (groups["mark"] === "#" && lineStarts) {
      const end = directiveEnd(source, at);
      const text = source.slice(at, end);
      const [, name = "", rest = ""] = /^#\s*(\w*)\s*([\s\S]*)$/.exec(withoutComments(text))!;
      directives.push({ name, rest: rest.trim(), line, start: at, end });
      obey(name, rest, conditions, macros);
      line += count(text, "\n");
      lineAt = startAfter(text, at, lineAt);
      next = end;
      continue;
    }
    const kind = (["word", "number", "string", "mark"] as const).find((name) => groups[name] !== undefined);
    if (kind !== undefined && conditions.active) {
      const replacement = kind === "word" ? macros.get(match[0]) : undefined;
      if (replacement?.includes("__global__") === true)
        for (const token of tokenize(replacement).tokens) tokens.push({ ...token, line, column: at - lineAt + 1 });
      else tokens.push({ text: match[0], line, column: at - lineAt + 1, kind });
    }
    if (kind !== undefined) lineStarts = false;
    if (groups["newline"] !== undefined) lineStarts = true;
    line += count(match[0], "\n");
    lineAt = startAfter(match[0], at, lineAt);
  }
  return { tokens, directives, macros };
}

/** Where the line begins that follows `text`, which lies at `at`; `before` when it holds no end of a line. */
function startAfter(text: string, at: number, before: number): number {
  const last = text.lastIndexOf("\n");
  return last < 0 ? before : at + last + 1;
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** Where the preprocessor line that starts at `at` ends: backslashes continue it, and so does a block comment. */
function directiveEnd(source: string, at: number): number {
  const rest = /(?:\\\r?\n|\/\*[\s\S]*?(?:\*\/|$)|[^\n])*/y;
  rest.lastIndex = at;
  return at + rest.exec(source)![0].length;
}

function withoutComments(text: string): string {
  return text.replace(/\\\r?\n/g, " ").replace(/\/\*[\s\S]*?(?:\*\/|$)|\/\/.*/g, " ");
}

function obey(name: string, rest: string, conditions: Conditions, macros: Map<string, string>): void {
  if (conditions.take(name, rest.trim()) || !conditions.active) return;
  if (name === "define") {
    const [, macro = "", parameters, value = ""] = /^([\w$]+)(\()?([\s\S]*)$/.exec(rest.trim()) ?? [];
    if (parameters === undefined && macro !== "") macros.set(macro, value.trim());
  } else if (name === "undef") {
    macros.delete(rest.trim());
  }
}

/** The `#if` … `#endif` that the text is inside of. A branch is `on`, `off`, or `unknown`: only a compiler can tell. */
class Conditions {
  readonly #macros: ReadonlyMap<string, string>;
  readonly #open: { branch: "on" | "off" | "unknown"; taken: boolean }[] = [];

  constructor(macros: ReadonlyMap<string, string>) {
    this.#macros = macros;
  }

  get active(): boolean {
    return this.#open.every(({ branch }) => branch !== "off");
  }

  /** True when the directive was a conditional. */
  take(name: string, rest: string): boolean {
    const last = this.#open.at(-1);
    if (name === "if" || name === "ifdef" || name === "ifndef") {
      const branch = this.#evaluate(name === "if" ? rest : `${name === "ifdef" ? "" : "!"}defined(${rest})`);
      this.#open.push({ branch, taken: branch === "on" });
    } else if ((name === "elif" || name === "else") && last !== undefined) {
      const undecided = last.branch === "unknown";
      if (last.taken) last.branch = "off";
      else last.branch = undecided ? "unknown" : name === "else" ? "on" : this.#evaluate(rest);
      last.taken ||= last.branch === "on";
    } else if (name === "endif") {
      this.#open.pop();
    } else {
      return false;
    }
    return true;
  }

  #evaluate(condition: string): "on" | "off" | "unknown" {
    const [, not, parenthesised, plain] = /^(!)?\s*defined\s*(?:\(\s*([\w$]+)\s*\)|([\w$]+))$/.exec(condition) ?? [];
    const name = parenthesised ?? plain;
    if (name !== undefined) {
      const defined = this.#macros.has(name);
      // What starts with __ is the compiler's to define (__CUDA_ARCH__ …).
      if (!defined && name.startsWith("__")) return "unknown";
      return defined === (not === undefined) ? "on" : "off";
    }
    const value = this.#macros.get(condition) ?? condition;
    if (/^[0-9]+$/.test(value)) return Number(value) === 0 ? "off" : "on";
    return "unknown";
  }
}
