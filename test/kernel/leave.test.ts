// `exit` and `quit` in a cell: the session ends, the notebook goes on with a fresh one, and nothing counts as failed.
import { expect, test } from "vitest";
import { openKernel, shown, streamText, until } from "../helpers/kernel.ts";

test.each([
  "exit",
  "quit",
  "exit()",
  "quit();",
  "const leave = () => exit(); leave(); console.log('never')",
])("%s ends the session as a console user means it", async (code) => {
  const { client } = await openKernel({ env: { WARPCELL_DEVICE: "cpu" } });
  const late: string[] = [];
  client.listen((_channel, { header, content }) => {
    if (header.msg_type === "stream") late.push(String(content["text"]));
  });
  await client.execute("globalThis.kept = 41");
  const { reply, outputs } = await client.execute(code);
  expect(reply).toMatchObject({ status: "ok", payload: [{ source: "ask_exit", keepkernel: false }] });
  expect(streamText(outputs, "stdout")).toBe("");
  // At once, without waiting for what is told of the end.
  expect(shown(await client.execute("typeof globalThis.kept"))).toContainEqual(["execute_result", "'undefined'"]);
  await until(() =>
    late
      .join("")
      .includes("The session ended: process.exit(0). Its variables are lost; the next cell starts with fresh ones."),
  );
  expect(late.join("")).not.toMatch(/never|Cannot find name/);
});

test("a notebook may use both names for its own", async () => {
  const { client } = await openKernel({ env: { WARPCELL_DEVICE: "cpu" } });
  await client.execute("const exit = 1, quit = 2");
  expect(shown(await client.execute("exit"))).toContainEqual(["execute_result", "1"]);
});
