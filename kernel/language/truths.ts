// Finds where a cell asks whether a value is true, or two are equal, and may mean the elements of tensors: JavaScript has
// no operator for these, and answers for the object.
import type { Node } from "oxc-parser";
import { children } from "./hoisting.ts";

/** A condition of the cell that is asked for at run time. `isCall`: it is the result of an operation, not a name. */
export interface Condition {
  readonly start: number;
  readonly end: number;
  readonly isCall: boolean;
}

/** `a == b` or `a != b`; `operator` is where the operator stands. */
export interface Equality {
  readonly start: number;
  readonly end: number;
  readonly operator: { readonly start: number; readonly text: "==" | "!=" };
}

/**
 * Operations whose result is asked for its elements: what else returns a tensor may be a user's own, which returns one
 * or nothing.
 */
const asked = new Set(
  `gt ge lt le eq ne equal any all isnan isinf isfinite isclose isin signbit logicalAnd logicalOr logicalNot logicalXor
   sum mean prod countNonzero norm std var argmax argmin`
    .trim()
    .split(/\s+/),
);

/** Those of one node; its children are visited for their own. */
export function conditionsOf(node: Node): Condition[] {
  switch (node.type) {
    case "IfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
    case "ConditionalExpression":
      return [node.test].flatMap(conditionOf);
    case "ForStatement":
      return node.test === null ? [] : conditionOf(node.test);
    case "LogicalExpression":
      return node.operator === "??" ? [] : conditionOf(node.left);
    case "UnaryExpression":
      return node.operator === "!" ? conditionOf(node.argument) : [];
    default:
      return [];
  }
}

function conditionOf(node: Node): Condition[] {
  // Of `a && b` the left one is asked for by itself.
  if (node.type === "LogicalExpression") return conditionOf(node.right);
  const { start, end } = node;
  if (node.type === "Identifier") return node.name === "undefined" ? [] : [{ start, end, isCall: false }];
  if (node.type !== "CallExpression") return [];
  const { callee } = node;
  const name =
    callee.type === "Identifier"
      ? callee.name
      : callee.type === "MemberExpression" && !callee.computed && callee.property.type === "Identifier"
        ? callee.property.name
        : "";
  return asked.has(name) ? [{ start, end, isCall: true }] : [];
}

const isPlain = (node: Node): boolean =>
  node.type === "Literal" || node.type === "TemplateLiteral" || node.type === "UnaryExpression";

/** `code` is what was parsed; operands that are written there cannot be tensors. */
export function equalityOf(node: Node, code: string): Equality | null {
  if (node.type !== "BinaryExpression" || (node.operator !== "==" && node.operator !== "!=")) return null;
  if (isPlain(node.left) || isPlain(node.right)) return null;
  const between = code.slice(node.left.end, node.right.start);
  const before = /^[\s)]*(?=[=!]=[\s(]*$)/.exec(between);
  if (before === null) return null;
  const start = node.left.end + before[0].length;
  return { start: node.start, end: node.end, operator: { start, text: node.operator } };
}

/** All of them below a node. */
export function truthsBelow(root: Node, code: string): { conditions: Condition[]; equalities: Equality[] } {
  const conditions = new Map<number, Condition>();
  const equalities: Equality[] = [];
  const visit = (node: Node): void => {
    for (const condition of conditionsOf(node)) conditions.set(condition.start, condition);
    const equality = equalityOf(node, code);
    if (equality !== null) equalities.push(equality);
    for (const child of children(node)) visit(child);
  };
  visit(root);
  return { conditions: [...conditions.values()], equalities };
}
