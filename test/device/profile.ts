// Profiles as tests read them: turns the answers of profile_start and profile_stop into objects.
import type { DeviceProcess } from "../../native/lib/device/process.ts";

const recordBytes = 88;

/** In the order of `ProfileKind`. */
const kinds = ["", "kernel", "copy", "fill", "call", "wait", "worker", "overhead"] as const;

export interface RawRecord {
  sequence: number;
  /** Nanoseconds of `process.hrtime`. */
  start: number;
  end: number;
  bytes: number;
  kind: (typeof kinds)[number];
  name: string;
  lane: number;
  blocks: number;
  grid: number[];
  block: number[];
  staticShared: number;
  dynamicShared: number;
  local: number;
  registers: number;
}

export interface RawProfile {
  records: RawRecord[];
  dropped: number;
  notes: string[];
  counters: { sequence: number; metrics: Record<string, number> }[];
  samples: { symbol: string; name: string; instructions: { offset: number; samples: Record<string, number> }[] }[];
}

/** Starts a profile and returns its notes. */
export function startProfile(device: DeviceProcess, counters = false, samples = false): string[] {
  return (JSON.parse(device.request("profile_start", { counters, samples }).notes) as { notes: string[] }).notes;
}

export function stopProfile(device: DeviceProcess): RawProfile {
  const { summary, records: bytes } = device.request("profile_stop", {});
  const { names, ...rest } = JSON.parse(summary) as Omit<RawProfile, "records"> & { names: string[] };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const records = Array.from({ length: bytes.length / recordBytes }, (_, index): RawRecord => {
    const at = index * recordBytes;
    const word = (offset: number): number => view.getUint32(at + offset, true);
    const long = (offset: number): number => Number(view.getBigUint64(at + offset, true));
    return {
      sequence: long(0),
      start: long(8),
      end: long(16),
      bytes: long(24),
      kind: kinds[word(32)]!,
      name: names[word(36)]!,
      lane: word(40),
      blocks: word(44),
      grid: [word(48), word(52), word(56)],
      block: [word(60), word(64), word(68)],
      staticShared: word(72),
      dynamicShared: word(76),
      local: word(80),
      registers: word(84),
    };
  });
  return { records, ...rest };
}

export const ofKind = (profile: RawProfile, kind: RawRecord["kind"]): RawRecord[] =>
  profile.records.filter((record) => record.kind === kind);
