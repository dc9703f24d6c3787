// `npm test`: sets up, runs the tests, and ends with `N passed, N failed`. Of the slow files a run has a seventh, others
// the next time; `--all`, as CI says, runs every one. `--long` adds the long ones, and the operations with kernels as a
// GPU runs them; `--quick` runs those that start no device, no kernel and no browser.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { environment, root, setup } from "./setup.mjs";

const long = process.argv.includes("--long");
const quick = process.argv.includes("--quick");
const all = long || process.argv.includes("--all");
// Files that take ten seconds and more on two cores; each spec of the browser does.
const slowSeconds = 10;
const slowFiles = JSON.parse(readFileSync(join(root, "scripts", "slow-tests.json"), "utf8"));
const specs = readdirSync(join(root, "extension", "ui-tests", "tests")).filter((name) => name.endsWith(".spec.ts"));
const quickFiles = [
  "native/lib",
  "kernel/language",
  "extension/src",
  "test/layout.test.ts",
  "test/operation-names.test.ts",
  "test/protocol.test.ts",
];
const operationFiles = [
  "activations autograd distances einsum embedding fuse indexing kernel-facts linear losses math matmul nn normalization ops optim",
  "products random reductions row-lengths scans second-gradients selecting shaping sorting spacing statistics",
  "table tensor unfold views where",
]
  .flatMap((names) => names.split(" "))
  .map((name) => `test/device/${name}.test.ts`);
const report = join(root, ".cache", "tests.json");

const run = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...environment(), ...(long ? { WARPCELL_LONG: "1" } : {}), ...options.variables },
      stdio: ["ignore", options.capture ? "pipe" : "inherit", "inherit"],
    });
    let output = "";
    child.stdout?.on("data", (chunk) => {
      output += chunk;
      process.stdout.write(chunk);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });

/** One in seven of a list, others in the next run: with more, a run takes over ten minutes on two cores. */
const partOf = (list) =>
  list
    .map((name) => ({ name, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, Math.ceil(list.length / 7))
    .map(({ name }) => name);

/** vitest's own counts, from its report; a run that wrote none counts as one failure. */
async function unitTests(files, { variables = {}, leftOut = [] } = {}) {
  mkdirSync(join(root, ".cache"), { recursive: true });
  rmSync(report, { force: true });
  const { code } = await run(
    process.execPath,
    [
      join("node_modules", "vitest", "vitest.mjs"),
      "run",
      ...files,
      ...leftOut.map((file) => `--exclude=${file}`),
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ],
    { variables },
  );
  if (!existsSync(report)) return { passed: 0, failed: 1, failures: ["vitest wrote no report"] };
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
  if (numPendingTests > 0)
    console.log(`${numPendingTests} tests did not run: they need a device that this machine lacks.`);
  if (all && !long) adviseOf(testResults);
  // A file that could not be loaded is one failure, too.
  const failures = testResults.filter(({ status }) => status === "failed").flatMap(failuresOf);
  const failed = Math.max(numFailedTests, failures.length);
  return { passed: numPassedTests, failed: code === 0 ? failed : Math.max(1, failed), failures };
}

/** Says which files have become slow, or quick. */
function adviseOf(results) {
  const isSlow = (file) => slowFiles.includes(file);
  const taken = results.map(({ name, startTime, endTime }) => [relative(root, name), (endTime - startTime) / 1000]);
  for (const [file, seconds] of taken) {
    const advice = isSlow(file) ? seconds < slowSeconds / 2 && "quick" : seconds > 2 * slowSeconds && "slow";
    if (advice) console.log(`${file} took ${seconds.toFixed(0)} s: ${advice} for scripts/slow-tests.json.`);
  }
}

/** What failed in a file of vitest's report, a line each: in a log of a whole run it is far above the end. */
function failuresOf({ name, message, assertionResults }) {
  const file = relative(root, name);
  const failed = assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0) return [`${file}: ${firstLine(message)}`];
  return failed.map(({ fullName, failureMessages }) => `${file} › ${fullName}: ${firstLine(failureMessages[0])}`);
}

const firstLine = (text = "") => text.split("\n")[0].slice(0, 300);

/** The browser tests print the same closing line. */
async function browserTests(chosen) {
  const { code, output } = await run(process.execPath, [join("extension", "ui-tests", "run.mjs"), ...chosen], {
    capture: true,
  });
  const [, passed = "0", failed = "0"] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  const failures = [...output.matchAll(/^ {2}\d+\) (.+)$/gm)].map(([, name]) => name);
  return {
    passed: Number(passed),
    failed: code === 0 ? Number(failed) : Math.max(1, Number(failed)),
    failures: [...new Set(failures)],
  };
}

try {
  await setup();
} catch (error) {
  console.error(error.message);
  console.log("0 passed, 1 failed");
  process.exit(1);
}
const played = all ? slowFiles : partOf(slowFiles);
const leftOut = slowFiles.filter((file) => !played.includes(file));
const results = [await unitTests(quick ? quickFiles : [], { leftOut: quick ? [] : leftOut })];
if (long) results.push(await unitTests(operationFiles, { variables: { WARPCELL_TEST_DEVICES: "threads" } }));
if (!quick) results.push(await browserTests(all ? [] : partOf(specs)));
if (!quick && !all)
  console.log(
    `Left out this time: ${leftOut.length} of ${slowFiles.length} slow files, and six in seven of the browser's. "npm test -- --all" runs every one.`,
  );
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
for (const failure of results.flatMap(({ failures }) => failures)) console.log(`failed: ${failure}`);
console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
process.exit(sum("failed") === 0 && sum("passed") > 0 ? 0 : 1);
