// Linear algebra of complex matrices on every device: what factors multiply to, and which equations hold, against
// products in float64.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { linalg, tensor, zeros, type Complex, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison, rounded } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const dtypes = ["complex64", "complex128"] as const;
type ComplexName = (typeof dtypes)[number];
const partOf = { complex64: "float32", complex128: "float64" } as const;
const epsilon = { complex64: 2 ** -23, complex128: 2 ** -52 };

/** Row-major. */
interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly at: readonly Complex[];
}
const of = (re: number, im = 0): Complex => ({ re, im });
const plus = (a: Complex, b: Complex) => of(a.re + b.re, a.im + b.im);
const times = (a: Complex, b: Complex) => of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
const size = (a: Complex) => Math.hypot(a.re, a.im);
const make = (rows: number, columns: number, entry: (i: number, j: number) => Complex): Matrix => ({
  rows,
  columns,
  at: Array.from({ length: rows * columns }, (_, at) => entry(Math.floor(at / columns), at % columns)),
});
const entry = (m: Matrix, i: number, j: number) => m.at[i * m.columns + j]!;
const transpose = (m: Matrix) => make(m.columns, m.rows, (i, j) => entry(m, j, i));
const adjoint = (m: Matrix) => make(m.columns, m.rows, (i, j) => of(entry(m, j, i).re, -entry(m, j, i).im));
const product = (...factors: readonly Matrix[]): Matrix =>
  factors.reduce((a, b) =>
    make(a.rows, b.columns, (i, j) => {
      let sum = of(0);
      for (let k = 0; k < a.columns; k++) sum = plus(sum, times(entry(a, i, k), entry(b, k, j)));
      return sum;
    }),
  );
const difference = (a: Matrix, b: Matrix) =>
  make(a.rows, a.columns, (i, j) => plus(entry(a, i, j), times(of(-1), entry(b, i, j))));
const unit = (rows: number, columns = rows) => make(rows, columns, (i, j) => of(i === j ? 1 : 0));
const norm = (m: Matrix) => Math.hypot(...m.at.map(size));
const diagonal = (values: readonly (number | Complex)[]) =>
  make(values.length, values.length, (i, j) =>
    i !== j ? of(0) : typeof values[i] === "number" ? of(values[i]) : (values[i] as Complex),
  );

/** By elimination with the largest pivots. */
function determinant(m: Matrix): Complex {
  const rows = Array.from({ length: m.rows }, (_, i) => m.at.slice(i * m.columns, (i + 1) * m.columns));
  let found = of(1);
  for (let k = 0; k < rows.length; k++) {
    const best = rows.reduce((most, row, i) => (i >= k && size(row[k]!) > size(rows[most]![k]!) ? i : most), k);
    if (best !== k) found = times(found, of(-1));
    [rows[k], rows[best]] = [rows[best]!, rows[k]!];
    const pivot = rows[k]![k]!;
    found = times(found, pivot);
    const over = of(pivot.re / size(pivot) ** 2, -pivot.im / size(pivot) ** 2);
    for (let i = k + 1; i < rows.length; i++) {
      const factor = times(rows[i]![k]!, over);
      rows[i] = rows[i]!.map((value, j) => plus(value, times(of(-1), times(factor, rows[k]![j]!))));
    }
  }
  return found;
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const matrixOf = (x: Tensor): Matrix => {
    const [rows, columns] = x.shape.slice(-2) as [number, number];
    const at = ([x.reshape([-1]).toArray()].flat() as (Complex | number)[]).map((value) =>
      typeof value === "number" ? of(value) : value,
    );
    return { rows, columns, at };
  };
  const values = (x: Tensor) => [x.reshape([-1]).toArray()].flat() as number[];
  const put = (m: Matrix, dtype: ComplexName): Tensor =>
    tensor([...m.at], { dtype, device }).reshape([m.rows, m.columns]) as Tensor;

  /** Random matrices that the dtype holds exactly. */
  function sample(rows: number, columns: number, dtype: ComplexName): Matrix {
    const part = () => rounded(2 * random() - 1, partOf[dtype]);
    poison(device, 2 * rows * columns);
    return make(rows, columns, () => of(part(), part()));
  }
  /** m · mᴴ + n, rounded, and Hermitian to the bit. */
  function positive(n: number, dtype: ComplexName): Matrix {
    const m = sample(n, n, dtype);
    const whole = product(m, adjoint(m));
    const round = (value: number) => rounded(value, partOf[dtype]);
    const half = make(n, n, (i, j) =>
      i < j ? of(0) : of(round(entry(whole, i, j).re + (i === j ? n : 0)), i === j ? 0 : round(entry(whole, i, j).im)),
    );
    return make(n, n, (i, j) => (i >= j ? entry(half, i, j) : of(entry(half, j, i).re, -entry(half, j, i).im)));
  }
  /** Of a size of n · ε, times that of the terms. */
  const near = (got: Matrix, wanted: Matrix, dtype: ComplexName, terms: number, word = "") => {
    expect([got.rows, got.columns], word).toEqual([wanted.rows, wanted.columns]);
    const bound = 16 * Math.max(got.rows, got.columns, 4) * epsilon[dtype] * terms;
    expect(norm(difference(got, wanted)), word).toBeLessThanOrEqual(bound);
  };
  const orthonormal = (columns: Matrix, dtype: ComplexName) =>
    near(product(adjoint(columns), columns), unit(columns.columns), dtype, Math.sqrt(columns.columns), "orthonormal");

  describe.each(dtypes)("%s", (dtype) => {
    test.each([1, 2, 7, 40])("Cholesky's factors of %i rows, and what they solve", (n) => {
      const a = positive(n, dtype);
      // What is above the diagonal is not looked at, or with `upper` what is below.
      const half = (isLower: boolean) =>
        put(
          make(n, n, (i, j) => ((isLower ? i < j : i > j) ? of(NaN, NaN) : entry(a, i, j))),
          dtype,
        );
      const [l, u] = [linalg.cholesky(half(true)), linalg.cholesky(half(false), { upper: true })];
      near(product(matrixOf(l), adjoint(matrixOf(l))), a, dtype, norm(a));
      near(product(adjoint(matrixOf(u)), matrixOf(u)), a, dtype, norm(a));
      for (const factor of [l, u]) {
        const diagonals = Array.from({ length: n }, (_, i) => entry(matrixOf(factor), i, i));
        expect(diagonals.every(({ re, im }) => re > 0 && im === 0)).toBe(true);
      }
      const b = sample(n, 3, dtype);
      for (const [factor, upper] of [
        [l, false],
        [u, true],
      ] as const) {
        const x = matrixOf(linalg.choleskySolve(factor, put(b, dtype), { upper }));
        near(product(a, x), b, dtype, 8 * norm(a) * norm(x), "choleskySolve");
        const inverse = matrixOf(linalg.choleskyInverse(factor, { upper }));
        near(product(a, inverse), unit(n), dtype, 8 * norm(a) * norm(inverse), "choleskyInverse");
        near(inverse, adjoint(inverse), dtype, 0);
      }
    });

    test.each([1, 2, 7, 40])("systems, inverses and determinants of %i rows", (n) => {
      const a = sample(n, n, dtype);
      const x = put(a, dtype);
      const b = sample(n, 3, dtype);
      const found = matrixOf(linalg.solve(x, put(b, dtype)));
      near(product(a, found), b, dtype, 8 * norm(a) * norm(found));
      const vector = linalg.solve(x, put(b, dtype).slice(null, 0));
      expect(vector.shape).toEqual([n]);
      near(
        product(a, matrixOf(vector.unsqueeze(-1))),
        make(n, 1, (i) => entry(b, i, 0)),
        dtype,
        8 * norm(a) * norm(found),
      );
      const inverse = matrixOf(linalg.inv(x));
      near(product(a, inverse), unit(n), dtype, 8 * norm(a) * norm(inverse));
      const cube = matrixOf(linalg.matrixPower(x, -3));
      near(product(a, a, a, cube), unit(n), dtype, 64 * norm(a) ** 3 * norm(inverse) ** 3);

      // A determinant is as wrong as a change of a by roundings makes it: det · a⁻¹ · da.
      const wanted = determinant(a);
      const limit = 16 * n * epsilon[dtype] * norm(a) * norm(inverse);
      const det = linalg.det(x).item() as unknown as Complex;
      expect(size(plus(det, times(of(-1), wanted)))).toBeLessThanOrEqual(limit * size(wanted));
      const { sign, logabsdet } = linalg.slogdet(x);
      expect([sign.dtype, logabsdet.dtype]).toEqual([dtype, partOf[dtype]]);
      const turn = sign.item() as unknown as Complex;
      expect(Math.abs(size(turn) - 1)).toBeLessThan(4 * epsilon[dtype]);
      const log = Math.log(size(wanted));
      expect(Math.abs(Number(logabsdet.item()) - log)).toBeLessThanOrEqual(limit + 2 * epsilon[dtype] * Math.abs(log));
      const unturned = times(wanted, of(1 / size(wanted)));
      expect(size(plus(turn, times(of(-1), unturned)))).toBeLessThanOrEqual(limit + 4 * epsilon[dtype]);
      const whole = linalg.logdet(x).item() as unknown as Complex;
      expect(whole.re).toBe(Number(logabsdet.item()));
      expect(Math.abs(whole.im - Math.atan2(turn.im, turn.re))).toBeLessThan(8 * epsilon[dtype]);
    });

    test.each([
      [5, 5],
      [9, 4],
      [4, 9],
      [40, 40],
    ])("factors of %i × %i matrices", (m, n) => {
      const a = sample(m, n, dtype);
      const x = put(a, dtype);
      const { P, L, U } = linalg.lu(x);
      near(product(matrixOf(P), matrixOf(L), matrixOf(U)), a, dtype, norm(matrixOf(L)) * norm(matrixOf(U)), "lu");
      for (const mode of ["reduced", "complete"] as const) {
        const { Q, R } = linalg.qr(x, { mode });
        const [q, r] = [matrixOf(Q), matrixOf(R)];
        near(product(q, r), a, dtype, norm(a), "qr");
        orthonormal(q, dtype);
        expect(r.at.every((value, at) => Math.floor(at / n) <= at % n || size(value) === 0)).toBe(true);
      }
      near(matrixOf(linalg.qr(x, { mode: "r" }).R), matrixOf(linalg.qr(x).R), dtype, norm(a));
      for (const fullMatrices of [false, true]) {
        const found = linalg.svd(x, { fullMatrices });
        const [u, s, vh] = [matrixOf(found.U), values(found.S), matrixOf(found.Vh)];
        expect(found.S.dtype).toBe(partOf[dtype]);
        orthonormal(u, dtype);
        orthonormal(adjoint(vh), dtype);
        expect(s).toEqual(s.toSorted((p, q) => q - p));
        const between = make(u.columns, vh.rows, (i, j) => of(i === j ? s[i]! : 0));
        near(product(u, between, vh), a, dtype, norm(a), "svd");
        values(linalg.svdvals(x)).forEach((value, at) =>
          expect(Math.abs(value - s[at]!)).toBeLessThanOrEqual(64 * epsilon[dtype] * norm(a)),
        );
        // As far as singular values of two computations may be apart.
        const apart = 64 * epsilon[dtype] * norm(a);
        const nuclear = Number(linalg.norm(x, { ord: "nuc" }).item()) - s.reduce((p, q) => p + q);
        expect(Math.abs(nuclear)).toBeLessThanOrEqual(s.length * apart);
        expect(Math.abs(Number(linalg.matrixNorm(x, { ord: 2 }).item()) - s[0]!)).toBeLessThanOrEqual(apart);
      }
    });

    test.each([1, 2, 6, 35])("eigenvalues and eigenvectors of %i rows", (n) => {
      const m = sample(n, n, dtype);
      const a = make(n, n, (i, j) =>
        i === j ? of(entry(m, i, i).re) : i > j ? entry(m, i, j) : of(entry(m, j, i).re, -entry(m, j, i).im),
      );
      for (const upper of [false, true]) {
        const half = make(n, n, (i, j) => ((upper ? i > j : i < j) ? of(NaN, NaN) : entry(a, i, j)));
        const { eigenvalues, eigenvectors } = linalg.eigh(put(half, dtype), { upper });
        const [w, v] = [values(eigenvalues), matrixOf(eigenvectors)];
        expect([eigenvalues.dtype, eigenvectors.dtype]).toEqual([partOf[dtype], dtype]);
        orthonormal(v, dtype);
        expect(w).toEqual(w.toSorted((p, q) => p - q));
        near(product(a, v), product(v, diagonal(w)), dtype, norm(a), "eigh");
        values(linalg.eigvalsh(put(half, dtype), { upper })).forEach((value, at) =>
          expect(Math.abs(value - w[at]!)).toBeLessThanOrEqual(64 * epsilon[dtype] * norm(a)),
        );
      }
      const { eigenvalues, eigenvectors } = linalg.eig(put(m, dtype));
      const v = matrixOf(eigenvectors);
      const w = matrixOf(eigenvalues.unsqueeze(-1)).at;
      near(product(m, v), product(v, diagonal(w)), dtype, 4 * norm(m) * norm(v), "eig");
      for (let j = 0; j < n; j++)
        expect(Math.abs(Math.hypot(...Array.from({ length: n }, (_, i) => size(entry(v, i, j)))) - 1)).toBeLessThan(
          16 * n * epsilon[dtype],
        );
      // Without vectors: of the same trace, and each near one of those.
      const alone = matrixOf(linalg.eigvals(put(m, dtype)).unsqueeze(-1)).at;
      const far = alone.filter(
        (value) => !w.some((other) => size(plus(value, times(of(-1), other))) < Math.sqrt(epsilon[dtype]) * norm(m)),
      );
      expect(far).toEqual([]);
    });

    test("pseudo-inverses, least squares and ranks", () => {
      for (const [m, n, rank] of [
        [6, 4, 4],
        [4, 6, 4],
        [7, 5, 3],
      ] as const) {
        const a = product(sample(m, rank, dtype), sample(rank, n, dtype));
        const x = put(a, dtype);
        const held = matrixOf(x);
        const rtol = 1e-4;
        const p = matrixOf(linalg.pinv(x, { rtol }));
        const terms = 64 * norm(held) * norm(p);
        near(product(held, p, held), held, dtype, terms * norm(held));
        near(product(p, held, p), p, dtype, terms * norm(p));
        for (const both of [product(held, p), product(p, held)])
          near(both, adjoint(both), dtype, terms * norm(p) * norm(held));
        expect(linalg.matrixRank(x, { rtol }).item()).toBe(rank);
        const b = sample(m, 2, dtype);
        const { solution, residuals, singularValues } = linalg.lstsq(x, put(b, dtype), { rcond: rtol });
        const left = difference(product(held, matrixOf(solution)), b);
        near(
          product(adjoint(held), left),
          make(n, 2, () => of(0)),
          dtype,
          terms * norm(held) * (norm(b) + norm(left)),
        );
        expect([residuals.dtype, singularValues.dtype]).toEqual([partOf[dtype], partOf[dtype]]);
        expect(Number(residuals.sum().item())).toBeCloseTo(norm(left) ** 2, 3);
      }
      const whole = positive(4, dtype);
      const lower = put(
        make(4, 4, (i, j) => (i < j ? of(9, 9) : entry(whole, i, j))),
        dtype,
      );
      near(product(whole, matrixOf(linalg.pinv(lower, { hermitian: true }))), unit(4), dtype, 64 * norm(whole));
      expect(linalg.matrixRank(lower, { hermitian: true }).item()).toBe(4);
    });

    test("triangles, and factors that are given, as they stand, transposed or adjoint", () => {
      const n = 6;
      const m = sample(n, n, dtype);
      const b = sample(n, 2, dtype);
      for (const upper of [false, true])
        for (const transposed of [false, true])
          for (const unitriangular of [false, true]) {
            const a = make(n, n, (i, j) =>
              i === j
                ? unitriangular
                  ? of(1)
                  : plus(entry(m, i, i), of(4))
                : (upper ? i < j : i > j)
                  ? entry(m, i, j)
                  : of(0),
            );
            const given = make(n, n, (i, j) =>
              (upper ? i > j : i < j) ? of(NaN) : i === j && unitriangular ? of(7) : entry(a, i, j),
            );
            const x = matrixOf(
              linalg.solveTriangular(put(given, dtype), put(b, dtype), { upper, transposed, unitriangular }),
            );
            near(product(transposed ? transpose(a) : a, x), b, dtype, 64 * norm(a) * norm(x));
          }
      const { LU, pivots } = linalg.luFactor(put(m, dtype));
      for (const [options, a] of [
        [{}, m],
        [{ transposed: true }, transpose(m)],
        [{ adjoint: true }, adjoint(m)],
      ] as const) {
        const x = matrixOf(linalg.luSolve(LU, pivots, put(b, dtype), options));
        near(product(a, x), b, dtype, 64 * norm(m) * norm(x));
      }
    });

    test.each([
      [6, 6],
      [7, 3],
      [1, 1],
    ])("reflections that a %i × %i matrix leaves", (m, n) => {
      const a = sample(m, n, dtype);
      const { reflections, scales } = linalg.geqrf(put(a, dtype));
      const q = matrixOf(linalg.householderProduct(reflections, scales));
      orthonormal(q, dtype);
      const r = matrixOf(reflections.slice([0, n]).triu() as Tensor);
      near(product(q, r), a, dtype, 4 * norm(a));
      near(q, matrixOf(linalg.qr(put(a, dtype)).Q), dtype, 4 * Math.sqrt(n));
      // All m columns of Q, by what it makes of the unit matrix.
      const one = put(unit(m), dtype);
      const whole = matrixOf(linalg.ormqr(reflections, scales, one));
      orthonormal(whole, dtype);
      for (const [options, wanted] of [
        [{ transposed: true }, adjoint(whole)],
        [{ left: false }, whole],
        [{ left: false, transposed: true }, adjoint(whole)],
      ] as const)
        near(matrixOf(linalg.ormqr(reflections, scales, one, options)), wanted, dtype, 4 * Math.sqrt(m));
    });

    test("a matrix of low rank by random combinations of its columns", () => {
      const a = product(sample(30, 4, dtype), sample(4, 20, dtype));
      const x = put(a, dtype);
      const { U, S, Vh } = linalg.svdLowrank(x, { rank: 6, seed: 1 });
      orthonormal(matrixOf(U), dtype);
      orthonormal(adjoint(matrixOf(Vh)), dtype);
      near(product(matrixOf(U), diagonal(values(S)), matrixOf(Vh)), a, dtype, 8 * norm(a));
      values(S).forEach((value, at) =>
        expect(Math.abs(value - values(linalg.svdvals(x))[at]!)).toBeLessThanOrEqual(256 * epsilon[dtype] * norm(a)),
      );
    });

    test("batches, broadcast ones and those without elements", () => {
      const [first, second] = [sample(3, 3, dtype), sample(3, 3, dtype)];
      const x = tensor([...first.at, ...second.at], { dtype, device }).reshape([2, 1, 3, 3]) as Tensor;
      const b = sample(3, 2, dtype);
      const sides = put(b, dtype).expand([2, 3, 3, 2]);
      const found = linalg.solve(x, sides as Tensor);
      expect(found.shape).toEqual([2, 3, 3, 2]);
      [first, second].forEach((a, which) => {
        const y = matrixOf(found.slice(which, 2));
        near(product(a, y), b, dtype, 8 * norm(a) * norm(y));
      });
      const [inverses, dets] = [linalg.inv(x), linalg.det(x)];
      expect([inverses.shape, dets.shape]).toEqual([
        [2, 1, 3, 3],
        [2, 1],
      ]);
      const { U, S, Vh } = linalg.svd(x);
      expect([U.shape, S.shape, Vh.shape]).toEqual([
        [2, 1, 3, 3],
        [2, 1, 3],
        [2, 1, 3, 3],
      ]);
      const back = U.mul(S.unsqueeze(-2)).matmul(Vh);
      near(matrixOf(back.slice(1, 0)), second, dtype, 8 * norm(second));
      const none = zeros([0, 3, 3], { dtype, device });
      expect([linalg.inv(none).shape, linalg.det(none).shape, linalg.eig(none).eigenvectors.shape]).toEqual([
        [0, 3, 3],
        [0],
        [0, 3, 3],
      ]);
      const empty = zeros([2, 0, 0], { dtype, device });
      expect(linalg.det(empty).toArray()).toEqual([of(1), of(1)]);
      expect([linalg.inv(empty).shape, linalg.slogdet(empty).logabsdet.toArray()]).toEqual([
        [2, 0, 0],
        [0, 0],
      ]);
    });

    test("exponentials and polar parts", () => {
      const h = positive(4, dtype);
      const turned = put(h, dtype).mul(tensor(of(0, 0.3), { dtype, device }) as Tensor) as Tensor;
      // e^(iH) is unitary, and the product of those of halves.
      const whole = matrixOf(linalg.matrixExp(turned));
      orthonormal(whole, dtype);
      const half = matrixOf(linalg.matrixExp(turned.mul(0.5)));
      near(product(half, half), whole, dtype, 64 * norm(h));
      const a = sample(5, 3, dtype);
      const { U, P } = linalg.polar(put(a, dtype));
      orthonormal(matrixOf(U), dtype);
      near(product(matrixOf(U), matrixOf(P)), a, dtype, 8 * norm(a));
      near(matrixOf(P), adjoint(matrixOf(P)), dtype, 8 * norm(a));
    });

    test("what is said of a matrix without a result", () => {
      const singular = tensor([of(1), of(0, 1), of(0, 1), of(-1)], { dtype, device }).reshape([2, 2]) as Tensor;
      expect(linalg.det(singular).item()).toEqual(of(0));
      expect(linalg.slogdet(singular).logabsdet.item()).toBe(-Infinity);
      expect(() => linalg.inv(singular).toArray()).toThrow("that inv was given is singular");
      expect(() => linalg.solve(singular, singular).toArray()).toThrow("that solve was given is singular");
      expect(() => linalg.cholesky(singular.mul(-1)).toArray()).toThrow("is not positive definite");
    });
  });

  test("bounds of ranks and pseudo-inverses that are tensors, one for each matrix", () => {
    const x = tensor([2, 0, 0, 1e-3, 2, 0, 0, 1e-3], { dtype: "float64", device }).reshape([2, 2, 2]) as Tensor;
    const rtol = tensor([1e-2, 1e-6], { device });
    expect(linalg.matrixRank(x, { rtol }).toArray()).toEqual([1n, 2n]);
    expect(linalg.matrixRank(x, { atol: tensor([1e-6, 1e-2], { device }) }).toArray()).toEqual([2n, 1n]);
    expect(linalg.matrixRank(x, { rtol: tensor(1e-2, { device }) }).toArray()).toEqual([1n, 1n]);
    expect(linalg.pinv(x, { rtol }).toArray()).toEqual([
      [
        [0.5, 0],
        [0, 0],
      ],
      [
        [0.5, 0],
        [0, 1000],
      ],
    ]);
    expect(() => linalg.matrixRank(x, { rtol: tensor([1, 2, 3], { device }) })).toThrow(
      "matrixRank takes a bound for each matrix, real numbers of shape [2], but got float32 of shape [3].",
    );
    expect(() => linalg.pinv(x, { rtol: tensor([of(1), of(1)], { device }) as Tensor })).toThrow(
      "pinv takes a bound for each matrix, real numbers of shape [2], but got complex64 of shape [2].",
    );
  });

  const z = zeros([2, 2], { dtype: "complex64", device }) as Tensor;
  test.each<[() => unknown, string]>([
    [() => linalg.symmetricPower(z), "symmetricPower takes matrices of real numbers but got complex64"],
  ])("a sentence for what does not take them %#", (act, sentence) => {
    expect(act).toThrow(sentence);
  });
});
