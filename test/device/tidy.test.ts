// Memory of tensors on every device: what tidy disposes of and what it leaves, and that code which disposes of nothing
// takes no more and more.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  AutogradFunction,
  cat,
  crossEntropy,
  einsum,
  fuse,
  grad,
  gradients,
  layerNorm,
  linear,
  memory,
  mseLoss,
  nn,
  ones,
  optim,
  rand,
  seed,
  stack,
  tensor,
  TensorError,
  tidy,
  Tensor,
  type FunctionContext,
  zeros,
} from "../../native/lib/index.ts";
import { copy, fill } from "../../native/lib/ops/shape/copy.ts";
import { matmulInto } from "../../native/lib/ops/linear/matrix-product.ts";
import { updateAll } from "../../native/lib/ops/updates.ts";
import { collectGarbage } from "../../native/lib/device/collection.ts";
import { devices } from "./devices.ts";

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const allocated = () => memory()[device]!.allocated;
  zeros([1], { device }).dispose();

  test("what tidy returns stays, everything else goes", () => {
    const outside = ones([1000], { device });
    const before = allocated();
    const inner: Tensor[] = [];
    const result = tidy(() => {
      const a = outside.mul(2),
        b = a.add(1);
      inner.push(a, b, a.reshape([10, 100]));
      return {
        sum: b.sum(),
        list: [b.exp(), { deep: a.slice([0, 2]) }],
        map: new Map([["x", b.neg()]]),
        text: "x",
        bytes: new Uint8Array(4),
      };
    });
    expect(inner.map(({ isDisposed }) => isDisposed)).toEqual([true, true, true]);
    expect([
      result.sum.item(),
      (result.list[1] as { deep: Tensor }).deep.toArray(),
      (result.map.get("x")!.toArray() as number[])[999],
      outside.isDisposed,
    ]).toEqual([3000, [2, 2], -3, false]);
    result.sum.dispose();
    (result.list[0] as Tensor).dispose();
    (result.list[1] as { deep: Tensor }).deep.dispose();
    result.map.get("x")!.dispose();
    expect(allocated()).toBe(before);
  });

  test("scopes nest, and one that throws leaves nothing, 1,000 times", () => {
    const x = ones([256], { device });
    const before = allocated();
    for (let step = 0; step < 1000; step++) {
      expect(() =>
        tidy(() => {
          x.exp().add(tidy(() => x.mul(step).neg()));
          throw new Error("no");
        }),
      ).toThrow("no");
    }
    expect(allocated()).toBe(before);
    let kept: Tensor | undefined;
    const outer = tidy(() => {
      kept = tidy(() => x.add(1).mul(2));
      expect(kept.isDisposed).toBe(false);
      return kept.sum();
    });
    expect([kept!.isDisposed, outer.item()]).toEqual([true, 1024]);
  });

  test("gradients live on: those of tensors, and the tape of what is returned", () => {
    const w = tensor([1, 2, 3], { device });
    w.requiresGrad = true;
    tidy(() => w.mul(w).sum().backward());
    expect(w.grad!.toArray()).toEqual([2, 4, 6]);
    w.grad = null;
    const loss = tidy(() => w.mul(w).mul(w).sum());
    loss.backward();
    expect(w.grad!.toArray()).toEqual([3, 12, 27]);
    const running = zeros([3], { device });
    tidy(() => {
      running.add_(w.mul(2));
    });
    running.sum().backward();
    expect(w.grad!.toArray()).toEqual([5, 14, 29]);
    expect(tidy(() => grad((x: Tensor) => x.mul(x).sum())(tensor([4], { device }))).toArray()).toEqual([8]);
  });

  test("training steps in tidy, the first one too, are those without it", () => {
    const train = (isTidy: boolean) => {
      seed(7);
      const net = new nn.Sequential(
        new nn.Linear(3, 4, { device }),
        new nn.Dropout(0.2),
        new nn.Linear(4, 1, { device }),
      );
      const optimizers = [
        new optim.Adam(net.layers[0] instanceof nn.Module ? net.layers[0].parameters() : []),
        new optim.SGD((net.layers[2] as nn.Module).parameters(), { lr: 0.1, momentum: 0.9 }),
      ];
      const x = rand([8, 3], { device, seed: 3 });
      const step = () => {
        const loss = net.forward(x).square().mean();
        for (const optimizer of optimizers) optimizer.zeroGrad();
        loss.backward();
        for (const optimizer of optimizers) optimizer.step();
        return loss;
      };
      return Array.from({ length: 6 }, () => (isTidy ? tidy(step) : step()).item());
    };
    const losses = train(true);
    expect(losses).toEqual(train(false));
    expect(losses.every((loss) => Number.isFinite(loss as number))).toBe(true);
  });

  test("what a module and an optimiser own outlives the scope that made it", () => {
    let net!: nn.Linear, optimizer!: optim.Adam;
    tidy(() => {
      net = new nn.Linear(2, 1, { device });
      optimizer = new optim.Adam(net.parameters());
      tidy(() =>
        net
          .forward(ones([1, 2], { device }))
          .sum()
          .backward(),
      );
      const other = new optim.Adam(net.parameters());
      other.step();
      optimizer.loadStateDict(other.stateDict());
    });
    optimizer.step();
    expect(net.parameters().map((each) => each.isDisposed)).toEqual([false, false]);
    expect(Object.keys(optimizer.stateDict()).length).toBe(7);
  });

  test("a tensor that has been disposed of is told by the name of what was called with it", () => {
    const x = tensor(
      [
        [1, 2],
        [3, 4],
      ],
      { device },
    );
    const gone = x.clone();
    gone.dispose();
    const list = tensor([0n, 1n], { device });
    const mask = x.gt(2);
    const calls: Record<string, () => unknown> = {
      transpose: () => gone.transpose(),
      contiguous: () => gone.contiguous(),
      expand: () => gone.expand([2, 2]),
      clone: () => gone.clone(),
      to: () => gone.to("float64"),
      fill_: () => gone.fill_(0),
      copy_: () => x.copy_(gone),
      detach: () => gone.detach(),
      get: () => gone.get(0),
      set: () => gone.set([0], 1),
      uniform_: () => gone.uniform_(),
      clamp: () => gone.clamp(0, 1),
      lerp: () => x.lerp(gone, 0.5),
      where: () => x.where(mask, gone),
      take: () => gone.take([0]),
      gather: () => gone.gather(0, [[0, 1]]),
      indexSelect: () => x.indexSelect(0, list).indexSelect(1, dropped(list)),
      scatterAdd_: () => gone.scatterAdd_(0, [[0, 1]], x),
      squeeze: () => gone.squeeze(),
      flip: () => gone.flip(0),
      unbind: () => gone.unbind(),
      pad: () => gone.pad([1, 1]),
      median: () => gone.median(),
      quantile: () => x.quantile(dropped(tensor([0.5], { device }))),
      unique: () => gone.unique(),
      histogram: () => gone.histogram(),
      cov: () => gone.cov(),
      nanmean: () => gone.nanmean(),
      stack: () => stack([x, gone]),
      einsum: () => einsum("ij->ji", gone),
      crossEntropy: () => crossEntropy(x, dropped(list)),
      layerNorm: () => layerNorm(gone),
      mseLoss: () => mseLoss(x, gone),
    };
    for (const [name, call] of Object.entries(calls))
      expect(call, name).toThrow(new RegExp(`^An operand of ${name}, shape \\[.*\\], has been disposed of\\.$`));

    function dropped(tensor: Tensor): Tensor {
      const copy = tensor.clone();
      copy.dispose();
      return copy;
    }
  });

  test("without a tidy, too, nothing is left of what these make on the way", () => {
    const x = ones([70, 300], { device });
    const mask = x.gt(0);
    const calls: Record<string, () => Tensor | object> = {
      nonzero: () => x.nonzero(),
      "nonzero of a mask": () => mask.reshape([-1]).nonzero(),
      unique: () => x.unique(),
      softmax: () => x.softmax({ axis: 0 }),
      logSoftmax: () => x.T.logSoftmax({ axis: 0 }),
      countNonzero: () => x.countNonzero(),
      "cat of a turned one": () => cat([x.T, x.T], { axis: 1 }),
      pad: () => x.pad([1, 2]),
    };
    for (const [name, call] of Object.entries(calls)) {
      const before = allocated();
      const made = call();
      for (const each of made instanceof Tensor ? [made] : Object.values(made)) each.dispose();
      expect(allocated(), name).toBe(before);
    }
  });

  test("nothing is computed with a tensor that has been disposed of", () => {
    const gone = ones([2, 2], { device });
    const x = ones([2, 2], { device });
    gone.dispose();
    const disposed = (use: () => unknown) => {
      try {
        use();
        return "nothing was thrown";
      } catch (error) {
        return (error as TensorError).code;
      }
    };
    const fused = fuse((a: Tensor) => a.mul(gone).add(1), { wait: true });
    const parameter = ones([2, 2], { device });
    parameter.requiresGrad = true;
    parameter.grad = gone;
    const row = { weights: x, gradient: x, master: null, kept: [x, x], slot: 0 };
    const still = { skip: null, skips: null };
    const uses: (() => unknown)[] = [
      () => gone.add(1),
      () => gone.add_(1),
      () => gone.fill_(1),
      () => gone.uniform_(),
      () => gone.clone(),
      () => gone.reshape([4]),
      () => gone.toArray(),
      () => gone.data(),
      () => gone.memory(),
      () => gone.to("float64"),
      () => gone.set([0], 1),
      () => gone.sum(),
      () => gone.sort(),
      () => gone.address,
      () => x.copy_(gone),
      () => x.matmul(gone),
      () => linear(x, gone),
      () => linear(x, x, gone),
      () => x.where(x.eq(1) as Tensor<"bool">, gone),
      () => cat([x, gone]),
      () => fused(x),
      () => fused(gone),
      () => new optim.SGD([parameter]).step(),
      () => new optim.Adam([parameter]).step(),
      () => copy(x.execution, x, gone),
      () => copy(x.execution, gone, x),
      () => fill(x.execution, gone, 0),
      () => updateAll(x.execution, "adam", [{ ...row, kept: [x, gone] }], still, () => Array<number>(12).fill(0)),
      () => updateAll(x.execution, "adam", [{ ...row, gradient: gone }], still, () => Array<number>(12).fill(0)),
      () => optim.clipGradNorm([parameter], 1),
      () => matmulInto(x.execution, gone, x, x),
      () => matmulInto(x.execution, x, gone, x),
    ];
    expect(uses.map(disposed).filter((code) => code !== "DISPOSED")).toEqual([]);
    expect(x.toArray()).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  test("what tidy refuses", () => {
    const refused = (fn: unknown) => {
      try {
        tidy(fn as () => unknown);
        return null;
      } catch (error) {
        return [(error as TensorError).code, (error as Error).message];
      }
    };
    const sentence = [
      "ASYNC",
      "tidy takes a function that is not async: other code may make tensors while it awaits. Use tidy between awaits, or `using x = …` for single tensors.",
    ];
    let runs = 0;
    expect(
      refused(async () => {
        runs += 1;
      }),
    ).toEqual(sentence);
    expect(runs).toBe(0);
    expect(refused(() => Promise.resolve(1))).toEqual(sentence);
    expect(refused(7)).toEqual(["OPERANDS", "tidy takes a function, tidy(() => x.mul(2).sum()), but got 7."]);
  });

  test("`using` frees at the end of the block, also when it throws", () => {
    const before = allocated();
    expect(() => {
      using x = rand([1000], { device });
      using y = x.mul(2);
      throw new Error(`${y.size}`);
    }).toThrow("1000");
    {
      using x = rand([1000], { device });
      expect(allocated()).toBeGreaterThan(before);
      expect(x.size).toBe(1000);
    }
    expect(allocated()).toBe(before);
  });

  test("gradients on the way go once they are used, but for those that a user was shown", () => {
    const leaf = () => {
      const x = rand([1 << 16], { device });
      x.requiresGrad = true;
      return x;
    };
    const chain = (x: Tensor): Tensor => {
      let y = x;
      for (let i = 0; i < 20; i++)
        y = y
          .reshape([256, 256])
          .sin()
          .add(y.reshape([256, 256]))
          .reshape([-1]);
      return y;
    };
    const x = leaf();
    const loss = tidy(() => chain(x).sum());
    const before = allocated();
    loss.backward();
    // What the tape held has gone, and the gradient of x is there.
    expect(allocated()).toBeLessThanOrEqual(before + 2 * x.bytes);

    // A hook's, retained ones, and those of a function of a user's.
    const kept: Tensor[] = [];
    class Doubled extends AutogradFunction {
      static forward(_: FunctionContext, y: Tensor): Tensor {
        return y.mul(2);
      }
      static backward(_: FunctionContext, gradient: Tensor): Tensor {
        kept.push(gradient);
        return gradient.mul(2);
      }
    }
    const w = leaf();
    const hooked = w.mul(3);
    hooked.registerHook((gradient) => {
      kept.push(gradient);
    });
    const retained = hooked.add(1);
    retained.retainGrad();
    (Doubled.apply(retained) as Tensor).mul(5).sum().backward();
    expect(kept.map((each) => each.get(0).item())).toEqual([5, 10]);
    expect(retained.grad!.get(0).item()).toBe(10);
    expect(w.grad!.get(0).item()).toBe(30);
    // One that is asked for, of a result on the way and of a leaf.
    const between = w.mul(4);
    const asked = gradients(between.mul(2).sum(), [between, w]);
    expect(asked.map((each) => each.get(0).item())).toEqual([2, 8]);
  });

  test("1,000 steps that dispose of nothing, and 1,000 in tidy: no byte more", async () => {
    const x = rand([64, 64], { device });
    const step = () => x.matmul(x).add(1).tanh().sum({ axis: 0 }).exp();
    const measure = async () => {
      await new Promise(setImmediate);
      collectGarbage();
      return allocated();
    };
    const repeat = (run: () => unknown, times: number) => {
      for (let i = 0; i < times; i++) run();
    };
    // The least of some: the stack may hold the tensors of one step for a while, but what is lost stays lost, step
    // after step.
    const oneStep = 4 * x.bytes;
    const drift = async (run: () => unknown) => {
      const rounds: number[] = [];
      for (const times of [5, 5, 5, 400, 300, 300]) {
        repeat(run, times);
        rounds.push(await measure());
      }
      return Math.min(...rounds.slice(3)) - Math.min(...rounds.slice(0, 3));
    };
    expect(await drift(step)).toBeLessThan(oneStep);
    expect(
      await drift(() => {
        tidy(step).dispose();
      }),
    ).toBeLessThan(oneStep);
  });
});
