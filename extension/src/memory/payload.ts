// Checks what the kernel says of the memory of its devices, and asks for it.
import { trans } from "../drawing/trans.ts";
import type {
  CellMemory,
  DeviceMemory,
  MemoryBlock,
  MemoryReply,
  MemorySegment,
  ReleaseRequest,
  TracePlace,
} from "../../../kernel/mime.ts";
import { memoryTarget } from "../../../kernel/mime.ts";
import { CommQuestions } from "../kernel-link/comm-questions.ts";
import type { Checked, Expectations } from "../kernel-link/fields.ts";
import {
  checkFields,
  count,
  counts,
  finite,
  flag,
  list,
  orNull,
  problemIn,
  text,
  texts,
  within,
} from "../kernel-link/fields.ts";
import type { NotebookInFront } from "../kernel-link/notebook-in-front.ts";

export type Memory = Pick<MemoryReply, "devices" | "cells" | "running">;

const deviceFields: Expectations<DeviceMemory> = {
  device: text,
  allocated: count,
  reserved: count,
  peak: count,
  free: count,
  largestFree: count,
  named: orNull(count),
  places: list,
  segments: list,
  largest: list,
  byCell: list,
};
const placeFields: Expectations<TracePlace> = { text, cell: orNull(text), count, line: count };
const segmentFields: Expectations<MemorySegment> = { bytes: count, blocks: list };
const blockFields: Expectations<MemoryBlock> = {
  bytes: count,
  count,
  place: within(-1, Number.MAX_SAFE_INTEGER),
  shape: orNull(counts),
  dtype: orNull(text),
  names: texts,
  since: orNull(finite),
};
const shareFields: Expectations<DeviceMemory["byCell"][number]> = { text, bytes: count, blocks: count };
const cellFields: Expectations<CellMemory> = {
  text,
  cell: orNull(text),
  count,
  device: text,
  before: count,
  peak: count,
  after: count,
  running: flag,
};

const what = (): string => trans.__("a device's memory");

/** What is wrong with what is said of one device; `null`: nothing. */
export function problemOfDevice(device: unknown): string | null {
  const checked = checkFields(what(), device, deviceFields);
  if (!checked.ok) return checked.problem;
  const { places, segments, largest, byCell } = checked.value;
  const problem =
    problemIn(trans.__("place"), what(), places, placeFields) ??
    problemIn(trans.__("segment"), what(), segments, segmentFields) ??
    problemIn(trans.__("block"), what(), largest, blockFields) ??
    problemIn(trans.__("cell"), what(), byCell, shareFields);
  if (problem !== null) return problem;
  for (const { blocks } of segments) {
    const inSegment = problemIn(trans.__("block"), what(), blocks, blockFields);
    if (inSegment !== null) return inSegment;
  }
  const isListed = ({ place }: MemoryBlock) => place <= places.length;
  return [...largest, ...segments.flatMap(({ blocks }) => blocks)].every(isListed)
    ? null
    : trans.__("A block of a device's memory names a place that is not listed.");
}

export function checkMemory(data: unknown): Checked<Memory> {
  const { devices, cells, running } = data as { [Name in keyof Memory]?: unknown };
  if (!Array.isArray(devices) || !Array.isArray(cells))
    return { ok: false, problem: trans.__("The kernel's answer has no lists of devices and cells.") };
  const problem =
    devices.reduce<string | null>((found, device) => found ?? problemOfDevice(device), null) ??
    problemIn(trans.__("cell"), trans.__("the memory"), cells, cellFields);
  if (problem !== null) return { ok: false, problem };
  return { ok: true, value: { devices, cells, running: running === true } as Memory };
}

const gone = () => trans.__("The kernel does not say: it has ended, or is older than this panel.");

export class MemorySource {
  private readonly questions: CommQuestions;

  constructor(front: NotebookInFront) {
    this.questions = new CommQuestions(memoryTarget, gone, () => front.kernel);
  }

  close(): void {
    this.questions.close();
  }

  async ask(): Promise<Checked<Memory>> {
    const answer = await this.questions.ask({ memory: true });
    return answer.ok ? checkMemory(answer.value.data) : answer;
  }

  /** Returns how many bytes. */
  async release(release: ReleaseRequest["release"]): Promise<Checked<number>> {
    const answer = await this.questions.ask({ release });
    return answer.ok ? { ok: true, value: Number((answer.value.data as { freed?: unknown }).freed) } : answer;
  }
}
