// What planted bugs are made of: their rows, and the tensors and launches that most of them have.
import { empty, tensor, zeros, type Kernel, type Tensor } from "../../native/lib/index.ts";

export interface Planted {
  /** The name of the kernel, too. */
  readonly name: string;
  readonly kind: string;
  readonly bug: string;
  readonly right: string;
  readonly run: (kernel: Kernel) => void;
  /** Of the corrected kernel, where its launch is another. */
  readonly runRight?: (kernel: Kernel) => void;
}

export const on = { device: "cpu" } as const;
export const floats = (n: number): Tensor =>
  tensor(
    Array.from({ length: n }, (_, i) => i % 7),
    on,
  );
export const integers = (n: number): Tensor =>
  tensor(
    Array.from({ length: n }, (_, i) => i % 5),
    { dtype: "int32", ...on },
  );
export const fresh = (n: number, dtype: "float32" | "int32" | "uint8" = "float32"): Tensor =>
  empty([n], { dtype, ...on });
export const cleared = (n: number, dtype: "float32" | "int32" | "uint32" | "uint8" = "float32"): Tensor =>
  zeros([n], { dtype, ...on });

export const i = "int i = blockIdx.x * blockDim.x + threadIdx.x;";
/** A kernel of (const float* x, float* y, int n) on 1,000 elements. */
export const mapped = (kernel: Kernel): void => kernel.launch({ grid: 4, block: 256 }, floats(1000), fresh(1000), 1000);
/** One of a block of 256 threads: (const float* x, float* y). */
export const block = (kernel: Kernel): void => kernel.launch({ grid: 1, block: 256 }, floats(256), fresh(256));

export type Row = readonly [
  name: string,
  kind: string,
  bug: string,
  right: string,
  run: (kernel: Kernel) => void,
  runRight?: (kernel: Kernel) => void,
];

export const xyn = "(const float* x, float* y, int n)";
export const xy = "(const float* x, float* y)";
