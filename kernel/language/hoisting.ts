// Finds the names that a part of a JavaScript tree declares, hoisted as JavaScript does.
import type { Node, VariableDeclaration } from "oxc-parser";
import { visitorKeys } from "oxc-parser";

/** How a name of the top level was declared. */
export type Declared = "const" | "let" | "var" | "function" | "class" | "import";

/** Names that a pattern binds: `[a, { b: c = 1 }, ...d]` → a, c, d. */
export function boundNames(pattern: Node, names: string[] = []): string[] {
  switch (pattern.type) {
    case "Identifier":
      names.push(pattern.name);
      break;
    case "ArrayPattern":
      for (const element of pattern.elements) if (element !== null) boundNames(element, names);
      break;
    case "ObjectPattern":
      for (const property of pattern.properties)
        boundNames(property.type === "RestElement" ? property.argument : property.value, names);
      break;
    case "AssignmentPattern":
      boundNames(pattern.left, names);
      break;
    case "RestElement":
      boundNames(pattern.argument, names);
      break;
    default:
      break;
  }
  return names;
}

/**
 * Names that the statements of one block declare for that block alone (and functions, which modules scope to blocks).
 */
export function lexicalNames(statements: readonly Node[]): Map<string, Declared> {
  const names = new Map<string, Declared>();
  for (const statement of statements) {
    const declaration = unwrapExport(statement);
    switch (declaration.type) {
      case "VariableDeclaration":
        if (declaration.kind === "var") break;
        for (const name of declaredBy(declaration)) names.set(name, declaration.kind === "let" ? "let" : "const");
        break;
      case "FunctionDeclaration":
        if (declaration.id) names.set(declaration.id.name, "function");
        break;
      case "ClassDeclaration":
        if (declaration.id) names.set(declaration.id.name, "class");
        break;
      case "ImportDeclaration":
        for (const specifier of declaration.specifiers) names.set(specifier.local.name, "import");
        break;
      default:
        break;
    }
  }
  return names;
}

/** Names that `var` declares anywhere below, up to the functions, which keep their own. */
export function variableNames(statements: readonly Node[]): Set<string> {
  const names = new Set<string>();
  for (const statement of statements) collectVariables(statement, names);
  return names;
}

function declaredBy(declaration: VariableDeclaration): string[] {
  return declaration.declarations.flatMap((declarator) => boundNames(declarator.id));
}

/** The declaration that an `export` contains, else the statement itself. */
export function unwrapExport(statement: Node): Node {
  if (statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration")
    return statement.declaration ?? statement;
  return statement;
}

export function isFunction(node: Node): boolean {
  return (
    node.type === "FunctionDeclaration" || node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression"
  );
}

/** The nodes right below a node, in the order of the source. */
export function* children(node: Node): Generator<Node> {
  for (const key of visitorKeys[node.type] ?? []) {
    const child = (node as unknown as Record<string, Node | (Node | null)[] | null | undefined>)[key];
    if (Array.isArray(child)) {
      for (const element of child) if (element !== null) yield element;
    } else if (child !== null && child !== undefined) {
      yield child;
    }
  }
}

/** A node and all below it. Code may be nested deeper than the stack would go. */
export function* nodesOf(root: Node): Generator<Node> {
  const left = [root];
  // A list hands out what is added while it is walked.
  for (const node of left) {
    yield node;
    left.push(...children(node));
  }
}

function collectVariables(node: Node, names: Set<string>): void {
  if (isFunction(node) || node.type.endsWith("Expression") || node.type === "ClassDeclaration") return;
  if (node.type === "VariableDeclaration") {
    if (node.kind === "var") for (const name of declaredBy(node)) names.add(name);
    return;
  }
  for (const child of children(node)) collectVariables(child, names);
}
