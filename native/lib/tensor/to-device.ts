// The elements of a tensor on another device: from one GPU to another, or through the host.
import type { DeviceArray } from "../memory/array.ts";
import { factsOf } from "../memory/dtype.ts";
import { copyFromPeer } from "../memory/peers.ts";
import { read, upload } from "../memory/transfer.ts";
import { recording } from "../ops/core/hooks.ts";
import type { Computation, Operation } from "../ops/core/operation.ts";
import { contiguous } from "../ops/shape/copy.ts";
import type { Tensor } from "./tensor.ts";

/** Names of devices. */
interface Move {
  readonly device: string;
  readonly from: string;
}

/** Its result lies on another device than its operand, so it is in no table of what one device runs. */
const toDevice: Computation<[x: DeviceArray], Move> = {
  inPlace: false,
  infer: ([{ shape, dtype }]) => [{ shape, dtype }],
  run([out], [x], _, on) {
    // Whichever stream has written it.
    if (!x.isContiguous) on.waitForAll();
    using source = contiguous(on, x);
    const [to, from, at] = [out!.living(), source.living(), source.offset * factsOf(x.dtype).bytes];
    if (!copyFromPeer(to, from, at, x.bytes))
      read(on, from, at, x.bytes, (part, to) => upload(out!.living(), to, part));
  },
  gradient: ([g], { attributes: { from } }) => [g === null || g === undefined ? null : (g as Tensor).to(from)],
  cost: ([x]) => ({ bytes: 2 * x.bytes, flops: 0 }),
};

/** Fills `out`, of another device, with the elements of `x`, and has the gradient of the one be the other's. */
export function moveTo(out: DeviceArray, x: Tensor): void {
  const attributes = { device: out.deviceProcess.name, from: x.device };
  toDevice.run([out], [x], attributes, x.execution);
  const operation = toDevice as unknown as Operation;
  recording.current?.record({ name: "to", operation, inputs: [x], outputs: [out], attributes });
}
