// Changes in place through views, and of what views show: gradients are those of the numbers that come out.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  AutogradFunction,
  GradientError,
  fuse,
  noGrad,
  ones,
  randn,
  stack,
  Tensor,
  tensor,
  tidy,
  zeros,
  type FunctionContext,
} from "../../native/lib/index.ts";
import { observing, type Observer } from "../../native/lib/ops/core/hooks.ts";
import { binaryRows, operationNamed, unaryRows } from "../../native/lib/ops/core/table.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { freshSeed } from "../helpers/random.ts";

const runSeed = freshSeed();

/** Each makes a tensor of `a` [3, 4] and `b` [4]. */
const programs: Record<string, (a: Tensor, b: Tensor) => Tensor> = {
  "a slice multiplied": (a) => {
    const c = a.mul(1);
    c.slice([1, 3]).mul_(2);
    return c;
  },
  "a slice divided and added to": (a, b) => {
    const c = a.mul(1);
    c.slice([1, 3]).mul_(b).div_(4).add_(b);
    return c.square();
  },
  "a slice filled": (a) => {
    const c = a.mul(1);
    c.slice(null, [0, 2]).fill_(3);
    return c.square();
  },
  "get filled": (a) => {
    const c = a.mul(1);
    (c.get(1) as Tensor).fill_(0);
    return c.square();
  },
  "a transpose": (a, b) => {
    const c = a.mul(1);
    c.T.mul_(b.reshape([4, 1])).sub_(b.reshape([4, 1]));
    return c.square();
  },
  "a reshape": (a, b) => {
    const c = a.mul(1);
    c.reshape([4, 3]).sub_(b.reshape([4, 1]));
    return c.square();
  },
  "a reshape of a slice of a transpose": (a, b) => {
    const c = a.mul(1);
    c.T.slice([1, 3], 1)
      .reshape([2, 1])
      .add_(b.slice([0, 2]).reshape([2, 1]).square());
    return c.square();
  },
  "a diagonal": (a, b) => {
    const c = a.mul(1);
    c.diagonal()
      .mul_(-2)
      .add_(b.slice([0, 3]));
    return c.square();
  },
  "one of unbind": (a, b) => {
    const c = a.mul(1);
    c.unbind()[0]!.add_(b);
    return c.square();
  },
  "two of unbind, one by the other": (a) => {
    const [first, second, third] = a.mul(1).unbind();
    first!.sub_(second!);
    third!.add_(first!.mul(1).exp());
    return first!.add(second!).mul(third!);
  },
  "a slice of a buffer that wanted none": (a, b) => {
    const buffer = zeros([2, 3, 4], { dtype: "float64", device: a.device });
    buffer.slice(0).copy_(a);
    buffer.slice(1).copy_(b.mul(a));
    return buffer.square();
  },
  "rows of a table, in a loop": (a, b) => {
    const table = zeros([3, 4], { dtype: "float64", device: a.device });
    for (let row = 0; row < 3; row++)
      table.slice(row).copy_(
        row === 0
          ? b
          : table
              .slice(row - 1)
              .clone()
              .mul(a.slice(row)),
      );
    return table;
  },
  "a base under its view": (a) => {
    const c = a.mul(1),
      v = c.slice([0, 2]);
    c.mul_(3);
    return v.square();
  },
  "a base under its view, whole by a copy": (a, b) => {
    const c = a.mul(1),
      v = c.slice([0, 2]);
    c.copy_(b);
    return v.mul(a.slice([0, 2]));
  },
  "a base under a stretched view": (a) => {
    const c = a.mul(1),
      v = c.expand([2, 3, 4]);
    c.mul_(0.5).add_(a);
    return v.square();
  },
  "views of views": (a, b) => {
    const c = a.mul(1),
      v = c.slice([0, 2]),
      w = v.T.slice([1, 4]);
    w.mul_(2);
    v.add_(b);
    return w.square().sum().add(v.sum()).add(c.square().sum());
  },
  "two views of one base that overlap": (a, b) => {
    const c = a.mul(1),
      v = c.slice([0, 2]),
      w = c.slice([1, 3]);
    v.add_(b);
    w.mul_(3);
    v.sub_(w.clone().square().slice([0, 1]));
    return v.mul(w).add(c.slice([0, 2]).square());
  },
  "a view, its base and the view again": (a, b) => {
    const c = a.mul(1),
      v = c.slice(1);
    v.add_(b.square());
    c.mul_(2);
    v.add_(b);
    c.neg_();
    return v.add(c).square();
  },
  "by itself through a view": (a) => {
    const c = a.mul(1);
    c.slice(0).copy_(c.slice(1));
    return c.square();
  },
  "set, scatter and masks in a view": (a, b) => {
    const c = a.mul(1),
      v = c.slice([1, 3]);
    v.set([0], b);
    v.maskedFill_(v.gt(100) as Tensor<"bool">, 0);
    v.indexAdd_(1, [1, 1, 2], a.slice([0, 2], [0, 3]));
    return c.square();
  },
  "a view made where nothing is recorded": (a) => {
    const c = a.mul(1);
    const v = noGrad(() => c.slice(0));
    v.mul_(2);
    return c.square();
  },
  "one detached, filled with what wants a gradient": (a, b) => {
    const c = a.mul(1),
      d = c.detach();
    d.slice([0, 2]).copy_(b.mul(b));
    return d.slice([0, 2]).add(a.slice([1, 3]));
  },
};

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test.each(Object.entries(programs))("%s", (_, run) => {
    expectGradients(
      (a, b) => run(a!, b!).add(a!.sum().mul(b!.sum())),
      [
        randn([3, 4], { dtype: "float64", device, seed: runSeed }),
        randn([4], { dtype: "float64", device, seed: runSeed + 1 }),
      ],
      { twice: true },
    );
  });

  const forms = [...Object.keys(unaryRows), ...Object.keys(binaryRows)].filter(
    // These have a gradient in their second operand only.
    (name) =>
      `${name}_` in Tensor.prototype &&
      operationNamed(name).gradient !== null &&
      !["zeta", "igamma", "igammac"].includes(name),
  );
  test.each(forms)("%s_ in a view is what it is beside it", (name) => {
    const domain =
      name === "acosh"
        ? [1.25, 2.5]
        : name === "erfinv" || name === "ndtri" || name.startsWith("a")
          ? [0.25, 0.75]
          : [0.3, 1.7];
    const leaves = () =>
      [domain, [0.8, 1.3]].map((values) => {
        const made = tensor(values, { dtype: "float64", device });
        made.requiresGrad = true;
        return made;
      }) as [Tensor<"float64">, Tensor<"float64">];
    type Method = (other?: Tensor) => Tensor;
    const isUnary = name in unaryRows;
    const apply = (x: Tensor, other: Tensor, form: string) => {
      const method = (x as unknown as Record<string, Method>)[form]!;
      return isUnary ? method.call(x) : method.call(x, other);
    };
    const [a, b] = leaves();
    const whole = stack([a.mul(1), a.mul(3)]);
    apply(whole.slice(0), b, `${name}_`);
    whole.square().sum().backward();
    const [x, y] = leaves();
    stack([apply(x.mul(1), y, name), x.mul(3)])
      .square()
      .sum()
      .backward();
    const slopes = (each: Tensor) => (each.grad === null ? null : each.grad.toArray());
    expect([slopes(a), slopes(b)]).toEqual([slopes(x), slopes(y)]);
  });

  const leaf = (values: number[]) => {
    const a = tensor(values, { device });
    a.requiresGrad = true;
    return a;
  };
  const refused = (fn: () => unknown) => {
    try {
      fn();
      return null;
    } catch (error) {
      expect(error).toBeInstanceOf(GradientError);
      return [(error as GradientError).code, (error as Error).message];
    }
  };

  test("a view of a leaf is refused as the leaf is, and free where nothing is recorded", () => {
    const a = leaf([1, 2, 3]);
    const sentence = [
      "LEAF_IN_PLACE",
      "fill_ would change a view of a tensor whose gradient is wanted: change it in noGrad(() => …), or work on a copy.",
    ];
    expect(refused(() => a.slice([0, 2]).fill_(0))).toEqual(sentence);
    expect(refused(() => a.reshape([3, 1]).T.fill_(0))).toEqual(sentence);
    expect(refused(() => noGrad(() => a.slice([0, 2])).fill_(0))).toEqual(sentence);
    noGrad(() => a.slice([0, 2]).fill_(0));
    expect(a.toArray()).toEqual([0, 0, 3]);
    a.detach().fill_(5);
    a.mul(2).sum().backward();
    expect([a.toArray(), a.grad!.toArray()]).toEqual([
      [5, 5, 5],
      [2, 2, 2],
    ]);
  });

  test("a change that is not recorded, and one of a detached view, have no gradient", () => {
    const a = leaf([1, 2, 3]);
    const c = a.mul(1),
      v = c.slice([0, 2]);
    noGrad(() => c.slice([0, 1]).fill_(7));
    c.detach().slice([2, 3]).fill_(8);
    c.mul(3).sum().add(v.sum()).backward();
    expect([c.toArray(), v.toArray(), a.grad!.toArray()]).toEqual([
      [7, 2, 8],
      [7, 2],
      [4, 4, 3],
    ]);
  });

  test("what was saved and has changed since, through whatever view, is an error", () => {
    const changed = /needs a tensor of shape \[.*\] as it was then, but it has been changed in place since/;
    const a = leaf([1, 2, 3]);
    for (const change of [
      (c: Tensor) => c.detach().slice([0, 1]).mul_(2),
      (c: Tensor) => c.slice([0, 1]).mul_(2),
      (c: Tensor) => noGrad(() => c.reshape([3, 1]).fill_(0)),
    ]) {
      const c = a.mul(1),
        loss = c.square().sum();
      change(c);
      expect(refused(() => loss.backward())![1]).toMatch(changed);
    }
    const c = a.mul(1);
    c.mul_(c.slice([0, 1]));
    expect(refused(() => c.sum().backward())![1]).toMatch(changed);
  });

  test("what a fused function used and has changed since is an error", () => {
    const cube = fuse((x: Tensor) => x.square().mul(x), { wait: true });
    const a = leaf([1, 2, 3]);
    const loss = cube(a).sum();
    noGrad(() => a.slice([0, 1]).fill_(7));
    expect(refused(() => loss.backward())![0]).toBe("CHANGED");
    const again = leaf([1, 2, 3]);
    cube(again).sum().backward();
    expect(again.grad!.toArray()).toEqual([3, 12, 27]);
  });

  test("views that gradients cannot follow are refused by name", () => {
    const a = leaf([1, 2, 3]);
    expect(refused(() => a.mul(1).expand([2, 3]).add_(1))).toEqual([
      "VIEW_IN_PLACE",
      "add_ would change a view that shows elements several times, which gradients cannot follow: change its .clone() instead.",
    ]);
    const turned = ones([2, 3], { device }).T.detach();
    expect(refused(() => turned.slice(0).copy_(a.slice([0, 2])))).toEqual([
      "VIEW_IN_PLACE",
      "copy_ would change a view of a tensor with gaps, which gradients cannot follow: change its .clone() instead.",
    ]);
  });

  test("a view that a function of one's own returns has that function's gradient", () => {
    class Doubled extends AutogradFunction {
      static forward(_: FunctionContext, x: Tensor): Tensor {
        return x.reshape([3, 1]);
      }
      static backward(_: FunctionContext, gradient: Tensor): Tensor {
        return gradient.reshape([3]).mul(10) as Tensor;
      }
    }
    const a = leaf([1, 2, 3]);
    const c = a.mul(1),
      d = Doubled.apply(c);
    c.mul_(2);
    d.sum().backward();
    expect(a.grad!.toArray()).toEqual([10, 10, 10]);
  });

  test.each([
    ["unbind", (x: Tensor) => x.unbind()],
    ["split", (x: Tensor) => x.split(1)],
    ["slices", (x: Tensor) => Array.from({ length: x.shape[0]! }, (_, at) => x.slice(at))],
    ["parts of halves", (x: Tensor) => x.chunk(2).flatMap((half) => half.unbind())],
  ] as const)("gradients of %s move bytes in proportion to their count", (_, parts) => {
    const moved = (count: number) => {
      const x = randn([count, 8], { device });
      x.requiresGrad = true;
      const loss = parts(x)
        .reduce((sum, part) => sum.add(part.square()), zeros([8], { device }) as Tensor)
        .sum();
      let bytes = 0;
      const counting: Observer = {
        before: () => 0,
        after: ({ operation, inputs, outputs, attributes }) => {
          bytes += operation.cost(inputs, outputs, attributes).bytes;
        },
      };
      observing.run(counting, () => loss.backward());
      expect(x.grad!.sub(x.mul(2)).abs().max().item()).toBe(0);
      return bytes;
    };
    expect(moved(128) / moved(32)).toBeLessThan(5);
  });

  test("views that were changed in tidy", () => {
    const a = leaf([1, 2, 3]);
    const buffer = zeros([2, 3], { device });
    tidy(() => {
      buffer.slice(1).copy_(a.mul(2));
    });
    const view = tidy(() => {
      const c = a.mul(1),
        v = c.slice([0, 2]);
      c.mul_(4);
      return v;
    });
    buffer.sum().add(view.sum()).backward();
    expect(a.grad!.toArray()).toEqual([6, 6, 2]);
  });
});
