// Milliseconds until an editor's questions are answered, through real sockets, in notebooks of 1, 20 and 100 cells of
// which the first half has run: the first answer of a kernel that has just started, and those after a key.
import { KernelClient, startKernel } from "../../kernel/dist/client.js";
import { requestOf } from "../../kernel/dist/supervisor/messages.js";

const rounds = 20;
/** What a person may wait for squiggles after the last key is 300 ms, of which the front end lets 120 pass. */
const limits = { mistakes: 180, complete: 15 };

const isCuda = (at) => at % 10 === 9;

function cellAt(at) {
  if (isCuda(at)) return `%%cuda\n__global__ void scale${at}(float* out, float by) { out[threadIdx.x] *= by; }`;
  const before = at === 0 || isCuda(at - 1) ? "zeros([8, 8])" : `table${at - 1}`;
  return `import { zeros } from "warpcell";
const table${at} = ${before}.add(${at});
function lengthOf${at}(text: string) { return text.length + ${at}; }`;
}

class Editor {
  #requests = 0;
  #client;

  constructor(client) {
    this.#client = client;
    for (const name of ["editor", "mistakes"])
      client.send("shell", requestOf("comm_open", { comm_id: name, target_name: `warpcell.${name}`, data: {} }));
  }

  ask(target, fields) {
    const request = this.#requests++;
    return new Promise((resolve) => {
      const stop = this.#client.listen((_channel, { header, content }) => {
        if (header.msg_type !== "comm_msg" || content.comm_id !== target || content.data.request !== request) return;
        stop();
        resolve(content.data);
      });
      this.#client.send("shell", requestOf("comm_msg", { comm_id: target, data: { request, ...fields } }));
    });
  }
}

/** Milliseconds until the answer; one that does not hold is an error, for a fast wrong answer is none. */
async function timed(ask, holds) {
  const start = performance.now();
  const answer = await ask();
  const time = performance.now() - start;
  if (!holds(answer)) throw new Error(`Another answer was expected than ${JSON.stringify(answer).slice(0, 300)}.`);
  return time;
}

/** A checker that needs longer than a user should wait says nothing, and is asked again. */
async function first(ask, holds) {
  const start = performance.now();
  while (!holds(await ask()));
  return performance.now() - start;
}

const figure = (name, ours, limit, note) =>
  console.log(JSON.stringify({ name, unit: "ms", ours, limit, better: "lower", absolute: true, note }));

async function measure(count) {
  const kernel = await startKernel(
    { stderr: "inherit" },
    new URL("../../kernel/dist/main.js", import.meta.url).pathname,
  );
  const client = new KernelClient(kernel.connection);
  const label = (name) => `${name}, ${count} ${count === 1 ? "cell" : "cells"}`;
  try {
    await client.ready();
    const editor = new Editor(client);
    const cells = Array.from({ length: count }, (_, at) => cellAt(at));
    // The last cell is of TypeScript.
    const cell = count - (isCuda(count - 1) ? 2 : 1);
    const table = `table${cell}`;
    const on = (question, tail, offset) => {
      const texts = cells.with(cell, `${cells[cell]}\n${tail}`);
      return editor.ask("editor", { question, cells: texts, cell, offset: offset ?? texts[cell].length });
    };
    const hover = () => on("hover", "", cells[cell].indexOf(table) + 1);
    const isTyped = ({ answer }) => answer?.markdown.includes("Tensor<") ?? false;

    figure(label("first hover of a kernel, nothing has run"), await first(hover, isTyped));
    for (const code of cells.slice(0, Math.floor(count / 2))) {
      const { reply } = await client.execute(code);
      if (reply.status !== "ok") throw new Error(`${reply.ename}: ${reply.evalue}`);
    }
    figure(label("first hover after half has run"), await first(hover, isTyped));

    const questions = {
      mistakes: (round) =>
        timed(
          () =>
            editor.ask("mistakes", {
              code: `${cells[cell]}\nconst wrong${round}: number = ${table};`,
              before: cells.slice(0, cell),
            }),
          ({ mistakes }) => mistakes.length === 1,
        ),
      complete: (round) =>
        timed(
          () => on("complete", `const next${round} = ${table}.resha`),
          ({ answer }) => answer.matches.some(({ text }) => text === "reshape"),
        ),
      signature: (round) =>
        timed(
          () => on("signature", `const next${round} = ${table}.reshape(`),
          ({ answer }) => answer?.signatures.length > 0,
        ),
      hover: (round) => timed(() => on("hover", `const next${round} = 1;`, cells[cell].indexOf(table) + 1), isTyped),
    };
    for (const [name, ask] of Object.entries(questions)) {
      const times = [];
      for (let round = 0; round < rounds; round++) times.push(await ask(round));
      times.sort((a, b) => a - b);
      const note = `slowest of ${rounds}: ${times.at(-1).toFixed(1)} ms`;
      figure(label(`${name} after a key, p50`), times[rounds / 2], limits[name], note);
    }
  } finally {
    client.close();
    kernel.dispose();
  }
}

for (const count of [1, 20, 100]) await measure(count);
process.exit(0);
