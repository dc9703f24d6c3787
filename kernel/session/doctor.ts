// Reports what the library finds on this machine: devices, driver, libraries, compiler, cache, and how to get what is
// missing; for people, or with --json as a list.
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory, defaultDevice, devices, WarpcellError, type DeviceProperties } from "warpcell";
import { kernelsCompiledFor, knownLibraries } from "warpcell/host";
import type { Finding } from "../mime.ts";

type Found = Omit<Finding, "device">;

const found = (what: string, text: string): Found => ({ what, found: text, isMissing: false });
const missing = (what: string, text: string): Found => ({ what, found: text, isMissing: true });

function describe({
  name,
  arch,
  multiprocessors,
  memoryTotal,
  compiler,
  driver,
  shareable,
  kind,
}: DeviceProperties): Found[] {
  const cores = `${multiprocessors} ${kind === "cuda" ? "multiprocessors" : "cores"}`;
  return [
    found("", `${name}, ${arch}, ${cores}, ${(memoryTotal / 2 ** 30).toFixed(1)} GiB`),
    ...(driver === null ? [] : [found("driver", driver)]),
    compiler === null
      ? missing("compiler", missingCompiler[kind])
      : found("compiler", `${compiler.name} ${compiler.version}, ${compiler.path}`),
    found(
      "after a fault",
      shareable ? "arrays stay" : "arrays are lost: this device cannot share its memory between processes",
    ),
  ];
}

const missingCompiler = {
  cpu: "none: there is neither clang++ nor g++ in PATH. Install one: sudo apt-get install g++",
  cuda: "none: NVRTC cannot be used",
};

/** Without them a first use takes seconds, and on a GPU NVRTC. */
function kernels(device: string): Found {
  const architecture = kernelsCompiledFor(device);
  return architecture === null
    ? missing(
        "kernels",
        "the library's are compiled one by one at their first use: none came compiled for this device. `npm run build` makes those of this machine; a bundle has an archive for each generation of GPUs.",
      )
    : found("kernels", `the library's are compiled ahead for ${architecture}`);
}

function libraries(device: string): Found[] {
  return knownLibraries(device).map(({ name, purpose, path, version, missing: reason }) =>
    reason === null
      ? found(name, `${version === "" ? "version unknown" : version}, ${path} (${purpose})`)
      : missing(name, reason),
  );
}

/** Tries what the cache does: writes a file there. */
function cacheState(): Found {
  const directory = cacheDirectory();
  const probe = join(directory, `doctor-${process.pid}`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(probe, "", { mode: 0o600 });
    rmSync(probe);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return missing(
      "cache",
      `${directory}: cannot be written (${reason}), so every kernel is compiled again. Set XDG_CACHE_HOME to a directory of your own.`,
    );
  }
  const isOwn = (statSync(directory).mode & 0o077) === 0;
  return found("cache", isOwn ? directory : `${directory}: other users can read it; chmod 700 it.`);
}

function report(): Finding[] {
  const all = devices();
  const chosen = defaultDevice();
  const general = [
    found("node", `${process.versions.node}, ${process.execPath}`),
    cacheState(),
    found("new tensors go to", `${chosen.device.name}. ${chosen.reason}`),
  ];
  return [
    ...general.map((each) => ({ device: null, ...each })),
    ...all.flatMap(({ device, properties, reason }) => {
      const own =
        properties === null
          ? [missing("", `cannot be used: ${reason}`)]
          : [...describe(properties), kernels(device), ...libraries(device)];
      return own.map((each) => ({ device, ...each }));
    }),
  ];
}

/** A line for people: what is of a device stands below it. */
function lineOf({ device, what, found: text }: Finding): string {
  const head = device === null ? what : what === "" ? device : `  ${what}`;
  return `${head.padEnd(20)}${text}`;
}

let status = 0;
try {
  const findings = report();
  const text = process.argv.includes("--json") ? JSON.stringify(findings) : findings.map(lineOf).join("\n");
  process.stdout.write(`${text}\n`);
} catch (error) {
  if (!(error instanceof WarpcellError)) throw error;
  process.stderr.write(`warpcell: ${error.message}\n`);
  status = 1;
}
// The device processes would keep this one alive.
process.exit(status);
