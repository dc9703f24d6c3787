// Turns nanoseconds, rates and counts into short text in the unit that suits their size.

const timeUnits = ["ns", "µs", "ms", "s"];
const prefixes = ["", "k", "M", "G", "T", "P", "E"];

/** After the point, so that three digits matter. */
const digitsOf = (size: number): number => (size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);

/** Three digits that matter, none after the point where there are three before it: `1.23`, `12.3`, `123`, `12,345`. */
export function formatAmount(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9 || (size < 0.005 && size > 0)) return value.toExponential(2).replace("e+", "e");
  const digits = Number.isInteger(value) ? 0 : digitsOf(size);
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Which of `units` suits `value`, a thousand times as large each. */
function unitFor(value: number, units: readonly string[]): number {
  let unit = 0;
  for (let rest = Math.abs(value); rest >= 999.5 && unit < units.length - 1; rest /= 1000) unit++;
  return unit;
}

/** Nanoseconds, all in the unit of the longest and with as many digits: `12.3 µs`, `11.9 … 14.1 µs`, `640 ns`. */
export function formatTimes(times: readonly number[], between = " "): string {
  const longest = times.reduce((most, time) => Math.max(most, time), 0);
  const unit = unitFor(longest, timeUnits);
  const scale = 1000 ** unit;
  if (longest / scale >= 1e9) return `${times.map((time) => formatAmount(time / scale)).join(between)} ${timeUnits[unit]}`;
  const digits = unit === 0 && times.every(Number.isInteger) ? 0 : digitsOf(longest / scale);
  return `${times.map((time) => (time / scale).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })).join(between)} ${timeUnits[unit]}`;
}

/** Something per second: `1.93 TB/s`, `320 GFLOP/s`. */
export function formatRate(rate: number, noun: "B/s" | "FLOP/s"): string {
  const unit = unitFor(rate, prefixes);
  return `${formatAmount(rate / 1000 ** unit)} ${prefixes[unit]}${noun}`;
}

/** A power of ten on an axis, where `prefixes` reach that far: `100 G`, `1 T`, `0.01`. */
export function formatPower(power: number): string {
  if (power < -3 || power >= 3 * prefixes.length) return `1e${power}`;
  const unit = Math.max(0, Math.floor(power / 3));
  return `${Number(10 ** (power - 3 * unit)).toPrecision(1).replace(/^1e\+(\d)$/, (_all, zeros: string) => `1${"0".repeat(Number(zeros))}`)}${unit > 0 ? ` ${prefixes[unit]}` : ""}`;
}

/** 0 … 1 in percent, with one digit more where it is small: `98 %`, `4.2 %`, `<0.1 %`. */
export function formatPart(part: number): string {
  const percent = part * 100;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  return `${percent >= 9.95 || percent === 0 ? Math.round(percent).toLocaleString("en-US") : percent.toFixed(1)} %`;
}

/** The size of a grid or block, without the ones at its end: `4096`, `64×32`. */
export function formatExtent(extent: readonly number[]): string {
  const last = extent.findLastIndex((length) => length !== 1);
  return extent.slice(0, Math.max(1, last + 1)).join("×");
}
