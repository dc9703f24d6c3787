// Writes a number of bytes in the largest unit that has a whole one, as lists of the kernel have it.
const units = ["B", "KiB", "MiB", "GiB", "TiB"];

export function bytesText(bytes: number): string {
  const unit = Math.min(units.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${unit === 0 ? bytes : (bytes / 1024 ** unit).toFixed(1)} ${units[unit]}`;
}
