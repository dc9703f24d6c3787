// The heavy operations on every device of this machine, in turns with PyTorch: attention, convolutions, norms of
// channels, pools, recurrent layers, quantised products and Fourier transforms over the shapes that models have. `npm
// run bench -- operations` prints one JSON object per figure as it is measured: milliseconds of both, and what share of
// the best rate of this machine ours reaches, of copies or of products, whichever is nearer; at the end all, the worst
// first.
import { availableParallelism } from "node:os";
import {
  batchNorm,
  complex,
  conv2d,
  fft,
  gradients,
  maxPool2d,
  nn,
  noGrad,
  quantize,
  quantizeFp8,
  rand,
  randn,
  scaledMatmul,
  setFloat32Precision,
  sparse,
  tidy,
} from "warpcell";
import { devices, median, print } from "./common/devices.mjs";
import { Refused, served, startRival, timedTurn } from "./common/turns.mjs";

const rounds = 5;
const pattern = new RegExp(process.argv[2] ?? "", "i");
const product = (shape) => shape.reduce((all, size) => all * size, 1);
/** Bytes of an element. */
const widths = { float64: 8, float32: 4, bfloat16: 2 };
/** What tensors are of: "tf32" is how products of float32 are made, here and there. */
const typeOf = (dtype) => (dtype === "tf32" ? "float32" : dtype);

/**
 * Forward and backward of one call. `make`: tensors by name; `run`: ours of them; `torch`: what makes PyTorch's `y`;
 * `work`: elements that must move at least and multiplications, forward and backward.
 */
function pair(title, dtype, { make, run, torch, wanted, work }) {
  return [
    { title: `${title}, forward`, dtype, make, run, torch, wanted: [], ...work[0] },
    { title: `${title}, backward`, dtype, make, run, torch, wanted, ...work[1] },
  ];
}

function attention([batch, heads, length, width], causal, dtype) {
  const shape = [batch, heads, length, width];
  const elements = product(shape);
  const multiplications = (product(shape) * length * 2) / (causal ? 2 : 1);
  return pair(`attention ${shape.join(" × ")}${causal ? " causal" : ""}`, dtype, {
    make: { q: shape, k: shape, v: shape },
    run: ({ q, k, v }) => nn.attention(q, k, v, { causal }),
    torch: `F.scaled_dot_product_attention(q, k, v, is_causal=${causal ? "True" : "False"})`,
    wanted: ["q", "k", "v"],
    work: [
      { elements: 4 * elements, multiplications },
      { elements: 8 * elements, multiplications: 2.5 * multiplications },
    ],
  });
}

/** Sequences of these lengths, one after the other; PyTorch's one by one. */
function sequences([heads, width], lengths, dtype) {
  const shape = [heads, lengths.reduce((a, b) => a + b), width];
  const multiplications = lengths.reduce((sum, length) => sum + heads * length * length * width, 0);
  const cut = (name) => `${name}.split(${JSON.stringify(lengths)}, -2)`;
  return pair(`attention of ${lengths.length} sequences, ${shape.join(" × ")} causal`, dtype, {
    make: { q: shape, k: shape, v: shape },
    run: ({ q, k, v }) => nn.attention(q, k, v, { lengths, causal: true }),
    torch: `torch.cat([F.scaled_dot_product_attention(a[None], b[None], c[None], is_causal=True)[0] for a, b, c in zip(${["q", "k", "v"].map(cut).join(", ")})], -2)`,
    wanted: ["q", "k", "v"],
    work: [
      { elements: 4 * product(shape), multiplications },
      { elements: 8 * product(shape), multiplications: 2.5 * multiplications },
    ],
  });
}

/** A bias by function, of distances; PyTorch's from a mask of floats. */
function biased(shape, dtype) {
  const length = shape.at(-2);
  const multiplications = product(shape) * length * 2;
  const places = `torch.arange(${length}, device=q.device, dtype=q.dtype)`;
  return pair(`attention ${shape.join(" × ")} with a bias by function`, dtype, {
    make: { q: shape, k: shape, v: shape },
    run: ({ q, k, v }) =>
      nn.attention(q, k, v, { score: (score, { query, key }) => score.add(key.sub(query).abs().mul(-0.01)) }),
    torch: `F.scaled_dot_product_attention(q, k, v, attn_mask=-0.01 * (${places}[None] - ${places}[:, None]).abs())`,
    wanted: ["q", "k", "v"],
    work: [
      { elements: 4 * product(shape), multiplications },
      { elements: 8 * product(shape), multiplications: 2.5 * multiplications },
    ],
  });
}

/** The next token's attention to all of before, of which keys and values must be read. */
function decoding([batch, heads, keyHeads, keys, width], dtype) {
  const [q, k] = [
    [batch, heads, 1, width],
    [batch, keyHeads, keys, width],
  ];
  return {
    title: `attention ${q.join(" × ")} over ${k.slice(1).join(" × ")}`,
    dtype,
    make: { q, k, v: k },
    run: ({ q, k, v }) => nn.attention(q, k, v),
    torch: `F.scaled_dot_product_attention(q, k, v, enable_gqa=${heads === keyHeads ? "False" : "True"})`,
    wanted: [],
    elements: 2 * product(k),
    multiplications: 2 * product(q) * keys,
  };
}

/** How images and filters lie, and what is said of it. */
const titles = { contiguous: "", channelsLast: ", channels last" };
const formats = Object.keys(titles);

function convolution([images, inputs, size, outputs, kernel, stride, groups = 1], dtype, format = "contiguous") {
  const out = size / stride;
  const [x, w] = [
    [images, inputs, size, size],
    [outputs, inputs / groups, kernel, kernel],
  ];
  const multiplications = images * outputs * out * out * (inputs / groups) * kernel * kernel;
  const elements = product(x) + product(w) + images * outputs * out * out;
  const options = { stride, padding: (kernel - 1) / 2, groups };
  const pairs = pair(
    `conv2d ${x.join(" × ")} by ${w.join(" × ")}${stride > 1 ? `, stride ${stride}` : ""}${groups > 1 ? ", depthwise" : ""}${titles[format]}`,
    dtype,
    {
      make: { x, w },
      run: ({ x, w }) => conv2d(x, w, options),
      torch: `F.conv2d(x, w, stride=${stride}, padding=${options.padding}, groups=${groups})`,
      wanted: ["x", "w"],
      work: [
        { elements, multiplications },
        { elements: 2 * elements, multiplications: 2 * multiplications },
      ],
    },
  );
  return pairs.map((each) => ({ ...each, format }));
}

function normOfChannels(shape, dtype, format = "contiguous") {
  const elements = product(shape);
  const pairs = pair(`batchNorm ${shape.join(" × ")}${titles[format]}`, dtype, {
    make: { x: shape, w: [shape[1]], b: [shape[1]] },
    run: ({ x, w, b }) => batchNorm(x, null, null, { weight: w, bias: b, training: true }),
    torch: "F.batch_norm(x, None, None, w, b, training=True)",
    wanted: ["x", "w", "b"],
    work: [{ elements: 3 * elements }, { elements: 5 * elements }],
  });
  return pairs.map((each) => ({ ...each, format }));
}

function pool(shape, dtype) {
  const elements = product(shape);
  return pair(`maxPool2d ${shape.join(" × ")} by 2`, dtype, {
    make: { x: shape },
    run: ({ x }) => maxPool2d(x, 2),
    torch: "F.max_pool2d(x, 2)",
    wanted: ["x"],
    work: [{ elements: 1.25 * elements }, { elements: 1.5 * elements }],
  });
}

/** Of one layer over a sequence; the layer's own weights are in `make` of PyTorch. */
function recurrent(kind, [length, batch, width], dtype) {
  const gates = kind === "LSTM" ? 4 : 3;
  const multiplications = 2 * length * batch * width * gates * width;
  const layers = new Map();
  return pair(`nn.${kind} ${[length, batch, width].join(" × ")}`, dtype, {
    make: { x: [length, batch, width] },
    run: ({ x }) => {
      if (!layers.has(x.device))
        layers.set(x.device, new nn[kind](width, width, { device: x.device, dtype: typeOf(dtype) }));
      return layers.get(x.device)(x).output;
    },
    torch: `layer("${kind}", x)(x)[0]`,
    wanted: ["x"],
    work: [
      { elements: 3 * length * batch * width, multiplications },
      { elements: 6 * length * batch * width, multiplications: 2 * multiplications },
    ],
  });
}

/** x times a matrix of 8 or 4 bits, beside PyTorch's product with the matrix as it was. Work: bytes of codes and scales. */
function quantised([rows, inputs, outputs], bits, dtype) {
  const bytes = inputs * outputs * (bits / 8 + 4 / 128) + rows * (inputs + outputs) * widths[dtype];
  return {
    title: `matmul ${rows} × ${inputs} by ${inputs} × ${outputs} in ${bits} bits, PyTorch's in ${8 * widths[dtype]},`,
    dtype,
    make: { x: [rows, inputs], w: [outputs, inputs] },
    prepare: ({ w }) => ({ q: quantize(w, { bits }).T }),
    run: ({ x, q }) => x.matmul(q),
    torch: "x @ w.T",
    wanted: [],
    elements: bytes / widths[dtype],
    multiplications: rows * inputs * outputs,
  };
}

/** The product of 8-bit floats with one scale for each matrix, or with one for each row and column. */
function scaledProduct(side, options, dtype) {
  const kind = options.axis === undefined ? "one" : "rows";
  return {
    title: `scaledMatmul ${side} × ${side} × ${side}, ${kind === "one" ? "one scale" : "a scale for each row"}, into`,
    dtype,
    make: { x: [side, side], w: [side, side] },
    prepare: ({ x, w }) => {
      const [a, b] = [x, w].map((each) => quantizeFp8(each, options));
      return { a: a.values, b: b.values.T, scaleA: a.scale, scaleB: kind === "one" ? b.scale : b.scale.T };
    },
    run: ({ a, b, scaleA, scaleB }) => scaledMatmul(a, b, { scaleA, scaleB }),
    torch: `torch._scaled_mm(eight(x), eight(w).t(), scales(x, "${kind}"), scales(w, "${kind}").t(), out_dtype=x.dtype)`,
    wanted: [],
    elements: 2 * side * side,
    multiplications: side ** 3,
  };
}

/** A sparse matrix of which `share` is not 0 by a dense one, beside PyTorch's in compressed rows. */
function sparseProduct([rows, columns, n], share, dtype) {
  const elements = rows * columns * share;
  const index = 4 / widths[dtype];
  return {
    title: `sparse.csr ${rows} × ${columns} of ${100 * share} % by ${columns} × ${n}`,
    dtype,
    make: { x: [rows, columns], w: [columns, n] },
    prepare: ({ x }) => ({ a: sparse.csr(x.where(rand(x.shape, { device: x.device }).lt(share), 0)) }),
    run: ({ a, w }) => a.matmul(w),
    torch: `thin(x, ${share}) @ w`,
    wanted: [],
    elements: elements * (1 + index) + rows * index + (rows + columns) * n,
    multiplications: elements * n,
  };
}

/** Fourier transforms over the last axes, there and back, of complex numbers and of real ones. */
function transforms(shape, axes, dtype) {
  const name = axes === 2 ? "2" : "";
  const points = product(shape);
  const half = points / 2 + points / shape.at(-1);
  const along = Math.log2(product(shape.slice(-axes)));
  const call = (kind, run, torch, operand, elements, multiplications) => ({
    title: `fft.${kind}${name} ${shape.join(" × ")}`,
    dtype,
    make: { x: shape },
    prepare: ({ x }) => ({ z: complex(x, x), half: fft.rfft(x) }),
    run: ({ x, z, half }) => run({ x, z, half }[operand]),
    torch: `torch.fft.${kind}${name}(${torch})`,
    wanted: [],
    elements,
    multiplications,
  });
  const last = shape.at(-1);
  const z = 'kept(("z", id(x)), lambda: torch.complex(x, x))';
  const halves = 'kept(("half", id(x)), lambda: torch.fft.rfft(x))';
  return [
    call("fft", (x) => fft[`fft${name}`](x), z, "z", 4 * points, 2 * points * along),
    call("rfft", (x) => fft[`rfft${name}`](x), "x", "x", points + 2 * half, points * along),
    ...(axes === 1
      ? [call("irfft", (x) => fft.irfft(x, last), `${halves}, ${last}`, "half", points + 2 * half, points * along)]
      : []),
  ];
}

/** A matrix of blocks of 64 of which `share` are not 0 by a dense one, beside PyTorch's product with the zeros. */
function blockProduct([rows, columns, n], share, dtype) {
  const elements = rows * columns * share;
  return {
    title: `sparse.bsr ${rows} × ${columns} of ${100 * share} % by ${columns} × ${n}, PyTorch's dense,`,
    dtype,
    make: { x: [rows, columns], w: [columns, n] },
    prepare: ({ x }) => {
      const kept = rand([rows / 64, columns / 64], { device: x.device }).lt(share);
      return { a: sparse.bsr(x.where(kept.repeatInterleave(64, { axis: 0 }).repeatInterleave(64, { axis: 1 }), 0)) };
    },
    run: ({ a, w }) => a.matmul(w),
    torch: "x @ w",
    wanted: [],
    elements: elements + (rows + columns) * n,
    multiplications: elements * n,
  };
}

/** Images, inputs, size, outputs, kernel and stride of ResNet-50's kinds of layers. */
const resnet = [
  [64, 56, 64, 1, 1],
  [64, 56, 64, 3, 1],
  [64, 56, 256, 1, 1],
  [256, 56, 512, 1, 2],
  [128, 28, 128, 3, 1],
  [256, 14, 256, 3, 1],
  [512, 7, 512, 3, 1],
];
const models = [
  [4, 16, 4096, 128],
  [1, 16, 16384, 128],
  [8, 32, 2048, 64],
  [32, 32, 512, 64],
  [4, 8, 4096, 256],
  [2, 8, 1025, 80],
  [8, 6, 256, 32],
];
/** What takes no part in how products of float32 are made. */
const withoutProductsOf = (dtype) => [
  ...[
    [1, 32, 8, 32768, 128],
    [64, 32, 8, 32768, 128],
    [1, 32, 32, 32768, 128],
    [16, 32, 4, 8192, 128],
    [8, 16, 16, 1000, 64],
  ].map((shape) => decoding(shape, dtype)),
  ...formats.flatMap((format) => convolution([64, 96, 56, 96, 3, 1, 96], dtype, format)),
  ...[
    [64, 64, 112, 112],
    [64, 256, 56, 56],
    [64, 1024, 14, 14],
    [64, 2048, 7, 7],
  ].flatMap((shape) => formats.flatMap((format) => normOfChannels(shape, dtype, format))),
  ...pool([64, 64, 112, 112], dtype),
  ...[4, 8].flatMap((bits) =>
    [
      [1, 8192, 28672],
      [1, 8192, 8192],
      [4, 8192, 28672],
      [16, 8192, 28672],
      [512, 8192, 8192],
    ].map((sizes) => quantised(sizes, bits, dtype)),
  ),
];
const calls = {
  cpu: [
    ...[
      [1, 8, 256, 64],
      [4, 4, 512, 64],
      [1, 4, 1025, 40],
    ].flatMap((shape) => [false, true].flatMap((causal) => attention(shape, causal, "float32"))),
    ...sequences([4, 64], [1, 300, 77, 512, 129], "float32"),
    ...biased([1, 8, 256, 64], "float32"),
    ...resnet.flatMap(([inputs, size, ...rest]) => convolution([2, inputs, size, ...rest], "float32")),
    ...convolution([2, 96, 56, 96, 3, 1, 96], "float32"),
    ...normOfChannels([4, 64, 56, 56], "float32"),
    ...pool([4, 64, 56, 56], "float32"),
    ...["LSTM", "GRU"].flatMap((kind) => recurrent(kind, [64, 16, 128], "float32")),
    ...[1, 64].map((n) => sparseProduct([4096, 4096, n], 0.01, "float32")),
    ...[8, 4].flatMap((bits) => [1, 16].map((rows) => quantised([rows, 2048, 2048], bits, "float32"))),
    ...["float32", "float64"].flatMap((dtype) => [
      ...[
        [16384, 64],
        [4096, 256],
        [1000, 1000],
        [256, 4096],
        [1, 65536],
        [1, 2 ** 20],
        [1000, 1009],
      ].flatMap((shape) => transforms(shape, 1, dtype)),
      ...[
        [4, 512, 512],
        [1, 1024, 1024],
      ].flatMap((shape) => transforms(shape, 2, dtype)),
    ]),
  ],
  cuda: ["bfloat16", "tf32", "float32"].flatMap((dtype) => [
    ...resnet.flatMap(([inputs, size, ...rest]) =>
      formats.flatMap((format) => convolution([64, inputs, size, ...rest], dtype, format)),
    ),
    ...["LSTM", "GRU"].flatMap((kind) => recurrent(kind, [128, 64, 512], dtype)),
    ...models.flatMap((shape) => [false, true].flatMap((causal) => attention(shape, causal, dtype))),
    ...sequences([16, 128], [512, 4096, 1, 1024, 2048, 77, 4097], dtype),
    ...biased([4, 16, 2048, 64], dtype),
    ...(dtype === "tf32" ? [] : withoutProductsOf(dtype)),
    ...(dtype === "tf32"
      ? []
      : [1, 64, 512].flatMap((n) => [0.001, 0.02].map((share) => sparseProduct([16384, 16384, n], share, dtype)))),
    ...(dtype === "float32" ? ["float32", "float64"] : []).flatMap((dtype) => [
      ...[
        [65536, 64],
        [4096, 1024],
        [1024, 4096],
        [64, 65536],
        [1, 2 ** 22],
        [4000, 1000],
        [100, 10007],
      ].flatMap((shape) => transforms(shape, 1, dtype)),
      ...[
        [64, 512, 512],
        [1, 2048, 2048],
      ].flatMap((shape) => transforms(shape, 2, dtype)),
    ]),
    ...(dtype === "bfloat16" ? [0.05, 0.25].map((share) => blockProduct([8192, 8192, 2048], share, dtype)) : []),
    ...(dtype === "bfloat16" ? [{}, { axis: 1 }].map((options) => scaledProduct(8192, options, dtype)) : []),
  ]),
};

const rivalOf = (device) => ({
  name: "PyTorch",
  args: [device],
  program: served(
    `
import torch, torch.nn.functional as F
device = sys.argv[1]
if device == "cpu": torch.set_num_threads(${availableParallelism()})
layers = {}
def kept(key, make):
    if key not in layers: layers[key] = make()
    return layers[key]
def eight(x): return kept(("eight", id(x)), lambda: x.to(torch.float8_e4m3fn))
def thin(x, share): return kept(("thin", id(x)), lambda: (x * (torch.rand_like(x, dtype=torch.float32) < share)).to_sparse_csr())
def scales(x, kind): return kept((kind, id(x)), lambda: torch.ones(x.shape[0] if kind == "rows" else 1, 1, device=x.device))
def layer(kind, x):
    if kind not in layers: layers[kind] = getattr(torch.nn, kind)(x.shape[-1], x.shape[-1], device=device, dtype=x.dtype)
    return layers[kind]
def make(question):
    layers.clear()
    if device == "cuda": torch.cuda.empty_cache()
    # PyTorch rounds the operands of its convolutions of float32 where it is not told otherwise.
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = question["tf32"]
    dtype, wanted = getattr(torch, question["dtype"]), question["wanted"]
    def lying(x): return x.contiguous(memory_format=torch.channels_last) if question["format"] == "channelsLast" and x.ndim == 4 else x
    names = {name: lying(torch.randn(*shape, device=device).to(dtype)).requires_grad_(name in wanted) for name, shape in question["make"].items()}
    names.update(torch=torch, F=F, layer=layer, kept=kept, eight=eight, thin=thin, scales=scales)
    if wanted:
        y = eval(question["torch"], names)
        names.update(y=y, g=torch.randn_like(y), inputs=[names[name] for name in wanted])
    return names
`,
    'torch.cuda.synchronize() if device == "cuda" else None',
    "torch.__version__",
  ),
});

/** Elements a millisecond of a copy, and multiplications a millisecond of a square product: what this machine can do. */
function limitsOf(device, dtype) {
  const { name } = device;
  const isCpu = name === "cpu";
  const flat = randn([isCpu ? 2 ** 24 : 2 ** 27], { device: name }).to(typeOf(dtype));
  const side = isCpu ? 1024 : 8192;
  const square = randn([side, side], { device: name }).to(typeOf(dtype));
  const best = (run) => Math.min(...Array.from({ length: rounds }, () => timedTurn(device, run)));
  const found = {
    copied: (2 * flat.size) / best(() => flat.clone()),
    multiplied: side ** 3 / best(() => square.matmul(square)),
  };
  flat.dispose();
  square.dispose();
  return found;
}

/** What is measured of a call: its forward, or its backward again and again. */
function runOf({ make, prepare, run, wanted, dtype, format }, device) {
  const made = (shape) => {
    const x = randn(shape, { device: device.name }).to(typeOf(dtype));
    return shape.length === 4 ? x.contiguous({ memoryFormat: format }) : x;
  };
  const given = Object.fromEntries(Object.entries(make).map(([name, shape]) => [name, made(shape)]));
  Object.assign(given, prepare?.(given));
  if (wanted.length === 0) return { given, measured: () => noGrad(() => run(given)) };
  for (const name of wanted) given[name].requiresGrad = true;
  const y = run(given);
  const gradient = made(y.shape);
  const inputs = wanted.map((name) => given[name]);
  return { given, measured: () => gradients(y, inputs, { gradient, retainGraph: true }) };
}

for await (const { name, device } of devices()) {
  const rival = await startRival(rivalOf(name));
  if (rival === null) console.log("No Python here has PyTorch: name one in WARPCELL_RIVAL_PYTHON.");
  const limits = new Map();
  const figures = [];
  for (const call of calls[name]) {
    const { title, dtype, elements, multiplications = 0, make, torch, wanted, format = "contiguous" } = call;
    if (!pattern.test(`${title} ${dtype}`)) continue;
    const precision = setFloat32Precision(dtype === "tf32" ? "tf32" : "float32");
    if (!limits.has(dtype)) limits.set(dtype, limitsOf(device, dtype));
    const { copied, multiplied } = limits.get(dtype);
    const { given, measured: run } = runOf({ ...call, format }, device);
    tidy(() => void run());
    device.synchronize();
    const expression = wanted.length === 0 ? torch : "torch.autograd.grad(y, inputs, g, retain_graph=True)";
    const question = { make, torch, wanted, dtype: typeOf(dtype), tf32: dtype === "tf32", format, expression };
    const refusal = await rival?.ask(question).then(
      () => undefined,
      (error) => {
        if (error instanceof Refused) return error.message;
        throw error;
      },
    );
    const isBeside = rival !== null && refusal === undefined;
    const turns = [];
    for (let round = 0; round < rounds; round++)
      turns.push({ ours: timedTurn(device, run), rival: isBeside ? await rival.ask({}) : undefined });
    const ours = median(turns.map((each) => each.ours));
    const share = Math.max(elements / copied, multiplications / multiplied) / ours;
    const note = `${(100 * share).toFixed(0)} % of this machine's ${elements / copied > multiplications / multiplied ? "copies" : "products"}`;
    const figure = {
      name: `${device.name}: ${title} ${dtype}`,
      unit: "ms",
      ours,
      better: "higher",
      note: refusal === undefined ? note : `${note}; ${refusal}`,
    };
    const said = !isBeside
      ? figure
      : {
          ...figure,
          rival: median(turns.map((each) => each.rival)),
          ratio: median(turns.map((each) => each.rival / each.ours)),
          limit: 0.95,
          note: `${note}; ${rival.name}, in turns, median of ${rounds} ratios`,
        };
    print(said);
    figures.push(said);
    for (const each of Object.values(given)) each.dispose();
    precision[Symbol.dispose]();
  }
  rival?.stop();
  console.log(`\n${device.name}, the worst first:`);
  for (const figure of figures.sort((a, b) => (a.ratio ?? 0) - (b.ratio ?? 0))) print(figure);
}
process.exit(0);
