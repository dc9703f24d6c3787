// Text and tokens out of bytes that are cut anywhere.
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { OutputPipe } from "./output-pipe.ts";

const token = `\u001e${"0123456789abcdef".repeat(2)}\u001e`;

function pipe(): { source: PassThrough; output: OutputPipe; text: () => string } {
  const source = new PassThrough();
  let text = "";
  return {
    source,
    output: new OutputPipe(source, (part) => {
      text += part;
    }),
    text: () => text,
  };
}

test("a token is found wherever the bytes are cut, and no part of it is shown", async () => {
  const bytes = Buffer.from(`before ⚡${token}after 🙂`);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const { source, output, text } = pipe();
    const reached = output.reached(token);
    source.write(bytes.subarray(0, cut));
    await setImmediate();
    source.end(bytes.subarray(cut));
    await reached;
    expect(text()).toMatch(/^before ⚡/);
    await setImmediate();
    expect(text()).toBe("before ⚡after 🙂");
  }
});

test("a token that was read before it was asked for is reached at once", async () => {
  const { source, output, text } = pipe();
  source.write(`x${token}`);
  await setImmediate();
  await output.reached(token);
  expect(text()).toBe("x");
});

test("an empty token is reached at once, and any token when the pipe has ended", async () => {
  const { source, output, text } = pipe();
  await output.reached("");
  const reached = output.reached(token);
  source.end("rest\u001e01");
  await reached;
  expect(text()).toBe("rest\u001e01");
  await output.reached(token);
});

test("what only looks like a token is text", async () => {
  const { source, text } = pipe();
  const odd = `\u001e${"z".repeat(32)}\u001e \u001eabc\u001e\u001e`;
  source.end(odd);
  await setImmediate();
  await setImmediate();
  expect(text()).toBe(odd);
});
