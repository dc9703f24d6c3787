// Cells that print without end: output flows while they run, memory stays small however slow the reader is, and an
// interrupt keeps the variables.
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { Subscriber } from "zeromq";
import { address } from "../../kernel/supervisor/connection.ts";
import { descendants, next, openKernel, shown, until, type TestKernel } from "../helpers/kernel.ts";

const MiB = 1 << 20;

/** Resident memory of the kernel's two Node processes by their number, in bytes. */
function memoryOf({ kernel }: TestKernel): Map<number, number> {
  const statuses = [kernel.child.pid!, ...descendants(kernel.child.pid!)].map(
    (pid) => [pid, readFileSync(`/proc/${pid}/status`, "utf8")] as const,
  );
  return new Map(
    statuses
      .filter(([, status]) => /^Name:\s+node/.test(status))
      .map(([pid, status]) => [pid, Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) * 1024]),
  );
}

/** The most that one process has grown. */
function growth(before: Map<number, number>, after: Map<number, number>): number {
  return Math.max(...[...after].map(([pid, bytes]) => bytes - (before.get(pid) ?? 0)));
}

/** Resolves when this much text has come. */
function textOf({ client }: TestKernel, length: number): Promise<unknown> {
  let seen = 0;
  return next(
    client,
    ({ header, content }) => header.msg_type === "stream" && (seen += String(content["text"]).length) >= length,
  );
}

/** A kernel that has printed before and waits for nothing any more. */
async function warmKernel(): Promise<TestKernel> {
  const opened = await openKernel({ env: { WARPCELL_DEVICE: "cpu" } });
  await opened.client.execute(
    'import { ones } from "warpcell"; const kept = ones([1]).toArray()[0] + 40; for (let i = 0; i < 2000; i++) console.log("x".repeat(1000))',
  );
  return opened;
}

/** Another client, which never reads. */
async function subscribeAndStop({ client, kernel }: TestKernel): Promise<void> {
  const stopped = new Subscriber({ receiveHighWaterMark: 1, linger: 0 });
  onTestFinished(() => stopped.close());
  const welcomed = next(client, ({ header }) => header.msg_type === "iopub_welcome");
  stopped.subscribe();
  stopped.connect(address(kernel.connection, "iopub"));
  await welcomed;
}

const printers: [name: string, code: string, length: number][] = [
  ["console.log", 'for (;;) console.log("x".repeat(1000))', 80 * MiB],
  ["console.log that is caught", 'for (;;) try { console.log("x".repeat(1000)) } catch { continue }', 20 * MiB],
  ["console.log and console.error in turn", 'for (;;) { console.log("x".repeat(1000)); console.error("y") }', 2 * MiB],
  [
    "a child process",
    'require("node:child_process").spawnSync("yes", ["x".repeat(1000)], { stdio: "inherit" })',
    80 * MiB,
  ],
];

test.each(printers)(
  "by %s",
  async (_name, code, length) => {
    const opened = await warmKernel();
    const { client } = opened;
    const before = memoryOf(opened);
    const cell = client.execute(code);
    await textOf(opened, length);
    expect(growth(before, memoryOf(opened))).toBeLessThan(64 * MiB);
    await client.request("control", "interrupt_request", {});
    // After 2 s the session would be killed, which has another name and costs the variables.
    expect((await cell).reply).toMatchObject({ status: "error", ename: "Interrupted" });
    expect(shown(await client.execute("kept"))).toContainEqual(["execute_result", "41"]);
  },
  60_000,
);

test("to a client that does not read", async () => {
  const opened = await warmKernel();
  const { client } = opened;
  await subscribeAndStop(opened);

  const before = memoryOf(opened);
  const cell = client.execute('for (;;) console.log("x".repeat(1000))');
  // It is waited for, with its queue full, and in the end no longer: the other client gets all, and the kernel keeps
  // none of it.
  await until(() =>
    opened
      .stderr()
      .includes(
        "a client has not read its output for 5 s. It misses what is sent until it reads again; other clients get everything.",
      ),
  );
  await textOf(opened, 40 * MiB);
  expect(growth(before, memoryOf(opened))).toBeLessThan(64 * MiB);
  await client.request("control", "interrupt_request", {});
  expect((await cell).reply).toMatchObject({ status: "error", ename: "Interrupted" });
  expect(shown(await client.execute("kept"))).toContainEqual(["execute_result", "41"]);
}, 60_000);

test("an interrupt reaches a cell that waits for a reader", async () => {
  const opened = await warmKernel();
  const { client } = opened;
  await subscribeAndStop(opened);
  const cell = client.execute('for (;;) console.log("x".repeat(1000))');
  // The queue of the stopped client takes 8 messages, its own sockets a few more.
  await textOf(opened, 8 * MiB);
  await client.request("control", "interrupt_request", {});
  expect((await cell).reply).toMatchObject({ status: "error", ename: "Interrupted" });
  expect(shown(await client.execute("kept"))).toContainEqual(["execute_result", "41"]);
}, 60_000);
