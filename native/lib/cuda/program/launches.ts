// The launches and calls of the runtime in a program's host code: turns `kernel<<<grid, block>>>(a)` into C++, and has
// calls whose result nobody takes remembered.
import { CompileError } from "../../errors.ts";
import { closing, type Placed } from "./items.ts";

/** A change of the text: `start` … `end` − 1 becomes `text`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Functions of the runtime that return no error, and those that only ask for the last one, which may be to forget it. */
const withoutResult = /^cuda(GetErrorString|GetErrorName|CreateChannelDesc|GetLastError|PeekAtLastError)$/;

/** Whether a program has a macro of that name, or a function that returns no error. */
const isOwn = (name: string, program: string): boolean =>
  new RegExp(
    `#[ \\t]*define[ \\t]+${name}\\b|\\b(?!(?:cudaError_t|return|else|do|throw)\\b)\\w(?:[\\w:<>]*[\\w>])?\\s+[*&]?${name}\\s*\\(`,
  ).test(program);

/**
 * The edits of the tokens `from` … `to` of host code. `line`: what to call the line, where it is not the token's.
 * `program`: what `source` is part of.
 */
export function hostEdits(
  source: string,
  tokens: readonly Placed[],
  from: number,
  to: number,
  line?: string,
  program = source,
): Edit[] {
  const edits: Edit[] = [];
  for (let at = from; at <= to; at++) {
    const token = tokens[at]!;
    if (isTriple(tokens, at, "<")) {
      const launch = launchAt(source, tokens, at, line ?? String(token.line));
      // The grid may hold launches as little as the arguments may.
      edits.push(...launch.edits);
      at = launch.behind - 1;
    } else if (
      /^cuda[A-Z]\w*$/.test(token.text) &&
      tokens[at + 1]?.text === "(" &&
      !withoutResult.test(token.text) &&
      startsStatement(tokens, at) &&
      !isOwn(token.text, program)
    )
      edits.push({
        start: token.start,
        end: token.start,
        text: `::warpcell_program::ignored(${line ?? token.line}) = `,
      });
  }
  return edits;
}

function isTriple(tokens: readonly Placed[], at: number, mark: string): boolean {
  const [a, b, c] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (a?.text !== mark || b?.text !== mark || c?.text !== mark) return false;
  return a.end === b.start && b.end === c.start;
}

/** A launch becomes a call of the kernel's stand-in, behind one that says how to launch. */
function launchAt(
  source: string,
  tokens: readonly Placed[],
  at: number,
  line: string,
): { edits: Edit[]; behind: number } {
  let end = at + 3;
  while (end < tokens.length && !isTriple(tokens, end, ">")) {
    const { text } = tokens[end]!;
    if (text === ";" || text === "}") break;
    end = text === "(" || text === "[" || text === "{" ? closing(tokens, end) + 1 : end + 1;
  }
  const open = end + 3;
  if (!isTriple(tokens, end, ">") || tokens[open]?.text !== "(")
    throw new CompileError(
      `The launch in line ${line} is not complete: write kernel<<<grid, block>>>(arguments), with its <<< and >>> in one piece.`,
      "",
    );
  const first = tokens[kernelStart(tokens, at - 1)]!;
  const kernel = source.slice(first.start, tokens[at]!.start);
  const configuration = source.slice(tokens[at + 2]!.end, tokens[end]!.start);
  const close = tokens[closing(tokens, open)]!;
  return {
    edits: [
      {
        start: first.start,
        end: tokens[end + 2]!.end,
        text: `(::warpcell_program::configure(${line}, ${configuration}), ${kernel}`,
      },
      { start: close.end, end: close.end, text: ")" },
    ],
    behind: open,
  };
}

/** Where `ns::kernel<float, 2>`, `kernels[i]` or `(*kernel)` begins that ends at `last`. */
function kernelStart(tokens: readonly Placed[], last: number): number {
  let at = last;
  if (tokens[at]!.text === ">") {
    for (let depth = 0; at >= 0; at--) {
      if (tokens[at]!.text === ">") depth += 1;
      if (tokens[at]!.text === "<" && --depth === 0) break;
    }
    at -= 1;
  } else if (tokens[at]!.text === ")" || tokens[at]!.text === "]") {
    const [opening, ending] = tokens[at]!.text === ")" ? ["(", ")"] : ["[", "]"];
    const isIndex = opening === "[";
    for (let depth = 0; at >= 0; at--) {
      if (tokens[at]!.text === ending) depth += 1;
      if (tokens[at]!.text === opening && --depth === 0) break;
    }
    if (isIndex) at -= 1;
    else return at;
  }
  for (;;) {
    const before = tokens[at - 1]?.text;
    if (before === "::") at -= tokens[at - 2]?.kind === "word" ? 2 : 1;
    else if (before === "." || before === "->") at -= 2;
    else return at;
  }
}

/** Whether a call at that place is a statement of its own, so that its result is lost. */
function startsStatement(tokens: readonly Placed[], at: number): boolean {
  const before = tokens[at - 1]?.text ?? "";
  const after = tokens[closing(tokens, at + 1) + 1]?.text;
  if (after !== ";") return false;
  if (before === ";" || before === "{" || before === "}" || before === "else" || before === "do") return true;
  if (before !== ")") return false;
  let open = at - 1;
  for (let depth = 0; open >= 0; open--) {
    if (tokens[open]!.text === ")") depth += 1;
    if (tokens[open]!.text === "(" && --depth === 0) break;
  }
  return ["if", "for", "while", "constexpr"].includes(tokens[open - 1]?.text ?? "");
}
