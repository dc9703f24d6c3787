// Turns TypeScript text into what the checker finds in it, under the options of a cell and with the library's
// declarations as they are built from the sources of now, or were by the last build.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { API, SymbolFlags, type Checker, type Symbol as Named } from "typescript/unstable/sync";
import { configuration, configurationFile, globals, globalsFile } from "../../kernel/language/environment.ts";
import { completeDeclarations } from "../../scripts/declarations.mjs";

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
  readonly declarations: string;

  /** `built`: take the declarations that the last build wrote, instead of those of the sources of now. */
  constructor(built = false) {
    symlinkSync(join(root, "node_modules"), join(this.folder, "node_modules"));
    this.declarations = built ? join(root, "native", "dist") : join(this.folder, "declarations");
    if (built) return;
    const { status, stdout } = spawnSync(
      tsc,
      ["-p", join(root, "native"), "--emitDeclarationOnly", "--declarationMap", "false", "--outDir", this.declarations],
      { encoding: "utf8" },
    );
    if (status !== 0) throw new Error(stdout);
    completeDeclarations(this.declarations);
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

  /** What the checker finds in the library's declarations themselves. */
  checkDeclarations(): string {
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", "false"];
    const from = ["--lib", "es2024,esnext.disposable", "--types", "node", "--allowImportingTsExtensions"];
    return spawnSync(tsc, [...options, ...from, join(this.declarations, "index.d.ts")], { cwd: root, encoding: "utf8" })
      .stdout;
  }

  /** What the package and its namespaces export, and what a tensor has, each name with its sentences. */
  documentation(): { exports: Map<string, string>; members: Map<string, string> } {
    const reference = this.reference();
    const sentences = (isMember: boolean) =>
      new Map(
        reference
          .filter(({ owner, kind }) => kind !== "member" && (owner === "Tensor") === isMember)
          .map(({ name, text }): [string, string] => [name, text]),
      );
    return { exports: sentences(false), members: sentences(true) };
  }

  /** Every public name, with what is said of it. */
  reference(): Entry[] {
    const text =
      'import * as library from "warpcell";\nlibrary; declare const tensor: library.Tensor<"float32">; tensor;';
    const folder = this.#write(text);
    const [file, config] = [join(folder, "cell.ts"), join(folder, configurationFile)];
    const api = new API({ cwd: folder });
    try {
      const { checker } = api.updateSnapshot({ openProject: config }).getProject(config)!;
      const library = checker.getAliasedSymbol(checker.getSymbolAtPosition(file, text.indexOf("library;"))!);
      const tensor = checker.getTypeAtPosition(file, text.lastIndexOf("tensor"))!;
      const inside = (owner: string, space: Named): Entry[] =>
        checker
          .getExportsOfModule(space)
          .flatMap((each) => [
            entryOf(checker, owner, each),
            ...membersOf(checker, each),
            ...kinOf(checker, each),
            ...(namespaces.has(each.name) ? inside(each.name, checker.getAliasedSymbol(each)) : []),
          ]);
      return [
        ...inside("", library),
        ...checker.getPropertiesOfType(tensor).map((each) => entryOf(checker, "Tensor", each)),
      ].filter(({ name }) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && !name.startsWith("__"));
    } finally {
      api.close();
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Modules that are exported as objects. */
const namespaces = new Set(["io", "linalg", "fft", "nn", "init", "utils", "optim", "sparse"]);

/** A public name. */
export interface Entry {
  /** "" of the package itself, "nn", "Tensor", … */
  readonly owner: string;
  readonly name: string;
  readonly kind: "value" | "type" | "module" | "member";
  readonly text: string;
  readonly examples: readonly string[];
}

/** As a program writes it: "nn.Linear". */
export const nameOf = ({ owner, name }: Entry): string => (owner === "" ? name : `${owner}.${name}`);

function entryOf(checker: Checker, owner: string, symbol: Named): Entry {
  const aliased = (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  // What stands before `export * as` belongs to the alias.
  const said = [symbol, aliased].find((each) => each.getDocumentationComment(checker) !== "") ?? aliased;
  return {
    owner,
    name: symbol.name,
    kind: namespaces.has(symbol.name)
      ? "module"
      : owner === "Tensor" || (aliased.flags & SymbolFlags.Value) !== 0
        ? "value"
        : "type",
    text: said.getDocumentationComment(checker),
    examples: said
      .getJsDocTags(checker)
      .filter(({ name }) => name === "example")
      .map(({ text }) => [text ?? ""].flat().map(textOf).join("")),
  };
}

/** Functions with functions of their own: `plot.scatter`. */
function kinOf(checker: Checker, symbol: Named): Entry[] {
  if (symbol.name !== "plot") return [];
  return checker
    .getPropertiesOfType(checker.getTypeOfSymbol(checker.getAliasedSymbol(symbol))!)
    .map((each) => ({ ...entryOf(checker, symbol.name, each), kind: "value" }));
}

/** What an object of a class has, but for tensors, whose members are names of their own, and for what every error has. */
function membersOf(checker: Checker, symbol: Named): Entry[] {
  const aliased = (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  if ((aliased.flags & SymbolFlags.Class) === 0 || symbol.name === "Tensor") return [];
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(aliased));
  const inherited = members.some(({ name }) => name === "stack") ? ["name", "message", "stack", "cause"] : [];
  return members
    .filter(({ name }) => !inherited.includes(name))
    .map((each) => ({ ...entryOf(checker, symbol.name, each), kind: "member" }));
}

const textOf = (part: string | { readonly text: string }): string => (typeof part === "string" ? part : part.text);
