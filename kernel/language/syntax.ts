// Strips types and parses JavaScript with oxc; what does not parse becomes a `CellSyntaxError` at its place.
import type { Program } from "oxc-parser";
import type { SourceMap, TransformOptions } from "oxc-transform";
import { CellSyntaxError } from "./cell-syntax-error.ts";
import { cudaSpelling } from "./cuda-spelling.ts";
import { lateMagic, pythonSpelling } from "./python-spelling.ts";
import { decoratorsIn, hasDecorators, lowerDecorators } from "./decorators.ts";
import { parseSync, transformSync } from "./parser.ts";

/** `byTypeScript`: TypeScript printed it, with helpers as variables of their own, because of its decorators. */
export interface JavaScript {
  code: string;
  map: SourceMap;
  byTypeScript: boolean;
}

/** `using` and decorators need helpers, which are properties of this global. */
const options: TransformOptions = {
  lang: "ts",
  sourceType: "module",
  target: "es2023",
  sourcemap: true,
  decorator: { legacy: true },
  helpers: { mode: "External" as NonNullable<NonNullable<TransformOptions["helpers"]>["mode"]> },
};

/**
 * What becomes of an import that the text uses only as a type, or not at all: of a cell it stays, since a later one may
 * use it; a file lets it go, as TypeScript does.
 */
export type UnusedImports = "stay" | "go";

/**
 * Removes types and lowers what this version of Node cannot run. `folder` is that of the file or notebook, whose
 * tsconfig.json says which decorators it has. Throws CellSyntaxError.
 */
export function toJavaScript(source: string, unusedImports: UnusedImports, folder: string): JavaScript {
  const result = transformSync("cell.ts", source, {
    ...options,
    typescript: { onlyRemoveTypeImports: unusedImports === "stay", rewriteImportExtensions: false },
  });
  const error = result.errors.find((candidate) => candidate.severity === "Error");
  // Here oxc counts bytes, unlike in its parser.
  if (error !== undefined)
    throw syntaxError(
      source,
      isJsx(source) ? { ...error, ...jsx } : error,
      (bytes) => Buffer.from(source).subarray(0, bytes).toString().length,
    );
  // Only now: what is wrong with the text, oxc says the same way with decorators and without.
  if (hasDecorators(source) && decoratorsIn(folder) === "standard")
    return { ...lowerDecorators(source, unusedImports === "stay"), byTypeScript: true };
  return { code: result.code, map: result.map!, byTypeScript: false };
}

const jsx = {
  message: "JSX is not supported in cells. Write html`…`, or call the functions that make the elements.",
  helpMessage: null,
};

/** What does not parse as TypeScript and does with JSX is JSX. */
function isJsx(source: string): boolean {
  const parses = (lang: "ts" | "tsx"): boolean =>
    parseSync(`cell.${lang}`, source, { lang, sourceType: "module" }).errors.length === 0;
  return !parses("ts") && parses("tsx");
}

/** The tree of JavaScript that oxc has printed. Offsets are UTF-16. */
export function toTree(code: string): Program {
  const result = parseSync("cell.js", code, { lang: "js", sourceType: "module", preserveParens: false });
  const error = result.errors[0];
  if (error !== undefined) throw syntaxError(code, error, (offset) => offset);
  return result.program;
}

/** Spaces and comments; written so that there is one way to match them. */
const blank = /(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/.source;
const opensBrace = new RegExp(`^${blank}\\{`);
const endsStatement = new RegExp(`;(?=${blank}$)`, "g");

/**
 * A cell that is nothing but `{ a: 1 }`, with or without comments, means the object, not a block with a label: the cell
 * in parentheses, `null` when it is another.
 */
export function asObjectLiteral(source: string): string | null {
  if (!opensBrace.test(source)) return null;
  // A semicolon that seems to be the last may be part of a string or a comment: which one it is, parsing tells.
  const texts = [
    source,
    ...[...source.matchAll(endsStatement)].map(({ index }) => `${source.slice(0, index)} ${source.slice(index + 1)}`),
  ];
  return texts.map((text) => `(${text}\n)`).find(isObjectExpression) ?? null;
}

function isObjectExpression(source: string): boolean {
  const { program, errors } = parseSync("cell.ts", source, { lang: "ts", sourceType: "module", preserveParens: false });
  const [statement, ...others] = program.body;
  return (
    errors.length === 0 &&
    others.length === 0 &&
    statement?.type === "ExpressionStatement" &&
    statement.expression.type === "ObjectExpression"
  );
}

/** A `using` of the top level lives until the end of the cell. */
export interface Using {
  name: string;
  isAsync: boolean;
}

/**
 * Turns every `using` of the top level into a `const` of the same length, so that all positions stay, and tells which
 * they were. Lowered by oxc, the whole cell would become one block, whose declarations no later cell sees.
 */
export function takeUsing(source: string): { source: string; using: Using[] } {
  const using: Using[] = [];
  if (!/\busing\b/.test(source)) return { source, using };
  const { program } = parseSync("cell.ts", source, { lang: "ts", sourceType: "module" });
  let text = source;
  for (const statement of program.body) {
    if (statement.type !== "VariableDeclaration" || (statement.kind !== "using" && statement.kind !== "await using"))
      continue;
    const isAsync = statement.kind === "await using";
    const keyword = /^(await\s+)?using/.exec(source.slice(statement.start))![0];
    text =
      text.slice(0, statement.start) +
      "const" +
      keyword.slice("const".length).replace(/\S/g, " ") +
      text.slice(statement.start + keyword.length);
    for (const { id } of statement.declarations) if (id.type === "Identifier") using.push({ name: id.name, isAsync });
  }
  return { source: text, using };
}

interface Problem {
  message: string;
  labels: { start: number }[];
  helpMessage: string | null;
}

function syntaxError(source: string, problem: Problem, toUtf16: (offset: number) => number): CellSyntaxError {
  const label = problem.labels.at(-1);
  const failedAt = label === undefined ? source.length : Math.min(toUtf16(label.start), source.length);
  const spelling = cudaSpelling(source) ?? lateMagic(source, failedAt) ?? pythonSpelling(source, failedAt);
  const offset = spelling?.offset ?? failedAt;
  const before = source.slice(0, offset).split("\n");
  const help = problem.helpMessage === null ? "" : ` (${problem.helpMessage})`;
  return new CellSyntaxError(
    "SYNTAX",
    spelling?.message ?? problem.message + help,
    before.length,
    before.at(-1)!.length + 1,
  );
}
