// fuse: one kernel for a chain gives what its operations give one by one, for every operation, dtype, broadcast and
// reduction, with its gradient; what it cannot do it says.
import { describe, expect, test } from "vitest";
import "./cache.ts";
import { devices } from "./devices.ts";
import { poison, randomValues, roundoff } from "./numbers.ts";
import { full, fuse, grad, noGrad, sub, tensor, type DType, type Tensor } from "../../native/lib/index.ts";
import { callAll } from "../../native/lib/ops/core/calls.ts";
import { reducedShape } from "../../native/lib/ops/reduce/reduce.ts";
import { operationNamed, unaryRows, binaryRows } from "../../native/lib/ops/core/table.ts";

const wait = { wait: true } as const;
const flat = (x: Tensor): number[] => [x.toArray()].flat(Infinity).map(Number);

/** Each pair within `bound` of the larger of 1 and the expected value; NaN and infinities the same. */
function expectClose(actual: Tensor, expected: readonly number[], bound: number): void {
  const values = flat(actual);
  expect(values.length).toBe(expected.length);
  values.forEach((value, at) => {
    const wanted = expected[at]!;
    if (!Number.isFinite(wanted)) return expect([at, value]).toEqual([at, wanted]);
    if (!(Math.abs(value - wanted) <= bound * Math.max(1, Math.abs(wanted)))) expect([at, value]).toEqual([at, wanted]);
  });
}

describe.each(devices.map((device) => [device.name] as const))("fuse on %s", (device) => {
  const random = (shape: readonly number[], dtype: DType = "float32"): Tensor => {
    const count = shape.reduce((product, size) => product * size, 1);
    return tensor(randomValues(count, dtype) as never[], { dtype, device }).reshape(shape);
  };

  test.each([0, 1, 65, 768, 1000, 1025, 40000])("a chain of %i elements and its sum", (count) => {
    const x = random([count]);
    const y = random([count]);
    const [a, b] = [flat(x), flat(y)];
    const values = a.map((value, at) => Math.tanh(2 * value + b[at]!));
    poison(device, count + 1);
    expectClose(fuse((x: Tensor, y: Tensor) => x.mul(2).add(y).tanh(), wait)(x, y), values, 8 * roundoff.float32!);
    const sum = fuse((x: Tensor, y: Tensor) => x.mul(2).add(y).tanh().sum().add(1), wait)(x, y);
    expectClose(
      sum,
      [values.reduce((sum, value) => sum + value, 1)],
      (8 + Math.sqrt(count)) * roundoff.float32! * Math.max(1, Math.sqrt(count)),
    );
  });

  test("every function of one number, of two and with parameters, gives what it gives alone", () => {
    const x = random([300]).mul(0.2).add(1.5);
    const y = random([300]).abs().add(1);
    const names = Object.entries(unaryRows)
      .filter(([, { domain, result }]) => (domain === "number" || domain === "float") && result === "same")
      .map(([name]) => name) as "exp"[];
    const pairs = Object.entries(binaryRows)
      .filter(([, { domain, result }]) => (domain === "number" || domain === "float") && result === "same")
      .map(([name]) => name) as "add"[];
    expect(names.length + pairs.length).toBeGreaterThan(55);
    const parts = (x: Tensor, y: Tensor): Tensor[] => [
      ...names.map((name) => x[name]()),
      ...pairs.map((name) => x[name](y)),
      ...pairs.map((name) => x[name](0.75)),
      sub(2, x),
      x.clamp({ min: 1.4, max: 1.6 }),
      x.gelu(),
      x.gelu({ approximate: "tanh" }),
      x.sub(1.5).leakyRelu(0.1),
      x.sub(1.5).elu(0.5),
      x.sub(1.5).celu(0.5),
      x.hardtanh({ min: 1.4, max: 1.6 }),
      x.threshold(1.5, 3),
      x.softshrink(1.5),
      x.hardshrink(1.5),
      x.where(x.gt(y), y),
      x.where(x.le(1.5).logicalAnd(x.isfinite()), -1),
      x.ge(y).to("float32"),
      x.to("int32").to("float32"),
    ];
    // NaN of one function would hide the others.
    const sum = (parts: Tensor[]) =>
      parts.map((part) => part.where(part.isfinite(), 0)).reduce((sum, part) => sum.add(part));
    const expected = flat(sum(parts(x.to("float64") as Tensor, y.to("float64") as Tensor)));
    const size = parts(x, y).reduce(
      (sum, part) => (sum + part.where(part.isfinite(), 0).abs().max().item()) as number,
      0,
    );
    expectClose(fuse((x: Tensor, y: Tensor) => sum(parts(x, y)), wait)(x, y), expected, 200 * size * roundoff.float32!);
  });

  test.each([
    ["a row", [7, 100], [100]],
    ["a column", [7, 100], [7, 1]],
    ["both", [7, 1], [1, 100]],
    ["one number", [7, 100], []],
    ["more axes", [3, 1, 5], [2, 3, 4, 5]],
    ["one row", [1, 64], [64]],
  ] as const)("broadcasts %s", (_, a, b) => {
    const [x, y] = [random(a), random(b)];
    const fn = (x: Tensor, y: Tensor) => x.mul(3).sub(y).mul(y);
    const expected = fn(x.to("float64") as Tensor, y.to("float64") as Tensor);
    poison(device, expected.size);
    const result = fuse(fn, wait)(x, y);
    expect(result.shape).toEqual(expected.shape);
    expectClose(result, flat(expected), 16 * roundoff.float32!);
    const sum = fuse((x: Tensor, y: Tensor) => fn(x, y).sum({ axis: -1, keepdims: true }), wait)(x, y);
    expect(sum.shape).toEqual(fn(x, y).sum({ axis: -1, keepdims: true }).shape);
    expectClose(sum, flat(expected.sum({ axis: -1, keepdims: true })), 1000 * roundoff.float32!);
  });

  test("views: transposed, sliced with steps and from odd places, expanded, and taken inside the function", () => {
    const x = random([40, 30]);
    const y = random([1201]).slice([1, null]).reshape([30, 40]);
    const fn = (x: Tensor, y: Tensor) =>
      x
        .add(y)
        .mul(0.5)
        .sum({ axis: [-1] });
    for (const [a, b] of [
      [x.transpose(), y],
      [x.slice([0, 30], [0, 20]), y.slice(null, [0, null, 2])],
      [x.slice([3, 4]).expand([30, 30]), y.slice(null, [5, 35])],
    ] as const) {
      expectClose(
        fuse(fn, wait)(a, b),
        flat(fn(a.to("float64") as Tensor, b.to("float64") as Tensor)),
        100 * roundoff.float32!,
      );
      expectClose(
        fuse((x: Tensor, y: Tensor) => x.add(y).abs(), wait)(a, b),
        flat(a.add(b).abs()),
        2 * roundoff.float32!,
      );
    }
    const inside = (x: Tensor, y: Tensor) =>
      x
        .transpose()
        .add(y)
        .mul(x.slice([2, 3], null).reshape([30, 1]));
    expectClose(fuse(inside, wait)(x, y), flat(inside(x, y)), 4 * roundoff.float32!);
  });

  test.each([
    "sum",
    "mean",
    "max",
    "min",
  ] as const)("%s over the last axes, all of them, few long rows and many short ones", (name) => {
    for (const [shape, axis] of [
      [[5, 1000], -1],
      [
        [3, 4, 50],
        [1, 2],
      ],
      [[2, 70000], 1],
      [[3000, 3], 1],
      [[6, 7], undefined],
      [[4, 1], 1],
    ] as const) {
      const x = random(shape);
      const fn = (x: Tensor) =>
        x
          .mul(x)
          .sub(0.5)
          [name](axis === undefined ? {} : { axis })
          .mul(2);
      poison(device, 40000);
      expectClose(
        fuse(fn, wait)(x),
        flat(fn(x.to("float64") as Tensor)),
        400 * roundoff.float32! * (name === "sum" ? Math.sqrt(x.size) : 1),
      );
    }
  });

  test("every reduction of the table that has a kernel", () => {
    const x = random([9, 300]);
    const attributes = { axes: [1], keepdims: false, correction: 1 };
    for (const name of ["prod", "norm", "any", "all", "argmax", "argmin", "logsumexp", "variance", "std"] as const) {
      expect(operationNamed(name)).toHaveProperty("reducing");
      const fn = (x: Tensor) => applied(name, x.mul(0.5).add(0.5), attributes).to("float64");
      const expected = fn(x.to("float64") as Tensor);
      expect(reducedShape(x.shape, attributes)).toEqual(expected.shape);
      expectClose(fuse(fn, wait)(x), flat(expected), 1e-4);
    }
  });

  const softmax = (x: Tensor) => {
    const e = x.sub(x.max({ axis: -1, keepdims: true })).exp();
    return e.div(e.sum({ axis: -1, keepdims: true }));
  };
  const layerNorm = (x: Tensor, weight: Tensor, bias: Tensor) => {
    const centred = x.sub(x.mean({ axis: -1, keepdims: true }));
    return centred
      .mul(centred.square().mean({ axis: -1, keepdims: true }).add(1e-5).rsqrt())
      .mul(weight)
      .add(bias);
  };

  test.each([1, 65, 768, 1025, 5000])("softmax and layer norm over rows of %i", (length) => {
    const x = random([6, length]);
    const [weight, bias] = [random([length]), random([length])];
    poison(device, 6 * length);
    expectClose(fuse(softmax, wait)(x), flat(softmax(x.to("float64") as Tensor)), 64 * roundoff.float32!);
    const expected = layerNorm(x.to("float64") as Tensor, weight.to("float64") as Tensor, bias.to("float64") as Tensor);
    expectClose(
      fuse(layerNorm, wait)(x, weight, bias),
      flat(expected),
      (length === 1 ? 1000 : 256) * roundoff.float32!,
    );
  });

  test.each(["float64", "float16", "bfloat16"] as const)("%s: computed wide, rounded once", (dtype) => {
    const x = random([5, 200], dtype);
    const y = random([200], dtype);
    const fn = (x: Tensor, y: Tensor) => x.mul(2).add(y).tanh();
    const expected = flat(fn(x.to("float64") as Tensor, y.to("float64") as Tensor));
    const result = fuse(fn, wait)(x, y);
    expect(result.dtype).toBe(dtype);
    expectClose(result, expected, Math.max(roundoff[dtype]! * 1.01, 16 * (dtype === "float64" ? 2 ** -53 : 2 ** -24)));
    expectClose(
      fuse((x: Tensor, y: Tensor) => fn(x, y).mean({ axis: -1 }), wait)(x, y),
      flat(fn(x.to("float64") as Tensor, y.to("float64") as Tensor).mean({ axis: -1 })),
      Math.max(roundoff[dtype]! * 1.01, 2 ** -20),
    );
  });

  test("integers wrap around as they do alone, and mix with floats, bool and numbers as they do alone", () => {
    for (const dtype of ["int8", "uint8", "int32", "int64"] as const) {
      const x = random([400], dtype);
      const fn = (x: Tensor) => x.mul(x).add(7).sub(x.floorDivide(3)).abs();
      const [result, expected] = [fuse(fn, wait)(x), fn(x)];
      expect(result.dtype).toBe(expected.dtype);
      expect(result.toArray()).toEqual(expected.toArray());
      const mixed = (x: Tensor) => x.add(0.5).mul(x.gt(3)).where(x.ne(0), -1);
      expect(fuse(mixed, wait)(x).dtype).toBe(mixed(x).dtype);
      expectClose(fuse(mixed, wait)(x), flat(mixed(x)), 4 * roundoff.float32!);
    }
    const bits = random([100], "bool");
    expect(fuse((b: Tensor) => b.logicalNot().bitwiseOr(b), wait)(bits).toArray()).toEqual(Array(100).fill(true));
  });

  test("NaN, infinities and zeros come through", () => {
    const x = tensor([NaN, Infinity, -Infinity, 0, -0, 1e-45, 3e38], { device });
    expect(fuse((x: Tensor) => x.relu().mul(1).maximum(-1), wait)(x).toArray()).toEqual(
      x.relu().mul(1).maximum(-1).toArray(),
    );
    expect(fuse((x: Tensor) => x.mul(2).max(), wait)(x).item()).toBeNaN();
  });

  test("numbers are arguments: another one, and another tensor that is captured, compiles nothing and counts", () => {
    let rate = 2;
    let other = full([50], 1, { device });
    const f = fuse((x: Tensor, by: number) => x.mul(rate).add(by).add(other), wait);
    const x = full([50], 3, { device });
    expect(f.source).toBeNull();
    expect(flat(f(x, 10))[0]).toBe(17);
    const { source } = f;
    expect(source).toContain("Mul::of");
    [rate, other] = [5, full([50], 2, { device })];
    expect(flat(f(x, 20))[49]).toBe(37);
    expect(f.source).toBe(source);
    // Other sizes neither.
    expect(flat(f(full([50], 0, { device }).reshape([1, 50]).expand([3, 50]), 1))[149]).toBe(3);
  });

  test("calls run unfused until the kernel is there", async () => {
    let runs = 0;
    const constant = Math.random();
    const fn = (x: Tensor) => {
      runs += 1;
      return x.add(constant).sin().cos().sin().mul(3).sum({ axis: -1 });
    };
    const x = random([4, 33]);
    const f = fuse(fn);
    const expected = flat(fn(x.to("float64") as Tensor));
    runs = 0;
    expectClose(f(x), expected, 200 * roundoff.float32!);
    const first = runs;
    await f.settled();
    expectClose(f(x), expected, 200 * roundoff.float32!);
    // Traced only.
    expect(runs).toBe(first + 1);
  });

  describe("gradients", () => {
    const cases: [string, (x: Tensor, y: Tensor) => Tensor][] = [
      ["elementwise", (x, y) => x.mul(y).add(x.tanh()).sigmoid().mul(x)],
      ["a row sum", (x, y) => x.mul(2).add(y).tanh().sum({ axis: -1 })],
      ["softmax", (x, y) => softmax(x.mul(y)).mul(x)],
      ["a mean of all", (x, y) => x.sub(y).square().mean()],
    ];
    test.each(cases)("of %s: fused, and unfused where no kernel computes it", (_, fn) => {
      const x = random([6, 50]);
      const y = random([50]);
      const loss = (f: (x: Tensor, y: Tensor) => Tensor) => (x: Tensor, y: Tensor) => f(x, y).sin().sum();
      const fused = fuse(fn, wait);
      const [gx, gy] = grad(loss(fused))(x, y) as unknown as Tensor[];
      const [ex, ey] = grad(loss(fn))(x.to("float64") as Tensor, y.to("float64") as Tensor) as unknown as Tensor[];
      expect(gx!.shape).toEqual(x.shape);
      expect(gy!.shape).toEqual(y.shape);
      expectClose(gx!, flat(ex!), 500 * roundoff.float32!);
      expectClose(gy!, flat(ey!), 3000 * roundoff.float32!);
    });

    test("of gradients", () => {
      const x = random([20]);
      const fused = fuse((x: Tensor) => x.tanh().mul(x), wait);
      const second = (f: (x: Tensor) => Tensor) =>
        grad((x: Tensor) =>
          grad((x: Tensor) => f(x).sum())(x)
            .square()
            .sum(),
        );
      expectClose(
        second(fused)(x),
        flat(second((x: Tensor) => x.tanh().mul(x))(x.to("float64") as Tensor)),
        500 * roundoff.float32!,
      );
    });

    test("of captured tensors; none where nobody wants one", () => {
      const weight = random([30]);
      weight.requiresGrad = true;
      const f = fuse((x: Tensor) => x.mul(weight).exp().sum({ axis: -1 }), wait);
      const x = random([4, 30]);
      f(x).sum().backward();
      expectClose(weight.grad!, flat(x.mul(weight.detach()).exp().mul(x).sum({ axis: 0 })), 500 * roundoff.float32!);
      expect(noGrad(() => f(x)).requiresGrad).toBe(false);
    });
  });

  test("what cannot be fused is named, with why", () => {
    const x = random([8, 8]);
    const attempt = (fn: (x: Tensor) => Tensor) => () => fuse(fn, wait)(x);
    expect(attempt((x) => x.matmul(x))).toThrow(
      "matmul cannot be fused: fuse takes elementwise operations and reductions over the last axes. Do it before the fused function, or after it.",
    );
    expect(attempt((x) => x.exp().transpose())).toThrow(
      "permute cannot be fused: it moves elements that the function computes, here from [8, 8] to [8, 8]. Do it before the fused function, or after it.",
    );
    expect(attempt((x) => x.exp().sum({ axis: 0 }))).toThrow(
      "sum cannot be fused over axes 0 of [8, 8]: fuse reduces the last axes, or all. Transpose the operands first, or reduce after the fused function.",
    );
    expect(attempt((x) => x.exp().sum({ axis: -1, keepdims: true }).add(x.sum()))).toThrow(
      "sum cannot be fused: it reduces [8, 8] from axis 0, another reduction of the function [8, 8] from axis 1. One kernel works on rows of one length.",
    );
    expect(attempt((x) => x.sub(x.mean({ axis: -1 })))).toThrow(
      "Reduce with { keepdims: true }, or do it after the fused function.",
    );
    expect(attempt((x) => x.add_(1))).toThrow(
      "add_ changes a tensor in place, which a fused function cannot do: use add.",
    );
    expect(attempt((x) => x.mul(x.max().item() as number))).toThrow(
      "A function given to fuse is traced without numbers, so that nothing in it can read a tensor or launch a kernel on it: return the tensor, and read it outside.",
    );
    expect(attempt(() => x)).toThrow(
      "The tensor that a fused function returns does not depend on any of its arguments.",
    );
    expect(attempt(() => 3 as unknown as Tensor)).toThrow(
      "A fused function must return one tensor, but this one returned 3.",
    );
    expect(
      attempt(() => {
        throw new RangeError("mine");
      }),
    ).toThrow(new RangeError("mine"));
    expect(() => fuse(3 as never)).toThrow("fuse takes a function of tensors but got 3.");
    expect(() => fuse((x: number) => x as unknown as Tensor)(3)).toThrow("A fused function takes at least one tensor.");
    expect(attempt((x) => x.add(random([3])))).toThrow("broadcast");
  });
});

function applied(name: string, x: Tensor, attributes: object): Tensor {
  return callAll(name, [x], attributes)[0] as Tensor;
}
