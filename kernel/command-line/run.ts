// `warpcell run`: runs the cells of a notebook in a kernel of its own, over real sockets, without Jupyter, and prints
// their output. Knows the client, not the kernel.
import { dirname, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { KernelClient, startKernel, type OwnKernel } from "../client.ts";
import { requestOf, type Message } from "../supervisor/messages.ts";
import { Problem } from "../supervisor/problem.ts";
import { readNotebook, type CodeCell } from "./notebook.ts";

/** What a shell shows of a command that a signal ended. */
const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 141 } as const;

/**
 * Runs the notebook in its own directory and prints each output as it comes. Returns 1, after naming the cell, when one
 * fails, and 130 when the user stopped it.
 */
export async function run(words: readonly string[]): Promise<number> {
  const [file] = words;
  if (file === undefined || words.length > 1)
    throw new Problem(
      "COMMAND_WORDS",
      `run takes one notebook but got ${words.length === 0 ? "nothing" : `"${words.join(" ")}"`}.`,
    );
  const cells = readNotebook(file);

  let kernel: OwnKernel | null = null;
  let stopped: number | null = null;
  let interrupt: (() => void) | null = null;
  const end = (status: number): never => {
    kernel?.dispose();
    process.exit(status);
  };
  // The first Ctrl+C stops the cell, which may say where it was; whatever does not wait for that ends the kernel too.
  process.on("SIGINT", () => {
    if (interrupt === null || stopped !== null) return end(statuses.SIGINT);
    stopped = statuses.SIGINT;
    interrupt();
  });
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => end(statuses[signal]));
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") return end(statuses.SIGPIPE);
      if (stream === process.stdout)
        process.stderr.write(
          `warpcell: What the cells print cannot be written: ${error.message}. Write it where there is room.\n`,
        );
      end(1);
    });
  }

  kernel = await startKernel({ cwd: dirname(resolve(file)) });
  const client = new KernelClient(kernel.connection);
  // Ctrl+C reaches the kernel too, which may end of it before this process hears of it.
  void kernel.ended.then((status) =>
    status === "SIGINT" ? end(statuses.SIGINT) : client.close(`its process ended (${status})`),
  );
  try {
    await client.ready();
    interrupt = () => client.send("control", requestOf("interrupt_request", {}));
    for (const cell of cells) {
      const succeeded = await runCell(client, cell);
      if (stopped !== null) return stopped;
      if (!succeeded) return 1;
    }
    await client.request("control", "shutdown_request", { restart: false });
    return 0;
  } finally {
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
  error: ({ traceback }) => void process.stdout.write(`${inColor((traceback as string[]).join("\n"))}\n`),
};

/** Colors are for terminals, and for those who want them. */
function inColor(text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? text : stripVTControlCharacters(text);
}

function print({ header, content }: Message): void {
  printers[header.msg_type]?.(content);
}

function printBundle(data: Record<string, unknown>): void {
  process.stdout.write(
    `${typeof data["text/plain"] === "string" ? inColor(data["text/plain"]) : `<${Object.keys(data).join(", ")}>`}\n`,
  );
}
