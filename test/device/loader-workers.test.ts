// DataLoader with transforms and worker threads, on every device: the same batches as without, in the same order, from
// where a state was; what a worker cannot have; errors with their place; interrupts.
import "./cache.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { arange, DataLoader, memory, Tensor, TensorError, type DataLoaderOptions } from "../../native/lib/index.ts";
import { endInterrupted } from "../../native/lib/host.ts";
import { devices } from "./devices.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-workers-"));
afterAll(() => rmSync(folder, { recursive: true }));
const moduleOf = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

/** What a batch holds, without where it lies. */
function shown(batch: unknown): unknown {
  if (batch instanceof Tensor) return { dtype: batch.dtype, shape: batch.shape, values: batch.toArray() };
  if (Array.isArray(batch)) return batch.map(shown);
  if (typeof batch === "object" && batch !== null)
    return Object.fromEntries(Object.entries(batch).map(([name, each]) => [name, shown(each)]));
  return batch;
}
async function batchesOf(loader: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const batch of loader) all.push(shown(batch));
  return all;
}
async function failure(work: Promise<unknown>): Promise<TensorError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TensorError);
  return error as TensorError;
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const rows = Array.from({ length: 23 }, (_, row) => row);
  const transform = (row: number) => ({
    number: row / 2,
    long: BigInt(row),
    flag: row % 2 === 0,
    text: `row ${row}`,
    image: Uint8Array.from({ length: 6 }, (_, at) => row + at),
    pair: [row, Float64Array.of(row, -row)],
  });

  test("the same batches in the same order as without workers, by seed and from a state", async () => {
    const options = { batchSize: 5, shuffle: true, seed: 3, device, transform } as const;
    const wanted = new DataLoader(rows, options);
    const both = [await batchesOf(wanted), await batchesOf(wanted)];
    expect(both[0]).not.toEqual(both[1]);
    expect(both[0]!.length).toBe(5);
    for (const workers of [1, 3]) {
      const loader = new DataLoader(rows, { ...options, workers, prefetch: 2 });
      expect([await batchesOf(loader), await batchesOf(loader)]).toEqual(both);
      const left = new DataLoader(rows, { ...options, workers });
      let taken = 0;
      let state: Record<string, Tensor> | undefined;
      for await (const batch of left) {
        expect((batch as { number: Tensor }).number.device).toBe(device);
        if (++taken < 2) continue;
        state = left.stateDict();
        break;
      }
      const resumed = new DataLoader(rows, { ...options, workers });
      resumed.loadStateDict(state!);
      expect(await batchesOf(resumed)).toEqual(both[0]!.slice(2));
      // One that was left begins anew.
      expect(await batchesOf(left)).toEqual(both[1]);
    }
  });

  test("batches that are used while others are copied keep their numbers", async () => {
    const source = Array.from({ length: 64 }, (_, row) => row);
    const loader = new DataLoader(source, {
      batchSize: 4,
      device,
      workers: 2,
      prefetch: 6,
      transform: (row: number) => Float32Array.from({ length: 20_000 }, (_, at) => row + (at % 7)),
    });
    const kept: Tensor[] = [];
    const sums: Tensor[] = [];
    for await (const batch of loader as AsyncIterable<Tensor>) {
      kept.push(batch);
      sums.push(batch.sum(1) as Tensor);
    }
    const offsets = Array.from({ length: 20_000 }, (_, at) => at % 7).reduce((sum, each) => sum + each, 0);
    for (const [index, batch] of kept.entries()) {
      const own = [0, 1, 2, 3].map((at) => 20_000 * (4 * index + at) + offsets);
      // Sums of whole numbers below 2^24 are exact.
      expect(sums[index]!.toArray()).toEqual(own);
      expect((batch.sum(1) as Tensor).toArray()).toEqual(own);
    }
  });

  test("columns, tensors, samples that come later, and a collate of one's own", async () => {
    const x = arange(12, { device }).reshape([6, 2]) as Tensor;
    const labels = arange(6, { device, dtype: "int64" });
    const data = { x, labels, names: ["a", "b", "c", "d", "e", "f"] };
    const cases: [unknown, DataLoaderOptions][] = [
      [data, { transform: ({ x, labels, names }: never) => [x, labels, names] as never }],
      [data, {}],
      [[x, labels], { transform: ([row, label]: [Float32Array, bigint]) => row.map((each) => each * Number(label)) }],
      [{ length: 5, get: async (index: number) => index * 10 }, { transform: (value: number) => value + 1 }],
      [rows, { transform: async (row: number) => Array(3).fill(row) }],
      [["aa", "b"], { collate: (texts: string[]) => texts.join("+") }],
      [["aa", "b"], { transform: (text: string) => text.length, collate: (all: number[]) => all.length }],
      [
        [1, 2],
        {
          transform: {
            times(row: number) {
              return 2 * row;
            },
          }.times,
        },
      ],
      [[], { transform: (row: number) => row }],
    ];
    for (const [source, options] of cases) {
      const both = { batchSize: 4, shuffle: true, seed: 1, device, ...options };
      const wanted = await batchesOf(new DataLoader(source as never, both as never));
      expect(await batchesOf(new DataLoader(source as never, { ...both, workers: 2 } as never))).toEqual(wanted);
    }
    // No worker is needed for these, so that a loop need not wait.
    const gathered = new DataLoader([x, labels], { batchSize: 4, workers: 2 });
    expect([...gathered].map(shown)).toEqual(await batchesOf(new DataLoader([x, labels], { batchSize: 4 })));
  });

  test("a module, its path or its address", async () => {
    const file = moduleOf(
      "triple.mjs",
      'import { sep } from "node:path";\nexport default (x) => 3 * x + sep.length - 1;',
    );
    for (const transform of [file, pathToFileURL(file), pathToFileURL(file).href])
      for (const workers of [0, 1])
        expect(await batchesOf(new DataLoader([1, 2], { batchSize: 2, transform, workers, device }))).toEqual([
          { dtype: "float32", shape: [2], values: [3, 6] },
        ]);
    expect(() => [...new DataLoader([1], { transform: file })]).toThrow("These samples are promises: write for await");
    expect(() => [...new DataLoader([1], { workers: 1 })]).toThrow("Workers make these batches: write for await");
    for (const workers of [0, 1]) {
      const none = moduleOf("none.mjs", "export const one = 1;");
      expect((await failure(batchesOf(new DataLoader([1], { transform: none, workers })))).message).toMatch(
        /^The module of transform, .*none\.mjs, has no default export: write export default \(sample\) => …\.$/,
      );
      const five = moduleOf("five.mjs", "export default 5;");
      expect((await failure(batchesOf(new DataLoader([1], { transform: five, workers })))).message).toContain(
        "five.mjs, has 5 as its default export",
      );
      const missing = join(folder, "missing.mjs");
      expect((await failure(batchesOf(new DataLoader([1], { transform: missing, workers })))).message).toMatch(
        /^The module of transform, .*missing\.mjs, cannot be loaded: Cannot find module/,
      );
    }
  });

  test("what a worker cannot have is said", async () => {
    const factor = 2;
    const closed = await failure(
      batchesOf(new DataLoader([1, 2], { workers: 1, transform: (x: number) => factor * x })),
    );
    expect([closed.code, closed.message]).toEqual([
      "TRANSFORM",
      'The transform uses factor, which is not there in a worker: only the text of the function goes to one. Define it within the function, import it there (await import("…")), or pass the path of a module as transform.',
    ]);
    expect(() => new DataLoader([1], { workers: 1, transform: Math.sqrt })).toThrow(
      "sqrt has no text of JavaScript that a worker could run: write transform: (sample) => … around it.",
    );
    expect(() => new DataLoader([1], { workers: 1, transform: 5 as never })).toThrow(
      "DataLoader takes a function of a sample as transform, or the path of a module whose default export is one, but got 5.",
    );
    class Doubler {
      get twice() {
        return 2;
      }
    }
    const getter = Object.getOwnPropertyDescriptor(Doubler.prototype, "twice")!.get! as () => unknown;
    expect(() => new DataLoader([1], { workers: 1, transform: getter })).toThrow("its text alone is no function");
    const uncloneable = await failure(batchesOf(new DataLoader([() => 1], { workers: 1 })));
    expect(uncloneable.message).toMatch(
      /^A sample cannot be sent to a worker: .* could not be cloned\. Workers take plain values/,
    );
    const half = arange(4, { device }).to("float16") as Tensor;
    expect((await failure(batchesOf(new DataLoader(half, { transform: (x: number) => x })))).message).toBe(
      'A transform takes what JavaScript has arrays of, but the data is float16: convert it, e.g. with .to("float32").',
    );
  });

  test("errors of a transform come with their row and line", async () => {
    const transform = (row: number) => {
      if (row === 7) throw new RangeError("seven is too much");
      return row;
    };
    const loader = new DataLoader(rows, { batchSize: 4, workers: 2, transform, device });
    const seen: unknown[] = [];
    const error = await failure(
      (async () => {
        for await (const batch of loader) seen.push(shown(batch));
      })(),
    );
    expect([error.code, error.message]).toEqual([
      "TRANSFORM",
      expect.stringMatching(/^The transform failed for row 7 in its line [23]: seven is too much$/) as unknown,
    ]);
    expect([(error.cause as Error).name, seen.length]).toEqual(["RangeError", 1]);
    const file = moduleOf("fails.mjs", "\n\nexport default () => null.x;");
    const inModule = await failure(batchesOf(new DataLoader([1], { workers: 1, transform: file })));
    expect(inModule.message).toMatch(
      /^The transform failed for row 0 in .*fails\.mjs, line 3: Cannot read properties of null/,
    );
    const ragged = new DataLoader([1, 2], { batchSize: 2, workers: 1, transform: (n: number) => Array(n).fill(0) });
    expect((await failure(batchesOf(ragged))).message).toBe(
      "A batch takes samples of one length, but one has 1 entries and another 2: pass collate, which pads them.",
    );
    const ended = new DataLoader([1], { workers: 1, transform: () => process.exit(3) });
    expect((await failure(batchesOf(ended))).message).toMatch(/^A worker of this DataLoader was lost: /);
    const odd = new DataLoader([1], { workers: 1, transform: () => Promise.reject("no") });
    expect((await failure(batchesOf(odd))).message).toBe("The transform failed for row 0: no");
    // The next loop starts others.
    const again = new DataLoader([1, 2, 3], {
      batchSize: 2,
      workers: 1,
      transform: (x: number) => (x === 3 ? {}.toString.call(x) && x : x),
      device,
    });
    expect((await batchesOf(again)).length).toBe(2);
  });

  test("an interrupt ends a worker that never answers, and memory comes back", async () => {
    const before = memory()[device]!.allocated;
    const endless = new DataLoader([1], {
      workers: 1,
      device,
      transform: () => {
        for (;;);
      },
    });
    const waits = failure(batchesOf(endless));
    endInterrupted();
    expect((await waits).code).toBe("INTERRUPTED");
    expect(memory()[device]!.allocated).toBe(before);
  });
});
