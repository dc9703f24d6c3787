// Why a launch is refused: turns an argument or a size that breaks a rule into a LaunchError with one sentence.
import { Recording } from "../wire/recording.ts";
import { isList, packerOf } from "./argument.ts";
import type { CType, PointerType, ScalarType, ViewType } from "./c-types.ts";
import { LaunchError } from "../errors.ts";
import type { DeviceProcess } from "../device/process.ts";
import { formatShape } from "../memory/shape.ts";
import type { Parameter } from "./signature.ts";
import { DeviceArray } from "../memory/array.ts";
import { TexelObject, Texture } from "./texture.ts";
import { listed, worded } from "../wording.ts";

function shown(value: unknown): string {
  return value instanceof DeviceArray ? `a tensor of ${value.dtype}` : worded(value);
}

const ranges: Record<ScalarType["scalar"], string> = {
  bool: "true or false",
  i8: "a whole number from -128 to 127",
  u8: "a whole number from 0 to 255",
  i16: "a whole number from -32768 to 32767",
  u16: "a whole number from 0 to 65535",
  i32: "a whole number from -2147483648 to 2147483647",
  u32: "a whole number from 0 to 4294967295",
  i64: "a bigint or a safe integer that fits 64 bits",
  u64: "a bigint or a safe integer ≥ 0 that fits 64 bits",
  f16: "a number of magnitude below 65520",
  bf16: "a number of magnitude below 3.39e38",
  f32: "a number of magnitude below 3.4e38",
  f64: "a number",
};

function wanted(type: CType): string {
  switch (type.kind) {
    case "scalar":
      return `${ranges[type.scalar]} (${type.name})`;
    case "vector":
      return `${type.lanes} numbers as an array or as { ${["x", "y", "z", "w"].slice(0, type.lanes).join(", ")} }, each ${ranges[type.scalar]} (${type.name})`;
    case "struct":
      return `an object { ${type.fields.map(({ name, type: field }) => `${name}${lengthsOf(field)}`).join(", ")} } with exactly these fields, each in the range of its type (${type.name})`;
    case "array":
      return `an array of ${type.count} ${type.element.kind === "array" ? `arrays (${type.name})` : `elements, each ${wanted(type.element)}`}`;
    case "view":
      return `a tensor of ${type.element.dtypes!.join(" or ")} with ${type.ndim} ${type.ndim === 1 ? "axis" : "axes"} (${type.name})`;
    case "object":
      return `${type.takes === "Texture" ? "a texture, made by texture(x)" : "a surface, made by surface(x)"} (${type.name})`;
    case "pointer": {
      const { dtypes } = type;
      if (dtypes === null) return `a tensor of any dtype, or null (${type.name})`;
      return dtypes.length === 0
        ? `null, since no dtype matches ${type.name}: declare it as void* to pass any tensor`
        : `a tensor of ${dtypes.join(" or ")}, or null (${type.name}${isOfStructs(type) ? `, ${type.pointeeSize} bytes each` : ""})`;
    }
  }
}

const isOfStructs = ({ dtypes, pointeeSize }: PointerType): boolean => dtypes?.[0] === "uint8" && pointeeSize > 1;

/** "[5][4]" of an array. */
function lengthsOf(type: CType): string {
  return type.kind === "array" ? `[${type.count}]${lengthsOf(type.element)}` : "";
}

/** Host code gave a kernel an address of memory that is no tensor's. */
export function addressError(kernel: string, { name, type }: Parameter, address: bigint): LaunchError {
  const shownAddress = `0x${BigInt.asUintN(64, address).toString(16)}`;
  return new LaunchError(
    "ARGUMENT",
    `Argument ${name} of kernel ${kernel} (${type.name}) is ${shownAddress}, which lies in no tensor of this call: give it x.data<T>() of a tensor, or what cudaMalloc gave.`,
  );
}

/** The innermost part of a vector or struct that its type does not admit, and its path (".ids[1]"). */
function culprit(
  type: CType,
  value: unknown,
  device: DeviceProcess,
  path = "",
  room = new Recording().room,
): { path: string; type: CType; value: unknown } {
  const here = { path, type, value };
  if (typeof value !== "object" || value === null) return here;
  const given = value as Record<string, unknown>;
  const find = (parts: readonly { path: string; type: CType; value: unknown }[]) => {
    const wrong = parts.find((part) => !packerOf(part.type, device)(room, part.value, 0));
    return wrong === undefined ? here : culprit(wrong.type, wrong.value, device, wrong.path, room);
  };
  if (type.kind === "struct") {
    const isWhole = Object.keys(given).length === type.fields.length && type.fields.every(({ name }) => name in given);
    if (!isWhole) return here;
    return find(
      type.fields.map(({ name, type: field }) => ({ path: `${path}.${name}`, type: field, value: given[name] })),
    );
  }
  if (type.kind === "array" && isList(value) && value.length === type.count)
    return find(
      Array.from(value, (element, index) => ({ path: `${path}[${index}]`, type: type.element, value: element })),
    );
  return here;
}

/** The error of an argument that its parameter does not admit. */
export function argumentError(
  kernel: string,
  parameter: Parameter,
  index: number,
  value: unknown,
  device: DeviceProcess,
): LaunchError {
  const wrong = culprit(parameter.type, value, device);
  const part = `Argument ${index + 1} (${parameter.name}${wrong.path}) of kernel ${kernel}`;
  if (wrong.type.kind === "pointer" || wrong.type.kind === "view")
    return pointerError(part, wrong.type, wrong.value, device);
  if (wrong.type.kind === "object") {
    const elsewhere = elsewhereError(part, wrong.value, device);
    if (elsewhere !== null) return elsewhere;
  }
  const isRange = typeof wrong.value === "number" || typeof wrong.value === "bigint";
  return new LaunchError(
    isRange && wrong.type.kind === "scalar" ? "ARGUMENT_RANGE" : "ARGUMENT_TYPE",
    `${part} must be ${wanted(wrong.type)}, but got ${shown(wrong.value)}.`,
  );
}

/** A texture or surface that is gone, or of another device; `null`: it is no such thing. */
function elsewhereError(part: string, value: unknown, device: DeviceProcess): LaunchError | null {
  if (!(value instanceof TexelObject)) return null;
  const what = value instanceof Texture ? "texture" : "surface";
  if (value.isDisposed) return new LaunchError("FREED", `${part} is a ${what} that has been disposed of.`);
  if (value.process === device) return null;
  return new LaunchError(
    "OTHER_DEVICE",
    `${part} is a ${what} on ${value.process.name}, but the kernel runs on ${device.name}. Make one there, of a tensor.`,
  );
}

/** The error of a value that a variable does not admit. */
export function variableError(name: string, type: CType, value: unknown, device: DeviceProcess): LaunchError {
  const wrong = culprit(type, value, device);
  const got = ArrayBuffer.isView(wrong.value)
    ? `${shown(wrong.value)} of ${(wrong.value as Uint8Array).length}`
    : shown(wrong.value);
  const isRange = typeof wrong.value === "number" || typeof wrong.value === "bigint";
  return new LaunchError(
    isRange && wrong.type.kind === "scalar" ? "ARGUMENT_RANGE" : "ARGUMENT_TYPE",
    `${name}${wrong.path} must be ${wanted(wrong.type)}, but got ${got}.`,
  );
}

function pointerError(which: string, type: PointerType | ViewType, value: unknown, device: DeviceProcess): LaunchError {
  if (!(value instanceof DeviceArray)) {
    const isHost = ArrayBuffer.isView(value) || Array.isArray(value);
    const advice =
      value instanceof Promise
        ? " Write await before it."
        : isHost
          ? " Nothing is copied implicitly: make a tensor of it with tensor(…)."
          : "";
    return new LaunchError(
      isHost ? "HOST_ARRAY" : "ARGUMENT_TYPE",
      `${which} must be ${wanted(type)}, but got ${shown(value)}.${advice}`,
    );
  }
  if (value.isDisposed) return new LaunchError("FREED", `${which} is a tensor that has been disposed of.`);
  if (value.storage!.device !== device) {
    return new LaunchError(
      "OTHER_DEVICE",
      `${which} is a tensor on ${value.deviceProcess.name}, but the kernel runs on ${device.name}. Copy it with .to("${device.name}").`,
    );
  }
  const { dtypes, pointeeAlign } = type.kind === "view" ? type.element : type;
  if (dtypes !== null && !dtypes.includes(value.dtype)) {
    return new LaunchError("DTYPE", `${which} must be ${wanted(type)}, but got ${shown(value)}.`);
  }
  if (type.kind === "view") {
    if (value.shape.length !== type.ndim)
      return new LaunchError(
        "NDIM",
        `${which} must be ${wanted(type)}, but got one of shape ${formatShape(value.shape)}.`,
      );
  } else if (!value.isContiguous) {
    return new LaunchError(
      "NOT_CONTIGUOUS",
      `${which} must be contiguous, but got one of shape ${formatShape(value.shape)} with strides ${formatShape(value.strides)}. Pass .contiguous(), a copy in row-major order without gaps.`,
    );
  }
  return new LaunchError(
    "MISALIGNED",
    `${which} must start at a multiple of ${pointeeAlign} bytes (${type.name}), but got a view that starts ${value.placeLow % pointeeAlign} bytes past one.`,
  );
}

export function countError(kernel: string, parameters: readonly Parameter[], got: number): LaunchError {
  const list = parameters.map(({ name, type }) => `${name}: ${type.name}`).join(", ");
  const names = parameters.map(({ name }) => name).join(", ");
  const advice = got === 0 ? ` Write ${kernel}.launch({ grid, block }, ${names}), or ${kernel}.over(n)(${names}).` : "";
  return new LaunchError(
    "ARGUMENT_COUNT",
    `Kernel ${kernel} takes ${parameters.length} argument${parameters.length === 1 ? "" : "s"} (${list}) but got ${got}.${advice}`,
  );
}

/** An empty name: a launch that is only checked, of any kernel. */
const called = (kernel: string): string => (kernel === "" ? "a launch" : `kernel ${kernel}`);

/**
 * A grid or block that is no size: `value` is not a whole number ≥ 1 nor up to three of them, or one is over the
 * device's limit.
 */
export function sizeError(
  what: "grid" | "block",
  kernel: string,
  value: unknown,
  limits: readonly number[],
  device: DeviceProcess,
): LaunchError {
  const isFraction = (Array.isArray(value) ? value : [value]).some((size) => size > 0 && size % 1 > 0);
  const advice = value === undefined ? " Sizes come first: launch({ grid: 64, block: 256 }, …)." : "";
  return new LaunchError(
    what.toUpperCase(),
    `The ${what} of ${called(kernel)} must be a whole number ≥ 1 or [x, y, z] of them, at most ${formatShape(limits)} on ${device.name}, but got ${listed(value)}.${isFraction ? " Round up: Math.ceil(n / block)." : advice}`,
  );
}

/** What CUDA and other libraries call the settings of a launch. */
const settings: ReadonlyMap<string, string> = new Map([
  ["gridDim", "grid"],
  ["gridSize", "grid"],
  ["blocks", "grid"],
  ["blockDim", "block"],
  ["blockSize", "block"],
  ["threads", "block"],
  ["threadsPerBlock", "block"],
  ["sharedMem", "shared"],
  ["sharedMemBytes", "shared"],
  ["sharedMemory", "shared"],
  ["smem", "shared"],
]);

/** A launch with a setting that there is not. */
export function settingError(
  kernel: string,
  key: string,
  call = "launch",
  known = "grid, block, cluster, shared, cooperative, bytes, flops and stream",
): LaunchError {
  return new LaunchError(
    "INVALID_OPTION",
    `${call} of kernel ${kernel} has no setting ${worded(key)}. ${settings.has(key) ? `Write ${settings.get(key)}` : `It has ${known}`}.`,
  );
}

export function clusterError(kernel: string, value: unknown, most: number): LaunchError {
  return new LaunchError(
    "CLUSTER",
    `The cluster of ${called(kernel)} must be a whole number ≥ 1 or [x, y, z] of them, at most ${most} blocks together, but got ${listed(value)}.`,
  );
}

/** A cluster that is not the one that the kernel declares. */
export function otherClusterError(kernel: string, own: readonly number[], given: readonly number[]): LaunchError {
  return new LaunchError(
    "CLUSTER",
    `Kernel ${kernel} is compiled for clusters of ${formatShape(own)} blocks (__cluster_dims__), but was launched with ${formatShape(given)}.`,
  );
}

/** A grid that clusters do not make up. */
export function clustersError(kernel: string, grid: readonly number[], cluster: readonly number[]): LaunchError {
  return new LaunchError(
    "CLUSTER",
    `The grid of ${called(kernel)}, ${formatShape(grid)}, must be a multiple of its clusters of ${formatShape(cluster)} blocks along each axis.`,
  );
}

export function noClustersError(kernel: string, device: DeviceProcess): LaunchError {
  return new LaunchError(
    "CLUSTER",
    `The clusters of ${called(kernel)} need a GPU of compute capability 9.0 or more, but ${device.name} is ${device.properties.arch}: share through global memory there.`,
  );
}

export function cooperativeError(kernel: string, value: unknown): LaunchError {
  return new LaunchError(
    "INVALID_OPTION",
    `cooperative must be true or false, but kernel ${kernel} was launched with ${worded(value)}.`,
  );
}

export function amountError(kernel: string, setting: "bytes" | "flops", value: unknown): LaunchError {
  return new LaunchError(
    "INVALID_OPTION",
    `${setting} of a launch must be a number ≥ 0, but kernel ${kernel} was launched with ${worded(value)}.`,
  );
}

export function blockThreadsError(
  kernel: string,
  threads: number,
  limit: number,
  byKernel: boolean,
  device: DeviceProcess,
): LaunchError {
  const why = byKernel ? "its __launch_bounds__ or registers allow no more there" : "the device allows no more";
  return new LaunchError(
    "BLOCK",
    `A block of ${called(kernel)} has at most ${limit} threads on ${device.name}, since ${why}, but this one has ${threads}.`,
  );
}

export function sharedError(
  kernel: string,
  value: unknown,
  statically: number,
  limit: number,
  device: DeviceProcess,
): LaunchError {
  if (statically > limit) {
    return new LaunchError(
      "SHARED",
      `Kernel ${kernel} declares ${statically} bytes of shared memory, but it may declare at most ${device.properties.sharedPerBlock} on ${device.name}. Use dynamic shared memory for more, up to ${limit} bytes.`,
    );
  }
  const own = statically === 0 ? "" : ` besides the ${statically} that it declares`;
  return new LaunchError(
    "SHARED",
    `The dynamic shared memory of ${called(kernel)} must be a whole number of bytes from 0 to ${Math.max(0, limit - statically)} on ${device.name}${own}, but got ${shown(value)}.`,
  );
}
