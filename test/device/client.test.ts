// The addon's client of a device process, without the library above it: full sockets, lost answers, gauges and clients
// that close meanwhile.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { binding, deviceExecutable, deviceSources } from "../../native/lib/wire/binding.ts";
import { headerBytes, headerOffsets, Op } from "../../native/lib/wire/commands.ts";
import { requestFields } from "../../native/lib/wire/messages.ts";
import { isBusy } from "../../native/lib/host.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";
import { launch, load } from "./records.ts";

const sources = deviceSources.replace(/device\/$/, "");
const addon = deviceExecutable.replace("warpcell-device", "addon.node");
const clients: number[] = [];
afterEach(() => clients.splice(0).forEach((client) => binding.close(client)));

/** A client of its own for the CPU, closed after the test. */
function open(): number {
  const client = binding.open("cpu", 0, deviceExecutable);
  clients.push(client);
  expect(binding.wait(client, 0, binding.request(client, Op.hello, [], 0), -1)).toBe("done");
  return client;
}

function fence(client: number): number {
  const record = new DataView(binding.room(client));
  record.setUint32(headerOffsets.bytes, headerBytes, true);
  record.setUint32(headerOffsets.op, Op.fence, true);
  return binding.submit(client);
}

test("a mark behind more requests than a socket holds is reached, though nobody takes the answers", () => {
  // One that is being worked on while the socket fills: then one answer more comes than the socket holds.
  for (const count of [100, 277, 278, 279, 280, 281, 1000]) {
    const client = open();
    const first = binding.request(
      client,
      Op.compile,
      [`__global__ void k(int* p) { p[0] = ${count}; }`, "cell.cu", deviceSources, "k"],
      0,
    );
    const requests = Array.from({ length: count }, () => binding.request(client, Op.hello, [], 0));
    expect(binding.wait(client, 0, fence(client), 20_000)).toBe("done");
    expect(
      [first, ...requests].every(
        (sequence) => binding.wait(client, 0, sequence, -1) === "done" && binding.reply(client, sequence) !== null,
      ),
    ).toBe(true);
  }
});

test("a message that cannot be sent is an error, and costs no earlier answer", () => {
  const source = `const binding = require(${JSON.stringify(addon)}); const fs = require("node:fs");
    const c = binding.open("cpu", 0, ${JSON.stringify(deviceExecutable)});
    binding.wait(c, 0, binding.request(c, 8, [], 0), -1);
    const first = binding.request(c, 8, [], 0);
    const record = new DataView(binding.room(c)); record.setUint32(0, 24, true); record.setUint32(4, 1, true);
    const mark = binding.submit(c);
    while (binding.completed(c, 0) < mark);   // unlike a wait, this leaves the answer unread
    const files = []; try { for (;;) files.push(fs.openSync("/dev/null")); } catch {}
    let said; try { binding.request(c, 8, [], 0); } catch (error) { said = error.message; }
    files.forEach((file) => fs.closeSync(file));
    console.log(JSON.stringify([said, binding.wait(c, 0, first, 5000), binding.state(c)]));
    process.exit(0);`;
  const { stdout, stderr } = spawnSync("sh", ["-c", 'ulimit -n 64; exec "$0" -e "$1"', process.execPath, source], {
    encoding: "utf8",
    timeout: 20_000,
  });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual([
    "Could not send a message to the device process: Too many open files.",
    "done",
    "running",
  ]);
});

test("an interrupt ends a restart whose new process never answers, and does not disturb one that does", () => {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-silent-"));
  const executable = join(folder, "device");
  writeFileSync(executable, `#!/bin/sh\nexec ${deviceExecutable} "$@"\n`, { mode: 0o755 });
  const client = binding.open("cpu", 0, executable);
  clients.push(client);
  try {
    binding.interrupt();
    binding.kill(client);
    expect(binding.restart(client)).toBe(0);

    writeFileSync(executable, "#!/bin/sh\nexec sleep 60\n");
    binding.kill(client);
    expect(() => binding.restart(client)).toThrow(/the device process ended at its start \(interrupted\)/);
  } finally {
    binding.clearInterrupt();
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ["launch", Op.launch, 64],
  ["copy", Op.copy, 48],
  ["fill", Op.fill, 56],
  ["segment_release", Op.segment_release, 32],
  ["module_unload", Op.module_unload, 32],
])("a %s that is too short for its command is refused, and what lies behind it is not read", (_, op, bytes) => {
  const client = open();
  const record = new DataView(binding.room(client));
  record.setUint32(headerOffsets.bytes, headerBytes, true);
  record.setUint32(headerOffsets.op, op, true);
  const sequence = binding.submit(client);
  expect(binding.flights(client, sequence, sequence)).toEqual([]);
  expect(binding.wait(client, 0, fence(client), -1)).toBe("error");
  expect(binding.errors(client)).toMatchObject([
    {
      sequence,
      fatal: false,
      code: "PROTOCOL",
      text: `The record of command ${op} must have ${bytes} bytes or more, but has ${headerBytes}.`,
    },
  ]);
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
  await expect.poll(() => gauges().memoryTotal).toBeGreaterThan(0);
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
  expect(() => binding.state(first + 4096)).toThrow(/Device process \d+ is closed/);
  expect(binding.state(first)).toBe("running");
});

test("a device whose last launch has ended is not busy, though nobody has waited for it", async () => {
  const device = DeviceProcess.get("cpu");
  load(device, `extern "C" __global__ void nothing() {}`, ["nothing"], 900);
  device.synchronize();
  launch(device, { kernel: 900 });
  await expect.poll(isBusy).toBe(false);
  expect(binding.completed(device.client, 0)).toBeLessThan(binding.submitted(device.client, 0));
});

test("a device that has answered all it was asked is not busy, though nobody has waited for it", () => {
  const device = DeviceProcess.get("cpu");
  device.synchronize();
  const greeting = (): number => {
    const sequence = binding.request(device.client, Op.hello, [], 0);
    expect(device.isBusy).toBe(true);
    expect([binding.wait(device.client, 0, sequence, -1), binding.reply(device.client, sequence)]).toMatchObject([
      "done",
      expect.anything(),
    ]);
    return sequence;
  };
  for (let i = 0; i < 3; i++) {
    greeting();
    expect([device.isBusy, isBusy()]).toEqual([false, false]);
  }
  // What is behind an answer says nothing of what is asked later.
  binding.request(device.client, Op.hello, [], 0);
  greeting();
  expect(device.isBusy).toBe(true);
  device.synchronize();
  expect([device.isBusy, isBusy()]).toEqual([false, false]);
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
  const ended = once(worker, "exit"); // an error of the thread rejects it
  for (let i = 0; i < 300; i++) binding.close(binding.open("cpu", 0, "/bin/false"));
  worker.postMessage("enough");
  await ended;
});

test("a thread that is ended in the midst of a call takes nothing else with it", () => {
  const calls = `const { parentPort } = require("node:worker_threads"); const binding = require(${JSON.stringify(addon)});
    const c = binding.open("cpu", 0, ${JSON.stringify(deviceExecutable)});
    binding.wait(c, 0, binding.request(c, 8, [], 0), -1);
    const place = binding.allocate(c, 0, 0, 1024, true);
    const record = new DataView(binding.room(c));
    parentPort.postMessage("ready");
    for (;;) {
      binding.gauges(); binding.memory(c); binding.errors(c); binding.part(c, place, 1024); binding.watch({}); binding.disown(c, binding.own(c, 0, 64, {}, true, 0)); binding.collected();
      record.setUint32(0, 24, true); record.setUint32(4, 1, true); binding.waitAsync(c, 0, binding.submit(c));
      const asked = binding.request(c, 8, [], 0); binding.wait(c, 0, asked, -1); binding.reply(c, asked);
      try { binding.part(c, -1, 1); } catch (error) { if (error.code !== "ARGUMENT") throw error; }
    }`;
  const source = `const { Worker } = require("node:worker_threads"); const { once } = require("node:events");
    (async () => {
      for (let i = 0; i < 40; i++) { const worker = new Worker(${JSON.stringify(calls)}, { eval: true }); await once(worker, "message"); await worker.terminate(); }
      console.log("whole");
    })();`;
  const { stdout, stderr, signal } = spawnSync(process.execPath, ["-e", source], { encoding: "utf8", timeout: 60_000 });
  expect([stdout, stderr, signal]).toEqual(["whole\n", "", null]);
});

describe("in a container with a limit", () => {
  const group = mkdtempSync(join(tmpdir(), "warpcell-group-"));
  afterAll(() => rmSync(group, { recursive: true }));
  const inGroup = ["-rm", "sh", "-c", `mount --bind ${group} /sys/fs/cgroup && exec "$@"`, "sh"];

  // The files of a control group, which only a name space of one's own lets us lay over the system's.
  test.runIf(spawnSync("unshare", [...inGroup, "true"]).status === 0).each([
    ["file cache that nobody reads is memory that is left", 2 ** 20, 1_900_000_000, "a place"],
    ["what processes hold is not", 2 ** 20, 1000, "none"],
    ["a sixteenth of all is left to others", 150 * 2 ** 20, 0, "none"],
    ["what is beyond it is not", 220 * 2 ** 20, 0, "a place"],
  ])("%s", (_, left, inactive, expected) => {
    writeFileSync(join(group, "memory.max"), `${2 ** 31}\n`);
    writeFileSync(join(group, "memory.current"), `${2 ** 31 - left}\n`);
    writeFileSync(
      join(group, "memory.stat"),
      `anon 100\nfile 1900000000\ninactive_file ${inactive}\nactive_file 100\n`,
    );
    const source = `const binding = require(${JSON.stringify(addon)}); const c = binding.open("cpu", 0, ${JSON.stringify(deviceExecutable)});
      console.log(binding.allocate(c, 0, 0, 64 << 20, true) >= 0 ? "a place" : "none"); process.exit(0);`;
    const { stdout, stderr } = spawnSync("unshare", [...inGroup, process.execPath, "-e", source], {
      encoding: "utf8",
      timeout: 20_000,
    });
    expect([stdout.trim(), stderr]).toEqual([expected, ""]);
  });
});

describe("a device process that answers", () => {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-liar-"));
  const liar = join(folder, "liar");
  afterAll(() => rmSync(folder, { recursive: true }));

  // Answers command 1 with what its second argument, the device's index, chooses, then with an "ok" to the next.
  beforeAll(() => {
    writeFileSync(
      `${liar}.cc`,
      `
      #include "${sources}protocol/packet.h"
      #include "${sources}protocol/fields.h"
      #include <sys/mman.h>
      #include <sys/socket.h>
      #include <cstdlib>
      #include <unistd.h>
      using namespace warpcell;
      void send_raw(Packet packet, size_t bytes, const char* text, bool has_memory) {
        int memory = memfd_create("liar", 0);
        if (write(memory, text, strlen(text)) < 0) abort();
        iovec part{&packet, bytes};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof memory)] = {};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        if (has_memory) { message.msg_control = control; message.msg_controllen = sizeof control; }
        if (cmsghdr* rights = CMSG_FIRSTHDR(&message)) {
          rights->cmsg_level = SOL_SOCKET;
          rights->cmsg_type = SCM_RIGHTS;
          rights->cmsg_len = CMSG_LEN(sizeof memory);
          memcpy(CMSG_DATA(rights), &memory, sizeof memory);
        }
        sendmsg(kSocketDescriptor, &message, 0);
      }
      int main(int, char** arguments) {
        switch (atoi(arguments[2])) {
          case 0: send_raw({1, uint64_t(3) << 30, 1, 0}, sizeof(Packet), "abcd", true); break;
          case 1: send_raw({1, 4, 1, 0}, sizeof(Packet), "abcd", true); break;
          case 2: send_raw({1, 4, 1, 0}, 8, "abcd", true); break;
          case 3: send_raw({1, 4, 1, 0}, sizeof(Packet), "abcd", false); break;
          case 4: send_raw({1, 4, 2, 0}, sizeof(Packet), "abcd", true); break;
          case 5: send_packet(kSocketDescriptor, 1, encode({"error", "UNSAID"}), -1, true); break;
          case 6: send_packet(kSocketDescriptor, 1, encode({}), -1, true); break;
          case 7: send_packet(kSocketDescriptor, 2, encode({"ok"}), -1, true); break;
        }
        pause();
      }`,
    );
    const built = spawnSync("g++", ["-std=c++17", "-o", liar, `${liar}.cc`, `${sources}protocol/packet.cc`], {
      encoding: "utf8",
    });
    expect(built.stderr).toBe("");
  });

  test.each([
    ["more bytes than it sends", 0, /^a message of 4 bytes says that it has 3221225472$/],
    ["what is no list of fields", 1, /^The answer to command 1 is not a list of fields\.$/],
    ["half a packet", 2, /^a packet is not well formed/],
    ["a packet without its memory", 3, /^a packet is not well formed/],
    ["a packet that claims a descriptor", 4, /^a packet is not well formed/],
    ["to a command that nobody sent", 7, /^it answered command 2, which awaits no answer$/],
  ])("with %s is ended, and says why", (_, index, reason) => {
    const before = peakMiB();
    const client = binding.open("cpu", index, liar);
    clients.push(client);
    expect(binding.wait(client, 0, binding.request(client, Op.hello, [], 0), -1)).toBe("died");
    expect(binding.state(client)).toMatch(reason);
    expect(peakMiB() - before).toBeLessThan(512);
  });

  test.each([
    ["an error without a sentence", 5],
    ["nothing", 6],
  ])("with %s has granted no memory", (_, index) => {
    const client = binding.open("cpu", index, liar);
    clients.push(client);
    expect(() => binding.allocate(client, 0, 0, 1024, true)).toThrow(
      /The answer to command 1 must start with "ok" or "error", but is/,
    );
    expect(binding.memory(client).segments).toBe(0);
  });

  function peakMiB(): number {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))![1]) / 1024;
  }
});

describe("a client that answers front ends beside the user's work", () => {
  function openView(): number {
    const client = binding.openView("cpu", 0, deviceExecutable);
    clients.push(client);
    expect(binding.wait(client, 0, binding.request(client, Op.hello, [], 0), -1)).toBe("done");
    return client;
  }
  const addressOf = (client: number, place: number): string => {
    const sequence = binding.request(client, Op.address, requestFields("address", { place }), 0);
    expect(binding.wait(client, 0, sequence, -1)).toBe("done");
    return new TextDecoder().decode(binding.reply(client, sequence)![0]);
  };

  test("maps another one's memory until it gives it back, also after a restart", () => {
    const [owner, view] = [open(), openView()];
    const place = binding.allocate(owner, 0, 0, 4096, true);
    const theirs = new Uint8Array(binding.part(owner, place, 4096));
    theirs.fill(7);
    const borrowed = binding.borrow(view, owner, place);
    expect(borrowed).toBeGreaterThan(0);
    const ours = new Uint8Array(binding.part(view, borrowed, 4096));
    expect(ours).toEqual(theirs);
    theirs[5] = 9;
    expect(ours[5]).toBe(9);
    expect(addressOf(view, borrowed)).toBe("ok");
    binding.kill(view);
    expect(binding.restart(view)).toBe(1);
    expect(addressOf(view, borrowed)).toBe("ok");
    binding.giveBack(view, borrowed);
    expect(addressOf(view, borrowed)).toBe("error");
    expect(addressOf(owner, place)).toBe("ok");
  });

  test("keeps what it has borrowed when its owner gives it back, and is refused what is not there", () => {
    const [owner, view] = [open(), openView()];
    const place = binding.allocate(owner, 0, 0, 64 << 20, true);
    new Uint8Array(binding.part(owner, place, 1)).fill(3);
    const borrowed = binding.borrow(view, owner, place);
    binding.free(owner, place);
    binding.trim(owner);
    expect(new Uint8Array(binding.part(view, borrowed, 1))).toEqual(Uint8Array.of(3));
    expect(addressOf(view, borrowed)).toBe("ok");
    expect(binding.borrow(view, owner, place)).toBe(-1);
    expect(binding.borrow(view, 4095, place)).toBe(-1);
    binding.kill(view);
    expect(binding.borrow(view, owner, binding.allocate(owner, 0, 0, 1, true))).toBe(-2);
  });

  test("says when it can borrow no more", () => {
    const [owner, view] = [open(), openView()];
    const place = binding.allocate(owner, 0, 0, 1, true);
    const files: number[] = [];
    try {
      for (;;) files.push(openSync("/dev/null", "r"));
    } catch {
      expect(() => binding.borrow(view, owner, place)).toThrow("Could not share a segment: Too many open files.");
    } finally {
      files.forEach((file) => closeSync(file));
    }
    for (let count = 0; count < 8191; count++) expect(binding.borrow(view, owner, place)).toBeGreaterThan(0);
    expect(() => binding.borrow(view, owner, place)).toThrow(
      "There are already 8191 segments, the most that a device process may have.",
    );
  });

  test("is in no gauges, and no interrupt ends its waits", () => {
    const [owner, view] = [open(), openView()];
    expect(binding.gauges().map(({ client }) => client)).toContain(owner);
    expect(binding.gauges().map(({ client }) => client)).not.toContain(view);
    binding.interrupt();
    try {
      const source = "__global__ void k(int* p) { p[0] = 12345; }";
      const compile = (client: number) => {
        const sequence = binding.request(client, Op.compile, [source, "cell.cu", deviceSources, "k"], 0);
        return sequence < 0 ? "interrupted" : binding.wait(client, 0, sequence, -1);
      };
      expect(compile(view)).toBe("done");
      expect(compile(owner)).toBe("interrupted");
      expect(compile(view)).toBe("done");
    } finally {
      binding.clearInterrupt();
    }
  });
});
