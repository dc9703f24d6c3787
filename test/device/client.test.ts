// The addon's client of a device process, without the library above it: full sockets, lost answers, gauges and clients that close meanwhile.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { binding, deviceExecutable, deviceSources } from "../../native/lib/binding.ts";
import { headerBytes, headerOffsets, Op } from "../../native/lib/commands.ts";
import { isBusy } from "../../native/lib/host.ts";
import { DeviceProcess } from "../../native/lib/process.ts";
import { launch, load } from "./records.ts";

const addon = deviceExecutable.replace("warpcell-device", "addon.node");
const clients: number[] = [];
afterEach(() => clients.splice(0).forEach((client) => binding.close(client)));

/** A client of its own for the CPU, closed after the test. */
function open(): number {
  const client = binding.open("cpu", 0, deviceExecutable);
  clients.push(client);
  expect(binding.wait(client, binding.request(client, Op.hello, [], 0), -1)).toBe("done");
  return client;
}

function fence(client: number): number {
  const record = new DataView(binding.scratch);
  record.setUint32(headerOffsets.bytes, headerBytes, true);
  record.setUint32(headerOffsets.op, Op.fence, true);
  return binding.submit(client, 0);
}

test("a mark behind more requests than a socket holds is reached, though nobody takes the answers", () => {
  // One that is being worked on while the socket fills: then one answer more comes than the socket holds.
  for (const count of [100, 277, 278, 279, 280, 281, 1000]) {
    const client = open();
    const first = binding.request(client, Op.compile, [`__global__ void k(int* p) { p[0] = ${count}; }`, "cell.cu", deviceSources, "k"], 0);
    const requests = Array.from({ length: count }, () => binding.request(client, Op.hello, [], 0));
    expect(binding.wait(client, fence(client), 20_000)).toBe("done");
    expect([first, ...requests].every((sequence) => binding.wait(client, sequence, -1) === "done" && binding.reply(client, sequence) !== null)).toBe(true);
  }
});

test("a message that cannot be sent is an error, and costs no earlier answer", () => {
  const source = `const binding = require(${JSON.stringify(addon)}); const fs = require("node:fs");
    const c = binding.open("cpu", 0, ${JSON.stringify(deviceExecutable)});
    binding.wait(c, binding.request(c, 8, [], 0), -1);
    const first = binding.request(c, 8, [], 0);
    const record = new DataView(binding.scratch); record.setUint32(0, 24, true); record.setUint32(4, 1, true);
    const mark = binding.submit(c, 0);
    while (binding.completed(c) < mark);   // unlike a wait, this leaves the answer unread
    const files = []; try { for (;;) files.push(fs.openSync("/dev/null")); } catch {}
    let said; try { binding.request(c, 8, [], 0); } catch (error) { said = error.message; }
    files.forEach((file) => fs.closeSync(file));
    console.log(JSON.stringify([said, binding.wait(c, first, 5000), binding.state(c)]));
    process.exit(0);`;
  const { stdout, stderr } = spawnSync("sh", ["-c", 'ulimit -n 64; exec "$0" -e "$1"', process.execPath, source], { encoding: "utf8", timeout: 20_000 });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual(["Expected to send a message to the device process but got: Too many open files.", "done", "running"]);
});

test("gauges come back though the process before was killed while it wrote them", async () => {
  const client = open();
  const gauges = () => binding.gauges().find((sample) => sample.client === client)!;
  await expect.poll(() => gauges().memoryTotal).toBeGreaterThan(0);

  // The control segment as the process was writing: an odd version before the figures, the first of which is known.
  const pid = binding.processId(client);
  process.kill(pid, "SIGSTOP");
  const control = openSync(`/proc/${pid}/fd/3`, "r+");
  const memory = Buffer.alloc(1 << 16);
  readSync(control, memory, 0, memory.length, 0);
  const total = Buffer.alloc(8);
  total.writeBigInt64LE(BigInt(gauges().memoryTotal!));
  const at = memory.indexOf(total) - 8;
  memory.writeBigUInt64LE(memory.readBigUInt64LE(at) | 1n, at);
  writeSync(control, memory, at, 8, at);
  closeSync(control);
  expect(gauges().memoryTotal).toBeNull();

  binding.kill(client);
  binding.restart(client);
  await expect.poll(() => gauges().memoryTotal, { timeout: 2000 }).toBeGreaterThan(0);
});

test("a program may open as many device processes as it likes, one after the other, and a number is never used again", () => {
  const first = open();
  let last = first;
  for (let i = 0; i < 4200; i++) {
    const next = binding.open("cpu", 0, "/bin/false");
    expect(next).toBeGreaterThan(last);
    last = next;
    binding.close(last);
  }
  expect(() => binding.state(first + 4096)).toThrow(/Expected an open device process but number \d+ is closed/);
  expect(binding.state(first)).toBe("running");
});

test("a device whose last launch has ended is not busy, though nobody has waited for it", async () => {
  const device = DeviceProcess.get("cpu");
  load(device, `extern "C" __global__ void nothing() {}`, ["nothing"], 900);
  device.synchronize();
  launch(device, { kernel: 900 });
  await expect.poll(isBusy).toBe(false);
  expect(binding.completed(device.client)).toBeLessThan(binding.submitted(device.client));
});

test("another thread may ask who is busy while clients open and close", async () => {
  DeviceProcess.get("cpu").synchronize();
  const host = new URL("../../native/dist/host.js", import.meta.url).href;
  const asking = `const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(host)}).then(({ isBusy }) => {
      parentPort.postMessage("ready");
      let end = false; parentPort.on("message", () => { end = true; });
      const ask = () => { for (let i = 0; i < 10_000; i++) isBusy(); if (end) parentPort.close(); else setImmediate(ask); };
      ask();
    });`;
  const worker = new Worker(asking, { eval: true });
  await once(worker, "message");
  const ended = once(worker, "exit");   // an error of the thread rejects it
  for (let i = 0; i < 2000; i++) binding.close(binding.open("cpu", 0, "/bin/false"));
  worker.postMessage("enough");
  await ended;
});
