// Cells over real sockets, through the real session: order, count, history, silence, abortion, expressions, questions,
// warnings about types.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { KernelClient } from "../../kernel/client.ts";
import { requestOf, type Json, type Message } from "../../kernel/supervisor/messages.ts";
import { fakeSession, next, openKernel, shown, streamText, until } from "../helpers/kernel.ts";

describe("a cell", () => {
  test("is busy, input, output, result, reply, idle, in this order and with the request as parent", async () => {
    const { client } = await openKernel();
    const seen: string[] = [];
    let request = "";
    client.listen((channel, { header, parent, content }) => {
      request ||= parent.msg_id ?? "";
      expect(parent.msg_id).toBe(request);
      seen.push(
        header.msg_type === "status"
          ? String(content["execution_state"])
          : channel === "shell"
            ? `reply`
            : header.msg_type,
      );
    });
    await client.execute('console.log("out"); 5');
    await until(() => seen.includes("idle"));
    expect(seen.filter((type) => type !== "reply")).toEqual([
      "busy",
      "execute_input",
      "stream",
      "execute_result",
      "idle",
    ]);
    expect(seen).toContain("reply");
  });

  test("counts, unless it is silent or not stored", async () => {
    const { client } = await openKernel();
    const count = async (options: object) => (await client.execute("1", { ...options })).reply["execution_count"];
    expect(await count({})).toBe(1);
    expect(await count({ silent: true })).toBe(1);
    expect(await count({ store_history: false })).toBe(1);
    expect(await count({})).toBe(2);
    expect(
      (await client.request("shell", "history_request", { hist_access_type: "tail", n: 10 })).reply["history"],
    ).toEqual([
      [1, 1, "1"],
      [1, 2, "1"],
    ]);
  });

  test("that is silent broadcasts nothing, and runs", async () => {
    const { client } = await openKernel();
    const { outputs, reply } = await client.execute('globalThis.ran = true; console.log("no"); display("no"); 1', {
      silent: true,
    });
    expect(shown({ outputs })).toEqual([]);
    expect(reply["status"]).toBe("ok");
    expect(await client.execute('throw new Error("quiet")', { silent: true })).toMatchObject({
      outputs: [],
      reply: { status: "error", evalue: "quiet" },
    });
    expect(shown(await client.execute("ran"))).toContainEqual(["execute_result", "true"]);
  });

  /** Sends cells of which the first fails, but not before the kernel has all of them. */
  async function together(client: KernelClient, cells: [code: string, options?: Json][]) {
    const here = mkdtempSync(join(tmpdir(), "warpcell-test-"));
    onTestFinished(() => rmSync(here, { recursive: true }));
    const go = join(here, "go");
    const answers = cells.map(([code, options], i) =>
      client.execute(i > 0 ? code : `while (!require("node:fs").existsSync(${JSON.stringify(go)})) ; ${code}`, options),
    );
    // Messages of one socket arrive in order, and this one is answered while a cell runs.
    await client.request("shell", "kernel_info_request", {});
    writeFileSync(go, "");
    return Promise.all(answers);
  }

  test("that fails aborts those already sent, and only those", async () => {
    const { client } = await openKernel();
    const answers = await together(client, [['throw new Error("first")'], ["2"], ["3"]]);
    expect(answers.map(({ reply }) => reply["status"])).toEqual(["error", "aborted", "aborted"]);
    expect(answers[1]?.outputs).toEqual([]);
    expect((await client.execute("4")).reply).toMatchObject({ status: "ok", execution_count: 2 });
  });

  test("that fails, and those aborted with it, leave the kernel idle", async () => {
    const { client } = await openKernel();
    const states: { request: string; type: string; state: unknown }[] = [];
    client.listen((_channel, { header, parent, content }) => {
      if (header.msg_type === "status")
        states.push({ request: parent.msg_id ?? "", type: String(parent.msg_type), state: content["execution_state"] });
    });
    await together(client, [['throw new Error("first")'], ["2"], ["3"]]);
    // What was said before the answer to a later request has been heard by its idle.
    await client.request("shell", "history_request", {});
    await until(() => states.some(({ type, state }) => type === "history_request" && state === "idle"));
    expect(states.at(-1)).toMatchObject({ state: "idle" });
    const last = new Map(states.map(({ request, state }) => [request, state]));
    expect([...last.values()].filter((state) => state !== "idle")).toEqual([]);
    expect(
      states
        .filter(({ type }) => type === "execute_request")
        .slice(-5)
        .map(({ state }) => state),
    ).toEqual(["idle", "busy", "idle", "busy", "idle"]);
  });

  test("that fails aborts nothing when stop_on_error is false", async () => {
    const { client } = await openKernel();
    const answers = await together(client, [['throw new Error("first")', { stop_on_error: false }], ["2"]]);
    expect(answers.map(({ reply }) => reply["status"])).toEqual(["error", "ok"]);
  });

  test("that fails silently aborts nothing", async () => {
    const { client } = await openKernel();
    const answers = await together(client, [['throw new Error("quiet")', { silent: true }], ["2"]]);
    expect(answers.map(({ reply }) => reply["status"])).toEqual(["error", "ok"]);
  });

  test("that fakes an answer which is no JSON gets an error, and the kernel lives", async () => {
    const { client } = await openKernel();
    const fake =
      'const body = require("node:v8").serialize({ type: "done", request: 1, status: "ok", token: "", error: null, userExpressions: { x: { status: "ok", data: { big: 1n }, metadata: {} } }, payload: [] }); const header = Buffer.alloc(8); header.writeUInt32LE(0x57434556, 0); header.writeUInt32LE(body.length, 4); require("node:fs").writeSync(5, Buffer.concat([header, body])); await new Promise((go) => setTimeout(go, 200))';
    expect((await client.execute(fake)).reply).toMatchObject({ status: "error", ename: "TypeError" });
    expect((await client.execute("1")).reply["status"]).toBe("ok");
  });

  test("answers user expressions one by one", async () => {
    const { client } = await openKernel();
    const { reply } = await client.execute("const known = 6", {
      user_expressions: { good: "known * 7", bad: "unknown" },
    });
    expect(reply["user_expressions"]).toMatchObject({
      good: { status: "ok", data: { "text/plain": "42" } },
      bad: { status: "error", ename: "ReferenceError" },
    });
    expect((await client.execute("1", { user_expressions: { wrong: 5 } })).reply).toMatchObject({
      status: "error",
      ename: "CONTENT_INVALID",
      evalue: '"wrong" must be a string, but is a number.',
    });
  });
});

describe("history", () => {
  test("by range, by glob, unique, and with outputs", async () => {
    const { client } = await openKernel({ env: fakeSession });
    for (const code of ["alpha", "beta", "alpha", "print gamma"]) await client.execute(code);
    const ask = async (content: object) =>
      (await client.request("shell", "history_request", { raw: true, output: false, ...content })).reply["history"];
    expect(await ask({ hist_access_type: "range", session: 0, start: 2, stop: 4 })).toEqual([
      [1, 2, "beta"],
      [1, 3, "alpha"],
    ]);
    expect(await ask({ hist_access_type: "range", session: 7, start: 0 })).toEqual([]);
    expect(await ask({ hist_access_type: "range", session: -1, start: 0 })).toEqual([]);
    expect(await ask({ hist_access_type: "search", pattern: "al*" })).toEqual([
      [1, 1, "alpha"],
      [1, 3, "alpha"],
    ]);
    expect(await ask({ hist_access_type: "search", pattern: "?e[s-u]a" })).toEqual([[1, 2, "beta"]]);
    expect(await ask({ hist_access_type: "search", pattern: "al*", unique: true })).toEqual([[1, 3, "alpha"]]);
    expect(await ask({ hist_access_type: "search", pattern: "*[^a-y]gam*" })).toEqual([[1, 4, "print gamma"]]);
    expect(await ask({ hist_access_type: "search", pattern: "[z-a]*" })).toEqual([]);
    expect(await ask({ hist_access_type: "search", pattern: "*", n: 1 })).toEqual([[1, 4, "print gamma"]]);
    expect(await ask({ hist_access_type: "tail", n: 2, output: true })).toEqual([
      [1, 3, ["alpha", "alpha"]],
      [1, 4, ["print gamma", null]],
    ]);
    expect(await ask({ hist_access_type: "constructor" })).toEqual([]);
  });
});

test("a search with many stars over a long cell is answered", async () => {
  const { client } = await openKernel({ env: fakeSession });
  await client.execute("a".repeat(20_000));
  expect(
    (await client.request("shell", "history_request", { hist_access_type: "search", pattern: "*a*a*a*a*a*a*b" })).reply,
  ).toEqual({ status: "ok", history: [] });
});

describe("stdin", () => {
  test("a prompt asks the client that runs the cell, and gets its answer", async () => {
    const { client } = await openKernel();
    const asked = next(client, ({ header }) => header.msg_type === "input_request");
    const cell = client.execute('console.log("before"); prompt("Name: ")', { allow_stdin: true });
    expect((await asked).content).toEqual({ prompt: "Name: ", password: false });
    expect(await client.heartbeat(1000)).toBeLessThan(1000);
    client.send("stdin", requestOf("input_reply", { value: "Ada" }));
    expect(shown(await cell)).toEqual([
      ["execute_input", 'console.log("before"); prompt("Name: ")'],
      ["stream", "stdout: before\n"],
      ["execute_result", "'Ada'"],
    ]);
  });

  test("an answer that nobody waits for is not kept for the next question", async () => {
    const { client, stderr } = await openKernel({ env: fakeSession });
    client.send("stdin", requestOf("input_reply", { value: "stale" }));
    // Told of when it arrives, and so does what was sent on this socket before.
    client.send("stdin", requestOf("frobnicate", {}));
    await until(() => stderr().includes("[MESSAGE_UNKNOWN]"));
    const asked = next(client, ({ header }) => header.msg_type === "input_request");
    const cell = client.execute("ask who", { allow_stdin: true });
    await asked;
    client.send("stdin", requestOf("input_reply", { value: "fresh" }));
    expect(streamText((await cell).outputs, "stdout")).toBe("answer fresh\n");
  });

  test("questions that a cell asks at once are asked one after the other, and each gets its own answer", async () => {
    const { client } = await openKernel();
    client.listen((_channel, { header, content }) => {
      if (header.msg_type === "input_request")
        client.send("stdin", requestOf("input_reply", { value: `to ${String(content["prompt"])}` }));
    });
    const answer = await client.execute(
      'const asked = [input("a"), input("b")]; [prompt("c"), ...await Promise.all(asked)]',
      { allow_stdin: true },
    );
    expect(shown(answer)).toContainEqual(["execute_result", "[ 'to c', 'to a', 'to b' ]"]);
  });

  test("a client that takes no questions is asked none", async () => {
    const { client } = await openKernel();
    const { reply } = await client.execute('prompt("Name: ")', { allow_stdin: false });
    expect(reply["status"]).toBe("error");
  });

  test("a question can be interrupted", async () => {
    const { client } = await openKernel();
    const asked = next(client, ({ header }) => header.msg_type === "input_request");
    const cell = client.execute('prompt("Name: ")', { allow_stdin: true });
    await asked;
    await client.request("control", "interrupt_request", {});
    expect((await cell).reply["status"]).toBe("error");
    expect((await client.execute("1")).reply["status"]).toBe("ok");
  });
});

describe("questions about code", () => {
  test("are answered while a cell runs", async () => {
    const { client } = await openKernel();
    await client.execute("const someNumber = 5");
    const started = next(client, ({ header }) => header.msg_type === "stream");
    const cell = client.execute('console.log("spinning"); for (;;);');
    await started;
    expect(
      (await client.request("shell", "complete_request", { code: "Math.hyp", cursor_pos: 8 })).reply,
    ).toMatchObject({ status: "ok", matches: ["hypot"], cursor_start: 5, cursor_end: 8 });
    expect(
      (await client.request("shell", "inspect_request", { code: "someNumber", cursor_pos: 4, detail_level: 0 })).reply,
    ).toMatchObject({ status: "ok", found: true });
    expect((await client.request("shell", "is_complete_request", { code: "f(" })).reply).toMatchObject({
      status: "incomplete",
    });
    await client.request("control", "interrupt_request", {});
    expect((await cell).reply["status"]).toBe("error");
    expect(shown(await client.execute("someNumber"))).toContainEqual(["execute_result", "5"]);
  });

  test("count positions in code points", async () => {
    const { client } = await openKernel();
    const code = 'const face = "🙂"; Math.hyp';
    const { reply } = await client.request("shell", "complete_request", { code, cursor_pos: [...code].length });
    expect(reply).toMatchObject({
      matches: ["hypot"],
      cursor_start: [...code].length - 3,
      cursor_end: [...code].length,
    });
  });
});

describe("types", () => {
  const isWarning = ({ header, content }: Message): boolean =>
    header.msg_type === "display_data" && gist(content) !== undefined;
  const gist = (content: Json): unknown => (content["data"] as Json)["text/plain"];

  test("a wrong type is a warning with the cell's line, and the cell runs", async () => {
    const { client } = await openKernel();
    await client.execute("const ready = 1");
    await client.request("shell", "complete_request", { code: "Math.hyp", cursor_pos: 8 });
    const warning = next(client, isWarning);
    const wrong = await client.execute('\nconst text: number = "no";\ntext');
    expect(wrong.reply["status"]).toBe("ok");
    expect(gist((await warning).content)).toBe(
      "\u001b[33mtype error TS2322\u001b[39m: Type 'string' is not assignable to type 'number'.\n\nCell [2]:2:7\n> 2 | const text: number = \"no\";\n    |       ^",
    );
    expect(streamText(wrong.outputs, "stderr")).toBe("");
  });

  test("of the very first cell are shown under it, though the service is still starting when it ends", async () => {
    const { client } = await openKernel();
    const warning = next(client, isWarning);
    const { outputs } = await client.execute('const text: number = "no";');
    const { content, parent } = await warning;
    expect(gist(content)).toBe(
      "\u001b[33mtype error TS2322\u001b[39m: Type 'string' is not assignable to type 'number'.\n\nCell [1]:1:7\n> 1 | const text: number = \"no\";\n    |       ^",
    );
    expect(parent).toMatchObject({ msg_id: outputs[0]!.parent.msg_id });
  });

  test("%types strict fails the cell before it runs; %types off looks for none", async () => {
    const { client } = await openKernel();
    const strict = await client.execute('%types strict\nglobalThis.ran = true; const text: number = "no";');
    expect(strict.reply).toMatchObject({ status: "error", ename: "TypesError" });
    expect(strict.reply["evalue"]).toBe("The cell has a type error and was not run, because of %types strict.");
    expect((strict.reply["traceback"] as string[]).join("\n")).toMatch(
      /\u001b\[31mtype error TS2322\u001b\[39m: Type 'string'[^\n]*\n\nCell \[1\]:2:30\n> 2 \| globalThis.ran = true; const text: number = "no";\n    \| {30}\^$/,
    );
    expect(shown(await client.execute("%types off\n(globalThis as any).ran"))).not.toContainEqual([
      "execute_result",
      "true",
    ]);
    const off = await client.execute('const other: number = "no"; other');
    expect(off.outputs.some(isWarning)).toBe(false);
    expect(off.reply["status"]).toBe("ok");
  });
});

test("an unknown magic fails the cell with what there is", async () => {
  const { client } = await openKernel();
  const { reply, outputs } = await client.execute("%frobnicate\n1");
  expect(reply).toMatchObject({
    status: "error",
    ename: "MagicError",
    evalue: "There is no magic %frobnicate. %lsmagic lists them.",
  });
  expect(outputs.filter(({ header }) => header.msg_type === "error")).toHaveLength(1);
});
