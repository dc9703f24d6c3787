// Finds the names that a cell declares at its top level, with their meanings and source.
import type { BindingPattern, Comment, Program, Statement, VariableDeclaration } from "oxc-parser";
import { nodesOf } from "./hoisting.ts";
import { parseSync } from "./parser.ts";
import { asObjectLiteral } from "./syntax.ts";

/** What a statement makes of a name: a value, a type, or both in one. */
interface Meaning {
  value: "variable" | "other" | null;
  type: boolean;
}

const variable: Meaning = { value: "variable", type: false };
const value: Meaning = { value: "other", type: false };
const type: Meaning = { value: null, type: true };
const both: Meaning = { value: "other", type: true };

export interface NamedDeclaration extends Meaning {
  name: string;
  /** Value and type come from one statement, like a class: none can be replaced without the other. */
  inseparable: boolean;
  /** Assignable by later cells. */
  assignable: boolean;
  /** The statement that declares it, and the documentation comment before it (empty: none). */
  source: string;
  documentation: string;
}

export interface CellDeclarations {
  declarations: NamedDeclaration[];
  /** Names that the cell exports itself. */
  exported: Set<string>;
  /** Plain JavaScript: nothing in it needs TypeScript's syntax. */
  plain: boolean;
  /** The cell is nothing but an object literal. */
  object: boolean;
}

type Add = (name: string, meaning: Meaning, node: { start: number; end: number }, assignable?: boolean) => void;

/** The names that a cell declares; `null` when the cell does not parse. */
export function declarationsOf(code: string): CellDeclarations | null {
  const object = asObjectLiteral(code);
  if (object !== null) return { declarations: [], exported: new Set(), plain: isPlain(object), object: true };

  const { program, errors, comments } = parseSync("cell.ts", code, { lang: "ts", sourceType: "module" });
  if (errors.length > 0) return null;

  const found = new Map<string, NamedDeclaration>();
  const exported = new Set<string>();
  let outer: { start: number; end: number } | null = null;
  const add: Add = (name, meaning, node, assignable = false) => {
    const place = outer ?? node;
    const known = found.get(name);
    const source = code.slice(place.start, place.end);
    if (outer !== null) exported.add(name);
    if (known === undefined) {
      found.set(name, {
        name,
        ...meaning,
        inseparable: meaning === both,
        assignable,
        source,
        documentation: documentationBefore(code, comments, place.start),
      });
    } else {
      known.value ??= meaning.value;
      known.type ||= meaning.type;
      known.inseparable ||= meaning === both;
      if (known.source !== source) known.source += `\n${source}`;
    }
  };

  for (const statement of (program as Program).body) {
    if (statement.type === "ExportNamedDeclaration") {
      outer = statement;
      if (statement.declaration !== null) addStatement(statement.declaration as Statement, add);
      outer = null;
      for (const specifier of statement.specifiers) {
        if (specifier.exported.type === "Identifier") exported.add(specifier.exported.name);
      }
    } else {
      // A default export may have a name, which it exports under another.
      addStatement(
        (statement.type === "ExportDefaultDeclaration" ? statement.declaration : statement) as Statement,
        add,
      );
    }
  }
  return { declarations: [...found.values()], exported, plain: isPlain(code), object: false };
}

/**
 * JavaScript, and nothing in it is a type: what parses as both, like `new Set<number>([1])`, runs as TypeScript means
 * it.
 */
function isPlain(code: string): boolean {
  const isJavaScript = parseSync("cell.js", code, { lang: "js", sourceType: "module" }).errors.length === 0;
  return isJavaScript && !hasTypes(parseSync("cell.ts", code, { lang: "ts", sourceType: "module" }).program);
}

function hasTypes(program: Program): boolean {
  for (const node of nodesOf(program)) if (node.type.startsWith("TS")) return true;
  return false;
}

type Visit = (statement: never, add: Add) => void;

/** How each kind of statement declares names. Blocks are here for the `var`s in them. */
const visits: Record<string, Visit> = {
  VariableDeclaration: ((statement: VariableDeclaration, add: Add) => addVariables(statement, add)) as Visit,
  FunctionDeclaration: named(value),
  TSDeclareFunction: named(value),
  ClassDeclaration: named(both),
  TSEnumDeclaration: named(both),
  TSModuleDeclaration: named(both),
  TSInterfaceDeclaration: named(type),
  TSTypeAliasDeclaration: named(type),
  TSImportEqualsDeclaration: named(both),
  ImportDeclaration: ((
    statement: { start: number; end: number; specifiers: { local: { name: string } }[] },
    add: Add,
  ) => {
    for (const specifier of statement.specifiers) add(specifier.local.name, both, statement);
  }) as Visit,
};

function named(meaning: Meaning): Visit {
  return ((statement: { id: { type: string; name: string } | null; start: number; end: number }, add: Add) => {
    if (statement.id?.type === "Identifier") add(statement.id.name, meaning, statement);
  }) as Visit;
}

function addStatement(statement: Statement, add: Add): void {
  const visit = visits[statement.type];
  if (visit !== undefined) visit(statement as never, add);
  else addHoisted(statement, add);
}

function addVariables(declaration: VariableDeclaration, add: Add): void {
  for (const declarator of declaration.declarations) {
    for (const name of boundNames(declarator.id))
      add(name, variable, declaration, declaration.kind === "let" || declaration.kind === "var");
  }
}

/** `var`s in blocks and loops belong to the cell; those in functions do not. */
function addHoisted(node: unknown, add: Add): void {
  if (Array.isArray(node)) {
    for (const child of node) addHoisted(child, add);
    return;
  }
  if (typeof node !== "object" || node === null) return;

  const { type: kind } = node as { type?: string };
  if (kind === "VariableDeclaration") {
    if ((node as VariableDeclaration).kind === "var") addVariables(node as VariableDeclaration, add);
    return;
  }
  if (
    kind === undefined ||
    !(kind.endsWith("Statement") || kind === "SwitchCase" || kind === "CatchClause") ||
    kind === "ExpressionStatement"
  )
    return;
  for (const child of Object.values(node)) addHoisted(child, add);
}

function boundNames(pattern: BindingPattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "AssignmentPattern":
      return boundNames(pattern.left);
    case "ArrayPattern":
      return pattern.elements.flatMap((element) =>
        element === null ? [] : boundNames(element.type === "RestElement" ? element.argument : element),
      );
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        boundNames(property.type === "RestElement" ? property.argument : property.value),
      );
  }
}

/** The `/** … *\/` comment that ends right before `start`. */
function documentationBefore(code: string, comments: readonly Comment[], start: number): string {
  const comment = comments.findLast((candidate) => candidate.end <= start);
  if (comment === undefined || comment.type !== "Block" || !comment.value.startsWith("*")) return "";
  return code.slice(comment.end, start).trim() === "" ? code.slice(comment.start, comment.end) : "";
}
