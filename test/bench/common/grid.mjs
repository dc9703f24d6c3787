// The grid of shapes: turns the rows of grid-operations.mjs into cells, each said once, as data that both sides run:
// {family, op, dtype, layout, axis, shape, inputs: {name: {shape, dtype, kind, layout, shift, below}}}.
import { imageCells } from "./grid-images.mjs";
import { families } from "./grid-operations.mjs";

const lengths = [1, 3, 17, 64, 257, 1000, 4096, 8191, 50257, 2 ** 25];
const layouts = ["sliced", "stepped", "transposed", "broadcast", "odd"];
const few = new Set(["float32", "bfloat16"]);
export const bytesOf = { float32: 4, bfloat16: 2, float16: 2, int64: 8, bool: 1 };
export const sizeOf = (shape) => shape.reduce((product, size) => product * size, 1);

/** What each name that an operation takes is, for one cell. `shift`: where in the random numbers it begins. */
const inputs = {
  x: ({ shape, dtype, layout }, { domain = "normal" }) => ({ shape, dtype, layout, kind: domain, shift: 0 }),
  y: ({ shape, dtype }, { domain = "normal" }) => ({ shape, dtype, kind: domain, shift: 7919 }),
  z: ({ shape, dtype }) => ({ shape, dtype, kind: "normal", shift: 350377 }),
  g: ({ shape, dtype }) => ({ shape, dtype, kind: "normal", shift: 104729 }),
  s: ({ shape, dtype }) => ({ shape, dtype, kind: "normal", shift: 0, isPattern: true }),
  w: ({ shape, dtype }) => ({ shape: [shape.at(-1)], dtype, kind: "normal", shift: 17 }),
  b: ({ shape, dtype }) => ({ shape: [shape.at(-1)], dtype, kind: "normal", shift: 31 }),
  m: ({ shape }) => ({ shape, dtype: "bool", kind: "mask", shift: 611953 }),
  i: ({ shape, axis }) => ({ shape, dtype: "int64", kind: "index", below: shape[axis], shift: 50021 }),
  j: ({ shape, axis }) => ({ shape: [shape[axis]], dtype: "int64", kind: "index", below: shape[axis], shift: 50021 }),
  k: ({ shape, axis }) => ({ shape, dtype: "int64", kind: "reversed", axis, shift: 0 }),
  c: ({ shape }) => ({ shape: [shape[0]], dtype: "int64", kind: "index", below: shape[1], shift: 50021 }),
  n: ({ shape }) => ({ shape, dtype: "int64", kind: "index", below: 1000, shift: 50021 }),
  t: ({ shape }) => ({ shape, dtype: "int64", kind: "index", below: sizeOf(shape), shift: 50021 }),
  e: ({ dtype }) => ({ shape: [1024], dtype, kind: "ramp", shift: 0 }),
  a: ({ left, dtype, layout }) => ({ shape: left, dtype, layout, kind: "normal", shift: 0 }),
  d: ({ right, dtype, layout }) => ({ shape: right, dtype, layout, kind: "normal", shift: 7919 }),
  h: ({ out, dtype, layout }) => ({ shape: out, dtype, layout, kind: "normal", shift: 104729 }),
  r: ({ shape, taken }) => ({ shape: [taken], dtype: "int64", kind: "index", below: shape[0], shift: 50021 }),
};

function cell(family, op, given) {
  const {
    takes,
    torch,
    numpy,
    jax = numpy?.replaceAll("np.", "jnp."),
    ours: _,
    dtypes: __,
    sizes: ___,
    ...told
  } = families[family][op];
  const filled = { layout: "contiguous", axis: 0, ...given };
  const specs = Object.fromEntries(takes.map((name) => [name, inputs[name](filled, told)]));
  const { shape, left, right, dtype, layout, axis } = filled;
  const written =
    left === undefined
      ? shape.map(shortly).join(" × ")
      : [left, ...(right === undefined ? [] : [right])].map((each) => each.map(shortly).join("×")).join(" · ");
  return {
    ...told,
    name: `${op} ${written}${sizeOf(shape ?? [1]) > 1 && shape?.length > 1 && families[family][op].ours.toString().includes("axis") ? ` axis ${axis}` : ""} ${dtype}${layout === "contiguous" ? "" : ` ${layout}`}`,
    family,
    op,
    dtype,
    layout,
    axis,
    shape: shape ?? left,
    inputs: specs,
    expressions: { torch, numpy, jax },
  };
}

const shortly = (size) => (size >= 4096 && Number.isInteger(Math.log2(size)) ? `2^${Math.log2(size)}` : String(size));

/** Of about `size` elements with `length` of them along an axis: first, in the middle, last. */
const placed = {
  last: (size, length) => ({ shape: [Math.max(1, Math.floor(size / length)), length], axis: 1 }),
  first: (size, length) => ({ shape: [length, Math.max(1, Math.floor(size / length))], axis: 0 }),
  middle: (size, length) => ({ shape: [Math.max(1, Math.floor(size / length / 32)), length, 32], axis: 1 }),
};

function* alongAxes(family, sizes, places = Object.keys(placed)) {
  for (const [op, { dtypes }] of Object.entries(families[family]))
    for (const dtype of dtypes)
      for (const size of sizes) {
        for (const length of lengths.filter((each) => each <= size || each === 2 ** 25))
          for (const place of places) {
            const most = Math.min(length, size);
            if (place === "middle" && most * 32 > size) continue;
            yield cell(family, op, { dtype, ...placed[place](size, most) });
          }
        if (few.has(dtype) && size >= 2 ** 20)
          for (const layout of layouts)
            for (const length of [64, 1000, 4096])
              yield cell(family, op, { dtype, layout, ...placed.last(size, length) });
      }
}

function* elementwise(sizes) {
  for (const [op, { dtypes }] of Object.entries(families.elementwise))
    for (const dtype of dtypes)
      for (const size of sizes) {
        yield cell("elementwise", op, { dtype, shape: [size] });
        if (few.has(dtype) && size >= 2 ** 20)
          for (const layout of layouts)
            for (const length of [3, 1000, 8191])
              yield cell("elementwise", op, { dtype, layout, ...placed.last(size, length) });
      }
}

function* lines(sizes) {
  for (const [op, { dtypes }] of Object.entries(families.line))
    for (const dtype of dtypes) for (const size of sizes) yield cell("line", op, { dtype, shape: [size] });
}

/** Rows of a table looked up, and products: [left, right], for a GPU, then for a CPU. */
const products = {
  cuda: [
    ...[64, 256, 512, 1024, 4096].map((n) => [
      [n, n],
      [n, n],
    ]),
    [
      [8192, 64, 64],
      [8192, 64, 64],
    ],
    [
      [64, 512, 512],
      [64, 512, 512],
    ],
    [
      [1, 8192],
      [8192, 8192],
    ],
    [
      [8192, 8192],
      [8192, 1],
    ],
    [
      [64, 65536],
      [65536, 64],
    ],
    [
      [65536, 64],
      [64, 64],
    ],
    [
      [4096, 64],
      [64, 4096],
    ],
    [
      [1000, 1000],
      [1000, 1000],
    ],
    [
      [8191, 257],
      [257, 1000],
    ],
  ],
  cpu: [
    ...[64, 256, 512, 1024].map((n) => [
      [n, n],
      [n, n],
    ]),
    [
      [128, 64, 64],
      [128, 64, 64],
    ],
    [
      [8, 256, 256],
      [8, 256, 256],
    ],
    [
      [1, 1024],
      [1024, 1024],
    ],
    [
      [1024, 1024],
      [1024, 1],
    ],
    [
      [64, 65536],
      [65536, 64],
    ],
    [
      [65536, 64],
      [64, 64],
    ],
    [
      [257, 1000],
      [1000, 257],
    ],
  ],
};
function* multiplied(kind) {
  for (const dtype of families.product.matmul.dtypes)
    for (const [left, right] of products[kind]) {
      yield cell("product", "matmul", { dtype, left, right });
      if (few.has(dtype) && left.at(-1) === right.at(-1))
        yield cell("product", "matmul transposed", { dtype, left, right });
    }
  for (const dtype of few)
    for (const [count, width, taken] of kind === "cuda"
      ? [
          [65536, 1024, 65536],
          [50257, 64, 2 ** 20],
        ]
      : [
          [8192, 128, 8192],
          [50257, 64, 2 ** 14],
        ])
      yield cell("product", "embedding", { dtype, shape: [count, width], taken });
}

/** [batch, heads, length, width] */
const attended = {
  cuda: [
    [4, 16, 4096, 128],
    [8, 12, 1024, 64],
    [4, 8, 512, 64],
    [2, 16, 1000, 80],
    [1, 16, 4096, 256],
  ],
  cpu: [
    [4, 12, 256, 64],
    [1, 8, 1024, 64],
    [2, 8, 257, 80],
    [8, 8, 64, 64],
    [1, 4, 512, 128],
  ],
};
function* attending(kind) {
  for (const [op, { dtypes }] of Object.entries(families.attention))
    for (const dtype of dtypes) for (const shape of attended[kind]) yield cell("attention", op, { dtype, shape });
}

/** Those that were slow once: first in every sample. `part`: of the size for a GPU. */
function* watched(kind) {
  const part = kind === "cuda" ? 1 : 64;
  const both = (family, op, given) => [...few].map((dtype) => cell(family, op, { dtype, ...given }));
  for (const op of ["softmax", "logSoftmax"]) {
    yield* both("rowwise", op, { shape: [2 ** 25 / part, 3], axis: 1 });
    yield* both("rowwise", op, { shape: [2 ** 21 / part, 64], axis: 1 });
  }
  for (const op of ["sum", "max"]) {
    yield* both("reduction", op, { shape: [2 ** 25 / part, 3], axis: 1 });
    yield* both("reduction", op, { shape: [2 ** 21 / part, 64], axis: 1 });
    yield* both("reduction", op, { shape: [2 ** 25 / part], axis: 0 });
    yield* both("reduction", op, { shape: [16383 / (part === 1 ? 1 : 127), 8191], axis: 1 });
  }
  const odd = [kind === "cuda" ? 16383 : 255, 8191];
  yield* both("reduction", "var", { shape: odd, axis: 0 });
  yield* both("reduction", "argmax", { shape: odd, axis: 1 });
  yield* both("norm", "bias added", { shape: odd, axis: 1 });
  yield* both("norm", "crossEntropy", { shape: [8192 / part, 50257], axis: 1 });
  yield* both("elementwise", "where number", { shape: [2 ** 27 / part] });
  yield* both("moving", "cat", { shape: [2 ** 26 / part], axis: 0 });
  yield* both("scan", "cumsum", { shape: odd, axis: 1 });
  for (const op of ["histogram 256", "rand", "randn", "nonzero", "tensor of a typed array"])
    yield cell("line", op, { dtype: "float32", shape: [2 ** 26 / part] });
  for (const [op, size] of [
    ["unique", 2 ** 24],
    ["take at random", 2 ** 24],
    ["maskedSelect", 2 ** 26],
    ["topk 100", 2 ** 26],
  ])
    yield cell("line", op, { dtype: "float32", shape: [size / part] });
  yield* multiplied(kind);
  yield* attending(kind);
}

const hash = (text) => {
  let value = 2166136261;
  for (const letter of text) value = Math.imul(value ^ letter.charCodeAt(0), 16777619) >>> 0;
  return value;
};

/** All cells for a device, the watched ones first; a sample's order goes round all operations and dtypes. */
export function cells(kind, { isSample, seed = "1" }) {
  const sizes = kind === "cuda" ? [2 ** 27, 2 ** 20, 2 ** 16, 2 ** 10] : [2 ** 20, 2 ** 16];
  const smaller = sizes.map((size) => Math.min(size, 2 ** 24));
  const found = new Map([...watched(kind)].map((each) => [each.name, each]));
  const grid = [
    ...elementwise(sizes),
    ...["reduction", "rowwise", "moving"].flatMap((family) => [...alongAxes(family, sizes)]),
    ...alongAxes("norm", sizes, ["last"]),
    ...["scan", "order", "indexing"].flatMap((family) => [...alongAxes(family, smaller)]),
    ...lines(smaller),
    ...[...imageCells(kind)].map(([op, given]) => cell("image", op, given)),
  ];
  if (isSample) grid.sort((a, b) => hash(seed + a.name) - hash(seed + b.name));
  const turns = new Map();
  const turnOf = ({ op, dtype }) => {
    const key = `${op} ${dtype}`;
    turns.set(key, (turns.get(key) ?? -1) + 1);
    return turns.get(key);
  };
  const ordered = isSample
    ? grid
        .map((each) => [turnOf(each), each])
        .sort(([a], [b]) => a - b)
        .map(([, each]) => each)
    : grid;
  for (const each of ordered) if (!found.has(each.name)) found.set(each.name, each);
  return [...found.values()];
}

/** Bytes that a cell must at least move: its inputs once; the caller adds the results. */
export const readBytes = ({ inputs: specs }) =>
  Object.values(specs)
    .filter(({ isPattern }) => isPattern !== true)
    .reduce(
      (sum, { shape, dtype, layout }) => sum + (layout === "broadcast" ? shape.at(-1) : sizeOf(shape)) * bytesOf[dtype],
      0,
    );
