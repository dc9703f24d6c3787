// What a device says of itself: turns the JSON of its hello into a checked type.
import { WarpcellError } from "../errors.ts";
import { runnableArchitectures } from "./architectures.ts";

/** The facts of a device. Bytes; `null` where a device has no such figure. */
export interface DeviceProperties {
  /** As its maker calls it: "NVIDIA H200", "AMD EPYC 9654". */
  name: string;
  kind: "cpu" | "cuda";
  index: number;
  /** "sm_90a", "x86_64". */
  arch: string;
  warpSize: number;
  multiprocessors: number;
  maxThreadsPerBlock: number;
  maxBlock: [number, number, number];
  maxGrid: [number, number, number];
  sharedPerBlock: number;
  sharedPerBlockOptin: number;
  registersPerBlock: number | null;
  memoryTotal: number;
  compiler: { name: string; version: string; path: string } | null;
  driver: string | null;
  /** Arrays outlive the device process. */
  shareable: boolean;
  /** Tensors lie in memory that this process shares: reading one is a view. */
  unifiedMemory: boolean;
  /** Threads of a block of the library's own kernels: 1 where a core runs a loop faster than many threads. */
  libraryBlock: number;
  /** What kernels may be compiled ahead for, best first: "x86-64-v4", "sm_90a". */
  architectures: string[];
}

const numbers = [
  "index",
  "warpSize",
  "multiprocessors",
  "maxThreadsPerBlock",
  "sharedPerBlock",
  "sharedPerBlockOptin",
  "memoryTotal",
] as const;
const texts = ["name", "kind", "arch"] as const;

/**
 * Reads the JSON of a hello. Throws `PROTOCOL` when a field that the library relies on is missing or of another type.
 */
export function parseProperties(json: string): DeviceProperties {
  const value = JSON.parse(json) as Record<string, unknown>;

  const wrong = [
    ...numbers.filter((field) => typeof value[field] !== "number"),
    ...texts.filter((field) => typeof value[field] !== "string"),
    ...(["maxBlock", "maxGrid"] as const).filter((field) => !isTriple(value[field])),
    ...(typeof value["shareable"] === "boolean" ? [] : ["shareable"]),
  ];
  if (wrong.length > 0) {
    throw new WarpcellError(
      "PROTOCOL",
      `A device described itself without a usable ${wrong.join(", ")}: ${json}. Build the library again: its parts are from different versions.`,
    );
  }

  const isCpu = value["kind"] === "cpu";
  const derived = {
    unifiedMemory: isCpu,
    libraryBlock: 128,
    architectures: isCpu ? [] : runnableArchitectures(value["arch"] as string),
  };
  return {
    registersPerBlock: null,
    compiler: null,
    driver: null,
    ...derived,
    ...value,
  } as unknown as DeviceProperties;
}

function isTriple(value: unknown): boolean {
  return Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === "number");
}
