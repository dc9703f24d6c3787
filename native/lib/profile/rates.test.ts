// The best rate that was ever measured counts, of each device by itself; what is damaged counts for nothing.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CompileCache } from "../cuda/cache.ts";
import type { DeviceProperties } from "../wire/properties.ts";
import { bestEver, rateKey } from "./rates.ts";

const device = (changes: Partial<DeviceProperties> = {}) =>
  ({
    properties: { kind: "cpu", name: "A", arch: "x", multiprocessors: 2, memoryTotal: 8, driver: null, ...changes },
  }) as Parameters<typeof rateKey>[0];

test("the greatest rate of a device is kept, also for the next process", () => {
  const directory = mkdtempSync(join(tmpdir(), "warpcell-rates-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const measured = (rate: number, key = rateKey(device(), "copy")) => bestEver(key, rate, new CompileCache(directory));
  expect([measured(3e9), measured(7.5e9), measured(5e9), measured(8e9)]).toEqual([3e9, 7.5e9, 7.5e9, 8e9]);
  expect(measured(2e9, rateKey(device(), "float32"))).toBe(2e9);
  for (const other of [
    { name: "B" },
    { multiprocessors: 4 },
    { memoryTotal: 9 },
    { driver: "1" },
    { kind: "cuda" },
  ] as const)
    expect(measured(1e9, rateKey(device(other), "copy")), JSON.stringify(other)).toBe(1e9);
  writeFileSync(join(directory, rateKey(device(), "copy")), "damaged");
  expect(measured(4e9)).toBe(4e9);
});
