// Matrix products on every device, by a library and without one: against float64, for random matrices, over poisoned
// memory.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { binding } from "../../native/lib/wire/binding.ts";
import type { DeviceProcess } from "../../native/lib/device/process.ts";
import { LibraryPlan } from "../../native/lib/device/library-plan.ts";
import { DeviceError, DeviceFault, tensor, zeros, type DType, type Tensor } from "../../native/lib/index.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { devices } from "./devices.ts";
import { poison, roundoff } from "./numbers.ts";

const random = seeded(freshSeed());

const below = (limit: number) => Math.floor(random() * limit);

/** Random numbers that the dtype holds exactly. */
function numbers(count: number, dtype: DType): Float64Array {
  const steps: Partial<Record<DType, number>> = { float16: 256, bfloat16: 32 };
  const step = steps[dtype];
  return Float64Array.from({ length: count }, () =>
    step === undefined ? Math.fround(random() * 4 - 2) : Math.round((random() * 4 - 2) * step) / step,
  );
}

/** A matrix as JavaScript sees it: `at(row, column)` of its elements in float64. */
interface Matrix {
  readonly rows: number;
  readonly columns: number;
  at(row: number, column: number): number;
}

/** Some rows, the first and the last among them. */
function sampled(rows: number): number[] {
  return rows <= 24 ? [...Array(rows).keys()] : [0, rows - 1, ...Array.from({ length: 14 }, () => below(rows))];
}

/**
 * Each element of some rows of `got` (row-major, from `offset` on) within (2u + k·2⁻²⁴)(|A||B|), and no element of any
 * row left out.
 */
function expectProduct(got: ArrayLike<number>, offset: number, a: Matrix, b: Matrix, dtype: DType): void {
  const u = roundoff[dtype]!;
  const accumulator = Math.min(u, 2 ** -24);
  for (let index = 0; index < a.rows * b.columns; index++) {
    if (!Number.isFinite(got[offset + index]!))
      throw new Error(`Element ${index} of ${a.rows} × ${b.columns} was not written: ${got[offset + index]}`);
  }
  for (const row of sampled(a.rows)) {
    const [sums, magnitudes] = [new Float64Array(b.columns), new Float64Array(b.columns)];
    for (let depth = 0; depth < a.columns; depth++) {
      const left = a.at(row, depth);
      for (let column = 0; column < b.columns; column++) {
        const product = left * b.at(depth, column);
        sums[column]! += product;
        magnitudes[column]! += Math.abs(product);
      }
    }
    for (let column = 0; column < b.columns; column++) {
      const error = Math.abs(got[offset + row * b.columns + column]! - sums[column]!);
      // The reference rounds as float64 does.
      const bound = (2 * u + a.columns * (accumulator + 2 ** -53)) * magnitudes[column]!;
      if (!(error <= bound))
        throw new Error(
          `${dtype} ${a.rows} × ${a.columns} · ${b.columns}: element ${row}, ${column} is off by ${error}, more than ${bound}`,
        );
    }
  }
}

const values = (result: Tensor): ArrayLike<number> => result.to("float64").data() as Float64Array;
const rowMajor = (rows: number, columns: number, data: Float64Array, offset = 0): Matrix => ({
  rows,
  columns,
  at: (row, column) => data[offset + row * columns + column]!,
});
const flipped = ({ rows, columns, at }: Matrix): Matrix => ({
  rows: columns,
  columns: rows,
  at: (row, column) => at(column, row),
});

/** A random matrix on a device, stored as such or as its transpose. */
function matrix(
  rows: number,
  columns: number,
  dtype: DType,
  device: string,
  isTransposed = false,
): { tensor: Tensor; matrix: Matrix } {
  const data = numbers(rows * columns, dtype);
  const flat = tensor(Array.from(data), { dtype, device });
  return isTransposed
    ? { tensor: flat.reshape([columns, rows]).T, matrix: flipped(rowMajor(columns, rows, data)) }
    : { tensor: flat.reshape([rows, columns]), matrix: rowMajor(rows, columns, data) };
}

function text(dtype: string, size = 64, more = ""): string {
  return `matmul m=${size} n=${size} k=${size} compute=${dtype} ${["a", "b", "out"].map((name) => `${name}.type=${dtype} ${name}.leading=${size} ${name}.alignment=256`).join(" ")}${more}`;
}

const serves = (device: DeviceProcess, dtype: DType) => LibraryPlan.find(device, text(dtype)) !== null;

describe.each(devices.map((device) => [device.name, device] as const))("on %s", (name, device) => {
  test("a library serves float32 and float64, and says what it chose", () => {
    for (const dtype of ["float32", "float64"]) {
      const { chosen } = LibraryPlan.obtain(device, text(dtype));
      expect(chosen.library).toBe({ cpu: "OpenBLAS", cuda: "cuBLASLt" }[device.kind]);
      expect(chosen.version).toMatch(/^\d+\.\d+/);
      expect(chosen.path).toMatch(/^\/.*(blas|Blas).*\.so/);
      expect(chosen.algorithm).not.toBe("");
    }
    expect(LibraryPlan.obtain(device, text("float32"))).toBe(LibraryPlan.obtain(device, text("float32")));
  });

  describe.each(["float32", "float64", "float16", "bfloat16"] as const)("%s", (dtype) => {
    // Without a library the CPU takes seconds for the large ones.
    const sizes = () => (serves(device, dtype) ? [1, 65, 768, 1000, 1025] : [1, 65, 130]);

    test("squares", () => {
      for (const size of sizes()) {
        const [a, b] = [matrix(size, size, dtype, name), matrix(size, size, dtype, name)];
        poison(name, size * size);
        expectProduct(values(a.tensor.matmul(b.tensor)), 0, a.matrix, b.matrix, dtype);
      }
    }, 120_000);

    test("rectangles of random sizes, as stored and transposed", () => {
      for (let round = 0; round < 24; round++) {
        const [m, n, k] = [1 + below(90), 1 + below(90), 1 + below(200)];
        const a = matrix(m, k, dtype, name, round % 2 === 1);
        const b = matrix(k, n, dtype, name, round % 4 > 1);
        poison(name, m * n);
        expectProduct(values(a.tensor.matmul(b.tensor)), 0, a.matrix, b.matrix, dtype);
      }
    });

    test.each([
      [1, 1],
      [1, 300],
      [300, 1],
      [1, 7],
      [7, 1],
    ])("rows and columns alone: %d × k · k × %d", (m, n) => {
      for (const [flipA, flipB] of [
        [false, false],
        [true, false],
        [false, true],
      ] as const) {
        const a = matrix(m, 333, dtype, name, flipA);
        const b = matrix(333, n, dtype, name, flipB);
        poison(name, m * n);
        expectProduct(values(a.tensor.matmul(b.tensor)), 0, a.matrix, b.matrix, dtype);
      }
    });

    test("sizes of 0", () => {
      expect(matrix(0, 5, dtype, name).tensor.matmul(matrix(5, 3, dtype, name).tensor).shape).toEqual([0, 3]);
      expect(matrix(3, 5, dtype, name).tensor.matmul(matrix(5, 0, dtype, name).tensor).shape).toEqual([3, 0]);
      poison(name, 15);
      expect(
        matrix(3, 0, dtype, name)
          .tensor.matmul(matrix(0, 5, dtype, name).tensor)
          .toArray(),
      ).toEqual(Array(3).fill(Array(5).fill(0)));
      expect(zeros([0, 3, 4], { dtype, device: name }).matmul(zeros([4, 2], { dtype, device: name })).shape).toEqual([
        0, 3, 2,
      ]);
    });

    test("views: parts, steps, offsets that no vector load fits", () => {
      const [m, n, k] = [33, 29, 41];
      const whole = matrix(2 * m + 3, 3 * k + 5, dtype, name);
      const other = matrix(k + 7, 2 * n + 1, dtype, name);
      const part = (
        base: Matrix,
        rows: number,
        columns: number,
        row: [number, number],
        column: [number, number],
      ): Matrix => ({ rows, columns, at: (i, j) => base.at(row[0] + i * row[1], column[0] + j * column[1]) });
      for (const [rowStep, columnStep] of [
        [1, 1],
        [2, 1],
        [1, 3],
        [2, 3],
      ] as const) {
        const left = whole.tensor.slice([3, 3 + m * rowStep, rowStep], [1, 1 + k * columnStep, columnStep]);
        const right = other.tensor.slice([7, null], [0, 2 * n, 2]);
        const wanted = [
          part(whole.matrix, m, k, [3, rowStep], [1, columnStep]),
          part(other.matrix, k, n, [7, 1], [0, 2]),
        ] as const;
        poison(name, m * n);
        expectProduct(values(left.matmul(right)), 0, ...wanted, dtype);
        expectProduct(values(right.T.matmul(left.T)), 0, flipped(wanted[1]), flipped(wanted[0]), dtype);
      }
    });

    test("batches: of both, of one side, broadcast, in another order", () => {
      const [m, n, k] = [17, 23, 19];
      const left = numbers(6 * m * k, dtype);
      const right = numbers(6 * k * n, dtype);
      const a = tensor(Array.from(left), { dtype, device: name }).reshape([2, 3, m, k]);
      const b = tensor(Array.from(right), { dtype, device: name }).reshape([2, 3, k, n]);
      const of = (data: Float64Array, rows: number, columns: number, which: number) =>
        rowMajor(rows, columns, data, which * rows * columns);
      const check = (result: Tensor, leftOf: (index: number) => number, rightOf: (index: number) => number) => {
        const got = values(result);
        for (let index = 0; index < result.size / (m * n); index++)
          expectProduct(got, index * m * n, of(left, m, k, leftOf(index)), of(right, k, n, rightOf(index)), dtype);
      };
      poison(name, 6 * m * n);
      check(
        a.matmul(b),
        (i) => i,
        (i) => i,
      );
      poison(name, 6 * m * n);
      check(
        a.matmul(b.slice(1, 2)),
        (i) => i,
        () => 5,
      );
      poison(name, 6 * m * n);
      check(
        a.slice(0, 1).matmul(b),
        () => 1,
        (i) => i,
      );
      poison(name, 6 * m * n);
      check(
        a.slice(null, [0, 1]).matmul(b),
        (i) => Math.floor(i / 3) * 3,
        (i) => i,
      );
      poison(name, 6 * m * n);
      check(
        a.transpose([1, 0, 2, 3]).matmul(b.transpose([1, 0, 2, 3])),
        (i) => (i % 2) * 3 + Math.floor(i / 2),
        (i) => (i % 2) * 3 + Math.floor(i / 2),
      );
    });

    // What is shared among cores by its tiles, its batches, or its depth.
    test.each([
      [700, 530, 90],
      [3, 5, 9001],
      [120, 90, 8193],
      [1, 4000, 70],
      [4000, 1, 70],
      [1, 1, 20_000],
    ])("%d × %d, %d deep, as stored and transposed", (m, n, k) => {
      for (const [flipA, flipB] of [
        [false, false],
        [true, true],
      ] as const) {
        const [a, b] = [matrix(m, k, dtype, name, flipA), matrix(k, n, dtype, name, flipB)];
        poison(name, m * n);
        expectProduct(values(a.tensor.matmul(b.tensor)), 0, a.matrix, b.matrix, dtype);
      }
    });

    test("many small products", () => {
      const [batch, m, n, k] = [301, 33, 17, 40];
      const [left, right] = [numbers(batch * m * k, dtype), numbers(batch * k * n, dtype)];
      const a = tensor(Array.from(left), { dtype, device: name }).reshape([batch, m, k]);
      const b = tensor(Array.from(right), { dtype, device: name }).reshape([batch, k, n]);
      poison(name, batch * m * n);
      const got = values(a.matmul(b));
      for (let i = 0; i < batch; i++)
        expectProduct(got, i * m * n, rowMajor(m, k, left, i * m * k), rowMajor(k, n, right, i * k * n), dtype);
    });

    test("a library adds to what was there, when it is told to", () => {
      if (!serves(device, dtype)) return;
      const place = (x: Tensor) => x.placeHigh * 2 ** 32 + x.placeLow;
      for (const [m, n, k] of [
        [65, 70, 30],
        [1, 300, 40],
        [6, 4, 9001],
      ] as const) {
        const [a, b, c] = [matrix(m, k, dtype, name), matrix(k, n, dtype, name), matrix(m, n, dtype, name)];
        const product = `matmul m=${m} n=${n} k=${k} compute=${dtype === "float64" ? "float64" : "float32"} type=${dtype}`;
        const out = c.tensor.clone();
        LibraryPlan.obtain(device, product).run(device.execution, [out, a.tensor, b.tensor].map(place), [0.5, 2]);
        const got = values(out);
        for (const row of sampled(m))
          for (let column = 0; column < n; column++) {
            const terms = Array.from(
              { length: k },
              (_, depth) => 0.5 * a.matrix.at(row, depth) * b.matrix.at(depth, column),
            );
            terms.push(2 * c.matrix.at(row, column));
            const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
            const bound =
              (2 * roundoff[dtype]! + (k + 3) * Math.min(roundoff[dtype]!, 2 ** -24)) * sum(terms.map(Math.abs));
            expect(Math.abs(got[row * n + column]! - sum(terms))).toBeLessThanOrEqual(bound);
          }
      }
    });

    test("vectors on either side", () => {
      const a = matrix(5, 40, dtype, name);
      const v = matrix(40, 1, dtype, name);
      const w = matrix(1, 5, dtype, name);
      expect(a.tensor.matmul(v.tensor.reshape([40])).shape).toEqual([5]);
      expectProduct(values(a.tensor.matmul(v.tensor.reshape([40]))), 0, a.matrix, v.matrix, dtype);
      expectProduct(values(w.tensor.reshape([5]).matmul(a.tensor)), 0, w.matrix, a.matrix, dtype);
    });

    test("NaN and infinities pass through, and only where they belong", () => {
      const a = matrix(70, 50, dtype, name).tensor.toArray() as number[][];
      const b = matrix(50, 60, dtype, name).tensor.toArray() as number[][];
      a[3]![7] = NaN;
      a[9]![0] = Infinity;
      b[0]![2] = Math.abs(b[0]![2]!) + 1;
      const got = tensor(a, { dtype, device: name })
        .matmul(tensor(b, { dtype, device: name }))
        .toArray() as number[][];
      expect(got[3]!.every(Number.isNaN)).toBe(true);
      expect(got[9]![2]).toBe(Infinity);
      expect(got.flatMap((row, index) => (index === 3 || index === 9 ? [] : row)).every(Number.isFinite)).toBe(true);
    });

    test("the same bits again and again", () => {
      const [a, b] = [matrix(257, 129, dtype, name).tensor, matrix(129, 66, dtype, name).tensor];
      const first = Buffer.from(a.matmul(b).contiguous().data().slice().buffer);
      for (let round = 0; round < 5; round++)
        expect(Buffer.compare(Buffer.from(a.matmul(b).data().slice().buffer), first)).toBe(0);
    });
  });

  test("numbers of 16 bits are exact on their way through a product", () => {
    for (const [dtype, leastNormal] of [
      ["float16", 0],
      ["bfloat16", 2 ** -126],
    ] as const) {
      const bits = Uint16Array.from({ length: 2 ** 16 }, (_, index) => index);
      const all = tensor(bits, { dtype, device: name });
      const exact = values(all);
      const got = values(
        all
          .reshape([-1, 1])
          .matmul(tensor([[1]], { dtype, device: name }))
          .reshape([-1]),
      );
      for (let i = 0; i < bits.length; i++) {
        if (Math.abs(exact[i]!) < leastNormal) continue;
        if (!(got[i] === exact[i] || (Number.isNaN(got[i]) && Number.isNaN(exact[i]))))
          throw new Error(`${dtype} ${exact[i]} became ${got[i]}`);
      }
    }
  });

  test("a plan outlives its device process, with the same bits", () => {
    const a = matrix(96, 80, "float32", name);
    const b = matrix(80, 72, "float32", name);
    const before = values(a.tensor.matmul(b.tensor)).valueOf() as Float64Array;
    const kept = before.slice();
    process.kill(binding.processId(device.client), "SIGKILL");
    expect(() => device.synchronize()).toThrow(DeviceFault);
    poison(name, 96 * 72);
    expect(values(a.tensor.matmul(b.tensor))).toEqual(kept);
  });

  test("a product that its process did not live to finish is named, and its result is marked", () => {
    const a = matrix(64, 64, "float32", name).tensor;
    a.matmul(a);
    device.synchronize();
    process.kill(binding.processId(device.client), "SIGSTOP");
    const lost = a.matmul(a);
    process.kill(binding.processId(device.client), "SIGKILL");
    const library = LibraryPlan.obtain.bind(null, device);
    expect(() => device.synchronize()).toThrow(/matmul of (OpenBLAS|cuBLASLt)/);
    expect([lost.isSuspect, a.isSuspect]).toEqual([true, false]);
    expect(library(text("float32")).chosen.library).toMatch(/BLAS/);
  });

  test("calls that no library covers are refused with a reason, once and for all", () => {
    const said = (terms: string) => {
      try {
        LibraryPlan.obtain(device, terms);
      } catch (error) {
        expect(error).toBeInstanceOf(DeviceError);
        return `${(error as DeviceError).code}: ${(error as DeviceError).message}`;
      }
      return "";
    };
    expect(said("schur n=4")).toBe("UNSUPPORTED: No library of this device does schur.");
    expect(said("schur n=4")).toBe("UNSUPPORTED: No library of this device does schur.");
    expect(LibraryPlan.find(device, "schur n=4")).toBeNull();
    expect(said(text("float32").replaceAll("type=float32", "type=int8"))).toBe(
      "UNSUPPORTED: No library multiplies matrices of int8.",
    );
    expect(said(text("float32", 64, " epilogue=tanh"))).toBe(
      "UNSUPPORTED: No library knows the epilogue tanh of a matrix product.",
    );
    expect(said(text("float32", 64, " epilogue=bias batches=2"))).toBe(
      "UNSUPPORTED: An epilogue takes one matrix product, not a batch of 2.",
    );
    expect(said("matmul m=2 compute=float32")).toBe('PROTOCOL: The plan of matmul lacks "n".');
    expect(said("matmul m=2 n")).toBe('PROTOCOL: A plan has the term "n" without a value.');
    expect(said(text("float32").replace("m=64", "m=many"))).toBe(
      "PROTOCOL: The plan of matmul has m=many, which is no size.",
    );
    expect(said(text("float32").replace("m=64", "m=0"))).toBe("PROTOCOL: The plan of matmul has no results.");
    expect(said(text("float32").replace("b.leading=64", "b.leading=63"))).toBe(
      "PROTOCOL: The rows of a matrix overlap: b.leading=63.",
    );
    expect(said(text("float32", 64, " auxiliary.leading=8"))).toBe(
      "PROTOCOL: The rows of what an epilogue keeps overlap: auxiliary.leading=8.",
    );
    expect(said(text("float32", 64, " out.transposed=1"))).toBe(
      "PROTOCOL: The plan of matmul has a transposed result.",
    );
  });

  test("a run that does not fit its plan is refused", () => {
    const plan = LibraryPlan.obtain(device, text("float32"));
    const place = device.allocate(64 * 64 * 4, "device");
    plan.run(device.execution, [place], [1, 0]);
    expect(() => device.synchronize()).toThrow(
      /(OpenBLAS|cuBLASLt) matmul takes 3 places and 2 scalars but got 1 place and 2 scalars/,
    );
    plan.run(device.execution, [place, place, 2 ** 40 * 4000], [1, 0]);
    expect(() => device.synchronize()).toThrow(/segment 4000/);
    device.free(place);
  });
});
