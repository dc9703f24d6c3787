// Output over real sockets: nothing lost, nothing after idle, few messages, the right cell; binary data; comms and
// gauges.
import { describe, expect, test } from "vitest";
import { requestOf, type Message } from "../../kernel/supervisor/messages.ts";
import { connect, fakeSession, next, openKernel, shown, streamText, until } from "../helpers/kernel.ts";

const streams = (outputs: readonly Message[]) => outputs.filter(({ header }) => header.msg_type === "stream");

describe("text", () => {
  test("of 20,000 prints comes whole, in order, in few messages, before idle", async () => {
    const { client } = await openKernel();
    const begin = performance.now();
    const { outputs } = await client.execute(
      'for (let i = 0; i < 20_000; i++) console.log(String(i).padStart(99, "."));',
    );
    const took = performance.now() - begin;
    const expected = Array.from({ length: 20_000 }, (_, i) => `${String(i).padStart(99, ".")}\n`).join("");
    expect(streamText(outputs, "stdout") === expected).toBe(true);
    // One per MiB, and one per 20 ms of the time it took, by timers that may be a millisecond early.
    expect(streams(outputs).length).toBeLessThanOrEqual(3 + took / 19);
  });

  test("of native code belongs to the running cell, up to its last byte", async () => {
    const { client } = await openKernel();
    for (let round = 0; round < 20; round++) {
      const { outputs } = await client.execute(
        `require("node:fs").writeSync(1, "native ${round} ⚡".repeat(1000)); require("node:fs").writeSync(2, "error ${round}\\n");`,
      );
      expect(streamText(outputs, "stdout")).toBe(`native ${round} ⚡`.repeat(1000));
      expect(streamText(outputs, "stderr")).toBe(`error ${round}\n`);
    }
  });

  test("that looks like the end of a cell is shown as it is", async () => {
    const { client } = await openKernel();
    const odd = "a\u001e0123456789abcdef\u001eb\u001e\u001e";
    const { outputs } = await client.execute(`require("node:fs").writeSync(1, ${JSON.stringify(odd)}); 1`);
    expect(streamText(outputs, "stdout")).toBe(odd);
  });

  test("of a child process belongs to the cell that waits for it", async () => {
    const { client } = await openKernel();
    const { outputs } = await client.execute(
      'require("node:child_process").execSync("echo from the child", { stdio: "inherit" }); 1',
    );
    expect(streamText(outputs, "stdout")).toBe("from the child\n");
  });

  test("of a late timer goes to the cell that started it", async () => {
    const { client } = await openKernel();
    const late = next(
      client,
      ({ header, content }) => header.msg_type === "stream" && String(content["text"]).includes("late"),
    );
    const first = next(client, ({ header }) => header.msg_type === "execute_input");
    await client.execute('setTimeout(() => console.log("late"), 200); 1');
    await client.execute("2");
    expect((await late).parent.msg_id).toBe((await first).parent.msg_id);
  });

  test("of a cell whose reader is slow is not lost", async () => {
    const { client } = await openKernel({ env: fakeSession });
    const { outputs } = await client.execute(
      Array.from({ length: 5000 }, (_, i) => `${i % 2 === 0 ? "print" : "warn"} ${i}`).join("\n"),
    );
    expect(streams(outputs)).toHaveLength(5000);
    expect(
      streams(outputs)
        .map(({ content }) => String(content["text"]))
        .join(""),
    ).toBe(Array.from({ length: 5000 }, (_, i) => `${i}\n`).join(""));
  });
});

describe("displays", () => {
  test("are shown, updated by id, and cleared", async () => {
    const { client } = await openKernel();
    const { outputs } = await client.execute(
      'display("one", { display_id: "d" }); display.update("d", "two"); display.clear(true); display(html`<b>x</b>`); 1',
    );
    expect(outputs.map(({ header }) => header.msg_type)).toEqual([
      "execute_input",
      "display_data",
      "update_display_data",
      "clear_output",
      "display_data",
      "execute_result",
    ]);
    expect(outputs[1]?.content["transient"]).toEqual({ display_id: "d" });
    expect(outputs[3]?.content).toEqual({ wait: true });
    expect((outputs[4]?.content["data"] as Record<string, unknown>)["text/html"]).toBe("<b>x</b>");
  });

  test("of progress are one output, which a loop without an await changes", async () => {
    const { client } = await openKernel();
    const { outputs, reply } = await client.execute(
      'import { progress } from "warpcell"; let loss = 0; for (const x of progress([1, 2, 4], { show: () => ({ loss }) })) loss = 1 / x;',
    );
    expect(reply["status"]).toBe("ok");
    const shows = outputs.filter(({ header }) => header.msg_type.includes("display_data"));
    expect(shows[0]?.header.msg_type).toBe("display_data");
    expect(shows.slice(1).map(({ header }) => header.msg_type)).toContain("update_display_data");
    expect(new Set(shows.map(({ content }) => JSON.stringify(content["transient"]))).size).toBe(1);
    const texts = shows.map(({ content }) => (content["data"] as Record<string, string>)["text/plain"]!);
    expect(texts[0]).toMatch(/^ {2}0% │ +│ 0\/3 · 0:00$/);
    expect(texts.at(-1)).toMatch(/^100% │█+│ 3\/3 · .* · loss 0\.25$/);
    expect(streamText(outputs, "stdout")).toBe("");
  });

  test.each([1000, 256 * 1024, 8 << 20])("carry %i bytes unchanged", async (size) => {
    const { client } = await openKernel();
    const { outputs, reply } = await client.execute(
      `const bytes = new Uint8Array(${size}); for (let i = 0; i < bytes.length; i++) bytes[i] = i * 7; await display("x", { buffers: [bytes, bytes.subarray(0, 3)] }); undefined`,
    );
    expect(reply["status"]).toBe("ok");
    const buffers = outputs.find(({ header }) => header.msg_type === "display_data")?.buffers ?? [];
    expect(buffers.map((buffer) => buffer.byteLength)).toEqual([size, 3]);
    expect(Buffer.from(buffers[0] ?? []).equals(Buffer.from(Uint8Array.from({ length: size }, (_, i) => i * 7)))).toBe(
      true,
    );
  });

  test("of many megabytes, one after the other, keep their own bytes although the memory between the processes is used again", async () => {
    const { client } = await openKernel();
    const rounds = 60,
      size = 5 << 20;
    const { outputs } = await client.execute(
      `for (let round = 0; round < ${rounds}; round++) { display("x", { buffers: [new Uint8Array(${size}).fill(round)] }); if (round % 7 === 0) await new Promise((resolve) => setTimeout(resolve)); }`,
    );
    const buffers = outputs.flatMap((output) => output.buffers);
    expect(buffers.length).toBe(rounds);
    expect(buffers.map((buffer, round) => Buffer.from(buffer).equals(Buffer.alloc(size, round)))).toEqual(
      Array<boolean>(rounds).fill(true),
    );
  });

  test("of a new session come after those of one that died", async () => {
    const { client } = await openKernel();
    const size = 8 << 20;
    for (const value of [5, 6]) {
      const { outputs } = await client.execute(
        `display("x", { buffers: [new Uint8Array(${size}).fill(${value})] }); 1`,
      );
      expect(
        outputs
          .flatMap(({ buffers }) => buffers)
          .map((buffer) => Buffer.from(buffer).equals(Buffer.alloc(size, value))),
      ).toEqual([true]);
      expect((await client.execute("process.exit(1)")).reply["status"]).toBe("error");
    }
  });
});

describe("comms", () => {
  const open = (target: string, comm = "c1", data: unknown = {}) => ({ comm_id: comm, target_name: target, data });

  test("a message of a comm that says not which has no reply, but a line on stderr", async () => {
    const { client, stderr } = await openKernel({ env: fakeSession });
    const replies: string[] = [];
    client.listen((channel, { header }) => {
      if (channel === "shell") replies.push(header.msg_type);
    });
    client.send("shell", requestOf("comm_msg", { data: 5 }));
    await client.request("shell", "history_request", {});
    expect(replies).toEqual(["history_reply"]);
    await until(() =>
      stderr().includes('comm_msg was dropped. "comm_id" must be a string, but is nothing. [CONTENT_INVALID]'),
    );
  });

  test("a handler that spins is stopped by an interrupt, without a cell and behind one, is idle then, and cells run", async () => {
    const { client } = await openKernel();
    await client.execute('let kept = 7; Comm.register("spin", () => { console.log("spins"); for (;;); })');
    const isOf =
      (id: string, type: string) =>
      ({ header, parent }: Message) =>
        parent.msg_id === id && header.msg_type === type;
    const isIdleOf = (id: string) => (message: Message) =>
      isOf(id, "status")(message) && message.content["execution_state"] === "idle";

    for (const isCellWaiting of [false, true]) {
      const request = requestOf("comm_open", open("spin", `spin-${isCellWaiting}`));
      const heard = [isOf(request.header.msg_id, "error"), isIdleOf(request.header.msg_id)].map((wanted) =>
        next(client, wanted),
      );
      const cell = isCellWaiting ? client.execute("await new Promise(() => undefined)") : null;
      const spins = next(
        client,
        ({ header, content }) => header.msg_type === "stream" && content["text"] === "spins\n",
      );
      client.send("shell", request);
      await spins;
      await client.request("control", "interrupt_request", {});
      expect((await heard[0]!).content["ename"]).toBe("Interrupted");
      await heard[1];
      if (cell !== null) expect((await cell).reply).toMatchObject({ status: "error", ename: "Interrupted" });
      expect(shown(await client.execute("kept"))).toContainEqual(["execute_result", "7"]);
    }
  });

  test("of a target that nobody has are closed", async () => {
    const { client } = await openKernel();
    const closed = next(client, ({ header }) => header.msg_type === "comm_close");
    client.send("shell", requestOf("comm_open", open("nobody")));
    expect((await closed).content).toEqual({ comm_id: "c1", data: {} });
  });

  test("of a target that a cell registered carry messages and buffers both ways", async () => {
    const { client } = await openKernel();
    await client.execute(
      'Comm.register("echo", (comm, { data }) => { comm.onMessage = ({ data, buffers }) => comm.send({ got: data }, { buffers }); comm.send({ opened: data }); })',
    );
    const opened = next(client, ({ header }) => header.msg_type === "comm_msg");
    client.send("shell", requestOf("comm_open", open("echo", "c2", { a: 1 })));
    expect((await opened).content).toEqual({ comm_id: "c2", data: { opened: { a: 1 } } });
    expect((await client.request("shell", "comm_info_request", {})).reply["comms"]).toEqual({
      c2: { target_name: "echo" },
    });
    expect((await client.request("shell", "comm_info_request", { target_name: "other" })).reply["comms"]).toEqual({});

    const answered = next(client, ({ header }) => header.msg_type === "comm_msg");
    const idle = next(
      client,
      ({ header, content }) => header.msg_type === "status" && content["execution_state"] === "idle",
    );
    const bytes = Buffer.alloc(300_000, 9);
    client.send("shell", {
      ...requestOf("comm_msg", { comm_id: "c2", data: 5 }),
      buffers: [bytes, Buffer.from([1, 2])],
    });
    const answer = await answered;
    expect(answer.content["data"]).toEqual({ got: 5 });
    expect(answer.buffers.map((buffer) => Buffer.from(buffer))).toEqual([bytes, Buffer.from([1, 2])]);
    await idle;
  });

  test("are closed when the session dies", async () => {
    const { client } = await openKernel();
    await client.execute('new Comm("mine", { id: "c3" }); 1');
    const closed = next(client, ({ header }) => header.msg_type === "comm_close");
    await client.execute("process.exit(1)");
    expect((await closed).content).toEqual({ comm_id: "c3", data: {} });
    expect((await client.request("shell", "comm_info_request", {})).reply["comms"]).toEqual({});
  });

  test("on warpcell.gauges bring gauges also while a cell spins, and again after the session died", async () => {
    const { client } = await openKernel({ env: fakeSession });
    const gauge = () =>
      next(client, ({ header, content }) => header.msg_type === "comm_msg" && content["comm_id"] === "g");
    const first = gauge();
    client.send("shell", requestOf("comm_open", open("warpcell.gauges", "g")));
    expect((await first).content["data"]).toMatchObject({ version: 1, busy: false, devices: [{ device: "cpu" }] });
    await client.execute("exit 1");
    const waiting = client.execute("wait");
    const numbers: number[] = [];
    await until(async () => {
      const { sequence, busy } = (await gauge()).content["data"] as { sequence: number; busy: boolean };
      if (busy) numbers.push(sequence);
      return numbers.length === 2;
    });
    expect(numbers[1]).toBeGreaterThan(numbers[0]!);
    await client.request("control", "interrupt_request", {});
    expect((await waiting).reply["status"]).toBe("error");
  });

  test("on warpcell.gauges bring what the library knows of its devices", async () => {
    const { client } = await openKernel();
    await client.execute('import { zeros } from "warpcell"; zeros([1])');
    // Which device is the default comes to the thread of gauges a moment after the device itself.
    const gauge = next(
      client,
      ({ header, content }) =>
        header.msg_type === "comm_msg" &&
        content["comm_id"] === "g" &&
        (content["data"] as { devices: { active: boolean }[] }).devices.some(({ active }) => active),
    );
    client.send("shell", requestOf("comm_open", open("warpcell.gauges", "g")));
    expect((await gauge).content["data"]).toMatchObject({
      version: 1,
      devices: [{ active: true, allocated: expect.any(Number) }],
    });
    expect((await client.execute("1")).reply["status"]).toBe("ok");
  });

  test("on warpcell.gauges are closed when a client goes without a word, and opened again by who stays", async () => {
    const opened = await openKernel();
    const stays = opened.client,
      goes = connect(opened);
    await goes.ready();
    await stays.execute('new Comm("mine", { id: "c4" }); 1');
    const first = next(
      stays,
      ({ header, content }) => header.msg_type === "comm_msg" && content["comm_id"] === "of-goes",
    );
    stays.send("shell", requestOf("comm_open", open("warpcell.gauges", "of-stays")));
    goes.send("shell", requestOf("comm_open", open("warpcell.gauges", "of-goes")));
    await first;

    const closed: Message[] = [];
    stays.listen((_channel, message) => {
      if (message.header.msg_type === "comm_close") closed.push(message);
    });
    goes.close();
    await until(async () => closed.length === 2);
    expect(
      closed.map(({ content }) => content).sort((a, b) => String(a["comm_id"]).localeCompare(String(b["comm_id"]))),
    ).toEqual([
      { comm_id: "of-goes", data: { reopen: true } },
      { comm_id: "of-stays", data: { reopen: true } },
    ]);
    expect((await stays.request("shell", "comm_info_request", {})).reply["comms"]).toEqual({
      c4: { target_name: "mine" },
    });

    const again = next(stays, ({ header }) => header.msg_type === "comm_msg");
    stays.send("shell", requestOf("comm_open", open("warpcell.gauges", "again")));
    expect((await again).content["comm_id"]).toBe("again");
  });
});
