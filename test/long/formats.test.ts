// 100,000 damaged files of each format: read or refused, never anything else, and no memory is left over.
import "../device/cache.ts";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { FormatError, io, memory, Tensor, TensorError, zeros } from "../../native/lib/index.ts";
import { mutated } from "../device/mutations.ts";
import { seeded } from "../helpers/random.ts";

const bytesOf = (name: string) => readFileSync(fileURLToPath(new URL(`../device/files/${name}`, import.meta.url)));
const formats: Record<io.FileFormat, string[]> = {
  npy: [
    "f4.npy",
    "b1.npy",
    "big-u8.npy",
    "columns.npy",
    "scalar.npy",
    "empty.npy",
    "version-2.npy",
    "version-3.npy",
    "objects.npy",
    "records.npy",
  ],
  npz: ["stored.npz", "deflated.npz"],
  safetensors: ["numpy.safetensors"],
  arrow: ["table.arrow", "gaps.arrow"],
  arrows: ["table.arrows"],
  parquet: ["none", "snappy", "gzip", "brotli", "zstd", "pages", "kinds"].map((name) => `${name}.parquet`),
  csv: ["people.csv", "matrix.csv"],
  tsv: ["people.tsv"],
};
/** Where all that is well cannot be loaded without options. */
const options: Partial<Record<io.FileFormat, io.TableOptions>> = {
  parquet: { only: ["i8", "f64", "pair", "gaps"], texts: ["word"] },
};

test.each(
  Object.entries(formats) as [io.FileFormat, string[]][],
)("100,000 damaged files of %s", async (format, names) => {
  zeros([1], { device: "cpu" }).dispose();
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = seeded(seed);
  const files = names.map(bytesOf);
  const before = memory()["cpu"]!.allocated;
  let [read, slowest] = [0, 0];
  for (let run = 0; run < 100_000; run++) {
    const bytes = mutated(files, random);
    const start = performance.now();
    try {
      const loaded = await io.load(bytes, { device: "cpu", format, ...(run % 4 > 0 && options[format]) });
      for (const each of loaded instanceof Tensor ? [loaded] : Object.values(loaded)) {
        if (!(each instanceof Tensor)) continue;
        // What is packed may grow, an entry to at most a MiB here, and a bit of a boolean column becomes a byte, a
        // digit of text eight; everything else has its bytes in the file.
        expect(each.bytes, `seed ${seed}, run ${run}`).toBeLessThanOrEqual(
          ["npz", "parquet"].includes(format) ? 2 ** 23 : /^(arrow|.sv)/.test(format) ? 8 * bytes.length : bytes.length,
        );
        each.dispose();
      }
      read += 1;
    } catch (error) {
      // A column that is named above may be gone.
      const isKnown = error instanceof FormatError || (error instanceof TensorError && error.code === "NAME");
      if (!isKnown) throw new Error(`seed ${seed}, run ${run}`, { cause: error });
    }
    slowest = Math.max(slowest, performance.now() - start);
  }
  console.log(`${format}, seed ${seed}: ${read} of 100,000 could be read, the slowest took ${slowest.toFixed(1)} ms`);
  expect(memory()["cpu"]!.allocated, `seed ${seed}`).toBe(before);
  expect(read).toBeGreaterThan(100);
});

test("a file that would be read for ever is given up", async () => {
  const name = fileURLToPath(new URL("../device/files/endless.parquet", import.meta.url));
  await expect(io.load(name, { only: ["f64"], device: "cpu" })).rejects.toThrow(
    /endless\.parquet cannot be read as Parquet: its end is not in sight after a long time\./,
  );
  expect((await io.load(name.replace("endless", "none"), { only: ["f64"], device: "cpu" }))["f64"]!.size).toBe(100);
});
