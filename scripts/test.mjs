// `npm test`: sets up, runs every test, and ends with `N passed, N failed`. `--long` adds the long ones.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { environment, root, setup } from "./setup.mjs";

const long = process.argv.includes("--long");
const report = join(root, ".cache", "tests.json");

const run = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...environment(), ...(long ? { WARPCELL_LONG: "1" } : {}) },
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
async function unitTests() {
  mkdirSync(join(root, ".cache"), { recursive: true });
  rmSync(report, { force: true });
  const { code } = await run(process.execPath, [
    join("node_modules", "vitest", "vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ]);
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  if (numPendingTests > 0)
    console.log(`${numPendingTests} tests did not run: they need a device that this machine lacks.`);
  const failed = numFailedTests > 0 ? numFailedTests : numFailedTestSuites;
  return { passed: numPassedTests, failed: code === 0 ? failed : Math.max(1, failed) };
}

/** The browser tests print the same closing line. */
async function browserTests() {
  const { code, output } = await run(process.execPath, [join("extension", "ui-tests", "run.mjs")], { capture: true });
  const [, passed = "0", failed = "0"] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  return { passed: Number(passed), failed: code === 0 ? Number(failed) : Math.max(1, Number(failed)) };
}

try {
  await setup();
} catch (error) {
  console.error(error.message);
  console.log("0 passed, 1 failed");
  process.exit(1);
}
const results = [await unitTests(), await browserTests()];
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
process.exit(sum("failed") === 0 && sum("passed") > 0 ? 0 : 1);
