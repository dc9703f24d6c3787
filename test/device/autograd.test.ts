// Gradients: each of the table by finite differences in float64, once and twice, and what the tape promises its users.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  AutogradFunction,
  detectAnomaly,
  enableGrad,
  full,
  grad,
  gradients,
  GradientError,
  memory,
  noGrad,
  ones,
  randn,
  tensor,
  valueAndGrad,
  zeros,
  type FunctionContext,
  type Tensor,
} from "../../native/lib/index.ts";
import { apply } from "../../native/lib/ops/core/apply.ts";
import { collectGarbage } from "../../native/lib/device/collection.ts";
import { describeOrigins, origin } from "../../native/lib/device/origins.ts";
import { operations, type OperationName } from "../../native/lib/ops/core/table.ts";
import { elementwiseCases, elsewhere, reductionCases, wholeCases } from "./cases.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const runSeed = freshSeed();
const flat = (x: Tensor): number[] => [x.detach().reshape([-1]).toArray()].flat() as number[];
const run = (name: OperationName, inputs: readonly Tensor[], attributes: object = {}) =>
  apply(name, inputs, attributes as never) as Tensor;

interface Subject {
  readonly label: string;
  readonly fn: (...xs: Tensor[]) => Tensor;
  readonly shapes: readonly (readonly number[])[];
  readonly ranges: readonly (readonly [number, number])[];
}

/**
 * Numbers away from the kinks of functions, which are at multiples of ¼, of one operand from those of the next, and from
 * each other: where two change places, a maximum has a kink.
 */
function samples(subject: Subject, seed: number): number[][] {
  const random = seeded(seed);
  return subject.shapes.map((shape, operand) => {
    const [low, high] = subject.ranges[operand]!.map((end) => Math.min(4, Math.max(-4, end))) as [number, number];
    const count = shape.reduce((size, length) => size * length, 1);
    return Array.from({ length: count }, (_, place) => {
      const value = Math.floor((low + (high - low) * random()) * 8) / 8 + 1 / 16;
      const own = operand / 64 + (place + random() / 4) / (80 * count);
      return Math.min(high - 1 / 16, Math.max(low + 1 / 32, value)) + own;
    });
  });
}

/**
 * Compares `slopes`, those of Σ w·fn, with central differences of two steps. What they differ by between themselves
 * bounds what the smaller one leaves out; the rest is rounding of a sum of the terms, each right to a few units in the
 * last place, divided by the step.
 */
function expectSlopes(
  fn: (...xs: Tensor[]) => Tensor,
  shapes: Subject["shapes"],
  values: readonly number[][],
  weights: Tensor,
  slopes: readonly (readonly number[] | null)[],
  device: string,
): void {
  const step = 2 ** -13;
  const at = (given: readonly number[][]) =>
    fn(...given.map((list, operand) => tensor(list, { dtype: "float64", device }).reshape(shapes[operand]!)));
  const terms = (given: readonly number[][]) => flat(noGrad(() => at(given).mul(weights)));
  const size = terms(values).reduce((sum, term) => sum + Math.abs(term), 0);
  const moved = (operand: number, index: number, by: number) =>
    values.map((list, each) =>
      each === operand ? list.map((value, place) => (place === index ? value + by : value)) : list,
    );
  const difference = (operand: number, index: number, by: number) => {
    const [above, below] = [terms(moved(operand, index, by)), terms(moved(operand, index, -by))];
    return above.reduce((sum, term, place) => sum + (term - below[place]!), 0) / (2 * by);
  };
  const wrong = slopes.flatMap((list, operand) =>
    (list ?? []).flatMap((slope, index) => {
      const [fine, coarse] = [difference(operand, index, step), difference(operand, index, 2 * step)];
      const bound = Math.abs(fine - coarse) + (2 ** -48 * (size + 1)) / step;
      return Math.abs(slope - fine) <= bound
        ? []
        : [
            {
              operand,
              index,
              slope,
              fine,
              coarse,
              bound,
              at: values.map((each) => each[Math.min(index, each.length - 1)]),
            },
          ];
    }),
  );
  expect(wrong.slice(0, 3)).toEqual([]);
}

function leaves(values: readonly number[][], shapes: Subject["shapes"], device: string): Tensor[] {
  return values.map((list, operand) => {
    const x = tensor(list, { dtype: "float64", device }).reshape(shapes[operand]!).clone() as Tensor;
    x.requiresGrad = true;
    return x;
  });
}

/** Operations that jump wherever a quotient is whole: between these numbers none is. */
const steps: readonly string[] = ["floorDivide", "remainder", "fmod"];
const betweenJumps: readonly (readonly [number, number])[][] = [
  [
    [1.5, 1.6],
    [0.8, 1.4],
  ],
  [
    [-1.6, -1.5],
    [0.8, 1.4],
  ],
];

/** Operations of two with a gradient in the second one only. */
const inSecond: readonly string[] = ["zeta", "igamma", "igammac"];

const hasGradient = (name: string) =>
  name !== "fullLike" && (operations as unknown as Record<string, { gradient: unknown }>)[name]!.gradient !== null;
const attributesText = (attributes?: object) => (attributes === undefined ? "" : ` ${JSON.stringify(attributes)}`);
const subjects: Subject[] = [
  ...elementwiseCases
    .filter(({ name, of }) => of !== undefined && hasGradient(name))
    .flatMap((row) => (steps.includes(row.name) ? betweenJumps.map((ranges) => ({ ...row, ranges })) : [row]))
    .flatMap<Subject>(({ name, attributes, ranges }) => {
      const fn = (...xs: Tensor[]) => run(name, xs, attributes);
      const label = `${name}${attributesText(attributes)}${steps.includes(name) ? ` about ${ranges[0]![0]}` : ""}`;
      if (ranges.length === 1) return [{ label, fn, shapes: [[5]], ranges }];
      const inFirst: Subject[] = [
        { label, fn, shapes: [[3], [3]], ranges },
        { label: `${label} with broadcasting`, fn, shapes: [[2, 1], [3]], ranges },
        {
          label: `${label} with a number on the right`,
          fn: (x) => apply(name, [x!, 1.5], {}) as Tensor,
          shapes: [[3]],
          ranges: [ranges[0]!],
        },
      ];
      return [
        ...(inSecond.includes(name) ? [] : inFirst),
        ...(name.endsWith("Gradient")
          ? []
          : [
              {
                label: `${label} with a number on the left`,
                fn: (x: Tensor) => apply(name, [1.5, x], {}) as Tensor,
                shapes: [[3]],
                ranges: [ranges[1]!],
              },
            ]),
      ];
    }),
  ...reductionCases
    .filter(({ name }) => hasGradient(name))
    .flatMap<Subject>(({ name, attributes, range }) =>
      [
        [[6], [0]],
        [[2, 3, 2], [1]],
        [
          [3, 4],
          [0, 1],
        ],
      ].map(([shape, axes]) => ({
        label: `${name}${attributesText(attributes)} of [${shape}] along ${axes}`,
        fn: (x) => run(name, [x], { axes, keepdims: axes!.length === 1, ...attributes }),
        shapes: [shape!],
        ranges: [range[0] > 0 ? [0.5, 2] : range],
      })),
    ),
  ...wholeCases
    .filter(
      ({ name, shapes }) =>
        hasGradient(name) &&
        name !== "where" &&
        shapes.every((shape) => shape.length > 0 && shape.reduce((size, length) => size * length, 1) <= 130),
    )
    .map<Subject>(({ name, shapes, attributes }) => ({
      label: `${name} of ${shapes.map((shape) => `[${shape}]`).join(", ")}`,
      fn: (...xs) => run(name, xs, attributes),
      shapes,
      ranges: shapes.map(() => [-2, 2]),
    })),
  {
    label: "matmul of vectors",
    fn: (x, y) => x!.matmul(y!),
    shapes: [[4], [4]],
    ranges: [
      [-2, 2],
      [-2, 2],
    ],
  },
  {
    label: "matmul of a matrix and a vector",
    fn: (x, y) => x!.matmul(y!),
    shapes: [[2, 4], [4]],
    ranges: [
      [-2, 2],
      [-2, 2],
    ],
  },
  {
    label: "where",
    fn: (x, y) => x!.where(x!.gt(0), y!),
    shapes: [[2, 3], [3]],
    ranges: [
      [-2, 2],
      [-2, 2],
    ],
  },
  { label: "clone", fn: (x) => x!.square().T.clone().mul(x!.T), shapes: [[3, 4]], ranges: [[-2, 2]] },
  { label: "convert", fn: (x) => x!.square().to("float64").mul(x!.clone()), shapes: [[4]], ranges: [[-2, 2]] },
  {
    label: "a slice with steps and a negative index",
    fn: (x) => x!.slice(-1, [0, null, 2]).square(),
    shapes: [[2, 5]],
    ranges: [[-2, 2]],
  },
  {
    label: "a tensor that is used three times",
    fn: (x) => x!.mul(x!.exp()).add(x!.T.sum()),
    shapes: [[2, 2]],
    ranges: [[-2, 2]],
  },
];

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test.each(subjects.map((subject) => [subject.label, subject] as const))("the gradient of %s", (_, subject) => {
    const values = samples(subject, runSeed);
    const xs = leaves(values, subject.shapes, device);
    const y = subject.fn(...xs);
    const weights = randn(y.shape, { dtype: "float64", device, seed: 3 });
    const slopes = gradients(y, xs, { gradient: weights });
    slopes.forEach((slope, operand) => {
      expect([slope.shape, slope.dtype]).toEqual([subject.shapes[operand], "float64"]);
    });
    expectSlopes(subject.fn, subject.shapes, values, weights, slopes.map(flat), device);
  });

  test.each(
    subjects.map((subject) => [subject.label, subject] as const),
  )("the gradient of the gradient of %s", (_, subject) => {
    const values = samples(subject, runSeed + 1);
    const shape = noGrad(() => subject.fn(...leaves(values, subject.shapes, device))).shape;
    const weights = randn(shape, { dtype: "float64", device, seed: 5 });
    subject.shapes.forEach((_, operand) => {
      const slope = (...xs: Tensor[]) =>
        enableGrad(() => {
          const tracked = xs.map((x) => {
            if (!x.requiresGrad) x.requiresGrad = true;
            return x;
          });
          return gradients(subject.fn(...tracked), [tracked[operand]!], { gradient: weights, createGraph: true })[0]!;
        });
      const xs = leaves(values, subject.shapes, device);
      const first = slope(...xs);
      const above = randn(first.shape, { dtype: "float64", device, seed: 7 });
      // A gradient that does not depend on an operand any more has slope 0 there.
      const second = xs.map((x) => {
        if (!first.requiresGrad) return flat(zeros(x.shape, { device }));
        try {
          return flat(gradients(first, [x], { gradient: above, retainGraph: true })[0]!);
        } catch (error) {
          if (!(error instanceof GradientError) || error.code !== "UNUSED") throw error;
          return flat(zeros(x.shape, { device }));
        }
      });
      expectSlopes(slope, subject.shapes, values, above, second, device);
    });
  });

  const leaf = (values: number[], dtype: "float32" | "float64" = "float32") => {
    const x = tensor(values, { dtype, device }) as Tensor;
    x.requiresGrad = true;
    return x;
  };

  test("gradients add up in grad until it is set to null", () => {
    const x = leaf([1, 2]);
    x.mul(3).sum().backward();
    x.mul(x).sum().backward();
    expect(x.grad!.toArray()).toEqual([5, 7]);
    x.grad = null;
    x.sum().backward();
    expect(x.grad!.toArray()).toEqual([1, 1]);
    expect([x.isLeaf, x.mul(2).isLeaf, x.detach().isLeaf]).toEqual([true, false, true]);
  });

  test("backward starts with a gradient of the tensor's shape, of any dtype", () => {
    const x = leaf([1, 2, 3]);
    x.square().backward(tensor([1, 0, 2], { dtype: "int32", device }));
    expect(x.grad!.toArray()).toEqual([2, 0, 12]);
  });

  test("a tape is used up by backward, unless it is retained", () => {
    const x = leaf([2]);
    const y = x.mul(x).sum();
    y.backward({ retainGraph: true });
    y.backward();
    expect(x.grad!.toArray()).toEqual([8]);
    expect(() => y.backward()).toThrow(
      "The tape of sum has been used up by an earlier backward: pass { retainGraph: true } to that one.",
    );
  });

  test("createGraph: gradients of gradients, through grad and through functions", () => {
    const x = leaf([2], "float64");
    const y = x.mul(x).mul(x).sum();
    y.backward({ createGraph: true });
    const first = x.grad!;
    x.grad = null;
    first.sum().backward();
    expect(x.grad!.toArray()).toEqual([12]);
    const cube = (z: Tensor) => z.mul(z).mul(z).sum();
    expect(grad(grad(cube) as (z: Tensor) => Tensor)(tensor([2], { device }).reshape([])).toArray()).toEqual(12);
  });

  test("valueAndGrad takes gradients of the tensors of floats among the arguments", () => {
    const { value, gradients: found } = valueAndGrad((a: Tensor, n: number, b: Tensor, mask: Tensor) =>
      a.mul(n).add(b).mul(mask).sum(),
    )(tensor([1, 2], { device }), 3, tensor([5], { device }), tensor([1, 0], { dtype: "int32", device }));
    expect([value.item(), ...found.map((each) => each.toArray())]).toEqual([8, [3, 0], [1]]);
  });

  test("hooks see and change gradients, of leaves and of tensors between, until they are removed", () => {
    const x = leaf([1, 2]);
    const seen: unknown[] = [];
    const remove = x.registerHook((g) => {
      seen.push(g.toArray());
      return g.mul(10);
    });
    const y = x.mul(2);
    y.registerHook((g) => g.add(1));
    y.retainGrad().sum().backward();
    expect([seen, x.grad!.toArray(), y.grad!.toArray()]).toEqual([[[4, 4]], [40, 40], [2, 2]]);
    remove();
    x.grad = null;
    x.sum().backward();
    expect([seen.length, x.grad!.toArray()]).toEqual([1, [1, 1]]);
  });

  test("noGrad records nothing, enableGrad within it does, detach goes round it", () => {
    const x = leaf([3]);
    expect(noGrad(() => x.mul(2)).requiresGrad).toBe(false);
    expect(noGrad(() => enableGrad(() => x.mul(2))).requiresGrad).toBe(true);
    expect(() =>
      noGrad(() => {
        throw new Error("mine");
      }),
    ).toThrow("mine");
    const y = x.mul(x.detach()).sum();
    y.backward();
    expect(x.grad!.toArray()).toEqual([3]);
    noGrad(() => x.sub_(1));
    expect(x.toArray()).toEqual([2]);
    expect(x.requiresGrad).toBe(true);
  });

  test("an in-place operation is recorded, and what it overwrites for a gradient is an error", () => {
    const x = leaf([1, 2]);
    const y = x.mul(2);
    y.add_(1).mul_(3);
    y.sum().backward();
    expect(x.grad!.toArray()).toEqual([6, 6]);
    const z = leaf([1, 2]).exp();
    const total = z.sum();
    noGrad(() => z.add_(1));
    expect(() => total.backward()).toThrow(
      "The gradient of exp needs a tensor of shape [2] as it was then, but it has been changed in place since: change a .clone() instead.",
    );
    // Addition needs none of its operands.
    const a = leaf([1]);
    const b = a.add(1);
    const sum = b.add(2).sum();
    noGrad(() => b.fill_(9));
    sum.backward();
    expect(a.grad!.toArray()).toEqual([1]);
  });

  test("the tape keeps what it needs of tensors that are disposed of", () => {
    const x = leaf([1, 2]);
    const y = x.mul(3);
    const z = y.mul(y).sum();
    y.dispose();
    z.backward();
    expect(x.grad!.toArray()).toEqual([18, 36]);
  });

  test("backward frees the tape as it goes", () => {
    const count = 2 ** 18;
    const x = full([count], 0.5, { device });
    x.requiresGrad = true;
    const allocated = () => {
      collectGarbage();
      return memory()[x.device]!.allocated;
    };
    const before = allocated();
    let y: Tensor = x;
    for (let step = 0; step < 20; step++) {
      const next: Tensor = y.sin();
      if (y !== x) y.dispose();
      y = next;
    }
    const loss = y.sum();
    y.dispose();
    // Results of 1 MiB, which the gradients need, though all but the last have been disposed of.
    expect(allocated() - before).toBeGreaterThanOrEqual(19 * 4 * count);
    loss.backward();
    // The loss, whose track still reaches every step, holds none of them: what is left is x's gradient.
    expect(allocated() - before).toBeLessThan(1.1 * 4 * count);
    expect([loss.requiresGrad, x.grad!.size]).toEqual([true, count]);
  });

  test("anomalies name the operation, and the cell and line that ran it", () => {
    describeOrigins((number) => (number === 77 ? { label: "Cell [3]", cell: null, count: 3, line: 4 } : undefined));
    const previous = origin.current;
    try {
      const x = leaf([0, 4]);
      origin.current = 77;
      const y = x.sqrt();
      origin.current = previous;
      expect(() => detectAnomaly(() => y.mul(0).sum().backward())).toThrow(
        "The gradient of sqrt (Cell [3]:4) has 1 NaN among 2 elements.",
      );
    } finally {
      origin.current = previous;
      describeOrigins(() => undefined);
    }
  });

  describe("functions of the user's own", () => {
    class Cube extends AutogradFunction {
      static forward(context: FunctionContext, x: Tensor, scale: number): Tensor {
        context.saveForBackward(x);
        context["scale"] = scale;
        return x.mul(x).mul(x).mul(scale);
      }
      static backward(context: FunctionContext, g: Tensor) {
        const [x] = context.savedTensors;
        return [g.mul(x!.square()).mul(3 * (context["scale"] as number)), null];
      }
    }
    class Split extends AutogradFunction {
      static forward(context: FunctionContext, x: Tensor): [Tensor, Tensor] {
        const y = x.exp();
        context.saveForBackward(y);
        return [y, x.neg()];
      }
      static backward(context: FunctionContext, first: Tensor, second: Tensor) {
        return first.mul(context.savedTensors[0]!).sub(second);
      }
    }

    test("its gradient is used, also for gradients of gradients", () => {
      const x = leaf([1, 2], "float64");
      const y = Cube.apply(x, 2);
      expect(y.toArray()).toEqual([2, 16]);
      const [first] = gradients(y.sum(), [x], { createGraph: true });
      expect(first!.toArray()).toEqual([6, 24]);
      expect(gradients(first!.sum(), [x])[0]!.toArray()).toEqual([12, 24]);
      expect(noGrad(() => Cube.apply(x, 1)).requiresGrad).toBe(false);
      expect(Cube.apply(tensor([1], { device }), 1).requiresGrad).toBe(false);
    });

    test("several results, of which one is used, and saved results", () => {
      const x = leaf([0, 1], "float64");
      const [y] = Split.apply(x);
      y.sum().backward();
      expect(x.grad!.toArray()).toEqual([1, Math.exp(1)].map((value) => expect.closeTo(value, 14)));
      x.grad = null;
      const [, negative] = Split.apply(x);
      negative.sum().backward();
      expect(x.grad!.toArray()).toEqual([-1, -1]);
      const [z] = Split.apply(x);
      const total = z.sum();
      noGrad(() => z.add_(1));
      expect(() => total.backward()).toThrow(
        "The gradient of Split needs a tensor of shape [2] as it was then, but it has been changed in place since",
      );
    });

    test("needsInputGrad says which arguments want one, and an argument may come back", () => {
      const wanted: unknown[] = [];
      class Pass extends AutogradFunction {
        static forward(context: FunctionContext, a: Tensor, b: Tensor): Tensor {
          wanted.push(context.needsInputGrad);
          context.saveForBackward(b);
          return a;
        }
        static backward(context: FunctionContext, g: Tensor) {
          return [g.mul(context.savedTensors[0]!), null];
        }
      }
      const x = leaf([1, 2]);
      Pass.apply(x, tensor([3, 4], { device }))
        .sum()
        .backward();
      expect([wanted, x.grad!.toArray()]).toEqual([[[true, false]], [3, 4]]);
    });

    class Wrong extends AutogradFunction {
      static forward(_: FunctionContext, x: Tensor, kind: string): Tensor {
        return kind === "result" ? (1 as unknown as Tensor) : x.mul(1);
      }
      static backward(_: FunctionContext, g: Tensor) {
        return answer(g);
      }
    }
    let answer: (g: Tensor) => (Tensor | null)[] = () => [];
    test.each<[string, (g: Tensor) => (Tensor | null)[], string]>([
      [
        "another shape",
        (g) => [g.sum(), null],
        "Backward of Wrong returned a gradient of shape [] for argument 0, which has shape [2].",
      ],
      [
        "too few gradients",
        (g) => [g],
        "Backward of Wrong returns one gradient for each of its 2 arguments, but returned 1.",
      ],
      [
        "no tensor",
        () => [5 as unknown as Tensor, null],
        "Backward of Wrong returned 5 as the gradient of argument 0.",
      ],
    ])("a sentence for %s", (_, answered, sentence) => {
      answer = answered;
      const y = Wrong.apply(leaf([1, 2]), "").sum();
      expect(() => y.backward()).toThrow(sentence);
    });
    test("a sentence for a result that is no tensor", () => {
      expect(() => Wrong.apply(leaf([1, 2]), "result")).toThrow(
        "Forward of Wrong must return a tensor or an array of tensors, but returned 1.",
      );
    });
  });

  test.each<[string, () => unknown, string]>([
    [
      "an integer that wants a gradient",
      () => {
        ones([1], { dtype: "int32", device }).requiresGrad = true;
      },
      `Only floats have gradients, but this tensor holds int32: convert it first, e.g. with .to("float32").`,
    ],
    [
      "a computed tensor that wants one",
      () => {
        leaf([1]).mul(2).requiresGrad = false;
      },
      "This tensor was computed by mul, so it takes part in gradients as long as its operands do: use .detach() for one that does not.",
    ],
    [
      "a leaf that is changed in place",
      () => leaf([1]).add_(1),
      "add_ would change a tensor whose gradient is wanted: change it in noGrad(() => …), or work on a copy.",
    ],
    [
      "a leaf that is written over",
      () => leaf([1]).copy_(leaf([2])),
      "copy_ would change a tensor whose gradient is wanted: change it in noGrad(() => …), or work on a copy.",
    ],
    [
      "backward of many elements",
      () => leaf([1, 2]).mul(2).backward(),
      "A gradient starts from one number, but this tensor has shape [2]: take its sum() or mean(), or pass the gradient to start with.",
    ],
    [
      "a gradient of another shape",
      () =>
        leaf([1, 2])
          .mul(2)
          .backward(ones([3], { device })),
      "The gradient to start with has shape [3], but the tensor has [2].",
    ],
    [
      "backward of what is not tracked",
      () => ones([1], { device }).backward(),
      "This tensor does not depend on any that requires a gradient: set requiresGrad = true on a tensor that it is computed from.",
    ],
    [
      "a hook where no gradient comes",
      () => ones([1], { device }).registerHook(() => undefined),
      "No gradient reaches this tensor: set requiresGrad on it or on an operand first.",
    ],
    [
      "an input that is not tracked",
      () => gradients(leaf([1]).sum(), [ones([1], { device })]),
      "Input 0 takes no part in gradients: set requiresGrad = true on it before it is used.",
    ],
    [
      "an input that is not used",
      () => gradients(leaf([1]).sum(), [leaf([1])]),
      "The output does not depend on input 0.",
    ],
    [
      "an operation without a gradient",
      () => leaf([1]).nextafter(2).sum().backward(),
      "nextafter has no gradient: use .detach() on its operand if you need none.",
    ],
    [
      "a function without tensors",
      () => grad((n: number) => ones([1]).mul(n).sum())(1),
      "A gradient needs at least one tensor of floats among the arguments.",
    ],
    [
      "a function that returns no tensor",
      () => grad((() => 1) as never)(ones([1], { device })),
      "A function with gradients must return a tensor, but this one returned 1.",
    ],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });
});

test("scopes that end take no function that goes on behind them", () => {
  for (const [name, scope] of Object.entries({ noGrad, enableGrad, detectAnomaly })) {
    const sentence = `${name} takes a function that is not async: code after an await runs when it has already ended. Await first, or use it between awaits.`;
    let runs = 0;
    expect(() =>
      scope(async () => {
        runs += 1;
      }),
    ).toThrow(sentence);
    expect(runs).toBe(0);
    expect(() => scope(() => Promise.resolve(1))).toThrow(sentence);
    expect(() => scope(3 as never)).toThrow(`${name} takes a function, ${name}(() => x.mul(2).sum()), but got 3.`);
  }
});

test("every operation with a gradient is checked", () => {
  const labels = new Set(subjects.map(({ label }) => label.split(" ")[0]));
  expect(
    Object.keys(operations).filter(
      (name) => hasGradient(name) && !labels.has(name) && elsewhere[name as OperationName] === undefined,
    ),
  ).toEqual([]);
});
