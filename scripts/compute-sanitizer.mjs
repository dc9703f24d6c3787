// `node scripts/compute-sanitizer.mjs [--tools memcheck,racecheck,initcheck,synccheck] [--seconds N] [--no-bugs | --only-bugs] [FILE…]`:
// device tests with the GPU's process under NVIDIA's compute-sanitizer, one tool after the other, and before them four
// kernels with a planted bug each, which must be found, and the same kernels without, which must be clean. Prints what
// was found by tool and kernel. Without FILE: all of test/device but those whose kernels are wrong on purpose. The tool
// is the one that WARPCELL_COMPUTE_SANITIZER names, else that of the PATH, of CUDA's folder, or of .cache, where `--fetch`
// brings it from PyPI. Needs a built tree, no npm.
import { spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, relative, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { byKernel, findingsOf } from "./compute-sanitizer-findings.mjs";
import { environment, root } from "./setup.mjs";

export const tools = {
  memcheck: ["--report-api-errors", "no"],
  racecheck: [],
  initcheck: [],
  synccheck: [],
};

/** Kernels that are wrong on purpose, or a process that dies on purpose: what is found there says nothing. */
const deliberate =
  /^(?:check|client|control-segment|cpu-.*|cuda|cuda-driver|cupti|faults|handover|limits|memory-limit|peers|process|recovery|strictness|wrong-calls|.*-programs|programs|program-.*)\.test\.ts$/;

/** Of CUDA 13; it runs with drivers of that version and later. */
const wheel = "nvidia-cuda-sanitizer-api==13.5.25";
const inWheel = join("nvidia", "cu13", "compute-sanitizer", "compute-sanitizer");

const fetched = join(root, ".cache", "compute-sanitizer");
const release = join(root, "native", "build", "Release");
const bugsProgram = fileURLToPath(new URL("compute-sanitizer-bugs.mjs", import.meta.url));

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The tool's path. Throws with what to do when there is none. */
function sanitizer() {
  const { CUDA_HOME, CUDA_PATH, PATH = "", WARPCELL_COMPUTE_SANITIZER: named } = process.env;
  if (named !== undefined) {
    if (isProgram(named)) return named;
    throw new Error(`WARPCELL_COMPUTE_SANITIZER names ${named}, which is no program.`);
  }
  const candidates = [
    ...PATH.split(delimiter).map((folder) => join(folder, "compute-sanitizer")),
    ...[CUDA_HOME, CUDA_PATH, "/usr/local/cuda"]
      .filter(Boolean)
      .flatMap((home) => ["bin", "compute-sanitizer"].map((folder) => join(home, folder, "compute-sanitizer"))),
    ...(existsSync(fetched) ? readdirSync(fetched).map((name) => join(fetched, name, inWheel)) : []),
  ];
  const found = candidates.find(isProgram);
  if (found === undefined)
    throw new Error(
      'There is no compute-sanitizer in the PATH, in CUDA_HOME or in /usr/local/cuda. Install it with CUDA\'s toolkit, or run "node scripts/compute-sanitizer.mjs --fetch", which brings it from PyPI.',
    );
  return found;
}

async function fetch() {
  const { obtainPackages } = await import("./pypi.mjs");
  const program = join(await obtainPackages("compute-sanitizer", [wheel], inWheel), inWheel);
  const folder = dirname(program);
  // pip keeps no permissions; documentation and tools for 32 bits are most of the bytes.
  for (const name of readdirSync(folder))
    if (/^(?:compute-sanitizer$|TreeLauncher)/.test(name)) chmodSync(join(folder, name), 0o755);
  for (const name of ["docs", "x86"]) rmSync(join(folder, name), { recursive: true, force: true });
  console.log(program);
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A folder in place of the build's, whose device program runs the real one under a tool where it is a device of the
 * tests. The session kills the shell that waits for the tool: the device process ends by itself when its session is
 * gone, and the tool writes down what it has found.
 */
function wrappedBuild(folder, program, tool, logs, kinds) {
  for (const name of readdirSync(release))
    if (name !== "warpcell-device") symlinkSync(join(release, name), join(folder, name));
  const command = [
    program,
    "--tool",
    tool,
    ...tools[tool],
    "--print-limit",
    "1000",
    "--log-file",
    join(logs, "%p.log"),
  ];
  const real = quoted(join(release, "warpcell-device"));
  writeFileSync(
    join(folder, "warpcell-device"),
    `#!/bin/sh
case "$1" in
${kinds.join("|")}) ;;
*) exec ${real} "$@" ;;
esac
export WARPCELL_KEEP_DESCRIPTORS=1
${command.map(quoted).join(" ")} ${real} "$@"
exit $?
`,
  );
  chmodSync(join(folder, "warpcell-device"), 0o755);
}

/** Whether any process of a group is alive. */
function lives(group) {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    if (error.code === "ESRCH") return false;
    throw error;
  }
}

/** Runs a command to its end, that of all its processes included, or of the time. */
async function runWithin(args, variables, seconds) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...environment(), ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const ended = new Promise((settle) => child.once("close", settle));
  const until = Date.now() + seconds * 1000;
  const code = await Promise.race([ended, wait(seconds * 1000, undefined, { ref: false })]);
  // The tools write their last lines when the session is gone.
  while (code !== undefined && lives(child.pid) && Date.now() < until) await wait(100);
  const isLate = code === undefined;
  if (lives(child.pid)) process.kill(-child.pid, "SIGKILL");
  return { code, output, isLate };
}

/** A run of one tool: what it found, and whether it watched any process. */
async function watched(program, tool, args, variables, seconds, kinds) {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-sanitizer-"));
  const [build, logs] = [join(folder, "build"), join(folder, "logs")];
  for (const each of [build, logs]) mkdirSync(each);
  try {
    wrappedBuild(build, program, tool, logs, kinds);
    const ended = await runWithin(args, { ...variables, WARPCELL_NATIVE: build }, seconds);
    const texts = readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"));
    return { ...ended, findings: texts.flatMap(findingsOf), processes: texts.length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function show(findings) {
  for (const [kernel, found] of byKernel(findings)) {
    const [first] = found;
    console.log(`    ${kernel}: ${counted(found.length, "finding")}, the first: ${first.text.join("\n      ")}`);
  }
}

async function plantedBugs(program, chosen, seconds, kinds) {
  let found = 0,
    clean = 0;
  for (const tool of chosen) {
    const run = (form) =>
      watched(program, tool, [bugsProgram, kinds[0], tool, form], variablesOf(tool), seconds, kinds);
    const [wrong, right] = [await run("wrong"), await run("right")];
    const isFound = wrong.findings.some(({ kernel }) => kernel.includes(`planted_${tool}`));
    const isClean = right.code === 0 && right.processes > 0 && right.findings.length === 0;
    found += isFound;
    clean += isClean;
    console.log(
      `  ${tool}: the planted bug is ${isFound ? "found" : "NOT found"}; without it ${isClean ? "clean" : "NOT clean"}`,
    );
    if (!isFound)
      console.log(wrong.output.trim(), `(exit ${wrong.code}, ${counted(wrong.processes, "watched process")})`);
    if (!isClean)
      console.log(right.output.trim(), `(exit ${right.code}, ${counted(right.processes, "watched process")})`);
    show(right.findings);
  }
  console.log(`${found} of ${chosen.length} planted bugs found, ${clean} of ${chosen.length} right kernels clean`);
  return found === chosen.length && clean === chosen.length;
}

/** Where every array ends where its memory ends, what goes beyond one is outside of all memory. */
const variablesOf = (tool) =>
  tool === "memcheck" || tool === "initcheck" ? { WARPCELL_BLOCKS_APART: "16", ...process.env } : {};

const deviceTests = () =>
  readdirSync(join(root, "test", "device"))
    .filter((name) => name.endsWith(".test.ts") && !deliberate.test(name))
    .map((name) => join("test", "device", name));

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      tools: { type: "string", default: Object.keys(tools).join(",") },
      seconds: { type: "string", default: "86400" },
      "no-bugs": { type: "boolean", default: false },
      "only-bugs": { type: "boolean", default: false },
      fetch: { type: "boolean", default: false },
    },
  });
  if (values.fetch) return fetch();
  const chosen = values.tools.split(",");
  const unknown = chosen.find((tool) => !(tool in tools));
  if (unknown !== undefined)
    throw new Error(`compute-sanitizer has no tool "${unknown}": there are ${Object.keys(tools).join(", ")}.`);
  const end = Date.now() + Number(values.seconds) * 1000;
  const left = () => Math.max(1, Math.floor((end - Date.now()) / 1000));
  const program = sanitizer();
  const kinds = (process.env.WARPCELL_TEST_DEVICES ?? "cuda").split(",");
  console.log(
    `${program}: ${spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim().split("\n").at(-1)}`,
  );

  let isRight = values["no-bugs"] || (await plantedBugs(program, chosen, Math.min(120, left()), kinds));
  if (values["only-bugs"]) {
    process.exitCode = isRight ? 0 : 1;
    return;
  }
  const files = positionals.length > 0 ? positionals.map((file) => relative(root, resolve(file))) : deviceTests();
  for (const tool of chosen) {
    const all = [];
    let unfinished = 0,
      failed = 0,
      unwatched = 0;
    for (const [at, file] of files.entries()) {
      if (Date.now() >= end) {
        unfinished += files.length - at;
        console.log(
          `  ${tool}: out of time before ${files
            .slice(at)
            .map((each) => basename(each))
            .join(", ")}`,
        );
        break;
      }
      const args = ["run", file, "--testTimeout=0", "--hookTimeout=0", "--reporter=dot", "--no-color"];
      const run = await watched(
        program,
        tool,
        [join("node_modules", "vitest", "vitest.mjs"), ...args],
        { ...variablesOf(tool), WARPCELL_TEST_DEVICES: kinds.join(",") },
        left(),
        kinds,
      );
      const tests = /^ +Tests +(.+)$/m.exec(run.output)?.[1] ?? "no test ended";
      all.push(...run.findings);
      unfinished += run.isLate;
      failed += !run.isLate && run.code !== 0;
      unwatched += run.processes === 0;
      console.log(
        `  ${tool} ${basename(file)}: ${counted(run.findings.length, "finding")}, ${tests}, ${counted(run.processes, "watched process")}${run.isLate ? ", out of time" : ""}`,
      );
      if (!run.isLate && run.code !== 0) console.log(run.output.trim().split("\n").slice(-40).join("\n"));
      show(run.findings);
    }
    console.log(
      `${tool}: ${counted(all.length, "finding")} in ${counted(byKernel(all).size, "kernel")}; ${counted(files.length, "file")}, ${failed} failed, ${unfinished} unfinished, ${unwatched} without a watched process`,
    );
    isRight &&= all.length === 0 && failed + unfinished + unwatched === 0;
  }
  process.exitCode = isRight ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
