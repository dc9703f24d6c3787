// Gated recurrent units over a sequence, as rows of the table: a product and one kernel a step (Cho and others, arXiv
// 1406.1078; the reset gate after the product, as cuDNN and PyTorch have it).
import { DeviceArray } from "../../memory/array.ts";
import { call, callAll } from "../core/calls.ts";
import type { Computation } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { KernelFamily } from "../kernels/library.ts";
import { matmulInto } from "../linear/matrix-product.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { floats } from "../rows/row-lines.ts";
import { withFlat } from "../shape/copy.ts";
import { composedGruGradient } from "./composed.ts";
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

const forward = new KernelFamily("recurrent", floats, (type) => `gru_step<${type}>`, [
  "place",
  "place",
  "place",
  "place",
  "out",
  "out",
  "i64",
  "i64",
]);
const backward = new KernelFamily("recurrent", floats, (type) => `gru_step_gradient<${type}>`, [
  "place",
  "place",
  "place",
  "place",
  "out",
  "out",
  "out",
  "i32",
  "i64",
  "i64",
]);

/**
 * Inputs what each step is given [steps, batch, 3 · width] (reset, update, new), the hidden state before the first
 * [batch, width], the weight of the hidden state [3 · width, width] and perhaps its bias [3 · width]; outputs the
 * hidden states of all steps [steps, batch, width], and what came out of the gates [steps, batch, 4 · width].
 */
const gru: Computation<
  [given: DeviceArray, hidden: DeviceArray, weight: DeviceArray, ...bias: DeviceArray[]],
  SequenceAttributes
> = {
  inPlace: false,
  infer([given, hidden, weight]) {
    const { steps, batch, width, dtype } = sizesOf("gru", 3, given, [hidden], weight);
    return [
      { shape: [steps, batch, width], dtype },
      { shape: [steps, batch, 4 * width], dtype },
    ];
  },
  run([states, gates], inputs, attributes, on) {
    const sizes = sizesOf("gru", 3, inputs[0], [inputs[1]], inputs[2]);
    const { steps, batch, width, dtype } = sizes;
    const withBias = (use: (bias: DeviceArray | null) => void) =>
      inputs[3] === undefined ? use(null) : withFlat(on, inputs[3], dtype, use);
    withFlat(on, inputs[0], dtype, (given) =>
      withFlat(on, inputs[1], dtype, (hidden) =>
        withFlat(on, inputs[2], dtype, (weight) =>
          withBias((bias) => {
            using product = DeviceArray.allocate(on.device, dtype, [batch, 3 * width]);
            for (const [step, before] of inOrder(steps, attributes)) {
              using state = before < 0 ? null : stepOf(states!, before);
              using own = stepOf(given, step);
              using next = stepOf(states!, step);
              using kept = stepOf(gates!, step);
              recur(on, product, state ?? hidden, weight);
              forward.launch(on, dtype, rowBlocks(on.device, sizes), [
                own,
                product,
                bias,
                state ?? hidden,
                next,
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
  gradient([above], { inputs, outputs: [states, gates], attributes, isDifferentiated }) {
    if (isDifferentiated) return composedGruGradient(inputs, above!, attributes);
    const [given, hidden, weight, bias] = inputs;
    const first = call("convert", [hidden], { dtype: states!.dtype });
    const [slopes, ownSlopes, ofHidden, flow] = callAll(
      "gruGradient",
      [first, weight, states!, gates!, above!],
      attributes,
    ) as [DeviceArray, DeviceArray, DeviceArray, DeviceArray];
    return [
      asOperand(slopes, given),
      asOperand(call("add", [ofHidden, flow]), hidden),
      asOperand(weightGradient(ownSlopes, first, states!, attributes), weight),
      ...(bias === undefined ? [] : [asOperand(call("sum", [ownSlopes], { axes: [0, 1], keepdims: false }), bias)]),
    ];
  },
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs) + inputs[2].bytes * (inputs[0].shape[0]! - 1),
    flops: inputs[0].size * (2 * inputs[2].shape[1]! + 20),
  }),
};

/**
 * Inputs the hidden state before the first step, the weight, the hidden states, what came out of the gates, and the
 * gradient of the hidden states; outputs those of what was given, of the products, and the two parts of the first
 * state's: through the product, and past the gates.
 */
const gruGradient: Computation<
  [hidden: DeviceArray, weight: DeviceArray, states: DeviceArray, gates: DeviceArray, above: DeviceArray],
  SequenceAttributes
> = {
  inPlace: false,
  infer([hidden, weight, states]) {
    const { dtype } = states;
    const slopes = { shape: [states.shape[0]!, states.shape[1]!, weight.shape[0]!], dtype };
    return [slopes, slopes, { shape: hidden.shape, dtype }, { shape: hidden.shape, dtype: accumulatorOf(dtype) }];
  },
  run([slopes, ownSlopes, ofHidden, flow], inputs, attributes, on) {
    const [, , states, gates] = inputs;
    const [steps, batch, width] = states.shape as [number, number, number];
    const { dtype } = states;
    withFlat(on, inputs[0], dtype, (hidden) =>
      withFlat(on, inputs[1], dtype, (weight) =>
        withFlat(on, inputs[4], dtype, (above) => {
          let later: DeviceArray | null = null;
          for (const [step, before] of [...inOrder(steps, attributes)].reverse()) {
            using own = stepOf(above, step);
            using kept = stepOf(gates, step);
            using past = before < 0 ? null : stepOf(states, before);
            using to = stepOf(slopes!, step);
            using ownTo = stepOf(ownSlopes!, step);
            backward.launch(on, dtype, rowBlocks(on.device, { steps, batch, width, dtype }), [
              own,
              later,
              kept,
              past ?? hidden,
              flow!,
              to,
              ownTo,
              later === null ? 1 : 0,
              batch,
              width,
            ]);
            later = ofHidden!;
            matmulInto(on, later, ownTo, weight);
          }
        }),
      ),
    );
  },
  gradient: null,
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs) + inputs[1].bytes * (inputs[2].shape[0]! - 1),
    flops: outputs[0]!.size * (2 * inputs[1].shape[1]! + 20),
  }),
};

export const gruRows = { gru, gruGradient } as const;
