// What the CUDA device says of a driver that it cannot use: each with a driver made here, so these run on every
// machine.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { DeviceFault, DeviceUnavailable, OutOfMemory } from "../../native/lib/errors.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-driver-test-"));
const before = process.env["LD_LIBRARY_PATH"];
afterEach(() => {
  if (before === undefined) delete process.env["LD_LIBRARY_PATH"];
  else process.env["LD_LIBRARY_PATH"] = before;
  rmSync(join(folder, "libcuda.so.1"), { force: true });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nothing = { source: "", name: "cell.cu", headers: "", expressions: [], options: [] };

/** The functions that the device process needs of a driver, as the table in its source has them. */
const needed = [
  ...readFileSync(new URL("../../native/engine/cuda/driver/driver_api.h", import.meta.url), "utf8").matchAll(
    / X\((\w+), (\w+), \(/g,
  ),
].map(([, , symbol]) => symbol!);

/** Puts a driver in the loader's way whose functions have these bodies; all others answer `success`, or are missing. */
function install(bodies: Record<string, string>, isComplete: boolean): void {
  const others = isComplete ? needed.filter((symbol) => bodies[symbol] === undefined) : [];
  const source = [
    ...Object.entries(bodies).map(([symbol, body]) => `extern "C" int ${symbol}${body}`),
    ...others.map((symbol) => `extern "C" int ${symbol}() { return 0; }`),
  ].join("\n");
  const file = join(folder, "driver.cc");
  writeFileSync(file, `#include <unistd.h>\n${source}`);
  const built = spawnSync("g++", ["-shared", "-fPIC", "-o", join(folder, "libcuda.so.1"), file], { encoding: "utf8" });
  expect(built.stderr).toBe("");
  process.env["LD_LIBRARY_PATH"] = folder;
}

/** Why device number `index` cannot be used. A number of its own for each test: no other test has it open. */
function refusal(index: number): DeviceUnavailable {
  try {
    DeviceProcess.get("cuda", index);
  } catch (error) {
    if (error instanceof DeviceUnavailable) return error;
    throw error;
  }
  throw new Error("Expected the driver to be refused but it was accepted.");
}

const version = (number: number): string => `(int* version) { *version = ${number}; return 0; }`;
const named = (name: string): string => `(int, const char** text) { *text = "${name}"; return 0; }`;

test("a driver for CUDA 12.2 is too old", () => {
  install({ cuDriverGetVersion: version(12020) }, false);
  const error = refusal(50);
  expect(error.code).toBe("DRIVER_TOO_OLD");
  expect(error.message).toBe(
    "The NVIDIA driver is too old: it is for CUDA 12.2, and CUDA 12.4 or newer is needed. Install driver 550 or newer, or use the cpu device.",
  );
});

test("a driver that lacks a function is told from an old one", () => {
  install({ cuDriverGetVersion: version(13000) }, false);
  const error = refusal(51);
  expect(error.code).toBe("DRIVER_TOO_OLD");
  expect(error.message).toBe(
    "The NVIDIA driver is incomplete: libcuda.so.1 lacks cuInit. Reinstall the NVIDIA driver.",
  );
});

test("a library that is no driver", () => {
  install({ unrelated: "() { return 0; }" }, false);
  const error = refusal(52);
  expect(error.code).toBe("NO_DRIVER");
  expect(error.message).toBe(
    "The NVIDIA driver is broken: libcuda.so.1 does not answer cuDriverGetVersion. Reinstall the NVIDIA driver.",
  );
});

test("a driver without a GPU says what it answers", () => {
  install(
    {
      cuDriverGetVersion: version(13000),
      cuInit: "(unsigned) { return 100; }",
      cuGetErrorName: named("CUDA_ERROR_NO_DEVICE"),
      cuGetErrorString: named("no CUDA-capable device is detected"),
    },
    true,
  );
  const error = refusal(53);
  expect(error.code).toBe("NO_DEVICE");
  expect(error.message).toMatch(
    /^The NVIDIA driver \(for CUDA 13\.0\) shows no GPU: it answers CUDA_ERROR_NO_DEVICE\. Check that nvidia-smi lists one and that CUDA_VISIBLE_DEVICES does not hide it, or use the cpu device\.$/,
  );
});

test("a driver that hides every GPU", () => {
  install({ cuDriverGetVersion: version(12080), cuDeviceGetCount: "(int* count) { *count = 0; return 0; }" }, true);
  expect(refusal(54).message).toMatch(/^The NVIDIA driver \(for CUDA 12\.8\) shows no GPU\. /);
});

test("a GPU beyond the last", () => {
  install({ cuDriverGetVersion: version(13000), cuDeviceGetCount: "(int* count) { *count = 2; return 0; }" }, true);
  const error = refusal(55);
  expect(error.code).toBe("NO_DEVICE");
  expect(error.message).toBe("There is no GPU 55: this machine has 2, numbered from 0.");
});

test("a driver that fails names the call's purpose, its own error and what its text says", () => {
  install(
    {
      cuDriverGetVersion: version(13000),
      cuDeviceGetCount: "(int* count) { *count = 99; return 0; }",
      cuDeviceGetAttribute: "(int* value, int, int) { *value = 9; return 0; }",
      cuDevicePrimaryCtxRetain: "(void**, int) { return 2; }",
      cuGetErrorName: named("CUDA_ERROR_OUT_OF_MEMORY"),
      cuGetErrorString: named("out of memory"),
    },
    true,
  );
  const error = refusal(56);
  expect(error.code).toBe("OUT_OF_MEMORY");
  expect(error.message).toBe("The device has no free memory left while making a context (CUDA_ERROR_OUT_OF_MEMORY).");
});

// A driver that accepts everything and does nothing: enough to meet the refusals that come before any work.
const willing = {
  cuDriverGetVersion: version(13000),
  cuDeviceGetCount: "(int* count) { *count = 99; return 0; }",
  cuGetErrorName: named("CUDA_ERROR_OUT_OF_MEMORY"),
  cuGetErrorString: named("out of memory"),
  cuMemGetAllocationGranularity: "(unsigned long* step) { *step = 1 << 21; return 0; }",
  cuMemGetInfo_v2: "(unsigned long* free, unsigned long* total) { *free = 5ul << 20; *total = 64ul << 20; return 0; }",
};
const posixDescriptors = 103;
const attributes = (isShareable: boolean): string =>
  `(int* value, int name, int) { *value = name == ${posixDescriptors} ? ${Number(isShareable)} : 9; return 0; }`;

function errorOf(body: () => unknown): Error & { code: string } {
  try {
    body();
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error("Expected an error but there was none.");
}

test("no compiler where WARPCELL_NVRTC says: arrays work, compiling says why it does not", () => {
  process.env["WARPCELL_NVRTC"] = join(folder, "libnvrtc.so");
  try {
    install({ ...willing, cuDeviceGetAttribute: attributes(true) }, true);
    const device = DeviceProcess.get("cuda", 57);
    expect(device.properties.compiler).toBeNull();
    const missing = `WARPCELL_NVRTC names ${join(folder, "libnvrtc.so")}, which cannot be used as NVRTC. Correct the variable, or unset it.`;
    const error = errorOf(() => device.request("compile", nothing));
    expect([error.code, error.message]).toEqual(["NO_NVRTC", missing]);
    const known = device
      .request("known_libraries", {})
      .libraries.map((library) => JSON.parse(library) as Record<string, unknown>);
    expect(known.map(({ name }) => name)).toEqual(["NVRTC", "cuBLASLt", "cuSOLVER", "cuFFT", "cuDNN", "CUPTI", "NVML"]);
    expect(known[0]).toEqual({ name: "NVRTC", purpose: "compiling", path: null, version: null, missing });
    for (const { name, path, missing } of known.slice(1))
      if (path === null)
        expect(missing).toMatch(
          new RegExp(`^${name as string} was not found in .*, and without it .*\\. Get it with: .*\\.$`),
        );
      else expect(missing).toBe(null);
  } finally {
    delete process.env["WARPCELL_NVRTC"];
  }
});

test("a compiler that throws while it warms up ends nothing, and is told to whoever compiles", () => {
  const functions = [
    ...readFileSync(new URL("../../native/engine/cuda/compile/nvrtc.h", import.meta.url), "utf8").matchAll(
      / X\((nvrtc\w+), \(/g,
    ),
  ].map(([, name]) => name!);
  const bodies = {
    nvrtcVersion: "(int* major, int* minor) { *major = 13; *minor = 0; return 0; }",
    nvrtcCreateProgram: `() { throw std::runtime_error("no room for a program"); }`,
  } as Record<string, string>;
  writeFileSync(
    join(folder, "throwing.cc"),
    `#include <stdexcept>\n${functions.map((name) => `extern "C" int ${name}${bodies[name] ?? "() { return 0; }"}`).join("\n")}`,
  );
  for (const name of ["libthrowing.so", "libnvrtc-builtins.so.13.0"]) {
    expect(
      spawnSync("g++", ["-shared", "-fPIC", "-o", join(folder, name), join(folder, "throwing.cc")], {
        encoding: "utf8",
      }).stderr,
    ).toBe("");
  }
  process.env["WARPCELL_NVRTC"] = join(folder, "libthrowing.so");
  try {
    install({ ...willing, cuDeviceGetAttribute: attributes(true) }, true);
    const device = DeviceProcess.get("cuda", 66);
    const error = errorOf(() => device.request("compile", { ...nothing, options: ["--arch=sm_90"] }));
    expect(error.message).toBe("The device process could not do that: no room for a program.");
    expect(device.request("hello", {}).properties).toContain(`"index":66`);
  } finally {
    delete process.env["WARPCELL_NVRTC"];
  }
});

test("a compiler newer than the driver is left out, also where its file's name does not say so", () => {
  const functions = [
    ...readFileSync(new URL("../../native/engine/cuda/compile/nvrtc.h", import.meta.url), "utf8").matchAll(
      / X\((nvrtc\w+), \(/g,
    ),
  ].map(([, name]) => name!);
  const libraries = join(folder, "venv", "lib", "python3.12", "site-packages", "nvidia", "cuda_nvrtc", "lib");
  mkdirSync(libraries, { recursive: true });
  const version = `extern "C" int nvrtcVersion(int* major, int* minor) { *major = 13; *minor = 0; return 0; }`;
  const others = functions
    .filter((name) => name !== "nvrtcVersion")
    .map((name) => `extern "C" int ${name}() { return 1; }`);
  writeFileSync(join(folder, "nvrtc.cc"), [version, ...others].join("\n"));
  for (const name of ["libnvrtc.so", "libnvrtc-builtins.so.13.0"]) {
    expect(
      spawnSync("g++", ["-shared", "-fPIC", "-o", join(libraries, name), join(folder, "nvrtc.cc")], {
        encoding: "utf8",
      }).stderr,
    ).toBe("");
  }
  const { VIRTUAL_ENV: environment, WARPCELL_NVRTC: chosen } = process.env;
  process.env["VIRTUAL_ENV"] = join(folder, "venv"); // the first place that is searched
  delete process.env["WARPCELL_NVRTC"];
  try {
    const found = (driver: number, index: number): string | undefined => {
      install(
        {
          ...willing,
          cuDriverGetVersion: `(int* number) { *number = ${driver}; return 0; }`,
          cuDeviceGetAttribute: attributes(true),
        },
        true,
      );
      return DeviceProcess.get("cuda", index).properties.compiler?.path;
    };
    expect(found(13000, 63)).toBe(join(libraries, "libnvrtc.so"));
    expect(found(12080, 64)).not.toBe(join(libraries, "libnvrtc.so"));
  } finally {
    if (environment === undefined) delete process.env["VIRTUAL_ENV"];
    else process.env["VIRTUAL_ENV"] = environment;
    if (chosen !== undefined) process.env["WARPCELL_NVRTC"] = chosen;
  }
});

test("no memory left says how much there is", () => {
  install(
    {
      ...willing,
      cuDeviceGetAttribute: attributes(true),
      cuMemCreate: "(void*, unsigned long, void*, unsigned long long) { return 2; }",
    },
    true,
  );
  const device = DeviceProcess.get("cuda", 58);
  const error = errorOf(() => device.request("segment_create", { segment: 9, bytes: 8 << 20 }));
  expect(error.code).toBe("OUT_OF_MEMORY");
  expect(error.message).toBe(
    "There is no room for 8 MiB of device memory: 5 MiB of 64 MiB are free. Dispose of tensors, or use smaller ones.",
  );
});

test("a small array still finds a place where a segment for many does not", () => {
  install(
    {
      ...willing,
      cuDeviceGetAttribute: attributes(true),
      cuMemCreate:
        "(unsigned long* handle, unsigned long bytes, void*, unsigned long long) { static unsigned long left = 2060ul << 20; if (bytes > left) return 2; left -= bytes; *handle = 1; return 0; }",
      cuMemExportToShareableHandle: `(int* descriptor, unsigned long, int, unsigned long long) { *descriptor = dup(2); return 0; }`,
    },
    true,
  );
  const device = DeviceProcess.get("cuda", 62);
  const large = device.allocate(2 ** 31, "device");
  const small = Array.from({ length: 6 }, () => device.allocate(2 ** 21, "device"));
  expect(() => device.allocate(1, "device")).toThrow(OutOfMemory);
  for (const place of [large, ...small]) device.free(place);
});

test("dynamic shared memory next to 4 GiB is not taken for a little", () => {
  install(
    {
      ...willing,
      cuDeviceGetAttribute: "(int* value, int, int) { *value = 100000; return 0; }",
      cuFuncGetParamInfo: "() { return 1; }",
      cuModuleGetFunction: "(void** function) { *function = function; return 0; }",
      cuFuncGetAttribute: "(int* value) { *value = 1024; return 0; }",
    },
    true,
  );
  const device = DeviceProcess.get("cuda", 65);
  const artifact = Buffer.concat([
    Buffer.from([3, 0, 0, 0]),
    ...["warpcell-cuda-1", "machine code", ""].flatMap((field) => [
      Buffer.from(BigUint64Array.of(BigInt(field.length)).buffer),
      Buffer.from(field),
    ]),
  ]);
  device.request("module_load", { module: 1, firstKernel: 1, artifact, lowered: ["shares"] });
  const error = errorOf(() => device.request("occupancy", { kernel: 1, threads: 32, shared: 2 ** 32 - 1 }));
  expect(error.message).toBe(
    "A block has at most 100000 bytes of shared memory, but shares needs 4294967295 dynamic and 1024 static bytes.",
  );
});

test("a device that cannot share its memory says so", () => {
  install({ ...willing, cuDeviceGetAttribute: attributes(false) }, true);
  const device = DeviceProcess.get("cuda", 59);
  expect(device.properties.shareable).toBe(false);
  const error = errorOf(() => device.request("segment_create", { segment: 9, bytes: 4096 }));
  expect(error.code).toBe("UNSUPPORTED");
  expect(error.message).toMatch(/^The memory of this GPU cannot be shared between processes .*Use the cpu device\.$/);
});

test("a wait that fails with an error that nobody knows ends: the process is lost and started again", () => {
  install(
    {
      ...willing,
      cuDeviceGetAttribute: attributes(true),
      cuStreamQuery: "(void*) { return 901; }",
      cuGetErrorName: named("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"),
    },
    true,
  );
  const device = DeviceProcess.get("cuda", 61);
  const error = errorOf(() => device.synchronize());
  expect(error).toBeInstanceOf(DeviceFault);
  expect(error.code).toBe("DRIVER");
  expect(error.message).toMatch(
    /^The device process of cuda:61 failed: cuda:61 reported DRIVER\. The driver failed \(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED\)\. /,
  );
  expect(device.request("hello", {}).properties).toContain(`"index":61`);
});

test("what is not an artifact, and listings that are not there", () => {
  install({ ...willing, cuDeviceGetAttribute: attributes(true) }, true);
  const device = DeviceProcess.get("cuda", 60);
  expect(
    errorOf(() =>
      device.request("module_load", { module: 1, firstKernel: 1, artifact: Buffer.from("nonsense"), lowered: ["k"] }),
    ).message,
  ).toBe("These 8 bytes are not a cell compiled for a GPU. Compile the cell again.");
  expect(errorOf(() => device.request("occupancy", { kernel: 7, threads: 32, shared: 0 })).message).toBe(
    "Kernel 7 is not loaded. Its module may have been unloaded.",
  );
});
