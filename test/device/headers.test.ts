// What a cell finds without an include, and the headers of C and C++ that it may include, on every device.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { compile, full, tensor, type Kernel } from "../../native/lib/index.ts";
import { compilers, use } from "./cpu-cell.ts";
import { devices } from "./devices.ts";
import { below } from "./random-integers.ts";

const constants = {
  INFINITY: Infinity,
  "-INFINITY": -Infinity,
  NAN: NaN,
  HUGE_VAL: Infinity,
  M_PI: Math.PI,
  M_E: Math.E,
  M_SQRT2: Math.SQRT2,
  M_LN2: Math.LN2,
  M_PI_2: Math.PI / 2,
  FLT_MAX: (2 - 2 ** -23) * 2 ** 127,
  FLT_MIN: 2 ** -126,
  FLT_EPSILON: 2 ** -23,
  DBL_MAX: Number.MAX_VALUE,
  DBL_MIN: 2 ** -1022,
  DBL_EPSILON: Number.EPSILON,
  INT_MAX: 2 ** 31 - 1,
  INT_MIN: -(2 ** 31),
  UINT_MAX: 2 ** 32 - 1,
  SHRT_MIN: -32768,
  CHAR_BIT: 8,
  INT8_MIN: -128,
  UINT16_MAX: 65535,
  INT32_MAX: 2 ** 31 - 1,
  UINT32_MAX: 2 ** 32 - 1,
  INT64_MAX: 2 ** 63,
  INT64_MIN: -(2 ** 63),
  UINT64_MAX: 2 ** 64,
};
const integers = {
  int8_t: 1,
  uint8_t: 1,
  int16_t: 2,
  uint16_t: 2,
  int32_t: 4,
  uint32_t: 4,
  int64_t: 8,
  uint64_t: 8,
  uintptr_t: 8,
  size_t: 8,
  uint: 4,
  ushort: 2,
  ulong: 8,
};
const headers = ["assert", "float", "limits", "math", "stddef", "stdint", "stdio", "stdlib", "string", "time"];

/** Every device, and of the CPU every compiler. */
const targets = devices.flatMap(({ name }): { device: string; compiler: string }[] =>
  (name === "cpu" ? compilers : ["NVRTC"]).map((compiler) => ({ device: name, compiler })),
);

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => {
    if (device === "cpu") use(compiler);
  });

  const kernel = async (source: string): Promise<Kernel> => (await compile(source, { device })).kernels["k"] as Kernel;

  /** What C++ says of each expression, as a double. */
  const values = async (expressions: readonly string[], before = ""): Promise<number[]> => {
    const out = full([expressions.length], -77, { dtype: "float64", device });
    const k = await kernel(
      `${before}\n__global__ void k(double* out) { ${expressions.map((expression, i) => `out[${i}] = (double)(${expression});`).join("\n")} }`,
    );
    k.launch({ grid: 1, block: 1 }, out);
    return out.toArray() as number[];
  };

  test.each([
    "",
    "#include <math.h>\n#include <float.h>\n#include <limits.h>\n#include <stdint.h>",
    "#include <cmath>\n#include <cfloat>\n#include <climits>\n#include <cstdint>\n#include <cuda_fp16.h>",
  ])("constants and integers are there, after %j", async (before) => {
    expect(await values(Object.keys(constants), before)).toEqual(Object.values(constants));
    expect(
      await values(
        Object.keys(integers).map((type) => `sizeof(${type})`),
        before,
      ),
    ).toEqual(Object.values(integers));
    expect(await values(["(int8_t)-1", "(uint8_t)-1", "(uint64_t)-1 > 0"], before)).toEqual([-1, 255, 1]);
  });

  test("every header of C can be included under both of its names", async () => {
    const both = headers.map((name) => [`#include <c${name}>`, `#include <${name}.h>`]);
    expect(await values(["1"], both.flat().join("\n"))).toEqual([1]);
    // Each without the others, under both names: in an order for each pair that is another in the next run.
    for (const pair of both)
      expect(await values(["2"], (below(2) === 0 ? pair : [...pair].reverse()).join("\n"))).toEqual([2]);
  });

  test("where a field lies in a struct is a constant", async () => {
    const before = `#include <cstddef>
      struct Point { char name; double at[3]; };
      template <int N> struct Padded { char pad[N]; short last; };
      static_assert(offsetof(Point, at) == 8, "");`;
    expect(await values(["offsetof(Point, name)", "offsetof(Point, at)", "offsetof(Padded<5>, last)"], before)).toEqual(
      [0, 8, 6],
    );
  });

  test("C++'s names are in namespace std", async () => {
    const before =
      "#include <cmath>\n#include <cstdint>\n#include <cstddef>\n#include <cstdlib>\n#include <cstring>\n#include <cstdio>";
    const x = tensor([2], { dtype: "float32", device });
    const out = full([6], -77, { dtype: "float64", device });
    const k = await kernel(`${before}
      template <class T> struct is_float { static constexpr int value = 0; }; template <> struct is_float<float> { static constexpr int value = 1; };
      __global__ void k(const float* x, double* out) {
        out[0] = std::sqrt(x[0]); out[1] = is_float<decltype(std::sqrt(x[0]))>::value; out[2] = std::pow(x[0], 10.f); out[3] = std::abs(-x[0]) + std::fmax(x[0], 3.f);
        std::int32_t i = 7; int copy; std::memcpy(&copy, &i, sizeof i); out[4] = copy; out[5] = std::isnan(NAN) + 2 * std::isinf(-INFINITY) + 4 * std::isfinite(x[0]);
      }`);
    k.launch({ grid: 1, block: 1 }, x, out);
    expect(out.toArray()).toEqual([Math.fround(Math.SQRT2), 1, 1024, 5, 7, 7]);
  });

  test("so are its templates", async () => {
    const before =
      "#include <type_traits>\n#include <limits>\n#include <utility>\n#include <algorithm>\n#include <array>\n#include <functional>\n#include <new>";
    expect(
      await values(
        [
          "std::is_same<std::remove_const_t<const int>, int>::value",
          "std::numeric_limits<float>::max()",
          "std::max(3, 4) + std::min(1, 2)",
          "std::array<int, 3>{{1, 2, 3}}[1]",
          "std::plus<int>()(1, 2)",
        ],
        before,
      ),
    ).toEqual([1, constants.FLT_MAX, 5, 2, 3]);
  });

  test.runIf(device !== "cpu")(
    "libcu++ beside them says nothing, and what the cell itself defines twice is said",
    async () => {
      const before =
        "#include <limits.h>\n#include <cuda/std/cmath>\n#include <cuda/std/climits>\n#include <cuda/std/cstdint>";
      expect(
        (await compile(`${before}\n__global__ void k(float* p) { p[0] = INFINITY; }`, { device })).log,
      ).not.toMatch(/warning|Remark/);
      expect(
        (
          await compile(`${before}\n#define TWICE 1\n#define TWICE 2\n__global__ void k(float* p) { p[0] = TWICE; }`, {
            device,
          })
        ).log,
      ).toMatch(/warning[^]*incompatible redefinition of macro "TWICE"/);
    },
  );

  test("a parameter of a type that is nowhere declared is named", async () => {
    await expect(kernel("__global__ void k(nowhere_t* p) { p[0] = 1; }")).rejects.toThrow(/nowhere_t/);
  });
});
