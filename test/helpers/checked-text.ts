// Turns TypeScript text into what the checker finds in it, under the options of a cell and with the library's
// declarations as they are built from the sources of now.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { API, SymbolFlags, type Checker, type Symbol as Named } from "typescript/unstable/sync";
import { configuration, configurationFile, globals, globalsFile } from "../../kernel/language/environment.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tsc = join(root, "node_modules/.bin/tsc");

export interface Found {
  readonly line: number;
  readonly code: number;
  readonly message: string;
}

/** The library's declarations and texts that use them, in a folder of their own. */
export class CheckedText {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "warpcell-checked-")));
  /** Where the library's declarations are. */
  readonly declarations = join(this.folder, "declarations");

  constructor() {
    const { status, stdout } = spawnSync(
      tsc,
      ["-p", join(root, "native"), "--emitDeclarationOnly", "--declarationMap", "false", "--outDir", this.declarations],
      { encoding: "utf8" },
    );
    if (status !== 0) throw new Error(stdout);
    writeFileSync(join(this.declarations, "package.json"), JSON.stringify({ type: "module" }));
  }

  /** A project of one file with the text, under the options of a cell. */
  #write(text: string): string {
    const folder = join(this.folder, "cells");
    mkdirSync(folder, { recursive: true });
    const { compilerOptions, files } = JSON.parse(configuration(["cell.ts"], folder)) as {
      compilerOptions: Record<string, unknown>;
      files: string[];
    };
    const paths = { warpcell: [join(this.declarations, "index.d.ts")] };
    writeFileSync(
      join(folder, configurationFile),
      JSON.stringify({ compilerOptions: { ...compilerOptions, paths }, files }),
    );
    writeFileSync(join(folder, globalsFile), globals);
    writeFileSync(join(folder, "cell.ts"), text);
    return folder;
  }

  /** What the checker finds in the text, in the order of lines; `code` is TypeScript's number. */
  check(text: string): Found[] {
    const folder = this.#write(text);
    const { stdout } = spawnSync(tsc, ["-p", folder, "--pretty", "false"], { encoding: "utf8" });
    return [...stdout.matchAll(/^(.*?)\((\d+),\d+\): error TS(\d+): (.*(?:\n {2}.*)*)/gm)].map(
      ([, , line, code, message]) => ({ line: Number(line), code: Number(code), message: message! }),
    );
  }

  /** What the package and its namespaces export, and what a tensor has, each name with its sentences. */
  documentation(): { exports: Map<string, string>; members: Map<string, string> } {
    const text =
      'import * as library from "warpcell";\nlibrary; declare const tensor: library.Tensor<"float32">; tensor;';
    const folder = this.#write(text);
    const [file, config] = [join(folder, "cell.ts"), join(folder, configurationFile)];
    const api = new API({ cwd: folder });
    try {
      const { checker } = api.updateSnapshot({ openProject: config }).getProject(config)!;
      const library = checker.getAliasedSymbol(checker.getSymbolAtPosition(file, text.indexOf("library;"))!);
      const tensor = checker.getTypeAtPosition(file, text.lastIndexOf("tensor"))!;
      const exports = checker.getExportsOfModule(library);
      const inside = exports
        .filter(({ name }) => ["io", "nn", "optim"].includes(name))
        .flatMap((space) => checker.getExportsOfModule(checker.getAliasedSymbol(space)));
      return {
        exports: sentencesOf(checker, [...exports, ...inside]),
        members: sentencesOf(checker, checker.getPropertiesOfType(tensor)),
      };
    } finally {
      api.close();
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Of names that can be written: `#private` members and those under symbols have others. */
function sentencesOf(checker: Checker, symbols: readonly Named[]): Map<string, string> {
  const named = symbols.filter(
    ({ name }) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && !name.startsWith("__"),
  );
  return new Map(
    named.map((symbol) => {
      const isAlias = (symbol.flags & SymbolFlags.Alias) !== 0;
      const own = symbol.getDocumentationComment(checker);
      return [
        symbol.name,
        own === "" && isAlias ? checker.getAliasedSymbol(symbol).getDocumentationComment(checker) : own,
      ];
    }),
  );
}
