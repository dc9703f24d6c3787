// The session's agent thread: a cell that spins, waits or asks is stopped, variables stay, and nothing outlives the
// supervisor.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestSession } from "../helpers/session.ts";

let session: TestSession;

beforeAll(async () => {
  session = await TestSession.start();
  await session.run("let kept = 'kept'");
});

afterAll(() => session.end());

/** Starts a cell, waits until it prints "on", and interrupts it. */
async function interrupted(code: string) {
  const request = session.send(code);
  await session.until(() => session.printed(request, "stdout").includes("on"));
  session.agent({ type: "interrupt", request });
  const ran = await session.ended(request);
  await session.until(() =>
    session.agentEvents.some((event) => event.type === "interrupted" && event.request === request),
  );
  return ran;
}

const on =
  "await new Promise((go) => setTimeout(go, 5)); console.log('on'); await new Promise((go) => setImmediate(go)); ";

describe("an interrupt stops", () => {
  test.each([
    ["a loop", `${on} for (;;) ;`],
    ["a loop that catches", `${on} for (;;) { try { for (;;) ; } catch {} }`],
    ["a loop that finally spins on", `${on} try { for (;;) ; } finally { kept = 'kept' }`],
    ["an endless chain of promises", `${on} for (;;) await null`],
    ["a promise that never settles", `${on} await new Promise(() => {})`],
    ["a blocked thread", `${on} Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`],
    ["a child process", `${on} require('node:child_process').execSync('sleep 20; true')`],
    [
      "a child process whose end is no error",
      "process.stdout.write('on'.repeat(70000)); require('node:child_process').spawnSync('sleep', ['20'])",
    ],
    ["a timer's callback", "setTimeout(() => { console.log('on'); for (;;) ; }, 1); await new Promise(() => {})"],
    [
      "an immediate's callback",
      "setImmediate(() => 0); setImmediate(() => { console.log('on'); for (;;) ; }); await new Promise(() => {})",
    ],
    ["the display of a value", `${on} ({ [Symbol.for('Jupyter.display')]() { for (;;) ; } })`],
    ["a loop at once", "process.stdout.write('on'.repeat(70000)); for (;;) ;"],
  ])("%s", async (_, code) => {
    const { status, error } = await interrupted(code);
    expect({ status, name: error?.name, message: error?.message }).toEqual({
      status: "error",
      name: "Interrupted",
      message: "The cell was stopped by an interrupt. All variables are kept.",
    });
    expect(error?.traceback).toHaveLength(1);
    expect((await session.run("kept")).result).toBe("'kept'");
  });
});

test("an interrupt of a request that has ended stops nothing", async () => {
  const first = session.send("1");
  await session.ended(first);
  session.agent({ type: "interrupt", request: first });
  await session.until(() =>
    session.agentEvents.some((event) => event.type === "interrupted" && event.request === first),
  );
  expect((await session.run("let n = 0; while (n < 1e6) n++; n")).result).toBe("1000000");
});

test("a cell that waits behind another's endless timer is stopped before it starts, with the timer's loop", async () => {
  const first = session.send("setTimeout(() => { console.log('on'); for (;;) ; }, 1); 1");
  await session.until(() => session.printed(first, "stdout").includes("on"));
  const request = session.send("kept = 'changed'");
  session.agent({ type: "interrupt", request });
  expect((await session.ended(request)).error?.name).toBe("Interrupted");
  expect((await session.run("kept")).result).toBe("'kept'");
});

test("a timer that an interrupted cell left behind goes on", async () => {
  await interrupted(
    "const ticking = setInterval(() => { globalThis.ticks = (globalThis.ticks ?? 0) + 1 }, 1); console.log('on'); for (;;) await null",
  );
  expect(
    (
      await session.run(
        "const before = ticks ?? 0; await new Promise((go) => setTimeout(go, 30)); clearInterval(ticking); ticks > before",
      )
    ).result,
  ).toBe("true");
});

describe("a question", () => {
  async function asked(code: string, answers: (string | null)[]) {
    const request = session.send(code);
    for (const [i, value] of answers.entries()) {
      await session.until(
        () =>
          session.agentEvents.filter((event) => event.type === "inputRequest" && event.request === request).length > i,
      );
      session.agent({ type: "inputReply", request, value });
    }
    return session.ended(request);
  }

  test("blocks the cell until it is answered", async () => {
    const { result } = await asked("console.log('first'); const name = prompt('Name? '); name.length", ["Ada"]);
    expect(result).toBe("3");
    expect(session.agentEvents.findLast(({ type }) => type === "inputRequest")).toMatchObject({
      prompt: "Name? ",
      password: false,
    });
  });

  test("has a default, a yes or no, and a form that does not block", async () => {
    const code =
      "const given = [prompt('a', 'default'), confirm('b'), confirm('c')]; setTimeout(() => given.push('timer'), 1); given.push(await input('d', { password: true })); given";
    expect((await asked(code, ["", "Yes", "", "secret"])).result).toMatch(
      /^\[ 'default', true, false, ('timer', 'secret'|'secret') \]$/,
    );
    expect(session.agentEvents.findLast(({ type }) => type === "inputRequest")).toMatchObject({
      prompt: "d",
      password: true,
    });
  });

  test.each([
    ["prompt('Your name?', 'Ada')", "Your name? [Ada] "],
    ["prompt('Your name? ', 'Ada')", "Your name? [Ada] "],
    ["prompt('', 'Ada')", "[Ada] "],
    ["prompt('Your name? ', '')", "Your name? "],
  ])("%s asks %j: what an empty answer means is shown", async (code, prompt) => {
    await asked(code, [""]);
    expect(session.agentEvents.findLast(({ type }) => type === "inputRequest")).toMatchObject({ prompt });
  });

  test.each([
    ["the end of input", "\u0004"],
    ["a front end that gave up", null],
  ])("answered by %s is null", async (_, value) => {
    expect((await asked("prompt('x')", [value])).result).toBe("null");
  });

  test("where nobody can be asked, is an error", async () => {
    const { error } = await session.run("prompt('x')", { allowStdin: false });
    expect(error).toMatchObject({
      name: "NoInputError",
      message: expect.stringMatching(/^This front end cannot ask the user \(allow_stdin is false\)\./),
    });
  });

  test("is stopped by an interrupt", async () => {
    const request = session.send("prompt('x')");
    await session.until(() =>
      session.agentEvents.some((event) => event.type === "inputRequest" && event.request === request),
    );
    session.agent({ type: "interrupt", request });
    expect((await session.ended(request)).error?.name).toBe("Interrupted");
    expect((await asked("prompt('again')", ["fine"])).result).toBe("'fine'");
  });

  test("comes after much output that nobody has read yet", async () => {
    const { result, stdout } = await asked(
      "for (let i = 0; i < 2e5; i++) console.log('a line of output', i); prompt('now?')",
      ["yes"],
    );
    expect(result).toBe("'yes'");
    expect(stdout.split("\n").length).toBe(2e5 + 1);
  });
});

test("an interrupt that comes again and again stops the cell once, and the next one runs", async () => {
  for (let round = 0; round < 5; round++) {
    const request = session.send(`${on} Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`);
    await session.until(() => session.printed(request, "stdout").includes("on"));
    for (let press = 0; press < 4; press++) session.agent({ type: "interrupt", request });
    expect((await session.ended(request)).error?.name).toBe("Interrupted");
    expect((await session.run("kept")).result).toBe("'kept'");
  }
});

describe("the end", () => {
  test.each([
    ["process.exit(3)", 3, null],
    ["process.kill(process.pid, 'SIGSEGV')", null, "SIGSEGV"],
  ])("%s ends the session, after its output", async (code, exitCode, signal) => {
    const own = await TestSession.start();
    // Not `exit`: what it said last may be read after that.
    const ended = new Promise((resolve) => own.process.once("close", (...given) => resolve(given)));
    const request = own.send(
      `console.log('last words'); ${signal === null ? "" : "await new Promise((go) => setImmediate(go)); "}${code}`,
    );
    expect(await ended).toEqual([exitCode, signal]);
    expect(own.printed(request, "stdout")).toBe("last words\n");
    expect(own.native.stdout + own.native.stderr).not.toContain("debugger");
  });

  test("comes when the supervisor is gone, also while a cell spins", async () => {
    const own = await TestSession.start();
    const ended = new Promise((resolve) => own.process.once("exit", (_, signal) => resolve(signal)));
    const request = own.send("process.stdout.write('on'.repeat(70000)); for (;;) ;");
    await own.until(() => own.printed(request, "stdout").includes("on"));
    own.disconnect();
    expect(await ended).toBe("SIGKILL");
  });

  test("comes with the channel alone, also when errors go on to come", async () => {
    const own = await TestSession.start();
    const ended = new Promise((resolve) => own.process.once("exit", (_, signal) => resolve(signal)));
    await own.run("setInterval(() => { throw new Error('again') }, 1); 1");
    own.process.disconnect();
    expect(await ended).toBe("SIGKILL");
  });
});
