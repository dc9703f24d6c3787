// The line of work that takes long: when it comes, what it says, and that nothing of it stays.
import "./device/cache.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { compile, io, zeros } from "../native/lib/index.ts";
import { LongWork } from "../native/lib/long-work.ts";

const real = Object.getOwnPropertyDescriptor(process, "stdout")!;
let lines: string[];

/** From here on lines go to a terminal, or to a pipe. */
function outputIs(isTTY: boolean): void {
  const out = { isTTY, columns: 80, write: (text: string) => lines.push(text) };
  Object.defineProperty(process, "stdout", { value: out, configurable: true });
}

beforeEach(() => {
  lines = [];
  outputIs(true);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  Object.defineProperty(process, "stdout", real);
});

const { setInterval: interval } = globalThis;
const clear = "\r\u001b[K";

test("work of less than a second is silent", () => {
  vi.useFakeTimers();
  {
    using work = new LongWork("Compiling Cell [3]");
    vi.advanceTimersByTime(999);
    work.advance(1);
  }
  vi.advanceTimersByTime(5000);
  expect(lines).toEqual([]);
});

test("longer work has a line as time passes, which is gone when the work is done", () => {
  vi.useFakeTimers();
  {
    using _work = new LongWork("Compiling Cell [3]");
    vi.advanceTimersByTime(2000);
  }
  vi.advanceTimersByTime(5000);
  expect(lines).toEqual([
    ...["0:01", "0:01", "0:02", "0:02", "0:02"].map((time) => `${clear}Compiling Cell [3] · ${time}`),
    clear,
  ]);
});

test("work that lets no timer run is heard as it advances, and never says more than all", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  {
    using work = new LongWork("Reading x.npy", { total: 4096, unit: "bytes" });
    for (const amount of [1024, 1024, 3000]) {
      vi.advanceTimersByTime(1000);
      work.advance(amount);
    }
  }
  expect(lines).toEqual([
    expect.stringMatching(/Reading x\.npy · 25% │█+[▏▎▍▌▋▊▉]? +│ 1\.00 KiB\/4\.00 KiB · 1\.00 KiB\/s · 0:03 left$/),
    expect.stringMatching(/Reading x\.npy · 50% │█+[▏▎▍▌▋▊▉]? +│ 2\.00 KiB\/4\.00 KiB · 1\.00 KiB\/s · 0:02 left$/),
    expect.stringMatching(/Reading x\.npy · 100% │█+│ 4\.00 KiB\/4\.00 KiB · 1\.33 KiB\/s · 0:00 left$/),
    clear,
  ]);
});

test("in a pipe it is silent", () => {
  outputIs(false);
  vi.useFakeTimers();
  using _work = new LongWork("Compiling Cell [3]");
  vi.advanceTimersByTime(3000);
  expect(lines).toEqual([]);
});

test("files and compiles have it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-long-work-"));
  try {
    const path = join(folder, "x.npy");
    // A clock on which everything takes a second.
    let now = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    await io.save(path, zeros([64], { device: "cpu" }));
    expect(lines.splice(0)).toEqual([expect.stringMatching(/Writing x\.npy · \d+ bytes · /), expect.anything(), clear]);
    await io.load(path, { device: "cpu" });
    expect(lines.at(0)).toMatch(/Reading x\.npy · \d+% /);
    expect(lines.at(-1)).toBe(clear);
    lines = [];
    // No timer comes by before an artifact that is in the cache.
    const source = `__global__ void busy${process.pid}(float* x) { x[0] = 1; }`;
    vi.spyOn(globalThis, "setInterval").mockImplementation(((look: () => void) => {
      look();
      return interval(() => undefined, 1000);
    }) as typeof setInterval);
    await compile(source, { name: "Cell [3]", device: "cpu" });
    expect(lines).toContain(`${clear}Compiling Cell [3] · 0:01`);
    expect(lines.at(-1)).toBe(clear);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
