// Functions of CUDA's runtime: a row for each, which says what stands for it in TypeScript.
import { allocate, bare, copy, countOf, fill, sideOf, success, targetAt } from "./memory.ts";
import { launch, property, sizeText, streamOf } from "./launch.ts";
import type { Expression } from "./nodes.ts";
import { Untranslated } from "./read-expressions.ts";
import type { Translator } from "./translator.ts";
import { isScalar, scalar, type Type } from "./types.ts";
import { converted, settled, value, type Value } from "./value.ts";

type Row = (t: Translator, args: readonly Expression[]) => Value;

/** What the library does by itself: memory is freed when nobody holds it, and errors are thrown. */
const nothing: Row = () => success;

function statement(t: Translator, text: string): Value {
  t.before.push(`${text};`);
  return success;
}

const allocating =
  (is: "host" | "device" | "managed"): Row =>
  (t, [address, bytes]) =>
    allocate(t, address!, bytes!, is);

const copying: Row = (t, [to, from, bytes, , stream]) =>
  copy(t, to!, from!, bytes!, stream === undefined ? null : streamOf(t, stream));
const filling: Row = (t, [to, byte, bytes, stream]) =>
  fill(t, to!, byte!, bytes!, stream === undefined ? null : streamOf(t, stream));

/** Waits for the device only where kernels print: what is read waits by itself. */
const waiting: Row = (t) => {
  if (!t.cells.program.printsOnDevice) return success;
  t.awaits = true;
  return statement(t, `await ${t.imported("synchronize")}()`);
};

function symbolType(t: Translator, symbol: Expression): { name: string; type: Type } {
  const of = bare(symbol);
  const declarator = of.kind === "name" ? t.cells.program.symbols.get(of.name) : undefined;
  if (of.kind !== "name" || declarator === undefined)
    throw new Untranslated("a variable of the device that is not known");
  return { name: of.name, type: t.declaredType(declarator) };
}

const toSymbol: Row = (t, [symbol, from, bytes, offset]) => {
  const { name, type } = symbolType(t, symbol!);
  if (offset !== undefined && t.expr(offset).literal !== 0) throw new Untranslated("a copy into a part of a variable");
  const source = sideOf(t, from!);
  if (type.kind !== "array")
    return statement(t, `${name}.set(${source.kind === "variable" ? source.text : `${source.text}[0]`})`);
  if (source.kind !== "host") throw new Untranslated("a copy to a variable from there");
  const count = countOf(t, bytes!, source.element);
  const isWhole = source.length === count.text || bytes!.kind === "sizeof";
  if (!isWhole) throw new Untranslated("a copy into a part of a variable");
  return statement(t, `${name}.set(${source.text})`);
};

const fromSymbol: Row = (t, [to, symbol, , offset]) => {
  const { name, type } = symbolType(t, symbol!);
  if (offset !== undefined && t.expr(offset).literal !== 0) throw new Untranslated("a copy of a part of a variable");
  const target = sideOf(t, to!);
  if (target.kind === "variable" && target.name !== null) {
    const variable = t.find(target.name);
    if (variable === null || !isScalar(type)) throw new Untranslated("a copy of such a variable");
    t.assign(target.name, variable, settled(converted(value(`${name}.data()`, type), variable.type)).text);
    return success;
  }
  if (type.kind !== "array" || type.of.kind === "array") throw new Untranslated("a copy of such a variable");
  return statement(
    t,
    isScalar(type.of)
      ? `${target.text}.set(${name}.data())`
      : `${target.text}.splice(0, ${type.length}, ...${name}.data())`,
  );
};

const made =
  (name: "Event" | "Stream"): Row =>
  (t, [address]) => {
    const options = name === "Stream" ? t.cells.placement.on.replace(/^, /, "") : "";
    targetAt(t, address!).set(`new ${t.imported(name)}(${options})`);
    return success;
  };

const elapsed: Row = (t, [to, start, end]) => {
  t.awaits = true;
  targetAt(t, to!).set(`await ${t.expr(start!).text}.elapsedTime(${t.expr(end!).text})`);
  return success;
};

/** An event or a stream that the host waits for. */
const awaited: Row = (t, [of]) => {
  t.awaits = true;
  const on = t.expr(of!);
  return statement(t, on.literal === 0 ? `await ${t.imported("synchronize")}()` : `await ${on.text}.synchronize()`);
};

/** `cudaLaunchCooperativeKernel((void*)kernel, grid, block, args, shared, stream)` with `void* args[] = {&a, &b}`. */
const launching =
  (settings: readonly string[]): Row =>
  (t, [kernel, grid, block, list, shared]) => {
    const of = bare(kernel!);
    const args = list === undefined ? null : bare(list);
    const first = args?.kind === "name" ? t.find(args.name)?.first : null;
    if (of.kind !== "name" || first?.kind !== "list") throw new Untranslated("a launch by the address of a kernel");
    const given = first.items.map((item) => {
      const each = bare(item);
      if (each.kind !== "unary" || each.op !== "&")
        throw new Untranslated("an argument of a launch that is no address");
      return each.of;
    });
    const bytes = shared === undefined ? null : settled(converted(t.expr(shared), scalar("size")));
    const sizes = [property("grid", sizeText(t, grid!)), property("block", sizeText(t, block!))];
    if (bytes !== null && bytes.literal !== 0) sizes.push(property("shared", bytes.text));
    return launch(t, of.name, of.args, [...sizes, ...settings], given, null);
  };

const rows: Record<string, Row> = {
  cudaMalloc: allocating("device"),
  cudaMallocHost: allocating("host"),
  cudaHostAlloc: allocating("host"),
  cudaMallocManaged: allocating("managed"),
  cudaMemcpy: copying,
  cudaMemcpyToSymbol: toSymbol,
  cudaMemcpyFromSymbol: fromSymbol,
  cudaMemset: filling,
  cudaMemcpyAsync: copying,
  cudaMemsetAsync: filling,
  cudaMallocAsync: allocating("device"),
  cudaFreeAsync: nothing,
  cudaStreamCreate: made("Stream"),
  cudaStreamCreateWithFlags: made("Stream"),
  cudaStreamDestroy: nothing,
  cudaStreamSynchronize: awaited,
  cudaStreamWaitEvent: (t, [stream, event]) => statement(t, `${t.expr(stream!).text}.wait(${t.expr(event!).text})`),
  cudaFree: nothing,
  cudaFreeHost: nothing,
  cudaFuncSetAttribute: nothing,
  cudaFuncSetCacheConfig: nothing,
  cudaDeviceReset: nothing,
  cudaDeviceSynchronize: waiting,
  cudaThreadSynchronize: waiting,
  cudaGetLastError: nothing,
  cudaPeekAtLastError: nothing,
  cudaMemPrefetchAsync: nothing,
  cudaMemAdvise: nothing,
  cudaSetDevice: (t, [device]) => {
    if (t.expr(device!).literal !== 0) throw new Untranslated("another device than the first one");
    return success;
  },
  cudaEventCreate: made("Event"),
  cudaEventCreateWithFlags: made("Event"),
  cudaEventDestroy: nothing,
  cudaEventRecord: (t, [event, stream]) => {
    const on = stream === undefined ? null : streamOf(t, stream);
    return statement(t, `${t.expr(event!).text}.record(${on ?? ""})`);
  },
  cudaEventSynchronize: awaited,
  cudaEventElapsedTime: elapsed,
  cudaLaunchCooperativeKernel: launching(["cooperative: true"]),
  cudaLaunchKernel: (t, [kernel, ...rest]) => launching([])(t, [kernel!, ...rest]),
};

export const isRuntime = (name: string): boolean => /^cuda[A-Z]/.test(name);

/** A call of CUDA's runtime. Throws Untranslated for one that has no row. */
export function runtimeCall(t: Translator, name: string, args: readonly Expression[]): Value {
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row === undefined) throw new Untranslated(`${name}, which has no counterpart here`);
  return row(t, args);
}
