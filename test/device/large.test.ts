// Tensors of more than 2^31 elements, where a GPU has room for them: a pattern repeated, so that every result is known
// without another large array. Elsewhere the same with few repetitions.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { arange, cat, layerNorm, rand, tensor, tidy, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const period = 65537;
const random = seeded(freshSeed());
const pattern = Array.from({ length: period }, () => Math.floor(random() * 256));
const patternSum = pattern.reduce((sum, value) => sum + value, 0);
const before = [0];
for (const value of pattern) before.push(before.at(-1)! + value);

// Room for the largest case: indices of a sort, and what it works in.
const enough = 100e9;

describe.each(devices.map(({ name, properties }) => [name, properties] as const))("%s", (device, {
  memoryTotal,
  unifiedMemory,
}) => {
  const isLarge = !unifiedMemory && memoryTotal > enough;
  const repetitions = isLarge ? 32769 : 5;
  const count = period * repetitions;
  if (isLarge)
    test("there are more than 2^31 elements", () => {
      expect(count).toBeGreaterThan(2 ** 31);
    });

  const pick = (limit: number) => Math.floor(random() * limit);
  const made = (dtype: "uint8" | "float16" = "uint8"): Tensor => tensor(pattern, { dtype, device }).tile([repetitions]);
  /** The first and last elements, those around 2^31 and some at random. */
  const places = (): number[] => [
    0,
    count - 1,
    ...(isLarge ? [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1] : []),
    ...Array.from({ length: 20 }, () => pick(count)),
  ];
  /** Looks at windows around places: where a wrong index would show other elements of the pattern. */
  function expectWindows(result: Tensor, wanted: (index: number) => number): void {
    for (const place of places()) {
      const [start, end] = [Math.max(0, place - 40), Math.min(result.size, place + 40)];
      if (start >= end) continue;
      expect(result.slice([start, end]).toArray().map(Number), `at ${start}`).toEqual(
        Array.from({ length: end - start }, (_, i) => wanted(start + i)),
      );
    }
  }
  const at = (index: number): number => pattern[index % period]!;
  const sumUpTo = (index: number): number => Math.floor(index / period) * patternSum + before[index % period]!;
  const large = (name: string, run: () => void) =>
    test(name, () => {
      tidy(run);
    });

  large("elementwise, in place and by numbers", () => {
    const x = made();
    expectWindows(x, at);
    expectWindows(x.add(x), (index) => (2 * at(index)) % 256);
    x.mul_(3);
    expectWindows(x, (index) => (3 * at(index)) % 256);
  });

  large("float16, with a broadcast row and a comparison", () => {
    const x = made("float16");
    expectWindows(x.neg(), (index) => -at(index));
    const halves = tensor(
      pattern.map((value) => value / 2),
      { dtype: "float16", device },
    );
    expectWindows(x.reshape([repetitions, period]).sub(halves).reshape([-1]), (index) => at(index) / 2);
    expectWindows(x.where(x.gt(100), 0), (index) => (at(index) > 100 ? at(index) : 0));
  });

  large("sums of all, of rows and of columns", () => {
    const x = made();
    expect(x.sum().item()).toBe(repetitions * patternSum);
    const table = x.reshape([repetitions, period]);
    expect(new Set(table.sum({ axis: 1 }).toArray().map(Number))).toEqual(new Set([patternSum]));
    expect(table.sum({ axis: 0 }).toArray().map(Number)).toEqual(pattern.map((value) => repetitions * value));
    expect(table.max({ axis: 0 }).toArray()).toEqual(pattern);
  });

  large("the place of the greatest", () => {
    const x = made().clamp({ max: 250 });
    for (const place of [count - 3, Math.floor(count / 2), 7]) {
      x.set([place], 255);
      expect(x.argmax().item()).toBe(place);
    }
  });

  large("a running sum", () => {
    expectWindows(made().cumsum({ axis: 0 }), (index) => sumUpTo(index + 1));
  });

  large("transposed, turned round, every third, joined", () => {
    const x = made();
    const table = x.reshape([repetitions, period]);
    expectWindows(table.T.contiguous().reshape([-1]), (index) => pattern[Math.floor(index / repetitions)]!);
    expectWindows(x.flip(), (index) => at(count - 1 - index));
    const third = x.slice([1, null, 3]).contiguous();
    expectWindows(third, (index) => at(1 + 3 * index));
    expectWindows(cat([x, x]), (index) => at(index % count));
  });

  large("positions: read, assigned and added to", () => {
    const x = made();
    const wanted = places().filter((place, index, all) => all.indexOf(place) === index);
    const index = tensor(wanted, { dtype: "int64", device });
    expect(x.take(index).toArray()).toEqual(wanted.map(at));
    x.set([index], 9);
    expectWindows(x, (place) => (wanted.includes(place) ? 9 : at(place)));
  });

  large("sorted: values and their positions, equal ones in their order", () => {
    const { values, indices } = made().sort();
    const places = Array.from({ length: 256 }, () => [] as number[]);
    pattern.forEach((value, index) => places[value]!.push(index));
    const starts = [0];
    for (const each of places) starts.push(starts.at(-1)! + each.length * repetitions);
    const valueAt = (index: number) => starts.findLastIndex((start) => start <= index && start < count);
    const placeAt = (index: number) => {
      const value = valueAt(index);
      const rank = index - starts[value]!,
        each = places[value]!;
      return Math.floor(rank / each.length) * period + each[rank % each.length]!;
    };
    expectWindows(values, valueAt);
    expectWindows(indices, placeAt);
  });

  large("rows of softmax", () => {
    const x = made("float16")
      .reshape([-1, period])
      .slice([0, isLarge ? 32768 : repetitions]);
    const one = tensor(pattern, { dtype: "float16", device }).reshape([1, period]);
    const last = [x.shape[0]! - 1];
    expect(
      x
        .mul(0.01)
        .softmax({ axis: 1 })
        .get(...last)
        .toArray(),
    ).toEqual(one.mul(0.01).softmax({ axis: 1 }).get(0).toArray());
  });

  large("random numbers do not repeat", () => {
    const x = rand([isLarge ? count : 4 * period], { device, dtype: "float16", seed: 5 });
    const heads = [0, 2 ** 16, ...(isLarge ? [2 ** 30, 2 ** 31] : [])].map((start) =>
      x
        .slice([start, start + 64])
        .toArray()
        .join(),
    );
    expect(new Set(heads).size).toBe(heads.length);
    expect(
      Math.abs(
        Number(
          x
            .slice([x.size - period, null])
            .to("float32")
            .mean()
            .item(),
        ) - 0.5,
      ),
    ).toBeLessThan(0.01);
  });

  large("numbers in a row", () => {
    expectWindows(arange(count, { dtype: "int64", device }), (index) => index);
  });

  // On a processor, results of 32 MiB and more are stored past its caches.
  const wide: Readonly<Record<string, (x: Tensor) => Tensor>> = {
    "a sum": (x) => x.add(x.mul(2)),
    "a function": (x) => x.exp(),
    "to 16 bits": (x) => x.to("bfloat16"),
    "a copy": (x) => x.clone(),
    softmax: (x) => x.softmax({ axis: 1 }),
    "layer norm": (x) => layerNorm(x),
    "from an odd place": (x) => x.slice(null, [1, null]).neg(),
    "in place": (x) => x.clone().mul_(3),
  };
  test.each(Object.entries(wide))("%s that no cache holds is that of its rows", (_, run) => {
    tidy(() => {
      const x = rand([9001, 1031], { device });
      poison(device, 4 * x.size);
      const whole = run(x);
      for (const [start, end] of [
        [0, 3],
        [4498, 4503],
        [8998, 9001],
      ] as const) {
        expect(whole.slice([start, end]).to("float32").toArray()).toEqual(
          run(x.slice([start, end]))
            .to("float32")
            .toArray(),
        );
      }
    });
  });

  test("a transposed copy that no cache holds", () => {
    tidy(() => {
      const x = rand([3001, 3007], { device });
      poison(device, 4 * x.size);
      const turned = x.T.contiguous();
      for (const row of [0, 63, 64, 1500, 3006])
        expect(turned.slice(row).toArray()).toEqual(x.slice(null, row).toArray());
    });
  });
});
