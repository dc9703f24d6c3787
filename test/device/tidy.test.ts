// Memory of tensors on every device: what tidy disposes of and what it leaves, and that code which disposes of nothing takes no more and more.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { grad, memory, ones, rand, tensor, TensorError, tidy, type Tensor, zeros } from "../../native/lib/index.ts";
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
      "tidy takes a function that is not async: other code makes tensors while one waits. Use tidy between the awaits, or `using x = …` for single tensors.",
    ];
    let runs = 0;
    expect(
      refused(async () => {
        runs += 1;
      }),
    ).toEqual(sentence);
    expect(runs).toBe(0);
    expect(refused(() => Promise.resolve(1))).toEqual(sentence);
    expect(refused(7)).toEqual(["OPERANDS", "tidy takes a function: tidy(() => x.mul(2).sum())."]);
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
    // The least of some: the stack may hold the tensors of one step for a while, but what is lost stays lost, step after step.
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
