// Turns a notebook into printed output: runs its cells in a kernel of its own, over real sockets, without Jupyter. Knows the client, not the kernel.
import { dirname, resolve } from "node:path";
import { KernelClient, startKernel } from "../client.ts";
import type { Message } from "../supervisor/messages.ts";
import { Problem } from "../supervisor/problem.ts";
import { readNotebook, type CodeCell } from "./notebook.ts";

/** Runs the notebook in its own directory and prints each output as it comes. Returns 1, after naming the cell, when one fails. */
export async function run(words: readonly string[]): Promise<number> {
  const [file] = words;
  if (file === undefined || words.length > 1) throw new Problem("COMMAND_WORDS", `Expected one notebook after run but got ${words.length === 0 ? "nothing" : `"${words.join(" ")}"`}.`);
  const cells = readNotebook(file);

  const kernel = await startKernel({ cwd: dirname(resolve(file)) });
  const client = new KernelClient(kernel.connection);
  void kernel.ended.then((status) => client.close(`its process ended (${status})`));
  const interrupt = (): void => void client.request("control", "interrupt_request", {});
  process.on("SIGINT", interrupt);
  try {
    await client.ready();
    for (const cell of cells) if (!(await runCell(client, cell))) return 1;
    await client.request("control", "shutdown_request", { restart: false });
    return 0;
  } finally {
    process.off("SIGINT", interrupt);
    client.close();
    kernel.dispose();
  }
}

async function runCell(client: KernelClient, { position, source, mayFail }: CodeCell): Promise<boolean> {
  const firstLine = source.split("\n").find((line) => line.trim() !== "") ?? "";
  process.stdout.write(`── cell ${position}: ${firstLine}\n`);
  const { reply } = await client.execute(source, {}, print);
  if (reply["status"] === "ok" || mayFail) return true;
  process.stderr.write(`Cell ${position} failed: ${String(reply["ename"])}: ${String(reply["evalue"])}\n`);
  return false;
}

const printers: Record<string, (content: Message["content"]) => void> = {
  stream: ({ name, text }) => void (name === "stderr" ? process.stderr : process.stdout).write(String(text)),
  execute_result: ({ data }) => printBundle(data as Record<string, unknown>),
  display_data: ({ data }) => printBundle(data as Record<string, unknown>),
  error: ({ traceback }) => void process.stdout.write(`${(traceback as string[]).join("\n")}\n`),
};

function print({ header, content }: Message): void {
  printers[header.msg_type]?.(content);
}

function printBundle(data: Record<string, unknown>): void {
  process.stdout.write(`${typeof data["text/plain"] === "string" ? data["text/plain"] : `<${Object.keys(data).join(", ")}>`}\n`);
}
