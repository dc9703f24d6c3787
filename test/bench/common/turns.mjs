// Turns with a rival: a Python process that answers how long an expression takes, and the same of ours.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { tidy } from "warpcell";
import { rivalPythons } from "./devices.mjs";

const turn = 60; // milliseconds
const batch = 8; // runs that nobody waits for in between

/**
 * Python that says its `version`, and then reads a JSON object a line: one with an "expression" is made ready, of the
 * names that `make(question)` gives; any other answers with the milliseconds of one run. `settle` waits for the device.
 */
export const served = (definitions, settle, version) => `
import json, sys, time
${definitions}
print(${version}, flush=True)
for line in sys.stdin:
    question = json.loads(line)
    if "expression" in question:
        names = run = None
        try:
            names = make(question)
            run = eval("lambda: " + question["expression"], names)
            for _ in range(3): run()
            ${settle}
            print(0, flush=True)
        except Exception as error:
            print(type(error).__name__, flush=True)
        continue
    start, count = time.perf_counter(), 0
    while count == 0 or time.perf_counter() - start < ${turn / 1000}:
        for _ in range(${batch}): run()
        ${settle}
        count += ${batch}
    print((time.perf_counter() - start) / count * 1e3, flush=True)
`;

/** A rival cannot do what it was asked for, such as for want of memory; it answers the next question. */
export class Refused extends Error {}

/** A rival's process, or null where no Python on this machine has it. */
export async function startRival({ name, program, args = [] }) {
  for (const python of rivalPythons) {
    const child = spawn(python, ["-c", program, ...args], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { OPENBLAS_THREAD_TIMEOUT: "20", ...process.env },
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [first] = await Promise.all([lines.next(), once(child, "spawn").catch(() => undefined)]);
    if (first.done) continue;
    const ask = async (question) => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`${name} ended.`);
      if (Number.isNaN(Number(value))) throw new Refused(`${name}: ${value}`);
      return Number(value);
    };
    return { name: `${name} ${first.value}`, ask, stop: () => child.stdin.end() };
  }
  return null;
}

/** Milliseconds of one run, over a turn. */
export function timedTurn(device, run) {
  const begin = performance.now();
  let count = 0;
  do {
    for (let i = 0; i < batch; i++) tidy(() => void run());
    device.synchronize();
    count += batch;
  } while (performance.now() - begin < turn);
  return (performance.now() - begin) / count;
}
