// Whether a line of CUDA C++ runs under a condition: in a branch of its function, or behind one on the same line.
import { tokenize } from "./tokens.ts";

const branches = new Set(["if", "else", "switch", "case"]);

/** Whether what begins in that line, from 1, is in a branch. */
export function isConditional(source: string, line: number): boolean {
  const { tokens } = tokenize(source);
  /** Of the braces that are open: whether each is a branch's. */
  const open: boolean[] = [];
  /** A branch's keyword came, and its statement has not ended. */
  let isPending = false;
  let depth = 0;
  for (const token of tokens) {
    if (token.line === line && token.text === "__syncthreads") return isPending || open.includes(true);
    if (token.line > line) return isPending || open.includes(true);
    if (branches.has(token.text)) isPending = true;
    else if (token.text === "(") depth += 1;
    else if (token.text === ")") depth -= 1;
    else if (token.text === "{") {
      open.push(isPending);
      isPending = false;
    } else if (token.text === "}") {
      open.pop();
      isPending = false;
    } else if (token.text === ";" && depth === 0) isPending = false;
  }
  return false;
}
