// Slices of a tensor that is shown, over the comm that front ends open: pictures of the elements as they are now, or a
// sentence.
import { expect, test } from "vitest";
import type { KernelClient } from "../../kernel/client.ts";
import { requestOf, type Json } from "../../kernel/supervisor/messages.ts";
import { next, openKernel } from "../helpers/kernel.ts";

const mime = "application/vnd.warpcell.tensor.v1+json";

async function idOf(client: KernelClient, code: string): Promise<unknown> {
  const { outputs } = await client.execute(code);
  const result = outputs.find(({ header }) => header.msg_type === "execute_result")!;
  return ((result.content["data"] as Json)[mime] as Json)["id"];
}

test("any slice is a picture of what it holds now; what there is no slice of is said", async () => {
  const { client } = await openKernel();
  const id = await idOf(
    client,
    'import { arange } from "warpcell"; const x = arange(2 * 3 * 4 * 5).reshape([2, 3, 4, 5]); x',
  );
  expect(id).toEqual(expect.any(String));
  expect(await idOf(client, "x")).toBe(id);
  expect(await idOf(client, "arange(1)")).toBeUndefined();

  client.send("shell", requestOf("comm_open", { comm_id: "s", target_name: "warpcell.tensor", data: {} }));
  const ask = async (data: object): Promise<Json> => {
    const reply = next(client, ({ header }) => header.msg_type === "comm_msg");
    client.send("shell", requestOf("comm_msg", { comm_id: "s", data }));
    return (await reply).content["data"] as Json;
  };
  const valuesOf = ({ tile }: Json) => [
    ...new Float32Array(new Uint8Array(Buffer.from(String((tile as Json)["values"]), "base64")).buffer),
  ];
  const slice = await ask({ request: 7, id, index: [1, 2] });
  expect(slice).toMatchObject({
    request: 7,
    problem: null,
    unfinished: false,
    tile: { rows: 4, columns: 5, rowStep: 1, columnStep: 1 },
  });
  expect(valuesOf(slice)).toEqual(Array.from({ length: 20 }, (_, at) => 100 + at));
  await client.execute("%%cuda\n__global__ void clear(float* p) { p[threadIdx.x] = -1; }");
  await client.execute("clear.launch({ grid: 1, block: 20 }, x)");
  expect(new Set(valuesOf(await ask({ request: 8, id, index: [0, 0] })))).toEqual(new Set([-1]));

  expect(await ask({ request: 9, id, index: [2, 0] })).toEqual({
    request: 9,
    tile: null,
    problem: "There is no index 2 on axis 0, which has 2 elements: give a whole number from -2 to 1.",
    unfinished: false,
  });
  expect(await ask({ request: 10, id, index: ["a"] })).toEqual({
    request: 10,
    tile: null,
    problem: "A slice is asked for by a request number, the tensor's id and an index of whole numbers.",
    unfinished: false,
  });
  await client.execute("x.dispose()");
  expect(await ask({ request: 11, id, index: [0, 0] })).toEqual({
    request: 11,
    tile: null,
    problem: "This tensor is no longer in memory. Run its cell again to see its slices.",
    unfinished: false,
  });
  expect(await ask({ request: 12, id: "of another kernel", index: [0, 0] })).toMatchObject({
    request: 12,
    tile: null,
    problem: expect.stringContaining("no longer in memory"),
  });
});
