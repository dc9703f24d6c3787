// `kernel<<<grid, block, shared, stream>>>(…)` as a typed launch, with the arguments of a template named.
import { joinStreams, success } from "./memory.ts";
import type { Expression, Parameter, TypeName } from "./nodes.ts";
import { tensorOf } from "./pointers.ts";
import { Untranslated } from "./read-expressions.ts";
import { Translator } from "./translator.ts";
import { isScalar, plain, spellingOf, type Type } from "./types.ts";
import { converted, levels, settled, wrapped, type Value } from "./value.ts";

type Launch = Extract<Expression, { kind: "launch" }>;

export function launched(t: Translator, { of, sizes, args }: Launch): Value {
  if (of.kind !== "name") throw new Untranslated("a kernel that is chosen while the program runs");
  const [grid, block, shared, stream] = sizes;
  if (grid === undefined || block === undefined) throw new Untranslated("a launch without its sizes");
  const settings = [property("grid", sizeText(t, grid)), property("block", sizeText(t, block))];
  if (shared !== undefined) {
    const bytes = settled(converted(t.expr(shared), { kind: "scalar", name: "size" }));
    if (bytes.literal !== 0) settings.push(property("shared", bytes.text));
  }
  const on = stream === undefined ? null : streamOf(t, stream);
  if (on !== null) settings.push(property("stream", on));
  return launch(t, of.name, of.args, settings, args, on);
}

/** A stream as text; `null`: the first one. */
export function streamOf(t: Translator, stream: Expression): string | null {
  const on = t.expr(stream);
  return on.literal === 0 || on.type.kind === "null" ? null : converted(on, plain("stream")).text;
}

export const property = (name: string, text: string): string => (name === text ? name : `${name}: ${text}`);

/** A launch with its settings as text. */
export function launch(
  t: Translator,
  name: string,
  chosen: readonly (TypeName | Expression)[] | null,
  settings: readonly string[],
  args: readonly Expression[],
  stream: string | null,
): Value {
  const kernel = t.cells.program.kernels.get(name);
  if (kernel?.parameters == null) throw new Untranslated(`the kernel ${name}, whose parameters are not known`);
  const { parameters, templates } = kernel;
  const given = args.map((arg) => (arg.kind === "list" ? null : t.expr(arg)));
  const bound = bindings(t, templates, chosen, parameters, given);
  const packed = parameters.map((parameter, i) => argument(bound.scope, parameter, args[i], given[i] ?? null, t));
  const as = templates.length === 0 ? "" : `.as(${bound.texts.join(", ")})`;
  t.before.push(`${name}${as}.launch(${[`{ ${settings.join(", ")} }`, ...packed].join(", ")});`);
  if (stream === null) joinStreams(t);
  return success;
}

export function sizeText(t: Translator, expression: Expression): string {
  if (expression.kind === "make" && expression.type.words[0] === "dim3" && expression.args.length === 1)
    return sizeText(t, expression.args[0]!);
  const size = t.as(expression, plain("dim3"));
  return isScalar(size.type) ? settled(converted(size, { kind: "scalar", name: "size" })).text : size.text;
}

function argument(
  scope: Translator,
  parameter: Parameter,
  arg: Expression | undefined,
  given: Value | null,
  t: Translator,
): string {
  const type = scope.typeOf(parameter.type);
  if (arg === undefined) throw new Untranslated("a launch with fewer arguments than the kernel has parameters");
  if (type.kind === "pointer" || type.kind === "text") {
    if (given === null) throw new Untranslated("a list where a kernel takes a pointer");
    return tensorOf(given.literal === 0 ? { ...given, text: "null", type: plain("null") } : given);
  }
  if (given === null) return settled(t.as(arg, type)).text;
  return wrapped(settled(converted(given, type)), levels.assign);
}

interface Bound {
  /** Knows what the template's parameters are. */
  readonly scope: Translator;
  /** They as `as` takes them. */
  readonly texts: string[];
}

/** The arguments of a template: those that are written, and those that follow from what it is given. */
function bindings(
  t: Translator,
  templates: readonly string[],
  chosen: readonly (TypeName | Expression)[] | null,
  parameters: readonly Parameter[],
  given: readonly (Value | null)[],
): Bound {
  const scope = new Translator(t.cells, new Map(), false);
  for (const [name, type] of t.types) scope.types.set(name, type);
  const texts = new Map<string, string>();
  chosen?.forEach((each, i) => {
    const name = templates[i];
    if (name === undefined) return;
    if ("words" in each) {
      scope.types.set(name, t.typeOf(each));
      texts.set(name, `"${spellingOf(t.typeOf(each)) ?? unnamed(name)}"`);
    } else texts.set(name, settled(t.expr(each)).text);
  });
  deduce(templates, parameters, given, scope.types);
  return {
    scope,
    texts: templates.map((name) => {
      const type = scope.types.get(name);
      return texts.get(name) ?? (type === undefined ? unnamed(name) : `"${spellingOf(type) ?? unnamed(name)}"`);
    }),
  };
}

function unnamed(name: string): never {
  throw new Untranslated(`the template's ${name}, which the arguments do not tell`);
}

/** What the types of arguments say about the parameters of a template. */
export function deduce(
  templates: readonly string[],
  parameters: readonly Parameter[],
  given: readonly (Value | null)[],
  into: Map<string, Type>,
): void {
  parameters.forEach(({ type }, i) => {
    const arg = given[i];
    if (arg === null || arg === undefined) return;
    match(templates, type, arg.type, into);
  });
}

function match(templates: readonly string[], name: TypeName, given: Type, into: Map<string, Type>): void {
  let type = given;
  for (let star = 0; star < name.stars; star++) {
    if (type.kind === "pointer") type = type.to;
    else if (type.kind === "array") type = type.of;
    else return;
  }
  const [word = ""] = name.words;
  const [element] = name.args;
  if (word === "vector" && type.kind === "vector" && element !== undefined && "words" in element)
    return match(templates, element, type.of, into);
  if (templates.includes(word) && !into.has(word) && type.kind !== "void") into.set(word, type);
}
