// Every operation that the grid of shapes measures, a row each: its name, its inputs (grid.mjs says what each is), how
// this library computes it, and how rivals do (JAX as NumPy); of a function that comes of it, the calls are measured.
import * as warpcell from "warpcell";
import { imageRows } from "./grid-images.mjs";

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const named = (rows) => Object.fromEntries(rows.map((row) => [row.name, row]));

/** `takes` and `domain` are of the inputs; `dtypes`: those that the row is measured with. */
const row = (name, takes, ours, rivals, more = {}) => ({ name, takes: takes.split(" "), ours, ...rivals, ...more });
const floats = ["float32", "bfloat16", "float16"];
const all = [...floats, "int64"];
const few = ["float32", "bfloat16"];
const options = ({ dtype, device }) => ({ dtype, device });

// One tensor, one result. NumPy's name where it is not the same; null: it has none.
const unary = (name, { torch = `torch.${snake(name)}(x)`, numpy = `np.${snake(name)}(x)`, ...more } = {}) =>
  row(name, "x", ({ x }) => x[name](), { torch, numpy }, { dtypes: floats, ...more });
const layer = (name, torch = name, numpy = null) => unary(name, { torch: `F.${torch}(x)`, numpy });
const functions = [
  ...["neg", "abs", "sign", "square"].map((name) =>
    unary(name, { dtypes: all, numpy: name === "neg" ? "-x" : undefined }),
  ),
  ...["exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil", "round", "trunc"].map(
    (name) => unary(name),
  ),
  ...["log", "log2", "log10", "log1p", "sqrt"].map((name) => unary(name, { domain: "positive" })),
  unary("reciprocal", { domain: "positive", numpy: "1 / x" }),
  ...["rsqrt", "lgamma", "digamma"].map((name) => unary(name, { domain: "positive", numpy: null })),
  ...["asin", "acos", "atan", "asinh", "atanh"].map((name) =>
    unary(name, { domain: "unit", numpy: `np.${name.replace(/^a/, "arc")}(x)` }),
  ),
  unary("acosh", { domain: "aboveOne", numpy: "np.arccosh(x)" }),
  ...["erf", "erfc", "frac"].map((name) => unary(name, { numpy: null })),
  ...["i0", "i0e", "i1", "i1e", "erfcx", "ndtr"].map((name) =>
    unary(name, { torch: `torch.special.${name}(x)`, numpy: name === "i0" ? "np.i0(x)" : null }),
  ),
  unary("logNdtr", { torch: "torch.special.log_ndtr(x)", numpy: null }),
  unary("erfinv", { domain: "unit", numpy: null }),
  unary("cbrt", { torch: null }),
  ...["isnan", "isinf", "isfinite"].map((name) => unary(name)),
  unary("logicalNot", { dtypes: all }),
  unary("bitwiseNot", { dtypes: ["int64"], numpy: "~x" }),
  unary("relu", { numpy: "np.maximum(x, 0)" }),
  unary("sigmoid", { numpy: "1 / (1 + np.exp(-x))" }),
  ...["relu6", "silu", "softsign", "hardsigmoid", "hardswish", "softplus", "mish", "tanhshrink", "selu"].map((name) =>
    layer(name),
  ),
  layer("logSigmoid", "logsigmoid"),
  row(
    "gelu",
    "x",
    ({ x }) => x.gelu(),
    { torch: "F.gelu(x)", jax: "jax.nn.gelu(x, approximate=False)" },
    { dtypes: floats },
  ),
  row(
    "clamp",
    "x",
    ({ x }) => x.clamp({ min: -1, max: 1 }),
    { torch: "x.clamp(-1, 1)", numpy: "x.clip(-1, 1)" },
    { dtypes: floats },
  ),
  row("leakyRelu", "x", ({ x }) => x.leakyRelu(), { torch: "F.leaky_relu(x)" }, { dtypes: floats }),
  row("elu", "x", ({ x }) => x.elu(), { torch: "F.elu(x)" }, { dtypes: floats }),
  ...["float32", "bfloat16", "int64", "float16"].map((dtype) =>
    row(
      `to ${dtype}`,
      "x",
      ({ x }) => x.to(dtype),
      { torch: `x.to(torch.${dtype})`, numpy: dtype === "bfloat16" ? null : `x.astype("${dtype}")` },
      { dtypes: all.filter((each) => each !== dtype) },
    ),
  ),
];

// Two tensors; with a number where the row says so.
const binary = (name, { torch = `torch.${snake(name)}(x, y)`, numpy = `np.${snake(name)}(x, y)`, ...more } = {}) =>
  row(name, "x y", ({ x, y }) => x[name](y), { torch, numpy }, { dtypes: floats, ...more });
const signs = { add: "+", sub: "-", mul: "*", div: "/", lt: "<", eq: "==", ge: ">=" };
const withNumber = (name, number, expression, more = {}) =>
  row(
    `${name} number`,
    "x",
    ({ x }) => x[name](number),
    { torch: expression, numpy: expression },
    { dtypes: floats, ...more },
  );
const pairs = [
  ...Object.entries(signs).map(([name, sign]) =>
    binary(name, {
      dtypes: name === "div" ? floats : all,
      torch: `x ${sign} y`,
      numpy: `x ${sign} y`,
      domain: name === "div" ? "positive" : undefined,
    }),
  ),
  ...Object.entries({ add: "+", mul: "*", div: "/", lt: "<" }).map(([name, sign]) =>
    withNumber(name, 2, `x ${sign} 2`, { dtypes: name === "div" ? floats : all }),
  ),
  { ...withNumber("maximum", 0.5, "x.clamp(min=0.5)"), numpy: "np.maximum(x, np.float32(0.5))" },
  withNumber("pow", 2.5, "x ** 2.5", { domain: "positive" }),
  binary("floorDivide", { domain: "positive", torch: "x // y", numpy: "x // y" }),
  binary("remainder", { domain: "positive" }),
  binary("fmod", { domain: "positive" }),
  binary("pow", { domain: "positive", numpy: "x ** y" }),
  ...["maximum", "minimum", "fmax", "fmin"].map((name) => binary(name, { dtypes: all })),
  ...["hypot", "copysign", "logaddexp"].map((name) => binary(name)),
  binary("atan2", { numpy: "np.arctan2(x, y)" }),
  ...["logicalAnd", "logicalOr", "logicalXor"].map((name) => binary(name, { dtypes: ["float32", "int64"] })),
  ...["bitwiseAnd", "bitwiseOr", "bitwiseXor"].map((name) => binary(name, { dtypes: ["int64"] })),
  ...["gcd", "lcm"].map((name) => binary(name, { dtypes: ["int64"] })),
  row(
    "where",
    "m x y",
    ({ m, x, y }) => x.where(m, y),
    { torch: "torch.where(m, x, y)", numpy: "np.where(m, x, y)" },
    { dtypes: all },
  ),
  row(
    "where number",
    "m x",
    ({ m, x }) => x.where(m, 0.5),
    { torch: "torch.where(m, x, 0.5)", numpy: "np.where(m, x, np.float32(0.5))", jax: "jnp.where(m, x, 0.5)" },
    { dtypes: floats },
  ),
  row("maskedFill", "m x", ({ m, x }) => x.maskedFill(m, 2), { torch: "x.masked_fill(m, 2)" }, { dtypes: floats }),
  row("lerp", "x y", ({ x, y }) => x.lerp(y, 0.25), { torch: "torch.lerp(x, y, 0.25)" }, { dtypes: floats }),
  row(
    "clone",
    "x",
    ({ x }) => x.clone(),
    {
      torch: "x.clone(memory_format=torch.contiguous_format)",
      numpy: "x.copy()",
      jax: "jnp.copy(x)",
    },
    { dtypes: all },
  ),
];

const reduction = (name, torch, numpy, more = {}) =>
  row(name, "x", ({ x, axis }) => x[name]({ axis }), { torch, numpy }, { dtypes: floats, ...more });
const reductions = [
  ...["sum", "prod"].map((name) =>
    reduction(name, `x.${name}(axis)`, `x.${name}(axis)`, {
      dtypes: all,
      ...(name === "prod" ? { domain: "nearOne" } : {}),
    }),
  ),
  reduction("mean", "x.mean(axis)", "x.mean(axis)"),
  ...["max", "min"].map((name) => reduction(name, `x.a${name}(axis)`, `x.${name}(axis)`, { dtypes: all })),
  ...["argmax", "argmin"].map((name) =>
    reduction(name, `x.${name}(axis)`, `x.${name}(axis)`, { dtypes: all, index: true }),
  ),
  ...["var", "std"].map((name) => reduction(name, `x.${name}(axis)`, `x.${name}(axis, ddof=1)`)),
  reduction("norm", "torch.linalg.vector_norm(x, 2, axis)", "np.sqrt(np.square(x).sum(axis))"),
  reduction("any", "x.any(axis)", "x.any(axis)", { dtypes: all, domain: "mostlyZero" }),
  reduction("logsumexp", "x.logsumexp(axis)", null, { jax: "jax.nn.logsumexp(x, axis)" }),
];

/** The gradient by the tape, the forward run kept. */
const backwards = (forward, leavesOf) => (given) => {
  const leaves = leavesOf(given).map((each) => each.clone());
  for (const leaf of leaves) leaf.requiresGrad = true;
  const out = forward(given, ...leaves);
  const gradient = given.g?.reshape(out.shape);
  return () => warpcell.gradients(out, leaves, { gradient, retainGraph: true });
};
const vjp = (expression, names) => `jax.vjp(lambda ${names}: ${expression}, ${names})[1](g)`;
const { layerNorm, rmsNorm, crossEntropy } = warpcell;
const rowwise = [
  row(
    "softmax",
    "x",
    ({ x, axis }) => x.softmax({ axis }),
    {
      torch: "torch.softmax(x, axis)",
      numpy: "softmax(x, axis)",
      jax: "jax.nn.softmax(x, axis)",
    },
    { dtypes: floats },
  ),
  row(
    "logSoftmax",
    "x",
    ({ x, axis }) => x.logSoftmax({ axis }),
    {
      torch: "torch.log_softmax(x, axis)",
      jax: "jax.nn.log_softmax(x, axis)",
    },
    { dtypes: floats },
  ),
  row(
    "softmax gradient",
    "x g",
    backwards(
      ({ axis }, x) => x.softmax({ axis }),
      ({ x }) => [x],
    ),
    {
      torch: "slopes(lambda x: torch.softmax(x, axis), g, x)",
      jax: vjp("jax.nn.softmax(x, axis)", "x"),
    },
    { dtypes: few },
  ),
];
const norms = [
  row(
    "layerNorm",
    "x w b",
    ({ x, w, b }) => layerNorm(x, w, b),
    {
      torch: "F.layer_norm(x, x.shape[-1:], w, b)",
      numpy: "layer_norm(x, w, b)",
      jax: "jax_layer_norm(x, w, b)",
    },
    { dtypes: floats },
  ),
  row(
    "rmsNorm",
    "x w",
    ({ x, w }) => rmsNorm(x, w),
    {
      torch: "F.rms_norm(x, x.shape[-1:], w, 1e-5)",
      jax: "jax_rms_norm(x, w)",
    },
    { dtypes: floats },
  ),
  row(
    "layerNorm gradient",
    "x w b g",
    backwards(
      (_, x, w, b) => layerNorm(x, w, b),
      ({ x, w, b }) => [x, w, b],
    ),
    {
      torch: "slopes(lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b), g, x, w, b)",
      jax: vjp("jax_layer_norm(x, w, b)", "x, w, b"),
    },
    { dtypes: few },
  ),
  row(
    "rmsNorm gradient",
    "x w g",
    backwards(
      (_, x, w) => rmsNorm(x, w),
      ({ x, w }) => [x, w],
    ),
    {
      torch: "slopes(lambda x, w: F.rms_norm(x, x.shape[-1:], w, 1e-5), g, x, w)",
      jax: vjp("jax_rms_norm(x, w)", "x, w"),
    },
    { dtypes: few },
  ),
  row("crossEntropy", "x c", ({ x, c }) => crossEntropy(x, c), { torch: "F.cross_entropy(x, c)" }, { dtypes: few }),
  row(
    "crossEntropy gradient",
    "x c",
    backwards(
      ({ c }, x) => crossEntropy(x, c),
      ({ x }) => [x],
    ),
    { torch: "slopes(lambda x: F.cross_entropy(x, c), None, x)" },
    { dtypes: few },
  ),
  row("bias added", "x w", ({ x, w }) => x.add(w), { torch: "x + w", numpy: "x + w" }, { dtypes: floats }),
];

const scans = ["cumsum", "cumprod", "cummax"].map((name) =>
  row(
    name,
    "x",
    ({ x, axis }) => x[name]({ axis }),
    {
      torch: `x.${name}(axis)`,
      numpy: name === "cummax" ? "np.maximum.accumulate(x, axis)" : `x.${name}(axis)`,
      jax: name === "cummax" ? "jax.lax.cummax(x, axis)" : null,
    },
    {
      dtypes: name === "cumprod" ? ["float32"] : few,
      ...(name === "cumprod" ? { domain: "nearOne" } : {}),
      values: true,
    },
  ),
);
const orders = [
  row(
    "sort",
    "x",
    ({ x, axis }) => x.sort({ axis }),
    { torch: "x.sort(axis)", numpy: "np.sort(x, axis)" },
    { dtypes: [...few, "int64"], values: true },
  ),
  row(
    "argsort",
    "x",
    ({ x, axis }) => x.argsort({ axis }),
    { torch: "x.argsort(axis)", numpy: "np.argsort(x, axis)" },
    { dtypes: few, index: true },
  ),
  row(
    "topk 10",
    "x",
    ({ x, axis }) => x.topk(Math.min(10, x.shape[axis]), { axis }),
    { torch: "x.topk(min(10, x.shape[axis]), axis)" },
    { dtypes: few, values: true },
  ),
];

const indexing = [
  row(
    "gather",
    "x i",
    ({ x, i, axis }) => x.gather(axis, i),
    { torch: "x.gather(axis, i)", numpy: "np.take_along_axis(x, i, axis)" },
    { dtypes: [...few, "int64"] },
  ),
  row(
    "indexSelect",
    "x j",
    ({ x, j, axis }) => x.indexSelect(axis, j),
    { torch: "x.index_select(axis, j)", numpy: "np.take(x, j, axis)" },
    { dtypes: [...few, "int64"] },
  ),
  row(
    "scatterAdd",
    "x i y",
    ({ x, i, y, axis }) => x.scatterAdd(axis, i, y),
    { torch: "x.scatter_add(axis, i, y)" },
    { dtypes: ["float32"] },
  ),
  row(
    "scatter",
    "x k y",
    ({ x, k, y, axis }) => x.scatter(axis, k, y),
    { torch: "x.scatter(axis, k, y)" },
    { dtypes: few },
  ),
];
const moving = [
  row(
    "cat",
    "x y",
    ({ x, y, axis }) => warpcell.cat([x, y], { axis }),
    { torch: "torch.cat([x, y], axis)", numpy: "np.concatenate([x, y], axis)" },
    { dtypes: all },
  ),
  row(
    "stack",
    "x y",
    ({ x, y, axis }) => warpcell.stack([x, y], { axis }),
    { torch: "torch.stack([x, y], axis)", numpy: "np.stack([x, y], axis)" },
    { dtypes: few },
  ),
  row(
    "pad",
    "x",
    ({ x }) => x.pad([2, 3]),
    { torch: "F.pad(x, (2, 3))", numpy: "np.pad(x, [(0, 0)] * (x.ndim - 1) + [(2, 3)])" },
    { dtypes: few },
  ),
  row(
    "flip",
    "x",
    ({ x, axis }) => x.flip(axis),
    { torch: "x.flip(axis)", numpy: "np.flip(x, axis).copy()", jax: "jnp.flip(x, axis)" },
    { dtypes: all },
  ),
  row(
    "roll",
    "x",
    ({ x, axis }) => x.roll(1, { axis }),
    { torch: "x.roll(1, axis)", numpy: "np.roll(x, 1, axis)" },
    { dtypes: few },
  ),
  row(
    "transposed copy",
    "x",
    ({ x }) => x.permute([...x.shape.keys()].reverse()).clone(),
    {
      torch: "x.permute(*reversed(range(x.ndim))).clone(memory_format=torch.contiguous_format)",
      numpy: "x.T.copy()",
      jax: "x.T.copy()",
    },
    { dtypes: all },
  ),
];

// Of one axis, or of shapes of their own.
const lines = [
  row(
    "unique",
    "x",
    ({ x }) => x.unique().values,
    { torch: "x.unique()", numpy: "np.unique(x)" },
    { dtypes: ["float32", "int64"] },
  ),
  row(
    "histogram 256",
    "x",
    ({ x }) => x.histogram({ bins: 256 }).counts,
    { torch: "torch.histc(x, 256)", numpy: "np.histogram(x, 256)[0]" },
    { dtypes: ["float32"], within: 0.01 },
  ),
  row(
    "bincount 1000",
    "n",
    ({ n }) => n.bincount({ minlength: 1000 }),
    { torch: "n.bincount(minlength=1000)", numpy: "np.bincount(n, minlength=1000)" },
    { dtypes: ["int64"] },
  ),
  row(
    "searchsorted",
    "e x",
    ({ e, x }) => e.searchsorted(x),
    { torch: "torch.searchsorted(e, x)", numpy: "np.searchsorted(e, x)" },
    { dtypes: ["float32"] },
  ),
  row(
    "maskedSelect",
    "x m",
    ({ x, m }) => x.maskedSelect(m),
    { torch: "x.masked_select(m)", numpy: "x[m]", jax: null },
    { dtypes: few },
  ),
  row(
    "nonzero",
    "m",
    ({ m }) => m.nonzero(),
    { torch: "m.nonzero()", numpy: "np.argwhere(m)", jax: null },
    { dtypes: ["float32"] },
  ),
  row(
    "take at random",
    "x t",
    ({ x, t }) => x.gather(0, t),
    { torch: "x.gather(0, t)", numpy: "x[t]" },
    { dtypes: few },
  ),
  row("topk 100", "x", ({ x }) => x.topk(100, { axis: 0 }), { torch: "x.topk(100, 0)" }, { dtypes: few, values: true }),
  row(
    "full",
    "s",
    ({ s }) => warpcell.full(s.shape, 2, options(s)),
    { torch: "torch.full_like(s, 2)", numpy: "np.full_like(s, 2)" },
    { dtypes: few },
  ),
  row(
    "rand",
    "s",
    ({ s }) => warpcell.rand(s.shape, options(s)),
    { torch: "torch.rand_like(s)", numpy: "rng.random(s.shape, s.dtype)", jax: null },
    { dtypes: few, isRandom: true },
  ),
  row(
    "randn",
    "s",
    ({ s }) => warpcell.randn(s.shape, options(s)),
    { torch: "torch.randn_like(s)", numpy: "rng.standard_normal(s.shape, s.dtype)", jax: null },
    { dtypes: few, isRandom: true },
  ),
  row(
    "tensor of a typed array",
    "s",
    ({ s }) => {
      const array = new Float32Array(s.size).map((_, index) => index % 1000);
      return () => warpcell.tensor(array, options(s));
    },
    { torch: "of_array(s)", numpy: "of_array(s)" },
    { dtypes: ["float32"] },
  ),
];
const product = (name, torch = "torch.matmul(a, d)") =>
  row(name, "a d", ({ a, d }) => a.matmul(d), { torch, numpy: "np.matmul(a, d)" }, { dtypes: floats });
const products = [
  product("matmul"),
  row(
    "matmul transposed",
    "a d",
    ({ a, d }) => a.matmul(d.swapAxes(-1, -2)),
    { torch: "torch.matmul(a, d.mT)", numpy: "np.matmul(a, np.swapaxes(d, -1, -2))" },
    { dtypes: few },
  ),
  row(
    "embedding",
    "x r",
    ({ x, r }) => warpcell.embedding(r, x),
    { torch: "F.embedding(r, x)", numpy: "x[r]" },
    { dtypes: few },
  ),
];

// Queries x, keys y and values z of [batch, heads, length, width].
const { attention } = warpcell.nn;
const attended = (name, settings, torchSettings) => {
  const torch = `F.scaled_dot_product_attention(x, y, z${torchSettings})`;
  return [
    row(name, "x y z", ({ x, y, z }) => attention(x, y, z, settings), { torch }, { dtypes: floats }),
    row(
      `${name} gradient`,
      "x y z g",
      backwards(
        (_, x, y, z) => attention(x, y, z, settings),
        ({ x, y, z }) => [x, y, z],
      ),
      { torch: `slopes(lambda x, y, z: ${torch}, g, x, y, z)` },
      { dtypes: floats },
    ),
  ];
};
const attentions = [
  ...attended("attention", {}, ""),
  ...attended("attention causal", { causal: true }, ", is_causal=True"),
];

export const families = {
  elementwise: named([...functions, ...pairs]),
  reduction: named(reductions),
  rowwise: named(rowwise),
  norm: named(norms),
  scan: named(scans),
  order: named(orders),
  indexing: named(indexing),
  moving: named(moving),
  line: named(lines),
  product: named(products),
  attention: named(attentions),
  image: imageRows,
};
