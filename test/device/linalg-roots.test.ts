// Powers of symmetric matrices, orthogonalisation and polar factors on every device, by what defines them.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { eye, linalg, tensor, zeros, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { flipped, matricesOf, matrixMaker, minus, size, times, unit, type Rows } from "./matrices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const expectSmall = (difference: Rows, most: number) => expect(size(difference)).toBeLessThanOrEqual(most);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const make = matrixMaker(random, device);
  const matrix = (list: unknown) => tensor(list as number[], { dtype: "float64", device }) as Tensor;

  test.each(["eigen", "newton"] as const)("inverse fourth roots by %s: R⁴ · (x + eps) is the unit matrix", (method) => {
    for (const batch of [[], [3]])
      for (const dtype of ["float32", "float64"] as const) {
        const { x, matrices } = make.definite(batch, 20, dtype);
        const scaled = x.div(20) as Tensor;
        matricesOf(linalg.symmetricPower(scaled, { method })).forEach((r, at) => {
          const square = times(r, r);
          const shifted = matrices[at]!.map((row, i) => row.map((each, j) => each / 20 + (i === j ? 1e-8 : 0)));
          const whole = times(times(square, square), shifted);
          expectSmall(minus(whole, unit(20)), dtype === "float32" ? 1e-3 : 1e-9);
          expectSmall(minus(r, flipped(r)), dtype === "float32" ? 1e-4 : 1e-11);
        });
      }
  });

  test.each([-1, -1 / 2, -1 / 3])("power %f: both methods agree", (power) => {
    const { x } = make.definite([2], 6, "float64");
    const [eigen, newton] = (["eigen", "newton"] as const).map((method) => linalg.symmetricPower(x, { power, method }));
    expect(Number(eigen!.sub(newton!).abs().max().item())).toBeLessThan(1e-11);
  });

  test("powers of what has eigenvalues of 0 and below", () => {
    const diagonal = (...list: number[]) => matrix(list).diag() as Tensor;
    const near = (got: Tensor, wanted: readonly number[]) =>
      got
        .diagonal()
        .toArray()
        .forEach((each, at) => expect(Math.abs(Number(each) / wanted[at]! - 1)).toBeLessThan(1e-9));
    near(linalg.symmetricPower(diagonal(0, 1, 16), { eps: 1e-4 }), [10, 1.0001 ** -0.25, 16.0001 ** -0.25]);
    near(linalg.symmetricPower(diagonal(-1, 4), { power: -0.5 }), [10000, (4 + 1e-8) ** -0.5]);
    near(linalg.symmetricPower(zeros([3, 3], { dtype: "float64", device })), [100, 100, 100]);
    near(linalg.symmetricPower(diagonal(2, 3), { power: 0 }), [1, 1]);
    near(linalg.symmetricPower(diagonal(2, 3), { power: 1, eps: 0 }), [2, 3]);
    expect(linalg.symmetricPower(zeros([0, 0], { device }), { method: "newton" }).shape).toEqual([0, 0]);
    expect(() => linalg.symmetricPower(diagonal(-1, 4), { method: "newton" })).toThrow(
      'A matrix that symmetricPower was given has no root after 100 iterations: it is not positive definite, or holds NaN. Give a larger eps, or use { method: "eigen" }.',
    );
    expect(() => linalg.symmetricPower(eye(2, { device }), { power: -0.3, method: "newton" })).toThrow(
      'symmetricPower by "newton" takes a power of -1, -1/2, -1/3, … but got -0.3: use { method: "eigen" }.',
    );
  });

  test("gradients of symmetricPower and polar", () => {
    const { x } = make.definite([], 3, "float64");
    const symmetric = (a: Tensor) => a.add(a.swapAxes(-1, -2)).div(2) as Tensor;
    expectGradients((a) => linalg.symmetricPower(symmetric(a!)), [x]);
    expectGradients((a) => linalg.symmetricPower(symmetric(a!), { method: "newton" }), [x]);
    expectGradients((a) => linalg.polar(a!).U, [make.any([], 3, 2, "float64").x]);
  });

  test("orthogonalize brings all singular values to between 0.6 and 1.3", () => {
    for (const [m, n] of [
      [8, 8],
      [12, 5],
      [5, 12],
    ] as const) {
      // Singular values that are not tiny beside the largest.
      const x = linalg.qr(make.any([2], Math.max(m, n), Math.min(m, n), "float32").x).Q.mul(3) as Tensor;
      const given = m >= n ? x : (x.swapAxes(-1, -2) as Tensor);
      const y = linalg.orthogonalize(given);
      expect(y.shape).toEqual([2, m, n]);
      for (const each of linalg.svdvals(y).reshape([-1]).toArray() as number[]) {
        expect(each).toBeGreaterThan(0.6);
        expect(each).toBeLessThan(1.3);
      }
      expect(linalg.orthogonalize(given.to("bfloat16")).dtype).toBe("bfloat16");
    }
  });

  test.each([
    [4, 4],
    [6, 3],
    [3, 6],
  ])("polar factors of %i × %i", (m, n) => {
    const { x, matrices } = make.any([2], m, n, "float64");
    const { U, P } = linalg.polar(x);
    const stretchings = matricesOf(P);
    matricesOf(U).forEach((u, at) => {
      const p = stretchings[at]!;
      expectSmall(minus(times(u, p), matrices[at]!), 1e-12);
      expectSmall(minus(p, flipped(p)), 1e-12);
      expectSmall(minus(m >= n ? times(flipped(u), u) : times(u, flipped(u)), unit(Math.min(m, n))), 1e-12);
    });
    for (const each of linalg.eigvalsh(P).reshape([-1]).toArray() as number[]) expect(each).toBeGreaterThan(-1e-12);
  });
});
