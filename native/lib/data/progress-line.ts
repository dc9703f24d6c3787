// What a progress line says: a bar, counts, the rate, the time that is left, and values.

/** How far it is. `total`: `null` where nobody knows. */
export interface Progress {
  readonly done: number;
  readonly total: number | null;
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

/** The line, no longer than `columns`. */
export function progressLine({ done, total, seconds, isOver, values }: Progress, columns: number): string {
  const time =
    isOver || total === null || done === 0 ? duration(seconds) : `${duration((seconds / done) * (total - done))} left`;
  const shown = values.map(([name, value]) => `${name} ${value}`);
  const facts = [total === null ? String(done) : `${done}/${total}`, rate(done, seconds), time, ...shown]
    .filter((part) => part !== "")
    .join(" · ");
  if (total === null) return cut(facts, columns);
  const share = total === 0 ? 1 : done / total;
  const percent = `${Math.floor(100 * share)}%`.padStart(4);
  const room = Math.min(30, columns - percent.length - facts.length - 4);
  return cut(room < 5 ? `${percent} ${facts}` : `${percent} │${bar(share, room)}│ ${facts}`, columns);
}

function cut(line: string, columns: number): string {
  const letters = [...line];
  return letters.length <= columns ? line : `${letters.slice(0, Math.max(0, columns - 1)).join("")}…`;
}
