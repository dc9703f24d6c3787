// Lambdas of host code as arrow functions of the cell that they stand in.
import type { Declarator, Expression, Parameter, Statement } from "./nodes.ts";
import { Untranslated } from "./read-expressions.ts";
import { blockOf } from "./statements.ts";
import { safeName, type Translator } from "./translator.ts";
import { isScalar, plain, type Type } from "./types.ts";
import { converted, levels, settled, value, type Value } from "./value.ts";

type Lambda = Extract<Expression, { kind: "lambda" }>;
type FunctionType = Extract<Type, { kind: "function" }>;

/** `auto f = [&](int i) { … };` */
export function declareLambda(t: Translator, { name }: Declarator, lambda: Lambda): void {
  if (t.isAssigned(name)) throw new Untranslated("a lambda that changes");
  if (lambda.copies !== null) refuseCopies(t, lambda);
  for (const [each, variable] of t.pending) if (t.cells.wordsIn(lambda).has(each)) t.declareEmpty(variable);
  const outer = { isMain: t.isMain, result: t.result, isInferred: t.isInferred, awaits: t.awaits };
  const left = t.cells.left.length;
  let type: FunctionType;
  try {
    t.isMain = t.awaits = false;
    t.isInferred = lambda.result === null && returns(lambda.body);
    t.result = lambda.result === null ? plain("void") : t.typeOf(lambda.result);
    const { parameters, body } = t.inside(() => ({
      parameters: lambda.parameters.map((each) => parameterOf(t, each)),
      body: blockOf(t, lambda.body).map((line) => (line === "" ? "" : `  ${line}`)),
    }));
    if (returns(lambda.body) && t.cells.left.length > left) {
      t.cells.left.length = left;
      throw new Untranslated("a lambda whose result is not known");
    }
    const list = parameters.map((each) => `${each.name}: ${t.cells.typeText(each.type)}`).join(", ");
    const arrow = `const ${safeName(name)} = ${t.awaits ? "async " : ""}(${list}) => {`;
    t.before.push(...(body.length === 0 ? [`${arrow}};`] : [arrow, ...body, "};"]));
    type = {
      kind: "function",
      parameters: parameters.map((each) => each.type),
      result: t.result,
      awaits: t.awaits,
    };
  } finally {
    Object.assign(t, outer);
  }
  t.declare(name, type);
}

function parameterOf(t: Translator, { name, type: written, first }: Parameter): { name: string; type: Type } {
  const type = t.typeOf(written);
  const changes = written.isReference && !written.isConst;
  if (changes || first !== null || !(isScalar(type) || type.kind === "text"))
    throw new Untranslated("a lambda with such a parameter");
  return { name: t.declare(name || "unused", type).name, type };
}

/** What a lambda keeps a copy of must not change, since an arrow function sees the variable itself. */
function refuseCopies(t: Translator, lambda: Lambda): void {
  for (const word of t.cells.wordsIn(lambda)) {
    const variable = lambda.copies!.length === 0 || lambda.copies!.includes(word) ? t.find(word) : null;
    if (variable === null) continue;
    const isHeld = isScalar(variable.type) || variable.type.kind === "pointer" || variable.type.kind === "text";
    if (t.isAssigned(word) || !isHeld) throw new Untranslated("a lambda with copies of what may change");
  }
}

/** Whether it returns something. */
function returns(body: readonly Statement[]): boolean {
  return body.some((each) => {
    if (each.kind === "return") return each.of !== null;
    if (each.kind === "block") return returns(each.body);
    if (each.kind === "if") return returns(each.no === null ? [each.yes] : [each.yes, each.no]);
    if (each.kind === "switch") return each.cases.some((one) => returns(one.body));
    return (each.kind === "for" || each.kind === "each" || each.kind === "while") && returns([each.body]);
  });
}

export function calledLambda(t: Translator, name: string, type: FunctionType, args: readonly Expression[]): Value {
  if (args.length !== type.parameters.length) throw new Untranslated("a lambda with too few arguments");
  const given = args.map((arg, i) => settled(converted(t.as(arg, type.parameters[i]!), type.parameters[i]!)).text);
  const text = `${name}(${given.join(", ")})`;
  if (!type.awaits) return value(text, type.result);
  t.awaits = true;
  return value(`await ${text}`, type.result, { level: levels.unary });
}
