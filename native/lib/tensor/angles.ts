// Angles in degrees and radians.
import type { DType } from "../memory/dtype.ts";
import { floatOf, type FloatOf } from "../memory/promotion.ts";
import { define, install, type FunctionOf } from "./arguments.ts";
import { Tensor } from "./tensor.ts";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * Degrees as radians: x · π/180. Integers give float32.
     * @example
     * tensor([180, 90]).deg2rad(); // → tensor([3.14159, 1.57080], shape [2], float32, cpu)
     */
    deg2rad(): Tensor<FloatOf<D>>;
    /**
     * Radians as degrees: x · 180/π. Integers give float32.
     * @example
     * tensor([Math.PI]).rad2deg(); // → tensor([180], shape [1], float32, cpu)
     */
    rad2deg(): Tensor<FloatOf<D>>;
  }
}

/** {@link Tensor.deg2rad} as a function. */
export const deg2rad: FunctionOf<"deg2rad"> = define("deg2rad", {}, (x) => x.to(floatOf(x.dtype)).mul(Math.PI / 180));
/** {@link Tensor.rad2deg} as a function. */
export const rad2deg: FunctionOf<"rad2deg"> = define("rad2deg", {}, (x) => x.to(floatOf(x.dtype)).mul(180 / Math.PI));

install(Tensor.prototype, { deg2rad, rad2deg });
