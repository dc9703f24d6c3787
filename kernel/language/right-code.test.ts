// Cells of many styles that are right: not one of them may get a warning. A line is a piece of a notebook, in the order
// it runs.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { TypeService } from "./service.ts";

const notebooks: string[][] = [
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
    `const { x: px, y: [py, ...pz], ...pw } = { x: 1, y: [1, "a"], q: true }; for (var vv of [1]) {} if (true) { var hh = 1 }`,
    `px + vv + hh; pw.q; pz.length`,
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
    `class Counter { static #n = 0; static next() { return ++Counter.#n } get v() { return 1 } set v(x) {} }`,
    `Counter.next(); new Counter().v = 5`,
  ],
  [
    `const worker = (await import("node:worker_threads")).Worker; const wt: typeof import("node:path") = await import("node:path")`,
    `wt.join("a"); typeof worker`,
  ],
  [`function* ids() { let i = 0; while (true) yield i++ } const it = ids()`, `it.next().value; const [i1, i2] = it`],
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
  [`let a1 = 1, b1 = 2; [a1, b1] = [b1, a1]`, `[a1, b1] = [b1, a1]; ({ a1, b1 } = { a1: 1, b1: 2 })`, `a1 + b1`],
  [`const el = { style: {} }; el.style.color = "red"`, `el.style.width = 5; el.style.color`],
  [`const cb = (err, data) => { if (err) throw err; return data.toString() }`, `cb(null, 5)`, `cb()`],
  [
    `const http = require("http"); const server = http.createServer((req, res) => { res.end("a" + req.url) }); server.close()`,
    `server.listening`,
  ],
  [`let p5 = Promise.resolve(); p5 = p5.then(() => 5)`, `await p5`],
  [`const m2 = [[1, 2], [3, 4]]; const tr = m2[0].map((_, i) => m2.map(r => r[i]))`, `tr[0][1]`],
  [`const o5 = Object.create(null); o5.x = 1; const ks = Object.fromEntries([["a", 1]]); ks.a`, `o5.y; ks.b`],
  [`const fmt = (n, d = 2) => n.toFixed(d); const curry = a => b => c => a + b + c`, `fmt(5); curry(1)(2)(3)`],
  [
    `const xs = [5, 1, 3]; xs.sort((a, b) => b - a); const [hi, ...lo] = xs; const mean = xs.reduce((a, b) => a + b, 0) / xs.length`,
    `mean.toFixed(2); lo.length`,
  ],
  [`const data2 = await fetch("http://x/").then(r => r.json()).catch(() => null); data2?.items`, `data2.items.length`],
  [`function memo(fn) { const c = {}; return k => c[k] ?? (c[k] = fn(k)) } const sq = memo(x => x * x)`, `sq(3) + 1`],
  [
    `class Node2 { constructor(v) { this.v = v; this.next = null } } class List { constructor() { this.head = null; this.n = 0 } push(v) { const nn = new Node2(v); nn.next = this.head; this.head = nn; this.n++; return this } }`,
    `const list = new List().push(1).push(2); list.head.v; list.head.next.v`,
  ],
  [`const e = new Error("a"); e.code = 5; e.code`, `const [a9, b9] = "a b".split(" "); a9.length`],
  [
    `process.stdout.write("a"); process.env.FOO = "1"; process.env.N.length`,
    `console.log("%d", 5); console.time("a"); console.timeEnd("a")`,
  ],
  [`let arr9 = new Array(5); arr9[0] = 1; arr9[1] = "a"`, `arr9.fill(0).map((_, i) => i)`],
  [`const fnx = function named(a) { return a ? named(a - 1) : 0 }`, `fnx(3)`],
  [`setTimeout(() => console.log(1), 10); const iv = setInterval(() => clearInterval(iv), 5)`, `iv`],
  [
    `export default function main(n: number) { return n }`,
    `export default class App { n = main(1) }`,
    `new App().n + main(2)`,
  ],
  [
    `const empty = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); const added: WebAssembly.Instance = new WebAssembly.Instance(empty)`,
    `added.exports; performance instanceof Performance; crypto.subtle instanceof SubtleCrypto`,
  ],
  [`new Set<number>([1, 2])`],
  [`const text9 = await new Promise<string>((resolve) => setTimeout(() => resolve("a"), 1)); text9.length`],
  [
    `const xs = [1, 2]; xs.map<number>((x) => x + 1)`,
    `xs.reduce<Record<string, number>>((all, x) => { all[x] = x; return all }, {}).a`,
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
  [`const promise = Promise.all<number>([1, 2]); (await promise)[0].toFixed()`],
  [`const arr = Array.from<number>({ length: 3 }).fill(0)`],
  [`const ref = new WeakMap<object, string>()`],
  [`const grid = Array<number>(3).fill(0)`, `grid[0].toFixed()`],
  [`const events = new (await import("node:events")).EventEmitter(); events.on("a", (x) => x.y); events.emit("a", 1)`],
  [
    `import { EventEmitter } from "node:events"; class Bus extends EventEmitter { fire() { this.emit("x", 1) } } new Bus().fire()`,
  ],
  [`const parsed = JSON.parse('{"a": [1]}') as { a: number[] }; parsed.a.map((x) => x * 2)`],
  [`const { a, ...rest } = { a: 1, b: 2, c: 3 }; Object.entries(rest).map(([k, v]) => k + v)`],
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
  [`const xs5 = [1, null, 2].filter((x) => x !== null); xs5.map((x) => x.toFixed())`],
  [`const byId = Object.fromEntries([["a", 1], ["b", 2]].map(([k, v]) => [k, v]))`, `byId.a; byId["b"]`],
  [
    `const re = /(?<year>\\d{4})-(?<month>\\d\\d)/; const mm2 = "2024-05".match(re); mm2?.groups?.year`,
    `mm2.groups.year`,
  ],
  [`const label = "2024-05".match(/\\d+/)[0]`],
  [`const o = { n: 1, get twice() { return this.n * 2 }, inc() { this.n++; return this } }; o.inc().twice`],
  [`let i = 0; while (i < 3) { i++; if (i === 2) continue } do { i-- } while (i > 0)`],
  [`let total = 0`, `for (const x of [1, 2, 3]) total += x`, `total.toFixed()`],
  [
    `const data = [{ name: "a", age: 1 }, { name: "b", age: 2 }]; data.sort((a, b) => a.age - b.age).map(({ name }) => name)`,
    `const groups = data.reduce((acc, d) => { (acc[d.name] ??= []).push(d); return acc }, {})`,
    `groups.a[0].age`,
  ],
  [
    `const groups2 = {}; for (const d of [{ k: "a" }]) { if (!groups2[d.k]) groups2[d.k] = []; groups2[d.k].push(d) }`,
    `groups2.a.length; groups2["a"]`,
  ],
  [
    `const counts: { [key: string]: number } = {}; for (const c of "hello") counts[c] = (counts[c] ?? 0) + 1`,
    `Object.entries(counts).sort(([, a], [, b]) => b - a)[0]`,
  ],
  [`const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms))`, `await sleep(1)`],
  [`const sleep2 = ms => new Promise(r => setTimeout(r, ms)); await sleep2(1)`],
  [`try { throw new Error("x") } catch (e) { console.log(e.message) } finally { }`],
  [`try { JSON.parse("{") } catch (e: any) { e.message } `],
  [`try { JSON.parse("{") } catch (e) { if (e instanceof SyntaxError) e.message; else throw e }`],
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
  [`const ctrl = new AbortController(); setTimeout(() => ctrl.abort(), 1); ctrl.signal.aborted`],
  [`const u = new URL("http://a/b?c=1"); u.searchParams.get("c")`],
  [`const bytes = new TextEncoder().encode("a"); new TextDecoder().decode(bytes)`],
  [`const dv = new DataView(new ArrayBuffer(8)); dv.setFloat32(0, 1.5, true); dv.getFloat32(0, true)`],
  [`const fib = (n: number): number => n < 2 ? n : fib(n - 1) + fib(n - 2); fib(10)`],
  [
    `const memo = new Map<number, bigint>(); const fibm = (n: number): bigint => { if (n < 2) return BigInt(n); const k = memo.get(n); if (k !== undefined) return k; const v = fibm(n - 1) + fibm(n - 2); memo.set(n, v); return v }; fibm(50)`,
  ],
  [
    `console.table([{ a: 1 }]); console.dir({ a: 1 }, { depth: null }); console.assert(true); console.group("a"); console.groupEnd()`,
  ],
  [`import { performance } from "node:perf_hooks"; const t0 = performance.now(); performance.now() - t0`],
  [
    `import fs from "fs"; import path from "path"; import os from "os"; fs.readdirSync(".").map((f) => path.extname(f)); os.cpus().length`,
  ],
  [
    `import { readFile } from "fs/promises"; const raw2 = await readFile("/etc/hostname", "utf8").catch(() => ""); raw2.split("\\n").filter(Boolean)`,
  ],
  [
    `import { promisify } from "util"; import { exec } from "child_process"; const run = promisify(exec); const { stdout } = await run("echo a"); stdout.trim()`,
  ],
  [`const deep = structuredClone({ a: new Date(), b: new Map([[1, 2]]) }); deep.b.get(1)`],
  [
    `queueMicrotask(() => {}); setImmediate(() => {}); const tm = setTimeout(() => {}, 1); clearTimeout(tm); tm.unref?.()`,
  ],
  [`function* gen() { yield* [1, 2] } [...gen()]; Array.from(gen(), (x) => x * 2)`],
  [`const iter = { *[Symbol.iterator]() { yield 1; yield 2 } }; [...iter]`],
  [`const sym = Symbol("a"); const os2 = { [sym]: 1 }; os2[sym]`],
  [`const proxy = new Proxy({} as Record<string, number>, { get: (t, k) => t[k as string] ?? 0 }); proxy.anything`],
  [`const proxy2 = new Proxy({}, { get: (t, k) => k }); proxy2.anything`],
  [`label: for (const a of [1]) { for (const b of [2]) { if (b === 2) continue label } }`],
  [`var a1 = 1; var a1 = 2; function dup() { return 1 } function dup() { return 2 }`],
  [`const big = 10n ** 20n; big.toString(); Number(big)`],
  [`const frozen = Object.freeze({ a: 1 }); frozen.a`],
  [`let x1 = 5, y1 = x1 as unknown as string; y1.length`],
  [`if (typeof window !== "undefined") { console.log(window) }`],
  [`const nested = [1, [2, [3]]]; nested.flat(Infinity)`],
  [
    `[3, 1, 2].toSorted(); [1, 2].at(-1); [1, 2, 3].findLast((x) => x > 1); [1].with(0, 2); Object.hasOwn({ a: 1 }, "a"); "a".replaceAll("a", "b")`,
  ],
  [
    `const buf2 = Buffer.from("abc"); buf2.toString("hex"); buf2.readUInt8(0); Uint8Array.from(buf2); Buffer.concat([buf2, buf2])`,
  ],
  [`const ws = new WeakRef({ a: 1 }); ws.deref()?.a`],
  [
    `new Intl.NumberFormat("en", { style: "currency", currency: "EUR" }).format(1); (1234.5).toLocaleString(); new Date().toLocaleDateString("de-DE", { weekday: "long" })`,
  ],
  [`const counter = (() => { let n = 0; return () => ++n })(); counter()`],
  [
    `class P { x; y; constructor(x, y) { this.x = x; this.y = y } static origin = new P(0, 0); add({ x, y }) { return new P(this.x + x, this.y + y) } }`,
    `P.origin.add({ x: 1, y: 2 }).x`,
  ],
  [
    `class Account { #balance = 0; deposit(n) { this.#balance += n; return this } get balance() { return this.#balance } }`,
    `new Account().deposit(5).balance`,
  ],
  [
    `function Person(name) { this.name = name } Person.prototype.hi = function () { return "hi " + this.name }`,
    `new Person("a").hi()`,
  ],
  [
    `const mixin = (Base) => class extends Base { extra() { return 1 } }; class A0 {} const M = mixin(A0)`,
    `new M().extra()`,
  ],
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
  [
    `const obj5 = { async f() { return 1 }, *g() { yield 1 }, async *h() { yield 1 }, ["comp" + 1]: 2, "quoted-key": 3 }; obj5["quoted-key"]; await obj5.f()`,
  ],
  [`const out = []; for (let i = 0; i < 3; i++) out.push(i * 2)`, `out.map((x) => x + 1); out`],
  [`const out2: number[] = []; for (let i = 0; i < 3; i++) out2.push(i)`],
  [`let acc = []; acc = [...acc, 1]; acc = acc.concat([2]); acc.length`, `acc[0] + 1`],
  [`let best = null; for (const x of [1, 2]) if (best === null || x > best) best = x`, `best + 1`],
  [`let best2 = Infinity, arg; for (const x of [3, 1]) if (x < best2) { best2 = x; arg = x }`, `arg.toFixed()`],
  [`const cache = {}; cache["k"] = 1; delete cache["k"]; "k" in cache`],
  [`const opts = { retries: 1 }; opts.timeout = 5; opts.retries`],
  [`const q = [[0, 0]]; while (q.length) { const [x, y] = q.shift(); x + y }`],
  [`const q2: [number, number][] = [[0, 0]]; while (q2.length > 0) { const [x, y] = q2.shift()!; x + y }`],
  [
    `const words = "the quick brown the".split(" "); const freq = {}; words.forEach(w => freq[w] = (freq[w] || 0) + 1); Object.keys(freq)`,
    `freq.the; Object.entries(freq).sort((a, b) => b[1] - a[1])`,
  ],
  [`const zipped = (a, b) => a.map((x, i) => [x, b[i]]); zipped([1], ["a"])`],
  [`const pipe = (...fns) => x => fns.reduce((v, f) => f(v), x); pipe(x => x + 1, x => x * 2)(5)`],
  [`const range = (n) => [...Array(n).keys()]; range(3)`],
  [
    `const matrix = Array.from({ length: 3 }, () => Array(3).fill(0)); matrix[0][1] = 5; matrix.map(r => r.join(" ")).join("\\n")`,
  ],
  [
    `const primes = []; outer: for (let n = 2; primes.length < 5; n++) { for (const p of primes) if (n % p === 0) continue outer; primes.push(n) }`,
    `primes`,
  ],
  [`new Date() - new Date(0); +new Date(); new Date().getTime() / 1000`],
  [`const d1 = new Date("2024-01-01"), d2 = new Date(); const days = (d2 - d1) / 86400000; days.toFixed(1)`],
  [`parseInt("5"); parseFloat("5.5"); Number("5"); isNaN(5); Number.isInteger(5)`],
  [`Math.max(...[1, 2]); Math.hypot(1, 2); Math.trunc(1.5); Math.sign(-1); Math.clz32(1); Math.fround(1.1)`],
  [
    `process.argv.slice(2); process.env.HOME; process.cwd(); process.memoryUsage().heapUsed; process.hrtime.bigint(); process.nextTick(() => {})`,
  ],
  [`const h = require("crypto").createHash("sha256").update("a").digest("hex"); h.slice(0, 8)`],
  [`const { createHash } = await import("node:crypto"); createHash("md5").update("a").digest("base64")`],
  [`const zlib = require("zlib"); zlib.gunzipSync(zlib.gzipSync("a")).toString()`],
  [`import { Worker, isMainThread } from "node:worker_threads"; isMainThread`],
  [`import test from "node:test"; typeof test`],
  [`import { setTimeout as delay } from "node:timers/promises"; await delay(1); await delay<string>(1, "a")`],
  [`import readline from "node:readline"; typeof readline.createInterface`],
  [
    `import { pipeline } from "node:stream/promises"; import { Readable, Transform } from "node:stream"; Readable.from([1, 2]); new Transform({ transform(chunk, enc, cb) { cb(null, chunk) } })`,
  ],
  [`import * as url from "node:url"; url.fileURLToPath("file:///a")`],
  [
    `export const exported = 1; export type Exported = string; export interface IE { a: number }`,
    `const ie: IE = { a: exported }; const ex: Exported = "a"`,
  ],
  [`console.log(import.meta.url); import.meta.dirname; import.meta.filename`],
  [`const lazy = import("node:os"); (await lazy).cpus()`],
  [
    `const a5 = await Promise.allSettled([1, Promise.reject(2)]); a5.map((r) => r.status === "fulfilled" ? r.value : r.reason)`,
  ],
  [`await Promise.race([new Promise((_, reject) => setTimeout(reject, 1)), 5]); await Promise.any([1])`],
  [`for await (const x of (async function* () { yield 1 })()) x.toFixed()`],
  [`using res = { [Symbol.dispose]() {} }; res`],
  [`await using ares = { async [Symbol.asyncDispose]() {} }`],
  [`const ab = new SharedArrayBuffer(8); Atomics.add(new Int32Array(ab), 0, 1)`],
  [
    `const blob = new Blob(["a"]); await blob.text(); new FormData().append("a", "b"); new Headers({ a: "b" }).get("a"); new Response("x").text()`,
  ],
  [`globalThis.shared = 5; globalThis.shared`],
  [`globalThis.shared2 ??= 5; globalThis.shared2 + 1`],
  [`var g9 = 1; globalThis.g9`],
  [`(globalThis as any).zz = 1; zz`],
  [`function outer1() { inner1(); function inner1() {} } outer1()`],
  [`const over1 = (x?: number, ...more: string[]) => [x, more]; over1(); over1(1, "a", "b")`],
  [`const defaults = ({ a = 1, b = 2 } = {}) => a + b; defaults(); defaults({ a: 5 })`],
  [`const defaults2 = ({ a = 1, b = 2 }: { a?: number; b?: number } = {}) => a + b; defaults2({ b: 1 })`],
  [`const opt = { a: { b: { c: 1 } } }; opt?.a?.b?.c; opt.x?.y`],
  [`const arr7 = [1, 2, 3]; const [first7, , third7 = 5] = arr7; first7 + third7`],
  [`let s7 = ""; for (const k in { a: 1 }) s7 += k; s7`],
  ["const t7 = `multi\nline ${1 + 1}`; String.raw`\\n`; t7.trim()"],
  [`const date = new Date(); date.year = 5`],
  [`Array.prototype.last = function () { return this[this.length - 1] }`, `[1, 2].last()`],
  [`String.prototype.shout = function () { return this.toUpperCase() + "!" }; "a".shout()`],
  [`let fnl; fnl = (x) => x + 1; fnl(5)`],
  [`const num = +"5"; const str = num + ""; !!str; ~~5.5; 5 | 0; num ** 2; -(2 ** 2)`],
  [`const cmp = (a, b) => a < b ? -1 : a > b ? 1 : 0; [2, 1].sort(cmp)`],
  [`const isOdd = n => n & 1; [1, 2].some(isOdd); [1, 2].every(Boolean)`],
  [`if (a2 = 5) {} var a2`],
  [`let undef; undef?.x; undef ?? 5`],
  [`const chained = [5, 2].map(x => ({ x, sq: x * x })).filter(({ sq }) => sq > 4).map(({ x }) => x)`],
  [
    `const typedArr: Float32Array = new Float32Array([1, 2]); typedArr.map((x) => x * 2); Float64Array.of(1, 2).reduce((a, b) => a + b); const u8 = new Uint8ClampedArray(4); u8.set([1, 2], 1); u8.subarray(1)`,
  ],
  [`const fn: Function = () => {}; fn.name; fn.call(null)`],
  [`const anyFn = function () { return arguments.length }; anyFn(1, 2, 3)`],
  [
    `class Temp { static #c = 0; static { Temp.#c = 1 } static get c() { return Temp.#c } accessorLike = 1; ["x" + 1] = 2 } Temp.c`,
  ],
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
  [`unique: { break unique }`],
  [`void 0; typeof 5; (0, eval)("1"); new Function("return 1")()`],
  [`const ev = eval("1 + 1"); ev.toFixed()`],
  [`const x20: any[] = []; x20.push({ a: 1 }); x20[0].a`],
  [
    `const dedupe = [...new Set([1, 1, 2])]; const inter = (a: Set<number>, b: Set<number>) => new Set([...a].filter((x) => b.has(x)))`,
  ],
  [`const sorted = [..."hello"].sort().join(""); sorted.padStart(10, "*").repeat(2)`],
  [`const [, yy, mo] = /(\\d+)-(\\d+)/.exec("2024-05") ?? []; yy + mo`],
  [`const [, yy2, mo2] = /(\\d+)-(\\d+)/.exec("2024-05")!; Number(yy2) + Number(mo2)`],
  [`for (const m of "a1b2".matchAll(/[a-z](\\d)/g)) console.log(m[1], m.index)`],
  [`"a-b".replace(/-(\\w)/g, (_, c) => c.toUpperCase())`],
  [`const tagged = (s: TemplateStringsArray, ...v: unknown[]) => s.raw.join("?"); tagged\`a\${1}b\``],
  [`const dd = new Date; dd.getFullYear()`],
  [`setTimeout(async () => { await 1 }, 1)`],
  [`const wait = new Promise((resolve) => setTimeout(resolve, 1)); await wait`],
  [
    `const ans = await new Promise((resolve, reject) => { if (Math.random() > 2) reject(new Error("x")); else resolve({ a: 1 }) }); ans.a`,
  ],
  [`const ans2 = await new Promise<{ a: number }>((resolve) => resolve({ a: 1 })); ans2.a.toFixed()`],
  [`let node = { value: 1, next: null }; node.next = { value: 2, next: null }; node.next.value`],
  [
    `interface ListNode { value: number; next: ListNode | null } let head: ListNode | null = { value: 1, next: null }`,
    `while (head) { head = head.next }`,
  ],
  [
    `class TreeNode { left = null; right = null; constructor(v) { this.v = v } insert(v) { const side = v < this.v ? "left" : "right"; if (this[side]) this[side].insert(v); else this[side] = new TreeNode(v) } }`,
    `const root9 = new TreeNode(5); root9.insert(3); root9.left.v`,
  ],
  [
    `const emitter = { handlers: {}, on(e, f) { (this.handlers[e] ||= []).push(f) }, emit(e, ...a) { (this.handlers[e] || []).forEach(f => f(...a)) } }; emitter.on("x", v => v); emitter.emit("x", 1)`,
  ],
  [`import { strict as assert } from "assert"; assert.equal(1, 1); assert.deepEqual([1], [1]); assert(true)`],
  [`const sum = (...xs: number[]) => xs.reduce((a, b) => a + b, 0); sum(...[1, 2], 3)`],
  [
    `const debounce = <A extends unknown[]>(f: (...a: A) => void, ms: number) => { let t: NodeJS.Timeout | undefined; return (...a: A) => { clearTimeout(t); t = setTimeout(() => f(...a), ms) } }; debounce((x: number) => {}, 1)(5)`,
  ],
  [
    `const debounce2 = (f, ms) => { let t; return (...a) => { clearTimeout(t); t = setTimeout(() => f(...a), ms) } }; debounce2(x => x, 1)(5)`,
  ],
  [`const timer = setInterval(() => {}, 1000); clearInterval(timer)`],
  [`let timer2: ReturnType<typeof setTimeout> | null = null; timer2 = setTimeout(() => {}, 1); clearTimeout(timer2)`],
  [`const abc = { a: 1, b: 2 }; for (const k of Object.keys(abc)) console.log(abc[k])`],
  [`const abc2 = { a: 1, b: 2 }; let kk = "a"; abc2[kk]`],
  [`const abc3: Record<string, () => void> = { a() {} }; abc3["a"]?.(); abc3.a()`],
  [
    `new ArrayBuffer(8, { maxByteLength: 16 }).resize(16); "a".isWellFormed(); /[\\p{L}--[a-z]]/v.test("A"); "a".toWellFormed()`,
  ],
  [`const b7: ArrayBuffer = new ArrayBuffer(8); b7.resizable; b7.maxByteLength`],
  [`class R7 implements Disposable { [Symbol.dispose]() {} } { using r = new R7() } `],
  [`class R8 implements AsyncDisposable { async [Symbol.asyncDispose]() {} } { await using r = new R8() } `],
  [`import fsp from "node:fs/promises"; { await using h = await fsp.open("/etc/hostname"); h.fd }`],
  [`if (typeof document === "undefined") console.log("node"); else document.title`],
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
    `let seed = 42; const rand = () => (seed = (seed * 1664525 + 1013904223) % 2 ** 32) / 2 ** 32`,
    `Array.from({ length: 3 }, rand)`,
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
  [
    `const eventTarget = new EventTarget(); eventTarget.addEventListener("x", (e) => console.log(e.type)); eventTarget.dispatchEvent(new Event("x"))`,
  ],
  [
    `const channel = new MessageChannel(); channel.port1.onmessage = (e) => console.log(e.data); channel.port2.postMessage(1); channel.port1.close()`,
  ],
  [`import { setInterval as every } from "timers/promises"; for await (const _x of every(1)) break`],
  [
    `import { join, resolve as resolvePath } from "node:path"; import { fileURLToPath } from "node:url"; join(import.meta.dirname, "a"); resolvePath(".")`,
  ],
  [
    `import { createReadStream } from "node:fs"; import { createInterface } from "node:readline"; const rl = createInterface({ input: createReadStream("/etc/hostname") }); for await (const line of rl) line.trim()`,
  ],
  [`const { default: fs2 } = await import("node:fs"); fs2.existsSync("a")`],
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
  [
    `const controller = new AbortController(); const { signal } = controller; signal.addEventListener("abort", () => console.log("x")); AbortSignal.timeout(1)`,
  ],
  [
    `const stream = new ReadableStream<number>({ start(c) { c.enqueue(1); c.close() } }); for await (const v of stream) v.toFixed()`,
  ],
  [`const big2: bigint[] = [1n, 2n]; big2.reduce((a, b) => a + b, 0n)`],
  [`const d5 = new Date(2024, 0, 1); d5.toISOString().slice(0, 10); d5 < new Date(); Date.now() - d5.getTime()`],
  [
    `const u5 = Uint8Array.from([1, 2]); Buffer.from(u5).toString("base64"); new Blob([u5]); new DataView(u5.buffer, u5.byteOffset); crypto.getRandomValues(u5); await crypto.subtle.digest("SHA-256", u5)`,
  ],
  [
    `const f32 = new Float32Array(4); f32.set([1, 2], 1); new Float32Array(f32.buffer, 4, 2); f32.subarray(1, 2); Float32Array.from({ length: 3 }, (_, i) => i); [...f32].map(String)`,
  ],
  [
    `function takes(b: Uint8Array) { return b.length } takes(Buffer.from("a")); takes(new Uint8Array(new SharedArrayBuffer(4)))`,
  ],
  [
    `import { readFileSync, writeFileSync } from "node:fs"; writeFileSync("/tmp/x", new Float32Array(2)); const rb = readFileSync("/tmp/x"); new Float32Array(rb.buffer, rb.byteOffset, rb.length / 4)`,
  ],
  [
    `import http from "node:http"; const srv = http.createServer((q, s) => { s.setHeader("a", "b"); s.end(JSON.stringify({ url: q.url })) }); srv.listen(0, () => { const a = srv.address(); if (a && typeof a === "object") console.log(a.port) }); srv.close()`,
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
  [`console.log(\`\${[1, 2].map((x) => \`<\${x}>\`).join("")}\`); console.log("%c a", "color: red")`],
  [`const settings = { a: { b: 1 } }; const { a: { b: deepB = 5 } = {} } = settings; deepB`],
  [`for (const [i, ch] of [..."ab"].entries()) console.log(i, ch.toUpperCase())`],
  [`const even = [1, 2, 3].filter((x) => !(x % 2)), { length } = even; length`],
  [`var html2 = html\`<b>x</b>\`; display(html2); md\`# x\``],
  [`const w = new Worker2(); function Worker2() { this.x = 1 }`],
  [`const self2 = this; let that2 = globalThis as typeof globalThis & { foo?: number }; that2.foo = 1`],
  [`const ab2 = [1, 2, 3] as const; type Last = (typeof ab2)[2]; const l3: Last = 3; ab2.includes(2)`],
  [`const entries = Object.entries({ a: 1, b: 2 }) satisfies [string, number][]; new Map(entries).get("a")`],
  [`let cnt = 0; const inc = () => cnt++; inc(); cnt`, `cnt === 1 ? "one" : "other"`],
  [
    `const done = false; while (!done) { if (Math.random() > 0) break }`,
    `let flag = false; setTimeout(() => { flag = true }, 1)`,
    `if (flag) console.log("set")`,
    `while (!flag) await new Promise<void>((r) => setTimeout(r, 1))`,
    `flag`,
  ],
  ["// what it says\n{ a: 1, b: [2] }", "/* a */ { a: 1 }; // b", "{ a: new Set<number>() }"],
  [`export default 5`, `export const zz1 = 1, zz2 = "a"; export { zz1 as renamed }`, `zz1 + zz2.length`],
];

describe.each(["commonjs", "module"])("in a folder whose package is of type %s", (type) => {
  const directory = mkdtempSync(join(tmpdir(), "warpcell-right-"));
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type }));
  // Longer than a user should wait: no answer would look like no warning.
  const service = new TypeService({ directory, bound: 30_000 });
  service.start();
  let count = 0;

  afterAll(() => {
    service.stop();
    rmSync(directory, { recursive: true });
  });

  test.each(notebooks.map((cells) => ({ cells, title: cells[0]!.slice(0, 80) })))("$title", async ({ cells }) => {
    for (const code of cells) {
      const found = await service.diagnose(++count, code);
      service.commit(count, code);
      expect(found, code).toEqual([]);
    }
  });

  // What a newer edition of JavaScript brought is right where the Node that runs has it, and only there.
  test.each([
    ["Object.groupBy([1], (x) => 'a' + x)", "groupBy" in Object],
    ["Promise.withResolvers<number>().promise", "withResolvers" in Promise],
    ["new Set([1]).union(new Set([2]))", "union" in Set.prototype],
    ["[1].values().map((x) => x)", "Iterator" in globalThis],
    ["await Array.fromAsync([1])", "fromAsync" in Array],
    ["new ArrayBuffer(8).transfer(4)", "transfer" in ArrayBuffer.prototype],
    ["new DisposableStack().dispose()", "DisposableStack" in globalThis],
    ["new ArrayBuffer(8).resizable", "resize" in ArrayBuffer.prototype],
    ["'a'.isWellFormed()", "isWellFormed" in String.prototype],
    ["import { DatabaseSync } from 'node:sqlite'", isBuiltin("node:sqlite")],
    ["import { globSync } from 'node:fs'", "globSync" in process.getBuiltinModule("node:fs")],
    ["import { readFileSink } from 'node:fs'", false],
  ])("%s", async (code, isThere) => {
    const found = await service.diagnose(++count, code);
    expect(found.length === 0, JSON.stringify(found)).toBe(isThere);
  });

  test("what it says of something newer than this Node, or of a browser, does not speak of compiler options", async () => {
    const missing = await service.diagnose(++count, "import x from 'node:no_such_module'");
    expect(missing.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Cannot find (name|module) 'node:no_such_module'[^?]*$/),
    ]);
    const newer = await service.diagnose(
      ++count,
      "Math.sumOfAllThings; new Map<string, number>().getOrInsert('a', 1); document.title",
    );
    expect(newer.map(({ message }) => message)).toEqual([
      "Property 'sumOfAllThings' does not exist on type 'Math'.",
      ...("getOrInsert" in Map.prototype
        ? []
        : [
            `Property 'getOrInsert' does not exist on type 'Map<string, number>'. Node ${process.versions.node} does not have it.`,
          ]),
      "Cannot find name 'document'. Browsers have it; cells run in Node.",
    ]);
  });

  test("and a wrong one does get a warning", async () => {
    expect((await service.diagnose(++count, "const wrong: string = 1"))[0]?.code).toBe("TS2322");
  });
});
