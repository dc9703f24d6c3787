// `%%cuda` cells with host functions, in a real session on the CPU: they are names of the notebook with their types, and
// what goes wrong in them leads to the line.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestSession } from "../helpers/session.ts";

let session: TestSession;

beforeAll(async () => {
  session = await TestSession.start();
  await session.run('import { tensor, zeros, full } from "warpcell"; const x = full([3], 7)');
});

afterAll(() => session.end());

const cell = `%%cuda
__global__ void scale(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
warpcell::Tensor scaled(const warpcell::Tensor& x, float a) {
  WARPCELL_CHECK(a > 0, "a must be positive, not ", a);
  auto y = warpcell::empty_like(x);
  int n = x.numel();
  scale<<<(n + 255) / 256, 256>>>(x.data<float>(), y.data<float>(), a, n);
  return y;
}`;

test("a cell defines them, with types, and a later cell calls them", async () => {
  const ran = await session.run(cell);
  expect(ran.error).toBe(null);
  const declared = ran.events.find((event) => event.type === "declared") as unknown as {
    declarations: { name: string; text: string }[];
  };
  expect(declared.declarations.at(-1)).toEqual({
    name: "scaled",
    text: 'declare const scaled: import("warpcell").HostFunction<[x: import("warpcell").Tensor, a: number], import("warpcell").Tensor>',
  });
  expect((await session.run("scaled(x, 2).toArray()")).result).toBe("[ 14, 14, 14 ]");
  expect((await session.run("scaled")).result).toBe(
    "host function warpcell::Tensor scaled(const warpcell::Tensor& x, float a) on cpu",
  );
});

test("a check that fails is an error of the cell that calls, with the line of the check", async () => {
  const { error } = await session.run("1;\nscaled(x, -1)");
  expect(error).toMatchObject({ name: "HostFunctionError" });
  expect(error!.message).toMatch(/^a must be positive, not -1 \(Cell \[\d+\]:7\)\.$/);
  expect((error?.traceback ?? []).join("\n").replace(/\u001b\[\d+m/g, "")).toMatch(/> 2 \| scaled\(x, -1\)/);
});

test("what they print is the cell's that calls", async () => {
  await session.run(
    '%%cuda\n#include <cstdio>\nvoid hello(const warpcell::Tensor& x) { printf("%d\\n", int(x.numel())); }',
  );
  const request = session.send("hello(x)");
  await session.ended(request);
  await session.until(() => (session.native.stdout.split("\u001e").includes("3\n") ? true : undefined));
});

test("device code of earlier cells is there for host functions", async () => {
  await session.run(
    "%%cuda\nstruct Line { float slope, offset; };\n__device__ float at(Line l, float x) { return l.slope * x + l.offset; }",
  );
  const { error } = await session.run(`%%cuda
__global__ void apply(Line line, float* x) { x[threadIdx.x] = at(line, x[threadIdx.x]); }
warpcell::Tensor applied(warpcell::Tensor x, float slope, float offset) {
  Line line{slope, offset};
  apply<<<1, x.numel()>>>(line, x.data<float>());
  return x;
}`);
  expect(error).toBe(null);
  expect((await session.run("applied(tensor([1, 2]), 3, 4).toArray()")).result).toBe("[ 7, 10 ]");
});

test("kernels of earlier cells are launched, templates and those with their structs, too", async () => {
  await session.run(`%%cuda
template <class T> __global__ void raise(T* x, T by) { x[threadIdx.x] += by; }`);
  const { error } = await session.run(`%%cuda
warpcell::Tensor moved(const warpcell::Tensor& x, float by) {
  auto y = warpcell::empty_like(x);
  scale<<<1, x.numel()>>>(x.data<float>(), y.data<float>(), 2, x.numel());
  raise<float><<<1, x.numel()>>>(y.data<float>(), by);
  apply<<<1, x.numel()>>>(Line{10, 0}, y.data<float>());
  return y;
}`);
  expect(error).toBe(null);
  expect((await session.run("moved(tensor([1, 2]), 1).toArray()")).result).toBe("[ 30, 50 ]");
});

test("a cell with main() is a program, whose host functions are its own", async () => {
  const request = session.send(`%%cuda
#include <cstdio>
__global__ void inner() { printf("inner\\n"); }
void launches(int n) { inner<<<1, n>>>(); }
int main() { launches(1); cudaDeviceSynchronize(); }`);
  const { error } = await session.ended(request);
  expect(error).toBe(null);
  expect(session.printed(request, "stdout")).toBe("inner\n");
  expect((await session.run("typeof launches")).result).toBe("'undefined'");
});

test("an endless one is ended by an interrupt, and tensors are as they were", async () => {
  await session.run(
    '%%cuda\n#include <cstdio>\nvoid endless(const warpcell::Tensor& x) { puts("begun"); fflush(stdout); for (;;) ; }',
  );
  const request = session.send("endless(x)");
  await session.until(() => (session.native.stdout.endsWith("begun\n") ? true : undefined));
  session.agent({ type: "interrupt", request });
  const { error } = await session.ended(request);
  expect(error?.name).toBe("InterruptedError");
  expect((await session.run("scaled(x, 1).toArray()")).result).toBe("[ 7, 7, 7 ]");
});

test("a crash is an error of the cell, and the notebook goes on", async () => {
  await session.run("%%cuda\nvoid crash(const warpcell::Tensor& x) { volatile int* p = nullptr; *p = 1; }");
  const { error } = await session.run("crash(x)");
  expect(error).toMatchObject({ name: "DeviceFault" });
  expect(error!.message).toMatch(
    /^The host function crash of Cell \[\d+\] crashed: it accessed memory that is not its own/,
  );
  expect((await session.run("scaled(x, 3).toArray()")).result).toBe("[ 21, 21, 21 ]");
});

test("without a compiler of the system it says how to get one", async () => {
  const other = await TestSession.start({ environment: { WARPCELL_CXX: "/nonexistent/c++", PATH: "/nonexistent" } });
  try {
    const { error } = await other.run("%%cuda\nvoid f(const warpcell::Tensor& x) {}");
    expect(error!.message).toMatch(/Install one: apt-get install g\+\+/);
  } finally {
    await other.end();
  }
});
