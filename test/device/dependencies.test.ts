// A kernel comes from the cache only while every file that its compiler read is as it was, however the source names the
// file.
import "./cache.ts";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { compile, full, type CompileOptions, type Kernel } from "../../native/lib/index.ts";
import { compilers, use } from "./cpu-cell.ts";
import { devices } from "./devices.ts";

const targets = devices.flatMap(({ name }): { device: string; compiler: string }[] =>
  (name === "cpu" ? compilers : ["NVRTC"]).map((compiler) => ({ device: name, compiler })),
);
const root = mkdtempSync(join(tmpdir(), "warpcell-dependencies-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "it's a folder-"));
});

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => {
    if (device === "cpu") use(compiler);
  });

  const body = "\n__global__ void k(int* p) { p[0] = VALUE; }\n";
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  /** What the kernel writes, and whether it came from the cache. */
  const run = async (source: string, options: CompileOptions): Promise<[number, boolean]> => {
    const { kernels, cached } = await compile(source, { device, name: "Cell [3]", ...options });
    const out = full([1], -1, { dtype: "int32", device });
    (kernels["k"] as Kernel).launch({ grid: 1, block: 1 }, out);
    return [(out.toArray() as number[])[0]!, cached];
  };

  test.each<[string, string, boolean]>([
    ["plainly", '#include "value.h"', true],
    ["after a comment", '/* here */ #include "value.h"', true],
    ["with a comment within", '#include /* here */ "value.h"', true],
    ["by a macro", '#define HEADER "value.h"\n#include HEADER', true],
    ["by #import", '#import "value.h"', device === "cpu"],
    ["by #include_next", "#include <next.h>", true],
    ["by a digraph", '%:include "value.h"', true],
    ["over two lines", '#inc\\\nlude \\\n"value.h"', true],
    ["through another header", '#include "outer.h"', true],
    ["through a link", '#include "link.h"', true],
  ])("a header that the source includes %s", async (_, include, compiles) => {
    const options = { includes: [folder, join(folder, "second")] };
    file("next.h", "#include_next <next.h>\n");
    file("outer.h", '#  include "value.h"\n');
    symlinkSync("value.h", join(folder, "link.h"));
    const write = (value: number) =>
      ["value.h", "second/next.h"].forEach((name) => file(name, `#define VALUE ${value}\n`));
    write(1);
    if (!compiles) return expect(run(include + body, options)).rejects.toThrow("does not compile");
    expect(await run(include + body, options)).toEqual([1, false]);
    expect(await run(include + body, options)).toEqual([1, true]);
    write(2);
    expect(await run(include + body, options)).toEqual([2, false]);
  });

  test.each<[string, (folder: string) => CompileOptions, string]>([
    ["a folder among the flags", (at) => ({ flags: [`-I${at}`] }), '#include "value.h"'],
    [
      "a file that the flags include",
      (at) => ({
        flags: device === "cpu" ? ["-include", join(at, "value.h")] : [`--pre-include=${join(at, "value.h")}`],
      }),
      "",
    ],
  ])("a header in %s", async (_, options, include) => {
    file("value.h", "#define VALUE 1\n");
    expect(await run(include + body, options(folder))).toEqual([1, false]);
    expect(await run(include + body, options(folder))).toEqual([1, true]);
    file("value.h", "#define VALUE 2\n");
    expect(await run(include + body, options(folder))).toEqual([2, false]);
  });

  test("a header that comes to stand before another", async () => {
    const options = { includes: [join(folder, "first"), join(folder, "second")] };
    file("second/sub/value.h", "#define VALUE 2\n");
    const source = `#include "sub/value.h"${body}`;
    expect(await run(source, options)).toEqual([2, false]);
    expect(await run(source, options)).toEqual([2, true]);
    file("first/sub/value.h", "#define VALUE 1\n");
    expect(await run(source, options)).toEqual([1, false]);
  });

  test("a header that __has_include asks for: such a kernel is compiled each time", async () => {
    const source = `#if __has_include("value.h")\n#include "value.h"\n#else\n#define VALUE 7\n#endif${body}`;
    const header = `#include "asks.h"${body}`;
    file("asks.h", '#if __has_\\\ninclude("value.h")\n#include "value.h"\n#else\n#define VALUE 7\n#endif\n');
    for (const text of [source, header]) {
      rmSync(join(folder, "value.h"), { force: true });
      expect(await run(text, { includes: [folder] })).toEqual([7, false]);
      file("value.h", "#define VALUE 1\n");
      expect(await run(text, { includes: [folder] })).toEqual([1, false]);
    }
  });

  test("a header that says its file or asserts keeps the name of the cell apart", async () => {
    file("value.h", "#define VALUE (__FILE__[5] == '[' ? 1 : 2)\n");
    const source = `#define HEADER "value.h"\n#include HEADER${body}`;
    expect(await run(source, { includes: [folder] })).toEqual([1, false]);
    expect(await run(source, { includes: [folder], name: "other.cu" })).toEqual([2, false]);
  });

  test("a source that includes nothing of the user's is found under any name of the cell", async () => {
    const source = `#include <cmath>\n#define VALUE 3 // ${Math.random()}${body}`;
    expect(await run(source, {})).toEqual([3, false]);
    expect(await run(source, { name: "Cell [4]" })).toEqual([3, true]);
  });
});
