// Complex numbers: made of their parts, and seen as them.
import { factsOf, type ComplexDType, type DType, type RealOf } from "../memory/dtype.ts";
import { apply } from "../ops/core/apply.ts";
import { imaginaryOf, realOf } from "../ops/complex/parts.ts";
import { TensorError } from "../errors.ts";
import { define, free, install, operand, tensor, type FunctionOf } from "./arguments.ts";
import { tensor as createTensor } from "./create.ts";
import { Tensor } from "./tensor.ts";

type Scalar = number | bigint | boolean;
/** The complex dtype of parts of `D`. */
export type ComplexOf<D extends DType> = D extends "float64" | "complex128" ? "complex128" : "complex64";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The real parts, a view; of real numbers the tensor itself.
     * @example
     * complex(tensor([1, 2]), tensor([3, 4])).real; // → tensor([1, 2], shape [2], float32, cpu)
     */
    readonly real: Tensor<RealOf<D>>;
    /**
     * The imaginary parts of complex numbers, a view. Throws TensorError for others.
     * @example
     * complex(tensor([1, 2]), tensor([3, 4])).imag; // → tensor([3, 4], shape [2], float32, cpu)
     */
    readonly imag: Tensor<RealOf<D>>;
    /**
     * With imaginary parts of the other sign; of real numbers the tensor itself.
     * @example
     * complex(tensor([1]), tensor([3])).conj(); // → tensor([1-3i], shape [1], complex64, cpu)
     */
    conj(): Tensor<D>;
    /**
     * The angle to the real axis, from −π to π: atan2(im, re). Of real numbers 0 and π.
     * @example
     * complex(tensor([0]), tensor([2])).angle(); // → tensor([1.5708], shape [1], float32, cpu)
     */
    angle(): Tensor<RealOf<D>>;
  }
}

const isComplexTensor = (x: Tensor): boolean => factsOf(x.dtype).kind === "complex";

/**
 * Whether the elements are complex numbers.
 * @example
 * isComplex(zeros([2], { dtype: "complex64" })); // → true
 */
export const isComplex: (x: Tensor) => boolean = define("isComplex", {}, isComplexTensor);

/**
 * The complex numbers re + i · im, of float32 or float64; both broadcast, and may be numbers.
 * @example
 * complex(tensor([1, 2]), 1); // → tensor([1+1i, 2+1i], shape [2], complex64, cpu)
 */
export const complex: <D extends DType>(re: Tensor<D> | Scalar, im: Tensor<D> | Scalar) => Tensor<ComplexOf<D>> = free(
  "complex",
  { required: { re: operand, im: operand } },
  ({ re, im }) => {
    const like = [re, im].find((each) => each instanceof Tensor);
    const on = like === undefined ? {} : { dtype: like.dtype as "float32", device: like.device };
    const [a, b] = [re, im].map((each) => (each instanceof Tensor ? each : createTensor(Number(each), on)));
    return apply("complex", [a!, b!], {});
  },
);

/**
 * The complex numbers of that size and angle, abs · (cos angle + i · sin angle); both broadcast.
 * @example
 * polar(tensor([2]), tensor([0])); // → tensor([2+0i], shape [1], complex64, cpu)
 */
export const polar: <D extends DType>(abs: Tensor<D>, angle: Tensor<D>) => Tensor<ComplexOf<D>> = define(
  "polar",
  { required: { angle: tensor } },
  (abs, { angle }) => apply("complex", [abs.mul(angle.cos()), abs.mul(angle.sin())], {}),
);

/**
 * Complex numbers [B…] as the pairs of their parts [B…, 2], a view. Throws TensorError for others.
 * @example
 * viewAsReal(complex(tensor([1, 2]), 1)); // → tensor([[1, 1], [2, 1]], shape [2, 2], float32, cpu)
 */
export const viewAsReal: <D extends ComplexDType>(x: Tensor<D>) => Tensor<RealOf<D>> = define("viewAsReal", {}, (x) =>
  apply("viewAsReal", [x], {}),
);

/**
 * Pairs of float32 or float64 [B…, 2] as complex numbers [B…], a view. Throws TensorError where the pairs do not lie
 * side by side.
 * @example
 * viewAsComplex(tensor([[1, 1], [2, 1]])); // → tensor([1+1i, 2+1i], shape [2], complex64, cpu)
 */
export const viewAsComplex: <D extends DType>(x: Tensor<D>) => Tensor<ComplexOf<D>> = define("viewAsComplex", {}, (x) =>
  apply("viewAsComplex", [x], {}),
);

/** {@link Tensor.conj} as a function. */
export const conj: FunctionOf<"conj"> = define("conj", {}, (x) =>
  isComplexTensor(x) ? apply("complex", [realOf(x), apply("neg", [imaginaryOf(x)], {})], {}) : x.reshape(x.shape),
);

/** {@link Tensor.angle} as a function. */
export const angle: FunctionOf<"angle"> = define("angle", {}, (x) =>
  isComplexTensor(x) ? apply("atan2", [imaginaryOf(x), realOf(x)], {}) : apply("atan2", [x.mul(0), x], {}),
);

/** The real parts as a function: {@link Tensor.real}. */
function realPart(this: Tensor): Tensor {
  this.checkLiving("real");
  return isComplexTensor(this) ? (realOf(this) as Tensor) : this;
}

function imaginaryPart(this: Tensor): Tensor {
  this.checkLiving("imag");
  if (!isComplexTensor(this)) throw new TensorError("DTYPE", `imag takes complex numbers but got ${this.dtype}.`);
  return imaginaryOf(this) as Tensor;
}

Object.defineProperty(Tensor.prototype, "real", { get: realPart, configurable: true });
Object.defineProperty(Tensor.prototype, "imag", { get: imaginaryPart, configurable: true });
install(Tensor.prototype, { conj, angle });
