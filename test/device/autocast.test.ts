// autocast on every device: which dtype each operation computes in, gradients in float32, weights converted once, nested
// scopes, graphs and functions with gradients.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import * as warpcell from "../../native/lib/index.ts";
import {
  autocast,
  crossEntropy,
  fuse,
  graph,
  nn,
  noGrad,
  ones,
  optim,
  randint,
  randn,
  relu,
  tidy,
  valueAndGrad,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { precisions } from "../../native/lib/amp/rules.ts";
import { operations } from "../../native/lib/ops/core/table.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);
const numbers = (x: Tensor): number[] => [x.detach().to("float64").reshape([-1]).toArray()].flat() as number[];

test("every rule is one of an operation", () => {
  expect([...precisions.keys()].filter((name) => !(name in operations))).toEqual([]);
});

test("functions that are async, and options that are none, are refused", () => {
  expect(() => autocast(async () => {})).toThrow("autocast takes a function that is not async: what comes after");
  expect(() => autocast(() => 1, { dtype: "float32" as never })).toThrow("autocast takes");
  expect(() => autocast(() => 1, { type: "float16" } as never)).toThrow("autocast has no option type.");
  expect(() => autocast(1 as never)).toThrow("autocast takes a function");
});

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const made = (shape: number[], dtype: DType = "float32") =>
    randn(shape, { device, dtype: dtype as "float32", seed: below(2 ** 31) });
  const image = () => made([1, 3, 6, 6]);

  test.each(["bfloat16", "float16"] as const)("operations compute in the dtype of their rule, under %s", (dtype) => {
    const x = made([4, 8]);
    const narrow = x.to(dtype);
    const wide = x.to("float64");
    const table: [string, () => Tensor, DType][] = [
      ["matmul", () => x.matmul(x.T), dtype],
      ["linear", () => new nn.Linear(8, 2, { device })(x), dtype],
      ["conv2d", () => warpcell.conv2d(image(), ones([2, 3, 3, 3], { device })), dtype],
      ["attention", () => nn.attention(made([1, 4, 8]), made([1, 4, 8]), made([1, 4, 8])), dtype],
      ["einsum", () => warpcell.einsum("ij,kj->ik", x, x), dtype],
      ["self attention", () => new nn.SelfAttention(8, 2, { device })(made([1, 4, 8])), dtype],
      ["lstm", () => new nn.LSTM(8, 4, { device })(made([3, 1, 8])).output, dtype],
      ["matmul of float64", () => wide.matmul(wide.T), "float64"],
      ["softmax", () => narrow.softmax(), "float32"],
      ["exp", () => narrow.exp(), "float32"],
      ["sum", () => narrow.sum(), "float32"],
      ["norm", () => narrow.norm(), "float32"],
      ["layerNorm", () => warpcell.layerNorm(narrow), "float32"],
      ["batchNorm", () => new nn.BatchNorm2d(3, { device })(image().to(dtype)), "float32"],
      ["crossEntropy", () => crossEntropy(narrow, randint(0, 8, [4], { device })), "float32"],
      ["mseLoss", () => warpcell.mseLoss(narrow, narrow), "float32"],
      ["sum of float64", () => wide.sum(), "float64"],
      ["relu", () => relu(narrow), dtype],
      ["add", () => narrow.add(narrow), dtype],
      ["add of both", () => narrow.add(x), "float32"],
      ["cat of both", () => warpcell.cat([narrow, x]), "float32"],
    ];
    const found = autocast(() => table.map(([name, fn]) => [name, fn().dtype]), { dtype });
    expect(found).toEqual(table.map(([name, , wanted]) => [name, wanted]));
    // Nothing of it is left.
    expect(x.matmul(x.T).dtype).toBe("float32");
    expect(() =>
      autocast(() => {
        throw new Error("mine");
      }),
    ).toThrow("mine");
    expect(x.matmul(x.T).dtype).toBe("float32");
  });

  test("scopes within scopes", () => {
    const x = made([2, 2]);
    const dtypes = autocast(
      () => [
        x.matmul(x).dtype,
        autocast(() => x.matmul(x).dtype, { enabled: false }),
        autocast(() => x.matmul(x).dtype, { dtype: "float16" }),
        x.matmul(x).dtype,
      ],
      { dtype: "bfloat16" },
    );
    expect(dtypes).toEqual(["bfloat16", "float32", "float16", "bfloat16"]);
  });

  test("gradients are float32, and those of the same network in bfloat16 by hand", () => {
    const [w, x] = [made([8, 3]), made([5, 8])];
    w.requiresGrad = true;
    const byHand = w.detach().clone() as Tensor;
    byHand.requiresGrad = true;
    autocast(() => x.matmul(w).softmax().square().sum().backward());
    const product = x.to("bfloat16").matmul(byHand.to("bfloat16"));
    product.to("float32").softmax().square().sum().backward();
    expect(w.grad!.dtype).toBe("float32");
    expect(numbers(w.grad!)).toEqual(numbers(byHand.grad!));
    // What is used twice adds up.
    w.grad = byHand.grad = null;
    autocast(() => x.matmul(w).add(x.mul(2).matmul(w)).sum()).backward();
    const low = byHand.to("bfloat16");
    x.to("bfloat16").matmul(low).add(x.mul(2).to("bfloat16").matmul(low)).to("float32").sum().backward();
    expect(numbers(w.grad!)).toEqual(numbers(byHand.grad!));
  });

  test("a weight is converted once, and anew where it has changed", () => {
    const [w, x] = [made([8, 8]), made([5, 8], "bfloat16")];
    w.requiresGrad = true;
    const nodes = (times: number) => {
      const fn = () => autocast(() => noGrad(() => Array.from({ length: times }, () => x.matmul(w))));
      using run = graph(fn, { device });
      run();
      run();
      return run.toString().split("\n").length - 1;
    };
    // One that converts, and as many for each product.
    const [once, thrice] = [nodes(1), nodes(3)];
    expect(thrice).toBe(1 + 3 * (once - 1));
    const seen: Tensor[] = [];
    autocast(() => {
      for (let turn = 0; turn < 3; turn++) seen.push(x.matmul(w));
      noGrad(() => w.fill_(0));
      seen.push(x.matmul(w));
    });
    expect(seen.map((each) => numbers(each).every((value) => value === 0))).toEqual([false, false, false, true]);
    // The gradient of the first is that of the weights as they were.
    const y = x.mul(1);
    y.requiresGrad = true;
    const before = made([8, 8]);
    before.requiresGrad = true;
    const product = autocast(() => {
      const first = y.matmul(before);
      noGrad(() => before.fill_(7));
      return first.sum();
    });
    const weights = numbers(before.detach());
    product.backward();
    expect(weights.every((value) => value === 7)).toBe(true);
    expect(numbers(y.grad!).some((value) => value !== 56)).toBe(true);
    // Within noGrad nothing is recorded, and what was made there has no gradient outside.
    const grown = autocast(() => {
      noGrad(() => x.matmul(w));
      return x.matmul(w).sum();
    });
    grown.backward();
    expect(w.grad).not.toBe(null);
    // A tidy within ends what it made, and no more.
    const total = autocast(() => tidy(() => x.matmul(w).sum()).add(x.matmul(w).sum()));
    total.backward();
  });

  test("a training step: valueAndGrad, fuse, a graph, and an optimiser", () => {
    const x = made([16, 8]);
    const y = randint(0, 3, [16], { device });
    const f = (weight: Tensor) => autocast(() => crossEntropy(x.matmul(weight), y));
    const start = made([8, 3]);
    const { value, gradients } = valueAndGrad(f)(start);
    expect([value.dtype, gradients[0]!.dtype]).toEqual(["float32", "float32"]);

    const fused = fuse((a: Tensor) => a.exp().add(1), { wait: true });
    const low = x.to("bfloat16");
    expect([fused(low).dtype, autocast(() => fused(low)).dtype, fused(low).dtype]).toEqual([
      "bfloat16",
      "float32",
      "bfloat16",
    ]);

    const train = (isGraph: boolean) => {
      const net = new nn.Sequential(new nn.Linear(8, 16, { device }), relu, new nn.Linear(16, 3, { device }));
      for (const [at, each] of [...net.parameters()].entries())
        noGrad(() => each.copy_(randn(each.shape, { device, seed: at + 1 })));
      const optimizer = new optim.AdamW(net.parameters(), { lr: 0.01 });
      const plain = (input: Tensor) =>
        tidy(() => {
          optimizer.zeroGrad();
          const loss = autocast(() => crossEntropy(net(input), y));
          loss.backward();
          optimizer.step();
          return loss.detach();
        });
      const step = isGraph ? graph(plain, { device }) : plain;
      return Array.from({ length: 6 }, () => step(x).item() as number);
    };
    const [one, other] = [train(false), train(true)];
    expect(other).toEqual(one);
    expect(one.at(-1)!).toBeLessThan(one[0]!);
  });
});
