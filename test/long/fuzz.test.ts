// Thousands of malformed, forged and replayed messages on every channel: none is executed, nothing dies, the next cell
// runs, memory does not grow.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { requestOf } from "../../kernel/supervisor/messages.ts";
import { openKernel, streamText } from "../helpers/kernel.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const executeX = () =>
  requestOf("execute_request", {
    code: "globalThis.executed = (globalThis.executed ?? 0) + 1",
    silent: true,
    store_history: false,
    user_expressions: {},
    allow_stdin: false,
    stop_on_error: true,
  });
const residentMiB = (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;

type Mutation = (frames: Uint8Array[], random: () => number) => Uint8Array[];
const at = (random: () => number, length: number) => Math.floor(random() * length);
const replaced = (frames: Uint8Array[], index: number, frame: Uint8Array) =>
  frames.map((old, i) => (i === index ? frame : old));

// frames: delimiter, signature, header, parent, metadata, content
const mutations: Record<string, Mutation> = {
  "no delimiter": (frames) => frames.slice(1),
  "no frame at all": () => [new Uint8Array()],
  "a frame missing": (frames, random) => {
    const missing = at(random, frames.length);
    return frames.filter((_, i) => i !== missing);
  },
  "cut short": (frames, random) => frames.slice(0, 1 + at(random, frames.length - 1)),
  "empty signature": (frames) => replaced(frames, 1, new Uint8Array()),
  "long signature": (frames) => replaced(frames, 1, randomBytes(1 << 16)),
  "another signature": (frames) => replaced(frames, 1, Buffer.from(randomBytes(32).toString("hex"))),
  "signature in capitals": (frames) =>
    replaced(frames, 1, Buffer.from(Buffer.from(frames[1]!).toString().toUpperCase() + "X")),
  "a bit flipped": (frames, random) => {
    const index = 2 + at(random, frames.length - 2);
    const frame = Buffer.from(frames[index]!);
    if (frame.length === 0) return frames.slice(1);
    const byte = at(random, frame.length);
    frame[byte] = frame[byte]! ^ (1 << at(random, 8));
    return replaced(frames, index, frame);
  },
  "random bytes": (frames, random) => frames.map(() => randomBytes(at(random, 200))),
  "invalid UTF-8": (frames) => replaced(frames, 5, Buffer.from([0xff, 0xfe, 0x80])),
  "not JSON": (frames) => replaced(frames, 2, Buffer.from("{'msg_id': None}")),
  "many identities": (frames) => [...Array.from({ length: 300 }, () => randomBytes(5)), ...frames.slice(1)],
  "deep JSON": (frames) => replaced(frames, 5, Buffer.from("[".repeat(5000))),
};

// Signed with the right key, and still wrong.
const wrongContents: ((random: () => number) => [string, Record<string, unknown>])[] = [
  () => ["execute_request", {}],
  () => ["execute_request", { code: 7 }],
  () => ["complete_request", { code: "x", cursor_pos: -5 }],
  () => ["complete_request", { code: "x", cursor_pos: 1e9 }],
  () => ["inspect_request", { code: null, cursor_pos: "a" }],
  () => ["history_request", { hist_access_type: "tail", n: -1e9 }],
  () => ["comm_open", { comm_id: 3 }],
  () => ["__proto__", {}],
  (random) => [randomBytes(1 + at(random, 30)).toString("latin1"), { a: 1 }],
  () => ["constructor_request", { code: "1" }],
];

/** A leak grows in every round; when the collector comes moves one measurement by as much as 10 MiB. */
const rounds = 5;

describe.each(["shell", "control", "stdin"] as const)("on %s", (channel) => {
  test("10,000 malformed messages a round change nothing", async () => {
    const seed = freshSeed();
    const random = seeded(seed);
    const opened = await openKernel();
    const { client, kernel } = opened;
    await client.execute("globalThis.executed = 0");
    const names = Object.keys(mutations);
    const flood = async (messages: number, wrong: boolean): Promise<void> => {
      for (let i = 0; i < messages; i++) {
        client.sendRaw(channel, mutations[names[i % names.length]!]!(client.frames(executeX()), random));
        if (wrong && i % 4 === 0 && channel !== "stdin") {
          const [type, content] = wrongContents[at(random, wrongContents.length)]!(random);
          client.sendRaw(channel, client.frames(requestOf(type, content)));
        }
        // Waiting for an answer now and then keeps the flood within what both sides can hold.
        if (i % 500 === 499) await client.request("control", "kernel_info_request", {});
      }
    };

    // Requests that are signed and wrong are answered as requests are. What follows is refused, and must leave nothing
    // behind.
    await flood(2_000, true);
    await flood(10_000, false);
    const resident = [residentMiB(kernel.child.pid!)];
    for (let round = 0; round < rounds; round++) {
      await flood(10_000, false);
      resident.push(residentMiB(kernel.child.pid!));
    }

    const begin = performance.now();
    const { reply, outputs } = await client.execute("console.log(1 + 1, globalThis.executed)");
    expect(reply["status"], `seed ${seed}`).toBe("ok");
    expect(streamText(outputs, "stdout"), `seed ${seed}`).toBe("2 0\n");
    expect(performance.now() - begin).toBeLessThan(1000);
    console.log(`${channel}: MiB of the kernel, round by round: ${resident.map((mib) => mib.toFixed(1)).join(" ")}`);
    expect((resident.at(-1)! - resident[0]!) / rounds, `seed ${seed}`).toBeLessThan(4);
  });
});

test("1,000 replays with junk in between: each message runs once", async () => {
  const { client } = await openKernel();
  await client.execute("globalThis.executed = 0");
  const frames = client.frames(executeX());
  client.sendRaw("shell", frames);
  for (let i = 0; i < 20_000; i++) {
    client.sendRaw("shell", replaced(frames, 1, Buffer.from(randomBytes(32).toString("hex"))));
    if (i % 20 === 0) client.sendRaw("shell", frames);
    if (i % 1000 === 999) await client.request("control", "kernel_info_request", {});
  }
  expect(streamText((await client.execute("console.log(globalThis.executed)")).outputs, "stdout")).toBe("1\n");
});
