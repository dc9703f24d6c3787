// A tensor as a picture that any front end shows: a line for a vector, an image where an axis is one of colours, a heat
// map of the last two axes otherwise, and a grid of them for a batch.
import { pictureOf, type Figures } from "../ops/reduce/statistics.ts";
import type { TensorPayload } from "../payloads.ts";
import { emptyPlace, nanPlace, pictureScale, type PaletteColour, type PictureScale } from "./picture-colours.ts";
import { pngOf, type Pixels } from "./png.ts";
import type { Tensor } from "./tensor.ts";

/** Pixels of a file, about: a heat map of so many elements has one each. */
const mostPixels = 2 ** 20;
/** Along each axis of a matrix that has more elements than that: a pixel is the mean of a block. */
const mostReduced = 512;
/** A batch shows its first ones. */
export const mostImages = 64;
const gap = 2;
/** Small pictures are enlarged, by whole numbers, to about this. */
export const wantedSide = 384;
/** An axis of colours is one of 3 or 4 beside two at least as long as this. */
const leastSide = 8;

const line = { width: 640, height: 160, margin: 4 };
/** Elements that are read to draw a line; of more, the device finds the extremes of each column. */
const mostRead = 2 ** 20;
const lineColours: readonly PaletteColour[] = [
  [0, 0, 0, 0],
  [58, 123, 213, 255],
  [128, 128, 128, 160],
  [214, 39, 90, 255],
];
const [paper, ink, axis, missing] = [0, 1, 2, 3];

export interface PictureFile {
  /** A PNG. */
  readonly file: Buffer;
  /** What it shows; `undefined` for one heat map. */
  readonly shows: TensorPayload["picture"];
}

/** A picture of the tensor, contiguous and real; `null` where there is nothing to draw. */
export function pictureFileOf(tensor: Tensor, figures: Figures): PictureFile | null {
  if (tensor.size < 2) return null;
  using plain = tensor.detach();
  const { shape } = plain;
  if (shape.length === 1) return { file: pngOf(lineOf(plain, figures)), shows: "line" };
  const side = (at: number) => shape.at(at)! >= leastSide;
  const isColours = (length: number | undefined) => length === 3 || length === 4;
  if (shape.length > 2 && isColours(shape.at(-1)) && side(-2) && side(-3)) {
    using images = plain.reshape([-1, ...shape.slice(-3)]);
    return { file: pngOf(coloursOf(images, figures)), shows: "colours" };
  }
  if (shape.length > 3 && shape.at(-3) === 3 && side(-1) && side(-2)) {
    using images = plain.reshape([-1, ...shape.slice(-3)]);
    using last = images.permute(0, 2, 3, 1);
    return { file: pngOf(coloursOf(last, figures)), shows: "colours" };
  }
  const [rows, columns] = shape.length > 2 && shape.at(-1) === 1 ? shape.slice(-3) : shape.slice(-2);
  using matrices = plain.reshape([-1, rows!, columns!]);
  const shows = matrices.shape[0]! > 1 ? "slices" : undefined;
  return { file: pngOf(heatMapOf(matrices, figures)), shows };
}

/** Pixels along each axis of a picture that is one among others. */
const smallSide = 64;
const smallLine = { width: 160, height: 40, margin: 2 };

/** A small picture of a contiguous, real tensor of two elements or more: a line, or the first slice. */
export function thumbnailOf(tensor: Tensor, figures: Figures): Buffer {
  using plain = tensor.detach();
  if (plain.shape.length === 1) return pngOf(lineOf(plain, figures, smallLine));
  const { shape } = plain;
  if (shape.length > 2 && (shape.at(-1) === 3 || shape.at(-1) === 4) && shape.at(-2)! >= leastSide) {
    using images = plain.reshape([-1, ...shape.slice(-3)]);
    const [rows, columns] = [images.shape[1]!, images.shape[2]!];
    const step = Math.max(1, Math.ceil(Math.max(rows, columns) / smallSide));
    using first = images.slice([0, 1], [0, rows, step], [0, columns, step]);
    return pngOf(coloursOf(first, figures, smallSide));
  }
  const isBool = plain.dtype === "bool";
  const scale = pictureScale(isBool ? 0 : (figures.min ?? 0), isBool ? 1 : (figures.max ?? 0));
  const { rows, columns, values } = pictureOf(plain.execution, plain, { cells: smallSide ** 2, along: smallSide })!;
  const image = imageOf(rows, columns, values, scale);
  return pngOf({ ...gridOf([image], 1, emptyPlace, 1, smallSide), palette: scale.palette });
}

interface Image {
  readonly rows: number;
  readonly columns: number;
  /** A byte a pixel and channel, row by row. */
  readonly bytes: Uint8Array;
}

function heatMapOf(matrices: Tensor, { min, max }: Figures): Pixels {
  const isBool = matrices.dtype === "bool";
  return heatMaps(matrices, pictureScale(isBool ? 0 : (min ?? 0), isBool ? 1 : (max ?? 0)));
}

/** `matrices`: [n, rows, columns], each in the colours of the scale. */
export function heatMaps(matrices: Tensor, scale: PictureScale, across?: number): Pixels {
  const [count, rows, columns] = matrices.shape as [number, number, number];
  const shown = Math.min(count, mostImages);
  const isWhole = rows * columns * shown <= mostPixels;
  const images = Array.from({ length: shown }, (_, index): Image => {
    using matrix = matrices.slice(index);
    return isWhole ? imageOf(rows, columns, valuesOf(matrix), scale) : reduced(matrix, scale);
  });
  return { ...gridOf(images, 1, emptyPlace, across), palette: scale.palette };
}

function imageOf(rows: number, columns: number, values: ArrayLike<number>, { placeOf }: PictureScale): Image {
  return { rows, columns, bytes: Uint8Array.from({ length: rows * columns }, (_, at) => placeOf(values[at]!)) };
}

function reduced(matrix: Tensor, scale: PictureScale): Image {
  using whole = matrix.contiguous();
  const { rows, columns, values } = pictureOf(whole.execution, whole, {
    cells: mostReduced ** 2,
    along: mostReduced,
  })!;
  return imageOf(rows, columns, values, scale);
}

/** `images`: [n, rows, columns, 3 or 4], of bytes, of numbers from 0 to 1, or of any others, whose range they fill. */
function coloursOf(images: Tensor, { min, max }: Figures, side = wantedSide): Pixels {
  const isUnit = (min ?? 0) >= 0 && (max ?? 1) <= 1;
  const range: readonly [number, number] =
    images.dtype === "uint8"
      ? [0, 255]
      : isUnit
        ? [0, 1]
        : [min ?? 0, Math.max(max ?? 1, (min ?? 0) + Number.MIN_VALUE)];
  return colourImages(images, range, undefined, side);
}

/** `images`: [n, rows, columns, 3 or 4]; what is at the range's start is black, what is at its end white. */
export function colourImages(
  images: Tensor,
  [low, high]: readonly [number, number],
  across?: number,
  side = wantedSide,
): Pixels {
  const [count, rows, columns, channels] = images.shape as [number, number, number, 3 | 4];
  const shown = Math.min(count, mostImages);
  const step = Math.max(1, Math.ceil(Math.sqrt((rows * columns * shown) / mostPixels)));
  const shownImages = Array.from({ length: shown }, (_, index): Image => {
    using image = images.slice(index, [0, rows, step], [0, columns, step]);
    const values = valuesOf(image);
    const bytes = Uint8Array.from({ length: image.size }, (_each, at) => {
      const value = values[at]!;
      return Math.round(255 * Math.min(1, Math.max(0, (value / 2 - low / 2) / (high / 2 - low / 2) || 0)));
    });
    return { rows: image.shape[0]!, columns: image.shape[1]!, bytes };
  });
  return gridOf(shownImages, channels, 255, across, side);
}

/**
 * Images of one size beside and below each other, `wanted` in a row or about as wide as high, enlarged when they are
 * small.
 */
function gridOf(
  images: readonly Image[],
  channels: 1 | 3 | 4,
  empty: number,
  wanted?: number,
  side = wantedSide,
): Omit<Pixels, "palette"> {
  const { rows, columns } = images[0]!;
  const across = Math.min(
    images.length,
    wanted ?? Math.max(1, Math.round(Math.sqrt((images.length * rows) / columns))),
  );
  const down = Math.ceil(images.length / across);
  const scale = Math.max(1, Math.floor(side / Math.max(rows * down, columns * across)));
  const width = across * columns * scale + (across - 1) * gap;
  const height = down * rows * scale + (down - 1) * gap;
  const bytes = new Uint8Array(width * height * channels).fill(empty);
  for (const [index, image] of images.entries()) {
    const left = (index % across) * (columns * scale + gap);
    const top = Math.floor(index / across) * (rows * scale + gap);
    for (let y = 0; y < rows * scale; y++)
      for (let x = 0; x < columns * scale; x++) {
        const from = (Math.floor(y / scale) * columns + Math.floor(x / scale)) * channels;
        const to = ((top + y) * width + left + x) * channels;
        for (let channel = 0; channel < channels; channel++) bytes[to + channel] = image.bytes[from + channel]!;
      }
  }
  return { width, height, bytes, channels };
}

/** The least and the greatest of the elements that share a column of pixels; NaN where one of them is no number. */
interface Extremes {
  readonly least: ArrayLike<number>;
  readonly most: ArrayLike<number>;
}

function lineOf(tensor: Tensor, { min, max }: Figures, { width, height, margin } = line): Pixels {
  const [low, high] = [min ?? 0, max ?? 0];
  const rowOf = (value: number) => {
    const share = high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
    return Math.round(height - 1 - margin - share * (height - 1 - 2 * margin));
  };
  const bytes = new Uint8Array(width * height).fill(paper!);
  const vertical = (x: number, from: number, to: number, colour: number) => {
    for (let y = Math.min(from, to); y <= Math.max(from, to); y++) bytes[y * width + x] = colour;
  };
  if (low <= 0 && high >= 0) for (let x = 0; x < width; x += 2) bytes[rowOf(0) * width + x] = axis!;

  const { least, most } = tensor.size > width ? extremesOf(tensor, width) : betweenPoints(valuesOf(tensor), width);
  let before: [top: number, bottom: number] | null = null;
  for (let x = 0; x < width; x++) {
    if (!Number.isFinite(least[x]!) || !Number.isFinite(most[x]!)) {
      vertical(x, height - 1 - margin, height - 1, missing!);
      before = null;
      continue;
    }
    const [top, bottom] = [rowOf(most[x]!), rowOf(least[x]!)];
    // The line goes on from the column before, also where both lie apart.
    const from: number = before === null ? top : Math.min(top, before[1]);
    const to: number = before === null ? bottom : Math.max(bottom, before[0]);
    vertical(x, from, Math.max(to, Math.min(from + 1, height - 1)), ink!);
    before = [top, bottom];
  }
  return { width, height, bytes, channels: 1, palette: lineColours };
}

/** Fewer elements than columns: straight lines between them. */
function betweenPoints(values: ArrayLike<number>, width: number): Extremes {
  const at = Float64Array.from({ length: width }, (_, x) => {
    const place = (x / (width - 1)) * (values.length - 1);
    const [first, share] = [Math.floor(place), place % 1];
    return share === 0 ? values[first]! : values[first]! * (1 - share) + values[first + 1]! * share;
  });
  return { least: at, most: at };
}

function extremesOf(tensor: Tensor, width: number): Extremes {
  const least = new Float64Array(width);
  const most = new Float64Array(width);
  if (tensor.size > mostRead) {
    // As many elements a column, and the last has the rest, too.
    const length = Math.floor(tensor.size / width);
    using head = tensor.slice([0, width * length]);
    using columns = head.reshape([width, length]);
    using rest = tensor.slice([(width - 1) * length]);
    for (const [extremes, name] of [
      [least, "min"],
      [most, "max"],
    ] as const) {
      using each = columns[name](1);
      using last = rest[name]();
      extremes.set(valuesOf(each) as Float64Array);
      extremes.set(valuesOf(last) as Float64Array, width - 1);
    }
    return { least, most };
  }
  const values = valuesOf(tensor);
  for (let x = 0; x < width; x++) {
    const end = Math.max(Math.floor(((x + 1) * values.length) / width), Math.floor((x * values.length) / width) + 1);
    least[x] = Infinity;
    most[x] = -Infinity;
    for (let at = Math.floor((x * values.length) / width); at < end; at++) {
      const value = values[at]!;
      if (!Number.isFinite(value)) least[x] = most[x] = NaN;
      else if (!Number.isNaN(least[x]!)) {
        least[x] = Math.min(least[x]!, value);
        most[x] = Math.max(most[x]!, value);
      }
    }
  }
  return { least, most };
}

/** Elements as numbers, read from the device. */
function valuesOf(tensor: Tensor): ArrayLike<number> {
  using numbers = tensor.to("float64");
  return numbers.data() as Float64Array;
}
