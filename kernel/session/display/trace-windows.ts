// Answers front ends that ask for a part of a profile that is too large to travel whole.
import type * as Host from "warpcell/host";
import { traceTarget, type WindowReply, type WindowRequest } from "../../mime.ts";
import type { Comm, CommClass } from "./comm.ts";

/** As wide as a wall of screens. */
const mostPixels = 20_000;

/** Every request has one reply: the slices, or a sentence. */
export function serveWindows(Comm: CommClass, host: typeof Host): void {
  Comm.register(traceTarget, (comm) => {
    comm.onMessage = ({ data }) => reply(comm, data, host);
  });
}

function reply(comm: Comm, data: unknown, host: typeof Host): void {
  const { request, id, start, end, width } = (data ?? {}) as Partial<WindowRequest>;
  const refuse = (problem: string) =>
    comm.send({
      request: typeof request === "number" ? request : -1,
      length: 0,
      columns: [],
      complete: false,
      problem,
    } satisfies WindowReply);
  const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
  if (
    typeof request !== "number" ||
    typeof id !== "string" ||
    !isTime(start) ||
    !isTime(end) ||
    end < start ||
    !isTime(width) ||
    width < 1 ||
    width > mostPixels
  ) {
    return refuse(
      `A window is asked for by a request number, the profile's id, a start before its end in nanoseconds, and a width from 1 to ${mostPixels}.`,
    );
  }
  try {
    const { buffer, ...rest } = host.Profile.window(id, start, end, width);
    comm.send({ request, ...rest, problem: null } satisfies WindowReply, { buffers: [buffer] });
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error));
  }
}
