// The inputs of a cell of the grid on a device of ours; rivals/shapes.py makes the same ones from the same numbers.
import * as warpcell from "warpcell";
import { sizeOf } from "./grid.mjs";

/** Random numbers that both sides repeat; a prime, so that no row or column is like its neighbour. */
export const period = 2 ** 20 + 7;

/** Normal numbers of a seed. */
export function normals(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Float32Array.from(
    { length: period },
    () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  );
}

/** From normal float32 numbers. Only steps that every library rounds alike. */
const kinds = {
  normal: (v) => v,
  positive: (v) => v.abs().add(0.5),
  aboveOne: (v) => v.abs().add(1.5),
  unit: (v) => v.mul(0.25).clamp({ min: -0.96875, max: 0.96875 }),
  nearOne: (v) => v.mul(2 ** -10).add(1),
  mostlyZero: (v) => v.mul(v.gt(4).to("float32")),
  mask: (v) => v.gt(0),
  index: (v, { below }) =>
    v
      .abs()
      .mul(2 ** 26)
      .to("int64")
      .remainder(below),
};

/** The shape that is stored, and the view of it. */
const layouts = {
  contiguous: (shape) => [shape, (x) => x],
  odd: (shape) => [[sizeOf(shape) + 1], (x) => x.slice([1]).reshape(shape)],
  sliced: (shape) => [
    [...shape.slice(0, -1), shape.at(-1) + 7],
    (x) => x.slice(...shape.slice(1).map(() => null), [3, shape.at(-1) + 3]),
  ],
  stepped: (shape) => [
    [...shape.slice(0, -1), 2 * shape.at(-1)],
    (x) => x.slice(...shape.slice(1).map(() => null), [0, null, 2]),
  ],
  transposed: (shape) => [[...shape.slice(0, -2), shape.at(-1), shape.at(-2)], (x) => x.swapAxes(-1, -2)],
  broadcast: (shape) => [[shape.at(-1)], (x) => x.expand(shape)],
  channelsLast: ([images, channels, ...rest]) => [[images, ...rest, channels], (x) => x.permute(0, 3, 1, 2)],
};

function made(base, spec, device) {
  const { shape, dtype, kind, layout = "contiguous", shift } = spec;
  const on = { device };
  if (kind === "ramp")
    return warpcell
      .arange(shape[0], on)
      .mul(2 ** -7)
      .sub(4)
      .to(dtype);
  if (kind === "reversed") {
    const { axis } = spec;
    const line = warpcell.arange(shape[axis] - 1, -1, -1, { ...on, dtype });
    return line
      .reshape(shape.map((size, each) => (each === axis ? size : 1)))
      .expand(shape)
      .clone();
  }
  const [stored, view] = layouts[layout](shape);
  const count = sizeOf(stored);
  const tiled = base.repeat([Math.ceil((count + shift) / period)]).slice([shift, shift + count]);
  const numbers = kinds[kind](tiled, spec);
  const whole = dtype === "int64" && kind !== "index" ? numbers.mul(1000) : numbers;
  return view(whole.to(dtype).reshape(stored).clone());
}

/** The inputs by name; all that lies between is freed. */
export function inputsOf(base, { inputs, axis }, device) {
  const given = warpcell.tidy(() =>
    Object.fromEntries(Object.entries(inputs).map(([name, spec]) => [name, made(base, spec, device)])),
  );
  return { ...given, axis };
}
