// `npm run corpus`, or `node scripts/corpus.mjs` where there is no npm: all whole programs of the tests on every device
// of this machine, the CPU with each compiler that it has. Prints a line for each difference, then how many programs
// are right, print something wrong, or are refused: an error instead of output. Expects `npm run build` to have run.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DeviceProcess } from "../native/dist/device/process.js";
import { DeviceUnavailable } from "../native/dist/errors.js";
import { environment, root } from "./setup.mjs";

const [pattern = ""] = process.argv.slice(2);
const folder = join("test", "device");
const files = readdirSync(join(root, folder))
  .filter((name) => /^(?:.+-)?programs\.test\.ts$/.test(name) && name.includes(pattern))
  .map((name) => join(folder, name));

const runsOnCpu = ["clang++", "g++"]
  .filter((compiler) => spawnSync(compiler, ["--version"]).status === 0)
  .map((compiler) => ({ name: `cpu, ${compiler}`, device: "cpu", variables: { WARPCELL_CXX: compiler } }));
const runs = [...runsOnCpu, ...(hasGpu() ? [{ name: "cuda", device: "cuda", variables: {} }] : [])];

function hasGpu() {
  try {
    DeviceProcess.get("cuda");
    return true;
  } catch (error) {
    if (!(error instanceof DeviceUnavailable)) throw error;
    console.log(error.message);
    return false;
  }
}

/** vitest's report of all files on one device. */
async function reportOf({ device, variables }) {
  const kept = mkdtempSync(join(tmpdir(), "corpus-"));
  const report = join(kept, "report.json");
  const vitest = join("node_modules", "vitest", "vitest.mjs");
  try {
    await new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [vitest, "run", ...files, "--reporter=json", `--outputFile=${report}`], {
        cwd: root,
        env: { ...environment(), ...variables, WARPCELL_TEST_DEVICES: device, WARPCELL_LONG: "1" },
        stdio: ["ignore", "ignore", "inherit"],
      });
      child.on("error", reject);
      child.on("close", resolve);
    });
    return JSON.parse(readFileSync(report, "utf8"));
  } finally {
    rmSync(kept, { recursive: true, force: true });
  }
}

/** What became of a program: a comparison that fails is wrong, any other error is a refusal. */
function outcomeOf({ status, failureMessages: [message = ""] }) {
  if (status === "passed") return "right";
  return /^AssertionError\b/.test(message) ? "wrong" : "refused";
}

function row(run, { name, message, assertionResults }) {
  const counts = { right: 0, wrong: 0, refused: 0 };
  if (assertionResults.length === 0) console.log(`${basename(name)} on ${run.name}: did not load: ${message}`);
  for (const result of assertionResults) {
    const outcome = outcomeOf(result);
    counts[outcome] += 1;
    if (outcome === "right") continue;
    const [first] = (result.failureMessages[0] ?? result.status).split("\n");
    console.log(`${result.title} on ${run.name}: ${outcome}: ${first}`);
  }
  return { file: basename(name, ".test.ts"), device: run.name, programs: assertionResults.length, ...counts };
}

const rows = [];
for (const run of runs) {
  const { testResults } = await reportOf(run);
  const ofRun = testResults.map((result) => row(run, result)).sort((a, b) => a.file.localeCompare(b.file));
  const sum = (key) => ofRun.reduce((total, { [key]: count }) => total + count, 0);
  const total = { file: "all", device: run.name };
  for (const key of ["programs", "right", "wrong", "refused"]) total[key] = sum(key);
  rows.push(...ofRun, total);
}
console.table(rows);
const isRight = runs.length > 0 && rows.every(({ programs, right }) => programs > 0 && right === programs);
process.exit(isRight ? 0 : 1);
