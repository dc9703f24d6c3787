// The parts of a session, as those who run cells need them: one object, made in main.ts. Types only.
import type { Builtins } from "./builtins.ts";
import type { CellRegistry } from "./cell-registry.ts";
import type { DeviceFaults } from "./device-faults.ts";
import type { Interrupts } from "./interrupts.ts";
import type { LibraryLoader } from "./library.ts";
import type { Modules } from "./modules.ts";
import type { Npm } from "./npm.ts";
import type { Output } from "./output.ts";
import type { Profiles } from "./profiles.ts";
import type { Requests } from "./request.ts";
import type { Slots } from "./slots.ts";
import type { Tracebacks } from "./traceback.ts";

export interface Session {
  readonly builtins: Builtins;
  readonly cells: CellRegistry;
  readonly faults: DeviceFaults;
  readonly interrupts: Interrupts;
  readonly library: LibraryLoader;
  readonly modules: Modules;
  readonly npm: Npm;
  readonly output: Output;
  readonly profiles: Profiles;
  readonly requests: Requests;
  readonly slots: Slots;
  readonly tracebacks: Tracebacks;
  /** Where cells store the number of the launch that comes next: the library's object, once that is loaded. */
  origin: { current: number };
}
