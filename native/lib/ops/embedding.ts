// Rows of a table by their indices, and the table's gradient: each row's sum over the places where it was taken, the same from run to run.
import { DeviceArray, viewOf } from "../memory/array.ts";
import { windowed, type Shape } from "../memory/shape.ts";
import { call } from "./calls.ts";
import { fill } from "./copy.ts";
import { bytesMoved } from "./elementwise.ts";
import type { Computation } from "./operation.ts";
import { putRows, takeRows } from "./rows.ts";
import { asFloat, mul } from "./terms.ts";

/** `padding`: a row that gets no gradient, or `null`. */
export interface EmbeddingAttributes {
  readonly padding: number | null;
}

const array = (operand: unknown) => operand as DeviceArray;

/** Inputs the table and positions of rows, int64 and in range. */
const embedding: Computation<EmbeddingAttributes> = {
  inPlace: false,
  infer: ([table, positions]) => [
    { shape: [...array(positions).shape, ...array(table).shape.slice(1)], dtype: array(table).dtype },
  ],
  run: ([out], [table, positions]) => takeRows(out!, array(table), array(positions), 1),
  gradient: ([g], { inputs: [table, positions], attributes }) => [
    call("embeddingGradient", [g!, positions!], { ...attributes, shape: array(table).shape }),
    null,
  ],
  cost: (inputs, outputs) => ({ bytes: bytesMoved([inputs[1]!]) + 2 * bytesMoved(outputs), flops: 0 }),
};

/** Inputs the gradient of the rows and their positions; zeros of the table's shape, to which each row is added. */
const embeddingGradient: Computation<EmbeddingAttributes & { readonly shape: Shape }> = {
  inPlace: false,
  infer: ([g], { shape }) => [{ shape, dtype: array(g).dtype }],
  run([out], [g, positions], { padding }) {
    fill(out!, 0);
    putRows(out!, array(positions) as DeviceArray<"int64">, array(g), 1, "add", false);
    if (padding === null) return;
    using row = viewOf(out!, windowed(out!, { slices: [padding] }));
    fill(row, 0);
  },
  gradient([h], { inputs: [g, positions], attributes: { padding } }) {
    const rows = call("embedding", [h!, positions!], { padding: null });
    if (padding === null) return [rows, null];
    const places = array(positions);
    const isTaken = asFloat(call("ne", [places, padding]), h!);
    return [
      mul(
        rows,
        call("reshapeTo", [isTaken], {
          shape: [
            ...places.shape,
            ...array(g)
              .shape.slice(places.shape.length)
              .map(() => 1),
          ],
        }),
      ),
      null,
    ];
  },
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: array(inputs[0]).size }),
};

export const embeddingRows = { embedding, embeddingGradient } as const;
