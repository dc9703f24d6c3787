// Turns nanoseconds and amounts per second into the short text that people read.

const timeUnits: readonly (readonly [size: number, name: string])[] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** Three digits, or all before the point: `3.21`, `32.1`, `321`, `4321`. */
const inDigits = (amount: number): string => {
  const size = Math.abs(amount);
  if (size >= 99.95) return String(Math.round(amount));
  return String(Number(amount.toPrecision(3)));
};

/** A length of time: `0 ns`, `850 ns`, `3.21 µs`, `32.1 ms`, `1.5 s`. */
export function formatTime(nanoseconds: number): string {
  if (nanoseconds === 0) return "0 ns";
  const [size, name] = timeUnits.find(([unit]) => Math.abs(nanoseconds) >= unit * 0.9995) ?? timeUnits.at(-1)!;
  return `${inDigits(nanoseconds / size)} ${name}`;
}

/** A point in time to `step` nanoseconds, in the unit that suits times up to `reach`: `1204.5 µs`. Points of the same step and reach have the same unit. */
export function formatPoint(nanoseconds: number, step: number, reach = Math.abs(nanoseconds)): string {
  const [size, name] = timeUnits.find(([unit]) => Math.max(reach, step) >= unit && step >= unit / 1e4) ?? timeUnits.at(-1)!;
  const decimals = Math.min(6, Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9)));
  return nanoseconds === 0 ? "0" : `${(nanoseconds / size).toFixed(decimals)} ${name}`;
}

/** Amount per second in steps of a thousand: `812 GB/s`, `1.21 TFLOP/s`. */
export function formatRate(perSecond: number, unit: string): string {
  const prefixes = ["", "k", "M", "G", "T", "P", "E"];
  let step = 0;
  let amount = perSecond;
  while (Math.abs(amount) >= 999.5 && step < prefixes.length - 1) {
    amount /= 1000;
    step++;
  }
  return `${inDigits(amount)} ${prefixes[step]}${unit}`;
}

/** 0 … 1 as a percentage that tells little from nothing: `0 %`, `0.4 %`, `37 %`. */
export function formatPart(share: number): string {
  const percent = share * 100;
  return `${percent > 0 && percent < 9.95 ? Number(percent.toPrecision(2)) : Math.round(percent)} %`;
}
