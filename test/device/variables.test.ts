// Variables of device code on every device: what is set and read, in which order with launches, what modules share, what
// a fault takes, and which sentence refuses a value.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  compile,
  DeviceError,
  DeviceFault,
  DeviceVariable,
  Kernel,
  KernelTemplate,
  LaunchError,
  Tensor,
  tensor,
  zeros,
  type CudaModule,
} from "../../native/lib/index.ts";
import { binding } from "../../native/lib/wire/binding.ts";
import type { DeviceProcess } from "../../native/lib/device/process.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const floats = (count: number) => Float32Array.from({ length: count }, () => random() * 2 - 1);

function kill(device: DeviceProcess): void {
  process.kill(binding.processId(device.client), "SIGKILL");
  expect(() => device.synchronize()).toThrow(DeviceFault);
}

const source = `
#define RADIUS 2
struct Pair { int a; float b[2][3]; };
__constant__ float filter[2 * RADIUS + 1];
__constant__ float grid[2][3];
__device__ Pair pairs[2];
__device__ int counter = 3;
__device__ double table[] = {0.5, 1.5, 2.5};
static __device__ long long big;
__constant__ bool flag;
namespace ns { __device__ float2 vectors[2]; __constant__ unsigned char bytes[4]; }
__global__ void read(float* p) {
  int i = threadIdx.x;
  if (i < 5) p[i] = filter[i];
  else if (i < 11) p[i] = grid[(i - 5) / 3][(i - 5) % 3];
  else if (i < 17) p[i] = pairs[1].b[(i - 11) / 3][(i - 11) % 3];
  else if (i < 19) p[i] = ns::vectors[i - 17].y;
  else if (i < 23) p[i] = ns::bytes[i - 19];
  else p[i] = flag ? float(big) : -1;
}
__global__ void count(int n) { atomicAdd(&counter, n); }
template <class T> __global__ void countAs(T n) { atomicAdd(&counter, int(n)); }
`;

describe.each(devices.map((device) => ({ name: device.name, device })))("$name", ({ name, device }) => {
  let module: CudaModule;
  const variable = (key: string, of = module) => of.globals[key] as DeviceVariable;
  const kernel = (key: string, of = module) => of.kernels[key] as Kernel;
  const launched = (key: string, size: number, of = module): number[] => {
    const p = zeros([size], { device: name });
    kernel(key, of).launch({ grid: 1, block: size }, p);
    return p.toArray() as number[];
  };

  beforeAll(async () => {
    module = await compile(source, { device: name });
  });
  afterAll(() => device.synchronize());

  test("each has its name, words, dtype, shape and bytes", () => {
    const facts = Object.values(module.globals).map(({ name: own, space, dtype, shape, bytes }) => [
      own,
      space,
      dtype,
      shape,
      bytes,
    ]);
    expect(facts).toEqual([
      ["filter", "constant", "float32", [5], 20],
      ["grid", "constant", "float32", [2, 3], 24],
      ["pairs", "device", null, [2], 56],
      ["counter", "device", "int32", [], 4],
      ["table", "device", "float64", [3], 24],
      ["big", "device", "int64", [], 8],
      ["flag", "constant", "bool", [], 1],
      ["ns::vectors", "device", null, [2], 16],
      ["ns::bytes", "constant", "uint8", [4], 4],
    ]);
    expect(String(variable("filter"))).toBe("__constant__ filter");
    expect(Object.keys(module.globals)).toContain("vectors");
    expect(module.declarations.slice(3).map(({ text }) => text.replaceAll('import("warpcell").', ""))).toEqual([
      'declare const filter: DeviceVariable<ArrayLike<number> | Tensor<"float32">, Float32Array>',
      'declare const grid: DeviceVariable<ArrayLike<ArrayLike<number>> | ArrayBufferView | Tensor<"float32">, Float32Array[]>',
      "declare const pairs: DeviceVariable<ArrayLike<{ a: number; b: ArrayLike<ArrayLike<number>> }>, ({ a: number; b: Float32Array[] })[]>",
      "declare const counter: DeviceVariable<number, number>",
      'declare const table: DeviceVariable<ArrayLike<number> | Tensor<"float64">, Float64Array>',
      "declare const big: DeviceVariable<number | bigint, bigint>",
      "declare const flag: DeviceVariable<boolean, boolean>",
      "declare const vectors: DeviceVariable<ArrayLike<[x: number, y: number] | { x: number; y: number }>, ({ x: number; y: number })[]>",
      'declare const bytes: DeviceVariable<ArrayLike<number> | Tensor<"uint8">, Uint8Array>',
    ]);
  });

  test("what is set is what kernels and data() see, in every form", () => {
    const [weights, plane, b] = [floats(5), floats(6), floats(6)];
    variable("filter").set([...weights]);
    variable("grid").set(plane);
    variable("pairs").set([
      { a: 1, b: [[0, 0, 0], new Float32Array(3)] },
      { a: -7, b: [b.subarray(0, 3), [...b.subarray(3)]] },
    ]);
    variable("vectors").set([[1, 2], { x: 3, y: 4 }]);
    variable("bytes").set(Uint8Array.of(0, 1, 128, 255));
    variable("flag").set(true);
    variable("big").set(-(2n ** 40n));
    expect(launched("read", 24)).toEqual([...weights, ...plane, ...b, 2, 4, 0, 1, 128, 255, -(2 ** 40)]);
    expect(variable("filter").data()).toEqual(weights);
    expect(variable("grid").data()).toEqual([plane.slice(0, 3), plane.slice(3)]);
    expect((variable("pairs").data() as object[])[1]).toEqual({ a: -7, b: [b.slice(0, 3), b.slice(3)] });
    expect(variable("vectors").data()).toEqual([
      { x: 1, y: 2 },
      { x: 3, y: 4 },
    ]);
    expect(variable("table").data()).toEqual(Float64Array.of(0.5, 1.5, 2.5));
    expect([variable("flag").data(), variable("big").data()]).toEqual([true, -(2n ** 40n)]);
    variable("grid").set([[...plane.subarray(3)], plane.subarray(0, 3)]);
    expect(launched("read", 11).slice(5)).toEqual([...plane.subarray(3), ...plane.subarray(0, 3)]);
  });

  test("what kernels write is read, and sets come between the launches around them", () => {
    variable("counter").set(10);
    kernel("count").launch({ grid: 2, block: 32 }, 3);
    expect(variable("counter").data()).toBe(10 + 2 * 32 * 3);
    for (let step = 0; step < 20; step++) {
      variable("counter").set(step);
      kernel("count").launch({ grid: 1, block: 1 }, 100);
    }
    expect(variable("counter").data()).toBe(119);
  });

  test("a variable is one for all modules that use it, those of templates too", async () => {
    const later = await compile(
      "__global__ void more(int n) { atomicAdd(&counter, n); }\n__global__ void first(float* p) { p[0] = filter[0]; }",
      { device: name, after: module },
    );
    variable("counter").set(5);
    kernel("count").launch({ grid: 1, block: 1 }, 10);
    kernel("more", later).launch({ grid: 1, block: 1 }, 100);
    (module.kernels["countAs"] as KernelTemplate).as("float").launch({ grid: 1, block: 1 }, 1000);
    kernel("count").launch({ grid: 1, block: 1 }, 10000);
    expect(variable("counter").data()).toBe(11115);
    variable("filter").set([8, 0, 0, 0, 0]);
    expect([launched("first", 1, later)[0], launched("read", 1)[0]]).toEqual([8, 8]);
    expect(later.globals).toEqual({});
  });

  test("what was set stays over a fault, and what kernels wrote is said to be lost", () => {
    const weights = floats(5);
    variable("filter").set(weights);
    variable("counter").set(40);
    kernel("count").launch({ grid: 1, block: 1 }, 2);
    device.synchronize();
    kill(device);
    expect(launched("read", 5)).toEqual([...weights]);
    expect(variable("filter").data()).toEqual(weights);
    expect(() => variable("counter").data()).toThrow(
      new DeviceError(
        "LOST",
        name,
        `What kernels had written to counter was lost when the device process of ${name} ended: the variable has what was set last again. Set it, counter.set(…), before you read it.`,
      ),
    );
    kernel("count").launch({ grid: 1, block: 1 }, 2);
    expect(() => variable("counter").data()).toThrow("was lost");
    variable("counter").set(1);
    kernel("count").launch({ grid: 1, block: 1 }, 2);
    expect(variable("counter").data()).toBe(3);
    variable("counter").set(7);
    kill(device);
    expect(variable("counter").data()).toBe(7);
    variable("filter").set([1, 2, 3, 4, 5]);
    expect(launched("read", 5)).toEqual([1, 2, 3, 4, 5]);
  });

  test("tensors of the dtype, of any shape with as many elements", () => {
    const [weights, plane] = [floats(5), floats(6)];
    variable("filter").set(tensor(weights, { device: name }));
    variable("grid").set(tensor(plane, { device: "cpu" }));
    expect([variable("filter").data(), variable("grid").data()]).toEqual([
      weights,
      [plane.slice(0, 3), plane.slice(3)],
    ]);
    const wide = tensor([...floats(12)], { device: name }).reshape([6, 2]);
    variable("grid").set(wide.slice([1, 4]));
    expect(variable("grid").data()).toEqual([wide.data().slice(2, 5), wide.data().slice(5, 8)]);
    const refused: [string, Tensor, string][] = [
      [
        "filter",
        wide.slice([0, 2]),
        "filter takes a tensor of float32 with 5 elements, but got one of float32 with shape [2, 2].",
      ],
      [
        "counter",
        tensor([1], { device: name }),
        "counter takes a tensor of int32 with 1 element, but got one of float32 with shape [1].",
      ],
      ["pairs", wide, "pairs takes no tensor (Pair[2]), but got one of float32 with shape [6, 2]."],
      [
        "grid",
        wide.slice(null, [0, 1]),
        "grid takes a contiguous tensor, but got one of shape [6, 1] with strides [2, 1]. Pass .contiguous(), a copy in row-major order without gaps.",
      ],
    ];
    for (const [key, value, sentence] of refused)
      expect(() => variable(key).set(value)).toThrow(
        expect.objectContaining({ constructor: LaunchError, message: sentence }) as Error,
      );
    wide.dispose();
    expect(() => variable("grid").set(wide)).toThrow(/disposed/);
  });

  test.each([
    [
      "filter",
      [1, 2, 3],
      "filter must be an array of 5 elements, each a number of magnitude below 3.4e38 (float), but got an array of 3.",
    ],
    [
      "filter",
      new Float32Array(4),
      "filter must be an array of 5 elements, each a number of magnitude below 3.4e38 (float), but got a host Float32Array of 4.",
    ],
    ["filter", [1, 2, 3, 4, "five"], 'filter[4] must be a number of magnitude below 3.4e38 (float), but got "five".'],
    ["filter", 1, "filter must be an array of 5 elements, each a number of magnitude below 3.4e38 (float), but got 1."],
    [
      "grid",
      [
        [1, 2, 3],
        [1, 2],
      ],
      "grid[1] must be an array of 3 elements, each a number of magnitude below 3.4e38 (float), but got an array of 2.",
    ],
    [
      "grid",
      new Float32Array(5),
      "grid must be an array of 6 elements, each a number of magnitude below 3.4e38 (float), but got a host Float32Array of 5.",
    ],
    ["grid", 2, "grid must be an array of 2 arrays (float[2][3]), but got 2."],
    [
      "pairs",
      [{ a: 1 }, { a: 2 }],
      "pairs[0] must be an object { a, b[2][3] } with exactly these fields, each in the range of its type (Pair), but got an object with a.",
    ],
    ["counter", 1.5, "counter must be a whole number from -2147483648 to 2147483647 (int), but got 1.5."],
    ["bytes", [0, 1, 2, 256], "ns::bytes[3] must be a whole number from 0 to 255 (unsigned char), but got 256."],
    ["flag", 1, "flag must be true or false (bool), but got 1."],
  ])("%s refuses %j", (key, value, sentence) => {
    variable("counter").set(1);
    variable("pairs").set([0, 1].map((a) => ({ a, b: [floats(3), floats(3)] })));
    const before = variable(key).data();
    expect(() => variable(key).set(value)).toThrow(
      expect.objectContaining({ constructor: LaunchError, message: sentence }) as Error,
    );
    expect(variable(key).data()).toEqual(before);
  });

  test("const and pointers are refused with what to do", async () => {
    const { globals } = await compile(
      "__constant__ const float pi[2] = {3, 1};\nstruct Node { Node* next; };\n__device__ Node root; __device__ float* where;\n__global__ void k(float* p) { p[0] = pi[0]; }",
      { device: name },
    );
    expect(() => variable("pi", { globals } as unknown as CudaModule).set([1, 2])).toThrow(
      "pi is const, so compilers have built its value into the kernels: leave out the word const to set it.",
    );
    expect(() => (globals["where"] as DeviceVariable).set(null)).toThrow(
      "where holds pointers, which only launches can pass on: give kernels the tensors as arguments.",
    );
  });

  test("a variable that macros of the device lay out is left to kernels", async () => {
    const { globals } = await compile(
      "#ifdef __CUDA_ARCH__\n#define N 4\n#else\n#define N 8\n#endif\n__constant__ float w[N];\n__global__ void k(float* p) { p[0] = w[0]; }",
      { device: name },
    );
    for (const use of [
      () => (globals["w"] as DeviceVariable).set(new Float32Array(8)),
      () => (globals["w"] as DeviceVariable).data(),
    ])
      expect(use).toThrow(
        "w has 32 bytes, as its declaration was read, but 16 as compiled: write its type and lengths without macros that depend on the device.",
      );
  });

  test("managed memory is a variable, too", async () => {
    const managed = await compile("__managed__ int total = 2;\n__global__ void add(int n) { atomicAdd(&total, n); }", {
      device: name,
    });
    kernel("add", managed).launch({ grid: 1, block: 4 }, 10);
    expect(variable("total", managed).data()).toBe(42);
    variable("total", managed).set(-1);
    kernel("add", managed).launch({ grid: 1, block: 1 }, 5);
    expect(variable("total", managed).data()).toBe(4);
  });

  test("a struct parameter may hold arrays of arrays, and be __grid_constant__", async () => {
    const { kernels, declarations } = await compile(
      "struct F { float w[2][3]; int n; };\n__global__ void k(float* p, const __grid_constant__ F f) { p[threadIdx.x] = f.w[threadIdx.x / 3][threadIdx.x % 3] * f.n; }",
      { device: name },
    );
    expect(declarations[0]!.text).toContain("f: { w: ArrayLike<ArrayLike<number>>; n: number }");
    const [p, k, w] = [zeros([6], { device: name }), kernels["k"] as Kernel, floats(6)];
    k.launch({ grid: 1, block: 6 }, p, { w: [w.subarray(0, 3), [...w.subarray(3)]], n: 2 });
    expect(p.toArray()).toEqual([...w].map((value) => value * 2));
    const row = () =>
      k.launch({ grid: 1, block: 6 }, p, {
        w: [
          [1, 2, 3],
          [1, 2],
        ],
        n: 2,
      });
    expect(row).toThrow("Argument 2 (f.w[1]) of kernel k must be an array of 3 elements, each a number");
  });

  test("a source after another uses what that declares, and what that came after", async () => {
    const first = await compile("struct P { float x; };\n#define TWO 2", { device: name });
    const second = await compile("__device__ float twice(P p) { return TWO * p.x; }", { device: name, after: first });
    const third = await compile("__global__ void k(float* out, P p) { out[0] = twice(p); }", {
      device: name,
      after: second,
    });
    const out = zeros([1], { device: name });
    kernel("k", third).launch({ grid: 1, block: 1 }, out, { x: 4 });
    expect((out as Tensor).item()).toBe(8);
  });
});
