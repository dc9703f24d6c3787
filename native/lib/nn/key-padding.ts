// Keys that are padding, as part of a mask of attention.
import { TensorError } from "../errors.ts";
import { factsOf } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { where } from "../tensor/mixing.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";

/**
 * A mask that also leaves out keys which are padding: `padding` [batch…, keys], true where a key is, or floats that are
 * added to scores; `mask` broadcasts to [batch…, heads, queries, keys]. Throws TensorError for padding of another shape
 * than the keys' rows.
 */
export function withPadding(mask: Tensor | undefined, padding: Tensor, key: Tensor): Tensor {
  if (!(padding instanceof Tensor))
    throw new TensorError("OPERANDS", `attention takes a tensor as keyPaddingMask but got ${worded(padding)}.`);
  const rows = key.shape.slice(0, -1);
  if (padding.shape.join() !== rows.join())
    throw new TensorError(
      "SHAPE",
      `attention of keys of shape ${formatShape(key.shape)} takes a keyPaddingMask of shape ${formatShape(rows)} but got ${formatShape(padding.shape)}.`,
    );
  const isBool = padding.dtype === "bool";
  if (!isBool && factsOf(padding.dtype).kind !== "float")
    throw new TensorError(
      "DTYPE",
      `attention takes a keyPaddingMask of bool, true where a key is padding, or of floats, which are added to the scores, but got ${padding.dtype}.`,
    );
  const wide = padding.reshape([...rows.slice(0, -1), 1, 1, rows.at(-1)!]) as Tensor;
  if (mask === undefined) return (isBool ? wide.logicalNot() : wide) as Tensor;
  if (mask.dtype === "bool")
    return (isBool ? mask.logicalAnd(wide.logicalNot()) : where(mask, wide, -Infinity)) as Tensor;
  return (isBool ? where(wide, -Infinity, mask) : mask.add(wide)) as Tensor;
}
