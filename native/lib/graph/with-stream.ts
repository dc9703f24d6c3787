// Runs a function whose work is on a stream.
import { withoutWaiting } from "../autograd/scopes.ts";
import { Stream } from "../device/stream.ts";
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";

/**
 * What `fn` returns, whose work on the stream's device is on that stream, also of kernels. It is in order with other
 * streams only where one waits for the other: `stream.wait()` before it, for tensors that were made elsewhere. Throws
 * TensorError for a function that is async.
 * @example
 * const side = new Stream();
 * const y = withStream(side, () => ones([2]).mul(3));
 * y; // → tensor([3, 3], shape [2], float32, cpu)
 */
export function withStream<T>(stream: Stream, fn: () => T): T {
  if (!(stream instanceof Stream))
    throw new TensorError("OPERANDS", `withStream takes a stream, new Stream(), but got ${worded(stream)}.`);
  const { execution } = stream;
  return withoutWaiting("withStream", "other code would be on the stream while it awaits", fn, () =>
    execution.device.divert(execution, 0, fn),
  );
}
