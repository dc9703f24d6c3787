// A device process seen from above: commands, waiting, death, interrupts and restarts, on every device.
import { type AnswerOf } from "../../native/lib/wire/messages.ts";
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, test } from "vitest";
import { answerFields, greet } from "../../native/lib/wire/answers.ts";
import { binding, deviceExecutable, deviceSources } from "../../native/lib/wire/binding.ts";
import { Op, offsetOf, segmentOf } from "../../native/lib/wire/commands.ts";
import { writeFence } from "../../native/lib/wire/mark.ts";
import {
  DeviceError,
  DeviceFault,
  DeviceUnavailable,
  InterruptedError,
  LaunchError,
  OutOfMemory,
} from "../../native/lib/errors.ts";
import { clearInterrupt, DeviceProcess, interrupt } from "../../native/lib/device/process.ts";
import { sizeText } from "../../native/lib/figures.ts";
import { devices } from "./devices.ts";
import { compiled, copy, fill, launch, read, requestFieldsAsTheyAre, submitNumbered, write } from "./records.ts";

afterEach(() => clearInterrupt());

const addon = deviceExecutable.replace("warpcell-device", "addon.node");

/** Interrupts from another thread, as an agent does while the main thread is blocked. */
async function interruptFromThread(after: number): Promise<Worker> {
  const source = `const { interrupt } = require(${JSON.stringify(addon)}); require("node:worker_threads").parentPort.postMessage("ready"); setTimeout(interrupt, ${after});`;
  const worker = new Worker(source, { eval: true });
  await once(worker, "message");
  return worker;
}

/** A process that has ended and that nobody has reaped yet is not alive. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    // ESRCH: it ended between opening and reading.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** Runs a Node program that has `binding` and `open()`, with the built addon. */
function program(body: string): string {
  return `const binding = require(${JSON.stringify(addon)});
    const open = (kind = "cpu") => { const client = binding.open(kind, 0, ${JSON.stringify(deviceExecutable)}); binding.wait(client, 0, binding.request(client, 8, [], 0), -1); return client; };
    (async () => { ${body} })();`;
}

describe.each(devices.map((device) => [device.name, device] as const))("%s", (_name, device) => {
  test("describes itself, once", () => {
    expect(DeviceProcess.get(device.kind, device.index)).toBe(device);
    expect(DeviceProcess.all()).toContain(device);
    expect(device.properties).toMatchObject({ kind: device.kind, index: device.index, warpSize: 32 });
    expect(device.properties.maxThreadsPerBlock).toBeGreaterThanOrEqual(1024);
  });

  test("fills and copies arrive in order, also around the end of the ring", () => {
    const bytes = 1 << 16;
    const [a, b] = [device.allocate(bytes, "device"), device.allocate(bytes, "device")];
    let last = 0;
    for (let i = 0; i < 40_000; i++) {
      last = i % 251;
      fill(device, a + (i % 64) * 1024, 1024, BigInt(last), 1);
      if (i % 3 === 0) copy(device, b + (i % 64) * 1024, a + (i % 64) * 1024, 1024);
    }
    copy(device, b, a, bytes);
    const expected = Uint8Array.from(
      { length: bytes },
      (_, k) => (39_936 + (k >> 10) < 40_000 ? 39_936 + (k >> 10) : 0) % 251,
    );
    expect(Buffer.compare(read(device, b, bytes), expected)).toBe(0);
    device.free(a);
    device.free(b);
  });

  test.each([1, 2, 4, 8])("a fill of width %i repeats its pattern and nothing beyond", (width) => {
    const place = device.allocate(1024, "device");
    const pattern = randomBytes(width);
    fill(device, place, 1024, 0xeen, 1);
    fill(device, place + 64, 64 * width, BigInt(`0x${Buffer.from(pattern).reverse().toString("hex")}`), width);
    const bytes = read(device, place, 1024);
    expect(Buffer.from(bytes.subarray(64, 64 + 64 * width))).toEqual(
      Buffer.concat(Array.from({ length: 64 }, () => pattern)),
    );
    expect(bytes[63]).toBe(0xee);
    expect(bytes[64 + 64 * width]).toBe(0xee);
    device.free(place);
  });

  test("a refused launch names the call and leaves the process alive", () => {
    const pid = binding.processId(device.client);
    launch(device, { kernel: 1, grid: [1, 0, 1] });
    expect(() => device.synchronize()).toThrow(LaunchError);
    launch(device, { kernel: 1, block: [0, 1, 1] });
    expect(() => device.synchronize()).toThrow(/A block is at least 1×1×1, but this one is 0×1×1/);
    device.synchronize();
    expect(binding.processId(device.client)).toBe(pid);
  });

  test("a place that no segment holds is refused", () => {
    fill(device, 8000 * 2 ** 40, 16, 0n, 1);
    expect(() => device.synchronize()).toThrow(expect.objectContaining({ code: "ILLEGAL_PLACE" }) as Error);
  });

  test.each([
    ["an option that no cell has", "INVALID_OPTION", () => compiled(device, "", [], ["--speed=9"])],
    [
      "an artifact that no compiler made",
      "INVALID_IMAGE",
      () =>
        device.request("module_load", {
          module: 77,
          firstKernel: 77,
          artifact: Buffer.from("nothing"),
          lowered: ["k"],
        }),
    ],
    [
      "a fill of three bytes",
      "PROTOCOL",
      () => {
        const place = device.allocate(64, "device");
        fill(device, place, 3, 0n, 3);
        device.free(place);
        device.synchronize();
      },
    ],
  ])("%s has the code %s", (_what, code, act) => {
    expect(act).toThrow(expect.objectContaining({ code }) as Error);
  });

  test.each<[string, () => void, string, string]>([
    [
      "unloading a module that is not loaded",
      () => submitNumbered(device, Op.module_unload, 4711),
      "INVALID_MODULE",
      "Module 4711 is not loaded",
    ],
    [
      "releasing a segment that is not there",
      () => submitNumbered(device, Op.segment_release, 4711),
      "ILLEGAL_PLACE",
      "There is no segment 4711 on this device",
    ],
    [
      "launching a kernel that is not loaded",
      () => launch(device, { kernel: 4711 }),
      "INVALID_LAUNCH",
      "Kernel 4711 is not loaded. Its module may have been unloaded",
    ],
    [
      "filling beyond a segment's end",
      () => fill(device, 4711 * 2 ** 40, 16, 0n, 1),
      "ILLEGAL_PLACE",
      "There is no segment 4711 on this device",
    ],
  ])("%s is an error, and nothing else", (_what, act, code, sentence) => {
    const pid = binding.processId(device.client);
    act();
    expect(() => device.synchronize()).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(sentence) as string }) as Error,
    );
    expect(binding.processId(device.client)).toBe(pid);
  });

  test.each([
    [
      "occupancy",
      Op.occupancy,
      ["1"],
      "The message occupancy must have the fields [kernel, threads, shared], but has 1 of them.",
    ],
    ["hello", Op.hello, ["there"], "The message hello must have the fields [], but has 1 of them."],
    [
      "occupancy",
      Op.occupancy,
      ["one", "2", "3"],
      'The field kernel of occupancy must be a decimal number, but is "one".',
    ],
    [
      "occupancy",
      Op.occupancy,
      ["1", "18446744073709551616", "3"],
      'The field threads of occupancy must be a decimal number, but is "18446744073709551616".',
    ],
    [
      "profile_start",
      Op.profile_start,
      ["0", "yes"],
      'The field samples of profile_start must be 0 or 1, but is "yes".',
    ],
    ["segment_import", Op.segment_import, ["9", "moon", "4096"], /The segment came without its descriptor/],
    ["time", Op.time, ["1", "1", "short"], /There is no launch record to time in 5 bytes/],
  ])("a malformed message (%s) is refused with a sentence", (_what, op, fields, sentence) => {
    const send = () => requestFieldsAsTheyAre(device, op, fields);
    expect(send).toThrow(sentence);
    expect(send).toThrow(DeviceError);
  });

  test("requests side by side each get their own answer", async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, async () => device.requestAsync("hello", {})));
    expect(answers.every(({ properties }) => properties.includes(`"${device.kind}"`))).toBe(true);
  });

  test("more memory than there is throws OutOfMemory, and less is still given", () => {
    const held = device.allocate(4096, "device");
    const { allocated } = binding.memory(device.client);
    expect(allocated).toBeGreaterThanOrEqual(4096);
    expect(() => device.allocate(2 ** 39, "device")).toThrow(OutOfMemory);
    const remedy = `: tensors hold ${sizeText(allocated)}. Dispose of tensors that you no longer need, or work on fewer elements at a time.`;
    expect(() => device.allocate(2 ** 39, "device")).toThrow(
      `There is not 512 GiB of device memory left on ${device.name}, which has ${sizeText(device.properties.memoryTotal)}${remedy}`,
    );
    expect(() => device.allocate(2 ** 39, "host")).toThrow(
      `There is not 512 GiB of host memory left on ${device.name}${remedy}`,
    );
    device.free(held);
    device.free(device.allocate(1024, "device"));
  });

  test("a death is reported, and arrays outlive it", () => {
    const bytes = randomBytes(48 << 20);
    const place = device.allocate(bytes.length, "device");
    write(device, place, bytes);
    const old = binding.processId(device.client);
    process.kill(old, "SIGKILL");

    expect(() => device.synchronize()).toThrow(new RegExp(`The device process of ${device.name} ended \\(signal 9\\)`));
    expect(binding.processId(device.client)).not.toBe(old);
    expect(Buffer.compare(read(device, place, bytes.length), bytes)).toBe(0);
    device.free(place);
  });

  test("commands that died with the process make what they wrote suspect, earlier ones do not", () => {
    const place = device.allocate(4096, "device");
    const before = fill(device, place, 4096, 1n, 1);
    device.synchronize();
    process.kill(binding.processId(device.client), "SIGSTOP");
    const lost = fill(device, place, 4096, 2n, 1);
    process.kill(binding.processId(device.client), "SIGKILL");

    expect(() => device.synchronize()).toThrow(DeviceFault);
    const after = fill(device, place, 4096, 3n, 1);
    device.synchronize();
    expect([before, lost, after].map((sequence) => device.isSuspect(sequence))).toEqual([false, true, false]);
    expect(read(device, place, 4096).every((byte) => byte === 3)).toBe(true);
    device.free(place);
  });

  test("everyone who waits for a process that dies hears of the same fault", async () => {
    const pid = binding.processId(device.client);
    process.kill(pid, "SIGSTOP");
    const waits = [device.synchronizeAsync(), device.requestAsync("hello", {}), device.synchronizeAsync()];
    process.kill(pid, "SIGKILL");
    const outcomes = await Promise.allSettled(waits);
    const reasons = outcomes.map((outcome) =>
      outcome.status === "rejected" ? (outcome.reason as unknown) : undefined,
    );
    expect(reasons[0]).toBeInstanceOf(DeviceFault);
    expect(new Set(reasons).size).toBe(1);
    await device.synchronizeAsync();
  });

  test("an interrupt ends a wait for a process that does not answer, and the next command works", async () => {
    const place = device.allocate(4096, "device");
    fill(device, place, 4096, 7n, 1);
    device.synchronize();
    process.kill(binding.processId(device.client), "SIGSTOP");
    const worker = await interruptFromThread(20);
    expect(() => device.synchronize()).toThrow(InterruptedError);
    await worker.terminate();
    expect(read(device, place, 4096).every((byte) => byte === 7)).toBe(true);
    device.free(place);
  });

  test("an interrupt ends an awaited wait too", async () => {
    process.kill(binding.processId(device.client), "SIGSTOP");
    const wait = device.synchronizeAsync();
    interrupt();
    await expect(wait).rejects.toThrow(/^The work on \S+ was interrupted/);
    await device.synchronizeAsync();
  });

  test("JavaScript that is terminated while it waits leaves a device that the next call heals", async () => {
    const place = device.allocate(4096, "device");
    fill(device, place, 4096, 5n, 1);
    device.synchronize();
    process.kill(binding.processId(device.client), "SIGSTOP");
    // Interrupted once the time limit has struck: the thread that watches it, which started after this one, has ended
    // then.
    const waiting = new Int32Array(new SharedArrayBuffer(4));
    const source = `const { interrupt } = require(${JSON.stringify(addon)}), { readdirSync } = require("node:fs"), { parentPort, workerData } = require("node:worker_threads");
      const before = new Set(readdirSync("/proc/self/task"));
      parentPort.postMessage("ready");
      Atomics.wait(workerData, 0, 0);
      while (readdirSync("/proc/self/task").some((thread) => !before.has(thread))) Atomics.wait(workerData, 0, 1, 1);
      interrupt();`;
    const worker = new Worker(source, { eval: true, workerData: waiting });
    await once(worker, "message");
    const wait = new Script("(device) => device.synchronize()").runInThisContext() as (device: DeviceProcess) => void;
    Object.assign(globalThis, {
      waitForDevice: () => {
        Atomics.store(waiting, 0, 1);
        Atomics.notify(waiting, 0);
        wait(device);
      },
    });
    expect(() => new Script("waitForDevice()").runInThisContext({ timeout: 50 })).toThrow(/timed out/);
    await worker.terminate();
    clearInterrupt();

    expect(binding.state(device.client)).toBe("interrupted");
    fill(device, place + 2048, 2048, 6n, 1);
    expect(read(device, place, 4096)).toEqual(Uint8Array.from({ length: 4096 }, (_, i) => (i < 2048 ? 5 : 6)));
    device.free(place);
  });

  test("an interrupt of an idle device does nothing", async () => {
    const pid = binding.processId(device.client);
    device.synchronize();
    interrupt();
    await DeviceProcess.settle();
    clearInterrupt();
    device.synchronize();
    expect(binding.processId(device.client)).toBe(pid);
  });

  test("settle finds a death that nobody waited for, once", async () => {
    process.kill(binding.processId(device.client), "SIGKILL");
    await expect.poll(() => binding.state(device.client)).toBe("signal 9");
    await expect(DeviceProcess.settle()).rejects.toThrow(DeviceFault);
    await DeviceProcess.settle();
  });

  test("a full ring waits for room and loses nothing", () => {
    const place = device.allocate(1 << 20, "device");
    process.kill(binding.processId(device.client), "SIGSTOP");
    const wakeUp = spawn("sh", ["-c", `sleep 0.2; kill -CONT ${binding.processId(device.client)}`]);
    for (let i = 0; i < 30_000; i++) fill(device, place + (i % 1024) * 1024, 1024, BigInt(i & 0x7f), 1);
    const expected = Uint8Array.from({ length: 1 << 20 }, (_, k) => {
      const slot = k >> 10;
      return (slot < 30_000 % 1024 ? 29 * 1024 + slot : 28 * 1024 + slot) & 0x7f;
    });
    expect(Buffer.compare(read(device, place, 1 << 20), expected)).toBe(0);
    device.free(place);
    wakeUp.kill();
  });

  test("gauges are sampled and name the bytes of living blocks", async () => {
    const before = binding.memory(device.client).allocated;
    const place = device.allocate(1 << 20, "device");
    expect(binding.memory(device.client).allocated - before).toBe(1 << 20);
    await expect
      .poll(() => binding.gauges().find(({ client }) => client === device.client)?.sampled ?? 0)
      .toBeGreaterThan(Date.now() - 2000);
    expect(binding.gauges().find(({ client }) => client === device.client)?.allocated).toBe(before + (1 << 20));
    device.free(place);
  });
});

describe("the client", () => {
  const cpu = DeviceProcess.get("cpu");

  test("a block that is freed twice, or was never given out, is an error", () => {
    const place = cpu.allocate(100, "device");
    cpu.free(place);
    expect(() => cpu.free(place)).toThrow(/Place \d+ is not allocated: it was freed before/);
    expect(() => cpu.free(12345)).toThrow(/Place 12345 is not allocated/);
  });

  test("a buffer outlives its segment", () => {
    const client = binding.open("cpu", 0, deviceExecutable);
    const place = binding.allocate(client, 1, 0, 64 << 20, true);
    const view = new Uint8Array(binding.buffer(client, segmentOf(place)), offsetOf(place), 64 << 20).fill(9);
    expect(binding.buffer(client, segmentOf(place))).toBe(view.buffer);
    binding.free(client, place);
    expect(binding.trim(client)).toBe(64 << 20);
    binding.close(client);
    expect(view[(64 << 20) - 1]).toBe(9);
  });

  test("a closed client, an unknown segment, a record that is none: each has its sentence", () => {
    const client = binding.open("cpu", 0, deviceExecutable);
    expect(() => binding.buffer(client, 4000)).toThrow(/There is no segment 4000/);
    new DataView(binding.room(client)).setUint32(0, 20, true);
    expect(() => binding.submit(client)).toThrow(
      /Only the record of a command without a message can be submitted, not 20 bytes/,
    );
    expect(() => binding.request(client, Op.fence, [], 0)).toThrow(
      /Only a command with a message can be requested, not command 1/,
    );
    binding.close(client);
    expect(() => binding.state(client)).toThrow(/Device process \d+ is closed or was never opened/);
  });

  test("an argument of another type is an error", () => {
    expect(() => binding.state("one" as unknown as number)).toThrow(/Argument 1 must be a small integer/);
    expect(() => binding.request(cpu.client, Op.hello, [1] as unknown as string[], 0)).toThrow(
      /Argument 3 must be an array of text and Uint8Array/,
    );
    expect(() => binding.allocate(cpu.client, 0, 0, -1, true)).toThrow(/A number of bytes cannot be -1/);
  });

  test("a program that is not there, and a device that is not there", () => {
    expect(() => binding.open("cpu", 0, "/nowhere/warpcell-device")).toThrow(
      /Could not start the device process \/nowhere\/warpcell-device: No such file/,
    );
    expect(() => DeviceProcess.get("cuda", 99)).toThrow(DeviceUnavailable);
    expect(() => DeviceProcess.get("moon" as "cpu", 0)).toThrow(
      /There is no kind of device "moon": the kinds are cpu and cuda/,
    );
  });

  test("a device process that ends before it answers is unavailable, and so is one that is interrupted at its start", () => {
    const ended = binding.open("cpu", 0, "/bin/false");
    expect(() => greet(ended, "cpu")).toThrow(/The device process of cpu ended before it answered \(exit 1\)/);
    binding.close(ended);

    const stopped = binding.open("cpu", 0, deviceExecutable);
    process.kill(binding.processId(stopped), "SIGSTOP");
    interrupt();
    expect(() => greet(stopped, "cpu")).toThrow(/The start of cpu was interrupted/);
    binding.close(stopped);
  });

  test("a process that cannot be started again says so, and every use tries again", () => {
    const folder = mkdtempSync(join(tmpdir(), "warpcell-"));
    const copied = join(folder, "warpcell-device");
    copyFileSync(deviceExecutable, copied);
    chmodSync(copied, 0o755);
    const client = binding.open("cpu", 0, copied);
    greet(client, "cpu");
    binding.kill(client);
    rmSync(copied);
    expect(() => binding.restart(client)).toThrow(/Could not start the device process .*: No such file/);
    copyFileSync(deviceExecutable, copied);
    chmodSync(copied, 0o755);
    expect(binding.restart(client)).toBe(0);
    binding.close(client);
    rmSync(folder, { recursive: true });
  });

  test("a wait with a limit ends at it", () => {
    process.kill(binding.processId(cpu.client), "SIGSTOP");
    const sequence = binding.request(cpu.client, Op.hello, [], 0);
    expect(binding.wait(cpu.client, 0, sequence, 30)).toBe("timeout");
    process.kill(binding.processId(cpu.client), "SIGCONT");
    expect(binding.wait(cpu.client, 0, sequence, -1)).toBe("done");
    expect(binding.reply(cpu.client, sequence)).not.toBeNull();
    expect(binding.reply(cpu.client, sequence)).toBeNull();
  });

  test("an answer that cannot be read ends its process, not this one", () => {
    const source = program(`const c = open(); const fs = require("node:fs");
      const request = binding.request(c, 8, [], 0);
      const open_files = []; try { for (;;) open_files.push(fs.openSync("/dev/null")); } catch {}
      const outcomes = [binding.wait(c, 0, request, -1), await binding.waitAsync(c, 0, request), binding.state(c)];
      open_files.forEach((file) => fs.closeSync(file));
      binding.restart(c);
      console.log(JSON.stringify([...outcomes, binding.wait(c, 0, binding.request(c, 8, [], 0), -1)]));`);
    const { stdout, stderr } = spawnSync("sh", ["-c", 'ulimit -n 64; exec "$0" -e "$1"', process.execPath, source], {
      encoding: "utf8",
      timeout: 20_000,
    });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual([
      "died",
      "died",
      expect.stringMatching(/a packet is not well formed \(are too many files open\?\)/),
      "done",
    ]);
  });

  test("of more refusals than are kept the newest arrive", () => {
    const sequences = Array.from({ length: 100 }, () => launch(cpu, { kernel: 1, grid: [0, 0, 0] }));
    const mark = writeFence(cpu.execution);
    while (binding.completed(cpu.client, 0) < mark) binding.wait(cpu.client, 0, mark, 1);
    expect(binding.errors(cpu.client).map(({ sequence }) => sequence)).toEqual(sequences.slice(-64));
    expect(binding.errors(cpu.client)).toEqual([]);
  });

  test("answers that are none are named", () => {
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    expect(() => answerFields([bytes("perhaps")], "cpu")).toThrow(
      /An answer must start with "ok" or "error", but is \["perhaps"\]/,
    );
    expect(() => answerFields([bytes("error"), bytes("UNSUPPORTED"), bytes("Expected more.")], "cpu")).toThrow(
      DeviceError,
    );
  });

  test("the device program by itself says what it expects", () => {
    expect(spawnSync(deviceExecutable, [], { encoding: "utf8" })).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/warpcell-device takes 2 arguments \(KIND INDEX\) but got 0/) as string,
    });
    expect(spawnSync(deviceExecutable, ["cpu", "0"], { encoding: "utf8" })).toMatchObject({
      status: 4,
      stderr: expect.stringMatching(/There is no control segment on descriptor 3/) as string,
    });
  });

  test("blocks never overlap, are aligned, and coalesce", () => {
    const client = binding.open("cpu", 0, deviceExecutable);
    const living = new Map<number, number>();
    for (let i = 0; i < 4000; i++) {
      const isFree = living.size > 0 && Math.random() < 0.48;
      if (isFree) {
        const place = [...living.keys()][Math.floor(Math.random() * living.size)] as number;
        binding.free(client, place);
        living.delete(place);
      } else {
        const bytes = Math.ceil(2 ** (Math.random() * 22));
        const place = binding.allocate(client, 0, 0, bytes, true);
        expect(place % 256).toBe(0);
        living.set(place, bytes);
      }
    }
    const sorted = [...living].sort(([a], [b]) => a - b);
    for (let i = 1; i < sorted.length; i++) {
      const [[before, bytes], [place]] = [sorted[i - 1], sorted[i]] as [[number, number], [number, number]];
      expect(place).toBeGreaterThanOrEqual(before + bytes);
    }
    for (const place of living.keys()) binding.free(client, place);
    const { reserved, allocated, blocks } = binding.memory(client);
    expect([allocated, blocks]).toEqual([0, 0]);
    expect(binding.trim(client)).toBe(reserved);
    expect(binding.memory(client)).toMatchObject({ reserved: 0, segments: 0 });
    binding.close(client);
  });
});

describe("the end", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));

  test("an idle device does not keep Node alive, and ends with it", () => {
    const { stdout, status } = spawnSync(
      process.execPath,
      [
        "-e",
        program(
          `const c = open(); await binding.waitAsync(c, 0, binding.request(c, 8, [], 0)); console.log(binding.processId(c));`,
        ),
      ],
      { encoding: "utf8", cwd: root, timeout: 20_000 },
    );
    expect(status).toBe(0);
    expect(isAlive(Number(stdout))).toBe(false);
  });

  test.each([
    ["idle", "SIGCONT"],
    ["one that does not answer", "SIGSTOP"],
  ] as const)("a device, %s, ends when its session is killed", async (_, signal) => {
    const child = spawn(
      process.execPath,
      ["-e", program(`const c = open(); console.log(binding.processId(c)); setInterval(() => {}, 1000);`)],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const device = Number(line.toString());
    expect(isAlive(device)).toBe(true);
    process.kill(device, signal);
    child.kill("SIGKILL");
    await expect.poll(() => isAlive(device)).toBe(false);
  });

  test("a thread that ends while it waits takes its device along and nothing else", async () => {
    for (let round = 0; round < 5; round++) {
      const worker = new Worker(
        program(
          `const c = open(); process.kill(binding.processId(c), "SIGSTOP"); binding.waitAsync(c, 0, binding.request(c, 8, [], 0)); require("node:worker_threads").parentPort.postMessage(binding.processId(c));`,
        ),
        { eval: true },
      );
      const [device] = (await once(worker, "message")) as [number];
      await worker.terminate();
      expect(isAlive(device)).toBe(false);
    }
    DeviceProcess.get("cpu").synchronize();
  });
});

// A header that is a pipe: the compiler reads on when it is written.
describe("a compilation that takes its time", () => {
  const cpu = DeviceProcess.get("cpu");
  const gated = (): { gate: string; compiled: Promise<AnswerOf<"compile">> } => {
    const folder = mkdtempSync(join(tmpdir(), "warpcell-gate-"));
    const gate = join(folder, "gate.h");
    spawnSync("mkfifo", [gate]);
    const source = `#include "gate.h"\n__global__ void none() {}`;
    return {
      gate,
      compiled: cpu.requestAsync("compile", {
        source,
        name: "gate.cu",
        headers: deviceSources.replace(/\/$/, ""),
        expressions: ["none"],
        options: [`--include=${folder}`],
      }),
    };
  };

  test("holds up no command behind it", async () => {
    const { gate, compiled } = gated();
    const place = cpu.allocate(4096, "device");
    fill(cpu, place, 4096, 7n, 1);
    cpu.synchronize();
    expect(read(cpu, place, 4096).every((byte) => byte === 7)).toBe(true);
    cpu.free(place);
    await writeFile(gate, "\n");
    const { artifact } = await compiled;
    expect(artifact!.length).toBeGreaterThan(0);
    rmSync(dirname(gate), { recursive: true });
  });

  test("hears of the death of its process, though commands behind it were done", async () => {
    const { gate, compiled } = gated();
    const heard = compiled.catch((error: unknown) => error);
    cpu.synchronize();
    process.kill(binding.processId(cpu.client), "SIGKILL");
    expect(() => cpu.synchronize()).toThrow(DeviceFault);
    expect(await heard).toBeInstanceOf(DeviceFault);
    rmSync(dirname(gate), { recursive: true });
  });
});
