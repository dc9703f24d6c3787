// CUDA C++ as text: what the kernel reads cells that are being written with, without a device.
export { declarationsIn, joined, matching, split, withoutAttributes, type Declaration } from "./scan.ts";
export { tokenize, type Directive, type Token, type TokenizedSource } from "./tokens.ts";
export { typedNames } from "./typed-names.ts";
export { CompileError } from "../errors.ts";
