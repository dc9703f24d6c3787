// What is told of operations, on every device: several at a time, which end in any order.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { activity, type Watcher } from "../../native/lib/device/activity.ts";
import { noGrad, ones, tidy, type Tensor } from "../../native/lib/index.ts";
import { observing, type Observer } from "../../native/lib/ops/core/hooks.ts";
import { Op } from "../../native/lib/wire/commands.ts";
import { devices } from "./devices.ts";

/** Two that are told of operations, and what they were told. */
function two(): { told: string[]; first: Observer; second: Observer } {
  const told: string[] = [];
  const named = (name: string): Observer => ({ before: () => 0, after: (ran) => told.push(`${name}: ${ran.name}`) });
  return { told, first: named("first"), second: named("second") };
}

describe.each(devices.map((device) => ({ on: { device: device.name } })))("$on.device", ({ on }) => {
  test("an observer that ended is told of nothing more, also when a later one ends after it", () => {
    const x = ones([3], on);
    const { told, first, second } = two();
    const one = observing.begin(first);
    x.add(1);
    const other = observing.begin(second);
    x.mul(2);
    one[Symbol.dispose]();
    x.sub(1);
    other[Symbol.dispose]();
    x.div(2);
    expect(told).toEqual(["first: add", "second: mul", "second: sub"]);
  });

  test("what watches commands from one call to another holds on while functions with their own begin and end", () => {
    const x = ones([3], on);
    const watcher = (told: Op[]): Watcher => ({
      opened: () => undefined,
      submitted: (_device, _sequence, _start, { op }) => told.push(op),
      describe: () => undefined,
      answered: () => undefined,
      waited: () => undefined,
    });
    const [outer, inner]: [Op[], Op[]] = [[], []];
    x.add(1); // loaded
    const ended = activity.begin(watcher(outer));
    activity.run(watcher(inner), () => {
      x.add(1);
      ended[Symbol.dispose]();
    });
    x.add(1);
    expect([outer, inner]).toEqual([[], [Op.launch]]);
  });

  test("a function that throws leaves nothing switched off", () => {
    const x = ones([3], on);
    x.requiresGrad = true;
    const failing = () =>
      tidy(() =>
        noGrad(() => {
          throw new RangeError("on purpose");
        }),
      );
    expect(failing).toThrow("on purpose");
    const y = x.mul(2) as Tensor;
    y.sum().backward();
    expect(x.grad!.toArray()).toEqual([2, 2, 2]);
  });
});
