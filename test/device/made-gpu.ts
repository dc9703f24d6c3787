// A GPU made here: builds made-gpu.cc and starts device processes that take it for NVIDIA's libraries.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { DeviceProcess } from "../../native/lib/device/process.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-made-gpu-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const libraryName = "libcuda.so.1";
const namesIn = (file: string, pattern: RegExp): string[] =>
  [...readFileSync(new URL(`../../native/engine/cuda/${file}`, import.meta.url), "utf8").matchAll(pattern)].map(
    ([, name]) => name!,
  );
const profilerFunctions = ["profile/range_api.h", "profile/sampling_api.h"].flatMap((file) =>
  namesIn(file, / X\((\w+), \w+Parameters\)/g),
);
const functions = [
  ...namesIn("driver/driver_api.h", / X\(\w+, (\w+), \(/g),
  ...namesIn("profile/cupti_api.h", / X\((\w+), \(/g),
  ...namesIn("libraries/cublas_api.h", / X\([^,]+, (\w+), \(/g),
];

const built = new Map<boolean, string>();

/** The folder of the library; `hasProfilers`: its CUPTI counts and samples. */
function build(hasProfilers: boolean): string {
  const known = built.get(hasProfilers);
  if (known !== undefined) return known;
  const home = join(folder, hasProfilers ? "profiling" : "old");
  mkdirSync(home);
  built.set(hasProfilers, home);
  const source = readFileSync(new URL("made-gpu.cc", import.meta.url), "utf8");
  const others = [...functions, ...(hasProfilers ? profilerFunctions : [])]
    .filter((name) => !new RegExp(`\\b${name}\\(`).test(source))
    .map((name) => `extern "C" int ${name}() { return 0; }`);
  const text = join(home, "gpu.cc");
  writeFileSync(text, `${source}\n${others.join("\n")}\n`);
  const compiled = spawnSync(
    "g++",
    ["-shared", "-fPIC", "-w", ...(hasProfilers ? [] : ["-DWITHOUT_PROFILERS"]), "-o", join(home, libraryName), text],
    { encoding: "utf8" },
  );
  expect(compiled.stderr).toBe("");
  return home;
}

let number = 500;

/** Runs a function with what device processes that start meanwhile find the library by, and `environment`. */
export function withMadeGpu<T>(body: () => T, environment: Record<string, string> = {}, hasProfilers = true): T {
  const home = build(hasProfilers),
    library = join(home, libraryName);
  const surroundings: Record<string, string> = {
    LD_LIBRARY_PATH: home,
    WARPCELL_CUPTI: library,
    WARPCELL_CUBLAS: library,
    ...environment,
  };
  const before = Object.keys(surroundings).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, surroundings);
  try {
    return body();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** A device on it: a process of its own, with `environment`. */
export function openMadeGpu(environment: Record<string, string> = {}, hasProfilers = true): DeviceProcess {
  return withMadeGpu(() => DeviceProcess.get("cuda", number++), environment, hasProfilers);
}

/** What a compiler leaves of kernels without parameters. */
export const madeArtifact = Buffer.concat([
  Buffer.from([3, 0, 0, 0]),
  ...["warpcell-cuda-1", "machine code", ""].flatMap((field) => [
    Buffer.from(BigUint64Array.of(BigInt(field.length)).buffer),
    Buffer.from(field),
  ]),
]);

/** Loads a module of them; the first has the id 1. */
export function loadMadeKernels(device: DeviceProcess, symbols: string[]): number {
  device.request("module_load", { module: 1, firstKernel: 1, artifact: madeArtifact, lowered: symbols });
  return device.lastSequence;
}
