// Columns of numbers that grow together, so that noting something costs no object.

export type Column = Float64Array | Float32Array | Uint8Array | Uint16Array | Uint32Array | Int32Array;

export const firstCapacity = 1024;

/** A column of twice the length with the same numbers. */
export function doubled<T extends Column>(column: T): T {
  const larger = new (column.constructor as new (length: number) => T)(2 * column.length);
  larger.set(column);
  return larger;
}
