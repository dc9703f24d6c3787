// Convolutions and windows in float64, element by element, as tests compare devices with.
import { indicesOf, sizeOf, type Wanted } from "./samples.ts";

export interface Sliding {
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
}

export const countOf = (size: readonly number[], kernel: readonly number[], { stride, padding, dilation }: Sliding) =>
  size.map((each, axis) =>
    Math.floor((each + 2 * padding[axis]! - dilation[axis]! * (kernel[axis]! - 1) - 1) / stride[axis]! + 1),
  );

const placeIn = (shape: readonly number[], index: readonly number[]) =>
  index.reduce((place, at, axis) => place * shape[axis]! + at, 0);

/** Where the element `tap` of a window lies; `null` where that is outside. */
function elementOf(size: readonly number[], window: readonly number[], tap: readonly number[], sliding: Sliding) {
  const { stride, padding, dilation } = sliding;
  const at = window.map((each, axis) => each * stride[axis]! - padding[axis]! + tap[axis]! * dilation[axis]!);
  return at.every((each, axis) => each >= 0 && each < size[axis]!) ? at : null;
}

/** The elements of each window, in order, with their taps: places in a plane. */
export function windowsOf(size: readonly number[], kernel: readonly number[], sliding: Sliding) {
  const taps = indicesOf(kernel);
  return indicesOf(countOf(size, kernel, sliding)).map((window) =>
    taps.flatMap((tap, number) => {
      const at = elementOf(size, window, tap, sliding);
      return at === null ? [] : [{ tap: number, element: placeIn(size, at) }];
    }),
  );
}

export interface Convolved {
  readonly x: readonly number[];
  readonly w: readonly number[];
}

/** Calls use(place in y, place in x, place in w) for each product of a convolution. */
function eachProduct(
  x: readonly number[],
  w: readonly number[],
  groups: number,
  sliding: Sliding,
  use: (y: number, x: number, w: number) => void,
): void {
  const [images, channels, ...size] = x as [number, number, ...number[]];
  const [outputs, depth, ...kernel] = w as [number, number, ...number[]];
  const windows = windowsOf(size, kernel, sliding);
  const [elements, taps] = [sizeOf(size), sizeOf(kernel)];
  for (let image = 0; image < images; image++)
    for (let output = 0; output < outputs; output++) {
      const first = Math.floor(output / (outputs / groups)) * depth;
      windows.forEach((window, at) => {
        for (let channel = 0; channel < depth; channel++)
          for (const { tap, element } of window)
            use(
              (image * outputs + output) * windows.length + at,
              (image * channels + first + channel) * elements + element,
              (output * depth + channel) * taps + tap,
            );
      });
    }
}

/** The sums of products that make each of the three, and of their magnitudes. */
export function convolved(
  which: "y" | "x" | "w",
  shapes: Readonly<Record<"x" | "w" | "y", readonly number[]>>,
  values: Readonly<Partial<Record<"x" | "w" | "y", readonly number[]>>>,
  groups: number,
  sliding: Sliding,
): Wanted[] {
  const sums = Array.from({ length: sizeOf(shapes[which]) }, () => [0, 0] as [number, number]);
  eachProduct(shapes.x, shapes.w, groups, sliding, (y, x, w) => {
    const at = { y, x, w };
    const product = (["x", "w", "y"] as const)
      .filter((each) => each !== which)
      .reduce((all, each) => all * values[each]![at[each]]!, 1);
    const sum = sums[at[which]]!;
    sum[0] += product;
    sum[1] += Math.abs(product);
  });
  return sums;
}
