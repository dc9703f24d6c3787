// The array API standard (data-apis.org/array-api, 2024.12): its names in this library's words, and its tables of
// special cases. Where PyTorch, NumPy and Python agree with each other against it, this library is with them.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import * as warpcell from "../../native/lib/index.ts";
import { tensor, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { floats } from "./samples.ts";

const names = `
  arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros
  zeros_like astype can_cast finfo iinfo isdtype result_type newaxis
  abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or
  bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
  greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not
  logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder
  round sign signbit sin sinh square sqrt subtract tan tanh trunc
  matmul matrix_transpose tensordot vecdot
  broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll
  squeeze stack tile unstack argmax argmin count_nonzero nonzero searchsorted where take take_along_axis
  unique_all unique_counts unique_inverse unique_values isin argsort sort
  cumulative_prod cumulative_sum max mean min prod std sum var all any diff
  linalg.cholesky linalg.cross linalg.det linalg.eigh linalg.eigvalsh linalg.inv linalg.matmul linalg.matrix_norm
  linalg.matrix_power linalg.matrix_rank linalg.outer linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd
  linalg.svdvals linalg.tensordot linalg.trace linalg.vecdot linalg.vector_norm
  fft.fft fft.ifft fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfftn fft.irfftn fft.hfft fft.ihfft fft.fftfreq
  fft.rfftfreq fft.fftshift fft.ifftshift`
  .trim()
  .split(/\s+/);

/** What is called otherwise here. */
const ours: Readonly<Record<string, string>> = {
  asarray: "tensor",
  astype: "to",
  bitwise_invert: "bitwiseNot",
  clip: "clamp",
  concat: "cat",
  cumulative_prod: "cumprod",
  cumulative_sum: "cumsum",
  divide: "div",
  equal: "eq",
  expand_dims: "unsqueeze",
  greater: "gt",
  greater_equal: "ge",
  less: "lt",
  less_equal: "le",
  matrix_transpose: "T",
  moveaxis: "moveAxis",
  multiply: "mul",
  negative: "neg",
  newaxis: "newAxis",
  not_equal: "ne",
  permute_dims: "permute",
  repeat: "repeatInterleave",
  subtract: "sub",
  unique_counts: "unique",
  unique_inverse: "unique",
  unique_values: "unique",
  unstack: "unbind",
};

test("the names of the standard, and the only one that is not here", () => {
  const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const isHere = (name: string) => {
    const [last, space] = name.split(".").reverse() as [string, string?];
    const own = ours[last] ?? camel(last);
    const holder = space === undefined ? warpcell : (warpcell as unknown as Record<string, object>)[space]!;
    return own in holder || (space === undefined && own in warpcell.Tensor.prototype);
  };
  // JavaScript's arrays have no DLPack.
  expect(names.filter((name) => !isHere(name))).toEqual(["from_dlpack"]);
});

type Answer = number | boolean;
const words: Readonly<Record<string, Answer>> = {
  true: true,
  false: false,
  nan: NaN,
  inf: Infinity,
  "-inf": -Infinity,
  pi: Math.PI,
  "-pi": -Math.PI,
  "pi/2": Math.PI / 2,
  "-pi/2": -Math.PI / 2,
  "pi/4": Math.PI / 4,
  "-pi/4": -Math.PI / 4,
  "3pi/4": (3 * Math.PI) / 4,
  "-3pi/4": (-3 * Math.PI) / 4,
};
/** Arguments and the answer, of each row. */
const rowsOf = (text: string): Answer[][] =>
  text.split(",").map((row) =>
    row
      .trim()
      .split(" ")
      .map((word) => words[word] ?? Number(word)),
  );

/** An argument and the answer. */
const unary: Readonly<Record<string, string>> = {
  abs: "-0 0, -inf inf, nan nan",
  acos: "1.5 nan, -1.5 nan, 1 0, nan nan",
  acosh: "0.5 nan, 1 0, inf inf, nan nan",
  asin: "1.5 nan, -1.5 nan, 0 0, -0 -0, nan nan",
  asinh: "0 0, -0 -0, inf inf, -inf -inf, nan nan",
  atan: "0 0, -0 -0, inf pi/2, -inf -pi/2, nan nan",
  atanh: "-1.5 nan, 1.5 nan, -1 -inf, 1 inf, 0 0, -0 -0, nan nan",
  ceil: "inf inf, -inf -inf, 0 0, -0 -0, -0.5 -0, nan nan",
  floor: "inf inf, -inf -inf, 0 0, -0 -0, -0.5 -1, nan nan",
  trunc: "inf inf, -inf -inf, 0 0, -0 -0, -0.5 -0, nan nan",
  round: "inf inf, -inf -inf, 0 0, -0 -0, 0.5 0, 1.5 2, 2.5 2, -0.5 -0, -1.5 -2, nan nan",
  cos: "0 1, -0 1, inf nan, -inf nan, nan nan",
  cosh: "0 1, -0 1, inf inf, -inf inf, nan nan",
  exp: "0 1, -0 1, inf inf, -inf 0, nan nan",
  expm1: "0 0, -0 -0, inf inf, -inf -1, nan nan",
  isfinite: "nan false, inf false, -inf false, 1 true",
  isinf: "nan false, inf true, -inf true, 1 false",
  isnan: "nan true, inf false, 1 false",
  log: "-1 nan, 0 -inf, -0 -inf, 1 0, inf inf, nan nan",
  log2: "-1 nan, 0 -inf, -0 -inf, 1 0, inf inf, nan nan",
  log10: "-1 nan, 0 -inf, -0 -inf, 1 0, inf inf, nan nan",
  log1p: "-2 nan, -1 -inf, 0 0, -0 -0, inf inf, nan nan",
  neg: "0 -0, -0 0, inf -inf, nan nan",
  reciprocal: "0 inf, -0 -inf, inf 0, -inf -0, nan nan",
  sign: "0 0, -0 0, 2 1, -2 -1, inf 1, -inf -1, nan nan",
  signbit: "0 false, -0 true, inf false, -inf true, 1 false, -1 true",
  sin: "0 0, -0 -0, inf nan, -inf nan, nan nan",
  sinh: "0 0, -0 -0, inf inf, -inf -inf, nan nan",
  sqrt: "-1 nan, 0 0, -0 -0, inf inf, nan nan",
  tan: "0 0, -0 -0, inf nan, -inf nan, nan nan",
  tanh: "0 0, -0 -0, inf 1, -inf -1, nan nan",
};

/** Two arguments and the answer. */
const binary: Readonly<Record<string, string>> = {
  add: `
    inf -inf nan, -inf inf nan, inf inf inf, -inf -inf -inf, inf 1 inf, 1 -inf -inf, -0 -0 -0, -0 0 0, 0 -0 0,
    -0 3 3, 2 -2 0, nan 1 nan`,
  mul: "inf 0 nan, -inf -0 nan, inf -1 -inf, -inf -inf inf, 1 -0 -0, -1 -0 0, nan 1 nan",
  div: `
    inf inf nan, inf -inf nan, 0 0 nan, -0 0 nan, 0 1 0, 0 -1 -0, -0 1 -0, -0 -1 0, 1 0 inf, 1 -0 -inf,
    -1 0 -inf, -1 -0 inf, inf 2 inf, inf -2 -inf, -inf 2 -inf, -inf -2 inf, 2 inf 0, 2 -inf -0, -2 inf -0,
    -2 -inf 0, nan 1 nan`,
  // Of infinities as Python: 2 = −1 · −∞ + remainder(2, −∞), and nothing is left of ∞.
  floorDivide: `
    inf inf nan, 0 0 nan, -0 -0 nan, 0 1 0, 0 -1 -0, -0 1 -0, -0 -1 0, 1 0 inf, 1 -0 -inf, -1 0 -inf, -1 -0 inf,
    2 inf 0, -2 -inf 0, 2 -inf -1, -2 inf -1, inf 2 nan, inf -2 nan, -inf 2 nan, -inf -2 nan, 7 -2 -4, -7 2 -4,
    nan 1 nan`,
  remainder: `
    inf inf nan, inf 2 nan, -inf 2 nan, 0 0 nan, 1 0 nan, 1 -0 nan, 0 1 0, -0 1 0, 0 -1 -0, -0 -1 -0, 2 inf 2,
    2 -inf -inf, -2 inf inf, -2 -inf -2, 5 3 2, -5 3 1, 5 -3 -1, -5 -3 -2, 6 3 0, -6 3 0, 6 -3 -0, nan 1 nan`,
  atan2: `
    1 0 pi/2, 1 -0 pi/2, 0 1 0, 0 0 0, 0 -0 pi, 0 -1 pi, -0 1 -0, -0 0 -0, -0 -0 -pi, -0 -1 -pi, -1 0 -pi/2,
    -1 -0 -pi/2, 1 inf 0, 1 -inf pi, -1 inf -0, -1 -inf -pi, inf 1 pi/2, -inf 1 -pi/2, inf inf pi/4,
    inf -inf 3pi/4, -inf inf -pi/4, -inf -inf -3pi/4, nan 1 nan, 1 nan nan`,
  copysign: "1 -0 -1, -1 0 1, 0 -1 -0, -0 2 0, inf -1 -inf, nan 1 nan",
  hypot: "inf nan inf, nan -inf inf, -inf 1 inf, 0 -3 3, nan 1 nan, 1 nan nan",
  logaddexp: "inf 1 inf, 1 inf inf, -inf 2 2, -inf -inf -inf, inf nan nan, nan 1 nan",
  maximum: "nan 1 nan, 1 nan nan, inf -inf inf",
  minimum: "nan 1 nan, 1 nan nan, inf -inf -inf",
  pow: `
    2 0 1, nan 0 1, nan -0 1, inf 0 1, nan 2 nan, 1 nan 1, 1 inf 1, 1 -inf 1, 2 nan nan, 2 inf inf, -2 inf inf,
    2 -inf 0, -1 inf 1, -1 -inf 1, 0.5 inf 0, 0.5 -inf inf, inf 2 inf, inf -2 0, -inf 3 -inf, -inf 2 inf,
    -inf 2.5 inf, -inf -3 -0, -inf -2 0, 0 2 0, 0 -2 inf, -0 3 -0, -0 2 0, -0 -3 -inf, -0 -2 inf, -2 0.5 nan`,
};

describe.each(devices.map(({ name }) => name))("special cases on %s", (device) => {
  /** The same NaN, infinity and sign of zero; of other numbers those of the dtype, to its last place. */
  function check(got: Tensor, wanted: readonly Answer[], of: (index: number) => unknown): void {
    const near = typeof wanted[0] === "boolean" ? wanted : tensor(wanted as number[], { dtype: got.dtype }).toArray();
    const last = { float64: 2 ** -51, float32: 2 ** -22, float16: 2 ** -10, bfloat16: 2 ** -7 }[got.dtype as string];
    const wrong = (got.toArray() as Answer[]).flatMap((value, index) => {
      const want = near[index]!;
      const isNear = want !== 0 && Math.abs(Number(value) - Number(want)) <= Number(last) * Math.abs(Number(want));
      return Object.is(value, want) || isNear ? [] : [{ of: of(index), value, want }];
    });
    expect(wrong).toEqual([]);
  }

  describe.each(floats)("%s", (dtype) => {
    const make = (values: readonly number[]) => tensor(values as number[], { dtype, device });

    test.each(Object.entries(unary))("%s", (name, text) => {
      const rows = rowsOf(text) as [number, Answer][];
      check(
        make(rows.map(([x]) => x))[name as "exp"](),
        rows.map(([, wanted]) => wanted),
        (index) => rows[index],
      );
    });

    test.each(Object.entries(binary))("%s", (name, text) => {
      const rows = rowsOf(text) as [number, number, Answer][];
      const [left, right] = [rows.map(([a]) => a), rows.map(([, b]) => b)];
      const wanted = rows.map(([, , each]) => each);
      check(make(left)[name as "add"](make(right)), wanted, (index) => rows[index]);
      rows.forEach(([a, b, each]) => check(make([a])[name as "add"](b), [each], () => [a, b]));
    });
  });
});
