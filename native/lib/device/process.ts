// A device and its process: starts it, sends it commands, waits for it, and heals it after a fault or an interrupt.
import { binding, deviceExecutable, type ErrorRecord, type Outcome } from "../wire/binding.ts";
import { answerFields, greet } from "../wire/answers.ts";
import { activity, clock } from "./activity.ts";
import { Comfort } from "./comfort.ts";
import { Op } from "../wire/commands.ts";
import { Execution } from "./execution.ts";
import { heldBy, largeBlock, LargeBlocks } from "./large-blocks.ts";
import { answerOf, requestFields, type AnswerOf, type MessageName, type RequestOf } from "../wire/messages.ts";
import { type DeviceFault, DeviceUnavailable, InterruptedError, OutOfMemory, WarpcellError } from "../errors.ts";
import { faultOf, interruptionOf, type Loss, refusalOf } from "./faults.ts";
import { hazards } from "./hazards.ts";
import { interruptAll, noteInterruption } from "./interrupts.ts";
import { LostCommands } from "./lost-commands.ts";
import { origin } from "./origins.ts";
import { Residents } from "./residents.ts";
import { Ring } from "./ring.ts";
import { memoryNumbers, waysToAllocate, type MemoryKind } from "./memory-kinds.ts";
import type { DeviceProperties } from "../wire/properties.ts";
import { putOff } from "../wire/target.ts";

export { clearInterrupt, interrupt, lastInterruption } from "./interrupts.ts";
export { describeKernels, describeOrigins, origin } from "./origins.ts";

export type DeviceKind = "cpu" | "cuda" | "nvrtc";

const running = new Map<string, DeviceProcess>();

/**
 * One device with the process that hosts it. There is one per device; it starts when it is first asked for and heals
 * itself when it dies.
 */
export class DeviceProcess {
  /** "cpu", "cuda:0", … */
  readonly name: string;
  readonly kind: DeviceKind;
  readonly index: number;
  /** The number that the addon knows it by. */
  readonly client: number;
  readonly properties: DeviceProperties;
  /** Stream 0 of the device, whose records are submitted at once. */
  readonly direct: Execution;
  /** Where work goes for which nothing else is said: {@link direct}, or where {@link divert} has it go. */
  execution: Execution;
  /** From which memory comes while work is recorded; 0: from all. */
  #pool = 0;
  readonly blocks = new LargeBlocks();
  /** Of the streams that are open. */
  readonly #executions: Execution[];
  /** Modules and plans, which come back when they are next used. */
  readonly residents = new Residents();

  readonly #comfort: Comfort;
  /** Since it was settled last. */
  #hasHealed = false;
  readonly #lost = new LostCommands();
  readonly #checks: ((on: Execution, completed: number) => WarpcellError | undefined)[] = [];
  /**
   * Sequences whose answers are awaited: that of a compilation comes when it is done, however far the work behind it
   * has got.
   */
  readonly #asked = new Set<number>();
  /** A command that failed and did not kill the process: thrown by the next synchronisation. */
  #refused: WarpcellError | undefined;
  /** False from a death until there is a process again that has all memory. */
  #whole = true;
  /** What the last process died of, until the next one is whole. */
  #pendingFault: DeviceFault | InterruptedError | undefined;
  /** An interrupt that another device noticed killed this process too. */
  #interrupted = false;

  private constructor(name: string, kind: DeviceKind, index: number, client: number, properties: DeviceProperties) {
    this.name = name;
    this.kind = kind;
    this.index = index;
    this.client = client;
    this.properties = properties;
    this.execution = this.direct = new Execution(this, 0, new Ring(this));
    this.#executions = [this.direct];
    this.#comfort = new Comfort(client, properties.unifiedMemory);
  }

  /**
   * The process of a device; started when it does not run yet. Throws {@link DeviceUnavailable} with the reason when it
   * cannot.
   */
  static get(kind: DeviceKind, index = 0): DeviceProcess {
    return DeviceProcess.#get(kind, index, binding.open);
  }

  /**
   * The same for a thread that answers front ends beside the user's work: a process that no gauge shows and no interrupt
   * ends.
   */
  static getForViews(kind: DeviceKind, index: number): DeviceProcess {
    return DeviceProcess.#get(kind, index, binding.openView);
  }

  static #get(kind: DeviceKind, index: number, open: typeof binding.open): DeviceProcess {
    const name = kind === "cpu" ? "cpu" : `${kind}:${index}`;
    const known = running.get(name);
    if (known !== undefined) return known;

    const client = open(kind, index, deviceExecutable);
    try {
      const started = new DeviceProcess(name, kind, index, client, greet(client, name));
      running.set(name, started);
      activity.current?.opened(started);
      return started;
    } catch (error) {
      binding.close(client);
      throw error;
    }
  }

  /** The devices whose processes have been started. */
  static all(): DeviceProcess[] {
    return [...running.values()];
  }

  /**
   * Sends a command with a message and blocks until its answer. A refusal throws {@link CompileError}, {@link
   * OutOfMemory}, {@link LaunchError} or {@link DeviceError}; a death {@link DeviceFault}; an interrupt {@link
   * InterruptedError}.
   */
  request<N extends MessageName>(name: N, request: RequestOf<N>): AnswerOf<N> {
    const start = clock();
    const sequence = this.#send(name, request);
    this.#asked.add(sequence);
    try {
      this.#await(0, sequence);
      return answerOf(name, this.#take(sequence));
    } finally {
      this.#asked.delete(sequence);
      activity.current?.answered(this, sequence, Op[name], start);
    }
  }

  /** {@link request} without blocking the event loop. */
  async requestAsync<N extends MessageName>(name: N, request: RequestOf<N>): Promise<AnswerOf<N>> {
    const start = clock();
    const sequence = this.#send(name, request);
    this.#asked.add(sequence);
    try {
      await this.#awaitAsync(0, sequence);
      return answerOf(name, this.#take(sequence));
    } finally {
      this.#asked.delete(sequence);
      activity.current?.answered(this, sequence, Op[name], start);
    }
  }

  /**
   * One of the device's streams, which is opened where it was not: its work runs in order, beside that of the others. A
   * device has a few dozen.
   */
  stream(number: number): Execution {
    const known = this.#executions.find(({ stream }) => stream === number);
    if (known !== undefined) return known;
    binding.openStream(this.client, number);
    const opened = new Execution(this, number, this.direct.target);
    this.#executions.push(opened);
    return opened;
  }

  /** Runs `fn`, whose work goes to `execution`; what it allocates is that stream's, or the pool's (0: none). */
  divert<R>(execution: Execution, pool: number, fn: () => R): R {
    const [outer, before] = [this.execution, this.#pool];
    this.execution = execution;
    this.#pool = pool;
    try {
      try {
        return fn();
      } finally {
        // It belongs here, and what is recorded may end now.
        putOff.current?.();
      }
    } finally {
      this.execution = outer;
      this.#pool = before;
    }
  }

  /** The streams that are open besides one. */
  others(than: Execution): Execution[] {
    return this.#executions.filter(({ stream }) => stream !== than.stream);
  }

  /** Which stream uses which memory matters: there are others than 0, or somebody looks. */
  get notesUses(): boolean {
    return this.#executions.length > 1 || hazards.current !== null;
  }

  /**
   * Blocks until all submitted work is done and visible, of all streams or `on` some. Throws {@link DeviceFault} for a kernel that broke the
   * process, {@link LaunchError} for a launch that the device refused, {@link InterruptedError}; the process is whole
   * again when it throws.
   */
  synchronize(on: readonly Execution[] = this.#executions): void {
    this.reach(on.map((each) => each.fence()));
  }

  /** {@link synchronize} for what was submitted before some fences. */
  reach(marks: readonly { readonly stream: number; readonly sequence: number }[]): void {
    const start = clock();
    try {
      for (const mark of marks) this.#await(mark.stream, mark.sequence);
      hazards.current?.of(this).reached(marks);
    } finally {
      activity.current?.waited(this, start, true);
    }
    this.#throwRefused();
  }

  /** {@link synchronize} without blocking the event loop. */
  async synchronizeAsync(marks = this.#executions.map((each) => each.fence())): Promise<void> {
    const start = clock();
    try {
      for (const mark of marks) await this.#awaitAsync(mark.stream, mark.sequence);
      hazards.current?.of(this).reached(marks);
    } finally {
      activity.current?.waited(this, start, false);
    }
    this.#throwRefused();
  }

  /**
   * A block of at least `bytes` bytes, 256-byte aligned, as a place. What collected objects held is used before new
   * memory is. The stream may use it at once. Throws {@link OutOfMemory}.
   */
  allocate(bytes: number, memory: MemoryKind, stream = 0): number {
    const whose = memory === "device" ? stream || this.#pool : stream;
    const attempt = (mayGrow: boolean) => binding.allocate(this.client, memoryNumbers[memory], whose, bytes, mayGrow);
    const place = this.#place(bytes, memory, attempt);
    hazards.current?.of(this).allocated(place, bytes);
    return place;
  }

  /**
   * The same of device memory for an object, which owns it: {@link disown} or the object's collection frees it.
   */
  allocateFor(owner: object, bytes: number, stream = 0): number {
    const whose = stream || this.#pool;
    const attempt = (mayGrow: boolean) => binding.own(this.client, whose, bytes, owner, mayGrow, origin.current);
    let place = attempt(false);
    if (place < 0) place = this.#place(bytes, "device", attempt);
    hazards.current?.of(this).allocated(place, bytes);
    if (bytes >= largeBlock) this.blocks.note(place);
    return place;
  }

  /** Notes that another stream than the one that it was allocated for uses a block, too. */
  use(place: number, stream: number): void {
    binding.use(this.client, place, stream);
  }

  disown(place: number): void {
    binding.disown(this.client, place);
  }

  #place(bytes: number, memory: MemoryKind, attempt: (mayGrow: boolean) => number): number {
    for (const { prepared, mayGrow } of waysToAllocate) {
      if (!prepared()) continue;
      if (mayGrow && memory === "device") this.#comfort.ensure(bytes);
      let place = attempt(mayGrow);
      for (; place < -1; place = attempt(mayGrow)) this.#attend(place === -2 ? "died" : "interrupted");
      if (place >= 0) return place;
    }
    const held = memory === "device" ? heldBy(this.client) : null;
    throw new OutOfMemory(this.blocks.shortage(this, bytes, memory), this.name, bytes, held);
  }

  free(place: number): void {
    binding.free(this.client, place);
  }

  /**
   * Where another client's place lies in this process, which maps its memory until {@link giveBack}; `null` where that
   * client has no such memory to share.
   */
  borrow(owner: number, place: number): number | null {
    let borrowed = binding.borrow(this.client, owner, place);
    for (; borrowed < -1; borrowed = binding.borrow(this.client, owner, place))
      this.#attend(borrowed === -2 ? "died" : "interrupted");
    return borrowed === -1 ? null : borrowed;
  }

  giveBack(place: number): void {
    binding.giveBack(this.client, place);
  }

  /**
   * The memory of a block in this process: of host segments, and device segments of `cpu`. Synchronise before reading
   * what a command writes. It does not keep the block from being freed.
   */
  part(place: number, bytes: number): ArrayBuffer {
    return binding.part(this.client, place, bytes);
  }

  /** Whether the command with that sequence was lost with its process, so that what it wrote cannot be trusted. */
  isSuspect(writtenBy: number): boolean {
    return this.#lost.causeOf(writtenBy) !== undefined;
  }

  /** The sequence of the command that was submitted last. */
  get lastSequence(): number {
    return binding.lastSequence(this.client);
  }

  /** It works, as far as one can know without waiting for it. */
  get isBusy(): boolean {
    return binding.state(this.client) === "running" && binding.isBusy(this.client);
  }

  /** There is a process with all memory, as far as is known. */
  get isWhole(): boolean {
    return this.#whole;
  }

  /**
   * Makes the process whole after it took no record. Throws what it died of, once; returns when there is only something
   * to try again. It writes no records.
   */
  recover(outcome: "died" | "interrupted"): void {
    this.#attend(outcome);
  }

  /**
   * Ends the process and starts another one with all memory. Work that was not done is lost, and who awaits it is told
   * so. Throws DeviceUnavailable where no other one starts.
   */
  restart(): void {
    this.#interrupted = true;
    this.#heal([]);
  }

  /** What to throw where a new process does not stay either. */
  unavailable(reason: string): DeviceUnavailable {
    const sentence = `${this.name} could not be started again: ${reason.replace(/\.$/, "")}. Every use of the device tries again.`;
    return new DeviceUnavailable("RESTART_FAILED", this.name, sentence, { cause: this.#pendingFault });
  }

  /** Notes that the process was killed on the user's wish. */
  killInterrupted(): void {
    this.#interrupted = true;
    binding.kill(this.client);
  }

  /**
   * Registers what looks, after every wait, at what a stream's kernels up to a sequence have told of themselves; the
   * wait throws what it returns.
   */
  onWait(check: (on: Execution, completed: number) => WarpcellError | undefined): void {
    this.#checks.push(check);
  }

  /** Waits for all devices, and throws the first error. Called on a fresh stack, at the end of a cell. */
  static async settle(): Promise<void> {
    const failures: unknown[] = [];
    for (const device of running.values()) {
      await device.#settle().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #settle(): Promise<void> {
    if (this.#hasHealed) {
      // Others may have waited for what was lost. Waits end in the order in which they began, and a rejection that
      // nobody awaits is known a turn later.
      this.#hasHealed = false;
      await this.synchronizeAsync();
      await new Promise(setImmediate);
      return;
    }
    const isSettled =
      this.#whole &&
      binding.state(this.client) === "running" &&
      this.#executions.every(
        ({ stream }) => binding.completed(this.client, stream) === binding.submitted(this.client, stream),
      );
    if (isSettled) {
      hazards.current?.of(this).idle();
      this.#throwRefused();
    } else await this.synchronizeAsync();
  }

  #send<N extends MessageName>(name: N, request: RequestOf<N>): number {
    const fields = requestFields(name, request);
    for (;;) {
      let sequence = -1;
      if (this.#whole) {
        this.residents.provideFor(name, request);
        sequence = binding.request(this.client, Op[name], fields, origin.current);
      }
      if (sequence > 0) return sequence;
      this.#attend(sequence === -1 ? "died" : "interrupted");
    }
  }

  #take(sequence: number): Uint8Array[] {
    const answer = binding.reply(this.client, sequence);
    if (answer === null) throw new WarpcellError("PROTOCOL", `${this.name} did not answer command ${sequence}.`);
    return answerFields(answer, this.name);
  }

  #await(stream: number, sequence: number): void {
    while (!this.#concluded(sequence, binding.wait(this.client, stream, sequence, -1)));
  }

  async #awaitAsync(stream: number, sequence: number): Promise<void> {
    while (!this.#concluded(sequence, await binding.waitAsync(this.client, stream, sequence)));
  }

  /** Whether a wait is over. Throws what the sequence was lost to; a restart counts it as completed. */
  #concluded(sequence: number, outcome: Outcome): boolean {
    const cause = this.#lost.causeOf(sequence);
    if (cause !== undefined) throw cause;
    if (outcome === "done") return true;
    this.#attend(outcome);
    return false;
  }

  /** Deals with what a wait or a submission met, and throws it; returns when there is only something to try again. */
  #attend(outcome: Outcome): void {
    const records = outcome === "error" ? binding.errors(this.client) : [];
    if (outcome === "error" && !records.some(({ fatal }) => fatal)) {
      for (const refusal of records)
        this.#refused ??= refusalOf(refusal, this.name, binding.flights(this.client, refusal.sequence, refusal.last));
      return;
    }

    if (outcome === "interrupted") interruptAll(running.values());
    const error = this.#heal(records);
    if (error instanceof InterruptedError) noteInterruption(error);
    const isReported = outcome === "died" && error instanceof InterruptedError;
    if (!isReported) throw error;
  }

  /** A new process with the memory of the old one. Its steps can be repeated: an interrupt may end it between any two. */
  #heal(records: ErrorRecord[]): DeviceFault | InterruptedError {
    this.#whole = false;
    binding.kill(this.client);
    this.#pendingFault ??= this.#faultOf(records);

    try {
      binding.restart(this.client);
    } catch (reason) {
      throw this.unavailable(reason instanceof Error ? reason.message : String(reason));
    }
    this.residents.restarted();
    hazards.current?.of(this).idle();

    const error = this.#pendingFault;
    this.#hasHealed = true;
    this.#pendingFault = undefined;
    this.#interrupted = false;
    this.#whole = true;
    return error;
  }

  #faultOf(records: ErrorRecord[]): DeviceFault | InterruptedError {
    const unfinished = binding.unfinished(this.client);
    const loss: Loss = {
      device: this.name,
      state: binding.state(this.client),
      records: [...records, ...binding.errors(this.client)],
      flights: unfinished.flatMap(({ first, last }) => binding.flights(this.client, first, last)),
      shareable: this.properties.shareable,
    };

    const isFault = loss.records.some(({ fatal }) => fatal);
    const isInterrupted = !isFault && (this.#interrupted || loss.state === "interrupted");
    const error = isInterrupted ? interruptionOf(loss) : faultOf(loss);
    this.#lost.add(unfinished, this.#asked, error);
    return error;
  }

  #throwRefused(): void {
    let refused = this.#refused;
    this.#refused = undefined;
    for (const on of this.#executions) {
      for (const check of this.#checks) {
        const found = check(on, binding.completed(this.client, on.stream));
        refused ??= found;
      }
    }
    if (refused !== undefined) throw refused;
  }
}
