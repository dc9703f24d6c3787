// How textures are read in their tests: kernels for every type of values and every shape, the Programming Guide's
// formulas in float64, and which formats, filters and addresses there are.
import type { AddressMode, DType, TextureOptions } from "../../native/lib/index.ts";

/** How each shape is read: the call, axes, and whether it has layers. */
export const shapes = {
  tex1D: { call: "tex1D<T>(t, c.x)", axes: 1, layered: false },
  tex2D: { call: "tex2D<T>(t, c.x, c.y)", axes: 2, layered: false },
  tex3D: { call: "tex3D<T>(t, c.x, c.y, c.z)", axes: 3, layered: false },
  tex1DLayered: { call: "tex1DLayered<T>(t, c.x, int(c.w))", axes: 1, layered: true },
  tex2DLayered: { call: "tex2DLayered<T>(t, c.x, c.y, int(c.w))", axes: 2, layered: true },
  tex2DLod: { call: "tex2DLod<T>(t, c.x, c.y, 0)", axes: 2, layered: false },
  tex1Dfetch: { call: "tex1Dfetch<T>(t, int(c.x))", axes: 1, layered: false },
} as const;
export type ShapeName = keyof typeof shapes;

/** C++ types of values with their lanes; a kernel is made for each of them and each shape. */
const types = [
  ["float", 1],
  ["float2", 2],
  ["float4", 4],
  ["unsigned char", 1],
  ["uchar4", 4],
  ["signed char", 1],
  ["unsigned short", 1],
  ["short2", 2],
  ["int", 1],
  ["int4", 4],
  ["unsigned int", 1],
] as const;
export const kernelName = (shape: string, type: string) => `${shape}_${type.replace(" ", "_")}`;
export const source = types
  .flatMap(([type, lanes]) =>
    Object.entries(shapes).map(
      ([
        name,
        { call },
      ]) => `extern "C" __global__ void ${kernelName(name, type)}(cudaTextureObject_t t, const float4* at, float* out, int n) {
  using T = ${type};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 c = at[i];
  T v = ${call};
  ${
    lanes === 1
      ? "out[i] = float(v);"
      : ["x", "y", "z", "w"]
          .slice(0, lanes)
          .map((lane, l) => `out[i * ${lanes} + ${l}] = float(v.${lane});`)
          .join(" ")
  }
}`,
    ),
  )
  .join("\n");

export interface Case {
  readonly shape: ShapeName;
  readonly type: string;
  readonly dtype: DType;
  readonly options: TextureOptions;
}

/** Texels along x, y and z (and layers), and what each holds. */
export interface Texels {
  readonly size: readonly number[];
  readonly layers: number;
  readonly lanes: number;
  at(x: number, y: number, z: number, layer: number, lane: number): number;
}

/** The Programming Guide's "Texture Fetching", in float64; `whole`: the weights without rounding. */
export function fetched(
  texels: Texels,
  { filter = "point", normalized = false, address = "clamp" }: TextureOptions,
  c: readonly number[],
  lane: number,
  whole: boolean,
): number {
  const { size, layers } = texels;
  const modes = size.map((_, axis) => (typeof address === "string" ? address : (address[axis] ?? "clamp")));
  const taps = size.map((n, axis): (readonly [number, number])[] => {
    const x = coordinate(c[axis]!, n, modes[axis]!, normalized);
    if (filter === "point") return [[Math.floor(x), 1]];
    const low = Math.floor(x - 0.5);
    const part = x - 0.5 - low;
    const weight = whole ? part : Math.round(part * 256) / 256;
    return [
      [low, 1 - weight],
      [low + 1, weight],
    ];
  });
  const chosen = (i: number, axis: number) => {
    const [n, mode] = [size[axis]!, modes[axis]!];
    if (i >= 0 && i < n) return i;
    if (mode === "border") return -1;
    return mode === "wrap" ? ((i % n) + n) % n : Math.min(n - 1, Math.max(0, i));
  };
  const layer = Math.min(Math.max(0, layers - 1), Math.max(0, Math.trunc(c[3]!)));
  let sum = 0;
  for (const [x, a] of taps[0]!)
    for (const [y, b] of taps[1] ?? [[0, 1]])
      for (const [z, d] of taps[2] ?? [[0, 1]]) {
        const at = [x, y, z].map((i, axis) => (axis < size.length ? chosen(i, axis) : 0));
        if (a * b * d !== 0 && !at.includes(-1)) sum += a * b * d * texels.at(at[0]!, at[1]!, at[2]!, layer, lane);
      }
  return sum;
}

export function coordinate(x: number, n: number, mode: AddressMode, normalized: boolean): number {
  if (!normalized) return x;
  const low = Math.floor(x);
  if (mode === "wrap") return (x - low) * n;
  if (mode === "mirror") return (low % 2 === 0 ? x - low : 1 - (x - low)) * n;
  return x * n;
}

export const lanesOf = (type: string) => types.find(([name]) => name === type)![1];
/** The values of a texel as a kernel gets them: fractions where they are read so. */
export const most: Partial<Record<DType, number>> = { uint8: 255, int8: 127, uint16: 65535, int16: 32767 };

const address: readonly AddressMode[] = ["clamp", "border", "wrap", "mirror"];
const float: readonly (readonly [string, DType, TextureOptions])[] = [
  ["float", "float32", {}],
  ["float2", "float32", {}],
  ["float4", "float32", {}],
  ["float", "float16", {}],
  ["float4", "float16", {}],
  ["float", "uint8", { read: "normalized" }],
  ["float4", "uint8", { read: "normalized" }],
  ["float", "int8", { read: "normalized" }],
  ["float", "uint16", { read: "normalized" }],
  ["float2", "int16", { read: "normalized" }],
];
const elements: readonly (readonly [string, DType])[] = [
  ["unsigned char", "uint8"],
  ["uchar4", "uint8"],
  ["signed char", "int8"],
  ["unsigned short", "uint16"],
  ["short2", "int16"],
  ["int", "int32"],
  ["int4", "int32"],
  ["unsigned int", "uint32"],
];
const names = (Object.keys(shapes) as ShapeName[]).filter((name) => name !== "tex1Dfetch");
export const cases: readonly Case[] = names.flatMap((shape, at) => {
  const [type, dtype, more] = float[at % float.length]!;
  return [
    // Every format by every shape's nearest texel.
    ...[...float, ...elements.map((each) => [...each, {}] as const)].map(([each, texel, options]) => ({
      shape,
      type: each,
      dtype: texel,
      options: { ...options, address: "border" as const },
    })),
    // Every way of addressing and filtering.
    ...(["point", "linear"] as const).flatMap((filter) =>
      address.flatMap((mode) =>
        (mode === "clamp" || mode === "border" ? [false, true] : [true]).map((normalized) => ({
          shape,
          type,
          dtype,
          options: { ...more, filter, address: mode, normalized },
        })),
      ),
    ),
    {
      shape,
      type: "float",
      dtype: "uint8" as const,
      options: { read: "normalized" as const, filter: "linear" as const },
    },
    {
      shape,
      type: "float4",
      dtype: "float16" as const,
      options: { filter: "linear" as const, normalized: true, address: ["wrap", "clamp", "mirror"] as const },
    },
  ];
});
