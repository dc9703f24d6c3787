// Pointers that lie deeper than a parameter, on every device: in structs, to arrays, to pointers.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import {
  compile,
  full,
  LaunchError,
  synchronize,
  tensor,
  TensorError,
  zeros,
  type CudaModule,
  type Kernel,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

const source = `
// As in the CUDA C++ Programming Guide, "Shared Memory".
typedef struct { int width; int height; float* elements; } Matrix;
struct Layer { const float* __restrict__ weights, *bias; Matrix out[2]; char mark; };

__global__ void multiply(Matrix A, Matrix B, Matrix C) {
  float value = 0;
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  for (int e = 0; e < A.width; ++e) value += A.elements[row * A.width + e] * B.elements[e * B.width + col];
  C.elements[row * C.width + col] = value;
}
__global__ void layers(Layer layer, int n) {
  for (int i = 0; i < n; i++) {
    layer.out[0].elements[i] = layer.weights[i] + (layer.bias == nullptr ? 100 : layer.bias[i]);
    layer.out[1].elements[i] = layer.mark;
  }
}
__global__ void names(float* out, float half, int dim3, const double uint) { out[0] = half + dim3 + uint; }
__global__ void rows(float (*p)[4], const int (*q)[2][2], int n) { for (int i = 0; i < n; i++) p[i][3] = q[0][i][1]; }
__global__ void table(float* const* parts, int count, float** __restrict__ last) { for (int i = 0; i < count; i++) parts[i][0] = 10 * i; last[0][1] = 7; }
`;

describe.each(devices)("on $name", ({ name: device }) => {
  let module: CudaModule;
  const kernel = (name: string) => module.kernels[name] as Kernel;
  beforeAll(async () => {
    module = await compile(source, { device });
  });

  test("a struct with a pointer takes a tensor: the Programming Guide's Matrix", () => {
    const A = tensor(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      { device },
    );
    const B = tensor(
      [
        [1, 0],
        [0, 1],
        [2, 2],
      ],
      { device },
    );
    const C = full([2, 2], -1, { device });
    kernel("multiply").launch(
      { grid: 1, block: [2, 2] },
      { width: 3, height: 2, elements: A },
      { width: 2, height: 3, elements: B },
      { width: 2, height: 2, elements: C },
    );
    expect(C.toArray()).toEqual([
      [7, 8],
      [16, 17],
    ]);
    expect(module.declarations.find(({ name }) => name === "multiply")?.text).toContain(
      'A: { width: number; height: number; elements: import("warpcell").Tensor<"float32"> | null }',
    );
  });

  test("structs within structs, arrays of them, null, and a view at its own place", () => {
    const weights = tensor([1, 2, 3, 4], { device });
    const [first, second] = [zeros([2], { device }), zeros([2], { device })];
    const out = [
      { width: 0, height: 0, elements: first },
      { width: 0, height: 0, elements: second },
    ];
    kernel("layers").launch({ grid: 1, block: 1 }, { weights: weights.slice([2, 4]), bias: null, out, mark: 5 }, 2);
    expect([first.toArray(), second.toArray()]).toEqual([
      [103, 104],
      [5, 5],
    ]);
    kernel("layers").launch({ grid: 1, block: 1 }, { weights, bias: weights, out, mark: 6 }, 2);
    expect([first.toArray(), second.toArray()]).toEqual([
      [2, 4],
      [6, 6],
    ]);
  });

  test.each<[string, (good: () => object) => unknown, string, string]>([
    [
      "an array of the host",
      () => ({ width: 1, height: 1, elements: new Float32Array(1) }),
      "HOST_ARRAY",
      "Argument 1 (A.elements) of kernel multiply must be a tensor of float32, or null (float*), but got a host Float32Array. Nothing is copied implicitly: make a tensor of it with tensor(…).",
    ],
    [
      "another dtype",
      () => ({ width: 1, height: 1, elements: zeros([1], { device, dtype: "int32" }) }),
      "DTYPE",
      "Argument 1 (A.elements) of kernel multiply must be a tensor of float32, or null (float*), but got a tensor of int32.",
    ],
    [
      "a view with gaps",
      () => ({ width: 1, height: 1, elements: zeros([2, 2], { device }).T }),
      "NOT_CONTIGUOUS",
      "Argument 1 (A.elements) of kernel multiply must be contiguous",
    ],
    [
      "a number of another type beside it",
      () => ({ width: 1.5, height: 1, elements: null }),
      "ARGUMENT_RANGE",
      "Argument 1 (A.width) of kernel multiply must be a whole number",
    ],
    [
      "no such field",
      () => ({ width: 1, height: 1 }),
      "ARGUMENT_TYPE",
      "Argument 1 (A) of kernel multiply must be an object { width, height, elements } with exactly these fields",
    ],
  ])("a struct with %s is refused before the launch, by its field", (_, bad, code, sentence) => {
    const good = () => ({ width: 1, height: 1, elements: zeros([1], { device }) });
    let error: unknown;
    try {
      kernel("multiply").launch({ grid: 1, block: 1 }, bad(good), good(), good());
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(LaunchError);
    expect((error as LaunchError).code).toBe(code);
    expect((error as Error).message).toContain(sentence);
  });

  test("parameters named as types of CUDA are", () => {
    const out = zeros([1], { device });
    kernel("names").launch({ grid: 1, block: 1 }, out, 0.5, 2, 4);
    expect(out.toArray()).toEqual([6.5]);
  });

  test("a pointer to arrays takes their elements", () => {
    const p = zeros([2, 4], { device });
    kernel("rows").launch(
      { grid: 1, block: 1 },
      p,
      tensor(
        [
          [
            [1, 2],
            [3, 4],
          ],
        ],
        { dtype: "int32", device },
      ),
      2,
    );
    expect(p.toArray()).toEqual([
      [0, 0, 0, 2],
      [0, 0, 0, 4],
    ]);
  });

  test("a pointer to pointers takes a tensor of addresses", async () => {
    const parts = [zeros([2], { device }), zeros([4], { device }).slice([2, 4]), zeros([2], { device })];
    const addresses = tensor(
      parts.map((part) => part.address),
      { dtype: "int64", device },
    );
    kernel("table").launch({ grid: 1, block: 1 }, addresses, 3, addresses.slice([2, 3]));
    expect(parts.map((part) => part.toArray())).toEqual([
      [0, 0],
      [10, 0],
      [20, 7],
    ]);
    expect(() => kernel("table").launch({ grid: 1, block: 1 }, parts[0]!, 3, addresses)).toThrow(
      "Argument 1 (parts) of kernel table must be a tensor of int64, or null (float* const*)",
    );
    await synchronize();
    const gone = zeros([1], { device });
    gone.dispose();
    expect(() => gone.address).toThrow(TensorError);
  });
});
