// Milliseconds from a front end's question to its answer, through real sockets, while the session is at work: slices,
// tiles and figures of a tensor while TypeScript loops, while a kernel runs, while kernels queue. The device is the
// default one.
import { KernelClient, startKernel } from "../../kernel/dist/client.js";
import { requestOf } from "../../kernel/dist/supervisor/messages.js";

const mime = "application/vnd.warpcell.tensor.v1+json";
/** What a person takes for at once. */
const limit = 150;
/** What panning takes for at once, where nothing else is at work. */
const idleLimit = 30;
const rounds = 40;
/** 4 MB a slice; the long kernel has a block for every multiprocessor that there is, and more. */
const setup = [
  `import { rand, zeros } from "warpcell"; const x = rand([64, 1024, 1024]); x`,
  `%%cuda
__global__ void spin(volatile int* p) { while (*p == 0) { } }`,
];
const on = `console.log("on"); await new Promise((go) => setImmediate(go));`;
const cases = [
  { name: "while TypeScript loops", cell: `${on} for (;;) ;` },
  {
    name: "while a kernel runs",
    cell: `const flag = zeros([1], { dtype: "int32" }); spin.launch({ grid: 1, block: 1 }, flag); ${on} await new Promise(() => 0)`,
  },
  {
    name: "while a kernel fills the device",
    cell: `const full = zeros([1], { dtype: "int32" }); spin.launch({ grid: 4096, block: 1024 }, full); ${on} await new Promise(() => 0)`,
  },
  {
    name: "while kernels queue",
    cell: `for (let i = 0; ; i++) { x.neg_(); if (i === 100) { ${on} } }`,
  },
];

const kernel = await startKernel({ stderr: "inherit" }, new URL("../../kernel/dist/main.js", import.meta.url).pathname);
const client = new KernelClient(kernel.connection);
let requests = 0;

/** Milliseconds until the answer. */
function ask(data) {
  const request = requests++;
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const stop = client.listen((_channel, { header, content }) => {
      if (header.msg_type !== "comm_msg" || content.data.request !== request) return;
      stop();
      if (content.data.problem === null) resolve(performance.now() - start);
      else reject(new Error(content.data.problem));
    });
    client.send("shell", requestOf("comm_msg", { comm_id: "views", data: { request, ...data } }));
  });
}

async function running(code) {
  let said;
  const isOn = new Promise((resolve) => (said = resolve));
  const ended = client.execute(code, {}, ({ content }) => String(content.text).includes("on") && said());
  const early = await Promise.race([isOn, ended]);
  if (early !== undefined) throw new Error(`A cell ended by itself: ${JSON.stringify(early.reply)}`);
  return async () => {
    await client.request("control", "interrupt_request", {});
    await ended;
  };
}

const figure = (name, ours, note, most = limit) =>
  console.log(JSON.stringify({ name, unit: "ms", ours, limit: most, better: "lower", absolute: true, note }));

/** Tiles of a matrix of 64 MB: its overview, and single elements, at another place each time. */
const tiles = [
  { name: "overview of 4096²", level: 4 },
  { name: "tile in the middle of 4096²", level: 2 },
  { name: "tile of single elements of 4096²", level: 0 },
];

async function tileFigures(id, when, most) {
  for (const { name, level } of tiles) {
    const along = 16 >> level;
    const times = [];
    for (let round = 0; round < rounds; round++) {
      const [row, column] = [round % along, Math.floor(round / along) % along];
      const tile = { index: [0, 0], rows: 0, columns: 1, level, row, column };
      times.push(await ask({ id, tile, minus: null }));
    }
    times.sort((a, b) => a - b);
    figure(`${name} ${when}, p50`, times[rounds / 2], `slowest of ${rounds}: ${times.at(-1).toFixed(1)} ms`, most);
  }
}

const idOf = ({ outputs }) => outputs.find(({ header }) => header.msg_type === "execute_result").content.data[mime].id;

try {
  await client.ready();
  const id = idOf(await client.execute(setup[0]));
  const matrix = idOf(await client.execute("const m = rand([4096, 4096]); m"));
  await client.execute(setup[1]);
  client.send("shell", requestOf("comm_open", { comm_id: "views", target_name: "warpcell.tensor", data: {} }));
  const first = await ask({ id, index: [0] });
  console.log(JSON.stringify({ name: "first slice after a viewer opens", unit: "ms", ours: first, note: "at rest" }));
  await tileFigures(matrix, "at rest", idleLimit);
  for (const { name, cell } of cases) {
    const stop = await running(cell);
    const times = [];
    for (let round = 0; round < rounds; round++) times.push(await ask({ id, index: [round] }));
    const figures = await ask({ id, figures: true });
    await tileFigures(matrix, name, limit);
    await stop();
    times.sort((a, b) => a - b);
    figure(`slice of 4 MB ${name}, p50`, times[rounds / 2], `slowest of ${rounds}: ${times.at(-1).toFixed(1)} ms`);
    console.log(JSON.stringify({ name: `figures of 256 MB ${name}`, unit: "ms", ours: figures }));
  }
} finally {
  client.close();
  kernel.dispose();
}
process.exit(0);
