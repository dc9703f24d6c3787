// Elements of a float dtype beside a number: which are within bounds that may lie between them.
import { factsOf, type DType } from "./dtype.ts";

const bits = new BigUint64Array(1);

function elementOf(dtype: DType, pattern: bigint): number {
  const { array, decode } = factsOf(dtype);
  bits[0] = pattern;
  return Number(decode(new array(bits.buffer, 0, 1)[0]!));
}

/** The element next to one, upwards or downwards. */
function nextTo(dtype: DType, element: number, direction: 1 | -1): number {
  if (element === 0) return direction * elementOf(dtype, 1n);
  const away = element > 0 === direction > 0;
  return elementOf(dtype, factsOf(dtype).encode(element) + (away ? 1n : -1n));
}

/** The element nearest to a number: infinite beyond the range of the dtype. */
export function nearestElement(dtype: DType, value: number): number {
  return elementOf(dtype, factsOf(dtype).encode(value));
}

/** The least and the largest element of [low, high); the first is larger where there is none. */
export function elementsWithin(dtype: DType, low: number, high: number): readonly [first: number, last: number] {
  const [first, last] = [nearestElement(dtype, low), nearestElement(dtype, high)];
  return [first < low ? nextTo(dtype, first, 1) : first, last >= high ? nextTo(dtype, last, -1) : last];
}
