// The protocol as others test it: every test of jupyter_kernel_test, through a real Jupyter client, against the
// installed kernelspec.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kernelScript } from "../helpers/kernel.ts";

const python = process.env["WARPCELL_PYTHON"] ?? fileURLToPath(new URL("../../.venv/bin/python", import.meta.url));
const suite = fileURLToPath(new URL("kernel_conformance.py", import.meta.url));
const tests = [
  "test_kernel_info",
  "test_execute_stdout",
  "test_execute_stderr",
  "test_completion",
  "test_is_complete",
  "test_pager",
  "test_error",
  "test_execute_result",
  "test_display_data",
  "test_history",
  "test_inspect",
  "test_clear_output",
  "test_recv_iopub_welcome_msg",
];

let prefix: string;
let report: string;

beforeAll(async () => {
  prefix = mkdtempSync(join(tmpdir(), "warpcell-conformance-"));
  expect((await output(process.execPath, [kernelScript, "install", "--prefix", prefix])).status).toBe(0);
  report = (await output(python, [suite], { JUPYTER_PATH: join(prefix, "share", "jupyter") })).text;
}, 120_000);

afterAll(() => rmSync(prefix, { recursive: true, force: true }));

test.each(tests)("%s passes", (name) => {
  const outcome = new RegExp(`^${name} [^\\n]*?\\.\\.\\. (?:[^]*?)?\\b(ok|FAIL|ERROR|skipped.*)$`, "m").exec(
    report,
  )?.[1];
  expect(outcome, report).toBe("ok");
});

test("no test was added that is not in this list, and none failed", () => {
  expect(report).toMatch(new RegExp(`^Ran ${tests.length} tests in `, "m"));
  expect(report.trimEnd(), report).toMatch(/\nOK$/);
});

function output(
  command: string,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<{ status: number | null; text: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
    child.once("error", reject).once("close", (status) => resolve({ status, text }));
  });
}
