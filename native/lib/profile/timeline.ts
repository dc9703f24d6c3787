// Joins what this process noted and what devices recorded: events and records become slices on one clock, each with its
// line, its facts and what caused it.
import { noteLaunchTime } from "../cuda/launch-times.ts";
import { kernelName, originPlace, placeText, type CodePlace } from "../device/origins.ts";
import type { DeviceProcess } from "../device/process.ts";
import { Op } from "../wire/commands.ts";
import type { ProfileRecords } from "../wire/profile-records.ts";
import { countText, shapeText, sizeText } from "../figures.ts";
import { EventKind } from "./log.ts";
import { Drafts } from "./drafts.ts";
import type { FunctionRun } from "./functions.ts";
import { LaunchList, type LaunchFacts } from "./launches.ts";
import type { Described } from "../device/activity.ts";
import { stackKey, type RanOperation, type Recorder } from "./recorder.ts";
import { Interned, type Detail, type Place, type Track } from "./slices.ts";
import { occupancyOf } from "./occupancy.ts";
import { RanWork } from "./ran-work.ts";

/** What one device recorded. */
export interface DeviceRecords {
  readonly device: DeviceProcess;
  readonly records: ProfileRecords;
  readonly names: readonly string[];
  readonly counters: ReadonlyMap<number, readonly Record<string, number>[]>;
}

export interface Timeline {
  readonly drafts: Drafts;
  readonly tracks: Track[];
  readonly names: string[];
  readonly places: Place[];
  readonly details: Detail[];
  readonly launches: LaunchList;
}

const opTexts: Readonly<Record<number, string>> = {
  [Op.copy]: "copy",
  [Op.fill]: "fill",
  [Op.segment_create]: "get memory",
  [Op.segment_import]: "get memory",
  [Op.segment_release]: "give memory back",
  [Op.compile]: "compile",
  [Op.module_load]: "load kernels",
  [Op.module_unload]: "unload kernels",
  [Op.variables_find]: "load variables",
  [Op.variable_write]: "set a variable",
  [Op.variable_read]: "read a variable",
  [Op.occupancy]: "occupancy",
  [Op.time]: "time a kernel",
  [Op.disassemble]: "disassemble",
  [Op.address]: "address",
  [Op.plan]: "plan a library call",
  [Op.host_load]: "load host functions",
  [Op.host_call]: "host function",
  [Op.host_resume]: "host function",
  [Op.host_unload]: "unload host functions",
  [Op.hello]: "start a device",
};
const requestKinds: Readonly<Record<number, string>> = {
  [Op.compile]: "compile",
  [Op.module_load]: "compile",
  [Op.plan]: "compile",
};

/** A kernel's launch as its records say it, with what it was found to be. */
interface KnownKernel {
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly registers: number;
  readonly shared: number;
  readonly local: number;
  readonly more: Described | null;
  readonly operation: string | null;
  readonly detail: number;
  readonly group: number;
  readonly facts: LaunchFacts;
}

export class TimelineBuilder {
  readonly drafts = new Drafts();
  readonly tracks: Track[] = [];
  readonly launches = new LaunchList();
  readonly #names = new Interned<string>();
  readonly #places = new Interned<Place>();
  readonly #details = new Interned<Detail>();
  readonly #placeOfOrigin = new Map<number, number>();
  readonly #trackOf = new Map<string, number>();
  readonly #recorder: Recorder;
  /** By call site and kernel: the command that was described last, which most are like. */
  readonly #described = new Map<
    number,
    { name: string; detail: number; more: Described | null; op: number; device: DeviceProcess | null }
  >();
  /** By device and sequence: the draft of the command in this process, and its event. */
  readonly #commands = new Map<DeviceProcess, Map<number, { draft: number; event: number }>>();
  /** Drafts of annotations. */
  readonly #ranges: number[] = [];

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /** `base`: nanoseconds of the monotonic clock at the start. */
  build(devices: readonly DeviceRecords[], runs: readonly FunctionRun[] = [], base = 0): Timeline {
    this.#addEvents();
    this.#addFunctions(runs, base);
    for (const recorded of devices) this.#addRecords(recorded);
    return {
      drafts: this.drafts,
      tracks: this.tracks,
      names: this.#names.items,
      places: this.#places.items,
      details: this.#details.items,
      launches: this.launches,
    };
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
    const found = originPlace(site);
    if (found === undefined) place = -1;
    else place = this.#placeAt(found);
    this.#placeOfOrigin.set(site, place);
    return place;
  }

  #placeAt(found: CodePlace): number {
    const { cell, count, line } = found;
    const text = placeText(found);
    return this.#places.of(text, () => ({ text, cell, count, line }));
  }

  #name(text: string): number {
    return this.#names.of(text, () => text);
  }

  #detail(
    kind: string,
    facts: [string, string][],
    bytes: number | null,
    flops: number | null,
    stack: string[] = [],
  ): number {
    return this.#details.of(`${kind}\0${facts.join("\0")}\0${bytes}\0${flops}\0${stack.join("\0")}`, () => ({
      kind,
      facts,
      bytes,
      flops,
      stack,
    }));
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
      const track = isRange ? this.#track("annotations", "range", null) : host;
      const draft = this.drafts.add(
        track,
        Math.max(0, this.#time(log.start[event]!)),
        this.#time(Math.min(log.end[event]!, concluded)),
        this.#name(name),
        this.#place(log.origin[event]!),
        detail,
      );
      if (isRange) this.#ranges.push(draft);
      if (device === null || (kind !== EventKind.command && kind !== EventKind.request)) continue;
      let commands = this.#commands.get(device);
      if (commands === undefined) this.#commands.set(device, (commands = new Map()));
      commands.set(log.sequence[event]!, { draft, event });
    }
  }

  #addFunctions(runs: readonly FunctionRun[], base: number): void {
    const last = this.#time(this.#recorder.end);
    for (const { name, place, start, end } of runs) {
      const [from, to] = [start, end].map((time) => Math.min(Math.max(time * 1000 - base, 0), last)) as [
        number,
        number,
      ];
      if (from === to) continue;
      const track = this.#track("functions", "range", null);
      const at = place === undefined ? -1 : this.#placeAt(place);
      this.drafts.add(track, from, to, this.#name(name), at, this.#detail("function", [], null, null));
    }
  }

  #describe(event: number, kind: EventKind, device: DeviceProcess | null): { name: string; detail: number } {
    const { log, texts, described: descriptions, stacks } = this.#recorder;
    const on: [string, string][] = device === null ? [] : [["device", device.name]];
    const more = log.more[event]! === 0 ? null : descriptions[log.more[event]! - 1]!;
    switch (kind) {
      case EventKind.command: {
        const subject = log.subject[event]!;
        const isLaunch = subject !== 0;
        const key = stackKey(log.origin[event]!, subject);
        const before = this.#described.get(key);
        if (before !== undefined && before.more === more && before.op === log.op[event] && before.device === device)
          return before;
        const name = isLaunch ? `launch ${kernelName(subject)}` : (opTexts[log.op[event]!] ?? "command");
        const detail = this.#detail(
          isLaunch ? "launch" : "submit",
          [...on, ...operandFacts(more?.operands)],
          more?.bytes ?? null,
          more?.flops ?? null,
          framesOf(stacks.get(key) ?? ""),
        );
        const described = { name, detail, more, op: log.op[event]!, device };
        this.#described.set(key, described);
        return described;
      }
      case EventKind.operation:
        return {
          name: (more as RanOperation).name,
          detail: this.#detail(
            "operation",
            [...on, ...operandFacts(more!.operands)],
            more!.bytes ?? null,
            more!.flops ?? null,
          ),
        };
      case EventKind.request: {
        const op = log.op[event]!;
        return { name: opTexts[op] ?? "request", detail: this.#detail(requestKinds[op] ?? "request", on, null, null) };
      }
      case EventKind.wait:
        return {
          name: `wait for ${device!.name}`,
          detail: this.#detail(
            "wait",
            [["JavaScript", log.subject[event] === 1 ? "blocked" : "free meanwhile"]],
            null,
            null,
          ),
        };
      case EventKind.range:
        return { name: texts[log.subject[event]!]!, detail: this.#detail("range", [], null, null) };
      case EventKind.collector:
        return { name: texts[log.subject[event]!]!, detail: this.#detail("collector", [], null, null) };
      case EventKind.cell:
        return { name: texts[log.subject[event]!]!, detail: this.#detail("cell", [], null, null) };
    }
  }

  #addRecords(recorded: DeviceRecords): void {
    const { device, records, names, counters } = recorded;
    const commands = this.#commands.get(device);
    const kernelsOf = this.#kernelsOfOperations(recorded);
    const whole = this.#time(this.#recorder.end);
    const known: KnownKernel[] = [];
    /** Details by blocks. */
    const parts = new Map<number, number>();
    const ran = new RanWork();
    /** Of the last kernel: its command, and which of its kernels it is. */
    let [last, nth] = [0, 0];
    for (let at = 0; at < records.length; at++) {
      const kind = records.kind(at);
      if (kind === undefined) continue;
      const [start, end] = [Math.max(0, records.start(at)), records.end(at)];
      if (end < 0 || start > whole) continue;
      const sequence = records.sequence(at);
      const command = commands?.get(sequence);
      const name = names[records.name(at)] ?? kind;
      const cause = command?.draft ?? -1;
      const place = cause < 0 ? -1 : this.drafts.place[cause]!;
      const add = (track: number, detail: number, kernel = -1) =>
        this.drafts.add(track, start, end, this.#name(name), place, detail, cause, kernel);
      if (cause >= 0 && (kind === "kernel" || kind === "copy" || kind === "fill"))
        ran.add(this.drafts.start[cause]!, start, end);
      switch (kind) {
        case "kernel": {
          const number = records.name(at);
          // A library's call may have several.
          nth = sequence === last ? nth + 1 : 0;
          last = sequence;
          const kernel = this.#kernel(device, name, records, at, command?.event, kernelsOf, known[number]);
          known[number] = kernel;
          add(this.#track(`stream ${records.lane(at)}`, "stream", device.name), kernel.detail, kernel.group);
          if (command !== undefined && this.#recorder.log.op[command.event] === Op.launch)
            noteLaunchTime(this.#recorder.log.subject[command.event]!, (end - start) / 1e6);
          this.launches.add(kernel.group, kernel.facts, start, end, place, counters.get(sequence)?.[nth]);
          break;
        }
        case "copy":
        case "fill": {
          const bytes = records.bytes(at);
          add(
            this.#track(`stream ${records.lane(at)}`, "stream", device.name),
            this.#detail(kind, [["size", sizeText(bytes)]], bytes, null),
          );
          break;
        }
        case "worker": {
          const blocks = records.blocks(at);
          let detail = parts.get(blocks);
          if (detail === undefined)
            parts.set(blocks, (detail = this.#detail("worker", [["blocks", countText(blocks)]], null, null)));
          add(this.#track(`core ${records.lane(at)}`, "worker", device.name), detail);
          break;
        }
        default:
          add(this.#track(`process of ${device.name}`, "host", device.name), this.#detail(kind, [], null, null));
      }
    }
    this.#addRanges(device.name, ran);
  }

  /** What annotations enclose is done later on a device: there they are where that is. */
  #addRanges(device: string, ran: RanWork): void {
    const { drafts } = this;
    for (const range of this.#ranges) {
      const begun = drafts.start[range]!;
      const done = ran.startedBetween(begun, drafts.end[range]!);
      if (done === null) continue;
      const track = this.#track("annotations", "range", device);
      const detail = this.#detail("device range", [], null, null);
      drafts.add(track, done.start, done.end, drafts.name[range]!, drafts.place[range]!, detail, range);
    }
  }

  /** `before`: the launch of that name before this one, which most are like. */
  #kernel(
    device: DeviceProcess,
    name: string,
    records: ProfileRecords,
    at: number,
    event: number | undefined,
    kernelsOf: ReadonlyMap<number, number>,
    before: KnownKernel | undefined,
  ): KnownKernel {
    const { log, described } = this.#recorder;
    const owner = event === undefined ? 0 : log.owner[event]!;
    const operation = owner > 0 ? (described[log.more[owner - 1]! - 1] as RanOperation) : null;
    const own = event === undefined || log.more[event] === 0 ? null : described[log.more[event]! - 1]!;
    const operationName =
      operation?.name ??
      (event !== undefined && log.kind[event] === EventKind.request ? opTexts[log.op[event]!]! : null);
    // What an operation moves and computes in all is known, so that of one among several kernels is not.
    const more = operation === null ? own : kernelsOf.get(owner) === 1 ? operation : null;
    const [grid, block, registers, local] = [
      records.grid(at),
      records.block(at),
      records.registers(at),
      records.local(at),
    ];
    const shared = records.staticShared(at) + records.dynamicShared(at);
    const isLike =
      before !== undefined &&
      before.more === more &&
      before.operation === operationName &&
      before.registers === registers &&
      before.shared === shared &&
      before.local === local &&
      before.grid.every((length, axis) => length === grid[axis]) &&
      before.block.every((length, axis) => length === block[axis]);
    if (isLike) return before;
    const occupancy = occupancyOf(device.properties.arch, device.properties.multiprocessors, {
      grid,
      block,
      registers,
      shared,
    });
    const facts: [string, string][] =
      grid[0] === 0
        ? []
        : [
            ["grid", shapeText(grid)],
            ["block", shapeText(block)],
          ];
    if (registers > 0) facts.push(["registers", String(registers)]);
    if (shared > 0) facts.push(["shared memory", sizeText(shared)]);
    if (local > 0) facts.push(["local memory of a thread", sizeText(local)]);
    if (occupancy !== null) facts.push(["occupancy", `${occupancy.theoretical.toFixed(0)} %, by ${occupancy.limiter}`]);
    if (operationName !== null) facts.push(["operation", operationName]);
    facts.push(...operandFacts((operation ?? own)?.operands));
    const [bytes, flops] = [more?.bytes ?? null, more?.flops ?? null];
    const dtype =
      more?.operands.find((operand) => operand.dtype.startsWith("float") || operand.dtype === "bfloat16")?.dtype ??
      null;
    const launch: LaunchFacts = {
      device: device.name,
      name,
      operation: operationName,
      grid,
      block,
      registers,
      shared,
      local,
      occupancy,
      bytes,
      flops,
      dtype,
    };
    return {
      grid,
      block,
      registers,
      shared,
      local,
      more,
      operation: operationName,
      detail: this.#detail("kernel", facts, bytes, flops),
      group: this.launches.groupOf(launch),
      facts: launch,
    };
  }

  /** How many kernels each operation launched. */
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
}

function operandFacts(operands: RanOperation["operands"] = []): [string, string][] {
  return operands.map(({ name, dtype, shape }) => [name, `${dtype} [${shape.join(", ")}]`]);
}

/** The frames of a stack that are not the library's own. */
function framesOf(stack: string): string[] {
  return stack
    .split("\n")
    .slice(1)
    .map((line) => line.replace(/^\s*at /, ""))
    .filter((line) => !line.includes(libraryFolder) && !line.includes("node:internal"));
}

const libraryFolder = new URL("../", import.meta.url).pathname;
