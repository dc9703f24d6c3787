// Long short-term memory over a sequence, as rows of the table: a product and one kernel a step (Hochreiter and
// Schmidhuber, Neural Computation 9(8), 1997; with a forget gate, as PyTorch has it).
import { DeviceArray } from "../../memory/array.ts";
import { call, callAll } from "../core/calls.ts";
import type { Computation } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { KernelFamily } from "../kernels/library.ts";
import { matmulInto } from "../linear/matrix-product.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { floats } from "../rows/row-lines.ts";
import { withFlat } from "../shape/copy.ts";
import { composedLstmGradient } from "./composed.ts";
import {
  asOperand,
  inOrder,
  recur,
  rowBlocks,
  sizesOf,
  stepOf,
  weightGradient,
  type SequenceAttributes,
} from "./sequence.ts";

const forward = new KernelFamily("recurrent", floats, (type) => `lstm_step<${type}>`, [
  "place",
  "place",
  "place",
  "out",
  "out",
  "out",
  "i64",
  "i64",
]);
const backward = new KernelFamily("recurrent", floats, (type) => `lstm_step_gradient<${type}>`, [
  "place",
  "place",
  "place",
  "place",
  "place",
  "place",
  "out",
  "out",
  "i32",
  "i64",
  "i64",
]);

/**
 * Inputs what each step is given [steps, batch, 4 · width] (input, forget, cell, output), the hidden state and the cell
 * before the first [batch, width], and the weight of the hidden state [4 · width, width]; outputs hidden states and
 * cells of all steps [steps, batch, width], and what came out of the gates.
 */
const lstm: Computation<
  [given: DeviceArray, hidden: DeviceArray, cell: DeviceArray, weight: DeviceArray],
  SequenceAttributes
> = {
  inPlace: false,
  infer([given, hidden, cell, weight]) {
    const { steps, batch, width, dtype } = sizesOf("lstm", 4, given, [hidden, cell], weight);
    const states = { shape: [steps, batch, width], dtype };
    return [states, states, { shape: given.shape, dtype }];
  },
  run([states, cells, gates], inputs, attributes, on) {
    const sizes = sizesOf("lstm", 4, inputs[0], [inputs[1], inputs[2]], inputs[3]);
    const { steps, batch, width, dtype } = sizes;
    withFlat(on, inputs[0], dtype, (given) =>
      withFlat(on, inputs[1], dtype, (hidden) =>
        withFlat(on, inputs[2], dtype, (cell) =>
          withFlat(on, inputs[3], dtype, (weight) => {
            using product = DeviceArray.allocate(on.device, dtype, [batch, 4 * width]);
            for (const [step, before] of inOrder(steps, attributes)) {
              using state = before < 0 ? null : stepOf(states!, before);
              using past = before < 0 ? null : stepOf(cells!, before);
              using own = stepOf(given, step);
              using next = stepOf(states!, step);
              using nextCell = stepOf(cells!, step);
              using kept = stepOf(gates!, step);
              recur(on, product, state ?? hidden, weight);
              forward.launch(on, dtype, rowBlocks(on.device, sizes), [
                own,
                product,
                past ?? cell,
                next,
                nextCell,
                kept,
                batch,
                width,
              ]);
            }
          }),
        ),
      ),
    );
  },
  gradient([above, ofCells], { inputs, outputs: [states, cells, gates], attributes, isDifferentiated }) {
    if (isDifferentiated) return composedLstmGradient(inputs, [above, ofCells], attributes);
    const [given, hidden, cell, weight] = inputs;
    const [slopes, ofHidden, ofCell] = callAll(
      "lstmGradient",
      [
        cell,
        weight,
        cells!,
        gates!,
        ...(above === null || above === undefined ? [] : [above]),
        ...(ofCells === null || ofCells === undefined ? [] : [ofCells]),
      ],
      { ...attributes, hasStates: above != null },
    ) as [DeviceArray, DeviceArray, DeviceArray];
    return [
      asOperand(slopes, given),
      asOperand(ofHidden, hidden),
      asOperand(ofCell, cell),
      asOperand(
        weightGradient(slopes, call("convert", [hidden], { dtype: states!.dtype }), states!, attributes),
        weight,
      ),
    ];
  },
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs) + inputs[3].bytes * (inputs[0].shape[0]! - 1),
    flops: outputs[2]!.size * (2 * inputs[3].shape[1]! + 20),
  }),
};

export interface LstmGradientAttributes extends SequenceAttributes {
  readonly hasStates: boolean;
}

/**
 * Inputs the cell before the first step, the weight, the cells, what came out of the gates, and the gradients of hidden
 * states and of cells, or one of them; outputs those of what was given, of the first hidden state and of the first
 * cell.
 */
const lstmGradient: Computation<
  [cell: DeviceArray, weight: DeviceArray, cells: DeviceArray, gates: DeviceArray, ...gradients: DeviceArray[]],
  LstmGradientAttributes
> = {
  inPlace: false,
  infer([cell, , cells, gates]) {
    const { dtype } = gates;
    return [
      { shape: gates.shape, dtype },
      { shape: cell.shape, dtype },
      { shape: cell.shape, dtype: accumulatorOf(cells.dtype) },
    ];
  },
  run([slopes, ofHidden, flow], inputs, attributes, on) {
    const [, , cells, gates, ...gradients] = inputs;
    const [steps, batch, width] = cells.shape as [number, number, number];
    const { dtype } = gates;
    const above = attributes.hasStates ? gradients[0]! : null;
    const ofCells = gradients[attributes.hasStates ? 1 : 0] ?? null;
    const sizes = { steps, batch, width, dtype };
    const maybe = (each: DeviceArray | null, use: (flat: DeviceArray | null) => void) =>
      each === null ? use(null) : withFlat(on, each, dtype, use);
    withFlat(on, inputs[0], dtype, (cell) =>
      withFlat(on, inputs[1], dtype, (weight) =>
        maybe(above, (aboveAll) =>
          maybe(ofCells, (cellsAll) => {
            let later: DeviceArray | null = null;
            for (const [step, before] of [...inOrder(steps, attributes)].reverse()) {
              using own = aboveAll && stepOf(aboveAll, step);
              using ofCell = cellsAll && stepOf(cellsAll, step);
              using kept = stepOf(gates, step);
              using past = before < 0 ? null : stepOf(cells, before);
              using next = stepOf(cells, step);
              using to = stepOf(slopes!, step);
              backward.launch(on, dtype, rowBlocks(on.device, sizes), [
                own,
                later,
                ofCell,
                kept,
                past ?? cell,
                next,
                flow!,
                to,
                later === null ? 1 : 0,
                batch,
                width,
              ]);
              // What flows on to the step before, in the same memory each time.
              later = ofHidden!;
              matmulInto(on, later, to, weight);
            }
          }),
        ),
      ),
    );
  },
  gradient: null,
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs) + inputs[1].bytes * (inputs[2].shape[0]! - 1),
    flops: outputs[0]!.size * (2 * inputs[1].shape[1]! + 20),
  }),
};

export const lstmRows = { lstm, lstmGradient } as const;
