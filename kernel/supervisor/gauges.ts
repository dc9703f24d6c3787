// Relays the agent's gauges to comms on `warpcell.gauges`, also while a cell spins.
import { gaugesTarget, type DeviceGauge, type GaugesPayload } from "../mime.ts";
import type { AgentCommand } from "../session-protocol.ts";
import type { OwnTarget } from "./comms.ts";
import type { Message } from "./messages.ts";
import type { Publisher } from "./publish.ts";

/** Two a second: enough to see it move; the payload's contract allows four. */
const interval = 500;

export class Gauges implements OwnTarget {
  readonly target = gaugesTarget;
  readonly #publisher: Publisher;
  readonly #agent: (command: AgentCommand) => void;
  readonly #busy: () => boolean;
  readonly #comms = new Set<string>();
  #sequence = 0;

  constructor(publisher: Publisher, agent: (command: AgentCommand) => void, busy: () => boolean) {
    this.#publisher = publisher;
    this.#agent = agent;
    this.#busy = busy;
  }

  /** Someone looks. */
  get wanted(): boolean {
    return this.#comms.size > 0;
  }

  opened(comm: string, _request: Message): void {
    this.#comms.add(comm);
    this.ask();
  }

  closed(comm: string): void {
    this.#comms.delete(comm);
    this.ask();
  }

  /** Tells the agent, also one that has just started, how often to report. */
  ask(): void {
    this.#agent({ type: "gauges", interval: this.#comms.size > 0 ? interval : 0 });
  }

  show(devices: DeviceGauge[]): void {
    const payload: GaugesPayload = { version: 1, sequence: ++this.#sequence, busy: this.#busy(), devices };
    for (const comm of this.#comms) this.#publisher.publish("comm_msg", null, { comm_id: comm, data: { ...payload } });
  }
}
