// The macros of a program, for its host code: those that take arguments or stand for a type are written out, those that
// stand for a value become constants.
import { tokenize, type Directive, type Placed, placed } from "warpcell/cuda-text";

interface Macro {
  readonly parameters: readonly string[] | null;
  readonly body: readonly Placed[];
  /** It looks at the error that its argument returns, which the library throws. */
  readonly isCheck: boolean;
}

export interface ValueMacro {
  readonly name: string;
  readonly body: readonly Placed[];
}

const isTypeBody = /^(unsigned|signed|char|short|int|long|float|double|bool|struct \w+|[\s*])+$/;

/** Marks of a macro's body lie apart from those of the program, so that no two of both touch. */
const far = 1 << 28;

export class Macros {
  readonly #macros = new Map<string, Macro>();
  readonly values: readonly ValueMacro[];

  constructor(source: string) {
    const { directives } = tokenize(source);
    for (const directive of directives) if (directive.name === "define") this.#define(directive);
    this.values = [...this.#macros]
      .filter(([, { parameters, body }]) => parameters === null && body.length > 0 && !isType(body))
      .map(([name, { body }]) => ({ name, body }));
  }

  #define({ rest }: Directive): void {
    const [, name = "", given, body = ""] =
      /^(\w+)(?:\(([^)]*)\))?([\s\S]*)$/.exec(rest.replace(/\\\r?\n/g, " ")) ?? [];
    this.#macros.set(name, {
      parameters: given === undefined ? null : given.split(",").map((each) => each.trim()),
      body: placed(body),
      isCheck: /\bcudaSuccess\b|\bcudaGetErrorString\b/.test(body),
    });
  }

  /** Tokens with macros written out; each stands in the line where its macro was used. */
  expanded(tokens: readonly Placed[], inside: ReadonlySet<string> = new Set()): Placed[] {
    const out: Placed[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at]!;
      const macro = token.kind === "word" && !inside.has(token.text) ? this.#macros.get(token.text) : undefined;
      const isCall = macro?.parameters !== null && tokens[at + 1]?.text === "(";
      if (macro === undefined || (macro.parameters === null ? !isType(macro.body) : !isCall)) {
        out.push(token);
        continue;
      }
      const { args, close } = macro.parameters === null ? { args: [], close: at } : argumentsAt(tokens, at + 1);
      const body = macro.isCheck ? (args[0] ?? []) : substituted(macro, args);
      out.push(...this.expanded(body, new Set([...inside, token.text])).map((each) => ({ ...each, line: token.line })));
      at = close;
    }
    return out;
  }
}

function isType(body: readonly Placed[]): boolean {
  return body.length > 0 && isTypeBody.test(body.map(({ text }) => text).join(" "));
}

function argumentsAt(tokens: readonly Placed[], open: number): { args: Placed[][]; close: number } {
  const args: Placed[][] = [[]];
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const { text } = tokens[at]!;
    if (/^[([{]$/.test(text)) depth += 1;
    if (/^[)\]}]$/.test(text) && --depth === 0) return { args, close: at };
    if (text === "," && depth === 1) args.push([]);
    else if (at > open) args.at(-1)!.push(tokens[at]!);
  }
  return { args, close: tokens.length - 1 };
}

function substituted({ parameters, body }: Macro, args: readonly Placed[][]): Placed[] {
  return body.flatMap((token, at) => {
    if (token.text === "__VA_ARGS__") {
      const rest = args.slice(parameters!.length - 1);
      return rest.flatMap((each, i) => (i === 0 ? each : [{ ...token, text: ",", kind: "mark" as const }, ...each]));
    }
    const index = token.kind === "word" ? parameters!.indexOf(token.text) : -1;
    if (index >= 0 && body[at - 1]?.text !== "#") return args[index] ?? [];
    return [{ ...token, start: token.start + far, end: token.end + far }];
  });
}
