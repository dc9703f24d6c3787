// How a profile of a GPU is taken: with a driver and a CUPTI made here, so that what they rarely do can be provoked on every machine.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { Op } from "../../native/lib/wire/commands.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";
import { ofKind, startProfile, stopProfile } from "./profile.ts";
import { fill, launch } from "./records.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-cupti-test-"));
const library = join(folder, "libcuda.so.1");
const before = { LD_LIBRARY_PATH: process.env["LD_LIBRARY_PATH"], WARPCELL_CUPTI: process.env["WARPCELL_CUPTI"] };

function restore(): void {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
afterEach(restore);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const namesIn = (file: string, pattern: RegExp): string[] => [...readFileSync(new URL(`../../native/engine/cuda/${file}`, import.meta.url), "utf8").matchAll(pattern)].map(([, name]) => name!);
const driverFunctions = namesIn("driver_api.h", / X\(\w+, (\w+), \(/g);
const cuptiFunctions = namesIn("profile/cupti_api.h", / X\((\w+), \(/g);

// One library is both, so that work which the driver is given appears in CUPTI's buffers. Layouts as CUPTI's headers have them.
const source = `
#include <cstdint>
#include <cstring>
#include <cstdlib>
#include <ctime>
struct Call { int site; const char* function; const void* parameters; void* result; const char* symbol; void* context; uint32_t number; uint64_t* data; uint32_t correlation; };
static void (*callback)(void*, int, uint32_t, const void*); static void* user; static bool followed[1024], enabled[64];
static void (*request)(uint8_t**, size_t*, size_t*); static void (*complete)(void*, uint32_t, uint8_t*, size_t, size_t); static uint64_t (*clock_of)();
static uint8_t* buffer; static size_t used, size, dropped; static uint32_t correlation;
static void flush() { if (buffer != nullptr) complete(nullptr, 0, buffer, size, used); buffer = nullptr; used = 0; }
static void add(const void* record, uint32_t bytes) {
  if (buffer != nullptr && used + bytes > size) flush();
  if (buffer == nullptr) { size_t most; request(&buffer, &size, &most); if (buffer == nullptr) { dropped++; return; } if (buffer[size - 1] != 0 || buffer[0] != 0) abort(); }
  std::memcpy(buffer + used, record, bytes); used += bytes;
}
template <class T> static void put(uint8_t* record, size_t at, T value) { std::memcpy(record + at, &value, sizeof value); }
static void work(uint32_t function, uint32_t kind, uint64_t bytes, const char* name, const uint32_t* sizes) {
  correlation += 3;
  Call call = {}; call.correlation = correlation;
  if (callback != nullptr && followed[function]) { callback(user, 1, function, &call); call.site = 1; callback(user, 1, function, &call); }
  if (!enabled[kind]) return;
  uint8_t record[216] = {};
  put(record, 0, kind); put(record, 16, clock_of()); put(record, 24, clock_of() + 5);
  if (kind == 10) { put<uint16_t>(record, 6, 40); put<uint32_t>(record, 48, 14); std::memcpy(record + 52, sizes, 24); put<uint32_t>(record, 76, 1024); put<uint32_t>(record, 80, sizes[6]); put<uint32_t>(record, 84, 16); put(record, 92, correlation); put(record, 104, name); }
  else { put(record, 8, bytes); put<uint32_t>(record, 40, 77); put(record, 44, correlation); record[4] = kind == 1 ? 8 : 0; }
  add(record, kind == 10 ? 216 : kind == 1 ? 96 : 88);
}
extern "C" {
int cuDriverGetVersion(int* version) { *version = 13000; return 0; }
int cuDeviceGetCount(int* count) { *count = 999; return 0; }
int cuDeviceGetAttribute(int* value, int, int) { *value = 100000; return 0; }
int cuGetErrorName(int, const char** text) { *text = "CUDA_ERROR"; return 0; }
int cuGetErrorString(int, const char** text) { *text = "error"; return 0; }
int cuMemGetAllocationGranularity(unsigned long* step) { *step = 1 << 21; return 0; }
int cuFuncGetParamInfo() { return 1; }
int cuModuleGetFunction(void** function, void*, const char* name) { *function = strdup(name); return 0; }
int cuFuncGetAttribute(int* value) { *value = 1024; return 0; }
int cuLaunchKernel(const char* name, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned shared) { uint32_t sizes[] = {a, b, c, d, e, f, shared}; work(307, 10, 0, name, sizes); if (strcmp(name, "_Z5twiceIfEvPT_i") == 0) work(307, 10, 0, "_ZN3lib5other4gemmILi4EEEvPKf", sizes); return 0; }
int cuMemcpyAsync(uint64_t, uint64_t, size_t bytes) { work(306, 1, bytes, nullptr, nullptr); return 0; }
int cuMemsetD8Async(uint64_t, uint8_t, size_t bytes) { work(216, 2, bytes, nullptr, nullptr); return 0; }
int cuMemsetD32Async(uint64_t, uint32_t, size_t items) { work(220, 2, items * 4, nullptr, nullptr); return 0; }
int cuMemCreate(unsigned long* handle) { *handle = 1; return 0; }
int cuMemExportToShareableHandle(int* descriptor);
int cuptiGetVersion(uint32_t* version) { const char* text = getenv("FAKE_CUPTI_VERSION"); *version = text ? atoi(text) : 130000; return 0; }
int cuptiGetResultString(int, const char** text) { *text = "CUPTI_ERROR_OF_A_TEST"; return 0; }
static bool subscribed;
int cuptiSubscribe(void** subscriber, void (*to)(void*, int, uint32_t, const void*), void* data) { const char* text = getenv("FAKE_CUPTI_SUBSCRIBE"); if (text) return atoi(text); if (subscribed) return 39; subscribed = true; callback = to; user = data; *subscriber = &subscribed; return 0; }
int cuptiUnsubscribe(void* subscriber) { if (subscriber != &subscribed || !subscribed) return 1; subscribed = false; callback = nullptr; return 0; }
int cuptiEnableCallback(uint32_t on, void* subscriber, int domain, uint32_t function) { if (domain == 1) followed[function] = on; return 0; }
int cuptiGetStreamId(void*, void*, uint32_t* number) { *number = 14; return 0; }
int cuptiActivityRegisterCallbacks(void (*r)(uint8_t**, size_t*, size_t*), void (*c)(void*, uint32_t, uint8_t*, size_t, size_t)) { request = r; complete = c; return 0; }
int cuptiActivityRegisterTimestampCallback(uint64_t (*c)()) { clock_of = c; return 0; }
int cuptiActivityEnable(uint32_t kind) { const char* text = getenv("FAKE_CUPTI_ENABLE"); if (text) return atoi(text); enabled[kind] = true; return 0; }
int cuptiActivityDisable(uint32_t kind) { enabled[kind] = false; return 0; }
int cuptiActivityFlushAll(uint32_t) { if (complete != nullptr) flush(); return 0; }
int cuptiActivityGetNextRecord(uint8_t* bytes, size_t valid, uint8_t** record) {
  uint8_t* next = bytes;
  if (*record != nullptr) { uint32_t kind; std::memcpy(&kind, *record, 4); next = *record + (kind == 10 ? 216 : kind == 1 ? 96 : 88); }
  if (next >= bytes + valid) return 12;
  *record = next;
  return 0;
}
int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* count) { const char* text = getenv("FAKE_CUPTI_DROPPED"); *count = dropped + (text ? atoi(text) : 0); dropped = 0; return 0; }
int cuptiFinalize() { std::memset(enabled, 0, sizeof enabled); std::memset(followed, 0, sizeof followed); request = nullptr; complete = nullptr; return subscribed ? 1 : 0; }
}`.replace("int cuMemExportToShareableHandle(int* descriptor);", "int dup(int); int cuMemExportToShareableHandle(int* descriptor) { *descriptor = dup(2); return 0; }");

let number = 500;

/** A device of the driver above: a process of its own, with `environment`. */
function open(environment: Record<string, string> = {}): DeviceProcess {
  const others = [...driverFunctions, ...cuptiFunctions].filter((name) => !source.includes(`int ${name}(`)).map((name) => `extern "C" int ${name}() { return 0; }`);
  writeFileSync(join(folder, "driver.cc"), `${source}\n${others.join("\n")}`);
  const built = spawnSync("g++", ["-shared", "-fPIC", "-w", "-o", library, join(folder, "driver.cc")], { encoding: "utf8" });
  expect(built.stderr).toBe("");
  const surroundings = { LD_LIBRARY_PATH: folder, WARPCELL_CUPTI: library, ...environment };
  Object.assign(process.env, surroundings);
  try {
    return DeviceProcess.get("cuda", number++);
  } finally {
    for (const name of Object.keys(surroundings)) delete process.env[name];
    restore();
  }
}

function loadKernels(device: DeviceProcess, symbols: string[]): void {
  const artifact = Buffer.concat([Buffer.from([3, 0, 0, 0]), ...["warpcell-cuda-1", "machine code", ""].flatMap((field) => [Buffer.from(BigUint64Array.of(BigInt(field.length)).buffer), Buffer.from(field)])]);
  device.request(Op.module_load, ["1", "1", artifact, symbols.join("\n"), "static"]);
}

function errorOf(body: () => unknown): { code: string; message: string } {
  try {
    body();
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error("Expected an error but there was none.");
}

describe("a profile", () => {
  test("has every kernel, copy and fill with the command that caused it, and the calls and waits around them", () => {
    const device = open();
    loadKernels(device, ["fill", "_Z5twiceIfEvPT_i"]);
    launch(device, { kernel: 1 });
    for (let round = 0; round < 2; round++) {
      expect(startProfile(device)).toEqual([]);
      const first = launch(device, { kernel: 1, grid: [3, 2, 1], block: [64, 1, 1], shared: 256 });
      launch(device, { kernel: 2 });
      device.synchronize();
      launch(device, { kernel: 1 });
      const profile = stopProfile(device);
      launch(device, { kernel: 1 });

      const kernels = ofKind(profile, "kernel");
      expect(kernels.map(({ name, sequence }) => [name, sequence - first])).toEqual([["fill", 0], ["twice<float>", 1], ["lib::other::gemm<4>", 1], ["fill", 3]]);
      expect(kernels[0]).toMatchObject({ grid: [3, 2, 1], block: [64, 1, 1], staticShared: 1024, dynamicShared: 256, local: 16, registers: 40, lane: 0 });
      expect(ofKind(profile, "call").map(({ name, sequence }) => [name, sequence - first])).toEqual([["cuLaunchKernel", 0], ["cuLaunchKernel", 1], ["cuLaunchKernel", 3]]);
      expect(ofKind(profile, "wait").map(({ sequence }) => sequence - first)).toEqual([2, 4]);
      expect(profile.records.every(({ start, end }) => start <= end && start > 0)).toBe(true);
      expect(profile.dropped).toBe(0);
    }
  });

  test("goes on over many buffers, and the next one starts anew", () => {
    const device = open();
    loadKernels(device, ["empty"]);
    for (const count of [200_000, 10]) {
      startProfile(device);
      const first = launch(device, { kernel: 1 });
      for (let i = 1; i < count; i++) launch(device, { kernel: 1 });
      const profile = stopProfile(device);
      const kernels = ofKind(profile, "kernel");
      expect(kernels).toHaveLength(count);
      expect(kernels.every(({ sequence }, index) => sequence === first + index)).toBe(true);
    }
  });

  test("says how many records were dropped", () => {
    const device = open({ FAKE_CUPTI_DROPPED: "41" });
    startProfile(device);
    expect(stopProfile(device).dropped).toBe(41);
  });

  test("of a plain fill", () => {
    const device = open();
    const place = device.allocate(4096, "device");
    startProfile(device);
    const sequence = fill(device, place, 4096, 1n, 1);
    const [record, ...others] = ofKind(stopProfile(device), "fill");
    expect(record).toMatchObject({ sequence, bytes: 4096, name: "fill", lane: 77 });
    expect(others).toEqual([]);
  });
});

describe("what keeps a profile from being taken", () => {
  test.each<[string, Record<string, string>, string, string | RegExp]>([
    ["no CUPTI", { WARPCELL_CUPTI: "off" }, "NO_LIBRARY", 'CUPTI is switched off: WARPCELL_CUPTI is "off".'],
    ["a file that is none", { WARPCELL_CUPTI: "libm.so.6" }, "OPTION", 'WARPCELL_CUPTI names libm.so.6, which cannot be used (libm.so.6 lacks functions). Name another file, "off", or none.'],
    ["a CUPTI newer than the driver", { FAKE_CUPTI_VERSION: "140000" }, "OPTION", /\(.*libcuda\.so\.1 is of CUDA 14, newer than the driver\)/],
    ["another profiler", { FAKE_CUPTI_SUBSCRIBE: "39" }, "PROFILER_BUSY", /^Another profiler or debugger has this device process already .*\. Start Warpcell without it, or look at the profile there\.$/],
    ["a driver that lets only administrators", { FAKE_CUPTI_ENABLE: "35" }, "NOT_PERMITTED", /NVreg_RestrictProfilingToAdminUsers=0, or run with CAP_SYS_ADMIN\.$/],
    ["a virtual GPU", { FAKE_CUPTI_ENABLE: "33" }, "UNSUPPORTED", /^This virtual GPU cannot be profiled\. /],
    ["a failure of CUPTI", { FAKE_CUPTI_ENABLE: "999" }, "LIBRARY", /^CUPTI 13\.0 failed at starting \(CUPTI_ERROR_OF_A_TEST\)\. /],
    ["a failure of an older CUPTI", { FAKE_CUPTI_ENABLE: "7", FAKE_CUPTI_VERSION: "26" }, "LIBRARY", /^CUPTI 12 \(API 26\) failed at starting /],
  ])("%s", (_what, environment, code, sentence) => {
    const device = open(environment);
    for (let again = 0; again < 2; again++) {
      const error = errorOf(() => startProfile(device));
      expect(error.code).toBe(code);
      expect(error.message).toMatch(sentence);
    }
    expect(errorOf(() => stopProfile(device)).code).toBe("NOT_PROFILING");
    device.synchronize();
  });
});
