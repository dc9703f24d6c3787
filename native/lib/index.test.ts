// The public surface: a name that comes or goes is decided here, not by accident.
import { expect, test } from "vitest";
import * as warpcell from "./index.ts";
import { binaryRows, unaryRows } from "./ops/table.ts";

test("what a program can import, and nothing else", () => {
  const functions = [...Object.keys(unaryRows), ...Object.keys(binaryRows)];
  expect(Object.keys(warpcell)).toEqual(expect.arrayContaining(functions));
  expect(Object.keys(warpcell).filter((name) => !functions.includes(name)).sort()).toEqual([
    "AutogradFunction", "CompileError", "CudaModule", "DeviceError", "DeviceFault", "DeviceUnavailable", "FormatError", "FunctionContext", "GradientError",
    "InterruptedError", "Kernel", "KernelTemplate", "LaunchError", "OutOfMemory", "Profile", "Tensor", "TensorCheckError", "TensorError", "TensorLayout",
    "WarpcellError", "arange", "bceWithLogitsLoss", "benchmark", "bernoulli", "cacheDirectory", "cat", "celu", "checkTensor", "compile", "crossEntropy", "defaultDevice", "detectAnomaly",
    "devices", "diag", "dropout", "dtypes", "einsum", "embedding", "empty", "emptyLike", "enableGrad", "eye", "full", "fullLike", "fuse", "glu", "grad", "gradients", "hardshrink", "hardtanh",
    "huberLoss", "io", "l1Loss",
    "layerNorm", "linear", "linspace", "logSoftmax", "memory", "meshgrid", "mseLoss", "multinomial", "newAxis", "nllLoss", "nn", "noGrad", "ones", "onesLike", "optim", "prelu", "profile", "rand", "randint", "randn",
    "randperm", "range", "rmsNorm", "seed", "smoothL1Loss", "softmax", "softshrink", "stack", "synchronize", "tensor", "threshold", "tidy", "trim", "validateLaunch", "valueAndGrad", "zeros", "zerosLike",
  ]);
});

test("a tensor's methods: those of the table, and these", () => {
  const derived = [...Object.keys(unaryRows), ...Object.keys(binaryRows)].flatMap((name) => [name, `${name}_`]);
  expect(Object.getOwnPropertyNames(warpcell.Tensor.prototype).filter((name) => !derived.includes(name)).sort()).toEqual([
    "T", "addcdiv", "addcmul", "address", "all", "any", "argmax", "argmin", "argsort", "backward", "bincount", "broadcastTo", "celu", "chunk", "clamp", "clone",
    "constructor", "contiguous", "copy_", "cummax", "cummin", "cumprod", "cumsum", "data", "detach", "device", "diagonal", "dropout", "elu", "expand",
    "fill_", "flatten", "flip", "gather", "gelu", "get", "glu", "grad", "hardshrink", "hardtanh", "histogram", "indexAdd", "indexAdd_", "indexCopy", "indexCopy_", "indexFill", "indexFill_",
    "indexSelect", "isContiguousIn", "isLeaf", "isSuspect", "item", "kthvalue", "leakyRelu", "lerp", "logSoftmax", "logsumexp", "maskedFill", "maskedFill_",
    "maskedSelect", "matmul", "max", "mean", "median", "min", "moveAxis", "nonzero", "norm", "normal_", "pad", "permute", "prelu", "prod", "quantile", "registerHook",
    "repeat", "repeatInterleave", "requiresGrad", "reshape", "retainGrad", "roll", "scatter", "scatterAdd", "scatterAdd_", "scatter_", "searchsorted", "set",
    "slice", "softmax", "softshrink", "sort", "split", "squeeze", "std", "sum", "swapAxes", "take", "takeAlongAxis", "threshold", "tile", "to", "toArray", "toString", "topk",
    "transpose", "tril", "triu", "unbind", "unflatten", "uniform_", "unique", "unsqueeze", "var", "where",
  ]);
  expect(Object.getOwnPropertyNames(warpcell.Tensor.prototype)).toEqual(expect.arrayContaining([...Object.keys(unaryRows), ...Object.keys(binaryRows), "exp_", "add_"]));
});
