// What a cell can write to the session's own channels: at worst its session ends, with a sentence, and the kernel
// answers the next cell.
import { describe, expect, test } from "vitest";
import { fakeSession, openKernel, shown, streamText, type TestKernel } from "../helpers/kernel.ts";

const ended =
  /^The session ended: it sent the kernel a message that the session protocol does not know; code in a cell may have .*\. Its variables are lost; the next cell starts with fresh ones\.$/;

describe("an event", () => {
  const stream = { type: "stream", request: "$", name: "stdout", text: "x" };
  const done = { type: "done", request: "$", status: "ok", token: "", error: null, userExpressions: {}, payload: [] };
  const display = {
    type: "display",
    request: "$",
    data: {},
    metadata: {},
    displayId: null,
    update: false,
    buffers: [],
  };
  const wrong: [name: string, event: unknown, line: string][] = [
    ["that is null", null, "an event of an unknown type."],
    ["that is text", "stream", "an event of an unknown type."],
    ["of an unknown type", { type: "nothing" }, 'an event of an unknown type ("nothing").'],
    ["of a type of Object.prototype", { type: "constructor" }, 'an event of an unknown type ("constructor").'],
    [
      "without its device",
      { type: "ready", version: 1, process: 1 },
      'an event "ready" whose "device" is missing or of another type.',
    ],
    [
      "with a version that is text",
      { type: "ready", version: "1", process: 1, device: { device: "cpu", name: "", reason: "" } },
      '"ready" whose "version"',
    ],
    ["with another stream", { ...stream, name: "stdin" }, '"stream" whose "name"'],
    ["with text that is a number", { ...stream, text: 5 }, '"stream" whose "text"'],
    ["with a request that is text", { ...stream, request: "1" }, '"stream" whose "request"'],
    ["with a request below 0", { ...stream, request: -1 }, '"stream" whose "request"'],
    ["with data that is a list", { ...display, data: [] }, '"display" whose "data"'],
    [
      "with a buffer in a file of its own choice",
      { ...display, buffers: [{ file: "/dev/tty", bytes: 8 }] },
      '"display" whose "buffers"',
    ],
    [
      "with a buffer of no size",
      { ...display, buffers: [{ file: "/proc/1/fd/3", bytes: -1 }] },
      '"display" whose "buffers"',
    ],
    [
      "with buffers that are none",
      { type: "commMessage", request: "$", comm: "c", data: {}, metadata: {}, buffers: [5] },
      '"commMessage" whose "buffers"',
    ],
    [
      "with a comm that is a number",
      { type: "commClose", request: "$", comm: 5, data: {} },
      '"commClose" whose "comm"',
    ],
    ["with targets that are text", { type: "commTargets", targets: "abc" }, '"commTargets" whose "targets"'],
    [
      "with declarations that are none",
      { type: "declared", request: "$", declarations: [{}] },
      '"declared" whose "declarations"',
    ],
    ["with an error that is text", { ...done, error: "x" }, '"done" whose "error"'],
    [
      "with a traceback that is text",
      { ...done, status: "error", error: { name: "E", message: "m", traceback: "t" } },
      '"done" whose "error"',
    ],
    ["with expressions that are null", { ...done, userExpressions: null }, '"done" whose "userExpressions"'],
    ["with a payload that is text", { ...done, payload: ["page"] }, '"done" whose "payload"'],
    ["with a token that is null", { ...done, token: null }, '"done" whose "token"'],
  ];

  test("that the protocol does not know ends its session with a sentence, and the kernel says what was wrong", async () => {
    const kernel = await openKernel({ env: fakeSession });
    for (const [name, event, line] of wrong) {
      const before = kernel.stderr().length;
      const { reply } = await kernel.client.execute(`event ${JSON.stringify(event)}\nwait`);
      expect(reply, name).toMatchObject({
        status: "error",
        ename: "SessionEnded",
        evalue: expect.stringMatching(ended),
      });
      expect(kernel.stderr().slice(before), name).toContain(line);
      expect(shown(await kernel.client.execute("works")), name).toContainEqual(["execute_result", "works"]);
    }
    expect(kernel.kernel.child.exitCode).toBeNull();
  });

  test("of a request that nobody made is dropped, never shown below another", async () => {
    const { client } = await openKernel({ env: fakeSession });
    const answer = await client.execute(
      `event ${JSON.stringify({ ...stream, request: 4711, text: "stray" })}\nevent ${JSON.stringify({ ...done, request: 4711 })}\nprint own`,
    );
    expect(answer.reply["status"]).toBe("ok");
    expect(streamText(answer.outputs, "stdout")).toBe("own\n");
  });
});

describe("a line of the agent's pipe", () => {
  const wrong: [name: string, line: string, sentence: string][] = [
    ["that is no JSON", "{", "SyntaxError"],
    ["of an unknown type", '{"type":"frobnicate"}', 'an event of the agent of an unknown type ("frobnicate").'],
    [
      "with devices that are none",
      '{"type":"gauges","devices":[5]}',
      'an event of the agent "gauges" whose "devices" is missing or of another type.',
    ],
    [
      "with a prompt that is a number",
      '{"type":"inputRequest","request":1,"prompt":5,"password":false}',
      '"inputRequest" whose "prompt"',
    ],
    ["without an end", `${"x".repeat(5 << 20)}`, "without the end of a line."],
  ];

  test.each(wrong)("%s ends the session with a sentence", async (_name, line, sentence) => {
    const kernel = await openKernel({ env: fakeSession });
    const { reply } = await kernel.client.execute(`agentLine ${line}\nwait`);
    expect(reply).toMatchObject({ status: "error", ename: "SessionEnded", evalue: expect.stringMatching(ended) });
    expect(kernel.stderr()).toContain(sentence);
    expect(shown(await kernel.client.execute("works"))).toContainEqual(["execute_result", "works"]);
  });
});

describe("a cell of the notebook", () => {
  const fs = 'const fs = require("node:fs");';
  const frame = (hex: string) => `${fs} fs.writeSync(3, Buffer.from("${hex}", "hex"))`;
  const tries: [name: string, code: string][] = [
    ["sends a message of Node's own", 'process.send({ cmd: "NODE_HANDLE", type: "nothing" })'],
    ["sends the answer to a handle", 'process.send({ cmd: "NODE_HANDLE_ACK" })'],
    ["refuses a handle", 'process.send({ cmd: "NODE_HANDLE_NACK" })'],
    ["sends a handle", 'process.send({ type: "stream" }, require("node:net").createServer().listen(0))'],
    ["sends null", "process.send(null as never)"],
    [
      "sends what cannot be JSON",
      'const m = new Map(); m.set("m", m); process.send({ type: "display", request: 1, data: { m, big: 1n }, metadata: {}, displayId: null, update: false, buffers: [] })',
    ],
    ["writes a frame that does not read", frame("00000004deadbeef")],
    ["writes an empty frame", frame("00000000")],
    ["writes a frame of another version", frame("00000004ff7f5f00")],
    ["writes an object that refers to nothing", frame("00000006ff0f5e7f0000")],
    ["writes nothing to the agent's pipe", `${fs} fs.writeSync(4, "\\n")`],
    ["writes half a character to the agent's pipe", `${fs} fs.writeSync(4, Buffer.from([0xf0, 0x9f, 10]))`],
    ["closes the agent's pipe", `${fs} fs.closeSync(4)`],
    ["writes text to the events' pipe", `${fs} fs.writeSync(5, "text, and more of it")`],
    ["writes an event that does not read", `${fs} fs.writeSync(5, Buffer.from("564543570400000000000000", "hex"))`],
    ["writes an event that never ends", `${fs} fs.writeSync(5, Buffer.from("56454357ffffffff", "hex"))`],
    ["writes text of no stream", `${fs} fs.writeSync(5, Buffer.from("58544357080000000100000005000000", "hex"))`],
    ["closes the events' pipe", `${fs} fs.closeSync(5)`],
    ["closes its channel", "process.disconnect()"],
  ];

  test("that writes to every channel it finds does not end the kernel", async () => {
    const opened: TestKernel = await openKernel();
    for (const [name, code] of tries) {
      let answer = await opened.client.execute(`{ ${code}; }`);
      // The session may end a moment later, and fail a later cell for it.
      for (let tried = 0; answer.reply["status"] !== "ok" || tried < 3; tried++) {
        if (answer.reply["status"] !== "ok")
          expect([answer.reply["ename"], answer.reply["evalue"]], name).toEqual([
            "SessionEnded",
            expect.stringMatching(/^The session ended: .*code in a cell may have|^The session ended: SIGKILL/),
          ]);
        answer = await opened.client.execute('"works"');
      }
      expect(shown(answer), name).toContainEqual(["execute_result", "'works'"]);
      expect(opened.kernel.child.exitCode, name).toBeNull();
    }
  });
});
