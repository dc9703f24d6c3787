// The roofline of a device and its kernels, from measured rates: ceilings, a point per kernel, the decades that hold
// them, and the kernels that have no point.
import type { TraceDevice } from "../../../kernel/mime.ts";
import type { Row } from "./rows.ts";
import { ownOf } from "./rows.ts";

/** What a kernel could reach at its intensity, and which of the device's limits that is. */
export interface Ceiling {
  readonly rate: number;
  readonly by: "memory" | "compute";
}

export interface Point {
  readonly row: Row;
  /** Operations per byte. */
  readonly intensity: number;
  /** Operations per second. */
  readonly rate: number;
  /** `null`: the device has no measured rate that would limit it. */
  readonly ceiling: Ceiling | null;
}

/** Powers of ten: the first and the last. */
export type Decades = readonly [first: number, last: number];

export interface Roof {
  readonly device: TraceDevice;
  /** Bytes per second of a copy. */
  readonly copy: number | null;
  /** Operations per second of a matrix product, the fastest first. */
  readonly products: readonly { readonly dtype: string; readonly rate: number }[];
  /** Those that took longest first: a small one is never under a large one. */
  readonly points: readonly Point[];
  /** Kernels of which only one of bytes and operations is known. */
  readonly partial: readonly Row[];
  /** Kernels of which nothing is known, or which had no room. */
  readonly unknown: number;
  readonly omitted: number;
  readonly across: Decades;
  readonly up: Decades;
}

/** A picture of more is a cloud. */
export const mostPoints = 400;
const isPositive = (value: number | null | undefined): value is number =>
  typeof value === "number" && value > 0 && Number.isFinite(value);

/** The lower of what memory and a matrix product of the kernel's dtype allow. */
export function ceilingAt(device: TraceDevice, intensity: number, dtype: string | null): Ceiling | null {
  const product = dtype === null ? null : ownOf(device.product, dtype);
  const memory: Ceiling | null = isPositive(device.copy) ? { rate: device.copy * intensity, by: "memory" } : null;
  const compute: Ceiling | null = isPositive(product) ? { rate: product, by: "compute" } : null;
  return memory && compute ? (memory.rate <= compute.rate ? memory : compute) : (memory ?? compute);
}

function pointOf(row: Row, device: TraceDevice): Point | null {
  const { kernel, throughput } = row;
  if (!isPositive(throughput) || !isPositive(kernel.bytes) || !isPositive(kernel.flops)) return null;
  const intensity = kernel.flops / kernel.bytes;
  return isPositive(intensity)
    ? { row, intensity, rate: throughput, ceiling: ceilingAt(device, intensity, kernel.dtype) }
    : null;
}

/** The decades around all of `values`, with a twentieth of one to spare; at least two of them. */
export function decadesOf(values: readonly number[]): Decades {
  if (values.length === 0) return [0, 2];
  const powers = values.map(Math.log10);
  const first = Math.floor(Math.min(...powers) - 0.05);
  const last = Math.ceil(Math.max(...powers) + 0.05);
  return last - first < 2 ? [first - 1, last] : [first, last];
}

/** The powers of ten that an axis names: every one, or every so many where there are more than `most`. */
export function ticksOf([first, last]: Decades, most: number): number[] {
  const step = Math.max(1, Math.ceil((last - first) / Math.max(1, most)));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

/** The roofline of one device, of all rows of a profile. */
export function roofOf(device: TraceDevice, rows: readonly Row[]): Roof {
  const own = rows
    .filter(({ kernel }) => kernel.device === device.device)
    .sort((one, other) => other.kernel.total - one.kernel.total);
  const all = own.map((row) => ({ row, point: pointOf(row, device) }));
  const known = all.flatMap(({ point }) => point ?? []);
  const points = known.slice(0, mostPoints);
  const partial = all
    .filter(({ row, point }) => !point && (isPositive(row.bandwidth) || isPositive(row.throughput)))
    .map(({ row }) => row);
  const copy = isPositive(device.copy) ? device.copy : null;
  const products = Object.entries(device.product)
    .filter(([, rate]) => isPositive(rate))
    .map(([dtype, rate]) => ({ dtype, rate }))
    .sort((one, other) => other.rate - one.rate);
  const ridges = copy === null ? [] : products.map(({ rate }) => rate / copy).filter(isPositive);
  const across = decadesOf([...points.map(({ intensity }) => intensity), ...ridges]);
  // Without a product the diagonal alone says how high the picture is.
  const slope = copy !== null && products.length === 0 ? [copy * 10 ** across[1]].filter(isPositive) : [];
  const up = decadesOf([...points.map(({ rate }) => rate), ...products.map(({ rate }) => rate), ...slope]);
  return {
    device,
    copy,
    products,
    points,
    partial,
    unknown: own.length - known.length - partial.length,
    omitted: known.length - points.length,
    across,
    up,
  };
}

/** The radius of a point, in pixels: its area grows with its share of the time. */
export function radiusOf({ row }: Point): number {
  return 3.5 + 9 * Math.sqrt(Math.min(1, row.kernel.share));
}
