// DataLoader on every device: batches of tensors, lists and samples, shuffled by seed, from where a state was, ahead of
// the loop, and every error.
import "./cache.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  arange,
  DataLoader,
  io,
  progress,
  seed,
  tensor,
  zeros,
  type Data,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];
const numbersOf = (loader: Iterable<Tensor>): number[][] => [...loader].map(numbers);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const rows = (count: number) => arange(count, { device });

  test("batches of a tensor are copies in its order, the last one smaller or left out", () => {
    const data = rows(10).reshape([5, 2]);
    const loader = new DataLoader(data, { batchSize: 2 });
    expect([loader.length, loader.epoch, String(loader)]).toEqual([3, 0, "DataLoader: 3 batches of 2, epoch 0"]);
    const batches = [...loader];
    expect(batches.map(({ shape, device: at, requiresGrad }) => [shape, at, requiresGrad])).toEqual([
      [[2, 2], device, false],
      [[2, 2], device, false],
      [[1, 2], device, false],
    ]);
    expect(batches.flatMap(numbers)).toEqual(numbers(data));
    batches[0]!.fill_(7);
    expect(numbers(data)[0]).toBe(0);
    expect(numbersOf(new DataLoader(data, { batchSize: 2, dropLast: true })).length).toBe(2);
    expect([...new DataLoader(zeros([0, 3], { device }))]).toEqual([]);
    expect(numbersOf(new DataLoader(rows(3), { device: "cpu" }))).toEqual([[0], [1], [2]]);
  });

  test("tensors side by side stay together, in an array or a record, with lists", () => {
    const [x, y] = [rows(7), rows(7).mul(10) as Tensor];
    for (const [a, b] of new DataLoader([x, y], { batchSize: 3, shuffle: true, seed: 3 }))
      expect(numbers(b)).toEqual(numbers(a).map((each) => 10 * each));
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const loader = new DataLoader(
      { x, names, weights: Float32Array.from({ length: 7 }, (_, at) => at / 2) },
      { batchSize: 4, shuffle: true, device },
    );
    const seen = [...loader].flatMap((batch) => {
      const at = numbers(batch.x);
      expect(batch.names).toEqual(at.map((each) => names[each]));
      expect(numbers(batch.weights)).toEqual(at.map((each) => each / 2));
      expect(batch.weights.device).toBe(device);
      return at;
    });
    expect(seen.sort()).toEqual(numbers(x));
  });

  test("an order is that of the seed and the epoch, the same on every device", () => {
    const run = (given?: number) => {
      const loader = new DataLoader(rows(20), {
        batchSize: 6,
        shuffle: true,
        ...(given === undefined ? {} : { seed: given }),
      });
      return [0, 1, 2].map(() => numbersOf(loader).flat());
    };
    const first = run(5);
    expect(run(5)).toEqual(first);
    expect(new Set(first.map(String)).size).toBe(3);
    for (const epoch of first) expect(epoch.toSorted((a, b) => a - b)).toEqual(numbers(rows(20)));
    expect(run(6)[0]).not.toEqual(first[0]);
    expect(
      [
        ...new DataLoader(
          Array.from({ length: 20 }, (_, at) => at),
          { batchSize: 20, shuffle: true, seed: 5, device },
        ),
      ].map(numbers)[0],
    ).toEqual(first[0]);
    seed(9);
    const [one, other] = [run(), run()];
    expect(other).not.toEqual(one);
    seed(9);
    expect(run()).toEqual(one);
  });

  test("a state goes on in the middle of an epoch, also from a file, and a loop that was left begins a new one", async () => {
    const make = () => new DataLoader(rows(20), { batchSize: 3, shuffle: true, seed: 4 });
    const once = make();
    const wanted = [numbersOf(once), numbersOf(once)];
    const loader = make();
    const got: number[][] = [];
    for (const batch of loader) {
      got.push(numbers(batch));
      if (got.length === 3) break;
    }
    const folder = mkdtempSync(join(tmpdir(), "loader-"));
    await io.save(join(folder, "loader.safetensors"), loader.stateDict());
    const next = new DataLoader(rows(20), { batchSize: 3, shuffle: true });
    next.loadStateDict((await io.load(join(folder, "loader.safetensors"), { device })) as Record<string, Tensor>);
    rmSync(folder, { recursive: true });
    expect([...got, ...numbersOf(next)]).toEqual(wanted[0]);
    expect(numbersOf(next)).toEqual(wanted[1]);
    expect(numbersOf(loader)).toEqual(wanted[1]);
    // Between epochs, and without a seed that has been drawn.
    const idle = new DataLoader(rows(4)).stateDict();
    expect(Object.keys(idle)).toEqual(["epoch", "position"]);
    expect(numbers(next.stateDict()["epoch"]!)).toEqual([2]);
    expect(() => next.loadStateDict({})).toThrow("loadStateDict of a DataLoader takes what stateDict() gave");
    expect(() => new DataLoader(rows(2)).loadStateDict({ ...idle, position: tensor(5, { device }) })).toThrow(
      "The state is that of 5 batches of an epoch, but this DataLoader has 2 in all.",
    );
  });

  test("samples become batches entry by entry", () => {
    const on = { device };
    const samples = [
      { x: tensor([1, 2], on), y: 3, label: "a", pair: [true, 5n] as const, z: Float64Array.of(1, 2) },
      { x: tensor([4, 5], on), y: 6, label: "b", pair: [false, 6n] as const, z: Float64Array.of(3, 4) },
    ];
    const [batch] = [...new DataLoader(samples, { batchSize: 2, device })];
    expect(batch!.x.toArray()).toEqual([
      [1, 2],
      [4, 5],
    ]);
    expect([batch!.y.toArray(), batch!.label, batch!.pair[0].toArray(), batch!.pair[1].toArray()]).toEqual([
      [3, 6],
      ["a", "b"],
      [true, false],
      [5n, 6n],
    ]);
    expect([batch!.z.dtype, batch!.z.shape, batch!.z.device]).toEqual(["float64", [2, 2], device]);
    const padded = new DataLoader(["ab", "c"], {
      batchSize: 2,
      collate: (list: string[]) =>
        tensor(
          list.map((each) => each.length),
          on,
        ),
    });
    expect([...padded].map(numbers)).toEqual([[2, 1]]);
    const pairs = new DataLoader([rows(3), rows(3)], { batchSize: 3, collate: (list: Tensor[][]) => list.length });
    expect([...pairs]).toEqual([3]);
  });

  test("samples that come later are made ahead of the loop, in order", async () => {
    const asked: number[] = [];
    const waiting: (() => void)[] = [];
    const data = {
      length: 6,
      get: (index: number) => {
        asked.push(index);
        return new Promise<number>((resolve) => waiting.push(() => resolve(10 * index)));
      },
    };
    const loader = new DataLoader(data, { prefetch: 2, device });
    const run = loader[Symbol.asyncIterator]();
    const first = run.next();
    await Promise.resolve();
    expect(asked).toEqual([0, 1, 2]);
    // The last first: batches come in their order all the same.
    for (const done of waiting.splice(0).reverse()) done();
    expect(numbers((await first).value as Tensor)).toEqual([0]);
    expect(numbers((await run.next()).value as Tensor)).toEqual([10]);
    expect(numbers(loader.stateDict()["position"]!)).toEqual([2]);
    await run.return!(undefined);
    expect(() => [...new DataLoader({ length: 1, get: () => Promise.resolve(1) })]).toThrow(
      "These samples are promises: write for await (const batch of loader).",
    );
    const failing = new DataLoader(
      { length: 3, get: (index: number) => Promise.reject(new Error(`row ${index}`)) },
      { prefetch: 3 },
    );
    await expect(
      (async () => {
        for await (const batch of failing) void batch;
      })(),
    ).rejects.toThrow("row 0");
    const together: number[] = [];
    for await (const batch of progress(new DataLoader(rows(4), { batchSize: 2, prefetch: 5 })))
      together.push(...numbers(batch));
    expect(together).toEqual([0, 1, 2, 3]);
  });

  test("what is no data, and options that make no sense", () => {
    const x = rows(3);
    for (const [make, sentence] of [
      [() => new DataLoader(3 as never), "DataLoader takes a tensor, an array or a record of them, a list of samples"],
      [() => new DataLoader(tensor(3, { device })), "DataLoader takes tensors with rows, but the data has no axes."],
      [() => new DataLoader({ x, y: rows(4) }), "DataLoader takes data of one length, but x has 3 rows and y has 4."],
      [() => new DataLoader([x, rows(4)]), "DataLoader takes data of one length, but 0 has 3 rows and 1 has 4."],
      [() => new DataLoader({ x, y: 5 } as never as Data), "DataLoader takes tensors and lists, but y is 5."],
      [
        () => new DataLoader(x, { batchSize: 0 }),
        "DataLoader takes a whole number of at least 1 as batchSize but got 0.",
      ],
      [() => new DataLoader(x, { seed: 3 }), "DataLoader takes a seed for shuffle: true, which it was not given."],
      [() => new DataLoader(x, { numWorkers: 3 } as never), "DataLoader has no option numWorkers. Write workers."],
      [
        () => new DataLoader(x, { collate: 3 as never }),
        "DataLoader takes a function of samples as collate but got 3.",
      ],
      [
        () => [...new DataLoader([[1, 2], [3]], { batchSize: 2 })],
        "A batch takes samples of one length, but one has 2",
      ],
      [
        () => [...new DataLoader([{ a: 1 }, { b: 1 }], { batchSize: 2 })],
        "A batch takes samples of the same names, but",
      ],
      [() => [...new DataLoader([1, "a"], { batchSize: 2 })], "A batch is made of numbers, texts, tensors, or arrays"],
      [() => [...new DataLoader([null], { batchSize: 2 })], "A batch is made of numbers, texts, tensors, or arrays"],
    ] as const)
      expect(make as () => unknown).toThrow(sentence);
  });
});
