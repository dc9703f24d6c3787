// Many comm messages and large ones: what they bring stays with whoever got it, and no cell's output goes to another.
import { expect, test } from "vitest";
import { requestOf } from "../../kernel/supervisor/messages.ts";
import { next, openKernel, shown, streamText } from "../helpers/kernel.ts";
import { TestSession } from "../helpers/session.ts";

test("a cell that runs while 10,500 comm messages come keeps its output and its result, and a late print its cell", async () => {
  const { client } = await openKernel();
  const before = await client.execute(
    'let seen = 0, finish, late; Comm.register("count", (comm) => { comm.onMessage = ({ data }) => { seen++; if (data === "last") finish(); }; }); new Promise((resolve) => { late = resolve; }).then(() => console.log("late"));',
  );
  const id = (await client.execute("1")).outputs[0]!.parent.msg_id;
  expect(id).toBeDefined();
  client.send("shell", requestOf("comm_open", { comm_id: "c", target_name: "count", data: {} }));
  const printed = next(client, ({ header }) => header.msg_type === "stream");
  const lateText = next(
    client,
    ({ header, content }) => header.msg_type === "stream" && String(content["text"]).includes("late"),
  );
  const cell = client.execute(
    'console.log("starts"); await new Promise((resolve) => { finish = resolve; }); console.log("ends"); late(); seen',
  );
  await printed;
  for (let i = 1; i <= 10_500; i++) {
    client.send("shell", requestOf("comm_msg", { comm_id: "c", data: i }));
    if (i % 500 === 0) await client.request("control", "kernel_info_request", {});
  }
  client.send("shell", requestOf("comm_msg", { comm_id: "c", data: "last" }));
  const answer = await cell;
  expect(streamText(answer.outputs, "stdout")).toBe("starts\nends\n");
  expect(shown(answer)).toContainEqual(["execute_result", "10501"]);
  expect((await lateText).parent.msg_id).toBe(before.outputs[0]!.parent.msg_id);
});

test("a buffer that a handler keeps before it throws is not overwritten by the next message", async () => {
  const { client } = await openKernel();
  await client.execute(
    'const kept = []; Comm.register("keep", (comm) => { comm.onMessage = ({ buffers }) => { kept.push(...buffers); throw new Error("after reading"); }; });',
  );
  client.send("shell", requestOf("comm_open", { comm_id: "c", target_name: "keep", data: {} }));
  for (let i = 1; i <= 4; i++) {
    const request = {
      ...requestOf("comm_msg", { comm_id: "c", data: i }),
      buffers: [Buffer.alloc(8 << 20, i), Buffer.alloc(1 << 20, 10 + i)],
    };
    const error = next(
      client,
      ({ header, parent }) => header.msg_type === "error" && parent.msg_id === request.header.msg_id,
    );
    client.send("shell", request);
    expect((await error).content["evalue"]).toBe("after reading");
  }
  expect(
    shown(
      await client.execute("kept.map((bytes) => bytes.every((byte) => byte === bytes[0]) ? bytes[0] : 'mixed').join()"),
    ),
  ).toContainEqual(["execute_result", "'1,11,2,12,3,13,4,14'"]);
});

test("memory of large messages that a session died on is used again", async () => {
  const { client } = await openKernel();
  const send = async (type: string, content: Record<string, unknown>) => {
    const request = { ...requestOf(type, content), buffers: [Buffer.alloc(1 << 20, 5)] };
    const idle = next(
      client,
      ({ header, parent, content }) =>
        header.msg_type === "status" &&
        content["execution_state"] === "idle" &&
        parent.msg_id === request.header.msg_id,
    );
    client.send("shell", request);
    await idle;
  };
  for (let life = 0; life < 3; life++) {
    await client.execute(
      'Comm.register("size", (comm, { buffers }) => { if (buffers[0].every((byte) => byte === 5)) globalThis.whole = true; comm.onMessage = () => process.exit(1); });',
    );
    await send("comm_open", { comm_id: "c", target_name: "size", data: {} });
    expect(shown(await client.execute("whole"))).toContainEqual(["execute_result", "true"]);
    await send("comm_msg", { comm_id: "c", data: {} });
  }
});

test("the session says of which requests nothing is left, and not of those with a timer or a promise", async () => {
  const session = await TestSession.start();
  try {
    await session.run("let release; new Promise((resolve) => { release = resolve; }).then(() => console.log('late'));");
    await session.run("setInterval(() => undefined, 1e6); 1");
    await session.run("2");
    const released = () => session.events.flatMap((event) => (event.type === "released" ? event.requests : []));
    await session.run("3");
    await session.run(
      'const { setFlagsFromString } = require("node:v8"); setFlagsFromString("--expose_gc"); const gc = require("node:vm").runInNewContext("gc");',
    );
    for (let round = 0; round < 10 && !released().includes(3); round++)
      await session.run("gc(); await new Promise((resolve) => setImmediate(resolve))");
    await session.until(() => released().includes(3));
    expect(released()).not.toContain(1);
    expect(released()).not.toContain(2);
    await session.run("release()");
    expect(session.printed(1, "stdout")).toBe("late\n");
  } finally {
    await session.end();
  }
});
