// Pools as rows of the table: the largest element of each window, and the mean of its elements, with their gradients.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { sizeOf, stridesOf, type Shape } from "../../memory/shape.ts";
import { call, callAll } from "../core/calls.ts";
import type { Computation, Cost, Facts, Operand } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { alongRows } from "../index/along.ts";
import { KernelFamily, type LibraryArgument, type ParameterKind } from "../kernels/library.ts";
import { floatDType, floats } from "../rows/row-lines.ts";
import { withFlat } from "../shape/copy.ts";
import { channelsLastStrides, formatOf, hasChannelsLast, isChannelsLast, withFormat } from "./channels-last.ts";
import { imageAxes, planeBlocks, windowFacts, windowWords, type Windows } from "./windows.ts";

const facts = windowFacts("pooling");
const family = (name: string, kinds: readonly ParameterKind[]) => {
  const of = (file: string, kernel: string, isAdaptive: boolean, shape: ParameterKind[]) =>
    new KernelFamily(file, floats, (type) => `${kernel}<${type}, ${isAdaptive}>`, [...kinds, ...shape]);
  const ways = (file: string, kernel: string, shape: ParameterKind[]) => ({
    even: of(file, kernel, false, shape),
    adaptive: of(file, kernel, true, shape),
  });
  return {
    rows: ways("pooling", name, ["i64"]),
    last: ways("pooling_last", name.replace("_pool", "_pool_last"), ["i64", "i32", "i32"]),
  };
};
const kernels = {
  max: family("max_pool", ["place", "struct", "out", "out"]),
  maxGradient: family("max_pool_gradient", ["place", "place", "struct", "out"]),
  average: family("average_pool", ["place", "struct", "i32", "i32", "out"]),
  averageGradient: family("average_pool_gradient", ["place", "struct", "i32", "i32", "out"]),
} as const;

/**
 * `way`: windows a stride apart, or as many as `count` says, which cover each axis evenly. `name`: what messages call
 * the pool.
 */
export interface PoolAttributes extends Omit<Windows, "size"> {
  readonly name: string;
  readonly way: "even" | "adaptive";
}
/** `divisor`: what sums are divided by; 0 for their elements, of the padding too where `countsPadding`. */
export interface AverageAttributes extends PoolAttributes {
  readonly divisor: number;
  readonly countsPadding: boolean;
}

const cost = (inputs: readonly Operand[], outputs: readonly DeviceArray[]): Cost => ({
  bytes: bytesMoved(inputs) + bytesMoved(outputs),
  flops: Math.max(...outputs.map(({ size }) => size)),
});

function pooledShape(x: DeviceArray, { name, count }: PoolAttributes): Shape {
  const { images, channels } = imageAxes(name, x, count.length);
  return [images, channels, ...count];
}
const wordsOf = (attributes: PoolAttributes, size: Shape) => windowWords(facts(), { ...attributes, size });
const planesOf = ({ shape }: DeviceArray) => shape[0]! * shape[1]!;

/** Whether work goes along channels: where those of an array do, and those of `other` may. */
const goesLast = (array: DeviceArray, other: DeviceArray) =>
  (isChannelsLast(array) && hasChannelsLast(other)) || (isChannelsLast(other) && hasChannelsLast(array));

/** Runs a kernel over `places` of each channel of `out`, with `work` for each image and channel. */
function launch(
  on: Execution,
  { rows, last }: ReturnType<typeof family>,
  way: PoolAttributes["way"],
  isLast: boolean,
  out: DeviceArray,
  places: number,
  work: number,
  args: readonly LibraryArgument[],
): void {
  const { dtype } = out;
  const [images, channels] = out.shape as [number, number, ...number[]];
  if (!isLast) {
    const planes = images * channels;
    return rows[way].launch(on, dtype, planeBlocks(on, planes, places, work), [...args, planes]);
  }
  const wide = besideEachOther(dtype, channels, args);
  const blocks = planeBlocks(on, images * places, channels / wide, Math.ceil((work / places) * channels));
  last[way].launch(on, dtype, blocks, [...args, images, channels, wide]);
}

/** How many channels a thread takes: as many as 16 bytes have, where those of all arrays begin so, half of them, or 1. */
function besideEachOther(dtype: DType, channels: number, args: readonly LibraryArgument[]): number {
  const { bytes } = factsOf(dtype);
  const arrays = args.filter((each) => each instanceof DeviceArray && each.dtype === dtype) as DeviceArray[];
  const fits = (wide: number) => channels % wide === 0 && arrays.every(({ place }) => place % (wide * bytes) === 0);
  return [16 / bytes, 8 / bytes].find((wide) => wide > 1 && fits(wide)) ?? 1;
}

/** Outputs the largest elements and, where they are kept, their places in their planes. */
const maxPool: Computation<[x: DeviceArray], PoolAttributes & { readonly keepsPlaces: boolean }> = {
  inPlace: false,
  infer([x], attributes) {
    const shape = pooledShape(x, attributes);
    const largest: Facts = { shape, dtype: floatDType(attributes.name, x), ...formatOf(x, shape) };
    return attributes.keepsPlaces ? [largest, { ...largest, dtype: "int64" }] : [largest];
  },
  run([y, places], [x], attributes, on) {
    const windows = sizeOf(attributes.count);
    const isLast = goesLast(x, y!);
    withFormat(on, x, y!.dtype, isLast, (input) =>
      launch(on, kernels.max, attributes.way, isLast, y!, windows, windows * sizeOf(attributes.kernel), [
        input,
        wordsOf(attributes, x.shape.slice(2)),
        y!,
        places ?? null,
      ]),
    );
  },
  gradient([g], { inputs: [x], outputs: [, places], attributes: { keepsPlaces: _, ...attributes } }): [DeviceArray] {
    const found = places ?? callAll("maxPool", [x], { ...attributes, keepsPlaces: true })[1]!;
    return [call("maxPoolGradient", [g!, found], { ...attributes, ...sizedAs(x) })];
  },
  cost,
};

/** The image that a gradient is of: its size, and whether its channels are last. */
export interface Sized {
  readonly size: Shape;
  readonly isLast: boolean;
}
const sizedAs = (x: DeviceArray): Sized => ({ size: x.shape.slice(2), isLast: isChannelsLast(x) });
function factsOfGradient(g: DeviceArray, dtype: DType, { size, isLast }: Sized): Facts {
  const shape = [...g.shape.slice(0, 2), ...size];
  return { shape, dtype, ...(isLast ? { strides: channelsLastStrides(shape) } : {}) };
}

const maxPoolGradient: Computation<[g: DeviceArray, places: DeviceArray], PoolAttributes & Sized> = {
  inPlace: false,
  infer: ([g], attributes) => [factsOfGradient(g, g.dtype, attributes)],
  run([out], [g, places], { size, isLast: _, ...attributes }, on) {
    const work = sizeOf(size) + sizeOf(attributes.count);
    const isLast = isChannelsLast(out!);
    withFormat(on, g, g.dtype, isLast, (above) =>
      withFormat(on, places, "int64", isLast, (at) =>
        launch(on, kernels.maxGradient, attributes.way, isLast, out!, sizeOf(size), work, [
          above,
          at,
          wordsOf(attributes, size),
          out!,
        ]),
      ),
    );
  },
  gradient: ([h], { inputs: [, places], attributes: { size: _, isLast: __, ...attributes } }): [DeviceArray, null] => [
    call("takePooled", [h!, places], attributes),
    null,
  ],
  cost,
};

/** The elements at the places that a pool kept. */
const takePooled: Computation<[x: DeviceArray, places: DeviceArray], PoolAttributes> = {
  inPlace: false,
  infer: ([x, places]) => [{ shape: places.shape, dtype: x.dtype }],
  run([out], [x, places], _, on) {
    const flat = (array: DeviceArray) => {
      const shape = [planesOf(array), array.size / planesOf(array)];
      return viewOf(array, { shape, strides: stridesOf(shape), offset: array.offset });
    };
    withFlat(on, x, x.dtype, (source) =>
      withFlat(on, places, "int64", (at) => {
        using to = flat(out!);
        using from = flat(source);
        using indices = flat(at);
        alongRows.takeAlong.run([to], [from, indices], { axis: 1 }, on);
      }),
    );
  },
  gradient: ([g], { inputs: [x, places], attributes }): [DeviceArray, null] => [
    call("maxPoolGradient", [g!, places], { ...attributes, ...sizedAs(x) }),
    null,
  ],
  cost,
};

const averagePool: Computation<[x: DeviceArray], AverageAttributes> = {
  inPlace: false,
  infer([x], attributes) {
    const shape = pooledShape(x, attributes);
    return [{ shape, dtype: floatDType(attributes.name, x), ...formatOf(x, shape) }];
  },
  run([y], [x], attributes, on) {
    const windows = sizeOf(attributes.count);
    const isLast = goesLast(x, y!);
    withFormat(on, x, y!.dtype, isLast, (input) =>
      launch(on, kernels.average, attributes.way, isLast, y!, windows, windows * sizeOf(attributes.kernel), [
        input,
        wordsOf(attributes, x.shape.slice(2)),
        attributes.divisor,
        Number(attributes.countsPadding),
        y!,
      ]),
    );
  },
  gradient: ([g], { inputs: [x], attributes }): [DeviceArray] => [
    call("averagePoolGradient", [g!], { ...attributes, ...sizedAs(x) }),
  ],
  cost,
};

const averagePoolGradient: Computation<[g: DeviceArray], AverageAttributes & Sized> = {
  inPlace: false,
  infer: ([g], attributes) => [factsOfGradient(g, floatDType(attributes.name, g), attributes)],
  run([out], [g], { size, isLast: _, ...attributes }, on) {
    const work = sizeOf(size) + sizeOf(attributes.count) * sizeOf(attributes.kernel);
    const isLast = isChannelsLast(out!);
    withFormat(on, g, out!.dtype, isLast, (above) =>
      launch(on, kernels.averageGradient, attributes.way, isLast, out!, sizeOf(size), work, [
        above,
        wordsOf(attributes, size),
        attributes.divisor,
        Number(attributes.countsPadding),
        out!,
      ]),
    );
  },
  gradient: ([h], { attributes: { size: _, isLast: __, ...attributes } }): [DeviceArray] => [
    call("averagePool", [h!], attributes),
  ],
  cost,
};

export const poolingRows = { maxPool, maxPoolGradient, takePooled, averagePool, averagePoolGradient } as const;
