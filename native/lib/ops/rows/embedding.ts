// Rows of a table by their indices, and the table's gradient: each row's sum over the places where it was taken, the
// same from run to run.
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { windowed, type Shape } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { fill } from "../shape/copy.ts";
import { axisRows, positionsAlong } from "../index/axis.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import type { Computation } from "../core/operation.ts";
import { putRows } from "../index/rows.ts";
import { asFloat, mul } from "../core/terms.ts";

/** `padding`: a row that gets no gradient, or `null`. */
export interface EmbeddingAttributes {
  readonly padding: number | null;
}

const rows = { axis: 0, isShared: true } as const;

/** Inputs the table and indices of rows, which the next wait for the device checks. */
const embedding: Computation<[table: DeviceArray, indices: DeviceArray], EmbeddingAttributes> = {
  inPlace: false,
  infer: (inputs) => axisRows.takeAxis.infer(inputs, rows),
  run: (outputs, inputs, _, on) => axisRows.takeAxis.run(outputs, inputs, rows, on),
  gradient: ([g], { inputs: [table, indices], attributes }) => [
    call("embeddingGradient", [g!, indices], { ...attributes, shape: table.shape }),
    null,
  ],
  cost: (inputs, outputs) => ({ bytes: bytesMoved([inputs[1]!]) + 2 * bytesMoved(outputs), flops: 0 }),
};

/** Inputs the gradient of the rows and their indices; zeros of the table's shape, to which each row is added. */
const embeddingGradient: Computation<
  [g: DeviceArray, indices: DeviceArray],
  EmbeddingAttributes & { readonly shape: Shape }
> = {
  inPlace: false,
  infer: ([g], { shape }) => [{ shape, dtype: g.dtype }],
  run([out], [g, indices], { padding, shape }, on) {
    fill(on, out!, 0);
    using positions = positionsAlong(on, shape, indices, rows);
    putRows(on, out!, positions, g, 1, "add", false);
    if (padding === null) return;
    using row = viewOf(out!, windowed(out!, { slices: [padding] }));
    fill(on, row, 0);
  },
  gradient([h], { inputs: [g, indices], attributes: { padding, shape } }) {
    const taken = call("embedding", [h!, indices], { padding: null });
    if (padding === null) return [taken, null];
    const places = positionsAlong(indices.execution, shape, indices, rows);
    const isTaken = asFloat(call("ne", [places, padding]), h!);
    return [
      mul(
        taken,
        call("reshapeTo", [isTaken], {
          shape: [...places.shape, ...g.shape.slice(places.shape.length).map(() => 1)],
        }),
      ),
      null,
    ];
  },
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: inputs[0].size }),
};

export const embeddingRows = { embedding, embeddingGradient } as const;
