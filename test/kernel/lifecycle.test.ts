// A kernel's life: what a session's death costs, interrupts, shutdown, the parent's death, and a kernel that cannot
// start.
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { KernelClient, startKernel } from "../../kernel/client.ts";
import {
  descendants,
  fakeSession,
  kernelScript,
  next,
  openKernel,
  runs,
  shown,
  startSilently,
  streamText,
  until,
  type TestKernel,
} from "../helpers/kernel.ts";

const open = (env: Record<string, string> = {}) => openKernel({ env: { ...fakeSession, ...env } });

describe("a session that dies", () => {
  const deaths: [verb: string, sentence: RegExp][] = [
    [
      "exit 3",
      /^The session ended: process\.exit\(3\)\. Its variables are lost; the next cell starts with fresh ones\.$/,
    ],
    ["exit 0", /process\.exit\(0\)/],
    ["die SIGSEGV", /SIGSEGV, an invalid memory access in native code/],
    ["die SIGABRT", /SIGABRT, an abort/],
    ["die SIGKILL", /SIGKILL, as when the machine is out of memory/],
    ["fillHeap", /JavaScript ran out of heap memory/],
  ];

  test.each(
    deaths,
  )("by %s fails its cell with the reason and its last output; the next cell runs", async (verb, sentence) => {
    const { client } = await open({ NODE_OPTIONS: "--max-old-space-size=32" });
    const died = await client.execute(`print before\nnative before too\n${verb}`);
    expect(died.reply).toMatchObject({
      status: "error",
      ename: "SessionEnded",
      execution_count: 1,
      evalue: expect.stringMatching(sentence),
    });
    expect(streamText(died.outputs, "stdout")).toContain("before\n");
    expect(streamText(died.outputs, "stdout")).toContain("before too\n");
    expect(died.outputs.filter(({ header }) => header.msg_type === "error")).toHaveLength(1);

    const after = await client.execute("alive");
    expect(after.reply).toMatchObject({ status: "ok", execution_count: 2 });
    expect((await client.request("shell", "history_request", {})).reply["history"]).toHaveLength(2);
  });

  test("while no cell runs is told under the last cell", async () => {
    const { client } = await open();
    const told = next(
      client,
      ({ header, content }) => header.msg_type === "stream" && String(content["text"]).includes("process.exit(4)"),
    );
    await client.execute("exitLater 4");
    expect((await told).content["name"]).toBe("stderr");
    expect((await client.execute("alive")).reply["status"]).toBe("ok");
  });

  test("before it was ready fails the cell, and is tried again by the next", async () => {
    const { client } = await openKernel({ env: { WARPCELL_SESSION: "/nonexistent/session.js" } });
    for (const count of [1, 2]) {
      const { reply } = await client.execute("x");
      expect(reply).toMatchObject({
        status: "error",
        ename: "SessionNotStarted",
        execution_count: count,
        evalue: expect.stringContaining("could not start"),
      });
    }
  });
});

describe("interrupt", () => {
  const interrupt = ({ client }: TestKernel) => client.request("control", "interrupt_request", {});

  test("of a waiting cell fails it, and the session lives", async () => {
    const kernel = await open();
    await kernel.client.execute("remember 7");
    const started = next(kernel.client, ({ header }) => header.msg_type === "stream");
    const cell = kernel.client.execute("print waiting\nwait");
    await started;
    expect((await interrupt(kernel)).reply).toEqual({ status: "ok" });
    expect((await cell).reply).toMatchObject({ status: "error", evalue: "Interrupted" });
    expect(shown(await kernel.client.execute("recall"))).toContainEqual(["execute_result", "7"]);
  });

  test("while idle is answered at once and changes nothing", async () => {
    const kernel = await open();
    await kernel.client.execute("remember 7");
    expect((await interrupt(kernel)).reply).toEqual({ status: "ok" });
    expect(shown(await kernel.client.execute("recall"))).toContainEqual(["execute_result", "7"]);
  });

  test("of a cell that does not listen ends the session after 2 s and says so", async () => {
    const kernel = await open();
    const started = next(kernel.client, ({ header }) => header.msg_type === "stream");
    const cell = kernel.client.execute("print spinning\nspin");
    await started;
    let isOver = false;
    void cell.then(() => {
      isOver = true;
    });
    await interrupt(kernel);
    expect(isOver).toBe(false);
    expect((await cell).reply).toMatchObject({
      status: "error",
      evalue: expect.stringContaining("did not stop within 2 s of the interrupt"),
    });
    expect((await kernel.client.execute("alive")).reply["status"]).toBe("ok");
  });

  test("comes by SIGINT too", async () => {
    const { client, kernel } = await open();
    const started = next(client, ({ header }) => header.msg_type === "stream");
    const cell = client.execute("print waiting\nwait");
    await started;
    kernel.child.kill("SIGINT");
    expect((await cell).reply).toMatchObject({ status: "error", evalue: "Interrupted" });
    expect((await client.execute("alive")).reply["status"]).toBe("ok");
  });
});

describe("while a cell spins", () => {
  test("heartbeats, kernel_info and history are answered, and the last status seen is busy", async () => {
    const { client } = await open();
    await client.execute("first");
    const started = next(client, ({ header }) => header.msg_type === "stream");
    const states: [string, unknown][] = [];
    client.listen((_channel, { header, parent, content }) => {
      if (header.msg_type === "status") states.push([String(parent.msg_type), content["execution_state"]]);
    });
    void client
      .execute("print spinning\nspin")
      .catch((error: Error) => expect(error.message).toContain("the client was closed"));
    await started;
    for (let beat = 0; beat < 20; beat++) await client.heartbeat(60_000);
    expect((await client.request("shell", "kernel_info_request", {})).reply["status"]).toBe("ok");
    expect((await client.request("shell", "history_request", {})).reply["history"]).toEqual([[1, 1, "first"]]);
    // The answer's own end was heard before its reply was given out; then comes the word that the cell still runs.
    await until(() => states.at(-1)?.[0] === "execute_request");
    expect(states.slice(-3)).toEqual([
      ["history_request", "busy"],
      ["history_request", "idle"],
      ["execute_request", "busy"],
    ]);
  });
});

describe("shutdown", () => {
  test.each([{ restart: false }, { restart: true }])("%o is answered, copied to iopub, and leaves no process", async ({
    restart,
  }) => {
    const { client, kernel } = await open();
    const session = Number(shown(await client.execute("pid")).find(([type]) => type === "execute_result")?.[1]);
    const copy = next(client, ({ header }, channel) => channel === "iopub" && header.msg_type === "shutdown_reply");
    expect((await client.request("control", "shutdown_request", { restart })).reply).toEqual({
      status: "ok",
      restart,
    });
    expect((await copy).content).toEqual({ status: "ok", restart });
    expect(await kernel.ended).toBe(0);
    expect(await runs(session)).toBe(false);
  });

  test("waits until output that is on its way has left", async () => {
    const { client, kernel } = await openKernel();
    const answer = client.execute(
      'const big = new Uint8Array(32 << 20).fill(7); for (let i = 0; i < 2; i++) display("big", { buffers: [big] });',
    );
    await next(client, ({ header }, channel) => channel === "shell" && header.msg_type === "execute_reply");
    const copy = next(client, ({ header }, channel) => channel === "iopub" && header.msg_type === "shutdown_reply");
    await client.request("control", "shutdown_request", { restart: false });
    expect(
      (await answer).outputs
        .flatMap(({ buffers }) => buffers)
        .map((buffer) => Buffer.from(buffer).equals(Buffer.alloc(32 << 20, 7))),
    ).toEqual([true, true]);
    expect((await copy).content).toEqual({ status: "ok", restart: false });
    expect(await kernel.ended).toBe(0);
  });

  test("works while a cell spins", async () => {
    const { client, kernel } = await open();
    const started = next(client, ({ header }) => header.msg_type === "stream");
    void client
      .execute("print spinning\nspin")
      .catch((error: Error) => expect(error.message).toContain("the client was closed"));
    await started;
    await client.request("control", "shutdown_request", { restart: false });
    expect(await kernel.ended).toBe(0);
  });

  test.each([
    { restart: false },
    { restart: true },
  ])("%o ends the running cell and those behind it for their clients: each is answered, and idle", async ({
    restart,
  }) => {
    const { client, kernel } = await open();
    const states = new Map<string | undefined, unknown>();
    client.listen((_channel, { header, parent, content }) => {
      if (header.msg_type === "status") states.set(parent.msg_id, content["execution_state"]);
    });
    const started = next(client, ({ header }) => header.msg_type === "stream");
    const answers = [
      client.execute("print spinning\nspin"),
      client.execute("never"),
      client.execute("never", { stop_on_error: false }),
    ];
    await started;
    await client.request("control", "shutdown_request", { restart });
    const [running, ...waiting] = await Promise.all(answers);
    expect(running!.reply).toMatchObject({
      status: "error",
      ename: "SessionEnded",
      evalue: "The session ended: the kernel was shut down. Its variables are lost.",
    });
    expect(waiting.map(({ reply, outputs }) => [reply["status"], outputs])).toEqual([
      ["aborted", []],
      ["aborted", []],
    ]);
    expect([...states.values()].filter((state) => state !== "idle")).toEqual([]);
    expect(await kernel.ended).toBe(0);
  });
});

describe("the parent's death", () => {
  const cells: [name: string, env: Record<string, string>, code: string][] = [
    ["a cell that waits", {}, "await new Promise(() => {})"],
    ["a cell that spins", {}, "for (;;);"],
    ["a session that does not notice", fakeSession, "spin"],
  ];

  test.each(cells)("by kill -9 during %s ends every process of the kernel", async (_name, env, code) => {
    // A launcher between this test and the kernel: what is killed.
    const own = await startKernel({ env }, fileURLToPath(new URL("../helpers/launcher.mjs", import.meta.url)));
    onTestFinished(() => own.dispose());
    const client = new KernelClient(own.connection);
    onTestFinished(() => client.close());
    await client.ready();
    // The supervisor and the session at least; with the real one the type service and a device process too.
    const expected = env === fakeSession ? 2 : 4;
    await client.execute(env === fakeSession ? "1" : 'import { zeros } from "warpcell"; zeros([1])');
    await until(() => descendants(own.child.pid!).length >= expected);
    const started = next(client, ({ header }) => header.msg_type === "stream");
    void client
      .execute(env === fakeSession ? `print started\n${code}` : `console.log("started"); ${code}`)
      .catch((error: Error) => expect(error.message).toContain("the client was closed"));
    await started;

    const processes = descendants(own.child.pid!);
    expect(processes.length).toBeGreaterThanOrEqual(expected);
    own.child.kill("SIGKILL");
    await until(async () => !(await Promise.all(processes.map(runs))).includes(true));
  });

  test("by kill -9 of the kernel alone ends its session and what its cells have started", async () => {
    const { client, kernel } = await openKernel();
    const started = shown(
      await client.execute(
        'const { spawn } = require("node:child_process"); [spawn("sleep", ["1000"]).pid, spawn("sh", ["-c", "sleep 1000 & wait"]).pid].join()',
      ),
    );
    const children = String(started.find(([type]) => type === "execute_result")?.[1])
      .replaceAll("'", "")
      .split(",")
      .map(Number);
    // The shell has started its own.
    await until(() => descendants(children[1]!).length === 1);
    // One that the main thread waits for.
    const waits = next(client, ({ header }) => header.msg_type === "stream");
    void client
      .execute('console.log("waits"); require("node:child_process").execSync("sleep 1000")')
      .catch((error: Error) => expect(error.message).toContain("the client was closed"));
    await waits;
    const session = descendants(kernel.child.pid!).find((pid) => descendants(pid).includes(children[0]!))!;
    await until(() => descendants(session).length >= 4);
    const processes = [session, ...descendants(session)];
    expect(processes).toEqual(expect.arrayContaining(children));
    kernel.child.kill("SIGKILL");
    await until(async () => !(await Promise.all(processes.map(runs))).includes(true));
  });

  test("by kill -9 before the kernel has started ends it too", async () => {
    const directory = mkdtempSync(join(tmpdir(), "warpcell-test-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const client = new URL("../../kernel/dist/client.js", import.meta.url).href;
    const program = `import { writeSync } from "node:fs"; import { startKernel } from ${JSON.stringify(client)};
      const { child } = await startKernel({ stderr: "pipe" }, ${JSON.stringify(kernelScript)}); writeSync(1, String(child.pid)); process.kill(process.pid, "SIGKILL");`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...fakeSession, TMPDIR: directory },
    });
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.setEncoding("utf8").once("data", (text: string) => resolve(Number(text))),
    );
    expect(pid).toBeGreaterThan(1);
    onTestFinished(async () => {
      if (await runs(pid)) process.kill(pid, "SIGKILL");
    });
    await until(async () => !(await runs(pid)));
  });
});

describe("a kernel that cannot start", () => {
  async function start(words: readonly string[]): Promise<{ status: number | null; stderr: string }> {
    const child = spawn(process.execPath, [kernelScript, ...words], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...fakeSession },
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { status, stderr };
  }

  const valid = {
    transport: "tcp",
    ip: "127.0.0.1",
    shell_port: 1,
    control_port: 2,
    stdin_port: 3,
    iopub_port: 4,
    hb_port: 5,
    key: "k",
    signature_scheme: "hmac-sha256",
  };
  const files: [name: string, text: string, sentence: RegExp][] = [
    ["is empty", "", /The connection file .* is empty\./],
    ["is not JSON", "{", /The connection file .* is not JSON \(/],
    ["is an array", "[]", /The connection file .* must have a JSON object, but has an array\./],
    [
      "has no ip",
      JSON.stringify({ ...valid, ip: undefined }),
      /"ip" in .* must be an address or, for ipc, a path, but is nothing\./,
    ],
    [
      "has another transport",
      JSON.stringify({ ...valid, transport: "udp" }),
      /"transport" in .* must be "tcp" or "ipc", but is "udp"\./,
    ],
    [
      "has a port that is text",
      JSON.stringify({ ...valid, hb_port: "5" }),
      /"hb_port" in .* must be a port from 1 to 65535, but is "5"\./,
    ],
    [
      "has a port that is too high",
      JSON.stringify({ ...valid, shell_port: 70000 }),
      /"shell_port" in .* must be .*, but is 70000\./,
    ],
    [
      "has a port twice",
      JSON.stringify({ ...valid, hb_port: 1 }),
      /The five ports in .* must differ, but "hb_port" repeats 1\./,
    ],
    ["has a key that is a number", JSON.stringify({ ...valid, key: 5 }), /"key" in .* must be a string, but is 5\./],
    [
      "has another signature scheme",
      JSON.stringify({ ...valid, signature_scheme: "md5" }),
      /"signature_scheme" in .* must be .*, but is "md5"\./,
    ],
  ];

  test.each(files)("because its connection file %s says so in one sentence", async (_name, text, sentence) => {
    const directory = mkdtempSync(join(tmpdir(), "warpcell-test-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, "connection.json");
    writeFileSync(file, text, { mode: 0o600 });
    const { status, stderr } = await start([file]);
    expect(status).toBe(1);
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("because there is no connection file says so", async () => {
    expect(await start(["/nonexistent/connection.json"])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/The connection file .* cannot be read: ENOENT/),
    });
  });

  test("because a port is in use names it, and leaves nothing running", async () => {
    const kernel = await startKernel({ transport: "tcp", stderr: "pipe" }, "/dev/null");
    onTestFinished(() => kernel.dispose());
    await kernel.ended;
    const port = kernel.connection.ports.stdin;
    const server = createServer();
    await new Promise<void>((resolve, reject) => void server.once("error", reject).listen(port, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { status, stderr } = await start([kernel.connectionFile]);
    expect(status).toBe(1);
    expect(stderr).toContain(`Another program uses tcp://127.0.0.1:${port} (stdin).`);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("a connection file that others can read is a warning", async () => {
    const kernel = await startKernel({ stderr: "pipe", env: fakeSession }, "/dev/null");
    onTestFinished(() => kernel.dispose());
    await kernel.ended;
    chmodSync(kernel.connectionFile, 0o644);
    const child = spawn(process.execPath, [kernelScript, kernel.connectionFile], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...fakeSession },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    await until(() => /can be read by other users, who can then run code here: chmod 600 it\./.test(stderr));
  });
});

test("a kernel says that it is starting, once it can be heard", async () => {
  const kernel = await startSilently({ env: fakeSession });
  expect((await kernel.client.ready())["banner"]).toMatch(/^Warpcell \d/);
});
