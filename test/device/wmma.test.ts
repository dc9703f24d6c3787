// mma.h in cells on every device and with every compiler: products of a warp's fragments against float64, with the bound
// of their sums. On a GPU the header comes with the toolkit.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { tensor, zeros, type DType } from "../../native/lib/index.ts";
import { targets, use } from "./cpu-cell.ts";
import { below } from "./random-integers.ts";
import { kernelOf } from "./toolkit.ts";

type Row = [string, string, string, [number, number, number], DType, DType];
const rows: Row[] = [
  ["half", "__half", "float", [16, 16, 16], "float16", "float32"],
  ["half, wide", "__half", "float", [8, 32, 16], "float16", "float32"],
  ["half, tall", "__half", "__half", [32, 8, 16], "float16", "float16"],
  ["bfloat16", "__nv_bfloat16", "float", [16, 16, 16], "bfloat16", "float32"],
  ["tf32", "wmma::precision::tf32", "float", [16, 16, 8], "float32", "float32"],
  ["int8", "signed char", "int", [16, 16, 16], "int8", "int32"],
  ["double", "double", "double", [8, 8, 4], "float64", "float64"],
];
const pointer: Partial<Record<DType, string>> = {
  float16: "__half",
  bfloat16: "__nv_bfloat16",
  float32: "float",
  float64: "double",
  int8: "signed char",
  int32: "int",
};

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => use(compiler));

  test.each(
    rows,
  )("%s: a · b + c for two warps, by rows and by columns", async (name, element, sum, size, dtype, result) => {
    const [m, n, k] = size;
    const round =
      name === "tf32"
        ? "for (auto& v : a.x) v = wmma::__float_to_tf32(v); for (auto& v : b.x) v = wmma::__float_to_tf32(v);"
        : "";
    const kernel = await kernelOf(
      `#include <mma.h>
      using namespace nvcuda;
      template <class LA, class LB> __device__ void product(const ${pointer[dtype]}* x, const ${pointer[dtype]}* y, ${pointer[result]}* out, int lda, int ldb, wmma::layout_t layout, int ldc) {
        wmma::fragment<wmma::matrix_a, ${size.join()}, ${element}, LA> a; wmma::fragment<wmma::matrix_b, ${size.join()}, ${element}, LB> b;
        wmma::fragment<wmma::accumulator, ${size.join()}, ${sum}> c, d;
        wmma::load_matrix_sync(a, x, lda); wmma::load_matrix_sync(b, y, ldb); ${round}
        wmma::fill_fragment(c, (${sum})3.0f);
        wmma::mma_sync(d, a, b, c); wmma::mma_sync(d, a, b, d);
        for (int i = 0; i < d.num_elements; i++) d.x[i] = d.x[i] + d.x[i];
        wmma::store_matrix_sync(out, d, ldc, layout);
        __syncwarp();
        wmma::load_matrix_sync(c, out, ldc, layout); wmma::store_matrix_sync(out, c, ldc, layout);
      }
      __global__ void k(const ${pointer[dtype]}* x, const ${pointer[dtype]}* y, ${pointer[result]}* out) {
        if (threadIdx.x / 32 == 0) product<wmma::row_major, wmma::col_major>(x, y, out, ${k}, ${k}, wmma::mem_row_major, ${n});
        else product<wmma::col_major, wmma::row_major>(x, y, out + ${m * n}, ${m}, ${n}, wmma::mem_col_major, ${m});
      }`,
      device,
    );
    if (kernel === null) return;
    // Numbers of few bits: products are exact in every type.
    const draw = (count: number) =>
      Array.from({ length: count }, () => (dtype === "int8" ? below(256) - 128 : (below(255) - 127) / 64));
    const x = draw(m * k),
      y = draw(k * n),
      out = zeros([2 * m * n], { dtype: result, device });
    kernel.launch({ grid: 1, block: 64 }, tensor(x, { dtype, device }), tensor(y, { dtype, device }), out);
    const wanted = (by: (i: number, l: number) => number, of: (l: number, j: number) => number) =>
      Array.from({ length: m * n }, (_, at) => {
        const i = Math.floor(at / n),
          j = at % n;
        let total = 3;
        for (let l = 0; l < k; l++) total += 2 * by(i, l) * of(l, j);
        return 2 * total;
      });
    const first = wanted(
      (i, l) => x[i * k + l]!,
      (l, j) => y[l + j * k]!,
    );
    const second = wanted(
      (i, l) => x[i + l * m]!,
      (l, j) => y[l * n + j]!,
    );
    const got = (out.toArray() as number[]).map(Number);
    // Multiples of 2^-12 below 2^9: exact in float; a half has 11 bits, and is rounded after each product.
    const bound = result === "float16" ? 2 ** -11 * 4 * (3 + k * 8) : 0;
    first.forEach((value, at) => expect(Math.abs(got[at]! - value), `${at}`).toBeLessThanOrEqual(bound));
    second.forEach((value, at) => {
      const i = Math.floor(at / n),
        j = at % n;
      expect(Math.abs(got[m * n + i + j * m]! - value), `${at}`).toBeLessThanOrEqual(bound);
    });
  });
});
