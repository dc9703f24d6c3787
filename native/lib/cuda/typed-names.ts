// What a text of CUDA C++ declares for TypeScript, before anything has been compiled.
import { type Declared, declarationsOf } from "./declarations.ts";
import { hostPart } from "./host/find.ts";
import { parseSignatures } from "./signature.ts";

/** Kernels, variables and host functions; `earlier`: texts that lend their types. Throws CompileError. */
export function typedNames(source: string, earlier: readonly string[] = []): readonly Declared[] {
  const host = hostPart(source);
  return declarationsOf(parseSignatures(host?.split.device ?? source, [], earlier), host?.functions ?? []);
}
