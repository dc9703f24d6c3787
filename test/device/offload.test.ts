// offload on every device: the same gradients to the bit, of tensors that are not inputs, too, of gradients of
// gradients, with a tape that stays; less memory; nothing left over; and every error.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  checkpoint,
  dropout,
  grad,
  graph,
  memory,
  nn,
  noGrad,
  offload,
  ones,
  randn,
  seed,
  tidy,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { collectGarbage } from "../../native/lib/device/collection.ts";
import { deviceNamed } from "../../native/lib/device/choice.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
type Offload = typeof offload;
const plainly = ((fn: (...inputs: unknown[]) => unknown, ...inputs: unknown[]) => fn(...inputs)) as Offload;
const numbers = (x: Tensor): number[] => [x.detach().to("float64").reshape([-1]).toArray()].flat() as number[];

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const made = (shape: number[]) => randn(shape, { device, seed: Math.floor(random() * 2 ** 31) });
  const leaf = (x: Tensor) => {
    x.requiresGrad = true;
    return x;
  };
  function both(run: (offload: Offload) => Tensor, leaves: readonly Tensor[]): void {
    const results = [plainly, offload].map((each) => {
      for (const x of leaves) x.grad = null;
      seed(5);
      const loss = run(each);
      loss.backward();
      return [numbers(loss), ...leaves.map((x) => x.grad && numbers(x.grad))];
    });
    expect(results[1]).toEqual(results[0]);
    expect(leaves.every((x) => x.grad !== null)).toBe(true);
  }

  test("gradients are the same to the bit, of functions in a row and of what is no input", () => {
    const [x, w, b] = [leaf(made([64, 32])), leaf(made([32, 32])), leaf(made([32]))];
    both(
      (each) => {
        const before = x.mul(3).sin() as Tensor;
        let y: Tensor = x;
        for (let block = 0; block < 4; block++)
          y = each((y: Tensor) => dropout(y.matmul(w).add(b).tanh().mul(before), 0.3) as Tensor, y);
        return y.square().sum() as Tensor;
      },
      [x, w, b],
    );
    const whole = (x: Tensor) => x.reshape([-1]).detach() as Tensor;
    // Several results, views, changes in place, and other values as inputs.
    both(
      (each) => {
        const { parts, sum } = each(
          (y: Tensor, scale: number) => {
            const z = y.exp().mul(scale).T as Tensor;
            const whole = z.reshape([-1]).softmax(0) as Tensor;
            const changed = (z.add(1) as Tensor).mul_(2) as Tensor;
            return { parts: [changed.slice([0, 4]), whole], sum: changed.log().sum() };
          },
          x,
          0.5,
        );
        return (
          parts[0]!
            .square()
            .sum()
            .add(parts[1]!.mul(whole(x)).sum()) as Tensor
        ).add(sum) as Tensor;
      },
      [x],
    );
  });

  test("a transformer's layers, gradients of gradients, a tape that stays, and within checkpoint", () => {
    const layers = [0, 1, 2].map(
      () => new nn.Sequential(new nn.Linear(48, 96), (x: Tensor) => x.tanh(), new nn.Linear(96, 48)),
    );
    for (const layer of layers) layer.to(device);
    const x = leaf(made([40, 48]));
    const parameters = layers.flatMap((layer) => [...layer.parameters()]);
    const through = (each: Offload, x: Tensor) =>
      layers
        .reduce((y, layer) => each((y: Tensor) => layer(y).add(y), y) as Tensor, x)
        .square()
        .mean() as Tensor;
    both((each) => through(each, x), [x, ...parameters]);
    const second = (each: Offload) =>
      numbers(
        grad(
          (x: Tensor) =>
            grad((x: Tensor) => through(each, x).mul(100))(x)
              .square()
              .sum() as Tensor,
        )(x) as Tensor,
      );
    expect(second(offload)).toEqual(second(plainly));
    both((each) => checkpoint((x: Tensor) => through(each, x), x), [x]);
    const loss = through(offload, x);
    x.grad = null;
    loss.backward({ retainGraph: true });
    const once = numbers(x.grad!);
    loss.backward();
    expect(numbers(x.grad!)).toEqual(once.map((each) => Math.fround(2 * each)));
  });

  test("memory at its peak is that of one function and its neighbour, not of all", () => {
    const w = made([256, 256]);
    const peakOf = (each: Offload) => {
      const x = leaf(made([256, 256]));
      collectGarbage();
      const before = memory()[device]!.allocated;
      let most = 0;
      const note = () => {
        most = Math.max(most, memory()[device]!.allocated - before);
      };
      const noted = (y: Tensor) => {
        y.registerHook(note);
        return y;
      };
      tidy(() => {
        let y: Tensor = x;
        for (let block = 0; block < 16; block++) {
          y = each(
            (y: Tensor) =>
              tidy(
                () => y.matmul(w).sin().mul(2).cos().square().tanh().exp().sin().mul(3).cos().square().tanh() as Tensor,
              ),
            noted(y),
          );
          note();
        }
        const loss = y.sum() as Tensor;
        note();
        loss.backward();
      });
      return most;
    };
    const [plain, less] = [peakOf(plainly), peakOf(offload)];
    const one = 4 * 256 * 256;
    // Twelve results in each of 16 blocks, of which one is the block's; up to three blocks may be under way.
    expect(plain).toBeGreaterThan(16 * 11 * one);
    expect(less).toBeLessThan(plain / 2);
  });

  test("nothing is left over, also of gradients that nobody computes", () => {
    const x = leaf(made([64, 64]));
    const w = made([64, 64]);
    const step = (isWanted: boolean) =>
      tidy(() => {
        const loss = offload((x: Tensor) => x.matmul(w).tanh().sum() as Tensor, x);
        if (isWanted) loss.backward();
      });
    /** What others streams have done with is free once somebody wants memory. */
    const settled = () => {
      collectGarbage();
      deviceNamed(device).synchronize();
      zeros([1], { device }).dispose();
      return memory()[device]!.allocated;
    };
    step(true);
    step(false);
    const before = settled();
    for (let index = 0; index < 20; index++) step(index % 2 === 0);
    expect(settled()).toBe(before);
  });

  test("without gradients it is the function, and errors are those of the function and of what cannot be", () => {
    const x = made([64, 64]);
    expect(offload((x: Tensor) => x.sum(), x).requiresGrad).toBe(false);
    expect(noGrad(() => offload((x: Tensor) => x.sum(), leaf(x))).requiresGrad).toBe(false);
    expect(() =>
      offload(() => {
        throw new RangeError("mine");
      }),
    ).toThrow("mine");
    expect(() => offload(5 as never)).toThrow("offload takes a function, offload(() => x.mul(2).sum()), but got 5.");
    expect(() => offload((async () => x) as never)).toThrow(
      "offload takes a function that is not async: what comes after an await would stay on the device.",
    );
    const recorded = graph(() => offload((x: Tensor) => x.sum(), leaf(x)).backward());
    recorded();
    expect(() => recorded()).toThrow(
      "offload cannot be recorded in a graph, whose memory stays where it is: use checkpoint there.",
    );
    const changed = offload((x: Tensor) => {
      const y = x.exp() as Tensor;
      const z = y.square() as Tensor;
      y.detach().fill_(0);
      return z.sum() as Tensor;
    }, x);
    expect(() => changed.backward()).toThrow("has been changed in place since");
    expect(ones([1]).item()).toBe(1);
  });
});
