// What a cell can do to the session it runs in, with the real one: every loop stops with its variables kept, every
// accident leaves a kernel that runs the next cell.
import { describe, expect, test } from "vitest";
import { next, openKernel, shown, type TestKernel } from "../helpers/kernel.ts";

const started = ({ client }: TestKernel) => next(client, ({ header }) => header.msg_type === "stream");

describe("an interrupt", () => {
  const loops: [name: string, code: string][] = [
    ["a loop", "for (;;);"],
    ["a loop that catches everything", "for (;;) { try { for (;;); } catch { 0; } }"],
    ["a pending await", "await new Promise(() => {})"],
    ["a microtask storm", "for (;;) await null"],
    ["a timer that is awaited", "await new Promise((resolve) => setTimeout(resolve, 60_000))"],
    ["Atomics.wait", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)"],
    ["a child process", 'require("node:child_process").execSync("sleep 60")'],
    ["a child process whose end is no error", 'require("node:child_process").spawnSync("sleep", ["60"])'],
    ["a slow regular expression", '/^(a+)+$/.test("a".repeat(60) + "b")'],
  ];

  test.each(loops)("stops %s and keeps the variables", async (_name, code) => {
    const kernel = await openKernel();
    const { client } = kernel;
    await client.execute("const kept = 41");
    const running = started(kernel);
    const cell = client.execute(`console.log("started"); ${code}`);
    await running;
    await client.request("control", "interrupt_request", {});
    // After 2 s the session would be killed, which has another name and costs the variables.
    expect((await cell).reply).toMatchObject({ status: "error", ename: "Interrupted" });
    expect(shown(await client.execute("kept + 1"))).toContainEqual(["execute_result", "42"]);
  });
});

describe("an accident", () => {
  const accidents: [name: string, code: string, variablesKept: boolean][] = [
    ["process.exit", "process.exit(3)", false],
    ["process.abort", "process.abort()", false],
    ["a segmentation fault", 'process.kill(process.pid, "SIGSEGV"); await new Promise(() => {})', false],
    ["an array that is too long", "new Array(2 ** 32)", true],
    ["a typed array that is too long", "new Uint8Array(2 ** 53)", true],
    ["endless recursion", "(function f(): void { f(); })()", true],
    [
      "an unhandled rejection",
      'Promise.reject(new Error("nobody")); await new Promise((resolve) => setTimeout(resolve, 20))',
      true,
    ],
    [
      "an error in a timer",
      'setTimeout(() => { throw new Error("late") }, 1); await new Promise((resolve) => setTimeout(resolve, 20))',
      true,
    ],
    [
      "poisoned prototypes",
      "JSON.stringify = () => { throw 1 }; (Object.prototype as any).type = 5; (Array.prototype as any).push = () => { throw 2 }; (Promise.prototype as any).then = undefined; 1",
      false,
    ],
    [
      "closed descriptors",
      'for (let fd = 0; fd <= 20; fd++) try { require("node:fs").closeSync(fd) } catch (error) { String(error) }',
      false,
    ],
    [
      "nonsense on the kernel's channel",
      'process.send!({ type: "nonsense" }); await new Promise((resolve) => setTimeout(resolve, 500))',
      false,
    ],
    [
      "nonsense on the events' pipe",
      'require("node:fs").writeSync(5, "nonsense, and more of it"); await new Promise((resolve) => setTimeout(resolve, 500))',
      false,
    ],
    [
      "nonsense on the agent's pipe",
      'require("node:fs").writeSync(4, "nonsense\\n"); await new Promise((resolve) => setTimeout(resolve, 500))',
      false,
    ],
  ];

  test.each(accidents)("of %s leaves a kernel that runs the next cell", async (_name, code, variablesKept) => {
    const { client } = await openKernel();
    await client.execute("globalThis.kept = 41");
    const { reply } = await client.execute(code);
    // The accident may also strike when the cell is over: one more cell may fail, with the reason.
    const after = await client.execute("1 + 1");
    if (after.reply["status"] !== "ok") expect(after.reply["ename"]).toBe("SessionEnded");
    expect(shown(await client.execute("1 + 1"))).toContainEqual(["execute_result", "2"]);
    if (variablesKept) expect(shown(await client.execute("globalThis.kept"))).toContainEqual(["execute_result", "41"]);
    else expect(["ok", "error"]).toContain(reply["status"]);
  });
});
