// Tests with AddressSanitizer and UndefinedBehaviorSanitizer: what is read of their reports, and what is lacking.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const { libraryOf, placesOf } = (await import(join(root, "scripts", "sanitizers.mjs"))) as {
  placesOf(reports: string[]): Map<string, number>;
  libraryOf(name: string, compiler: string): string;
};

const undefinedBehaviour = `${root}/native/engine/host/text.h:12:7: runtime error: load of misaligned address 0x7f01 for type 'const long'
0x7f01: note: pointer points here
    #0 0x55d0 in warpcell::read ${root}/native/engine/host/text.h:12
`;
const overflow = `=================================================================
==71==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6020 at pc 0x55d0 bp 0x7ffd sp 0x7ffc
READ of size 4 at 0x6020 thread T0
SUMMARY: AddressSanitizer: heap-buffer-overflow ${root}/native/addon/client/ring.cc:40 in warpcell::Ring::put
`;

test("reports are one line for each place, whatever the addresses", () => {
  const reports = [
    undefinedBehaviour,
    undefinedBehaviour.replaceAll("0x7f01", "0x7f02"),
    overflow,
    "what a process said",
  ];
  expect([...placesOf(reports)]).toEqual([
    ["/native/engine/host/text.h:12:7: runtime error: load of misaligned address 0x… for type 'const long'", 2],
    ["SUMMARY: AddressSanitizer: heap-buffer-overflow /native/addon/client/ring.cc:40 in warpcell::Ring::put", 1],
  ]);
  expect(placesOf([""]).size).toBe(0);
});

test("a compiler without the runtime is named", () => {
  const folder = mkdtempSync(join(tmpdir(), "compiler-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const compiler = join(folder, "c++");
  writeFileSync(compiler, `#!/bin/sh\necho "\${1#-print-file-name=}"\n`);
  chmodSync(compiler, 0o755);
  expect(() => libraryOf("libasan.so", compiler)).toThrow(
    `${compiler} has no libasan.so. Install g++, which comes with it: sudo apt-get install g++`,
  );
});

test("a report of a fiber's stack names the frame, and there is none of what is right", () => {
  const folder = mkdtempSync(join(tmpdir(), "fibers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, "fibers");
  const sources = ["test/helpers/fibers.cc", "native/engine/cpu/run/stacks.cc"];
  const flags = ["-std=c++17", "-O1", "-g1", "-fsanitize=address", "-fno-omit-frame-pointer"];
  const built = spawnSync("c++", [...flags, ...sources.map((name) => join(root, name)), "-o", program], {
    encoding: "utf8",
  });
  expect([built.status, built.stderr]).toEqual([0, ""]);
  const run = (index: number) =>
    spawnSync(program, [String(index)], {
      encoding: "utf8",
      env: { ...process.env, ASAN_OPTIONS: "detect_stack_use_after_return=0:use_sigaltstack=0" },
    });
  // Exceptions go back over the stack that AddressSanitizer knows: of a wrong one it complains.
  const right = run(2);
  expect([right.status, right.stdout, right.stderr]).toEqual([0, "3\n3\n3\n", ""]);
  const wrong = run(4);
  expect(wrong.status).not.toBe(0);
  expect(wrong.stderr).toContain("stack-buffer-overflow");
  expect(wrong.stderr).toContain("is located in stack of thread T0");
  expect(wrong.stderr).toContain("'values'");
});
