// Reports what the library finds on this machine: devices, driver, libraries, compiler, cache, and how to get what is
// missing.
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory, defaultDevice, devices, WarpcellError, type DeviceProperties } from "warpcell";
import { knownLibraries } from "warpcell/host";

type Line = readonly [what: string, found: string];

function describe({
  name,
  arch,
  multiprocessors,
  memoryTotal,
  compiler,
  driver,
  shareable,
  kind,
}: DeviceProperties): Line[] {
  return [
    [
      "",
      `${name}, ${arch}, ${multiprocessors} ${kind === "cuda" ? "multiprocessors" : "cores"}, ${(memoryTotal / 2 ** 30).toFixed(1)} GiB`,
    ],
    ...(driver === null ? [] : [["  driver", driver] as const]),
    [
      "  compiler",
      compiler === null ? missingCompiler[kind] : `${compiler.name} ${compiler.version}, ${compiler.path}`,
    ],
    [
      "  after a fault",
      shareable ? "arrays stay" : "arrays are lost: this device cannot share its memory between processes",
    ],
  ];
}

const missingCompiler = {
  cpu: "none: there is neither clang++ nor g++ in PATH. Install one: sudo apt-get install g++",
  cuda: "none: NVRTC cannot be used",
};

function libraryLines(device: string): Line[] {
  return knownLibraries(device).map(({ name, purpose, path, version, missing }) => [
    `  ${name}`,
    missing ?? `${version === "" ? "version unknown" : version}, ${path} (${purpose})`,
  ]);
}

/** Tries what the cache does: writes a file there. */
function cacheState(): string {
  const directory = cacheDirectory();
  const probe = join(directory, `doctor-${process.pid}`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(probe, "", { mode: 0o600 });
    rmSync(probe);
  } catch (error) {
    return `${directory}: cannot be written (${error instanceof Error ? error.message : String(error)}), so every kernel is compiled again. Set XDG_CACHE_HOME to a directory of your own.`;
  }
  return (statSync(directory).mode & 0o077) === 0 ? directory : `${directory}: other users can read it; chmod 700 it.`;
}

function report(): Line[] {
  const found = devices();
  const chosen = defaultDevice();
  return [
    ["node", `${process.versions.node}, ${process.execPath}`],
    ["cache", cacheState()],
    ["new tensors go to", `${chosen.device.name}. ${chosen.reason}`],
    ...found.flatMap(({ device, properties, reason }): Line[] => {
      if (properties === null) return [[device, `cannot be used: ${reason}`]];
      const [[, first], ...rest] = describe(properties) as [Line, ...Line[]];
      return [[device, first], ...rest, ...libraryLines(device)];
    }),
  ];
}

let status = 0;
try {
  for (const [what, found] of report()) process.stdout.write(`${what.padEnd(20)}${found}\n`);
} catch (error) {
  if (!(error instanceof WarpcellError)) throw error;
  process.stderr.write(`warpcell: ${error.message}\n`);
  status = 1;
}
// The device processes would keep this one alive.
process.exit(status);
