// New tensors: turns JavaScript numbers and shapes into tensors on a device.
import { deviceNamed } from "../device/choice.ts";
import {
  admits,
  dtypeNames,
  dtypeOfArray,
  dtypes,
  factsOf,
  isDType,
  type DType,
  type TypedArray,
} from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { fill } from "../ops/copy.ts";
import { KernelFamily } from "../ops/library.ts";
import { checkedShape, maxRank, sizeOf } from "../memory/shape.ts";
import { Tensor, type Nested } from "./tensor.ts";
import { upload } from "../memory/transfer.ts";
import { worded } from "../wording.ts";

/** `dtype`: "float32" when left out; `device`: the default one. */
export interface CreateOptions<D extends DType = DType> {
  readonly dtype?: D;
  readonly device?: string;
}

export function checkedDType(dtype: unknown): DType {
  if (isDType(dtype)) return dtype;
  throw new TensorError(
    "DTYPE",
    `There is no dtype ${worded(dtype)}: choose ${dtypeNames.slice(0, -1).join(", ")} or ${dtypeNames.at(-1)}.`,
  );
}

export function checkedOptions<O extends CreateOptions>(options: O): O {
  if (typeof options === "object" && options !== null) return options;
  throw new TensorError(
    "OPTIONS",
    `Options are an object, such as { dtype: "int32", device: "cpu" }, but got ${worded(options)}. A shape of several axes is an array: zeros([2, 3]).`,
  );
}

export function emptyTensor<D extends DType>(shape: number | readonly number[], options: CreateOptions<D>): Tensor<D> {
  const { dtype = "float32" as D, device } = checkedOptions(options);
  return Tensor.empty(deviceNamed(device), checkedDType(dtype) as D, checkedShape(shape));
}

/**
 * A tensor of the numbers given: nested arrays of equal lengths, a number, or a typed array (one axis). Booleans make bool, bigints int64,
 * other numbers float32; a typed array its own dtype, a Uint16Array with dtype float16 or bfloat16 their bits. Throws TensorError for a ragged
 * array, or a value that the dtype does not hold.
 */
export function tensor<D extends DType>(
  data: TypedArray | Nested<number | bigint | boolean>,
  options: CreateOptions<D> & { readonly dtype: D },
): Tensor<D>;
export function tensor(data: Float64Array, options?: CreateOptions): Tensor<"float64">;
export function tensor(data: Int32Array, options?: CreateOptions): Tensor<"int32">;
export function tensor(data: Uint8Array | Uint8ClampedArray, options?: CreateOptions): Tensor<"uint8">;
export function tensor(data: Int8Array, options?: CreateOptions): Tensor<"int8">;
export function tensor(data: Int16Array, options?: CreateOptions): Tensor<"int16">;
export function tensor(data: Uint16Array, options?: CreateOptions): Tensor<"uint16">;
export function tensor(data: Uint32Array, options?: CreateOptions): Tensor<"uint32">;
export function tensor(data: BigUint64Array, options?: CreateOptions): Tensor<"uint64">;
export function tensor(data: BigInt64Array | Nested<bigint>, options?: CreateOptions): Tensor<"int64">;
export function tensor(data: Nested<boolean>, options?: CreateOptions): Tensor<"bool">;
export function tensor(data: Float32Array | Nested<number>, options?: CreateOptions): Tensor<"float32">;
export function tensor(data: unknown, options: CreateOptions = {}): Tensor {
  checkedOptions(options);
  if (ArrayBuffer.isView(data)) return fromTypedArray(data, options);
  const { shape, values } = flattened(data);
  const dtype = checkedDType(options.dtype ?? naturalDType(values));
  const { bytes, array, kind } = factsOf(dtype);
  const out = Tensor.empty(deviceNamed(options.device), dtype, shape);
  const elements = new array(values.length);
  values.forEach((value, index) => {
    elements[index] = element(value, dtype, kind === "float" && bytes > 2) as never;
  });
  upload(out.storage!, 0, new Uint8Array(elements.buffer));
  return out;
}

/** One element for the typed array of its dtype. `asIs`: the array itself rounds. */
function element(value: unknown, dtype: DType, asIs: boolean): number | bigint {
  if (!admits(dtype, value)) throw new TensorError("VALUE", `${dtype} cannot hold ${worded(value)}.`);
  if (asIs) return value as number;
  if (dtype === "int64" || dtype === "uint64") return BigInt(value);
  const { encode, kind } = factsOf(dtype);
  return kind === "int" ? Number(value) : Number(encode(value));
}

function naturalDType(values: readonly unknown[]): DType {
  if (values.length > 0 && values.every((value) => typeof value === "boolean")) return "bool";
  return values.length > 0 && values.every((value) => typeof value === "bigint") ? "int64" : "float32";
}

function fromTypedArray(data: ArrayBufferView, { dtype, device }: CreateOptions): Tensor {
  const natural = dtypeOfArray(data);
  const wanted = dtype === undefined ? natural : checkedDType(dtype);
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

/** A tensor of that shape with every element `value`. Throws TensorError for a value that the dtype does not hold. */
export function full<D extends DType = "float32">(
  shape: number | readonly number[],
  value: number | bigint | boolean,
  options: CreateOptions<D> = {},
): Tensor<D> {
  const dtype = checkedDType(checkedOptions(options).dtype ?? "float32");
  if (!admits(dtype, value)) throw new TensorError("VALUE", `${dtype} cannot hold ${worded(value)}.`);
  const out = emptyTensor(shape, options);
  fill(out, value);
  return out;
}

export function zeros<D extends DType = "float32">(
  shape: number | readonly number[],
  options: CreateOptions<D> = {},
): Tensor<D> {
  return full(shape, checkedOptions(options).dtype === "bool" ? false : 0, options);
}

export function ones<D extends DType = "float32">(
  shape: number | readonly number[],
  options: CreateOptions<D> = {},
): Tensor<D> {
  return full(shape, checkedOptions(options).dtype === "bool" ? true : 1, options);
}

/** `start`, `start + step`, … before `stop`, rounded up to a whole number of steps; one argument is `stop`, from 0. */
export function arange<D extends DType = "float32">(stop: number, options?: CreateOptions<D>): Tensor<D>;
export function arange<D extends DType = "float32">(
  start: number,
  stop: number,
  step?: number,
  options?: CreateOptions<D>,
): Tensor<D>;
export function arange(
  start: number,
  second?: number | CreateOptions,
  step: number | CreateOptions = 1,
  last: CreateOptions = {},
): Tensor {
  const wrong = [start, second ?? 0, step].find(
    (each, index) => typeof each !== "number" && (index === 0 || typeof each !== "object"),
  );
  if (wrong !== undefined)
    throw new TensorError("RANGE", `arange takes numbers, then options, but got ${worded(wrong)}.`);
  if (typeof second !== "number") return arange(0, start, 1, second);
  if (typeof step !== "number") return arange(start, second, 1, step);
  const count = Math.max(0, Math.ceil((second - start) / step));
  if (!Number.isSafeInteger(count))
    throw new TensorError(
      "RANGE",
      `arange takes a finite start and stop and a step other than 0 but got ${start}, ${second} and ${step}.`,
    );
  return spaced(count, start, step, last);
}

/** `count` numbers evenly from `start` to `stop`, both included. */
export function linspace<D extends DType = "float32">(
  start: number,
  stop: number,
  count: number,
  options: CreateOptions<D> = {},
): Tensor<D> {
  if (!Number.isSafeInteger(count) || count < 0 || !Number.isFinite(start) || !Number.isFinite(stop)) {
    throw new TensorError(
      "RANGE",
      `linspace takes two finite numbers and a whole count ≥ 0 but got ${worded(start)}, ${worded(stop)} and ${worded(count)}.`,
    );
  }
  const out = spaced(count, start, count > 1 ? (stop - start) / (count - 1) : 0, options);
  // Steps add up to the last number only nearly.
  const last = factsOf(out.dtype).kind === "int" ? Math.trunc(stop) : stop;
  if (count > 1 && admits(out.dtype, last)) {
    using end = out.slice([-1]);
    fill(end, last);
  }
  return out as Tensor<D>;
}

const threads = 256;
const numbers = dtypeNames.filter((dtype) => dtype !== "bool");
const spacedKernel = new KernelFamily("create", numbers, (type) => `spaced<${type}>`, ["out", "i64", "f64", "f64"]);
const countedKernel = new KernelFamily("create", numbers, (type) => `counted<${type}>`, ["out", "i64", "i64", "i64"]);

function spaced(count: number, start: number, step: number, options: CreateOptions): Tensor {
  const out = emptyTensor([count], options);
  if (out.dtype === "bool")
    throw new TensorError(
      "DTYPE",
      `Evenly spaced elements are numbers, which bool does not hold: choose another dtype, such as int32.`,
    );
  const isCounted = factsOf(out.dtype).kind === "int" && Number.isSafeInteger(start) && Number.isSafeInteger(step);
  const { device } = out.living();
  if (sizeOf(out.shape) > 0)
    (isCounted ? countedKernel : spacedKernel)
      .on(device, out.dtype)
      .launch(Math.ceil(count / threads), threads, [out, count, start, step]);
  return out;
}
