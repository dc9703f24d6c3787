// Statements of host code as lines of TypeScript; one that cannot be translated stays as a comment with its line.
import { assignedIn } from "./assigned.ts";
import { arrayOf, constructed, copied, initialised } from "./initialise.ts";
import type { Declarator, Expression, Statement } from "./nodes.ts";
import { declareLambda } from "./lambdas.ts";
import { print, streamed } from "./printf.ts";
import { Untranslated } from "./read-expressions.ts";
import { safeName, type Translator } from "./translator.ts";
import { isScalar, type Type } from "./types.ts";
import { condition, converted, settled, value, type Value } from "./value.ts";

type Node<K extends Statement["kind"]> = Extract<Statement, { kind: K }>;

/** The lines of a block, with the comments that stand between its statements. */
export function blockOf(t: Translator, statements: readonly Statement[], isWhole = false): string[] {
  const [outerLines, outerBefore] = [t.lines, t.before];
  const lines: string[] = [];
  t.lines = lines;
  let last: Statement | null = null;
  t.inside(() => {
    for (const [at, each] of statements.entries()) {
      if (last !== null) lines.push(...t.cells.between(last.to, each.from));
      t.before = [];
      const isLast = isWhole && at === statements.length - 1;
      const own = t.attempt(() => {
        if (!isSimple(each)) declareMentioned(t, each);
        const after = isLast && each.kind === "return" ? lastReturn(t, each) : statementOf(t, each);
        return [...t.before, ...after];
      }, each);
      lines.push(...own);
      last = each;
    }
  });
  t.lines = outerLines;
  t.before = outerBefore;
  while (lines.at(-1) === "") lines.pop();
  return lines;
}

const isSimple = ({ kind }: Statement): boolean => kind === "expression" || kind === "declaration" || kind === "return";

/** What a statement with statements in it uses is declared in front of it. */
function declareMentioned(t: Translator, statement: Statement): void {
  const mentioned = t.cells.wordsIn(statement);
  for (const [name, variable] of t.pending) if (mentioned.has(name)) t.declareEmpty(variable);
}

function lastReturn(t: Translator, { of }: Node<"return">): string[] {
  if (!t.isMain) return rows.return(t, { kind: "return", of, from: 0, to: 0 });
  const code = of === null ? null : settled(t.expr(of));
  if (t.leaves) return code === null ? [] : [`return ${code.text};`];
  return code === null || code.literal === 0 ? [] : [`${code.text}; // what main() returned`];
}

function statementOf(t: Translator, statement: Statement): string[] {
  return (rows[statement.kind] as (t: Translator, statement: Statement) => string[])(t, statement);
}

const rows: { [K in Statement["kind"]]: (t: Translator, statement: Node<K>) => string[] } = {
  declaration: (t, { declarators }) => {
    for (const each of declarators) declare(t, each);
    return [];
  },
  expression: (t, { of }) => expressionLines(t, of),
  if: (t, { test, yes, no }) => {
    const known = errorTest(t, test);
    if (known !== null) return known ? inner(t, yes) : no === null ? [] : inner(t, no);
    const text = condition(t.expr(test)).text;
    const [first, second] = [nested(t, yes), no === null ? null : nested(t, no)];
    if (first.length === 0 && (second === null || second.length === 0)) return [];
    const lines = withBody(`if (${text})`, first);
    return second === null || second.length === 0 ? lines : joined(lines, withBody("else", second));
  },
  for: (t, statement) => t.inside(() => forLoop(t, statement)),
  each: (t, statement) => t.inside(() => eachLoop(t, statement)),
  while: (t, { test, body, isLast }) => {
    const text = alone(t, () => condition(t.expr(test)).text);
    const lines = nested(t, body);
    if (!isLast) return withBody(`while (${text})`, lines);
    return ["do {", ...indented(lines), `} while (${text});`];
  },
  switch: (t, { of, cases }) => {
    const chosen = settled(t.expr(of));
    const lines = cases.flatMap(({ label, body }) => {
      const head = label === null ? "default:" : `case ${settled(t.as(label, chosen.type)).text}:`;
      const inside = blockOf(t, body);
      const declares = inside.some((line) => /^(const|let) /.test(line));
      return declares ? [`${head} {`, ...indented(inside), "}"] : [head, ...indented(inside)];
    });
    return [`switch (${chosen.text}) {`, ...indented(lines), "}"];
  },
  block: (t, { body }) => {
    const lines = blockOf(t, body);
    return lines.length === 0 ? [] : ["{", ...indented(lines), "}"];
  },
  return: (t, { of }) => {
    if (t.isMain) t.leaves = true;
    if (of === null) return ["return;"];
    if (t.isMain) return [`return ${settled(t.expr(of)).text};`];
    if (t.isInferred) t.result = t.expr(of).type;
    t.isInferred = false;
    const given = settled(t.as(of, t.result));
    if (given.type.kind === "vector") t.result = given.type;
    return [`return ${given.text};`];
  },
  jump: (_, { word }) => [`${word};`],
  empty: () => [],
  unread: (_, { why }) => {
    throw new Untranslated(why);
  },
};

// --- declarations

function declare(t: Translator, declarator: Declarator): void {
  const { name, type: written, lengths, first } = declarator;
  if (first?.kind === "lambda" && written.words[0] === "auto") {
    declareLambda(t, declarator, first);
    return;
  }
  const isArrayOfAddresses = written.words[0] === "void" && lengths.length > 0;
  if (isArrayOfAddresses) {
    t.declare(name, { kind: "list" }, { first });
    return;
  }
  const { type, given } = firstValue(t, declarator);
  const isAssigned = t.isAssigned(name);
  if (type.kind === "error") {
    t.declare(name, type);
    return;
  }
  if (written.isReference && isScalar(type) && !written.isConst) throw new Untranslated("a reference to a number");
  if (given === null) {
    t.declare(name, type, { isPending: true });
    return;
  }
  const settledValue = written.isReference ? given : settled(copied(given));
  const isPointer = type.kind === "pointer" && first !== null && given.text === "null";
  if (isPointer) {
    t.declare(name, type, { isPending: true });
    return;
  }
  const positive = !isAssigned && given.positive && isScalar(type) && type.name === "i32";
  const isSize = isScalar(type) && type.name === "size" && !isAssigned;
  const variable = t.declare(name, type, {
    positive,
    first: isSize ? first : null,
    length: lengthOf(settledValue.text, type),
  });
  // An array whose memory another one may lend it later.
  const isLent = isAssigned && (type.kind === "vector" || (type.kind === "pointer" && type.place.is !== null));
  const needsType = isLent || settledValue.text === "[]" || settledValue.text.startsWith("Array.from");
  t.before.push(
    `${isAssigned ? "let" : "const"} ${variable.name}${needsType ? `: ${t.cells.typeText(type)}` : ""} = ${settledValue.text};`,
  );
}

/** The type of a declarator and what it is first; `null`: nothing yet. */
function firstValue(t: Translator, declarator: Declarator): { type: Type; given: Value | null } {
  const { name, type: written, lengths, first, args } = declarator;
  if (written.words[0] === "auto") {
    if (first === null) throw new Untranslated("auto without a value");
    const given = t.expr(first);
    return { type: given.type, given };
  }
  const type = t.declaredType(declarator);
  if (type.kind === "vector") type.grows.yes = t.growing.has(name);
  if (lengths.length > 0 && type.kind === "array")
    return { type: measured(type, first), given: value(arrayText(t, type, first), type) };
  if (args !== null) return { type, given: constructed(t, type, args) };
  if (first !== null) {
    const given = t.as(first, type);
    return { type: type.kind === "vector" && given.type.kind === "vector" ? given.type : type, given };
  }
  if (type.kind === "vector") return { type, given: constructed(t, type, []) };
  if (type.kind === "dim3") return { type, given: value("[1, 1, 1]", type) };
  return { type, given: type.kind === "struct" ? initialised(t, type, null) : null };
}

function arrayText(t: Translator, type: Extract<Type, { kind: "array" }>, first: Expression | null): string {
  if (first?.kind === "string") throw new Untranslated("an array of characters from a string");
  const items = first?.kind === "list" ? first.items : [];
  return arrayOf(t, type.of, type.length === "" ? String(items.length) : type.length, items);
}

/** `int x[] = {1, 2}` has the length of its list. */
function measured(type: Extract<Type, { kind: "array" }>, first: Expression | null): Type {
  return type.length === "" && first?.kind === "list" ? { ...type, length: String(first.items.length) } : type;
}

function lengthOf(text: string, type: Type): string | null {
  if (type.kind !== "vector" && type.kind !== "pointer") return null;
  return (
    /^new \w+Array\(([^()]*)\)(\.fill\(.*\))?$/.exec(text)?.[1] ??
    /^Array\.from\(\{ length: ([^},]*) \},/.exec(text)?.[1] ??
    null
  );
}

// --- expressions as statements

function expressionLines(t: Translator, of: Expression): string[] {
  if (of.kind === "binary" && of.op === ",") return [...flushed(t, of.left), ...expressionLines(t, of.right)];
  const streams = streamed(t, of);
  if (streams !== null) return [print(streams.text, streams.stream)];
  if (of.kind === "assign" && of.left.kind === "name" && of.op === "=") {
    const variable = t.find(of.left.name);
    if (variable?.type.kind === "error") {
      t.expr(of.right);
      return [];
    }
    if (variable !== null && variable.isPending) {
      t.expr(of);
      return [];
    }
  }
  const chain = of.kind === "assign" && of.op === "=" && of.right.kind === "assign" ? t.expr(of) : null;
  const { text, type } = chain ?? t.expr(of);
  return text === "" || type.kind === "error" ? [] : [`${text};`];
}

function flushed(t: Translator, of: Expression): string[] {
  const lines = expressionLines(t, of);
  t.before.push(...lines);
  return [];
}

/** Whether a test of what CUDA returned holds, which is always success; `null`: it is no such test. */
export function errorTest(t: Translator, test: Expression): boolean | null {
  if (test.kind === "binary" && (test.op === "!=" || test.op === "==")) {
    const isSuccess = (each: Expression): boolean => each.kind === "name" && each.name === "cudaSuccess";
    if (isSuccess(test.right) || isSuccess(test.left)) {
      const other = isSuccess(test.right) ? test.left : test.right;
      if (other.kind === "assign") expressionLines(t, other);
      else if (t.expr(other).type.kind !== "error") throw new Untranslated("a test of an error");
      return test.op === "==";
    }
  }
  if (test.kind === "name" && t.find(test.name)?.type.kind === "error") return false;
  return null;
}

// --- loops

/** What stands in the head of a loop can have no statements in front of it. */
function alone<T>(t: Translator, work: () => T): T {
  const before = t.before.length;
  const result = work();
  if (t.before.length > before) throw new Untranslated("a call of CUDA or printf in the head of a loop");
  return result;
}

function forLoop(t: Translator, { first, test, step, body }: Node<"for">): string[] {
  const head = first === null ? "" : loopHead(t, first, [body, test], step);
  const checked = test === null ? "" : alone(t, () => condition(t.expr(test)).text);
  const stepped = step === null ? "" : alone(t, () => stepsOf(t, step).join(", "));
  const lines = nested(t, body);
  return lines.length === 0 && first?.kind === "declaration" && !/\w\(/.test(checked)
    ? []
    : withBody(`for (${head};${checked === "" ? "" : ` ${checked}`};${stepped === "" ? "" : ` ${stepped}`})`, lines);
}

function stepsOf(t: Translator, step: Expression): string[] {
  if (step.kind === "binary" && step.op === ",") return [...stepsOf(t, step.left), ...stepsOf(t, step.right)];
  return [t.expr(step).text];
}

function loopHead(
  t: Translator,
  first: Statement,
  used: readonly (Statement | Expression | null)[],
  step: Expression | null,
): string {
  if (first.kind === "empty") return "";
  if (first.kind === "expression") return alone(t, () => stepsOf(t, first.of).join(", "));
  if (first.kind !== "declaration") throw new Untranslated("such a loop");
  const parts = first.declarators.map((each) => {
    const { type, given } = alone(t, () => firstValue(t, each));
    if (given === null) throw new Untranslated("a loop whose variable has no first value");
    const others = (assignedIn(used).get(each.name) ?? 0) > 0;
    const positive = given.positive && !others && isRising(step, each.name);
    const variable = t.declare(each.name, type, { positive });
    return `${variable.name} = ${settled(given).text}`;
  });
  return `let ${parts.join(", ")}`;
}

/** `i++`, `i += 2`, `i *= 2`, `i /= 2`, `i >>= 1`: what was not negative stays so. */
function isRising(step: Expression | null, name: string): boolean {
  if (step === null) return false;
  if (step.kind === "binary" && step.op === ",") return isRising(step.left, name) || isRising(step.right, name);
  const of = step.kind === "assign" ? step.left : step.kind === "unary" || step.kind === "postfix" ? step.of : null;
  if (of?.kind !== "name" || of.name !== name) return false;
  if (step.kind === "assign")
    return ["*=", "/=", ">>="].includes(step.op) || (step.op === "+=" && step.right.kind === "number");
  return "op" in step && step.op === "++";
}

function eachLoop(t: Translator, { of, items, body }: Node<"each">): string[] {
  const changes = (assignedIn([body]).get(of.name) ?? 0) > 0;
  if (of.type.isReference && !of.type.isConst && changes) return changingLoop(t, of, items, body);
  const { text, element } = itemsOf(t, of, items);
  const variable = t.declare(of.name, element);
  const lines = nested(t, body);
  return lines.length === 0 ? [] : withBody(`for (${changes ? "let" : "const"} ${variable.name} of ${text})`, lines);
}

/** A loop that changes what it goes over: its variable is an element. */
function changingLoop(t: Translator, of: Declarator, items: Expression, body: Statement): string[] {
  const list = t.expr(items);
  if (list.type.kind !== "vector" && list.type.kind !== "array")
    throw new Untranslated(`a loop over a ${list.type.kind}`);
  const at = `${safeName(of.name)}At`;
  t.declare(of.name, list.type.of, { name: `${list.text}[${at}]` });
  return withBody(`for (let ${at} = 0; ${at} < ${list.text}.length; ${at}++)`, nested(t, body));
}

function itemsOf(t: Translator, { type }: Declarator, items: Expression): { text: string; element: Type } {
  if (items.kind === "list") {
    const element = type.words[0] === "auto" ? t.expr(items.items[0]!).type : t.typeOf(type);
    const texts = items.items.map(
      (item) =>
        settled(element.kind === "pointer" && element.to.kind === "void" ? t.expr(item) : t.as(item, element)).text,
    );
    return { text: `[${texts.join(", ")}]`, element };
  }
  const list = t.expr(items);
  if (list.type.kind !== "vector" && list.type.kind !== "array")
    throw new Untranslated(`a loop over a ${list.type.kind}`);
  const { of } = list.type;
  const wanted = type.words[0] === "auto" ? of : t.typeOf(type);
  if (!isScalar(wanted) || !isScalar(of) || wanted.name === of.name) return { text: list.text, element: of };
  // An int of a short, a double of a float: what is the same number in TypeScript.
  const same = converted(value("x", of), wanted);
  if (same.text !== "x" || !same.exact) throw new Untranslated("a loop that converts what it goes over");
  return { text: list.text, element: wanted };
}

// --- lines

const indented = (lines: readonly string[]): string[] => lines.map((line) => (line === "" ? "" : `  ${line}`));

/** A statement in another one: the lines of a block without its braces. */
function nested(t: Translator, statement: Statement): string[] {
  return blockOf(t, statement.kind === "block" ? statement.body : [statement]);
}

/** A branch that is always taken. */
function inner(t: Translator, statement: Statement): string[] {
  const lines = nested(t, statement);
  return lines.some((line) => /^(const|let) /.test(line)) ? ["{", ...indented(lines), "}"] : lines;
}

function withBody(head: string, lines: readonly string[]): string[] {
  const [only] = lines;
  if (only === undefined) return [`${head};`];
  const isShort =
    lines.length === 1 && !/^(const|let|\/\/|if|for|while) ?/.test(only) && head.length + only.length < 110;
  return isShort ? [`${head} ${only}`] : [`${head} {`, ...indented(lines), "}"];
}

function joined(first: readonly string[], second: readonly string[]): string[] {
  if (first.at(-1) !== "}") return [...first, ...second];
  return [...first.slice(0, -1), `} ${second[0]}`, ...second.slice(1)];
}
