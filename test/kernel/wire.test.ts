// What arrives on the sockets and is not a message of the kernel's client: refused with a line on stderr, and the next
// cell runs.
import { describe, expect, onTestFinished, test } from "vitest";
import { Subscriber } from "zeromq";
import type { KernelClient } from "../../kernel/client.ts";
import { address } from "../../kernel/supervisor/connection.ts";
import { requestOf } from "../../kernel/supervisor/messages.ts";
import { Wire } from "../../kernel/supervisor/wire.ts";
import { connect, fakeSession, next, openKernel, shown, until, type TestKernel } from "../helpers/kernel.ts";

const delimiter = Buffer.from("<IDS|MSG>");
const bytes = (text: string) => Buffer.from(text);
const open = () => openKernel({ env: fakeSession });

async function stillRuns({ client }: TestKernel): Promise<void> {
  const answer = await client.execute("works");
  expect(answer.reply["status"]).toBe("ok");
  expect(shown(answer)).toContainEqual(["execute_result", "works"]);
}

/** Frames of a signed message with other parts; the signature is right for them. */
function signed(
  { kernel }: TestKernel,
  parts: { header?: unknown; parent?: unknown; metadata?: unknown; content?: unknown },
): Uint8Array[] {
  const { header } = requestOf("kernel_info_request", {});
  const whole = { header, parent: {}, metadata: {}, content: {}, ...parts } as never;
  return new Wire(kernel.connection.key, kernel.connection.hash).encode({
    identities: [],
    buffers: [],
    ...(whole as object),
  } as never);
}

/** Signs bytes that no encoder would make. */
async function signedBytes({ kernel }: TestKernel, parts: [Buffer, Buffer, Buffer, Buffer]): Promise<Uint8Array[]> {
  const { createHmac } = await import("node:crypto");
  const hmac = createHmac(kernel.connection.hash, kernel.connection.key);
  for (const part of parts) hmac.update(part);
  return [delimiter, bytes(hmac.digest("hex")), ...parts];
}

const unique = () => requestOf("", {}).header.msg_id;
const empty = bytes("{}");
const header = () => bytes(JSON.stringify(requestOf("kernel_info_request", {}).header));

describe("malformed messages", () => {
  const classes: [name: string, code: string, frames: (kernel: TestKernel) => Uint8Array[] | Promise<Uint8Array[]>][] =
    [
      ["no delimiter", "FRAMES_MALFORMED", () => [bytes("hello")]],
      ["an empty frame", "FRAMES_MALFORMED", () => [bytes("")]],
      ["nothing after the delimiter", "FRAMES_MALFORMED", () => [delimiter]],
      ["too few parts", "FRAMES_MALFORMED", () => [delimiter, bytes(""), empty, empty]],
      ["100,000 identities", "FRAMES_MALFORMED", () => Array.from({ length: 100_000 }, () => bytes("x"))],
      ["no signature", "SIGNATURE_INVALID", () => [delimiter, bytes(""), header(), empty, empty, empty]],
      [
        "a signature of the right length",
        "SIGNATURE_INVALID",
        () => [delimiter, bytes("0".repeat(64)), header(), empty, empty, empty],
      ],
      [
        "a signature of 1 MB",
        "SIGNATURE_INVALID",
        () => [delimiter, Buffer.alloc(1 << 20, "a"), header(), empty, empty, empty],
      ],
      [
        "invalid UTF-8",
        "PART_NOT_TEXT",
        (kernel) => signedBytes(kernel, [header(), empty, empty, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])]),
      ],
      [
        "a part that is not JSON",
        "PART_NOT_JSON",
        (kernel) => signedBytes(kernel, [header(), empty, bytes("{"), empty]),
      ],
      ["an empty part", "PART_NOT_JSON", (kernel) => signedBytes(kernel, [header(), bytes(""), empty, empty])],
      ["content that is an array", "PART_INVALID", (kernel) => signed(kernel, { content: [] })],
      ["content that is null", "PART_INVALID", (kernel) => signed(kernel, { content: null })],
      [
        "a header without a type",
        "PART_INVALID",
        (kernel) => signed(kernel, { header: { msg_id: unique(), session: "2" } }),
      ],
      [
        "a header with a number for a type",
        "PART_INVALID",
        (kernel) => signed(kernel, { header: { msg_id: unique(), session: "2", msg_type: 3 } }),
      ],
      [
        "a header too deep to be written again",
        "PART_INVALID",
        (kernel) =>
          signedBytes(kernel, [
            bytes(
              `{"msg_id":"${unique()}","msg_type":"kernel_info_request","session":"2","deep":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
            ),
            empty,
            empty,
            empty,
          ]),
      ],
      [
        "an unknown message type",
        "MESSAGE_UNKNOWN",
        (kernel) => signed(kernel, { header: { ...requestOf("frobnicate", {}).header } }),
      ],
      [
        "a message type of Object.prototype",
        "MESSAGE_UNKNOWN",
        (kernel) => signed(kernel, { header: { ...requestOf("constructor", {}).header } }),
      ],
    ];

  const sentences: Record<string, RegExp> = {
    FRAMES_MALFORMED:
      /There is no delimiter <IDS\|MSG> among the \d+ frames\.|A signature and four parts must follow the delimiter, but only \d frames do\./,
    SIGNATURE_INVALID: /The message is not signed with the key of the connection file\./,
    PART_NOT_TEXT: /The \w+ is not UTF-8\./,
    PART_NOT_JSON: /The .* is not JSON: \d+ bytes\./,
    PART_INVALID:
      /The content must be an object, but is (an array|null)\.|"msg_type" in the header must be a string, but is (nothing|a number)\.|The header must hold text and numbers, but holds an array\./,
    MESSAGE_UNKNOWN: /The Jupyter protocol has no message type "(frobnicate|constructor)"\./,
  };

  test.each(classes)("%s is refused on shell and on control", async (_name, code, frames) => {
    const kernel = await open();
    for (const channel of ["shell", "control"] as const) {
      const before = kernel.stderr().length;
      kernel.client.sendRaw(channel, await frames(kernel));
      await until(() => kernel.stderr().slice(before).includes(`[${code}]`));
      expect(kernel.stderr().slice(before)).toMatch(sentences[code]!);
    }
    await stillRuns(kernel);
  });

  test("an unknown request is answered with an error", async () => {
    const { client } = await open();
    const { reply } = await client.request("shell", "frobnicate_request", {});
    expect(reply).toMatchObject({ status: "error", ename: "MESSAGE_UNKNOWN" });
  });

  test("content of the wrong type is answered with an error that names the field", async () => {
    const kernel = await open();
    const { reply } = await kernel.client.request("shell", "execute_request", { code: 5 });
    expect(reply).toMatchObject({
      status: "error",
      ename: "CONTENT_INVALID",
      evalue: '"code" must be a string, but is a number.',
    });
    await stillRuns(kernel);
  });
});

test("a shutdown with content of the wrong type is refused, and shuts nothing down", async () => {
  const kernel = await open();
  const { reply } = await kernel.client.request("control", "shutdown_request", { restart: 5 });
  expect(reply).toMatchObject({ status: "error", evalue: '"restart" must be a boolean, but is a number.' });
  await stillRuns(kernel);
});

describe("signatures", () => {
  test("a message signed with another key does not run", async () => {
    const kernel = await open();
    const forged = new Wire("another key", "sha256").encode(requestOf("execute_request", { code: "print forged" }));
    kernel.client.sendRaw("shell", forged);
    await until(() => kernel.stderr().includes("[SIGNATURE_INVALID]"));
    expect(kernel.stderr()).not.toContain(kernel.kernel.connection.key);
    await stillRuns(kernel);
    expect((await kernel.client.request("shell", "history_request", {})).reply["history"]).toEqual([[1, 1, "works"]]);
  });

  test("a replayed message runs once, also after a flood of junk", async () => {
    const kernel = await open();
    const frames = kernel.client.frames(requestOf("execute_request", { code: "once" }));
    const idle = next(
      kernel.client,
      ({ header, content }) => header.msg_type === "status" && content["execution_state"] === "idle",
    );
    kernel.client.sendRaw("shell", frames);
    await idle;
    const junk = [delimiter, bytes("f".repeat(64)), header(), empty, empty, empty];
    for (let sent = 0; sent < 2000; sent++) kernel.client.sendRaw("shell", junk);
    kernel.client.sendRaw("shell", frames);
    await until(() => kernel.stderr().includes("[SIGNATURE_REPLAYED]"));
    expect((await kernel.client.request("shell", "history_request", {})).reply["history"]).toEqual([[1, 1, "once"]]);
  });
});

describe("subscribers", () => {
  test("each one is welcomed, and both see every output", async () => {
    const kernel = await open();
    const second = connect(kernel);
    await second.ready();
    const seen = next(second, ({ header }) => header.msg_type === "execute_result");
    await kernel.client.execute("shared");
    expect((await seen).content).toMatchObject({ data: { "text/plain": "shared" } });
  });

  test("each one is told the state when it comes: idle, or busy with the cell that runs", async () => {
    const kernel = await open();
    const firstState = (client: KernelClient) => next(client, ({ header }) => header.msg_type === "status");
    const idle = await firstState(connect(kernel));
    expect([idle.content, idle.parent]).toEqual([{ execution_state: "idle" }, {}]);
    const started = next(kernel.client, ({ header }) => header.msg_type === "stream");
    void kernel.client
      .execute("print waiting\nwait")
      .catch((error: Error) => expect(error.message).toContain("the client was closed"));
    const cell = (await started).parent;
    const busy = await firstState(connect(kernel));
    expect([busy.content, busy.parent]).toEqual([{ execution_state: "busy" }, cell]);
  });

  test("the first that each one hears is a welcome, also while others flood, vanish and unsubscribe", async () => {
    const kernel = await open();
    const { connection } = kernel.kernel;
    const subscriber = (topic: string) => {
      const socket = new Subscriber({ receiveHighWaterMark: 0, linger: 0 });
      const wire = new Wire(connection.key, connection.hash);
      onTestFinished(() => socket.close());
      socket.connect(address(connection, "iopub"));
      socket.subscribe(topic);
      return { topic, socket, heard: async () => wire.decode(await socket.receive()) };
    };

    let isOver = false;
    const flood = (async () => {
      while (!isOver) await kernel.client.execute("x\n".repeat(300));
    })();
    for (let round = 0; round < 40; round++) {
      const topics = ["", "kernel.", "kernel", "", "kernel.", "stream"];
      const vanishing = topics.map(subscriber);
      const staying = topics.map(subscriber);
      for (const { socket } of vanishing) socket.close();
      // It may be another's, who came at the same time.
      for (const { heard } of staying) expect((await heard()).header.msg_type).toBe("iopub_welcome");
      for (const { socket, topic } of staying) socket.unsubscribe(topic);
      // Another topic of the same client is welcomed too, after what it still hears of the first.
      const [{ socket, heard }] = staying as [(typeof staying)[0]];
      socket.subscribe("status");
      while ((await heard()).content["subscription"] !== "status") continue;
      for (const { socket } of staying) socket.close();
    }
    isOver = true;
    await flood;
    expect(kernel.stderr()).toBe("");
  }, 60_000);

  test("the kernel works over tcp too", async () => {
    await stillRuns(await openKernel({ transport: "tcp", env: fakeSession }));
  });
});
