// What a failed compilation says: turns a compiler's log into the errors of the source, in the order of its lines, each
// with its line and a caret.
import { CompileError, type Diagnostic } from "../errors.ts";
import { unclosedBrace } from "./brackets.ts";
import { parseMessages, type CompilerMessage } from "./compiler-log.ts";
import { headerInstead, instead } from "./gpu-only.ts";
import type { Signatures } from "./signature.ts";
import { tokenize, type Token } from "./tokens.ts";

/** What failed to compile. */
export interface FailedSource {
  readonly source: string;
  readonly name: string;
  /** "cpu", "cuda", or "host" for the host code of a program. */
  readonly device: string;
  readonly signatures: Signatures;
  /** It may have a `main`. */
  readonly isProgram?: boolean;
  /** Sources whose declarations it uses. */
  readonly shared?: readonly { readonly source: string; readonly name: string }[];
}

const shownErrors = 20;

/**
 * Errors that say nothing where another one does: what a compiler concludes from a type that it does not know, or from
 * a name that was refused.
 */
const consequences = [
  /^variable or field '.*' declared void/,
  /^attribute "__global__" does not apply here/,
  /^incomplete type "void" is not allowed/,
  /^expected primary-expression before/,
  /^too many errors emitted/,
];
/** What an assertion of ours or of the cell says, without the compiler's introduction. */
const assertion = /^static(?: assertion|_assert) failed(?: due to requirement '.*?')?:? "?(.+?)"?$/;
/** A kernel that is one of several functions of its name. */
const overloaded = /overloaded function|^unable to deduce 'auto' from '& ?[\w:]+'/;
/** What follows from a brace that is missing. */
const consequencesOfBrace = [
  /function[- ]definition is not allowed/,
  /^expected a? ?["'][;}]["']/,
  /^expected unqualified-id/,
  /^qualified-id in declaration/,
  /^expected ';' at end/,
];

/** The error of a compilation that failed with `log`. */
export function compileFailure(failed: FailedSource, log: string): CompileError {
  const messages = parseMessages(log, failed.name).filter(({ severity }) => severity === "error");
  const own = errorsOf(failed, messages);
  const errors = own.length > 0 ? own : headersRefused(failed.source);
  if (errors.length > 0)
    return new CompileError(`${failed.name} does not compile: ${listing(failed, errors)}`, log, errors);
  for (const { source, name } of failed.shared ?? []) {
    const shared = { ...failed, source, name };
    const [first, ...more] = errorsOf(shared, messages);
    if (first === undefined) continue;
    const text = `${failed.name} does not compile: ${listing(shared, [first, ...more])}`;
    return new CompileError(text, log, [
      {
        ...(useIn(log, failed.name) ?? { line: 1, column: 1 }),
        severity: "error",
        message: `in ${name}, line ${first.line}: ${first.message}`,
      },
    ]);
  }
  const [first] = messages;
  const place = useIn(log, failed.name);
  if (first !== undefined && place !== null) {
    const error: Diagnostic = { ...place, severity: "error", message: first.message.replace(assertion, "$1") };
    return new CompileError(`${failed.name} does not compile: ${listing(failed, [error])}`, log, [error]);
  }
  const said =
    first !== undefined
      ? `${first.file}:${first.line}:${first.column}: ${first.message}`
      : (/(?:error|fatal)\b\s*:?\s*(.*)/.exec(log)?.[1]?.trimEnd() ?? "the compiler gives no reason");
  return new CompileError(`${failed.name} does not compile: ${said.replace(/\.$/, "")}.`, log);
}

/** Where the source has a template of another file made; `null` where it has none. */
function useIn(log: string, name: string): { line: number; column: number } | null {
  for (const text of log.split("\n")) {
    if (!text.startsWith(`${name}:`) || !/required from|in instantiation of/.test(text)) continue;
    const [, line, column] = /^:(\d+):(\d+)/.exec(text.slice(name.length)) ?? [];
    if (column !== undefined) return { line: Number(line), column: Number(column) };
  }
  return null;
}

/**
 * The same error, with the lines of the source that it is about: for a declaration that is refused before any compiler
 * sees it.
 */
export function withExcerpts(error: unknown, { source, name }: { source: string; name: string }): unknown {
  if (!(error instanceof CompileError) || error.diagnostics.length === 0) return error;
  const places = error.diagnostics.map(
    (diagnostic) => `${name}:${diagnostic.line}:${diagnostic.column}\n${excerpt(source, diagnostic)}`,
  );
  return new CompileError([error.message, ...places].join("\n\n"), error.log, error.diagnostics);
}

/** The error of a source that is refused before any compiler sees it, for these reasons. */
export function refusal(failed: { source: string; name: string }, errors: readonly Diagnostic[]): CompileError {
  const shown = ordered(errors);
  return new CompileError(`${failed.name} does not compile: ${listing(failed, shown)}`, "", shown);
}

/** Warnings as a reader sees them: each with its line. */
export function warningText(failed: { source: string; name: string }, warnings: readonly Diagnostic[]): string {
  return ordered(warnings)
    .slice(0, shownErrors)
    .map(
      (warning) =>
        `${failed.name}:${warning.line}:${warning.column} warning: ${warning.message.replace(/ \[-W[\w=-]+\]$/, "")}\n${excerpt(failed.source, warning)}\n`,
    )
    .join("\n");
}

/** `main` in a source that compiles all the same. */
export function refuseMain(failed: { source: string; name: string }): void {
  const main = mainOf(tokenize(failed.source).tokens);
  if (main !== null) throw refusal(failed, [{ ...main, severity: "error", message: mainMessage }]);
}

const mainMessage =
  "main() makes this a program, and here kernels are compiled: run it with runProgram(source) or in a %%cuda cell, or leave main() out";

/** Headers that no cell can have: compilers find them, and errors in them. */
function headersRefused(source: string): Diagnostic[] {
  return source.split("\n").flatMap((line, at): Diagnostic[] => {
    const header = /^\s*#\s*include\s*[<"]([^>"]+)[>"]/.exec(line);
    const message = header === null ? null : headerInstead(header[1]!);
    return message === null ? [] : [{ severity: "error", line: at + 1, column: line.indexOf("#") + 1, message }];
  });
}

/** The errors that a user can do something about, by line. */
function errorsOf(failed: FailedSource, messages: readonly CompilerMessage[]): Diagnostic[] {
  const { tokens } = tokenize(failed.source);
  const brace = unclosedBrace(tokens);
  const main = failed.isProgram === true ? null : mainOf(tokens);
  const own = messages
    .flatMap(({ file, ...diagnostic }) => (file === failed.name ? [diagnostic] : []))
    .filter((error) => main === null || error.line < main.line || error.line > main.end)
    .map((error) => ({ ...error, message: named(error, failed.source) }));
  const refused = new Set(
    own.filter(({ message }) => consequences.some((pattern) => pattern.test(message))).map(({ line }) => line),
  );
  const parameters = failed.signatures.kernels
    .filter(({ line }) => refused.has(line))
    .flatMap(({ written }) => written.map(({ name }) => name));
  const telling = own.filter(
    ({ line, message }) =>
      !consequences.some((pattern) => pattern.test(message)) &&
      !parameters.some((name) => isUnknown(message, name)) &&
      !(refused.has(line) && message === 'expected a ";"'),
  );
  const found: Diagnostic[] = telling.length > 0 ? telling : own;
  const asserted = new Set(found.filter(({ message }) => assertion.test(message)).map(({ line }) => line));
  const errors = found
    .filter(({ line, message }) => !asserted.has(line) || assertion.test(message))
    .map((error) => ({
      ...error,
      message: instead(error.message, failed.device) ?? error.message.replace(assertion, "$1"),
    }));
  if (main !== null)
    errors.push({
      line: main.line,
      column: main.column,
      severity: "error",
      message: mainMessage,
    });
  if (brace !== null) {
    const kept = errors.filter(
      ({ line, message }) => line < brace.line || !consequencesOfBrace.some((pattern) => pattern.test(message)),
    );
    return ordered([
      ...kept,
      { line: brace.line, column: brace.column, severity: "error", message: "this { is never closed" },
    ]);
  }
  return ordered(errors.length > 0 ? errors : ofInstances(failed, messages));
}

/** The message with the name that it is about, where a compiler only says of what kind that should be. */
function named({ line, column, message }: Diagnostic, source: string): string {
  if (!/^(expected namespace name|name must be a namespace name)$/.test(message)) return message;
  const [name] = /^\w*/.exec((source.split("\n")[line - 1] ?? "").slice(column - 1))!;
  return `'${name}' is not a namespace-name`;
}

/** Whether a compiler says that it does not know that name. */
function isUnknown(message: string, name: string): boolean {
  return message === `'${name}' was not declared in this scope` || message === `identifier "${name}" is undefined`;
}

/**
 * What was asked of the compiler besides the source, a template's instance, has no line of its own: the kernel's stands
 * for it.
 */
function ofInstances({ signatures, device }: FailedSource, messages: readonly CompilerMessage[]): Diagnostic[] {
  for (const { file, message } of messages) {
    const expression = /^kernel (.*)$/.exec(file)?.[1];
    const kernel = signatures.kernels.find(
      ({ name }) => expression === name || expression?.startsWith(`${name}<`) === true,
    );
    if (kernel === undefined) continue;
    const said = overloaded.test(message)
      ? `a function of CUDA is called ${kernel.name} too: give the kernel another name`
      : `in ${expression}: ${instead(message, device) ?? message}`;
    return [{ line: kernel.line, column: 1, severity: "error", message: said }];
  }
  return [];
}

/** By line and column. Of several at one place the first counts: the others follow from it. */
function ordered(errors: readonly Diagnostic[]): Diagnostic[] {
  const sorted = [...errors].sort((a, b) => a.line - b.line || a.column - b.column);
  return sorted.filter(
    ({ line, column, message }, index) =>
      !sorted
        .slice(0, index)
        .some((before) => before.line === line && (before.column === column || before.message === message)),
  );
}

/** The lines of the definition of `main` that a pasted program brings; `null` when there is none. */
function mainOf(tokens: readonly Token[]): { line: number; column: number; end: number } | null {
  let depth = 0;
  let main: Token | null = null;
  for (const [index, token] of tokens.entries()) {
    if (token.text === "main" && depth === 0 && tokens[index + 1]?.text === "(") main = token;
    if (token.text === "{") depth += 1;
    if (token.text === "}" && --depth === 0 && main !== null)
      return { line: main.line, column: main.column, end: token.line };
    if (token.text === ";" && depth === 0) main = null;
  }
  return null;
}

function listing({ source, name }: { source: string; name: string }, errors: readonly Diagnostic[]): string {
  const [first] = errors;
  const end = /[.?!]$/.test(first!.message) ? "" : ".";
  const count = errors.length === 1 ? "" : ` ${errors.length} errors in all:`;
  const places = errors
    .slice(0, shownErrors)
    .map(
      (error) =>
        `${name}:${error.line}:${error.column}${errors.length === 1 ? "" : ` ${error.message}`}\n${excerpt(source, error)}`,
    );
  const rest = errors.length > shownErrors ? [`… and ${errors.length - shownErrors} more.`] : [];
  return [`${first!.message}${end}${count}`, ...places, ...rest].join("\n\n");
}

/** The line before, the line itself and a caret below it. */
function excerpt(source: string, { line, column }: Diagnostic): string {
  const lines = source.split("\n");
  const width = String(line).length;
  const row = (number: number, mark: string) =>
    number < 1 ? [] : [`${mark} ${String(number).padStart(width)} | ${lines[number - 1] ?? ""}`.trimEnd()];
  const indent = (lines[line - 1] ?? "").slice(0, column - 1).replace(/[^\t]/g, " ");
  return [...row(line - 1, " "), ...row(line, ">"), `  ${" ".repeat(width)} | ${indent}^`].join("\n");
}
