// What a kernel may not do though a compiler of host programs takes it: turns the tokens of a cell into the errors that
// a GPU's compiler would find.
import type { Diagnostic } from "../errors.ts";
import { hostOnly } from "./gpu-only.ts";
import type { Token } from "./tokens.ts";

const assignments = new Set(["=", "+", "-", "*", "/", "%", "&", "|", "^"]);

/** Functions of the host that device code calls, and writes to `__constant__` memory. `shared`: of other sources. */
export function hostCode(tokens: readonly Token[], shared: readonly Token[] = []): Diagnostic[] {
  const constants = constantNames([...shared, ...tokens]);
  const own = declaredFunctions([...shared, ...tokens]);
  const errors: Diagnostic[] = [];
  for (const [at, token] of deviceTokens(tokens)) {
    const before = tokens[at - 1]?.text;
    const message =
      hostMessage(tokens, at, own) ??
      (constants.has(token.text) && before !== "." && before !== "->" && isWritten(tokens, at)
        ? `${token.text} is __constant__ memory, which kernels only read: make it a __device__ variable, or pass a pointer`
        : null);
    if (message !== null) errors.push({ line: token.line, column: token.column, severity: "error", message });
  }
  return errors;
}

function hostMessage(tokens: readonly Token[], at: number, own: ReadonlySet<string>): string | null {
  const { kind, text } = tokens[at]!;
  const [colons, space] = [tokens[at - 1]?.text, tokens[at - 2]?.text];
  if (kind !== "word" || colons === "." || colons === "->") return null;
  if (colons === "::") return space === "std" ? hostOnly(`std::${text}`) : null;
  const isCalled = tokens[at + 1]?.text === "(" || tokens[at + 1]?.text === "<";
  const isStream = text === "cout" || text === "cerr" || text === "clog";
  return (isCalled || isStream) && !own.has(text) && !text.startsWith("cuda") ? hostOnly(text) : null;
}

/** Whether `name`, `name[i]` or `name.x` at that place is assigned to, or counted up or down. */
function isWritten(tokens: readonly Token[], at: number): boolean {
  const text = (index: number): string | undefined => tokens[index]?.text;
  if ((text(at - 1) === "+" && text(at - 2) === "+") || (text(at - 1) === "-" && text(at - 2) === "-")) return true;
  let end = at + 1;
  while (text(end) === "[" || text(end) === ".") {
    if (text(end) === ".") {
      end += 2;
      continue;
    }
    let depth = 0;
    do {
      if (text(end) === "[") depth += 1;
      if (text(end) === "]") depth -= 1;
      end += 1;
    } while (depth > 0 && end < tokens.length);
  }
  const [first, second] = [text(end), text(end + 1)];
  if (first === "=") return second !== "=";
  if (first === second && (first === "+" || first === "-")) return true;
  return assignments.has(first ?? "") && second === "=";
}

/** The names of `__constant__ float a[4], b;`. */
function constantNames(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    if (token.text !== "__constant__") continue;
    for (let end = at + 1; end < tokens.length && tokens[end]!.text !== ";"; end++) {
      const next = tokens[end + 1]?.text ?? "";
      if (tokens[end]!.kind === "word" && ["[", "=", ";", "{"].includes(next)) {
        names.add(tokens[end]!.text);
        break;
      }
    }
  }
  return names;
}

/** Names that are declared as functions or types outside of bodies: `int rand(`. */
function declaredFunctions(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const isFunction =
      tokens[at + 1]?.text === "(" && (before?.text === "*" || before?.text === "&" || before?.kind === "word");
    if (isFunction && before.text !== "return") names.add(token.text);
    if (before?.text === "struct" || before?.text === "class" || before?.text === "define") names.add(token.text);
  }
  return names;
}

/** The tokens in bodies of functions, without those of functions that are `__host__` alone and of `main`. */
function* deviceTokens(tokens: readonly Token[]): Generator<[number, Token]> {
  let head = 0;
  let depth = 0;
  let isDevice = false;
  for (const [at, token] of tokens.entries()) {
    if (token.text === "{") {
      if (depth === 0) {
        const words = new Set(tokens.slice(head, at).map(({ text }) => text));
        // A namespace, and "extern "C" {": what is in it has heads of its own.
        if (words.has("namespace") || (words.has("extern") && !words.has("("))) {
          head = at + 1;
          continue;
        }
        isDevice = words.has("__device__") || words.has("__global__") || !(words.has("__host__") || words.has("main"));
      }
      depth += 1;
    } else if (token.text === "}") {
      if (depth > 0) depth -= 1;
      if (depth === 0) head = at + 1;
    } else if (depth === 0) {
      if (token.text === ";") head = at + 1;
    } else if (isDevice) yield [at, token];
  }
}

/** A function that reads where its thread is, without the word that makes it a kernel; `null` when there is none. */
export function almostKernel(tokens: readonly Token[]): Diagnostic | null {
  for (const [at] of deviceTokens(tokens)) {
    if (!/^(thread|block)Idx$/.test(tokens[at]!.text)) continue;
    const named = nameBefore(tokens, at);
    if (named === null) continue;
    return {
      line: named.line,
      column: named.column,
      severity: "warning",
      message: `${named.text} is not a kernel, so no cell can launch it: write __global__ in front of void`,
    };
  }
  return null;
}

/** The name of the function whose body a place is in: `void NAME(…) {`. */
function nameBefore(tokens: readonly Token[], place: number): Token | null {
  for (let at = place; at > 1; at--) {
    if (tokens[at]!.text !== "(" || tokens[at - 2]?.text !== "void") continue;
    const head = tokens.slice(Math.max(0, at - 8), at).map(({ text }) => text);
    return head.includes("__global__") || head.includes("__device__") ? null : tokens[at - 1]!;
  }
  return null;
}
