// Cumulative operations: the array as [outer, length, inner] through one of two kernels, in parts where there are too
// few rows.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { adviceToCompute, factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { aroundAxis } from "../index/along.ts";
import { call } from "../core/calls.ts";
import { floatOf } from "../../memory/promotion.ts";
import { copy, fill, withFlat } from "../shape/copy.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { onDevice, threadsOf, type ByBlock } from "../kernels/blocks.ts";
import { differing, kernelFacts, kernelFactsByDType } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import type { Computation, Gradient, Gradients } from "../core/operation.ts";
import { productGradient } from "./products.ts";
import { asFloat, div, mul } from "../core/terms.ts";

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const totals: readonly DType[] = [...floats, "int64", "uint64"];
const ordered: readonly DType[] = [...floats, "int32", "int64", "uint64"];

interface Scan {
  readonly functor: string;
  readonly dtypes: readonly DType[];
  readonly hasIndex: boolean;
}
const scans = {
  cumsum: { functor: "SumScan", dtypes: totals, hasIndex: false },
  cumprod: { functor: "ProdScan", dtypes: totals, hasIndex: false },
  logcumsumexp: { functor: "LogSumScan", dtypes: floats, hasIndex: false },
  cummax: { functor: "MaxScan", dtypes: ordered, hasIndex: true },
  cummin: { functor: "MinScan", dtypes: ordered, hasIndex: true },
} as const satisfies Record<string, Scan>;
type ScanName = keyof typeof scans;

const kernels = Object.fromEntries(
  (Object.entries(scans) as [ScanName, Scan][]).map(([name, { functor, dtypes }]) => [
    name,
    {
      rows: new KernelFamily("scan", dtypes, (type) => `scan_rows<${functor}<${type}>, ${type}>`, [
        "place",
        "out",
        "out",
        "out",
        "i64",
        "i64",
        "i64",
        "i64",
        "i32",
      ]),
      shortRows: new KernelFamily("scan", dtypes, (type) => `scan_short_rows<${functor}<${type}>, ${type}>`, [
        "place",
        "out",
        "out",
        "i64",
        "i32",
        "i32",
      ]),
      columns: new KernelFamily("scan", dtypes, (type) => `scan_columns<${functor}<${type}>, ${type}>`, [
        "place",
        "out",
        "out",
        "out",
        "i64",
        "i64",
        "i64",
        "i64",
        "i64",
        "i32",
      ]),
    },
  ]),
) as Record<ScanName, { rows: KernelFamily; shortRows: KernelFamily; columns: KernelFamily }>;

// `shortTile`: elements of a block that takes several short rows.
const facts = kernelFacts("scan", { threads: "kThreads", serialColumns: "kColumns", shortTile: "kShortTile" });
// Sums are kept wider where one thread goes along a row.
const stateFacts = Object.fromEntries(
  (Object.entries(scans) as [ScanName, Scan][]).map(([name, { functor, dtypes }]) => [
    name,
    kernelFactsByDType("scan", dtypes, (type) => ({
      bytes: differing(`sizeof(${functor}<${type}>::State)`),
      pack: `kPack<${type}>`,
    })),
  ]),
);
const mostColumnParts = 256;

/** How rows (`inner` is 1) or columns are spread over a device. */
interface Plan {
  /** A block takes several rows that are so short. */
  readonly hasShortRows: (length: number) => boolean;
  /** Rows or columns go by `tiles`, and are cut into parts of `least` elements where fewer than `busy` blocks had work. */
  readonly cut: (
    multiprocessors: number,
    inner: number,
  ) => { readonly tiles: number; readonly busy: number; readonly least: number };
  /** Blocks for `count` rows, or parts of them, of all columns: so many elements in all. */
  readonly grid: (count: number, inner: number, elements: number) => number;
}
const plans: ByBlock<Plan> = {
  serial: {
    hasShortRows: () => false,
    cut(multiprocessors, inner) {
      const { serialColumns } = facts();
      return {
        tiles: Math.ceil(inner / serialColumns),
        busy: multiprocessors === 1 ? 1 : multiprocessors * 4,
        least: Math.ceil(32768 / Math.min(inner, serialColumns)),
      };
    },
    grid: (count, inner, elements) =>
      Math.min(count * Math.ceil(inner / facts().serialColumns), Math.max(1, Math.ceil(elements / 8192))),
  },
  threads: {
    // A block for each would have little to do.
    hasShortRows: (length) => 2 * length <= facts().shortTile,
    cut: (multiprocessors, inner) => ({
      tiles: inner / facts().threads,
      busy: multiprocessors * 8,
      least: inner === 1 ? 16384 : 64,
    }),
    grid: (count, inner) => (inner === 1 ? count : Math.ceil((count * inner) / facts().threads)),
  },
};

/** An axis, and for `cumsum` whether it goes from the end. */
export interface Along {
  readonly axis: number;
  readonly reverse?: boolean;
}

export function scanInto(
  on: Execution,
  name: ScanName,
  outputs: readonly DeviceArray[],
  input: DeviceArray,
  { axis, reverse = false }: Along,
): void {
  const { dtypes } = scans[name] as Scan;
  const [out, indices = null] = outputs;
  const { device } = on;
  if ((input.shape[axis] ?? 1) === 1) {
    if (indices !== null) fill(on, indices, 0);
    return copy(on, out!, input);
  }
  const wanted = scans[name].hasIndex ? input.dtype : out!.dtype;
  const dtype = dtypes.includes(wanted) ? wanted : wanted === "uint32" ? "int64" : "int32";
  if (dtype !== out!.dtype || !out!.isContiguous) {
    using exact = DeviceArray.allocate(device, dtype, out!.shape);
    scanInto(on, name, indices === null ? [exact] : [exact, indices], input, { axis, reverse });
    return copy(on, out!, exact);
  }
  withFlat(on, input, dtype, (source) => {
    const { outer, length, inner } = aroundAxis(source.shape, axis);
    const { rows, shortRows, columns } = kernels[name];
    const { threads, shortTile } = facts();
    const plan = onDevice(device, plans);
    const isRows = inner === 1;
    if (isRows && plan.hasShortRows(length)) {
      const grid = Math.ceil(outer / Math.floor(shortTile / length));
      shortRows.launch(on, dtype, { grid, block: threads }, [source, out!, indices, outer, length, Number(reverse)]);
      return;
    }
    const state = stateFacts[name]!(dtype);
    const { tiles, busy, least } = plan.cut(device.properties.multiprocessors, inner);
    const isWhole = outer * tiles >= busy / 2 || length < 2 * least;
    const parts = isWhole
      ? 1
      : Math.min(Math.ceil(busy / (outer * tiles)), Math.ceil(length / least), isRows ? Infinity : mostColumnParts);
    // Of a row a multiple of what a thread loads at a time.
    const chunk = isRows && parts > 1 ? Math.ceil(length / parts / state.pack) * state.pack : Math.ceil(length / parts);
    const used = Math.ceil(length / chunk);
    using states =
      used === 1 ? null : DeviceArray.allocate(device, "uint8", [outer * inner * used * onDevice(device, state.bytes)]);
    const blocks = { grid: plan.grid(outer * used, inner, source.size), block: threadsOf(device, threads) };
    const kernel = (isRows ? rows : columns).on(device, dtype);
    const sizes = isRows
      ? [outer, length, used, chunk, Number(reverse)]
      : [outer, length, inner, used, chunk, Number(reverse)];
    if (states !== null) kernel.launch(on, blocks, [source, null, null, states, ...sizes]);
    kernel.launch(on, blocks, [source, out!, indices, states, ...sizes]);
  });
}

const totalDType = (dtype: DType): DType => (factsOf(dtype).kind === "float" || dtype === "uint64" ? dtype : "int64");

function scan(name: ScanName, gradient: Gradient<[x: DeviceArray], Along>): Computation<[x: DeviceArray], Along> {
  return {
    inPlace: false,
    infer([x]) {
      const { dtype, shape } = x;
      if (factsOf(dtype).isStorage)
        throw new TensorError(
          "DTYPE",
          `${name} takes numbers that compute but got ${dtype}: ${adviceToCompute(dtype)}.`,
        );
      return scans[name].hasIndex
        ? [
            { shape, dtype },
            { shape, dtype: "int64" },
          ]
        : [{ shape, dtype: name === "logcumsumexp" ? floatOf(dtype) : totalDType(dtype) }];
    },
    run: (outputs, [x], attributes, on) => scanInto(on, name, outputs, x, attributes),
    gradient,
    cost: (inputs, outputs) => ({
      bytes: bytesMoved(inputs) + bytesMoved(outputs),
      flops: inputs[0].size,
    }),
  };
}

const runningSum = (x: DeviceArray, axis: number, reverse: boolean) => call("cumsum", [x], { axis, reverse });

// Before the first 0 of a row: Σ g·y from here on, over x. At it: the same with that 0 left out of the products. Behind
// it nothing.
const cumprodGradient: Gradient<[x: DeviceArray], Along> = (
  [g],
  { inputs: [x], outputs: [y], attributes: { axis }, isDifferentiated },
) => {
  const input = x;
  if (isDifferentiated && input.size > 0) return [productGradient(g!, input, axis)];
  const isZero = call("eq", [input, 0]);
  const zeros = call("cumsum", [isZero], { axis });
  const isFirst = call("logicalAnd", [isZero, call("eq", [zeros, 1])]);
  const others = call("cumprod", [call("where", [isFirst, 1, input])], { axis });
  const before = div(runningSum(mul(g!, y!), axis, true), call("where", [isZero, 1, input]));
  return [
    call("where", [
      call("eq", [zeros, 0]),
      before,
      mul(asFloat(isFirst, input), runningSum(mul(g!, others), axis, true)),
    ]),
  ];
};

// e^x · Σ g·e^−y from here on, of what is above 0 and below it apart, in logarithms.
const logTotalGradient: Gradient<[x: DeviceArray], Along> = (
  [g],
  { inputs: [x], outputs: [y], attributes: { axis, reverse = false } },
) => {
  const above = asFloat(g!, y!);
  const share = (part: DeviceArray): DeviceArray => {
    const counts = call("gt", [part, 0]);
    const shares = call("sub", [call("log", [call("where", [counts, part, 1])]), y!]);
    const sums = call("logcumsumexp", [call("where", [counts, shares, -Infinity])], { axis, reverse: !reverse });
    return call("exp", [call("add", [sums, x])]);
  };
  return [asFloat(call("sub", [share(above), share(call("neg", [above]))]), x)];
};

const extremeGradient: Gradient<[x: DeviceArray], Along> = ([g], { outputs: [, indices], attributes: { axis } }) => [
  g === null ? null : call("sumRuns", [g!, indices!], { axis }),
];

export const scanRows = {
  cumsum: scan(
    "cumsum",
    ([g], { inputs: [x], attributes: { axis, reverse = false } }): Gradients => [
      runningSum(g!.dtype === x.dtype ? g! : call("convert", [g!], { dtype: x.dtype }), axis, !reverse),
    ],
  ),
  cumprod: scan("cumprod", cumprodGradient),
  logcumsumexp: scan("logcumsumexp", logTotalGradient),
  cummax: scan("cummax", extremeGradient),
  cummin: scan("cummin", extremeGradient),
} as const;
