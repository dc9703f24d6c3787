// The public surface: a name that comes or goes is decided here, not by accident.
import { expect, test } from "vitest";
import * as warpcell from "./index.ts";
import { binaryRows, unaryRows } from "./ops/table.ts";

test("what a program can import, and nothing else", () => {
  const functions = [...Object.keys(unaryRows), ...Object.keys(binaryRows)];
  expect(Object.keys(warpcell)).toEqual(expect.arrayContaining(functions));
  expect(Object.keys(warpcell).filter((name) => !functions.includes(name)).sort()).toEqual([
    "AutogradFunction", "CompileError", "CudaModule", "DeviceError", "DeviceFault", "DeviceUnavailable", "FunctionContext", "GradientError", "InterruptedError", "Kernel", "KernelTemplate", "LaunchError", "OutOfMemory", "Tensor", "TensorError",
    "WarpcellError", "arange", "cacheDirectory", "cat", "compile", "defaultDevice", "detectAnomaly", "devices", "diag", "dtypes", "empty", "emptyLike", "enableGrad", "eye", "full", "fullLike", "grad", "gradients", "linspace", "memory", "meshgrid", "newAxis", "noGrad", "ones", "onesLike", "rand", "randn", "seed", "stack", "synchronize", "tensor", "trim",
    "valueAndGrad", "zeros", "zerosLike",
  ]);
});

test("a tensor's methods: those of the table, and these", () => {
  const derived = [...Object.keys(unaryRows), ...Object.keys(binaryRows)].flatMap((name) => [name, `${name}_`]);
  expect(Object.getOwnPropertyNames(warpcell.Tensor.prototype).filter((name) => !derived.includes(name)).sort()).toEqual([
    "T", "addcdiv", "addcmul", "address", "backward", "broadcastTo", "chunk", "clamp", "clone", "constructor", "contiguous", "copy_", "data", "detach", "device", "diagonal", "elu", "expand", "fill_",
    "flatten", "flip", "gather", "gelu", "get", "grad", "indexAdd", "indexAdd_", "indexCopy", "indexCopy_", "indexFill", "indexFill_", "indexSelect", "isContiguousIn", "isLeaf", "isSuspect", "item",
    "leakyRelu", "lerp", "maskedFill", "maskedFill_", "maskedSelect", "matmul", "max", "mean", "min", "moveAxis", "nonzero", "pad", "permute", "registerHook", "repeat", "repeatInterleave",
    "requiresGrad", "reshape", "retainGrad", "roll", "scatter", "scatterAdd", "scatterAdd_", "scatter_", "set", "slice", "split", "squeeze", "sum", "swapAxes", "take", "takeAlongAxis", "tile", "to",
    "toArray", "toString", "transpose", "tril", "triu", "unbind", "unflatten", "unsqueeze", "where",
  ]);
  expect(Object.getOwnPropertyNames(warpcell.Tensor.prototype)).toEqual(expect.arrayContaining([...Object.keys(unaryRows), ...Object.keys(binaryRows), "exp_", "add_"]));
});
