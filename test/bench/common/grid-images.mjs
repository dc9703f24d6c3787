// The rows of the grid that are of images: the convolutions of ResNet-50 and of MobileNet with their gradients, pools and
// batch norm, each with the sizes that it is measured at.
import * as warpcell from "warpcell";

const { adaptiveAvgPool2d, avgPool2d, batchNorm, conv2d, gradients, maxPool2d } = warpcell;
const dtypes = ["float32", "bfloat16"];
const images = { cuda: 64, cpu: 8 };

/** [channels, side, outputs, kernel, stride, groups]; the padding leaves as many windows as the stride does. */
const convolutions = [
  [3, 224, 64, 7, 2, 1],
  [64, 56, 64, 3, 1, 1],
  [64, 56, 256, 1, 1, 1],
  [128, 28, 128, 3, 1, 1],
  [128, 56, 128, 3, 2, 1],
  [512, 7, 512, 3, 1, 1],
  [256, 56, 512, 1, 2, 1],
  [128, 28, 128, 3, 1, 128],
];
const forward = (stride, padding, groups) => (x, w) => conv2d(x, w, null, { stride, padding, groups });

function convolution([channels, side, outputs, kernel, stride, groups]) {
  const padding = Math.floor(kernel / 2);
  const out = Math.floor((side + 2 * padding - kernel) / stride) + 1;
  const shared = groups === 1 ? "" : ` of ${groups} groups`;
  const name = `${kernel}×${kernel}${stride === 1 ? "" : `/${stride}`} ${channels} to ${outputs}${shared}`;
  const compute = forward(stride, padding, groups);
  const torch = `F.conv2d(a, d, None, ${stride}, ${padding}, 1, ${groups})`;
  const sizes = (count) => ({
    left: [count, channels, side, side],
    right: [outputs, channels / groups, kernel, kernel],
    out: [count, outputs, out, out],
  });
  const slope = (which) => (given) => {
    const [a, d] = [given.a.detach(), given.d.detach()];
    const leaf = which === "a" ? a : d;
    leaf.requiresGrad = true;
    const y = compute(a, d);
    return () => gradients(y, [leaf], { gradient: given.h, retainGraph: true });
  };
  const lambda = (which) => `slopes(lambda ${which}: ${torch}, h, ${which})`;
  return [
    { name: `conv2d ${name}`, takes: ["a", "d"], ours: ({ a, d }) => compute(a, d), torch },
    { name: `conv2d input gradient ${name}`, takes: ["a", "d", "h"], ours: slope("a"), torch: lambda("a") },
    { name: `conv2d weight gradient ${name}`, takes: ["a", "d", "h"], ours: slope("d"), torch: lambda("d") },
  ].map((row) => ({ ...row, sizes }));
}

const pool = (name, torch, ours) => ({
  name,
  takes: ["a"],
  ours: ({ a }) => ours(a),
  torch,
  sizes: (count) => ({ left: [count, 64, 112, 112] }),
});
const normal = (sizes) => [
  {
    name: "batchNorm",
    takes: ["a"],
    ours: ({ a }) => batchNorm(a, null, null, { training: true }),
    torch: "F.batch_norm(a, None, None, training=True)",
    sizes,
  },
  {
    name: "batchNorm gradient",
    takes: ["a", "h"],
    ours: ({ a, h }) => {
      const x = a.detach();
      x.requiresGrad = true;
      const y = batchNorm(x, null, null, { training: true });
      return () => gradients(y, [x], { gradient: h, retainGraph: true });
    },
    torch: "slopes(lambda a: F.batch_norm(a, None, None, training=True), h, a)",
    sizes,
  },
];

const rows = [
  ...convolutions.flatMap(convolution),
  pool("maxPool2d 3×3/2", "F.max_pool2d(a, 3, 2, 1)", (x) => maxPool2d(x, 3, { stride: 2, padding: 1 })),
  pool("avgPool2d 2×2", "F.avg_pool2d(a, 2)", (x) => avgPool2d(x, 2)),
  pool("adaptiveAvgPool2d 1×1", "F.adaptive_avg_pool2d(a, 1)", (x) => adaptiveAvgPool2d(x, 1)),
  ...normal((count) => ({ left: [count, 256, 56, 56], out: [count, 256, 56, 56] })),
];

export const imageRows = Object.fromEntries(rows.map((row) => [row.name, { dtypes, ...row }]));

/** What is measured on a device: each row's name, and what its cells are told. */
export function* imageCells(kind) {
  for (const [op, { dtypes: measured, sizes, takes }] of Object.entries(imageRows))
    for (const dtype of measured) {
      yield [op, { dtype, ...sizes(images[kind]) }];
      if (kind === "cuda" && dtype === "bfloat16" && takes.length > 0)
        yield [op, { dtype, layout: "channelsLast", ...sizes(images[kind]) }];
    }
}
