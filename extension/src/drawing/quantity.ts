// The short text of a number as people read it: times, rates, parts, bytes, counts and values. Every view says the same
// number in the same words.

const timeUnits = ["ns", "µs", "ms", "s"];
const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const prefixes = ["", "k", "M", "G", "T", "P", "E"];

/** After the point, so that three digits matter. */
const digitsOf = (size: number): number => (size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);

const inDigits = (value: number, digits: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Which of `units` suits `value`, each `step` times as large as the one before. */
function unitFor(value: number, units: readonly string[], step = 1000): number {
  let unit = 0;
  for (let rest = Math.abs(value); rest >= step - 0.5 && unit < units.length - 1; rest /= step) unit++;
  return unit;
}

/** Three digits that matter, none after the point where there are three before it: `1.23`, `12.3`, `123`, `12,345`. */
export function formatAmount(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9 || (size < 0.005 && size > 0)) return value.toExponential(2).replace("e+", "e");
  return inDigits(value, Number.isInteger(value) ? 0 : digitsOf(size));
}

/** Nanoseconds, all in the unit of the longest and with as many digits: `12.3 µs`, `11.9 … 14.1 µs`, `640 ns`. */
export function formatTimes(times: readonly number[], between = " "): string {
  const longest = times.reduce((most, time) => Math.max(most, Math.abs(time)), 0);
  const unit = unitFor(longest, timeUnits);
  const scale = 1000 ** unit;
  const digits = unit === 0 && times.every(Number.isInteger) ? 0 : digitsOf(longest / scale);
  const format = longest / scale >= 1e9 ? formatAmount : (time: number) => inDigits(time, digits);
  return `${times.map((time) => format(time / scale)).join(between)} ${timeUnits[unit]}`;
}

/** Nanoseconds: `0 ns`, `850 ns`, `3.21 µs`, `1.50 s`. */
export const formatTime = (time: number): string => formatTimes([time]);

/**
 * A point in time to `step` nanoseconds, in the unit that suits times up to `reach`: `1204.5 µs`. Points of the same
 * step and reach have the same unit.
 */
export function formatPoint(time: number, step: number, reach = Math.abs(time)): string {
  if (time === 0) return "0";
  const unit = timeUnits.findLastIndex(
    (_name, index) => index === 0 || (Math.max(reach, step) >= 1000 ** index && step >= 1000 ** index / 1e4),
  );
  const decimals = Math.min(6, Math.max(0, Math.ceil(Math.log10(1000 ** unit / step) - 1e-9)));
  return `${(time / 1000 ** unit).toFixed(decimals)} ${timeUnits[unit]}`;
}

/** In steps of a thousand: `1.93 TB/s`, `320 GFLOP/s`, `4.60 GFLOP`. */
export function formatRate(rate: number, noun: "B/s" | "FLOP/s" | "FLOP"): string {
  const unit = unitFor(rate, prefixes);
  return `${formatAmount(rate / 1000 ** unit)} ${prefixes[unit]}${noun}`;
}

/** A power of ten on an axis, where `prefixes` reach that far: `100 G`, `1 T`, `0.01`. */
export function formatPower(power: number): string {
  if (power < -3 || power >= 3 * prefixes.length) return `1e${power}`;
  const unit = Math.max(0, Math.floor(power / 3));
  return `${Number(10 ** (power - 3 * unit))
    .toPrecision(1)
    .replace(
      /^1e\+(\d)$/,
      (_all, zeros: string) => `1${"0".repeat(Number(zeros))}`,
    )}${unit > 0 ? ` ${prefixes[unit]}` : ""}`;
}

/** 0 … 1 in percent, with one digit more where it is small: `98 %`, `4.2 %`, `<0.1 %`. */
export function formatPart(part: number): string {
  const percent = part * 100;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  return `${percent >= 9.95 || percent === 0 ? Math.round(percent).toLocaleString("en-US") : percent.toFixed(1)} %`;
}

/** 0 … 1 in whole percent, as devices measure how busy they are: `37 %`, `3 %`. */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function inUnit(bytes: number, unit: number): string {
  const amount = bytes / 1024 ** unit;
  return unit === 0 || Math.abs(amount) >= 99.95 ? String(Math.round(amount)) : amount.toFixed(1);
}

/** Bytes in units of 1024: `0 B`, `1.5 KiB`, `141 GiB`. */
export function formatBytes(bytes: number): string {
  const unit = unitFor(bytes, byteUnits, 1024);
  return `${inUnit(bytes, unit)} ${byteUnits[unit]}`;
}

/** A part of a whole in the unit of the whole: `1.2 / 141 GiB`. */
export function formatBytesOf(part: number, whole: number): string {
  const unit = unitFor(whole, byteUnits, 1024);
  return `${inUnit(part, unit)} / ${inUnit(whole, unit)} ${byteUnits[unit]}`;
}

/**
 * A value in `digits` significant digits, or more where its whole part has more: `0.1234`, `524289`, `-3`, `1.5e+9`,
 * `NaN`, `-Infinity`.
 */
export function formatValue(value: number, digits = 5): string {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) < 1e7))
    return Object.is(value, -0) ? "-0" : String(value);
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 7) return String(Number(value.toPrecision(Math.max(digits, power + 1))));
  return `${Number(mantissa)}e${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}

/** A count with groups of three digits: `1,048,576`. */
export const grouped = (count: number): string => count.toLocaleString("en-US");

/** The size of a grid or block, without the ones at its end: `4096`, `64 × 32`. */
export function formatExtent(extent: readonly number[]): string {
  const last = extent.findLastIndex((length) => length !== 1);
  return extent.slice(0, Math.max(1, last + 1)).join(" × ");
}
