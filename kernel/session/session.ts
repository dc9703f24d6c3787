// The parts of a session, as those who run cells need them: one object, made in main.ts. Types only.
import type { Builtins } from "./cells/builtins.ts";
import type { CellRegistry } from "./cells/cell-registry.ts";
import type { DeviceFaults } from "./requests/device-faults.ts";
import type { FollowingCells } from "./cells/following-cells.ts";
import type { Interrupts } from "./requests/interrupts.ts";
import type { LibraryLoader } from "./cells/library.ts";
import type { LiveDisplays } from "./display/live.ts";
import type { Modules } from "./cells/modules.ts";
import type { MemoryReports } from "./display/memory-reports.ts";
import type { Names } from "./cells/names.ts";
import type { Npm } from "./cells/npm.ts";
import type { Output } from "./requests/output.ts";
import type { Profiles } from "./display/profiles.ts";
import type { Requests } from "./requests/request.ts";
import type { SharedCells } from "./cells/shared-cells.ts";
import type { Slots } from "./cells/slots.ts";
import type { Tracebacks } from "./cells/traceback.ts";

export interface Session {
  readonly builtins: Builtins;
  readonly cells: CellRegistry;
  readonly faults: DeviceFaults;
  readonly following: FollowingCells;
  readonly interrupts: Interrupts;
  readonly library: LibraryLoader;
  readonly memory: MemoryReports;
  readonly live: LiveDisplays;
  readonly modules: Modules;
  readonly names: Names;
  readonly npm: Npm;
  readonly output: Output;
  readonly profiles: Profiles;
  readonly requests: Requests;
  readonly shared: SharedCells;
  readonly slots: Slots;
  readonly tracebacks: Tracebacks;
  /** Where cells store the number of the launch that comes next: the library's object, once that is loaded. */
  origin: { current: number };
}
