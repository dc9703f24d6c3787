// Events of this process in the order in which they ended: columns of numbers that grow, so that noting one costs no object.

export const EventKind = { command: 0, operation: 1, request: 2, wait: 3, range: 4, collector: 5, cell: 6 } as const;
export type EventKind = (typeof EventKind)[keyof typeof EventKind];

export class EventLog {
  length = 0;
  /** Milliseconds of {@link clock}. */
  start = new Float64Array(1024);
  end = new Float64Array(1024);
  kind = new Uint8Array(1024);
  /** Of a command. */
  sequence = new Float64Array(1024);
  /** Index of the device; 0: none. */
  device = new Uint16Array(1024);
  /** The call site that was current. */
  origin = new Uint32Array(1024);
  /** The command of protocol/commands.h. */
  op = new Uint16Array(1024);
  /** A kernel, a plan (with `planBit`), or what the kind says. */
  subject = new Float64Array(1024);
  /** 1 + the event of the operation that submitted it; 0: none. */
  owner = new Uint32Array(1024);
  /** 1 + an index of what else is known; 0: nothing. */
  more = new Uint32Array(1024);

  /** Returns the index of the event. */
  add(kind: EventKind, start: number, end: number, device: number, origin: number, sequence = 0, op = 0, subject = 0): number {
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
    const grown = <T extends Float64Array | Uint8Array | Uint16Array | Uint32Array>(column: T): T => {
      const larger = new (column.constructor as new (length: number) => T)(2 * column.length);
      larger.set(column);
      return larger;
    };
    this.start = grown(this.start);
    this.end = grown(this.end);
    this.kind = grown(this.kind);
    this.sequence = grown(this.sequence);
    this.device = grown(this.device);
    this.origin = grown(this.origin);
    this.op = grown(this.op);
    this.subject = grown(this.subject);
    this.owner = grown(this.owner);
    this.more = grown(this.more);
  }
}
