// Installs packages beside the notebook, with their types, by the npm of this Node.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { LongWork } from "warpcell/long-work";
import type { Interrupts } from "../requests/interrupts.ts";
import type { Output } from "../requests/output.ts";
import { packageFolder } from "./package-lookup.ts";
import type { Requests } from "../requests/request.ts";

/** npm could not do what it was asked for. */
export class NpmError extends Error {
  override readonly name = "NpmError";
  readonly code = "NPM_FAILED";
}

interface NpmParts {
  /** The notebook's folder, where packages go: a package.json above it is that of another project. */
  directory: string;
  output: Output;
  requests: Requests;
  interrupts: Interrupts;
}

/** What npm's own codes mean to whoever typed the name. */
const reasons: Record<string, string> = {
  E404: "the registry has no such package",
  ETARGET: "the package has no such version",
  EINVALIDPACKAGENAME: "that is not the name of a package",
  ENOTFOUND: "the registry cannot be reached",
  EAI_AGAIN: "the registry cannot be reached",
  ECONNREFUSED: "the registry cannot be reached",
  ETIMEDOUT: "the registry does not answer",
  EACCES: "the folder cannot be written to",
  EROFS: "the folder cannot be written to",
  ENOSPC: "the disk is full",
  ERESOLVE: "it does not go together with what is installed",
};

/** Commands of npm that leave package.json and node_modules as they are. */
const readers: ReadonlySet<string> = new Set(
  "--version -v audit bin config doctor exec explain fund help list ll ls outdated ping prefix query root run run-script search start test view".split(
    " ",
  ),
);

const nameIn = /^((?:@[^/@\s]+\/)?[^/@\s]+)(?:@([^/]+))?(\/.*)?$/;

export class Npm {
  readonly #parts: NpmParts;
  /** What was installed for `npm:` specifiers by this session. */
  readonly #provided = new Set<string>();

  constructor(parts: NpmParts) {
    this.#parts = parts;
  }

  /** Runs npm and shows what it says; what it installs gets its types too. Rejects with NpmError. */
  async run(given: readonly string[]): Promise<void> {
    const { output, directory } = this.#parts;
    if (!readers.has(given[0]!) && holdsWorkspaces(directory))
      throw new NpmError(
        `npm ${given.join(" ")} would change ${directory}, the root of a workspace: move the notebook to a folder of its own, or run npm there in a terminal.`,
      );
    output.write("stdout", `npm ${given.join(" ")}   (in ${directory})\n`);
    const { code, errors } = await this.#spawn(given, (line) => output.write("stdout", `${line}\n`));
    if (code !== 0) throw new NpmError(failure(given, code, errors));
    if (/^(?:install|i|add)$/.test(given[0]!))
      await this.#addTypes(given.slice(1).flatMap((word) => nameIn.exec(word)?.[1] ?? []));
  }

  /**
   * Makes sure that the package of `npm:NAME@VERSION/FILE` is there and returns what to import. Rejects with NpmError.
   */
  async provide(specifier: string): Promise<string> {
    const [, name, wanted = "", file = ""] = nameIn.exec(specifier.slice("npm:".length)) ?? [];
    if (name === undefined)
      throw new NpmError(`${specifier} names no package; write it like npm:lodash or npm:lodash@4.`);
    const package_ = wanted === "" ? name : `${name}@${wanted}`;
    const before = this.#version(name);
    if (before === null || (!fits(before, wanted) && !this.#provided.has(package_))) {
      await this.run(["install", package_]);
      const after = this.#version(name);
      if (before !== null && before !== after)
        this.#parts.output.write(
          "stderr",
          `${name} is now ${after}. If ${before} was imported before, restart the kernel to use it.\n`,
        );
    }
    this.#provided.add(package_);
    return name + file;
  }

  /** Says of a package that is not there how to install it. */
  sayHow(error: unknown): void {
    if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") return;
    const [, name] = /^Cannot find package '([^']+)' imported from/.exec(error.message) ?? [];
    if (name !== undefined)
      error.message = `The package ${name} is not installed. Run "%npm install ${name}" in a cell: it goes to ${join(this.#parts.directory, "node_modules")}.`;
  }

  /** The version that an import from the notebook would find, or `null`. */
  #version(name: string): string | null {
    const folder = packageFolder(name, this.#parts.directory);
    return folder === undefined
      ? null
      : String((JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: string }).version);
  }

  /** Packages without declarations of their own have them in another package, or nowhere. */
  async #addTypes(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const types = `@types/${name.replace(/^@/, "").replace("/", "__")}`;
      if (name.startsWith("@types/") || this.#hasTypes(name) || this.#version(types) !== null) continue;
      const { code } = await this.#spawn(["install", "--save-dev", types], () => undefined);
      this.#parts.output.write(
        "stdout",
        code === 0 ? `The types of ${name} come from ${types}.\n` : `${name} has no types: what it exports is any.\n`,
      );
    }
  }

  #hasTypes(name: string): boolean {
    const folder = packageFolder(name, this.#parts.directory);
    if (folder === undefined) return true; // npm knows it by another name
    const text = readFileSync(join(folder, "package.json"), "utf8");
    const {
      types,
      typings,
      exports,
      main = "index.js",
    } = JSON.parse(text) as { types?: unknown; typings?: unknown; exports?: unknown; main?: string };
    const isDeclared =
      types !== undefined || typings !== undefined || /"types(?:@[^"]*)?":/.test(JSON.stringify(exports ?? ""));
    return isDeclared || existsSync(join(folder, main.replace(/(?:\.[cm]?js)?$/, ".d.ts")));
  }

  /** Resolves with its exit code and what it said of errors, a line each; all else goes to `show`. */
  async #spawn(given: readonly string[], show: (line: string) => void): Promise<{ code: number; errors: string[] }> {
    const errors: string[] = [];
    using _line = new LongWork(`npm ${given.join(" ")}`);
    const path = `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`;
    const { directory } = this.#parts;
    const child = spawn("npm", ["--prefix", directory, "--no-audit", "--no-fund", "--no-update-notifier", ...given], {
      cwd: directory,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, PATH: path },
    });
    createInterface({ input: child.stdout }).on("line", show);
    createInterface({ input: child.stderr }).on("line", (line) => {
      const [, error] = /^npm (?:error|ERR!) ?(.*)$/.exec(line) ?? [];
      if (error === undefined) show(line);
      else errors.push(error);
    });
    const { interrupts, requests } = this.#parts;
    const code = await interrupts.stoppable(requests.current.id, () => endGroup(child), ended(child));
    return { code, errors };
  }
}

/** Whether what is installed in a folder is for the packages below it, too. */
function holdsWorkspaces(folder: string): boolean {
  if (existsSync(join(folder, "pnpm-workspace.yaml"))) return true;
  const file = join(folder, "package.json");
  if (!existsSync(file)) return false;
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { workspaces?: unknown } | null)?.workspaces !== undefined;
  } catch (error) {
    throw new NpmError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** npm leaves what it started to itself. */
function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGTERM");
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(
        new NpmError(
          `npm cannot be started: ${error.message}. It comes with Node; see whether "npm --version" works in a terminal.`,
        ),
      ),
    );
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/** One sentence; what else npm said follows when its code says nothing to us. */
function failure(given: readonly string[], code: number, errors: readonly string[]): string {
  const [, known = ""] = /^code (\w+)$/m.exec(errors.join("\n")) ?? [];
  const details = errors.filter((line) => line.trim() !== "" && !/^(?:code |A complete log)/.test(line));
  const reason = reasons[known] ?? details.join("\n") ?? "";
  return `npm ${given.join(" ")} failed: ${reason === "" ? `it ended with code ${code}` : reason}.`;
}

/** `4` and `4.17` fit 4.17.21; of other ranges only npm knows. */
function fits(version: string, wanted: string): boolean {
  return wanted === "" || version === wanted || (/^\d+(?:\.\d+)?$/.test(wanted) && version.startsWith(`${wanted}.`));
}
