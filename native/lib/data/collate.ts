// Samples as one batch: what is a number in each becomes a tensor of them, and so does what is a tensor.
import { factsOf, type TypedArray } from "../memory/dtype.ts";
import { tensor } from "../tensor/create.ts";
import { stack } from "../tensor/joining.ts";
import { Tensor } from "../tensor/tensor.ts";
import { laidOut, type Numbers, type NumbersLayout } from "./layout.ts";

/** What a batch of samples is. */
export type Collated<S> = S extends Tensor | Numbers | number | bigint | boolean
  ? Tensor
  : S extends string
    ? string[]
    : S extends readonly unknown[]
      ? { -readonly [K in keyof S]: Collated<S[K]> }
      : S extends object
        ? { -readonly [K in keyof S]: Collated<S[K]> }
        : S[];

/** Tensors of numbers are made on `device`, or on the default one. */
export function collated(samples: readonly unknown[], device: string | undefined): unknown {
  const on = device === undefined ? {} : { device };
  const leaf = ({ dtype, shape, fill }: NumbersLayout) => {
    const elements: TypedArray = new (factsOf(dtype).array)(shape.reduce((product, size) => product * size, 1));
    fill(elements);
    const made = tensor(elements, { ...on, dtype });
    if (shape.length === 1) return made;
    using row = made;
    return row.reshape([...shape]);
  };
  return laidOut(samples, leaf, (given) =>
    given.length > 0 && given.every((each) => each instanceof Tensor)
      ? moved(stack(given as Tensor[]) as Tensor, device)
      : undefined,
  );
}

/** On the device, if one is named. */
export function moved(x: Tensor, device: string | undefined): Tensor {
  if (device === undefined || x.device === device) return x;
  const there = x.to(device);
  if (there !== x) x.dispose();
  return there;
}
