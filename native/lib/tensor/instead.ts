// What PyTorch, NumPy and arrays call otherwise than tensors here: each name is an error that says what to write.
import { TensorError } from "../errors.ts";
import { DeviceArray } from "../memory/array.ts";
import { pythonNames, refuseAccess, type Instead } from "../instead.ts";
import { Tensor } from "./tensor.ts";

const dtypes: Instead = {
  float: "float32",
  double: "float64",
  half: "float16",
  bfloat16: "bfloat16",
  byte: "uint8",
  char: "int8",
  short: "int16",
  int: "int32",
  long: "int64",
  bool: "bool",
};

// Of views there is no form in place, and of what takes parameters none either.
const views = ["squeeze", "unsqueeze", "transpose"];
const parametric = [
  "clamp",
  "gelu",
  "elu",
  "leakyRelu",
  "hardtanh",
  "softmax",
  "dropout",
  "where",
  "cumsum",
  "tril",
  "triu",
];
const arrays = ["map", "forEach", "filter", "reduce"];

/** What to write, by the name that a tensor does not have. */
const insteadOf: Instead = {
  ...pythonNames(Tensor.prototype, "x"),
  ...Object.fromEntries(Object.entries(dtypes).map(([name, dtype]) => [name, `x.to("${dtype}")`])),
  ...Object.fromEntries(views.map((name) => [`${name}_`, `x = x.${name}(…)`])),
  ...Object.fromEntries(parametric.map((name) => [`${name}_`, `x.copy_(x.${name}(…))`])),
  ...Object.fromEntries(arrays.map((name) => [name, `x.toArray().${name}(…), or operations on the whole, x.mul(2)`])),
  length: "x.size for the number of elements, x.shape[0] for that of rows",
  dim: "x.ndim",
  ndimension: "x.ndim",
  rank: "x.ndim",
  numel: "x.size",
  nelement: "x.size",
  nbytes: "x.bytes",
  view: "x.reshape([2, 3]), a view where the strides allow",
  view_as: "x.reshape(y.shape)",
  ravel: "x.flatten()",
  expand_dims: "x.unsqueeze(0)",
  t: "x.T",
  mT: "x.T",
  mm: "x.matmul(y)",
  bmm: "x.matmul(y)",
  astype: 'x.to("int32")',
  type: 'x.dtype, or x.to("int32")',
  cpu: 'x.to("cpu")',
  cuda: 'x.to("cuda")',
  copy: "x.clone()",
  numpy: "x.toArray(), or x.data() for a typed array",
  tolist: "x.toArray()",
  array: "x.toArray()",
  arraySync: "x.toArray()",
  dataSync: "x.data()",
  at: "x.get(0)",
  clip: "x.clamp(0, 1)",
  clip_: "x.copy_(x.clamp(0, 1))",
  fill: "x.fill_(1)",
  concat: "cat([x, y])",
  swapaxes: "x.swapAxes(0, 1)",
  swapaxes_: "x = x.swapAxes(0, 1)",
  swapdims: "x.swapAxes(0, 1)",
  toList: "x.toArray()",
  equals: "x.arrayEqual(y)",
  equal: "x.arrayEqual(y)",
  H: "x.T.conj()",
  mv: "x.matmul(v)",
  narrow: "x.slice([from, to])",
  select: "x.get(0)",
  reshape_as: "x.reshape(y.shape)",
  expand_as: "x.expand(y.shape)",
  type_as: "x.to(y.dtype)",
  new_zeros: "zeros([2, 3], { dtype: x.dtype, device: x.device })",
  new_ones: "ones([2, 3], { dtype: x.dtype, device: x.device })",
  new_tensor: "tensor([1, 2], { dtype: x.dtype, device: x.device })",
  amax: "x.max(0)",
  amin: "x.min(0)",
  ptp: "x.max().sub(x.min())",
  det: "linalg.det(x)",
  inverse: "linalg.inv(x)",
  svd: "linalg.svd(x)",
  qr: "linalg.qr(x)",
  cholesky: "linalg.cholesky(x)",
  dist: "x.sub(y).norm()",
  histc: "x.histogram({ bins: 10 })",
  random_: "x.uniform_()",
  index_put_: "x.set([i, j], value)",
  put_: "x.set([i, j], value)",
  resize: "x.reshape([2, 3]), or interpolate(x, { size: [48, 64] }) for pictures",
  crop: "x.slice([top, bottom], [left, right])",
  flat: "x.flatten()",
  tobytes: "x.data()",
  stride: "x.strides",
  is_contiguous: "x.isContiguous",
  is_cuda: "x.device",
  get_device: "x.device",
  itemsize: "x.bytes / x.size",
  element_size: "x.bytes / x.size",
  subtract: "x.sub(y)",
  multiply: "x.mul(y)",
  divide: "x.div(y)",
  zero_: "x.fill_(0)",
  zero_grad: "x.grad = null",
  requires_grad_: "x.requiresGrad = true",
  not: "x.logicalNot()",
  and: "x.logicalAnd(y)",
  or: "x.logicalOr(y)",
  percentile: "x.quantile(0.5)",
  describe: "x.mean(), x.std(), x.min(), x.max() and x.quantile([0.25, 0.5, 0.75])",
  corr: "corrcoef(stack([x, y]))",
  groupBy: "const { codes, names } = io.categories(texts), and codes.bincount({ weights: x })",
  groupby: "const { codes, names } = io.categories(texts), and codes.bincount({ weights: x })",
  rolling: "x.unfold(0, 7, 1).mean(1)",
  isnull: "x.isnan()",
  isna: "x.isnan()",
  fillna: "x.nanToNum({ nan: 0 })",
  dropna: "x.get(x.isnan().logicalNot())",
  value_counts: "x.unique(), with values and counts",
  valueCounts: "x.unique(), with values and counts",
  nunique: "x.unique().values.size",
  head: "x.get([0, 5])",
  tail: "x.get([-5, null])",
  toFixed: "x.item().toFixed(2)",
  lerp_: "x.copy_(x.lerp(y, 0.1))",
};

/** The same names written together: expandAs for expand_as. */
const inCamelCase = Object.fromEntries(
  Object.entries(insteadOf)
    .map(([name, instead]) => [
      name.replace(/([a-z])_([a-z])/g, (_, a: string, b: string) => a + b.toUpperCase()),
      instead,
    ])
    .filter(([name]) => !(name! in Tensor.prototype) && !Object.hasOwn(insteadOf, name!)),
) as Instead;

// Below the class, so that a method of that name comes first.
refuseAccess(DeviceArray.prototype, "A tensor", { ...inCamelCase, ...insteadOf });

/** PyTorch's `x.data = y`: another value would take the place of the method. */
const { data } = Tensor.prototype;
Object.defineProperty(Tensor.prototype, "data", {
  get: () => data,
  set(): never {
    throw new TensorError("NAME", "data() copies what is in a tensor: write noGrad(() => x.copy_(y)) for x.data = y.");
  },
  configurable: true,
});

/** x[-4] … x[31]: JavaScript has no other way to know of brackets that costs the rest nothing. */
const places = 32;
for (let at = -4; at < places; at++)
  Object.defineProperty(DeviceArray.prototype, at, {
    get(): never {
      throw new TensorError("NAME", `Brackets do not index a tensor: write x.get(${at}) for x[${at}].`);
    },
    set(): never {
      throw new TensorError(
        "NAME",
        `Brackets do not write to a tensor: write x.set([${at}], value) for x[${at}] = value.`,
      );
    },
    configurable: true,
  });

/** @internal */
export function manualSeed(): never {
  throw new TensorError("NAME", "There is no manualSeed: write seed(0).");
}
