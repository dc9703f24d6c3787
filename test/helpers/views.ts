// Asks a kernel what front ends ask of tensors, names and memory, also in the midst of a cell.
import { expect } from "vitest";
import type { Answer, KernelClient } from "../../kernel/client.ts";
import type { viewTargets } from "../../kernel/session-protocol.ts";
import { requestOf, type Json, type Message } from "../../kernel/supervisor/messages.ts";
import { next } from "./kernel.ts";

/** The end of a cell's first part: what comes after it runs when its line has been read. */
export const on = "console.log('on'); await new Promise((go) => setImmediate(go)); ";
export const loop = "for (;;) ;";

/** A comm that asks. Each question is answered in its own time. */
export function viewer(client: KernelClient, target: (typeof viewTargets)[number] = "warpcell.tensor") {
  const comm = crypto.randomUUID();
  client.send("shell", requestOf("comm_open", { comm_id: comm, target_name: target, data: {} }));
  let requests = 0;
  const ask = async (data: object): Promise<Message> => {
    const request = requests++;
    const reply = next(
      client,
      ({ header, content }) =>
        header.msg_type === "comm_msg" &&
        content["comm_id"] === comm &&
        (content["data"] as Json)["request"] === request,
    );
    client.send("shell", requestOf("comm_msg", { comm_id: comm, data: { request, ...data } }));
    return reply;
  };
  return {
    ask,
    /** What the reply says. */
    say: async (data: object) => (await ask(data)).content["data"] as Json,
    slice: async (id: string, ...index: number[]) => (await ask({ id, index })).content["data"] as Json,
  };
}

/** Runs a cell until it prints "on"; the cell goes on until it is stopped. */
export async function running(client: KernelClient, code: string) {
  let isOver = false;
  let heard: () => void;
  const said = new Promise<void>((resolve) => (heard = resolve));
  const ended = client
    .execute(code, {}, ({ content }) => String(content["text"]).includes("on") && heard())
    .then((answer) => {
      isOver = true;
      return answer;
    });
  await Promise.race([said, ended]);
  return {
    /** What was asked meanwhile came before the cell's end. */
    async stop(): Promise<Answer> {
      expect(isOver, "the cell ended by itself").toBe(false);
      await client.request("control", "interrupt_request", {});
      return ended;
    },
  };
}
