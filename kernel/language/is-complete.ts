// Tells whether the text of a cell may run, needs further lines, or is wrong, by parsing it.
import type { Program } from "oxc-parser";
import { parseSync } from "./parser.ts";
import { parse, type Cell } from "./cell.ts";
import { asObjectLiteral } from "./syntax.ts";

export interface Completeness {
  status: "complete" | "incomplete" | "invalid";
  indent: string;
}

const complete: Completeness = { status: "complete", indent: "" };
const invalid: Completeness = { status: "invalid", indent: "" };

/** What to answer to `is_complete_request`; `indent` is meant for the line that follows an incomplete text. */
export function isComplete(code: string): Completeness {
  const cell = parsed(code);
  if (cell === null) return invalid;
  if (cell.language === "cuda") return cudaCompleteness(cell.code, code);
  return cell.help !== null ? complete : typescriptCompleteness(cell.code);
}

function parsed(code: string): Cell | null {
  try {
    return parse(code);
  } catch {
    // A magic that nobody understands; running the cell says which.
    return null;
  }
}

function typescriptCompleteness(code: string): Completeness {
  if (asObjectLiteral(code) !== null) return complete;
  const { program, errors } = parseSync("cell.ts", code, { lang: "ts", sourceType: "module" });
  const error = errors[0];
  if (error === undefined) return lacksBody(program, code) ? { status: "incomplete", indent: "" } : complete;

  const start = error.labels[0]?.start ?? 0;
  const opening = code.slice(start, start + 2);
  const unfinished = error.message.startsWith("Unterminated")
    ? // Text in backquotes and comments go on in the next line; other strings only after a backslash, regular expressions never.
      opening.startsWith("`") ||
      opening.startsWith("}") ||
      opening === "/*" ||
      (/^["']/.test(opening) && /\\\s*$/.test(code))
    : (start >= code.trimEnd().length && !error.message.startsWith("Unexpected end of file")) ||
      /^(?:Missing catch|An overload signature cannot be declared as a generator)/.test(error.message);
  return unfinished ? { status: "incomplete", indent: indentAfter(code) } : invalid;
}

/**
 * `function f()` at the end of the code: an overload to TypeScript, and to the person typing it a function whose body
 * follows.
 */
function lacksBody({ body }: Program, code: string): boolean {
  const last = body.at(-1);
  const declaration =
    last?.type === "ExportNamedDeclaration" || last?.type === "ExportDefaultDeclaration" ? last.declaration : last;
  return declaration?.type === "TSDeclareFunction" && !declaration.declare && code[declaration.end - 1] !== ";";
}

/** Comments, raw strings, strings and characters of C++, a bracket, or anything else. */
const cudaToken =
  /\/\/[^\n]*|\/\*[^]*?(\*\/|$)|R"([^\s()\\]{0,16})\([^]*?\)\2"|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])'|[()[\]{}]|[^]/g;

const closing: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

/** A `%%cuda` cell may run when it has code and every bracket is closed; whether it is right, its compiler tells. */
function cudaCompleteness(code: string, whole: string): Completeness {
  const open: string[] = [];
  for (const match of code.matchAll(cudaToken)) {
    const token = match[0];
    if (token.startsWith("/*") && match[1] === "") return { status: "incomplete", indent: "" };
    if (closing[token] !== undefined) open.push(closing[token]);
    else if (/^[)\]}]$/.test(token) && open.pop() !== token) return invalid;
  }
  return open.length > 0 || code.trim() === "" ? { status: "incomplete", indent: indentAfter(whole) } : complete;
}

/** As deep as the last line, and two spaces deeper after a bracket that it opens. */
function indentAfter(code: string): string {
  const last = code.trimEnd().split("\n").at(-1) ?? "";
  return /^\s*/.exec(last)![0] + (/[([{]\s*$/.test(last) ? "  " : "");
}
