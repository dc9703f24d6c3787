// Reads statements of host code: what it does not know is one statement as it stands, and the next one is read again.
import { closing, type Placed } from "warpcell/cuda-text";
import type { Declarator, Expression, Parameter, Statement, TypeName } from "./nodes.ts";
import { ExpressionReader, Untranslated, type Known } from "./read-expressions.ts";

/** The statements between the brackets at `open` and `close`. */
export function readBody(tokens: readonly Placed[], open: number, close: number, known: Known): Statement[] {
  const reader = new StatementReader(tokens, open + 1, close, known);
  const found: Statement[] = [];
  while (!reader.isOver) found.push(reader.statement());
  return found;
}

/** A declaration without its `;` outside of functions: `const int n = 3, m = 4`. */
export function readDeclarators(tokens: readonly Placed[], from: number, end: number, known: Known): Declarator[] {
  return new StatementReader(tokens, from, end, known).declarators();
}

export function readExpression(tokens: readonly Placed[], from: number, end: number, known: Known): Expression {
  const reader = new ExpressionReader(tokens, from, end, known);
  const expression = reader.initialiser();
  if (!reader.isOver) throw new Untranslated("the expression does not end where it should");
  return expression;
}

export function readType(tokens: readonly Placed[], from: number, end: number, known: Known): TypeName {
  return new ExpressionReader(tokens, from, end, known).type();
}

export function readParameter(tokens: readonly Placed[], from: number, end: number, known: Known): Parameter {
  const reader = new StatementReader(tokens, from, end, known);
  const type = reader.type();
  if (reader.isOver) return { name: "", type, first: null };
  const { name, type: whole, lengths, first } = reader.declarator(type);
  return { name, type: { ...whole, stars: whole.stars + lengths.length }, first };
}

class StatementReader extends ExpressionReader {
  statement(): Statement {
    const from = this.at;
    try {
      return this.#read(from);
    } catch (error) {
      if (!(error instanceof Untranslated)) throw error;
      this.at = from;
      this.#pass();
      return { kind: "unread", why: error.message, from, to: this.at - 1 };
    }
  }

  #read(from: number): Statement {
    const word = this.text;
    const row = Object.hasOwn(this.#words, word) ? this.#words[word] : undefined;
    const isDeclaration = row === undefined && this.isType() && this.#declares();
    const read = row ?? (isDeclaration ? () => this.#declaration() : () => this.#expression());
    const node = read();
    return { ...node, from, to: this.at - 1 } as Statement;
  }

  /** A type and then a name, rather than `int(x)`. */
  #declares(): boolean {
    const from = this.at;
    this.type();
    const isName = this.tokens[this.at]?.kind === "word" && !this.isOver;
    this.at = from;
    return isName;
  }

  readonly #words: Record<string, () => object> = {
    "{": () => {
      const close = closing(this.tokens, this.at);
      this.at += 1;
      const body: Statement[] = [];
      while (this.at < close) body.push(this.statement());
      this.at = close + 1;
      return { kind: "block", body };
    },
    ";": () => {
      this.at += 1;
      return { kind: "empty" };
    },
    if: () => {
      this.at += 1;
      if (this.text === "constexpr") this.at += 1;
      const test = this.#parenthesised();
      const yes = this.statement();
      return { kind: "if", test, yes, no: this.takesWord("else") ? this.statement() : null };
    },
    for: () => this.#for(),
    while: () => {
      this.at += 1;
      const test = this.#parenthesised();
      return { kind: "while", test, body: this.statement(), isLast: false };
    },
    do: () => {
      this.at += 1;
      const body = this.statement();
      this.needs("while");
      const test = this.#parenthesised();
      this.needs(";");
      return { kind: "while", test, body, isLast: true };
    },
    return: () => {
      this.at += 1;
      const of = this.text === ";" ? null : this.initialiser();
      this.needs(";");
      return { kind: "return", of };
    },
    switch: () => this.#switch(),
    break: () => this.#jump("break"),
    continue: () => this.#jump("continue"),
  };

  #switch(): object {
    this.at += 1;
    const of = this.#parenthesised();
    const close = closing(this.tokens, this.at);
    this.needs("{");
    const cases: { label: Expression | null; body: Statement[] }[] = [];
    while (this.at < close) {
      if (this.text !== "case" && this.text !== "default") {
        const body = cases.at(-1)?.body;
        if (body === undefined) throw new Untranslated("a statement in front of the first case");
        body.push(this.statement());
        continue;
      }
      const isDefault = this.text === "default";
      this.at += 1;
      cases.push({ label: isDefault ? null : this.expression(), body: [] });
      this.needs(":");
    }
    this.at = close + 1;
    return { kind: "switch", of, cases };
  }

  #jump(word: string): object {
    this.at += 1;
    this.needs(";");
    return { kind: "jump", word };
  }

  #parenthesised(): Expression {
    this.needs("(");
    const inner = this.expression();
    this.needs(")");
    return inner;
  }

  #expression(): object {
    const of = this.expression();
    this.needs(";");
    return { kind: "expression", of };
  }

  #declaration(): object {
    const declarators = this.declarators();
    this.needs(";");
    return { kind: "declaration", declarators, isConst: declarators[0]!.type.isConst };
  }

  declarators(): Declarator[] {
    const type = this.type();
    const found = [this.declarator(type)];
    while (this.text === ",") {
      this.at += 1;
      found.push(this.declarator({ ...type, ...this.stars() }));
    }
    return found;
  }

  declarator(type: TypeName): Declarator {
    const token = this.tokens[this.at];
    if (token?.kind !== "word" || this.isOver) throw new Untranslated(`${this.text || "the end"} is no name`);
    const name = token.text;
    this.at += 1;
    const lengths: (Expression | null)[] = [];
    while (this.text === "[") {
      this.at += 1;
      lengths.push(this.peek(0) === "]" ? null : this.expression());
      this.needs("]");
    }
    const common = { name, type, lengths };
    if (this.text === "=") {
      this.at += 1;
      return { ...common, first: this.initialiser(), args: null };
    }
    if (this.text === "{") return { ...common, first: this.initialiser(), args: null };
    if (this.text === "(") return { ...common, first: null, args: this.arguments() };
    return { ...common, first: null, args: null };
  }

  #for(): object {
    this.at += 1;
    this.needs("(");
    const from = this.at;
    if (this.isType() && this.#declares()) {
      const each = this.declarator(this.type());
      if (this.text === ":" && each.first === null) {
        this.at += 1;
        const items = this.initialiser();
        this.needs(")");
        return { kind: "each", of: each, items, body: this.statement() };
      }
      this.at = from;
    }
    const first = this.text === ";" ? (this.needs(";"), null) : this.statement();
    const test = this.text === ";" ? null : this.expression();
    this.needs(";");
    const step = this.text === ")" ? null : this.expression();
    this.needs(")");
    return { kind: "for", first, test, step, body: this.statement() };
  }

  override lambda(): Expression {
    const from = this.at;
    const close = closing(this.tokens, from);
    const captures = this.tokens.slice(from + 1, close).map(({ text }) => text);
    if (captures.some((text) => /^(\*|this|\.\.\.)$/.test(text)) || captures.join(" ").includes(" ="))
      throw new Untranslated("a lambda with variables of its own");
    const named = captures.filter((text, i) => /^\w/.test(text) && captures[i - 1] !== "&");
    const copies = captures[0] === "=" ? [] : named.length > 0 ? named : null;
    this.at = close + 1;
    const parameters = this.text === "(" ? this.#parameters() : [];
    let result: TypeName | null = null;
    if (this.text === "->") {
      this.at += 1;
      result = this.type();
    }
    if (this.text !== "{") throw new Untranslated(`a lambda that is ${this.text}`);
    const end = closing(this.tokens, this.at);
    this.at += 1;
    const body: Statement[] = [];
    while (this.at < end) body.push(this.statement());
    this.at = end + 1;
    return { kind: "lambda", copies, parameters, result, body, from, to: end };
  }

  #parameters(): Parameter[] {
    const found: Parameter[] = [];
    this.needs("(");
    while (this.text !== ")") {
      const type = this.type();
      if (this.text === "," || this.text === ")") found.push({ name: "", type, first: null });
      else {
        const { name, type: whole, lengths, first } = this.declarator(type);
        found.push({ name, type: { ...whole, stars: whole.stars + lengths.length }, first });
      }
      if (this.text !== ")") this.needs(",");
    }
    this.at += 1;
    return found;
  }

  /** Goes past a statement that cannot be read: to its `;`, or behind its block. */
  #pass(): void {
    while (!this.isOver) {
      const { text } = this;
      if (text === "(" || text === "[" || text === "{") {
        this.at = closing(this.tokens, this.at) + 1;
        if (text === "{" && this.text !== ";" && this.text !== "," && this.text !== ")") return;
        continue;
      }
      this.at += 1;
      if (text === ";") return;
    }
  }
}
