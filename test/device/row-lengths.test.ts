// Rows of every short length and some long ones, packed and not, on every device against float64: a kernel is chosen by
// the shape of the rows and by where they start, and each of them must give the same.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  crossEntropy,
  gradients,
  layerNorm,
  logSoftmax,
  rmsNorm,
  softmax,
  tensor,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { roundingsOf } from "../../native/lib/ops/reduce/reduce-plans.ts";
import { devices } from "./devices.ts";
import { poison, rounded, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const floats: DType[] = ["float32", "float64", "float16", "bfloat16"];
const lengths = [...Array.from({ length: 70 }, (_, at) => at + 1), 127, 128, 257, 512, 1000, 1025, 8191];
const random = seeded(freshSeed());
const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const mean = (values: readonly number[]) => total(values) / values.length;
const randoms = (count: number, dtype: DType) => Array.from({ length: count }, () => rounded(random() * 4 - 2, dtype));

/** Where rows start: at a multiple of 16 bytes, one element behind it, or in every second row of an array. */
const layouts = {
  packed: (values: readonly number[], rows: number, length: number, dtype: DType, device: string) =>
    tensor(values, { dtype, device }).reshape([rows, length]),
  "behind one element": (values: readonly number[], rows: number, length: number, dtype: DType, device: string) =>
    tensor([0, ...values], { dtype, device })
      .slice([1, rows * length + 1])
      .reshape([rows, length]),
} as const;

interface Rows {
  readonly x: Tensor;
  readonly rows: number[][];
}
function matrix(layout: keyof typeof layouts, length: number, dtype: DType, device: string): Rows {
  // More rows than a block takes of the shortest, and a number that no block is full of.
  const rows = Math.max(3, Math.ceil(1200 / length) + 1);
  const values = randoms(rows * length, dtype);
  return {
    x: layouts[layout](values, rows, length, dtype, device),
    rows: Array.from({ length: rows }, (_, row) => values.slice(row * length, (row + 1) * length)),
  };
}

describe.each(devices.map(({ name }) => name))("rows on %s", (device) => {
  describe.each(floats)("of %s", (dtype) => {
    const u = roundoff[dtype]!;
    const kept = Math.min(u, 2 ** -24);

    function expectNear(
      what: string,
      got: Tensor,
      wanted: readonly number[],
      allowed: (value: number, at: number) => number,
    ): void {
      const found = numbers(got);
      expect(found.length).toBe(wanted.length);
      const rounding = Object.keys(roundoff).includes(got.dtype) ? roundoff[got.dtype]! : 0;
      wanted.forEach((value, at) => {
        // The least steps of float16 are of 2⁻²⁴.
        const bound = allowed(value, at) + 1.01 * rounding * Math.abs(value) + (dtype === "float16" ? 2 ** -25 : 0);
        if (!(Math.abs(found[at]! - value) <= bound))
          throw new Error(`${what}, element ${at}: ${found[at]} is not within ${bound} of ${value}.`);
      });
    }

    test.each(Object.keys(layouts) as (keyof typeof layouts)[])("reduced, %s", (layout) => {
      for (const length of lengths) {
        const { x, rows } = matrix(layout, length, dtype, device);
        const depth = roundingsOf(length);
        const each = (f: (row: number[]) => number) => rows.map(f);
        poison(device, rows.length);
        const what = (name: string) => `${name} of rows of ${length} ${dtype}, ${layout}`;
        expectNear(
          what("sum"),
          x.sum({ axis: 1 }),
          each(total),
          (_, at) => (depth + 1) * kept * total(rows[at]!.map(Math.abs)),
        );
        expectNear(
          what("max"),
          x.max({ axis: 1 }),
          each((row) => Math.max(...row)),
          () => 0,
        );
        expectNear(
          what("argmax"),
          x.argmax({ axis: 1 }),
          each((row) => row.indexOf(Math.max(...row))),
          () => 0,
        );
        expectNear(
          what("argmin"),
          x.argmin({ axis: 1 }),
          each((row) => row.indexOf(Math.min(...row))),
          () => 0,
        );
        expectNear(
          what("logsumexp"),
          x.logsumexp({ axis: 1 }),
          each((row) => Math.log(total(row.map(Math.exp)))),
          (value) => kept * (8 * (depth + 4) + 2 * Math.abs(value)),
        );
        const squares = (row: number[]) => {
          const middle = mean(row);
          return total(row.map((value) => (value - middle) ** 2));
        };
        expectNear(
          what("var"),
          x.var({ axis: 1, correction: 0 }),
          each((row) => squares(row) / length),
          (value, at) => {
            const condition = Math.sqrt(1 + (length * mean(rows[at]!) ** 2) / (squares(rows[at]!) || 1));
            return 8 * (depth + 2) * kept * condition * value + kept ** 2 * 64;
          },
        );
      }
    });

    test.each(Object.keys(layouts) as (keyof typeof layouts)[])("softmax and norms, %s", (layout) => {
      for (const length of lengths) {
        const { x, rows } = matrix(layout, length, dtype, device);
        const g = matrix(layout, length, dtype, device);
        const flat = (f: (row: number[], at: number) => number[]) => rows.flatMap(f);
        const what = (name: string) => `${name} of rows of ${length} ${dtype}, ${layout}`;
        // A sum of positive terms, an exponential of at most e⁴ and few roundings.
        const bound = (64 + length / 32) * kept;
        const relative = (value: number) => bound * (1 + Math.abs(value));
        const powers = (row: number[]) => {
          const most = Math.max(...row);
          return row.map((value) => Math.exp(value - most));
        };
        const soft = (row: number[]) => {
          const found = powers(row);
          const sum = total(found);
          return found.map((power) => power / sum);
        };
        const log = (row: number[]) => Math.log(total(powers(row))) + Math.max(...row);
        poison(device, x.size);
        expectNear(what("softmax"), softmax(x), flat(soft), (value) => bound * value);
        expectNear(
          what("logSoftmax"),
          logSoftmax(x),
          flat((row) => {
            const shift = log(row);
            return row.map((value) => value - shift);
          }),
          relative,
        );
        const deviation = (row: number[]) => {
          const middle = mean(row);
          return { middle, rstd: 1 / Math.sqrt(mean(row.map((value) => (value - middle) ** 2)) + 1e-5) };
        };
        const normal = (row: number[]) => {
          const { middle, rstd } = deviation(row);
          return row.map((value) => (value - middle) * rstd);
        };
        // What the mean is off shows as often as the deviation is smaller than it.
        const steep = (row: number[]) => 1 + deviation(row).rstd * Math.max(...row.map(Math.abs));
        const steepness = rows.map(steep);
        const rowOf = (at: number) => Math.floor(at / length);
        expectNear(
          what("layerNorm"),
          layerNorm(x),
          flat(normal),
          (value, at) => relative(value) * steepness[rowOf(at)]!,
        );
        expectNear(
          what("rmsNorm"),
          rmsNorm(x),
          flat((row) => {
            const root = Math.sqrt(mean(row.map((each) => each ** 2)) + 1e-5);
            return row.map((value) => value / root);
          }),
          relative,
        );
        const targets = rows.map(() => Math.floor(random() * length));
        expectNear(
          what("crossEntropy"),
          crossEntropy(x, tensor(targets, { dtype: "int64", device }), { reduction: "none" }),
          rows.map((row, at) => log(row) - row[targets[at]!]!),
          relative,
        );

        x.requiresGrad = true;
        const y = softmax(x);
        expectNear(
          what("softmax's gradient"),
          gradients(y.mul(g.x).sum(), [x])[0]!,
          flat((row, at) => {
            const result = soft(row).map((value) => rounded(value, dtype));
            const sum = total(result.map((value, i) => value * g.rows[at]![i]!));
            return result.map((value, i) => value * (g.rows[at]![i]! - sum));
          }),
          // The result is rounded to the dtype before.
          () => 8 * bound + 4 * u,
        );
      }
    });

    test.each(Object.keys(layouts) as (keyof typeof layouts)[])("gradients of layerNorm, %s", (layout) => {
      for (const length of lengths) {
        const { x, rows } = matrix(layout, length, dtype, device);
        const g = matrix(layout, length, dtype, device);
        const weights = randoms(length, dtype);
        const weight = tensor(weights, { dtype, device });
        const bias = tensor(weights, { dtype, device });
        for (const each of [x, weight, bias]) each.requiresGrad = true;
        poison(device, x.size);
        const [dx, dw, db] = gradients(layerNorm(x, weight, bias).mul(g.x).sum(), [x, weight, bias]);
        const [only] = gradients(layerNorm(x, weight.detach()).mul(g.x).sum(), [x]);
        const what = (name: string) => `${name} of layerNorm of rows of ${length} ${dtype}, ${layout}`;
        const facts = rows.map((row) => {
          const middle = mean(row);
          const rstd = 1 / Math.sqrt(mean(row.map((value) => (value - middle) ** 2)) + 1e-5);
          return { rstd, normal: row.map((value) => (value - middle) * rstd), steep: 1 + rstd * 2 };
        });
        const wanted = facts.flatMap(({ rstd, normal }, at) => {
          const d = g.rows[at]!.map((value, i) => value * weights[i]!);
          const [part, slope] = [mean(d), mean(d.map((value, i) => value * normal[i]!))];
          return d.map((value, i) => rstd * (value - part - normal[i]! * slope));
        });
        const bound = (64 + length / 32) * kept;
        const allowed = (_: number, at: number) => {
          const { rstd, steep } = facts[Math.floor(at / length)]!;
          return 16 * bound * rstd * steep ** 2;
        };
        expectNear(what("the gradient"), dx!, wanted, allowed);
        expectNear(what("the gradient alone"), only!, wanted, allowed);
        const columns = (f: (row: number, i: number) => number) =>
          Array.from({ length }, (_, i) => total(rows.map((_row, row) => f(row, i))));
        const most = total(facts.map(({ steep }) => 2 * steep ** 2));
        expectNear(
          what("the gradient of the weight"),
          dw!,
          columns((row, i) => g.rows[row]![i]! * facts[row]!.normal[i]!),
          () => 8 * (bound + rows.length * kept) * most,
        );
        expectNear(
          what("the gradient of the bias"),
          db!,
          columns((row, i) => g.rows[row]![i]!),
          () => rows.length * kept * rows.length * 2,
        );
      }
    });
  });

  test.each(["float32", "bfloat16", "int64"] as const)("columns of %s, of every width", (dtype) => {
    for (const inner of [2, 3, 8, 17, 33, 64, 129]) {
      for (const [outer, length] of [
        [1, 300],
        [3, 5],
        [40, 3],
        [2, 70],
        [1, 2500],
      ] as const) {
        for (const shift of [0, 1]) {
          const count = outer * length * inner;
          const values = Array.from({ length: count + shift }, () =>
            dtype === "int64" ? Math.round(random() * 1e6) : rounded(random() * 4 - 2, dtype),
          );
          const x = tensor(dtype === "int64" ? values.map(BigInt) : values, { dtype, device })
            .slice([shift, count + shift])
            .reshape([outer, length, inner]);
          const groups = Array.from({ length: outer * inner }, (_, at) =>
            Array.from(
              { length },
              (_row, row) => values[shift + (Math.floor(at / inner) * length + row) * inner + (at % inner)]!,
            ),
          );
          const near = (
            what: string,
            got: Tensor,
            f: (group: number[]) => number,
            bound: (group: number[]) => number,
          ) =>
            numbers(got).forEach((value, at) => {
              const wanted = f(groups[at]!);
              const allowed = bound(groups[at]!) + 1.01 * (roundoff[got.dtype] ?? 0) * Math.abs(wanted);
              if (!(Math.abs(value - wanted) <= allowed))
                throw new Error(
                  `${what} of ${dtype} [${outer}, ${length}, ${inner}] from ${shift}, result ${at}: ${value} is not within ${allowed} of ${wanted}.`,
                );
            });
          const kept = dtype === "int64" ? 0 : 2 ** -24;
          const depth = roundingsOf(length) + 1;
          poison(device, outer * inner);
          near("sum", x.sum({ axis: 1 }), total, (group) => depth * kept * total(group.map(Math.abs)));
          near(
            "argmin",
            x.argmin({ axis: 1 }),
            (group) => group.indexOf(Math.min(...group)),
            () => 0,
          );
          if (dtype === "int64") continue;
          const squares = (group: number[]) => {
            const middle = mean(group);
            return total(group.map((value) => (value - middle) ** 2));
          };
          near(
            "var",
            x.var({ axis: 1 }),
            (group) => squares(group) / (length - 1),
            (group) => {
              const value = squares(group) / (length - 1);
              return (
                8 * (depth + 1) * kept * Math.sqrt(1 + (length * mean(group) ** 2) / (squares(group) || 1)) * value
              );
            },
          );
        }
      }
    }
  });

  test("nothing but the least number there is: its first place", () => {
    for (const length of [1, 3, 16, 17, 64, 1000]) {
      const rows = (value: number) => tensor(Array<number>(5 * length).fill(value), { device }).reshape([5, length]);
      expect(numbers(rows(-Infinity).argmax({ axis: 1 }))).toEqual([0, 0, 0, 0, 0]);
      expect(numbers(rows(Infinity).argmin({ axis: 1 }))).toEqual([0, 0, 0, 0, 0]);
      expect(numbers(rows(NaN).argmax({ axis: 1 }))).toEqual([0, 0, 0, 0, 0]);
      expect(numbers(rows(-Infinity).argmax({ axis: 0 }))).toEqual(Array<number>(length).fill(0));
      expect(numbers(softmax(rows(-Infinity)))).toEqual(Array<number>(5 * length).fill(NaN));
      expect(numbers(rows(-Infinity).logsumexp({ axis: 1 }))).toEqual(Array<number>(5).fill(-Infinity));
    }
  });
});
