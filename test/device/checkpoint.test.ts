// checkpoint on every device: the same gradients to the bit, with random numbers, autocast, other tensors than inputs,
// checkpoints within checkpoints, gradients of gradients, graphs, less memory, and every error.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  autocast,
  AutogradFunction,
  checkpoint,
  dropout,
  Generator,
  grad,
  graph,
  memory,
  nn,
  noGrad,
  ones,
  rand,
  randn,
  seed,
  tensor,
  tidy,
  type FunctionContext,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);
const numbers = (x: Tensor): number[] => [x.detach().to("float64").reshape([-1]).toArray()].flat() as number[];
type Checkpoint = typeof checkpoint;
const plainly = ((fn: (...inputs: unknown[]) => unknown, ...inputs: unknown[]) => fn(...inputs)) as Checkpoint;

class Twice extends AutogradFunction {
  static forward(_: FunctionContext, x: Tensor) {
    return x.mul(2) as Tensor;
  }
  static backward(_: FunctionContext, gradient: Tensor) {
    return [gradient.mul(2) as Tensor];
  }
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const made = (shape: number[]) => randn(shape, { device, seed: below(2 ** 31) });
  const leaf = (x: Tensor) => {
    x.requiresGrad = true;
    return x;
  };
  /** The loss and all gradients of what is computed with checkpoints, and without them. */
  function both(run: (checkpoint: Checkpoint, leaves: readonly Tensor[]) => Tensor, leaves: readonly Tensor[]): void {
    const results = [plainly, checkpoint].map((each) => {
      for (const x of leaves) x.grad = null;
      seed(5);
      const loss = run(each, leaves);
      const next = numbers(rand([2], { device }));
      loss.backward();
      return [numbers(loss), next, numbers(rand([2], { device })), leaves.map((x) => x.grad && numbers(x.grad))];
    });
    expect(results[1]).toEqual(results[0]);
    expect(leaves.some((x) => x.grad !== null)).toBe(true);
  }

  test("gradients are the same to the bit, also of what is not an input, with random numbers", () => {
    const [x, w, b] = [leaf(made([6, 8])), leaf(made([8, 8])), leaf(made([8]))];
    const generator = new Generator(3);
    both(
      (each, [x, w, b]) => {
        const before = x!.mul(3).sin() as Tensor;
        let y: Tensor = x!;
        for (let block = 0; block < 3; block++)
          y = each((y: Tensor) => dropout(y.matmul(w!).add(b!).tanh().mul(before), 0.3) as Tensor, y);
        return y.square().sum() as Tensor;
      },
      [x, w, b],
    );
    both(
      (each, [x]) => each((y: Tensor) => y.mul(rand(y.shape, { device, generator: generator.restart(3) })), x!).sum(),
      [x],
    );
    // Several results, numbers and other values as inputs, and one that needs no gradient.
    both(
      (each, [x, w]) => {
        const [one, other] = each(
          (y: Tensor, factor: number, { still }: { still: Tensor }, mask: Tensor) => [
            y.mul(factor),
            y.matmul(w!).mul(still).mul(mask),
          ],
          x!,
          2,
          { still: b.detach() as Tensor },
          ones([8], { device }),
        ) as Tensor[];
        return one!.sum().add(other!.sum());
      },
      [x, w],
    );
    // A result that is an input, and one that reaches no loss.
    both((each, [x, w]) => (each((y: Tensor) => [y, y.matmul(w!)], x!) as Tensor[])[0]!.sum(), [x, w]);
  });

  test("within each other, with functions of one's own, views of parameters and layers", () => {
    const net = new nn.Sequential(new nn.Linear(8, 8, { device }), new nn.LayerNorm(8, { device }));
    const table = leaf(made([4, 8]));
    both(
      (each, [x]) =>
        each(
          (y: Tensor) =>
            each(
              (z: Tensor) => Twice.apply(net(z)).mul(table.get(1)) as Tensor,
              y.add(table.slice([0, 1])),
            ).exp() as Tensor,
          x!,
        ).sum() as Tensor,
      [leaf(made([5, 8])), table, ...net.parameters()],
    );
  });

  // Of a weight that several use the parts are added in float32, not in the low dtype.
  test("under autocast, in float32 gradients", () => {
    const [x, a, b, c] = [leaf(made([6, 8])), leaf(made([8, 8])), leaf(made([8, 8])), leaf(made([8, 8]))];
    both(
      (each, [x, a, b, c]) =>
        autocast(() => {
          const y = each((y: Tensor) => y.matmul(a!), x!);
          return each((y: Tensor) => y.matmul(b!).softmax().matmul(c!), y).sum() as Tensor;
        }),
      [x, a, b, c],
    );
    expect(a.grad!.dtype).toBe("float32");
  });

  test("gradients of gradients", () => {
    const w = leaf(made([3]));
    const f = (each: Checkpoint) => (x: Tensor) =>
      grad((y: Tensor) => each((z: Tensor) => z.mul(w).sin().mul(z) as Tensor, y).sum() as Tensor)(x)
        .square()
        .sum() as Tensor;
    const x = made([3]);
    const [wanted, found] = [plainly, checkpoint].map((each) => {
      w.grad = null;
      return numbers(grad(f(each))(x));
    });
    wanted!.forEach((value, at) =>
      expect(Math.abs(found![at]! - value)).toBeLessThanOrEqual(64 * 2 ** -24 * (1 + Math.abs(value))),
    );
  });

  test("in a graph, whose random numbers go on", () => {
    const train = (each: Checkpoint) => {
      const w = leaf(ones([8, 8], { device }).mul(0.25) as Tensor).detach();
      w.requiresGrad = true;
      seed(11);
      const step = graph(
        (x: Tensor) => {
          w.grad = null;
          const loss = each((y: Tensor) => dropout(y.matmul(w), 0.5) as Tensor, x)
            .square()
            .mean() as Tensor;
          loss.backward();
          noGrad(() => w.sub_(w.grad!.mul(0.1)));
          return loss;
        },
        { device },
      );
      const x = ones([4, 8], { device });
      return Array.from({ length: 5 }, () => step(x).item() as number);
    };
    const [wanted, found] = [train(plainly), train(checkpoint)];
    expect(found).toEqual(wanted);
    expect(new Set(found).size).toBe(5);
  });

  test("what is computed on the way is not kept", () => {
    const x = leaf(made([1000]));
    const chain = (y: Tensor) => {
      for (let turn = 0; turn < 20; turn++) y = y.sin() as Tensor;
      return y;
    };
    const held = (each: Checkpoint) => {
      const before = memory()[device]!.allocated;
      const y = tidy(() => each(chain, each(chain, x)));
      const kept = memory()[device]!.allocated - before;
      y.sum().backward();
      x.grad = null;
      y.dispose();
      return kept;
    };
    held(checkpoint);
    expect(held(plainly)).toBeGreaterThanOrEqual(35 * x.bytes);
    // The result, and what goes from the first to the second.
    expect(held(checkpoint)).toBeLessThanOrEqual(4 * Math.ceil(x.bytes / 512) * 512);
  });

  test("without recording, and without gradients, it is the function", () => {
    const x = made([3]);
    expect(numbers(checkpoint((y: Tensor) => y.mul(2), x))).toEqual(numbers(x.mul(2)));
    expect(noGrad(() => checkpoint((y: Tensor) => y.mul(2), leaf(made([3])))).requiresGrad).toBe(false);
    const y = checkpoint((z: Tensor) => z.mul(2), leaf(made([3])));
    y.sum().backward({ retainGraph: true });
    y.sum().backward();
    expect(() => y.sum().backward()).toThrow("has been used up by an earlier backward");
  });

  test("what cannot be computed again", () => {
    const x = leaf(made([3]));
    expect(() => checkpoint((() => 3) as never, x)).toThrow(
      "checkpoint takes a function that returns a tensor or an array of tensors, but it returned 3.",
    );
    expect(() => checkpoint((async () => x) as never, x)).toThrow(
      "checkpoint takes a function that is not async: what",
    );
    expect(() => checkpoint(3 as never, x)).toThrow("checkpoint takes a function");
    let turn = 0;
    const y = checkpoint((z: Tensor) => (turn++ === 0 ? z.mul(2) : z.mul(2).sum()), x);
    expect(() => y.sum().backward()).toThrow(
      "A function given to checkpoint returned float32[3], but float32[] when it was run again for its gradient",
    );
    const other = tensor([1, 2, 3], { device });
    const product = checkpoint((z: Tensor) => z.mul(other), leaf(made([3])));
    other.dispose();
    expect(() => product.sum().backward()).toThrow("An operand of mul, shape [3], has been disposed of.");
    const changed = leaf(made([3]));
    const result = checkpoint((z: Tensor) => z.square(), changed);
    noGrad(() => changed.mul_(2));
    expect(() => result.sum().backward()).toThrow("has been changed in place since");
  });
});
