// Cells of TypeScript, of many styles, that are right. A line is a piece of a notebook, in the order it runs.
export const rightTypeScript: string[][] = [
  [
    `const key = Symbol("k"); const conf = { a: 1, b: ["x", "y"] } as const; type Keys = keyof typeof conf`,
    `const k: Keys = "a"; conf.b[1] === "y"; const oo = { [key]: 1 }; oo[key]`,
  ],
  [`declare global { interface Array<T> { last(): T } }`, `const arr = [1].last()`, `const arr2: number = [1].last()`],
  [
    `export type T1 = number; export enum E1 { A } export class C1 { static make(): C1 { return new C1() } } export async function f1(): Promise<T1> { return 1 }`,
    `const c1: C1 = C1.make(); const e1: E1 = E1.A; const n1: T1 = await f1()`,
  ],
  [
    `abstract class Layer<P extends object = {}> { constructor(protected params: P) {} abstract forward(x: number[]): number[] }`,
    `class Dense extends Layer<{ w: number }> { forward(x: number[]) { return x.map(v => v * this.params.w) } }`,
    `const layers: Layer<any>[] = [new Dense({ w: 2 })]; layers.reduce((x, l) => l.forward(x), [1])`,
  ],
  [
    `let state: "idle" | "run" = "idle"`,
    `function go() { state = "run" } go()`,
    `if (state === "run") console.log(1)`,
    `switch (state) { case "idle": break; case "run": break }`,
  ],
  [`let queue: (() => void)[] | null = null`, `queue ??= []`, `queue.push(() => {})`],
  [
    `let resolveIt: ((v: number) => void) | undefined; const pr = new Promise<number>(r => { resolveIt = r })`,
    `resolveIt?.(5); await pr`,
    `resolveIt!(5)`,
  ],
  [
    `type Tree = { v: number; kids?: Tree[] }; const tree: Tree = { v: 1 }`,
    `function depth(t: Tree): number { return 1 + Math.max(0, ...(t.kids ?? []).map(depth)) } depth(tree)`,
  ],
  [
    `function over(a: string): string; function over(a: number): number; function over(a: any) { return a }`,
    `over("a").length; over(5).toFixed()`,
  ],
  [
    `import * as fsx from "node:fs"; import { type Stats, statSync as st } from "node:fs"`,
    `const ss: Stats = st("/"); fsx.existsSync("a")`,
  ],
  [`import assert from "node:assert"`, `const mm: string | null = "a"; assert(mm); mm.length`, `mm.length`],
  [
    `const buf = new Float32Array(4); const view: Uint8Array = new Uint8Array(buf.buffer)`,
    `view[0] + buf[1]; Buffer.from(buf.buffer)`,
  ],
  [
    `const worker = (await import("node:worker_threads")).Worker; const wt: typeof import("node:path") = await import("node:path")`,
    `wt.join("a"); typeof worker`,
  ],
  [
    `const sums: Record<string, number> = {}; sums["a"] = 1; sums.b = 2`,
    `sums.b + sums["c"]; for (const [k, v] of Object.entries(sums)) v.toFixed()`,
  ],
  [`let anyv: any = 1; let unk: unknown = 1`, `anyv.foo.bar; if (typeof unk === "number") unk.toFixed()`],
  [
    `const handlers = new Map<string, (x: number) => number>([["a", x => x + 1]])`,
    `handlers.get("a")!(1); handlers.get("a")?.(1)`,
  ],
  [`var self1 = this; const that = globalThis`, `that.process; (globalThis as any).foo = 1`],
  [
    `async function* src() { yield 1 }; const got: number[] = []; for await (const g of src()) got.push(g)`,
    `got.map(g => g.toFixed())`,
  ],
  [`const enum Dir { Up = 1 } ; const d1: Dir = Dir.Up`, `d1 === Dir.Up`],
  [`@(function (c: any) {}) class Deco { @((t: any, k: any) => {}) prop = 1 }`, `new Deco().prop`],
  [
    `export default function main(n: number) { return n }`,
    `export default class App { n = main(1) }`,
    `new App().n + main(2)`,
  ],
  [
    `const empty = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); const added: WebAssembly.Instance = new WebAssembly.Instance(empty)`,
    `added.exports; performance instanceof Performance; crypto.subtle instanceof SubtleCrypto`,
  ],
  [`const m = new Map<string, number[]>(); m.set("a", [1]); m.get("a")!.push(2)`],
  [`const m1 = new Map<string, number[]>()`, `m1.set("a", [1]); m1.get("a")?.push(2)`],
  [`const id = <T,>(x: T) => x; id<string>("a").length`],
  [`function first<T>(xs: T[]): T | undefined { return xs[0] }`, `first<number>([1])?.toFixed()`],
  [
    `class Stack<T> { #items: T[] = []; push(x: T) { this.#items.push(x); return this } pop() { return this.#items.pop() } get size() { return this.#items.length } }`,
    `const st = new Stack<number>().push(1)`,
    `st.pop()?.toFixed()`,
  ],
  [`const ref = new WeakMap<object, string>()`],
  [`const parsed = JSON.parse('{"a": [1]}') as { a: number[] }; parsed.a.map((x) => x * 2)`],
  [`const config = { port: 1, host: "a" } satisfies Record<string, string | number>; config.port.toFixed()`],
  [
    `type Shape = { kind: "circle"; r: number } | { kind: "square"; s: number }`,
    `const area = (s: Shape) => { switch (s.kind) { case "circle": return Math.PI * s.r ** 2; case "square": return s.s ** 2 } }`,
    `[{ kind: "circle", r: 1 } as const, { kind: "square", s: 2 } as const].map(area)`,
  ],
  [
    `function isString(x: unknown): x is string { return typeof x === "string" }`,
    `const maybe: unknown = "a"; if (isString(maybe)) maybe.length`,
  ],
  [
    `const counts: { [key: string]: number } = {}; for (const c of "hello") counts[c] = (counts[c] ?? 0) + 1`,
    `Object.entries(counts).sort(([, a], [, b]) => b - a)[0]`,
  ],
  [`const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms))`, `await sleep(1)`],
  [`try { JSON.parse("{") } catch (e: any) { e.message } `],
  [
    `enum Color { Red, Green } ; const names = Object.keys(Color); Color[Color.Red]`,
    `const c: Color = Color.Green; c === Color.Green`,
  ],
  [
    `abstract class Animal { constructor(public name: string) {} abstract speak(): string; toString() { return \`\${this.name}: \${this.speak()}\` } }`,
    `class Dog extends Animal { speak() { return "woof" } }`,
    `String(new Dog("rex"))`,
  ],
  [`const p: Partial<{ a: number; b: string }> = { a: 1 }; const r: Required<typeof p> = { a: 1, b: "x" }; r.b.length`],
  [`type Fn = (...args: number[]) => number; const add: Fn = (a, b) => a + b; add(1, 2)`],
  [`const tuple: [number, string] = [1, "a"]; const [n1, s1] = tuple; s1.length + n1`],
  [`const t = [1, "a"] as [number, string]; t[1].length`],
  [`let v: string | undefined`, `v = "a"`, `v.length`],
  [`let maybeNull: { a: number } | null = null`, `function init() { maybeNull = { a: 1 } }`, `init(); maybeNull!.a`],
  [
    `const f = async (url: string): Promise<unknown> => { const r = await fetch(url); if (!r.ok) throw new Error(String(r.status)); return r.json() }`,
  ],
  [`const fib = (n: number): number => n < 2 ? n : fib(n - 1) + fib(n - 2); fib(10)`],
  [
    `const memo = new Map<number, bigint>(); const fibm = (n: number): bigint => { if (n < 2) return BigInt(n); const k = memo.get(n); if (k !== undefined) return k; const v = fibm(n - 1) + fibm(n - 2); memo.set(n, v); return v }; fibm(50)`,
  ],
  [`const proxy = new Proxy({} as Record<string, number>, { get: (t, k) => t[k as string] ?? 0 }); proxy.anything`],
  [`let x1 = 5, y1 = x1 as unknown as string; y1.length`],
  [
    `type DeepPartial<T> = { [K in keyof T]?: T[K] extends object ? DeepPartial<T[K]> : T[K] }; const dp: DeepPartial<{ a: { b: number } }> = { a: {} }`,
    `const dp2: DeepPartial<{ c: string }> = {}`,
  ],
  [`type ElementOf<T> = T extends (infer U)[] ? U : never; const e1: ElementOf<number[]> = 1`],
  [`type Route = \`/\${string}\`; const rt: Route = "/a"`],
  [
    `function assertNumber(x: unknown): asserts x is number { if (typeof x !== "number") throw new Error("no") }`,
    `const un: unknown = 5; assertNumber(un); un.toFixed()`,
  ],
  [`interface Animal2 { name: string } interface Animal2 { age: number } const an: Animal2 = { name: "a", age: 1 }`],
  [`declare const external: number; type X9 = typeof external`],
  [`const result = [1, 2, 3, 4].filter((n): n is 2 | 4 => n % 2 === 0); result[0]`],
  [`namespace Geo { export const PI = 3; export function area(r: number) { return PI * r * r } } Geo.area(2)`],
  [`const out2: number[] = []; for (let i = 0; i < 3; i++) out2.push(i)`],
  [`const q2: [number, number][] = [[0, 0]]; while (q2.length > 0) { const [x, y] = q2.shift()!; x + y }`],
  [
    `export const exported = 1; export type Exported = string; export interface IE { a: number }`,
    `const ie: IE = { a: exported }; const ex: Exported = "a"`,
  ],
  [`(globalThis as any).zz = 1; zz`],
  [`const over1 = (x?: number, ...more: string[]) => [x, more]; over1(); over1(1, "a", "b")`],
  [`const defaults2 = ({ a = 1, b = 2 }: { a?: number; b?: number } = {}) => a + b; defaults2({ b: 1 })`],
  [
    `const typedArr: Float32Array = new Float32Array([1, 2]); typedArr.map((x) => x * 2); Float64Array.of(1, 2).reduce((a, b) => a + b); const u8 = new Uint8ClampedArray(4); u8.set([1, 2], 1); u8.subarray(1)`,
  ],
  [`const fn: Function = () => {}; fn.name; fn.call(null)`],
  [
    `class Obs { private listeners = new Set<(x: number) => void>(); on(f: (x: number) => void): () => void { this.listeners.add(f); return () => this.listeners.delete(f) } emit(x: number) { for (const f of this.listeners) f(x) } }`,
    `const ob = new Obs(); const off = ob.on((x) => console.log(x)); ob.emit(1); off()`,
  ],
  [
    `class Builder { private parts: string[] = []; add(p: string): this { this.parts.push(p); return this } build() { return this.parts.join(",") } } new Builder().add("a").build()`,
  ],
  [
    `type Json = string | number | boolean | null | Json[] | { [k: string]: Json }; const js: Json = { a: [1, "x", null] }`,
  ],
  [`const keys = <T extends object>(o: T) => Object.keys(o) as (keyof T)[]; keys({ a: 1 })`],
  [
    `function pick<T, K extends keyof T>(o: T, ...ks: K[]): Pick<T, K> { return Object.fromEntries(ks.map((k) => [k, o[k]])) as Pick<T, K> } pick({ a: 1, b: 2 }, "a").a`,
  ],
  [
    `const overloads = { f(x: string | number) { return typeof x === "string" ? x.length : x.toFixed() } }; overloads.f(1)`,
  ],
  [`let unionLit: "a" | "b" = "a"; unionLit = "b"`, `unionLit = "a"`],
  [`const roArr: readonly number[] = [1]; roArr.map((x) => x); const ro = { a: 1 } as const; ro.a`],
  [`let assigned!: number; assigned = 5; assigned.toFixed()`],
  [`let later: number; if (Math.random() > 2) later = 1`],
  [`const x20: any[] = []; x20.push({ a: 1 }); x20[0].a`],
  [
    `const dedupe = [...new Set([1, 1, 2])]; const inter = (a: Set<number>, b: Set<number>) => new Set([...a].filter((x) => b.has(x)))`,
  ],
  [`const [, yy2, mo2] = /(\\d+)-(\\d+)/.exec("2024-05")!; Number(yy2) + Number(mo2)`],
  [`const tagged = (s: TemplateStringsArray, ...v: unknown[]) => s.raw.join("?"); tagged\`a\${1}b\``],
  [
    `interface ListNode { value: number; next: ListNode | null } let head: ListNode | null = { value: 1, next: null }`,
    `while (head) { head = head.next }`,
  ],
  [`const sum = (...xs: number[]) => xs.reduce((a, b) => a + b, 0); sum(...[1, 2], 3)`],
  [
    `const debounce = <A extends unknown[]>(f: (...a: A) => void, ms: number) => { let t: NodeJS.Timeout | undefined; return (...a: A) => { clearTimeout(t); t = setTimeout(() => f(...a), ms) } }; debounce((x: number) => {}, 1)(5)`,
  ],
  [`let timer2: ReturnType<typeof setTimeout> | null = null; timer2 = setTimeout(() => {}, 1); clearTimeout(timer2)`],
  [`const abc3: Record<string, () => void> = { a() {} }; abc3["a"]?.(); abc3.a()`],
  [`const b7: ArrayBuffer = new ArrayBuffer(8); b7.resizable; b7.maxByteLength`],
  [`class R7 implements Disposable { [Symbol.dispose]() {} } { using r = new R7() } `],
  [`class R8 implements AsyncDisposable { async [Symbol.asyncDispose]() {} } { await using r = new R8() } `],
  [`(globalThis as any).later9 = 1`, `later9 + 1`],
  [
    `interface Box<T> { value: T } const bx: Box<number> = { value: 1 }`,
    `const unbox = <T>(b: Box<T>) => b.value; unbox<number>(bx)`,
  ],
  [
    `const results: Array<Promise<number>> = []; for (let i = 0; i < 2; i++) results.push(Promise.resolve(i)); (await Promise.all<Promise<number>[]>(results)).reduce<number>((a, b) => a + b, 0)`,
  ],
  [
    `import { zeros, ones } from "warpcell"; const x = ones([4]), y = zeros([4, 4], { dtype: "float64" })`,
    `x.shape.map((n) => n * 2); y.dtype`,
    `const rows = [x, x].map<number>((t) => t.shape[0]!); rows`,
  ],
  [
    `type Layer = { w: number[][]; b: number[] }; const layers: Layer[] = []; const relu = (v: number) => Math.max(0, v)`,
    `function forward(x: number[], ls: readonly Layer[] = layers): number[] { return ls.reduce<number[]>((h, { w, b }) => w.map((row, i) => relu(row.reduce((s, v, j) => s + v * h[j]!, b[i]!))), x) }`,
    `forward([1, 2])`,
  ],
  [
    `const lossHistory: number[] = []; for (let epoch = 0; epoch < 3; epoch++) { lossHistory.push(1 / (epoch + 1)) }`,
    `const best = Math.min(...lossHistory); lossHistory.indexOf(best)`,
  ],
  [
    `const canvas: string[][] = Array.from({ length: 2 }, () => Array<string>(3).fill("."))`,
    `canvas[0]![1] = "#"; canvas[0][1]; canvas.map((r) => r.join("")).join("\\n")`,
  ],
  [
    `async function* pages<T>(load: (n: number) => Promise<T[]>): AsyncGenerator<T, void, unknown> { for (let n = 0; ; n++) { const p = await load(n); if (!p.length) return; yield* p } }`,
    `for await (const item of pages<number>(async (n) => n < 2 ? [n] : [])) console.log(item)`,
  ],
  [
    `const debounceMap = new Map<string, ReturnType<typeof setTimeout>>(); debounceMap.set("a", setTimeout(() => {}, 1)); for (const [, t] of debounceMap) clearTimeout(t)`,
  ],
  [
    `export type Result<T, E = Error> = { ok: true; value: T } | { ok: false; error: E }; const ok = <T,>(value: T): Result<T, never> => ({ ok: true, value })`,
    `const res: Result<number> = ok(5); if (res.ok) res.value.toFixed(); else res.error.message`,
  ],
  [`const r2 = ok2(5); function ok2<T>(v: T) { return { ok: true as const, value: v } }`, `r2.value.toFixed()`],
  [
    `class LRU<K, V> { private map = new Map<K, V>(); constructor(private readonly max: number) {} get(k: K) { const v = this.map.get(k); if (v !== undefined) { this.map.delete(k); this.map.set(k, v) } return v } set(k: K, v: V) { this.map.set(k, v); if (this.map.size > this.max) this.map.delete(this.map.keys().next().value!) } }`,
    `const lru = new LRU<string, number>(2); lru.set("a", 1); lru.get("a")?.toFixed()`,
  ],
  [
    `interface Visitor<R> { num(n: number): R; add(a: Expr, b: Expr): R } type Expr = <R>(v: Visitor<R>) => R; const num = (n: number): Expr => (v) => v.num(n); const add = (a: Expr, b: Expr): Expr => (v) => v.add(a, b)`,
    `add(num(1), num(2))<number>({ num: (n) => n, add: (a, b) => a({ num: (n) => n, add: () => 0 }) })`,
  ],
  [`const sharp = { resize: (o: { width?: number; height?: number }) => o }; sharp.resize({ width: 1 })`],
  [
    `function curry2<A, B, C>(f: (a: A, b: B) => C) { return (a: A) => (b: B) => f(a, b) }`,
    `curry2((a: number, b: string) => b.repeat(a))(2)("x").length`,
  ],
  [
    `type Keys<T> = keyof T & string; function get<T, K extends Keys<T>>(o: T, k: K): T[K] { return o[k] } get({ a: 1, b: "x" }, "b").length`,
  ],
  [`const dict = Object.create(null) as Record<string, number | undefined>; dict.a = 1; dict["b"]?.toFixed()`],
  [
    `const sortBy = <T>(xs: readonly T[], key: (x: T) => number) => [...xs].sort((a, b) => key(a) - key(b)); sortBy<{ n: number }>([{ n: 2 }, { n: 1 }], (x) => x.n)[0].n`,
  ],
  [
    `const hist = [3, 1, 2].reduce<Map<number, number>>((m, x) => m.set(x, (m.get(x) ?? 0) + 1), new Map<number, number>()); [...hist.entries()].sort(([a], [b]) => a - b)`,
  ],
  [`const o8 = { a: 1, b: "x" }; (Object.keys(o8) as (keyof typeof o8)[]).forEach((k) => console.log(o8[k]))`],
  [
    `const m8: number[][] = [[1, 2], [3, 4]]; const tt = m8[0].map((_, j) => m8.map((row) => row[j])); const det = m8[0][0] * m8[1][1] - m8[0][1] * m8[1][0]`,
  ],
  [
    `let cur: Node9 | null = null; interface Node9 { next: Node9 | null; v: number }`,
    `cur = { next: cur, v: 1 }`,
    `for (let n: Node9 | null = cur; n; n = n.next) console.log(n.v)`,
  ],
  [
    `const gen9 = (function* (): Generator<number, string, boolean> { const go = yield 1; return go ? "a" : "b" })(); gen9.next(); gen9.next(true).value`,
  ],
  [`let fnv: (x: number) => number`, `fnv = (x) => x * 2`, `fnv(2)`],
  [
    `const apply = <F extends (...a: any[]) => any>(f: F, ...a: Parameters<F>): ReturnType<F> => f(...a); apply(Math.max, 1, 2).toFixed()`,
  ],
  [`const err = await Promise.reject(new Error("x")).catch((e: Error) => e); err.message`],
  [`const big2: bigint[] = [1n, 2n]; big2.reduce((a, b) => a + b, 0n)`],
  [
    `function takes(b: Uint8Array) { return b.length } takes(Buffer.from("a")); takes(new Uint8Array(new SharedArrayBuffer(4)))`,
  ],
  [
    `import { spawn, execFileSync } from "node:child_process"; const ch = spawn("ls", ["-l"], { stdio: "pipe" }); ch.stdout.on("data", (d: Buffer) => d.toString()); ch.kill(); execFileSync("ls", { encoding: "utf8" }).split("\\n")`,
  ],
  [`const point = { x: 1, y: 2 } as { x: number; y?: number }; delete point.y; "y" in point`],
  [`let u9: number | string = Math.random() > 0.5 ? 1 : "a"; if (typeof u9 === "number") u9.toFixed(); else u9.length`],
  [`type Brand<T, B> = T & { __brand: B }; type UserId = Brand<number, "UserId">; const uid = 5 as UserId; uid + 1`],
  [
    `const assertNever = (x: never): never => { throw new Error(String(x)) }; type S9 = "a" | "b"; const f9 = (s: S9) => { switch (s) { case "a": return 1; case "b": return 2; default: return assertNever(s) } }`,
  ],
  [`const lazy9 = <T>(f: () => T) => { let v: T | undefined; return () => v ??= f() }; lazy9(() => 5)().toFixed()`],
  [`const self2 = this; let that2 = globalThis as typeof globalThis & { foo?: number }; that2.foo = 1`],
  [`const ab2 = [1, 2, 3] as const; type Last = (typeof ab2)[2]; const l3: Last = 3; ab2.includes(2)`],
  [`const entries = Object.entries({ a: 1, b: 2 }) satisfies [string, number][]; new Map(entries).get("a")`],
  [
    `const done = false; while (!done) { if (Math.random() > 0) break }`,
    `let flag = false; setTimeout(() => { flag = true }, 1)`,
    `if (flag) console.log("set")`,
    `while (!flag) await new Promise<void>((r) => setTimeout(r, 1))`,
    `flag`,
  ],
  ["// what it says\n{ a: 1, b: [2] }", "/* a */ { a: 1 }; // b", "{ a: new Set<number>() }"],
];
