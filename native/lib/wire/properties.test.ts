// What a device says of itself is checked before it is believed.
import { expect, test } from "vitest";
import { parseProperties } from "./properties.ts";

const whole = {
  name: "Test GPU",
  kind: "cuda",
  index: 0,
  arch: "sm_90a",
  warpSize: 32,
  multiprocessors: 132,
  maxThreadsPerBlock: 1024,
  maxBlock: [1024, 1024, 64],
  maxGrid: [2147483647, 65535, 65535],
  sharedPerBlock: 49152,
  sharedPerBlockOptin: 232448,
  memoryTotal: 1e11,
  shareable: true,
};

test("a whole description is taken, and what is optional is filled in", () => {
  expect(parseProperties(JSON.stringify(whole))).toEqual({
    ...whole,
    registersPerBlock: null,
    compiler: null,
    driver: null,
    unifiedMemory: false,
    libraryBlock: 128,
    architectures: ["sm_90a", "sm_90"],
  });
});

test.each([
  ["warpSize", { warpSize: "32" }],
  ["arch", { arch: 90 }],
  ["maxGrid", { maxGrid: [1, 2] }],
  ["shareable", { shareable: undefined }],
])("a wrong %s is named", (field, change) => {
  expect(() => parseProperties(JSON.stringify({ ...whole, ...change }))).toThrow(
    new RegExp(`^A device described itself without a usable ${field}: `),
  );
});
