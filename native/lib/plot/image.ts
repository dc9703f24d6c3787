// Pictures of tensors as images: what `plot.image` makes.
import { inspect } from "node:util";
import { TensorError } from "../errors.ts";
import { factsOf } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { figuresOf } from "../ops/reduce/statistics.ts";
import { flag, oneOf, optionsOf, type Kind } from "../tensor/arguments.ts";
import { stack } from "../tensor/joining.ts";
import { tensor as tensorOf } from "../tensor/create.ts";
import { displayKey } from "../tensor/display.ts";
import { colourImages, heatMaps, mostImages, wantedSide } from "../tensor/picture.ts";
import { pictureScale, type ColorMap, type PictureScale } from "../tensor/picture-colours.ts";
import { pngOf, type Pixels } from "../tensor/png.ts";
import { interpolate as resize } from "../tensor/resizing.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { liveKey } from "./chart.ts";
import { isRecord, range } from "./lines.ts";
import { channelsOf, classColours } from "./palette.ts";
import { savePicture } from "./save.ts";
import { checkReal, isTensor, isValues, numbersOf } from "./values.ts";

/**
 * `range`: the values of black and white, or of both ends of the colour map: 0 and 255 of uint8, 0 and 1 of colours
 * within it, else the least and the greatest, when left out. `colorMap`, of images without colours: "sequential",
 * "diverging" about zero, "grey", "classes", which has a colour for each of the whole numbers 0 … 9; "auto", when left
 * out, is "diverging" where there are both signs. `interpolate`: small images are enlarged smoothly instead of in
 * squares. `channels`: which axis holds the colours, "first" or "last" of an image's three, or "none"; when left out the
 * last where it has 3 or 4 elements, else the first. `columns`: images in a row of a batch.
 */
export interface ImageOptions {
  readonly range?: readonly [number, number];
  readonly colorMap?: ColorMap | "classes";
  readonly interpolate?: boolean;
  readonly channels?: "first" | "last" | "none";
  readonly columns?: number;
}

const kinds = {
  range,
  colorMap: oneOf("auto", "sequential", "diverging", "grey", "classes"),
  interpolate: flag,
  channels: oneOf("first", "last", "none"),
  columns: {
    wanted: "a whole number of at least 1",
    has: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  } as Kind<number>,
} as const;
const aliases = { cmap: "colorMap" };

/**
 * An image, as `plot.image` makes it: a PNG that any front end shows, and again after `update`.
 * @example
 * const picture = plot.image(zeros([8, 12]));
 * picture.update(ones([8, 12])); // → Image: 8 × 12
 */
export class Picture {
  readonly #changed = new Set<() => void>();
  #options: ImageOptions;
  #file: Buffer | null = null;
  #summary = "";

  /** @internal */
  constructor(x: unknown, options: unknown) {
    this.#options = optionsOf("plot.image", kinds, options, { aliases });
    this.#draw(x);
  }

  /**
   * Shows another tensor; options that are left out stay as they are. Returns the picture. Throws TensorError.
   * @example
   * plot.image(zeros([4, 4])).update(ones([2, 2, 3])); // → Image: 2 × 2, in colours
   */
  update(x: Tensor | readonly unknown[], options?: ImageOptions): this {
    this.#options = { ...this.#options, ...optionsOf("plot.image", kinds, options, { aliases }) };
    this.#draw(x);
    for (const changed of this.#changed) changed();
    return this;
  }

  /**
   * The bytes of the PNG file.
   * @example
   * [...plot.image(zeros([4, 4])).toPng().subarray(1, 4)]; // → [ 80, 78, 71 ]
   */
  toPng(): Uint8Array {
    return new Uint8Array(this.#file ?? pngOf({ width: 1, height: 1, bytes: new Uint8Array(4), channels: 4 }));
  }

  /**
   * Writes the picture to a .png file. Throws TensorError for another one, and the system's error.
   * @example
   * plot.image(zeros([4, 4])).save("picture.png");
   */
  save(path: string): void {
    savePicture("A picture", ".png", path, this.toPng());
  }

  /** @internal */
  [displayKey](): Record<string, string> {
    return {
      ...(this.#file === null ? {} : { "image/png": this.#file.toString("base64") }),
      "text/plain": this.#summary,
    };
  }

  /** @internal */
  [liveKey](changed: () => void): void {
    this.#changed.add(changed);
  }

  /** @internal */
  [inspect.custom](): string {
    return this.#summary;
  }

  #draw(given: unknown): void {
    const x = imageTensor(given);
    const { images, count, rows, columns, channels } = imagesOf(x, this.#options.channels);
    const size = `${rows} × ${columns}`;
    const more = count > mostImages ? `, the first ${mostImages}` : "";
    this.#summary = `Image${count > 1 ? "s" : ""}: ${count > 1 ? `${count} of ` : ""}${size}${channels > 1 ? ", in colours" : ""}${more}`;
    this.#file = images.size === 0 ? null : pngOf(pixelsOf(images, channels, this.#options));
  }
}

function imageTensor(given: unknown): Tensor {
  if (isTensor(given)) {
    checkReal("plot.image", given);
    return given.detach();
  }
  if (Array.isArray(given) && given.length > 0 && given.every((each) => isTensor(each) && each.shape.length > 1)) {
    const pictures = given as Tensor[];
    const odd = pictures.find(({ shape }) => formatShape(shape) !== formatShape(pictures[0]!.shape));
    if (odd !== undefined)
      throw new TensorError(
        "SHAPE",
        `plot.image takes a list of images of one shape but got ${formatShape(pictures[0]!.shape)} and ${formatShape(odd.shape)}: show each by display(plot.image(x)).`,
      );
    for (const each of pictures) checkReal("plot.image", each);
    return stack(pictures.map((each) => each.detach()));
  }
  if (typeof given === "string")
    throw new TensorError(
      "ARGUMENTS",
      `plot.image takes a tensor, not a text: write plot.image(await io.load(${JSON.stringify(given)})).`,
    );
  if (!Array.isArray(given) || !given.every((each) => isValues(each)))
    throw new TensorError(
      "ARGUMENTS",
      `plot.image takes a tensor of at least two axes, or rows of numbers, but got ${worded(given)}. Give a list of numbers a shape: plot.image(tensor(x).reshape([28, 28])).`,
    );
  const nested = (value: unknown): unknown =>
    isTensor(value) || ArrayBuffer.isView(value)
      ? [...numbersOf("plot.image", "rows", value as Tensor)]
      : Array.isArray(value)
        ? value.map(nested)
        : value;
  return tensorOf(nested(given) as number[][], { device: "cpu" });
}

interface Images {
  /** [n, rows, columns], or with channels behind. */
  readonly images: Tensor;
  readonly count: number;
  readonly rows: number;
  readonly columns: number;
  readonly channels: 1 | 3 | 4;
}

function imagesOf(x: Tensor, channels: ImageOptions["channels"]): Images {
  const { shape } = x;
  const isColours = (length: number | undefined) => length === 3 || length === 4;
  const isChannels = (length: number | undefined) => isColours(length) || length === 1;
  const fail = (wanted: string): never => {
    throw new TensorError("SHAPE", `plot.image takes ${wanted} but got shape ${formatShape(shape)}.`);
  };
  if (shape.length < 2) fail("[height, width], [height, width, 3 or 4], [3 or 4, height, width] or a batch of them");
  const where =
    channels ??
    (shape.length > 2 && isColours(shape.at(-1))
      ? "last"
      : shape.length > 2 && isColours(shape.at(-3))
        ? "first"
        : shape.length > 3 && shape.at(-3) === 1
          ? "first"
          : shape.length > 2 && shape.at(-1) === 1 && shape.at(-2) !== 1
            ? "last"
            : "none");
  if (where === "last" && !(shape.length > 2 && isChannels(shape.at(-1)))) fail("1, 3 or 4 channels on the last axis");
  if (where === "first" && !(shape.length > 2 && isChannels(shape.at(-3))))
    fail("1, 3 or 4 channels on the third axis from the end");
  const last = where === "first" ? x.moveAxis(-3, -1) : x;
  const isPlain = where === "none" || last.shape.at(-1) === 1;
  const [rows, columns] = (where === "none" ? last.shape.slice(-2) : last.shape.slice(-3, -1)) as [number, number];
  const before = where === "none" ? last.shape.slice(0, -2) : last.shape.slice(0, -3);
  const count = before.reduce((product, length) => product * length, 1);
  const each = isPlain ? [rows, columns] : [rows, columns, last.shape.at(-1)!];
  return {
    images: last.reshape([count, ...each]),
    count,
    rows,
    columns,
    channels: isPlain ? 1 : (last.shape.at(-1) as 3 | 4),
  };
}

function pixelsOf(images: Tensor, channels: 1 | 3 | 4, options: ImageOptions): Pixels {
  const whole = images.contiguous();
  whole.execution.waitForAll();
  const { min, max } = figuresOf(whole.execution, whole);
  const isBytes = images.dtype === "uint8";
  const isUnit = (min ?? 0) >= 0 && (max ?? 1) <= 1;
  const found: readonly [number, number] = [min ?? 0, max ?? 1];
  const shown = options.interpolate === true && options.colorMap !== "classes" ? smoothed(whole, channels) : whole;
  if (channels !== 1) {
    const [low, high] = options.range ?? (isBytes ? [0, 255] : isUnit ? [0, 1] : found);
    return colourImages(shown, [low, high > low ? high : low + Math.max(1, Math.abs(low))], options.columns);
  }
  if (options.colorMap === "classes") return heatMaps(shown, classScale, options.columns);
  const isBool = factsOf(images.dtype).kind === "bool";
  const isGrey = options.colorMap === "grey";
  const [low, high] =
    options.range ?? (isBool ? [0, 1] : isGrey && isBytes ? [0, 255] : isGrey && isUnit ? [0, 1] : found);
  return heatMaps(shown, pictureScale(low, high, options.colorMap ?? "auto"), options.columns);
}

/** Enlarged on its device to about the size of a picture, by the pixels around each. */
function smoothed(images: Tensor, channels: number): Tensor {
  const [, rows, columns] = images.shape as [number, number, number];
  const scale = Math.floor(wantedSide / Math.max(rows, columns));
  if (scale < 2) return images;
  const floats = factsOf(images.dtype).kind === "float" ? images : images.to("float32");
  const size = [rows * scale, columns * scale];
  if (channels === 1) return resize(floats.unsqueeze(1), { size, mode: "bilinear" }).squeeze(1).contiguous();
  return resize(floats.moveAxis(-1, 1).contiguous(), { size, mode: "bilinear" }).moveAxis(1, -1).contiguous();
}

/** A colour for each whole number, again from the first behind the last; what is no class has those of any picture. */
const classScale: PictureScale = (() => {
  const { palette, placeOf } = pictureScale(0, 1);
  const own = classColours.map((colour) => [...channelsOf(colour), 255] as const);
  return {
    palette: [...own, ...palette.slice(own.length)],
    placeOf: (value) =>
      Number.isInteger(value)
        ? ((value % own.length) + own.length) % own.length
        : placeOf(Number.isFinite(value) ? NaN : value),
  };
})();
