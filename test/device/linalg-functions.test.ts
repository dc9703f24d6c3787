// Least squares, norms, ranks, powers and products of matrices on every device, against what defines them in float64.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { eye, linalg, ones, tensor, zeros, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import {
  bound,
  flipped,
  layouts,
  matricesOf,
  matrixMaker,
  minus,
  size,
  times,
  unit,
  vectorsOf,
  type MatrixDType,
  type Rows,
} from "./matrices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const dtypes: readonly MatrixDType[] = ["float32", "float64"];
const oblong = dtypes.flatMap((dtype) =>
  (
    [
      [1, 1],
      [6, 3],
      [3, 6],
      [20, 20],
    ] as const
  ).map(([m, n]) => [dtype, m, n] as const),
);
const expectSmall = (difference: Rows, most: number) => expect(size(difference)).toBeLessThanOrEqual(most);
const plus = (a: Rows, b: Rows): number[][] => a.map((row, i) => row.map((each, j) => each + b[i]![j]!));
const scaled = (a: Rows, by: number): number[][] => a.map((row) => row.map((each) => each * by));

/** e^a by its series, of a matrix whose norm is small. */
function exponential(a: Rows): number[][] {
  let [sum, term] = [unit(a.length), unit(a.length)];
  for (let k = 1; k < 60; k++) {
    term = scaled(times(term, a), 1 / k);
    sum = plus(sum, term);
  }
  return sum;
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const make = matrixMaker(random, device);
  const matrix = (list: unknown, dtype: MatrixDType = "float64") =>
    tensor(list as number[], { dtype, device }) as Tensor;
  const said = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };

  test.each(oblong)("pinv and lstsq of %s, %i × %i", (dtype, m, n) => {
    [[], [3], [2, 2]].forEach((batch, which) => {
      const { x: a, matrices } = make.any(batch, m, n, dtype, layouts[which]!);
      const condition = (linalg.cond(a).reshape([-1]).toArray() as number[]).map((each) => 4 * each ** 2);
      const most = (at: number) => bound(m + n, dtype) * (m + n) * condition[at]!;
      const inverses = matricesOf(linalg.pinv(a));
      inverses.forEach((p, at) => {
        // Moore and Penrose's conditions.
        const [ap, pa] = [times(matrices[at]!, p), times(p, matrices[at]!)];
        expectSmall(minus(times(ap, matrices[at]!), matrices[at]!), most(at) * size(matrices[at]!));
        expectSmall(minus(times(pa, p), p), most(at) * size(p));
        expectSmall(minus(ap, flipped(ap)), most(at));
        expectSmall(minus(pa, flipped(pa)), most(at));
      });
      const { x: b, matrices: sides } = make.any(batch, m, 2, dtype);
      const { solution, residuals, rank, singularValues } = linalg.lstsq(a, b);
      expect([solution.shape, residuals.shape, singularValues.shape]).toEqual([
        [...batch, n, 2],
        [...batch, 2],
        [...batch, Math.min(m, n)],
      ]);
      expect(rank.reshape([-1]).toArray().map(Number)).toEqual(matrices.map(() => Math.min(m, n)));
      const sums = vectorsOf(residuals);
      matricesOf(solution).forEach((x, at) => {
        const scale = size(sides[at]!) * size(inverses[at]!);
        expectSmall(minus(x, times(inverses[at]!, sides[at]!)), most(at) * scale);
        const rest = minus(times(matrices[at]!, x), sides[at]!);
        const wanted = flipped(rest).map((column) => column.reduce((sum, each) => sum + each ** 2, 0));
        expectSmall(minus([sums[at]!], [wanted]), most(at) * (1 + size(sides[at]!)) ** 2);
      });
    });
  });

  test("lstsq and pinv of matrices of lower rank, vectors, and a cutoff", () => {
    const a = matrix([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    const { solution, rank } = linalg.lstsq(a, matrix([3, 3, 6]));
    expect(rank.item()).toBe(1);
    // The mean, 4, in two equal parts: the shortest.
    expectSmall(minus([solution.toArray() as number[]], [[2, 2]]), 1e-14);
    const steep = matrix([
      [1, 0],
      [0, 1e-3],
    ]);
    expect(linalg.pinv(steep, { rcond: 1e-2 }).toArray()).toEqual([
      [1, 0],
      [0, 0],
    ]);
    expect(linalg.matrixRank(steep, { rtol: 1e-2 }).item()).toBe(1);
    expect(linalg.matrixRank(steep).item()).toBe(2);
    expect(
      linalg
        .matrixRank(matrix([[[0]], [[5]]]))
        .toArray()
        .map(Number),
    ).toEqual([0, 1]);
    expect(linalg.pinv(zeros([2, 3], { dtype: "float64", device })).toArray()).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(linalg.pinv(zeros([0, 3], { dtype: "float64", device })).shape).toEqual([3, 0]);
    const nothing = linalg.lstsq(zeros([3, 0], { dtype: "float64", device }), matrix([1, 2, 3]));
    expect([nothing.solution.shape, nothing.rank.item()]).toEqual([[0], 0]);
    expect(nothing.residuals.item()).toBe(14);
  });

  test("gradients of pinv and lstsq, of full and of lower rank", () => {
    const any = (m: number, n: number) =>
      make
        .any([], m, n, "float64")
        .x.add(eye(Math.max(m, n), { dtype: "float64", device }).slice([0, m], [0, n]).mul(3)) as Tensor;
    for (const [m, n] of [
      [3, 3],
      [4, 2],
      [2, 4],
    ] as const) {
      expectGradients((x) => linalg.pinv(x!), [any(m, n)], { twice: true });
      expectGradients((a, b) => linalg.lstsq(a!, b!).solution, [any(m, n), make.any([], m, 2, "float64").x], {
        twice: true,
      });
    }
    // Equal singular values, at which those of the vectors have no gradient.
    expectGradients((x) => linalg.pinv(x!), [eye(3, { dtype: "float64", device }) as Tensor]);
    const product = (u: Tensor, v: Tensor) => u.matmul(v) as Tensor;
    expectGradients((u, v) => linalg.pinv(product(u!, v!)), [any(3, 1), any(1, 4)]);
    const leaf = any(3, 2).clone();
    leaf.requiresGrad = true;
    expect(
      said(() =>
        linalg
          .lstsq(leaf, matrix([1, 2, 3]))
          .singularValues.sum()
          .backward(),
      ),
    ).toBe("The singular values that lstsq gives have no gradient: use linalg.svdvals.");
  });

  test("norms of vectors and matrices", () => {
    const { x, matrices } = make.any([2], 3, 4, "float64");
    const near = (got: Tensor, wanted: readonly number[]) =>
      expectSmall(
        minus([got.reshape([-1]).toArray() as number[]], [wanted]),
        1e-13 * (1 + Math.max(...wanted.map(Math.abs))),
      );
    const rows = matrices.map((a) => a.map((row) => row.reduce((sum, each) => sum + Math.abs(each), 0)));
    const columns = matrices.map((a) => flipped(a).map((row) => row.reduce((sum, each) => sum + Math.abs(each), 0)));
    const values = vectorsOf(linalg.svdvals(x));
    const wanted = {
      fro: matrices.map((a) => Math.hypot(...a.flat())),
      nuc: values.map((s) => s.reduce((sum, each) => sum + each, 0)),
      "1": columns.map((each) => Math.max(...each)),
      "-1": columns.map((each) => Math.min(...each)),
      "2": values.map((s) => s[0]!),
      "-2": values.map((s) => s[2]!),
      Infinity: rows.map((each) => Math.max(...each)),
      "-Infinity": rows.map((each) => Math.min(...each)),
    };
    for (const [name, list] of Object.entries(wanted)) {
      const ord = name === "fro" || name === "nuc" ? name : Number(name);
      near(linalg.matrixNorm(x, { ord }), list);
      near(linalg.norm(x, { ord, axis: [1, 2] }), list);
      near(linalg.norm(x.swapAxes(0, 1), { ord, axis: [0, -1] }), list);
      near(linalg.norm(x.get(0), { ord }), [list[0]!]);
      expect(linalg.matrixNorm(x, { ord, keepdims: true }).shape).toEqual([2, 1, 1]);
      expect(linalg.norm(x.swapAxes(0, 1), { ord, axis: [0, 2], keepdims: true }).shape).toEqual([1, 2, 1]);
    }
    near(linalg.norm(x), [Math.hypot(...matrices.flat(2))]);
    near(
      linalg.norm(x, { axis: -1 }),
      matrices.flatMap((a) => a.map((row) => Math.hypot(...row))),
    );
    near(linalg.norm(x, { ord: 1, axis: -1 }), rows.flat());
    near(
      linalg.vectorNorm(x, { ord: 1, axis: [1, 2] }),
      matrices.map((a) => size([a.flat()])),
    );
    near(
      linalg.trace(x),
      matrices.map((a) => a[0]![0]! + a[1]![1]! + a[2]![2]!),
    );
    near(
      linalg.trace(x, { offset: 1 }),
      matrices.map((a) => a[0]![1]! + a[1]![2]! + a[2]![3]!),
    );
    expect(said(() => linalg.matrixNorm(x, { ord: 3 }))).toBe(
      'matrixNorm takes "fro", "nuc", 1, -1, 2, -2, Infinity or -Infinity as ord but got 3.',
    );
    expect(said(() => linalg.norm(x, { ord: "nuc" }))).toBe(
      'norm takes "nuc" for matrices: name two axes, such as { axis: [-2, -1] }.',
    );
    expect(said(() => linalg.trace(matrix([1])))).toBe(
      "trace takes matrices, the last two axes of a tensor, but got shape [1].",
    );
    for (const ord of ["nuc", 2, 1] as const) expectGradients((a) => linalg.matrixNorm(a!, { ord }), [x]);
  });

  test("cond by any norm", () => {
    const { x, matrices } = make.definite([2], 4, "float64");
    const inverses = matricesOf(linalg.inv(x));
    const wanted = matrices.map((a, at) => size(a) * size(inverses[at]!));
    const found = linalg.cond(x, Infinity).toArray() as number[];
    found.forEach((each, at) => expect(Math.abs(each / wanted[at]! - 1)).toBeLessThan(1e-12));
    const ends = linalg.cond(x).mul(linalg.cond(x, -2)).toArray() as number[];
    for (const each of ends) expect(Math.abs(each - 1)).toBeLessThan(1e-13);
    expect(
      linalg
        .cond(
          matrix([
            [1, 0],
            [0, 0],
          ]),
        )
        .item(),
    ).toBe(Infinity);
    expect(said(() => linalg.cond(zeros([2, 3], { device }), 1))).toBe(
      "cond takes square matrices, the last two axes of a tensor, but got shape [2, 3].",
    );
  });

  test.each([-3, -1, 0, 1, 2, 5, 12])("matrixPower %i", (n) => {
    const { x, matrices } = make.definite([2], 3, "float64");
    const bases = n < 0 ? matricesOf(linalg.inv(x)) : matrices;
    matricesOf(linalg.matrixPower(x, n)).forEach((found, at) => {
      let wanted = unit(3);
      for (let k = 0; k < Math.abs(n); k++) wanted = times(wanted, bases[at]!);
      expectSmall(minus(found, wanted), 1e-13 * size(wanted));
    });
    expect(said(() => linalg.matrixPower(zeros([2, 3], { device }), n))).toBe(
      "matrixPower takes square matrices, the last two axes of a tensor, but got shape [2, 3].",
    );
  });

  test.each(dtypes)("matrixExp of %s, small and large in one batch", (dtype) => {
    const { x, matrices } = make.any([3], 5, 5, dtype);
    const factors = [0.01, 1, 8];
    const found = linalg.matrixExp(x.mul(tensor(factors, { dtype, device }).reshape([3, 1, 1])));
    matricesOf(found).forEach((e, at) => {
      let wanted = exponential(scaled(matrices[at]!, factors[at]! / 16));
      for (let k = 0; k < 4; k++) wanted = times(wanted, wanted);
      expectSmall(
        minus(e, wanted),
        bound(5, dtype) * (1 + 40 * factors[at]!) * Math.exp(size(scaled(matrices[at]!, factors[at]!))),
      );
    });
    const nilpotent = linalg
      .matrixExp(
        matrix(
          [
            [0, 1000],
            [0, 0],
          ],
          dtype,
        ),
      )
      .toArray() as number[][];
    expectSmall(
      minus(nilpotent, [
        [1, 1000],
        [0, 1],
      ]),
      1000 * bound(10, dtype),
    );
    expect(linalg.matrixExp(zeros([0, 0], { dtype, device })).shape).toEqual([0, 0]);
    expect(linalg.matrixExp(matrix([[NaN]], dtype)).item()).toBeNaN();
  });

  test("gradients of matrixExp, matrixPower and kron", () => {
    const { x } = make.any([2], 3, 3, "float64");
    expectGradients((a) => linalg.matrixExp(a!), [x], { twice: true });
    expectGradients((a) => linalg.matrixExp(a!.mul(4)), [x]);
    expectGradients((a) => linalg.matrixPower(a!, 5), [x], { twice: true });
    expectGradients((a, b) => linalg.kron(a!, b!), [make.any([], 2, 3, "float64").x, make.any([], 2, 2, "float64").x]);
  });

  test("multiDot takes the cheapest order, and vectors at the ends", () => {
    const parts = [
      [3, 40],
      [40, 2],
      [2, 30],
      [30, 4],
    ].map(([m, n]) => make.any([], m!, n!, "float64"));
    const wanted = parts
      .map(({ matrices }) => matrices[0]!)
      .reduce<Rows>((a, b) => (a.length === 0 ? b : times(a, b)), []);
    expectSmall(minus(linalg.multiDot(parts.map(({ x }) => x)).toArray() as number[][], wanted), 1e-13 * size(wanted));
    const [v, m] = [
      matrix([1, 2]),
      matrix([
        [1, 2],
        [3, 4],
      ]),
    ];
    expect(linalg.multiDot([v, m, v]).item()).toBe(27);
    expect(linalg.multiDot([v, m]).toArray()).toEqual([7, 10]);
    expect(linalg.multiDot([m, m, v]).toArray()).toEqual([27, 59]);
    expect(linalg.multiDot([m]).toArray()).toEqual(m.toArray());
    expect(said(() => linalg.multiDot([m, ones([3, 2], { device })]))).toBe(
      "multiDot takes matrices whose rows are as many as the columns of the one before but got shapes [2, 2], [3, 2].",
    );
  });

  test.each(dtypes)("choleskySolve of %s, by both factors", (dtype) => {
    for (const [batch, n] of [
      [[], 5],
      [[3], 20],
      [[2], 70],
    ] as const) {
      const { x, matrices } = make.definite(batch, n, dtype);
      const { x: b, matrices: sides } = make.any(batch, n, 3, dtype);
      for (const upper of [false, true])
        matricesOf(linalg.choleskySolve(linalg.cholesky(x, { upper }), b, { upper })).forEach((found, at) => {
          const most = bound(n, dtype) * n * (size(matrices[at]!) * size(found) + size(sides[at]!));
          expectSmall(minus(times(matrices[at]!, found), sides[at]!), most);
        });
    }
    const [l, b] = [make.definite([], 3, "float64").x, make.any([], 3, 2, "float64").x];
    expectGradients((x, y) => linalg.choleskySolve(x!, y!), [l, b]);
    expect(said(() => linalg.choleskySolve(b, b))).toBe(
      "choleskySolve takes square matrices, the last two axes of a tensor, but got shape [3, 2].",
    );
  });

  // A residual of 8 n^3.5 · ε · cond(a): Higham 2002, "Accuracy and Stability of Numerical Algorithms", 14.3.
  test.each(dtypes)("choleskyInverse of %s, by both factors", (dtype) => {
    for (const [batch, n] of [
      [[], 1],
      [[3], 6],
      [[2, 2], 70],
    ] as const) {
      const { x, matrices } = make.definite(batch, n, dtype);
      for (const upper of [false, true]) {
        const inverse = linalg.choleskyInverse(linalg.cholesky(x, { upper }), { upper });
        expect(inverse.dtype).toBe(dtype);
        matricesOf(inverse).forEach((found, at) => {
          expect(found).toEqual(flipped(found));
          const most = n ** 1.5 * n * bound(n, dtype) * size(matrices[at]!) * size(found);
          expectSmall(minus(times(matrices[at]!, found), unit(n)), most);
        });
      }
    }
    const l = linalg.cholesky(make.definite([2], 4, "float64").x);
    expectGradients((x) => linalg.choleskyInverse(x!), [l]);
    // What is above the diagonal counts for nothing, also for the gradient.
    expect(linalg.choleskyInverse(l.add(ones([4, 4], { device }).triu(1))).toArray()).toEqual(
      linalg.choleskyInverse(l).toArray(),
    );
    expect(linalg.choleskyInverse(zeros([0, 3, 3], { device })).shape).toEqual([0, 3, 3]);
    expect(said(() => linalg.choleskyInverse(ones([3, 2], { device })))).toBe(
      "choleskyInverse takes square matrices, the last two axes of a tensor, but got shape [3, 2].",
    );
    expect(
      said(() =>
        linalg
          .choleskyInverse(
            matrix([
              [2, 0],
              [1, 0],
            ]),
          )
          .toArray(),
      ),
    ).toBe(
      "The matrix that choleskyInverse was given is singular: its diagonal is 0 in row 1. Give it a factor that linalg.cholesky made.",
    );
  });

  test.each(dtypes)("a Kronecker product of %s multiplies and solves as what it stands for", (dtype) => {
    const [a, b] = [make.any([], 3, 4, dtype), make.any([], 5, 2, dtype)];
    const product = linalg.kronecker(a.x, b.x);
    const dense = matricesOf(product.toDense())[0]!;
    expect([product.shape, product.T.shape, String(product)]).toEqual([
      [15, 8],
      [8, 15],
      "KroneckerProduct([3, 4] ⊗ [5, 2])",
    ]);
    expect(dense).toEqual(matricesOf(linalg.kron(a.x, b.x))[0]);
    const { x, matrices } = make.any([], 8, 3, dtype);
    const wanted = times(dense, matrices[0]!);
    expectSmall(minus(matricesOf(product.matmul(x))[0]!, wanted), bound(8, dtype) * size(dense) * size(matrices[0]!));
    const first = x.slice(null, 0) as Tensor;
    expectSmall(
      minus([product.matmul(first).toArray() as number[]], [wanted.map((row) => row[0]!)]),
      bound(8, dtype) * 15 * size(dense) * size(matrices[0]!),
    );
    const { x: y, matrices: others } = make.any([], 15, 2, dtype);
    expectSmall(
      minus(matricesOf(product.T.matmul(y))[0]!, times(flipped(dense), others[0]!)),
      bound(15, dtype) * size(flipped(dense)) * size(others[0]!),
    );
    const [c, d] = [make.definite([], 3, dtype), make.definite([], 5, dtype)];
    const square = linalg.kronecker(c.x, d.x);
    const whole = matricesOf(square.toDense())[0]!;
    const solved = matricesOf(square.solve(y))[0]!;
    const most = bound(15, dtype) * 15 * (size(whole) * size(solved) + size(others[0]!));
    expectSmall(minus(times(whole, solved), others[0]!), most);
    expectGradients(
      (p, q, z) => linalg.kronecker(p!, q!).matmul(z!),
      [make.any([], 2, 3, "float64").x, make.any([], 2, 2, "float64").x, make.any([], 6, 1, "float64").x],
    );
    expect(said(() => linalg.kronecker(a.x, first))).toBe(
      "kronecker takes two matrices but got shapes [3, 4] and [8].",
    );
    expect(said(() => product.matmul(y))).toBe(
      "matmul of a KroneckerProduct with 8 columns takes a vector or a matrix with as many rows but got shape [15, 2].",
    );
    expect(said(() => product.solve(y))).toBe(
      "solve of a KroneckerProduct with 8 columns takes a vector or a matrix with as many rows but got shape [15, 2].",
    );
  });

  test("kron of vectors, matrices and tensors", () => {
    const [a, b] = [make.any([], 2, 3, "float64"), make.any([], 4, 2, "float64")];
    const found = linalg.kron(a.x, b.x).toArray() as number[][];
    found.forEach((row, i) =>
      row.forEach((each, j) =>
        expect(each).toBe(a.matrices[0]![Math.floor(i / 4)]![Math.floor(j / 2)]! * b.matrices[0]![i % 4]![j % 2]!),
      ),
    );
    expect([found.length, found[0]!.length]).toEqual([8, 6]);
    expect(linalg.kron(matrix([1, 2]), a.x).shape).toEqual([2, 6]);
    expect(linalg.kron(ones([0, 2], { device }), ones([3, 1], { device })).shape).toEqual([0, 2]);
  });
});
