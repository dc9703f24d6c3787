// What a type service that cannot start, does not answer or speaks another language does to those who ask.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FrameReader, frame, type RpcMessage } from "./lsp-frames.ts";
import { LspClient } from "./lsp-client.ts";

let directory: string;
let client: LspClient | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "warpcell-lsp-"));
});
afterEach(() => {
  client?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/**
 * A client of a program with this text; the sentences it reports, and the first of them. `bound`: longer than such a
 * program needs to start on a busy machine.
 */
function clientOf(script: string | null, bound?: number): { reports: string[]; reported: Promise<string> } {
  const executable = join(directory, "server");
  if (script !== null) {
    writeFileSync(executable, script);
    chmodSync(executable, 0o755);
  }
  const reports: string[] = [];
  const reported = new Promise<string>((resolve) => {
    client = new LspClient({
      executable,
      directory,
      capabilities: {},
      initializationOptions: {},
      bound,
      report: (sentence) => {
        reports.push(sentence);
        resolve(sentence);
      },
    });
  });
  client!.start();
  return { reports, reported };
}

test("a program that is not there: one sentence, and empty answers", async () => {
  const { reports, reported } = clientOf(null);
  expect(await client!.request("textDocument/hover", {})).toBeNull();
  expect(await reported).toMatch(
    /^The type service .*server does not run: spawn .* ENOENT\. Cells run without type checks and completion; "npm ci" reinstalls it/,
  );
  expect(await client!.request("textDocument/hover", {})).toBeNull();
  expect(reports).toHaveLength(1);
  expect(client!.running).toBe(false);
});

test("a program that ends at once is given up after three tries", async () => {
  const { reported } = clientOf(`#!/bin/sh\necho >> ${join("$(dirname $0)", "starts")}\nexit 3\n`);
  expect(await reported).toContain("does not run: it ended with code 3.");
  expect(client!.running).toBe(false);
});

test("a program that says something else", async () => {
  const { reported } = clientOf("#!/bin/sh\nprintf 'Hello\\r\\n\\r\\n'\nexec sleep 60\n");
  expect(await reported).toContain('it sent no Content-Length header but "Hello"');
});

test("a program that does not answer holds nobody up for ever", async () => {
  const { reports } = clientOf("#!/bin/sh\nexec sleep 60\n", 20);
  expect(await client!.request("textDocument/hover", {})).toBeNull();
  expect(reports).toEqual([
    "The type service did not answer textDocument/hover within 200 ms: this answer lacks its types. Ask again; if this persists, restart the kernel.",
  ]);
});

test("one that has answered before is given less time", async () => {
  const body = (id: number): string => JSON.stringify({ jsonrpc: "2.0", id, result: {} });
  const answers = [1, 2].map((id) => `Content-Length: ${body(id).length}\r\n\r\n${body(id)}`).join("");
  const { reports } = clientOf(
    `#!${process.execPath}\nprocess.stdin.once("data", () => process.stdout.write(${JSON.stringify(answers)})).resume();\n`,
    3000,
  );
  expect(await client!.request("textDocument/hover", {})).toEqual({});
  expect(await client!.request("textDocument/hover", {})).toBeNull();
  expect(reports).toEqual([
    "The type service did not answer textDocument/hover within 3000 ms: this answer lacks its types. Ask again; if this persists, restart the kernel.",
  ]);
});

test("an answer that is an error is reported and empty", async () => {
  const answer = (id: string, body: string): string =>
    `const ${id} = ${JSON.stringify(body)}; process.stdout.write("Content-Length: " + ${id}.length + "\\r\\n\\r\\n" + ${id});\n`;
  const script =
    answer("one", '{"jsonrpc":"2.0","id":1,"result":{}}') +
    answer("two", '{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"out of order"}}');
  const { reported } = clientOf(
    `#!${process.execPath}\nprocess.stdin.once("data", () => {\n${script}});\nprocess.stdin.resume();\n`,
    30_000,
  );
  expect(await client!.request("textDocument/hover", {})).toBeNull();
  expect(await reported).toBe(
    "The type service failed at textDocument/hover: out of order (the cell itself is not affected).",
  );
});

test("documents are opened in the order of their last changes", async () => {
  clientOf(
    `#!${process.execPath}
let text = "";
const opened = [];
const answer = (id, result) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id, result });
  process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n" + body);
};
process.stdin.on("data", (bytes) => {
  text += bytes;
  for (let found; (found = /^Content-Length: (\\d+)\\r\\n\\r\\n/.exec(text)) && text.length >= found[0].length + +found[1]; ) {
    const { id, method, params } = JSON.parse(text.slice(found[0].length, found[0].length + +found[1]));
    text = text.slice(found[0].length + +found[1]);
    if (method === "textDocument/didOpen") opened.push(params.textDocument.uri + " " + params.textDocument.text);
    if (id !== undefined) answer(id, opened);
  }
});
`,
    30_000,
  );
  client!.setDocument("edited", "typescript", "");
  client!.setDocument("cell", "typescript", "export const x = 1;");
  client!.setDocument("edited", "typescript", 'import { x } from "./cell";');
  client!.setDocument("cell", "typescript", "export const x = 1;");
  expect(await client!.request("textDocument/hover", {})).toEqual([
    "cell export const x = 1;",
    'edited import { x } from "./cell";',
  ]);
});

test("messages come whole, however their bytes are cut", () => {
  const messages: RpcMessage[] = [
    { jsonrpc: "2.0", id: 1, result: "é😀" },
    { jsonrpc: "2.0", method: "a/b", params: { text: "x".repeat(100) } },
  ];
  const bytes = Buffer.concat(messages.map(frame));
  for (const size of [1, 7, 30, bytes.length]) {
    const received: RpcMessage[] = [];
    const reader = new FrameReader((message) => received.push(message));
    for (let at = 0; at < bytes.length; at += size) expect(reader.push(bytes.subarray(at, at + size))).toBeNull();
    expect(received).toEqual(messages);
  }
});

test("a body that is no JSON", () => {
  expect(new FrameReader(() => {}).push(Buffer.from("Content-Length: 3\r\n\r\nabc"))).toBe(
    'it sent no JSON message but "abc"',
  );
});
