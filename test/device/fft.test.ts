// Fourier transforms on every device against a float64 transform, on random numbers of a printed seed, by each path that
// the device has.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  complex,
  fft,
  gradients,
  hann,
  lastDispatch,
  setPath,
  tensor,
  viewAsReal,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { poison, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());

/** Complex numbers, real and imaginary parts in turn. */
type Pairs = Float64Array;
const numbers = (count: number): Float64Array =>
  Float64Array.from({ length: count }, () => Math.fround(random() - 0.5));

/** The parts of a tensor of complex numbers, in turn, or its real numbers. */
const flat = (x: Tensor): number[] =>
  (x.dtype.startsWith("complex") ? viewAsReal(x as Tensor<"complex64">) : x)
    .contiguous()
    .reshape([-1])
    .toArray() as number[];
const sizeOf = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

/** Σ x[j] · exp(∓2πi·jk/n) along an axis, in float64: by halves while the length is even, else as it stands. */
function transformOf(x: Pairs, sign: number): Pairs {
  const n = x.length / 2;
  const out = new Float64Array(2 * n);
  const root = (r: number) => [Math.cos((2 * Math.PI * (r % n)) / n), sign * Math.sin((2 * Math.PI * (r % n)) / n)];
  if (n % 2 === 0) {
    const [even, odd] = [0, 1].map((first) =>
      transformOf(
        Float64Array.from({ length: n }, (_, at) => x[2 * (2 * Math.floor(at / 2) + first) + (at % 2)]!),
        sign,
      ),
    ) as [Pairs, Pairs];
    for (let k = 0; k < n / 2; k++) {
      const [c, s] = root(k) as [number, number];
      const re = c * odd[2 * k]! - s * odd[2 * k + 1]!;
      const im = c * odd[2 * k + 1]! + s * odd[2 * k]!;
      out.set([even[2 * k]! + re, even[2 * k + 1]! + im], 2 * k);
      out.set([even[2 * k]! - re, even[2 * k + 1]! - im], 2 * k + n);
    }
    return out;
  }
  const [cosines, sines] = [0, 1].map((part) => Float64Array.from({ length: n }, (_, r) => root(r)[part]!)) as [
    Float64Array,
    Float64Array,
  ];
  for (let k = 0; k < n; k++) {
    let [re, im, r] = [0, 0, 0];
    for (let j = 0; j < n; j++) {
      const [c, s] = [cosines[r]!, sines[r]!];
      re += x[2 * j]! * c - x[2 * j + 1]! * s;
      im += x[2 * j]! * s + x[2 * j + 1]! * c;
      r += k;
      if (r >= n) r -= n;
    }
    out.set([re, im], 2 * k);
  }
  return out;
}

function along(x: Pairs, shape: readonly number[], axis: number, sign: number): Pairs {
  const out = x.slice();
  const n = shape[axis]!;
  const inner = sizeOf(shape.slice(axis + 1));
  for (let start = 0; start < x.length / 2; start++) {
    if (Math.floor(start / inner) % n !== 0) continue;
    const line = new Float64Array(2 * n);
    for (let j = 0; j < n; j++) line.set(x.subarray(2 * (start + j * inner), 2 * (start + j * inner) + 2), 2 * j);
    const found = transformOf(line, sign);
    for (let j = 0; j < n; j++) out.set(found.subarray(2 * j, 2 * j + 2), 2 * (start + j * inner));
  }
  return out;
}

type Parts = "float32" | "float64";
const complexOf = { float32: "complex64", float64: "complex128" } as const;

/**
 * Of a transform of n points each result is off by at most c · u · log₂ n of the root of the sum of the squares (Higham,
 * "Accuracy and Stability of Numerical Algorithms", 24.1), where c is below 8 for these radices and rounded roots; a
 * convolution is three transforms of four times the points, and has sums and products beside them.
 */
const isSmooth = (n: number): boolean =>
  [2, 3, 5, 7, 11, 13].reduce((rest, prime) => {
    while (rest % prime === 0) rest /= prime;
    return rest;
  }, n) === 1;
function expectNear(found: Tensor, wanted: ArrayLike<number>, points: readonly number[], parts: Parts): void {
  const steps = points.reduce((sum, n) => sum + (isSmooth(n) ? Math.log2(n) + 1 : 3 * Math.log2(4 * n) + 6), 0);
  const got = flat(found);
  expect(got.length).toBe(wanted.length);
  let [worst, square] = [0, 0];
  for (let at = 0; at < got.length; at++) {
    worst = Math.max(worst, Math.abs(got[at]! - wanted[at]!));
    square += wanted[at]! ** 2;
    if (Number.isNaN(got[at]!)) worst = NaN;
  }
  // The root of the sum of the squares of a line's inputs is the root mean square of its results.
  const size = Math.sqrt((2 * square) / got.length) || 1;
  expect(worst, `of ${points} points, beside ${size}`).toBeLessThanOrEqual(8 * roundoff[parts]! * steps * size * 4);
}

const lengths = Array.from({ length: 70 }, (_, at) => at + 1);
const long = [97, 121, 128, 169, 210, 256, 257, 384, 500, 1000, 1009, 2048, 2310, 4096, 10007, 65536];

/** Of a device without a library for transforms the usual path is the kernels'. */
function pathsOf(device: string): ("usual" | "kernel")[] {
  fft.fft(zeros([8], { device, dtype: "complex64" }));
  return lastDispatch("fft")?.path === "kernel" ? ["usual"] : ["usual", "kernel"];
}

for (const { name: device } of devices)
  for (const path of pathsOf(device))
    describe(`on ${device}, the ${path} path`, () => {
      const through = <R>(run: () => R): R => {
        if (path === "usual") return run();
        using _ = setPath("fft", "kernel");
        return run();
      };
      const made = (pairs: Pairs, shape: readonly number[], parts: Parts): Tensor => {
        const [re, im] = [0, 1].map((which) =>
          tensor(
            Float64Array.from({ length: pairs.length / 2 }, (_, at) => pairs[2 * at + which]!),
            { dtype: parts, device },
          ).reshape(shape),
        );
        return complex(re!, im!);
      };
      const realOf = (values: Float64Array, shape: readonly number[], parts: Parts): Tensor =>
        tensor(values, { dtype: parts, device }).reshape(shape);

      const checkAll = (n: number, parts: Parts, rows: number): void => {
        const pairs = numbers(2 * n * rows);
        const x = made(pairs, [rows, n], parts);
        const forward = along(pairs, [rows, n], 1, -1);
        poison(device, 4 * n * rows);
        through(() => {
          expectNear(fft.fft(x), forward, [n], parts);
          expectNear(fft.ifft(x, { norm: "forward" }), along(pairs, [rows, n], 1, 1), [n], parts);
          const columns = x.T.contiguous();
          expectNear(fft.fft(columns, { axis: 0 }).T, forward, [n], parts);
          const values = numbers(n * rows);
          const real = realOf(values, [rows, n], parts);
          const widened = along(
            Float64Array.from({ length: 2 * n * rows }, (_, at) => (at % 2 ? 0 : values[at / 2]!)),
            [rows, n],
            1,
            -1,
          );
          const half = Math.floor(n / 2) + 1;
          const halves = Array.from({ length: rows }, (_, row) => [
            ...widened.subarray(2 * n * row, 2 * n * row + 2 * half),
          ]).flat();
          const found = fft.rfft(real);
          expectNear(found, halves, [n], parts);
          expect(found.dtype).toBe(complexOf[parts]);
          expectNear(fft.irfft(made(Float64Array.from(halves), [rows, half], parts), n), values, [n], parts);
        });
      };

      test.each(["float32", "float64"] as const)("of 1 to 70 points, %s", (parts) => {
        for (const n of lengths) checkAll(n, parts, n % 3 === 0 ? 19 : 3);
      });
      test.each(long)("of %d points", (n) => {
        checkAll(n, "float32", n > 5000 ? 1 : 6);
        checkAll(n, "float64", 1);
      });

      // Rows are written past the caches from 4 MB on, which the halves have, too; the last tile of them is not full.
      test.each(["float32", "float64"] as const)("many short rows, %s", (parts) => {
        const n = 64;
        const rows = ((parts === "float32" ? 2 : 1) * 2 ** 23) / (16 * n) + 11;
        const pairs = numbers(2 * rows * n);
        const x = made(pairs, [rows, n], parts);
        const line = (row: number) => pairs.subarray(2 * n * row, 2 * n * (row + 1));
        poison(device, 2 * rows * n);
        const found = through(() => fft.fft(x));
        const halves = through(() => fft.rfft(x.real));
        for (const row of [0, 1, 17, rows >> 1, rows - 12, rows - 2, rows - 1]) {
          expectNear(found.slice(row), transformOf(line(row), -1), [n], parts);
          const real = line(row).map((value, at) => (at % 2 === 0 ? value : 0));
          expectNear(halves.slice(row), transformOf(real, -1).subarray(0, n + 2), [n], parts);
        }
        expectNear(
          through(() => fft.ifft(found)),
          pairs,
          [n, n],
          parts,
        );
        expectNear(
          through(() => fft.irfft(halves, n)),
          pairs.filter((_, at) => at % 2 === 0),
          [n, n],
          parts,
        );
      });
      test("over several axes, batches and strides", () => {
        const shape = [3, 6, 10, 4];
        const pairs = numbers(2 * sizeOf(shape));
        const x = made(pairs, shape, "float64");
        const over = (axes: readonly number[], sign: number) =>
          axes.reduce((y, axis) => along(y, shape, axis, sign), pairs);
        through(() => {
          for (const axes of [[0], [1], [2], [3], [2, 3], [1, 2], [0, 2], [3, 1], [1, 2, 3], [2, 0, 1], [0, 1, 2, 3]])
            expectNear(
              fft.fftn(x, { axes }),
              over(axes, -1),
              axes.map((axis) => shape[axis]!),
              "float64",
            );
          const alone = x.slice([1, 2]);
          const wanted = flat(fft.fft(x, { axis: 1 }).slice([1, 2]));
          expectNear(fft.fft(alone, { axis: 1 }), wanted, [6], "float64");
          expectNear(fft.fft2(x), over([2, 3], -1), [10, 4], "float64");
          expectNear(fft.ifft2(x, { norm: "forward" }), over([2, 3], 1), [10, 4], "float64");
          expectNear(fft.fftn(x), over([0, 1, 2, 3], -1), shape, "float64");
          const turned = x.permute(2, 0, 3, 1);
          expectNear(fft.fft(turned, { axis: 0 }).permute(1, 3, 0, 2), over([2], -1), [10], "float64");
          for (const axes of [[0, 1], [3], [1], [2, 0], [1, 2, 3], [3, 2]]) {
            const real = x.real;
            const whole = fft.fftn(real, { axes });
            const last = axes.at(-1)!;
            const slices = shape.map((size, axis) => (axis === last ? ([0, Math.floor(size / 2) + 1] as const) : null));
            const found = fft.rfftn(real, { axes });
            expectNear(
              found,
              flat(whole.slice(...slices)),
              axes.map((axis) => shape[axis]!),
              "float64",
            );
            const back = fft.irfftn(found, { axes, s: axes.map((axis) => shape[axis]!) });
            expectNear(
              back,
              flat(real),
              axes.map((axis) => shape[axis]!),
              "float64",
            );
          }
        });
      });

      test("with more or fewer points than there are, and norms", () => {
        const x = tensor([1, 2, 3, 4, 5], { device, dtype: "float64" });
        through(() => {
          expect(flat(fft.fft(x, 2)).map((each) => Math.round(each))).toEqual([3, 0, -1, 0]);
          expectNear(
            fft.fft(x, 8),
            flat(fft.fft(tensor([1, 2, 3, 4, 5, 0, 0, 0], { device, dtype: "float64" }))),
            [8],
            "float64",
          );
          expectNear(fft.fft(x, { norm: "ortho" }).mul(Math.sqrt(5)), flat(fft.fft(x)), [5], "float64");
          expectNear(fft.fft(x, { norm: "forward" }).mul(5), flat(fft.fft(x)), [5], "float64");
          expectNear(fft.ifft(fft.fft(x)).real, flat(x), [5], "float64");
          expectNear(fft.hfft(fft.ihfft(x), 5), flat(x), [5], "float64");
          expectNear(fft.ihfft(x), flat(fft.ifft(x).slice([0, 3])), [5], "float64");
          const block = tensor(numbers(60), { device, dtype: "float64" }).reshape([3, 4, 5]);
          expectNear(fft.ihfftn(block), flat(fft.ifftn(block).slice(null, null, [0, 3])), [3, 4, 5], "float64");
          expectNear(fft.ihfft2(block), flat(fft.ifft2(block).slice(null, null, [0, 3])), [4, 5], "float64");
          expectNear(fft.hfftn(fft.ihfftn(block), { s: [3, 4, 5] }), flat(block), [3, 4, 5], "float64");
          expectNear(fft.hfft2(fft.ihfft2(block), [4, 5]), flat(block), [4, 5], "float64");
          const half = complex(block, block.flip(0));
          expectNear(fft.hfftn(half), flat(fft.hfft(fft.fft2(half, { axes: [0, 1] }))), [3, 4, 8], "float64");
          expectNear(
            fft.hfft2(half, { norm: "ortho" }).mul(Math.sqrt(32)),
            flat(fft.hfft(fft.fft(half, { axis: 1 }))),
            [4, 8],
            "float64",
          );
          expectNear(
            fft.fft2(x.reshape([1, 5]), { s: [2, 4] }),
            flat(
              fft.fft2(
                tensor(
                  [
                    [1, 2, 3, 4],
                    [0, 0, 0, 0],
                  ],
                  { device, dtype: "float64" },
                ),
              ),
            ),
            [2, 4],
            "float64",
          );
          expect(fft.irfft(fft.rfft(x)).shape).toEqual([4]);
          expect(fft.fft(zeros([0, 4], { device })).shape).toEqual([0, 4]);
          expect(fft.fft(tensor([1, 2], { device, dtype: "int32" })).dtype).toBe("complex64");
        });
      });

      test("gradients and second gradients", () => {
        const parts = (x: Tensor) => viewAsReal(x as Tensor<"complex128">);
        const pairs = (x: Tensor) => complex(x.slice(null, null, 0), x.slice(null, null, 1));
        through(() => {
          for (const n of [4, 5, 17]) {
            expectGradients((x) => parts(fft.fft(pairs(x), { norm: "ortho" })), [{ shape: [2, n, 2] }], device);
            expectGradients((x) => parts(fft.ifft(pairs(x), { axis: 0 })), [{ shape: [2, n, 2] }], device);
            expectGradients((x) => parts(fft.rfft(x)), [{ shape: [2, n] }], device);
            expectGradients((x) => parts(fft.rfft2(x)), [{ shape: [2, n] }], device);
            expectGradients((x) => parts(fft.ihfft(x)), [{ shape: [2, n] }], device);
            expectGradients((x) => fft.irfft(pairs(x), 2 * n - 1), [{ shape: [2, n, 2] }], device);
            expectGradients((x) => fft.irfft2(pairs(x)), [{ shape: [2, n, 2] }], device);
            expectGradients((x) => fft.hfft(pairs(x)), [{ shape: [2, n, 2] }], device);
            expectGradients((x) => fft.hfft2(pairs(x)), [{ shape: [2, n, 2] }], device);
            expectGradients((x) => parts(fft.ihfftn(x)), [{ shape: [2, n] }], device);
          }
          // Of the square of a transform, whose gradient is a transform of another.
          const slope = (of: (x: Tensor) => Tensor) => (x: Tensor) => {
            if (!x.requiresGrad) {
              x = x.detach();
              x.requiresGrad = true;
            }
            return gradients(of(x).square().sum(), [x], { createGraph: true })[0]!;
          };
          expectGradients(
            slope((x) => parts(fft.rfft(x)).mul(parts(fft.rfft(x)))),
            [{ shape: [2, 5] }],
            device,
          );
          expectGradients(
            slope((x) => fft.irfft(pairs(x)).square()),
            [{ shape: [2, 3, 2] }],
            device,
          );
        });
      });
    });

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test("a path that is named is taken", () => {
    using _ = setPath("fft", "kernel");
    fft.fft(zeros([8], { device }));
    expect(lastDispatch("fft")).toMatchObject({ path: "kernel", device, library: null });
  });

  test("frequencies and shifts", () => {
    expect(fft.fftfreq(5, { d: 0.1, device, dtype: "float64" }).toArray()).toEqual([0, 2, 4, -4, -2]);
    expect(fft.rfftfreq(5, 0.1, { device, dtype: "float64" }).toArray()).toEqual([0, 2, 4]);
    const x = tensor(
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
      { device },
    );
    expect(fft.fftshift(x).toArray()).toEqual([
      [5, 3, 4],
      [2, 0, 1],
    ]);
    expect(fft.fftshift(x, { axes: 1 }).toArray()).toEqual([
      [2, 0, 1],
      [5, 3, 4],
    ]);
    expect(fft.ifftshift(fft.fftshift(x)).toArray()).toEqual(x.toArray());
  });

  test("short-time transforms are those of the parts, and come back", () => {
    const values = numbers(50);
    const x = tensor(values, { dtype: "float64", device });
    const window = hann(12, { periodic: true, dtype: "float64", device });
    const found = x.stft(16, { hopLength: 4, winLength: 12, window });
    expect(found.shape).toEqual([9, 13]);
    const at = (index: number) => values[index < 0 ? -index : index > 49 ? 98 - index : index]!;
    const weights = window.toArray() as number[];
    const part = 5;
    const line = Float64Array.from({ length: 32 }, (_, each) => {
      const j = each >> 1;
      return each % 2 === 1 || j < 2 || j >= 14 ? 0 : at(4 * part - 8 + j) * weights[j - 2]!;
    });
    expectNear(found.slice(null, part), transformOf(line, -1).subarray(0, 18), [16], "float64");
    expectNear(found.istft(16, { hopLength: 4, winLength: 12, window, length: 50 }), values, [16], "float64");
    const batch = x.reshape([2, 25]);
    const both = batch.stft(8, { normalized: true, onesided: false, center: false });
    expect(both.shape).toEqual([2, 8, 9]);
    expectNear(
      both.istft(8, { normalized: true, center: false }).slice(null, [0, 24]),
      flat(batch.slice(null, [0, 24])),
      [8],
      "float64",
    );
    const whole = complex(x, x.mul(2));
    expectNear(whole.stft(8).istft(8, { returnComplex: true, length: 50 }), flat(whole), [8], "float64");
    expectGradients((y) => viewAsReal(y.stft(4, { hopLength: 2 })), [{ shape: [9] }], device);
    expectGradients((y) => y.stft(4, { hopLength: 2 }).istft(4, { hopLength: 2 }), [{ shape: [9] }], device);
  });

  test("what they do not take is said", () => {
    const x = zeros([4, 3], { device });
    const said = (run: () => unknown) => expect(run);
    said(() => fft.fft(x.to("float16"))).toThrow(
      'fft computes in float32 and float64, complex64 and complex128, but got float16: convert it with .to("float32").',
    );
    said(() => fft.fft(x.to("float8_e4m3"))).toThrow("but got float8_e4m3, which only stores numbers");
    said(() => fft.rfft(fft.fft(x))).toThrow("rfft takes real numbers but got complex64: use fft.fft, or take x.real.");
    said(() => fft.ihfft(fft.fft(x))).toThrow("use fft.ifft");
    said(() => fft.fft(zeros([], { device }))).toThrow("fft takes a tensor of at least one axis but got shape [].");
    said(() => fft.fft(zeros([2, 0], { device }))).toThrow(
      "fft takes at least one point along axis -1 but got shape [2, 0].",
    );
    said(() => fft.fft(x, 0)).toThrow(
      "fft takes at least one point along axis -1 but got the size 0 for shape [4, 3].",
    );
    said(() => fft.irfft(zeros([1], { device }))).toThrow("irfft takes at least one point along axis -1");
    said(() => fft.fft2(x, { axes: [1, -1] })).toThrow("fft2 takes different axes but got [1, -1].");
    said(() => fft.fft2(x, { s: [1] })).toThrow("fft2 takes a size for each axis but got [1] for the axes [-2, -1].");
    said(() => fft.fft(x, { axis: 2 })).toThrow();
    said(() => fft.fft(x, { norm: "none" as "ortho" })).toThrow('fft takes "backward", "ortho" or "forward" as norm');
    said(() => fft.fftfreq(0)).toThrow("fftfreq takes at least one point and a d other than 0 but got n 0, d 1.");
    const signal = zeros([20], { device });
    said(() => signal.stft(4, { hopLength: 0 })).toThrow(
      "stft takes parts of at least one element, at least one apart, and a window of at most as many, but got nFft 4, hopLength 0 and winLength 4.",
    );
    said(() => signal.stft(4, { window: zeros([3], { device }), winLength: 4 })).toThrow(
      "stft takes a window of shape [4], winLength, but got shape [3].",
    );
    said(() => zeros([2, 2, 2], { device }).stft(2)).toThrow(
      "stft takes signals [length] or [batch, length] but got [2, 2, 2].",
    );
    said(() => signal.stft(32, { center: false })).toThrow(
      "stft takes signals of at least nFft, 32, elements but got 20.",
    );
    said(() => complex(signal, signal).stft(4, { onesided: true })).toThrow(
      "stft of complex numbers has no half that says all: leave onesided out.",
    );
    said(() => signal.stft(4, { returnComplex: true } as object)).toThrow("Results are complex");
    said(() => zeros([4, 2], { device, dtype: "complex64" }).istft(8)).toThrow(
      "istft takes transforms [5, parts] or [batch, 5, parts] for nFft 8 but got [4, 2].",
    );
    said(() => signal.stft(4).istft(4, { returnComplex: true })).toThrow(
      "istft gives complex signals of transforms with all frequencies only.",
    );
    said(() => signal.stft(4, { center: false }).istft(4, { center: false, window: zeros([4], { device }) })).toThrow(
      "istft cannot tell the signal where no window has weight",
    );
  });
});
