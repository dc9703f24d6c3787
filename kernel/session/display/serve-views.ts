// Answers what front ends ask of tensors, profiles, names and memory on the session's main thread, where they all are:
// for what the agent leaves to it.
import type * as Host from "warpcell/host";
import { listTargets, pictureTargets } from "../../session-protocol.ts";
import type { LibraryLoader } from "../cells/library.ts";
import type { Names } from "../cells/names.ts";
import type { CommClass } from "./comm.ts";
import type { MemoryReports } from "./memory-reports.ts";
import { refusalOf, replyTo, type ViewReply, type Views } from "./views.ts";

/** Of tensors and profiles there are none before the library is there. */
export function servePictures(Comm: CommClass, views: Views): void {
  for (const target of pictureTargets) Comm.register(target, (comm) => serve(comm, views));
}

export function serveLists(Comm: CommClass, views: Views, memory: MemoryReports): void {
  for (const target of listTargets)
    Comm.register(target, (comm) => {
      memory.watchers.add(comm.id);
      comm.onClose = () => void memory.watchers.delete(comm.id);
      serve(comm, views);
    });
}

function serve(comm: InstanceType<CommClass>, views: Views): void {
  comm.onMessage = ({ data }) => {
    const { target } = comm as { target: Parameters<typeof replyTo>[0] };
    let reply: ViewReply;
    try {
      reply = replyTo(target, data, views);
    } catch (error) {
      reply = refusalOf(target, data, error instanceof Error ? error.message : String(error));
    }
    comm.send(reply.data, { buffers: reply.buffers });
  };
}

export function viewsOf(library: LibraryLoader, names: Names, memory: MemoryReports): Views {
  const host = (): typeof Host => {
    if (library.loaded === null)
      throw new Error("The library has not been loaded yet: there is no tensor. Run a cell.");
    return library.loaded.host;
  };
  const shown = (id: string) => host().shownTensor(id);
  const shownOrNull = (id: string | null) => (id === null ? null : shown(id));
  return {
    slice: (id, index) => ({ tile: host().sliceOf(shown(id), index), unfinished: false }),
    figures: (id) => ({ figures: host().figuresOfShown(shown(id)), unfinished: false }),
    tile: (id, place, minus) => ({ ...host().tileAt(shown(id), place, shownOrNull(minus)), unfinished: false }),
    statistics: (id, minus) => ({
      statistics: host().viewedStatistics(shown(id), shownOrNull(minus)),
      unfinished: false,
    }),
    find: (id, kind, after, minus) => ({
      index: host().nextFound(shown(id), kind, after, shownOrNull(minus)),
      unfinished: false,
    }),
    window: (id, start, end, width) => host().Profile.window(id, start, end, width),
    variables: () => ({ variables: names.list(memory.identify), running: false }),
    preview: (id) => ({ ...host().previewOf(shown(id), id), unfinished: false }),
    dispose: (id) => host().disposeShown(id),
    memory: () => ({ ...memory.now(), running: false }),
    release: (what) => (library.loaded === null ? 0 : host().releaseMemory(what)),
  };
}
