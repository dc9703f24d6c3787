// Code that is nested too deeply, by every request that reads code: the answer is an error, and neither the kernel nor
// the session ends.
import { expect, test } from "vitest";
import { openKernel, shown } from "../helpers/kernel.ts";

const deep: [name: string, code: string][] = [
  ["objects", "({a:".repeat(8000)],
  ["functions", "function f(){".repeat(8000)],
  ["braces", "{".repeat(30_000)],
  ["parentheses", `${"(".repeat(30_000)}1${")".repeat(30_000)}`],
  ["else if", `if (a) {}${" else if (a) {}".repeat(16_000)}`],
  ["arrows", `${"a=>".repeat(30_000)}1`],
  ["type arguments", `type T = ${"A<".repeat(30_000)}`],
  ["templates", "`${".repeat(30_000)],
];
const sentence =
  "The code is nested more than 1,000 levels deep here. Move a part of it into a function or a variable of its own.";

test("deep code is an error of the cell, of completion and of help, and no code that may run", async () => {
  const { client, kernel } = await openKernel();
  await client.execute("const kept = 7");
  for (const [name, code] of deep) {
    expect((await client.request("shell", "is_complete_request", { code })).reply, name).toEqual({ status: "invalid" });
    for (const type of ["complete_request", "inspect_request"]) {
      expect((await client.request("shell", type, { code, cursor_pos: code.length })).reply, name).toMatchObject({
        status: "error",
        ename: "CODE_TOO_DEEP",
        evalue: sentence,
      });
    }
    expect((await client.execute(code)).reply, name).toMatchObject({
      status: "error",
      ename: "SyntaxError",
      evalue: sentence,
    });
    expect(
      (await client.execute("1", { user_expressions: { deep: code } })).reply["user_expressions"],
      name,
    ).toMatchObject({ deep: { status: "error", evalue: sentence } });
  }
  expect(shown(await client.execute("kept"))).toContainEqual(["execute_result", "7"]);
  expect(kernel.child.exitCode).toBeNull();
});

const allowed: [name: string, code: string][] = [
  ["objects", `${"({a:".repeat(330)}1${"})".repeat(330)}; "ran"`],
  ["lists", `${"[".repeat(900)}1${"]".repeat(900)}; "ran"`],
  ["functions", `${"function f(){".repeat(900)}${"}".repeat(900)} "ran"`],
  ["else if", `const a = 0; if (a) {}${" else if (a) {}".repeat(450)}; "ran"`],
  ["arrows", `${"a=>".repeat(900)}1; "ran"`],
  ["terms", `1${" + 1".repeat(2000)}; "ran"`],
];

test("code that is as deep as can be runs", async () => {
  const { client } = await openKernel();
  for (const [name, code] of allowed) {
    expect((await client.request("shell", "is_complete_request", { code })).reply, name).toEqual({
      status: "complete",
    });
    expect(shown(await client.execute(code)), name).toContainEqual(["execute_result", "'ran'"]);
  }
});
