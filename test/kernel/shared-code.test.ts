// Device code that `%%cuda` cells share, in a real session on the CPU device: declarations serve later cells, what
// replaces them says which kernels are out of date, and errors name the cell where the text stands.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { TestSession, type Ran } from "../helpers/session.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-shared-code-"));
let session: TestSession;

beforeAll(async () => {
  session = await TestSession.start({ directory: folder });
  await session.run('import { zeros, tensor } from "warpcell"');
});
afterAll(async () => {
  await session.end();
  rmSync(folder, { recursive: true });
});

/** Runs a cell of a notebook's, which keeps its id when it runs again. */
async function cell(id: string, code: string): Promise<Ran> {
  const ran = await session.run(`%%cuda --name ${id}\n${code}`, { cellId: id });
  return ran;
}

/** What `kernel<<<1, n>>>(y)` writes to zeros. */
async function written(kernel: string, n = 4): Promise<string | undefined> {
  const { result, error } = await session.run(
    `globalThis.y = zeros([${n}]); ${kernel}.launch({ grid: 1, block: ${n} }, y); y.toArray()`,
  );
  expect(error).toBeNull();
  return result;
}

let prefix = 0;
/** Names that no other test has. */
let p = "";
beforeEach(() => {
  p = `t${++prefix}_`;
});

test("functions, structs, constants, macros, aliases and templates of a cell serve later ones, which bring in what they use", async () => {
  const declared = await cell(
    `${p}a`,
    `#define ${p}N 3
constexpr float ${p}half = 0.5f;
struct ${p}Pair { float x; int n; };
using ${p}Real = float;
enum class ${p}Mode { add, multiply };
namespace ${p}geo { __device__ float area(${p}Pair p) { return p.x * p.n; } }
template <class T> __device__ T ${p}twice(T x) { return x + x; }
__device__ float ${p}scaled(float x) { return ${p}twice(x) * ${p}half * ${p}N; }
__device__ float ${p}scaled(int x) { return -x; }`,
  );
  expect(declared.error).toBeNull();
  expect(declared.stdout).toBe(
    `declared: ${p}N, ${p}half, struct ${p}Pair, ${p}Real, enum ${p}Mode, ${p}geo::area(${p}Pair), ${p}twice(T), ${p}scaled(float), ${p}scaled(int)\n`,
  );
  const used = await cell(
    `${p}b`,
    `__global__ void ${p}k(${p}Real* p, ${p}Pair pair) {
  int i = threadIdx.x;
  p[i] = i == 0 ? ${p}scaled(4.0f) : i == 1 ? ${p}scaled(4) : i == 2 ? ${p}geo::area(pair) : (int)${p}Mode::multiply;
}`,
  );
  expect(used.error).toBeNull();
  const types = used.events.find((event) => event.type === "declared");
  expect(types?.type === "declared" && types.declarations[0]?.text).toBe(
    `declare const ${p}k: import("warpcell").Kernel<[p: import("warpcell").Tensor<"float32"> | null, pair: { x: number; n: number }]>`,
  );
  const { result, error } = await session.run(
    `globalThis.y = zeros([4]); ${p}k.launch({ grid: 1, block: 4 }, y, { x: 2.5, n: 3 }); y.toArray()`,
  );
  expect(error).toBeNull();
  expect(result).toBe("[ 12, -4, 7.5, 1 ]");
});

test("a redefinition replaces, in another cell or in the same one, and says which kernels are out of date", async () => {
  await cell(
    `${p}a`,
    `__device__ float ${p}f(float x) { return x + 1; }\n__device__ float ${p}g(float x) { return ${p}f(x) * 10; }`,
  );
  await cell(`${p}b`, `__global__ void ${p}k(float* p) { p[threadIdx.x] = ${p}f(threadIdx.x); }`);
  await cell(
    `${p}c`,
    `__global__ void ${p}m(float* p) { p[threadIdx.x] = ${p}g(threadIdx.x); }\n__global__ void ${p}alone(float* p) { p[threadIdx.x] = 7; }`,
  );
  expect(await written(`${p}k`)).toBe("[ 1, 2, 3, 4 ]");

  const same = await cell(
    `${p}a`,
    `__device__ float ${p}f(float x) { return x + 1; } // as it was\n\n__device__ float ${p}g(float x) { return ${p}f(x) * 10; }`,
  );
  expect(same.stdout).toBe(`declared: ${p}f(float), ${p}g(float)\n`);

  const changed = await cell(`${p}d`, `__device__ float ${p}f(float x) { return x + 2; }`);
  expect(changed.stdout).toBe(
    `declared: ${p}f(float)\n${p}f is new: kernels ${p}k (${p}b) and ${p}m (${p}c) still have the old one. Run those cells again.\n`,
  );
  expect(await written(`${p}k`)).toBe("[ 1, 2, 3, 4 ]");
  await cell(`${p}b`, `__global__ void ${p}k(float* p) { p[threadIdx.x] = ${p}f(threadIdx.x); }`);
  expect(await written(`${p}k`)).toBe("[ 2, 3, 4, 5 ]");
  const again = await cell(`${p}c`, `__global__ void ${p}m(float* p) { p[threadIdx.x] = ${p}g(threadIdx.x); }`);
  expect(again.stdout).toBe("");
  expect(await written(`${p}m`)).toBe("[ 20, 30, 40, 50 ]");

  const third = await cell(`${p}d`, `__device__ float ${p}f(float x) { return x + 3; }\n#define ${p}unused 1`);
  expect(third.stdout).toContain(`${p}f is new: kernels ${p}k (${p}b) and ${p}m (${p}c) still have the old one.`);
});

test("what a cell declares itself is its own, and a macro does not reach its parameters", async () => {
  await cell(`${p}a`, `#define ${p}n 8\n__device__ float ${p}f(float x) { return -1; }`);
  const { error } = await cell(
    `${p}b`,
    `__device__ float ${p}f(float x) { return x * 2; }\n__global__ void ${p}k(float* p, int ${p}n) { p[threadIdx.x] = ${p}f(${p}n); }`,
  );
  expect(error).toBeNull();
  const { result } = await session.run(
    `globalThis.y = zeros([2]); ${p}k.launch({ grid: 1, block: 2 }, y, 5); y.toArray()`,
  );
  expect(result).toBe("[ 10, 10 ]");
});

test("what a cell declares anew is what the shared code that it brings in uses", async () => {
  await cell(
    `${p}a`,
    `struct ${p}Box { float w; };\n__device__ float ${p}size(${p}Box b) { return b.w; }\n__device__ float ${p}big(${p}Box b) { return 10 * ${p}size(b); }`,
  );
  const { error } = await cell(
    `${p}b`,
    `struct ${p}Box { float h, w; }; __global__ void ${p}k(float* p) { p[0] = ${p}big({1, 2}); p[1] = __LINE__; }`,
  );
  expect(error).toBeNull();
  expect(await written(`${p}k`, 2)).toBe("[ 20, 2 ]");
  const code = `struct ${p}Box { float h, w; }; __global__ void ${p}k(float* p) { p[0] = ${p}big(missing); }`;
  const wrong = await cell(`${p}b`, code);
  expect(wrong.error?.message).toContain(`${p}b:2:${code.indexOf("missing") + 1}`);
});

test("an error in shared code names the cell and the line where the text stands", async () => {
  const syntax = await cell(`${p}a`, `\n__device__ float ${p}broken(float x) { return y; }`);
  expect(syntax.error?.message).toMatch(new RegExp(`^${p}a does not compile: .*y.*\\n\\n${p}a:3:\\d+`));
  await cell(
    `${p}b`,
    `// a template is compiled where it is used\ntemplate <class T>\n__device__ float ${p}size(T x) {\n  return x.size;\n}`,
  );
  const { error } = await cell(`${p}c`, `__global__ void ${p}k(float* p) { p[0] = ${p}size(p[1]); }`);
  expect(error?.message).toMatch(
    new RegExp(
      `^${p}c does not compile: .*\\n\\n${p}b:5:1[12]\\n {2}4 \\| __device__ float ${p}size\\(T x\\) {\\n> 5 \\|   return x.size;`,
    ),
  );
});

test("a specialisation, a member, an operator, an include and a using directive come with what they are of", async () => {
  writeFileSync(join(folder, `${p}beside.h`), `#pragma once\n#define ${p}SEVEN 7\n`);
  try {
    await cell(
      `${p}a`,
      `#include "${p}beside.h"\n#include <cuda_fp16.h>\nnamespace ${p}s { struct V { float x; __device__ float sum() const; }; }\nusing namespace ${p}s;`,
    );
    await cell(
      `${p}b`,
      `__device__ float V::sum() const { return x + 100; }
__device__ V operator+(V a, V b) { return {a.x + b.x}; }
template <class T> struct ${p}name { static constexpr int value = 1; };
template <> struct ${p}name<float> { static constexpr int value = 2; };`,
    );
    const { error } = await cell(
      `${p}c`,
      `__global__ void ${p}k(float* p) {
  V a{1}, b{2};
  p[0] = (a + b).sum(); p[1] = ${p}name<float>::value * 10 + ${p}name<int>::value; p[2] = ${p}SEVEN; p[3] = __half2float(__float2half(0.5f));
}`,
    );
    expect(error).toBeNull();
    expect(await written(`${p}k`)).toMatch(/^\[ 103, 21, 7, 0.5 \]$/);
  } finally {
    rmSync(join(folder, `${p}beside.h`));
  }
});

test("mutually recursive functions and what is between #if and #endif come as they stand", async () => {
  await cell(
    `${p}a`,
    `__device__ int ${p}odd(int n);
__device__ int ${p}even(int n) { return n == 0 ? 1 : ${p}odd(n - 1); }
__device__ int ${p}odd(int n) { return n == 0 ? 0 : ${p}even(n - 1); }
#ifdef WARPCELL_CPU
#define ${p}ON 1
__device__ int ${p}where() { return ${p}ON; }
#else
__device__ int ${p}where() { return 1; }
#endif`,
  );
  const { error } = await cell(
    `${p}b`,
    `__global__ void ${p}k(float* p) { p[threadIdx.x] = ${p}even(threadIdx.x) + 10 * ${p}where(); }`,
  );
  expect(error).toBeNull();
  expect(await written(`${p}k`)).toBe("[ 11, 10, 11, 10 ]");
});

test("only what a cell uses decides whether it is compiled again", async () => {
  await cell(`${p}a`, `__device__ float ${p}f(float x) { return x + 1; }`);
  const kernel = `__global__ void ${p}k(float* p) { p[threadIdx.x] = ${p}f(threadIdx.x); }`;
  await cell(`${p}b`, kernel);
  await cell(`${p}c`, `struct ${p}Other { int a; };\n#define ${p}M 4`);
  const { events } = await cell(`${p}b`, kernel);
  const shown = events.find((event) => event.type === "display");
  expect(shown?.type === "display" && shown.data["text/plain"]).toContain("· cached");
});

test("floats that become integers in shared code do so as on a GPU", async () => {
  await cell(`${p}a`, `\n\n__device__ unsigned char ${p}byte(float x) { return x; }`);
  const { error } = await cell(
    `${p}b`,
    `__global__ void ${p}k(float* p) { p[threadIdx.x] = ${p}byte(300.0f * threadIdx.x - 100); }`,
  );
  expect(error).toBeNull();
  expect(await written(`${p}k`)).toBe("[ 0, 200, 244, 32 ]");
});

test("variables of the device are names of the notebook, one for all cells, and keep what was set when their cell runs again", async () => {
  const declare = `__constant__ float ${p}w[3];\n__device__ int ${p}count;`;
  const declared = await cell(`${p}a`, declare);
  expect(declared.stdout).toBe(`declared: ${p}w, ${p}count\n`);
  const types = declared.events.find((event) => event.type === "declared");
  expect(types?.type === "declared" && types.declarations.map(({ name }) => name)).toEqual([`${p}w`, `${p}count`]);
  expect((await session.run(`${p}w = [1, 2, 3]`)).error?.message).toBe(
    `Assignment to constant variable ${p}w. Its value on the device changes by ${p}w.set(value).`,
  );
  await session.run(`${p}w.set([1, 2, 3])`);
  const kernel = `__global__ void ${p}k(float* p) { p[threadIdx.x] = ${p}w[threadIdx.x]; atomicAdd(&${p}count, 1); }`;
  await cell(`${p}b`, kernel);
  expect(await written(`${p}k`, 3)).toBe("[ 1, 2, 3 ]");
  await cell(
    `${p}c`,
    `__global__ void ${p}m(float* p) { p[threadIdx.x] = -${p}w[threadIdx.x]; atomicAdd(&${p}count, 10); }`,
  );
  await session.run(`${p}w.set(new Float32Array([4, 5, 6]))`);
  expect([await written(`${p}k`, 3), await written(`${p}m`, 3)]).toEqual(["[ 4, 5, 6 ]", "[ -4, -5, -6 ]"]);
  expect((await session.run(`${p}count.data()`)).result).toBe("36");

  expect((await cell(`${p}a`, declare)).stdout).not.toContain("new");
  expect(await written(`${p}k`, 3)).toBe("[ 4, 5, 6 ]");
  expect((await session.run(`${p}count.data()`)).result).toBe("3");
  const { error } = await session.run(`${p}w.set([1, 2])`);
  expect(error).toMatchObject({
    name: "LaunchError",
    message: `${p}w must be an array of 3 elements, each a number of magnitude below 3.4e38 (float), but got an array of 2.`,
  });

  const changed = await cell(`${p}a`, `__constant__ float ${p}w[4];\n__device__ int ${p}count;`);
  expect(changed.stdout).toContain(
    `${p}w is new: kernels ${p}k (${p}b) and ${p}m (${p}c) still have the old one. Run those cells again.`,
  );
  await session.run(`${p}w.set([7, 8, 9, 10])`);
  expect(await written(`${p}k`, 3)).toBe("[ 4, 5, 6 ]");
  await cell(`${p}b`, kernel);
  expect(await written(`${p}k`)).toBe("[ 7, 8, 9, 10 ]");
});

test("a fault loses no value that was set, and says what kernels wrote to a variable", async () => {
  await cell(`${p}a`, `__constant__ float ${p}w[2];\n__device__ int ${p}count;`);
  await cell(
    `${p}b`,
    `__global__ void ${p}k(float* p) { p[threadIdx.x] = ${p}w[threadIdx.x]; ${p}count = 5; }\n__global__ void ${p}bad(float* p) { p[1ull << 40] = 1; }`,
  );
  await session.run(`${p}w.set([1.5, 2.5])`);
  expect(await written(`${p}k`, 2)).toBe("[ 1.5, 2.5 ]");
  const { error } = await session.run(`${p}bad.launch({ grid: 1, block: 1 }, zeros([1]))`);
  expect(error?.name).toBe("DeviceFault");
  expect(await written(`${p}k`, 2)).toBe("[ 1.5, 2.5 ]");
  expect((await session.run(`${p}count.data()`)).error?.message).toBe(
    `What kernels had written to ${p}count was lost when the device process of cpu ended: the variable has its first value again. Set it, ${p}count.set(…), before you read it.`,
  );
});

test("%%writefile writes a cell to a file, and %%cuda compiles a file beside the notebook", async () => {
  const wrote = await session.run(`%%writefile ${p}k.cu\n#include "${p}h.h"\n__global__ void ${p}k(float* p) {`);
  expect([wrote.error, wrote.stdout, wrote.result]).toEqual([null, `Wrote ${p}k.cu.\n`, undefined]);
  const appended = await session.run(`%%writefile -a ${p}k.cu\n  p[threadIdx.x] = ${p}SIX;\n}`);
  expect(appended.stdout).toBe(`Appended to ${p}k.cu.\n`);
  expect(readFileSync(join(folder, `${p}k.cu`), "utf8")).toBe(
    `#include "${p}h.h"\n__global__ void ${p}k(float* p) {\n  p[threadIdx.x] = ${p}SIX;\n}\n`,
  );
  expect((await session.run(`%%writefile ${p}h.h\n#define ${p}SIX six`)).stdout).toBe(`Wrote ${p}h.h.\n`);
  const { error } = await session.run(`%%cuda ${p}k.cu`);
  expect(error?.message).toMatch(new RegExp(`^${p}k.cu does not compile: .*six[^]*\\n\\n${p}(k.cu:3|h.h:1):`));
  expect((await session.run(`%%writefile ${p}h.h\n#define ${p}SIX 6`)).stdout).toBe(`Overwrote ${p}h.h.\n`);
  expect((await session.run(`%%cuda ${p}k.cu`)).error).toBeNull();
  expect(await written(`${p}k`, 2)).toBe("[ 6, 6 ]");

  mkdirSync(join(folder, `${p}sub`));
  for (const [code, message] of [
    [
      `%%writefile ${p}none/a.h\n`,
      `There is no folder ${p}none beside the notebook to write ${p}none/a.h to: make it first.`,
    ],
    [`%%writefile ${p}sub\n`, `${p}sub is a folder, so no file can be written under that name.`],
    [`%%cuda ${p}no.cu`, `${p}no.cu cannot be read beside the notebook: there is no such file.`],
    [
      `%%cuda ${p}k.cu\n\nint a;`,
      `%%cuda ${p}k.cu compiles the file, so nothing may stand below it: put this text into the file, or a cell of its own.`,
    ],
  ] as const)
    expect((await session.run(code)).error).toMatchObject({ name: "MagicError", message });
});
