// What compiling keeps and refuses, on every device: names that the code itself says, and arguments of another form.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { CompileError, compile, synchronize, type Kernel } from "../../native/lib/index.ts";
import { Compilation } from "../../native/lib/cuda/compilation.ts";
import { kernelFile, libraryUnits } from "../../native/lib/ops/kernels/library.ts";
import { devices } from "./devices.ts";

describe.each(devices.map((device) => device.name))("on %s", (device) => {
  test("code that says its own name is another under another name", async () => {
    const source = `#include <cassert>\n__global__ void k(int* p) { assert(p != nullptr); } // ${Math.random()}`;
    await compile(source, { device, name: "Cell [1]" });
    const second = await compile(source, { device, name: "Cell [2]" });
    expect(second.cached).toBe(false);
    expect((await compile(source, { device, name: "Cell [2]" })).cached).toBe(true);
    if (device !== "cpu") return;
    // The CPU's assertion says its file in the error; a GPU's is printed.
    (second.kernels["k"] as Kernel).launch({ grid: 1, block: 1 }, null);
    await expect(synchronize()).rejects.toThrow("Cell [2], line 2");
  });

  test.each<[string, () => Promise<unknown>, string]>([
    [
      "no text",
      () => compile(undefined as never, { device }),
      "The CUDA C++ to compile must be text, but got undefined.",
    ],
    [
      "a device without its name",
      () => compile("", "cpu" as never),
      `The options to compile with must be an object such as { device: "cpu" }, but got "cpu".`,
    ],
    [
      "one define",
      () => compile("", { device, defines: "N=7" as never }),
      `The option defines must be an array of text, but got "N=7".`,
    ],
    [
      "numbers as flags",
      () => compile("", { device, flags: [3] as never }),
      "The option flags must be an array of text, but got [3].",
    ],
  ])("a sentence for %s", async (_, act, sentence) => {
    const error = await act().then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(CompileError);
    expect((error as Error).message).toBe(sentence);
  });

  test("a file of the library's own may use names that are a host's in a cell, such as map", () => {
    const files = new Set(libraryUnits().map(({ file }) => file));
    expect(files).toContain("cast");
    for (const file of files)
      expect(() => new Compilation(kernelFile(file), { device, isLibrary: true }), file).not.toThrow();
    expect(() => new Compilation(kernelFile("cast"), { device })).toThrow("is for host programs");
  });
});
