// Host functions of cells: functions in C++ that take tensors, launch kernels with <<<>>> and return tensors, as
// TypeScript calls them.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import {
  AutogradFunction,
  compile,
  CompileError,
  DeviceFault,
  type FunctionContext,
  grad,
  graph,
  HostFunctionError,
  LaunchError,
  memory,
  ones,
  type DeviceVariable,
  type HostFunction,
  rand,
  synchronize,
  tensor,
  TensorError,
  type Tensor,
  tidy,
  zeros,
} from "../../native/lib/index.ts";
import { hostDTypes } from "../../native/lib/cuda/host/values.ts";
import { devices } from "./devices.ts";

const scaleKernel = `__global__ void scale(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
`;
const example = `${scaleKernel}warpcell::Tensor scaled(const warpcell::Tensor& x, float a) {
  WARPCELL_CHECK(x.dtype() == warpcell::float32, "scaled takes float32, not ", x.dtype());
  auto y = warpcell::empty_like(x);
  int n = x.numel();
  scale<<<(n + 255) / 256, 256>>>(x.data<float>(), y.data<float>(), a, n);
  return y;
}
`;

test("dtypes have the numbers of the header", () => {
  const header = readFileSync(
    new URL("../../native/device/program/warpcell_program/session.h", import.meta.url),
    "utf8",
  );
  expect([...header.matchAll(/ X\(\w+, "(\w+)"\)/g)].map((match) => match[1])).toEqual(hostDTypes);
});

describe.each(devices)("host functions on $name", ({ name: device, kind }) => {
  const compiled = async (source: string, options = {}): Promise<Record<string, HostFunction>> =>
    (await compile(source, { device, name: "Cell [3]", cell: { cell: null, count: 3 }, ...options })).functions;
  const failure = (call: () => unknown): Error & { code: string; where?: string } => {
    try {
      call();
    } catch (error) {
      return error as Error & { code: string };
    }
    throw new Error("It did not throw.");
  };
  const refused = async (source: string): Promise<Error> =>
    await compiled(source).then(
      () => new Error("It compiled."),
      (error: Error) => error,
    );
  const on = <T extends object>(options?: T) => ({ device, ...options });
  let scaled: HostFunction<[x: Tensor, a: number], Tensor>;

  beforeAll(async () => {
    ({ scaled } = (await compiled(example)) as { scaled: typeof scaled });
  });

  test("it takes a tensor and a number, and returns a tensor", async () => {
    const x = rand([1000], on());
    const y = scaled(x, 2.5);
    const expected = (x.toArray() as number[]).map((value) => Math.fround(2.5 * value));
    expect(y.toArray()).toEqual(expected);
    expect([y.device, y.dtype, y.shape]).toEqual([device, "float32", [1000]]);
  });

  test("what it is", async () => {
    const module = await compile(example, { device });
    expect(module.declarations.map(({ text }) => text)).toContain(
      'declare const scaled: import("warpcell").HostFunction<[x: import("warpcell").Tensor, a: number], import("warpcell").Tensor>',
    );
    expect(Object.keys(module.kernels)).toEqual(["scale"]);
    const { scaled: fn } = module.functions;
    expect([fn!.name, fn!.source, `${fn}`]).toEqual([
      "scaled",
      example,
      "warpcell::Tensor scaled(const warpcell::Tensor& x, float a)",
    ]);
  });

  test("checks are errors with the cell's line, and arguments are checked before", () => {
    const check = failure(() => scaled(tensor([1n], on()), 2));
    expect(check).toBeInstanceOf(HostFunctionError);
    expect(check).toMatchObject({
      code: "CHECK",
      message: "scaled takes float32, not int64 (Cell [3]:6).",
      where: "Cell [3]:6",
      function: "scaled",
    });
    const call = scaled as unknown as (...args: unknown[]) => unknown;
    const x = zeros([2], on());
    const gone = zeros([2], on());
    gone.dispose();
    expect(failure(() => call(x)).message).toBe("scaled takes 2 arguments (x, a), but got 1.");
    expect(failure(() => call([1], 2)).message).toBe(
      `Argument 1 (x) of scaled must be a tensor on ${device}, but got an array of 1.`,
    );
    expect(failure(() => call(x, "2")).message).toBe('Argument 2 (a) of scaled must be a number (float), but got "2".');
    expect(failure(() => call(x, 1e300)).message).toBe(
      "Argument 2 (a) of scaled must be a number (float), but got 1e+300.",
    );
    expect(failure(() => call(gone, 2))).toBeInstanceOf(TensorError);
    expect(scaled(x, 2).toArray()).toEqual([0, 0]);
  });

  test("lists, optional values, text, defaults, templates, namespaces and results of several parts", async () => {
    const { many } = await compiled(`
template <class T> __global__ void axpy(int n, T a, const T* x, T* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
static int blocks(int n) { return (n + 255) / 256; }
template <class T> T twice(T x) { return 2 * x; }
float* first(const warpcell::Tensor& x) { return x.data<float>(); }
using Tensor = warpcell::Tensor;
namespace ops {
std::tuple<Tensor, int64_t, std::vector<double>, std::string, bool> many(
    const std::vector<Tensor>& xs, std::optional<double> a, const std::string& text, bool flag, unsigned k = 7) {
  auto y = warpcell::zeros({3}, warpcell::float64);
  for (const Tensor& x : xs)
    axpy<double><<<blocks(x.numel()), 256>>>(x.numel(), a.value_or(2), x.data<double>(), y.data<double>());
  return {y, twice<int64_t>(int64_t(xs.size())) + k, {0.5, double(first(warpcell::ones({1})) != nullptr)}, text + "!", !flag};
}
}`);
    const x = tensor([1, 2, 3], on({ dtype: "float64" as const }));
    const [y, ...rest] = many!([x, x], null, "hé", true);
    expect((y as Tensor).toArray()).toEqual([4, 8, 12]);
    expect(rest).toEqual([11n, [0.5, 1], "hé!", false]);
    const [z, count] = many!([x], -1, "", false, 2 ** 31);
    expect([(z as Tensor).toArray(), count]).toEqual([[-1, -2, -3], 2n + 2n ** 31n]);
    const message = (call: () => unknown) => failure(call).message;
    expect(message(() => many!(x, null, "", true))).toMatch(
      /^Argument 1 \(xs\) of ops::many must be an array, but got /,
    );
    expect(message(() => many!([x, 1], null, "", true))).toBe(
      `Argument 1 (xs[1]) of ops::many must be a tensor on ${device}, but got 1.`,
    );
    expect(message(() => many!([x], null, 1, true))).toBe("Argument 3 (text) of ops::many must be text, but got 1.");
    expect(message(() => many!([x], null, "", 1))).toBe(
      "Argument 4 (flag) of ops::many must be true or false, but got 1.",
    );
    expect(message(() => many!([x], null, "", true, -1))).toBe(
      "Argument 5 (k) of ops::many must be a whole number from 0 to 4294967295 (unsigned int), but got -1.",
    );
    expect(message(() => many!([x]))).toBe("ops::many takes 4 to 5 arguments (xs, a, text, flag, k), but got 1.");
  });

  test("types of all arguments and results", async () => {
    const module = await compile(
      `using namespace warpcell;
std::pair<Tensor, std::vector<long long>> f(Tensor& x, std::optional<int64_t> a, const std::vector<float>& b = {}, bool = true) { return {x, {}}; }
auto g(const Tensor& x) -> std::optional<Tensor> { return x; }
auto h(const Tensor& x) { return x; }
void launches(int n) { if (n < 0) kernel<<<1, 1>>>(n); }
int helper(int n) { return n; }
float* pointer(const Tensor& x) { return x.data<float>(); }
static Tensor hidden(const Tensor& x) { return x; }
namespace { Tensor local(const Tensor& x) { return x; } }
template <class T> Tensor generic(T x) { return x; }
struct Class { Tensor member(const Tensor& x) { return x; } };
`.replace("using namespace", "__global__ void kernel(int n) {}\nusing namespace"),
      { device },
    );
    const tensorType = 'import("warpcell").Tensor';
    expect(module.declarations.slice(1).map(({ text }) => text)).toEqual([
      `declare const f: import("warpcell").HostFunction<[x: ${tensorType}, a: number | bigint | null, b?: readonly number[], argument3?: boolean], [${tensorType}, bigint[]]>`,
      `declare const g: import("warpcell").HostFunction<[x: ${tensorType}], ${tensorType} | null>`,
      `declare const h: import("warpcell").HostFunction<[x: ${tensorType}], any>`,
      'declare const launches: import("warpcell").HostFunction<[n: number], void>',
    ]);
    const { g, h, f, launches } = module.functions;
    const x = ones([2], on());
    expect([g!(x) === x, h!(x) === x, f!(x, 1)[0] === x]).toEqual([true, true, true]);
    expect(launches!(1)).toBe(undefined);
  });

  test("what a tensor tells, and new ones of every kind", async () => {
    const { facts, made } = await compiled(`
std::string facts(const warpcell::Tensor& x) {
  return warpcell::host::joined(x.sizes(), x.strides(), " ", x.size(0), " ", x.size(-1), " ", x.stride(1), " ", x.dim(),
                                " ", x.numel(), " ", x.dtype(), " ", x.is_contiguous(), " ", x.contiguous().strides());
}
std::vector<warpcell::Tensor> made(const warpcell::Tensor& x) {
  return {warpcell::zeros({2}), warpcell::ones({1, 2}, warpcell::int64), warpcell::full({2}, -1.5, warpcell::float16),
          warpcell::zeros_like(x), warpcell::ones_like(x), warpcell::full_like(x, 3), x.contiguous(), warpcell::empty({0})};
}`);
    const x = tensor(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      on({ dtype: "int32" as const }),
    ).T;
    expect(facts!(x)).toBe("[3, 2][1, 3] 3 2 3 2 6 int32 false [2, 1]");
    const all = made!(x) as Tensor[];
    expect(all.map((each) => each.toArray())).toEqual([
      [0, 0],
      [[1n, 1n]],
      [-1.5, -1.5],
      [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
      [
        [1, 1],
        [1, 1],
        [1, 1],
      ],
      [
        [3, 3],
        [3, 3],
        [3, 3],
      ],
      [
        [1, 4],
        [2, 5],
        [3, 6],
      ],
      [],
    ]);
    expect(all.map((each) => each.dtype)).toEqual([
      "float32",
      "int64",
      "float16",
      "int32",
      "int32",
      "int32",
      "int32",
      "float32",
    ]);
  });

  test("wrong uses of tensors are errors with the line", async () => {
    const uses = await compiled(`
warpcell::Tensor type(const warpcell::Tensor& x) { x.data<int>(); return x; }
warpcell::Tensor axis(const warpcell::Tensor& x) { x.size(2); return x; }
float one(const warpcell::Tensor& x) { return x.item<float>(); }
warpcell::Tensor undefined() { warpcell::Tensor x; x.numel(); return x; }
warpcell::Tensor nothing() { return {}; }
warpcell::Tensor shape() { return warpcell::empty({-1}); }
warpcell::Tensor memory() { return warpcell::empty({1ll << 50}); }
warpcell::Tensor check(const warpcell::Tensor& x) { WARPCELL_CHECK(x.dim() == 1); return x; }
warpcell::Tensor standard(const warpcell::Tensor& x) { std::vector<int>().at(1); return x; }
warpcell::Tensor other(const warpcell::Tensor& x) { throw 1; return x; }
warpcell::Tensor kept(const warpcell::Tensor& x, bool use) {
  static warpcell::Tensor old = x;
  return use ? warpcell::empty_like(old) : x;
}
warpcell::Tensor keptResult(const warpcell::Tensor& x) { static warpcell::Tensor old = x; return old; }`);
    const x = ones([1, 3], on());
    const message = (name: string, ...args: unknown[]) => failure(() => uses[name]!(...args)).message;
    expect(message("type", x)).toBe("data<T>() was called for int32 of a tensor of dtype float32 (Cell [3]:2).");
    expect(message("axis", x)).toBe("Axis 2 does not exist: the tensor has 2 axes (Cell [3]:3).");
    expect(message("one", x)).toBe("item() takes a tensor with one element, but this one has 3 (Cell [3]:4).");
    expect(uses["one"]!(x.sum())).toBe(3);
    expect(message("undefined")).toBe("This warpcell::Tensor has no value (Cell [3]:5).");
    expect(message("nothing")).toBe(
      "The function returned a warpcell::Tensor that has no value (thrown in nothing of Cell [3]).",
    );
    expect(message("shape")).toBe(
      "[-1] is not a shape: give a whole number ≥ 0 or an array of them, such as [2, 3] (Cell [3]:7).",
    );
    expect(failure(() => uses["memory"]!())).toMatchObject({
      code: "OUT_OF_MEMORY",
      message: expect.stringMatching(/ \(Cell \[3\]:8\)\.$/) as string,
    });
    expect(message("check", x)).toBe("The check x.dim() == 1 failed (Cell [3]:9).");
    expect(message("standard", x)).toMatch(/^vector::.* \(thrown in standard of Cell \[3\]\)\.$/);
    expect(message("other", x)).toBe("It threw something that is no std::exception (thrown in other of Cell [3]).");
    expect(uses["kept"]!(x, false)).toBe(x);
    expect(message("kept", x, true)).toBe(
      "This warpcell::Tensor was kept from an earlier call, whose tensors end with it: take it as an argument (Cell [3]:14).",
    );
    expect(uses["keptResult"]!(x)).toBe(x);
    expect(message("keptResult", x)).toBe(
      "The function returned a warpcell::Tensor that was kept from an earlier call (thrown in keptResult of Cell [3]).",
    );
  });

  test("a function may deal with what it is refused", async () => {
    const { smaller } = await compiled(`${scaleKernel}
warpcell::Tensor smaller(const warpcell::Tensor& x) {
  warpcell::Tensor y;
  try {
    y = warpcell::empty({1ll << 50});
  } catch (const warpcell::Error&) {
    y = warpcell::empty_like(x);
  }
  scale<<<1, 2>>>(x.data<float>(), y.data<float>(), 2, 2);
  return y;
}`);
    expect((smaller!(tensor([1, 2], on())) as Tensor).toArray()).toEqual([2, 4]);
  });

  test("launches that fail are told with kernel, cell and line; kernels that go astray, too", async () => {
    const uses = await compiled(`__global__ void bad(float* p) { p[1ll << 40] = 1; }
__global__ void add(float* p) { p[threadIdx.x] += 1; }
warpcell::Tensor threads(warpcell::Tensor x) {
  bad<<<1, 5000>>>(x.data<float>());
  return x;
}
warpcell::Tensor address(warpcell::Tensor x) {
  float y;
  bad<<<1, 1>>>(&y);
  return x;
}
warpcell::Tensor shared(warpcell::Tensor x) {
  bad<<<1, 1, 1 << 30>>>(x.data<float>());
  return x;
}
warpcell::Tensor seen(warpcell::Tensor x) {
  bad<<<1, 5000>>>(x.data<float>());
  WARPCELL_CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  return x;
}
void fault(warpcell::Tensor x) {
  add<<<1, 2>>>(x.data<float>());
  bad<<<1, 1>>>(x.data<float>());
}
warpcell::Tensor stream(warpcell::Tensor x) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  return x;
}
warpcell::Tensor right(warpcell::Tensor x) {
  add<<<1, 2>>>(x.data<float>());
  return x;
}`);
    const x = ones([2], on());
    expect(failure(() => uses["threads"]!(x))).toMatchObject({
      name: "HostFunctionError",
      code: "CALL",
      where: "Cell [3]:4",
      message: "The launch of bad failed (Cell [3]:4): invalid configuration argument (cudaErrorInvalidConfiguration).",
    });
    const address = failure(() => uses["address"]!(x));
    expect(address).toBeInstanceOf(LaunchError);
    expect(address.message).toMatch(
      /^Argument p of kernel bad \(float\*\) is 0x[0-9a-f]+, which lies in no tensor of this call: give it x\.data<T>\(\) of a tensor, or what cudaMalloc gave \(Cell \[3\]:9\)\.$/,
    );
    const shared = failure(() => uses["shared"]!(x));
    expect(shared).toBeInstanceOf(LaunchError);
    expect(shared.message).toMatch(/kernel bad.* \(Cell \[3\]:13\)\.$/);
    expect(uses["seen"]!(x)).toBe(x);
    expect(failure(() => uses["stream"]!(x)).message).toBe(
      "cudaStreamCreate failed (Cell [3]:27): operation not supported (cudaErrorNotSupported): host functions of cells have one stream, that of their call, and no events, graphs or managed memory.",
    );
    const fault = failure(() => {
      uses["fault"]!(x);
      x.toArray();
    });
    expect(fault).toBeInstanceOf(DeviceFault);
    expect(fault.message).toMatch(/^Kernel (bad|add) .*launched at Cell \[3\]:2[23]\)/);
    // All is back in the next process.
    expect((uses["right"]!(zeros([2], on())) as Tensor).toArray()).toEqual([1, 1]);
  });

  test("what is initialised when the code is loaded has no device yet", async () => {
    const source = `
static float* memory = [] { float* p = nullptr; cudaMalloc(&p, 4); return p; }();
bool failed(const warpcell::Tensor&) { return memory == nullptr; }`;
    expect((await refused(source)).message).toBe(
      "cudaMalloc in line 2 is called to initialise a variable, before any host function runs: call it in a function.",
    );
    const { failed } = await compiled(source.replace("cudaMalloc(&p, 4)", "cudaError_t e = cudaMalloc(&p, 4)"));
    expect(failed!(ones([1], on()))).toBe(true);
  });

  test("a crash is survived, and told by name", async () => {
    const uses = await compiled(`#include <cstdlib>
warpcell::Tensor stray(warpcell::Tensor x) { volatile int* p = nullptr; *p = 1; return x; }
warpcell::Tensor zero(warpcell::Tensor x, int n) { volatile int m = 7 / n; return x; }
int depth(int n) { volatile char a[4096]; a[n % 4096] = 1; return n < 0 ? 0 : depth(n + a[n % 4096]) + a[0]; }
warpcell::Tensor deep(warpcell::Tensor x, int n) { return depth(n) == 1 ? x : x; }
warpcell::Tensor aborts(warpcell::Tensor x) { abort(); }
warpcell::Tensor exits(warpcell::Tensor x) { exit(3); }`);
    const x = ones([2], on());
    const ends = (name: string, ...args: unknown[]) => {
      const error = failure(() => uses[name]!(x, ...args));
      expect(error).toBeInstanceOf(DeviceFault);
      expect(error.code).toBe("HOST_FUNCTION");
      return error.message.split(". ")[0];
    };
    const notOwn =
      "accessed memory that is not its own (a pointer to device memory is one that host code cannot use) (SIGSEGV)";
    expect(ends("stray")).toBe(`The host function stray of Cell [3] crashed: it ${notOwn}`);
    if (process.arch === "x64")
      expect(ends("zero", 0)).toBe(
        "The host function zero of Cell [3] crashed: it divided an integer by zero (SIGFPE)",
      );
    expect(ends("deep", 1)).toBe(
      "The host function deep of Cell [3] crashed: it used up its stack: its recursion is too deep, or its local arrays are too large (SIGSEGV)",
    );
    expect(ends("aborts")).toBe(
      "The host function aborts of Cell [3] crashed: it called abort(), or an exception or assertion ended it (SIGABRT)",
    );
    expect(ends("exits")).toBe("The host function exits of Cell [3] called exit(), which would end the device process");
    expect(x.toArray()).toEqual([1, 1]);
    expect(scaled(x, 3).toArray()).toEqual([3, 3]);
  });

  test("copies to and from host memory, memory of its own, and what is known of the device", async () => {
    const {
      total,
      own,
      device: name,
      best,
    } = await compiled(
      `${scaleKernel}
double total(const warpcell::Tensor& x) {
  auto y = warpcell::empty_like(x);
  scale<<<1, 4>>>(x.data<float>(), y.data<float>(), 2, 4);
  float host[4];
  cudaMemcpy(host, y.data<float>(), sizeof host, cudaMemcpyDeviceToHost);
  return host[0] + host[1] + host[2] + host[3];
}
warpcell::Tensor own(const warpcell::Tensor& x) {
  float *a, host[4] = {1, 2, 3, 4};
  cudaMalloc(&a, sizeof host);
  cudaMemset(a, 0, sizeof host);
  cudaMemcpy(a + 1, host + 1, 3 * sizeof(float), cudaMemcpyHostToDevice);
  auto y = warpcell::empty({2, 4});
  scale<<<1, 4>>>(a, y.data<float>() + 4, 10, 4);
  cudaMemcpyAsync(y.data<float>(), x.data<float>(), sizeof host, cudaMemcpyDeviceToDevice);
  cudaFree(a);
  cudaDeviceSynchronize();
  return y;
}
std::string device() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  int threads = 0;
  cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0);
  size_t free = 0, all = 0;
  cudaMemGetInfo(&free, &all);
  WARPCELL_CHECK(free > 0 && free <= all && p.totalGlobalMem == all);
  return warpcell::host::joined(p.warpSize, " ", threads, " ", p.multiProcessorCount > 0);
}
bool best(const warpcell::Tensor&) {
  int grid = 0, block = 0, blocks = 0;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, block, 0);
  return grid > 0 && block >= 32 && block <= 1024 && blocks > 0;
}`.replace("std::string device()", "std::string device(const warpcell::Tensor&)"),
    );
    const x = tensor([1, 2, 3, 4], on());
    expect(total!(x)).toBe(20);
    expect((own!(x) as Tensor).toArray()).toEqual([
      [1, 2, 3, 4],
      [0, 20, 30, 40],
    ]);
    expect(name!(x)).toBe("32 1024 true");
    expect(best!(x)).toBe(true);
  });

  test("variables of the device are set and read by their names", async () => {
    const module = await compile(
      `namespace ns { __constant__ float filter[4]; }
__device__ int count;
__global__ void weigh(float* x) { x[threadIdx.x] *= ns::filter[threadIdx.x]; atomicAdd(&count, 1); }
int weighed(const warpcell::Tensor& x, const std::vector<float>& weights) {
  int zero = 0, counted;
  cudaMemcpyToSymbol(count, &zero, sizeof zero);
  cudaMemcpyToSymbol(ns::filter, weights.data() + 1, 3 * sizeof(float), sizeof(float));
  weigh<<<1, 4>>>(x.data<float>());
  cudaMemcpyFromSymbol(&counted, count, sizeof counted);
  return counted;
}
void beyond(const warpcell::Tensor&) {
  float x[5];
  cudaMemcpyToSymbol(ns::filter, x, sizeof x);
}`,
      { device, name: "Cell [3]" },
    );
    const { weighed, beyond } = module.functions;
    const filter = module.globals["filter"] as DeviceVariable;
    filter.set([5, 1, 1, 1]);
    const x = ones([4], on());
    expect(weighed!(x, [1, 2, 3, 4])).toBe(4);
    expect(x.toArray()).toEqual([5, 2, 3, 4]);
    expect(filter.data()).toEqual(new Float32Array([5, 2, 3, 4]));
    expect(failure(() => beyond!(x)).message).toBe(
      "cudaMemcpyToSymbol failed (Cell [3]:14): invalid argument (cudaErrorInvalidValue).",
    );
  });

  test("results and temporary tensors are the session's: tidy disposes of them, and nothing is left", async () => {
    const { three } = await compiled(`${scaleKernel}
warpcell::Tensor three(const warpcell::Tensor& x, int fail) {
  auto y = x;
  for (int i = 0; i < 3; i++) {
    auto z = warpcell::empty_like(y);
    scale<<<1, 2>>>(y.data<float>(), z.data<float>(), 2, 2);
    y = z;
  }
  WARPCELL_CHECK(!fail, "no");
  return y;
}`);
    const x = tensor([1, 2], on());
    three!(x, 0).dispose();
    await synchronize();
    const before = memory()[device]!.allocated;
    for (let round = 0; round < 20; round++) {
      expect((three!(x, 0) as Tensor).toArray()).toEqual([8, 16]);
      tidy(() => void three!(x, 0));
      expect(failure(() => three!(x, 1)).message).toBe("no (Cell [3]:13).");
      (three!(x, 0) as Tensor).dispose();
    }
    // What the first line of each round made is the collector's.
    const made = memory()[device]!.allocated - before;
    expect(made).toBeLessThanOrEqual(20 * 256);
    expect(x.isDisposed).toBe(false);
  });

  test("launches are recorded in a graph; what must be read cannot be", async () => {
    const { total } = await compiled("float total(const warpcell::Tensor& x) { return x.item<float>(); }\n");
    const step = graph((x: Tensor) => scaled(scaled(x, 2), 3).add(1));
    for (const value of [1, 2, 3, 4]) expect(step(tensor([value, 0], on())).toArray()).toEqual([6 * value + 1, 1]);
    const reads = graph((x: Tensor) => x.mul(total!(x)));
    const error = failure(() => {
      for (let round = 0; round < 4; round++) reads(tensor([3], on()));
    });
    expect(error).toMatchObject({ name: "TensorError", code: "RECORDED" });
  });

  test("it may be the forward and the backward of a gradient", () => {
    class Scaled extends AutogradFunction {
      static forward(context: FunctionContext, x: Tensor, a: number) {
        context["a"] = a;
        return scaled(x, a);
      }
      static backward(context: FunctionContext, gradient: Tensor) {
        return [scaled(gradient.contiguous(), context["a"] as number), null];
      }
    }
    const x = tensor([1, 2, 3], on());
    expect(grad((each: Tensor) => Scaled.apply(each, 4).square().sum())(x).toArray()).toEqual([32, 64, 96]);
  });

  test("kernels that take warpcell::Tensor<T, N> take tensors", async () => {
    const { transposed } = await compiled(`#include <warpcell/tensor.cuh>
__global__ void copy(warpcell::Tensor<const float, 2> x, warpcell::Tensor<float, 2> y) {
  y(threadIdx.y, threadIdx.x) = x(threadIdx.y, threadIdx.x);
}
warpcell::Tensor transposed(const warpcell::Tensor& x) {
  auto y = warpcell::empty(x.sizes());
  copy<<<1, dim3(x.size(1), x.size(0))>>>(x, y);
  return y;
}`);
    const x = tensor(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      on(),
    );
    expect((transposed!(x.T) as Tensor).toArray()).toEqual([
      [1, 4],
      [2, 5],
      [3, 6],
    ]);
    expect(failure(() => transposed!(zeros([2, 2, 2], on()))).message).toBe(
      "A kernel takes a tensor with 2 axes, but got one with 3 (thrown in transposed of Cell [3]).",
    );
  });

  test("kernels that are static or in an unnamed namespace", async () => {
    const { both } = await compiled(`static __global__ void add(float* x) { x[threadIdx.x] += 1; }
namespace { __global__ void twice(float* x) { x[threadIdx.x] *= 2; } }
warpcell::Tensor both(const warpcell::Tensor& x) {
  add<<<1, 2>>>(x.data<float>());
  twice<<<1, 2>>>(x.data<float>());
  return x;
}`);
    expect((both!(tensor([1, 2], on())) as Tensor).toArray()).toEqual([4, 6]);
  });

  test("kernels are given no lambdas", async () => {
    const source = `
template <typename F>
__global__ void map(float* x, F f) { x[0] = f(x[0]); }
void affine(warpcell::Tensor& x, float a) {
  map<<<1, 1>>>(x.data<float>(), [=] __device__(float value) { return a * value; });
}
`;
    await expect(compiled(source)).rejects.toThrow(
      /^The lambda in line 5 goes to the kernel map, which only programs with main\(\) can do: write a struct with a __device__ operator\(\), and pass that\.$/,
    );
  });

  test("algorithms of Thrust are for programs", async () => {
    const source = `#include <thrust/fill.h>
#include <thrust/execution_policy.h>
void ones(warpcell::Tensor& x) {
  thrust::fill(thrust::device, x.data<float>(), x.data<float>() + x.numel(), 1.0f);
}
`;
    await expect(compiled(source)).rejects.toThrow(
      /calls an algorithm of Thrust or CUB, which only programs with main\(\) can do: use the methods of tensors, x\.sum\(\), x\.sort\(\), x\.cumsum\(\), in a TypeScript cell\.$/,
    );
  });

  test.each([
    [
      "#include <cublas_v2.h>\nvoid scaled(warpcell::Tensor& x) {\n  cublasHandle_t handle;\n  cublasCreate(&handle);\n  float by = 2;\n  cublasSscal(handle, x.numel(), &by, x.data<float>(), 1);\n}",
      /calls a function of cuBLAS, which only programs with main\(\) can do: use the methods of tensors, x\.matmul\(y\), x\.add\(y\), x\.sum\(\), in a TypeScript cell\.$/,
    ],
    [
      "#include <curand.h>\nvoid drawn(warpcell::Tensor& x) {\n  curandGenerator_t generator;\n  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);\n  curandGenerateUniform(generator, x.data<float>(), x.numel());\n}",
      /calls a generator of cuRAND, which only programs with main\(\) can do: use the methods of tensors, x\.uniform_\(\), x\.normal_\(\), in a TypeScript cell\.$/,
    ],
  ])("functions of libraries are for programs: %s", async (source, sentence) => {
    await expect(compiled(source)).rejects.toThrow(sentence);
  });

  test("headers that only kernels need", async () => {
    const { total } = await compiled(`#include <warpcell/reduce.cuh>
#include <cooperative_groups.h>
#include <vector>
__global__ void sum(const float* x, float* y, int n) {
  float own = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own += x[i];
  atomicAdd(y, own);
}
warpcell::Tensor total(const warpcell::Tensor& x) {
  std::vector<int64_t> shape;
  auto y = warpcell::zeros(shape);
  sum<<<1, 32>>>(x.data<float>(), y.data<float>(), x.numel());
  return y;
}`);
    expect((total!(tensor([1, 2, 3], on())) as Tensor).item()).toBe(6);
  });

  test("mistakes of either half have the cell's lines, and one name is one value", async () => {
    const host = await refused(`${scaleKernel}warpcell::Tensor f(const warpcell::Tensor& x) {\n  return missing;\n}`);
    expect(host).toBeInstanceOf(CompileError);
    expect(host.message).toMatch(/^Cell \[3\] does not compile: .*missing.*\n\nCell \[3\]:6:10\n/);
    const inKernel = await refused(
      "warpcell::Tensor f(const warpcell::Tensor& x) {\n  return x;\n}\n__global__ void k(int* p) {\n  p[0] = missing;\n}",
    );
    expect(inKernel.message).toMatch(/^Cell \[3\] does not compile: .*missing.*\n\nCell \[3\]:5:10\n/);
    const one = "warpcell::Tensor f(const warpcell::Tensor& x) { return x; }\n";
    expect((await refused(`${one}${one.replace("& x", "& x, int n")}`)).message).toBe(
      "f is the name of 2 functions (lines 1, 2), but one name is one value in TypeScript: give each a name of its own, or make those static that only the cell calls.",
    );
    expect((await refused(`__global__ void f(int n) {}\n${one}`)).message).toBe(
      "f is the name of a kernel and of the host function in line 2, but one name is one value in TypeScript: give the function another name.",
    );
    expect((await refused("void f(int n) {\n  k<<<1, 1>>;\n}")).message).toBe(
      "The launch in line 2 is not complete: write kernel<<<grid, block>>>(arguments), with its <<< and >>> in one piece.",
    );
    expect((await refused("__managed__ int m;\nvoid f(const warpcell::Tensor& x) {\n  m = 1;\n}")).message).toBe(
      "Line 3 uses the __managed__ variable m, which host functions of a cell cannot: declare it __device__, and copy it with cudaMemcpyToSymbol and cudaMemcpyFromSymbol.",
    );
    expect((await refused(`${one}int main() {}`)).message).toMatch(/main\(\) makes this a program/);
  });

  test("kernels of modules before are launched", async () => {
    const first = await compile(
      `namespace k { ${scaleKernel}}
template <class T, int N> __global__ void add(T* x) { x[threadIdx.x] += N; }`,
      { device },
    );
    const second = await compile(
      `warpcell::Tensor both(const warpcell::Tensor& x) {
  auto y = warpcell::empty_like(x);
  k::scale<<<1, 2>>>(x.data<float>(), y.data<float>(), 3, 2);
  add<float, 5><<<1, 2>>>(y.data<float>());
  return y;
}`,
      { device, after: first },
    );
    expect(second.functions["both"]!(tensor([1, 2], on())).toArray()).toEqual([8, 11]);
  });

  if (kind === "cpu")
    test("launches are checked where the cell is", async () => {
      const { late } = await compiled(
        `__global__ void last(float* x, int n) { x[n] = 1; }
warpcell::Tensor late(const warpcell::Tensor& x) {
  last<<<1, 1>>>(x.data<float>(), x.numel());
  return x;
}`,
        { check: true },
      );
      late!(zeros([3], on()));
      const error = failure(() => zeros([1], on()).add(1).toArray());
      expect(error).toMatchObject({ name: "CheckError", where: "Cell [3]:3" });
    });
});
