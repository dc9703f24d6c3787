// Memory and copies: `cudaMalloc`, `cudaMemcpy` and their kin become tensors, typed arrays and what brings one to the
// other.
import { measuredType, place as placeOf } from "./expressions.ts";
import type { Expression } from "./nodes.ts";
import { inUnits, unitsOf } from "./pointers.ts";
import { Untranslated } from "./read-expressions.ts";
import { recordsOf } from "./records.ts";
import type { Translator, Variable } from "./translator.ts";
import { bytesOf, isScalar, plain, scalar, scalars, type Type } from "./types.ts";
import { converted, levels, numeral, settled, value, wrapped, type Value } from "./value.ts";

const size = scalar("size");

/** How many elements so many bytes are: of `n * sizeof(T)` it is n. */
export function countOf(t: Translator, bytes: Expression, element: Type): Value {
  const each = bytesOf(element) ?? unitBytes(element);
  const factors = factorsOf(bytes);
  const own = factors.findIndex((factor) => sizeofBytes(t, factor) === each);
  if (own >= 0)
    return product(
      t,
      factors.filter((_, at) => at !== own),
    );
  if (bytes.kind === "sizeof" && bytes.of !== null) {
    const whole = arrayLength(measuredType(t, bytes.of));
    if (whole !== null) return whole;
  }
  if (bytes.kind === "name") {
    const first = t.find(bytes.name)?.first;
    if (first !== undefined && first !== null) return countOf(t, first, element);
  }
  const whole = settled(converted(t.expr(bytes), size));
  if (each === 1) return whole;
  if (whole.literal !== undefined && whole.literal % each === 0) return numeral(whole.literal / each, size);
  return value(`${wrapped(whole, levels.multiply)} / ${each}`, size, { level: levels.multiply });
}

function unitBytes(element: Type): number {
  const { per, dtype } = unitsOf(element);
  const known = Object.values(scalars).find((each) => each.dtype === dtype)!;
  return per * known.bytes;
}

function factorsOf(expression: Expression): Expression[] {
  if (expression.kind !== "binary" || expression.op !== "*") return [expression];
  return [...factorsOf(expression.left), ...factorsOf(expression.right)];
}

function sizeofBytes(t: Translator, factor: Expression): number | null {
  if (factor.kind !== "sizeof") return null;
  const type = factor.type === null ? measuredType(t, factor.of!) : t.typeOf(factor.type);
  return bytesOf(type);
}

function product(t: Translator, factors: readonly Expression[]): Value {
  const [first, ...rest] = factors;
  if (first === undefined) return numeral(1, size);
  const whole = rest.reduce<Expression>((left, right) => ({ kind: "binary", op: "*", left, right }), first);
  return settled(converted(t.expr(whole), size));
}

function arrayLength(type: Type): Value | null {
  if (type.kind !== "array") return null;
  const inner = arrayLength(type.of);
  const own = value(type.length, size, /^\d+$/.test(type.length) ? { literal: Number(type.length) } : {});
  if (inner === null) return own;
  if (own.literal !== undefined && inner.literal !== undefined) return numeral(own.literal * inner.literal, size);
  return value(`${own.text} * ${inner.text}`, size, { level: levels.multiply });
}

// --- allocation

/** Without what casts say. */
export function bare(expression: Expression): Expression {
  return expression.kind === "cast" ? bare(expression.of) : expression;
}

/** What is given something by its address. */
export interface Target {
  readonly type: Type;
  /** Of a name. */
  readonly variable: Variable | null;
  set(text: string): void;
}

/** `&x`, `&x[i]` and `&x.y`. */
export function targetAt(t: Translator, address: Expression): Target {
  const given = bare(address);
  const of = given.kind === "unary" && given.op === "&" ? given.of : null;
  if (of === null) throw new Untranslated("a place that is computed");
  const variable = of.kind === "name" ? t.find(of.name) : null;
  if (of.kind === "name" && variable !== null)
    return { type: variable.type, variable, set: (text) => t.assign(of.name, variable, text) };
  const target = placeOf(t, of);
  return { type: target.type, variable: null, set: (text) => t.before.push(`${target.text} = ${text};`) };
}

export function allocate(
  t: Translator,
  address: Expression,
  bytes: Expression,
  is: "host" | "device" | "managed",
): Value {
  const { type, variable, set } = targetAt(t, address);
  if (type.kind !== "pointer") throw new Untranslated("memory for something that is no pointer");
  const { to, place } = type;
  place.is = is;
  const count = countOf(t, bytes, to);
  if (variable !== null) variable.length = count.text;
  const makers = {
    host: () => hostArray(t, to, count),
    device: () => {
      const { dtype } = unitsOf(to);
      return `${t.imported("empty")}([${inUnits(count, to)}], { dtype: "${dtype}"${t.cells.placement.and} })`;
    },
    managed: () => managed(t, to, count),
  };
  set(makers[is]());
  if (is === "device" && variable !== null) t.fresh(variable, count.text);
  return success;
}

export const success: Value = value("", plain("error"));

export function hostArray(t: Translator, to: Type, count: Value): string {
  if (isScalar(to)) return `new ${scalars[to.name].array}(${settled(count).text})`;
  return recordsOf(t, to).made(settled(count).text);
}

function managed(t: Translator, to: Type, count: Value): string {
  t.cells.helper("Managed");
  if (!isScalar(to)) return recordsOf(t, to).managed(settled(count).text);
  const { array, dtype } = scalars[to.name];
  return `new Managed(new ${array}(${settled(count).text})${dtype === "bool" ? ', "bool"' : ""})`;
}

/** `(T*)malloc(bytes)` */
export function allocated(
  t: Translator,
  type: Extract<Type, { kind: "pointer" }>,
  name: string,
  args: readonly Expression[],
): Value {
  type.place.is = "host";
  const [first, second] = args;
  const count = name === "calloc" ? settled(converted(t.expr(first!), size)) : countOf(t, first!, type.to);
  if (name === "calloc" && second === undefined) throw new Untranslated("calloc without a size");
  return value(hostArray(t, type.to, count), type);
}

// --- copies

interface Side {
  readonly kind: "host" | "device" | "managed" | "variable" | "text";
  readonly text: string;
  readonly element: Type;
  /** Its elements, as far as they are known. */
  readonly length: string | null;
  readonly grows: boolean;
  readonly name: string | null;
}

export function sideOf(t: Translator, expression: Expression): Side {
  const given = bare(expression);
  if (given.kind === "unary" && given.op === "&" && given.of.kind !== "index" && given.of.kind !== "unary") {
    const isPending = given.of.kind === "name" && t.find(given.of.name)?.isPending === true;
    const name = given.of.kind === "name" ? given.of.name : null;
    const of = isPending ? { ...t.find(name!)!, text: t.find(name!)!.name } : t.expr(given.of);
    return { kind: "variable", text: of.text, element: of.type, length: "1", grows: false, name };
  }
  const name = given.kind === "name" ? given.name : null;
  const isFresh = name !== null && t.isFresh(name);
  const found = name === null ? null : t.find(name);
  const of = isFresh && found !== null ? value(found.name, found.type) : t.expr(given);
  const base = dataOf(given);
  const length = t.find(name ?? base ?? "")?.length ?? null;
  const { type } = of;
  const common = { text: of.text, name: name ?? base, grows: false };
  if (type.kind === "text") return { ...common, kind: "text", element: scalar("i8"), length: `${of.text}.length` };
  if (type.kind === "array")
    return { ...common, kind: "host", element: elementOf(type), length: arrayLength(type)!.text };
  if (type.kind === "vector") return { ...common, kind: "host", element: type.of, length, grows: type.grows.yes };
  if (type.kind !== "pointer") throw new Untranslated(`a copy of a ${type.kind}`);
  return { ...common, kind: type.place.is ?? "host", element: type.to, length };
}

const elementOf = (type: Type): Type => (type.kind === "array" ? elementOf(type.of) : type);

/** x of `x.data()`. */
function dataOf(expression: Expression): string | null {
  const isData = expression.kind === "call" && expression.of.kind === "member" && expression.of.name === "data";
  return isData && expression.of.kind === "member" && expression.of.of.kind === "name" ? expression.of.of.name : null;
}

/** A statement that gives the device work, on a stream or on the first one, which waits for all and has all wait. */
export function work(t: Translator, text: string, stream: string | null): void {
  if (stream !== null) t.before.push(`${t.imported("withStream")}(${stream}, () => ${text});`);
  else t.before.push(`${text};`);
  if (stream === null) joinStreams(t);
}

/** The first stream of CUDA is in order with all others; the library's is not. */
export function joinStreams(t: Translator): void {
  if (!t.cells.program.usesStreams) return;
  t.awaits = true;
  t.before.push(`await ${t.imported("synchronize")}();`);
}

export function copy(t: Translator, to: Expression, from: Expression, bytes: Expression, stream: string | null): Value {
  const [target, source] = [sideOf(t, to), sideOf(t, from)];
  const element = target.element.kind === "void" ? source.element : target.element;
  const count = countOf(t, bytes, element);
  const onDevice = (side: Side): boolean =>
    side.kind === "device" || (side.kind === "managed" && (target.kind !== "host" || source.kind !== "host"));
  const [isTo, isFrom] = [onDevice(target), onDevice(source)];
  if (isTo && isFrom) work(t, `${part(target, count, element)}.copy_(${part(source, count, element)})`, stream);
  else if (isTo) upload(t, target, source, count, element, stream);
  else if (isFrom) download(t, target, source, count, element);
  else hostCopy(t, target, source, count);
  return success;
}

/** So many elements from the start of a tensor. */
function part(side: Side, count: Value, element: Type): string {
  const tensor = side.kind === "managed" ? `${side.text}.tensor` : side.text;
  return side.length === count.text ? tensor : `${tensor}.slice([0, ${inUnits(count, element)}])`;
}

function upload(t: Translator, target: Side, source: Side, count: Value, element: Type, stream: string | null): void {
  const { dtype } = unitsOf(element);
  const { on, and } = t.cells.placement;
  const options = needsDType(source, dtype) ? `, { dtype: "${dtype}"${and} }` : on;
  const tensor = `${t.imported("tensor")}(${hostPart(t, source, count, element)}${options})`;
  const isWhole =
    target.kind === "device" &&
    target.name !== null &&
    stream === null &&
    t.replaceFresh(target.name, count.text, tensor);
  if (isWhole) joinStreams(t);
  else work(t, `${part(target, count, element)}.copy_(${tensor})`, stream);
}

/** A typed array says its dtype by itself. */
function needsDType({ kind, element, grows }: Side, dtype: string): boolean {
  return (
    kind === "variable" ||
    kind === "text" ||
    grows ||
    (isScalar(element) && element.name === "bool") ||
    dtype === "bool"
  );
}

/** What `tensor` takes: a typed array with the elements. */
function hostPart(t: Translator, side: Side, count: Value, element: Type): string {
  if (side.kind === "variable" && isScalar(side.element)) {
    const { name } = side.element;
    return `[${name === "size" ? `BigInt(${side.text})` : side.text}]`;
  }
  if (side.kind === "text")
    return side.length === count.text
      ? `new TextEncoder().encode(${side.text})`
      : `new TextEncoder().encode(${side.text}.slice(0, ${count.text}))`;
  if (!isScalar(element))
    return recordsOf(t, element).packed(side.kind === "variable" ? `[${side.text}]` : partOf(side, count));
  if (isNested(t, side)) return `${side.text}.flatMap((row) => [...row])`;
  return partOf(side, count);
}

function isNested(t: Translator, side: Side): boolean {
  const type = side.name === null ? null : t.find(side.name)?.type;
  return type?.kind === "array" && type.of.kind === "array";
}

function partOf(side: Side, count: Value): string {
  if (side.length === count.text || count.text === `${side.text}.length`) return side.text;
  if (side.kind === "managed") return `${side.text}.values.subarray(0, ${count.text})`;
  return `${side.text}.${side.grows || !isScalar(side.element) ? "slice" : "subarray"}(0, ${count.text})`;
}

function download(t: Translator, target: Side, source: Side, count: Value, element: Type): void {
  const data = `${part(source, count, element)}.data()`;
  if (!isScalar(element)) {
    const read = recordsOf(t, element).unpacked(data);
    if (target.kind === "variable") t.before.push(`${target.text} = ${read}[0];`);
    else t.before.push(`${target.text}.splice(0, ${count.text}, ...${read});`);
    return;
  }
  if (target.kind === "variable") {
    const got =
      element.name === "size" ? `Number(${data}[0])` : element.name === "bool" ? `${data}[0] !== 0` : `${data}[0]`;
    const variable = target.name === null ? null : t.find(target.name);
    if (variable !== null && target.name !== null) t.assign(target.name, variable, got);
    else t.before.push(`${target.text} = ${got};`);
    return;
  }
  if (isNested(t, target)) throw new Untranslated("a copy into an array of arrays");
  t.before.push(target.grows ? `${target.text}.splice(0, ${count.text}, ...${data});` : `${target.text}.set(${data});`);
}

function hostCopy(t: Translator, target: Side, source: Side, count: Value): void {
  const text = (side: Side): string => (side.kind === "managed" ? `${side.text}.values` : side.text);
  if (target.kind === "variable" || source.kind === "variable" || !isScalar(target.element))
    throw new Untranslated("a copy of a variable's bytes");
  if (source.kind === "text")
    t.before.push(`${text(target)}.set(new TextEncoder().encode(${source.text}.slice(0, ${count.text})));`);
  else t.before.push(`${text(target)}.set(${partOf({ ...source, text: text(source), kind: "host" }, count)});`);
}

// --- fills

export function fill(t: Translator, to: Expression, byte: Expression, bytes: Expression, stream: string | null): Value {
  const target = sideOf(t, to);
  const count = countOf(t, bytes, target.element);
  const given = t.expr(byte);
  const filled = filling(given, target.element);
  const { dtype } = unitsOf(target.element);
  if (target.kind === "device" && target.name !== null && filled === "0") {
    const options = `{ dtype: "${dtype}"${t.cells.placement.and} }`;
    const zeros = `${t.imported("zeros")}([${inUnits(count, target.element)}], ${options})`;
    if (stream === null && t.replaceFresh(target.name, count.text, zeros)) {
      joinStreams(t);
      return success;
    }
  }
  if (target.kind === "host") {
    if (!isScalar(target.element)) throw new Untranslated("a fill of structs");
    const big = scalars[target.element.name].kind === "big" ? "n" : "";
    t.before.push(`${target.text}.fill(${filled}${big}${target.length === count.text ? "" : `, 0, ${count.text}`});`);
  } else work(t, `${part(target, count, target.element)}.fill_(${filled})`, stream);
  return success;
}

/** The number of which each byte is that one. */
function filling(given: Value, element: Type): string {
  const { dtype } = unitsOf(element);
  const facts = Object.values(scalars).find((each) => each.dtype === dtype)!;
  if (given.literal === 0) return "0";
  if (facts.bytes === 1 && facts.kind === "int") {
    const byte = given.literal === undefined ? null : given.literal & 255;
    if (byte === null) return settled(given).text;
    return String(facts.signed && byte > 127 ? byte - 256 : byte);
  }
  if (given.literal === undefined || facts.kind === "float" || facts.bytes > 4) {
    const isOnes = given.literal !== undefined && (given.literal & 255) === 255;
    if (isOnes && facts.kind !== "float" && facts.signed) return "-1";
    if (isOnes && facts.kind !== "float") return "2n ** 64n - 1n";
    throw new Untranslated("a fill with such bytes");
  }
  const byte = given.literal & 255;
  const number = Array.from({ length: facts.bytes }).reduce<number>((sum) => sum * 256 + byte, 0);
  return String(facts.signed && number >= 2 ** (8 * facts.bytes - 1) ? number - 2 ** (8 * facts.bytes) : number);
}
