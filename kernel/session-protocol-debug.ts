// The path by which the debugger of a front end knows a cell: made of a hash of its text, which the front end, the
// supervisor and the session each work out for themselves.

export const cellPaths = {
  /** JupyterLab shows a path that contains "ipykernel_" as "Cell [3]", and any other as it is. */
  prefix: "/warpcell/ipykernel_",
  suffix: ".ts",
  method: "Murmur2",
  seed: 0x9747b28c,
} as const;

export function cellPath(code: string): string {
  return `${cellPaths.prefix}${murmur2(Buffer.from(code), cellPaths.seed)}${cellPaths.suffix}`;
}

export const isCellPath = (path: string): boolean => path.startsWith(cellPaths.prefix);

/** MurmurHash2 of Austin Appleby, of 32 bits. */
function murmur2(bytes: Buffer, seed: number): number {
  const factor = 0x5bd1e995;
  const whole = bytes.length & ~3;
  let hash = seed ^ bytes.length;
  for (let at = 0; at < whole; at += 4) {
    const mixed = Math.imul(bytes.readInt32LE(at), factor);
    hash = Math.imul(hash, factor) ^ Math.imul(mixed ^ (mixed >>> 24), factor);
  }
  for (let at = whole; at < bytes.length; at++) hash ^= bytes[at]! << (8 * (at - whole));
  if (whole < bytes.length) hash = Math.imul(hash, factor);
  hash = Math.imul(hash ^ (hash >>> 13), factor);
  return (hash ^ (hash >>> 15)) >>> 0;
}
