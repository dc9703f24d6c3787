// fuse(fn, { parts: true }): random programs with gradients, views, changes in place and early frees give what they give
// without it, to the last bit where products are exact; and what is put off is seen by everything that follows.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  compile,
  dropout,
  fuse,
  graph,
  nn,
  optim,
  randn,
  seed,
  Stream,
  tanh,
  tensor,
  tidy,
  withStream,
  zeros,
  type DType,
  type Kernel,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison, roundoff } from "./numbers.ts";
import { freshSeed, seeded, type Random } from "../helpers/random.ts";

const parts = { parts: true, wait: true } as const;
const flat = (x: Tensor): number[] => [x.toArray()].flat(Infinity).map(Number);

/** What a function throws, as its code and its sentence. */
function thrown(body: () => unknown): [string, string] | undefined {
  try {
    body();
  } catch (error) {
    return [(error as { code: string }).code, (error as Error).message];
  }
  return undefined;
}

/** The kernels that a function launches. */
function launches(fn: () => unknown): string[] {
  using recorded = graph(() => {
    fn();
  });
  recorded();
  recorded();
  return recorded
    .toString()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(":")[0]!);
}

type Make = (random: Random, pool: readonly Tensor[]) => Tensor | null;
const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
const whole = (random: Random) => Math.floor(random() * 7) - 3;
const fits = (a: Tensor, b: Tensor): boolean =>
  [...a.shape].reverse().every((size, at) => {
    const other = b.shape.at(-1 - at) ?? 1;
    return size === other || size === 1 || other === 1;
  });
const isNumber = (x: Tensor) => x.dtype !== "bool";

/** Small whole numbers: every sum and product of a few is exact, in whatever order. */
const small = (x: Tensor) => x.clamp({ min: -7, max: 7 }) as Tensor;

const unary = ["neg", "abs", "relu", "square", "sign"] as const;
const binary = ["add", "sub", "mul", "maximum", "minimum"] as const;
const compared = ["gt", "le", "eq"] as const;

const makers: readonly Make[] = [
  (random, pool) => pick(random, pool.filter(isNumber))[pick(random, unary)]() as Tensor,
  (random, pool) => small(pick(random, pool.filter(isNumber))[pick(random, binary)](whole(random)) as Tensor),
  (random, pool) => {
    const [a, b] = [pick(random, pool.filter(isNumber)), pick(random, pool.filter(isNumber))];
    return fits(a, b) ? small(a[pick(random, binary)](b) as Tensor) : null;
  },
  (random, pool) => {
    const [a, b] = [pick(random, pool.filter(isNumber)), pick(random, pool.filter(isNumber))];
    return fits(a, b) ? (a.where(a[pick(random, compared)](b), whole(random)) as Tensor) : null;
  },
  (random, pool) => pick(random, pool.filter(isNumber))[pick(random, compared)](whole(random)) as Tensor,
  (random, pool) => pick(random, pool).to(pick(random, ["float32", "float16", "int32", "float64", "int8"])) as Tensor,
  (random, pool) => pick(random, pool).transpose() as Tensor,
  (random, pool) => {
    const x = pick(random, pool);
    return x.ndim === 2 && x.shape[0]! > 2 ? (x.slice([1, null]) as Tensor) : null;
  },
  (random, pool) => {
    const x = pick(random, pool);
    return x.ndim === 2 && x.shape[1]! > 2 ? (x.slice(null, [0, -1]) as Tensor) : null;
  },
  (random, pool) => {
    const x = pick(random, pool);
    return x.ndim === 2 ? ((random() < 0.5 ? x.slice([0, 1]) : x.slice(null, [0, 1])) as Tensor) : null;
  },
  (random, pool) => {
    const x = pick(random, pool);
    return x.reshape([...x.shape].reverse()) as Tensor;
  },
  (random, pool) => pick(random, pool).clone() as Tensor,
  (random, pool) => small(pick(random, pool.filter(isNumber)).sum({ axis: -1, keepdims: random() < 0.5 }) as Tensor),
  (random, pool) => {
    const [a, b] = [pick(random, pool), pick(random, pool)];
    return a.dtype === "float32" && b.dtype === "float32" && a.ndim === 2 && b.ndim === 2 && a.shape[1] === b.shape[0]
      ? small(a.matmul(b) as Tensor)
      : null;
  },
];

/** Changes a tensor in place; what it refuses is part of what comes out. */
function change(random: Random, pool: readonly Tensor[]): string {
  const target = pick(random, pool.filter(isNumber));
  const other = pick(random, pool.filter(isNumber));
  const name = pick(random, ["add_", "sub_", "mul_", "copy_", "fill_"] as const);
  const value = whole(random);
  const run = {
    add_: () => target.add_(fits(other, target) && random() < 0.6 ? other : value),
    sub_: () => target.sub_(other),
    mul_: () => target.mul_(value),
    copy_: () => target.copy_(other),
    fill_: () => target.fill_(value),
  };
  const refused = thrown(run[name])?.[0];
  if (refused === undefined) thrown(() => target.clamp_({ min: -7, max: 7 }));
  return `${name} ${refused}`;
}

/** A program of `steps` that its seed decides, from the same input each time; all that can be seen of it. */
function program(start: number, steps: number, device: string, withGradients: boolean): string[] {
  const random = seeded(start);
  const seen: string[] = [];
  const make = (shape: number[], dtype: DType): Tensor => {
    const count = shape.reduce((product, size) => product * size, 1);
    return tensor(Array.from({ length: count }, () => whole(random)) as never[], { dtype, device }).reshape(shape);
  };
  const pool = [make([4, 6], "float32"), make([6], "float32"), make([4, 1], "float32"), make([6, 4], "float16")];
  if (!withGradients) pool.push(make([4, 6], "int32"), make([6], "int8"));
  const leaves = withGradients ? pool.slice(0, 3) : [];
  for (const leaf of leaves) leaf.requiresGrad = true;
  for (let step = 0; step < steps; step++) {
    const what = random();
    if (what < 0.15) seen.push(change(random, pool));
    else if (what < 0.2) seen.push(`read ${flat(pick(random, pool)).join()}`);
    else if (what < 0.3) {
      const at = Math.floor(random() * pool.length);
      if (pool.length > 8 && !leaves.includes(pool[at]!)) pool.splice(at, 1)[0]!.dispose();
    } else {
      const made = pick(random, makers)(random, pool);
      if (made !== null) pool.push(made);
    }
  }
  for (const [at, x] of pool.entries()) seen.push(`${at} ${x.dtype} [${x.shape.join()}] ${flat(x).join()}`);
  if (withGradients) {
    const floats = pool.filter((x) => x.requiresGrad && (x.dtype === "float32" || x.dtype === "float16"));
    const loss = floats.map((x) => small(x).to("float64").sum() as Tensor).reduce((sum, each) => sum.add(each));
    seen.push(String(thrown(() => loss.backward())?.[0]));
    for (const leaf of leaves) seen.push(leaf.grad === null ? "none" : flat(leaf.grad as Tensor).join());
  }
  return seen;
}

describe.each(devices.map((device) => [device.name] as const))("fuse with parts on %s", (device) => {
  const start = freshSeed();
  const random = (shape: readonly number[], dtype: DType = "float32"): Tensor =>
    randn(shape, { device, dtype }) as Tensor;

  test.each([
    [0, false],
    [1, false],
    [2, true],
  ] as [
    number,
    boolean,
  ][])(`random programs give the same, from ${start} on: number %i, with gradients: %s`, async (index, withGradients) => {
    const run = () => program(start + index, 30, device, withGradients);
    const expected = run();
    poison(device, 64);
    // Operations one by one, in their order, until kernels are there.
    const later = fuse(run, { parts: true });
    expect(later()).toEqual(expected);
    await later.settled();
    poison(device, 64);
    expect(later()).toEqual(expected);
    const fused = fuse(run, parts);
    expect(fused()).toEqual(expected);
    expect(fused.source).toContain("fused_results");
  });

  test("a chain is one kernel, which writes what is still there, and says its operations", () => {
    const x = random([40, 30]);
    const y = random([30]);
    const chain = () => x.mul(2).add(y).tanh().mul(x) as Tensor;
    const tidied = fuse(() => {
      using a = x.mul(2) as Tensor;
      using b = a.add(y) as Tensor;
      using c = b.tanh() as Tensor;
      return c.mul(x) as Tensor;
    }, parts);
    expect(launches(chain)).toHaveLength(4);
    expect(launches(tidied)).toEqual(["fused_mul_add_tanh_mul<float>"]);
    const bound = 8 * roundoff.float32!;
    const [a, b] = [flat(x), flat(y)];
    flat(tidied()).forEach((value, at) => {
      const wanted = Math.tanh(2 * a[at]! + b[at % 30]!) * a[at]!;
      expect(Math.abs(value - wanted)).toBeLessThanOrEqual(bound * Math.max(1, Math.abs(a[at]!)));
    });
    expect(tidied.source).toContain("struct Results { float y0; };");
    // Without, what the function might still use is there.
    const kept = fuse(chain, parts);
    kept();
    expect(kept.source).toContain("struct Results { float y0; float y1; float y2; float y3; };");
    // What nobody can see is not computed.
    expect(launches(fuse(() => x.mul(2).add(y).dispose(), parts)).length).toBeLessThan(2);
    expect(launches(fuse(() => x.mul(2), parts))).toEqual(launches(() => x.mul(2)));
  });

  test.each(["float16", "bfloat16"] as const)("%s is rounded after each operation", (dtype) => {
    const x = random([1000], dtype);
    const chain = () => x.mul(1.37).add(0.11).square().sub(x).relu() as Tensor;
    expect(flat(fuse(chain, parts)())).toEqual(flat(chain()));
  });

  test("what comes after sees what was put off: launches, copies, views, uploads, streams, numbers", async () => {
    const source = `extern "C" __global__ void twice(float* x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] *= 2;
    }`;
    const { kernels } = await compile(source, { device });
    const twice = kernels.twice as unknown as Kernel;
    const stream = new Stream({ device });
    const run = () => {
      const x = tensor([1, 2, 3, 4], { device }) as Tensor;
      const y = x.add(1).mul(3) as Tensor;
      twice.launch({ grid: 1, block: 32 }, y, 4);
      const z = y.sub(1).neg() as Tensor;
      const part = z.slice([1, 3]) as Tensor;
      part.mul_(10).add_(1);
      z.add_(x).mul_(2);
      const t = z
        .reshape([2, 2])
        .T.add(y.reshape([2, 2]))
        .mul(2) as Tensor;
      t.copy_(
        tensor(
          [
            [1, 2],
            [3, 4],
          ],
          { device },
        ),
      );
      const before = t.add(1).mul(5) as Tensor;
      t.fill_(7);
      stream.wait();
      const other = withStream(stream, () => before.mul(2).add(1).sum());
      return [x, y, z, part, t, before, other].map((each) => flat(each as Tensor));
    };
    const expected = run();
    expect(expected[5]).toEqual([10, 15, 20, 25]);
    expect(fuse(run, parts)()).toEqual(expected);
  });

  test("other views of what was computed, and of what is changed", () => {
    const run = () => {
      const x = tensor(
        [
          [1, 2, 3],
          [4, 5, 6],
          [7, 8, 9],
        ],
        { device },
      ) as Tensor;
      const a = x.mul(2).add(1) as Tensor;
      const rows = a.sub(a.slice([0, 1])).mul(3) as Tensor;
      const b = x.mul(5).sub(1) as Tensor;
      const columns = b.sub(b.slice(null, [0, 1])).add(b.T) as Tensor;
      const c = x.add(x.slice([0, 1])).mul(2) as Tensor;
      x.mul_(10).add_(1);
      const d = x.slice([0, 1]).add(c).neg() as Tensor;
      return [x, a, rows, b, columns, c, d].map(flat);
    };
    poison(device, 9);
    const expected = run();
    expect(expected[5]).toEqual([4, 8, 12, 10, 14, 18, 16, 20, 24]);
    poison(device, 9);
    expect(fuse(run, parts)()).toEqual(expected);
  });

  test("a function within another, which may be one kernel; a failure leaves what was done before", () => {
    const x = tensor([1, 2, 3], { device }) as Tensor;
    const whole = fuse((x: Tensor) => x.mul(2).add(1), { wait: true });
    const inner = fuse((x: Tensor) => x.mul(3).sub(1) as Tensor, parts);
    const outer = fuse((x: Tensor) => {
      const a = x.add(1).mul(2) as Tensor;
      return inner(whole(a)).add(a).neg() as Tensor;
    }, parts);
    expect(flat(outer(x))).toEqual([1, 2, 3].map((value) => -(3 * (4 * (value + 1) + 1) - 1 + 2 * (value + 1))));
    const total = zeros([3], { device }) as Tensor;
    const fails = fuse(() => {
      total.add_(x).mul_(2);
      throw new RangeError("no more");
    }, parts);
    expect(() => fails()).toThrow(new RangeError("no more"));
    expect(flat(total)).toEqual([2, 4, 6]);
    expect(flat(x.add(1) as Tensor)).toEqual([2, 3, 4]);
  });

  test("refuses what is async, and operations refuse what they refuse", () => {
    const x = tensor([1, 2, 3], { device }) as Tensor;
    expect(thrown(() => fuse(async () => x.add(1), parts)())).toEqual([
      "ASYNC",
      "fuse takes a function that is not async: what comes after an await would not be fused.",
    ]);
    expect(thrown(() => fuse(() => x.add(1).add(zeros([2], { device })), parts)())).toEqual(
      thrown(() => x.add(zeros([2], { device }))),
    );
    expect(thrown(() => fuse(null as never, parts))).toEqual([
      "OPERANDS",
      "fuse takes a function of tensors but got null.",
    ]);
  });

  test("random numbers are those of the seed", () => {
    const x = random([200]);
    const run = () => {
      seed(start);
      return flat(
        dropout(x.add(1).mul(2), { p: 0.5 })
          .mul(3)
          .add(randn([200], { device }))
          .sub(1) as Tensor,
      );
    };
    const expected = run();
    // A product and a sum may be rounded at once.
    const bound = 4 * roundoff.float32!;
    fuse(run, parts)().forEach((value, at) =>
      expect(Math.abs(value - expected[at]!)).toBeLessThanOrEqual(bound * (40 + Math.abs(expected[at]!))),
    );
  });

  test("a training step, also as a graph, gives the losses of the step as it is, with fewer launches", () => {
    const make = () => {
      seed(start);
      const model = new nn.Sequential(new nn.Linear(8, 16), tanh, new nn.Linear(16, 1)).to(device);
      const optimizer = new optim.SGD([...model.parameters()], { lr: 0.05 });
      const x = randn([32, 8], { device });
      const y = randn([32, 1], { device });
      return () => {
        optimizer.zeroGrad();
        const error = (model.forward(x) as Tensor).sub(y);
        const loss = error.square().mul(0.5).add(error.abs().mul(0.1)).mean() as Tensor;
        loss.backward();
        optimizer.step();
        return loss;
      };
    };
    const losses = (step: () => Tensor) => Array.from({ length: 10 }, () => step().item() as number);
    const expected = losses(make());
    expect(expected[9]).toBeLessThan(expected[0]!);
    const fused = fuse(make(), parts);
    const step = make();
    const tidied = fuse(() => tidy(step), parts);
    for (const found of [losses(fused), losses(graph(fuse(make(), { parts: true }))), losses(tidied)])
      found.forEach((loss, at) => expect(Math.abs(loss - expected[at]!)).toBeLessThanOrEqual(2 ** -16 * expected[at]!));
    expect(launches(fused).length).toBeLessThan(launches(make()).length - 4);
  });
});
