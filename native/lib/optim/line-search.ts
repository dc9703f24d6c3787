// A length along a direction at which a loss falls by enough, and its slope with it: the strong conditions of Wolfe.
import type { Tensor } from "../tensor/tensor.ts";

/** A loss, and its gradient. */
export interface Evaluated {
  readonly loss: number;
  readonly gradient: Tensor;
}
interface Point extends Evaluated {
  readonly length: number;
  /** Of the loss along the direction. */
  readonly slope: number;
}

const enough = 1e-4;
const flat = 0.9;
const most = 25;

/**
 * The least of the cubic through two points and their slopes, within bounds (Nocedal and Wright, Numerical
 * Optimization, equation 3.59); the middle where it has none.
 */
function cubicLeast(a: Point, b: Point, bounds?: readonly [number, number]): number {
  const [low, high] = bounds ?? (a.length <= b.length ? [a.length, b.length] : [b.length, a.length]);
  const bend = a.slope + b.slope - (3 * (a.loss - b.loss)) / (a.length - b.length);
  const square = bend ** 2 - a.slope * b.slope;
  if (!(square >= 0)) return (low + high) / 2;
  const root = Math.sqrt(square);
  const found =
    a.length <= b.length
      ? b.length - (b.length - a.length) * ((b.slope + root - bend) / (b.slope - a.slope + 2 * root))
      : a.length - (a.length - b.length) * ((a.slope + root - bend) / (a.slope - b.slope + 2 * root));
  return Math.min(Math.max(found, low), high);
}

/**
 * Looks for a length from `first` on: grows until a good one lies between two, then narrows these down (Nocedal and
 * Wright, algorithms 3.5 and 3.6, with the safeguards of PyTorch's). `evaluations`: how often it asked.
 */
export function strongWolfe(
  evaluate: (length: number) => Evaluated,
  first: number,
  start: Evaluated,
  slope: number,
  direction: Tensor,
  toleranceChange: number,
): Evaluated & { readonly length: number; readonly evaluations: number } {
  const reach = Number(direction.abs().max().item());
  let evaluations = 0;
  const at = (length: number): Point => {
    evaluations += 1;
    const found = evaluate(length);
    return { ...found, length, slope: Number(found.gradient.mul(direction).sum().item()) };
  };
  const falls = (point: Point) => point.loss <= start.loss + enough * point.length * slope;
  const isFlat = (point: Point) => Math.abs(point.slope) <= -flat * slope;

  let before: Point = { ...start, length: 0, slope };
  let now = at(first);
  let bracket: [Point] | [Point, Point] | null = null;
  let round = 0;
  for (; round < most; round++) {
    if (!falls(now) || (round > 1 && now.loss >= before.loss)) bracket = [before, now];
    else if (isFlat(now)) bracket = [now];
    else if (now.slope >= 0) bracket = [before, now];
    if (bracket !== null) break;
    const bounds = [now.length + 0.01 * (now.length - before.length), now.length * 10] as const;
    const next = cubicLeast(before, now, bounds);
    before = now;
    now = at(next);
  }
  bracket ??= [{ ...start, length: 0, slope }, now];
  if (bracket.length === 1) return { ...bracket[0], evaluations };

  let [low, high] = bracket[0].loss <= bracket[1].loss ? bracket : [bracket[1], bracket[0]];
  let isStuck = false;
  for (; round < most; round++) {
    const width = Math.abs(high.length - low.length);
    if (width * reach < toleranceChange) break;
    let length = cubicLeast(low, high);
    const [least, largest] = [Math.min(low.length, high.length), Math.max(low.length, high.length)];
    const margin = 0.1 * (largest - least);
    if (Math.min(largest - length, length - least) < margin) {
      // Twice near an end, or beyond it: a tenth away from it.
      if (isStuck || length >= largest || length <= least) {
        length = Math.abs(length - largest) < Math.abs(length - least) ? largest - margin : least + margin;
        isStuck = false;
      } else isStuck = true;
    } else isStuck = false;
    const point = at(length);
    if (!falls(point) || point.loss >= low.loss) {
      high = point;
      if (low.loss > high.loss) [low, high] = [high, low];
      continue;
    }
    if (isFlat(point)) {
      low = point;
      break;
    }
    if (point.slope * (high.length - low.length) >= 0) high = low;
    low = point;
  }
  return { ...low, evaluations };
}
