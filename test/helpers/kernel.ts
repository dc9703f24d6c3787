// Turns a test into a client of a real kernel process over real sockets, and leaves nothing running after it.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { onTestFailed, onTestFinished } from "vitest";
import { KernelClient, startKernel, type Answer, type OwnKernel, type StartOptions } from "../../kernel/client.ts";
import type { Json, Message } from "../../kernel/supervisor/messages.ts";

export const kernelScript = fileURLToPath(new URL("../../kernel/dist/main.js", import.meta.url));

/** The environment of a kernel whose session is the script that knows verbs, not TypeScript. */
export const fakeSession = { WARPCELL_SESSION: fileURLToPath(new URL("./fake-session.mjs", import.meta.url)) };

export interface TestKernel {
  kernel: OwnKernel;
  client: KernelClient;
  /** Everything the kernel wrote on stderr so far. */
  stderr(): string;
}

/** A kernel that answers. It ends with the test. */
export async function openKernel(options: StartOptions = {}): Promise<TestKernel> {
  const opened = await startSilently(options);
  const ended = opened.kernel.ended.then((how) => {
    throw new Error(`Expected a kernel that answers but it ended (${how}): ${opened.stderr()}`);
  });
  await Promise.race([opened.client.ready(), ended]);
  return opened;
}

/** A kernel that may not come up. */
export async function startSilently(options: StartOptions = {}): Promise<TestKernel> {
  const kernel = await startKernel({ stderr: "pipe", ...options }, kernelScript);
  const client = new KernelClient(kernel.connection);
  let text = "";
  kernel.child.stderr?.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  onTestFinished(() => {
    client.close();
    kernel.dispose();
  });
  return { kernel, client, stderr: () => text };
}

/** Another client of the same kernel. */
export function connect({ kernel }: TestKernel): KernelClient {
  const client = new KernelClient(kernel.connection);
  onTestFinished(() => client.close());
  return client;
}

/** The outputs as [type, what matters of the content]. */
export function shown({ outputs }: Pick<Answer, "outputs">): [string, unknown][] {
  return outputs.map(({ header, content }) => [header.msg_type, gist[header.msg_type]?.(content) ?? content]);
}

const gist: Record<string, (content: Json) => unknown> = {
  execute_input: ({ code }) => code,
  stream: ({ name, text }) => `${String(name)}: ${String(text)}`,
  execute_result: ({ data }) => (data as Json)["text/plain"],
  error: ({ ename, evalue }) => `${String(ename)}: ${String(evalue)}`,
};

/** Text of one stream, over all its messages. */
export function streamText(outputs: readonly Message[], name: string): string {
  return outputs
    .filter(({ header, content }) => header.msg_type === "stream" && content["name"] === name)
    .map(({ content }) => String(content["text"]))
    .join("");
}

/** A test that fails before `done` was called says what it still waited for. */
function waitingFor(what: string): { done: () => void; isOver: () => boolean } {
  let isDone = false,
    isOver = false;
  onTestFailed(() => {
    if (!isDone) console.error(`When the test failed it still waited for ${what}`);
  });
  onTestFinished(() => {
    isOver = true;
  });
  return {
    done: () => {
      isDone = true;
    },
    isOver: () => isOver,
  };
}

/** Resolves with the first message for which `wanted` is true, from now on. */
export function next(client: KernelClient, wanted: (message: Message, channel: string) => boolean): Promise<Message> {
  const { done } = waitingFor(`the message ${String(wanted)}`);
  return new Promise((resolve) => {
    const stop = client.listen((channel, message) => {
      if (!wanted(message, channel)) return;
      stop();
      done();
      resolve(message);
    });
  });
}

/** A process with this number runs, and is not a zombie. */
export async function runs(pid: number): Promise<boolean> {
  const { readFile } = await import("node:fs/promises");
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ESRCH") return null;
    throw error;
  });
  return stat !== null && !/\) Z /.test(stat);
}

/** All processes that this one started, and they, and so on. */
export function descendants(pid: number): number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => parentOf(other) === pid);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function parentOf(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ")[1]);
  } catch (error) {
    // It ended since the directory was read.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}

/** Resolves when `condition` holds; asked again until then, within the test's own time limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const { done, isOver } = waitingFor(String(condition));
  while (!(await condition())) {
    if (isOver()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  done();
}
