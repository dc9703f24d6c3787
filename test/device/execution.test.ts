// Where work is written to, on every device: a target that keeps records has an operation recorded without running it,
// and what is replayed computes the same.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { Execution } from "../../native/lib/device/execution.ts";
import { empty, full, zeros, type Tensor } from "../../native/lib/index.ts";
import { upload } from "../../native/lib/memory/transfer.ts";
import { apply } from "../../native/lib/ops/core/apply.ts";
import type { Computation } from "../../native/lib/ops/core/operation.ts";
import { operationNamed } from "../../native/lib/ops/core/table.ts";
import { headerOffsets, Op } from "../../native/lib/wire/commands.ts";
import { writeCopy, writeFill } from "../../native/lib/wire/copy.ts";
import { writeFence } from "../../native/lib/wire/mark.ts";
import { Recording } from "../../native/lib/wire/recording.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());

/** New elements for a tensor of float32. It allocates no memory of the device. */
function renew(tensor: Tensor): void {
  const values = Float32Array.from({ length: tensor.size }, () => random() * 2 - 1);
  upload(tensor.living(), 0, new Uint8Array(values.buffer));
}

/** Has an operation of the table run into arrays that exist. */
function runOn(on: Execution, name: string, outputs: readonly Tensor[], inputs: readonly Tensor[], attributes: object) {
  (operationNamed(name) as Computation).run(outputs, inputs, attributes, on);
}

// The last one needs memory of its own on the way; nothing else is allocated between recording and replaying it.
const cases: readonly { name: "add" | "matmul" | "convert" | "sum"; shapes: number[][]; attributes: object }[] = [
  { name: "add", shapes: [[1000], [1000]], attributes: {} },
  {
    name: "matmul",
    shapes: [
      [33, 20],
      [20, 17],
    ],
    attributes: {},
  },
  { name: "convert", shapes: [[40, 30]], attributes: { dtype: "float64" } },
  { name: "sum", shapes: [[300_000]], attributes: { axes: [0], keepdims: false } },
];

describe.each(devices.map((device) => ({ device, on: { device: device.name } })))("$device.name", ({ device, on }) => {
  test.each(cases)("$name is recorded without being run, and replayed as often as one likes", (operation) => {
    const { name, shapes, attributes } = operation;
    const inputs = shapes.map((shape) => zeros(shape, on) as Tensor);
    inputs.forEach(renew);
    const [likeThese] = [apply(name, inputs, attributes as never) as Tensor];
    const out = full(likeThese.shape, 7, { ...on, dtype: likeThese.dtype }) as Tensor;
    device.synchronize();

    const recording = new Recording();
    const submitted = device.lastSequence;
    runOn(new Execution(device, 0, recording), name, [out], inputs, attributes);
    expect(device.lastSequence).toBe(submitted);
    expect(recording.records.length).toBeGreaterThan(0);
    expect([...out.data()].every((value) => value === 7)).toBe(true);

    for (let round = 0; round < 3; round++) {
      inputs.forEach(renew);
      expect(recording.replay(device.execution.target)).toBe(device.lastSequence);
      const replayed = out.data();
      runOn(device.execution, name, [out], inputs, attributes);
      expect(replayed).toEqual(out.data());
    }
  });

  test("copies and fills are recorded, too, and run in the order in which they were written", () => {
    const [a, b] = [zeros([64], on), zeros([64], on)];
    const recording = new Recording();
    const later = new Execution(device, 0, recording);
    expect(writeFill(later, a.place, a.bytes, BigInt(0x3f800000), 4)).toBe(0);
    expect(writeCopy(later, b.place, a.place, a.bytes)).toBe(0);
    expect(writeFill(later, a.place, a.bytes, BigInt(0x40000000), 4)).toBe(0);
    expect([a.data()[63], b.data()[63]]).toEqual([0, 0]);
    recording.replay(device.execution.target);
    expect([a.data()[63], b.data()[63]]).toEqual([2, 1]);
  });

  test("every record says the stream that it is for", () => {
    const [x, y] = [zeros([10, 10], on), empty([10, 10], on)];
    const recording = new Recording();
    const third = new Execution(device, 3, recording);
    writeFence(third);
    writeCopy(third, y.place, x.place, x.bytes);
    writeFill(third, y.place, y.bytes, 0n, 8);
    runOn(third, "add", [y], [x, x], {});
    runOn(third, "matmul", [y], [x, x], {});
    const seen = recording.records.map((record) => {
      const shorts = new Uint16Array(record.buffer);
      return [shorts[headerOffsets.op / 2], shorts[headerOffsets.stream / 2]];
    });
    expect(seen.slice(0, 4)).toEqual([Op.fence, Op.copy, Op.fill, Op.launch].map((op) => [op, 3]));
    expect(seen.slice(4).every(([op, stream]) => (op === Op.run || op === Op.launch) && stream === 3)).toBe(true);
  });

  test("what needs its results while it is recorded is refused", () => {
    const later = new Execution(device, 0, new Recording());
    const [x, at, out] = [zeros([8], on), zeros([2], { ...on, dtype: "int64" }), zeros([2], on)];
    const code = (body: () => void) => {
      try {
        body();
      } catch (error) {
        return [(error as { code: string }).code, (error as Error).message];
      }
      return undefined;
    };
    expect(code(() => runOn(later, "takeAxis", [out], [x, at], { axis: 0, isShared: true }))).toEqual([
      "RECORDED",
      "What is recorded has not been computed, so this operation cannot check an index of it: run it before or after, not as a part of what is recorded.",
    ]);
    const [counts, edges] = [zeros([4], { ...on, dtype: "int64" }), zeros([5], on)];
    expect(code(() => runOn(later, "histogram", [counts, edges], [x], { bins: 4, range: null }))?.[0]).toBe("RECORDED");
  });
});
