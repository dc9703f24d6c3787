// What a progress line says: what is done, a bar, amounts, the rate, the time that is left, and values.
import { sizeText } from "./figures.ts";

/** What is counted. `total`: `null` where nobody knows. `none`: nothing is, only time passes. */
export interface Amounts {
  readonly total: number | null;
  readonly unit: "items" | "bytes" | "none";
}

/** How far it is. */
export interface Progress extends Amounts {
  /** What it is, before all else; empty where the loop says it. */
  readonly what: string;
  readonly done: number;
  readonly seconds: number;
  readonly isOver: boolean;
  readonly values: readonly (readonly [name: string, value: string])[];
}

const partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** "1:02:03", "2:03", or "0:03". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** "123/s", "1.23/s", or, of what takes long, "12.3 s each". */
export function rate(done: number, seconds: number): string {
  if (done === 0 || seconds === 0) return "";
  const each = done / seconds;
  const digits = (value: number) => (value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0));
  return each >= 1 ? `${digits(each)}/s` : `${digits(1 / each)} s each`;
}

/** A bar of so many columns of which a share is filled. */
export function bar(share: number, columns: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * columns * 8);
  const filled = "█".repeat(Math.floor(eighths / 8)) + partial[eighths % 8]!;
  return filled.padEnd(columns);
}

/** A value as it is shown: numbers with five digits. */
export function valueText(value: unknown): string {
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(5)));
}

/** How amounts of a unit, and so many of them in so many seconds, are written. */
const written: Record<Progress["unit"], { amount(value: number): string; rate: typeof rate }> = {
  items: { amount: String, rate },
  bytes: {
    amount: sizeText,
    rate: (done, seconds) => (done === 0 || seconds === 0 ? "" : `${sizeText(Math.round(done / seconds))}/s`),
  },
  none: { amount: () => "", rate: () => "" },
};

/** The line, no longer than `columns`. */
export function progressLine({ what, unit, done, total, seconds, isOver, values }: Progress, columns: number): string {
  const { amount, rate } = written[unit];
  const time =
    isOver || total === null || done === 0 ? duration(seconds) : `${duration((seconds / done) * (total - done))} left`;
  const shown = values.map(([name, value]) => `${name} ${value}`);
  const facts = [
    total === null ? amount(done) : `${amount(done)}/${amount(total)}`,
    rate(done, seconds),
    time,
    ...shown,
  ]
    .filter((part) => part !== "")
    .join(" · ");
  const start = what === "" ? "" : `${what} · `;
  if (total === null) return cut(start + facts, columns);
  const share = total === 0 ? 1 : done / total;
  const percent = `${Math.floor(100 * share)}%`.padStart(4);
  const room = Math.min(30, columns - start.length - percent.length - facts.length - 4);
  const bars = room < 5 ? "" : ` │${bar(share, room)}│`;
  return cut(`${start}${start === "" ? percent : percent.trimStart()}${bars} ${facts}`, columns);
}

function cut(line: string, columns: number): string {
  const letters = [...line];
  return letters.length <= columns ? line : `${letters.slice(0, Math.max(0, columns - 1)).join("")}…`;
}
