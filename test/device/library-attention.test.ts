// Attention by a library on a GPU made here: the graphs that cuDNN is given, what runs give it, and what is refused.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LibraryPlan } from "../../native/lib/device/library-plan.ts";
import type { DeviceProcess } from "../../native/lib/device/process.ts";
import { binding } from "../../native/lib/wire/binding.ts";
import { openMadeGpu, withMadeGpu } from "./made-gpu.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-made-cudnn-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const library = join(folder, "libcudnn.so");
const log = join(folder, "log");

beforeAll(() => {
  const source = fileURLToPath(new URL("made-cudnn.cc", import.meta.url));
  const built = spawnSync("g++", ["-std=c++17", "-shared", "-fPIC", "-w", "-o", library, source], { encoding: "utf8" });
  expect(built.stderr).toBe("");
});

const surroundings = (more: Record<string, string> = {}) => ({ WARPCELL_CUDNN: library, MADE_CUDNN_LOG: log, ...more });
function opened(more: Record<string, string> = {}): DeviceProcess {
  writeFileSync(log, "");
  return openMadeGpu(surroundings(more));
}
const written = () => readFileSync(log, "utf8").trim().split("\n");

const steps = (heads: number, rows: number, columns: number) =>
  `${heads * rows * columns}x${rows * columns}x${columns}`;
/** 2 batches of 4 heads on 2, 8 queries, 16 keys of 64 and values of 32. */
const terms = (change: Record<string, string> = {}) =>
  "attention " +
  Object.entries({
    result: "output",
    type: "bfloat16",
    sizes: "2x4x2x8x16x64x32",
    mask: "none",
    q: steps(4, 8, 64),
    k: steps(2, 16, 64),
    v: steps(2, 16, 32),
    out: steps(4, 8, 32),
    ...change,
  })
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

const products = ["matmul #3 #4 = #1000", "mul #1000 #101 = #1001"];
/** From scores to the result, with the numbers of tensors that only operations see. */
const softmax = (scores: number) => {
  const at = (distance: number) => `#${scores + distance}`;
  return [
    `max ${at(0)} = ${at(1)}`,
    `sub ${at(0)} ${at(1)} = ${at(2)}`,
    `exp ${at(2)} = ${at(3)}`,
    `sum ${at(3)} = ${at(4)}`,
    `log ${at(4)} = ${at(5)}`,
    `add ${at(1)} ${at(5)} = #2`,
    `div ${at(3)} ${at(4)} = ${at(6)}`,
    `matmul ${at(6)} #5 = #1`,
  ];
};

test("the graph of each mask, and what a run gives", () => {
  const device = opened();
  const at = device.allocate(1 << 20, "device");
  const run = (mask: string) => {
    const plan = LibraryPlan.obtain(device, terms({ mask }));
    expect(plan.chosen).toEqual({ library: "cuDNN", version: "9.19.0", path: library, algorithm: "engine 7" });
    expect(plan.workspace).toBe(512);
    plan.run(device.execution, [at, at, at, at, at], [0.125]);
    device.synchronize();
    const lines = written();
    writeFileSync(log, "");
    return lines;
  };
  const scale = "101:0.125000";
  expect(run("none")).toEqual([...products, ...softmax(1001), `run 1 2 3 4 5 ${scale}`]);
  const places = ["place #1001 = #1002", "place #1001 = #1003"];
  expect(run("first")).toEqual([
    ...products,
    ...places,
    "at least #1002 #1003 = #1004",
    "select #1001 #103 #1004 = #1005",
    ...softmax(1005),
    `run 1 2 3 4 5 ${scale} 103:-inf`,
  ]);
  expect(run("last")).toEqual([
    ...products,
    ...places,
    "add #1002 #105 = #1004",
    "sub #1004 #104 = #1005",
    "at least #1005 #1003 = #1006",
    "select #1001 #103 #1006 = #1007",
    ...softmax(1007),
    `run 1 2 3 4 5 ${scale} 103:-inf 105:16 104:8`,
  ]);
});

test("a device that starts again makes a plan from its text", () => {
  const device = opened();
  const plan = LibraryPlan.obtain(device, terms());
  const lines = written().length;
  process.kill(binding.processId(device.client), "SIGKILL");
  withMadeGpu(() => expect(() => device.synchronize()).toThrow(), surroundings());
  const at = device.allocate(1 << 20, "device");
  plan.run(device.execution, [at, at, at, at, at], [1]);
  device.synchronize();
  expect(written().slice(lines)).toEqual(["from text", "run 1 2 3 4 5 101:1.000000"]);
});

test("the graph of gradients, its scratch, and what a run gives", () => {
  const device = opened();
  const at = device.allocate(1 << 20, "device");
  const own = { dOut: steps(4, 8, 32), dq: steps(4, 8, 64), dk: steps(2, 16, 64), dv: steps(2, 16, 32) };
  const plan = LibraryPlan.obtain(device, terms({ result: "gradients", mask: "first", ...own }));
  // Of 2 × 4 × 8 queries a delta, and 64 sums.
  expect(plan.workspace).toBe(512 + 256 + 64 * 256);
  plan.run(device.execution, Array<number>(9).fill(at), [0.125]);
  device.synchronize();
  expect(written()).toEqual([
    "mul #9 #7 = #1000",
    "sum #1000 = #1001",
    "mul #1001 #102 = #201",
    "matmul #4 #5 = #1002",
    "mul #1002 #101 = #1003",
    "sub #1003 #8 = #1004",
    "place #1004 = #1005",
    "place #1004 = #1006",
    "at least #1005 #1006 = #1007",
    "select #1004 #103 #1007 = #1008",
    "exp #1008 = #1009",
    "reshape #1009 = #1010",
    "matmul #1010 #9 = #1011",
    "sum #1011 = #3",
    "matmul #9 #6 = #1012",
    "sub #1012 #201 = #1013",
    "mul #1013 #1009 = #1014",
    "mul #1014 #101 = #1015",
    "reshape #1015 = #1016",
    "matmul #1016 #4 = #1017",
    "sum #1017 = #2",
    "reshape #5 = #1018",
    "matmul #1015 #1018 = #202",
    "copy #202 = #1",
    "run 1 2 3 4 5 6 7 8 9 201 202 101:0.125000 103:-inf 102:1.000000",
  ]);
});

test("an engine is tried, and one that fails says so", () => {
  const device = opened();
  const places = (of: DeviceProcess) => Array<number>(5).fill(of.allocate(1 << 20, "device"));
  LibraryPlan.obtain(device, terms(), { places: places(device), scalars: [1] });
  // Once to load it, then five times.
  expect(written().filter((line) => line.startsWith("run"))).toHaveLength(6);

  const failing = opened({ MADE_CUDNN_FAILS: "3000" });
  LibraryPlan.obtain(failing, terms()).run(failing.execution, places(failing), [1]);
  expect(() => failing.synchronize()).toThrow("cuDNN failed at attention (CUDNN_STATUS_OF_A_TEST)");
  const tried = opened({ MADE_CUDNN_FAILS: "3000" });
  const trial = { places: places(tried), scalars: [1] };
  expect(() => LibraryPlan.obtain(tried, terms(), trial)).toThrow(
    "cuDNN proposes engines for this attention, but none runs.",
  );
});

test("convolutions are run likewise", () => {
  const device = opened();
  const at = device.allocate(1 << 20, "device");
  const sizes = "size=8x8 kernel=3x3 stride=1x1 padding=1x1 dilation=1x1";
  const text = `convolution result=weight images=1 channels=8 outputs=8 groups=1 type=bfloat16 ${sizes}`;
  LibraryPlan.obtain(device, text).run(device.execution, [at, at, at], []);
  device.synchronize();
  expect(written().at(-1)).toBe("run 2 3 1");
});

test("what there is no plan for", () => {
  const device = opened();
  const wrong = (change: Record<string, string>) => () => LibraryPlan.find(device, terms(change));
  expect(wrong({ result: "all" })).toThrow("The plan of attention has result=all.");
  expect(wrong({ mask: "causal" })).toThrow("The plan of attention has mask=causal.");
  expect(wrong({ q: "1x2" })).toThrow("The plan of attention has q of 2 numbers, not 3.");
  expect(wrong({ sizes: "2x4x3x8x16x64x32" })).toThrow("The plan of attention has sizes that do not go together.");
  const refused = (change: Record<string, string>) => () => LibraryPlan.obtain(device, terms(change));
  expect(refused({ type: "float32" })).toThrow("No library computes the attention of float32.");
  expect(refused({ k: "0x1024x64" })).toThrow("cuDNN takes no operands of attention that are broadcast.");
  expect(refused({ q: `${2 ** 31}x512x64` })).toThrow("cuDNN counts the elements of a tensor in 31 bits.");
  expect(() => LibraryPlan.obtain(opened({ MADE_CUDNN_VERSION: "91001" }), terms())).toThrow(
    "Attention takes cuDNN 9.10.2 or a later one, but got 9.10.1.",
  );
  const gradients = terms({ result: "gradients", dOut: "1x1x1", dq: "1x1x1", dk: "1x1x1", dv: "1x1x1" });
  expect(() => LibraryPlan.obtain(opened({ MADE_CUDNN_VERSION: "91500" }), gradients)).toThrow(
    "The gradients of 16 keys take a later cuDNN than 9.15.0.",
  );
  expect(() => LibraryPlan.obtain(opened({ MADE_CUDNN_ENGINES: "0" }), terms())).toThrow(
    "cuDNN has no engine for this attention.",
  );
});
