// CUDA C++ as text: what the kernel reads cells that are being written with, without a device.
export { declarationsIn, joined, matching, split, withoutAttributes, type Declaration } from "./scan.ts";
export { tokenize, type Directive, type Token, type TokenizedSource } from "./tokens.ts";
export { typedNames } from "./typed-names.ts";
export { closing, items, members, placed, type Item, type Placed } from "./program/items.ts";
export { isDeviceFunction, isProgram, listed, splitProgram } from "./program/split.ts";
export { CompileError } from "../errors.ts";
