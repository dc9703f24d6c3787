// Loads modules for cells as a file in the notebook's folder would: packages, relative files (edited ones anew,
// TypeScript too), and `warpcell` of this installation.
import { createRequire, Module, register } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Npm } from "./npm.ts";
import { skipMissingPackages } from "./package-lookup.ts";
import type { LibraryLoader } from "./library.ts";
import { closure, completed, isLocal, misspelt, versionOf } from "./source-version.ts";
import { refusal } from "./traceback.ts";

type Import = (specifier: string, options?: ImportCallOptions) => Promise<Record<string, unknown>>;

export class Modules {
  /** The global `require` of cells. */
  readonly require: NodeJS.Require;
  readonly meta: ImportMeta;
  readonly #directory: string;
  readonly #import: Import;
  readonly #npm: Npm;
  readonly #library: LibraryLoader;
  readonly #versions = new Map<string, string>();
  #hooked = false;

  constructor(directory: string, npm: Npm, library: LibraryLoader) {
    skipMissingPackages();
    this.#npm = npm;
    this.#library = library;
    const file = join(directory, "notebook.ts");
    this.#directory = directory;
    this.require = createRequire(file);
    this.#import = importFrom(file);
    this.meta = {
      url: pathToFileURL(file).href,
      filename: file,
      dirname: directory,
      resolve: (specifier: string) =>
        /^\.{0,2}\//.test(specifier)
          ? new URL(specifier, pathToFileURL(file)).href
          : toUrl(this.require.resolve(specifier)),
    } as ImportMeta;
  }

  /** Resolves to the module's namespace. Rejects with Node's error when there is no such module. */
  async import(given: string, options?: ImportCallOptions): Promise<Record<string, unknown>> {
    const specifier = given.startsWith("npm:") ? await this.#npm.provide(given) : given;
    // The session and all cells share one instance, of this installation, and a cell runs once the session knows it.
    if (specifier === "warpcell") return (await this.#library.load()).warpcell;
    const path = this.#localPath(specifier);
    if (path !== undefined) this.#prepare(path);
    try {
      return this.#withAllNames(await this.#import(specifier, options));
    } catch (error) {
      if (error instanceof SyntaxError && path !== undefined) sayWhere(error, path);
      this.#npm.sayHow(error);
      throw error;
    }
  }

  /** Node guesses the names of a CommonJS module from its text; here they are those of what it exports. */
  #withAllNames(namespace: Record<string, unknown>): Record<string, unknown> {
    const exported = namespace["default"];
    if (typeof exported !== "object" || exported === null) return namespace;
    const missing = Object.entries(exported).filter(([name]) => !(name in namespace));
    const isCommonJs =
      missing.length > 0 && Object.values(this.require.cache).some((module) => module?.exports === exported);
    return isCommonJs ? { ...namespace, ...Object.fromEntries(missing) } : namespace;
  }

  #localPath(specifier: string): string | undefined {
    if (!/^(\.{1,2}\/|\/|file:)/.test(specifier)) return undefined;
    const path = completed(
      specifier.startsWith("file:") ? fileURLToPath(specifier) : resolve(this.#directory, specifier),
    );
    return path !== undefined && isLocal(path) ? path : undefined;
  }

  /**
   * The first local file brings the loader hooks; an edited CommonJS file leaves the cache, which knows no versions.
   */
  #prepare(path: string): void {
    if (!this.#hooked) {
      this.#hooked = true;
      process.setSourceMapsEnabled(true);
      register("./source-hooks.js", import.meta.url);
    }
    const version = versionOf(path);
    if (this.#versions.get(path) !== version) for (const file of closure(path)) delete this.require.cache[file];
    this.#versions.set(path, version);
  }
}

/**
 * `import()` as it works in that file, which need not exist: Node resolves it relative to the CommonJS module that
 * contains it.
 */
function importFrom(file: string): Import {
  const module = new Module(file) as Module & { _compile(code: string, file: string): unknown };
  module.filename = file;
  module._compile("module.exports = (specifier, options) => import(specifier, options);", file);
  return module.exports as Import;
}

/** Of a file that does not compile as a module Node says neither name nor line. */
function sayWhere(error: SyntaxError, path: string): void {
  const isSaid = /:\d+:\d+\)$/.test(error.message) || refusal.test(String(error.stack));
  const where = isSaid ? undefined : misspelt(path);
  if (where !== undefined) error.message += ` (${where})`;
}

function toUrl(resolved: string): string {
  return resolved.startsWith("/") ? pathToFileURL(resolved).href : resolved;
}
