// The ring of a device's process as a target of records: what is committed is submitted at once.
import { binding } from "../wire/binding.ts";
import { Op } from "../wire/commands.ts";
import { placesIn } from "../wire/graph.ts";
import { Room, type Target } from "../wire/target.ts";
import { activity, clock } from "./activity.ts";
import { hazards } from "./hazards.ts";
import { origin } from "./origins.ts";
import type { DeviceProcess } from "./process.ts";

export class Ring implements Target {
  readonly room: Room;
  readonly runsLater = false;
  readonly #device: DeviceProcess;

  constructor(device: DeviceProcess) {
    this.#device = device;
    this.room = new Room(binding.room(device.client));
  }

  /** Submits the record. A process that died is healed first, and its fault thrown. */
  commit(): number {
    const device = this.#device;
    const watcher = activity.current;
    const start = watcher === null ? 0 : clock();
    this.room.origin = origin.current;
    const isReady = device.isWhole && device.residents.areComplete;
    let sequence = isReady ? binding.submit(device.client) : this.#submitProvided();
    if (sequence <= 0) sequence = this.#again(sequence);
    if (device.notesUses) this.#noteUses(sequence);
    if (watcher !== null) watcher.submitted(device, sequence, start, this.room);
    return sequence;
  }

  /** Tells the allocator whose memory a copy, a fill or a call of a library uses; launches say so themselves. */
  #noteUses(sequence: number): void {
    const { room } = this;
    hazards.current?.of(this.#device).submitted(sequence, room);
    if (room.op === Op.launch) return;
    for (const place of placesIn(room) ?? []) binding.useAround(this.#device.client, place, room.stream);
  }

  /** Submits the record to a process that may lack what it names, which is sent first. That writes no records. */
  #submitProvided(): number {
    const device = this.#device;
    if (!device.isWhole) return -1;
    device.residents.provideRecord(this.room.words);
    return binding.submit(device.client);
  }

  /** Submits the record to the process that is there after a death or an interrupt. */
  #again(failure: number): number {
    this.#device.recover(failure === -1 ? "died" : "interrupted");
    const sequence = this.#submitProvided();
    if (sequence > 0) return sequence;
    throw this.#device.unavailable("it ended again at once");
  }

  /** What is submitted at once needs no keeping: the process has it. */
  keep(): void {}
}
