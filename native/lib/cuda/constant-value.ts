// The value of a constant expression of whole numbers, as lengths of arrays have them: `2 * RADIUS + 1`.
import { integerOf, type Token } from "./tokens.ts";

const strength: Readonly<Record<string, number>> = { "<<": 1, ">>": 1, "+": 2, "-": 2, "*": 3, "/": 3, "%": 3 };
const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  "<<": (a, b) => a * 2 ** b,
  ">>": (a, b) => Math.floor(a / 2 ** b),
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => Math.trunc(a / b),
  "%": (a, b) => a % b,
};

/** NaN for what only a compiler can work out. `names`: the constants that are known. */
export function constantValue(tokens: readonly Token[], names: ReadonlyMap<string, number>): number {
  const expression = new Expression(tokens, names);
  const value = expression.sum(0);
  return expression.isRead && Number.isSafeInteger(value) ? value : NaN;
}

class Expression {
  readonly #tokens: readonly Token[];
  readonly #names: ReadonlyMap<string, number>;
  #at = 0;

  constructor(tokens: readonly Token[], names: ReadonlyMap<string, number>) {
    this.#tokens = tokens;
    this.#names = names;
  }

  get isRead(): boolean {
    return this.#at === this.#tokens.length && this.#at > 0;
  }

  /** Operations that bind at least as strongly as `least`. */
  sum(least: number): number {
    let value = this.#operand();
    for (;;) {
      const operator = this.#operator();
      const binding = strength[operator] ?? -1;
      if (binding < least) return value;
      this.#at += operator.length;
      value = operations[operator]!(value, this.sum(binding + 1));
    }
  }

  #operator(): string {
    const [first, second] = [this.#text(0), this.#text(1)];
    return first === second && (first === "<" || first === ">") ? first + second : first;
  }

  #operand(): number {
    const token = this.#tokens[this.#at++];
    if (token === undefined) return NaN;
    if (token.text === "-") return -this.#operand();
    if (token.text === "(") {
      const value = this.sum(0);
      return this.#text(0) === ")" ? (this.#at++, value) : NaN;
    }
    return token.kind === "word" ? (this.#names.get(token.text) ?? NaN) : integerOf(token);
  }

  #text(ahead: number): string {
    return this.#tokens[this.#at + ahead]?.text ?? "";
  }
}
