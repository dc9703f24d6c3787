// A CUDA program as two texts with the same lines: what the system's C++ compiler makes of its host code, and what the
// device's compiler makes of its kernels.
import { CompileError } from "../../errors.ts";
import { hostEdits, type Edit } from "./launches.ts";
import { deviceLambdas, type DeviceLambda } from "./lambdas.ts";
import { tokenize } from "../tokens.ts";
import { closing, items, members, placed, toldLines, type Item, type Placed } from "./items.ts";

/** The two halves of a program. */
export interface SplitProgram {
  readonly host: string;
  readonly device: string;
  /** Names of `__global__` functions, without their scopes. */
  readonly kernels: readonly string[];
}

/** Headers that device code may have; others are the host's. */
const deviceHeaders =
  /^(cooperative_groups(\/.*)?|cuda_fp16\.h|cuda_bf16\.h|cuda_fp8\.h|cooperative_groups\.h|curand_kernel\.h|mma\.h|cuComplex\.h|cuda_pipeline(_primitives)?\.h|math_constants\.h|cub\/.*|cuda\/.*|math\.h|cmath|cstdint|stdint\.h|cfloat|float\.h|climits|limits\.h|cstddef|stddef\.h|assert\.h|cassert|type_traits|limits|vector_types\.h|vector_functions\.h|helper_math\.h|warpcell\/\w+\.cuh)$/;

/** Headers of device code, and what host code has in their place: names, and nothing that needs a device. */
const hostTexts: readonly (readonly [headers: RegExp, text: string])[] = [
  [/^thrust\//, '#include "warpcell_program/thrust.h"'],
  [/^cub\/(cub\.cuh$|device\/|iterator\/|util_)/, '#include "warpcell_program/cub.h"'],
  [/^cub\/(block|warp)\//, "namespace cub {}"],
  [/^cuda\/(atomic|barrier|pipeline|latch|semaphore)$/, '#include "warpcell_program/scopes.h"'],
  [/^cuda\/std\//, '#include "warpcell_program/standard.h"'],
  [/^cuda_pipeline(_primitives)?\.h$/, ""],
  [/^warpcell\/(?!tensor\.)/, ""],
];

const includes = /^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")[^\n]*/gm;

/** What nvcc declares without a header. */
const placementNew = /\bnew\s*\(/;

/** What the runtime's header defines, which device code does not have. */
export const programDefines = (source: string): readonly string[] =>
  /\bCUDART_VERSION\b/.test(source) ? ["CUDART_VERSION=12000"] : [];

/** Headers of functions for the whole device, which host code calls: device code has their types and one kernel. */
const algorithmHeaders = /^thrust\/|^cub\/(cub\.cuh$|device\/|iterator\/|util_)|^cublas_v2\.h$|^curand\.h$/;
const algorithmKernel = "for_each_number";
const blockAlgorithms = /\b(Block|Warp)(Reduce|Scan|Load|Store|Exchange|RadixSort|Histogram)\b/g;

/** What device code has in place of headers of libraries. */
const libraryTexts: Readonly<Record<string, string>> = {
  "cublas_v2.h": "#include <warpcell/blas.cuh>",
  "curand.h": "#include <warpcell/filled.cuh>",
};

/** What device code has in place of such a header: of all of CUB what a block or a warp does together, too, by its names. */
function algorithmText(header: string, source: string, line: number): string {
  const ofLibrary = libraryTexts[header];
  if (ofLibrary !== undefined) return ofLibrary;
  const names = header === "cub/cub.cuh" ? new Set(source.match(blockAlgorithms)) : [];
  const files = [...names].map((name) => {
    const words = name.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase();
    return `<cub/${words.split("_")[0]}/${words}.cuh>`;
  });
  const lines = ["<warpcell/thrust.cuh>", ...files].map((file) => `#include ${file}`);
  return files.length === 0 ? lines[0]! : [...lines, `#line ${line + 1}`].join("\n");
}

/** Whether a text has a `main` of its own, so that it is a program and no cell of kernels. */
export function isProgram(source: string): boolean {
  if (!/\bmain\b/.test(source)) return false;
  try {
    return items(placed(source)).some(
      ({ kind, name, scope, body }) => kind === "function" && name === "main" && scope.length === 0 && body !== null,
    );
  } catch (error) {
    // A bracket that is not closed: a compiler says where that may be.
    if (error instanceof CompileError) return false;
    throw error;
  }
}

/**
 * Splits a program. `keepsLambdas`: device code has the classes of the host's lambdas for it. `used`: names that device
 * code needs besides those in it. Throws CompileError for what neither half can have.
 */
export function splitProgram(source: string, keepsLambdas = true, used: readonly string[] = []): SplitProgram {
  const tokens = placed(source);
  const all = items(tokens);
  const lambdas = lambdasOf(source, tokens, all);
  const host: Edit[] = [];
  const device: Edit[] = [];
  const kept = keepsLambdas ? lambdas : new Map<Item, readonly DeviceLambda[]>();
  const needed = neededByDevice(source, tokens, all, [...kept.values()].flat(), used);
  for (const item of all) {
    const ofHost = (lambdas.get(item) ?? []).flatMap((lambda) => lambda.host);
    host.push(...ofHost, ...hostPart(source, tokens, item));
    const own = kept.get(item);
    const isPlain = own === undefined;
    device.push(...(isPlain ? devicePart(source, tokens, item, needed) : lambdaParts(source, tokens, item, own)));
  }
  device.push(...includeEdits(source));
  host.push(...macroEdits(source), ...deviceHeaderEdits(source));
  // No macro for host code: the C++ library has an attribute of that name.
  for (const [at, { text, start, end }] of tokens.entries()) {
    if (text === "__noinline__") host.push({ start, end, text: " ".repeat(end - start) });
    // What kernels call a tensor with its type and axes: host code has another class of that name.
    const isView = text === "Tensor" && tokens[at + 1]?.text === "<" && tokens[at - 2]?.text === "warpcell";
    if (isView) host.push({ start, end, text: "TensorView" });
  }
  const own = all.filter(isKernel).map(({ name }) => name);
  const hasAlgorithms = [...source.matchAll(includes)].some(([, system, own]) =>
    algorithmHeaders.test(system ?? own ?? ""),
  );
  return {
    host: apply(source, host),
    device: `${placementNew.test(source) ? "#include <new>\n#line 1\n" : ""}${apply(source, device)}`,
    kernels: [...new Set(hasAlgorithms ? [...own, algorithmKernel] : own)],
  };
}

const isKernel = (item: Item): boolean => item.kind === "function" && item.annotations.has("__global__");
export const isDeviceFunction = (item: Item): boolean =>
  item.kind === "function" && (item.annotations.has("__global__") || item.annotations.has("__device__"));
const isDeviceVariable = ({ kind, annotations }: Item): boolean =>
  kind === "variable" &&
  ["__device__", "__constant__", "__managed__", "__shared__"].some((each) => annotations.has(each as "__device__"));
/** A device alone calls it. */
const isOnlyOfDevice = ({ annotations }: Item): boolean =>
  annotations.has("__device__") && !annotations.has("__host__") && !annotations.has("__global__");

/** What a compiler evaluates, for either half. */
const isCompileTime = ({ words }: Item): boolean => words.has("constexpr") || words.has("concept");

/** The device code that host code has in lambdas, by the items that have some. */
function lambdasOf(
  source: string,
  tokens: readonly Placed[],
  all: readonly Item[],
): ReadonlyMap<Item, readonly DeviceLambda[]> {
  const concepts = new Set(all.filter(({ words }) => words.has("concept")).map(({ name }) => name));
  const found = all
    .filter((item) => !isDeviceFunction(item))
    .map((item) => [item, deviceLambdas(source, tokens, item, concepts)] as const);
  return new Map(found.filter(([, lambdas]) => lambdas.length > 0));
}

// --- the host's half

function hostPart(source: string, tokens: readonly Placed[], item: Item): Edit[] {
  if (isKernel(item)) return item.body === null ? [] : [stub(source, tokens, item)];
  if (item.kind === "function" && isOnlyOfDevice(item)) return onlyDeclared(source, tokens, item);
  if (item.kind === "variable" && item.annotations.has("__managed__")) return managed(source, tokens, item);
  if (isDeviceVariable(item)) return exported(tokens, item);
  if (item.kind === "type")
    return members(tokens, item).flatMap((member) => {
      if (member.kind === "type") return hostPart(source, tokens, member);
      if (member.kind !== "function" || member.body === null) return [];
      return isOnlyOfDevice(member)
        ? [body(source, tokens, member, ";")]
        : hostEdits(source, tokens, member.body.open, member.body.close);
    });
  return hostEdits(source, tokens, item.first, item.last);
}

/** A kernel that host code calls: it hands its arguments to the launch that was configured. */
function stub(source: string, tokens: readonly Placed[], item: Item): Edit {
  const [open, close] = item.parameters!;
  const names: string[] = [];
  for (const [first, last] of listed(tokens, open, close)) names.push(parameterName(tokens, first, last));
  const pointers = names.map((name) => `(void*)&${name}`).join(", ");
  return body(
    source,
    tokens,
    item,
    `{ void* warpcell_arguments[] = {${pointers}${names.length > 0 ? ", " : ""}nullptr}; ::warpcell_program::launch(warpcell_arguments); }`,
  );
}

/** The parts between commas from `open` to `close`. */
export function* listed(tokens: readonly Placed[], open: number, close: number): Generator<[number, number]> {
  let first = open + 1;
  for (let at = open + 1; at <= close; at++) {
    const { text } = tokens[at]!;
    if (text === "(" || text === "[" || text === "{") at = closing(tokens, at);
    else if (text === "<") at = angleEnd(tokens, at, close);
    else if (text === "," || at === close) {
      if (at > first && !(at === first + 1 && tokens[first]!.text === "void")) yield [first, at - 1];
      first = at + 1;
    }
  }
}

function angleEnd(tokens: readonly Placed[], open: number, end: number): number {
  let depth = 0;
  for (let at = open; at < end; at++) {
    if (tokens[at]!.text === "<") depth += 1;
    if (tokens[at]!.text === ">" && --depth === 0) return at;
  }
  return open;
}

function parameterName(tokens: readonly Placed[], first: number, last: number): string {
  let end = first;
  while (end <= last && tokens[end]!.text !== "=" && tokens[end]!.text !== "[") end += 1;
  let at = end - 1;
  if (tokens[at]!.text === ")") {
    // A pointer to a function: float (*f)(float).
    at = first;
    while (tokens[at]!.text !== "(") at += 1;
    while (tokens[at]!.kind !== "word") at += 1;
  }
  const { text, kind, line } = tokens[at]!;
  if (kind !== "word" || at === first)
    throw new CompileError(`A parameter of the kernel in line ${line} has no name: give it one.`, "");
  return tokens[at - 1]?.text === "..." ? `${text}...` : text;
}

/** The body of a function, with what a constructor initialises, becomes `text`. */
function body(source: string, tokens: readonly Placed[], item: Item, text: string): Edit {
  const { from, close } = item.body!;
  const [start, end] = [tokens[from]!.start, tokens[close]!.end];
  return { start, end, text: text + blank(source.slice(start, end)).replace(/[^\n]/g, "") };
}

/** A function that only device code calls is known to host code by its name alone: kernels may be given it. */
function onlyDeclared(source: string, tokens: readonly Placed[], item: Item): Edit[] {
  if (item.isQualified) return [removed(source, tokens, item)];
  const words = tokens
    .slice(item.first, item.parameters![0])
    .filter(({ text }) => /^(static|inline|__forceinline__|__inline__|constexpr)$/.test(text))
    .map(({ start, end }) => ({ start, end, text: " ".repeat(end - start) }));
  return item.body === null ? words : [...words, body(source, tokens, item, " __attribute__((weak));")];
}

/** A variable that both sides see: in host code a reference to where it lies. */
function managed(source: string, tokens: readonly Placed[], item: Item): Edit[] {
  const named = tokens[item.nameAt]!;
  const end = tokens[item.last]!;
  if (hasComma(tokens, item))
    throw new CompileError(
      `Line ${named.line} declares several __managed__ variables at once: give each a line of its own.`,
      "",
    );
  const { text } = named;
  return [
    ...exported(tokens, item),
    { start: named.start, end: named.end, text: `warpcell_shape_of_${text}` },
    {
      start: end.end,
      end: end.end,
      text: ` static auto& ${text} = *(decltype(warpcell_shape_of_${text})*)::warpcell_program::managed("${symbolOf(item)}");`,
    },
  ];
}

/** Whether a comma stands outside of brackets. */
function hasComma(tokens: readonly Placed[], { first, last }: Item): boolean {
  for (let at = first; at < last; at++) {
    const { text } = tokens[at]!;
    if (text === ",") return true;
    if (text === "(" || text === "[" || text === "{") at = closing(tokens, at);
    else if (text === "<") at = angleEnd(tokens, at, last);
  }
  return false;
}

/** A variable has one name in the machine code of both halves, which takes a type with a name. */
function exported(tokens: readonly Placed[], item: Item): Edit[] {
  const before = tokens.slice(item.first, item.nameAt);
  const edits = before
    .filter(({ text }) => text === "static")
    .map(({ start, end }) => ({ start, end, text: " ".repeat(end - start) }));
  const type = before.find(({ text }, at) => /^(struct|union|class)$/.test(text) && before[at + 1]?.text === "{");
  if (type !== undefined) edits.push({ start: type.end, end: type.end, text: ` warpcell_type_of_${item.name}` });
  return edits;
}

/** A variable's name in machine code. */
function symbolOf({ scope, name }: Item): string {
  return scope.length === 0 ? name : `_ZN${[...scope, name].map((part) => `${part.length}${part}`).join("")}E`;
}

// --- the device's half

function devicePart(source: string, tokens: readonly Placed[], item: Item, needed: ReadonlySet<string>): Edit[] {
  if (isDeviceFunction(item)) return [];
  if (isDeviceVariable(item)) return exported(tokens, item);
  if (item.kind === "function")
    return isCompileTime(item) && needed.has(item.name) ? [] : [removed(source, tokens, item)];
  if (item.kind === "using") return usingPart(source, tokens, item, needed);
  const isConstant = item.words.has("const") || isCompileTime(item);
  const isNeeded = declared(tokens, item).some((name) => needed.has(name));
  if (!isNeeded || (item.kind === "variable" && !isConstant)) return [removed(source, tokens, item)];
  if (item.kind === "variable") return [];
  return memberEdits(source, tokens, item);
}

/** The classes of lambdas, and nothing of the host code around them. */
function lambdaParts(source: string, tokens: readonly Placed[], item: Item, lambdas: readonly DeviceLambda[]): Edit[] {
  const edits: Edit[] = [];
  let start = tokens[item.first]!.start;
  const blankTo = (end: number): void => void edits.push({ start, end, text: blank(source.slice(start, end)) });
  for (const { device } of lambdas) {
    blankTo(device.start);
    edits.push(device);
    start = device.end;
  }
  blankTo(tokens[item.last]!.end);
  return edits;
}

/** Members that only host code calls are declared; a compiler for a device takes none with the word for the host's. */
function memberEdits(source: string, tokens: readonly Placed[], item: Item): Edit[] {
  return members(tokens, item).flatMap((member) => {
    if (member.kind === "type") return memberEdits(source, tokens, member);
    if (member.kind !== "function" || isDeviceFunction(member)) return [];
    const words = tokens
      .slice(member.first, member.nameAt)
      .filter(({ text }) => text === "__host__")
      .map(({ start, end }) => ({ start, end, text: " ".repeat(end - start) }));
    const stays = member.body === null || member.words.has("constexpr");
    return stays ? words : [...words, body(source, tokens, member, ";")];
  });
}

function usingPart(source: string, tokens: readonly Placed[], item: Item, needed: ReadonlySet<string>): Edit[] {
  const text = source.slice(tokens[item.first]!.start, tokens[item.last]!.end);
  const space = /^using\s+namespace\s+([\w:]+)/.exec(text)?.[1];
  if (space === "std" || space === "warpcell")
    return [{ start: tokens[item.first]!.start, end: tokens[item.first]!.start, text: `namespace ${space} {} ` }];
  const isOfStd = /\bstd\s*::/.test(text) && !/\bcuda\s*::\s*std\b/.test(text);
  const isHosts =
    isOfStd ||
    /\bthrust\s*::\s*(device|host)_(vector|reference)\b/.test(text) ||
    /\bwarpcell\s*::\s*Tensor\b(?!\s*<)/.test(text);
  if (isHosts) return [removed(source, tokens, item)];
  return space !== undefined || needed.has(item.name) ? [] : [removed(source, tokens, item)];
}

/** The names by which code uses an item: those of an enumeration are its enumerators, too. */
function declared(tokens: readonly Placed[], { kind, name, words, body }: Item): string[] {
  if (kind !== "type" || !words.has("enum") || body === null) return [name];
  const inside = tokens.slice(body.open, body.close);
  return [name, ...inside.filter((_, at) => /^[{,]$/.test(inside[at - 1]?.text ?? "")).map(({ text }) => text)];
}

/** All names in device code, and in what that uses. */
function neededByDevice(
  source: string,
  tokens: readonly Placed[],
  all: readonly Item[],
  lambdas: readonly DeviceLambda[],
  used: readonly string[],
): Set<string> {
  const needed = new Set([...used, ...lambdas.flatMap((lambda) => lambda.needed)]);
  const add = (item: Item): void => {
    for (let at = item.first; at <= item.last; at++) if (tokens[at]!.kind === "word") needed.add(tokens[at]!.text);
  };
  for (const item of all) if (isDeviceFunction(item) || isDeviceVariable(item)) add(item);
  const macros = macroWords(source);
  const rest = all.filter(
    (item) =>
      item.kind === "type" ||
      item.kind === "using" ||
      isCompileTime(item) ||
      (item.kind === "variable" && item.words.has("const")),
  );
  for (let before = -1; before !== needed.size; ) {
    before = needed.size;
    for (const [name, words] of macros) if (needed.has(name)) for (const word of words) needed.add(word);
    for (const item of rest) if (declared(tokens, item).some((name) => needed.has(name))) add(item);
    // A class with members for a device, of which kernels may be given an object.
    for (const item of rest)
      if (item.kind === "type" && members(tokens, item).some(isDeviceFunction)) {
        needed.add(item.name);
        add(item);
      }
  }
  return needed;
}

function macroWords(source: string): Map<string, string[]> {
  const plain = source.replace(/\\\r?\n/g, " ");
  return new Map(
    [...plain.matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)(.*)$/gm)].map((match) => [
      match[1]!,
      match[2]!.match(/[A-Za-z_]\w*/g) ?? [],
    ]),
  );
}

/** Launches in macros. */
function macroEdits(source: string): Edit[] {
  return [...source.matchAll(/^[ \t]*#[ \t]*define[ \t]+\w+(?:\([^)\n]*\))?((?:\\\r?\n|[^\n])*)/gm)].flatMap(
    (match) => {
      const replacement = match[1]!;
      if (!replacement.includes("<<<")) return [];
      const start = match.index + match[0].length - replacement.length;
      const tokens = placed(replacement);
      return hostEdits(replacement, tokens, 0, tokens.length - 1, "__LINE__", source).map((edit) => ({
        start: start + edit.start,
        end: start + edit.end,
        text: edit.text,
      }));
    },
  );
}

/** Headers of device code become what host code has of them. */
function deviceHeaderEdits(source: string): Edit[] {
  return [...source.matchAll(/^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>[^\n]*/gm)].flatMap((match) => {
    const known = hostTexts.find(([headers]) => headers.test(match[1]!));
    return known === undefined ? [] : [{ start: match.index, end: match.index + match[0].length, text: known[1] }];
  });
}

/** Headers of the host go; what lies beside the program is for both. */
function includeEdits(source: string): Edit[] {
  const written = new Set<string>();
  const lineOf = toldLines(tokenize(source).directives);
  return [...source.matchAll(includes)].flatMap((match) => {
    const header = (match[1] ?? match[2])!;
    const [start, end] = [match.index, match.index + match[0].length];
    const text = algorithmHeaders.test(header) ? algorithmText(header, source, lineOf(lineAt(source, start))) : null;
    if (text !== null) {
      const isNew = !written.has(text);
      written.add(text);
      return [{ start, end, text: isNew ? text : " ".repeat(match[0].length) }];
    }
    const isOfHost =
      match[1] !== undefined ? !deviceHeaders.test(header) : /^(cuda|helper|device_launch)_\w+\.h$/.test(header);
    return isOfHost && !deviceHeaders.test(header) ? [{ start, end, text: " ".repeat(match[0].length) }] : [];
  });
}

// --- texts

const lineAt = (source: string, at: number): number => source.slice(0, at).split("\n").length;

function removed(source: string, tokens: readonly Placed[], item: Item): Edit {
  const [start, end] = [tokens[item.first]!.start, tokens[item.last]!.end];
  return { start, end, text: blank(source.slice(start, end)) };
}

/** As many lines and columns of nothing; lines for a preprocessor stay, since later ones may belong to them. */
function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

function apply(source: string, edits: readonly Edit[]): string {
  let text = "";
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (edit.start < at) continue;
    text += source.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + source.slice(at);
}
