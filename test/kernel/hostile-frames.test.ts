// What arrives on the sockets and no client of Jupyter's would send: the kernel stays, and answers the next one.
import { connect as connectRaw } from "node:net";
import { Dealer } from "zeromq";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { address } from "../../kernel/supervisor/connection.ts";
import { requestOf } from "../../kernel/supervisor/messages.ts";
import { fakeSession, next, openKernel, shown, until, type TestKernel } from "../helpers/kernel.ts";

async function stillRuns({ client, kernel }: TestKernel): Promise<void> {
  expect(await client.heartbeat(5000)).toBeGreaterThan(0);
  expect(shown(await client.execute("works"))).toContainEqual(["execute_result", "works"]);
  expect(kernel.child.exitCode).toBeNull();
}

function probe({ kernel }: TestKernel): Dealer {
  const socket = new Dealer({ linger: 0 });
  onTestFinished(() => socket.close());
  socket.connect(address(kernel.connection, "hb"));
  return socket;
}

describe("heartbeats", () => {
  test("of one frame, of none that means anything, and of many are echoed as they are", async () => {
    const kernel = await openKernel({ env: fakeSession });
    const socket = probe(kernel);
    for (const frames of [
      ["alone"],
      ["", "ping"],
      [""],
      ["a", "", "b", "", ""],
      Array.from({ length: 1000 }, (_, i) => String(i)),
    ]) {
      await socket.send(frames);
      expect((await socket.receive()).map(String)).toEqual(frames);
    }
    await stillRuns(kernel);
    expect(kernel.stderr()).toBe("");
  });

  test.each([
    "hb",
    "shell",
    "control",
    "stdin",
    "iopub",
  ] as const)("raw bytes on %s are nothing to the kernel", async (channel) => {
    const kernel = await openKernel({ transport: "tcp", env: fakeSession });
    for (const bytes of [
      Buffer.alloc(100, 0xff),
      Buffer.from("GET / HTTP/1.1\r\n\r\n"),
      Buffer.from([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3]),
      Buffer.from("ff00000000000000017f0300", "hex"),
      Buffer.from("01002a", "hex"),
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connectRaw(kernel.kernel.connection.ports[channel], "127.0.0.1", () => socket.end(bytes));
        socket
          .on("error", () => undefined)
          .on("close", () => resolve())
          .resume();
        // Some of it may be the begin of something: the kernel then waits for more of it.
        socket.on("finish", () => socket.destroy());
      });
    }
    await stillRuns(kernel);
  });

  test("that are in flight when the kernel shuts down do not change how it ends", async () => {
    const kernel = await openKernel({ env: fakeSession });
    const socket = probe(kernel);
    let isOver = false;
    const flood = (async () => {
      while (!isOver) await socket.send("probe");
    })();
    const drain = (async () => {
      for await (const _frames of socket) if (isOver) return;
    })();
    const { reply } = await kernel.client.request("control", "shutdown_request", { restart: false });
    expect(reply["status"]).toBe("ok");
    expect(await kernel.kernel.ended).toBe(0);
    isOver = true;
    socket.close();
    await Promise.allSettled([flood, drain]);
    expect(kernel.stderr()).toBe("");
  });
});

describe("a message over the limit", () => {
  const limit = 1 << 20;
  const open = () => openKernel({ env: { ...fakeSession, WARPCELL_MESSAGE_LIMIT: String(limit) } });

  test.each([
    "shell",
    "control",
    "stdin",
  ] as const)("on %s is dropped with the size, the limit and what to do, before it is hashed", async (channel) => {
    const kernel = await open();
    const message = kernel.client.frames(requestOf("execute_request", { code: "x".repeat(2 * limit) }));
    kernel.client.sendRaw(channel, message);
    await until(() => kernel.stderr().includes("[MESSAGE_TOO_LARGE]"));
    expect(kernel.stderr()).toMatch(
      new RegExp(
        `^warpcell: a message on ${channel} was dropped\\. It has 2,09\\d,\\d{3} bytes and the limit is 1,048,576\\. Send less at once, or set WARPCELL_MESSAGE_LIMIT to more bytes before the kernel starts\\. \\[MESSAGE_TOO_LARGE\\]\\n$`,
      ),
    );
    await stillRuns(kernel);
  });

  test("counts all of its frames", async () => {
    const kernel = await open();
    kernel.client.sendRaw("shell", [
      ...kernel.client.frames(requestOf("comm_msg", { comm_id: "a" })),
      ...Array.from({ length: 20 }, () => Buffer.alloc(limit / 16)),
    ]);
    await until(() => kernel.stderr().includes("[MESSAGE_TOO_LARGE]"));
    await stillRuns(kernel);
  });

  test("far over it, also on the heartbeat, costs its sender the connection and the kernel nothing", async () => {
    const kernel = await open();
    const socket = probe(kernel);
    const gone = new Promise((resolve) => socket.events.on("disconnect", resolve));
    await socket.send(Buffer.alloc(8 * limit));
    await gone;
    await stillRuns(kernel);
  });

  test("under it is read", async () => {
    const kernel = await open();
    const { reply } = await kernel.client.execute(`print ${"x".repeat(limit / 2)}`);
    expect(reply["status"]).toBe("ok");
  });

  test("a limit that is no number of bytes is said and ignored", async () => {
    const kernel = await openKernel({ env: { ...fakeSession, WARPCELL_MESSAGE_LIMIT: "much" } });
    expect(kernel.stderr()).toBe(
      'warpcell: WARPCELL_MESSAGE_LIMIT is "much", which is not a number of bytes; it is ignored.\n',
    );
    await stillRuns(kernel);
  });
});

describe("the client that comes with the kernel", () => {
  test("gives what a listener of a request's output throws to who made the request, and goes on", async () => {
    const { client } = await openKernel({ env: fakeSession });
    await expect(
      client.execute("print x", {}, () => {
        throw new Error("not printable");
      }),
    ).rejects.toThrow("not printable");
    expect((await client.execute("works")).reply["status"]).toBe("ok");
  });

  test("that closes with messages unsent says nothing of them", async () => {
    const { client } = await openKernel({ env: fakeSession });
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    for (let i = 0; i < 10; i++) client.send("control", requestOf("interrupt_request", {}));
    client.close();
    // Messages are handed over at the end of a turn of the event loop.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(written.mock.calls).toEqual([]);
  });

  test("goes on when a listener throws", async () => {
    const { client } = await openKernel({ env: fakeSession });
    const heard: string[] = [];
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    client.listen((_channel, { header }) => {
      heard.push(header.msg_type);
      throw new Error("a listener's own");
    });
    expect((await client.execute("works")).reply["status"]).toBe("ok");
    expect(heard).toContain("execute_result");
    expect(String(written.mock.calls[0]![0])).toMatch(/^warpcell: a listener threw: Error: a listener's own\n/);
  });
});
