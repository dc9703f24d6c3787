// The axes of a chart: where a value lies, and which values are marked, at distances of 1, 2 or 5 times a power of ten.

export interface Tick {
  readonly value: number;
  readonly text: string;
}

export interface Axis {
  readonly low: number;
  readonly high: number;
  readonly isLogarithmic: boolean;
  readonly ticks: readonly Tick[];
  /** What all marks are relative to, "+ 1,000,000"; empty where they say it themselves. */
  readonly offset: string;
  /** 0 at `low`, 1 at `high`; not finite where the axis has no such value. */
  shareOf(value: number): number;
}

export interface AxisOptions {
  /** Marks wanted, about. */
  readonly marks: number;
  readonly isLogarithmic: boolean;
  /** Exactly from here to there. */
  readonly range: readonly [number, number] | undefined;
  /** Room at both ends, as a share of the whole. */
  readonly margin: number;
  /** Zero is on it, and an end has no room there. */
  readonly hasZero: boolean;
  /** Values that are counts: no marks between whole numbers. */
  readonly isWhole: boolean;
}

/** The axis for values from `least` to `most`; both infinite, the wrong way round, where there are none. */
export function axisOf(least: number, most: number, options: AxisOptions): Axis {
  return options.isLogarithmic ? logarithmic(least, most, options) : linear(least, most, options);
}

function linear(least: number, most: number, options: AxisOptions): Axis {
  const [low, high] = options.range ?? padded(...widened(least, most, options), options);
  const share = (value: number) => (value / 2 - low / 2) / (high / 2 - low / 2);
  return { low, high, isLogarithmic: false, ...marksOf(low, high, options), shareOf: share };
}

/** Values that differ, also where all are the same or there are none. */
function widened(least: number, most: number, { hasZero }: AxisOptions): [number, number] {
  if (least > most) return [0, 1];
  const [low, high] = hasZero ? [Math.min(0, least), Math.max(0, most)] : [least, most];
  const size = Math.max(Math.abs(low), Math.abs(high));
  // As close as that, the marks would have no digits to differ in.
  if (high / 2 - low / 2 > Math.max(size * 1e-13, 1e-300)) return [low, high];
  const half = size < 1e-300 ? 1 : size / 10;
  return hasZero && low === 0 && high === 0 ? [0, 1] : [clamped(low - half), clamped(high + half)];
}

function padded(low: number, high: number, { margin, hasZero }: AxisOptions): [number, number] {
  const room = (high / 2 - low / 2) * 2 * margin;
  const space = Number.isFinite(room) ? room : Number.MAX_VALUE * margin;
  return [hasZero && low === 0 ? 0 : clamped(low - space), hasZero && high === 0 ? 0 : clamped(high + space)];
}

const clamped = (value: number): number => Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, value));

/** 1, 2 or 5 times a power of ten, at least `distance` but for rounding. */
export function niceStep(distance: number): number {
  const power = 10 ** Math.floor(Math.log10(distance));
  const times = distance / power;
  return power * (times <= 1.0001 ? 1 : times <= 2.0001 ? 2 : times <= 5.0001 ? 5 : 10);
}

function marksOf(low: number, high: number, { marks, isWhole }: AxisOptions): Pick<Axis, "ticks" | "offset"> {
  const half = high / 2 - low / 2;
  const step = Math.max(niceStep((half / marks) * 2), isWhole ? 1 : 0);
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const places = Array.from({ length: Math.max(0, Math.min(100, last - first + 1)) }, (_, at) => first + at);
  // So far from zero for its length that all marks would begin with the same digits.
  const isFar = size / step > 1e6;
  const origin = isFar ? 10 * Math.round(places[Math.floor(places.length / 2)]! / 10) : 0;
  const write = notation(isFar ? (last - first) * step : size, step);
  return {
    ticks: places.map((place) => ({ value: place * step, text: write((place - origin) * step) })),
    offset: isFar ? `+ ${exact(origin * step)}` : "",
  };
}

/** How numbers up to `size` are written that are multiples of `step`. */
function notation(size: number, step: number): (value: number) => string {
  if (size >= 1e7 || size < 1e-4) {
    const power = Math.floor(Math.log10(size) + 1e-9);
    const decimals = Math.max(0, power - Math.floor(Math.log10(step) + 1e-9));
    return (value) => {
      // In two steps: the power itself may be too small, or too great, for a number.
      const digits = value / 10 ** Math.ceil(power / 2) / 10 ** Math.floor(power / 2);
      return value === 0 ? "0" : `${signed(digits.toFixed(decimals))}×10${superscript(power)}`;
    };
  }
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return (value) =>
    signed(value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }));
}

/** A true minus sign, and none before zero. */
const signed = (text: string): string => (/^-[0.,]*$/.test(text) ? text.slice(1) : text.replace("-", "−"));

const superscript = (power: number): string =>
  [...String(power)].map((digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]!)).join("");

function exact(value: number): string {
  return Math.abs(value) < 1e15
    ? signed(value.toLocaleString("en-US", { maximumSignificantDigits: 15 }))
    : signed(String(Number(value.toPrecision(15))));
}

/** A value in about so many digits, for people. */
export function shortNumber(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return signed(value.toExponential(digits - 1).replace("e+", "e"));
  return signed(value.toLocaleString("en-US", { maximumSignificantDigits: Math.max(digits, size >= 1 ? 1 : 0) }));
}

function logarithmic(least: number, most: number, { range, margin, marks }: AxisOptions): Axis {
  const [low, high] = range ?? paddedPowers(least, most, margin);
  const [from, to] = [Math.log10(low), Math.log10(high)];
  return {
    low,
    high,
    isLogarithmic: true,
    ticks: powersBetween(from, to, marks),
    offset: "",
    shareOf: (value) => (value > 0 ? (Math.log10(value) - from) / (to - from) : NaN),
  };
}

function paddedPowers(least: number, most: number, margin: number): [number, number] {
  if (least > most) return [0.1, 1];
  const [from, to] = [Math.log10(least), Math.log10(most)];
  const room = to - from < 0.01 ? 0.5 : (to - from) * margin;
  return [Math.max(Number.MIN_VALUE, 10 ** (from - room)), Math.min(Number.MAX_VALUE, 10 ** (to + room))];
}

/** Powers of ten, with 2 and 5 times each, or all multiples, where there is room; even steps within one power. */
function powersBetween(from: number, to: number, marks: number): Tick[] {
  if (to - from < 0.7) {
    const [low, high] = [10 ** from, 10 ** to];
    const whole: AxisOptions = {
      marks,
      isLogarithmic: false,
      range: [low, high],
      margin: 0,
      hasZero: false,
      isWhole: false,
    };
    return [...marksOf(low, high, whole).ticks];
  }
  const between = (times: readonly number[], every: number) => {
    const found: number[] = [];
    for (let power = Math.floor(from); power <= Math.ceil(to); power++)
      if (power % every === 0)
        for (const each of times) {
          const exponent = power + Math.log10(each);
          if (exponent >= from - 1e-9 && exponent <= to + 1e-9) found.push(each * 10 ** power);
        }
    return found;
  };
  const powers = to - from;
  const times = powers < 1.5 ? [1, 2, 3, 5] : powers < 3 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(powers / Math.max(2, marks)));
  return between(times, every).map((value) => {
    const power = Math.floor(Math.log10(value) + 1e-9);
    const isPlain = power >= -4 && power <= 5;
    const digits = Math.round(value / 10 ** power);
    return {
      value,
      text: isPlain
        ? value.toLocaleString("en-US", { maximumFractionDigits: Math.max(0, -power) })
        : `${digits === 1 ? "" : `${digits}×`}10${superscript(power)}`,
    };
  });
}
