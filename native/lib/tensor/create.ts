// New tensors: turns JavaScript numbers and shapes into tensors on a device.
import { deviceNamed } from "../device/choice.ts";
import {
  isComplexNumber,
  type Complex,
  dtypeNames,
  dtypeOfArray,
  dtypes,
  factsOf,
  isDType,
  type DType,
  type TypedArray,
} from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { fill } from "../ops/shape/copy.ts";
import { KernelFamily } from "../ops/kernels/library.ts";
import { checkedShape, maxRank, type Shape } from "../memory/shape.ts";
import { Tensor, type Nested } from "./tensor.ts";
import { storageShownBy } from "../memory/storage.ts";
import { upload } from "../memory/transfer.ts";
import { worded } from "../wording.ts";
import { checkedValue } from "../memory/value.ts";
import {
  anything,
  bigint,
  count,
  device,
  dtype,
  either,
  flag,
  number,
  optionsOf,
  reader,
  scalar,
} from "./arguments.ts";

/** A number of JavaScript's. */
export type Scalar = number | bigint | boolean;

/** `dtype`: "float32" when left out; `device`: the default one. */
export interface CreateOptions<D extends DType = DType> {
  readonly dtype?: D;
  readonly device?: string;
}

/**
 * `copy: false`: no copy is made, so that tensor and array show the same memory. That takes an array that lies in the
 * cpu's own memory, as {@link Tensor.memory} gives it, or a part of one; or a tensor, of its own dtype and device.
 */
export interface TensorOptions<D extends DType = DType> extends CreateOptions<D> {
  readonly copy?: boolean;
}

export function checkedDType(dtype: unknown): DType {
  if (isDType(dtype)) return dtype;
  throw new TensorError(
    "DTYPE",
    `There is no dtype ${worded(dtype)}: choose ${dtypeNames.slice(0, -1).join(", ")} or ${dtypeNames.at(-1)}.`,
  );
}

/** What every function takes that makes a tensor. */
export const createOptions = { dtype, device };
/** What others call these options, or have beside them. */
export const otherOptions = {
  aliases: { type: "dtype" },
  instead: {
    requiresGrad: "Set x.requiresGrad = true on the tensor.",
    requires_grad: "Set x.requiresGrad = true on the tensor.",
  },
} as const;

export function emptyTensor<D extends DType>(
  shape: number | readonly number[],
  { dtype = "float32" as D, device }: CreateOptions<D>,
): Tensor<D> {
  return Tensor.empty(deviceNamed(device), dtype, checkedShape(shape));
}

/**
 * A tensor of the numbers given: nested arrays of equal lengths, a number, or a typed array (one axis). Booleans make
 * bool, bigints int64, other numbers float32; a typed array its own dtype, a Uint16Array with dtype float16 or bfloat16
 * their bits. The numbers are copied, unless `copy` is false, see {@link TensorOptions}. Throws TensorError for a
 * ragged array, a value that the dtype does not hold, and for what cannot be done without a copy.
 * @example
 * tensor([[1, 2], [3, 4]]); // → tensor([[1, 2], [3, 4]], shape [2, 2], float32, cpu)
 * tensor([1, 2], { dtype: "int64" }); // → tensor([1, 2], shape [2], int64, cpu)
 * tensor(new Float64Array([0.5])); // → tensor([0.5], shape [1], float64, cpu)
 * const room = empty([4], { device: "cpu" }).memory(); // for others to fill
 * room.set([1, 2, 3, 4]);
 * tensor(room.subarray(2), { copy: false }); // → tensor([3, 4], shape [2], float32, cpu)
 */
export function tensor<D extends DType>(
  data: TypedArray | Nested<number | bigint | boolean>,
  options: TensorOptions<D> & { readonly dtype: D },
): Tensor<D>;
export function tensor(data: Float64Array, options?: TensorOptions): Tensor<"float64">;
export function tensor(data: Int32Array, options?: TensorOptions): Tensor<"int32">;
export function tensor(data: Uint8Array | Uint8ClampedArray, options?: TensorOptions): Tensor<"uint8">;
export function tensor(data: Int8Array, options?: TensorOptions): Tensor<"int8">;
export function tensor(data: Int16Array, options?: TensorOptions): Tensor<"int16">;
export function tensor(data: Uint16Array, options?: TensorOptions): Tensor<"uint16">;
export function tensor(data: Uint32Array, options?: TensorOptions): Tensor<"uint32">;
export function tensor(data: BigUint64Array, options?: TensorOptions): Tensor<"uint64">;
export function tensor(data: BigInt64Array | Nested<bigint>, options?: TensorOptions): Tensor<"int64">;
export function tensor(data: Nested<boolean>, options?: TensorOptions): Tensor<"bool">;
export function tensor(data: Nested<Complex>, options?: TensorOptions): Tensor<"complex64">;
export function tensor(data: Float32Array | Nested<number>, options?: TensorOptions): Tensor<"float32">;
export function tensor<D extends DType>(data: Tensor<D>, options?: TensorOptions): Tensor<D>;
export function tensor(data: unknown, options?: TensorOptions): Tensor {
  const given = optionsOf("tensor", { ...createOptions, copy: flag }, options, otherOptions);
  if (given.copy === false) return inPlace(data, given);
  if (data instanceof Tensor) return copied(data, given);
  if (ArrayBuffer.isView(data)) return fromTypedArray(data, given);
  const { shape, values } = flattened(data);
  const dtype = given.dtype ?? naturalDType(values);
  const { bytes, array, kind } = factsOf(dtype);
  const out = Tensor.empty(deviceNamed(given.device), dtype, shape);
  const elements = new array(values.length);
  if (kind === "complex") return fromComplex(values, dtype, shape, given.device);
  const isRounded = kind === "float" && bytes > 2;
  values.forEach((value, index) => {
    elements[index] = element(value, dtype, isRounded) as never;
  });
  upload(out.storage!, 0, new Uint8Array(elements.buffer));
  return out;
}

/** A tensor on the memory that is there already. */
function inPlace(data: unknown, { dtype, device }: CreateOptions): Tensor {
  if (data instanceof Tensor) {
    if ((dtype ?? data.dtype) === data.dtype && (device === undefined || deviceNamed(device) === data.deviceProcess))
      return data.detach();
    throw new TensorError(
      "TARGET",
      `tensor with copy: false does not convert a tensor of ${data.dtype} on ${data.device}: leave copy out to have it as ${dtype ?? data.dtype} on ${device ?? data.device}.`,
    );
  }
  const storage = ArrayBuffer.isView(data) ? storageShownBy(data.buffer) : undefined;
  if (storage === undefined)
    throw new TensorError(
      "ARRAY",
      `tensor with copy: false takes an array in the cpu's own memory, such as zeros([3]).memory(), but got ${worded(data)} from elsewhere: leave copy out.`,
    );
  const array = data as ArrayBufferView;
  const own = dtype ?? dtypeOfArray(array);
  const isOnIt = device === undefined || deviceNamed(device) === storage.device;
  if (own === null || !(array instanceof factsOf(own).array) || !isOnIt)
    throw new TensorError(
      "TARGET",
      `tensor with copy: false shows a ${array.constructor.name} in the memory of ${storage.device.name} as it is, not as ${own ?? "a dtype"} on ${device ?? storage.device.name}: leave copy out.`,
    );
  const { bytes } = factsOf(own);
  return new Tensor(storage.hold(), own, {
    shape: [array.byteLength / bytes],
    strides: [1],
    offset: array.byteOffset / bytes,
  });
}

function copied(x: Tensor, { dtype = x.dtype, device = x.device }: CreateOptions): Tensor {
  const moved = x.detach().to(device).to(dtype);
  return moved.storage === x.storage ? moved.clone() : moved;
}

function fromComplex(values: readonly unknown[], dtype: DType, shape: Shape, device: string | undefined): Tensor {
  const { array } = factsOf(dtype);
  const out = Tensor.empty(deviceNamed(device), dtype, shape);
  const parts = values.flatMap((value) => {
    const checked: unknown = checkedValue("tensor makes", dtype, value);
    return isComplexNumber(checked) ? [checked.re, checked.im] : [Number(checked), 0];
  });
  upload(out.storage!, 0, new Uint8Array(new (array as Float64ArrayConstructor)(parts).buffer));
  return out;
}

/** One element for the typed array of its dtype. `isRounded`: the array itself rounds. */
function element(value: unknown, dtype: DType, isRounded: boolean): number | bigint {
  const checked = checkedValue("tensor makes", dtype, value);
  if (isRounded) return Number(checked);
  if (dtype === "int64" || dtype === "uint64") return BigInt(checked);
  const { encode, kind } = factsOf(dtype);
  return kind === "int" ? Number(checked) : Number(encode(checked));
}

function naturalDType(values: readonly unknown[]): DType {
  if (values.some(isComplexNumber)) return "complex64";
  const kinds = new Set(values.map((value) => typeof value));
  if (kinds.size === 1 && kinds.has("boolean")) return "bool";
  if (kinds.size === 1 && kinds.has("bigint")) return "int64";
  if (kinds.size > 1 && (kinds.has("bigint") || kinds.has("boolean")))
    throw new TensorError(
      "VALUE",
      `tensor takes numbers, bigints or booleans but got ${[...kinds].join("s and ")}s. Name the dtype that they become, such as { dtype: "int64" }.`,
    );
  return "float32";
}

function fromTypedArray(data: ArrayBufferView, { dtype, device }: CreateOptions): Tensor {
  const natural = dtypeOfArray(data);
  const wanted = dtype ?? natural;
  const isBits = wanted !== null && data instanceof factsOf(wanted).array && wanted !== natural && wanted !== "bool";
  if (wanted === null || (natural === null && !isBits)) {
    const kinds = [...new Set(Object.values(dtypes).map(({ array }) => array.name))].join(", ");
    throw new TensorError(
      "ARRAY",
      `No dtype holds the elements of a ${data.constructor.name}. Typed arrays for tensors are ${kinds} (Uint16Array with dtype "float16" or "bfloat16", Uint8Array with an 8-bit float).`,
    );
  }
  const isSame =
    isBits ||
    natural === wanted ||
    (wanted === "bool" && natural === "uint8" && (data as Uint8Array).every((value) => value <= 1));
  const out = Tensor.empty(deviceNamed(device), isSame ? wanted : natural!, [
    data.byteLength / factsOf(isSame ? wanted : natural!).bytes,
  ]);
  upload(out.storage!, 0, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  if (isSame) return out;
  using source = out;
  return source.to(wanted);
}

function flattened(data: unknown): { shape: number[]; values: unknown[] } {
  const shape: number[] = [];
  // One level more than there may be, so that an array that holds itself ends here.
  for (let level = data; Array.isArray(level) && shape.length <= maxRank; level = level[0]) shape.push(level.length);
  checkedShape(shape);
  const values: unknown[] = [];
  const visit = (level: unknown, axis: number, path: string): void => {
    if (axis === shape.length && !Array.isArray(level)) {
      values.push(level);
      return;
    }
    if (!Array.isArray(level) || level.length !== shape[axis]) {
      const counted = (count: number) => `${count} element${count === 1 ? "" : "s"}`;
      const got = Array.isArray(level) ? counted(level.length) : "no array";
      throw new TensorError(
        "RAGGED",
        `Nested arrays must have equal lengths, but ${path || "the top"} has ${got} where its neighbours have ${axis < shape.length ? counted(shape[axis]!) : "a number"}.`,
      );
    }
    // By index, since forEach passes over holes.
    for (let index = 0; index < level.length; index++) visit(level[index], axis + 1, `${path}[${index}]`);
  };
  visit(data, 0, "");
  return { shape, values };
}

/** A shape and options: `zeros([2, 3])`, and as PyTorch has it `zeros(2, 3)`. */
const shaped = (name: string) =>
  reader(name, { required: { shape: anything }, options: createOptions, spread: true, ...otherOptions });
const readZeros = shaped("zeros");
const readOnes = shaped("ones");
const readEmpty = shaped("empty");

/**
 * A tensor of that shape with undefined contents: `empty([2, 3])`, or `empty(2, 3)`. float32 on the default device,
 * unless options name another dtype or device. Throws TensorError for what is not a shape.
 * @example
 * empty([2, 3]).shape; // → [ 2, 3 ]
 */
export function empty(...sizes: number[]): Tensor<"float32">;
/** A tensor of that shape with undefined contents: `empty([2, 3])`, or `empty(2, 3)`. */
export function empty<D extends DType = "float32">(
  shape: number | readonly number[],
  options?: CreateOptions<D>,
): Tensor<D>;
export function empty(...args: unknown[]): Tensor {
  const { shape, ...options } = readEmpty(args);
  return emptyTensor(shape as number[], options);
}

/**
 * A tensor of zeros, or of false for bool: `zeros([2, 3])`, or `zeros(2, 3)`. float32 on the default device, unless
 * options name another dtype or device. Throws TensorError for what is not a shape.
 * @example
 * zeros([2, 3]); // → tensor([[0, 0, 0], [0, 0, 0]], shape [2, 3], float32, cpu)
 * zeros([2], { dtype: "int32" }); // → tensor([0, 0], shape [2], int32, cpu)
 */
export function zeros(...sizes: number[]): Tensor<"float32">;
/** Zeros, or false: `zeros([2, 3])`, or `zeros(2, 3)`. */
export function zeros<D extends DType = "float32">(
  shape: number | readonly number[],
  options?: CreateOptions<D>,
): Tensor<D>;
export function zeros(...args: unknown[]): Tensor {
  const { shape, ...options } = readZeros(args);
  return filled(shape as number[], options.dtype === "bool" ? false : 0, options);
}

/**
 * A tensor of ones, or of true for bool: `ones([2, 3])`, or `ones(2, 3)`. float32 on the default device, unless options
 * name another dtype or device. Throws TensorError for what is not a shape.
 * @example
 * ones([2, 2]); // → tensor([[1, 1], [1, 1]], shape [2, 2], float32, cpu)
 * ones(3, 1).shape; // → [ 3, 1 ]
 */
export function ones(...sizes: number[]): Tensor<"float32">;
/** Ones, or true: `ones([2, 3])`, or `ones(2, 3)`. */
export function ones<D extends DType = "float32">(
  shape: number | readonly number[],
  options?: CreateOptions<D>,
): Tensor<D>;
export function ones(...args: unknown[]): Tensor {
  const { shape, ...options } = readOnes(args);
  return filled(shape as number[], options.dtype === "bool" ? true : 1, options);
}

function filled<D extends DType>(
  shape: number | readonly number[],
  value: Scalar,
  options: CreateOptions<D>,
): Tensor<D> {
  const out = emptyTensor(shape, options);
  fill(out.execution, out, value);
  return out;
}

const readFull = reader("full", {
  required: { shape: anything, value: scalar },
  options: createOptions,
  ...otherOptions,
});

/**
 * A tensor of that shape with every element `value`. Without a dtype a boolean makes bool, a bigint int64, another
 * number float32. Throws TensorError for a value that the dtype does not hold.
 * @example
 * full([2, 2], 7); // → tensor([[7, 7], [7, 7]], shape [2, 2], float32, cpu)
 */
export function full<D extends DType>(
  shape: number | readonly number[],
  value: Scalar,
  options: CreateOptions<D> & { readonly dtype: D },
): Tensor<D>;
export function full(shape: number | readonly number[], value: number, options?: CreateOptions): Tensor<"float32">;
export function full(shape: number | readonly number[], value: bigint, options?: CreateOptions): Tensor<"int64">;
export function full(shape: number | readonly number[], value: boolean, options?: CreateOptions): Tensor<"bool">;
export function full(shape: number | readonly number[], value: Scalar, options?: CreateOptions): Tensor;
export function full(...args: unknown[]): Tensor {
  const { shape, value, dtype = naturalDType([value]), device } = readFull(args);
  checkedValue("full makes", dtype, value);
  return filled(shape as number[], value, { dtype, ...(device !== undefined && { device }) });
}

type Real = number | bigint;
const real = either(number, bigint);
const readRange = reader("arange", {
  required: { start: real },
  options: { stop: real, step: real, ...createOptions },
  bare: ["stop", "step"],
  ...otherOptions,
});

/**
 * `start`, `start + step`, … before `stop`, rounded up to a whole number of steps; one argument is `stop`, from 0. A
 * bigint among them makes int64, else it is float32 when no dtype is named. Throws TensorError for numbers that the
 * dtype does not hold.
 * @example
 * arange(5); // → tensor([0, 1, 2, 3, 4], shape [5], float32, cpu)
 * arange(1, 2, 0.25); // → tensor([1.00, 1.25, 1.50, 1.75], shape [4], float32, cpu)
 */
export function arange<D extends DType>(stop: Real, options: CreateOptions<D> & { readonly dtype: D }): Tensor<D>;
export function arange<D extends DType>(
  start: Real,
  stop: Real,
  options: CreateOptions<D> & { readonly dtype: D },
): Tensor<D>;
export function arange<D extends DType>(
  start: Real,
  stop: Real,
  step: Real,
  options: CreateOptions<D> & { readonly dtype: D },
): Tensor<D>;
export function arange(stop: number, options?: CreateOptions): Tensor<"float32">;
export function arange(start: number, stop: number, step?: number, options?: CreateOptions): Tensor<"float32">;
export function arange(stop: bigint, options?: CreateOptions): Tensor<"int64">;
export function arange(start: bigint, stop: Real, step?: Real, options?: CreateOptions): Tensor<"int64">;
export function arange(...args: unknown[]): Tensor {
  const { start: first, stop: second, step = 1, ...options } = readRange(args);
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const given = [start, stop, step];
  const isExact = given.some((each) => typeof each === "bigint");
  const dtype = options.dtype ?? (isExact ? "int64" : "float32");
  const wrong = given.find(
    (each) => typeof each === "number" && !(isExact ? Number.isSafeInteger(each) : Number.isFinite(each)),
  );
  if (wrong !== undefined || Number(step) === 0)
    throw new TensorError(
      "RANGE",
      `arange takes ${isExact ? "whole numbers beside a bigint" : "a finite start and stop"} and a step other than 0 but got ${given.map(worded).join(", ")}.`,
    );
  const count = isExact
    ? stepsBetween(BigInt(start), BigInt(stop), BigInt(step))
    : Math.max(0, Math.ceil((Number(stop) - Number(start)) / Number(step)));
  return spaced("arange", count, start, step, { ...options, dtype });
}

/** How many steps lie before the end. */
function stepsBetween(start: bigint, stop: bigint, step: bigint): number {
  const [distance, size] = step > 0n ? [stop - start, step] : [start - stop, -step];
  return distance <= 0n ? 0 : Number((distance + size - 1n) / size);
}

/** Whole numbers from `first()` on, which each run of what is recorded asks for anew. */
export function countedFrom(first: () => number, count: number, device: string): Tensor<"int64"> {
  const out = emptyTensor([count], { dtype: "int64", device }) as Tensor<"int64">;
  const last = () => [first(), 1];
  if (count > 0) countedKernel.launch(out.execution, "int64", spacedBlocks(count), [out, count, ...last()], 0, last);
  return out;
}

const readEven = reader("linspace", {
  required: { start: number, stop: number, count },
  options: { endpoint: flag, ...createOptions },
  ...otherOptions,
});

/**
 * `count` numbers evenly from `start` to `stop`, both included; with `endpoint: false` the last one is left out. Throws
 * TensorError for numbers that the dtype does not hold.
 * @example
 * linspace(0, 1, 5); // → tensor([0.00, 0.25, 0.50, 0.75, 1.00], shape [5], float32, cpu)
 */
export function linspace<D extends DType = "float32">(
  start: number,
  stop: number,
  count: number,
  options?: CreateOptions<D> & { readonly endpoint?: boolean },
): Tensor<D>;
export function linspace(...args: unknown[]): Tensor {
  const { start, stop, count, endpoint = true, ...options } = readEven(args);
  if (!Number.isFinite(start) || !Number.isFinite(stop))
    throw new TensorError("RANGE", `linspace takes a finite start and stop but got ${start} and ${stop}.`);
  const steps = endpoint ? count - 1 : count;
  // By parts, where the distance is more than a number holds.
  const step = steps < 1 ? 0 : Number.isFinite(stop - start) ? (stop - start) / steps : stop / steps - start / steps;
  const out = spaced("linspace", count, start, step, options, endpoint ? stop : start + step * (count - 1));
  if (count > 1 && endpoint) {
    // Steps add up to the last number only nearly.
    using end = out.slice([-1]);
    fill(end.execution, end, factsOf(out.dtype).kind === "int" ? Math.trunc(stop) : stop);
  }
  return out;
}

const threads = 256;
const numeric = dtypeNames.filter((dtype) => ["int", "float"].includes(factsOf(dtype).kind));
const spacedKernel = new KernelFamily("create", numeric, (type) => `spaced<${type}>`, ["out", "i64", "f64", "f64"]);
const countedKernel = new KernelFamily("create", numeric, (type) => `counted<${type}>`, ["out", "i64", "i64", "i64"]);

const spacedBlocks = (count: number) => ({ grid: Math.ceil(count / threads), block: threads });

/** A bigint as a number where that is the same. */
const safe = (value: Real): Real => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

function spaced(name: string, count: number, start: Real, step: Real, options: CreateOptions, last?: number): Tensor {
  const { dtype = "float32" } = options;
  if (dtype === "bool")
    throw new TensorError(
      "DTYPE",
      `Evenly spaced elements are numbers, which bool does not hold: choose another dtype, such as int32.`,
    );
  const isWhole = factsOf(dtype).kind === "int";
  const isExact = (value: Real) => typeof value === "bigint" || Number.isSafeInteger(value);
  const isCounted = isWhole && isExact(start) && isExact(step);
  if (isWhole && count > 0) {
    const end = isCounted ? BigInt(start) + BigInt(count - 1) * BigInt(step) : null;
    const ends =
      end === null ? [Number(start), last ?? Number(start) + (count - 1) * Number(step)].map(Math.trunc) : [start, end];
    for (const each of ends) checkedValue(`${name} makes`, dtype, typeof start === "number" ? safe(each) : each);
  }
  const out = emptyTensor([count], options);
  if (count > 0)
    (isCounted ? countedKernel : spacedKernel).launch(out.execution, dtype, spacedBlocks(count), [
      out,
      count,
      ...(isCounted ? [start, step] : [Number(start), Number(step)]),
    ]);
  return out;
}
