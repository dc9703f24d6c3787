// The indices of the elements of triangles of matrices.
import { count, device, free, wholeNumber } from "./arguments.ts";
import { ones } from "./create.ts";
import type { Tensor } from "./tensor.ts";

/** `columns`: as many as rows when left out. `offset` > 0 moves the diagonal up. */
export interface TriangleOptions {
  readonly columns?: number;
  readonly offset?: number;
  readonly device?: string;
}

type Triangle = (rows: number, columns?: number | TriangleOptions, options?: TriangleOptions) => Tensor<"int64">;
const triangle = (name: "trilIndices" | "triuIndices"): Triangle =>
  free(
    name,
    {
      required: { rows: count },
      options: { columns: count, offset: wholeNumber, device },
      bare: ["columns", "offset"],
    },
    ({ rows, columns = rows, offset = 0, device: on }) => {
      const all = ones([rows, columns], { dtype: "bool", ...(on !== undefined && { device: on }) });
      return (name === "trilIndices" ? all.tril(offset) : all.triu(offset)).nonzero().T;
    },
  );
/** Rows and columns of the elements below and on a diagonal, in row-major order: [2, count]. */
export const trilIndices: Triangle = triangle("trilIndices");
/** Rows and columns of the elements above and on a diagonal, in row-major order: [2, count]. */
export const triuIndices: Triangle = triangle("triuIndices");
