// assertClose(actual, expected): says where numbers differ from what they must be, and by how much.
import { TensorCheckError } from "../errors.ts";
import { factsOf, isComplexNumber, type Complex, type DType, type TypedArray } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { worded } from "../wording.ts";
import { atLeast, flag, optionsOf, text } from "./arguments.ts";
import { distances, isclose, type CloseOptions } from "./closeness.ts";
import { tensor as tensorOf, type Scalar } from "./create.ts";
import { where } from "./mixing.ts";
import { Tensor, type Nested } from "./tensor.ts";

/** Numbers to compare: a tensor on any device, a number, arrays of them, a typed array. */
export type Comparable = Tensor | TypedArray | Nested<Scalar>;

/**
 * `rtol`, `atol` and `equalNan` as {@link CloseOptions} has them. What is left out depends on the coarser of both
 * dtypes: `rtol` is 1e-7 of float64, 1e-5 of float32, 1e-3 of float16, 0.016 of bfloat16, 0.13 of 8-bit floats, `atol`
 * 1e-7 of float64 and 1e-5 of the others; integers must be equal, and NaN is close to NaN. JavaScript's numbers are as
 * coarse as what they are compared with, else as float32. `name`: what the message calls the numbers, "result" when left
 * out.
 */
export interface AssertCloseOptions extends CloseOptions {
  readonly name?: string;
}

const kinds = { rtol: atLeast(0), atol: atLeast(0), equalNan: flag, name: text };

/** Of the dtypes whose elements are rounded. */
const tolerances: Partial<Record<DType, readonly [rtol: number, atol: number]>> = {
  float64: [1e-7, 1e-7],
  complex128: [1e-7, 1e-7],
  float32: [1e-5, 1e-5],
  complex64: [1e-5, 1e-5],
  float16: [1e-3, 1e-5],
  bfloat16: [0.016, 1e-5],
  float8_e4m3: [0.13, 1e-5],
  float8_e5m2: [0.13, 1e-5],
};

function comparable(name: string, value: unknown, device?: string): Tensor {
  if (value instanceof Tensor) {
    value.checkLiving("assertClose");
    const plain = value.detach();
    return device === undefined || plain.device === device ? plain : plain.to(device);
  }
  const isScalar = typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
  if (!isScalar && !Array.isArray(value) && !ArrayBuffer.isView(value))
    throw new TensorCheckError("TENSOR", `${name} must be a tensor, an array or a number, but is ${worded(value)}.`);
  const plain = tensorOf(value as Nested<number>, { device: "cpu" });
  const exact = plain.dtype === "float32" && isPlain(value) ? tensorOf(value as number[], { dtype: "float64" }) : plain;
  return exact.to(device ?? "cpu");
}

/** JavaScript's numbers, which have no dtype. */
const isPlain = (value: unknown): boolean => !(value instanceof Tensor) && !ArrayBuffer.isView(value);

/** Floats of 8 bits are only kept. */
const computable = (x: Tensor): Tensor => (x.dtype.startsWith("float8") ? x.to("float32") : x);

/** As many digits as the dtype has. */
function written(value: Scalar | Complex, dtype: DType): string {
  if (isComplexNumber(value)) {
    const part = factsOf(dtype).parts!;
    const sign = value.im < 0 || Object.is(value.im, -0) ? "-" : "+";
    return `${written(value.re, part)} ${sign} ${written(Math.abs(value.im), part)}i`;
  }
  return typeof value === "number" && factsOf(dtype).kind === "float" && dtype !== "float64"
    ? String(Number(value.toPrecision(7)))
    : String(value);
}

/** One element, `y[2, 0]`: what it is, and what it must be. */
interface Difference {
  readonly place: string;
  readonly actual: string;
  readonly expected: string;
}

function differenceAt(name: string, at: number, actual: Tensor, expected: Tensor): Difference {
  const { shape } = actual;
  let rest = at;
  const index = shape.toReversed().map((length) => {
    const along = rest % length;
    rest = (rest - along) / length;
    return along;
  });
  const element = (x: Tensor): string =>
    written(
      x
        .reshape([-1])
        .get(x.size === 1 ? 0 : at)
        .item(),
      x.dtype,
    );
  return {
    place: shape.length === 0 ? name : `${name}[${index.toReversed().join(", ")}]`,
    actual: element(actual),
    expected: element(expected),
  };
}

/**
 * Throws TensorCheckError where numbers are not those that are expected, and says where: the first that differs, how
 * many do, and which one most. Shapes must be the same, but one number may be expected of all elements; dtypes may
 * differ. Waits for the device.
 * @example
 * assertClose(tensor([1, 2]).mul(2), [2, 4]);
 * try {
 *   assertClose(tensor([1, 2, 3]), [1, 4, 9], { name: "y" });
 * } catch (error) {
 *   error.message; // → 'y[1] must be 4, but is 2. 2 of 3 elements differ, the most y[2]: 3 instead of 9.'
 * }
 */
export function assertClose(actual: Comparable, expected: Comparable, options?: AssertCloseOptions): void {
  const { name = "result", ...given } = optionsOf("assertClose", kinds, options);
  const x = comparable(name, actual);
  const wanted = comparable("What is expected", expected, x.device);
  if (wanted.shape.length > 0 && formatShape(x.shape) !== formatShape(wanted.shape))
    throw new TensorCheckError(
      "SHAPE",
      `${name} must have shape ${formatShape(wanted.shape)}, but has shape ${formatShape(x.shape)}.`,
    );
  const rounded: DType[] = [...(isPlain(actual) ? [] : [x.dtype]), ...(isPlain(expected) ? [] : [wanted.dtype])];
  if (rounded.length === 0) rounded.push("float32");
  const coarsest = (part: 0 | 1): number => Math.max(...rounded.map((dtype) => tolerances[dtype]?.[part] ?? 0));
  const [rtol, atol] = [given.rtol ?? coarsest(0), given.atol ?? coarsest(1)];
  const [a, b] = [computable(x), computable(wanted)];
  const isWrong = isclose(a, b, { rtol, atol, equalNan: given.equalNan ?? true }).logicalNot();
  const count = Number(isWrong.sum().item());
  if (count === 0) return;

  const first = Number(isWrong.to("uint8").argmax().item());
  const distance = where(isWrong, distances(a, b)[0], 0);
  const most = Number(distance.argmax().item());
  const { place, actual: came, expected: must } = differenceAt(name, first, x, wanted);
  const furthest = differenceAt(name, most, x, wanted);
  const worst = most === first ? "this one" : `${furthest.place}: ${furthest.actual} instead of ${furthest.expected}`;
  const others =
    x.size === 1
      ? ""
      : count === 1
        ? ` It is the only one of ${x.size} elements that differs.`
        : ` ${count} of ${x.size} elements differ, the most ${worst}.`;
  throw new TensorCheckError("VALUES", `${place} must be ${must}, but is ${came}.${others}`);
}
