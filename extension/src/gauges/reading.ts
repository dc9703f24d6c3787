// What the status bar shows of a gauges message: one short line, shares for the meter, and all figures.
import { trans } from "../drawing/trans.ts";
import type { DeviceGauge, GaugesPayload } from "../../../kernel/mime.ts";
import type { Checked, Expectations } from "../kernel-link/fields.ts";
import { checkFields, count, exactly, finite, flag, list, optional, orNull, text } from "../kernel-link/fields.ts";
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
  peak: optional(count),
  utilization: orNull(finite),
  temperature: orNull(finite),
  power: orNull(finite),
  sampled: orNull(finite),
};

export interface Reading {
  text: string;
  /** One figure a line. */
  tooltip: string;
  /** How full the active device's memory is, by this notebook and by all, 0 … 1; `null`: not known. */
  share: { mine: number; all: number } | null;
  busy: boolean;
}

/** Checks `comm_msg` data on the target `warpcell.gauges` against kernel/mime.ts. */
export function checkGauges(data: unknown): Checked<GaugesPayload> {
  const checked = checkFields(trans.__("a gauges message"), data, payloadFields);
  if (!checked.ok) return checked;
  for (const device of checked.value.devices) {
    const checkedDevice = checkFields(trans.__("a device of a gauges message"), device, deviceFields);
    if (!checkedDevice.ok) return checkedDevice;
  }
  return checked;
}

/** The device that the status bar is about: that of new tensors. */
export function shownDevice({ devices }: GaugesPayload): DeviceGauge | undefined {
  return devices.find(({ active }) => active) ?? devices[0];
}

/** What the status bar says about these devices. */
export function readingOf(payload: GaugesPayload): Reading {
  const { busy, devices } = payload;
  const shown = shownDevice(payload);
  if (!shown)
    return { text: trans.__("no device"), tooltip: trans.__("The kernel reports no device."), share: null, busy };
  const parts = [shown.device, memoryOf(shown), shown.utilization === null ? null : formatShare(shown.utilization)];
  const { reserved, memoryUsed: used, memoryTotal: total } = shown;
  const part = (bytes: number) => Math.min(1, bytes / total!);
  return {
    text: parts.filter((text) => text !== null).join(" · "),
    tooltip: devices.map(figuresOf).join("\n\n"),
    share: used === null || !total ? null : { mine: part(reserved), all: part(Math.max(used, reserved)) },
    busy,
  };
}

/** This notebook's tensors, of all that the device has. */
function memoryOf({ memoryTotal, allocated }: DeviceGauge): string {
  return memoryTotal === null
    ? trans.__("%1 in tensors", formatBytes(allocated))
    : trans.__("%1 of %2", formatBytes(allocated), formatBytes(memoryTotal));
}

/** Everybody's, of all that the device has. */
export function usedText({ memoryUsed, memoryTotal }: DeviceGauge): string | null {
  if (memoryUsed === null) return null;
  return memoryTotal === null ? formatBytes(memoryUsed) : formatBytesOf(memoryUsed, memoryTotal);
}

function figuresOf(gauge: DeviceGauge): string {
  const figures: [string, string | null][] = [
    [`${gauge.device}: ${gauge.name}`, gauge.active ? trans.__("new tensors go here") : ""],
    [trans.__("tensors of this notebook"), formatBytes(gauge.allocated)],
    [trans.__("at most so far"), gauge.peak === undefined ? null : formatBytes(gauge.peak)],
    [trans.__("held for them"), formatBytes(gauge.reserved)],
    [trans.__("memory in use on the device"), usedText(gauge)],
    [trans.__("utilization"), gauge.utilization === null ? null : formatShare(gauge.utilization)],
    [trans.__("temperature"), gauge.temperature === null ? null : `${formatValue(gauge.temperature, 3)} °C`],
    [trans.__("power"), gauge.power === null ? null : `${formatValue(gauge.power, 3)} W`],
  ];
  return figures
    .filter(([, value]) => value !== null)
    .map(([name, value]) => (value ? `${name}: ${value}` : name))
    .join("\n");
}
