// Products beyond matmul on every device against float64, on random numbers of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  addmm,
  baddbmm,
  complex,
  cross,
  dot,
  inner,
  outer,
  tensor,
  tensordot,
  trace,
  vecdot,
  zeros,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { at, expectNear, floats, indicesOf, numbersOf, sampler, type Wanted } from "./samples.ts";

const random = seeded(freshSeed());

/** Σ a · b over `depth`, and Σ |a · b|. */
function summed(
  depth: readonly number[],
  a: (k: readonly number[]) => number,
  b: (k: readonly number[]) => number,
): Wanted {
  return indicesOf(depth).reduce<Wanted>(([sum, size], k) => [sum + a(k) * b(k), size + Math.abs(a(k) * b(k))], [0, 0]);
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const exact: readonly DType[] = ["int32", "int64", "uint8"];

  test.each([...floats, ...exact])("tensordot, inner and dot of %s", (dtype) => {
    const [a, b] = [sample([2, 3, 4, 5], dtype), sample([4, 3, 6], dtype)];
    const wanted = indicesOf([2, 5, 6]).map(([i, j, k]) =>
      summed(
        [3, 4],
        ([p, q]) => at(a, [i!, p!, q!, j!]),
        ([p, q]) => at(b, [q!, p!, k!]),
      ),
    );
    expectNear(
      tensordot(a.x, b.x, {
        axes: [
          [1, 2],
          [1, 0],
        ],
      }),
      [2, 5, 6],
      wanted,
      16,
      dtype,
    );
    expectNear(
      a.x.tensordot(b.x, [
        [-3, -2],
        [-2, -3],
      ]),
      [2, 5, 6],
      wanted,
      16,
      dtype,
    );
    const c = sample([4, 5, 2], dtype);
    expectNear(
      tensordot(a.x, c.x),
      [2, 3, 2],
      indicesOf([2, 3, 2]).map(([i, j, k]) =>
        summed(
          [4, 5],
          ([p, q]) => at(a, [i!, j!, p!, q!]),
          ([p, q]) => at(c, [p!, q!, k!]),
        ),
      ),
      24,
      dtype,
    );
    expect(tensordot(a.x, b.x, 0).shape).toEqual([2, 3, 4, 5, 4, 3, 6]);
    const d = sample([7, 5], dtype);
    expectNear(
      inner(a.x, d.x),
      [2, 3, 4, 7],
      indicesOf([2, 3, 4, 7]).map(([i, j, k, l]) =>
        summed(
          [5],
          ([p]) => at(a, [i!, j!, k!, p!]),
          ([p]) => at(d, [l!, p!]),
        ),
      ),
      8,
      dtype,
    );
    const e = sample([2, 5, 3], dtype);
    expectNear(
      dot(d.x, e.x),
      [7, 2, 3],
      indicesOf([7, 2, 3]).map(([i, j, k]) =>
        summed(
          [5],
          ([p]) => at(d, [i!, p!]),
          ([p]) => at(e, [j!, p!, k!]),
        ),
      ),
      8,
      dtype,
    );
    expect(numbersOf(dot(d.x, tensor(2, { dtype, device })))).toEqual(numbersOf(d.x.mul(2)));
  });

  test.each([...floats, ...exact])("outer, vecdot and cross of %s", (dtype) => {
    const [a, b] = [sample([2, 3], dtype), sample([4], dtype)];
    expectNear(
      outer(a.x, b.x),
      [6, 4],
      indicesOf([6, 4]).map(([i, j]) => [a.values[i!]! * b.values[j!]!, Math.abs(a.values[i!]! * b.values[j!]!)]),
      1,
      dtype,
    );
    const [p, q] = [sample([5, 1, 9], dtype), sample([4, 9], dtype)];
    expectNear(
      vecdot(p.x, q.x),
      [5, 4],
      indicesOf([5, 4]).map(([i, j]) =>
        summed(
          [9],
          ([k]) => at(p, [i!, 0, k!]),
          ([k]) => at(q, [j!, k!]),
        ),
      ),
      12,
      dtype,
    );
    expect(vecdot(p.x, q.x).dtype).toBe(dtype);
    expect(p.x.transpose([2, 0, 1]).vecdot(q.x.T, { axis: 0 }).shape).toEqual([5, 4]);
    // (x − (2x + 1)i)(y + (2y + 1)i)
    const vectors = [p, q].map(({ x }) => complex(x.to("float64"), x.to("float64").mul(2).add(1)));
    const [real, imag] = ["real", "imag"].map((part) => vecdot(vectors[0]!, vectors[1]!)[part as "real"]);
    const sums = (of: (x: number, y: number) => number) =>
      indicesOf([5, 4]).map(([i, j]): Wanted => {
        const each = indicesOf([9]).map(([k]) => of(at(p, [i!, 0, k!]), at(q, [j!, k!])));
        return [each.reduce((sum, value) => sum + value, 0), 9 * 40];
      });
    const product = (x: number, y: number) => x * y + (2 * x + 1) * (2 * y + 1);
    expectNear(real!, [5, 4], sums(product), 12, "float64");
    expectNear(
      imag!,
      [5, 4],
      sums((x, y) => x - y),
      12,
      "float64",
    );
    if (dtype === "uint8") return;
    const [u, v] = [sample([4, 1, 3], dtype), sample([5, 3], dtype)];
    const component = (c: number, x: (k: number) => number, y: (k: number) => number): Wanted => {
      const [n, m] = [(c + 1) % 3, (c + 2) % 3];
      return [x(n) * y(m) - x(m) * y(n), Math.abs(x(n) * y(m)) + Math.abs(x(m) * y(n))];
    };
    const wanted = indicesOf([4, 5, 3]).map(([i, j, c]) =>
      component(
        c!,
        (k) => at(u, [i!, 0, k]),
        (k) => at(v, [j!, k]),
      ),
    );
    expectNear(cross(u.x, v.x), [4, 5, 3], wanted, 3, dtype);
    expectNear(u.x.cross(v.x, -1), [4, 5, 3], wanted, 3, dtype);
    const first = cross(u.x.reshape([4, 3]).T, v.x.slice([0, 4]).T, { dim: 0 });
    expect(first.shape).toEqual([3, 4]);
    expect(numbersOf(first.T)).toEqual(numbersOf(cross(u.x.reshape([4, 3]), v.x.slice([0, 4]))));
  });

  test.each([...floats, ...exact])("sums with products, and traces, of %s", (dtype) => {
    const [c, a, b] = [sample([4], dtype), sample([3, 5], dtype), sample([5, 4], dtype)];
    const [alpha, beta] = [2, 3];
    const product = (i: number, j: number) =>
      summed(
        [5],
        ([k]) => at(a, [i, k!]),
        ([k]) => at(b, [k!, j]),
      );
    const combined = ([sum, size]: Wanted, more: number): Wanted => [
      sum * alpha + more * beta,
      size * alpha + Math.abs(more * beta),
    ];
    const wanted = indicesOf([3, 4]).map(([i, j]) => combined(product(i!, j!), c.values[j!]!));
    expectNear(addmm(c.x, a.x, b.x, { alpha, beta }), [3, 4], wanted, 12, dtype);
    expect(numbersOf(c.x.addmm(a.x, b.x))).toEqual(numbersOf(a.x.matmul(b.x).add(c.x)));
    const batch = baddbmm(c.x, a.x.unsqueeze(0).expand([2, 3, 5]), b.x.unsqueeze(0).expand([2, 5, 4]), { alpha, beta });
    expectNear(batch, [2, 3, 4], [...wanted, ...wanted], 12, dtype);
    const square = sample([4, 6, 3], dtype);
    const diagonal = (offset: number, last: number): Wanted =>
      summed(
        [6],
        ([k]) => (k! - offset >= 0 && k! - offset < 4 ? at(square, [k! - offset, k!, last]) : 0),
        () => 1,
      );
    for (const offset of [0, 1, -2, 5])
      expectNear(
        trace(square.x, { offset }),
        [3],
        [0, 1, 2].map((last) => diagonal(offset, last)),
        6,
        dtype,
      );
    expect(trace(square.x, { axes: [-2, -1], dtype: "float64" }).dtype).toBe("float64");
  });

  test("of nothing, and of one element", () => {
    const none = (...shape: number[]): Tensor => zeros(shape, { device });
    expect(tensordot(none(2, 0), none(0, 3), 1).toArray()).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect(outer(none(0), none(3)).shape).toEqual([0, 3]);
    expect(vecdot(none(2, 0), none(2, 0)).toArray()).toEqual([0, 0]);
    expect(cross(none(0, 3), none(0, 3)).shape).toEqual([0, 3]);
    expect(none(0, 0).trace().item()).toBe(0);
    expect(none(2, 2).trace({ offset: 7 }).item()).toBe(0);
    const one = tensor([3], { device });
    expect([inner(one, one), dot(one, one), vecdot(one, one), one.outer(one)].map((each) => numbersOf(each))).toEqual([
      [9],
      [9],
      [9],
      [9],
    ]);
    // What is not looked at may be anything.
    expect(
      tensor([NaN], { device })
        .addmm(one.reshape([1, 1]), one.reshape([1, 1]), { beta: 0 })
        .toArray(),
    ).toEqual([[9]]);
  });

  test("gradients", () => {
    const of = (...shape: number[]): { shape: number[] } => ({ shape });
    expectGradients((a, b) => tensordot(a!, b!, [[1], [0]]), [of(2, 3, 2), of(3, 4)], device);
    expectGradients((a, b) => vecdot(a!, b!), [of(2, 1, 3), of(4, 3)], device);
    expectGradients((a, b) => outer(a!, b!), [of(3), of(4)], device);
    expectGradients((a, b) => inner(a!, b!), [of(2, 3), of(4, 3)], device);
    expectGradients((a, b) => dot(a!, b!), [of(2, 3), of(2, 3, 2)], device);
    expectGradients((a, b) => cross(a!, b!), [of(2, 3), of(3)], device);
    expectGradients((a) => trace(a!, { offset: 1 }), [of(3, 4)], device);
    expectGradients((c, a, b) => c!.addmm(a!, b!, { alpha: 0.5, beta: 2 }), [of(2), of(3, 4), of(4, 2)], device);
    expectGradients((c, a, b) => c!.baddbmm(a!, b!), [of(2), of(2, 3, 4), of(2, 4, 2)], device);
  });

  const of = (...shape: number[]): Tensor => zeros(shape, { device });
  test.each<[string, () => unknown, string]>([
    [
      "axes of other sizes",
      () => tensordot(of(2, 3), of(2, 3), 1),
      "tensordot sums over axes of equal sizes but got [3] of [2, 3] and [2] of [2, 3].",
    ],
    [
      "too many axes",
      () => tensordot(of(2), of(2), 2),
      "tensordot over 2 axes takes tensors that have them but got shapes [2] and [2].",
    ],
    [
      "axes that are none",
      () => tensordot(of(2), of(2), "a" as never),
      'tensordot takes axes as a number of them or two lists of as many, such as [[1, 2], [0, 1]], but got "a".',
    ],
    [
      "an axis twice",
      () =>
        tensordot(of(2, 2), of(2, 2), [
          [0, 0],
          [0, 1],
        ]),
      "tensordot sums over each axis once but got [0, 0] and [0, 1].",
    ],
    [
      "vectors of other lengths",
      () => vecdot(of(2), of(3)),
      "vecdot takes vectors of one length but got shapes [2] and [3].",
    ],
    ["no vectors", () => vecdot(of(), of(3)), "vecdot takes tensors with axes but got one without."],
    [
      "inner of other lengths",
      () => inner(of(2), of(3)),
      "inner takes vectors of one length but got shapes [2] and [3].",
    ],
    ["cross of two", () => cross(of(2), of(2)), "cross takes vectors of 3 along axis -1 but got shapes [2] and [2]."],
    ["a trace of a list", () => trace(of(3)), "trace takes a matrix, or batches of them, but got shape [3]."],
    [
      "lists where matrices go",
      () => of(1).addmm(of(2), of(2)),
      "addmm takes two tensors of 2 axes but got shapes [2] and [2].",
    ],
    ["what does not broadcast", () => of(3).addmm(of(2, 2), of(2, 2)), "Shapes"],
    [
      "what would broadcast the product",
      () => of(3, 2, 2).addmm(of(2, 2), of(2, 2)),
      "addmm adds a tensor that broadcasts to [2, 2] but got shape [3, 2, 2].",
    ],
    ["no tensor", () => outer(of(2), 3 as never), "outer takes a tensor as other but got 3. Write outer(other)."],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });
});
