// What this machine has, as `warpcell doctor` finds it: in a process of its own, since what it looks at may crash, and so
// that no cell waits for it.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Finding, kernelTarget } from "../../mime.ts";
import type { ViewAnswer } from "../../session-protocol.ts";
import { nowhere, refusalOf, replyTo } from "../display/views.ts";

const script = fileURLToPath(new URL("../doctor.js", import.meta.url));
const mostBytes = 2 ** 24;

export const asksForMachine = (data: unknown): boolean =>
  typeof data === "object" && data !== null && "machine" in data;

export async function answerMachine(data: unknown): Promise<ViewAnswer> {
  try {
    const findings = await lookAtMachine();
    const { data: reply } = replyTo(kernelTarget, data, { ...nowhere, machine: () => ({ findings }) });
    return { data: { ...reply }, buffers: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { data: { ...refusalOf(kernelTarget, data, reason).data }, buffers: [] };
  }
}

/** Rejects with a sentence where the process ends early. */
function lookAtMachine(): Promise<readonly Finding[]> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, "--json"], { maxBuffer: mostBytes }, (error, stdout, stderr) => {
      if (error === null) return resolve(JSON.parse(stdout) as Finding[]);
      const how = error.signal ?? `exit status ${String(error.code)}`;
      const said = stderr.trim().split("\n").at(-1)!;
      reject(
        new Error(
          `The process that looks at this machine ended (${how}), which a broken driver or library can cause, or an interrupt.${said === "" ? "" : ` It said: ${said}`}`,
        ),
      );
    });
  });
}
