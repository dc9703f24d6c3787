// What a loader and its workers say to each other.
import type { DType } from "../memory/dtype.ts";

/** How a transform gets to where it runs: the text of a function, or the address of a module. */
export type TransformPlace = { readonly text: string } | { readonly module: string };

/** Memory of the host that a device reads by itself: where the addon of every thread finds it. */
export interface Block {
  readonly client: number;
  readonly place: number;
  readonly bytes: number;
}

export interface WorkerStart {
  readonly transform: TransformPlace | null;
  /** The address of a module to import before it. */
  readonly setUp: string | null;
}
/**
 * `make` has a worker make the batch of samples, of which `first` is the number of the first, and write it into the
 * block, if it is large enough; with `isOnlyTransformed` the samples come back as they are. `write` gives it a block
 * that is.
 */
export type ToWorker =
  | {
      readonly use: "make";
      readonly task: number;
      readonly samples: readonly unknown[];
      readonly rows: readonly number[];
      readonly isOnlyTransformed: boolean;
      readonly block: Block | null;
    }
  | { readonly use: "write"; readonly task: number; readonly block: Block };

/** Stands in a batch for a tensor, whose bytes lie at an offset of the block. */
export class Placed {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly offset: number;
  readonly bytes: number;

  constructor(dtype: DType, shape: readonly number[], offset: number, bytes: number) {
    this.dtype = dtype;
    this.shape = shape;
    this.offset = offset;
    this.bytes = bytes;
  }
}

/** What went wrong with one; `row`: of the data, where it is the transform's of one sample. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly row: number | null;
  /** What the user's code threw. */
  readonly thrown: unknown;
}
/** `batch` has `placed`'s numbers in the places of what becomes tensors: `{ placed: 3 }`. */
export type FromWorker =
  | { readonly task: number; readonly answer: "needs"; readonly bytes: number }
  | { readonly task: number; readonly answer: "made"; readonly batch: unknown; readonly placed: readonly Placed[] }
  | { readonly task: number; readonly answer: "transformed"; readonly samples: readonly unknown[] }
  | { readonly task: number; readonly answer: "failed"; readonly failure: Failure };
