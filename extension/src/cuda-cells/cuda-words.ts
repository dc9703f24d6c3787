// Finds in CUDA C++ the words that a C++ highlighter does not know, and tells what kind each is.

export type CudaWordKind = "magic" | "qualifier" | "builtin" | "launch";

const qualifiers = [
  "global",
  "device",
  "host",
  "shared",
  "constant",
  "managed",
  "restrict",
  "launch_bounds",
  "cluster_dims",
  "grid_constant",
  "forceinline",
  "noinline",
  "maxnreg",
  "block_size",
];
const variables = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];
const functions = [
  "__syncthreads(?:_count|_and|_or)?",
  "__syncwarp",
  "__threadfence(?:_block|_system)?",
  "__shfl(?:_up|_down|_xor)?_sync",
  "__(?:all|any|ballot)_sync",
  "__match_(?:any|all)_sync",
  "__reduce_\\w+_sync",
  "__activemask",
  "__popcl?l?",
  "__clzl?l?",
  "__ffsl?l?",
  "__brevl?l?",
  "__ldg",
  "__fmaf_r[nzud]",
  "__fma_r[nzud]",
  "__expf",
  "__logf",
  "__sinf",
  "__cosf",
  "__powf",
  "__fdividef",
  "atomic(?:Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(?:_block|_system)?",
  "__nanosleep",
  "__trap",
  "__brkpt",
];
const types = [
  "dim3",
  "(?:char|uchar|short|ushort|int|uint|long|ulong|longlong|ulonglong|float|double)[1-4]",
  "__half2?",
  "half2?",
  "__nv_bfloat16[2]?",
  "__nv_fp8_e[45]m[23]",
];

const kinds: [CudaWordKind, string][] = [
  ["magic", "^\\s*%%cuda(?!\\S).*"],
  ["qualifier", `\\b__(?:${qualifiers.join("|")})__\\b`],
  ["builtin", `\\b(?:${[...variables, ...functions, ...types].join("|")})\\b`],
  ["launch", "<<<|>>>"],
];

/** Matches one word at a time, in a named group that is its kind. */
export const cudaWords = (): RegExp =>
  new RegExp(kinds.map(([kind, pattern]) => `(?<${kind}>${pattern})`).join("|"), "g");

/** The kind of a match of {@link cudaWords}. */
export function kindOf(match: RegExpExecArray): CudaWordKind {
  const found = kinds.find(([kind]) => match.groups?.[kind] !== undefined);
  if (!found) throw new RangeError(`"${match[0]}" is no match of cudaWords().`);
  return found[0];
}
