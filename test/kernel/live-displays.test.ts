// Values that say when they look different: shown again a few times, and as they are at the end of the cell, in the
// outputs that show them.
import { expect, test } from "vitest";
import type { Message } from "../../kernel/supervisor/messages.ts";
import { openKernel } from "../helpers/kernel.ts";

/** A value of anybody's that counts how often it is described. */
const counter = `class Counter {
  count = 0;
  described = 0;
  changed: (() => void)[] = [];
  up() { this.count++; for (const each of this.changed) each(); }
  [Symbol.for("Jupyter.display.live")](changed: () => void) { this.changed.push(changed); }
  [Symbol.for("Jupyter.display")]() { this.described++; return { "text/plain": \`count \${this.count}\` }; }
}`;

const displaysOf = (outputs: readonly Message[]) =>
  outputs
    .filter(({ header }) => /display_data$/.test(header.msg_type))
    .map(({ header, content }) => ({
      type: header.msg_type,
      id: (content["transient"] as { display_id?: string }).display_id,
      text: (content["data"] as Record<string, string>)["text/plain"],
    }));

test("10,000 changes are few messages, and the last of them is how the value is", async () => {
  const { client } = await openKernel();
  await client.execute(counter);
  const { outputs } = await client.execute(
    "const counter = new Counter(); display(counter); for (let i = 0; i < 10_000; i++) counter.up(); counter.described",
  );
  const displays = displaysOf(outputs);
  expect(displays[0]).toMatchObject({ type: "display_data", text: "count 0" });
  expect(displays.at(-1)).toMatchObject({ type: "update_display_data", text: "count 10000" });
  expect(displays.length).toBeLessThan(100);
  expect(new Set(displays.map(({ id }) => id)).size).toBe(1);

  // From a later cell, and the value as a result: the output has the id that updates it.
  const later = displaysOf((await client.execute("counter.up(); 1")).outputs);
  expect(later).toEqual([{ type: "update_display_data", id: displays[0]!.id, text: "count 10001" }]);
  const shown = await client.execute("const other = new Counter(); other.up(); other");
  expect(displaysOf(shown.outputs)).toMatchObject([{ type: "display_data", text: "count 1" }]);
  expect(shown.outputs.some(({ header }) => header.msg_type === "execute_result")).toBe(false);
  expect(displaysOf((await client.execute("_.up(); _.count")).outputs)).toMatchObject([
    { type: "update_display_data", id: displaysOf(shown.outputs)[0]!.id, text: "count 2" },
  ]);
});

test("what a cell has changed is shown also when it fails, and under an id of one's own", async () => {
  const { client } = await openKernel();
  await client.execute(counter);
  const { outputs, reply } = await client.execute(
    'const counter = new Counter(); display(counter, { display_id: "mine" }); counter.up(); throw new Error("on purpose")',
  );
  expect(reply["evalue"]).toBe("on purpose");
  expect(displaysOf(outputs)).toEqual([
    { type: "display_data", id: "mine", text: "count 0" },
    { type: "update_display_data", id: "mine", text: "count 1" },
  ]);
});

test("a value that cannot describe itself any more fails the cell that changed it", async () => {
  const { client } = await openKernel();
  await client.execute(counter);
  const { reply } = await client.execute(
    "const bad = new Counter(); display(bad); bad[Symbol.for('Jupyter.display')] = () => { throw new Error('no more'); }; bad.up(); 1",
  );
  expect([reply["status"], reply["evalue"]]).toEqual(["error", "no more"]);
  expect((await client.execute("1 + 1")).reply["status"]).toBe("ok");
});

test("a chart of the library's grows below its cell", async () => {
  const { client } = await openKernel({ env: { WARPCELL_DEVICE: "cpu" } });
  const { outputs } = await client.execute(
    'import { plot } from "warpcell"; const chart = plot({ loss: [] }); display(chart); for (let i = 0; i < 10_000; i++) chart.add({ loss: 1 / (i + 1) });',
  );
  const displays = displaysOf(outputs);
  expect(displays[0]!.text).toBe("Chart: no points");
  expect(displays.at(-1)!.text).toMatch(/^Chart: 10,000 points, loss \S+ 0\.0001 … 1$/);
  expect(displays.length).toBeLessThan(100);
  expect(JSON.stringify(outputs.at(-1)!.content).length).toBeLessThan(100_000);
});
