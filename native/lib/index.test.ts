// The public surface: a name that comes or goes is decided here, not by accident.
import { expect, test } from "vitest";
import * as warpcell from "./index.ts";

test("what a program can import, and nothing else", () => {
  expect(Object.keys(warpcell).sort()).toEqual([
    "CompileError", "CudaModule", "DeviceError", "DeviceFault", "DeviceUnavailable", "InterruptedError", "Kernel", "KernelTemplate", "LaunchError", "OutOfMemory", "Tensor", "TensorError",
    "WarpcellError", "arange", "cacheDirectory", "compile", "defaultDevice", "devices", "dtypes", "full", "linspace", "memory", "ones", "rand", "randn", "seed", "synchronize", "tensor", "trim",
    "zeros",
  ]);
});

test("a tensor's methods", () => {
  expect(Object.getOwnPropertyNames(warpcell.Tensor.prototype).sort()).toEqual([
    "T", "add", "bytes", "clone", "constructor", "contiguous", "data", "device", "dispose", "div", "isDisposed", "isSuspect", "item", "matmul", "max", "mean", "min", "mul", "reshape", "slice",
    "storage", "sub", "sum", "to", "toArray", "toString", "transpose",
  ]);
});
