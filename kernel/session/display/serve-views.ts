// Answers what front ends ask of tensors and profiles on the session's main thread, where they all are: for what the
// agent leaves to it.
import type * as Host from "warpcell/host";
import { viewTargets } from "../../session-protocol.ts";
import type { CommClass } from "./comm.ts";
import { refusalOf, replyTo, type ViewReply, type Views } from "./views.ts";

export function serveViews(Comm: CommClass, host: typeof Host): void {
  const views: Views = {
    slice: (id, index) => ({ tile: host.sliceOf(host.shownTensor(id), index), unfinished: false }),
    figures: (id) => ({ figures: host.figuresOfShown(host.shownTensor(id)), unfinished: false }),
    window: (id, start, end, width) => host.Profile.window(id, start, end, width),
  };
  for (const target of viewTargets)
    Comm.register(target, (comm) => {
      comm.onMessage = ({ data }) => {
        let reply: ViewReply;
        try {
          reply = replyTo(target, data, views);
        } catch (error) {
          reply = refusalOf(target, data, error instanceof Error ? error.message : String(error));
        }
        comm.send(reply.data, { buffers: reply.buffers });
      };
    });
}
