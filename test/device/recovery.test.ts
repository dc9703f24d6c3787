// What comes back after a device process has died, on every device: modules and plans at their first use, and nothing
// else; what was recorded before computes the same after.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { activity, type Watcher } from "../../native/lib/device/activity.ts";
import { collectGarbage } from "../../native/lib/device/collection.ts";
import { Execution } from "../../native/lib/device/execution.ts";
import { LibraryPlan } from "../../native/lib/device/library-plan.ts";
import { LoadedModule } from "../../native/lib/cuda/loaded-module.ts";
import type { DeviceProcess } from "../../native/lib/device/process.ts";
import { DeviceFault } from "../../native/lib/errors.ts";
import { compile, randn, zeros, type Kernel, type Tensor } from "../../native/lib/index.ts";
import { binding } from "../../native/lib/wire/binding.ts";
import { Op } from "../../native/lib/wire/commands.ts";
import { writePlanRelease } from "../../native/lib/wire/mark.ts";
import { Recording } from "../../native/lib/wire/recording.ts";
import { operationNamed } from "../../native/lib/ops/core/table.ts";
import type { Computation } from "../../native/lib/ops/core/operation.ts";
import { devices } from "./devices.ts";
import { madeArtifact, openMadeGpu, withMadeGpu } from "./made-gpu.ts";
import { freshSeed } from "../helpers/random.ts";
import { compiled, launch, read, write } from "./records.ts";

const seed = freshSeed();

/** Which commands are sent to devices while a function runs, besides launches, copies and fills. */
function sentBy(body: () => void): string[] {
  const sent: Op[] = [];
  const watcher: Watcher = {
    opened: () => {},
    submitted: (_device, _sequence, _start, record) => sent.push(record.op),
    describe: () => {},
    answered: (_device, _sequence, op) => sent.push(op),
    waited: () => {},
  };
  activity.run(watcher, body);
  const others: readonly Op[] = [Op.launch, Op.copy, Op.fill, Op.fence, Op.run];
  return sent
    .filter((op) => !others.includes(op))
    .map((op) => Object.entries(Op).find(([, number]) => number === op)![0]);
}

function kill(device: DeviceProcess): void {
  process.kill(binding.processId(device.client), "SIGKILL");
  expect(() => device.synchronize()).toThrow(DeviceFault);
}

const product = (size: number, more = "") => `matmul m=${size} n=${size} k=${size} compute=float32 type=float32${more}`;
const place = ({ place }: Tensor) => place;

describe.each(devices.map((device) => ({ name: device.name, device })))("$name", ({ name, device }) => {
  const random = (...shape: number[]) => randn(shape, { device: name, seed });

  async function kernelsOf(count: number): Promise<Kernel[]> {
    const modules = await Promise.all(
      Array.from({ length: count }, async (_, index) =>
        compile(`extern "C" __global__ void plus(int* p) { p[0] += ${index + 1}; }`, { device: name }),
      ),
    );
    return modules.map((module) => module.kernels["plus"] as Kernel);
  }

  test("a module is loaded again by the first launch of one of its kernels, and no other is", async () => {
    const kernels = await kernelsOf(3);
    const x = zeros([1], { device: name, dtype: "int32" });
    const launched = (index: number) => sentBy(() => kernels[index]!.launch({ grid: 1, block: 1 }, x));
    for (let round = 0; round < 2; round++) {
      expect(sentBy(() => kill(device))).toEqual([]);
      expect([launched(1), launched(1), launched(0), launched(1)]).toEqual([["module_load"], [], ["module_load"], []]);
      device.synchronize();
    }
    expect(x.item()).toBe(2 * (3 * 2 + 1));
    expect(launched(2)).toEqual(["module_load"]);
    expect(x.item()).toBe(17);
  });

  test("a message about a kernel loads its module, too", async () => {
    const [kernel] = await kernelsOf(1);
    const x = zeros([1], { device: name, dtype: "int32" });
    kill(device);
    expect((await kernel!.time({ grid: 1, block: 1, repeats: 2, warmup: 0 }, x)).median).toBeGreaterThan(0);
    expect(x.item()).toBe(2);
    if (device.kind === "cpu") return;
    kill(device);
    expect(sentBy(() => kernel!.occupancy(64))).toEqual(["module_load", "occupancy"]);
  });

  test("a plan comes back at its next run with the same choice, and no other does", () => {
    const [a, b, out] = [random(64, 64), random(64, 64), zeros([64, 64], { device: name })];
    const plan = LibraryPlan.obtain(device, product(64), { places: [out, a, b].map(place), scalars: [1, 0] });
    LibraryPlan.obtain(device, product(63));
    const run = () => sentBy(() => plan.run(device.execution, [out, a, b].map(place), [1, 0]));
    run();
    const before = out.toArray();
    kill(device);
    out.fill_(0);
    expect([run(), run()]).toEqual([["plan"], []]);
    expect(out.toArray()).toEqual(before);
    expect(sentBy(() => LibraryPlan.obtain(device, product(63)))).toEqual([]);
  });

  test("what was recorded before computes the same after, once its kernels and plans are used", () => {
    const shapes = {
      add: [
        [40, 30],
        [40, 30],
      ],
      matmul: [
        [40, 30],
        [30, 20],
      ],
    } as const;
    for (const operation of ["add", "matmul"] as const) {
      const inputs = shapes[operation].map((shape) => random(...shape));
      const run = (on: Execution, out: Tensor) => (operationNamed(operation) as Computation).run([out], inputs, {}, on);
      const out = zeros(operation === "add" ? [40, 30] : [40, 20], { device: name });
      run(device.execution, out);
      const wanted = out.toArray();
      const recording = new Recording();
      run(new Execution(device, 0, recording), out);
      for (let round = 0; round < 2; round++) {
        kill(device);
        out.fill_(0);
        expect(sentBy(() => recording.replay(device.execution.target))).toHaveLength(1);
        expect(out.toArray()).toEqual(wanted);
      }
    }
  });

  test("a recording keeps the modules and plans that it needs", () => {
    const recording = new Recording();
    const later = new Execution(device, 0, recording);
    const [a, b, out] = [random(31, 31), random(31, 31), zeros([31, 31], { device: name })];
    const wanted = a.matmul(b).toArray();
    const evicted = () => {
      LibraryPlan.obtain(device, product(31)).run(later, [out, a, b].map(place), [1, 0]);
    };
    evicted();
    crowdPlans(device);
    collectGarbage();
    expect(sentBy(() => recording.replay(device.execution.target))).toEqual(["plan"]);
    expect(out.toArray()).toEqual(wanted);
  });

  test("what was unloaded does not come back", () => {
    const { artifact, lowered } = compiled(device, 'extern "C" __global__ void one(int* p) { p[0] = 1; }', ["one"]);
    const loaded = () => LoadedModule.load(device, artifact, lowered, "one.cu", ["one"]);
    const kept = loaded();
    const forgotten = (() => loaded().firstKernel)();
    collectGarbage();
    kill(device);
    const word = device.allocate(4, "device");
    write(device, word, new Uint8Array(4));
    expect(sentBy(() => launch(device, { kernel: forgotten, pointers: [word] }))).toEqual([]);
    expect(() => device.synchronize()).toThrow(`Kernel ${forgotten} is not loaded`);
    // The module that died with its process is not unloaded in the next one, which never had it.
    expect(sentBy(() => launch(device, { kernel: kept.firstKernel, pointers: [word] }))).toEqual(["module_load"]);
    expect([...read(device, word, 4)]).toEqual([1, 0, 0, 0]);
    device.free(word);
  });

  test("a module that nobody holds is unloaded by the next load", () => {
    const { artifact, lowered } = compiled(device, 'extern "C" __global__ void two(int* p) { p[0] = 2; }', ["two"]);
    const loaded = () => LoadedModule.load(device, artifact, lowered, "two.cu", ["two"]);
    collectGarbage();
    loaded();
    collectGarbage();
    expect(sentBy(() => void loaded())).toEqual(["module_unload", "module_load"]);
  });

  test("plans are bounded by bytes: those not used for long are released, and planned again when they are used", () => {
    const [a, b, out] = [random(8, 8), random(8, 8), zeros([8, 8], { device: name })];
    const first = LibraryPlan.obtain(device, product(8, " a.leading=8"));
    first.run(device.execution, [out, a, b].map(place), [1, 0]);
    const wanted = out.toArray();
    out.fill_(NaN);
    const often = product(8, " b.leading=8");
    LibraryPlan.obtain(device, often);
    const released = sentBy(() => crowdPlans(device, () => LibraryPlan.obtain(device, often)));
    const remembered = 400 - released.filter((name) => name === "plan_release").length;
    expect(remembered).toBeLessThan(2 ** 24 / 60_000);
    expect(sentBy(() => LibraryPlan.obtain(device, often))).toEqual([]);
    expect(sentBy(() => first.run(device.execution, [out, a, b].map(place), [1, 0]))).toEqual(["plan"]);
    expect(out.toArray()).toEqual(wanted);
  });

  test("a plan that there is not cannot be released", () => {
    writePlanRelease(device.execution, 2 ** 30);
    expect(() => device.synchronize()).toThrow("There is no plan 1073741824.");
  });
});

describe("a GPU made here", () => {
  test("gets modules and plans back at their first use", () => {
    const device = openMadeGpu();
    const modules = ["one", "two"].map((symbol) =>
      LoadedModule.load(device, madeArtifact, [symbol], `${symbol}.cu`, [symbol]),
    );
    const plan = LibraryPlan.obtain(device, product(4));
    const place = device.allocate(4096, "device");
    const use = (index: number) =>
      sentBy(() => {
        launch(device, { kernel: modules[index]!.firstKernel });
        plan.run(device.execution, [place, place, place], [1, 0]);
      });
    for (let round = 0; round < 2; round++) {
      withMadeGpu(() => kill(device));
      expect([use(1), use(1), use(0)]).toEqual([["module_load", "plan"], [], ["module_load"]]);
      device.synchronize();
    }
  });

  test("that cannot be started again says so with the fault as cause, and every use tries again", () => {
    const device = openMadeGpu();
    const module = LoadedModule.load(device, madeArtifact, ["one"], "one.cu", ["one"]);
    process.kill(binding.processId(device.client), "SIGKILL");
    for (const use of [() => device.synchronize(), () => launch(device, { kernel: module.firstKernel })])
      expect(use).toThrow(
        expect.objectContaining({ code: "RESTART_FAILED", cause: expect.any(DeviceFault) as unknown }) as Error,
      );
    withMadeGpu(() => expect(() => device.synchronize()).toThrow(DeviceFault));
    expect(sentBy(() => launch(device, { kernel: module.firstKernel }))).toEqual(["module_load"]);
    device.synchronize();
  });
});

/** Plans so many products that those before are forgotten; each has a text of its own. */
function crowdPlans(device: DeviceProcess, between: () => void = () => {}): void {
  const padding = " ".repeat(60_000);
  for (let count = 1; count <= 400; count++) {
    LibraryPlan.obtain(device, `matmul m=${++crowded} n=2 k=2 compute=float32 type=float32${padding}`);
    if (count % 20 === 0) between();
  }
}
let crowded = 0;
