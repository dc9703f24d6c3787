// Textures and surfaces of tensors: checks what they are asked for against what every GPU can make.
import { checkTensor, Surface, TexelObject, Texture, type AddressMode, type Texels } from "../cuda/texture.ts";
import { TensorError } from "../errors.ts";
import { DeviceArray } from "../memory/array.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { listed, toBeTensor, worded } from "../wording.ts";
import { anything, flag, oneOf, optionsOf, type Kind } from "./arguments.ts";
import type { Tensor } from "./tensor.ts";

/** `channels`: the length of the last axis, where that holds the values of a texel; `layered`: the first axis counts layers. */
export interface SurfaceOptions {
  readonly channels?: 1 | 2 | 4;
  readonly layered?: boolean;
}

/**
 * `filter`: the nearest texel ("point"), or what is between the nearest ones ("linear"). `address`: what is beyond the
 * texels, along all axes or along x, y and z. `normalized`: coordinates go from 0 to 1. `read`: values as they are, or
 * integers as fractions from 0 (−1 where they are signed) to 1. `memory`: "linear" for `tex1Dfetch`.
 */
export interface TextureOptions extends SurfaceOptions {
  readonly filter?: "point" | "linear";
  readonly address?: AddressMode | readonly AddressMode[];
  readonly normalized?: boolean;
  readonly read?: "element" | "normalized";
  readonly memory?: "array" | "linear";
}

const addressModes = ["clamp", "wrap", "mirror", "border"] as const;
const isAddress = (value: unknown): boolean => (addressModes as readonly unknown[]).includes(value);
const address: Kind<AddressMode | readonly AddressMode[]> = {
  wanted: '"clamp", "wrap", "mirror" or "border", or a list of these for x, y and z,',
  has: (value) => isAddress(value) || (Array.isArray(value) && value.length <= 3 && Array.from(value).every(isAddress)),
};
const surfaceOptions = { channels: anything, layered: flag };
const textureOptions = {
  ...surfaceOptions,
  filter: oneOf("point", "linear"),
  address,
  normalized: flag,
  read: oneOf("element", "normalized"),
  memory: oneOf("array", "linear"),
};

const small: readonly DType[] = ["uint8", "int8", "uint16", "int16"];
const dtypes: readonly DType[] = [...small, "uint32", "int32", "float16", "float32"];

/** The most texels along x, y and z that every GPU takes, by the number of axes; the last of layered ones: layers. */
const most = {
  plain: [[131072], [131072, 65536], [16384, 16384, 16384]],
  layered: [[32768], [32768, 32768]],
  layers: 2048,
  surface: 32768,
  linear: 2 ** 27,
} as const;

function texelsOf(name: string, x: unknown, options: SurfaceOptions, isLinear = false): Texels {
  const { channels = 1, layered = false } = options;
  if (!(x instanceof DeviceArray))
    throw new TensorError(
      "OPERANDS",
      `${name} takes a tensor${name === "texture" ? " or a surface" : ""} but got ${worded(x)}. ${toBeTensor(x)}`,
    );
  x.checkLiving(name);
  const refuse = (sentence: string): never => {
    throw new TensorError("OPERANDS", `${name} ${sentence}`);
  };
  if (!dtypes.includes(x.dtype))
    refuse(`takes a tensor of ${dtypes.slice(0, -1).join(", ")} or ${dtypes.at(-1)}, but got one of ${x.dtype}.`);
  if (channels !== 1 && channels !== 2 && channels !== 4)
    refuse(`has 1, 2 or 4 channels, but got ${listed(channels)}: make a fourth one with cat.`);
  const { shape } = x;
  if (channels > 1 && shape.at(-1) !== channels)
    refuse(
      `with ${channels} channels takes a tensor whose last axis has ${channels} elements, but got shape ${formatShape(shape)}.`,
    );
  const inner = channels > 1 ? shape.slice(0, -1) : shape;
  const size = inner.slice(layered ? 1 : 0).reverse();
  const limits = (layered ? most.layered : most.plain)[size.length - 1];
  if (limits === undefined || (isLinear && size.length !== 1))
    refuse(
      `${isLinear ? "of linear memory has 1 axis" : layered ? "with layers has 1 or 2 axes besides them" : "has 1, 2 or 3 axes"}${channels > 1 ? " and one of channels" : ""}, but got shape ${formatShape(shape)}.${channels === 1 && shape.length === 3 && !layered ? "" : adviceOf(shape, channels)}`,
    );
  const layers = layered ? inner[0]! : 0;
  const allowed = isLinear ? [most.linear] : name === "surface" && size.length === 1 ? [most.surface] : limits!;
  if (x.size === 0 || layers > most.layers || size.some((length, axis) => length > allowed[axis]!))
    refuse(
      `has from 1 to ${[...allowed].reverse().join(" × ")} texels${layered ? ` and ${most.layers} layers` : ""}, but got shape ${formatShape(shape)}.`,
    );
  checkTensor(name, x);
  return { dtype: x.dtype, shape, channels, size, layers };
}

/** What somebody may have left out whose tensor has an axis too many. */
function adviceOf(shape: readonly number[], channels: number): string {
  const last = shape.at(-1);
  return channels === 1 && shape.length > 1 && (last === 2 || last === 4)
    ? ` Values of a texel are said so: { channels: ${last} }.`
    : "";
}

/**
 * A texture of a tensor [w], [h, w] or [d, h, w], for a kernel's parameter `cudaTextureObject_t`, which reads it by
 * `tex1D<T>(t, x)`, `tex2D<T>(t, x, y)`, `tex3D<T>(t, x, y, z)`; with `layered` [layers, w] or [layers, h, w] by
 * `tex1DLayered<T>(t, x, layer)` and `tex2DLayered<T>(t, x, y, layer)`; with `memory: "linear"` [w] by
 * `tex1Dfetch<T>(t, i)`. With `channels` 2 or 4 the last axis holds the values of a texel, read as `float4`, `uchar4` ….
 *
 * It is a snapshot: it holds what the tensor held when it was made, until {@link Texture.update}. Of a {@link Surface}
 * it shows the memory itself.
 *
 * Texel i is around coordinate i + 0.5. `filter: "linear"` mixes the nearest texels, with weights of 8 bits behind the
 * point, as the hardware does (CUDA C++ Programming Guide, "Texture Fetching"). `address` "wrap" and "mirror" need
 * `normalized` coordinates. dtypes: uint8, int8, uint16, int16, uint32, int32, float16 (read as float), float32;
 * `read: "normalized"` gives floats from the 8- and 16-bit integers. Throws TensorError.
 * @example
 * const module = await compile(`extern "C" __global__ void zoom(cudaTextureObject_t t, float* out, int n) {
 *   out[threadIdx.x] = tex1D<float>(t, (threadIdx.x + 0.5f) / n); }`);
 * const out = zeros([4]);
 * const row = texture(tensor([0, 100], { dtype: "uint8" }), { read: "normalized", filter: "linear", normalized: true });
 * (module.kernels.zoom as Kernel).launch({ grid: 1, block: 4 }, row, out, 4);
 * out.mul(255).round(); // → tensor([0, 25, 75, 100], shape [4], float32, cpu)
 */
export function texture(x: Tensor | Surface, options: TextureOptions = {}): Texture {
  const given = optionsOf("texture", textureOptions, options) as TextureOptions;
  const { filter = "point", normalized = false, read = "element", memory = "array" } = given;
  const refuse = (sentence: string): never => {
    throw new TensorError("OPTIONS", `texture ${sentence}`);
  };
  const isLinear = memory === "linear";
  if (isLinear && (given.layered === true || filter === "linear" || normalized || given.address !== undefined))
    refuse('of linear memory is read by its index: { memory: "linear" } goes with channels and read alone.');
  if (x instanceof TexelObject && (isLinear || given.layered !== undefined || given.channels !== undefined))
    refuse("of a surface has its channels, layers and memory: leave these options out.");
  const of = x instanceof Surface ? x : { array: x as DeviceArray, texels: texelsOf("texture", x, given, isLinear) };
  const { dtype } = x;
  if (read === "normalized" && !small.includes(dtype))
    refuse(`with read: "normalized" takes integers of 8 or 16 bits, but got ${dtype}.`);
  if (filter === "linear" && read === "element" && !dtype.startsWith("float"))
    refuse(
      `with filter: "linear" gives floats, but got ${dtype}: ${small.includes(dtype) ? 'add read: "normalized"' : "make the tensor float32"}.`,
    );
  const modes = typeof given.address === "string" ? Array<AddressMode>(3).fill(given.address) : (given.address ?? []);
  const outside = modes.find((mode) => mode === "wrap" || mode === "mirror");
  if (outside !== undefined && !normalized)
    refuse(`with address: "${outside}" takes coordinates from 0 to 1: add normalized: true.`);
  const [first = "clamp", second = "clamp", third = "clamp"] = modes;
  return new Texture(of, { filter, address: [first, second, third], normalized, read, memory });
}

/**
 * A surface of a tensor [w], [h, w] or [d, h, w], for a kernel's parameter `cudaSurfaceObject_t`, which reads and writes
 * it by `surf2Dread<T>(s, x * sizeof(T), y)`, `surf2Dwrite(value, s, x * sizeof(T), y)` and their kin for one and three
 * axes; with `layered` by `surf1DLayeredread`, `surf2DLayeredread` …. It has memory of its own, which begins with the
 * tensor's values: {@link Surface.copyTo} brings back what kernels wrote, and a {@link texture} of it reads that. Options
 * and dtypes are those of a texture. Throws TensorError.
 * @example
 * const s = surface(zeros([2, 3]));
 * s; // → surface(shape [2, 3], float32, cpu)
 * texture(s, { filter: "linear" }); // → texture(shape [2, 3], float32, cpu)
 */
export function surface(x: Tensor, options: SurfaceOptions = {}): Surface {
  const given = optionsOf("surface", surfaceOptions, options) as SurfaceOptions;
  return new Surface({ array: x, texels: texelsOf("surface", x, given) });
}
