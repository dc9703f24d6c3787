// Elementwise operations: one result per index, with broadcasting. Each family has a file of functors in
// device/include/warpcell/functors, one of kernels in device/ops, and a table of rows beside this file.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { adviceToCompute, admits, factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { floatOf, promoted, promotedWith } from "../../memory/promotion.ts";
import { adviceFor } from "../../memory/value.ts";
import { broadcast } from "../../memory/shape.ts";
import { worded } from "../../wording.ts";
import { call } from "../core/calls.ts";
import { copy, withDType, withoutTurns, withRows } from "../shape/copy.ts";
import { KernelFamily } from "../kernels/library.ts";
import { broadcastLayout, flatBlocks, sameShape, stridedBlocks, widestOf } from "../kernels/map.ts";
import type { Computation, Cost, None, Operand, Scalar } from "../core/operation.ts";

export const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
// Narrow integers are computed as wider ones: their kernels would be many, and are seldom wanted.
const integers: readonly DType[] = ["int32", "int64", "uint64"];
const computing: Partial<Record<DType, DType>> = {
  int8: "int32",
  uint8: "int32",
  int16: "int32",
  uint16: "int32",
  uint32: "int64",
};

/**
 * Which dtypes an operation takes, and what it makes of the others: `float` turns integers into float32, and so does
 * `wide`, which has no kernels for floats of 16 bits; `logical` asks of any whether it is 0; `whole` is without bool.
 */
type Domain = "number" | "float" | "wide" | "integer" | "whole" | "logical" | "comparable";
type Result = "same" | "bool";

const domains: Record<Domain, { readonly kernels: readonly DType[]; of(dtype: DType, name: string): DType }> = {
  number: {
    kernels: [...floats, ...integers],
    of: (dtype, name) => (dtype === "bool" ? refuse(name, dtype, "numbers", "int32") : dtype),
  },
  comparable: { kernels: [...floats, ...integers], of: (dtype) => (dtype === "bool" ? "int32" : dtype) },
  float: { kernels: floats, of: floatOf },
  wide: {
    kernels: ["float32", "float64"],
    of: (dtype, name) =>
      dtype === "float16" || dtype === "bfloat16"
        ? refuse(name, dtype, "float32 or float64", "float32")
        : floatOf(dtype),
  },
  integer: {
    kernels: [...integers, "bool"],
    of: (dtype, name) => (factsOf(dtype).kind === "float" ? refuse(name, dtype, "integers or bool", "int32") : dtype),
  },
  whole: {
    kernels: integers,
    of: (dtype, name) => (factsOf(dtype).kind === "int" ? dtype : refuse(name, dtype, "integers", "int32")),
  },
  logical: { kernels: [...floats, ...integers, "bool"], of: (dtype) => dtype },
};

function refuse(name: string, dtype: DType, takes: string, advice: DType): never {
  throw new TensorError("DTYPE", `${name} takes ${takes} but got ${dtype}: convert it, e.g. with .to("${advice}").`);
}

export function computingDType(domain: Domain, dtype: DType, name: string): DType {
  if (factsOf(dtype).kind === "complex")
    throw new TensorError("DTYPE", `${name} takes real numbers but got ${dtype}: ${adviceToCompute(dtype)}.`);
  if (factsOf(dtype).isStorage) refuse(name, dtype, "numbers that compute", "float32");
  return domains[domain].of(dtype, name);
}

/** The dtype whose kernels compute an operation on operands of `dtype`. */
function kernelDType(domain: Domain, dtype: DType, name: string): DType {
  const wanted = computingDType(domain, dtype, name);
  return computing[wanted] ?? wanted;
}

const isArray = (operand: Operand): operand is DeviceArray => operand instanceof DeviceArray;
export const bytesMoved = (arrays: readonly Operand[]): number =>
  arrays.reduce<number>((sum, operand) => sum + (isArray(operand) ? operand.bytes : 0), 0);
export const costOf =
  (flops: number) =>
  (inputs: readonly Operand[], outputs: readonly DeviceArray[]): Cost => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: flops * outputs[0]!.size,
  });

/** The gradient of an operand that was broadcast: summed over the axes that were stretched, in the operand's dtype. */
export function unbroadcast(gradient: DeviceArray, operand: Operand): DeviceArray | null {
  if (!isArray(operand)) return null;
  const summed = sameShape(gradient.shape, operand.shape)
    ? gradient
    : call("sumTo", [gradient], { shape: operand.shape });
  return summed.dtype === operand.dtype ? summed : call("convert", [summed], { dtype: operand.dtype });
}

export type UnaryGradient = (g: DeviceArray, x: DeviceArray, y: DeviceArray) => DeviceArray;
interface UnaryOptions<R extends Result> {
  readonly result?: R;
  readonly flops?: number;
  readonly gradient?: UnaryGradient | null /** The functor of bools, where it is another one. */;
  readonly ofBools?: string;
}

/** A row that tells its result's dtype to the types of methods. */
interface Elementwise<D extends Domain, R extends Result> {
  readonly domain: D;
  readonly result: R;
}
export interface Unary<D extends Domain, R extends Result>
  extends Elementwise<D, R>,
    Computation<[x: DeviceArray], None> {}
export interface Binary<D extends Domain, R extends Result>
  extends Elementwise<D, R>,
    Computation<[a: Operand, b: Operand], None> {}

/** What makes rows whose kernels are those of a file of device/ops. */
export const elementwiseIn = (file: string) => ({
  /** out = f(x). */
  unary: <D extends Domain, R extends Result = "same">(
    name: string,
    functor: string,
    domain: D,
    options?: UnaryOptions<R>,
  ): Unary<D, R> => unary(file, name, functor, domain, options),
  /** out = f(a, b), broadcast; one of them may be a number. */
  binary: <D extends Domain, R extends Result = "same">(
    name: string,
    functor: string,
    domain: D,
    options?: BinaryOptions<R>,
  ): Binary<D, R> => binary(file, name, functor, domain, options),
  /** out = f(x, p, q). */
  withNumbers: <A>(
    name: string,
    functor: string,
    domain: Domain,
    numbers: (attributes: A) => readonly [number, number],
    gradient: (g: DeviceArray, x: DeviceArray, attributes: A) => DeviceArray,
    flops?: number,
  ): Computation<[x: DeviceArray], A> => withNumbers(file, name, functor, domain, numbers, gradient, flops),
});

function unary<D extends Domain, R extends Result = "same">(
  file: string,
  name: string,
  functor: string,
  domain: D,
  { result = "same" as R, flops = 1, gradient = null, ofBools = functor }: UnaryOptions<R> = {},
): Unary<D, R> {
  const { kernels } = domains[domain];
  const family = new KernelFamily(
    file,
    kernels,
    (type, dtype) => `unary<${dtype === "bool" ? ofBools : functor}, ${type}, ${result === "bool" ? "bool" : type}>`,
    ["place", "struct", "out", "i64"],
  );
  return {
    domain,
    result,
    inPlace: result === "same",
    infer([x]) {
      const dtype = computingDType(domain, x.dtype, name);
      return [{ shape: x.shape, dtype: result === "bool" ? "bool" : dtype }];
    },
    run([out], [input], _, on) {
      const { device } = on;
      const dtype = kernelDType(domain, input.dtype, name);
      withRows(on, input, dtype, (source, rows) =>
        withFlatOutput(on, out!, result === "bool" ? "bool" : dtype, (target) => {
          const blocks = flatBlocks(device, target.size, widestOf(source, target));
          family.launch(on, dtype, blocks, [source, rows, target, target.size]);
        }),
      );
    },
    element([x]) {
      const dtype = kernelDType(domain, x.dtype, name);
      return { functor, operands: [[x, dtype]], dtype };
    },
    gradient: gradient === null ? null : ([g], { inputs: [x], outputs: [y] }) => [gradient(g!, x, y!)],
    cost: costOf(flops),
  };
}

/** Runs on `out` itself where it is contiguous and of that dtype, else on an array that is copied to it. */
function withFlatOutput(on: Execution, out: DeviceArray, dtype: DType, run: (target: DeviceArray) => void): void {
  if (out.isContiguous && out.dtype === dtype) return run(out);
  using target = DeviceArray.allocate(on.device, dtype, out.shape);
  run(target);
  copy(on, out, target);
}

/** The gradient of an operand that is a tensor, made where it is wanted. */
type Part = (operand: DeviceArray) => DeviceArray;
export type BinaryGradients = readonly [ofA: Part, ofB: Part];
export type BinaryGradient = (g: DeviceArray, forward: { a: Operand; b: Operand; y: DeviceArray }) => BinaryGradients;
interface BinaryOptions<R extends Result> {
  readonly result?: R;
  readonly flops?: number;
  readonly gradient?: BinaryGradient | null /** f(y, x) in terms of another functor, where a number stands on the left. */;
  readonly swapped?: string;
}

/** The dtype that both operands are computed in. */
function commonDType(name: string, domain: Domain, a: Operand, b: Operand): DType {
  const weak = (array: DeviceArray, number: Scalar) =>
    domain === "logical" ? array.dtype : promotedWith(array.dtype, number);
  const dtype = isArray(a) ? (isArray(b) ? promoted(a.dtype, b.dtype) : weak(a, b)) : weak(b as DeviceArray, a);
  const computed = computingDType(domain, dtype, name);
  for (const number of [a, b]) {
    if (isArray(number)) continue;
    if (
      domain !== "logical" &&
      typeof number !== "boolean" &&
      !admits(computed, factsOf(computed).kind === "float" ? Number(number) : number)
    ) {
      throw new TensorError(
        "VALUE",
        `${name} of a tensor of ${isArray(a) ? a.dtype : (b as DeviceArray).dtype} computes in ${computed}, which does not hold ${worded(number)}.${adviceFor(computed, number)}`,
      );
    }
  }
  return computed;
}

function binary<D extends Domain, R extends Result = "same">(
  file: string,
  name: string,
  functor: string,
  domain: D,
  { result = "same" as R, flops = 1, gradient = null, swapped = functor }: BinaryOptions<R> = {},
): Binary<D, R> {
  const { kernels } = domains[domain];
  const outOf = (type: string) => (result === "bool" ? "bool" : type);
  const flat = new KernelFamily(file, kernels, (type) => `binary<${functor}, ${type}, ${outOf(type)}>`, [
    "place",
    "place",
    "out",
    "i64",
  ]);
  const strided = new KernelFamily(file, kernels, (type) => `binary_strided<${functor}, ${type}, ${outOf(type)}>`, [
    "struct",
    "place",
    "place",
    "out",
    "i64",
  ]);
  const right = new KernelFamily(file, kernels, (type) => `binary_number<${functor}, ${type}, ${outOf(type)}>`, [
    "place",
    "struct",
    "wide",
    "out",
    "i64",
  ]);
  const isOwn = swapped === "";
  const left = isOwn
    ? new KernelFamily(file, kernels, (type) => `number_binary<${functor}, ${type}, ${outOf(type)}>`, [
        "wide",
        "place",
        "struct",
        "out",
        "i64",
      ])
    : new KernelFamily(file, kernels, (type) => `binary_number<${swapped}, ${type}, ${outOf(type)}>`, [
        "place",
        "struct",
        "wide",
        "out",
        "i64",
      ]);

  return {
    domain,
    result,
    inPlace: result === "same",
    infer([a, b]) {
      const dtype =
        result === "bool" ? (commonDType(name, domain, a, b), "bool" as const) : commonDType(name, domain, a, b);
      const shape = !isArray(a)
        ? (b as DeviceArray).shape
        : !isArray(b) || sameShape(a.shape, b.shape)
          ? a.shape
          : broadcast(a.shape, b.shape);
      return [{ shape, dtype }];
    },
    run([out], [a, b], _, on) {
      const { device } = on;
      const wanted = commonDType(name, domain, a, b);
      const dtype = computing[wanted] ?? wanted;
      if (!isArray(a) || !isArray(b)) {
        const array = (isArray(a) ? a : b) as DeviceArray;
        const value = Number.isNaN(a) ? NaN : ((isArray(a) ? b : a) as number);
        const number =
          domain === "logical" ? Number(Boolean(value)) : typeof value === "boolean" ? Number(value) : value;
        withRows(on, array, dtype, (source, rows) =>
          withFlatOutput(on, out!, result === "bool" ? "bool" : dtype, (target) => {
            const blocks = flatBlocks(device, target.size, widestOf(source, target));
            if (isArray(a)) right.launch(on, dtype, blocks, [source, rows, number, target, target.size]);
            else
              left.launch(
                on,
                dtype,
                blocks,
                isOwn ? [number, source, rows, target, target.size] : [source, rows, number, target, target.size],
              );
          }),
        );
        return;
      }
      const made = result === "bool" ? "bool" : dtype;
      withDType(on, a, dtype, (x) =>
        withDType(on, b, dtype, (y) => {
          const target = out!.dtype === made ? out! : DeviceArray.allocate(device, made, out!.shape);
          if (
            target.isContiguous &&
            x.isContiguous &&
            y.isContiguous &&
            sameShape(x.shape, target.shape) &&
            sameShape(y.shape, target.shape)
          ) {
            flat.launch(on, dtype, flatBlocks(device, target.size, widestOf(x, target)), [x, y, target, target.size]);
          } else {
            withoutTurns(on, x, (left) =>
              withoutTurns(on, y, (right) =>
                strided.launch(on, dtype, stridedBlocks(device, target.size), [
                  broadcastLayout(target, [left, right]),
                  left,
                  right,
                  target,
                  target.size,
                ]),
              ),
            );
          }
          if (target === out) return;
          copy(on, out!, target);
          target.dispose();
        }),
      );
    },
    element([a, b]) {
      const wanted = commonDType(name, domain, a, b);
      const dtype = computing[wanted] ?? wanted;
      return {
        functor,
        operands: [
          [a, dtype],
          [b, dtype],
        ],
        dtype,
      };
    },
    gradient:
      gradient === null
        ? null
        : ([g], { inputs: [a, b], outputs: [y], wanted }) => {
            const [ofA, ofB] = gradient(g!, { a, b, y: y! });
            return [
              wanted[0] && isArray(a) ? unbroadcast(ofA(a), a) : null,
              wanted[1] && isArray(b) ? unbroadcast(ofB(b), b) : null,
            ];
          },
    cost: costOf(flops),
  };
}

function withNumbers<A>(
  file: string,
  name: string,
  functor: string,
  domain: Domain,
  numbers: (attributes: A) => readonly [number, number],
  gradient: (g: DeviceArray, x: DeviceArray, attributes: A) => DeviceArray,
  flops = 2,
): Computation<[x: DeviceArray], A> {
  const { kernels } = domains[domain];
  const family = new KernelFamily(file, kernels, (type) => `with_numbers<${functor}, ${type}, ${type}>`, [
    "place",
    "struct",
    "wide",
    "wide",
    "out",
    "i64",
  ]);
  return {
    inPlace: true,
    infer: ([x]) => [{ shape: x.shape, dtype: computingDType(domain, x.dtype, name) }],
    run([out], [x], attributes, on) {
      const { device } = on;
      const dtype = kernelDType(domain, x.dtype, name);
      const [first, second] = numbers(attributes);
      withRows(on, x, dtype, (source, rows) =>
        withFlatOutput(on, out!, dtype, (target) => {
          family.launch(on, dtype, flatBlocks(device, target.size, widestOf(target)), [
            source,
            rows,
            first,
            second,
            target,
            target.size,
          ]);
        }),
      );
    },
    element([x], attributes) {
      const dtype = kernelDType(domain, x.dtype, name);
      return { functor, operands: [x, ...numbers(attributes)].map((operand) => [operand, dtype]), dtype };
    },
    gradient: ([g], { inputs: [x], attributes }) => [gradient(g!, x, attributes)],
    cost: costOf(flops),
  };
}
