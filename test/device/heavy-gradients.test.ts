// Gradients and second gradients, by differences in float64, of linear algebra beside factors, Fourier transforms,
// convolutions, pools, interpolation, norms of channels and attention: at usual shapes, with one element, with none, and
// as views.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import * as w from "../../native/lib/index.ts";
import { complex, eye, fft, linalg, nn, tensor, viewAsReal, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { sizeOf } from "./samples.ts";

const random = seeded(freshSeed());

type Shape = readonly number[];
type Row = readonly [title: string, shapes: readonly Shape[], run: (...x: Tensor[]) => Tensor];

const flip = (x: Tensor): Tensor => x.swapAxes(-1, -2) as Tensor;
const unit = (x: Tensor, times: number): Tensor =>
  (eye(x.shape.at(-1)!, { dtype: "float64", device: x.device }) as Tensor).mul(times) as Tensor;
/** Far from singular. */
const led = (x: Tensor): Tensor => x.add(unit(x, 4)) as Tensor;
const definite = (x: Tensor): Tensor => x.matmul(flip(x)).add(unit(x, 1)) as Tensor;
/** Eigenvalues and singular values that lie apart, and none near 0. */
const ordered = (x: Tensor): Tensor => {
  const [rows, columns] = x.shape.slice(-2) as [number, number];
  const kind = { dtype: "float64", device: x.device } as const;
  const steps = w.arange(columns, kind).mul(5).add(5);
  return x.add(eye(rows, columns, kind).mul(steps)) as Tensor;
};
const pairs = (x: Tensor): Tensor => (w.isComplex(x) ? viewAsReal(x) : x) as Tensor;
const values = (x: Tensor): Tensor => complex(x, x.square()) as unknown as Tensor;
const bent = (x: Tensor): Tensor => x.square().add(x.mul(3)) as Tensor;

const matrices: readonly Row[] = [
  ["eigvals", [[3, 3]], (x) => linalg.eigvals(ordered(x)).real as Tensor],
  ["eigenvectors", [[3, 3]], (x) => linalg.eig(ordered(x)).eigenvectors.abs().square() as Tensor],
  [
    "lstsq of a high one",
    [
      [5, 3],
      [5, 2],
    ],
    (a, b) => linalg.lstsq(ordered(a!), b!).solution,
  ],
  [
    "lstsq of a wide one",
    [
      [3, 5],
      [3, 2],
    ],
    (a, b) => linalg.lstsq(ordered(a!), b!).solution,
  ],
  ["pinv", [[2, 4, 3]], (x) => linalg.pinv(ordered(x!))],
  ["matrixExp", [[2, 3, 3]], (x) => linalg.matrixExp(x!)],
  ["matrixPower", [[3, 3]], (x) => linalg.matrixPower(led(x), 3)],
  ["matrixPower of −2", [[3, 3]], (x) => linalg.matrixPower(led(x), -2)],
  ...(["fro", "nuc", 1, -1, 2, -2, Infinity, -Infinity] as const).map(
    (order): Row => [`matrixNorm ${order}`, [[2, 3, 4]], (x) => linalg.matrixNorm(ordered(x!), order)],
  ),
  ...[0.5, 1, 2, 3, Infinity, -1].map(
    (ord): Row => [`vectorNorm ${ord}`, [[2, 3]], (x) => linalg.vectorNorm(x!, { ord, axis: -1 })],
  ),
  ["cond", [[3, 3]], (x) => linalg.cond(ordered(x!))],
  [
    "kron",
    [
      [2, 3],
      [3, 2],
    ],
    (a, b) => linalg.kron(a!, b!),
  ],
  [
    "multiDot",
    [
      [2, 3],
      [3, 4],
      [4, 2],
    ],
    (a, b, c) => linalg.multiDot([a!, b!, c!]),
  ],
  [
    "choleskySolve",
    [
      [3, 3],
      [3, 2],
    ],
    (a, b) => linalg.choleskySolve(linalg.cholesky(definite(a!)), b!),
  ],
  ["polar", [[3, 3]], (x) => linalg.polar(ordered(x!)).U as Tensor],
  ["symmetricPower", [[3, 3]], (x) => linalg.symmetricPower(definite(ordered(x)), { power: -0.25 })],
  ["orthogonalize", [[3, 4]], (x) => linalg.orthogonalize(ordered(x!))],
  [
    "solve of views",
    [
      [3, 3],
      [3, 2],
    ],
    (a, b) => linalg.solve(flip(led(a!)), b!.flip(0)),
  ],
  ...(
    [
      [1, 1],
      [2, 1, 1],
      [0, 3, 3],
      [2, 0, 0],
    ] as const
  ).flatMap((shape): Row[] => [
    [`inv of [${shape}]`, [shape], (x) => linalg.inv(led(x))],
    [`det of [${shape}]`, [shape], (x) => linalg.det(x)],
    [`svdvals of [${shape}]`, [shape], (x) => linalg.svdvals(ordered(x))],
    [`qr of [${shape}]`, [shape], (x) => linalg.qr(ordered(x)).R],
    [`eigh of [${shape}]`, [shape], (x) => linalg.eigh(ordered(x.add(flip(x)) as Tensor)).eigenvalues],
    [`lu of [${shape}]`, [shape], (x) => linalg.luFactor(ordered(x)).LU],
    [`matrixExp of [${shape}]`, [shape], (x) => linalg.matrixExp(x)],
    [`cholesky of [${shape}]`, [shape], (x) => linalg.cholesky(definite(x))],
  ]),
  ["pairs of rows", [[4, 2]], (x) => w.pdist(x!)],
  ["distances, some 0", [[3, 2]], (x) => w.cdist(x!, x!)],
];

const transforms: readonly Row[] = (
  [
    ["fft", [2, 6], (x) => fft.fft(x)],
    ["fft of one", [3, 1], (x) => fft.fft(x)],
    ["fft of none", [0, 4], (x) => fft.fft(x)],
    ["fft, filled up, ortho", [2, 6], (x) => fft.fft(x, { n: 9, norm: "ortho" })],
    ["rfft", [2, 7], (x) => fft.rfft(x)],
    ["rfft of a large prime", [17], (x) => fft.rfft(x)],
    ["irfft", [2, 4], (x) => fft.irfft(values(x))],
    ["hfft", [2, 4], (x) => fft.hfft(values(x))],
    ["ihfft", [2, 6], (x) => fft.ihfft(x)],
    ["fft2 of a view", [4, 3], (x) => fft.fft2(flip(x))],
    ["rfft2", [3, 4], (x) => fft.rfft2(x)],
    ["irfft2", [3, 4], (x) => fft.irfft2(values(x))],
    ["fftn", [2, 3, 2], (x) => fft.fftn(x)],
    ["fftshift", [5], (x) => fft.fftshift(x)],
    ["stft", [32], (x) => w.stft(x, 8, { hopLength: 4 })],
    ["stft and back", [32], (x) => w.istft(w.stft(x, 8).square() as never, 8)],
  ] as readonly (readonly [string, Shape, (x: Tensor) => Tensor])[]
).map(([title, shape, run]) => [title, [shape], (x) => pairs(run(bent(x)))]);

const images: readonly Row[] = [
  ...[{}, { stride: 2, padding: 1 }, { dilation: 2, padding: "same" }, { groups: 2 }].map(
    (options): Row => [
      `conv2d ${JSON.stringify(options)}`,
      [[2, 4, 6, 5], [4, "groups" in options ? 2 : 4, 3, 3], [4]],
      (x, k, bias) => w.conv2d(x!, k!, { bias: bias!, ...(options as object) }),
    ],
  ),
  [
    "conv1d",
    [
      [2, 3, 7],
      [2, 3, 3],
    ],
    (x, k) => w.conv1d(x!, k!, { padding: 1 }),
  ],
  [
    "conv3d",
    [
      [1, 2, 3, 4, 3],
      [2, 2, 2, 2, 2],
    ],
    (x, k) => w.conv3d(x!, k!),
  ],
  [
    "conv2d by channels",
    [
      [1, 4, 5, 5],
      [4, 1, 3, 3],
    ],
    (x, k) => w.conv2d(x!, k!, { groups: 4, padding: 1 }),
  ],
  [
    "conv2d of no images",
    [
      [0, 2, 3, 3],
      [2, 2, 3, 3],
    ],
    (x, k) => w.conv2d(x!, k!, { padding: 1 }),
  ],
  [
    "conv2d of views",
    [
      [1, 2, 4, 5],
      [2, 2, 3, 3],
    ],
    (x, k) => w.conv2d(flip(x!), k!.flip(-1)),
  ],
  [
    "convTranspose1d",
    [
      [1, 2, 4],
      [2, 3, 3],
    ],
    (x, k) => w.convTranspose1d(x!, k!, { stride: 2, outputPadding: 1 }),
  ],
  [
    "convTranspose2d",
    [
      [1, 4, 3, 3],
      [4, 2, 3, 3],
    ],
    (x, k) => w.convTranspose2d(x!, k!, { stride: 2, padding: 1, outputPadding: 1, groups: 2 }),
  ],
  [
    "convTranspose3d",
    [
      [1, 2, 2, 2, 2],
      [2, 1, 2, 2, 2],
    ],
    (x, k) => w.convTranspose3d(x!, k!),
  ],
  ["im2col", [[1, 2, 4, 4]], (x) => w.im2col(bent(x!), 2)],
  ["col2im", [[1, 8, 9]], (x) => w.col2im(bent(x!), [4, 4], 2)],
  ...[
    { size: [5, 3], mode: "bilinear" },
    { size: [5, 3], mode: "bilinear", alignCorners: true },
    { size: [2, 3], mode: "bicubic", antialias: true },
    { scaleFactor: 2, mode: "bicubic" },
    { scaleFactor: 2 },
    { scaleFactor: 1.5, mode: "nearest-exact" },
    { size: [3, 2], mode: "area" },
  ].map(
    (options): Row => [
      `interpolate ${JSON.stringify(options)}`,
      [[1, 2, 4, 4]],
      (x) => w.interpolate(bent(x!), options as w.InterpolateOptions),
    ],
  ),
  ["interpolate of one element", [[1, 1, 1, 1]], (x) => w.interpolate(bent(x!), { size: [3, 3], mode: "bicubic" })],
];

// What lies in a window lies apart, since differences must not change which is the largest.
const pools: readonly Row[] = (
  [
    ["avgPool1d", [1, 2, 6], (x) => w.avgPool1d(x, 2)],
    [
      "avgPool2d",
      [1, 2, 6, 5],
      (x) => w.avgPool2d(x, 3, { stride: 2, padding: 1, countIncludePad: false, ceilMode: true }),
    ],
    ["avgPool2d of no images", [0, 1, 4, 4], (x) => w.avgPool2d(x, 2)],
    ["avgPool3d", [1, 1, 4, 4, 2], (x) => w.avgPool3d(x, 2)],
    ["maxPool1d", [1, 2, 6], (x) => w.maxPool1d(x, 2)],
    ["maxPool2d", [1, 2, 6, 5], (x) => w.maxPool2d(x, 3, { stride: 2, padding: 1 })],
    ["maxPool2d of a view", [1, 2, 5, 6], (x) => w.maxPool2d(flip(x), 2)],
    ["maxPool2d of one element", [1, 1, 1, 1], (x) => w.maxPool2d(x, 1)],
    ["maxPool3d", [1, 1, 4, 4, 2], (x) => w.maxPool3d(x, 2)],
    ["adaptiveAvgPool2d", [1, 2, 5, 5], (x) => w.adaptiveAvgPool2d(x, [3, 2])],
    ["adaptiveMaxPool2d", [1, 2, 5, 5], (x) => w.adaptiveMaxPool2d(x, [3, 2])],
    [
      "maxUnpool2d",
      [1, 2, 4, 4],
      (x) => {
        const { values, indices } = w.maxPool2dWithIndices(x, 2);
        return w.maxUnpool2d(values, indices, 2);
      },
    ],
  ] as readonly (readonly [string, Shape, (x: Tensor) => Tensor])[]
).map(([title, shape, run]) => [title, [shape], (x) => run(bent(x))]);

const norms: readonly Row[] = [
  [
    "batchNorm",
    [[3, 2, 4], [2], [2]],
    (x, a, b) => w.batchNorm(x!, null, null, { weight: a!, bias: b!, training: true }),
  ],
  ["groupNorm", [[2, 4, 3], [4], [4]], (x, a, b) => w.groupNorm(x!, 2, { weight: a!, bias: b! })],
  ["instanceNorm", [[2, 3, 5]], (x) => w.instanceNorm(x!)],
  ["localResponseNorm", [[1, 4, 3, 3]], (x) => w.localResponseNorm(x!, 3)],
];

const heads: readonly Shape[] = [
  [1, 2, 5, 4],
  [1, 2, 6, 4],
  [1, 2, 6, 3],
];
const attentions: readonly Row[] = [
  ...[{}, { causal: true }, { window: [2, 1] }, { scale: 0.3 }, { softcap: 2 }].map(
    (options): Row => [
      `attention ${JSON.stringify(options)}`,
      heads,
      (q, k, v) => nn.attention(q!, k!, v!, options as object) as Tensor,
    ],
  ),
  ["attention with a mask", [...heads, [5, 6]], (q, k, v, mask) => nn.attention(q!, k!, v!, { mask: mask! }) as Tensor],
  [
    "attention of groups",
    [
      [1, 4, 5, 4],
      [1, 2, 5, 4],
      [1, 2, 5, 4],
    ],
    (q, k, v) => nn.attention(q!, k!, v!, { causal: true }) as Tensor,
  ],
  [
    "attention of sequences",
    [
      [2, 5, 4],
      [2, 5, 4],
      [2, 5, 3],
    ],
    (q, k, v) => nn.attention(q!, k!, v!, { lengths: [2, 0, 3], causal: true }) as Tensor,
  ],
  [
    "attention of views",
    [
      [1, 5, 2, 4],
      [1, 6, 2, 4],
      [1, 2, 6, 4],
    ],
    (q, k, v) => nn.attention(q!.swapAxes(1, 2), k!.swapAxes(1, 2), v!.flip(-1)) as Tensor,
  ],
  [
    "attention of one element",
    [
      [1, 1, 1, 1],
      [1, 1, 1, 1],
      [1, 1, 1, 1],
    ],
    (q, k, v) => nn.attention(q!, k!, v!) as Tensor,
  ],
  [
    "attention without keys",
    [
      [1, 1, 3, 2],
      [1, 1, 0, 2],
      [1, 1, 0, 2],
    ],
    (q, k, v) => nn.attention(q!, k!, v!) as Tensor,
  ],
  [
    "attention without queries",
    [
      [1, 1, 0, 2],
      [1, 1, 3, 2],
      [1, 1, 3, 2],
    ],
    (q, k, v) => nn.attention(q!, k!, v!) as Tensor,
  ],
];

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  /** Elements whose order is random, and of which no two are near each other or 0. */
  const apart = (shape: Shape): Tensor => {
    const count = sizeOf(shape);
    const strata = Array.from({ length: count }, (_, at) => ((at + 0.3 + 0.4 * random()) / count) * 1.8 - 0.9);
    for (let at = count - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [strata[at], strata[other]] = [strata[other]!, strata[at]!];
    }
    return tensor(strata, { dtype: "float64", device }).reshape([...shape]);
  };

  test.each([...matrices, ...transforms, ...images, ...pools, ...norms, ...attentions])("%s", (_, shapes, run) => {
    expectGradients((...x) => run(...x), shapes.map(apart), { twice: true });
  });

  test("a norm's slope has a slope of 0 where it is 0", () => {
    const x = tensor([0, 0], { dtype: "float64", device });
    const slope = w.grad((y: Tensor) => (w.grad((z: Tensor) => w.norm(z))(y) as Tensor).sum());
    expect((slope(x) as Tensor).toArray()).toEqual([0, 0]);
  });
});
