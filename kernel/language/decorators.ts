// Lowers standard decorators to JavaScript that this Node runs, by TypeScript itself: oxc knows the legacy ones only.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Program } from "oxc-parser";
import type { SourceMap } from "oxc-transform";
import { CellSyntaxError } from "./cell-syntax-error.ts";
import { checkerExecutable } from "./checker-executable.ts";
import { nodesOf } from "./hoisting.ts";
import { parseSync } from "./parser.ts";

/** What `@name` means: that of TypeScript 5 and of JavaScript, or that of `experimentalDecorators`. */
export type DecoratorKind = "standard" | "legacy";

/** As the nearest tsconfig.json of a folder says; standard without one. */
export function decoratorsIn(folder: string): DecoratorKind {
  const file = join(folder, "tsconfig.json");
  if (!existsSync(file)) return folder === dirname(folder) ? "standard" : decoratorsIn(dirname(folder));
  const text = readFileSync(file, "utf8").replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[^]*?\*\//g, "$1");
  return /"experimentalDecorators"\s*:\s*true\b/.test(text) ? "legacy" : "standard";
}

/** Whether there are decorators in the code. Code that does not parse has none. */
export function hasDecorators(source: string): boolean {
  if (!source.includes("@")) return false;
  for (const node of nodesOf(treeOf(source))) if (node.type === "Decorator") return true;
  return false;
}

function treeOf(source: string): Program {
  return parseSync("cell.ts", source, { lang: "ts", sourceType: "module" }).program;
}

/** TypeScript would leave these out without a word. */
function refuseOnParameters(source: string): void {
  for (const node of nodesOf(treeOf(source))) {
    if (!("params" in node) || !Array.isArray(node.params)) continue;
    const start = (node.params as { decorators?: { start: number }[] }[]).flatMap(
      ({ decorators }) => decorators ?? [],
    )[0]?.start;
    if (start === undefined) continue;
    const before = source.slice(0, start).split("\n");
    throw new CellSyntaxError(
      "SYNTAX",
      'Only legacy decorators can be applied to parameters: set "experimentalDecorators": true in the tsconfig.json beside the notebook.',
      before.length,
      before.at(-1)!.length + 1,
    );
  }
}

/**
 * Types and libraries are the checker's work: this reads one file and writes another, in 30 ms. What it misses of them
 * it says, and writes all the same.
 */
const flags =
  "--ignoreConfig --noCheck --isolatedModules --noResolve --noLib --target es2022 --module esnext --moduleDetection force --sourceMap --newLine lf --outDir .".split(
    " ",
  );

/** Throws CellSyntaxError. `keepImports`: also of what is not used as a value. */
export function lowerDecorators(source: string, keepImports: boolean): { code: string; map: SourceMap } {
  refuseOnParameters(source);
  const directory = mkdtempSync(join(tmpdir(), "warpcell-decorators-"));
  try {
    writeFileSync(join(directory, "cell.ts"), source);
    const { error, stdout } = spawnSync(
      checkerExecutable(),
      [...flags, "--verbatimModuleSyntax", String(keepImports), "cell.ts"],
      { cwd: directory, encoding: "utf8" },
    );
    if (error !== undefined)
      throw new Error(
        `Decorators need TypeScript's compiler, which did not start: ${error.message}. "npm ci" reinstalls it.`,
      );
    if (!existsSync(join(directory, "cell.js")))
      throw new Error(`Decorators need TypeScript's compiler, which wrote nothing: ${stdout.trim()}`);
    const code = readFileSync(join(directory, "cell.js"), "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
    return { code, map: JSON.parse(readFileSync(join(directory, "cell.js.map"), "utf8")) as SourceMap };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
