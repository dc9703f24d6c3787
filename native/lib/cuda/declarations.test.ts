// The TypeScript that the editor sees for kernels.
import { describe, expect, test } from "vitest";
import { declarationText, valueNames } from "./declarations.ts";
import { parseSignatures } from "./signature.ts";

const text = (source: string) =>
  parseSignatures(source).kernels.map((kernel) => declarationText(valueNames([kernel.name])[0]!, kernel));

describe("declarations", () => {
  test.each([
    [
      "pointers, numbers, 64-bit numbers and bool",
      "__global__ void k(const float* x, __half* h, int n, long long big, bool flag) {}",
      `declare const k: import("warpcell").Kernel<[x: import("warpcell").Tensor<"float32"> | null, h: import("warpcell").Tensor<"float16"> | null, n: number, big: number | bigint, flag: boolean]>`,
    ],
    [
      "void, vectors and structs",
      "struct P { float a; int b[2]; }; __global__ void k(void* p, float2 v, P s) {}",
      `declare const k: import("warpcell").Kernel<[p: import("warpcell").Tensor | null, v: [x: number, y: number] | { x: number; y: number }, s: { a: number; b: ArrayLike<number> }]>`,
    ],
    [
      "templates: what depends on an argument is checked at the launch",
      "template <class T> __global__ void axpy(int n, T a, const T* x, float* y) {}",
      `declare const axpy: import("warpcell").KernelTemplate<[n: number, a: number | bigint | boolean | object, x: import("warpcell").Tensor | null, y: import("warpcell").Tensor<"float32"> | null]>`,
    ],
    [
      "views of tensors",
      "constexpr int N = 3; using namespace warpcell; template <class T> struct Mine {}; __global__ void k(warpcell::Tensor<const float, 2> a, Tensor<unsigned, N> b) {}",
      `declare const k: import("warpcell").Kernel<[a: import("warpcell").Tensor<"float32">, b: import("warpcell").Tensor<"uint32"> | import("warpcell").Tensor<"int32">]>`,
    ],
    [
      "textures and surfaces",
      "struct Pair { cudaTextureObject_t t[2]; }; __global__ void k(cudaTextureObject_t t, const cudaSurfaceObject_t s, Pair p, cudaTextureObject_t* all) {}",
      `declare const k: import("warpcell").Kernel<[t: import("warpcell").Texture, s: import("warpcell").Surface, p: { t: ArrayLike<import("warpcell").Texture> }, all: null]>`,
    ],
    ["no parameters", "__global__ void k() {}", `declare const k: import("warpcell").Kernel<[]>`],
    [
      "names that TypeScript keeps for itself",
      "__global__ void await(int in) {}",
      `declare const await_: import("warpcell").Kernel<[in_: number]>`,
    ],
  ])("%s", (_, source, expected) => {
    expect(text(source)).toEqual([expected]);
  });

  test("namespaces go where the name stays unique", () => {
    expect(valueNames(["a::k", "b::l", "c::d::l"])).toEqual(["k", "b_l", "c_d_l"]);
  });
});
