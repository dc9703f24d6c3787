// `npm test`: sets up, runs every test, and ends with `N passed, N failed`. `--long` adds the long ones, and the
// operations with kernels as a GPU runs them; `--quick` runs those that start no device, no kernel and no browser.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { environment, root, setup } from "./setup.mjs";

const long = process.argv.includes("--long");
const quick = process.argv.includes("--quick");
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

/** vitest's own counts, from its report; a run that wrote none counts as one failure. */
async function unitTests(files, variables = {}) {
  mkdirSync(join(root, ".cache"), { recursive: true });
  rmSync(report, { force: true });
  const { code } = await run(
    process.execPath,
    [
      join("node_modules", "vitest", "vitest.mjs"),
      "run",
      ...files,
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
  // A file that could not be loaded is one failure, too.
  const failures = testResults.filter(({ status }) => status === "failed").flatMap(failuresOf);
  const failed = Math.max(numFailedTests, failures.length);
  return { passed: numPassedTests, failed: code === 0 ? failed : Math.max(1, failed), failures };
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
async function browserTests() {
  const { code, output } = await run(process.execPath, [join("extension", "ui-tests", "run.mjs")], { capture: true });
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
const results = [await unitTests(quick ? quickFiles : [])];
if (long) results.push(await unitTests(operationFiles, { WARPCELL_TEST_DEVICES: "threads" }));
if (!quick) results.push(await browserTests());
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
for (const failure of results.flatMap(({ failures }) => failures)) console.log(`failed: ${failure}`);
console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
process.exit(sum("failed") === 0 && sum("passed") > 0 ? 0 : 1);
