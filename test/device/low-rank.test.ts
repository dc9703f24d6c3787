// The largest singular values by random combinations of columns, on every device: of matrices whose singular values are
// known, in float64.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { Generator, linalg, tensor, zeros, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { poison } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
type Rows = number[][];
const times = (a: Rows, b: Rows): Rows =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((sum, value, k) => sum + value * b[k]![j]!, 0)));
const flipped = (a: Rows): Rows => a[0]!.map((_, j) => a.map((row) => row[j]!));
const size = (a: Rows) => Math.hypot(...a.flat());
const minus = (a: Rows, b: Rows): Rows => a.map((row, i) => row.map((value, j) => value - b[i]![j]!));
const made = (rows: number, columns: number): Rows =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, () => 2 * random() - 1));
/** Columns at right angles, of length 1 (Gram and Schmidt, twice). */
function orthonormal(rows: number, count: number): Rows {
  const found: Rows = [];
  for (const given of made(count, rows)) {
    let column = given;
    for (let pass = 0; pass < 2; pass++)
      for (const other of found) {
        const along = column.reduce((sum, value, at) => sum + value * other[at]!, 0);
        column = column.map((value, at) => value - along * other[at]!);
      }
    const length = Math.hypot(...column);
    found.push(column.map((value) => value / length));
  }
  return flipped(found);
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const put = (a: Rows): Tensor => {
    poison(device, a.length * a[0]!.length);
    return tensor(a, { dtype: "float64", device }) as Tensor;
  };
  const rowsOf = (x: Tensor) => x.toArray() as Rows;

  test.each([
    [40, 25],
    [25, 40],
    [9, 9],
  ])("%i × %i matrices whose singular values fall off", (m, n) => {
    const s = Array.from({ length: Math.min(m, n) }, (_, at) => 2 ** (-2 * at));
    const [u, v] = [orthonormal(m, s.length), orthonormal(n, s.length)];
    const a = times(
      u.map((row) => row.map((value, at) => value * s[at]!)),
      flipped(v),
    );
    const { U, S, Vh } = linalg.svdLowrank(put(a), { rank: 6, seed: Math.floor(random() * 2 ** 32) });
    expect([U.shape, S.shape, Vh.shape]).toEqual([[m, 6], [6], [6, n]]);
    const [gotU, gotS, gotV] = [rowsOf(U), S.toArray() as number[], rowsOf(Vh)];
    for (const columns of [gotU, flipped(gotV)]) {
      const gram = times(flipped(columns), columns);
      expect(
        size(
          minus(
            gram,
            gram.map((row, i) => row.map((_, j) => (i === j ? 1 : 0))),
          ),
        ),
      ).toBeLessThan(1e-13);
    }
    // The span is C · (s₇ / sᵢ)⁵ wrong and a value the square of that, where C, the random numbers' own, is beyond 1e6
    // once in a million times (Halko, Martinsson and Tropp 2011, theorems 9.1, 9.2 and 10.8); the rest are roundings.
    gotS
      .slice(0, 4)
      .forEach((value, at) =>
        expect(Math.abs(value / s[at]! - 1)).toBeLessThan(1e12 * (s[6]! / s[at]!) ** 10 + 1e-13 / s[at]!),
      );
    const back = times(
      gotU.map((row) => row.map((value, at) => value * gotS[at]!)),
      gotV,
    );
    // (1 + C²)^(1/10) times the first that is left out, in each of at most 25 directions.
    expect(size(minus(back, a))).toBeLessThan(16 * 5 * s[6]!);
  });

  test("principal components, of points and of points about 0", () => {
    const direction = [0.6, 0.8];
    const points = Array.from({ length: 12 }, () => 4 * random() - 2).map((t) =>
      direction.map((d, at) => t * d + 5 + at),
    );
    const mean = [0, 1].map((at) => points.reduce((sum, point) => sum + point[at]!, 0) / points.length);
    const centred = points.map((point) => point.map((value, at) => value - mean[at]!));
    const { S, Vh } = linalg.pcaLowrank(put(points), { rank: 1 });
    expect(Math.abs(Number(S.item()) - size(centred))).toBeLessThan(1e-12 * size(points));
    const along = rowsOf(Vh)[0]!;
    expect(Math.abs(along[0]! * direction[0]! + along[1]! * direction[1]!)).toBeCloseTo(1, 10);
    expect(
      Math.abs(Number(linalg.pcaLowrank(put(centred), { rank: 1, center: false }).S.item()) - size(centred)),
    ).toBeLessThan(1e-12 * size(points));
  });

  test("batches, the default rank, seeds and PyTorch's names", () => {
    const x = put(made(12, 30)).reshape([3, 4, 30]) as Tensor;
    expect([linalg.svdLowrank(x).S.shape, linalg.svdLowrank(put(made(9, 9))).S.shape]).toEqual([[3, 4], [6]]);
    const wide = put(made(20, 20));
    const [first, second] = [7, 7].map((seed) => linalg.svdLowrank(wide, { rank: 2, iterations: 0, seed }).S.toArray());
    expect(first).toEqual(second);
    const [generator, other] = [new Generator(7), new Generator(7)];
    const drawn = linalg.svdLowrank(wide, { rank: 2, iterations: 0, generator }).S.toArray();
    expect(linalg.svdLowrank(wide, { q: 2, niter: 0, generator: other } as never).S.toArray()).toEqual(drawn);
    expect(linalg.svdLowrank(wide, { rank: 2, iterations: 0, generator }).S.toArray()).not.toEqual(drawn);
    expect(
      linalg.svdLowrank(
        tensor(
          [
            [2, 0],
            [0, 1],
          ],
          { dtype: "int32", device },
        ),
      ).S.dtype,
    ).toBe("float32");
  });

  test("gradients of what is left of a matrix of full rank", () => {
    expectGradients(
      (x) => {
        const { U, S, Vh } = linalg.svdLowrank(
          x!.add(
            tensor(
              [
                [0, 0, 0],
                [0, 4, 0],
                [0, 0, 9],
                [0, 0, 0],
              ],
              { dtype: "float64", device },
            ),
          ) as Tensor,
          {
            rank: 3,
            seed: 3,
          },
        );
        return U.mul(S.square().unsqueeze(-2)).matmul(Vh) as Tensor;
      },
      [{ shape: [4, 3] }],
      device,
    );
  });

  test("what is said of ranks and shapes that there are not", () => {
    const x = zeros([3, 5], { device }) as Tensor;
    expect(() => linalg.svdLowrank(x, { rank: 4 })).toThrow(
      "svdLowrank takes a rank of up to 3 for matrices of shape [3, 5] but got 4.",
    );
    expect(() => linalg.pcaLowrank(x, { rank: 6 })).toThrow("pcaLowrank takes a rank of up to 3");
    expect(() => linalg.pcaLowrank(x.slice(0) as Tensor)).toThrow("pcaLowrank takes matrices");
    expect(() => linalg.geqrf(x.slice(0) as Tensor)).toThrow("geqrf takes matrices");
  });
});
