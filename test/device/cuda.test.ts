// What only the CUDA device does: its compiler and options, its errors and faults by name, listings, occupancy, printf,
// and what it says where there is no GPU.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CompileError,
  compile,
  DeviceFault,
  full,
  OutOfMemory,
  tensor,
  zeros,
  type Kernel,
} from "../../native/lib/index.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";
import { devices, isWithoutGpu } from "./devices.ts";

const gpu = devices.find(({ kind }) => kind === "cuda");
const on = { device: "cuda" } as const;
const library = new URL("../../native/dist/index.js", import.meta.url).href;

const cache = mkdtempSync(join(tmpdir(), "warpcell-cuda-test-"));
const before = process.env["XDG_CACHE_HOME"];
beforeAll(() => {
  process.env["XDG_CACHE_HOME"] = cache;
});
afterAll(() => {
  if (before === undefined) delete process.env["XDG_CACHE_HOME"];
  else process.env["XDG_CACHE_HOME"] = before;
  rmSync(cache, { recursive: true, force: true });
});

async function errorOf(body: () => unknown): Promise<Error & { code: string }> {
  try {
    await body();
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error("Expected an error but there was none.");
}

async function kernelsOf(source: string, options: object = {}): Promise<Record<string, Kernel>> {
  return (await compile(source, { ...on, name: "cell.cu", ...options })).kernels as Record<string, Kernel>;
}

/**
 * Runs a program in a Node process of its own, because a device process takes its surroundings from the environment.
 */
function program(body: string, environment: Record<string, string>): string {
  const text = `import * as warpcell from ${JSON.stringify(library)};\nconst said = (error) => console.log(error.code + ": " + error.message);\n${body}`;
  const result = spawnSync(process.execPath, ["--input-type=module", "-e", text], {
    encoding: "utf8",
    maxBuffer: 64 << 20,
    env: { ...process.env, ...environment },
  });
  return result.stdout + result.stderr;
}

describe.runIf(isWithoutGpu)("without a GPU", () => {
  test("says what is missing and what to do", async () => {
    const error = await errorOf(() => DeviceProcess.get("cuda"));
    expect(error.code).toMatch(/^(NO_DRIVER|NO_DEVICE|DRIVER_TOO_OLD)$/);
    expect(error.message).toMatch(
      /^(This machine has no NVIDIA driver|The NVIDIA driver) .*\..* use the cpu device\.$/,
    );
  });
});

describe.runIf(gpu !== undefined)("with a GPU", () => {
  test("describes itself", () => {
    const { name, arch, compiler, driver, shareable } = gpu!.properties;
    expect(name).not.toBe("");
    expect(arch).toMatch(/^sm_[0-9]+a?$/);
    expect(compiler).toMatchObject({ name: "NVRTC", version: expect.stringMatching(/^1[2-9]\.[0-9]+$/) });
    expect(driver).toMatch(/^CUDA [0-9]+\.[0-9]+$/);
    expect(shareable).toBe(true);
  });

  test("a GPU that is not there, a hidden GPU and a missing compiler have a sentence each", async () => {
    const none = await errorOf(() => DeviceProcess.get("cuda", 99));
    expect(none.code).toBe("NO_DEVICE");
    expect(none.message).toMatch(/There is no GPU 99: this machine has [0-9]+, number/);
    expect(
      program(`console.log(warpcell.devices()[1].reason); process.exit(0);`, { CUDA_VISIBLE_DEVICES: "" }),
    ).toMatch(/shows no GPU.*nvidia-smi.*CUDA_VISIBLE_DEVICES/);
    const source = JSON.stringify(`__global__ void k(int* p) { p[0] = ${Math.random()} * 100; }`);
    const said = program(
      `console.log(warpcell.devices()[1].properties.compiler); await warpcell.compile(${source}, { device: "cuda" }).catch(said); process.exit(0);`,
      { WARPCELL_NVRTC: "/nonexistent/libnvrtc.so" },
    );
    expect(said).toMatch(
      /^null\nNO_NVRTC: WARPCELL_NVRTC names \/nonexistent\/libnvrtc\.so, which cannot be used as NVRTC\. Correct the variable, or unset it\./,
    );
  });

  test("options reach the compiler", async () => {
    const { options } = await kernelsOf(
      `#if __cplusplus < 202002L\n#error an older language\n#endif\n__global__ void options(int* p) { p[0] = N; p[1] = __CUDA_ARCH__; p[2] = sizeof(FLAG); }`,
      { std: "c++20", defines: ["N=42"], flags: ["-DFLAG=short"], fastMath: true },
    );
    const out = full([3], -1, { ...on, dtype: "int32" });
    options!.launch({ grid: 1, block: 1 }, out);
    expect(out.toArray()).toEqual([42, Number(/[0-9]+/.exec(gpu!.properties.arch)![0]) * 10, 2]);
  });

  test("PTX of an older architecture runs too", async () => {
    const { seven } = await kernelsOf("__global__ void seven(int* p) { p[0] = 7; }", { arch: "compute_80" });
    const out = full([1], -1, { ...on, dtype: "int32" });
    seven!.launch({ grid: 1, block: 1 }, out);
    expect(out.item()).toBe(7);
    expect(seven!.info.spillStores).toBeNull();
    expect((await errorOf(() => seven!.sass)).message).toMatch(/compiled to PTX alone/);
  });

  test.each([
    [
      "an identifier",
      { text: "__global__ void k(int* p) {\n  p[0] = missing;\n}" },
      "COMPILE",
      /does not compile: identifier "missing" is undefined\.\n\ncell\.cu:2:10\n/,
    ],
    [
      "inline assembly",
      { text: `__global__ void k(int* p) { asm("nonsense.u32;"); }` },
      "COMPILE",
      /does not compile: Not a name of any known instruction: 'nonsense'\./,
    ],
    [
      "a flag",
      { text: "__global__ void k(int* p) {}", flags: ["--nonsense"] },
      "INVALID_OPTION",
      /NVRTC does not know an option: .*--nonsense/,
    ],
    [
      "an architecture",
      { text: "__global__ void k(int* p) {}", arch: "sm_7" },
      "INVALID_OPTION",
      /NVRTC does not know an option: /,
    ],
    [
      "another GPU's code",
      { text: "__global__ void k(int* p) { p[0] = 1; }", arch: "sm_75" },
      "WRONG_ARCHITECTURE",
      /compiled for another architecture \(see --arch\)/,
    ],
  ])("refuses %s", async (_, { text, ...options }, code, sentence) => {
    const error = await errorOf(() => kernelsOf(text, options));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(sentence);
  });

  test("a compile error is on the cell's own line", async () => {
    const error = await errorOf(() => kernelsOf("__global__ void k(float* p) {\n  p[0] = 1;\n  p[1] = missing;\n}"));
    expect(error).toBeInstanceOf(CompileError);
    expect((error as unknown as CompileError).diagnostics).toMatchObject([
      { line: 3, severity: "error", message: `identifier "missing" is undefined` },
    ]);
  });

  test("CUDA's headers are found, precompiled or not", async () => {
    const text = (value: number) =>
      `#include <cuda_fp16.h>\n__global__ void half_of(__half* p) { p[threadIdx.x] = __hadd(p[threadIdx.x], __float2half(${value}.0f)); }`;
    for (const value of [1, 2, 3]) {
      const { half_of: kernel } = await kernelsOf(text(value));
      const out = full([32], 0.5, { ...on, dtype: "float16" });
      kernel!.launch({ grid: 1, block: 32 }, out);
      expect(out.toArray()).toEqual(Array(32).fill(value + 0.5));
    }
  });

  test("a launch that the driver refuses says why, and the next one runs", async () => {
    const { wide } = await kernelsOf("__global__ void __launch_bounds__(64) wide(int* p) { p[threadIdx.x] = 1; }");
    const out = full([64], 0, { ...on, dtype: "int32" });
    const error = await errorOf(() => wide!.launch({ grid: 1, block: 128 }, out));
    expect(error.message).toMatch(/64/);
    wide!.launch({ grid: 1, block: 64 }, out);
    expect(out.toArray()).toEqual(Array(64).fill(1));
  });

  test("more than 48 KiB of shared memory needs no further word", async () => {
    const { reverse } = await kernelsOf(`__global__ void reverse(float* p, int n) {
      extern __shared__ float shared[];
      for (int i = threadIdx.x; i < n; i += blockDim.x) shared[i] = p[i];
      __syncthreads();
      for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = shared[n - 1 - i];
    }`);
    const count = 24_000;
    const values = Float32Array.from({ length: count }, () => Math.random());
    const p = tensor(values, on);
    reverse!.launch({ grid: 1, block: 256, shared: count * 4 }, p, count);
    expect(p.data()).toEqual(values.reverse());
  });

  test("occupancy names what runs out", async () => {
    const { plain } = await kernelsOf("__global__ void plain(float* p) { p[threadIdx.x] = 1; }");
    expect(plain!.occupancy(256)).toMatchObject({ percent: 100, limiter: "warps" });
    expect(plain!.occupancy(64, gpu!.properties.sharedPerBlockOptin - 1024)).toMatchObject({
      blocksPerMultiprocessor: 1,
      limiter: "shared",
    });
    expect(plain!.occupancy(32)).toMatchObject({ limiter: "blocks" });
  });

  test("PTX and SASS of a kernel", async () => {
    const { listed } = await kernelsOf(`extern "C" __global__ void listed(float* p) { p[threadIdx.x] = 1; }`);
    expect(listed!.ptx).toMatch(/\.entry listed\(/);
    try {
      expect(listed!.sass).toMatch(/STG/);
    } catch (error) {
      if ((error as { code?: string }).code !== "UNSUPPORTED") throw error;
      expect((error as Error).message).toMatch(/nvdisasm or cuobjdump .* pip install/);
    }
  });

  test("what kernels print arrives before the wait ends", () => {
    const source = JSON.stringify(`__global__ void say(int n) { printf("%d from %d\\n", n, threadIdx.x); }`);
    const said = program(
      `const { kernels } = await warpcell.compile(${source}, { device: "cuda" }); kernels.say.launch({ grid: 1, block: 3 }, 41);
      await warpcell.synchronize(); console.log("after"); process.exit(0);`,
      {},
    );
    expect(said).toBe("41 from 0\n41 from 1\n41 from 2\nafter\n");
  });

  test("nothing of what whole grids print is lost, up to 262,144 lines a wait", () => {
    const source = JSON.stringify(
      `__global__ void say(int each) { for (int i = 0; i < each; i++) printf("%d\\n", (blockIdx.x * blockDim.x + threadIdx.x) * each + i); }`,
    );
    const said = program(
      `const { kernels } = await warpcell.compile(${source}, { device: "cuda" }); for (let i = 0; i < 2; i++) { kernels.say.launch({ grid: 100, block: 100 }, 26); await warpcell.synchronize(); } process.exit(0);`,
      {},
    );
    const numbers = said
      .trimEnd()
      .split("\n")
      .map(Number)
      .sort((a, b) => a - b);
    // Compared as numbers: a list of half a million differences takes minutes to print.
    expect({ lines: numbers.length, firstWrong: numbers.findIndex((number, index) => number !== index >> 1) }).toEqual({
      lines: 520_000,
      firstWrong: -1,
    });
  });

  test.each([
    [1, "int8"],
    [2, "float16"],
    [4, "float32"],
    [8, "float64"],
    [8, "int64"],
  ] as const)("fills of %i bytes reach every element and no other", async (_, dtype) => {
    for (const count of [1, 513, 100_003]) {
      const value = dtype === "int64" ? -81_985_529_216_486_895n : -1.5;
      const filled = full([count], dtype === "int8" ? -3 : (value as number), { ...on, dtype });
      const values = (filled.toArray() as unknown[]).map(Number);
      expect(values.every((element) => element === (dtype === "int8" ? -3 : Number(value)))).toBe(true);
    }
  });

  test("too large an array says how much there is", async () => {
    const error = await errorOf(() => zeros([2 ** 40], { ...on, dtype: "uint8" }));
    expect(error).toBeInstanceOf(OutOfMemory);
  });

  const faults = `
__global__ void fine(float* p) { p[threadIdx.x] += 1; }
__global__ void wild(float* p) { p[1ll << 44] = 1; }
__global__ void crooked(float* p) { *(double*)((char*)p + 1) = 1; }
__global__ void trapped(float* p) { __trap(); }`;

  test.each([
    ["wild", "ILLEGAL_ADDRESS"],
    ["crooked", "MISALIGNED_ADDRESS"],
    ["trapped", "TRAP"],
  ])("%s: the fault names this one launch of many, and every array is kept", async (name, code) => {
    const kernels = await kernelsOf(faults);
    const values = Float32Array.from({ length: 1 << 20 }, () => Math.random());
    const kept = tensor(values, on);
    const counter = zeros([32], on);
    const shape = { grid: 1, block: 32 };
    for (let i = 0; i < 10; i++) kernels["fine"]!.launch(shape, counter);
    kernels[name]!.launch({ grid: 1, block: 1 }, counter);
    for (let i = 0; i < 10; i++) kernels["fine"]!.launch(shape, counter);
    const error = await errorOf(() => gpu!.synchronize());
    expect(error).toBeInstanceOf(DeviceFault);
    expect(error.code).toBe(code);
    expect((error as unknown as DeviceFault).candidates.map(({ kernel }) => kernel)).toEqual([name]);

    const bytes = (array: Float32Array): Buffer => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    expect(bytes(kept.data() as Float32Array).equals(bytes(values))).toBe(true);
    const fresh = zeros([32], on);
    kernels["fine"]!.launch(shape, fresh);
    expect(fresh.sum().item()).toBe(32);
  });
});
