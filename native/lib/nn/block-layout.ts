// Which blocks of queries look at which blocks of keys: attention leaves out what nobody looks at.
import { TensorError } from "../errors.ts";
import { formatShape, stretch, type Shape } from "../memory/shape.ts";
import { reader, tensor as tensorKind, type Kind } from "../tensor/arguments.ts";
import { arange } from "../tensor/create.ts";
import { cat } from "../tensor/joining.ts";
import { Tensor } from "../tensor/tensor.ts";
import { size } from "./options.ts";
import type { MaskFunction } from "./score-function.ts";

/**
 * `layout`: of bool, of a shape that broadcasts to [batches, heads, blocks of queries, blocks of keys], true where one
 * looks at the other. `size`: queries and keys of a block; the last ones may be cut off.
 */
export interface BlockLayout {
  readonly layout: Tensor;
  readonly size: number;
}
export interface LaidBlocks {
  readonly array: Tensor;
  /** Steps of the four axes, then queries and keys of a block. */
  readonly numbers: readonly number[];
}

export const blockLayoutKind: Kind<BlockLayout> = {
  wanted: "{ layout, size }, a tensor of bool and a whole number of at least 1,",
  has(value) {
    const { layout, size } = (typeof value === "object" && value !== null ? value : {}) as Partial<BlockLayout>;
    return layout instanceof Tensor && layout.dtype === "bool" && Number.isSafeInteger(size) && size! > 0;
  },
};

/** Throws TensorError for a layout of other blocks than scores of `shape` have. */
export function laidOver({ layout, size }: BlockLayout, [batches, heads, queries, keys]: Shape): LaidBlocks {
  const whole = [batches!, heads!, Math.ceil(queries! / size), Math.ceil(keys! / size)];
  const missing = 4 - layout.shape.length;
  if (missing < 0 || layout.shape.some((length, axis) => length !== 1 && length !== whole[axis + missing]))
    throw new TensorError(
      "SHAPE",
      `attention of ${queries} queries and ${keys} keys in blocks of ${size} takes a layout that broadcasts to ${formatShape(whole)} but got ${formatShape(layout.shape)}.`,
    );
  return { array: layout, numbers: [...stretch(layout, whole).strides, size, size] };
}

const readBlockLayout = reader("blockLayout", {
  written: "nn.blockLayout",
  required: {
    mask: { wanted: "a function", has: (value) => typeof value === "function" } as Kind<MaskFunction>,
    queries: size,
    keys: size,
  },
  options: { batches: size, heads: size, size, like: tensorKind },
});

/**
 * The layout of a mask by function: blocks of `size` queries and keys, 128 when left out, of which at least one pair is
 * looked at. It is made by the mask itself, `size` queries at a time; keep it as long as the mask stays the same.
 * `like`: a tensor on the device that it is for. Throws TensorError.
 * @example
 * const mask: nn.MaskFunction = ({ query, key }) => key.le(query).logicalAnd(query.sub(key).lt(256));
 * const blocks = nn.blockLayout(mask, 1024, 1024);
 * blocks.layout.sum().item(); // → 21
 * const x = randn([1, 2, 1024, 8]);
 * nn.attention(x, x, x, { mask, blocks }).shape; // → [ 1, 2, 1024, 8 ]
 */
export function blockLayout(
  mask: MaskFunction,
  queries: number,
  keys: number,
  options?: { readonly batches?: number; readonly heads?: number; readonly size?: number; readonly like?: Tensor },
): BlockLayout;
export function blockLayout(...given: readonly unknown[]): BlockLayout {
  const { mask, queries, keys, batches = 1, heads = 1, size = 128, like } = readBlockLayout(given);
  const on = like === undefined ? {} : { device: like.device };
  const count = (from: number, to: number, ones: number) =>
    arange(from, to, 1, { dtype: "int32", ...on }).reshape([
      to - from,
      ...Array<number>(ones).fill(1),
    ]) as Tensor<"int32">;
  const key = count(0, keys, 0);
  const rows: Tensor[] = [];
  for (let from = 0; from < queries; from += size) {
    const to = Math.min(queries, from + size);
    const place = { batch: count(0, batches, 3), head: count(0, heads, 2), query: count(from, to, 1), key };
    const sees = mask(place)
      .expand([batches, heads, to - from, keys])
      .any({ axis: -2 }) as Tensor;
    const columns: Tensor[] = [];
    for (let at = 0; at < keys; at += size)
      columns.push(sees.slice(null, null, [at, Math.min(keys, at + size)]).any({ axis: -1, keepdims: true }) as Tensor);
    rows.push(cat(columns, { axis: -1 }).reshape([batches, heads, 1, columns.length]) as Tensor);
  }
  return { layout: cat(rows, { axis: -2 }) as Tensor, size };
}
