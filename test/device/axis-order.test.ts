// Results of elementwise operations lie in the order of axes in which their operands do, and have the values that they
// have in any other; on random numbers of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { where, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { sampler } from "./samples.ts";

const random = seeded(freshSeed());

/** How a tensor lies: its strides without those of axes with one element. */
const lies = ({ shape, strides }: Tensor) => strides.filter((_, axis) => shape[axis] !== 1);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const make = (shape: readonly number[]) => sample(shape, "float32", [1, 4]).x as Tensor;

  test.each([
    [
      [5, 3],
      [1, 0],
    ],
    [
      [2, 33, 70],
      [0, 2, 1],
    ],
    [
      [3, 4, 5, 6],
      [0, 2, 3, 1],
    ],
    [
      [1, 40, 1, 50],
      [3, 2, 1, 0],
    ],
  ])("of %j with axes %j", (shape, axes) => {
    const x = make(shape).permute(axes);
    const y = make(shape).permute(axes);
    const [flatX, flatY] = [x.contiguous(), y.contiguous()];
    const row = make(x.shape.slice(-1));
    const mask = x.gt(2.5) as Tensor<"bool">;
    const operations: Record<string, (a: Tensor, b: Tensor) => Tensor> = {
      sqrt: (a) => a.sqrt(),
      add: (a, b) => a.add(b),
      number: (a) => a.mul(3),
      row: (a) => a.sub(row),
      clamp: (a) => a.clamp({ min: 2, max: 3 }),
      where: (a, b) => where(mask, a, b),
      to: (a) => a.to("float16"),
      lt: (a, b) => a.lt(b),
    };
    for (const [name, operation] of Object.entries(operations)) {
      const result = operation(x, y);
      expect([name, lies(result)]).toEqual([name, lies(x)]);
      expect([name, result.toArray()]).toEqual([name, operation(flatX, flatY).toArray()]);
    }
  });

  test("operands that lie in different orders give a result without gaps", () => {
    const [x, y] = [make([20, 30]), make([30, 20])];
    const sum = x.add(y.T);
    expect(sum.isContiguous).toBe(true);
    expect(sum.toArray()).toEqual(x.add(y.T.contiguous()).toArray());
  });

  test("a copy, and what a kernel can be given, have no gaps", () => {
    const x = make([6, 7]).T.exp();
    expect(x.isContiguous).toBe(false);
    for (const copy of [x.clone(), x.contiguous()]) {
      expect(copy.isContiguous).toBe(true);
      expect(copy.toArray()).toEqual(x.toArray());
    }
    expect([...x.data()]).toEqual([...x.contiguous().data()]);
  });

  test("in place, of views and of parts of them", () => {
    const x = make([40, 50]);
    const before = x.clone();
    x.T.mul_(2);
    expect(x.toArray()).toEqual(before.mul(2).toArray());
    x.T.slice([5, 45], [1, 40, 3]).add_(1);
    const wanted = before.mul(2);
    wanted.slice([1, 40, 3], [5, 45]).add_(1);
    expect(x.toArray()).toEqual(wanted.toArray());
  });

  test("turned round, stretched, and gradients", () => {
    const x = make([8, 9]);
    expect(x.T.flip(0).neg().toArray()).toEqual(x.T.flip(0).contiguous().neg().toArray());
    expect(make([9]).expand([8, 9]).neg().isContiguous).toBe(true);
    x.requiresGrad = true;
    x.T.mul(x.T).sum().backward();
    expect(x.grad!.toArray()).toEqual(x.detach().mul(2).toArray());
  });

  test.each([
    [3, 1000],
    [64, 257],
    [1000, 3],
    [17, 1],
  ])("%i rows of %i with gaps between and within", (rows, length) => {
    const base = make([rows, 2 * length + 7]);
    for (const x of [base.slice(null, [3, length + 3]), base.slice(null, [1, 2 * length + 1, 2])]) {
      const flat = x.contiguous();
      for (const operation of [
        (a: Tensor) => a.sqrt(),
        (a: Tensor) => a.lgamma(),
        (a: Tensor) => a.add(a),
        (a: Tensor) => a.hypot(flat),
        (a: Tensor) => a.to("bfloat16"),
      ] as ((a: Tensor) => Tensor)[])
        expect(operation(x).toArray()).toEqual(operation(flat).toArray());
    }
  });
});
