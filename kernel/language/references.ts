// Finds where a cell's code uses names of its top level, by scope analysis.
import type {
  ArrowFunctionExpression,
  Class,
  Function as FunctionNode,
  Node,
  Program,
  VariableDeclaration,
} from "oxc-parser";
import { boundNames, children, type Declared, lexicalNames, variableNames } from "./hoisting.ts";
import { isOperation } from "./operation-names.ts";

/**
 * `read` x · `call` x() · `shorthand` { x } · `write` x = 1 · `shorthandWrite` ({ x } = o) · `initialise` const x = 1,
 * and its shorthand.
 */
export type Form = "read" | "call" | "shorthand" | "write" | "shorthandWrite" | "initialise" | "shorthandInitialise";

/**
 * A use of a name that no inner scope declares. `immediate`: it runs with the cell, not when a function is called
 * later.
 */
export interface Reference {
  name: string;
  start: number;
  end: number;
  form: Form;
  immediate: boolean;
}

/**
 * A call that may launch a kernel; `start` and `end` are those of the object whose `launch`, `over` or `time` is
 * called.
 */
export interface LaunchSite {
  start: number;
  end: number;
}

export interface Analysis {
  declared: Map<string, Declared>;
  references: Reference[];
  launches: LaunchSite[];
  /** Where calls start that run with the cell. */
  calls: number[];
  dynamicImports: Node[];
  importMetas: Node[];
  /** `var` declarations, at any depth, whose names belong to the cell. */
  variables: VariableDeclaration[];
  /** Every `await` expression, at any depth, and the body of every `for await`. */
  awaitExpressions: Node[];
  awaitBodies: Node[];
  /** The cell awaits outside any function. */
  awaits: boolean;
}

/** The names of an inner scope, and of those around it up to the cell. */
interface Names {
  own: ReadonlySet<string>;
  of: "block" | "function";
  parent: Names | null;
}

const launchers: ReadonlySet<string> = new Set(["launch", "over", "time"]);

export function analyse(program: Program): Analysis {
  const declared = lexicalNames(program.body);
  for (const name of variableNames(program.body)) declared.set(name, "var");
  const visitor = new Visitor(declared);
  for (const statement of program.body) visitor.visit(statement, null);
  return visitor.analysis;
}

class Visitor {
  readonly analysis: Analysis;
  #depth = 0;

  constructor(declared: Map<string, Declared>) {
    this.analysis = {
      declared,
      references: [],
      launches: [],
      calls: [],
      dynamicImports: [],
      importMetas: [],
      variables: [],
      awaitExpressions: [],
      awaitBodies: [],
      awaits: false,
    };
  }

  visit(node: Node, names: Names | null): void {
    switch (node.type) {
      case "Identifier":
        return this.#refer(node, "read", names);
      case "MemberExpression":
        this.visit(node.object, names);
        if (node.computed) this.visit(node.property, names);
        return;
      case "Property":
        if (node.shorthand) return this.#refer(node.value as Node, "shorthand", names);
        if (node.computed) this.visit(node.key, names);
        return this.visit(node.value, names);
      case "MethodDefinition":
      case "PropertyDefinition":
      case "AccessorProperty":
        if (node.computed) this.visit(node.key, names);
        if (node.value !== null) this.#inFunction(() => this.visit(node.value as Node, names));
        return;
      case "CallExpression":
        if (this.#depth === 0) this.analysis.calls.push(node.start);
        this.#launchSite(node.callee);
        if (node.callee.type === "Identifier") this.#refer(node.callee, "call", names);
        else this.visit(node.callee, names);
        for (const argument of node.arguments) this.visit(argument, names);
        return;
      case "TaggedTemplateExpression":
        if (node.tag.type === "Identifier") this.#refer(node.tag, "call", names);
        else this.visit(node.tag, names);
        return this.visit(node.quasi, names);
      case "AssignmentExpression":
        this.#target(node.left, "write", names);
        return this.visit(node.right, names);
      case "UpdateExpression":
        return this.#target(node.argument, "write", names);
      case "VariableDeclaration":
        if (node.kind === "var" && !isInFunction(names)) this.analysis.variables.push(node);
        for (const { id, init } of node.declarations) {
          this.#target(id, "initialise", names);
          if (init !== null) this.visit(init, names);
        }
        return;
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return this.#function(node, names);
      case "ClassDeclaration":
      case "ClassExpression":
        return this.#class(node, names);
      case "StaticBlock":
        return this.#inFunction(() =>
          this.#block(node.body, node.body, within(names, variableNames(node.body), "function")),
        );
      case "BlockStatement":
        return this.#block(node.body, node.body, names);
      case "SwitchStatement":
        this.visit(node.discriminant, names);
        return this.#block(
          node.cases.flatMap((branch) => branch.consequent),
          node.cases,
          names,
        );
      case "ForStatement":
        return this.#block(node.init === null ? [] : [node.init], [...children(node)], names);
      case "ForInStatement":
      case "ForOfStatement": {
        if (node.type === "ForOfStatement" && node.await) {
          this.analysis.awaitBodies.push(node.body);
          if (this.#depth === 0) this.analysis.awaits = true;
        }
        const inner = within(names, new Set(lexicalNames([node.left]).keys()), "block");
        if (node.left.type === "VariableDeclaration") this.visit(node.left, inner);
        else this.#target(node.left, "write", inner);
        this.visit(node.right, inner);
        return this.visit(node.body, inner);
      }
      case "CatchClause": {
        const inner = within(names, new Set(node.param === null ? [] : boundNames(node.param)), "block");
        if (node.param !== null) this.#target(node.param, "initialise", inner);
        return this.visit(node.body, inner);
      }
      case "LabeledStatement":
        return this.visit(node.body, names);
      case "BreakStatement":
      case "ContinueStatement":
      case "ImportDeclaration":
      case "ExportAllDeclaration":
      case "ExportSpecifier":
        return;
      case "MetaProperty":
        if (node.meta.name === "import") this.analysis.importMetas.push(node);
        return;
      case "ImportExpression":
        this.analysis.dynamicImports.push(node);
        break;
      case "AwaitExpression":
        this.analysis.awaitExpressions.push(node);
        if (this.#depth === 0) this.analysis.awaits = true;
        break;
      default:
        break;
    }
    for (const child of children(node)) this.visit(child, names);
  }

  #refer(node: Node, form: Form, names: Names | null): void {
    if (node.type !== "Identifier" || isInner(names, node.name)) return;
    this.analysis.references.push({
      name: node.name,
      start: node.start,
      end: node.end,
      form,
      immediate: this.#depth === 0,
    });
  }

  /** A pattern that is assigned or bound: its names are written, its defaults and computed keys are read. */
  #target(node: Node, form: "write" | "initialise", names: Names | null, shorthand = false): void {
    switch (node.type) {
      case "Identifier":
        return this.#refer(
          node,
          shorthand ? (form === "write" ? "shorthandWrite" : "shorthandInitialise") : form,
          names,
        );
      case "ArrayPattern":
        for (const element of node.elements) if (element !== null) this.#target(element, form, names);
        return;
      case "ObjectPattern":
        for (const property of node.properties) {
          if (property.type === "RestElement") {
            this.#target(property.argument, form, names);
            continue;
          }
          if (property.computed) this.visit(property.key, names);
          this.#target(property.value, form, names, property.shorthand);
        }
        return;
      case "AssignmentPattern":
        this.#target(node.left, form, names, shorthand);
        return this.visit(node.right, names);
      case "RestElement":
        return this.#target(node.argument, form, names);
      default:
        return this.visit(node, names);
    }
  }

  #function(node: FunctionNode | ArrowFunctionExpression, names: Names | null): void {
    const own = new Set<string>(["arguments"]);
    if (node.type === "ArrowFunctionExpression") own.delete("arguments");
    if (node.type === "FunctionExpression" && node.id !== null) own.add(node.id.name);
    for (const parameter of node.params) for (const name of boundNames(parameter)) own.add(name);
    const statements: readonly Node[] =
      node.body === null ? [] : node.body.type === "BlockStatement" ? node.body.body : [node.body];
    for (const name of variableNames(statements)) own.add(name);
    for (const name of lexicalNames(statements).keys()) own.add(name);

    const inner = within(names, own, "function");
    this.#inFunction(() => {
      for (const parameter of node.params) this.#target(parameter, "initialise", inner);
      for (const statement of statements) this.visit(statement, inner);
    });
  }

  #class(node: Class, names: Names | null): void {
    for (const decorator of node.decorators) this.visit(decorator, names);
    // A class of the cell may extend the one of the same name that an earlier cell declared.
    if (node.superClass !== null) this.visit(node.superClass, names);
    // Within its body its name is the class itself, which has no other while its static members are made.
    const inner = node.id === null ? names : within(names, new Set([node.id.name]), "block");
    for (const member of node.body.body) this.visit(member, inner);
  }

  #block(declaring: readonly Node[], nodes: readonly Node[], names: Names | null): void {
    const inner = within(names, new Set(lexicalNames(declaring).keys()), "block");
    for (const node of nodes) this.visit(node, inner);
  }

  /**
   * `kernel.launch`, `kernel.over` (whose result is called at once, or kept) and `kernel.time`; operations of tensors.
   */
  #launchSite(callee: Node): void {
    if (callee.type === "Identifier" && isOperation(callee.name))
      this.analysis.launches.push({ start: callee.start, end: callee.end });
    if (
      callee.type !== "MemberExpression" ||
      callee.computed ||
      callee.property.type !== "Identifier" ||
      callee.object.type === "Super"
    )
      return;
    const { name } = callee.property;
    if (callee.object.type === "Identifier" && callee.object.name === "Math") return;
    if (launchers.has(name) || (isOperation(name) && !isChained(callee.object)))
      this.analysis.launches.push({ start: callee.object.start, end: callee.object.end });
  }

  #inFunction(visit: () => void): void {
    this.#depth++;
    visit();
    this.#depth--;
  }
}

/** What `x.mul(2)` in `x.mul(2).add(1)` notes, is noted for the rest. */
function isChained(object: Node): boolean {
  return (
    object.type === "CallExpression" &&
    object.callee.type === "MemberExpression" &&
    object.callee.property.type === "Identifier" &&
    isOperation(object.callee.property.name)
  );
}

function within(parent: Names | null, own: ReadonlySet<string>, of: "block" | "function"): Names {
  return { own, of, parent };
}

function isInner(names: Names | null, name: string): boolean {
  for (let scope = names; scope !== null; scope = scope.parent) if (scope.own.has(name)) return true;
  return false;
}

/** Whether a `var` here belongs to a function rather than to the cell. */
function isInFunction(names: Names | null): boolean {
  for (let scope = names; scope !== null; scope = scope.parent) if (scope.of === "function") return true;
  return false;
}
