// Turns numbers into the short text that people read: values, bytes, shares.

const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** How many times 1024 divides `bytes`, as far as there is a unit. */
function unitOf(bytes: number): number {
  let unit = 0;
  for (let rest = Math.abs(bytes); rest >= 1023.5 && unit < byteUnits.length - 1; rest /= 1024) unit++;
  return unit;
}

function inUnit(bytes: number, unit: number): string {
  const amount = bytes / 1024 ** unit;
  return unit === 0 || Math.abs(amount) >= 99.95 ? String(Math.round(amount)) : amount.toFixed(1);
}

/** Bytes in units of 1024: `0 B`, `1.5 KiB`, `141 GiB`. */
export function formatBytes(bytes: number): string {
  const unit = unitOf(bytes);
  return `${inUnit(bytes, unit)} ${byteUnits[unit]}`;
}

/** A part of a whole in the unit of the whole: `1.2 / 141 GiB`. */
export function formatBytesOf(part: number, whole: number): string {
  const unit = unitOf(whole);
  return `${inUnit(part, unit)} / ${inUnit(whole, unit)} ${byteUnits[unit]}`;
}

/** 0 … 1 as a percentage: `37 %`. */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A value in `digits` significant digits, or more where its whole part has more: `0.1234`, `524289`, `-3`, `1.5e+9`, `NaN`, `-Infinity`. */
export function formatValue(value: number, digits = 5): string {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) < 1e7)) return Object.is(value, -0) ? "-0" : String(value);
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 7) return String(Number(value.toPrecision(Math.max(digits, power + 1))));
  return `${Number(mantissa)}e${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}

/** A count with groups of three digits, and the noun in its number: `1,048,576 elements`. */
export function formatCount(count: number, one: string, many: string): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
