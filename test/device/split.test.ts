// Kernels with barriers on the cpu device as loops over the threads of a block: the same bytes as with fibers, with
// every compiler that is here.
import { beforeAll, describe, expect, test } from "vitest";
import { compilers, cpu, integers, poisoned, use, type Numbers } from "./cpu-cell.ts";
import { compiled, launch, read, write } from "./records.ts";
import { fuzzHead, generator, randomKernel } from "./split-fuzz.ts";
import { anyBlocks, splitKernels, type SplitKernel } from "./split-kernels.ts";
import { freshSeed } from "../helpers/random.ts";
import { exchangeKernels } from "./exchange-kernels.ts";
import { strideKernels } from "./stride-kernels.ts";

const all = [...splitKernels, ...strideKernels, ...exchangeKernels];
const blocks = 3;
const length = 8192;
let next = 500_000;

interface Loaded {
  kernel: number;
  /** "split", "fibers: why", "loop". */
  way: string;
}

function load(source: string, expressions: string[], options: string[] = []): Loaded[] {
  const first = next;
  next += expressions.length;
  const { artifact, lowered } = compiled(cpu, source, expressions, options);
  const { kernels } = cpu.request("module_load", { module: first, firstKernel: first, artifact, lowered });
  return kernels.map((text, index) => ({
    kernel: first + index,
    way: (JSON.parse(text) as { execution: string }).execution,
  }));
}

function run(kernel: number, block: [number, number, number], shared: number, input: Numbers): Uint8Array {
  const bytes = new Uint8Array(input.buffer);
  const from = cpu.allocate(bytes.length, "device");
  const to = cpu.allocate(bytes.length, "device");
  write(cpu, from, bytes);
  write(cpu, to, new Uint8Array(poisoned(input.length).buffer));
  launch(cpu, { kernel, grid: [blocks, 1, 1], block, shared, pointers: [from, to], integers: [blocks * 1024] });
  const result = read(cpu, to, bytes.length);
  cpu.free(from);
  cpu.free(to);
  return result;
}

function inputOf(type: "float" | "int"): Numbers {
  if (type === "int") return integers(length, 1000);
  return Float32Array.from({ length }, () => Math.random() * 2 - 1);
}

const random = generator(freshSeed());
/** By the second compiler a third of them, others in the next run and all in the long one: each is compiled twice. */
const played = (compiler: string): readonly SplitKernel[] =>
  process.env["WARPCELL_LONG"] === "1" || compiler === compilers[0] ? all : all.filter(() => random() < 1 / 3);

describe.each(compilers)("compiled by %s", (compiler) => {
  const kernels = played(compiler);
  const split = new Map<string, Loaded>();
  const fibers = new Map<string, Loaded>();
  beforeAll(() => {
    use(compiler);
    for (const cell of [
      kernels.filter((kernel) => !kernel.isAlone),
      ...kernels.filter((kernel) => kernel.isAlone).map((kernel) => [kernel]),
    ]) {
      const source = cell.map((kernel) => kernel.source).join("\n");
      const expressions = cell.map((kernel) => kernel.expression ?? kernel.name);
      load(source, expressions).forEach((one, index) => split.set(cell[index]!.name, one));
      load(source, expressions, ["--fibers"]).forEach((one, index) => fibers.set(cell[index]!.name, one));
    }
  }, 600_000);

  test.each(kernels.map((kernel) => [kernel.name, kernel] as [string, SplitKernel]))("%s", (name, {
    type,
    blocks: shapes = anyBlocks,
    shared = 0,
    way = /^split$/,
  }) => {
    expect(split.get(name)!.way).toMatch(way);
    expect(fibers.get(name)!.way).not.toBe("split");
    for (const block of shapes) {
      const threads = block[0] * block[1] * block[2];
      const input = inputOf(type);
      const expected = run(fibers.get(name)!.kernel, block, shared * threads, input);
      const actual = run(split.get(name)!.kernel, block, shared * threads, input);
      const same = Buffer.compare(expected, actual) === 0;
      if (!same)
        expect({ block, values: [...new Int32Array(actual.buffer)] }).toEqual({
          block,
          values: [...new Int32Array(expected.buffer)],
        });
    }
  });

  test("random kernels", () => {
    const seed = freshSeed();
    const count = Number(process.env["WARPCELL_FUZZ_KERNELS"] ?? 6);
    const random = generator(seed);
    const names = Array.from({ length: count }, (_, index) => `fuzz${index}`);
    const texts = names.map((name) => randomKernel(name, random));
    const source = fuzzHead + texts.join("");
    const quick = load(source, names);
    const slow = load(source, names, ["--fibers"]);
    expect(quick.map(({ way }) => way)).toEqual(names.map(() => "split"));
    names.forEach((_, index) => {
      for (const block of [
        [33, 1, 1],
        [64, 1, 1],
        [16, 16, 1],
        [5, 3, 2],
      ] as [number, number, number][]) {
        const input = inputOf("int");
        const expected = new Int32Array(run(slow[index]!.kernel, block, 0, input).buffer);
        const actual = new Int32Array(run(quick[index]!.kernel, block, 0, input).buffer);
        if (Buffer.compare(Buffer.from(expected.buffer), Buffer.from(actual.buffer)) !== 0)
          throw new Error(
            `Seed ${seed}, blocks of ${block.join("×")}: the split kernel writes something else.\n${texts[index]}`,
          );
      }
    });
  }, 300_000);
});
