// Lambdas of device code in host functions: each becomes a class at namespace scope, which both compilers know by one
// name, and whose members are what it captures.
import { CompileError } from "../../errors.ts";
import { closing, closingAngle, type Item, type Placed } from "./items.ts";
import type { Edit } from "./launches.ts";
import { localDeclarations, parts, type LocalDeclaration } from "./locals.ts";

/** What the class of a lambda is called, behind which are its line and its column. */
export const lambdaPrefix = "warpcell_lambda_";

/** A lambda of a host function, as both halves have it. */
export interface DeviceLambda {
  /** In host code: its class in front of the function, and the object where it stood. */
  readonly host: readonly Edit[];
  /** In device code: its class where it stood; the function around it is not part of it. */
  readonly device: Edit;
  /** Names that device code has with it. */
  readonly needed: readonly string[];
}

/** The tokens of `[=] __device__ (int i) mutable -> float { … }`. */
interface Parts {
  readonly first: number;
  readonly captures: number;
  readonly marks: readonly string[];
  /** The brackets of the parameters; `null` without any. */
  readonly parameters: readonly [number, number] | null;
  /** Behind the parameters, or the marks. */
  readonly behind: number;
  readonly open: number;
  readonly close: number;
}

interface Capture {
  readonly name: string;
  /** What the host's code gives it. */
  readonly value: string;
  readonly declaration: LocalDeclaration | null;
}

/** The lambdas for a device in `item`, which is host code. Throws CompileError for one that no kernel can be given. */
export function deviceLambdas(
  source: string,
  tokens: readonly Placed[],
  item: Item,
  concepts: ReadonlySet<string>,
): DeviceLambda[] {
  const found: DeviceLambda[] = [];
  for (let at = item.first; at <= item.last; at++) {
    const lambda = lambdaAt(tokens, at);
    if (lambda === null) continue;
    if (item.kind === "type") throw refused(tokens[at]!, "is in a member of a class");
    found.push(classOf(source, tokens, item, lambda, concepts));
    at = lambda.close;
  }
  return found;
}

function lambdaAt(tokens: readonly Placed[], first: number): Parts | null {
  if (tokens[first]!.text !== "[") return null;
  const captures = closing(tokens, first);
  let at = captures + 1;
  const marks: string[] = [];
  for (; /^__(host|device)__$/.test(tokens[at]?.text ?? ""); at++) marks.push(tokens[at]!.text);
  if (!marks.includes("__device__")) return null;
  const parameters = tokens[at]?.text === "(" ? ([at, closing(tokens, at)] as const) : null;
  const behind = parameters === null ? at : parameters[1] + 1;
  let open = behind;
  while (open < tokens.length && tokens[open]!.text !== "{" && tokens[open]!.text !== ";")
    open = tokens[open]!.text === "(" ? closing(tokens, open) + 1 : open + 1;
  if (tokens[open]?.text !== "{") throw refused(tokens[first]!, "has no body");
  return { first, captures, marks, parameters, behind, open, close: closing(tokens, open) };
}

function refused({ line }: Placed, why: string): CompileError {
  return new CompileError(
    `The lambda in line ${line} ${why}, which device code cannot be here: write a struct with a __device__ operator(), and pass that.`,
    "",
  );
}

function classOf(
  source: string,
  tokens: readonly Placed[],
  item: Item,
  lambda: Parts,
  concepts: ReadonlySet<string>,
): DeviceLambda {
  const { first, close, marks, parameters, behind, open } = lambda;
  const start = tokens[first]!;
  const locals = localDeclarations(tokens, item, first);
  const captures = capturesOf(tokens, lambda, locals);
  const captured = new Set(captures.map(({ name }) => name));
  const copied = copies(tokens, lambda, locals, captured);
  const words = new Set(wordsOf(tokens, first, close));
  for (const each of copied) for (const word of wordsOf(tokens, each.first, each.last)) words.add(word);
  const outer = templateParameters(tokens, item, concepts).filter(({ name }) => words.has(name));

  const name = `${lambdaPrefix}${start.line}_${start.column}`;
  const types = captures.map((_, i) => `class warpcell_type_${i}`);
  const all = [...types, ...outer.map(({ text }) => text)];
  const members = captures.map((each, i) => `warpcell_type_${i} ${each.name};`);
  const head = [
    all.length === 0 ? "" : `template <${all.join(", ")}> `,
    `struct ${name} { `,
    ...copied.map((each) => `${copyOf(tokens, each)} `),
    ...members.map((each) => `${each} `),
  ].join("");

  const autos = parameters === null ? [] : range(...parameters).filter((at) => tokens[at]!.text === "auto");
  const generic = autos.length === 0 ? "" : `template <${autos.map((_, i) => `class warpcell_auto_${i}`).join(", ")}> `;
  const edits = autos.map((at, i) => ({ ...tokens[at]!, text: `warpcell_auto_${i}` }));
  const given = parameters === null ? "()" : slice(source, tokens, parameters[0], parameters[1], edits);
  const qualifiers = range(behind, open - 1).map((at) => tokens[at]!.text);
  const isMutable = qualifiers.includes("mutable");
  const result = qualifiers.filter((word) => word !== "mutable" && word !== "constexpr").join(" ");
  const operator = `${generic}${marks.join(" ")} auto operator()${given}${isMutable ? "" : " const"} ${result} `;
  const body = slice(source, tokens, open, close, []);
  const parametersAt = tokens[parameters?.[0] ?? open]!;

  const isOfHost = marks.includes("__host__");
  const called = isOfHost
    ? `\n#line ${parametersAt.line}\n${operator}${body}\n#line ${tokens[item.first]!.line}\n`
    : result.includes("->")
      ? `${oneLine(operator)};`
      : "";
  const hostTypes = captures.map(({ value }) => `::warpcell_program::captured<decltype(${value})>`);
  const arguments_ = [...hostTypes, ...outer.map((each) => each.argument)];
  const object = `(${name}${arguments_.length === 0 ? "" : `<${arguments_.join(", ")}>`}{${captures.map(({ value }) => value).join(", ")}})`;
  const end = tokens[close]!.end;
  const place = tokens[item.first]!.start;
  return {
    host: [
      { start: place, end: place, text: `${head}${called} }; ` },
      { start: start.start, end, text: object + source.slice(start.start, end).replace(/[^\n]/g, "") },
    ],
    device: { start: start.start, end, text: `${head}\n#line ${parametersAt.line}\n${operator}${body} };` },
    needed: [
      ...words,
      ...captures.flatMap(({ declaration }) =>
        declaration === null ? [] : wordsOf(tokens, declaration.first, declaration.last),
      ),
    ],
  };
}

// --- what it captures

function capturesOf(
  tokens: readonly Placed[],
  { first, captures, parameters, open, close }: Parts,
  locals: ReadonlyMap<string, LocalDeclaration>,
): Capture[] {
  const at = tokens[first]!;
  const found = new Map<string, Capture>();
  let takesAll = false;
  for (const [from, to] of parts(tokens, first, captures)) {
    const { text } = tokens[from]!;
    if (text === "=" && from === to) takesAll = true;
    else if (text === "this" || (text === "*" && tokens[from + 1]?.text === "this"))
      throw refused(at, "captures the object around it");
    else if (text === "&")
      throw new CompileError(
        `The lambda in line ${at.line} captures by reference, but a kernel cannot reach variables of the host: capture by value, [=].`,
        "",
      );
    else {
      const isNew = tokens[from + 1]?.text === "=";
      const value = isNew ? oneLine(joined(tokens, from + 2, to)) : text;
      found.set(text, { name: text, value, declaration: isNew ? null : (locals.get(text) ?? null) });
    }
  }
  if (!takesAll) return withoutArrays(tokens, at, [...found.values()]);
  const inside = new Set(parameters === null ? [] : parameterNames(tokens, ...parameters));
  const own = localDeclarations(tokens, { parameters: null, body: { from: open, open, close } }, close);
  for (const word of variablesOf(tokens, open, close)) {
    const declaration = locals.get(word);
    if (declaration === undefined || declaration.isCopied || inside.has(word) || own.has(word)) continue;
    if (!found.has(word)) found.set(word, { name: word, value: word, declaration });
  }
  return withoutArrays(tokens, at, [...found.values()]);
}

/** An array is no value that a member could be made of. */
function withoutArrays(tokens: readonly Placed[], lambda: Placed, captures: Capture[]): Capture[] {
  for (const { name, declaration } of captures) {
    if (declaration === null) continue;
    const { first, last } = declaration;
    const at = range(first, last).find((each) => tokens[each]!.text === name && tokens[each + 1]!.text === "[");
    if (at === undefined) continue;
    throw new CompileError(
      `The lambda in line ${lambda.line} captures the array ${name}, which no kernel is given by value here: put it into a struct, and capture that.`,
      "",
    );
  }
  return captures;
}

/** Constants and names of types in the function that the lambda uses, in their order. */
function copies(
  tokens: readonly Placed[],
  { first, close }: Parts,
  locals: ReadonlyMap<string, LocalDeclaration>,
  captured: ReadonlySet<string>,
): LocalDeclaration[] {
  const found = new Set<LocalDeclaration>();
  const add = (words: Iterable<string>): void => {
    for (const word of words) {
      const local = locals.get(word);
      if (local === undefined || !local.isCopied || captured.has(word) || found.has(local)) continue;
      found.add(local);
      add(variablesOf(tokens, local.first, local.last));
    }
  };
  add(variablesOf(tokens, first, close));
  return [...found].sort((a, b) => a.first - b.first);
}

/** The declaration as a member. */
function copyOf(tokens: readonly Placed[], { first, last }: LocalDeclaration): string {
  const text = joined(tokens, first, last);
  if (/^(using|typedef)\b/.test(text)) return text;
  const words = text.split(" ");
  const value = words.findIndex((word) => /^[={(]$/.test(word));
  const plain = words.filter((word, at) => !(/^(static|constexpr|const)$/.test(word) && at < value));
  return `static constexpr ${plain.join(" ")}`;
}

/** The parameters of the template around a function, as its lambdas have them. */
function templateParameters(
  tokens: readonly Placed[],
  { first }: Item,
  concepts: ReadonlySet<string>,
): { name: string; text: string; argument: string }[] {
  if (tokens[first]!.text !== "template" || tokens[first + 1]?.text !== "<") return [];
  return [...parts(tokens, first + 1, closingAngle(tokens, first + 1))].flatMap(([from, to]) => {
    let end = from;
    while (end <= to && tokens[end]!.text !== "=") end += 1;
    const name = tokens[end - 1]!;
    if (name.kind !== "word" || end - 1 === from) return [];
    const isPack = tokens[end - 2]?.text === "...";
    // What is asked of a type has been asked before.
    const isConcept = concepts.has(tokens[from]!.text);
    const kind = isConcept ? `class${isPack ? "..." : ""}` : joined(tokens, from, end - 2);
    return [{ name: name.text, text: `${kind} ${name.text}`, argument: `${name.text}${isPack ? "..." : ""}` }];
  });
}

// --- tokens

/** The names of parameters, of those that have one. */
export function* parameterNames(tokens: readonly Placed[], open: number, close: number): Generator<string> {
  for (const [from, to] of parts(tokens, open, close)) {
    let end = from;
    while (end <= to && tokens[end]!.text !== "=" && tokens[end]!.text !== "[") end += 1;
    const name = tokens[end - 1]!;
    if (end - 1 > from && name.kind === "word") yield name.text;
  }
}

/** Words that may name a variable: none behind a point, an arrow or a scope. */
function* variablesOf(tokens: readonly Placed[], from: number, to: number): Generator<string> {
  for (let at = from; at <= to; at++) {
    const { kind, text } = tokens[at]!;
    if (kind === "word" && !/^(\.|->|::)$/.test(tokens[at - 1]?.text ?? "")) yield text;
  }
}

const wordsOf = (tokens: readonly Placed[], from: number, to: number): string[] =>
  tokens
    .slice(from, to + 1)
    .filter(({ kind }) => kind === "word")
    .map(({ text }) => text);

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(to - from + 1, 0) }, (_, i) => from + i);

const joined = (tokens: readonly Placed[], from: number, to: number): string =>
  tokens
    .slice(from, to + 1)
    .map(({ text }) => text)
    .join(" ");

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ");

/** The text of the tokens `from` … `to`, edited. */
function slice(source: string, tokens: readonly Placed[], from: number, to: number, edits: readonly Edit[]): string {
  let text = "";
  let at = tokens[from]!.start;
  for (const edit of edits) {
    text += source.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + source.slice(at, tokens[to]!.end);
}
