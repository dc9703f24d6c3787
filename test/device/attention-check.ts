// Attention beside its formula: random operands of a case, and result and gradients compared with float64.
import { expect } from "vitest";
import {
  gradients,
  lastDispatch,
  nn,
  setPath,
  tensor,
  type DType,
  type PathOf,
  type Tensor,
} from "../../native/lib/index.ts";
import { reference, whole, type Case } from "./attention-formula.ts";
import { poison, randomValues, rounded, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

export const random = seeded(freshSeed());
export const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];
export const product = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

/** Random numbers of a dtype, on the device and here; small, so that no weight is nearly 1. `such`: as this one has. */
export function made(shape: readonly number[], dtype: DType, device: string, such = dtype) {
  const list = randomValues(product(shape), such).map((each) => each / 2);
  return {
    list,
    x: tensor(list, { dtype, device })
      .reshape([...shape])
      .clone() as Tensor,
  };
}

export function expectNear(what: string, found: Tensor | readonly number[], value: number[], error: number[]): void {
  const list = Array.isArray(found) ? (found as readonly number[]) : numbers(found as Tensor);
  expect(list.length).toBe(value.length);
  const wrong = list.flatMap((each, at) =>
    each === value[at] || Math.abs(each - value[at]!) <= error[at]!
      ? []
      : [`${what}[${at}]: ${each} for ${value[at]} ± ${error[at]}`],
  );
  expect(wrong.slice(0, 5), `${wrong.length} of ${value.length}`).toEqual([]);
}

/**
 * Result and gradients of a case on a device are the formula's. `own`: half of the smallest step, relative, of factors
 * that are made on the way; `such`: operands are numbers of this dtype; `path`: that all takes.
 */
export function expectAttention(
  given: Case,
  dtype: DType,
  device: string,
  lay: (x: Tensor) => Tensor = (x) => x,
  {
    own = roundoff[dtype]!,
    such = dtype,
    path,
  }: { readonly own?: number; readonly such?: DType; readonly path?: PathOf<"attention"> } = {},
): void {
  const of = whole(given);
  const { batch, heads, keyHeads, queries, keys, width, values } = of;
  const q = made([batch, heads, queries, width], dtype, device, such),
    k = made([batch, keyHeads, keys, width], dtype, device, such),
    v = made([batch, keyHeads, keys, values], dtype, device, such),
    g = made([batch, heads, queries, values], dtype, device, such);
  const maskShape = of.maskShape ?? [batch, heads, queries, keys];
  const padded = [...Array(4 - maskShape.length).fill(1), ...maskShape] as number[];
  const place = (at: number[]) =>
    at.reduce((sum, each, axis) => sum * padded[axis]! + (padded[axis] === 1 ? 0 : each), 0);
  const maskSize = of.mask === undefined ? 0 : product(padded);
  const maskList =
    of.mask === "bool"
      ? Array.from({ length: maskSize }, () => Number(random() < 0.6))
      : randomValues(maskSize, dtype).map((each) => (random() < 0.1 ? -Infinity : each));
  const mask =
    of.mask === undefined
      ? undefined
      : (tensor(maskList, { dtype: of.mask === "bool" ? "bool" : dtype, device })
          .reshape(maskShape as number[])
          .clone() as Tensor);
  const leaves = [q.x, k.x, v.x, ...(of.mask === "float" ? [mask!] : [])];
  for (const leaf of leaves) leaf.requiresGrad = true;
  poison(device, 8 * batch * heads * Math.max(queries, keys) * Math.max(width, values));
  const options = { ...of.options, ...(mask === undefined ? {} : { mask }), returnLse: true as const };
  using _path = path === undefined ? null : setPath("attention", path);
  const { out, lse } = nn.attention(lay(q.x), lay(k.x), lay(v.x), options);
  expect([out.shape, lse.shape, out.dtype]).toEqual([[batch, heads, queries, values], [batch, heads, queries], dtype]);
  const found = gradients(out, leaves, { gradient: g.x });
  if (path !== undefined) expect(lastDispatch("attention")!.path).toBe(path);
  const sum = dtype === "float64" ? 2 ** -53 : 2 ** -24;
  const { value, error } = reference(
    of,
    {
      q: q.list.map((each) => rounded(each, dtype)),
      k: k.list.map((each) => rounded(each, dtype)),
      v: v.list.map((each) => rounded(each, dtype)),
      g: g.list.map((each) => rounded(each, dtype)),
      mask:
        of.mask === undefined
          ? null
          : (at) => (of.mask === "bool" ? (maskList[place(at)] ? 0 : -Infinity) : rounded(maskList[place(at)]!, dtype)),
    },
    { sum, own, least: dtype === "float16" ? 2 ** -25 : 0 },
    place,
    of.mask === "float" ? maskSize : 0,
  );
  expectNear("out", out.detach() as Tensor, value.out, error.out);
  expectNear("lse", lse.detach() as Tensor, value.lse, error.lse);
  expectNear("dq", found[0]!, value.dq, error.dq);
  expectNear("dk", found[1]!, value.dk, error.dk);
  expectNear("dv", found[2]!, value.dv, error.dv);
  if (of.mask === "float") expectNear("dMask", found[3]!, value.dMask, error.dMask);
}
