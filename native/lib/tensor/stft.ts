// Short-time Fourier transforms: those of overlapping parts of a signal, each weighted by a window, and back.
import { factsOf, type DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { worded } from "../wording.ts";
import { count, define, flag, install, oneOf, orNull, tensor as tensorKind, type FunctionOf } from "./arguments.ts";
import { complex, type ComplexOf } from "./complex.ts";
import { ones } from "./create.ts";
import { padded } from "./padding.ts";
import { Tensor } from "./tensor.ts";
import { transformed } from "./transforms.ts";
import { col2im } from "./window-columns.ts";

/**
 * `hopLength`: from part to part, a quarter of nFft when left out. `window`: the weights of `winLength` elements, in the
 * middle of each part; ones when left out. `center`: part i lies around element i · hopLength, true when left out, where
 * the signal goes on at its ends by `padMode`, "reflect" when left out. `normalized`: divided by √nFft. `onesided`: only
 * frequencies up to the half, which is all of a real signal and what is given for one.
 */
export interface StftOptions {
  readonly hopLength?: number | null;
  readonly winLength?: number | null;
  readonly window?: Tensor | null;
  readonly center?: boolean;
  readonly padMode?: "constant" | "reflect" | "replicate" | "circular";
  readonly normalized?: boolean;
  readonly onesided?: boolean;
}
/**
 * As {@link StftOptions}, of what was transformed. `length`: of the signal; as far as all parts reach when left out.
 * `returnComplex`: the signal is complex; false when left out.
 */
export interface InverseStftOptions extends Omit<StftOptions, "padMode"> {
  readonly length?: number | null;
  readonly returnComplex?: boolean;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The short-time Fourier transform of signals [B…, length] of one or two axes, see {@link StftOptions}: [B…,
     * frequencies, parts], complex. Part i at frequency k is Σ window[j] · x[i · hopLength + j] · exp(−2πi·jk/nFft).
     * Throws TensorError for signals that are shorter than a part.
     * @example
     * ones([8]).stft(4, { center: false }).shape; // → [ 3, 5 ]
     */
    stft(nFft: number, options?: StftOptions): Tensor<ComplexOf<D>>;
    /**
     * The way back from {@link Tensor.stft}, see {@link InverseStftOptions}: the parts, weighted again and added where
     * they lie, over the sum of the squares of the weights. Throws TensorError where that is 0.
     * @example
     * arange(8).stft(4).istft(4); // → tensor([0, 1, 2, 3, 4, 5, 6, 7], shape [8], float32, cpu)
     */
    istft(nFft: number, options?: InverseStftOptions): Tensor;
  }
}

/** The parts' distance and weights, nFft of them. */
function framing(
  name: string,
  x: Tensor,
  nFft: number,
  { hopLength, winLength, window }: Pick<StftOptions, "hopLength" | "winLength" | "window">,
): { hop: number; weights: Tensor | null } {
  const hop = hopLength ?? Math.floor(nFft / 4);
  const width = winLength ?? window?.shape[0] ?? nFft;
  if (nFft < 1 || hop < 1 || width < 1 || width > nFft)
    throw new TensorError(
      "VALUE",
      `${name} takes parts of at least one element, at least one apart, and a window of at most as many, but got nFft ${nFft}, hopLength ${hop} and winLength ${width}.`,
    );
  if (window != null && (window.shape.length !== 1 || window.shape[0] !== width))
    throw new TensorError(
      "SHAPE",
      `${name} takes a window of shape [${width}], winLength, but got shape ${formatShape(window.shape)}.`,
    );
  if (window == null && width === nFft) return { hop, weights: null };
  const parts = factsOf(x.dtype).parts ?? x.dtype;
  const own = window ?? ones([width], { dtype: parts === "float64" ? "float64" : "float32", device: x.device });
  const left = Math.floor((nFft - width) / 2);
  return { hop, weights: padded(own, [left, nFft - width - left], {}) };
}

const isComplex = (x: Tensor | null | undefined): boolean => x != null && factsOf(x.dtype).kind === "complex";
const framed = { hopLength: orNull(count), winLength: orNull(count), window: orNull(tensorKind) };
const aliases = { hop_length: "hopLength", win_length: "winLength" } as const;

/** {@link Tensor.stft} as a function. */
export const stft: FunctionOf<"stft"> = define(
  "stft",
  {
    required: { nFft: count },
    options: {
      ...framed,
      center: flag,
      padMode: oneOf("constant", "reflect", "replicate", "circular"),
      normalized: flag,
      onesided: flag,
    },
    aliases: { ...aliases, pad_mode: "padMode" },
    instead: {
      return_complex: "Results are complex: viewAsReal gives their parts.",
      returnComplex: "Results are complex: viewAsReal gives their parts.",
    },
  },
  (x, { nFft, center = true, padMode = "reflect", normalized = false, onesided, ...frames }) => {
    if (x.shape.length !== 1 && x.shape.length !== 2)
      throw new TensorError("SHAPE", `stft takes signals [length] or [batch, length] but got ${formatShape(x.shape)}.`);
    const { hop, weights } = framing("stft", x, nFft, frames);
    const half = Math.floor(nFft / 2);
    const signal = center ? padded(x, [half, half], { mode: padMode }) : x;
    const length = signal.shape.at(-1)!;
    if (length < nFft)
      throw new TensorError("SHAPE", `stft takes signals of at least nFft, ${nFft}, elements but got ${length}.`);
    const parts = signal.unfold(-1, nFft, hop);
    const weighted = weights === null ? parts : parts.mul(weights);
    const isHalf = onesided ?? !isComplex(weighted);
    if (isHalf && isComplex(weighted))
      throw new TensorError("OPTIONS", "stft of complex numbers has no half that says all: leave onesided out.");
    const kind = isHalf ? "r2c" : "c2c";
    const found = transformed(
      { name: "stft", kind, isInverse: false, isBack: false },
      weighted,
      [-1],
      undefined,
      normalized ? "ortho" : "backward",
    );
    return found.swapAxes(-1, -2);
  },
);

/** {@link Tensor.istft} as a function. */
export const istft: FunctionOf<"istft"> = define(
  "istft",
  {
    required: { nFft: count },
    options: {
      ...framed,
      center: flag,
      normalized: flag,
      onesided: flag,
      length: orNull(count),
      returnComplex: flag,
    },
    aliases: { ...aliases, return_complex: "returnComplex" },
  },
  (x, { nFft, center = true, normalized = false, onesided, length, returnComplex = false, ...frames }) => {
    const isHalf = onesided ?? x.shape.at(-2) !== nFft;
    const rows = isHalf ? Math.floor(nFft / 2) + 1 : nFft;
    if ((x.shape.length !== 2 && x.shape.length !== 3) || x.shape.at(-2) !== rows || x.shape.at(-1) === 0)
      throw new TensorError(
        "SHAPE",
        `istft takes transforms [${rows}, parts] or [batch, ${rows}, parts] for nFft ${nFft} but got ${formatShape(x.shape)}.`,
      );
    if (returnComplex && isHalf)
      throw new TensorError("OPTIONS", "istft gives complex signals of transforms with all frequencies only.");
    const { hop, weights } = framing("istft", x, nFft, frames);
    const batched = x.shape.length === 2 ? x.unsqueeze(0) : x;
    const count = batched.shape[2]!;
    const whole = transformed(
      { name: "istft", kind: isHalf ? "c2r" : "c2c", isInverse: true, isBack: true },
      batched.swapAxes(1, 2),
      [-1],
      [nFft],
      normalized ? "ortho" : "backward",
    );
    const parts = isHalf || returnComplex ? whole : whole.real;
    const reach = nFft + hop * (count - 1);
    const weighted = weights === null ? parts : parts.mul(weights);
    const added = (frames: Tensor): Tensor =>
      col2im(frames.swapAxes(1, 2), [1, reach], [1, nFft], { stride: [1, hop] }).reshape([frames.shape[0]!, reach]);
    const sum = isComplex(weighted) ? complex(added(weighted.real), added(weighted.imag)) : added(weighted);
    const square =
      weights === null ? ones([nFft], { dtype: parts.real.dtype as "float32", device: x.device }) : weights.square();
    const over = added(square.expand([1, count, nFft]));
    const first = center ? Math.floor(nFft / 2) : 0;
    const end = length == null ? reach - first : Math.min(reach, first + length);
    const part = (of: Tensor) => of.slice(null, [first, Math.max(first, end)]);
    const least = part(over);
    if (least.size > 0 && !(Number(least.min().item()) > 1e-11))
      throw new TensorError(
        "VALUE",
        "istft cannot tell the signal where no window has weight: the squares of the weights add up to 0 there. Use a smaller hopLength or another window.",
      );
    const found = part(sum).div(least);
    const filled = length != null && first + length > end ? padded(found, [0, first + length - end], {}) : found;
    return x.shape.length === 2 ? filled.squeeze(0) : filled;
  },
);

install(Tensor.prototype, { stft, istft });
