// The host code of a program: has the system's C++ compiler make a shared object of it, or takes that from the cache,
// and tells which kernels it launches.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binding, deviceExecutable, deviceSources } from "../../wire/binding.ts";
import { DeviceUnavailable } from "../../errors.ts";
import { cacheKey } from "../cache.ts";
import { cache, optionWords, ownHash, systemFolders, type CompileOptions } from "../compilation.ts";
import { compileFailure } from "../compile-failure.ts";
import { areCurrent, dependenciesOf, probes } from "../dependencies.ts";
import type { SplitProgram } from "./split.ts";

/** What __FILE__ says, and what the messages of a compiler call the text. */
export const file = "program.cu";

/** Compiled host code. */
export interface HostCode {
  readonly object: Uint8Array;
  /** The stand-ins of kernels in it, and each as C++ names it: "axpy<float>". */
  readonly symbols: readonly string[];
  readonly expressions: readonly string[];
  readonly cached: boolean;
}

/** What `warpcell-device program compile` answers. */
type Answer =
  | { code?: undefined; log: string; dependencies: string[]; symbols: string[]; expressions: string[] }
  | { code: string; sentence: string; log: string };

/**
 * `source` is the whole program, `name` what messages call it. Throws CompileError with diagnostics, and
 * DeviceUnavailable where the system has no compiler.
 */
export async function compileHost(
  { host, kernels }: Pick<SplitProgram, "host" | "kernels">,
  source: string,
  name: string,
  options: CompileOptions,
): Promise<HostCode> {
  const words = optionWords({ std: options.std, defines: options.defines, includes: options.includes });
  const key = cacheKey([
    "program",
    String(binding.protocolVersion),
    ownHash(),
    process.env["WARPCELL_CXX"] ?? "",
    process.env["PATH"] ?? "",
    process.arch,
    host,
    kernels.join("\n"),
    words.join("\0"),
  ]);
  const hit = cache().get(key);
  if (hit !== null && areCurrent(hit.dependencies))
    return { object: hit.artifact, symbols: hit.lowered, expressions: JSON.parse(hit.log) as string[], cached: true };

  const started = Date.now();
  const folder = mkdtempSync(join(tmpdir(), "warpcell-program-"));
  try {
    writeFileSync(join(folder, "source"), host);
    writeFileSync(join(folder, "names"), kernels.join("\n"));
    const answer = JSON.parse(
      await outputOf(["program", "compile", folder, deviceSources.replace(/\/$/, ""), file, ...words]),
    ) as Answer;
    if (answer.code !== undefined) throw failure(answer, source, name);
    const object = readFileSync(join(folder, "object"));
    keep(key, answer, object, [source, ...words].join("\n"), options, started);
    return { object, symbols: answer.symbols, expressions: answer.expressions, cached: false };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function keep(
  key: string,
  { dependencies: read, symbols, expressions }: Extract<Answer, { code?: undefined }>,
  artifact: Uint8Array,
  own: string,
  { includes = [] }: CompileOptions,
  started: number,
): void {
  if (probes(own)) return;
  const paths = read.filter((path) => !path.startsWith(deviceSources));
  const dependencies = dependenciesOf(paths, includes, systemFolders(undefined), started);
  if (dependencies === null) return;
  cache().put(key, { artifact, lowered: symbols, log: JSON.stringify(expressions), dependencies, name: null });
}

function failure({ code, sentence, log }: Extract<Answer, { code: string }>, source: string, name: string): Error {
  if (code === "COMPILE")
    return compileFailure(
      { source, name, device: "host", signatures: { kernels: [], variables: [] }, isProgram: true },
      log.replaceAll(`${file}:`, `${name}:`),
    );
  return new DeviceUnavailable(code, "host", sentence);
}

/** What the device program prints with these arguments. */
function outputOf(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(deviceExecutable, args, { stdio: ["ignore", "pipe", "inherit"] });
    const parts: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => parts.push(part));
    child.on("error", reject);
    child.on("close", () => resolve(Buffer.concat(parts).toString()));
  });
}

/** Writes what a program's process reads into a folder of its own. */
export function programFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-program-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}
