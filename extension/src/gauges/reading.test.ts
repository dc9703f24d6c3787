// What the status bar says about a gauges message, and about one that is not what kernel/mime.ts describes.
import { expect, test } from "vitest";
import type { DeviceGauge, GaugesPayload } from "../../../kernel/mime.ts";
import { checkGauges, readingOf } from "./reading.ts";

const cpu: DeviceGauge = {
  device: "cpu",
  name: "Xeon",
  active: false,
  memoryTotal: 25e9,
  memoryUsed: 0.4e9,
  allocated: 2048,
  reserved: 4096,
  peak: 8192,
  utilization: 0.5,
  temperature: null,
  power: null,
  sampled: 1,
};
const cuda: DeviceGauge = {
  ...cpu,
  device: "cuda:0",
  name: "H200",
  active: true,
  memoryTotal: 143771 * 2 ** 20,
  memoryUsed: 1_288_490_189,
  utilization: 0.374,
  temperature: 41.2,
  power: 120.44,
};
const message = (...devices: DeviceGauge[]): GaugesPayload => ({ version: 1, sequence: 3, busy: true, devices });

test("the active device is the one shown, all are in the tooltip", () => {
  expect(readingOf(message(cpu, cuda))).toEqual({
    text: "cuda:0 · 2.0 KiB of 140 GiB · 37 %",
    share: { mine: expect.closeTo(0, 6), all: expect.closeTo((1.2 * 1024) / 143771, 6) },
    busy: true,
    tooltip: [
      "cpu: Xeon",
      "tensors of this notebook: 2.0 KiB",
      "at most so far: 8.0 KiB",
      "held for them: 4.0 KiB",
      "memory in use on the device: 0.4 / 23.3 GiB",
      "utilization: 50 %",
      "",
      "cuda:0: H200: new tensors go here",
      "tensors of this notebook: 2.0 KiB",
      "at most so far: 8.0 KiB",
      "held for them: 4.0 KiB",
      "memory in use on the device: 1.2 / 140 GiB",
      "utilization: 37 %",
      "temperature: 41.2 °C",
      "power: 120 W",
    ].join("\n"),
  });
});

test("figures that are not known are left out", () => {
  const bare = { ...cpu, memoryTotal: null, memoryUsed: null, utilization: null };
  expect(readingOf(message(bare))).toMatchObject({ text: "cpu · 2.0 KiB in tensors", share: null });
  expect(readingOf(message({ ...cpu, memoryTotal: null }))).toMatchObject({
    text: "cpu · 2.0 KiB in tensors · 50 %",
    share: null,
  });
  const { peak: _, ...older } = cpu;
  expect(readingOf(message(older)).tooltip).not.toContain("at most so far");
  expect(readingOf(message())).toMatchObject({ text: "no device", tooltip: "The kernel reports no device." });
});

test.each<[unknown, string]>([
  [null, "A gauges message is null but should be a record of fields."],
  [{ ...message(), version: 2 }, '"version" of a gauges message is 2 but should be 1.'],
  [{ ...message(), sequence: "3" }, '"sequence" of a gauges message is "3" but should be a whole number ≥ 0.'],
  [
    message({ ...cpu, memoryUsed: -1 }),
    '"memoryUsed" of a device of a gauges message is -1 but should be a whole number ≥ 0 or null.',
  ],
])("%j is refused with a sentence", (data, problem) => expect(checkGauges(data)).toEqual({ ok: false, problem }));

test("a message as described is trusted", () =>
  expect(checkGauges(message(cpu, cuda))).toEqual({ ok: true, value: message(cpu, cuda) }));
