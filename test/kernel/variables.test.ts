// What the notebook has, as %whos and front ends see it: names with the lines where they were made, without running any
// code of the user's, and the memory behind them, also while a cell runs.
import { expect, test } from "vitest";
import type { DeviceMemory, MemoryReply, NotebookVariable, ShortagePayload } from "../../kernel/mime.ts";
import type { KernelClient } from "../../kernel/client.ts";
import type { Json } from "../../kernel/supervisor/messages.ts";
import { openKernel, streamText } from "../helpers/kernel.ts";
import { loop, on, running, viewer } from "../helpers/views.ts";

const mime = "application/vnd.warpcell.tensor.v1+json";

async function whos(client: KernelClient): Promise<string> {
  return streamText((await client.execute("%whos")).outputs, "stdout");
}

async function variables(asked: ReturnType<typeof viewer>): Promise<Record<string, NotebookVariable>> {
  const { variables: found, problem } = await asked.say({ variables: true });
  expect(problem).toBeNull();
  return Object.fromEntries((found as unknown as NotebookVariable[]).map((variable) => [variable.name, variable]));
}

const memoryOf = async (asked: ReturnType<typeof viewer>): Promise<MemoryReply> =>
  (await asked.say({ memory: true })) as unknown as MemoryReply;

test("%whos lists names with type, shape, dtype, device, bytes and line", async () => {
  const { client } = await openKernel();
  expect(await whos(client)).toBe("The notebook has no names of its own yet.\n");
  await client.execute(
    'import { ones, zeros, nn } from "warpcell";\nconst x = zeros([256, 4]),\n  text = "a".repeat(50);',
  );
  await client.execute(
    "let n = 3n; const list = [ones([8]), ones([8])];\nconst layer = new nn.Linear(2, 3);\nclass Net {}\nfunction f() { return zeros([3]); }\nconst y = f();\nconst map = new Map([[1, 2]]), when = new Date(0), gone = zeros([2]); gone.dispose();",
  );
  await client.execute("%%cuda\n\n__global__ void fill(float* p) { *p = 1; }");
  // A device has a name of one length or of another.
  const text = (await whos(client)).replaceAll(/(cuda:0|cpu {3})/g, "DEVICE").replace("cpu", "DEVICE");
  expect(text.split("\n").map((line) => line.replaceAll(/ +/g, " "))).toEqual(
    [
      "name   type      shape     dtype    device     size  made at     value",
      "x      Tensor    [256, 4]  float32  DEVICE  4.0 KiB  Cell [2]:2",
      `text   string                                        Cell [2]:3  "${"a".repeat(40)}…"`,
      "n      bigint                                        Cell [3]:1  3n",
      "list   Array                                   64 B  Cell [3]:1  2 items, 2 tensors",
      "layer  Linear                                  36 B  Cell [3]:2  2 tensors",
      "Net    class                                         Cell [3]:3",
      "f      function                                      Cell [3]:4",
      "y      Tensor    [3]       float32  DEVICE     12 B  Cell [3]:4",
      "map    Map                                           Cell [3]:6  1 item",
      "when   Date                                          Cell [3]:6  1970-01-01T00:00:00.000Z",
      "gone   Tensor    [2]       float32                   Cell [3]:6  disposed",
      "fill   Kernel                                        Cell [4]:3",
      "Imported: ones, zeros, nn",
      "",
    ].map((line) => line.replaceAll(/ +/g, " ")),
  );
});

test("no code of the user's runs: no getter, no proxy, no method, no class", async () => {
  const { client } = await openKernel();
  const { reply } = await client.execute(`import { zeros } from "warpcell";
    const ran = [];
    const noted = (what) => () => (ran.push(what), undefined);
    const handler = new Proxy({}, { get: (_, trap) => noted("trap " + String(trap)) });
    const proxy = new Proxy({}, handler), callable = new Proxy(() => 0, handler), fake = new Proxy(zeros([2]), { get: noted("get"), getPrototypeOf: noted("getPrototypeOf") });
    const getters = { get a() { ran.push("a"); return 1; }, toString: noted("toString"), toJSON: noted("toJSON"), get [Symbol.toStringTag]() { ran.push("tag"); return "T"; }, [Symbol.toPrimitive]: noted("toPrimitive") };
    class Odd extends Array { get length2() { ran.push("length2"); } static get [Symbol.species]() { ran.push("species"); return Array; } *[Symbol.iterator]() { ran.push("iterator"); } }
    const odd = new Odd(3); Object.defineProperty(odd, 0, { get: noted("item") });
    class Mine { static get name() { ran.push("name"); return "x"; } constructor() { this.inner = getters; } }
    const mine = new Mine();
    class Sneaky extends Map { get size() { ran.push("size"); return 1; } forEach() { ran.push("forEach"); } entries() { ran.push("entries"); } }
    const sneaky = new Sneaky([[1, zeros([5])]]);
    const shaped = zeros([2]); Object.defineProperty(shaped, "shape", { get: noted("shape") });
    const odder = Object.create(new Proxy({}, handler));
    ran.length = 0;`);
  expect(reply["evalue"]).toBeUndefined();
  const asked = viewer(client, "warpcell.variables");
  const found = await variables(asked);
  expect(found).toMatchObject({
    proxy: { type: "Proxy", value: "", tensors: 0 },
    callable: { type: "Proxy" },
    fake: { type: "Proxy", tensors: 0, id: null },
    getters: { type: "Object", value: "5 fields" },
    odd: { type: "Odd", value: "3 items" },
    mine: { type: "Object", tensors: 0 },
    Mine: { type: "class" },
    sneaky: { type: "Sneaky", value: "1 item", tensors: 1, bytes: 20 },
    shaped: { type: "Tensor", shape: null, bytes: 8, id: null },
    odder: { type: "Object" },
  });
  await client.execute("%whos");
  await viewer(client, "warpcell.memory").say({ memory: true });
  expect((await client.execute("ran.join()")).outputs.at(-1)!.content["data"]).toEqual({ "text/plain": "''" });
});

test("a name that is declared again, that failed, or that is of another cell's block", async () => {
  const { client } = await openKernel();
  await client.execute(
    "let a = 1;\nfor (var i = 0; i < 3; i++) { const inner = i; }\nenum Colour { red }\nconst [p, { q }] = [1, { q: 2 }];",
  );
  await client.execute("const late = (() => { throw new Error('no'); })();");
  await client.execute("a = 7;\nlet b = 2;");
  await client.execute("\nconst b = 'again';");
  const found = await variables(viewer(client, "warpcell.variables"));
  expect(Object.values(found).map(({ name, value, place }) => [name, value, place!.text])).toEqual([
    ["a", "7", "Cell [1]:1"],
    ["p", "1", "Cell [1]:4"],
    ["q", "2", "Cell [1]:4"],
    ["i", "3", "Cell [1]:2"],
    ["Colour", "2 fields", "Cell [1]:3"],
    ["b", '"again"', "Cell [4]:2"],
  ]);
});

test("a tensor's picture, and its disposal, by its id", async () => {
  const { client } = await openKernel();
  const output = (
    await client.execute('import { ones } from "warpcell"; const x = ones([2, 3, 4]), view = x.slice(1); x')
  ).outputs.at(-1)!;
  const asked = viewer(client, "warpcell.variables");
  const { x, view } = await variables(asked);
  const shown = await asked.say({ preview: x!.id });
  const data = output.content["data"] as Json;
  expect(shown).toMatchObject({
    payload: data[mime],
    png: data["image/png"] ?? null,
    unfinished: false,
    problem: null,
  });
  expect(await viewer(client).slice(x!.id!, 1)).toMatchObject({ problem: null, tile: { rows: 3, columns: 4 } });

  // Its view keeps the memory.
  expect(await asked.say({ dispose: x!.id })).toMatchObject({ freed: 0, problem: null });
  expect((await variables(asked))["x"]).toMatchObject({ value: "disposed", id: null, bytes: 0 });
  expect(((await asked.say({ dispose: view!.id }))["freed"] as number) >= 96).toBe(true);
  const gone = "This tensor is no longer in memory. Run its cell again to see its slices.";
  expect(await asked.say({ dispose: x!.id })).toMatchObject({ freed: 0, problem: gone });
  expect(await asked.say({ preview: x!.id })).toMatchObject({ payload: null, problem: gone });
});

test("while a cell runs: names from before it, pictures of now, and no disposal", async () => {
  const { client } = await openKernel();
  await client.execute('import { ones, zeros, synchronize } from "warpcell"; const x = ones([64, 64]);');
  const asked = viewer(client, "warpcell.variables");
  const { x } = await variables(asked);
  const cell = await running(client, `const later = zeros([4]); x.mul_(3); await synchronize(); ${on} ${loop}`);
  const reply = await asked.say({ variables: true });
  expect(reply).toMatchObject({ running: true, problem: null });
  expect((reply["variables"] as NotebookVariable[]).map(({ name }) => name)).not.toContain("later");
  expect(await asked.say({ preview: x!.id })).toMatchObject({
    unfinished: true,
    payload: { min: 3, max: 3, shape: [64, 64] },
  });
  expect(await asked.say({ dispose: x!.id })).toMatchObject({
    problem: "A cell is running. Do this when it has ended.",
  });
  await cell.stop();
  expect(await asked.say({ variables: true })).toMatchObject({ running: false });
  expect(Object.keys(await variables(asked))).toContain("later");
});

test("memory: blocks by line, tensors by name, cells before, at most and after", async () => {
  const { client } = await openKernel();
  await client.execute(
    'import { zeros, memory } from "warpcell";\nconst x = zeros([1 << 20]),\n  parts = [zeros([1 << 18])];',
  );
  await client.execute("{ const big = zeros([1 << 22]); big.dispose(); }\nconst y = zeros([1 << 19]);");
  const asked = viewer(client, "warpcell.memory");
  const { devices, cells, running: isRunning } = await memoryOf(asked);
  expect(isRunning).toBe(false);
  const device = devices.find(({ allocated }) => allocated > 0)!;
  const { places, largest, segments, byCell } = device;
  const lineOf = (place: number) => places[place - 1]?.text;
  expect(largest.slice(0, 3).map(({ bytes, shape, names, place }) => [bytes, shape, names, lineOf(place)])).toEqual([
    [2 ** 22, [2 ** 20], ["x"], "Cell [1]:2"],
    [2 ** 21, [2 ** 19], ["y"], "Cell [2]:2"],
    [2 ** 20, [2 ** 18], ["parts"], "Cell [1]:3"],
  ]);
  expect(largest[0]!.since).toBeGreaterThan(0);
  const blocks = segments.flatMap(({ blocks }) => blocks);
  const bytesOf = (some: typeof blocks) => some.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(bytesOf(blocks)).toBe(device.reserved);
  expect(bytesOf(blocks.filter(({ place }) => place < 0))).toBe(device.free);
  expect(device.reserved - device.free).toBe(device.allocated);
  expect(Math.max(...blocks.filter(({ place }) => place < 0).map(({ bytes }) => bytes))).toBe(device.largestFree);
  expect(device.named).toBe(7 * 2 ** 20);
  expect(byCell.map(({ text }) => text)).toEqual(expect.arrayContaining(["Cell [1]", "Cell [2]"]));
  expect(cells.map(({ text, before, peak, after }) => [text, before >> 20, peak >> 20, after >> 20])).toEqual([
    ["Cell [1]", 0, 5, 5],
    ["Cell [2]", 5, 21, 7],
  ]);
});

test("memory while a cell allocates: its blocks with their lines, and how much it took at most", async () => {
  const { client } = await openKernel();
  await client.execute('import { zeros } from "warpcell"; const x = zeros([1 << 20]);');
  const asked = viewer(client, "warpcell.memory");
  await memoryOf(asked);
  const cell = await running(
    client,
    `const big = zeros([1 << 23]); big.dispose();\nconst kept = zeros([1 << 21]);\n${on} ${loop}`,
  );
  const { devices, cells, running: isRunning } = await memoryOf(asked);
  expect(isRunning).toBe(true);
  const device = devices.find(({ allocated }) => allocated > 0)!;
  expect(device.largest.slice(0, 2).map(({ bytes, place }) => [bytes, device.places[place - 1]?.text])).toEqual([
    [2 ** 23, "Cell [2]:2"],
    [2 ** 22, "Cell [1]:1"],
  ]);
  expect(cells.at(-1)).toMatchObject({ text: "Cell [2]", running: true });
  const { before, peak, after } = cells.at(-1)!;
  expect([before, peak, after].map((bytes) => bytes >> 20)).toEqual([4, 36, 12]);
  expect(await asked.say({ release: "collect" })).toMatchObject({
    problem: "A cell is running. Do this when it has ended.",
  });
  await cell.stop();
});

test("collect frees what nobody holds, and trim gives it back", async () => {
  const { client } = await openKernel();
  await client.execute(
    'import { zeros } from "warpcell"; const kept = zeros([1 << 20]); for (let i = 0; i < 4; i++) zeros([1 << 22]);',
  );
  const asked = viewer(client, "warpcell.memory");
  const held = ({ devices }: MemoryReply, what: "allocated" | "reserved"): number =>
    devices.reduce((sum: number, device: DeviceMemory) => sum + device[what], 0);
  const before = await memoryOf(asked);
  const { freed } = await asked.say({ release: "collect" });
  const after = await memoryOf(asked);
  expect(held(before, "allocated") - held(after, "allocated")).toBe(freed);
  expect(held(after, "allocated")).toBe(2 ** 22);
  const { freed: given } = await asked.say({ release: "trim" });
  expect(held(after, "reserved") - held(await memoryOf(asked), "reserved")).toBe(given);
  expect(given).toBeGreaterThanOrEqual(2 ** 26);
});

test("what is no question is answered with what one is", async () => {
  const { client } = await openKernel();
  await client.execute('import "warpcell"');
  const asked = viewer(client, "warpcell.variables");
  const about = viewer(client, "warpcell.memory");
  const problems = [
    [asked, {}, "Variables are asked for by a request number and variables: true."],
    [asked, { preview: 3 }, "A preview is asked for by a request number and the tensor's id."],
    [asked, { dispose: 3 }, "To dispose of a tensor takes a request number and its id."],
    [about, {}, "Memory is asked for by a request number and memory: true."],
    [about, { release: "all" }, 'To give memory back takes a request number and release: "collect" or "trim".'],
  ] as const;
  for (const [comm, question, problem] of problems) expect(await comm.say(question)).toMatchObject({ problem });
});

const memoryMime = "application/vnd.warpcell.memory.v1+json";

test("a cell that runs out of memory shows what held it at that moment, whatever has been freed since", async () => {
  const { client } = await openKernel();
  await client.execute(
    'import { memory, ones, setMemoryLimit, tidy, zeros } from "warpcell";\nconst kept = ones([256, 1024]);\nsetMemoryLimit(memory()[kept.device].reserved + 2 ** 25);',
  );
  const { outputs, reply } = await client.execute(
    "tidy(() => {\n  const passing = zeros([2 ** 21]);\n  return ones([2 ** 24]);\n});",
  );
  expect(reply).toMatchObject({ status: "error", ename: "OutOfMemory" });
  const shown = outputs.filter(({ header }) => header.msg_type === "display_data");
  expect(shown).toHaveLength(1);
  const data = shown[0]!.content["data"] as { [memoryMime]: ShortagePayload; "text/plain": string };
  const { requested, memory } = data[memoryMime];
  expect(requested).toBe(2 ** 26);
  const rows = memory.largest.map(({ bytes, names, shape, place }) => ({
    bytes,
    names,
    shape,
    text: memory.places[place - 1]?.text,
  }));
  // What `tidy` has freed on the way has its bytes and its line, and is no tensor any more.
  expect(rows[0]).toEqual({ bytes: 2 ** 23, names: [], shape: null, text: "Cell [2]:2" });
  expect(rows[1]).toEqual({ bytes: 2 ** 20, names: ["kept"], shape: [256, 1024], text: "Cell [1]:2" });
  expect(memory.allocated).toBeGreaterThanOrEqual(2 ** 23 + 2 ** 20);
  expect(data["text/plain"]).toMatch(
    /^Memory of \S+ when 64\.0 MiB more were wanted: [\d.]+ MiB in tensors of [\d.]+ MiB held, the largest free piece [\d.]+ \w+\.\n +8\.0 MiB {2}Cell \[2\]:2\n +1\.0 MiB {2}kept {2}float32 \[256, 1024\] {2}Cell \[1\]:2/,
  );
  const other = await client.execute("throw new Error('another one');");
  expect(other.outputs.map(({ header }) => header.msg_type)).toEqual(["execute_input", "error"]);
});
