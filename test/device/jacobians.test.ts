// Matrices of derivatives and products with them, on every device, against differences in float64 and by pencil.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  cat,
  grad,
  gradients,
  GradientError,
  hessian,
  jacobian,
  jvp,
  linalg,
  softmax,
  tensor,
  vjp,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { numbersOf, random } from "./gradient-check.ts";

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const real = (shape: readonly number[]) =>
    tensor(
      Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => random() * 2 - 1),
      { dtype: "float64", device },
    ).reshape(shape) as Tensor;
  const of = (values: unknown) => tensor(values as number[], { device, dtype: "float64" }) as Tensor;

  const functions: [string, number[], (x: Tensor) => Tensor][] = [
    ["softmax", [2, 3], (x) => softmax(x, 1)],
    ["sin and products", [4], (x) => cat([x.sin(), x.mul(x.flip(0))])],
    ["a product of matrices", [3, 3], (x) => x.matmul(x.exp()).mul(0.5)],
    ["a sum", [5], (x) => x.pow(3).sum()],
    [
      "a solution",
      [2, 2],
      (x) =>
        linalg.solve(
          x.add(
            of([
              [4, 1],
              [1, 5],
            ]),
          ),
          x.sum(1),
        ),
    ],
    ["tanh over a mean", [2, 2], (x) => x.tanh().sub(x.mean())],
  ];

  /** Central differences; their error is h²/6 of third derivatives, below 100 here, and rounding over h. */
  const [h, bound] = [2 ** -14, (2 ** -28 / 6) * 100 + 2 ** -36];
  const differences = (f: (x: Tensor) => Tensor, x: Tensor): number[][] =>
    numbersOf(x).map((_, at) => {
      const [above, below] = [h, -h].map((by) => {
        const moved = x.flatten().clone();
        moved.set([at], moved.get(at).add(by));
        return numbersOf(f(moved.reshape(x.shape)));
      });
      return above!.map((value, place) => (value - below![place]!) / (2 * h));
    });
  const near = (found: readonly number[], wanted: readonly number[]) => {
    expect(found.length).toBe(wanted.length);
    found.forEach((value, at) => expect(Math.abs(value - wanted[at]!)).toBeLessThan(bound));
  };

  test.each(functions)("jacobian, vjp and jvp of %s are what differences say", (_, shape, f) => {
    const x = real(shape);
    const y = f(x);
    const columns = differences(f, x);
    const wanted = numbersOf(y).flatMap((_value, row) => columns.map((column) => column[row]!));
    const found = jacobian(f)(x);
    expect(found.shape).toEqual([...y.shape, ...shape]);
    expect([found.dtype, found.device, found.requiresGrad]).toEqual(["float64", device, false]);
    near(numbersOf(found), wanted);

    const down = real(y.shape);
    const pulled = vjp(f, x);
    expect(pulled.value.toArray()).toEqual(y.toArray());
    for (let twice = 0; twice < 2; twice++) {
      const [back] = pulled.gradients(down);
      const weights = numbersOf(down);
      near(
        numbersOf(back!).map((value) => value / weights.length),
        columns.map((column) => column.reduce((sum, value, at) => sum + value * weights[at]!, 0) / weights.length),
      );
    }

    const along = real(shape);
    const { value, tangent } = jvp(f, [x], [along]);
    expect(value.toArray()).toEqual(y.toArray());
    const by = numbersOf(along);
    near(
      numbersOf(tangent).map((each) => each / by.length),
      numbersOf(y).map(
        (_value, row) => columns.reduce((sum, column, at) => sum + column[row]! * by[at]!, 0) / by.length,
      ),
    );
    expect(x.requiresGrad).toBe(false);
  });

  test.each([
    ["cubes", [3], (x: Tensor) => x.pow(3).sum()],
    ["a softmax", [2, 2], (x: Tensor) => softmax(x.flatten(), 0).square().sum()],
    ["products of rows", [2, 3], (x: Tensor) => x.prod(1).sum().exp()],
  ] as [
    string,
    number[],
    (x: Tensor) => Tensor,
  ][])("hessian of %s is what differences of the gradient say", (_, shape, f) => {
    const x = real(shape);
    const found = hessian(f)(x);
    expect(found.shape).toEqual([...shape, ...shape]);
    near(numbersOf(found), differences(grad(f) as (x: Tensor) => Tensor, x).flat());
    const flat = found.reshape([x.size, x.size]);
    near(numbersOf(flat), numbersOf(flat.T));
  });

  test("several arguments have a matrix each, others are constants, and what does not depend on one is zero", () => {
    const [a, b] = [of([1, 2]), of([3])];
    const both = jacobian((x: Tensor, n: number, y: Tensor) => x.mul(n).add(y))(a, 5, b) as Tensor[];
    expect(both.map((each) => each.toArray())).toEqual([
      [
        [5, 0],
        [0, 5],
      ],
      [[1], [1]],
    ]);
    const one = jacobian((x: Tensor, _y: Tensor) => x.mul(2))(a, b) as Tensor[];
    expect(one.map((each) => each.toArray())).toEqual([
      [
        [2, 0],
        [0, 2],
      ],
      [[0], [0]],
    ]);
    expect(jacobian((x: Tensor) => of([1, 2, 3]).add(x.detach().sum()))(a).toArray()).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(jacobian((x: Tensor) => x.slice([0, 0]))(a).shape).toEqual([0, 2]);
    expect(jvp((x) => of([1]).add(x.detach().sum()), [a], [a]).tangent.toArray()).toEqual([0]);
    expect(
      vjp((x: Tensor, y: Tensor) => x.mul(y), a, b)
        .gradients(of([1, 1]))
        .map((each) => each.toArray()),
    ).toEqual([[3, 3], [3]]);
    expect(jvp((x, y) => x.mul(y), [a, b], [of([1, 0]), of([1])]).tangent.toArray()).toEqual([4, 2]);
  });

  test("they are differentiated in turn", () => {
    const x = of([1, 2]);
    const third = jacobian(jacobian(jacobian((y: Tensor) => y.pow(4).sum())))(x);
    expect(third.shape).toEqual([2, 2, 2]);
    expect(numbersOf(third)).toEqual([24, 0, 0, 0, 0, 0, 0, 48]);
    x.requiresGrad = true;
    const { tangent } = jvp((y) => y.pow(3), [x], [of([1, 1])]);
    expect(gradients(tangent.sum(), [x])[0]!.toArray()).toEqual([6, 12]);
    expect(grad((y: Tensor) => jacobian((z: Tensor) => z.pow(3))(y).sum())(of([1, 2])).toArray()).toEqual([6, 12]);
    expect(x.grad).toBeNull();
  });

  test("what they cannot take, they say by name", () => {
    const x = of([1, 2]);
    const refused = (run: () => unknown, sentence: string) => {
      expect(run).toThrow(GradientError);
      expect(run).toThrow(sentence);
    };
    const twice = (y: Tensor) => y.mul(2);
    refused(() => jacobian(x as never), "jacobian takes a function of tensors but got a Tensor.");
    refused(() => hessian(3 as never), "hessian takes a function of tensors but got 3.");
    refused(
      () => jacobian((y: Tensor) => y.argmax())(x),
      "jacobian takes a function that returns a tensor of real floats, but this one returned int64.",
    );
    refused(() => jacobian((() => 3) as never)(x), "but this one returned 3.");
    refused(
      () => hessian((y: Tensor, z: Tensor) => y.mul(z).sum())(x, x),
      "hessian takes a function of one tensor of floats but got 2: write hessian((x) => fn(x, y))(x), of which y is a constant.",
    );
    refused(
      () => vjp(twice, x).gradients(of([1])),
      "vjp takes v of the shape and dtype of the value, [2] float64, but got [1] float64.",
    );
    refused(() => vjp(twice, x).gradients(1 as never), "vjp takes a tensor as v but got 1.");
    refused(() => jvp(twice, x as never, x as never), "write jvp(fn, [x], [v])");
    refused(() => jvp(twice, [x], [x, x]), "write jvp(fn, [x], [v])");
    refused(() => jvp(twice, [x.to("int32")], [x]), "A gradient needs at least one tensor of floats");
    refused(() => jvp((y) => y, [x, x.to("int32")], [x, x]), "jvp takes tensors of floats as inputs");
    refused(
      () => jvp(twice, [x], [x.to("float32")]),
      "jvp takes direction 0 of the shape and dtype of input 0, [2] float64, but got [2] float32.",
    );
    refused(() => jacobian(twice as never)(), "A gradient needs at least one tensor of floats");
  });
});
