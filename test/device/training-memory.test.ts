// Memory of training steps with all that there is for them, on every device: nothing that a step needs goes with a tidy,
// and step after step takes no byte more, with one and without.
import "./cache.ts";
import { expect, describe, test } from "vitest";
import {
  autocast,
  checkpoint,
  crossEntropy,
  gelu,
  GradScaler,
  memory,
  nn,
  optim,
  randint,
  randn,
  tidy,
  type Tensor,
} from "../../native/lib/index.ts";
import { collectGarbage } from "../../native/lib/device/collection.ts";
import { devices } from "./devices.ts";

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const kinds = [
    { name: "in float32", dtype: null, masters: false },
    { name: "in bfloat16 with master weights", dtype: null, masters: true },
    { name: "under autocast in bfloat16", dtype: "bfloat16", masters: false },
    { name: "under autocast in float16 with a scale", dtype: "float16", masters: false },
  ] as const;

  test.each(kinds)("steps $name keep what they need and nothing else", async ({ dtype, masters }) => {
    for (const isTidy of [true, false]) {
      const net = new nn.Sequential(new nn.Linear(16, 64, { device }), gelu, new nn.Linear(64, 4, { device }));
      if (masters) net.to("bfloat16");
      const optimizer = new optim.AdamW(net.parameters(), { masterWeights: masters });
      const scaler = new GradScaler({ enabled: dtype === "float16" });
      const x = randn([32, 16], { device, dtype: masters ? "bfloat16" : "float32" });
      const y = randint(0, 4, [32], { device });
      const once = (): Tensor => {
        const part = () => checkpoint((input: Tensor) => net(input), x);
        const loss = crossEntropy(dtype === null ? part() : autocast(part, { dtype }), y);
        scaler.scale(loss).backward();
        scaler.unscale(optimizer);
        optim.clipGradNorm(net.parameters(), 1);
        scaler.step(optimizer);
        scaler.update();
        optimizer.zeroGrad();
        return loss.detach();
      };
      const step = () => (isTidy ? tidy(once) : once());
      const first = step().item() as number;
      const settled = async () => {
        for (let round = 0; round < 3; round++) {
          collectGarbage();
          await new Promise(setImmediate);
        }
        return memory()[device]!.allocated;
      };
      for (let turn = 0; turn < 20; turn++) step().dispose();
      const before = await settled();
      for (let turn = 0; turn < 60; turn++) step().dispose();
      const last = step();
      expect(last.item() as number).toBeLessThan(first);
      last.dispose();
      // What one step made may be on the stack for a while.
      expect((await settled()) - before).toBeLessThan(isTidy ? 1 : 400_000);
    }
  });

  test("a gradient that nobody was shown goes when another takes its place; one that was shown stays", () => {
    const w = randn([512, 512], { device });
    w.requiresGrad = true;
    const step = (): void => tidy(() => w.mul(3).sum().backward());
    const allocated = (): number => memory()[device]!.allocated;
    const optimizer = new optim.SGD([w], { lr: 0.1 });
    const before = allocated();
    step();
    expect(allocated() - before).toBe(w.bytes);
    step();
    optimizer.step();
    expect(optim.clipGradNorm([w], 1).item()).toBeCloseTo(6 * 512, 2);
    optimizer.zeroGrad();
    expect(allocated() - before).toBeLessThan(w.bytes);

    step();
    const shown = w.grad!;
    optimizer.zeroGrad();
    expect([w.grad, shown.get(5, 7).item()]).toEqual([null, 3]);

    let passed: Tensor | undefined;
    const forget = w.registerHook((gradient) => void (passed = gradient));
    w.mul(3).sum().backward();
    forget();
    optimizer.zeroGrad();
    expect(passed!.get(5, 7).item()).toBe(3);

    collectGarbage();
    const then = allocated();
    step();
    expect(allocated() - then).toBe(w.bytes);
    w.requiresGrad = false;
    expect(allocated()).toBe(then);
  });
});
