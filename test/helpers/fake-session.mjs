// Speaks the session's side of the protocol without running TypeScript: a cell is a list of verbs, one a line. For
// tests of the supervisor alone.
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { serialize } from "node:v8";

const send = (event) => {
  const body = serialize(event),
    header = Buffer.alloc(8);
  header.writeUInt32LE(0x57_43_45_56, 0);
  header.writeUInt32LE(body.byteLength, 4);
  writeSync(5, Buffer.concat([header, body]));
};
const state = { memory: undefined, interrupted: () => undefined, answer: () => undefined };

const verbs = {
  print: (request, ...words) => send({ type: "stream", request, name: "stdout", text: `${words.join(" ")}\n` }),
  warn: (request, ...words) => send({ type: "stream", request, name: "stderr", text: `${words.join(" ")}\n` }),
  native: (_request, ...words) => writeSync(1, `${words.join(" ")}\n`),
  result: (request, ...words) =>
    send({ type: "result", request, data: { "text/plain": words.join(" ") }, metadata: {} }),
  fail: (_request, ...words) => {
    throw new Error(words.join(" "));
  },
  exit: (_request, code) => process.exit(Number(code)),
  exitLater: (_request, code) => void setTimeout(() => process.exit(Number(code)), 50),
  fillHeap: () => {
    for (const kept = []; ; ) kept.push(new Array(1000).fill(kept));
  },
  pid: (request) => verbs.result(request, String(process.pid)),
  remember: (_request, value) => {
    state.memory = value;
  },
  recall: (request) => verbs.result(request, String(state.memory)),
  die: (_request, signal) => process.kill(process.pid, signal),
  // Until its supervisor is gone: the real session has a thread that sees that.
  spin: () => {
    for (const parent = process.ppid; process.ppid === parent; ) continue;
    process.exit(0);
  },
  wait: () =>
    new Promise((_resolve, reject) => {
      state.interrupted = () => reject(new Error("Interrupted"));
    }),
  // An event as it is, right or wrong; "$" stands for the request.
  event: (request, ...words) => send(JSON.parse(words.join(" ").replaceAll('"$"', String(request)))),
  agentLine: (_request, ...words) => void agent.write(`${words.join(" ")}\n`),
  ask: async (request, ...words) => {
    agent.write(`${JSON.stringify({ type: "inputRequest", request, prompt: words.join(" "), password: false })}\n`);
    const value = await new Promise((resolve) => {
      state.answer = resolve;
    });
    verbs.print(request, "answer", String(value));
  },
};

async function execute({ request, code }) {
  let error = null;
  try {
    for (const line of code.split("\n")) {
      const [verb, ...words] = line.split(" ");
      if (verbs[verb] !== undefined) await verbs[verb](request, ...words);
      else verbs.result(request, line);
    }
  } catch (thrown) {
    error = { name: thrown.name, message: thrown.message, traceback: [String(thrown)] };
  }
  const token = `\u001e${randomBytes(16).toString("hex")}\u001e`;
  writeSync(1, token);
  writeSync(2, token);
  send({
    type: "done",
    request,
    status: error === null ? "ok" : "error",
    token,
    error,
    userExpressions: {},
    payload: [],
  });
}

let partial = "";
const agent = new Socket({ fd: 4 })
  .on("data", (bytes) => {
    const lines = (partial + bytes).split("\n");
    partial = lines.pop();
    for (const line of lines) {
      const command = JSON.parse(line);
      if (command.type === "interrupt") state.interrupted();
      if (command.type === "gauges") showGauges(command.interval);
      if (command.type === "inputReply") state.answer(command.value);
    }
  })
  .on("close", () => process.exit(0));

const gauge = {
  device: "cpu",
  name: "",
  active: true,
  memoryTotal: null,
  memoryUsed: null,
  allocated: 0,
  reserved: 0,
  peak: 0,
  utilization: null,
  temperature: null,
  power: null,
  sampled: null,
};
let gauges;
function showGauges(interval) {
  clearInterval(gauges);
  if (interval > 0)
    gauges = setInterval(() => agent.write(`${JSON.stringify({ type: "gauges", devices: [gauge] })}\n`), interval);
}

const commands = {
  execute,
  shutdown: () => process.exit(0),
};
process.on("disconnect", () => process.exit(0));
process.on("message", (command) => commands[command.type](command));
send({
  type: "ready",
  version: 3,
  process: process.pid,
  device: { device: "cpu", name: "no device", reason: "this session is a test's." },
});
