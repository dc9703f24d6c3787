// Messages of wrong shape on the comms of our front ends, from a page's script: each is refused by a sentence, the kernel
// says nothing on stderr, and goes on with what it has.
import { expect, test } from "vitest";
import { requestOf, type Json, type Message } from "../../kernel/supervisor/messages.ts";
import { next, openKernel, shown } from "../helpers/kernel.ts";

const nonsense: readonly unknown[] = [
  null,
  "text",
  7,
  [],
  {},
  { request: null },
  { request: "0", id: {} },
  { request: 0, id: 5, index: "all" },
  { request: 1, id: "__proto__", index: [0], tile: null },
  { request: 2, id: "constructor", tile: { rows: [0, 1e9] }, minus: [] },
  { request: 3, id: "x", start: "now", end: {}, width: -1 },
  { request: 4, question: "toString", cells: "text", cell: 0, offset: 0 },
  { request: 5, question: "hover", cells: ["x"], cell: 3, offset: -1 },
  { request: 6, code: 7, before: "text" },
  { request: 7, action: "constructor", dispose: { toString: 1 }, name: [] },
  { request: 8, action: { action: "restart" }, device: 1e308 },
  { request: 9, restart: "globalThis.hostile = 1", dispose: "process.exit(1)", trim: "__proto__" },
];

/** Whether a target answers questions; `warpcell.gauges` only tells. */
const targets: readonly (readonly [target: string, answers: boolean])[] = [
  ["warpcell.tensor", true],
  ["warpcell.trace", true],
  ["warpcell.variables", true],
  ["warpcell.memory", true],
  ["warpcell.kernel", true],
  ["warpcell.editor", true],
  ["warpcell.mistakes", true],
  ["warpcell.gauges", false],
];

test("are refused by a sentence, and change nothing", async () => {
  const { client, stderr } = await openKernel();
  await client.execute('import { zeros } from "warpcell"; const kept = zeros([2]); kept');
  for (const [target, answers] of targets) {
    const comm = `of-${target}`;
    client.send("shell", requestOf("comm_open", { comm_id: comm, target_name: target, data: { open: [] } }));
    for (const data of nonsense) {
      const of = (message: Message) =>
        message.header.msg_type === "comm_msg" && message.content["comm_id"] === comm ? message : null;
      const reply = answers ? next(client, (message) => of(message) !== null) : null;
      client.send("shell", requestOf("comm_msg", { comm_id: comm, data }));
      if (reply === null) continue;
      const said = (await reply).content["data"] as Json;
      expect(said["problem"], `${target}, ${JSON.stringify(data)}`).toMatch(/^[A-Z].+\.$/s);
    }
  }
  const { outputs, reply } = await client.execute("[kept.shape, 'hostile' in globalThis]");
  expect(reply).toMatchObject({ status: "ok", execution_count: 2 });
  expect(shown({ outputs }).at(-1)).toEqual(["execute_result", "[ [ 2 ], false ]"]);
  expect(stderr()).toBe("");
});
