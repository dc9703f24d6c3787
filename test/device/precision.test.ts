// Products of float32 on every device, as they are and with the factors of TF32, against float64.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  conv2d,
  float32Precision,
  gradients,
  linalg,
  linear,
  setFloat32Precision,
  type Float32Precision,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { numbersOf, sampler, type Sample } from "./samples.ts";

const random = seeded(freshSeed());
const float32 = 2 ** -24;

/** The largest error of a result as a part of the sum of the products' magnitudes. */
function errorOf(got: Tensor, wanted: Tensor, magnitudes: Tensor): number {
  const [a, b, size] = [got, wanted, magnitudes].map(numbersOf);
  return Math.max(...a!.map((value, index) => Math.abs(value - b![index]!) / size![index]!));
}

describe.each(devices)("$name", ({ name: device, kind }) => {
  const sample = sampler(random, device);
  const inside = (fn: (a: Tensor, b: Tensor) => Tensor, a: Sample, b: Sample) => (of: (x: Tensor) => Tensor) =>
    fn(of(a.x), of(b.x));
  // Each with how many products an element adds up.
  const cases: [string, number, ReturnType<typeof inside>][] = [
    ["matmul", 96, inside((a, b) => a.matmul(b), sample([40, 96]), sample([96, 56]))],
    ["batches", 64, inside((a, b) => a.matmul(b), sample([3, 24, 64]), sample([3, 64, 32]))],
    ["linear", 128, inside((x, w) => linear(x, w), sample([48, 128]), sample([64, 128]))],
    [
      "conv2d",
      288,
      inside((x, w) => conv2d(x, w, null, { padding: 1 }), sample([2, 32, 12, 12]), sample([64, 32, 3, 3])),
    ],
    [
      "a gradient of conv2d",
      2 * 144,
      inside(
        (y, w) => {
          const x = y.mul(0);
          x.requiresGrad = true;
          return gradients(conv2d(x, w, null, { padding: 1 }), [x], { gradient: y })[0]!;
        },
        sample([2, 32, 12, 12]),
        sample([32, 32, 3, 3]),
      ),
    ],
  ];

  test.each(cases)("%s", (what, products, run) => {
    const wanted = run((x) => x.to("float64"));
    const magnitudes = run((x) => x.to("float64").abs());
    const error = (precision: Float32Precision) => {
      using _ = setFloat32Precision(precision);
      return errorOf(
        run((x) => x),
        wanted,
        magnitudes,
      );
    };
    const exact = products * float32;
    const narrow = error("tf32");
    expect(narrow).toBeLessThan(2 ** -9 + exact);
    // A GPU with tensor cores for it is further off; of small convolutions it may measure others to be faster.
    if (kind === "cpu") expect(narrow).toBeLessThan(exact);
    else if (!what.includes("conv")) expect(narrow).toBeGreaterThan(exact);
    expect(error("float32")).toBeLessThan(exact);
    expect(float32Precision()).toBe("float32");
  });

  test("roots of matrices are as exact as ever", () => {
    const { x } = sample([24, 24]);
    const positive = x.matmul(x.T).add(1);
    const root = (of: Tensor) => linalg.symmetricPower(of, { power: -0.5, eps: 1 });
    const exact = root(positive).toArray();
    using _ = setFloat32Precision("tf32");
    expect(root(positive).toArray()).toEqual(exact);
  });
});

test("it holds until its block ends, and nothing else is a precision", () => {
  const outer = setFloat32Precision("tf32");
  {
    using _ = setFloat32Precision("float32");
    expect(float32Precision()).toBe("float32");
  }
  expect(float32Precision()).toBe("tf32");
  outer[Symbol.dispose]();
  expect(float32Precision()).toBe("float32");
  expect(() => setFloat32Precision("high" as never)).toThrow(
    'setFloat32Precision takes "float32" or "tf32" but got "high".',
  );
});
