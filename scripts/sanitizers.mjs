// `npm run sanitize [-- --build | --as-built | FILE…]`: builds the addon and the device program with AddressSanitizer and
// UndefinedBehaviorSanitizer into native/build/address, runs the tests of devices and kernels with them, and prints what
// the sanitizers report, one line for each place. `--build` stops after the build, `--as-built` leaves it out. Expects
// `npm run build` to have run, whose library and kernels it takes.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { buildNative } from "./build-native.mjs";
import { environment, root } from "./setup.mjs";

const folder = join(root, "native", "build", "address");
const release = join(folder, "Release");

const tests = ["test/device", "test/kernel"].flatMap((room) =>
  readdirSync(join(root, room))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(room, name)),
);

function build() {
  buildNative("Release", { folder, sanitizers: "address,undefined" });
  for (const name of ["kernels", "libscipy_openblas.so"]) {
    const made = join(root, "native", "build", "Release", name);
    if (existsSync(made) && !existsSync(join(release, name))) symlinkSync(made, join(release, name));
  }
}

/** The compiler that the build took. */
const compiler = () => /^CMAKE_CXX_COMPILER:\w+=(.+)$/m.exec(readFileSync(join(folder, "CMakeCache.txt"), "utf8"))[1];

/** A library that comes with a compiler. Throws Error where it has none. */
export function libraryOf(name, compiler) {
  const path = spawnSync(compiler, [`-print-file-name=${name}`], { encoding: "utf8" }).stdout.trim();
  // A compiler says the name alone of what it does not have.
  if (path === name)
    throw new Error(`${compiler} has no ${name}. Install g++, which comes with it: sudo apt-get install g++`);
  return realpathSync(path);
}

const options = (values) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(":");

/**
 * Node has no sanitizer in it, so the runtime comes before all else. What Node holds at its end are no leaks of ours;
 * faults are the device's to name.
 */
const variables = (logs) => ({
  WARPCELL_NATIVE: release,
  LD_PRELOAD: ["libasan.so", "libstdc++.so.6"].map((name) => libraryOf(name, compiler())).join(":"),
  ASAN_OPTIONS: options({
    detect_leaks: 0,
    handle_segv: 0,
    handle_sigbus: 0,
    handle_sigfpe: 0,
    handle_sigill: 0,
    use_sigaltstack: 0,
    detect_stack_use_after_return: 0,
    allocator_may_return_null: 1,
    // CUDA's driver maps memory there.
    protect_shadow_gap: 0,
    log_path: join(logs, "report"),
  }),
  UBSAN_OPTIONS: options({ print_stacktrace: 1 }),
});

/** What reports say in a line each, with how often. */
export function placesOf(reports) {
  const places = new Map();
  for (const report of reports)
    for (const [line] of report.matchAll(/^.*(?:: runtime error: |SUMMARY: AddressSanitizer: ).*$/gm)) {
      // Addresses and numbers differ from run to run.
      const place = stripVTControlCharacters(line)
        .replace(root, "")
        .replaceAll(/0x[0-9a-f]+/g, "0x…");
      places.set(place, (places.get(place) ?? 0) + 1);
    }
  return places;
}

async function run(files) {
  const logs = mkdtempSync(join(tmpdir(), "warpcell-reports-"));
  try {
    const vitest = join("node_modules", "vitest", "vitest.mjs");
    const child = spawn(process.execPath, [vitest, "run", ...files, "--testTimeout=0", "--hookTimeout=0"], {
      cwd: root,
      env: { ...environment(), ...variables(logs) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // UndefinedBehaviorSanitizer beside the other one knows no log: its reports are among what is printed.
    let output = "";
    for (const name of ["stdout", "stderr"])
      child[name].on("data", (chunk) => {
        output += chunk;
        process[name].write(chunk);
      });
    const code = await new Promise((resolve) => child.on("close", resolve));
    const reports = [output, ...readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"))];
    const places = placesOf(reports);
    for (const [place, count] of places) console.log(`${place}${count > 1 ? ` (${count} times)` : ""}`);
    for (const report of reports.slice(1, 6)) console.log(report);
    console.log(`${places.size} reports in ${files.length} files`);
    return code === 0 && places.size === 0;
  } finally {
    rmSync(logs, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const files = words.filter((word) => !word.startsWith("--"));
  if (!words.includes("--as-built")) build();
  if (!words.includes("--build")) process.exitCode = (await run(files.length > 0 ? files : tests)) ? 0 : 1;
}
