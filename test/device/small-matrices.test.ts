// Small matrices by our own kernels on every device: residuals in float64 for all sizes that a kernel is made for, NaN
// (also by the libraries), and what is said of matrices that have no factors.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { lastDispatch, linalg, setPath, tensor, type Tensor, type WarpcellError } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import {
  bound,
  flipped,
  layouts,
  matricesOf,
  matrixMaker,
  minus,
  size,
  times,
  triangle,
  unit,
  type MatrixDType,
  type Rows,
} from "./matrices.ts";

const random = seeded(freshSeed());
const dtypes: readonly MatrixDType[] = ["float32", "float64"];
// On both sides of the sizes that kernels are made for.
const sizes = [1, 3, 8, 9, 16, 17, 31, 32, 33, 64];
const cases = dtypes.flatMap((dtype) => sizes.map((n) => [dtype, n] as const));
const batches: readonly (readonly number[])[] = [[], [5], [2, 3]];

const expectSmall = (difference: Rows, most: number) => expect(size(difference)).toBeLessThanOrEqual(most);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const make = matrixMaker(random, device);
  const each = batches.map((batch, at) => ({ batch, layout: layouts[at]! }));
  const matrix = (list: unknown, dtype: MatrixDType = "float64") =>
    tensor(list as number[], { dtype, device }) as Tensor;
  const code = (run: () => Tensor): string => {
    try {
      run().toArray();
    } catch (error) {
      return `${(error as WarpcellError).code}: ${(error as Error).message}`;
    }
    return "";
  };

  test.each(cases)("factors and solutions of %s, %i rows", (dtype, n) => {
    using _ = setPath("linalg", "kernel");
    for (const { batch, layout } of each) {
      const { x: s, matrices: definite } = make.definite(batch, n, dtype, layout);
      const { x: a, matrices } = make.any(batch, n, n, dtype, layout);
      matricesOf(linalg.cholesky(s)).forEach((factor, at) => {
        expect(factor).toEqual(triangle(factor, false));
        expectSmall(minus(times(factor, flipped(factor)), definite[at]!), bound(n, dtype) * size(definite[at]!));
      });
      expect(lastDispatch("linalg")).toMatchObject({ path: "kernel", library: null });
      // More columns than a team solves for at once.
      for (const k of [1, 11]) {
        const { x: b, matrices: sides } = make.any(batch, n, k, dtype, layout);
        matricesOf(linalg.solve(a, b)).forEach((x, at) => {
          const most = bound(n, dtype) * n * (size(matrices[at]!) * size(x) + size(sides[at]!));
          expectSmall(minus(times(matrices[at]!, x), sides[at]!), most);
        });
        for (const [upper, transposed, unitriangular] of [
          [false, false, false],
          [false, true, true],
          [true, false, true],
          [true, true, false],
        ] as const)
          matricesOf(linalg.solveTriangular(s, b, { upper, transposed, unitriangular })).forEach((x, at) => {
            const part = triangle(definite[at]!, upper);
            if (unitriangular) part.forEach((row, i) => (row[i] = 1));
            const whole = transposed ? flipped(part) : part;
            expectSmall(
              minus(times(whole, x), sides[at]!),
              bound(n, dtype) * (size(whole) * size(x) + size(sides[at]!)),
            );
          });
      }
      matricesOf(linalg.inv(a)).forEach((x, at) =>
        expectSmall(minus(times(matrices[at]!, x), unit(n)), bound(n, dtype) * n * size(matrices[at]!) * size(x)),
      );
    }
  });

  test.each(cases)("determinants and gradients of %s, %i rows, as by the library", (dtype, n) => {
    // 1 on the diagonal and little beside it: a condition near 1.
    const { x: s, matrices } = make.definite([3], n, dtype);
    const a = s.div(matrices[0]![0]![0]! * 2);
    const by = (path: "kernel" | "library") => {
      using _ = setPath("linalg", path);
      const x = a.detach().clone();
      x.requiresGrad = true;
      const { sign, logabsdet } = linalg.slogdet(x);
      const solution = linalg.solve(x, x.detach().sum({ axis: -1 }).unsqueeze(-1));
      logabsdet.sum().add(solution.square().sum()).backward();
      return [sign, logabsdet, linalg.det(x.detach()), solution.reshape([-1]), x.grad!].map(
        (one) => one!.reshape([-1]).toArray() as number[],
      );
    };
    const [own, library] = [by("kernel"), by("library")];
    const condition = matrices.map((m) => size(m) ** 2).reduce((most, one) => Math.max(most, one), 0);
    own.forEach((values, which) => {
      const largest = Math.max(...library[which]!.map(Math.abs));
      expectSmall(minus([values], [library[which]!]), bound(n, dtype) * n * values.length * condition * largest);
    });
  });

  test.each([2, 8, 20, 40, 64])("NaN among %i rows comes out", (n) => {
    using _ = setPath("linalg", "kernel");
    for (const dtype of dtypes)
      for (const at of [0, n * n - 1, n - 1]) {
        const { matrices } = make.any([3], n, n, dtype);
        const list = matrices.map((m) => m.flat());
        list[1]![at] = NaN;
        const x = matrix(list, dtype).reshape([3, n, n]);
        const found = linalg.det(x).toArray() as number[];
        expect(found.map(Number.isNaN)).toEqual([false, true, false]);
        const solved = linalg.solve(x, matrix(Array(3 * n).fill(1), dtype).reshape([3, n, 1]));
        expect(matricesOf(solved).map((rows) => rows.flat().some(Number.isNaN))).toEqual([false, true, false]);
      }
  });

  test.each([
    [[], 40],
    [[], 100],
    [[2], 70],
    [[2], 260],
  ] as const)("NaN in batch %j of %i rows comes out of the library's factors", (batch, n) => {
    using _ = setPath("linalg", "library");
    const { matrices } = make.any(batch, n, n, "float32");
    const list = matrices.map((m) => m.map((row) => [...row]));
    list.at(-1)![n - 1]![n >> 1] = NaN;
    const x = matrix(list, "float32").reshape([...batch, n, n]);
    const hasNan = matrices.map((_, at) => at === matrices.length - 1);
    const signs = linalg.slogdet(x).sign.reshape([-1]).toArray() as number[];
    expect(signs.map(Number.isNaN)).toEqual(hasNan);
    const solved = linalg.solve(x, matrix(Array(n).fill([1]), "float32"));
    expect(matricesOf(solved).map((rows) => rows.flat().some(Number.isNaN))).toEqual(hasNan);
    // What is singular is told all the same.
    const flat = matrices.map((m) => m.map((row) => row.map((value, j) => (j === 2 ? 0 : value))));
    const singular = matrix(flat, "float32").reshape([...batch, n, n]);
    expect(code(() => linalg.inv(singular))).toMatch(/^SINGULAR: \w+( \[0\] of the batch| matrix) that inv was given/);
    expect((linalg.slogdet(singular).sign.reshape([-1]).toArray() as number[]).map(Math.abs)).toEqual(
      matrices.map(() => 0),
    );
  });

  test.each([3, 20, 50])("a matrix of %i rows without factors is named", (n) => {
    using _ = setPath("linalg", "kernel");
    const { matrices } = make.definite([2, 2], n, "float64");
    const list = matrices.map((m) => m.map((row) => [...row]));
    list[3]![1]![1] = -1;
    const x = matrix(list).reshape([2, 2, n, n]);
    expect(code(() => linalg.cholesky(x))).toBe(
      "NOT_POSITIVE_DEFINITE: Matrix [1, 1] of the batch that cholesky was given is not positive definite: its leading minor of order 2 is not positive. Add to its diagonal, or use linalg.eigh.",
    );
    // A column of zeros is where no pivot is found.
    const flat = matrices.map((m) => m.map((row) => row.map((value, j) => (j === 2 ? 0 : value))));
    expect(code(() => linalg.inv(matrix(flat[1])))).toMatch(
      /^SINGULAR: The matrix that inv was given is singular: its column \d+ depends on those before it/,
    );
    expect(Math.abs(linalg.det(matrix(flat[1])).item() as number)).toBe(0);
    expect(linalg.cholesky(matrix(matrices[0])).shape).toEqual([n, n]);
  });

  test("what a path is not for, and what has no elements", () => {
    const { x } = make.definite([], 65, "float32");
    {
      using _ = setPath("linalg", "kernel");
      expect(code(() => linalg.cholesky(x))).toBe(
        'PATH: linalg is told to take the path "kernel", which does not take this call. It is for up to 64 rows: on a GPU lanes of a warp, or two warps, have each matrix of a batch. Name another of kernel, library with setPath, or dispose of what it returned.',
      );
      for (const shape of [
        [0, 3, 3],
        [2, 0, 0],
      ])
        expect(linalg.cholesky(matrix([]).reshape(shape)).shape).toEqual(shape);
    }
    linalg.cholesky(x);
    const last = lastDispatch("linalg")!;
    expect(last).toMatchObject({ operation: "linalg", path: "library" });
    expect(last.library!.library).toMatch(/^(OpenBLAS|cuSOLVER|cuBLAS)$/);
  });
});
