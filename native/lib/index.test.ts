// The public surface: a name that comes or goes is decided here, not by accident.
import { expect, test } from "vitest";
import * as warpcell from "./index.ts";
import { binaryRows, unaryRows } from "./ops/table.ts";

test("what a program can import, and nothing else", () => {
  const functions = [...Object.keys(unaryRows), ...Object.keys(binaryRows)];
  expect(Object.keys(warpcell)).toEqual(expect.arrayContaining(functions));
  expect(Object.keys(warpcell).filter((name) => !functions.includes(name)).sort()).toEqual([
    "CompileError", "CudaModule", "DeviceError", "DeviceFault", "DeviceUnavailable", "GradientError", "InterruptedError", "Kernel", "KernelTemplate", "LaunchError", "OutOfMemory", "Tensor", "TensorError",
    "WarpcellError", "arange", "cacheDirectory", "compile", "defaultDevice", "detectAnomaly", "devices", "dtypes", "enableGrad", "full", "grad", "gradients", "linspace", "memory", "newAxis", "noGrad", "ones", "rand", "randn", "seed", "synchronize", "tensor", "trim",
    "valueAndGrad", "zeros",
  ]);
});

test("a tensor's methods: those of the table, and these", () => {
  const derived = [...Object.keys(unaryRows), ...Object.keys(binaryRows)].flatMap((name) => [name, `${name}_`]);
  expect(Object.getOwnPropertyNames(warpcell.Tensor.prototype).filter((name) => !derived.includes(name)).sort()).toEqual([
    "T", "address", "backward", "clamp", "clone", "constructor", "contiguous", "copy_", "data", "detach", "device", "elu", "expand", "fill_", "gather", "gelu", "get", "grad", "indexAdd", "indexAdd_",
    "indexCopy", "indexCopy_", "indexFill", "indexFill_", "indexSelect", "isLeaf", "isSuspect", "item", "leakyRelu", "maskedFill", "maskedFill_", "maskedSelect", "matmul", "max", "mean", "min",
    "nonzero", "registerHook", "requiresGrad", "reshape", "retainGrad", "scatter", "scatterAdd", "scatterAdd_", "scatter_", "set", "slice", "sum", "take", "takeAlongAxis", "to", "toArray", "toString",
    "transpose", "where",
  ]);
  expect(Object.getOwnPropertyNames(warpcell.Tensor.prototype)).toEqual(expect.arrayContaining([...Object.keys(unaryRows), ...Object.keys(binaryRows), "exp_", "add_"]));
});
