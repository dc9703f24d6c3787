// What cuBLASLt does on a GPU beyond plain products: TF32, float8 with scales, mixed types, alpha and beta, epilogues
// and their backward passes.
import "./cache.ts";
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { LibraryPlan } from "../../native/lib/device/library-plan.ts";
import { tensor, type DType, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison, randomValues, roundoff } from "./numbers.ts";
import { expectWithin } from "./samples.ts";

const gpu = devices.find(({ kind }) => kind === "cuda");
const on = { device: "cuda" } as const;
const [m, n, k] = [72, 48, 80];

const place = ({ placeHigh, placeLow }: Tensor): number => placeHigh * 2 ** 32 + placeLow;
const values = (result: Tensor): number[] => result.to("float64").reshape([-1]).toArray() as number[];

/** A poisoned result of one dtype, row-major. */
function result(rows: number, columns: number, dtype: DType): Tensor {
  poison("cuda", rows * columns);
  return tensor(Array(rows * columns).fill(dtype === "uint8" ? 255 : NaN), { dtype, ...on }).reshape([rows, columns]);
}

interface Product {
  readonly types: [a: string, b: string, out: string];
  readonly compute: string;
  readonly bTransposed?: boolean;
  readonly more?: string;
}

function text({ types: [a, b, out], compute, bTransposed = false, more = "" }: Product): string {
  return (
    `matmul m=${m} n=${n} k=${k} compute=${compute} a.type=${a} a.leading=${k} a.alignment=256 b.type=${b} b.leading=${bTransposed ? k : n}${bTransposed ? " b.transposed=1" : ""} b.alignment=256` +
    ` out.type=${out} out.leading=${n} out.alignment=256 vector.alignment=256 auxiliary.alignment=256 ${more}`
  );
}

function run(product: Product, places: readonly Tensor[], scalars: readonly [number, number] = [1, 0]): LibraryPlan {
  const trial = { places: places.map(place), scalars };
  const plan = LibraryPlan.obtain(gpu!, text(product), trial);
  plan.run(gpu!.execution, trial.places, scalars);
  return plan;
}

/**
 * The same, unless the library has no such epilogue for these dtypes, which is its own to decide: then that is said.
 */
function isServed(dtype: DType, product: Product, places: readonly Tensor[]): boolean {
  try {
    run(product, places);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "UNSUPPORTED") throw error;
    console.log(`Not measured: ${product.more} of ${dtype}. ${(error as Error).message}`);
    return false;
  }
}

/** Sums and sums of magnitudes of a (m × k) times b (k × n, or n × k transposed), in float64. */
function reference(
  a: readonly number[],
  b: readonly number[],
  bTransposed = false,
): { sums: number[]; magnitudes: number[] } {
  const [sums, magnitudes] = [Array<number>(m * n).fill(0), Array<number>(m * n).fill(0)];
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++)
      for (let d = 0; d < k; d++) {
        const product = a[i * k + d]! * (bTransposed ? b[j * k + d]! : b[d * n + j]!);
        sums[i * n + j]! += product;
        magnitudes[i * n + j]! += Math.abs(product);
      }
  return { sums, magnitudes };
}

/** The value of a float8 e4m3: 4 bits of exponent with a bias of 7, 3 of mantissa. */
function e4m3(bits: number): number {
  const [exponent, mantissa] = [(bits >> 3) & 15, bits & 7];
  const magnitude = exponent === 0 ? mantissa * 2 ** -9 : (1 + mantissa / 8) * 2 ** (exponent - 7);
  return bits & 128 ? -magnitude : magnitude;
}

const root = Math.sqrt(2 / Math.PI);
const inner = (x: number) => root * (x + 0.044715 * x ** 3);
const slope = (x: number) => root * (1 + 3 * 0.044715 * x * x);
const gelu = (x: number) => 0.5 * x * (1 + Math.tanh(inner(x)));
const geluSlope = (x: number) => 0.5 * (1 + Math.tanh(inner(x))) + 0.5 * x * (1 - Math.tanh(inner(x)) ** 2) * slope(x);
/** The hardware's tanh. */
const tanhError = 2 ** -11;

describe.runIf(gpu !== undefined)("cuBLASLt", () => {
  test("TF32 keeps 10 bits of the factors, float32 all of them", () => {
    const [left, right] = [randomValues(m * k, "float32"), randomValues(k * n, "float32")];
    const [a, b] = [tensor(left, { dtype: "float32", ...on }), tensor(right, { dtype: "float32", ...on })];
    const { sums, magnitudes } = reference(left, right);
    const off = (compute: string, bound: number) => {
      const out = result(m, n, "float32");
      run({ types: ["float32", "float32", "float32"], compute }, [out, a, b]);
      const got = values(out);
      expectWithin(got, sums, (index) => magnitudes[index]! * (bound + k * 2 ** -24));
      return Math.max(...got.map((value, index) => Math.abs(value - sums[index]!) / magnitudes[index]!));
    };
    expect(off("float32", 2 ** -23)).toBeLessThan(2 ** -20);
    expect(off("tf32", 2 * 2 ** -10)).toBeGreaterThan(2 ** -20);
  });

  test.each([
    ["float16", "float32"],
    ["bfloat16", "float32"],
    ["bfloat16", "bfloat16"],
  ] as const)("%s into %s, with alpha and beta", (dtype, outType) => {
    const [left, right, before] = [
      randomValues(m * k, dtype),
      randomValues(k * n, dtype),
      randomValues(m * n, outType),
    ];
    const out = tensor(before, { dtype: outType, ...on });
    run(
      { types: [dtype, dtype, outType], compute: "float32" },
      [out, tensor(left, { dtype, ...on }), tensor(right, { dtype, ...on })],
      [0.5, 2],
    );
    const { sums, magnitudes } = reference(left, right);
    const wanted = sums.map((sum, index) => 0.5 * sum + 2 * before[index]!);
    expectWithin(
      values(out),
      wanted,
      (index) => (magnitudes[index]! + 2 * Math.abs(before[index]!)) * ((k + 4) * 2 ** -24 + 2 * roundoff[outType]!),
    );
  });

  test("float8 with a scale for each factor", () => {
    const bits = (count: number) =>
      Array.from({ length: count }, () => Math.floor(Math.random() * 2) * 128 + Math.floor(Math.random() * 0x70));
    const [left, right] = [bits(m * k), bits(n * k)];
    const out = result(m, n, "bfloat16");
    const scale = (value: number) => tensor([value], { dtype: "float32", ...on });
    const [a, b] = [tensor(left, { dtype: "uint8", ...on }), tensor(right, { dtype: "uint8", ...on })];
    run(
      {
        types: ["float8_e4m3", "float8_e4m3", "bfloat16"],
        compute: "float32",
        bTransposed: true,
        more: "a.scales=one b.scales=one",
      },
      [out, a, b, scale(0.25), scale(2)],
    );
    const { sums, magnitudes } = reference(left.map(e4m3), right.map(e4m3), true);
    // Products are exact in 8 bits; Hopper's tensor cores keep at least 13 bits below the largest of a sum.
    expectWithin(
      values(out),
      sums.map((sum) => sum / 2),
      (index) => (magnitudes[index]! / 2) * (k / 32 + 1) * 2 ** -13 + Math.abs(sums[index]! / 2) * 2 ** -8,
    );
  });

  describe.each(["float16", "float32"] as const)("epilogues of %s", (dtype) => {
    const u = roundoff[dtype]!;
    const types = [dtype, dtype, dtype] as Product["types"];
    const operands = () => {
      const [left, right, bias] = [
        randomValues(m * k, dtype).map((value) => value / 8),
        randomValues(k * n, dtype),
        randomValues(n, dtype),
      ];
      const { sums, magnitudes } = reference(left, right);
      const [a, b, vector] = [
        tensor(left, { dtype, ...on }),
        tensor(right, { dtype, ...on }),
        tensor(bias, { dtype, ...on }),
      ];
      const sumError = (index: number) => (magnitudes[index]! + Math.abs(bias[index % n]!)) * (k + 2) * 2 ** -24;
      return {
        left,
        right,
        bias,
        sums,
        a,
        b,
        vector,
        sumError,
        biased: sums.map((sum, index) => sum + bias[index % n]!),
      };
    };

    test("bias, ReLU, GELU", () => {
      const { a, b, vector, sums, biased, sumError } = operands();
      const cases: [string, number[], (x: number) => number, (x: number) => number][] = [
        ["bias", biased, (x) => x, () => 0],
        ["relu", sums, (x) => Math.max(x, 0), () => 0],
        ["bias_relu", biased, (x) => Math.max(x, 0), () => 0],
        ["gelu", sums, gelu, (x) => 0.5 * Math.abs(x) * tanhError],
        ["bias_gelu", biased, gelu, (x) => 0.5 * Math.abs(x) * tanhError],
      ];
      for (const [epilogue, before, after, own] of cases) {
        const out = result(m, n, dtype);
        run(
          { types, compute: "float32", more: `epilogue=${epilogue}` },
          epilogue.startsWith("bias") ? [out, a, b, vector] : [out, a, b],
        );
        const wanted = before.map(after);
        // GELU is nowhere steeper than 1.13.
        expectWithin(
          values(out),
          wanted,
          (index) => 1.13 * sumError(index) + own(before[index]!) + Math.abs(wanted[index]!) * 2 * u + 2 ** -24,
        );
      }
    });

    test("GELU keeps what its backward pass takes; that sums the gradient of the bias too", () => {
      const { a, b, vector, biased, sums, sumError } = operands();
      const [out, kept] = [result(m, n, dtype), result(m, n, dtype)];
      if (
        !isServed(dtype, { types, compute: "float32", more: `epilogue=bias_gelu_keep auxiliary.leading=${n}` }, [
          out,
          a,
          b,
          vector,
          kept,
        ])
      )
        return;
      const held = values(kept);
      expectWithin(held, biased, (index) => sumError(index) + Math.abs(biased[index]!) * 2 * u);

      const [gradient, biasGradient] = [result(m, n, dtype), result(1, n, dtype)];
      if (
        !isServed(dtype, { types, compute: "float32", more: `epilogue=gelu_backward_bias auxiliary.leading=${n}` }, [
          gradient,
          a,
          b,
          biasGradient,
          kept,
        ])
      )
        return;
      const wanted = sums.map((sum, index) => sum * geluSlope(held[index]!));
      const slack = (index: number) => {
        const x = held[index]!;
        return (
          1.13 * sumError(index) +
          Math.abs(sums[index]!) * tanhError * (0.5 + Math.abs(x) * slope(x)) +
          Math.abs(wanted[index]!) * 2 * u +
          2 ** -24
        );
      };
      expectWithin(values(gradient), wanted, slack);
      const totals = Array.from({ length: n }, (_, column) => Array.from({ length: m }, (_, row) => row * n + column));
      expectWithin(
        values(biasGradient),
        totals.map((column) => column.reduce((sum, index) => sum + wanted[index]!, 0)),
        (column) =>
          totals[column]!.reduce(
            (sum, index) => sum + slack(index) + Math.abs(wanted[index]!) * (2 * u + m * 2 ** -24),
            0,
          ),
      );
    });

    test("ReLU keeps one bit an element, and its backward pass takes them", () => {
      const { a, b, biased, vector, sums, sumError } = operands();
      const leading = 128;
      const [out, kept] = [result(m, n, dtype), result(m, leading / 8, "uint8")];
      if (
        !isServed(dtype, { types, compute: "float32", more: `epilogue=bias_relu_keep auxiliary.leading=${leading}` }, [
          out,
          a,
          b,
          vector,
          kept,
        ])
      )
        return;
      const bytes = values(kept);
      const bit = (index: number) =>
        (bytes[Math.floor(index / n) * (leading / 8) + ((index % n) >> 3)]! >> ((index % n) & 7)) & 1;
      const sure = biased.map((value, index) => Math.abs(value) > sumError(index) * 2);
      expect(biased.filter((value, index) => sure[index] && bit(index) !== Number(value > 0))).toEqual([]);
      const gradient = result(m, n, dtype);
      if (
        !isServed(dtype, { types, compute: "float32", more: `epilogue=relu_backward auxiliary.leading=${leading}` }, [
          gradient,
          a,
          b,
          kept,
        ])
      )
        return;
      expectWithin(
        values(gradient),
        sums.map((sum, index) => (bit(index) ? sum : 0)),
        (index) => sumError(index) + Math.abs(sums[index]!) * 2 * u,
      );
    });

    test.each([
      "sum_of_a",
      "sum_of_b",
    ] as const)("%s, the gradient of a bias beside that of its weights", (epilogue) => {
      const { left, right, a, b, sums, sumError } = operands();
      const isA = epilogue === "sum_of_a";
      const [out, vector] = [result(m, n, dtype), result(1, isA ? m : n, dtype)];
      if (!isServed(dtype, { types, compute: "float32", more: `epilogue=${epilogue}` }, [out, a, b, vector])) return;
      expectWithin(values(out), sums, (index) => sumError(index) + Math.abs(sums[index]!) * 2 * u);
      const parts = Array.from({ length: isA ? m : n }, (_, index) =>
        Array.from({ length: k }, (_, depth) => (isA ? left[index * k + depth]! : right[depth * n + index]!)),
      );
      expectWithin(
        values(vector),
        parts.map((part) => part.reduce((sum, value) => sum + value, 0)),
        (index) => parts[index]!.reduce((sum, value) => sum + Math.abs(value), 0) * (2 * u + k * 2 ** -24),
      );
    });
  });

  test("says what it cannot do", () => {
    const said = (product: Product) => {
      try {
        LibraryPlan.obtain(gpu!, text(product));
      } catch (error) {
        return `${(error as { code: string }).code}: ${(error as Error).message}`;
      }
      return "";
    };
    expect(said({ types: ["float32", "float32", "float32"], compute: "int32" })).toBe(
      "UNSUPPORTED: cuBLASLt does not compute in int32.",
    );
    expect(said({ types: ["float32", "float16", "float64"], compute: "float32" })).toMatch(
      /^UNSUPPORTED: cuBLASLt has no algorithm for this matrix product \(CUBLAS_STATUS_\w+\)\.$/,
    );
  });

  test("without it our own kernels serve; a file of the user's that is none is an error", () => {
    const library = new URL("../../native/dist/index.js", import.meta.url).href;
    const product = (WARPCELL_CUBLAS: string) => {
      const source = `import { tensor } from ${JSON.stringify(library)};
        try {
          const x = tensor([[1, 2], [3, 4]], { device: "cuda" });
          console.log(JSON.stringify(x.matmul(x).toArray()));
        } catch (error) { console.log(error.code + ": " + error.message); }
        process.exit(0);`;
      const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
        encoding: "utf8",
        env: { ...process.env, WARPCELL_CUBLAS },
      });
      return (stdout + stderr).trim();
    };
    expect(product("off")).toBe("[[7,10],[15,22]]");
    expect(product("libm.so.6")).toBe(
      'OPTION: WARPCELL_CUBLAS names libm.so.6, which cannot be used (libm.so.6 lacks functions). Name another file, "off", or none.',
    );
  });
});
