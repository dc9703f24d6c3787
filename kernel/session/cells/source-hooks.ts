// Node's module loader hooks for the user's own files: TypeScript becomes JavaScript, an edited file a new module. Runs
// on the loader's thread.
import { readFile } from "node:fs/promises";
import type { LoadHook, ResolveHook } from "node:module";
import { dirname, resolve as resolvePath } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { toJavaScript } from "../../language/syntax.ts";
import { skipMissingPackages } from "./package-lookup.ts";
import { completed, isLocal, versionOf } from "./source-version.ts";

skipMissingPackages();

export const resolve: ResolveHook = async (specifier, context, next) => {
  const isPath = /^(\.{1,2}\/|\/|file:)/.test(specifier);
  if (!isPath || context.parentURL?.startsWith("file:") !== true) return next(specifier, context);
  const path = specifier.startsWith("file:")
    ? fileURLToPath(specifier)
    : resolvePath(dirname(fileURLToPath(context.parentURL)), specifier);
  const file = isLocal(path) ? completed(path) : undefined;
  if (file === undefined) return next(specifier, context);

  const found = await next(pathToFileURL(file).href, context);
  return { ...found, url: `${found.url.replace(/\?v=[\da-f]+$/, "")}?v=${versionOf(file)}` };
};

export const load: LoadHook = async (url, context, next) => {
  if (!/^file:.*\.m?ts(\?|$)/.test(url)) return next(url, context);
  const path = fileURLToPath(url);
  const source = await readFile(path, "utf8");
  try {
    const { code, map } = toJavaScript(source, "go", dirname(path));
    const inline = Buffer.from(JSON.stringify({ ...map, sources: [path] })).toString("base64");
    return {
      format: "module",
      source: `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}`,
      shortCircuit: true,
    };
  } catch (error) {
    if (!(error instanceof SyntaxError && "line" in error && "column" in error)) throw error;
    throw new SyntaxError(`${error.message} (${path}:${String(error.line)}:${String(error.column)})`);
  }
};
