// Tensors of 9 to 16 axes through every kind of operation, where no two axes join into one, beside plain loops.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  arange,
  cat,
  compile,
  einsum,
  io,
  matmul,
  newAxis,
  ones,
  randn,
  stack,
  tensor,
  TensorError,
  where,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed } from "../helpers/random.ts";

const seed = freshSeed();
const most = 16;
const flat = (x: Tensor): number[] => Array.from(x.to("float64").data() as Float64Array);
const sizeOf = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

/** The coordinates of element `index` of a shape in row-major order. */
function coordinates(index: number, shape: readonly number[]): number[] {
  const at: number[] = [];
  for (let axis = shape.length - 1, rest = index; axis >= 0; axis--) {
    at[axis] = rest % shape[axis]!;
    rest = Math.floor(rest / shape[axis]!);
  }
  return at;
}
const place = (at: readonly number[], shape: readonly number[]): number =>
  at.reduce((sum, each, axis) => sum * shape[axis]! + each, 0);
/** `count` elements, each made of its coordinates. */
const each = (shape: readonly number[], make: (at: number[]) => number): number[] =>
  Array.from({ length: sizeOf(shape) }, (_, index) => make(coordinates(index, shape)));

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  describe.each([9, 12, most])("%i axes", (rank) => {
    // 3 somewhere, so that axes are told apart.
    const shape = Array.from({ length: rank }, (_, axis) => (axis === 4 ? 3 : axis === 1 && rank === most ? 1 : 2));
    const backwards = [...shape.keys()].reverse();
    const turned = backwards.map((axis) => shape[axis]!);
    const count = sizeOf(shape);
    const x = arange(count, { device }).reshape(shape);
    /** The element of x at coordinates of its transpose. */
    const xAt = (at: readonly number[]) => place([...at].reverse(), shape);
    const view = x.transpose(backwards);
    const odd = [...shape.keys()].filter((axis) => axis % 2 === 1);

    test("elementwise: at strides, broadcast, in place, converted", () => {
      expect(flat(view.neg())).toEqual(each(turned, (at) => -xAt(at)));
      expect(flat(view.add(x.reshape(turned)))).toEqual(each(turned, (at) => xAt(at) + place(at, turned)));
      const thin = turned.map((size, axis) => (axis % 2 === 0 ? 1 : size));
      const small = arange(sizeOf(thin), { device }).reshape(thin);
      const broadcast = (at: readonly number[]) =>
        place(
          at.map((each, axis) => (axis % 2 === 0 ? 0 : each)),
          thin,
        );
      expect(flat(view.mul(small.remainder(8)))).toEqual(each(turned, (at) => xAt(at) * (broadcast(at) % 8)));
      expect(flat(where(view.gt(small.mul(7)), view, small))).toEqual(
        each(turned, (at) => (xAt(at) > 7 * broadcast(at) ? xAt(at) : broadcast(at))),
      );
      expect(flat(view.to("int32"))).toEqual(each(turned, xAt));
      const own = x.clone();
      own.transpose(backwards).add_(small);
      expect(flat(own.transpose(backwards))).toEqual(each(turned, (at) => xAt(at) + broadcast(at)));
      own.transpose(backwards).fill_(3);
      expect(flat(own)).toEqual(Array(count).fill(3));
    });

    test("reduced over every other axis, scanned, sorted, normalised along one", () => {
      const kept = turned.filter((_, axis) => axis % 2 === 0);
      const rows = new Map<number, number[]>();
      each(turned, (at) => {
        const key = place(
          at.filter((_, axis) => axis % 2 === 0),
          kept,
        );
        rows.set(key, [...(rows.get(key) ?? []), xAt(at)]);
        return 0;
      });
      const inOrder = [...rows.keys()].sort((a, b) => a - b).map((key) => rows.get(key)!);
      expect(flat(view.sum(odd))).toEqual(inOrder.map((row) => row.reduce((a, b) => a + b)));
      expect(view.sum(odd, true).shape).toEqual(turned.map((size, axis) => (axis % 2 === 1 ? 1 : size)));
      expect(flat(view.max(odd))).toEqual(inOrder.map((row) => Math.max(...row)));
      const along = turned.indexOf(3);
      expect(flat(view.argmin(along))).toEqual(Array(count / 3).fill(0));
      expect(flat(view.cumsum(along))).toEqual(
        each(turned, (at) => {
          let sum = 0;
          for (let i = 0; i <= at[along]!; i++) sum += xAt(at.with(along, i));
          return sum;
        }),
      );
      expect(flat(view.sort({ axis: along, descending: true }).values)).toEqual(
        each(turned, (at) => xAt(at.with(along, 2 - at[along]!))),
      );
      for (const share of flat(view.mul(0).softmax(along))) expect(Math.abs(share - 1 / 3)).toBeLessThan(2 ** -24);
    });

    test("copied, turned, indexed, written, selected", () => {
      expect(flat(view.contiguous())).toEqual(each(turned, xAt));
      expect(flat(view.reshape([-1]))).toEqual(each(turned, xAt));
      expect(flat(view.flip(odd))).toEqual(
        each(turned, (at) => xAt(at.map((i, axis) => (axis % 2 === 1 ? turned[axis]! - 1 - i : i)))),
      );
      const along = turned.indexOf(3);
      const taken = turned.with(along, 2);
      expect(flat(view.take([2, 0], along))).toEqual(each(taken, (at) => xAt(at.with(along, [2, 0][at[along]!]!))));
      const index = view.mul(0).to("int64").add(1n);
      expect(flat(view.gather(along, index))).toEqual(each(turned, (at) => xAt(at.with(along, 1))));
      expect(view.get(...at(1)).item()).toBe(xAt(at(1)));
      expect(flat(view.get(...turned.map((size) => ({ at: [size - 1, 0] }))))).toEqual([count - 1, 0]);
      expect(view.get(null, 0, newAxis).shape).toEqual([turned[0], 1, ...turned.slice(2)]);
      const written = x.clone();
      written.transpose(backwards).set([null, [0, 1], 0], -1);
      expect(flat(written.transpose(backwards))).toEqual(
        each(turned, (at) => (at[1] === 0 && at[2] === 0 ? -1 : xAt(at))),
      );
      const mask = view.remainder(5).eq(0);
      expect(flat(view.maskedSelect(mask))).toEqual(each(turned, xAt).filter((value) => value % 5 === 0));
      expect(mask.nonzero().shape).toEqual([Math.ceil(count / 5), rank]);
      const last = mask.nonzero().slice(-1).toArray() as bigint[];
      expect(xAt(last.map(Number)) % 5).toBe(0);

      function at(from: number): number[] {
        return turned.map((size) => size - from);
      }
    });

    test("joined, multiplied, shown, saved", async () => {
      const joined = cat([view, x.reshape(turned)], 3);
      expect(joined.shape).toEqual(turned.with(3, 2 * turned[3]!));
      expect(flat(joined)).toEqual(
        each(joined.shape, (at) => (at[3]! < turned[3]! ? xAt(at) : place(at.with(3, at[3]! - turned[3]!), turned))),
      );
      const rows = x.transpose([...[...shape.keys()].slice(0, -2).reverse(), rank - 2, rank - 1]);
      const small = rows.mul(2 ** -16);
      const product = matmul(small, small);
      const [m, n] = product.shape.slice(-2);
      expect([m, n]).toEqual([2, 2]);
      const values = flat(small);
      flat(product).forEach((value, i) => {
        const matrix = Math.floor(i / 4) * 4;
        const [row, column] = [Math.floor((i % 4) / 2), i % 2];
        const wanted =
          values[matrix + 2 * row]! * values[matrix + column]! +
          values[matrix + 2 * row + 1]! * values[matrix + 2 + column]!;
        expect(Math.abs(value - wanted)).toBeLessThanOrEqual(4 * 2 ** -24 * Math.abs(wanted));
      });
      expect(view.toArray().flat(rank)).toEqual(each(turned, xAt));
      expect(String(view)).toContain(`shape [${turned.join(", ")}], float32, ${device})`);
      const shown = (view as unknown as Record<symbol, () => Record<string, unknown>>)[
        Symbol.for("Jupyter.display")
      ]!();
      expect(shown["text/plain"]).toBe(String(view));
      const again = tensor(view.toArray(), { device });
      expect(again.shape).toEqual(turned);
      for (const format of ["npz", "safetensors"] as const) {
        const { view: loaded } = (await io.load(await io.encode(format, { view }), { device })) as { view: Tensor };
        expect(loaded.shape).toEqual(turned);
        expect(flat(loaded)).toEqual(each(turned, xAt));
      }
    }, 240_000);

    test("gradients, and kernels of one's own", async () => {
      const leaf = x.clone();
      leaf.requiresGrad = true;
      leaf.transpose(backwards).sum(odd).square().sum().backward();
      const sums = view.sum(odd, true);
      expect(flat(leaf.grad!.transpose(backwards))).toEqual(flat(sums.mul(2).expand(turned)));
      const module = await compile(
        `#include <warpcell/tensor.cuh>
        extern "C" __global__ void twice(warpcell::Tensor<const float, ${rank}> in, float* out, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) out[i] = 2 * in[i];
        }`,
        { device },
      );
      const out = zeros([count], { device });
      module.kernels["twice"]!.over(count)(view, out, count);
      expect(flat(out)).toEqual(each(turned, (at) => 2 * xAt(at)));
    });
  });

  test("einsum over more axes than eight", () => {
    const a = randn([2, 3, 2, 3, 2], { device, dtype: "float64", seed });
    const b = randn([2, 3, 2, 3, 2], { device, dtype: "float64", seed: seed + 1 });
    const found = einsum("abcde,fghij->jaibhcgdfe", a, b);
    const outer = a.reshape([2, 3, 2, 3, 2, 1, 1, 1, 1, 1]).mul(b);
    expect(flat(found)).toEqual(flat(outer.transpose([9, 0, 8, 1, 7, 2, 6, 3, 5, 4])));
  });

  test("more axes than sixteen are refused by whatever would make them", () => {
    const x = ones(Array(most).fill(1), { device });
    const index = zeros([1, 1], { device, dtype: "int64" });
    const surplus = [...x.shape, 1];
    const refused: [string, () => unknown, (readonly number[])?][] = [
      ["this shape", () => ones(surplus, { device })],
      ["this shape", () => x.reshape(surplus)],
      ["this shape", () => x.expand(surplus)],
      ["this shape", () => x.unsqueeze(0)],
      ["the result of stack", () => stack([x, x]), [2, ...x.shape]],
      ["the result of slice", () => x.get(newAxis)],
      ["the result of takeAxis", () => x.take(index, 0)],
    ];
    for (const [what, make, shape = surplus] of refused)
      expect(make, String(make)).toThrow(
        new TensorError("SHAPE", `A tensor has at most ${most} axes, but ${what} has 17: [${shape.join(", ")}].`),
      );
  });
});
