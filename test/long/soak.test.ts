// The same things very many times: cells, outputs, interrupts, faults and deaths, with memory, descriptors and
// processes counted before and after.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openKernel, runs, streamText, until, type TestKernel } from "../helpers/kernel.ts";

const residentMiB = (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
const descriptors = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

async function say({ client }: TestKernel, code: string): Promise<string> {
  const { reply, outputs } = await client.execute(code);
  const text = streamText(outputs, "stdout");
  expect(reply["status"], JSON.stringify(reply)).toBe("ok");
  return text;
}

const sessionOf = async (opened: TestKernel) => Number(await say(opened, "console.log(process.pid)"));

test("20,000 cells: memory and descriptors of both processes settle", async () => {
  // What is kept is measured, not what the collector has yet to look at: by default that is up to 50 MiB in each
  // process.
  const opened = await openKernel({ env: { NODE_OPTIONS: "--max-semi-space-size=2" } });
  const session = await sessionOf(opened);
  const supervisor = opened.kernel.child.pid!;
  await say(
    opened,
    `require("node:v8").setFlagsFromString("--expose-gc"); globalThis.collect = require("node:vm").runInNewContext("gc")`,
  );
  const measure = async () => {
    await say(opened, "collect(); collect()");
    return {
      memory: residentMiB(session) + residentMiB(supervisor),
      open: descriptors(session) + descriptors(supervisor),
    };
  };
  for (let i = 0; i < 5_000; i++) await say(opened, "let a = 1; console.log(a)");
  const before = await measure();
  for (let i = 0; i < 15_000; i++) await say(opened, "let a = 1; console.log(a)");
  const after = await measure();
  console.log(`15,000 cells: both processes grew by ${(after.memory - before.memory).toFixed(1)} MiB`);
  expect(after.open).toBeLessThanOrEqual(before.open);
  expect(after.memory - before.memory).toBeLessThan(64);
});

test("1,000 cells of 1,000 lines: every line arrives, in order, before idle", async () => {
  const opened = await openKernel();
  const expected = Array.from({ length: 1000 }, (_, i) => `${i}\n`).join("");
  for (let i = 0; i < 1000; i++)
    expect(await say(opened, "for (let i = 0; i < 1000; i++) console.log(i)")).toBe(expected);
});

describe("interrupts", () => {
  // Each would run for ever.
  const endless = {
    "a loop": "while (true) {}",
    "a promise": "await new Promise(() => {})",
    microtasks: "for (;;) await null",
    "Atomics.wait": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
  };
  test.each(Object.entries(endless))("of %s, 100 times: variables stay", async (_, code) => {
    const opened = await openKernel();
    await say(opened, "let kept = 42");
    for (let i = 0; i < 100; i++) {
      // Pressed three times, as people do.
      const press = () => [1, 2, 3].forEach(() => void opened.client.request("control", "interrupt_request", {}));
      const running = opened.client.execute(`console.log("begun"); ${code}`, {}, ({ header }) => {
        if (header.msg_type === "stream") press();
      });
      expect((await running).reply["status"]).toBe("error");
      expect(await say(opened, "console.log(kept)")).toBe("42\n");
    }
  });
});

describe("the device", () => {
  test("100 faults and 50 killed kernels: arrays and kernels stay, no process is left", async () => {
    const opened = await openKernel();
    await say(
      opened,
      `import { arange, synchronize } from "warpcell"; const kept = arange(1 << 16, { dtype: "float32" }); console.log(kept.item ? "ok" : "")`,
    );
    const compiled = await opened.client.execute(
      `%%cuda\n__global__ void wild(float* x) { x[1ll << 44] = 1; }\n__global__ void spin(volatile int* x) { while (true) { if (x[0] == -7) break; } }`,
    );
    expect(compiled.reply["status"]).toBe("ok");
    await say(opened, `const flag = arange(1, { dtype: "int32" })`);
    const session = await sessionOf(opened);
    const open = descriptors(session);
    for (let i = 0; i < 150; i++) {
      const fault = i % 3 !== 0;
      const running = fault
        ? opened.client.execute("wild.launch({ grid: 1, block: 1 }, kept)")
        : opened.client.execute(`spin.launch({ grid: 1, block: 1 }, flag); console.log("begun")`, {}, ({ header }) => {
            if (header.msg_type === "stream") void opened.client.request("control", "interrupt_request", {});
          });
      const { reply } = await running;
      expect(reply["status"]).toBe("error");
      expect(reply["ename"]).toBe(fault ? "DeviceFault" : "InterruptedError");
      expect(await say(opened, "console.log(kept.sum().item())")).toBe(`${((1 << 16) * ((1 << 16) - 1)) / 2}\n`);
    }
    expect(descriptors(session)).toBeLessThanOrEqual(open + 2);
  });
});

test("20 kernels whose parent is killed leave nothing running after 2 s", async () => {
  for (let i = 0; i < 20; i++) {
    const opened = await openKernel();
    const pids = [await sessionOf(opened)];
    await opened.client.execute(`import { zeros } from "warpcell"; zeros([4]).toArray()`);
    const children = (pid: number) =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
    pids.push(...children(opened.kernel.child.pid!), ...children(pids[0]!));
    if (i % 2 === 0)
      void opened.client.execute("while (true) {}").catch((error: Error) => expect(error.message).toContain("closed"));
    const killed = performance.now();
    opened.kernel.child.kill("SIGKILL");
    for (const pid of new Set(pids)) await until(async () => !(await runs(pid)));
    expect(performance.now() - killed).toBeLessThan(2000);
  }
});
