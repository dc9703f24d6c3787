// How matches are listed.
import { expect, test } from "vitest";
import { labelOf } from "./labels.ts";

test.each([
  ["softmax", "import from", "warpcell", 'softmax (from "warpcell")'],
  ["half", "function half(x: number): number", null, "half(x: number)"],
  ["exp", "function exp<D extends DType>(x: Tensor<D>): Tensor<D>", null, "exp(x: Tensor<D>)"],
  ["map", "map(f: (x: number) => void): void", null, "map(f: (x: number) => void)"],
  ["x", "const x: number", null, "x"],
  ["blockIdx", "const uint3 blockIdx", null, "blockIdx"],
  ["if", "", null, "if"],
  ["f", `f(${"a: number, ".repeat(20)})`, null, `f(${"a: number, ".repeat(20)}`.slice(0, 70) + "…)"],
])("%s, %s, from %s", (text, signature, from, label) => expect(labelOf({ text, signature, from })).toBe(label));
