// Numbers as people read them: durations, sizes, rates.

/** At most four digits. */
export function digits(value: number): string {
  const size = Math.abs(value);
  return size >= 1000
    ? value.toFixed(0)
    : size >= 100
      ? value.toFixed(0)
      : size >= 10
        ? value.toFixed(1)
        : value.toFixed(2);
}

function scaled(value: number, steps: readonly (readonly [number, string])[]): string {
  const [unit, name] = steps.find(([size]) => Math.abs(value) >= size) ?? steps.at(-1)!;
  return `${digits(value / unit)} ${name}`;
}

/** Of nanoseconds. */
export function duration(nanoseconds: number): string {
  return nanoseconds === 0
    ? "0 s"
    : scaled(nanoseconds, [
        [1e9, "s"],
        [1e6, "ms"],
        [1e3, "µs"],
        [1, "ns"],
      ]);
}

export function sizeText(bytes: number): string {
  return bytes < 1024
    ? `${bytes} bytes`
    : scaled(bytes, [
        [2 ** 40, "TiB"],
        [2 ** 30, "GiB"],
        [2 ** 20, "MiB"],
        [2 ** 10, "KiB"],
      ]);
}

/** Bytes, or operations, in a second. */
export function rateText(perSecond: number, unit: "B" | "FLOP"): string {
  return scaled(perSecond, [
    [1e12, `T${unit}/s`],
    [1e9, `G${unit}/s`],
    [1e6, `M${unit}/s`],
    [1, `${unit}/s`],
  ]);
}

export function percent(part: number): string {
  return `${digits(100 * part)} %`;
}

export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** "1 gap", "1,200 gaps". */
export function counted(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : noun.endsWith("ch") ? "es" : "s"}`;
}

/** `[0, 0, 0]`, of a vendor's library, is nothing, `[64, 1, 1]` is 64, `[8, 4, 1]` is 8 × 4. */
export function shapeText(sizes: readonly number[]): string {
  if (sizes[0] === 0) return "";
  const shown = [...sizes];
  while (shown.length > 1 && shown.at(-1) === 1) shown.pop();
  return shown.join(" × ");
}
