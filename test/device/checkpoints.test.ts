// Checkpoints as the package transformers saves them, on every device: in shards with an index, with other names, and
// indexes that are damaged or hostile.
import "./cache.ts";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { FormatError, io, memory, nn, ones, tensor, Tensor, TensorError } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-checkpoints-"));
afterAll(() => rmSync(folder, { recursive: true }));
const record = async (path: string, options?: io.LoadOptions) =>
  (await io.load(path, options)) as Record<string, Tensor>;

/** A folder with an index of that content. */
function indexed(name: string, content: unknown): string {
  mkdirSync(join(folder, name), { recursive: true });
  const path = join(folder, name, "model.safetensors.index.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const first = "model-00001-of-00002.safetensors";
  const second = "model-00002-of-00002.safetensors";

  /** A linear layer under the names of another program, a tensor in each of two files, and one that nobody needs. */
  async function sharded(name: string): Promise<string> {
    const index = indexed(name, {
      metadata: { total_size: 40 },
      weight_map: { "transformer.fc.weight": first, "transformer.fc.bias": second, "transformer.mask": second },
    });
    await io.save(join(folder, name, first), { "transformer.fc.weight": tensor([[1, 2, 3]]) });
    await io.save(join(folder, name, second), { "transformer.fc.bias": tensor([4]), "transformer.mask": ones([6]) });
    return index;
  }

  test("shards become one record, by their index or by their folder", async () => {
    const index = await sharded(`whole-${device}`);
    for (const path of [index, join(folder, `whole-${device}`)]) {
      const loaded = await record(path, { device });
      expect(Object.keys(loaded)).toEqual(["transformer.fc.weight", "transformer.fc.bias", "transformer.mask"]);
      expect(loaded["transformer.fc.weight"]!.toArray()).toEqual([[1, 2, 3]]);
      expect(loaded["transformer.fc.bias"]!.toArray()).toEqual([4]);
      expect(loaded["transformer.mask"]!.device).toBe(device);
    }
  });

  test("a function gives a model's names, or null for what it does not have", async () => {
    const linear = new nn.Linear(3, 1, { device });
    const rename = (name: string) => (name.endsWith("mask") ? null : name.replace("transformer.fc.", ""));
    linear.loadStateDict(await record(await sharded(`renamed-${device}`), { device, rename }));
    expect(linear.forward(ones([1, 3], { device })).item()).toBe(10);
  });

  test("only what is wanted is read, from only the files that have it", async () => {
    const index = await sharded(`some-${device}`);
    rmSync(join(folder, `some-${device}`, second));
    expect(Object.keys(await record(index, { device, only: ["transformer.fc.weight"] }))).toEqual([
      "transformer.fc.weight",
    ]);
    const before = memory(device).used;
    await expect(io.load(index, { device })).rejects.toThrow("ENOENT");
    expect(memory(device).used).toBe(before);
  });

  test("one file of a folder is found, and names change in every format", async () => {
    const single = join(folder, `single-${device}`);
    mkdirSync(single);
    await io.save(join(single, "model.safetensors"), { a: tensor([1]) });
    const upper = { device, rename: (name: string) => name.toUpperCase() };
    expect((await record(single, upper))["A"]!.toArray()).toEqual([1]);
    for (const format of ["npz", "safetensors", "arrow", "arrows"] as const) {
      const bytes = await io.encode(format, { a: tensor([2]), b: tensor([3]) });
      const loaded = (await io.load(bytes, { ...upper, only: ["b"] })) as Record<string, Tensor>;
      expect(Object.entries(loaded).map(([name, x]) => [name, x.toArray()])).toEqual([["B", [3]]]);
    }
  });

  test("indexes that are damaged, or name other files, are errors by name", async () => {
    const of = (weight_map: unknown) => ({ weight_map });
    const wrong: [unknown, string][] = [
      ["{", "cannot be read as JSON"],
      [[], 'has no "weight_map"'],
      ["null", 'has no "weight_map"'],
      [of([]), 'has no "weight_map"'],
      [of({ a: "../secret.safetensors" }), "but files of a checkpoint lie beside its index"],
      [of({ a: "/etc/passwd" }), "but files of a checkpoint lie beside its index"],
      [of({ a: ".." }), 'gives ".." for "a"'],
      [of({ a: "..\\b" }), 'gives "..\\\\b" for "a"'],
      [of({ a: 1 }), 'gives 1 for "a"'],
      [of({ a: "part.safetensors" }), 'places "a" in part.safetensors, which does not have it'],
    ];
    for (const [at, [content, sentence]] of wrong.entries()) {
      const path = indexed(`wrong-${device}-${at}`, content);
      await io.save(join(folder, `wrong-${device}-${at}`, "part.safetensors"), { b: tensor([1]) });
      const error = await io.load(path, { device }).catch((reason: unknown) => reason);
      expect(error, sentence).toBeInstanceOf(FormatError);
      expect((error as Error).message).toContain(sentence);
    }
  });

  test("mistakes of the caller have sentences of their own", async () => {
    const index = await sharded(`mistakes-${device}`);
    const empty = join(folder, `empty-${device}`);
    mkdirSync(empty);
    const cases: [string | Uint8Array, object, string][] = [
      [index, { only: ["fc"] }, 'has no tensor "fc". It has "transformer.fc.weight", '],
      [index, { rename: () => "x" }, 'rename gives "x" for both "transformer.fc.weight" and "transformer.fc.bias".'],
      [index, { rename: () => 1 }, 'or null to leave it out, but gave 1 for "transformer.fc.weight".'],
      [index, { rename: "fc" }, 'load takes a function of a name as rename but got "fc"'],
      [index, { filter: ["fc"] }, "load has no option filter"],
      [empty, {}, `The folder ${empty} holds no checkpoint: none of model.safetensors.index.json, `],
      [await io.encode("npy", ones([1])), { only: ["a"] }, "holds one tensor without a name: leave out only."],
      [await io.encode("npy", ones([1])), { rename: String }, "holds one tensor without a name: leave out rename."],
    ];
    for (const [source, options, sentence] of cases) {
      const error = await io.load(source, { device, ...options }).catch((reason: unknown) => reason);
      expect(error, sentence).toBeInstanceOf(TensorError);
      expect((error as Error).message).toContain(sentence);
    }
  });
});
