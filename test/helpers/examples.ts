// Runs an example of the documentation as a user's TypeScript would run, with every name of the library at hand, and
// gives what the kernel prints for each line that has its value beside it.
import { parseSync } from "oxc-parser";
import { transformSync } from "oxc-transform";
// As built: a bundle for another machine has no sources of the kernel.
import { bundleOf } from "../../kernel/dist/session/display/mime-bundle.js";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** A line, the value written beside it (`// → …`), and what was printed. */
export interface Shown {
  readonly line: string;
  readonly wanted: string;
  printed: string;
}

const asynchronous = Object.getPrototypeOf(async () => {}).constructor as new (
  ...text: string[]
) => (...values: unknown[]) => Promise<void>;

function* statementsIn(node: unknown): Generator<Node & { expression: Node }> {
  if (node === null || typeof node !== "object") return;
  if ((node as Node).type === "ExpressionStatement") yield node as Node & { expression: Node };
  for (const value of Object.values(node)) yield* statementsIn(value);
}

/** The code whose shown lines call `$show`, and those lines. */
export function instrumented(code: string): { text: string; shown: Shown[] } {
  const { program, comments, errors } = parseSync("example.ts", code, { sourceType: "module" });
  if (errors.length > 0) throw new SyntaxError(errors[0]!.message);
  const shown: Shown[] = [];
  let text = code;
  const statements = [...statementsIn(program)].sort((a, b) => b.start - a.start);
  for (const { start, end, expression } of statements) {
    const at = comments.findIndex((comment) => comment.start >= end);
    const first = comments[at];
    if (first === undefined || !/^\s*→/.test(first.value) || code.slice(end, first.start).trim() !== "") continue;
    let wanted = first.value.replace(/^\s*→/, "");
    // A long value goes on in the comments that follow it.
    for (let next = at + 1; next < comments.length; next++) {
      const { value, start: from } = comments[next]!;
      if (/^\s*→/.test(value) || code.slice(comments[next - 1]!.end, from).trim() !== "") break;
      wanted += value;
    }
    shown.unshift({ line: code.slice(start, end), wanted, printed: "" });
    text =
      text.slice(0, start) +
      `await $show(${shown.length}, (${code.slice(expression.start, expression.end)}));` +
      text.slice(end);
  }
  return { text, shown };
}

/** Runs it. `library`: what the package exports. */
export async function runExample(library: Readonly<Record<string, unknown>>, code: string): Promise<Shown[]> {
  const { text, shown } = instrumented(code);
  const { code: script, errors } = transformSync("example.ts", text, { sourceType: "module" });
  if (errors.length > 0) throw new SyntaxError(errors[0]!.message);
  const show = async (fromLast: number, value: unknown): Promise<void> => {
    shown.at(-fromLast)!.printed = String((await bundleOf(await value))["text/plain"]);
  };
  await new asynchronous(...Object.keys(library), "$show", `"use strict";\n${script}`)(...Object.values(library), show);
  return shown;
}

/** White space and the number of a GPU, of which a page for all devices says nothing, count for nothing. */
export const plain = (text: string): string => text.replace(/\bcuda:\d+/g, "cpu").replace(/\s+/g, "");
