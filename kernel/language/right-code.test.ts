// Cells of many styles that are right: not one of them may get a warning.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { rightJavaScript } from "../../test/helpers/right-javascript.ts";
import { rightTypeScript } from "../../test/helpers/right-typescript.ts";
import { TypeService } from "./service.ts";

describe.each(["commonjs", "module"])("in a folder whose package is of type %s", (type) => {
  const directory = mkdtempSync(join(tmpdir(), "warpcell-right-"));
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type }));
  // Longer than a user should wait: no answer would look like no warning.
  const service = new TypeService({ directory, bound: 30_000 });
  service.start();
  let count = 0;

  afterAll(() => {
    service.stop();
    rmSync(directory, { recursive: true });
  });

  test.each(
    [...rightJavaScript, ...rightTypeScript].map((cells) => ({ cells, title: cells[0]!.slice(0, 80) })),
  )("$title", async ({ cells }) => {
    for (const code of cells) {
      const found = await service.diagnose(++count, code);
      service.commit(count, code);
      expect(found, code).toEqual([]);
    }
  });

  // What a newer edition of JavaScript brought is right where the Node that runs has it, and only there.
  test.each([
    ["Object.groupBy([1], (x) => 'a' + x)", "groupBy" in Object],
    ["Promise.withResolvers<number>().promise", "withResolvers" in Promise],
    ["new Set([1]).union(new Set([2]))", "union" in Set.prototype],
    ["[1].values().map((x) => x)", "Iterator" in globalThis],
    ["await Array.fromAsync([1])", "fromAsync" in Array],
    ["new ArrayBuffer(8).transfer(4)", "transfer" in ArrayBuffer.prototype],
    ["new DisposableStack().dispose()", "DisposableStack" in globalThis],
    ["new ArrayBuffer(8).resizable", "resize" in ArrayBuffer.prototype],
    ["'a'.isWellFormed()", "isWellFormed" in String.prototype],
    ["import { DatabaseSync } from 'node:sqlite'", isBuiltin("node:sqlite")],
    ["import { globSync } from 'node:fs'", "globSync" in process.getBuiltinModule("node:fs")],
    ["import { readFileSink } from 'node:fs'", false],
  ])("%s", async (code, isThere) => {
    const found = await service.diagnose(++count, code);
    expect(found.length === 0, JSON.stringify(found)).toBe(isThere);
  });

  test("what it says of something newer than this Node, or of a browser, does not speak of compiler options", async () => {
    const missing = await service.diagnose(++count, "import x from 'node:no_such_module'");
    expect(missing.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Cannot find (name|module) 'node:no_such_module'[^?]*$/),
    ]);
    const newer = await service.diagnose(
      ++count,
      "Math.sumOfAllThings; new Map<string, number>().getOrInsert('a', 1); document.title",
    );
    expect(newer.map(({ message }) => message)).toEqual([
      "Property 'sumOfAllThings' does not exist on type 'Math'.",
      ...("getOrInsert" in Map.prototype
        ? []
        : [
            `Property 'getOrInsert' does not exist on type 'Map<string, number>'. Node ${process.versions.node} does not have it.`,
          ]),
      "Cannot find name 'document'. Browsers have it; cells run in Node.",
    ]);
  });

  test("and a wrong one does get a warning", async () => {
    expect((await service.diagnose(++count, "const wrong: string = 1"))[0]?.code).toBe("TS2322");
  });
});
