// The kernels of batch normalisation: for images in rows and with channels last, and, of few elements of a channel, all
// of it by one block.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { onDevice, serialElements, threadsOf, type Blocks } from "../kernels/blocks.ts";
import { kernelFacts, kernelFactsByDType } from "../kernels/kernel-facts.ts";
import { KernelFamily, type ParameterKind } from "../kernels/library.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { floats } from "../rows/row-lines.ts";
import { withFlat } from "../shape/copy.ts";
import { isChannelsLast, withFormat } from "./channels-last.ts";

const facts = kernelFacts("channels", { threads: "kChannelThreads", mostThreads: "kMostThreads" });
const held = kernelFactsByDType("channels", floats, (type) => ({ one: `kHeld<${type}>`, two: `kHeldOfTwo<${type}>` }));
const lastFacts = kernelFacts("channels_last", { threads: "kLastThreads", joined: "kJoinedChannels" });
const widths = kernelFactsByDType("channels_last", floats, (type) => ({
  least: `kLastWidth<${type}>`,
  most: `kMostChannels<${type}>`,
}));

const family = (file: string, name: string, kinds: readonly ParameterKind[]) =>
  new KernelFamily(file, floats, (type) => `${name}<${type}>`, kinds);
const statistics: ParameterKind[] = ["place", "place"];
const shapeInRows: ParameterKind[] = ["i64", "i32", "i64"];
const shapeLast: ParameterKind[] = ["i64", "i32", "i32", "i32"];
const rows = {
  moments: family("channels", "channel_moments", ["place", "out", ...shapeInRows, "i32"]),
  normalize: family("channels", "normalize_channels", [
    "place",
    "place",
    "i32",
    ...statistics,
    "out",
    "out",
    "place",
    "place",
    "f64",
    "out",
    ...shapeInRows,
    "i32",
  ]),
  slopes: family("channels", "channel_slopes", ["place", "place", "place", "out", ...shapeInRows, "i32"]),
  gradient: family("channels", "normalize_channels_gradient", [
    "place",
    "place",
    ...statistics,
    "place",
    "place",
    "i32",
    "f64",
    "out",
    "out",
    "out",
    ...shapeInRows,
    "i32",
  ]),
  held: family("channels", "held_batch_norm", ["place", "out", "out", "place", "place", "f64", "out", ...shapeInRows]),
  heldGradient: family("channels", "held_batch_norm_gradient", [
    "place",
    "place",
    ...statistics,
    "place",
    "f64",
    "out",
    "out",
    "out",
    ...shapeInRows,
  ]),
} as const;
const last = {
  moments: family("channels_last", "last_moments", ["place", "out", ...shapeLast]),
  statistics: family("channels_last", "last_statistics", ["place", "out", "out", "i32", "i32"]),
  normalize: family("channels_last", "normalize_last", [
    "place",
    ...statistics,
    "place",
    "place",
    "f64",
    "out",
    ...shapeLast,
  ]),
  slopes: family("channels_last", "last_slopes", ["place", "place", "place", "out", ...shapeLast]),
  gradients: family("channels_last", "last_gradients", ["place", "place", "f64", "out", "out", "out", "i32", "i32"]),
  gradient: family("channels_last", "normalize_last_gradient", [
    "place",
    "place",
    ...statistics,
    "place",
    "place",
    "f64",
    "out",
    ...shapeLast,
  ]),
} as const;

/** A tensor of [channels], or `null` where there is none. */
export type Parameter = DeviceArray | null;
/** Of each channel the mean and the variance, of all there is. */
type Statistics = readonly [means: DeviceArray, variances: DeviceArray];

function withParameter(on: Execution, parameter: Parameter, dtype: DType, use: (parameter: Parameter) => void): void {
  if (parameter === null) use(null);
  else withFlat(on, parameter, dtype, use);
}

/** [images, channels, elements]. */
type Sizes = readonly [images: number, channels: number, elements: number];
function sizesOf({ shape, size }: DeviceArray): Sizes {
  const [images, channels] = shape as [number, number, ...number[]];
  return [images, channels, size / (images * channels)];
}
/** Whether channels lie beside each other. */
const liesLast = (array: DeviceArray) => isChannelsLast(array) || sizesOf(array)[2] === 1;

/** Elements that a part of a channel has at least. */
const leastOfPart = { serial: serialElements, threads: serialElements / 2 };
const blocksOfProcessor = { inRows: 16, last: 4 };

/** Parts of each channel that are summed by themselves: some blocks for each processor. */
function partsInRows({ device }: Execution, [images, channels, elements]: Sizes): number {
  const wanted = Math.ceil((blocksOfProcessor.inRows * device.properties.multiprocessors) / channels);
  return Math.max(1, Math.min(wanted, Math.ceil((images * elements) / onDevice(device, leastOfPart))));
}
function blocksInRows({ device }: Execution, [, channels]: Sizes, parts: number): Blocks {
  return { grid: channels * parts, block: threadsOf(device, facts().threads) };
}

/** The blocks of kernels that have a channel each, and hold `each` elements of it a thread; `null` for more of them. */
function blocksOfHeld({ device }: Execution, [images, channels, elements]: Sizes, each: number): Blocks | null {
  const threads = 32 * Math.ceil((images * elements) / each / 32);
  if (threads > facts().mostThreads) return null;
  return { grid: channels, block: threadsOf(device, threads) };
}

interface LastBlocks {
  readonly blocks: Blocks;
  /** As kernels are told: rows, channels, channels of a block, parts. */
  readonly shape: readonly [number, number, number, number];
}
function blocksOfLast({ device }: Execution, dtype: DType, [images, channels, elements]: Sizes): LastBlocks {
  const rows = images * elements;
  const { least, most } = widths(dtype);
  const tiles = Math.ceil(channels / most);
  const width = least * Math.ceil(channels / tiles / least);
  const wanted = Math.ceil((blocksOfProcessor.last * device.properties.multiprocessors) / tiles);
  const worthIt = Math.ceil((rows * Math.min(width, channels)) / onDevice(device, leastOfPart));
  const parts = Math.max(1, Math.min(wanted, worthIt, rows));
  return {
    blocks: { grid: Math.ceil(channels / width) * parts, block: threadsOf(device, lastFacts().threads) },
    shape: [rows, channels, width, parts],
  };
}
function blocksOfJoined({ device }: Execution, channels: number): Blocks {
  const { threads, joined } = lastFacts();
  return { grid: Math.ceil(channels / joined), block: threadsOf(device, threads) };
}

/** y of x, weight and bias, and what is known of each channel. */
export function normalizeByBatch(
  on: Execution,
  y: DeviceArray,
  x: DeviceArray,
  [means, variances]: Statistics,
  { weight, bias }: { weight: Parameter; bias: Parameter },
  eps: number,
): void {
  const { dtype } = y;
  const isLast = liesLast(y);
  const sizes = sizesOf(y);
  const wide = means.dtype;
  withFormat(on, x, dtype, isLast, (input) =>
    withParameter(on, weight, dtype, (w) =>
      withParameter(on, bias, dtype, (b) => {
        if (isLast) {
          const { blocks, shape } = blocksOfLast(on, dtype, sizes);
          const [, channels, , parts] = shape;
          using moments = DeviceArray.allocate(on.device, wide, [parts, channels, 3]);
          last.moments.launch(on, dtype, blocks, [input, moments, ...shape]);
          last.statistics.launch(on, dtype, blocksOfJoined(on, channels), [moments, means, variances, channels, parts]);
          last.normalize.launch(on, dtype, blocks, [input, means, variances, w, b, eps, y, ...shape]);
          return;
        }
        const ofHeld = blocksOfHeld(on, sizes, held(dtype).one);
        if (ofHeld !== null)
          return rows.held.launch(on, dtype, ofHeld, [input, means, variances, w, b, eps, y, ...sizes]);
        const parts = partsInRows(on, sizes);
        const blocks = blocksInRows(on, sizes, parts);
        using moments = DeviceArray.allocate(on.device, wide, [sizes[1], parts, 3]);
        rows.moments.launch(on, dtype, blocks, [input, moments, ...sizes, parts]);
        rows.normalize.launch(on, dtype, blocks, [
          input,
          moments,
          parts,
          null,
          null,
          means,
          variances,
          w,
          b,
          eps,
          y,
          ...sizes,
          parts,
        ]);
      }),
    ),
  );
}

/** y of x, by means and variances that are given. */
export function normalizeBy(
  on: Execution,
  y: DeviceArray,
  x: DeviceArray,
  [means, variances]: Statistics,
  { weight, bias }: { weight: Parameter; bias: Parameter },
  eps: number,
): void {
  const { dtype } = y;
  const isLast = liesLast(y);
  const sizes = sizesOf(y);
  const wide = accumulatorOf(dtype);
  withFormat(on, x, dtype, isLast, (input) =>
    withFlat(on, means, wide, (mean) =>
      withFlat(on, variances, wide, (variance) =>
        withParameter(on, weight, dtype, (w) =>
          withParameter(on, bias, dtype, (b) => {
            if (isLast) {
              const { blocks, shape } = blocksOfLast(on, dtype, sizes);
              return last.normalize.launch(on, dtype, blocks, [input, mean, variance, w, b, eps, y, ...shape]);
            }
            const parts = partsInRows(on, sizes);
            rows.normalize.launch(on, dtype, blocksInRows(on, sizes, parts), [
              input,
              null,
              0,
              mean,
              variance,
              null,
              null,
              w,
              b,
              eps,
              y,
              ...sizes,
              parts,
            ]);
          }),
        ),
      ),
    ),
  );
}

/** The gradient of x by that of y, and those of weight and bias where there is room for them. */
export function gradientByBatch(
  on: Execution,
  [out, gradients]: readonly [DeviceArray, { readonly weight: Parameter; readonly bias: Parameter }],
  [g, x]: readonly [DeviceArray, DeviceArray],
  [means, variances]: Statistics,
  weight: Parameter,
  eps: number,
): void {
  const { dtype } = out;
  const isLast = liesLast(out);
  const sizes = sizesOf(out);
  const wide = means.dtype;
  const { weight: dw, bias: db } = gradients;
  withFormat(on, g, dtype, isLast, (above) =>
    withFormat(on, x, dtype, isLast, (input) =>
      withParameter(on, weight, dtype, (w) => {
        const given = [above, input, means, variances, w] as const;
        if (isLast) {
          const { blocks, shape } = blocksOfLast(on, dtype, sizes);
          const [, channels, , parts] = shape;
          using slopes = DeviceArray.allocate(on.device, wide, [parts, channels, 2]);
          using sums = DeviceArray.allocate(on.device, wide, [channels, 2]);
          last.slopes.launch(on, dtype, blocks, [above, input, means, slopes, ...shape]);
          const joined = [slopes, variances, eps, sums, dw, db, channels, parts] as const;
          last.gradients.launch(on, dtype, blocksOfJoined(on, channels), joined);
          return last.gradient.launch(on, dtype, blocks, [...given, sums, eps, out, ...shape]);
        }
        const ofHeld = blocksOfHeld(on, sizes, held(dtype).two);
        if (ofHeld !== null) return rows.heldGradient.launch(on, dtype, ofHeld, [...given, eps, out, dw, db, ...sizes]);
        const parts = partsInRows(on, sizes);
        const blocks = blocksInRows(on, sizes, parts);
        using slopes = DeviceArray.allocate(on.device, wide, [sizes[1], parts, 2]);
        rows.slopes.launch(on, dtype, blocks, [above, input, means, slopes, ...sizes, parts]);
        rows.gradient.launch(on, dtype, blocks, [...given, slopes, parts, eps, out, dw, db, ...sizes, parts]);
      }),
    ),
  );
}
