// A target that keeps records instead of submitting them, to be sent in a message or to be run later, and often.
import { Room, type Target } from "./target.ts";

/** No record is larger. */
const mostBytes = 65536;

export class Recording implements Target {
  readonly room = new Room(new ArrayBuffer(mostBytes));
  readonly runsLater = true;
  /** In the order in which they were written. */
  readonly records: Uint8Array[] = [];
  readonly #kept = new Set<object>();

  commit(): number {
    this.records.push(this.room.bytes.slice(0, this.room.length));
    return 0;
  }

  keep(object: object): void {
    this.#kept.add(object);
  }

  /** Writes all of them to another target, as often as one likes. Returns the sequence of the last; 0: none. */
  replay(target: Target): number {
    let sequence = 0;
    for (const record of this.records) {
      target.room.bytes.set(record);
      sequence = target.commit();
    }
    return sequence;
  }
}
