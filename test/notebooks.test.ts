// Every notebook runs from top to bottom through the real kernel and nbclient; a failing cell is named and fails the
// run. Its exercise is solved in the same run, below the last cell.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { kernelInfo } from "../kernel/dist/supervisor/kernel-info.js";
import { cellsOf, notebook, python, run, runner, temporary } from "./helpers/notebooks.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const notebooks = readdirSync(join(root, "notebooks")).filter((name) => name.endsWith(".ipynb"));

const codeOf = (name: string): string[] =>
  cellsOf(join(root, "notebooks", name))
    .filter(({ kind }) => kind === "code")
    .map(({ source }) => source);

const changed = (line: string, answer: string) => (source: string) => source.replace(line, answer);

/** What an exercise asks for, done to its cell. */
const answers: Readonly<Record<string, (source: string) => string>> = {
  "01-first-kernel.ipynb": julia,
  "02-tensors.ipynb": changed("const right = left;   // change me", "const right = hypot(across.sub(1), down);"),
  "05-attention.ipynb": changed("bool mayLook = place < length;   // change me", "bool mayLook = tile + j <= place;"),
  "06-images.ipynb": changed("train(mine, 400, 0.25);   // change me", "train(mine, 400, 0.8);"),
  "07-fast.ipynb": changed(
    "return block.forward(x);   // change me",
    "return checkpoint((x: Tensor) => block.forward(x), x);",
  ),
};

/** The first notebook's own answer, which a card of it says. */
function julia(source: string): string {
  const card = cellsOf(join(root, "notebooks", "01-first-kernel.ipynb")).find((each) =>
    each.source.includes("One answer"),
  )!;
  const lines = /```cpp\n([^]*?)```/.exec(card.source)![1]!;
  const values = new Map([...lines.matchAll(/float (\w+) = (.*);/g)].map(([, name, value]) => [name, value]));
  expect(values.size).toBe(4);
  return source.replace(
    /float (\w+) = \w+;( *\/\/ change me)/g,
    (_line, name: string, note: string) => `float ${name} = ${values.get(name)};${note}`,
  );
}

interface Played {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What the exercise's cells print with its answer. */
  readonly solved: string;
}

const played = new Map<string, Promise<Played>>();

/** What a notebook prints as it is, and what its exercise prints once it is solved; run once for all tests. */
function asItIs(name: string): Promise<Played> {
  if (!played.has(name)) played.set(name, play(name));
  return played.get(name)!;
}

async function play(name: string): Promise<Played> {
  const answer = answers[name];
  if (answer === undefined) return { ...(await run(join(root, "notebooks", name))), solved: "" };
  const sources = codeOf(name);
  const exercise = sources.findIndex((source) => answer(source) !== source);
  expect(exercise, `the exercise of ${name}`).toBeGreaterThan(0);
  const mark = "What follows is solved.";
  const { code, stdout, stderr } = await run(
    notebook(...sources, `console.log("${mark}")`, ...sources.slice(exercise).map(answer)),
  );
  const at = stdout.lastIndexOf(`\n${mark}\n`);
  return { code, stdout: at < 0 ? stdout : stdout.slice(0, at), stderr, solved: at < 0 ? "" : stdout.slice(at) };
}

test.each([
  ["01-first-kernel.ipynb", "A Julia set. Well done!"],
  ["02-tensors.ipynb", "Two stones. Well done!"],
  ["05-attention.ipynb", "Causal. Well done!"],
  ["06-images.ipynb", "Much better. Well done!"],
  ["07-fast.ipynb", "Less memory. Well done!"],
])(
  "the exercise of %s can be solved",
  async (name, praise) => {
    expect((await asItIs(name)).solved).toContain(praise);
  },
  180_000,
);

test("notebooks say of their language what the kernel does, or JupyterLab had something to save at once", () => {
  const course = readdirSync(join(root, "notebooks", "course")).filter((name) => name.endsWith(".ipynb"));
  for (const name of [...notebooks, ...course.map((each) => join("course", each))]) {
    const { metadata } = JSON.parse(readFileSync(join(root, "notebooks", name), "utf8")) as { metadata: object };
    expect(metadata, name).toMatchObject({ language_info: kernelInfo("")["language_info"] });
  }
});

describe("notebooks", () => {
  test.each(notebooks)("%s runs", async (name) => {
    const { code, stdout, stderr } = await asItIs(name);
    expect(code, stdout + stderr).toBe(0);
  }, 180_000);

  test("the fourth notebook learns what it says", async () => {
    const { stdout } = await asItIs("04-training.ipynb");
    expect(stdout).toContain("  1: tanh\n");
    expect(stdout).toMatch(/9[789]\.\d % of the points are on the right arm|100\.0 % of the points/);
    expect(stdout).toContain("scale, hidden.weight, hidden.bias, last.weight, last.bias - difference 0");
    expect(stdout).toMatch(/(9[5-9]|100) % of the digits are in their place/);
    expect(stdout).toContain("The first one is better.");
    expect(stdout).not.toContain("type error");
  }, 180_000);

  test("the first notebook prints what it promises", async () => {
    const { stdout } = await asItIs("01-first-kernel.ipynb");
    expect(stdout).toMatch(/hello from (cpu|cuda:0)/);
    expect(stdout).toMatch(/block 2, thread 40: warp 9/);
    expect(stdout).toContain("1000000 times 1 + 2 · 1 is 3");
    expect(stdout).toMatch(/the product is right, off by at most 0\.00\d+/);
    expect(stdout).toMatch(/naive takes \d+\.\d\d ms\ntiled takes \d+\.\d\d ms\ntiled is \d+\.\d times as fast/);
    expect(stdout).toMatch(/kernel tiled .*"256"/);
    expect(stdout).toMatch(/broken.*illegal address.*Cell \[/);
    expect(stdout).toContain("still here: 5.30 tensor([3, 3, 3]");
    expect(stdout).toContain("Not a Julia set yet.");
    // The wrong argument that the lesson shows, and no other.
    expect(stdout.match(/type error .*/g)).toEqual([
      "type error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    ]);
  }, 180_000);
});

test("the second notebook prints what it promises", async () => {
  const { stdout, stderr } = await asItIs("02-tensors.ipynb");
  expect(stderr).not.toContain("type error");
  expect(stdout).toMatch(/tensors live on (cpu|cuda:0)/);
  expect(stdout).toContain("wraps around: tensor([227,  44], shape [2], uint8");
  expect(stdout).toContain("π is about 3.14");
  expect(stdout).toContain("length 5, slope tensor([0.6, 0.8]");
  expect(stdout).toMatch(/mean square error: 0\.\d\d at first\nand 0\.02\d at last/);
  expect(stdout).toContain("Chart: 400 points\nmeasured ");
  expect(stdout).toContain("Only one stone yet.");
}, 180_000);

describe("the fifth notebook", () => {
  test("gets the same attention four times, counts its traffic, and times it", async () => {
    const { stdout } = await asItIs("05-attention.ipynb");
    for (const form of ["direct", "tiled", "nn.attention"])
      expect(stdout).toMatch(new RegExp(`\\n${form} is right, off by at most \\d\\.\\de-\\d+\\n`));
    for (const form of ["operations", "direct", "tiled", "library", "in16Bits"])
      expect(stdout).toMatch(new RegExp(`\\n${form} on (cpu|cuda:0): [\\d.]+ (µs|ms|s) \\(`));
    expect(stdout).toContain("rows add up to 1.000\n");
    const online = stdout.match(/([\d.]+) in one pass\n([\d.]+) in two/)!;
    expect(online[1]).toBe(online[2]);
    const traffic =
      /Traffic in MB\n {2}operations: (\S+)\n {2}direct: (\S+)\n {2}tiled: (\S+)\n {2}nn.attention: (\S+)/;
    const [operations, direct, tiled, library] = traffic.exec(stdout)!.slice(1).map(Number) as [
      number,
      number,
      number,
      number,
    ];
    expect(direct).toBeGreaterThan(operations);
    expect(operations).toBeGreaterThan(tiled);
    expect(tiled).toBeGreaterThan(library);
    expect(stdout).toContain("It still looks ahead.");
    expect(stdout).not.toMatch(/type error|warning/);
  }, 180_000);
});

test("the eighth notebook draws what it says, and is short", async () => {
  const { stdout } = await asItIs("08-pictures.ipynb");
  for (const line of [
    "A wave that dies away: 1,200 points",
    "A million steps: 1,000,000 points, ",
    "Chart: 360 points, low 120, right 120, high 120",
    "The more points, the darker: 200,000 points",
    "Image: 160 × 240, in colours",
    "Images: 6 of 160 × 240",
    "shape [24, 64, 64], float32",
    "[Vega-Lite chart, Vega-Lite, area, x: x, y: y, 400 rows]",
  ])
    expect(stdout).toContain(line);
  expect(stdout).not.toMatch(/type error|warning/);
  const { cells } = JSON.parse(readFileSync(join(root, "notebooks", "08-pictures.ipynb"), "utf8")) as {
    cells: { cell_type: string; outputs?: { data?: object }[] }[];
  };
  expect(cells.length).toBeLessThanOrEqual(30);
  // As it is shipped: what draws has been drawn.
  const drawn = cells.flatMap(({ outputs = [] }) => outputs.flatMap(({ data = {} }) => Object.keys(data)));
  expect(drawn.filter((type) => type === "image/svg+xml").length).toBeGreaterThanOrEqual(9);
  expect(drawn.filter((type) => type === "image/png").length).toBeGreaterThanOrEqual(4);
}, 180_000);

describe("the sixth notebook", () => {
  test("learns to name the shapes in its images", async () => {
    const { stdout } = await asItIs("06-images.ipynb");
    const right = Number(/after: ([\d.]+) % are right/.exec(stdout)![1]);
    // A guess is right one time in five.
    expect(right).toBeGreaterThanOrEqual(97);
    expect(stdout).toContain("No better than before.");
    expect(stdout).not.toMatch(/type error|warning/);
  }, 180_000);
});

describe("the seventh notebook", () => {
  test("makes a step of fewer kernels and no gaps, that computes the same", async () => {
    const { stdout } = await asItIs("07-fast.ipynb");
    for (const stage of ["waiting", "without waiting", "tidy", "autocast", "graph"]) {
      expect(stdout).toMatch(new RegExp(`\\n${stage} on (cpu|cuda:0): [\\d.]+ ms a step\\n\\d+ kernels a step\\n`));
      expect(stdout).toMatch(new RegExp(`\\n${stage} +█+ [\\d.]+ ×\\n`));
    }
    expect(stdout).toContain("\nthe same losses ");
    // A guess among 28 letters costs ln 28 = 3.3.
    expect(Number(/at last the loss is ([\d.]+)/.exec(stdout)![1])).toBeLessThan(0.5);
    expect(stdout).toContain("It keeps everything.");
    expect(stdout).not.toMatch(/type error|warning/);
  }, 180_000);
});

test.each(notebooks)("no line of code in %s is wider than a page", (name) => {
  const lines = codeOf(name).flatMap((source) => source.split("\n"));
  expect(lines.filter((line) => line.trimEnd().length > 80)).toEqual([]);
});

describe("running a notebook without a browser", () => {
  test("a failing cell is named and ends the run", async () => {
    const { code, stdout, stderr } = await run(
      notebook("1 + 1", "throw new Error('on purpose')", "console.log('not reached')"),
    );
    expect(code).not.toBe(0);
    expect(stdout).toContain("2");
    expect(stderr).toContain("Cell 2 failed: Error: on purpose");
    expect(stdout).not.toContain("not reached");
  });

  test("a file that is not JSON is one sentence", async () => {
    const path = temporary("broken.ipynb");
    writeFileSync(path, "%%cuda is not JSON");
    const { code, stderr } = await run(path);
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(/^\/.*broken\.ipynb is not a notebook: the file is not JSON\.$/);
  });

  test("a missing file is one sentence", async () => {
    const { code, stderr } = await run("/nonexistent/none.ipynb");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The notebook .*none\.ipynb cannot be read: .*\n$/);
  });

  test.each([
    [
      "of a format to come",
      '{"nbformat": 5, "nbformat_minor": 0, "metadata": {}, "cells": []}',
      /Unsupported nbformat version 5/,
    ],
    ["whose cell is a number", '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [5]}', /./],
  ])("a notebook %s is one sentence", async (_name, text, reason) => {
    const path = temporary("odd.ipynb");
    writeFileSync(path, text);
    const { code, stderr } = await run(path);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\/.*odd\.ipynb is not a notebook of format 4: .*\n$/);
    expect(stderr).toMatch(reason);
  });

  test("a byte order mark before a notebook is no part of it", async () => {
    const path = notebook("6 * 7");
    writeFileSync(path, `\uFEFF${readFileSync(path, "utf8")}`);
    expect(await run(path)).toMatchObject({ code: 0, stdout: "── cell 1: 6 * 7\n42\n" });
  });

  test("a reader of the output that goes away ends the run without a word", async () => {
    const child = spawn(python, [runner, notebook("1", "await new Promise(() => undefined)")], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(141);
    expect(stderr).toBe("");
  });
});
