// Constants of kernels that the build has not worked out, or not all of them, are an error and never a guess.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { differing, factsFile, factTexts, kernelFacts, kernelFactsByDType, readFacts } from "./kernel-facts.ts";

const folder = `${mkdtempSync(join(tmpdir(), "warpcell-facts-"))}/`;
const path = factsFile(folder);
afterAll(() => rmSync(folder, { recursive: true }));

kernelFacts("sums", { width: "kWidth", parts: differing("kParts") });
kernelFactsByDType("sums", ["float32", "float16"], (type) => ({ bytes: `sizeof(Sum<${type}>)` }));

const whole = {
  sums: { kWidth: 8, kParts: { serial: 1, threads: 4 }, "sizeof(Sum<float>)": 4, "sizeof(Sum<__half>)": 4 },
};
const put = (sums: object) => writeFileSync(path, JSON.stringify({ sums }));

test("every constant is asked for once, by its C++", () => {
  expect(factTexts().get("sums")).toEqual(Object.keys(whole.sums));
});

test("what the build has worked out is taken", () => {
  put(whole.sums);
  expect(readFacts(path)).toEqual(whole);
});

test.each(Object.keys(whole.sums))("without %s the library is to be built again", (text) => {
  put({ ...whole.sums, [text]: undefined });
  const sentence = `${path} does not say what ${text} of sums.cu is: it is of another version. Build the library again: npm run build.`;
  expect(() => readFacts(path)).toThrow(sentence);
  for (const value of ["8", 8.5, { serial: 8 }]) {
    put({ ...whole.sums, [text]: value });
    expect(() => readFacts(path)).toThrow(sentence);
  }
});

test("a constant that is not the same everywhere is asked for as one", () => {
  put({ ...whole.sums, kWidth: { serial: 8, threads: 4 } });
  expect(() => readFacts(path)).toThrow(
    "kWidth of sums.cu is 8 where one thread has a block and 4 where many do: ask for it by differing(…).",
  );
  put({ ...whole.sums, kParts: 1 });
  expect(readFacts(path)["sums"]!["kParts"]).toBe(1);
});

test("without any it is to be built", () => {
  rmSync(path);
  expect(() => readFacts(path)).toThrow(
    `There is no ${path}, with the numbers of the library's kernels. Build the library again: npm run build.`,
  );
});
