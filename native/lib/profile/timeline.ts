// Joins what this process noted and what devices recorded: events and records become slices on one clock, each with its line, its facts and what caused it.
import { kernelName, originCell, originText } from "../device/origins.ts";
import type { DeviceProcess } from "../device/process.ts";
import { Op } from "../wire/commands.ts";
import type { ProfileRecords } from "../wire/profile-records.ts";
import { countText, shapeText, sizeText } from "./figures.ts";
import { EventKind } from "./log.ts";
import { LaunchList } from "./launches.ts";
import { stackKey, type RanOperation, type Recorder } from "./recorder.ts";
import { Interned, type Detail, type Draft, type Place, type Track } from "./slices.ts";
import { occupancyOf } from "./occupancy.ts";

/** What one device recorded. */
export interface DeviceRecords { readonly device: DeviceProcess; readonly records: ProfileRecords; readonly names: readonly string[]; readonly counters: ReadonlyMap<number, Record<string, number>>; }

export interface Timeline { readonly drafts: Draft[]; readonly tracks: Track[]; readonly names: string[]; readonly places: Place[]; readonly details: Detail[]; readonly launches: LaunchList; }

const opTexts: Readonly<Record<number, string>> = {
  [Op.copy]: "copy", [Op.fill]: "fill", [Op.segment_create]: "get memory", [Op.segment_import]: "get memory", [Op.segment_release]: "give memory back", [Op.compile]: "compile", [Op.module_load]: "load kernels",
  [Op.module_unload]: "unload kernels", [Op.occupancy]: "occupancy", [Op.time]: "time a kernel", [Op.disassemble]: "disassemble", [Op.address]: "address", [Op.plan]: "plan a library call", [Op.hello]: "start a device",
};
const requestKinds: Readonly<Record<number, string>> = { [Op.compile]: "compile", [Op.module_load]: "compile", [Op.plan]: "compile" };

export class TimelineBuilder {
  readonly drafts: Draft[] = [];
  readonly tracks: Track[] = [];
  readonly launches = new LaunchList();
  readonly #names = new Interned<string>();
  readonly #places = new Interned<Place>();
  readonly #details = new Interned<Detail>();
  readonly #placeOfOrigin = new Map<number, number>();
  readonly #trackOf = new Map<string, number>();
  readonly #recorder: Recorder;
  /** By device and sequence: the draft of the command in this process, and its event. */
  readonly #commands = new Map<DeviceProcess, Map<number, { draft: number; event: number }>>();

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  build(devices: readonly DeviceRecords[]): Timeline {
    this.#addEvents();
    for (const recorded of devices) this.#addRecords(recorded);
    return { drafts: this.drafts, tracks: this.tracks, names: this.#names.items, places: this.#places.items, details: this.#details.items, launches: this.launches };
  }

  #time(milliseconds: number): number {
    return (milliseconds - this.#recorder.start) * 1e6;
  }

  #track(name: string, kind: Track["kind"], device: string | null): number {
    const key = `${name}\0${device}`;
    let track = this.#trackOf.get(key);
    if (track === undefined) this.#trackOf.set(key, (track = this.tracks.push({ name, kind, device, depth: 1 }) - 1));
    return track;
  }

  #place(site: number): number {
    let place = this.#placeOfOrigin.get(site);
    if (place !== undefined) return place;
    const text = originText(site);
    place = text === undefined ? -1 : this.#places.of(text, () => {
      const [, count = "0", line = "0"] = /\[(\d+)\]:(\d+)$/.exec(text) ?? [];
      return { text, cell: originCell(site) ?? null, count: Number(count), line: Number(line) };
    });
    this.#placeOfOrigin.set(site, place);
    return place;
  }

  #name(text: string): number {
    return this.#names.of(text, () => text);
  }

  #detail(kind: string, facts: [string, string][], bytes: number | null, flops: number | null, stack: string[] = []): number {
    return this.#details.of(`${kind}\0${facts.join("\0")}\0${bytes}\0${flops}\0${stack.join("\0")}`, () => ({ kind, facts, bytes, flops, stack }));
  }

  #addEvents(): void {
    const { log, devices, end: concluded } = this.#recorder;
    const host = this.#track("TypeScript", "host", null);
    for (let event = 0; event < log.length; event++) {
      const kind = log.kind[event] as EventKind;
      if (log.start[event]! > concluded) continue;
      const device = log.device[event]! === 0 ? null : devices[log.device[event]! - 1]!;
      const isRange = kind === EventKind.range;
      const { name, detail } = this.#describe(event, kind, device);
      const draft = this.drafts.push({
        track: isRange ? this.#track("annotations", "range", null) : host, start: Math.max(0, this.#time(log.start[event]!)), end: this.#time(Math.min(log.end[event]!, concluded)),
        name: this.#name(name), place: this.#place(log.origin[event]!), detail, cause: -1, kernel: -1, depth: 0,
      }) - 1;
      if (kind !== EventKind.command || device === null) continue;
      let commands = this.#commands.get(device);
      if (commands === undefined) this.#commands.set(device, (commands = new Map()));
      commands.set(log.sequence[event]!, { draft, event });
    }
  }

  #describe(event: number, kind: EventKind, device: DeviceProcess | null): { name: string; detail: number } {
    const { log, texts, described, stacks } = this.#recorder;
    const on: [string, string][] = device === null ? [] : [["device", device.name]];
    const more = log.more[event]! === 0 ? null : described[log.more[event]! - 1]!;
    switch (kind) {
      case EventKind.command: {
        const subject = log.subject[event]!;
        const stack = framesOf(stacks.get(stackKey(log.origin[event]!, subject)) ?? "");
        const isLaunch = subject !== 0;
        const name = isLaunch ? `launch ${kernelName(subject)}` : (opTexts[log.op[event]!] ?? "command");
        return { name, detail: this.#detail(isLaunch ? "launch" : "submit", [...on, ...operandFacts(more?.operands)], more?.bytes ?? null, more?.flops ?? null, stack) };
      }
      case EventKind.operation: return { name: (more as RanOperation).name, detail: this.#detail("operation", [...on, ...operandFacts(more!.operands)], more!.bytes ?? null, more!.flops ?? null) };
      case EventKind.request: {
        const op = log.op[event]!;
        return { name: opTexts[op] ?? "request", detail: this.#detail(requestKinds[op] ?? "request", on, null, null) };
      }
      case EventKind.wait: return { name: `wait for ${device!.name}`, detail: this.#detail("wait", [["JavaScript", log.subject[event] === 1 ? "blocked" : "free meanwhile"]], null, null) };
      case EventKind.range: return { name: texts[log.subject[event]!]!, detail: this.#detail("range", [], null, null) };
      case EventKind.collector: return { name: texts[log.subject[event]!]!, detail: this.#detail("collector", [], null, null) };
      case EventKind.cell: return { name: texts[log.subject[event]!]!, detail: this.#detail("cell", [], null, null) };
    }
  }

  #addRecords(recorded: DeviceRecords): void {
    const { device, records, names, counters } = recorded;
    const commands = this.#commands.get(device);
    const { log } = this.#recorder;
    const kernelsOf = this.#kernelsOfOperations(recorded);
    const whole = this.#time(this.#recorder.end);
    for (let at = 0; at < records.length; at++) {
      const kind = records.kind(at);
      if (kind === undefined) continue;
      const [start, end] = [records.start(at), records.end(at)];
      if (end < 0 || start > whole) continue;
      const sequence = records.sequence(at);
      const command = commands?.get(sequence);
      const own = names[records.name(at)] ?? kind;
      const owner = command === undefined ? 0 : log.owner[command.event]!;
      const isAlone = owner === 0 || kernelsOf.get(owner) === 1;
      const more = command === undefined || !isAlone ? null : this.#known(owner, command.event);
      const place = command === undefined ? -1 : this.drafts[command.draft]!.place;
      const draft = { start: Math.max(0, start), end, place, cause: command?.draft ?? -1, kernel: -1, depth: 0 };
      const isFrom = command?.draft ?? -1;
      switch (kind) {
        case "kernel": {
          const shape = { grid: records.grid(at), block: records.block(at), registers: records.registers(at), shared: records.staticShared(at) + records.dynamicShared(at) };
          const fill = occupancyOf(device.properties.arch, device.properties.multiprocessors, shape);
          const operation = owner === 0 ? null : (this.#recorder.described[log.more[owner - 1]! - 1] as RanOperation);
          const facts: [string, string][] = [["grid", shapeText(shape.grid)], ["block", shapeText(shape.block)]];
          if (shape.registers > 0) facts.push(["registers", String(shape.registers)]);
          if (shape.shared > 0) facts.push(["shared memory", sizeText(shape.shared)]);
          if (records.local(at) > 0) facts.push(["local memory of a thread", sizeText(records.local(at))]);
          if (fill !== null) facts.push(["occupancy", `${fill.theoretical.toFixed(0)} %, by ${fill.limiter}`]);
          if (operation !== null) facts.push(["operation", operation.name]);
          facts.push(...operandFacts((operation ?? more)?.operands));
          const detail = this.#detail("kernel", facts, more?.bytes ?? null, more?.flops ?? null);
          const index = this.drafts.push({ ...draft, track: this.#track(`stream ${records.lane(at)}`, "stream", device.name), name: this.#name(own), detail }) - 1;
          this.launches.add({
            draft: index, device: device.name, name: own, operation: operation?.name ?? null, place, start: draft.start, end, ...shape, local: records.local(at), occupancy: fill, bytes: more?.bytes ?? null, flops: more?.flops ?? null,
            dtype: more?.operands.find(({ dtype }) => dtype.startsWith("float") || dtype === "bfloat16")?.dtype ?? null, counters: counters.get(sequence) ?? null,
          });
          break;
        }
        case "copy":
        case "fill": {
          const bytes = records.bytes(at);
          const detail = this.#detail(kind, [["size", sizeText(bytes)]], bytes, null);
          this.drafts.push({ ...draft, track: this.#track(`stream ${records.lane(at)}`, "stream", device.name), name: this.#name(own), detail });
          break;
        }
        case "worker": {
          const detail = this.#detail("worker", [["blocks", countText(records.blocks(at))]], null, null);
          this.drafts.push({ ...draft, cause: isFrom, track: this.#track(`core ${records.lane(at)}`, "worker", device.name), name: this.#name(own), detail });
          break;
        }
        default:
          this.drafts.push({ ...draft, cause: isFrom, track: this.#track(`process of ${device.name}`, "host", device.name), name: this.#name(own), detail: this.#detail(kind, [], null, null) });
      }
    }
  }

  /** How many kernels each operation launched. What it moves and computes in all is known, so that of one among several is not. */
  #kernelsOfOperations({ device, records }: DeviceRecords): Map<number, number> {
    const commands = this.#commands.get(device);
    const counts = new Map<number, number>();
    for (let at = 0; at < records.length; at++) {
      const command = records.kind(at) === "kernel" ? commands?.get(records.sequence(at)) : undefined;
      const owner = command === undefined ? 0 : this.#recorder.log.owner[command.event]!;
      if (owner > 0) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    return counts;
  }

  #known(owner: number, event: number) {
    const { log, described } = this.#recorder;
    const more = log.more[owner > 0 ? owner - 1 : event]!;
    return more === 0 ? null : described[more - 1]!;
  }
}

function operandFacts(operands: RanOperation["operands"] = []): [string, string][] {
  return operands.map(({ name, dtype, shape }) => [name, `${dtype} [${shape.join(", ")}]`]);
}

/** The frames of a stack that are not the library's own. */
function framesOf(stack: string): string[] {
  return stack.split("\n").slice(1).map((line) => line.replace(/^\s*at /, "")).filter((line) => !line.includes(libraryFolder) && !line.includes("node:internal"));
}

const libraryFolder = new URL("../", import.meta.url).pathname;

