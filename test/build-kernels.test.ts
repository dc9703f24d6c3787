// Kernels that are compiled ahead: for which devices, with which compiler, and what becomes of those whose sources have
// changed.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { runnableArchitectures } from "../native/lib/wire/architectures.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const script = join(root, "scripts", "build-kernels.mjs");

async function scriptParts() {
  return (await import(script)) as {
    shipped: { processors: string[]; gpus: string[] };
    allUnits(): Promise<{ file: string; dtype: string; expressions: string[] }[]>;
    outdatedUnits(architecture: string): Promise<string[]>;
    removeOutdated(wanted: string[], log: (line: string) => void): Promise<void>;
    workOut(
      file: string,
      source: string,
      texts: string[],
    ): Promise<{ values: Record<string, unknown>; reads: string[] }>;
  };
}

test("a bundle has kernels for every GPU from Ampere to Blackwell", async () => {
  const { shipped } = await scriptParts();
  for (const own of ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_121a"]) {
    expect(
      runnableArchitectures(own).filter((each) => shipped.gpus.includes(each)),
      own,
    ).toHaveLength(1);
  }
});

test("every unit is of a file that exists, and has kernels", async () => {
  const { allUnits } = await scriptParts();
  const units = await allUnits();
  expect(units.length).toBeGreaterThan(100);
  for (const { file, expressions } of units) {
    expect(existsSync(join(root, "native", "device", "ops", `${file}.cu`)), file).toBe(true);
    expect(expressions.length).toBeGreaterThan(0);
  }
});

test("the room for a reducer's state follows from its C++", async () => {
  const { workOut } = await scriptParts();
  const source = (state: string) => `#include <warpcell/numbers.cuh>
using namespace warpcell;
template <class T> struct LargestTwoOf { struct State { ${state} }; };
constexpr int kLanes = 8, kLeast = -3;
#ifdef WARPCELL_SERIAL
constexpr int kDigits = 256;
#else
constexpr int kDigits = 16;
#endif
constexpr long long kNone = -9223372036854775807LL - 1;`;
  const texts = [
    "sizeof(LargestTwoOf<float>::State)",
    "sizeof(LargestTwoOf<__half>::State)",
    "4 * kLanes",
    "kLeast",
    "kNone",
    "kDigits",
  ];
  const digits = { serial: 256, threads: 16 };
  const { values, reads } = await workOut("largest", source("Wide<T> first, second;"), texts);
  expect(Object.values(values)).toEqual([8, 8, 32, -3, -(2 ** 63), digits]);
  expect(reads).toContain("include/warpcell/numbers.cuh");
  const grown = await workOut("largest", source("Wide<T> first, second; long long index[2];"), texts);
  expect(Object.values(grown.values)).toEqual([24, 24, 32, -3, -(2 ** 63), digits]);
});

test("a constant that depends on the processor's vectors is refused by its name", async () => {
  const { workOut } = await scriptParts();
  const source = `#ifdef __AVX512F__
constexpr int kWidth = 16;
#else
constexpr int kWidth = 8;
#endif`;
  await expect(workOut("lanes", source, ["kWidth"])).rejects.toThrow(
    "kWidth of lanes.cu is 8 for x86-64-v3 and 16 for x86-64-v4, but the library takes one number: let it not depend on the processor's vectors.",
  );
});

test("a constant that is none fails by its name", async () => {
  const { workOut } = await scriptParts();
  for (const text of ["kLances", "sizeof(LargestOf<float>::State)", "first(2)"]) {
    const failure = await workOut("largest", "static int first(int x) { return x; }\n", [text]).catch(
      (error: { log: string }) => error,
    );
    expect((failure as { log: string }).log).toContain(`${text}, which the library asks largest.cu for:1:`);
  }
  await expect(workOut("largest", "", ["(1LL << 53) + 1"])).rejects.toThrow(
    "(1LL << 53) + 1 of largest.cu is 9007199254740993, which no number of JavaScript is.",
  );
});

test("kernels for a GPU whose sources have changed are removed, since a device would take them", async () => {
  const folder = join(root, "native", "build", "Release", "kernels", "sm_10");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  const files = [
    "cast.int32",
    "cast.int32.1",
    "cast.int32.names",
    "cast.int32.print",
    "nothing.int32",
    "nothing.int32.names",
  ].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, "of another time");
  const { removeOutdated } = await scriptParts();
  const lines: string[] = [];
  await removeOutdated([], (line) => lines.push(line));
  expect(lines).toContain(
    'sm_10: removed 2 of 2 files, whose sources have changed. "node scripts/build-kernels.mjs sm_10" makes them again.',
  );
  expect(files.filter((file) => existsSync(file))).toEqual([]);
});

test("a unit is out of date when a file that its compiler read has changed, and no other unit is", async () => {
  const { outdatedUnits } = await scriptParts();
  const kernels = join(root, "native", "build", "Release", "kernels");
  const architecture = readdirSync(kernels).find((name) => name.startsWith("x86-64"))!;
  expect(await outdatedUnits(architecture)).toEqual([]);

  const path = join(kernels, architecture, "functions.float32.print");
  const text = readFileSync(path, "utf8");
  onTestFinished(() => writeFileSync(path, text));
  const print = JSON.parse(text) as { reads: Record<string, string> };
  expect(Object.keys(print.reads)).toContain("include/warpcell/functors/functions.cuh");
  writeFileSync(
    path,
    JSON.stringify({ ...print, reads: { ...print.reads, "include/warpcell/functors/functions.cuh": "other" } }),
  );
  expect(await outdatedUnits(architecture)).toEqual(["functions.float32"]);
  writeFileSync(
    path,
    JSON.stringify({ ...print, reads: { ...print.reads, "include/warpcell/gone.cuh": "was there" } }),
  );
  expect(await outdatedUnits(architecture)).toEqual(["functions.float32"]);
});

test("kernels of units that are no more are removed", async () => {
  const folder = join(root, "native", "build", "Release", "kernels", "x86-64-v4");
  const isNew = mkdirSync(folder, { recursive: true }) !== undefined;
  const files = ["nothing.int32", "nothing.int32.1", "nothing.int32.names", "nothing.int32.print"];
  onTestFinished(() => {
    for (const name of isNew ? [""] : files) rmSync(join(folder, name), { recursive: true, force: true });
  });
  const before = readdirSync(folder);
  for (const name of files) writeFileSync(join(folder, name), "of another time");
  await (await scriptParts()).removeOutdated([], () => undefined);
  expect(readdirSync(folder)).toEqual(before);
});

// One line in a file of functors is compiled again with few others: what a contributor waits for.
test("a file of functors is read by its family's kernels and by those that are made of it", () => {
  const folder = join(root, "native", "build", "Release", "kernels");
  const architecture = readdirSync(folder).find((name) => name.startsWith("x86-64"))!;
  const readers = new Map<string, Set<string>>();
  for (const name of readdirSync(join(folder, architecture)).filter((name) => name.endsWith(".print"))) {
    const { reads } = JSON.parse(readFileSync(join(folder, architecture, name), "utf8")) as { reads: object };
    for (const header of Object.keys(reads)) {
      const [, family] = /^include\/warpcell\/functors(?:\.cuh|\/(\w+)\.cuh)$/.exec(header) ?? [, null];
      if (family === null || family === "functor") continue;
      const known = readers.get(family ?? "all") ?? new Set();
      readers.set(family ?? "all", known.add(name.split(".")[0]!));
    }
  }
  expect(Object.fromEntries([...readers].map(([family, units]) => [family, [...units].sort()]))).toEqual({
    activations: ["activations", "few_rows", "linear"],
    arithmetic: ["arithmetic"],
    bessel: ["bessel"],
    comparisons: ["comparisons"],
    complex: ["complex"],
    functions: ["functions", "linear"],
    gates: ["activations", "few_rows", "functions", "linear", "losses", "recurrent"],
    logaddexp: ["ctc", "pairwise", "scan"],
    pairwise: ["pairwise"],
    rare: ["rare"],
  });
});

/** `obtainNvrtc` of a checkout whose Python is a shell script; WARPCELL_NVRTC as given. */
async function obtaining(python: string, chosen?: string) {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-nvrtc-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
    vi.unstubAllEnvs();
  });
  vi.stubEnv("WARPCELL_NVRTC", chosen);
  for (const name of ["nvrtc.mjs", "pypi.mjs", "setup.mjs", "checks.mjs"])
    cpSync(join(root, "scripts", name), join(folder, "scripts", name));
  mkdirSync(join(folder, ".venv", "bin"), { recursive: true });
  const setPython = (text: string) =>
    writeFileSync(join(folder, ".venv", "bin", "python"), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  setPython(python);
  const { obtainNvrtc } = (await import(join(folder, "scripts", "nvrtc.mjs"))) as { obtainNvrtc(): Promise<string> };
  return { folder, setPython, obtainNvrtc };
}

const pip =
  'while [ "$1" != --target ]; do shift; done; mkdir -p "$2/nvidia/cuda_nvrtc/lib"; echo > "$2/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"';

test("NVIDIA's compiler comes from PyPI once", async () => {
  const { folder, setPython, obtainNvrtc } = await obtaining(pip);
  const library = await obtainNvrtc();
  expect(library.startsWith(join(folder, ".cache", "nvrtc"))).toBe(true);
  expect(existsSync(library)).toBe(true);
  setPython("exit 1");
  expect(await obtainNvrtc()).toBe(library);
});

test("without a network there is a sentence on what to do, and nothing half is left", async () => {
  const { folder, obtainNvrtc } = await obtaining(`${pip}; echo "No route to host" >&2; exit 1`);
  await expect(obtainNvrtc()).rejects.toThrow(
    /^NVIDIA's compiler cannot be had from PyPI \(nvidia-cuda-nvrtc-cu12==\S+, nvidia-cuda-runtime-cu12==\S+\), so there would be no kernels for GPUs in the bundle\. Connect to a network, name a libnvrtc\.so in WARPCELL_NVRTC, or make a bundle without: npm run bundle -- --without-cubins\n[^]*No route to host/,
  );
  expect(readdirSync(join(folder, ".cache", "nvrtc"))).toEqual([]);
});

test("a compiler that WARPCELL_NVRTC names is taken as it is", async () => {
  const { obtainNvrtc } = await obtaining("exit 1", "/opt/libnvrtc.so.12");
  expect(await obtainNvrtc()).toBe("/opt/libnvrtc.so.12");
});
