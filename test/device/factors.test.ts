// LU factors, products of reflections, and systems of tensors on every device, against what defines them in float64.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { linalg, tensor, tensordot, zeros, type Tensor } from "../../native/lib/index.ts";
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
  triangle,
  unit,
  vectorsOf,
  type MatrixDType,
  type Rows,
} from "./matrices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const dtypes: readonly MatrixDType[] = ["float32", "float64"];
const sides = [
  [1, 1],
  [7, 7],
  [40, 40],
  [9, 4],
  [4, 9],
  [33, 1],
  [1, 5],
] as const;
const expectSmall = (difference: Rows, most: number) => expect(size(difference)).toBeLessThanOrEqual(most);

/** H₁ · H₂ · … for vectors below the diagonal of x, 1 on it. */
function reflectionsOf(x: Rows, scales: readonly number[]): number[][] {
  return scales.reduce((product, scale, at) => {
    const v = x.map((row, i) => (i < at ? 0 : i === at ? 1 : row[at]!));
    const reflection = unit(x.length).map((row, i) => row.map((each, j) => each - scale * v[i]! * v[j]!));
    return times(product, reflection);
  }, unit(x.length));
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const make = matrixMaker(random, device);
  const doubles = (list: unknown) => tensor(list as number[], { dtype: "float64", device }) as Tensor;

  test.each(
    dtypes.flatMap((dtype) => sides.map(([m, n]) => [dtype, m, n] as const)),
  )("lu of %s, %i × %i", (dtype, m, n) => {
    [[], [3], [2, 2]].forEach((batch, which) => {
      const { x, matrices } = make.any(batch, m, n, dtype, layouts[which]!);
      const count = Math.min(m, n);
      const { P, L, U } = linalg.lu(x);
      expect([P.shape, L.shape, U.shape]).toEqual([
        [...batch, m, m],
        [...batch, m, count],
        [...batch, count, n],
      ]);
      const { LU, pivots } = linalg.luFactor(x);
      expect([LU.shape, LU.dtype, pivots.shape, pivots.dtype]).toEqual([x.shape, dtype, [...batch, count], "int32"]);
      const [lower, upper, exchanges] = [matricesOf(L), matricesOf(U), vectorsOf(pivots)];
      matricesOf(P).forEach((p, at) => {
        const [l, u] = [lower[at]!, upper[at]!];
        // Elements of L are at most 1: rows were exchanged for that.
        expect(Math.max(...l.flat().map(Math.abs))).toBe(1);
        expect([triangle(l, false), triangle(u, true)]).toEqual([l, u]);
        expect(l.slice(0, count).every((row, i) => row[i] === 1)).toBe(true);
        expectSmall(minus(times(p, times(l, u)), matrices[at]!), bound(count, dtype) * size(l) * size(u));
        const rows = matrices[at]!.map((row) => [...row]);
        exchanges[at]!.forEach((pivot, i) => ([rows[i], rows[pivot - 1]] = [rows[pivot - 1]!, rows[i]!]));
        expect(times(flipped(p), matrices[at]!)).toEqual(rows);
      });
    });
  });

  test.each(dtypes)("luSolve of %s: both sides, vectors, batches that broadcast", (dtype) => {
    for (const n of [1, 6, 50]) {
      const { x: a, matrices } = make.definite([2], n, dtype);
      const { LU, pivots } = linalg.luFactor(a);
      const { x: b, matrices: right } = make.any([2], n, 3, dtype);
      for (const transposed of [false, true]) {
        matricesOf(linalg.luSolve(LU, pivots, b, { transposed })).forEach((x, at) => {
          const m = transposed ? flipped(matrices[at]!) : matrices[at]!;
          expectSmall(minus(times(m, x), right[at]!), bound(n, dtype) * n * size(m) * (1 + size(x)));
        });
      }
      const one = b.get(0, null, 0);
      expect(linalg.luSolve(LU.get(0), pivots.get(0), one).shape).toEqual([n]);
      expect(linalg.luSolve(LU, pivots, b.get(0)).shape).toEqual([2, n, 3]);
    }
  });

  test("lu of what is singular, empty, whole, or NaN", () => {
    const { LU } = linalg.luFactor(
      doubles([
        [1, 2],
        [2, 4],
      ]),
    );
    expect(LU.toArray()).toEqual([
      [2, 4],
      [0.5, 0],
    ]);
    expect(linalg.lu(zeros([0, 3], { device })).U.shape).toEqual([0, 3]);
    expect(linalg.lu(zeros([2, 3, 0], { device })).P.toArray()).toEqual([unit(3), unit(3)]);
    const whole = linalg.lu(
      tensor(
        [
          [2, 1],
          [4, 4],
        ],
        { dtype: "int32", device },
      ),
    );
    expect([whole.U.dtype, whole.U.toArray()]).toEqual([
      "float32",
      [
        [4, 4],
        [0, -1],
      ],
    ]);
    for (const shape of [
      [3, 3],
      [4, 2],
      [2, 4],
    ]) {
      const x = zeros(shape, { device, dtype: "float64" }).add(NaN);
      expect(linalg.luFactor(x).LU.diagonal().isnan().all().item()).toBe(true);
    }
  });

  test("products of reflections", () => {
    for (const [m, n] of [
      [1, 1],
      [5, 5],
      [6, 3],
      [20, 4],
    ] as const) {
      const { x, matrices } = make.any([2], m, n, "float64");
      const { x: t } = make.any([], 2, n, "float64");
      const scales = vectorsOf(t);
      const { x: y, matrices: right } = make.any([2], m, 2, "float64");
      const got = matricesOf(linalg.householderProduct(x, t));
      const reflected = [false, true].flatMap((transposed) => [
        matricesOf(linalg.ormqr(x, t, y, { transposed })),
        matricesOf(linalg.ormqr(x, t, y.swapAxes(-1, -2), { transposed, left: false })),
      ]);
      for (const at of [0, 1]) {
        const q = reflectionsOf(matrices[at]!, scales[at]!);
        // Each reflection is as large as 1 + |scale| · |v|².
        const grown = scales[at]!.reduce((most, scale) => most * (1 + Math.abs(scale) * (1 + m)), 1);
        const most = bound(m * n, "float64") * m * grown;
        expectSmall(
          minus(
            got[at]!,
            q.map((row) => row.slice(0, n)),
          ),
          most,
        );
        const wanted = [q, flipped(q)].flatMap((each) => [times(each, right[at]!), times(flipped(right[at]!), each)]);
        wanted.forEach((each, which) => expectSmall(minus(reflected[which]![at]!, each), most * size(right[at]!)));
      }
      expect(linalg.householderProduct(x, t.slice(null, [0, 0])).shape).toEqual([2, m, n]);
    }
  });

  test("systems and inverses of tensors", () => {
    const { x } = make.definite([], 12, "float64");
    const a = x.reshape([3, 4, 2, 6]);
    const inverse = linalg.tensorinv(a);
    expect(inverse.shape).toEqual([2, 6, 3, 4]);
    expectSmall(
      minus(matricesOf(tensordot(inverse, a, 2).reshape([12, 12]))[0]!, unit(12)),
      bound(12, "float64") * 200,
    );
    const b = doubles(Array.from({ length: 12 }, random)).reshape([3, 4]);
    const solved = linalg.tensorsolve(a, b);
    expect(solved.shape).toEqual([2, 6]);
    const wanted = b.flatten().toArray() as number[];
    expectSmall(minus([tensordot(a, solved, 2).flatten().toArray() as number[]], [wanted]), bound(12, "float64") * 200);
    const moved = linalg.tensorsolve(a.permute([2, 0, 1, 3]), b, { axes: [0, 3] });
    expectSmall(minus(matricesOf(moved)[0]!, matricesOf(solved)[0]!), bound(12, "float64") * 200);
  });

  test("inverses by Cholesky factors, and logarithms of determinants", () => {
    const { x, matrices } = make.definite([2], 5, "float64");
    for (const upper of [false, true])
      matricesOf(linalg.choleskyInverse(linalg.cholesky(x, { upper }), { upper })).forEach((inverse, at) =>
        expectSmall(minus(times(inverse, matrices[at]!), unit(5)), bound(5, "float64") * 100),
      );
    expect(
      linalg
        .logdet(
          doubles([
            [
              [2, 0],
              [0, 3],
            ],
            [
              [0, 1],
              [1, 0],
            ],
            [
              [1, 1],
              [1, 1],
            ],
          ]),
        )
        .toArray(),
    ).toEqual([expect.closeTo(Math.log(6), 14), NaN, -Infinity]);
  });

  test("gradients of all of them, and theirs", () => {
    const twice = { twice: true };
    const any = (...shape: number[]) => make.any(shape.slice(0, -2), shape.at(-2)!, shape.at(-1)!, "float64").x;
    /** No two candidates for a pivot are near each other. */
    const led = (m: number, n: number) =>
      any(2, m, n)
        .add(doubles(Array.from({ length: m * n }, (_, i) => (i % n === (i / n) >> 0 ? 4 : 0))).reshape([m, n]))
        .flip(-2) as Tensor;
    for (const [m, n] of [
      [3, 3],
      [4, 2],
      [2, 4],
    ] as const) {
      expectGradients((x) => linalg.luFactor(x!).LU, [led(m, n)], twice);
      expectGradients((x) => linalg.lu(x!).L.add(linalg.lu(x!).L.square()), [led(m, n)]);
      expectGradients((x) => linalg.lu(x!).U.sin(), [led(m, n)]);
    }
    const { pivots } = linalg.luFactor(led(3, 3));
    for (const transposed of [false, true])
      expectGradients(
        (a, b) => linalg.luSolve(linalg.luFactor(a!).LU, pivots, b!, { transposed }),
        [led(3, 3), any(2, 3, 2)],
        twice,
      );
    expectGradients((x, t) => linalg.householderProduct(x!, t!), [any(4, 3), any(1, 3).squeeze(0)], twice);
    expectGradients(
      (x, t, y) => linalg.ormqr(x!, t!, y!, { transposed: true }),
      [any(4, 2), any(1, 2).squeeze(0), any(4, 2)],
    );
    expectGradients((x) => linalg.choleskyInverse(x!), [led(3, 3).flip(-2) as Tensor], twice);
    expectGradients((x) => linalg.logdet(x!.matmul(x!.swapAxes(-1, -2))), [led(3, 3)], twice);
    expectGradients((x) => linalg.tensorinv(x!.reshape([2, 2, 4])), [make.definite([], 4, "float64").x], twice);
  });

  test.each<[() => unknown, string]>([
    [
      () => linalg.luSolve(zeros([3, 3], { device }), zeros([2], { dtype: "int32", device }), zeros([3], { device })),
      "luSolve takes LU and pivots as linalg.luFactor gives them, int32 of shape [3], but got int32 of shape [2].",
    ],
    [
      () => linalg.householderProduct(zeros([2, 3], { device }), zeros([2], { device })),
      "householderProduct takes vectors of reflections [B…, m, n] with m ≥ n and up to n scales [B…, k] but got shapes [2, 3] and [2].",
    ],
    [
      () => linalg.ormqr(zeros([3, 2], { device }), zeros([2], { device }), zeros([2, 3], { device })),
      "ormqr takes y with as many rows as there are in x, and its batch, but got shapes [3, 2] and [2, 3].",
    ],
    [
      () => linalg.tensorinv(zeros([2, 3, 4], { device })),
      "tensorinv takes a tensor whose first 2 sizes have the product of the others but got shape [2, 3, 4].",
    ],
    [
      () => linalg.tensorsolve(zeros([2, 3], { device }), zeros([2], { device })),
      "tensorsolve takes a tensor that begins with the axes of b and goes on with as many elements, but got shapes [2, 3] and [2].",
    ],
  ])("what they refuse: %#", (run, sentence) => {
    expect(run).toThrow(sentence);
  });
});
