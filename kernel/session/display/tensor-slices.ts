// Answers front ends that ask for a slice of a tensor they show.
import type * as Host from "warpcell/host";
import { tensorTarget, type SliceReply, type SliceRequest } from "../../mime.ts";
import type { CommClass } from "./comm.ts";

/** Every request has one reply: the picture, or a sentence. */
export function serveSlices(Comm: CommClass, host: typeof Host): void {
  Comm.register(tensorTarget, (comm) => {
    comm.onMessage = ({ data }) => comm.send(replyTo(data, host));
  });
}

function replyTo(data: unknown, host: typeof Host): SliceReply {
  const { request, id, index } = (data ?? {}) as Partial<SliceRequest>;
  const number = typeof request === "number" ? request : -1;
  if (number < 0 || typeof id !== "string" || !Array.isArray(index) || !index.every(Number.isInteger)) {
    return {
      request: number,
      tile: null,
      problem: "A slice is asked for by a request number, the tensor's id and an index of whole numbers.",
    };
  }
  try {
    return { request: number, tile: host.sliceOf(id, index), problem: null };
  } catch (error) {
    return { request: number, tile: null, problem: error instanceof Error ? error.message : String(error) };
  }
}
