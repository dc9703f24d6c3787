// What a viewer asks a kernel of a tensor: tiles, statistics and found elements, at rest and while a cell runs; what is
// no question is refused in a sentence.
import { expect, test } from "vitest";
import type { KernelClient } from "../../kernel/client.ts";
import type { Json } from "../../kernel/supervisor/messages.ts";
import { next, openKernel } from "../helpers/kernel.ts";
import { loop, on, running, viewer } from "../helpers/views.ts";

const mime = "application/vnd.warpcell.tensor.v1+json";
const gone = "This tensor is no longer in memory. Run its cell again to see its slices.";

async function idOf(client: KernelClient, code: string): Promise<string> {
  const { outputs } = await client.execute(code);
  const result = outputs.find(({ header }) => header.msg_type === "execute_result")!;
  return ((result.content["data"] as Json)[mime] as Json)["id"] as string;
}

const floats = (bytes: Uint8Array) => new Float32Array(bytes.slice().buffer);
const place = { index: [0, 0], rows: 0, columns: 1, level: 0, row: 0, column: 0 };
const made = 'import { arange, full, synchronize } from "warpcell"; ';

test("tiles of every level, statistics and found elements, also while TypeScript loops", async () => {
  const { client } = await openKernel();
  const id = await idOf(client, `${made} const x = arange(600 * 1000).reshape([600, 1000]); x.set([599, 999], NaN); x`);
  const other = await idOf(client, "const y = full([600, 1000], 1); y");
  const { ask, say } = viewer(client);
  const check = async (add: number, unfinished: boolean) => {
    const whole = await ask({ id, tile: { ...place, level: 2 }, minus: null });
    expect(whole.content["data"]).toMatchObject({
      tile: { rows: 150, columns: 250, dtype: "float32", parts: ["mean", "min", "max", "missing"] },
      problem: null,
      unfinished,
    });
    const [mean, min, max, missing] = whole.buffers as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    // The cell at [1, 1]: rows 4 … 7, columns 4 … 7.
    expect([mean, min, max].map((part) => floats(part)[251])).toEqual([5505.5, 4004, 7007].map((at) => at + add));
    expect(missing.reduce((sum, mark) => sum + mark, 0)).toBe(1);
    expect(missing.at(-1)).toBe(1);
    const full = await ask({ id, tile: { ...place, level: 1 }, minus: other });
    expect(full.buffers.map(({ length }) => length)).toEqual([262144, 262144, 262144, 65536]);
    expect(floats(full.buffers[1]!)[256]).toBe(2000 + add - 1);
    const single = await ask({ id, tile: { ...place, row: 2, column: 3 }, minus: null });
    expect(single.content["data"]).toMatchObject({ tile: { rows: 88, columns: 232, parts: ["values"] } });
    expect(floats(single.buffers[0]!)[0]).toBe(512_768 + add);
    expect(await say({ id, statistics: true, minus: null })).toMatchObject({
      statistics: { min: add, max: 599_998 + add, nan: 1, inf: 0 },
      unfinished,
    });
    expect(await say({ id, find: "nan", after: [3, 4], minus: null })).toMatchObject({ index: [599, 999], unfinished });
    expect(await say({ id, find: "infinity", after: null, minus: other })).toMatchObject({
      index: null,
      problem: null,
    });
  };
  await check(0, false);
  const cell = await running(client, `x.add_(1); await synchronize(); ${on} ${loop}`);
  await check(1, true);
  await cell.stop();
});

test("questions that are none, of tiles that are none, and of tensors that are gone", async () => {
  const { client } = await openKernel();
  const id = await idOf(client, `${made} const x = arange(12).reshape([3, 4]); x`);
  const { say } = viewer(client);
  const tileQuestion =
    "A tile is asked for by a request number, the tensor's id, minus: the id of another one or null, and a place: index, rows, columns, level, row and column as whole numbers from 0 on.";
  for (const tile of [
    null,
    7,
    {},
    { ...place, index: ["a"] },
    { ...place, level: -1 },
    { ...place, row: 0.5 },
    { ...place, rows: "0" },
  ])
    expect(await say({ id, tile, minus: null })).toMatchObject({
      tile: null,
      unfinished: false,
      problem: tileQuestion,
    });
  expect(await say({ id, tile: place })).toMatchObject({ problem: tileQuestion });
  expect(await say({ id: 5, tile: place, minus: null })).toMatchObject({ problem: tileQuestion });
  expect(await say({ id, tile: { ...place, column: 1 }, minus: null })).toMatchObject({
    problem: "There is no tile [0, 1] of level 0 of a tensor of shape [3, 4].",
  });
  expect(await say({ id, statistics: 1, minus: null })).toMatchObject({
    statistics: null,
    problem:
      "Statistics are asked for by a request number, the tensor's id, minus: the id of another one or null, and statistics: true.",
  });
  expect(await say({ id, find: "zero", after: null, minus: null })).toMatchObject({
    index: null,
    problem:
      'An element is looked for by a request number, the tensor\'s id, minus: the id of another one or null, after: an index or null, and find: one of "nan", "infinity", "maximum", "minimum".',
  });
  expect(await say({ id, find: "nan", after: [3, 0], minus: null })).toMatchObject({
    problem: "There is no element [3, 0] of a tensor of shape [3, 4].",
  });
  expect(await say({ id, tile: place, minus: "of another kernel" })).toMatchObject({ problem: gone });
  await client.execute("x.dispose()");
  expect(await say({ id, tile: place, minus: null })).toMatchObject({ tile: null, problem: gone });
  expect(await say({ id, statistics: true, minus: null })).toMatchObject({ problem: gone });
  expect(await say({ id, find: "nan", after: null, minus: null })).toMatchObject({ problem: gone });
});

test("show: below the cell, and a comm on which a front end opens a viewer; what is no tensor is said", async () => {
  const { client } = await openKernel();
  const opened = next(client, ({ header }) => header.msg_type === "comm_open");
  const { outputs } = await client.execute(`${made} const x = arange(12).reshape([3, 4]); await show(x, "twelve")`);
  const shown = outputs.find(({ header }) => header.msg_type === "display_data")!.content["data"] as Json;
  const { device } = shown[mime] as Json;
  expect((await opened).content).toMatchObject({
    target_name: "warpcell.viewer",
    data: { version: 1, id: (shown[mime] as Json)["id"], shape: [3, 4], dtype: "float32", device, name: "twelve" },
  });
  const again = (await client.execute("show(x)")).outputs.map(({ header }) => header.msg_type);
  expect([again.includes("display_data"), again.includes("execute_result")]).toEqual([true, false]);
  const failure = async (code: string) => (await client.execute(code)).reply["evalue"];
  expect(await failure("await show([1] as never)")).toBe("show takes a tensor, not an array. display shows any value.");
  expect(await failure("await show(undefined as never)")).toBe(
    "show takes a tensor, not undefined. display shows any value.",
  );
  expect(await failure("x.dispose(); await show(x)")).toMatch(/disposed/);
});
