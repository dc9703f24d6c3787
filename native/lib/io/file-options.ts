// What users say to `load` and `save` of files, and what they get.
import type { DType } from "../memory/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";

/**
 * Kinds of files: one tensor (.npy), several with names, or columns of a table (.arrow, and as a stream .arrows;
 * .parquet; as text .csv, and .tsv with tabs), or a picture (.png, .jpg).
 */
export type FileFormat = "npy" | "npz" | "safetensors" | "arrow" | "arrows" | "parquet" | "csv" | "tsv" | "png" | "jpg";
/** Tensors by their names. */
export type TensorRecord = Record<string, Tensor>;
/** Columns of a table by their names: tensors, and lists of texts. Which is which only the file says. */
export type TableRecord = Record<string, any>;

/**
 * `device`: where the tensors go, the default one when left out. `format`: when neither the name nor the first bytes
 * say it. `only`: names of those to load, as the file has them. `rename`: what a tensor of the file is called here, or
 * `null` to leave it out. `maxRatio`: how many times its packed size an entry of an .npz may have, 100 when left out.
 */
export interface LoadOptions {
  readonly device?: string;
  readonly format?: FileFormat;
  readonly only?: readonly string[];
  readonly rename?: (name: string) => string | null;
  readonly maxRatio?: number;
}
/**
 * Of tables: `dtype`: of all columns of numbers, or of those named. `texts`: columns that become lists of texts
 * whatever they hold, such as numbers with zeros in front, beside those of `only`. `matrix`: all columns side by side as one tensor. Of those that are text: `header`: whether the
 * first line has the names, or the names; when left out, it has them unless it is all numbers. `delimiter`: between
 * fields; when left out, a tab for .tsv, else what the first line has most of, of comma, tab, semicolon and bar. `skip`:
 * lines to leave out at the beginning. `missing`: texts that stand for no number, beside NA, NaN, null and the like.
 */
export interface TableOptions extends LoadOptions {
  readonly dtype?: DType | Readonly<Record<string, DType>>;
  readonly texts?: readonly string[];
  readonly matrix?: boolean;
  readonly header?: boolean | readonly string[];
  readonly delimiter?: string;
  readonly skip?: number;
  readonly missing?: readonly string[];
}
/**
 * Of pictures: `channels`: 1 makes colours grey, 3 leaves opacity out and makes three of grey, 4 adds opacity where there
 * is none; as the file has them when left out.
 */
export interface PictureOptions {
  readonly device?: string;
  readonly format?: "png" | "jpg";
  readonly channels?: 1 | 3 | 4;
}
/**
 * `format`: when the name does not say it. `compress`: deflate the entries of an .npz. `metadata`: texts for a
 * .safetensors file. `header`: names of the columns of a matrix, for a .csv file. `delimiter`: what separates fields.
 * `quality` of a .jpg file: 1 … 100, 90 when left out.
 */
export interface SaveOptions {
  readonly format?: FileFormat;
  readonly compress?: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly header?: readonly string[];
  readonly delimiter?: string;
  readonly quality?: number;
}
