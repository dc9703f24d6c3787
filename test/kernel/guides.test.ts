// The guides as a reader follows them: every block of code is a cell that runs, and what they list of cells, options,
// magics and errors is what the kernel has and says.
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { cudaOptionNames } from "../../kernel/language/cuda-options.ts";
import { magicWords } from "../../kernel/language/magics.ts";
import { blocksOf, codeIn, rowsOf, says } from "../helpers/guides.ts";
import { openKernel } from "../helpers/kernel.ts";

const guide = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/guides/${name}`, import.meta.url)), "utf8");

async function followed(name: string) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "warpcell-guide-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { client } = await openKernel({ cwd: folder, env: { WARPCELL_DEVICE: "cpu" } });
  for (const { language, code } of blocksOf(guide(name))) {
    if (language !== "ts" && language !== "cpp") continue;
    const { reply } = await client.execute(code);
    expect(reply["status"], `${code}\n${String(reply["evalue"])}`).toBe("ok");
  }
  return client;
}

test.each([
  "start.md",
  "cells.md",
  "profiles.md",
  "training.md",
  "streams.md",
  "graphs.md",
  "pictures.md",
  "teaching.md",
])("the cells of %s run, in their order", async (name) => {
  expect(blocksOf(guide(name)).length).toBeGreaterThan(1);
  await followed(name);
});

test("the cells of cuda.md run, and what it says of mistakes is what the kernel says", async () => {
  const client = await followed("cuda.md");
  const wrong: string[] = [];
  const said = rowsOf(guide("cuda.md").split("\n## What a cell says")[1]!);
  for (const [first, sentence] of said) {
    const code = codeIn(first!)[0]!;
    const isCell = /__global__|#include|main\(/.test(code);
    const cell = isCell ? `%%cuda\n${code}` : code.startsWith("%%cuda") ? `${code}\n__global__ void f() {}` : code;
    const { reply } = await client.execute(cell);
    if (!says(String(reply["evalue"]), sentence!)) wrong.push(`${code} says ${String(reply["evalue"])}`);
  }
  expect(wrong).toEqual([]);
  expect(said.length).toBeGreaterThan(30);
});

test("what teaching.md says of numbers that differ is what a learner reads", async () => {
  const { client } = await openKernel({ env: { WARPCELL_DEVICE: "cpu" } });
  await client.execute('%types off\nimport { assertClose, tensor, zeros } from "warpcell"');
  const said = rowsOf(guide("teaching.md").split("\n## Comparing")[1]!);
  for (const [call, sentence] of said) {
    const { reply } = await client.execute(codeIn(call!)[0]!);
    expect(reply["evalue"]).toBe(sentence);
  }
  expect(said.length).toBe(4);
});

test("every option of %%cuda and every magic is listed, and no other", () => {
  const listed = (name: string, start: RegExp) =>
    rowsOf(guide(name)).flatMap(([first]) => codeIn(first!).flatMap((code) => start.exec(code)?.[0] ?? []));
  expect(new Set(listed("cuda.md", /^--[\w-]+/))).toEqual(new Set(cudaOptionNames));
  const magics = listed("cells.md", /^%%?\w+/).map((name) => name.replace(/^%+/, ""));
  expect(new Set(magics)).toEqual(new Set(Object.keys(magicWords).map((name) => name.replace(/^%+/, ""))));
});

test("the calls of pictures.md draw, and its options are those that there are", async () => {
  const client = await followed("pictures.md");
  await client.execute("const y = x.sin();");
  const [calls, ...options] = guide("pictures.md").split("| Option |");
  for (const [first] of rowsOf(calls!)) {
    const { reply } = await client.execute(`${codeIn(first!)[0]!}.toSvg();`);
    expect(reply["status"], `${first}\n${String(reply["evalue"])}`).toBe("ok");
  }
  // What an unknown option is answered with lists all.
  const listed = options.map((table) =>
    rowsOf(`| Option |${table.split("\n\n")[0]!}`).flatMap(([first]) => codeIn(first!)),
  );
  const wrong = [
    "plot([1], { a_b: 1 })",
    "plot.scatter([1], [1], { a_b: 1 })",
    "plot.histogram([1], { a_b: 1 })",
    "plot.image([[1]], { a_b: 1 })",
  ];
  const known: string[][] = [];
  for (const call of wrong) {
    const { reply } = await client.execute(`${call};`);
    known.push(/Its options are (.*)\.$/.exec(String(reply["evalue"]))![1]!.split(", "));
  }
  expect(new Set(listed[0])).toEqual(new Set(known[0]));
  const own = (at: number) => known[at]!.filter((name) => !known[0]!.includes(name));
  for (const at of [1, 2, 3]) expect(new Set(listed[at])).toEqual(new Set(own(at)));
});
