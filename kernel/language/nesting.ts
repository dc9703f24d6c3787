// Finds where TypeScript is nested too deeply to be parsed: a parser's own stack would overflow, and its process end,
// at some thousands of levels.

/** Levels. Code that people write, or generate, has a tenth; the parsers of this project fail at five times as many. */
const deepest = 1000;

export const tooDeep = `The code is nested more than ${deepest.toLocaleString("en-US")} levels deep here. Move a part of it into a function or a variable of its own.`;

/**
 * White space, comments, strings, names and numbers, operators, or one character. What is not a token of TypeScript is
 * no parser's problem either.
 */
const token =
  /(?<space>[^\S\n]+)|(?<line>\n)|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|(?<string>"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?)|(?<word>[@#]?[\p{ID_Start}$_\d][\p{ID_Continue}$\u200c\u200d]*)|(?<operator>=>|===?|!==?|<=|>=|\?\.|\?\?=?|\+\+|--|(?:\*\*|<<|>>>?|&&|\|\||[-+*%&|^])=|[^])/uy;
const template = /(?:\\[^]|\$(?!\{)|[^`\\$])*(`|\$\{)?/y;
const regularExpression = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//y;

/** Words that go on with what follows them, so that a new line does not end a statement. */
const open = new Set(
  "await case class delete do else extends finally in infer instanceof keyof new of readonly return throw try typeof unique void yield".split(
    " ",
  ),
);
/**
 * Of these each stands within the one before: `else if … else if`, `new new A`. Of `1 + 1 + 1` and `a.b.c` none does.
 */
const nestingWords = new Set("do else extends infer keyof new readonly unique".split(" "));
const heads = new Set("for if while with".split(" "));
const nesting = /^(=>|=|\?|:|<|\*\*=|<<=|>>>?=|&&=|\|\|=|\?\?=|[-+*%&|^/]=)$/;
const closing: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

/** Whatever can be a level, also where it is none, as in a string: so few of them need no closer look. */
const candidate = new RegExp("[([{`<=?:]|\\b(?:" + [...nestingWords].join("|") + ")\\b", "g");

interface Frame {
  /** Ends it; "`" for what stands in a template. */
  end: string;
  /** The brackets of `if (…)`: what follows them stands within. */
  isHead: boolean;
  /** Levels of the statement or the expression that goes on, besides the brackets. */
  levels: number;
}

/** The UTF-16 offset of the first thing that is nested too deeply; `null` when nothing is. */
export function tooDeepAt(code: string): number | null {
  if (code.length <= deepest || (code.match(candidate)?.length ?? 0) <= deepest) return null;
  return new Scan(code).tooDeepAt();
}

class Scan {
  readonly #code: string;
  readonly #frames: Frame[] = [{ end: "", isHead: false, levels: 0 }];
  #at = 0;
  #depth = 0;
  // Of the token before: it may end a statement or an expression, it ends one that may still go on with `else`, and its
  // word and the one before that.
  #isComplete = true;
  #isEnd = false;
  #words: [string, string] = ["", ""];
  #isNewLine = false;

  constructor(code: string) {
    this.#code = code;
  }

  tooDeepAt(): number | null {
    while (this.#at < this.#code.length) {
      const { 0: found, groups } = this.#next(token)!;
      if (groups!["line"] !== undefined) this.#isNewLine = true;
      if (
        groups!["space"] !== undefined ||
        groups!["line"] !== undefined ||
        found.startsWith("//") ||
        found.startsWith("/*")
      )
        continue;

      const begins = groups!["operator"] === undefined;
      // A statement that stands behind another one is not within it.
      if (found !== "else" && this.#isComplete && (this.#isEnd || (begins && this.#isNewLine))) this.#endStatement();
      this.#isEnd = this.#isNewLine = false;
      if (begins) this.#begin(found);
      else this.#operate(found);
      this.#words = [groups!["word"] ?? "", this.#words[0]];
      if (this.#depth > deepest) return this.#at - found.length;
    }
    return null;
  }

  #begin(found: string): void {
    if (found === "case" || found === "default") this.#endStatement();
    if (nestingWords.has(found)) this.#add();
    this.#isComplete = !open.has(found);
  }

  #operate(found: string): void {
    const wasComplete = this.#isComplete,
      { end } = this.#frames.at(-1)!;
    this.#isComplete = false;
    if (closing[found] !== undefined) this.#push(closing[found]);
    else if (found === "`") this.#text();
    else if (found === "}" && end === "`") {
      this.#pop();
      this.#text();
    } else if (found === ")" || found === "]" || found === "}") {
      // What closes nothing is a mistake that a parser tells.
      const isHead = end === found && this.#pop().isHead;
      if (isHead) this.#add();
      this.#isComplete = !isHead;
      this.#isEnd = found === "}";
    } else if (found === ";") this.#isComplete = this.#isEnd = true;
    else if (found === ",") this.#endStatement();
    else if (found === "/" && !wasComplete) this.#regularExpression();
    else if (nesting.test(found)) this.#add();
    else if (found === "!" || found === "++" || found === "--") this.#isComplete = wasComplete;
  }

  #add(): void {
    this.#frames.at(-1)!.levels++;
    this.#depth++;
  }

  #endStatement(): void {
    this.#depth -= this.#frames.at(-1)!.levels;
    this.#frames.at(-1)!.levels = 0;
  }

  #push(end: string): void {
    const [word, before] = this.#words;
    this.#depth++;
    this.#frames.push({
      end,
      isHead: end === ")" && (heads.has(word) || (word === "await" && before === "for")),
      levels: 0,
    });
  }

  #pop(): Frame {
    this.#endStatement();
    this.#depth--;
    return this.#frames.pop()!;
  }

  /** The text of a template: to its end, or to an expression in it. */
  #text(): void {
    this.#isComplete = this.#next(template)![1] !== "${";
    if (!this.#isComplete) this.#push("`");
  }

  #regularExpression(): void {
    this.#at--;
    const literal = this.#next(regularExpression)?.[0];
    this.#isComplete = literal !== undefined;
    if (literal === undefined) this.#at++;
    // It may be a division after all, and what it holds brackets.
    else if (this.#depth + literal.split(/[([{]/).length > deepest) this.#depth = Infinity;
  }

  #next(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#code);
    this.#at += match?.[0].length ?? 0;
    return match;
  }
}
