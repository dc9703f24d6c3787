// Tensors for host functions of cells: made on the function's device, as by the functions of the same names.
import { tensors } from "../cuda/host/tensors.ts";
import { recording } from "../ops/core/hooks.ts";
import { empty, full } from "./create.ts";
import type { Tensor } from "./tensor.ts";

tensors.maker = {
  make: ({ name: device }, dtype, shape, fill) =>
    recording.run(null, () => (fill === null ? empty(shape, { dtype, device }) : full(shape, fill, { dtype, device }))),
  contiguous: (array) => recording.run(null, () => (array as Tensor).contiguous()),
};
