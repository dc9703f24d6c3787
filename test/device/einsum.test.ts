// einsum against the sum written out, with ellipses, diagonals and gradients.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { einsum, tensor, zeros, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { randomValues } from "./numbers.ts";

/** Σ over all letters that are not in the result, element by element. */
function writtenOut(
  inputs: readonly string[],
  output: string,
  sizes: Record<string, number>,
  values: readonly number[][],
): number[] {
  const letters = [...new Set([...output, ...inputs.join("")])];
  const result: number[] = new Array(output.split("").reduce((n, letter) => n * sizes[letter]!, 1)).fill(0);
  const visit = (at: Record<string, number>, depth: number): void => {
    const index = (names: string) => names.split("").reduce((place, letter) => place * sizes[letter]! + at[letter]!, 0);
    if (depth === letters.length) {
      result[index(output)]! += inputs.reduce((product, names, n) => product * values[n]![index(names)]!, 1);
      return;
    }
    for (let i = 0; i < sizes[letters[depth]!]!; i++) visit({ ...at, [letters[depth]!]: i }, depth + 1);
  };
  visit({}, 0);
  return result;
}

const flat = (x: Tensor) => [x.reshape([-1]).toArray()].flat().map(Number);

describe.each(devices.map(({ name }) => name))("einsum on %s", (device) => {
  const sizes: Record<string, number> = { i: 3, j: 4, k: 5, b: 2, h: 6 };
  test.each([
    "ij,jk->ik",
    "ij,jk->ki",
    "bij,bjk->bik",
    "bij,jk->bik",
    "ij->ji",
    "ij->",
    "ij->j",
    "ii->",
    "ii->i",
    "iji->j",
    "i,j->ij",
    "i,i->",
    "ij,ij->ij",
    "ij,ij->",
    "ij,jk,kh->ih",
    "bhi,bhj->bhij",
    "bi,bj,ij->b",
    "ij,k->",
    "iij,jk->ik",
    "bikj,bihj->bhk",
  ])("%s", (equation) => {
    const [left, output] = equation.split("->") as [string, string];
    const names = left.split(",");
    const values = names.map((each) =>
      randomValues(
        each.split("").reduce((n, letter) => n * sizes[letter]!, 1),
        "float64",
      ),
    );
    const operands = names.map((each, n) =>
      tensor(values[n]!, { dtype: "float64", device }).reshape(each.split("").map((letter) => sizes[letter]!)),
    );
    const got = einsum(equation, ...operands);
    expect(got.shape).toEqual(output.split("").map((letter) => sizes[letter]!));
    const wanted = writtenOut(names, output, sizes, values);
    flat(got).forEach((value, at) => expect(Math.abs(value - wanted[at]!)).toBeLessThanOrEqual(1e-11));
    if (operands.every(({ size }) => size <= 40)) expectGradients((...at) => einsum(equation, ...at), operands);
  });

  test("many operands in the order that keeps what lies between small", () => {
    // NumPy's own test: from left to right it goes through nine axes.
    const inputs = "acdf,jbje,gihb,hfac,gfac,gifabc,hfac".split(",");
    const two = Object.fromEntries([..."abcdefghij"].map((letter) => [letter, 2]));
    const values = inputs.map((names) => randomValues(2 ** names.length));
    const operands = inputs.map((names, n) =>
      tensor(values[n]!, { dtype: "float64", device }).reshape(Array<number>(names.length).fill(2)),
    );
    const want = writtenOut(inputs, "de", two, values);
    const got = flat(einsum(inputs.join(","), ...operands));
    // Of 256 products of 7 numbers.
    const size = writtenOut(
      inputs,
      "de",
      two,
      values.map((list) => list.map(Math.abs)),
    );
    got.forEach((value, at) => expect(Math.abs(value - want[at]!)).toBeLessThanOrEqual(300 * 2 ** -53 * size[at]!));
    const ones = ["ea", "fb", "abcd", "gc", "hd"].map((names) =>
      zeros(Array<number>(names.length).fill(20), { device }).add(1),
    );
    expect(
      einsum("ea,fb,abcd,gc,hd->efgh", ...ones)
        .get(3, 1, 4, 1)
        .item(),
    ).toBe(20 ** 4);
  });

  test("the result's axes when none are named, ellipses, sizes of 1, integers", () => {
    const a = tensor(
      [
        [1, 2],
        [3, 4],
      ],
      { device },
    );
    expect(einsum("ba", a).toArray()).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(einsum("ij,jk", a, a).toArray()).toEqual([
      [7, 10],
      [15, 22],
    ]);
    expect(einsum("ii", a).item()).toBe(5);
    expect(einsum("...ij->...ji", a.reshape([1, 2, 2])).toArray()).toEqual([
      [
        [1, 3],
        [2, 4],
      ],
    ]);
    expect(einsum("...ij,...jk->...ik", zeros([3, 1, 2, 4], { device }), zeros([5, 4, 6], { device })).shape).toEqual([
      3, 5, 2, 6,
    ]);
    expect(einsum("i...->...", a).toArray()).toEqual([4, 6]);
    expect(einsum("ij,ij->i", a, tensor([[1], [10]], { device })).toArray()).toEqual([3, 70]);
    expect(einsum("ij,jk->ik", a.to("int32"), a.to("int32")).toArray()).toEqual([
      [7, 10],
      [15, 22],
    ]);
    expect(einsum("i,j->ij", zeros([0], { device }), zeros([2], { device })).shape).toEqual([0, 2]);
  });

  test.each([
    [
      "too few operands",
      () => einsum("ij,jk->ik", zeros([2, 2], { device })),
      'The equation "ij,jk->ik" names 2 operands but got 1.',
    ],
    [
      "another rank",
      () => einsum("ijk->i", zeros([2, 2], { device })),
      'The equation "ijk->i" gives operand 0 3 axes, but its shape is [2, 2].',
    ],
    [
      "sizes that differ",
      () => einsum("ij,jk->ik", zeros([2, 3], { device }), zeros([2, 2], { device })),
      'The equation "ij,jk->ik" has axis j with sizes 3 and 2.',
    ],
    [
      "an axis from nowhere",
      () => einsum("ij->k", zeros([2, 3], { device })),
      'The equation "ij->k" has axis k in its result but in no operand.',
    ],
    [
      "an axis twice",
      () => einsum("ij->ii", zeros([2, 3], { device })),
      'The equation "ij->ii" has axis i twice in its result.',
    ],
    [
      "what is no letter",
      () => einsum("i*->i", zeros([2, 3], { device })),
      'The equation "i*->i" has "i*" where letters for axes and at most one "..." stand.',
    ],
    [
      "a lone dot",
      () => einsum("i.j->i", zeros([2, 3], { device })),
      'The equation "i.j->i" has "i.j" where letters for axes and at most one "..." stand.',
    ],
    [
      "operands of bool",
      () => einsum("ij->i", zeros([2, 3], { device, dtype: "bool" })),
      'einsum takes numbers but got bool: convert it, e.g. with .to("int32").',
    ],
    ["two arrows", () => einsum("i->i->i", zeros([2], { device })), 'The equation "i->i->i" has more than one "->".'],
    [
      "no tensors",
      () => einsum("i"),
      'einsum takes an equation and tensors, such as einsum("ij,jk->ik", a, b), but got "i".',
    ],
  ])("%s is refused in a sentence", (_, run, message) => {
    expect(run).toThrow(message);
  });
});
