// Cells of many styles that are right: not one of them may get a warning. A line is a piece of a notebook, in the order it runs.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { TypeService } from "./service.ts";

const notebooks: string[][] = [
  [`const key = Symbol("k"); const conf = { a: 1, b: ["x", "y"] } as const; type Keys = keyof typeof conf`, `const k: Keys = "a"; conf.b[1] === "y"; const oo = { [key]: 1 }; oo[key]`],
  [`declare global { interface Array<T> { last(): T } }`, `const arr = [1].last()`, `const arr2: number = [1].last()`],
  [`export type T1 = number; export enum E1 { A } export class C1 { static make(): C1 { return new C1() } } export async function f1(): Promise<T1> { return 1 }`, `const c1: C1 = C1.make(); const e1: E1 = E1.A; const n1: T1 = await f1()`],
  [`abstract class Layer<P extends object = {}> { constructor(protected params: P) {} abstract forward(x: number[]): number[] }`, `class Dense extends Layer<{ w: number }> { forward(x: number[]) { return x.map(v => v * this.params.w) } }`, `const layers: Layer<any>[] = [new Dense({ w: 2 })]; layers.reduce((x, l) => l.forward(x), [1])`],
  [`let state: "idle" | "run" = "idle"`, `function go() { state = "run" } go()`, `if (state === "run") console.log(1)`, `switch (state) { case "idle": break; case "run": break }`],
  [`let queue: (() => void)[] | null = null`, `queue ??= []`, `queue.push(() => {})`],
  [`let resolveIt: ((v: number) => void) | undefined; const pr = new Promise<number>(r => { resolveIt = r })`, `resolveIt?.(5); await pr`, `resolveIt!(5)`],
  [`type Tree = { v: number; kids?: Tree[] }; const tree: Tree = { v: 1 }`, `function depth(t: Tree): number { return 1 + Math.max(0, ...(t.kids ?? []).map(depth)) } depth(tree)`],
  [`function over(a: string): string; function over(a: number): number; function over(a: any) { return a }`, `over("a").length; over(5).toFixed()`],
  [`const { x: px, y: [py, ...pz], ...pw } = { x: 1, y: [1, "a"], q: true }; for (var vv of [1]) {} if (true) { var hh = 1 }`, `px + vv + hh; pw.q; pz.length`],
  [`import * as fsx from "node:fs"; import { type Stats, statSync as st } from "node:fs"`, `const ss: Stats = st("/"); fsx.existsSync("a")`],
  [`import assert from "node:assert"`, `const mm: string | null = "a"; assert(mm); mm.length`, `mm.length`],
  [`const buf = new Float32Array(4); const view: Uint8Array = new Uint8Array(buf.buffer)`, `view[0] + buf[1]; Buffer.from(buf.buffer)`],
  [`class Counter { static #n = 0; static next() { return ++Counter.#n } get v() { return 1 } set v(x) {} }`, `Counter.next(); new Counter().v = 5`],
  [`const worker = (await import("node:worker_threads")).Worker; const wt: typeof import("node:path") = await import("node:path")`, `wt.join("a"); typeof worker`],
  [`function* ids() { let i = 0; while (true) yield i++ } const it = ids()`, `it.next().value; const [i1, i2] = it`],
  [`const sums: Record<string, number> = {}; sums["a"] = 1; sums.b = 2`, `sums.b + sums["c"]; for (const [k, v] of Object.entries(sums)) v.toFixed()`],
  [`let anyv: any = 1; let unk: unknown = 1`, `anyv.foo.bar; if (typeof unk === "number") unk.toFixed()`],
  [`const handlers = new Map<string, (x: number) => number>([["a", x => x + 1]])`, `handlers.get("a")!(1); handlers.get("a")?.(1)`],
  [`var self1 = this; const that = globalThis`, `that.process; (globalThis as any).foo = 1`],
  [`async function* src() { yield 1 }; const got: number[] = []; for await (const g of src()) got.push(g)`, `got.map(g => g.toFixed())`],
  [`const enum Dir { Up = 1 } ; const d1: Dir = Dir.Up`, `d1 === Dir.Up`],
  [`@(function (c: any) {}) class Deco { @((t: any, k: any) => {}) prop = 1 }`, `new Deco().prop`],
  [`let a1 = 1, b1 = 2; [a1, b1] = [b1, a1]`, `[a1, b1] = [b1, a1]; ({ a1, b1 } = { a1: 1, b1: 2 })`, `a1 + b1`],
  [`const el = { style: {} }; el.style.color = "red"`, `el.style.width = 5; el.style.color`],
  [`const cb = (err, data) => { if (err) throw err; return data.toString() }`, `cb(null, 5)`, `cb()`],
  [`const http = require("http"); const server = http.createServer((req, res) => { res.end("a" + req.url) }); server.close()`, `server.listening`],
  [`let p5 = Promise.resolve(); p5 = p5.then(() => 5)`, `await p5`],
  [`const m2 = [[1, 2], [3, 4]]; const tr = m2[0].map((_, i) => m2.map(r => r[i]))`, `tr[0][1]`],
  [`const o5 = Object.create(null); o5.x = 1; const ks = Object.fromEntries([["a", 1]]); ks.a`, `o5.y; ks.b`],
  [`const fmt = (n, d = 2) => n.toFixed(d); const curry = a => b => c => a + b + c`, `fmt(5); curry(1)(2)(3)`],
  [`const xs = [5, 1, 3]; xs.sort((a, b) => b - a); const [hi, ...lo] = xs; const mean = xs.reduce((a, b) => a + b, 0) / xs.length`, `mean.toFixed(2); lo.length`],
  [`const data2 = await fetch("http://x/").then(r => r.json()).catch(() => null); data2?.items`, `data2.items.length`],
  [`function memo(fn) { const c = {}; return k => c[k] ?? (c[k] = fn(k)) } const sq = memo(x => x * x)`, `sq(3) + 1`],
  [`class Node2 { constructor(v) { this.v = v; this.next = null } } class List { constructor() { this.head = null; this.n = 0 } push(v) { const nn = new Node2(v); nn.next = this.head; this.head = nn; this.n++; return this } }`, `const list = new List().push(1).push(2); list.head.v; list.head.next.v`],
  [`const e = new Error("a"); e.code = 5; e.code`, `const [a9, b9] = "a b".split(" "); a9.length`],
  [`process.stdout.write("a"); process.env.FOO = "1"; process.env.N.length`, `console.log("%d", 5); console.time("a"); console.timeEnd("a")`],
  [`let arr9 = new Array(5); arr9[0] = 1; arr9[1] = "a"`, `arr9.fill(0).map((_, i) => i)`],
  [`const fnx = function named(a) { return a ? named(a - 1) : 0 }`, `fnx(3)`],
  [`setTimeout(() => console.log(1), 10); const iv = setInterval(() => clearInterval(iv), 5)`, `iv`],
  [`export default function main(n: number) { return n }`, `export default class App { n = main(1) }`, `new App().n + main(2)`],
  [`const empty = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); const added: WebAssembly.Instance = new WebAssembly.Instance(empty)`, `added.exports; performance instanceof Performance; crypto.subtle instanceof SubtleCrypto`],
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

  test("and a wrong one does get a warning", async () => {
    expect((await service.diagnose(++count, "const wrong: string = 1"))[0]?.code).toBe("TS2322");
  });
});
