// Factorisations and what is solved with them on every device: residuals in float64 of fresh random matrices.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { eye, linalg, ones, tensor, zeros, type Tensor, type WarpcellError } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import {
  bound,
  diagonal,
  flipped,
  layouts,
  matricesOf,
  matrixMaker,
  minus,
  size,
  times,
  triangle,
  unit,
  vectorsOf,
  type MatrixDType,
  type Rows,
} from "./matrices.ts";

const random = seeded(freshSeed());
const dtypes: readonly MatrixDType[] = ["float32", "float64"];
const batches: readonly (readonly number[])[] = [[], [3], [2, 2]];
const sizes = [1, 2, 5, 17, 40];

const square = dtypes.flatMap((dtype) => sizes.map((n) => [dtype, n] as const));
const oblong = dtypes.flatMap((dtype) =>
  (
    [
      [1, 1],
      [1, 4],
      [4, 1],
      [7, 3],
      [3, 7],
      [12, 12],
      [45, 20],
    ] as const
  ).map(([m, n]) => [dtype, m, n] as const),
);

const expectSmall = (difference: Rows, most: number) => expect(size(difference)).toBeLessThanOrEqual(most);
const expectOrthonormal = (columns: Rows, most: number) =>
  expectSmall(minus(times(flipped(columns), columns), unit(columns[0]?.length ?? 0)), most);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const make = matrixMaker(random, device);
  const matrix = (list: unknown, dtype: MatrixDType = "float64") =>
    tensor(list as number[], { dtype, device }) as Tensor;
  /** Each batch in each layout, so that each meets some of the others. */
  const each = batches.map((batch, at) => ({ batch, layout: layouts[at]! }));

  test.each(square)("cholesky of %s, %i rows", (dtype, n) => {
    for (const { batch, layout } of each) {
      const { x, matrices } = make.definite(batch, n, dtype, layout);
      const l = linalg.cholesky(x);
      expect([l.dtype, l.shape, l.isContiguous]).toEqual([dtype, x.shape, true]);
      const upper = linalg.cholesky(x, { upper: true });
      matricesOf(l).forEach((factor, at) => {
        expect(factor).toEqual(triangle(factor, false));
        expectSmall(minus(times(factor, flipped(factor)), matrices[at]!), bound(n, dtype) * size(matrices[at]!));
      });
      matricesOf(upper).forEach((factor, at) => {
        expect(factor).toEqual(triangle(factor, true));
        expectSmall(minus(times(flipped(factor), factor), matrices[at]!), bound(n, dtype) * size(matrices[at]!));
      });
    }
  });

  test("cholesky looks at one triangle, and takes integers as float32", () => {
    const half = matrix([
      [4, 99],
      [2, 5],
    ]);
    expect(linalg.cholesky(half).toArray()).toEqual([
      [2, 0],
      [1, 2],
    ]);
    expect(linalg.cholesky(half.T, { upper: true }).toArray()).toEqual([
      [2, 1],
      [0, 2],
    ]);
    const whole = linalg.cholesky(tensor([[9]], { dtype: "int32", device }));
    expect([whole.dtype, whole.toArray()]).toEqual(["float32", [[3]]]);
  });

  test.each(square)("solve, solveTriangular and inv of %s, %i rows", (dtype, n) => {
    for (const { batch, layout } of each) {
      const { x: a, matrices } = make.any(batch, n, n, dtype, layout);
      for (const k of [1, 3]) {
        const { x: b, matrices: sides } = make.any(batch, n, k, dtype, layout);
        const solutions = matricesOf(linalg.solve(a, b));
        solutions.forEach((x, at) => {
          const most = bound(n, dtype) * n * (size(matrices[at]!) * size(x) + size(sides[at]!));
          expectSmall(minus(times(matrices[at]!, x), sides[at]!), most);
        });
        for (const upper of [false, true])
          for (const transposed of [false, true])
            for (const unitriangular of [false, true]) {
              const found = matricesOf(linalg.solveTriangular(a, b, { upper, transposed, unitriangular }));
              found.forEach((x, at) => {
                const part = triangle(matrices[at]!, upper);
                if (unitriangular) part.forEach((row, i) => (row[i] = 1));
                const whole = transposed ? flipped(part) : part;
                const most = bound(n, dtype) * (size(whole) * size(x) + size(sides[at]!));
                expectSmall(minus(times(whole, x), sides[at]!), most);
              });
            }
      }
      matricesOf(linalg.inv(a)).forEach((x, at) => {
        const most = bound(n, dtype) * n * size(matrices[at]!) * size(x);
        expectSmall(minus(times(matrices[at]!, x), unit(n)), most);
      });
    }
  });

  test("right-hand sides are vectors or matrices, batches broadcast, and solveTriangular solves from the right", () => {
    const a = matrix([
      [2, 0],
      [1, 4],
    ]);
    const b = matrix([
      [2, 4],
      [9, 6],
    ]);
    expect(linalg.solve(a, matrix([2, 9])).toArray()).toEqual([1, 2]);
    expect(linalg.solveTriangular(a, matrix([2, 9])).toArray()).toEqual([1, 2]);
    expect(linalg.solve(a.expand([3, 2, 2]), ones([3, 2], { dtype: "float64", device })).shape).toEqual([3, 2]);
    expect(linalg.solve(a.expand([3, 2, 2]), b).toArray()).toEqual(
      Array(3).fill([
        [1, 2],
        [2, 1],
      ]),
    );
    expect(linalg.solve(a, b.expand([3, 1, 2, 2])).shape).toEqual([3, 1, 2, 2]);
    const right = linalg.solveTriangular(a, b, { left: false });
    expect(right.matmul(a).toArray()).toEqual(b.toArray());
    const other = linalg.solveTriangular(a, b, { left: false, transposed: true });
    expect(other.matmul(a.T).toArray()).toEqual(b.toArray());
    expect(linalg.solve(tensor([[2]], { device }), matrix([1])).dtype).toBe("float64");
  });

  test.each(square)("det and slogdet of %s, %i rows", (dtype, n) => {
    for (const { batch, layout } of each) {
      const { x, matrices } = make.any(batch, n, n, dtype, layout);
      const wanted = matrices.map(determinant);
      const { sign, logabsdet } = linalg.slogdet(x);
      const found = linalg.det(x);
      expect([found.shape, sign.shape, logabsdet.shape]).toEqual([batch, batch, batch]);
      const [dets, signs, logs] = [found, sign, logabsdet].map((one) => one.reshape([-1]).toArray() as number[]);
      wanted.forEach(({ value, condition }, at) => {
        const most = bound(n, dtype) * n * condition;
        if (most > 0.5) return;
        expect(Math.abs(dets![at]! - value)).toBeLessThanOrEqual(most * Math.abs(value));
        expect(signs![at]).toBe(Math.sign(value));
        expect(Math.abs(logs![at]! - Math.log(Math.abs(value)))).toBeLessThanOrEqual(2 * most);
      });
    }
  });

  test("determinants neither overflow nor underflow on their way; a singular matrix has 0", () => {
    const large = matrix([
      [1e200, 0, 0],
      [0, 1e200, 0],
      [0, 0, 1e-300],
    ]);
    expect(Math.abs((linalg.det(large).item() as number) / 1e100 - 1)).toBeLessThan(1e-15);
    const { sign, logabsdet } = linalg.slogdet(eye(400, { dtype: "float32", device }).mul(1e-30));
    expect(sign.item()).toBe(1);
    expect(Math.abs((logabsdet.item() as number) / (400 * Math.log(1e-30)) - 1)).toBeLessThan(1e-6);
    const singular = matrix([
      [1, 2],
      [2, 4],
    ]);
    expect(Math.abs(linalg.det(singular).item() as number)).toBe(0);
    expect(linalg.slogdet(singular).sign.item()).toBe(0);
    expect(linalg.slogdet(singular).logabsdet.item()).toBe(-Infinity);
    expect(linalg.det(matrix([[NaN]])).item()).toBeNaN();
    expect(
      linalg
        .det(
          matrix([
            [0, 1],
            [1, 0],
          ]),
        )
        .item(),
    ).toBe(-1);
  });

  test.each(square)("eigh and eigvalsh of %s, %i rows", (dtype, n) => {
    for (const { batch, layout } of each) {
      const { x, matrices } = make.definite(batch, n, dtype, layout);
      const { eigenvalues, eigenvectors } = linalg.eigh(x);
      const values = vectorsOf(eigenvalues);
      matricesOf(eigenvectors).forEach((v, at) => {
        const [a, w] = [matrices[at]!, values[at]!];
        expect([...w].sort((p, q) => p - q)).toEqual(w);
        expectOrthonormal(v, bound(n, dtype) * n);
        expectSmall(minus(times(a, v), times(v, diagonal(w))), bound(n, dtype) * n * size(a));
      });
      for (const upper of [false, true])
        vectorsOf(linalg.eigvalsh(x, { upper })).forEach((w, at) =>
          expectSmall(minus([w], [values[at]!]), bound(n, dtype) * n * size(matrices[at]!)),
        );
    }
  });

  test("eigh looks at one triangle", () => {
    const half = matrix([
      [2, 99],
      [1, 2],
    ]);
    const near = (x: Tensor) => (x.toArray() as number[]).map((value) => Math.round(value * 1e9) / 1e9);
    expect(near(linalg.eigh(half).eigenvalues)).toEqual([1, 3]);
    expect(near(linalg.eigh(half.T, { upper: true }).eigenvalues)).toEqual([1, 3]);
    expect(near(linalg.eigvalsh(half))).toEqual([1, 3]);
  });

  test.each(oblong)("svd and svdvals of %s, %i × %i", (dtype, m, n) => {
    const k = Math.min(m, n);
    for (const { batch, layout } of each) {
      const { x, matrices } = make.any(batch, m, n, dtype, layout);
      const thin = linalg.svd(x);
      expect([thin.U.shape, thin.S.shape, thin.Vh.shape]).toEqual([
        [...batch, m, k],
        [...batch, k],
        [...batch, k, n],
      ]);
      const values = vectorsOf(thin.S);
      const right = matricesOf(thin.Vh);
      const most = bound(m + n, dtype) * (m + n);
      matricesOf(thin.U).forEach((u, at) => {
        expect([...values[at]!].sort((p, q) => q - p)).toEqual(values[at]);
        expectOrthonormal(u, most);
        expectOrthonormal(flipped(right[at]!), most);
        expectSmall(
          minus(times(times(u, diagonal(values[at]!)), right[at]!), matrices[at]!),
          most * size(matrices[at]!),
        );
      });
      vectorsOf(linalg.svdvals(x)).forEach((s, at) =>
        expectSmall(minus([s], [values[at]!]), most * (size(matrices[at]!) + size(flipped(matrices[at]!)))),
      );
      const full = linalg.svd(x, { fullMatrices: true });
      expect([full.U.shape, full.Vh.shape]).toEqual([
        [...batch, m, m],
        [...batch, n, n],
      ]);
      for (const q of [full.U, full.Vh]) for (const one of matricesOf(q)) expectOrthonormal(one, most);
      const product = linalg.svd(x, { fullMatrices: true }).U.slice(...x.shape.slice(1).map(() => null), [0, k]);
      expect(product.shape).toEqual([...batch, m, k]);
    }
  });

  test.each([
    [300, 280],
    [280, 300],
    [1500, 270],
    [90, 33],
  ])("singular values of float64, %i × %i, with and without vectors", (m, n) => {
    for (const batch of [[], [2]]) {
      const { x, matrices } = make.any(batch, m, n, "float64");
      const { U, S, Vh } = linalg.svd(x);
      const most = bound(m + n, "float64") * (m + n);
      expect(Number(U.mul(S.unsqueeze(-2)).matmul(Vh).sub(x).abs().max().item())).toBeLessThan(most);
      expect(Number(linalg.svdvals(x).sub(S).abs().max().item())).toBeLessThan(most);
      const squares = matrices.map((a) => a.flat().reduce((sum, each) => sum + each ** 2, 0));
      vectorsOf(S).forEach((s, at) => {
        const sum = s.reduce((sum, each) => sum + each ** 2, 0);
        expect(Math.abs(sum / squares[at]! - 1)).toBeLessThan(most);
      });
    }
  });

  test.each(oblong)("qr of %s, %i × %i", (dtype, m, n) => {
    const most = bound(m + n, dtype) * (m + n);
    for (const { batch, layout } of each) {
      const { x, matrices } = make.any(batch, m, n, dtype, layout);
      for (const mode of ["reduced", "complete"] as const) {
        const inner = mode === "complete" ? m : Math.min(m, n);
        const { Q, R } = linalg.qr(x, { mode });
        expect([Q.shape, R.shape]).toEqual([
          [...batch, m, inner],
          [...batch, inner, n],
        ]);
        const factors = matricesOf(R);
        matricesOf(Q).forEach((q, at) => {
          expect(factors[at]).toEqual(triangle(factors[at]!, true));
          expectOrthonormal(q, most);
          expectSmall(minus(times(q, factors[at]!), matrices[at]!), most * size(matrices[at]!));
        });
      }
      const { Q, R } = linalg.qr(x, "r");
      expect([Q.size, R.shape]).toEqual([0, [...batch, Math.min(m, n), n]]);
    }
  });

  test("triangles of matrices in any layout are row-major", () => {
    for (const { batch, layout } of each)
      for (const [rows, columns] of [
        [4, 4],
        [3, 5],
        [5, 2],
      ] as const) {
        const { x, matrices } = make.any(batch, rows, columns, "float64", layout);
        expect(matricesOf(x.triu())).toEqual(matrices.map((one) => triangle(one, true)));
        expect(matricesOf(x.tril())).toEqual(matrices.map((one) => triangle(one, false)));
        expect(x.triu(1).add(x.tril()).toArray()).toEqual(x.toArray());
        expect(x.triu().isContiguous).toBe(true);
      }
  });

  test("matrices without rows, and batches without matrices", () => {
    for (const shape of [
      [0, 0],
      [0, 3, 3],
      [2, 0, 0],
    ]) {
      const x = zeros(shape, { dtype: "float64", device });
      for (const same of [linalg.cholesky(x), linalg.inv(x), linalg.eigh(x).eigenvectors, linalg.qr(x).R])
        expect(same.shape).toEqual(shape);
      expect(linalg.solve(x, x).shape).toEqual(shape);
      expect(linalg.solveTriangular(x, x).shape).toEqual(shape);
      expect(linalg.det(x).toArray()).toEqual(shape[0] === 2 ? [1, 1] : shape[0] === 0 && shape.length === 3 ? [] : 1);
      expect(linalg.slogdet(x).logabsdet.shape).toEqual(shape.slice(0, -2));
      expect(linalg.eigvalsh(x).shape).toEqual(shape.slice(0, -1));
      expect(linalg.svdvals(x).shape).toEqual(shape.slice(0, -1));
    }
    const flat = zeros([3, 0], { dtype: "float32", device });
    expect(linalg.svd(flat).U.shape).toEqual([3, 0]);
    expect(linalg.qr(flat).Q.shape).toEqual([3, 0]);
    expect(linalg.solve(zeros([2, 2], { device }).add(eye(2, { device })), zeros([2, 0], { device })).shape).toEqual([
      2, 0,
    ]);
  });

  test("many small matrices, of which some are shared among cores", () => {
    const { x: a, matrices } = make.definite([700], 8, "float32");
    const l = linalg.cholesky(a);
    const factors = matricesOf(l);
    // Where a · x = l, x is the inverse of lᵀ.
    matricesOf(linalg.solve(a, l)).forEach((x, at) => {
      const factor = factors[at]!;
      expectSmall(minus(times(factor, flipped(factor)), matrices[at]!), bound(8, "float32") * size(matrices[at]!));
      expectSmall(minus(times(flipped(factor), x), unit(8)), bound(8, "float32") * 64);
    });
  });

  describe("refuses", () => {
    const code = (run: () => Tensor): string => {
      try {
        run().toArray();
      } catch (error) {
        return `${(error as WarpcellError).code}: ${(error as Error).message}`;
      }
      return "";
    };
    const indefinite = [
      [1, 2],
      [2, 1],
    ];
    const dependent = [
      [1, 2],
      [2, 4],
    ];
    const fine = [
      [2, 0],
      [0, 2],
    ];

    test("a matrix that is not positive definite, by its place in the batch", () => {
      expect(code(() => linalg.cholesky(matrix(indefinite)))).toBe(
        "NOT_POSITIVE_DEFINITE: The matrix that cholesky was given is not positive definite: its leading minor of order 2 is not positive. Add to its diagonal, or use linalg.eigh.",
      );
      const batch = matrix([
        [fine, fine],
        [fine, indefinite],
        [indefinite, fine],
      ]);
      expect(code(() => linalg.cholesky(batch))).toMatch(
        /^NOT_POSITIVE_DEFINITE: Matrix \[1, 1\] of the batch that cholesky was given is not positive definite/,
      );
      // It is told once.
      expect(linalg.cholesky(matrix([[4]])).toArray()).toEqual([[2]]);
    });

    test("a singular matrix, by its place in the batch", () => {
      for (const [name, run] of [
        ["solve", (x: Tensor) => linalg.solve(x, eye(2, { dtype: "float64", device }))],
        ["inv", linalg.inv],
      ] as const) {
        expect(code(() => run(matrix(dependent)))).toBe(
          `SINGULAR: The matrix that ${name} was given is singular: its column 1 depends on those before it. Use linalg.lstsq or linalg.pinv.`,
        );
        expect(code(() => run(matrix([fine, fine, dependent])))).toMatch(
          /^SINGULAR: Matrix \[2\] of the batch that \w+ was given is singular/,
        );
      }
    });

    test("what holds NaN, unless NaN comes out", () => {
      const x = matrix([
        [1, NaN],
        [NaN, 2],
      ]);
      for (const [name, run] of [
        ["cholesky", linalg.cholesky],
        ["eigvalsh", linalg.eigvalsh],
        ["svdvals", linalg.svdvals],
      ] as const) {
        let values: number[];
        try {
          values = run(x).reshape([-1]).toArray() as number[];
        } catch (error) {
          expect((error as Error).message).toMatch(
            name === "cholesky"
              ? /^The matrix that cholesky was given is not positive definite/
              : new RegExp(
                  `^The matrix that ${name} was given has no result: the iteration did not converge. Look for NaN and Infinity in it, with .isfinite\\(\\).all\\(\\).$`,
                ),
          );
          continue;
        }
        expect(values.some(Number.isNaN)).toBe(true);
      }
    });

    test("shapes and dtypes", () => {
      const shape = zeros([2, 3], { dtype: "float64", device });
      for (const [name, run] of Object.entries({
        cholesky: linalg.cholesky,
        inv: linalg.inv,
        det: linalg.det,
        eigh: (x: Tensor) => linalg.eigh(x).eigenvalues,
        solve: (x: Tensor) => linalg.solve(x, x),
        solveTriangular: (x: Tensor) => linalg.solveTriangular(x, x),
      })) {
        expect(code(() => run(shape))).toBe(
          `SHAPE: ${name} takes square matrices, the last two axes of a tensor, but got shape [2, 3].`,
        );
        expect(code(() => run(zeros([2, 2], { dtype: "float16", device })))).toBe(
          `DTYPE: ${name} computes in float32 and float64, complex64 and complex128, but got float16: convert it with .to("float32").`,
        );
      }
      for (const [name, run] of Object.entries({
        qr: (x: Tensor) => linalg.qr(x).R,
        svd: (x: Tensor) => linalg.svd(x).S,
        svdvals: linalg.svdvals,
      }))
        expect(code(() => run(matrix([1, 2])))).toBe(
          `SHAPE: ${name} takes matrices, the last two axes of a tensor, but got shape [2].`,
        );
      expect(code(() => linalg.svd(tensor([[1]], { dtype: "bfloat16", device })).S)).toBe(
        'DTYPE: svd computes in float32 and float64, complex64 and complex128, but got bfloat16: convert it with .to("float32").',
      );
      expect(code(() => linalg.inv(tensor([[1]], { dtype: "float8_e4m3", device })))).toBe(
        'DTYPE: inv computes in float32 and float64, complex64 and complex128, but got float8_e4m3, which only stores numbers: convert it with .to("float32").',
      );
      expect(code(() => linalg.solve(matrix(fine), matrix([1, 2, 3])))).toBe(
        "SHAPE: solve takes matrices […, m, n] and right-hand sides […, m, k] or […, m] but got shapes [2, 2] and [3].",
      );
      expect(code(() => linalg.svd(matrix(fine), { compute_uv: false } as object).S)).toBe(
        "OPTIONS: svd has no option compute_uv. Write linalg.svdvals for singular values alone.",
      );
    });
  });
});

/** The determinant by elimination in float64, and how the largest pivot stands to the smallest. */
function determinant(a: Rows): { readonly value: number; readonly condition: number } {
  const rows = a.map((row) => [...row]);
  let value = 1;
  const pivots: number[] = [];
  rows.forEach((_, k) => {
    const best = rows
      .slice(k)
      .reduce((most, row, at) => (Math.abs(row[k]!) > Math.abs(rows[most]![k]!) ? k + at : most), k);
    if (best !== k) {
      [rows[k], rows[best]] = [rows[best]!, rows[k]!];
      value = -value;
    }
    const pivot = rows[k]![k]!;
    value *= pivot;
    pivots.push(Math.abs(pivot));
    for (const row of rows.slice(k + 1)) {
      const factor = row[k]! / pivot;
      for (let j = k; j < row.length; j++) row[j] = row[j]! - factor * rows[k]![j]!;
    }
  });
  return { value, condition: size(a) / Math.min(...pivots) };
}
