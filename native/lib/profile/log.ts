// Events of this process in the order in which they ended.
import { doubled, firstCapacity } from "./columns.ts";

export const EventKind = { command: 0, operation: 1, request: 2, wait: 3, range: 4, collector: 5, cell: 6 } as const;
export type EventKind = (typeof EventKind)[keyof typeof EventKind];

export class EventLog {
  length = 0;
  /** Milliseconds of {@link clock}. */
  start = new Float64Array(firstCapacity);
  end = new Float64Array(firstCapacity);
  kind = new Uint8Array(firstCapacity);
  /** Of a command. */
  sequence = new Float64Array(firstCapacity);
  /** Index of the device; 0: none. */
  device = new Uint16Array(firstCapacity);
  /** The call site that was current. */
  origin = new Uint32Array(firstCapacity);
  /** The command of protocol/commands.h. */
  op = new Uint16Array(firstCapacity);
  /** A kernel, a plan (with `planBit`), or what the kind says. */
  subject = new Float64Array(firstCapacity);
  /** 1 + the event of the operation that submitted it; 0: none. */
  owner = new Uint32Array(firstCapacity);
  /** 1 + an index of what else is known; 0: nothing. */
  more = new Uint32Array(firstCapacity);

  /** Returns the index of the event. */
  add(
    kind: EventKind,
    start: number,
    end: number,
    device: number,
    origin: number,
    sequence = 0,
    op = 0,
    subject = 0,
  ): number {
    const index = this.length++;
    if (index === this.start.length) this.#grow();
    this.kind[index] = kind;
    this.start[index] = start;
    this.end[index] = end;
    this.device[index] = device;
    this.origin[index] = origin;
    this.sequence[index] = sequence;
    this.op[index] = op;
    this.subject[index] = subject;
    return index;
  }

  #grow(): void {
    this.start = doubled(this.start);
    this.end = doubled(this.end);
    this.kind = doubled(this.kind);
    this.sequence = doubled(this.sequence);
    this.device = doubled(this.device);
    this.origin = doubled(this.origin);
    this.op = doubled(this.op);
    this.subject = doubled(this.subject);
    this.owner = doubled(this.owner);
    this.more = doubled(this.more);
  }
}
