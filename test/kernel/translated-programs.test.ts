// Programs as cells: `%%cuda --cells` answers with cells that run in the same session and print what the program prints.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { translated } from "../../kernel/language/cuda/as-cells/translate.ts";
import { programArguments } from "../helpers/program-arguments.ts";
import { blocksOf } from "../helpers/guides.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { openKernel } from "../helpers/kernel.ts";
import { TestSession } from "../helpers/session.ts";

const folder = new URL("../programs/", import.meta.url);
const names = readdirSync(folder)
  .map((file) => file.replace(/\.cu$/, ""))
  .sort();
const source = (name: string): string => readFileSync(new URL(`${name}.cu`, folder), "utf8");

/** How many lines of a program stay as they were. */
const leftOf = (name: string): number => translated(source(name), "%%cuda", []).left.length;
const whole = names.filter((name) => leftOf(name) === 0);

/** What has classes, lambdas, Thrust, CUB, pointers to functions, textures, graphs, answers of a device, or errors on purpose. */
const partly = [
  "all-devices async-api attention blas-gradients blas-products block-sizes callbacks captured-loop co-rank concepts conjugate-gradients",
  "constant-filter cooperative coulomb cub-device cub-radix-sort curand-walk device-buffers device-lambdas",
  "device-query dual-numbers errors",
  "expression-templates folds function-pointers generic-lambdas graph graph-nodes grid-barrier halves",
  "host-threads jagged-diagonals jagged-rows k-core launch-attributes letters life life-surfaces linked-list managed md5",
  "mixture neural-network new-delete occupancy older-calls operators own-pools particles passwords philox pipeline",
  "pitched-volumes polygons priorities quaternions random-fills rank-sort ring-buffers runtime-rest sample-files sample-helpers settings",
  "shapes shared-atomics skip-ahead strassen sub-matrices suffix-array talk template-search templates tensor-cores",
  "textures thrust-and-kernels thrust-bounding-box thrust-compaction thrust-histogram thrust-keys",
  "thrust-monte-carlo thrust-saxpy thrust-searches thrust-statistics transpose vector-types video-colours visual-studio volume warp-reductions zero-copy",
].flatMap((names) => names.split(" "));

test("all programs are translated wholly but for these, and of these a part is", () => {
  expect(names.filter((name) => !whole.includes(name))).toEqual(partly);
  for (const name of partly) {
    const { cells, left } = translated(source(name), "%%cuda", []);
    const todos = cells.join("\n").match(/^ *\/\/ TODO from line (\d+): \S/gm) ?? [];
    expect(new Set(todos.map((todo) => Number(/\d+/.exec(todo)![0]))), name).toEqual(new Set(left));
  }
});

const seed = freshSeed() % 10_000;
const given = programArguments(seed);
const words = (name: string): string => given[name]!.map((word) => JSON.stringify(String(word))).join(" ");

interface Ended {
  /** What all cells print, on the device last. */
  readonly output: string;
  /** The first error that a cell ended with. */
  readonly error: string | null;
}

/** Runs a cell, and those that it brings, one below the other. */
async function ended(session: TestSession, text: string): Promise<Ended> {
  let output = "";
  let failed: string | null = null;
  const before = session.native.stdout.length;
  for (let next: string | undefined = text; next !== undefined; ) {
    const { error, stdout, payload } = await session.run(next);
    failed ??= error?.message ?? null;
    output += stdout;
    next = payload.find(({ source }) => source === "set_next_input")?.["text"] as string | undefined;
  }
  const native = session.native.stdout.slice(before).replace(/\u001e[0-9a-f]*\u001e/g, "");
  return { output: output + native, error: failed };
}

/** Of a program whose kernels print, too: what of both comes first is chance, since each has a pipe of its own. */
const lines = (name: string, output: string): string =>
  translated(source(name), "%%cuda", []).cells[0]!.includes("printf") ? output.split("\n").sort().join("\n") : output;

const decimal = /-?\d+\.\d+/g;

/** That two outputs are the same; a decimal may be one off in its last digit, since a compiler may join two roundings. */
function expectSame(cells: string, own: string): void {
  expect(cells.replace(decimal, "#.#")).toBe(own.replace(decimal, "#.#"));
  const [mine, its] = [cells.match(decimal) ?? [], own.match(decimal) ?? []];
  for (const [at, text] of its.entries()) {
    const last = 10 ** -text.split(".")[1]!.length;
    expect(Math.abs(Number(mine[at]) - Number(text)), `${mine[at]} for ${text}`).toBeLessThan(1.5 * last);
  }
}

test("the guide shows what the kernel answers", () => {
  const blocks = blocksOf(readFileSync(new URL("../../docs/guides/cuda.md", import.meta.url), "utf8"));
  const at = blocks.findIndex(({ code }) => code.startsWith("%%cuda --cells"));
  const [, ...program] = blocks[at]!.code.split("\n");
  const { cells } = translated(program.join("\n"), "%%cuda", ["1000"]);
  expect(blocks.slice(at + 1, at + 1 + cells.length).map(({ code }) => code)).toEqual(cells);
});

const square = `#include <cstdio>
__global__ void square(int* x) { x[threadIdx.x] *= x[threadIdx.x]; }
int main(int argc, char** argv) {
  int x[3] = {1, 2, 3}, *d;
  cudaMalloc(&d, sizeof(x));
  cudaMemcpy(d, x, sizeof(x), cudaMemcpyHostToDevice);
  square<<<1, 3>>>(d);
  cudaMemcpy(x, d, sizeof(x), cudaMemcpyDeviceToHost);
  printf("%s %d\\n", argv[1], x[2]);
}`;

test("all cells are shown, the first one comes below, and each brings the next one, once", async () => {
  const session = await TestSession.start();
  onTestFinished(() => session.end());
  const { events, payload, stdout } = await session.run(`%%cuda --cells --name squares -- "a b"\n${square}`);
  expect(stdout).toBe("");
  const shown = events.find(({ type }) => type === "display") as { data: Record<string, string> } | undefined;
  const cells = [...shown!.data["text/markdown"]!.matchAll(/```(cpp|ts)\n([^]*?)\n```/g)];
  expect(cells.map(([, language]) => language)).toEqual(["cpp", "ts"]);
  const [device, host] = cells.map(([, , code]) => code!);
  expect(device).toMatch(/^%%cuda --name squares\n__global__ void square/);
  expect(host).toContain('const argv = ["program", "a b"];');
  expect(shown!.data["text/markdown"]).toMatch(/^All of it is translated\./);
  expect(shown!.data["text/plain"]).toBe(`── cell 1\n${device}\n\n── cell 2\n${host}`);

  const below = (text: string | undefined): object[] => [{ source: "set_next_input", text, replace: false }];
  expect(payload).toEqual(below(device));
  expect((await session.run(device!)).payload).toEqual(below(host));
  expect((await session.run(device!)).payload).toEqual([]);
  expect(await session.run(host!)).toMatchObject({ stdout: "a b 9\n", payload: [], error: null });
});

test("with a device the cells run there, whatever the default is", async () => {
  const session = await TestSession.start();
  onTestFinished(() => session.end());
  const cells = await ended(session, `%%cuda --cells --device cpu -- words\n${square}`);
  expect(cells).toEqual({ output: "words 9\n", error: null });
  expect((await session.run("console.log(String(d.device))")).stdout).toBe("cpu\n");
});

test("lines that are left are named, and a cell without a main() is told what it is", async () => {
  const session = await TestSession.start();
  onTestFinished(() => session.end());
  const { events } = await session.run("%%cuda --cells\nint main() {\n  int d;\n  cudaGetDevice(&d);\n}");
  const shown = events.find(({ type }) => type === "display") as { data: Record<string, string> } | undefined;
  expect(shown!.data["text/markdown"]).toMatch(/^Not translated: line 4\./);
  expect(shown!.data["text/plain"]).toContain("// TODO from line 4: cudaGetDevice(&d);");
  expect((await session.run("%%cuda --cells\n__global__ void f() {}")).error?.message).toBe(
    "--cells translates a program to cells, but this cell has no main(): take --cells away, and its kernels are functions of the cells that follow.",
  );
  expect((await session.run("%%cuda --cells\nint main() {")).error?.message).toMatch(/has no main\(\)/);
});

describe("what is translated wholly runs as the program does", () => {
  const random = seeded(freshSeed());
  const some = whole
    .map((name) => [random(), name] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, process.env["WARPCELL_LONG"] === "1" ? Infinity : 6)
    .map(([, name]) => name);

  test.each(some)("%s", { timeout: 120_000 }, async (name) => {
    const session = await TestSession.start();
    onTestFinished(() => session.end());
    const own = await ended(session, `%%cuda -- ${words(name)}\n${source(name)}`);
    const cells = await ended(session, `%%cuda --cells -- ${words(name)}\n${source(name)}`);
    // A program that looks at what CUDA returns says it and leaves; the library throws.
    if (own.error !== null) expect([cells.error !== null, own.output.startsWith(cells.output)]).toEqual([true, true]);
    else {
      expect(cells.error).toBe(null);
      expectSame(lines(name, cells.output), lines(name, own.output));
    }
  });

  test.each(process.env["WARPCELL_LONG"] === "1" ? some : some.slice(0, 2))("the types of %s are right", {
    timeout: 120_000,
  }, async (name) => {
    const { client } = await openKernel({ env: { WARPCELL_DEVICE: "cpu" } });
    const { cells } = translated(source(name), "%%cuda", given[name]!.map(String));
    await client.execute("%types strict");
    for (const cell of cells) {
      const { reply } = await client.execute(cell);
      expect([reply["ename"], reply["evalue"]], cell).not.toContain("TypesError");
    }
  });
});
