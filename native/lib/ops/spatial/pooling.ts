// Pools as rows of the table: the largest element of each window, and the mean of its elements, with their gradients.
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { sizeOf, stridesOf, type Shape } from "../../memory/shape.ts";
import { call, callAll } from "../core/calls.ts";
import type { Computation, Cost, Operand } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { alongRows } from "../index/along.ts";
import { KernelFamily, type ParameterKind } from "../kernels/library.ts";
import { floatDType, floats } from "../rows/row-lines.ts";
import { withFlat } from "../shape/copy.ts";
import { imageAxes, planeBlocks, windowFacts, windowWords, type Windows } from "./windows.ts";

const facts = windowFacts("pooling");
const family = (name: string, kinds: readonly ParameterKind[]) => ({
  even: new KernelFamily("pooling", floats, (type) => `${name}<${type}, false>`, kinds),
  adaptive: new KernelFamily("pooling", floats, (type) => `${name}<${type}, true>`, kinds),
});
const kernels = {
  max: family("max_pool", ["place", "struct", "out", "out", "i64"]),
  maxGradient: family("max_pool_gradient", ["place", "place", "struct", "out", "i64"]),
  average: family("average_pool", ["place", "struct", "i32", "i32", "out", "i64"]),
  averageGradient: family("average_pool_gradient", ["place", "struct", "i32", "i32", "out", "i64"]),
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

/** Outputs the largest elements and, where they are kept, their places in their planes. */
const maxPool: Computation<[x: DeviceArray], PoolAttributes & { readonly keepsPlaces: boolean }> = {
  inPlace: false,
  infer([x], attributes) {
    const shape = pooledShape(x, attributes);
    const largest = { shape, dtype: floatDType(attributes.name, x) };
    return attributes.keepsPlaces ? [largest, { shape, dtype: "int64" }] : [largest];
  },
  run([y, places], [x], attributes, on) {
    const windows = sizeOf(attributes.count);
    const blocks = planeBlocks(on, planesOf(y!), windows, windows * sizeOf(attributes.kernel));
    withFlat(on, x, y!.dtype, (input) =>
      kernels.max[attributes.way].launch(on, y!.dtype, blocks, [
        input,
        wordsOf(attributes, x.shape.slice(2)),
        y!,
        places ?? null,
        planesOf(y!),
      ]),
    );
  },
  gradient([g], { inputs: [x], outputs: [, places], attributes: { keepsPlaces: _, ...attributes } }): [DeviceArray] {
    const found = places ?? callAll("maxPool", [x], { ...attributes, keepsPlaces: true })[1]!;
    return [call("maxPoolGradient", [g!, found], { ...attributes, size: x.shape.slice(2) })];
  },
  cost,
};

export interface Sized {
  readonly size: Shape;
}

const maxPoolGradient: Computation<[g: DeviceArray, places: DeviceArray], PoolAttributes & Sized> = {
  inPlace: false,
  infer: ([g], { size }) => [{ shape: [...g.shape.slice(0, 2), ...size], dtype: g.dtype }],
  run([out], [g, places], { size, ...attributes }, on) {
    const work = sizeOf(size) + sizeOf(attributes.count);
    withFlat(on, g, g.dtype, (above) =>
      withFlat(on, places, "int64", (at) =>
        kernels.maxGradient[attributes.way].launch(on, g.dtype, planeBlocks(on, planesOf(g), sizeOf(size), work), [
          above,
          at,
          wordsOf(attributes, size),
          out!,
          planesOf(g),
        ]),
      ),
    );
  },
  gradient: ([h], { inputs: [, places], attributes: { size: _, ...attributes } }): [DeviceArray, null] => [
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
    call("maxPoolGradient", [g!, places], { ...attributes, size: x.shape.slice(2) }),
    null,
  ],
  cost,
};

const averagePool: Computation<[x: DeviceArray], AverageAttributes> = {
  inPlace: false,
  infer: ([x], attributes) => [{ shape: pooledShape(x, attributes), dtype: floatDType(attributes.name, x) }],
  run([y], [x], attributes, on) {
    const windows = sizeOf(attributes.count);
    const blocks = planeBlocks(on, planesOf(y!), windows, windows * sizeOf(attributes.kernel));
    withFlat(on, x, y!.dtype, (input) =>
      kernels.average[attributes.way].launch(on, y!.dtype, blocks, [
        input,
        wordsOf(attributes, x.shape.slice(2)),
        attributes.divisor,
        Number(attributes.countsPadding),
        y!,
        planesOf(y!),
      ]),
    );
  },
  gradient: ([g], { inputs: [x], attributes }): [DeviceArray] => [
    call("averagePoolGradient", [g!], { ...attributes, size: x.shape.slice(2) }),
  ],
  cost,
};

const averagePoolGradient: Computation<[g: DeviceArray], AverageAttributes & Sized> = {
  inPlace: false,
  infer: ([g], { name, size }) => [{ shape: [...g.shape.slice(0, 2), ...size], dtype: floatDType(name, g) }],
  run([out], [g], { size, ...attributes }, on) {
    const work = sizeOf(size) + sizeOf(attributes.count) * sizeOf(attributes.kernel);
    withFlat(on, g, out!.dtype, (above) =>
      kernels.averageGradient[attributes.way].launch(on, out!.dtype, planeBlocks(on, planesOf(g), sizeOf(size), work), [
        above,
        wordsOf(attributes, size),
        attributes.divisor,
        Number(attributes.countsPadding),
        out!,
        planesOf(g),
      ]),
    );
  },
  gradient: ([h], { attributes: { size: _, ...attributes } }): [DeviceArray] => [call("averagePool", [h!], attributes)],
  cost,
};

export const poolingRows = { maxPool, maxPoolGradient, takePooled, averagePool, averagePoolGradient } as const;
