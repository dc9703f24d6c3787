// Counts of whole numbers (device/ops/counting.cu). Sums of integers are the same in any order.
import { DeviceArray } from "../memory/array.ts";
import { fill, withFlat } from "./copy.ts";
import { bytesMoved } from "./elementwise.ts";
import { KernelFamily } from "./library.ts";
import type { Computation } from "./operation.ts";
import { reduceInto } from "./reduce.ts";

const counting = new KernelFamily("counting", ["int64"], (type) => `count_values<${type}>`, [
  "place",
  "out",
  "i64",
  "i64",
]);
/** Elements that are worth a block. */
const serialElements = 65536;
const blockElements = 32768;
const threads = 256;

/** int64 counts of 0, …, length − 1 among whole numbers; others are passed over. */
const bincount: Computation<{ readonly length: number }> = {
  inPlace: false,
  infer: (_, { length }) => [{ shape: [length], dtype: "int64" }],
  run([out], [x], { length }) {
    const { device } = out!.living();
    const isSerial = device.properties.libraryBlock === 1;
    fill(out!, 0);
    withFlat(x as DeviceArray, "int64", (values) => {
      if (values.size === 0 || length === 0) return;
      const blocks = Math.ceil(values.size / (isSerial ? serialElements : blockElements));
      if (!isSerial)
        return void counting
          .on(device, "int64")
          .launch(Math.min(blocks, 2 ** 31 - 1), threads, [values, out!, values.size, length]);
      // A row of counts for each core, unless that were more than what is counted.
      const rows = length > values.size ? 1 : Math.min(blocks, device.properties.multiprocessors);
      using parts = DeviceArray.allocate(device, "int64", [rows, length]);
      fill(parts, 0);
      counting.on(device, "int64").launch(rows, 1, [values, parts, values.size, length]);
      reduceInto("sum", out!, parts, [0]);
    });
  },
  gradient: null,
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: outputs[0]!.size }),
};

export const countingRows = { bincount } as const;
