// Borders around lists, images and volumes as layers.
import { TensorError } from "../errors.ts";
import { either, number, wholeNumber, wholeNumbers } from "../tensor/arguments.ts";
import type { PadMode } from "../tensor/padding.ts";
import type { PerAxis } from "../tensor/per-axis.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { listed } from "../wording.ts";
import { FunctionLayer, shown } from "./function-layer.ts";

const padding = either(wholeNumber, wholeNumbers);

/** What all have in common. */
abstract class Padding extends FunctionLayer<{ readonly padding: PerAxis; readonly value?: number }> {
  /** Before and after each axis, the last first. */
  readonly widths: readonly number[];
  /** What the borders are made of. */
  readonly mode: PadMode;

  constructor(axes: number, mode: PadMode, args: readonly unknown[]) {
    super(null, args, { required: args.length === 1 ? { padding } : { padding, value: number } });
    const { padding: given } = this.options;
    const widths = typeof given === "number" ? Array<number>(2 * axes).fill(given) : given;
    if (widths.length !== 2 * axes)
      throw new TensorError(
        "VALUE",
        `${this.constructor.name} takes a whole number, or ${2 * axes} of them, as padding but got ${listed(widths)}.`,
      );
    this.widths = widths;
    this.mode = mode;
  }
  forward(x: Tensor): Tensor {
    return x.pad(this.widths, {
      mode: this.mode,
      ...(this.mode === "constant" ? { value: this.options.value ?? 0 } : {}),
    });
  }
  override describe(): string {
    const { padding: given, value } = this.options;
    return `${shown(given)}${value === undefined ? "" : `, value ${value}`}`;
  }
}

/**
 * A layer that puts borders around lists, of zeros: see {@link Tensor.pad}.
 * @example
 * new nn.ZeroPad1d(1)(ones([1, 1, 3])).shape; // → [ 1, 1, 5 ]
 */
export class ZeroPad1d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(1, "constant", [padding]);
  }
}

/**
 * A layer that puts borders around images, of zeros: see {@link Tensor.pad}.
 * @example
 * new nn.ZeroPad2d(1)(ones([1, 1, 3, 3])).shape; // → [ 1, 1, 5, 5 ]
 */
export class ZeroPad2d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(2, "constant", [padding]);
  }
}

/**
 * A layer that puts borders around volumes, of zeros: see {@link Tensor.pad}.
 * @example
 * new nn.ZeroPad3d(1)(ones([1, 1, 3, 3, 3])).shape; // → [ 1, 1, 5, 5, 5 ]
 */
export class ZeroPad3d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(3, "constant", [padding]);
  }
}

/**
 * A layer that puts borders of a number around lists: see {@link Tensor.pad}.
 * @example
 * new nn.ConstantPad1d(1, 7)(ones([1, 1, 3])).shape; // → [ 1, 1, 5 ]
 */
export class ConstantPad1d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis, value: number) {
    super(1, "constant", [padding, value]);
  }
}

/**
 * A layer that puts borders of a number around images: see {@link Tensor.pad}.
 * @example
 * new nn.ConstantPad2d(1, 7)(ones([1, 1, 3, 3])).shape; // → [ 1, 1, 5, 5 ]
 */
export class ConstantPad2d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis, value: number) {
    super(2, "constant", [padding, value]);
  }
}

/**
 * A layer that puts borders of a number around volumes: see {@link Tensor.pad}.
 * @example
 * new nn.ConstantPad3d(1, 7)(ones([1, 1, 3, 3, 3])).shape; // → [ 1, 1, 5, 5, 5 ]
 */
export class ConstantPad3d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis, value: number) {
    super(3, "constant", [padding, value]);
  }
}

/**
 * A layer that puts borders around lists, of what lies inside the edge, mirrored: see {@link Tensor.pad}.
 * @example
 * new nn.ReflectionPad1d(1)(ones([1, 1, 3])).shape; // → [ 1, 1, 5 ]
 */
export class ReflectionPad1d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(1, "reflect", [padding]);
  }
}

/**
 * A layer that puts borders around images, of what lies inside the edge, mirrored: see {@link Tensor.pad}.
 * @example
 * new nn.ReflectionPad2d(1)(ones([1, 1, 3, 3])).shape; // → [ 1, 1, 5, 5 ]
 */
export class ReflectionPad2d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(2, "reflect", [padding]);
  }
}

/**
 * A layer that puts borders around volumes, of what lies inside the edge, mirrored: see {@link Tensor.pad}.
 * @example
 * new nn.ReflectionPad3d(1)(ones([1, 1, 3, 3, 3])).shape; // → [ 1, 1, 5, 5, 5 ]
 */
export class ReflectionPad3d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(3, "reflect", [padding]);
  }
}

/**
 * A layer that puts borders around lists, of the elements of the edge: see {@link Tensor.pad}.
 * @example
 * new nn.ReplicationPad1d(1)(ones([1, 1, 3])).shape; // → [ 1, 1, 5 ]
 */
export class ReplicationPad1d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(1, "replicate", [padding]);
  }
}

/**
 * A layer that puts borders around images, of the elements of the edge: see {@link Tensor.pad}.
 * @example
 * new nn.ReplicationPad2d(1)(ones([1, 1, 3, 3])).shape; // → [ 1, 1, 5, 5 ]
 */
export class ReplicationPad2d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(2, "replicate", [padding]);
  }
}

/**
 * A layer that puts borders around volumes, of the elements of the edge: see {@link Tensor.pad}.
 * @example
 * new nn.ReplicationPad3d(1)(ones([1, 1, 3, 3, 3])).shape; // → [ 1, 1, 5, 5, 5 ]
 */
export class ReplicationPad3d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(3, "replicate", [padding]);
  }
}

/**
 * A layer that puts borders around lists, of what lies at the other end: see {@link Tensor.pad}.
 * @example
 * new nn.CircularPad1d(1)(ones([1, 1, 3])).shape; // → [ 1, 1, 5 ]
 */
export class CircularPad1d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(1, "circular", [padding]);
  }
}

/**
 * A layer that puts borders around images, of what lies at the other end: see {@link Tensor.pad}.
 * @example
 * new nn.CircularPad2d(1)(ones([1, 1, 3, 3])).shape; // → [ 1, 1, 5, 5 ]
 */
export class CircularPad2d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(2, "circular", [padding]);
  }
}

/**
 * A layer that puts borders around volumes, of what lies at the other end: see {@link Tensor.pad}.
 * @example
 * new nn.CircularPad3d(1)(ones([1, 1, 3, 3, 3])).shape; // → [ 1, 1, 5, 5, 5 ]
 */
export class CircularPad3d extends Padding {
  /** `padding`: of all sides, or pairs of each axis, the last first. Throws TensorError. */
  constructor(padding: PerAxis) {
    super(3, "circular", [padding]);
  }
}
