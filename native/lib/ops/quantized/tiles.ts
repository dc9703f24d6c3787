// Products of few rows of 16-bit floats with quantised matrices on a GPU's tensor cores (device/ops/quantized_mma.cu).
import type { Execution } from "../../device/execution.ts";
import type { DeviceArray } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily, type Reach } from "../kernels/library.ts";
import type { CodeBits, CodeFacts } from "./quantized.ts";

const dtypes: readonly DType[] = ["float16", "bfloat16"];
const isFor: Reach = (architecture) => /^sm_(8|9|1\d)\d[af]?$/.test(architecture);
const file = "quantized_mma";
const facts = kernelFacts(file, {
  warps: "kMmaWarps",
  lines: "kMmaLines",
  rows: "kMmaRows",
  codes8: "kMmaCodes<8>",
  codes4: "kMmaCodes<4>",
});

type Tiles = 1 | 2;
const smallParts = 4;
const operands = ["place", "place", "place", "place", "out", "i64", "i64", "i64", "i64"] as const;
const instance = (...numbers: readonly number[]) =>
  new KernelFamily(file, dtypes, (type) => `tile_product<${[type, ...numbers].join(", ")}>`, operands, isFor);
/** Of a number of bits by tiles of lines and of rows, and `small` for groups that are parts of what a warp takes. */
const familiesOf = (bits: CodeBits) => {
  const byRows = (lines: Tiles, parts: number) => ({
    1: instance(bits, lines, 1, parts),
    2: instance(bits, lines, 2, parts),
  });
  return { 1: byRows(1, 1), 2: byRows(2, 1), small: byRows(1, smallParts) };
};
const families = { 8: familiesOf(8), 4: familiesOf(4) };

const isAligned = ({ placeLow }: DeviceArray) => placeLow % 16 === 0;
/** Blocks of a GPU's processor before a block has two tiles of lines. */
const blocksBefore = 2;

/** Fills out [rows, lines], where these are such a product; whether it did. All are contiguous. */
export function tileProductInto(
  on: Execution,
  out: DeviceArray,
  x: DeviceArray,
  [codes, scales, zeros]: readonly [DeviceArray, DeviceArray, DeviceArray | null],
  { bits, groupSize, length }: CodeFacts,
): boolean {
  const { architectures, multiprocessors } = on.device.properties;
  if (!dtypes.includes(x.dtype) || !architectures.some(isFor)) return false;
  const at = facts();
  const ofChunk = bits === 8 ? at.codes8 : at.codes4;
  const [rows, lines] = [x.shape[0]!, codes.shape[0]!];
  const isLarge = groupSize >= length || groupSize % ofChunk === 0;
  const fits = length % ofChunk === 0 && (isLarge || groupSize % (ofChunk / smallParts) === 0);
  // One row goes no faster there, but for half bytes with few scales.
  if (rows === 1 && (bits === 8 || !isLarge)) return false;
  if (!fits || rows > 2 * at.rows || !isAligned(codes) || !isAligned(x)) return false;
  const tiles = isLarge && Math.ceil(lines / (2 * at.lines)) >= blocksBefore * multiprocessors ? 2 : 1;
  const family = families[bits][isLarge ? tiles : "small"][rows > at.rows ? 2 : 1];
  family.launch(on, x.dtype, { grid: Math.ceil(lines / (tiles * at.lines)), block: 32 * at.warps }, [
    x,
    codes,
    scales,
    zeros,
    out,
    rows,
    lines,
    length,
    groupSize,
  ]);
  return true;
}
