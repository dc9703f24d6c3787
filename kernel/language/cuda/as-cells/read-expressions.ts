// Reads expressions and names of types of host code from tokens.
import type { Placed } from "warpcell/cuda-text";
import type { Expression, TypeName } from "./nodes.ts";
import { isVectorName, typeWords } from "./types.ts";

/** What the reader cannot read, or the translation cannot say: the statement that it is in stays as it was. */
export class Untranslated extends Error {}

/** Names that only the program knows. */
export interface Known {
  readonly types: ReadonlySet<string>;
  /** Functions, kernels and classes that take arguments in angle brackets. */
  readonly templates: ReadonlySet<string>;
}

const casts = new Set(["static_cast", "reinterpret_cast", "const_cast"]);
const libraryTemplates = new Set(["chrono::duration_cast", "vector", "max", "min", "make_unique"]);
const typeModifiers = new Set(["const", "volatile", "static", "constexpr", "typename", "struct", "register"]);
const arithmetic = new Set("unsigned signed int long short char double".split(" "));

/** From the loosest to the tightest. */
const binaryLevels = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<", ">", "<=", ">="],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
const operators = [..."<<< >>> <<= >>= << >> <= >= == != && || ++ -- += -= *= /= %= &= |= ^=".split(" ")] as const;
const assignments = new Set(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]);

export class ExpressionReader {
  at: number;
  readonly tokens: readonly Placed[];
  readonly known: Known;
  readonly #end: number;

  constructor(tokens: readonly Placed[], from: number, end: number, known: Known) {
    this.tokens = tokens;
    this.known = known;
    this.at = from;
    this.#end = end;
  }

  get text(): string {
    return this.at < this.#end ? this.tokens[this.at]!.text : "";
  }

  peek(ahead: number): string {
    return this.at + ahead < this.#end ? this.tokens[this.at + ahead]!.text : "";
  }

  get isOver(): boolean {
    return this.at >= this.#end;
  }

  /** The operator here, of as many marks as stand in one piece. */
  get operator(): string {
    for (const operator of operators) {
      if ([...operator].every((mark, i) => this.peek(i) === mark && (i === 0 || this.#touches(i)))) return operator;
    }
    return this.text;
  }

  #touches(ahead: number): boolean {
    return this.tokens[this.at + ahead - 1]!.end === this.tokens[this.at + ahead]!.start;
  }

  takesWord(word: string): boolean {
    if (this.text !== word) return false;
    this.at += 1;
    return true;
  }

  needs(mark: string): void {
    if (this.text !== mark) throw new Untranslated(`expected ${mark} but found ${this.text || "the end"}`);
    this.at += 1;
  }

  // --- types

  /** Whether a type begins here. */
  isType(ahead = 0): boolean {
    let word = this.peek(ahead);
    if (word === "::" || (word === "std" && this.peek(ahead + 1) === "::"))
      return this.isType(ahead + (word === "::" ? 1 : 2));
    if (word === "struct") word = this.peek(ahead + 1);
    return (
      typeWords.has(word) ||
      isVectorName(word) ||
      this.known.types.has(word) ||
      (word === "chrono" && this.peek(ahead + 2) === "duration") ||
      (word === "vector" && this.peek(ahead + 1) === "<") ||
      /^cuda[A-Z]\w*(_t|Prop|Status|Attributes|Params|Mode)$/.test(word)
    );
  }

  type(): TypeName {
    const words: string[] = [];
    let isConst = false;
    let args: readonly (TypeName | Expression)[] = [];
    for (;;) {
      const word = this.text;
      if (typeModifiers.has(word)) {
        isConst ||= word === "const" || word === "constexpr";
        this.at += 1;
      } else if (word === "std" && this.peek(1) === "::") this.at += 2;
      else if (word === "::" && words.length === 0) this.at += 1;
      else if (word === "chrono" && words.length === 0) {
        this.at += 3;
        words.push("duration");
        args = this.#angles();
      } else if (arithmetic.has(word) && (words.length === 0 || arithmetic.has(words[0]!))) {
        words.push(word);
        this.at += 1;
      } else if (words.length === 0 && this.isType()) {
        words.push(word);
        this.at += 1;
        if (this.text === "<") args = this.#angles();
      } else break;
    }
    if (words.length === 0) throw new Untranslated(`${this.text || "the end"} is no type that is known`);
    return { words, args, isConst, ...this.stars() };
  }

  stars(): { stars: number; isReference: boolean } {
    let stars = 0;
    let isReference = false;
    for (;;) {
      if (this.text === "*") stars += 1;
      else if (this.text === "&") isReference = true;
      else if (this.text !== "const" && this.text !== "__restrict__" && this.text !== "volatile") break;
      this.at += 1;
    }
    return { stars, isReference };
  }

  #angles(): (TypeName | Expression)[] {
    this.needs("<");
    const args: (TypeName | Expression)[] = [];
    while (this.text !== ">") {
      args.push(this.isType() ? this.type() : this.#binary(8));
      if (this.text !== ">") this.needs(",");
    }
    this.at += 1;
    return args;
  }

  // --- expressions

  /** A function in an expression, whose statements another reader reads. */
  lambda(): Expression {
    throw new Untranslated("a lambda where none is known");
  }

  /** With commas. */
  expression(): Expression {
    let left = this.assignment();
    while (this.text === ",") {
      this.at += 1;
      left = { kind: "binary", op: ",", left, right: this.assignment() };
    }
    return left;
  }

  assignment(): Expression {
    const left = this.#condition();
    const op = this.operator;
    if (!assignments.has(op)) return left;
    this.at += op.length;
    return { kind: "assign", op, left, right: this.text === "{" ? this.#list() : this.assignment() };
  }

  initialiser(): Expression {
    return this.text === "{" ? this.#list() : this.assignment();
  }

  #condition(): Expression {
    const test = this.#binary(0);
    if (this.text !== "?") return test;
    this.at += 1;
    const yes = this.assignment();
    this.needs(":");
    return { kind: "condition", test, yes, no: this.assignment() };
  }

  #binary(level: number): Expression {
    if (level === binaryLevels.length) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const op = this.operator;
      if (!binaryLevels[level]!.includes(op)) return left;
      this.at += op.length;
      left = { kind: "binary", op, left, right: this.#binary(level + 1) };
    }
  }

  #unary(): Expression {
    const op = this.operator;
    if (["!", "~", "-", "+", "*", "&", "++", "--"].includes(op)) {
      this.at += op.length;
      return { kind: "unary", op, of: this.#unary() };
    }
    if (op === "sizeof") return this.#sizeof();
    if (op === "new") return this.#new();
    if (op === "delete") {
      this.at += 1;
      if (this.peek(0) === "[" && this.peek(1) === "]") this.at += 2;
      return { kind: "call", of: { kind: "name", name: "free", args: null }, args: [this.#unary()] };
    }
    if (op === "(" && this.isType(1)) {
      const before = this.at;
      this.at += 1;
      const type = this.type();
      if (this.text === ")") {
        this.at += 1;
        return { kind: "cast", type, of: this.#unary() };
      }
      this.at = before;
    }
    return this.#postfix(this.#primary());
  }

  #sizeof(): Expression {
    this.at += 1;
    if (this.text === "(" && this.isType(1)) {
      this.at += 1;
      const type = this.type();
      this.needs(")");
      return { kind: "sizeof", type, of: null };
    }
    return { kind: "sizeof", type: null, of: this.#unary() };
  }

  #new(): Expression {
    this.at += 1;
    if (this.text === "(") throw new Untranslated("an object is made in memory that is there");
    const type = this.type();
    if (this.text !== "[") throw new Untranslated("an object is made with new");
    this.at += 1;
    const length = this.expression();
    this.needs("]");
    if (this.peek(0) === "(" && this.peek(1) === ")") this.at += 2;
    return { kind: "new", type, length };
  }

  #list(): Expression {
    this.needs("{");
    const items: Expression[] = [];
    while (this.text !== "}") {
      items.push(this.initialiser());
      if (this.text !== "}") this.needs(",");
    }
    this.at += 1;
    return { kind: "list", items };
  }

  #primary(): Expression {
    const token = this.tokens[this.at];
    if (token === undefined || this.isOver) throw new Untranslated("the expression is not complete");
    const { kind, text } = token;
    if (kind === "number") {
      this.at += 1;
      return { kind: "number", text };
    }
    if (kind === "string") return this.#string();
    if (text === "[") return this.lambda();
    if (text === "(") {
      this.at += 1;
      const inner = this.expression();
      this.needs(")");
      return inner;
    }
    if (kind !== "word") throw new Untranslated(`${text} begins no expression that is known`);
    if (casts.has(text)) {
      this.at += 1;
      const [type] = this.#angles();
      this.needs("(");
      const of = this.expression();
      this.needs(")");
      if (type === undefined || !("words" in type)) throw new Untranslated("a cast without a type");
      return { kind: "cast", type, of };
    }
    if (this.isType()) return this.#made();
    return this.#name();
  }

  /** `int(x)`, `dim3(1, 2)`, `std::vector<int>{1, 2}`. */
  #made(): Expression {
    const type = this.type();
    if (this.text === "{") {
      const list = this.#list();
      return { kind: "make", type, args: list.kind === "list" ? list.items : [], isList: true };
    }
    if (this.text !== "(") throw new Untranslated(`a type stands where a value is expected`);
    return { kind: "make", type, args: this.arguments(), isList: false };
  }

  #string(): Expression {
    const first = this.text;
    this.at += 1;
    if (first.startsWith("'")) return { kind: "char", text: first };
    let text = first.slice(1, -1);
    while (this.tokens[this.at]?.kind === "string" && this.text.startsWith('"') && !this.isOver) {
      text += this.text.slice(1, -1);
      this.at += 1;
    }
    if (!first.startsWith('"')) throw new Untranslated("a string of a kind of its own");
    return { kind: "string", text };
  }

  #name(): Expression {
    const words: string[] = [];
    if (this.text === "::") this.at += 1;
    for (;;) {
      words.push(this.text);
      this.at += 1;
      if (this.text !== "::") break;
      this.at += 1;
    }
    const name = (words[0] === "std" ? words.slice(1) : words).join("::");
    const isTemplate = this.known.templates.has(name) || libraryTemplates.has(name);
    const args = isTemplate && this.text === "<" && this.operator === "<" ? this.#angles() : null;
    return { kind: "name", name, args };
  }

  arguments(): Expression[] {
    this.needs("(");
    const args: Expression[] = [];
    while (this.text !== ")") {
      args.push(this.initialiser());
      if (this.text !== ")") this.needs(",");
    }
    this.at += 1;
    return args;
  }

  #postfix(start: Expression): Expression {
    let of = start;
    for (;;) {
      const op = this.operator;
      if (op === "<<<") of = this.#launch(of);
      else if (op === "(") of = { kind: "call", of, args: this.arguments() };
      else if (op === "[") {
        this.at += 1;
        of = { kind: "index", of, at: this.expression() };
        this.needs("]");
      } else if (op === "." || op === "->") {
        this.at += 1;
        const target: Expression = op === "->" ? { kind: "unary", op: "*", of } : of;
        of = { kind: "member", of: target, name: this.text };
        this.at += 1;
      } else if (op === "++" || op === "--") {
        this.at += 2;
        of = { kind: "postfix", op, of };
      } else return of;
    }
  }

  #launch(of: Expression): Expression {
    this.at += 3;
    const sizes: Expression[] = [];
    // A > of a size would end the launch for C++, too.
    for (;;) {
      sizes.push(this.initialiser());
      if (this.operator === ">>>") break;
      this.needs(",");
    }
    this.at += 3;
    return { kind: "launch", of, sizes, args: this.arguments() };
  }
}
