// The debugger as a front end meets it, over real sockets: stops in cells, functions of earlier ones and files, what is
// seen there, and that nothing hangs.
import { expect, test } from "vitest";
import { murmur2 } from "../../node_modules/@jupyterlab/debugger/lib/hash.js";
import { requestOf, type Json } from "../../kernel/supervisor/messages.ts";
import { Debugging, texts } from "../helpers/debugging.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { connect, next, openKernel, shown } from "../helpers/kernel.ts";
import { running, viewer } from "../helpers/views.ts";

const cell = `const factor = 3;
let total = 0;

interface Row { n: number }
function scaled(row: Row): number {
  const by = row.n * factor;
  return by;
}
for (const n of [1, 2]) {
  total += scaled({ n });
}
total`;

test("a breakpoint stops a cell: stack, scopes and values, and it goes on", async () => {
  const { client } = await openKernel();
  await client.execute("const before = [1, { deep: new Map([['key', 2n]]) }];");
  const debug = await new Debugging(client).start();
  expect(await debug.breakAt({ code: cell }, 6)).toEqual([6]);

  const stopped = debug.stop();
  const running = client.execute(cell);
  const first = await stopped;
  expect(first).toMatchObject({ reason: "breakpoint", stack: ["scaled at 6", "Cell [2] at 10"] });
  const scopes = await debug.scopes(first.frames[0]!.id);
  expect(scopes["Locals"]).toEqual({ row: "Object 1 field", by: "undefined" });
  expect(scopes["Globals"]).toEqual({ before: "Array 2 items", factor: "3", scaled: "function", total: "0" });

  const { variables } = (await debug.ask("inspectVariables")) as { variables: never[] };
  const [array] = variables as { variablesReference: number }[];
  const items = await debug.open(array!.variablesReference);
  expect(texts(items)).toEqual({ 0: "1", 1: "Object 1 field" });
  const object = await debug.open(items["1"]!.variablesReference);
  expect(texts(await debug.open(object["deep"]!.variablesReference))).toEqual({ '"key"': "2n" });

  expect((await debug.go("continue")).stack).toEqual(["scaled at 6", "Cell [2] at 10"]);
  await debug.ask("continue", { threadId: 1 });
  expect(shown(await running)).toContainEqual(["execute_result", "9"]);
});

test("a kernel says that it can be debugged, and how cells are called", async () => {
  const { client } = await openKernel();
  const { reply } = await client.request("shell", "kernel_info_request", {});
  expect(reply).toMatchObject({ debugger: true, supported_features: ["debugger"] });
  const debug = new Debugging(client);
  const info = await debug.ask("debugInfo");
  expect(info).toMatchObject({ isStarted: false, breakpoints: [], stoppedThreads: [], hashMethod: "Murmur2" });
  for (const code of ["", "a", "é€😀", cell]) {
    const hash = murmur2(code, info["hashSeed"] as number);
    expect((await debug.ask("dumpCell", { code }))["sourcePath"]).toBe(
      `${String(info["tmpFilePrefix"])}${hash}${String(info["tmpFileSuffix"])}`,
    );
  }
  await debug.start();
  expect(await debug.ask("debugInfo")).toMatchObject({ isStarted: true });
  await debug.ask("disconnect");
  expect(await debug.ask("debugInfo")).toMatchObject({ isStarted: false });
});

test("steps go by lines, over and into functions of earlier cells and out again, over await, and end with the cell", async () => {
  const { client } = await openKernel();
  const earlier = `const twice = (x: number) => {
  const y = x * 2;
  return y;
};`;
  await client.execute(earlier);
  const debug = await new Debugging(client).start();
  const code = `let a = 1;
a = twice(a);

const later = await new Promise<number>((resolve) => setTimeout(resolve, 1, 5));
const list = [3, 4].map((item) => item + a);
a += later;
list.push(a);`;
  await debug.breakAt({ code }, 1);
  const stopped = debug.stop();
  const done = client.execute(code);
  expect((await stopped).stack).toEqual(["Cell [2] at 1"]);
  expect((await debug.go("next")).stack).toEqual(["Cell [2] at 2"]);
  expect((await debug.go("stepIn")).stack).toEqual(["twice at 2", "Cell [2] at 2"]);
  expect((await debug.go("next")).stack).toEqual(["twice at 3", "Cell [2] at 2"]);
  expect((await debug.go("stepOut")).stack).toEqual(["Cell [2] at 4"]);
  expect((await debug.go("next")).stack).toEqual(["Cell [2] at 5"]);
  const inside = await debug.go("stepIn");
  expect(inside.stack).toEqual(["(anonymous) at 5", "Cell [2] at 5"]);
  expect((await debug.scopes(inside.frames[0]!.id))["Locals"]).toMatchObject({ item: "3" });
  expect((await debug.go("stepOut")).reason).toBe("step");
  await debug.breakAt({ code }, 6);
  expect((await debug.go("continue")).stack).toEqual(["Cell [2] at 6"]);
  expect((await debug.go("next")).stack).toEqual(["Cell [2] at 7"]);
  await debug.ask("next", { threadId: 1 });
  expect(shown(await done)).toContainEqual(["execute_result", "3"]);
});

test("what is evaluated sees the frame, may be TypeScript and assign, and says what it throws", async () => {
  const { client } = await openKernel();
  const debug = await new Debugging(client).start();
  const code = `const known = { n: 4 };
function f(local: number) {
  return local + known.n;
}
f(1)`;
  await debug.breakAt({ code }, 3);
  const stopped = debug.stop();
  const done = client.execute(code);
  const [frame, below] = (await stopped).frames;
  expect(await debug.evaluate("local + (known.n as number)", frame!.id)).toBe("5");
  expect(await debug.evaluate("{ local }", frame!.id)).toBe("Object 1 field");
  expect(await debug.evaluate("'text'", frame!.id)).toBe('"text"');
  expect(await debug.evaluate("local = 10; known.n = 20", frame!.id)).toBe("20");
  const refused = async (expression: unknown, frameId: unknown = frame!.id) =>
    (await debug.response("evaluate", { expression, frameId }))["message"];
  expect(await refused("local", below!.id)).toBe("ReferenceError: local is not defined");
  expect(await refused("throw new Error('no')")).toBe("Error: no");
  expect(await refused("a b")).toMatch(/Expected a semicolon/);
  expect(await refused(5)).toBe("There is no expression to evaluate.");
  expect(await refused("1", 99)).toBe("This frame is gone.");
  const rich = await debug.ask("richInspectVariables", { variableName: "known" });
  expect(rich).toEqual({ data: { "text/plain": "Object 1 field\n  n: 20" }, metadata: {} });
  expect((await debug.response("richInspectVariables", { variableName: "a.b" }))["message"]).toBe(
    '"a.b" is no name of a variable.',
  );
  await debug.ask("copyToGlobals", { srcVariableName: "local", dstVariableName: "copied", srcFrameId: frame!.id });
  await debug.ask("continue", { threadId: 1 });
  expect(shown(await done)).toContainEqual(["execute_result", "30"]);
  expect(shown(await client.execute("copied += 1"))).toContainEqual(["execute_result", "11"]);
});

test("a condition stops where it holds, a line without code at the next one, and none where nothing runs", async () => {
  const { client } = await openKernel();
  const debug = await new Debugging(client).start();
  const code = `let sum = 0;
for (let i = 0; i < 5; i++) {
  // a comment

  sum += i;
}
type Unused = string;`;
  await debug.breakAt({ code }, { line: 3, condition: "(i as number) === 3" });
  const stopped = debug.stop();
  const done = client.execute(code);
  const [frame] = (await stopped).frames;
  expect(frame).toMatchObject({ line: 5 });
  expect(await debug.evaluate("[i, sum].join()", frame!.id)).toBe('"3,3"');
  expect(await debug.breakAt({ code }, 4, 7)).toEqual([5, null]);
  expect((await debug.ask("debugInfo"))["breakpoints"]).toMatchObject([{ breakpoints: [{ line: 5 }, { line: 7 }] }]);
  await debug.breakAt({ code });
  await debug.ask("continue", { threadId: 1 });
  expect((await done).reply).toMatchObject({ status: "ok" });
});

test("exceptions stop where they are thrown: those that nobody catches, or all", async () => {
  const { client } = await openKernel();
  const debug = await new Debugging(client).start();
  const code = `import { zeros } from "warpcell";
function risky(fails: boolean) {
  if (fails) throw new RangeError("too far");
}
try { risky(true); } catch {}
const inside = 3;
zeros([2]).add(zeros([3]));`;
  const { exceptionBreakpointFilters } = await debug.ask("initialize");
  expect((exceptionBreakpointFilters as { filter: string }[]).map(({ filter }) => filter)).toEqual([
    "uncaught",
    "raised",
  ]);
  await debug.ask("setExceptionBreakpoints", { filters: ["uncaught"] });
  let stopped = debug.stop();
  let done = client.execute(code);
  const uncaught = await stopped;
  expect(uncaught).toMatchObject({ reason: "exception", stack: ["Cell [1] at 7"] });
  expect(String(uncaught.description)).toMatch(/^TensorError: Shapes \[2\] and \[3\] do not broadcast/);
  await debug.ask("continue", { threadId: 1 });
  expect((await done).reply).toMatchObject({ status: "error" });

  await debug.ask("setExceptionBreakpoints", { filters: ["raised"] });
  stopped = debug.stop();
  done = client.execute(code);
  expect(await stopped).toMatchObject({
    reason: "exception",
    description: "RangeError: too far",
    stack: ["risky at 3", "Cell [2] at 5"],
  });
  await debug.ask("setExceptionBreakpoints", { filters: [] });
  await debug.ask("continue", { threadId: 1 });
  expect((await done).reply).toMatchObject({ status: "error" });
});

test("pause stops a loop and the library's, and the next cell where none runs", async () => {
  const { client } = await openKernel();
  const debug = await new Debugging(client).start();
  const started = next(client, ({ header }) => header.msg_type === "stream");
  const done = client.execute("let on = true;\nconsole.log('started');\nwhile (on)\n  await null;\non");
  await started;
  let stopped = debug.stop();
  await debug.ask("pause", { threadId: 1 });
  const { reason, frames } = await stopped;
  expect(reason).toBe("pause");
  expect(frames[0]!.name).toBe("Cell [1]");
  await debug.evaluate("on = false", frames[0]!.id);
  await debug.ask("continue", { threadId: 1 });
  expect(shown(await done)).toContainEqual(["execute_result", "false"]);

  await debug.ask("pause", { threadId: 1 });
  stopped = debug.stop();
  const other = client.execute("const x = 1;\nx + 1");
  expect(await stopped).toMatchObject({ reason: "pause", stack: ["Cell [2] at 1"] });
  await debug.ask("continue", { threadId: 1 });
  expect(shown(await other)).toContainEqual(["execute_result", "2"]);
});

test("an interrupt while paused stops the cell at once and keeps the variables", async () => {
  const { client } = await openKernel();
  const debug = await new Debugging(client).start();
  const code = "let reached = 0;\nreached = 1;\nreached = 2;";
  for (const isAsync of [false, true]) {
    const text = isAsync ? `await null;\n${code.replace("let ", "")}` : code;
    await debug.breakAt({ code: text }, isAsync ? 4 : 3);
    const stopped = debug.stop();
    const done = client.execute(text);
    await stopped;
    const continued = next(client, ({ content }) => content["event"] === "continued");
    await client.request("control", "interrupt_request", {});
    expect((await done).reply).toMatchObject({ status: "error", ename: "Interrupted" });
    await continued;
    expect(shown(await client.execute("reached"))).toContainEqual(["execute_result", "1"]);
  }
});

test("while paused what was printed is seen, and names are told", async () => {
  const { client } = await openKernel();
  const debug = await new Debugging(client).start();
  // Names are told before a cell begins, once the library is there.
  await client.execute('import { zeros } from "warpcell";');
  const names = viewer(client, "warpcell.variables");
  await names.say({ variables: true });
  const code = "const many = 300;\nfor (let i = 0; i < many; i++) console.log(i);\nconst end = 1;";
  await debug.breakAt({ code }, 3);
  let printed = "";
  const whole = new Promise<void>((resolve) => {
    client.listen((_channel, { header, content }) => {
      if (header.msg_type !== "stream") return;
      printed += String(content["text"]);
      if (printed.endsWith("299\n")) resolve();
    });
  });
  const stopped = debug.stop();
  const done = client.execute(code);
  const { frames } = await stopped;
  await whole;
  expect((await names.say({ variables: true }))["running"]).toBe(true);
  const found = next(client, ({ header, content }) => header.msg_type === "stream" && content["text"] === "said\n");
  await debug.evaluate("console.log('said')", frames[0]!.id);
  await found;
  await debug.ask("continue", { threadId: 1 });
  expect((await done).reply).toMatchObject({ status: "ok" });
});

test("a breakpoint in an imported file stops there, also when it was edited, and in JavaScript", async () => {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-debugged-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "helper.ts");
  const plain = join(folder, "plain.mjs");
  const text =
    "interface Unused { a: 1 }\nexport function half(x: number): number {\n  const y = x / 2;\n  return y;\n}\n";
  writeFileSync(file, text);
  writeFileSync(plain, "export function third(x) {\n  return x / 3;\n}\n");
  const { client } = await openKernel({ cwd: folder });
  const debug = await new Debugging(client).start();
  await debug.breakAt({ path: file }, 4);
  const code =
    'import { half } from "./helper.ts";\nimport { third } from "./plain.mjs";\nconst six = half(12);\nthird(six)';
  let stopped = debug.stop();
  let done = client.execute(code);
  const first = await stopped;
  expect(first.stack).toEqual(["half at 4", "Cell [1] at 3"]);
  expect(first.frames[0]!.source.path).toBe(file);
  expect((await debug.scopes(first.frames[0]!.id))["Locals"]).toEqual({ "(returns)": "6", x: "12", y: "6" });
  expect((await debug.ask("modules"))["modules"]).toContainEqual({ id: file, name: "helper.ts", path: file });
  expect(await debug.ask("source", { source: { path: file } })).toMatchObject({ content: text });
  expect(await debug.breakAt({ path: plain }, 2)).toEqual([2]);
  expect((await debug.go("continue")).stack).toEqual(["third at 2", "Cell [1] at 4"]);
  await debug.ask("continue", { threadId: 1 });
  expect(shown(await done)).toContainEqual(["execute_result", "2"]);

  writeFileSync(file, `// moved\n${text}`);
  await debug.breakAt({ path: plain });
  await debug.breakAt({ path: file }, 5);
  stopped = debug.stop();
  done = client.execute(code);
  expect((await stopped).stack).toEqual(["half at 5", "Cell [2] at 3"]);
  await debug.ask("continue", { threadId: 1 });
  await done;
});

test("values are told without code of the user's: no getter, no proxy, no method; a tensor is a line", async () => {
  const { client } = await openKernel();
  const debug = await new Debugging(client).start();
  const code = `import { zeros } from "warpcell";
let ran = 0;
function look() {
  const trap = () => { ran++; return undefined; };
  const odd = { get a() { ran++; return 1; }, toString() { ran++; return ""; } };
  const proxy = new Proxy({}, { get: trap, ownKeys: () => { ran++; return []; }, getOwnPropertyDescriptor: trap });
  const x = zeros([2, 3]), list = [proxy, odd], set = new Set([1]), big = new Float32Array(2000), error = new Error("why");
  return list;
}
look();
ran`;
  await debug.breakAt({ code }, 8);
  const stopped = debug.stop();
  const done = client.execute(code);
  const [frame] = (await stopped).frames;
  const [locals] = (await debug.ask("scopes", { frameId: frame!.id }))["scopes"] as { variablesReference: number }[];
  const found = await debug.open(locals!.variablesReference);
  expect(found["x"]!.value).toMatch(/^Tensor float32 \[2, 3\] (cpu|cuda:0)$/);
  expect(texts(found)).toMatchObject({
    odd: "Object 2 fields",
    proxy: "Proxy",
    list: "Array 2 items",
    error: 'Error "why"',
  });
  expect(texts(await debug.open(found["odd"]!.variablesReference))).toEqual({ a: "(getter)", toString: "function" });
  expect(found["proxy"]!.variablesReference).toBe(0);
  expect(texts(await debug.open(found["set"]!.variablesReference))).toEqual({ 0: "1" });
  const big = texts(await debug.open(found["big"]!.variablesReference));
  expect(Object.keys(big).length).toBe(1001);
  expect(big["…"]).toBe("1,000 more");
  expect(Object.keys(await debug.open(found["error"]!.variablesReference))).toEqual(["stack", "message"]);
  await debug.ask("continue", { threadId: 1 });
  expect(shown(await done)).toContainEqual(["execute_result", "0"]);
  expect((await debug.response("variables", { variablesReference: locals!.variablesReference }))["message"]).toBe(
    "These variables are gone: the code has gone on.",
  );
});

test("a client that leaves lets paused code run on", async () => {
  const opened = await openKernel();
  const { client } = opened;
  const other = connect(opened);
  await other.ready();
  const debug = await new Debugging(other).start();
  const code = "let n = 1;\nn = 2;\nn";
  await debug.breakAt({ code }, 2);
  const stopped = debug.stop();
  const done = client.execute(code);
  await stopped;
  other.close();
  expect(shown(await done)).toContainEqual(["execute_result", "2"]);

  expect(await new Debugging(client).ask("debugInfo")).toMatchObject({ isStarted: false, stoppedThreads: [] });
});

test("of two clients that debug, one that stops or leaves leaves the other what it debugs", async () => {
  const opened = await openKernel();
  const [first, second] = [connect(opened), connect(opened)];
  await Promise.all([first.ready(), second.ready()]);
  const [leaves, stops, stays] = [new Debugging(first), new Debugging(second), new Debugging(opened.client)];
  const code = "let n = 1;\nn = 2;\nn";
  const comm = { comm_id: "of-stays", target_name: "warpcell.gauges", data: {} };
  opened.client.send("shell", requestOf("comm_open", comm));
  await stays.start();
  await stays.breakAt({ code }, 2);
  expect(await stops.ask("debugInfo")).toMatchObject({ isStarted: false });
  await stops.start();
  await leaves.start();
  await stops.ask("disconnect");
  expect(await stops.ask("debugInfo")).toMatchObject({ isStarted: false });

  const stopped = stays.stop();
  const done = opened.client.execute(code);
  expect((await stopped).stack).toEqual(["Cell [1] at 2"]);
  // The kernel has noticed: it closes the comms that it answers itself.
  const noticed = next(opened.client, ({ header }) => header.msg_type === "comm_close");
  first.close();
  await noticed;
  expect(await stays.ask("debugInfo")).toMatchObject({ isStarted: true, stoppedThreads: [1] });
  expect((await stays.go("next")).stack).toEqual(["Cell [1] at 3"]);
  await stays.ask("continue", { threadId: 1 });
  expect(shown(await done)).toContainEqual(["execute_result", "2"]);
});

test("a client that does not debug may leave, and of two that do, one leaves and the other stops", async () => {
  const opened = await openKernel();
  const [looks, leaves] = [connect(opened), connect(opened)];
  await Promise.all([looks.ready(), leaves.ready()]);
  const [gone, stays] = [new Debugging(leaves), new Debugging(opened.client)];
  const code = "let n = 1;\nn = 2;\nn";
  // The kernel notices who leaves: it closes the comms that it answers itself.
  const noticed = async (client: KernelClient): Promise<void> => {
    const comm = { comm_id: crypto.randomUUID(), target_name: "warpcell.gauges", data: {} };
    opened.client.send("shell", requestOf("comm_open", comm));
    await stays.ask("debugInfo");
    const closed = next(opened.client, ({ header }) => header.msg_type === "comm_close");
    client.close();
    await closed;
  };
  await stays.start();
  await stays.breakAt({ code }, 2);
  const stopped = stays.stop();
  const done = opened.client.execute(code);
  await stopped;
  await noticed(looks);
  expect(await stays.ask("debugInfo")).toMatchObject({ isStarted: true, stoppedThreads: [1] });
  await stays.ask("continue", { threadId: 1 });
  expect(shown(await done)).toContainEqual(["execute_result", "2"]);

  await gone.start();
  await noticed(leaves);
  await stays.ask("disconnect");
  // Nobody is left for whom it would stop.
  expect(shown(await opened.client.execute(code))).toContainEqual(["execute_result", "2"]);
});

test("nothing hangs: a session that ends, code that leaves the process, a shutdown", async () => {
  const opened = await openKernel();
  const { client } = opened;
  const again = await new Debugging(client).start();
  const code = "let n = 1;\nn = 2;\nn";
  await again.breakAt({ code }, 2);
  let stopped = again.stop();
  let done = client.execute(code);
  const { frames } = await stopped;
  const gone = again.response("evaluate", {
    expression: "process.kill(process.pid, 'SIGKILL')",
    frameId: frames[0]!.id,
  });
  // Of the agent's last words some may still come.
  expect((await gone)["message"]).toMatch(
    /^The (session has ended, and with it what it was asked|debugger has been detached)\.$/,
  );
  expect((await done).reply).toMatchObject({ ename: "SessionEnded" });

  // The next session stops at the same line; what it is left by ends it.
  await client.execute("1");
  stopped = again.stop();
  done = client.execute(code);
  await stopped;
  await again.ask("continue", { threadId: 1 });
  await done;
  expect((await client.execute("process.exit(3)")).reply).toMatchObject({ ename: "SessionEnded" });
  expect((await client.execute("exit")).reply).toMatchObject({ status: "ok" });

  await client.execute("1");
  stopped = again.stop();
  void client.execute(code).catch(() => undefined);
  await stopped;
  await client.request("control", "shutdown_request", { restart: false });
  expect(await opened.kernel.ended).toBe(0);
});

test("while a cell runs help on a name begins with what it has now, and does not wait for a thread that waits", async () => {
  const { client } = await openKernel();
  const peek = async (code: string): Promise<unknown> => {
    const { reply } = await client.request("shell", "inspect_request", { code, cursor_pos: 1, detail_level: 0 });
    return ((reply["data"] as Record<string, string>)["text/plain"] ?? "").split("\n")[0];
  };
  await client.execute('import { zeros } from "warpcell";\nlet count = 0, x = zeros([2]);');
  expect(await peek("count")).not.toContain("now");
  const spinning = await running(client, "count = 5; console.log('on'); for (;;) { count = 7; x = x; }");
  // Help does not wait long for a running thread: on a busy machine it may say the type alone at first.
  await expect.poll(() => peek("count")).toBe("count is now 7");
  await expect.poll(() => peek("x")).toMatch(/^x is now Tensor float32 \[2\] (cpu|cuda:0)$/);
  expect(await peek("unknownName")).not.toContain("now");
  expect((await spinning.stop()).reply).toMatchObject({ ename: "Interrupted" });

  const waiting = await running(
    client,
    "console.log('on'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
  );
  expect(await peek("count")).toMatch(/count/);
  await waiting.stop();
});

test("what cannot be done is said in a sentence", async () => {
  const { client } = await openKernel();
  const debug = new Debugging(client);
  const said = async (command: string, given: Json = {}) => {
    const { success, message } = await debug.response(command, given);
    expect(success).toBe(false);
    return message;
  };
  expect(await said("evaluate", { expression: "1" })).toBe("The debugger is not attached.");
  expect(await said("stackTrace", { threadId: 1 })).toBe("Nothing is paused.");
  await debug.start();
  await client.execute("const here = 1;");
  expect(await said("fly")).toBe('The debugger knows no request "fly".');
  expect(await said("setBreakpoints", { source: { path: "/a" }, breakpoints: "all" })).toBe(
    "Breakpoints are set by the path of a source and a list of lines.",
  );
  expect(await said("source", { source: { path: "/there/is/none.ts" } })).toMatch(
    /^There is no source \/there\/is\/none\.ts: ENOENT/,
  );
  const { sourcePath } = await debug.ask("dumpCell", { code: "const here = 1;" });
  expect(await debug.ask("source", { source: { path: sourcePath } })).toMatchObject({ content: "const here = 1;" });
  const { reply } = await client.request("control", "debug_request", { type: "request", seq: 0 });
  expect(reply).toMatchObject({ status: "error", evalue: '"command" must be a string, but is nothing.' });
  // A cell that nobody has dumped is known to the session.
  await debug.breakAt({ path: String(sourcePath) }, 1);
  expect((await debug.ask("debugInfo"))["breakpoints"]).toMatchObject([{ source: sourcePath }]);
});
