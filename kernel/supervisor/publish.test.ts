// Order and number of broadcasts.
import { expect, test } from "vitest";
import { requestOf, type Message } from "./messages.ts";
import { Publisher } from "./publish.ts";

function publisher(): { publisher: Publisher; sent: Message[]; gist: () => unknown[] } {
  const sent: Message[] = [];
  return {
    publisher: new Publisher((message) => void sent.push(message)),
    sent,
    gist: () => sent.map(({ header, content }) => content["text"] ?? content["execution_state"] ?? header.msg_type),
  };
}

const one = requestOf("execute_request", {});
const two = requestOf("execute_request", {});

test("text of one stream is one message, sent before anything else", () => {
  const { publisher: to, gist } = publisher();
  for (const text of ["a", "b", "", "c"]) to.stream(one, "stdout", text);
  expect(gist()).toEqual([]);
  to.status("idle", one);
  expect(gist()).toEqual(["abc", "idle"]);
});

test("text of another stream, or for another request, comes after what was before it", () => {
  const { publisher: to, gist, sent } = publisher();
  to.stream(one, "stdout", "a");
  to.stream(one, "stderr", "b");
  to.stream(two, "stderr", "c");
  to.stream(one, "stderr", "d");
  to.flush();
  expect(gist()).toEqual(["a", "b", "c", "d"]);
  expect(sent.map(({ parent }) => parent.msg_id)).toEqual([one, one, two, one].map(({ header }) => header.msg_id));
});

test("text leaves by itself soon, and at once when it is long", async () => {
  const { publisher: to, sent } = publisher();
  to.stream(one, "stdout", "x".repeat(1 << 20));
  expect(sent).toHaveLength(1);
  to.stream(one, "stdout", "soon");
  expect(sent).toHaveLength(1);
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (sent.length === 2) {
        clearInterval(timer);
        resolve();
      }
    }, 5);
  });
  expect(sent[1]?.content).toEqual({ name: "stdout", text: "soon" });
});

test("a broadcast carries its parent, its buffers and a topic of its own", () => {
  const { publisher: to, sent } = publisher();
  to.publish("display_data", one, { data: {} }, { m: 1 }, [Buffer.from("b")]);
  expect(sent[0]).toMatchObject({ parent: one.header, metadata: { m: 1 }, buffers: [Buffer.from("b")] });
  expect(Buffer.from(sent[0]!.identities[0]!).toString()).toMatch(/^kernel\..*\.display_data$/);
});
