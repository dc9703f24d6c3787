// What the status bar shows of a gauges message: one short line, a share for the meter, and all figures.
import type { DeviceGauge, GaugesPayload } from "../../../kernel/mime.ts";
import type { Checked, Expectations } from "../kernel-link/fields.ts";
import { checkFields, count, exactly, finite, flag, list, orNull, text } from "../kernel-link/fields.ts";
import { formatBytes, formatBytesOf, formatShare, formatValue } from "../drawing/quantity.ts";

const payloadFields: Expectations<GaugesPayload> = { version: exactly(1), sequence: count, busy: flag, devices: list };

const deviceFields: Expectations<DeviceGauge> = {
  device: text,
  name: text,
  active: flag,
  memoryTotal: orNull(count),
  memoryUsed: orNull(count),
  allocated: count,
  reserved: count,
  utilization: orNull(finite),
  temperature: orNull(finite),
  power: orNull(finite),
  sampled: orNull(finite),
};

export interface Reading {
  text: string;
  /** One figure a line. */
  tooltip: string;
  /** How full the active device's memory is, 0 … 1; `null`: not known. */
  share: number | null;
  busy: boolean;
}

/** Checks `comm_msg` data on the target `warpcell.gauges` against kernel/mime.ts. */
export function checkGauges(data: unknown): Checked<GaugesPayload> {
  const checked = checkFields("a gauges message", data, payloadFields);
  if (!checked.ok) return checked;
  for (const device of checked.value.devices) {
    const checkedDevice = checkFields("a device of a gauges message", device, deviceFields);
    if (!checkedDevice.ok) return checkedDevice;
  }
  return checked;
}

/** What the status bar says about these devices. */
export function readingOf({ busy, devices }: GaugesPayload): Reading {
  const shown = devices.find(({ active }) => active) ?? devices[0];
  if (!shown) return { text: "no device", tooltip: "The kernel reports no device.", share: null, busy };
  const parts = [shown.device, memoryOf(shown), shown.utilization === null ? null : formatShare(shown.utilization)];
  const { memoryUsed: used, memoryTotal: total } = shown;
  return {
    text: parts.filter((part) => part !== null).join(" · "),
    tooltip: devices.map(figuresOf).join("\n\n"),
    share: used === null || !total ? null : Math.min(1, used / total),
    busy,
  };
}

function memoryOf({ memoryUsed, memoryTotal, allocated }: DeviceGauge): string {
  if (memoryUsed === null) return `${formatBytes(allocated)} in tensors`;
  return memoryTotal === null ? formatBytes(memoryUsed) : formatBytesOf(memoryUsed, memoryTotal);
}

function figuresOf(gauge: DeviceGauge): string {
  const figures: [string, string | null][] = [
    [`${gauge.device}: ${gauge.name}`, gauge.active ? "new tensors go here" : ""],
    [
      "memory in use on the device",
      gauge.memoryUsed === null
        ? null
        : gauge.memoryTotal === null
          ? formatBytes(gauge.memoryUsed)
          : formatBytesOf(gauge.memoryUsed, gauge.memoryTotal),
    ],
    ["tensors of this notebook", formatBytes(gauge.allocated)],
    ["held for them", formatBytes(gauge.reserved)],
    ["utilization", gauge.utilization === null ? null : formatShare(gauge.utilization)],
    ["temperature", gauge.temperature === null ? null : `${formatValue(gauge.temperature, 3)} °C`],
    ["power", gauge.power === null ? null : `${formatValue(gauge.power, 3)} W`],
  ];
  return figures
    .filter(([, value]) => value !== null)
    .map(([name, value]) => (value ? `${name}: ${value}` : name))
    .join("\n");
}
