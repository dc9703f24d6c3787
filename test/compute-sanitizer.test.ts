// Device tests under compute-sanitizer: what is read of its log, and how the command runs, with a stand-in for the tool
// on the CPU. The tool itself needs a GPU.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const script = join(root, "scripts", "compute-sanitizer.mjs");

interface Finding {
  kernel: string;
  text: string[];
}
const { byKernel, findingsOf } = (await import(join(root, "scripts", "compute-sanitizer-findings.mjs"))) as {
  findingsOf(log: string): Finding[];
  byKernel(findings: Finding[]): Map<string, Finding[]>;
};

const log = `========= COMPUTE-SANITIZER
what the program prints
========= Invalid __global__ write of size 4 bytes
=========     at out_of_bounds_function()+0xb0 in cell.cu:39
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x87654320 is out of bounds
=========     and is 137,179,965,340,896 bytes before the nearest allocation at 0x7cc43a800000 of size 1,024 bytes
=========         Device Frame: outer(float *, int)+0x30 in cell.cu:44
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: main [0xae66] in warpcell-device
=========
========= Error: Race reported between Write access at sums<float, 4>(int *, int *)+0x90 in cell.cu:42
=========     and Read access at sums<float, 4>(int *, int *)+0x100 in cell.cu:51 [508 hazards]
=========
========= Uninitialized __global__ memory read of size 4 bytes
=========     at outer(float *, int)+0x70
=========     by thread (31,0,0) in block (1,0,0)
=========
========= Barrier error detected. Divergent thread(s) in block
=========     at halved(int *, int)+0xf0 in cell.cu:79
=========     by thread (37,0,0) in block (0,0,0)
=========
========= Internal Sanitizer Error: The Sanitizer encountered an error while launching a kernel.
========= Error: process didn't terminate successfully
=========     The application may have hit an error when dereferencing Unified Memory from the host.
========= Target application returned an error
========= ERROR SUMMARY: 4 errors
`;

test("each finding of a log is of the kernel that was launched, and its remarks about the process are none", () => {
  const findings = findingsOf(log);
  expect(findings.map(({ kernel, text }) => [kernel, text[0]])).toEqual([
    ["outer(float *, int)", "Invalid __global__ write of size 4 bytes"],
    [
      "sums<float, 4>(int *, int *)",
      "Error: Race reported between Write access at sums<float, 4>(int *, int *)+0x90 in cell.cu:42",
    ],
    ["outer(float *, int)", "Uninitialized __global__ memory read of size 4 bytes"],
    ["halved(int *, int)", "Barrier error detected. Divergent thread(s) in block"],
    ["no kernel", "Internal Sanitizer Error: The Sanitizer encountered an error while launching a kernel."],
  ]);
  expect([...byKernel(findings)].map(([kernel, found]) => [kernel, found.length])).toEqual([
    ["outer(float *, int)", 2],
    ["sums<float, 4>(int *, int *)", 1],
    ["halved(int *, int)", 1],
    ["no kernel", 1],
  ]);
  expect(findingsOf("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n")).toEqual([]);
});

/** A tool in the PATH that runs the program, and then says what it is told to. */
function runWithStandIn(says: string, args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "stand-in-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, "compute-sanitizer"),
    `#!/bin/bash
while [ "\${1#--}" != "$1" ]; do
  case "$1" in --version) echo "Version 1"; exit ;; --log-file) log="\${2//%p/$$}" ;; --tool) tool=$2 ;; esac
  shift 2
done
"$@"
status=$?
printf '%b' "${says}" > "$log"
exit $status
`,
  );
  chmodSync(join(folder, "compute-sanitizer"), 0o755);
  return spawnSync(process.execPath, [script, ...args], {
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: [folder, process.env["PATH"]].join(delimiter),
      WARPCELL_TEST_DEVICES: "cpu",
    },
  });
}

test("findings are told by tool and file, and planted bugs that are not found fail", () => {
  const says =
    "========= Invalid __global__ read of size 4 bytes\\n=========     at planted_$tool+0x90 in planted.cu:3\\n";
  const { stdout, status } = runWithStandIn(says, ["--tools", "racecheck", "test/device/apart.test.ts"]);
  expect(stdout).toContain("racecheck: the planted bug is found; without it NOT clean");
  expect(stdout).toContain("1 of 1 planted bugs found, 0 of 1 right kernels clean");
  expect(stdout).toMatch(/racecheck apart\.test\.ts: \d findings?, 2 passed \(2\), \d watched process/);
  expect(stdout).toMatch(/racecheck: \d findings? in 1 kernel; 1 file, 0 failed, 0 unfinished, 0 without a watched/);
  expect(status).toBe(1);
}, 300_000);

test("no findings are right, and a time that is over is told", () => {
  const run = (...args: string[]) => runWithStandIn("", ["--no-bugs", "--tools", "synccheck", ...args]);
  const right = run("test/device/apart.test.ts");
  expect([right.status, right.stdout]).toEqual([
    0,
    expect.stringMatching(/synccheck: 0 findings in 0 kernels; 1 file, 0 failed, 0 unfinished, 0 without a watched/),
  ]);
  const late = run("--seconds", "0", "test/device/apart.test.ts");
  expect([late.status, late.stdout]).toEqual([
    1,
    expect.stringMatching(/out of time before apart\.test\.ts[^]*1 unfinished/),
  ]);
}, 300_000);

test("a tool that is none, and one that is not there, are refused in a sentence", () => {
  const run = (variables: Record<string, string>, ...args: string[]) =>
    spawnSync(process.execPath, [script, ...args], { encoding: "utf8", env: variables }).stderr.trim();
  expect(run({}, "--tools", "memchek")).toBe(
    'compute-sanitizer has no tool "memchek": there are memcheck, racecheck, initcheck, synccheck.',
  );
  expect(run({ WARPCELL_COMPUTE_SANITIZER: "/nowhere/tool" })).toBe(
    "WARPCELL_COMPUTE_SANITIZER names /nowhere/tool, which is no program.",
  );
});
