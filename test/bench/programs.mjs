// Training steps of whole models on every device, one by one and as a graph, tokens of a model that writes, and loops that dispose of nothing, in turns with
// PyTorch's, eager and with CUDA graphs, and on a CPU JAX's, compiled: the same model, dtype, batch and optimiser. Prints one JSON object per figure: milliseconds a step, and the most memory that was in use in bytes.
// WARPCELL_RIVAL_PYTHON names a Python that has PyTorch, and JAX.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  gradients,
  graph,
  memory,
  nn,
  noGrad,
  ones,
  optim,
  arange,
  crossEntropy,
  randint,
  randn,
  seed,
  tidy,
  zeros,
} from "warpcell";
import { devices, median, print, rivalPythons } from "./common/devices.mjs";

const program = fileURLToPath(new URL("rivals/programs.py", import.meta.url));
const jaxProgram = fileURLToPath(new URL("rivals/programs_jax.py", import.meta.url));
const rounds = 5;

/** From small to large, so that the most memory in use is that of the model that has just run. */
const programs = {
  "GPT 1 M, 8 × 64": { layers: 4, width: 128, heads: 4, vocabulary: 65, batch: 8, length: 64, steps: 20 },
  "GPT 10 M, 16 × 256": { layers: 6, width: 384, heads: 6, vocabulary: 65, batch: 16, length: 256, steps: 10 },
  "GPT-2 124 M, 8 × 1024": { layers: 12, width: 768, heads: 12, vocabulary: 50304, batch: 8, length: 1024, steps: 5 },
};
/** How many tokens are generated. */
const generated = { cpu: 32, cuda: 1000 };
const dtypes = { cpu: "float32", cuda: "bfloat16" };
/** What a CPU takes minutes for is not measured on one. */
const chosen = { cpu: ["GPT 1 M, 8 × 64"], cuda: Object.keys(programs) };

class Block extends nn.Module {
  constructor({ width, heads }, options) {
    super();
    this.before = new nn.LayerNorm(width, options);
    this.look = new nn.SelfAttention(width, heads, { causal: true, ...options });
    this.between = new nn.LayerNorm(width, options);
    this.widen = new nn.Linear(width, 4 * width, { activation: "gelu", ...options });
    this.narrow = new nn.Linear(4 * width, width, options);
  }
  forward(x, options = {}) {
    const seen = x.add(this.look(this.before(x), options));
    return seen.add(this.narrow(this.widen(this.between(seen))));
  }
}

class GPT extends nn.Module {
  constructor(size, options) {
    super();
    this.token = new nn.Embedding(size.vocabulary, size.width, options);
    this.place = new nn.Embedding(size.length, size.width, options);
    this.blocks = Array.from({ length: size.layers }, () => new Block(size, options));
    this.norm = new nn.LayerNorm(size.width, options);
    noGrad(() => {
      for (const parameter of [this.token.weight, this.place.weight]) parameter.mul_(0.02);
    });
  }
  /** `caches`: one for each block, of the tokens before these. */
  forward(tokens, caches) {
    const count = tokens.shape[1];
    const places = caches?.[0].positions(count) ?? arange(count, { device: tokens.device, dtype: "int64" });
    let x = this.token(tokens).add(this.place(places));
    this.blocks.forEach((block, at) => (x = block(x, caches && { cache: caches[at] })));
    return this.norm(x).matmul(this.token.weight.transpose());
  }
}

/** One training step, to be run again and again. */
function stepOf(size, options) {
  seed(1);
  const model = new GPT(size, options);
  const optimizer = new optim.AdamW(model.parameters());
  const tokens = randint(0, size.vocabulary, [size.batch, size.length + 1], { device: options.device });
  const inputs = tokens.slice(null, [0, size.length]).contiguous();
  const targets = tokens.slice(null, [1, size.length + 1]).reshape([-1]);
  return () =>
    tidy(() => {
      const loss = crossEntropy(model(inputs).reshape([-1, size.vocabulary]), targets);
      loss.backward();
      optimizer.step();
      optimizer.zeroGrad();
    });
}

/** Tokens one after the other, each of which sees all before it, from none to as many as the model takes. */
function generationOf(size, isGraph, options) {
  seed(1);
  const model = new GPT(size, options);
  const caches = model.blocks.map(
    () => new nn.KeyValueCache(1, size.heads, size.length, size.width / size.heads, options),
  );
  const next = (token) => tidy(() => noGrad(() => model(token, caches)).argmax({ axis: -1 }));
  const step = isGraph ? graph(next, { device: options.device }) : next;
  const first = zeros([1, 1], { dtype: "int64", device: options.device });
  return () => {
    for (const cache of caches) cache.reset();
    let token = first;
    for (let i = 0; i < size.steps; i++) token = step(token);
  };
}

async function start(kind, program) {
  for (const python of rivalPythons) {
    const child = spawn(python, [program, kind], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [first] = await Promise.all([lines.next(), once(child, "spawn").catch(() => undefined)]);
    if (first.done) continue;
    const ask = async (question) => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`${program} ended.`);
      return JSON.parse(value);
    };
    return { name: first.value, ask, stop: () => child.stdin.end() };
  }
  return null;
}

/** Prints the milliseconds of a token, ours and theirs. */
async function printGeneration(device, rival) {
  const { name, kind } = device;
  const size = { ...programs["GPT-2 124 M, 8 × 1024"], batch: 1, steps: generated[kind] };
  const dtype = dtypes[kind];
  const isGraph = kind === "cuda";
  const generate = generationOf(size, isGraph, { device: name, dtype });
  generate();
  const measured = [];
  for (let round = 0; round < 3; round++) {
    device.synchronize();
    const began = performance.now();
    generate();
    device.synchronize();
    const ours = (performance.now() - began) / size.steps;
    const question = { ...size, dtype, graph: isGraph, generation: true };
    measured.push({ ours, theirs: (await rival?.ask(question))?.milliseconds });
  }
  const ours = median(measured.map((turn) => turn.ours));
  print({
    name: `${name}: a token of GPT-2 124 M, ${size.steps} one after the other, ${dtype}`,
    unit: "ms",
    ours,
    better: "higher",
    ...(rival && {
      rival: median(measured.map((turn) => turn.theirs)),
      ratio: median(measured.map((turn) => turn.theirs / turn.ours)),
      limit: 1,
    }),
    note: rival?.name,
  });
}

/** Prints a step of ours beside JAX's, which ours may be 1.2 times. */
function printBesideJax(name, measured, jax) {
  print({
    name: `${name}, beside compiled`,
    unit: "ms",
    ours: median(measured.map((turn) => turn.ours)),
    rival: median(measured.map((turn) => turn.theirs)),
    ratio: median(measured.map((turn) => turn.ours / turn.theirs)),
    better: "lower",
    limit: 1.2,
    note: jax.name,
  });
}

/** Gradients of three layers at batch 32, one by one and as a graph. */
async function printPerceptron(device, jax) {
  const on = { device: device.name };
  const [batch, width, steps] = [32, 256, 200];
  const input = randn([batch, width], on);
  const weights = [0, 1, 2].map(() => randn([width, width], on).mul(0.06));
  const biases = [0, 1, 2].map(() => zeros([width], on));
  const leaves = [...weights, ...biases];
  for (const each of leaves) each.requiresGrad = true;
  const step = () => {
    let x = input;
    weights.forEach((w, layer) => {
      x = x.matmul(w).add(biases[layer]);
      if (layer < 2) x = x.relu();
    });
    return gradients(x.square().mean(), leaves);
  };
  const plain = () => {
    for (const each of step()) each.dispose();
  };
  for (const [form, run] of [
    ["", plain],
    [", as a graph", graph(step, on)],
  ]) {
    const measured = [];
    for (let round = 0; round < rounds; round++) {
      const began = performance.now();
      for (let i = 0; i < steps; i++) {
        run();
        device.synchronize();
      }
      const ours = (performance.now() - began) / steps;
      const theirs = (await jax.ask({ perceptron: width, batch, steps })).milliseconds;
      if (round > 0) measured.push({ ours, theirs });
    }
    printBesideJax(`${device.name}: gradients of a perceptron${form}`, measured, jax);
  }
}

/** Elements of a tensor, and how many a loop makes: one size after the other, in a pool that has seen the last. */
const loops = {
  cpu: [
    [2 ** 18, 2000],
    [2 ** 22, 100],
    [2 ** 24, 30],
  ],
  cuda: [
    [2 ** 20, 10000],
    [2 ** 24, 2000],
    [2 ** 28, 200],
  ],
};

/** Prints the microseconds of an addition whose results nobody disposes of. */
async function printLoops({ name, kind }, settle, rival) {
  for (const [count, steps] of loops[kind]) {
    const x = ones([count], { device: name });
    let kept;
    const run = () => {
      const began = performance.now();
      for (let i = 0; i < steps; i++) kept = x.add(1);
      settle();
      return ((performance.now() - began) / steps) * 1e3;
    };
    const measured = [];
    for (let round = 0; round < 4; round++) {
      const ours = run();
      const theirs = (await rival?.ask({ loop: count, steps }))?.milliseconds * 1e3;
      if (round > 0) measured.push({ ours, theirs });
    }
    print({
      name: `${name}: x.add(1) of ${count} float32 in a loop that disposes of nothing`,
      unit: "µs",
      ours: median(measured.map((turn) => turn.ours)),
      better: "higher",
      ...(rival && {
        rival: median(measured.map((turn) => turn.theirs)),
        ratio: median(measured.map((turn) => turn.theirs / turn.ours)),
        limit: 1,
      }),
      note: rival?.name,
    });
    kept.dispose();
  }
}

for await (const { device } of devices()) {
  const { name } = device;
  const rival = await start(device.kind, program);
  const jax = device.kind === "cpu" ? await start(device.kind, jaxProgram) : null;
  await printGeneration(device, rival);
  const dtype = dtypes[device.kind];
  const pairs = chosen[device.kind].flatMap((each) => [
    [each, false],
    [each, true],
  ]);
  for (const [each, isGraph] of pairs) {
    const size = programs[each];
    const plain = stepOf(size, { device: name, dtype });
    const step = isGraph ? graph(plain, { device: name }) : plain;
    for (let i = 0; i < 5; i++) step();
    device.synchronize();
    const measured = [];
    for (let round = 0; round < rounds; round++) {
      const began = performance.now();
      for (let i = 0; i < size.steps; i++) step();
      device.synchronize();
      measured.push({
        ours: (performance.now() - began) / size.steps,
        theirs:
          rival === null ? undefined : await rival.ask({ ...size, dtype, graph: isGraph && device.kind === "cuda" }),
        compiled: (await jax?.ask({ ...size, dtype }))?.milliseconds,
      });
    }
    const ours = median(measured.map((turn) => turn.ours));
    const peak = memory()[name].peak;
    if (isGraph) step.dispose();
    if (jax !== null)
      printBesideJax(
        `${name}: a step of ${each} ${dtype}${isGraph ? ", as a graph" : ""}`,
        measured.map((turn) => ({ ours: turn.ours, theirs: turn.compiled })),
        jax,
      );
    const figure = {
      name: `${name}: a step of ${each} ${dtype}${isGraph ? ", as a graph" : ""}`,
      unit: "ms",
      ours,
      better: "higher",
    };
    if (rival === null) print(figure);
    else {
      const { memory: theirPeak } = measured.at(-1).theirs;
      print({
        ...figure,
        rival: median(measured.map((turn) => turn.theirs.milliseconds)),
        ratio: median(measured.map((turn) => turn.theirs.milliseconds / turn.ours)),
        limit: 1,
        note: rival.name,
      });
      if (theirPeak !== null && !isGraph)
        print({
          name: `${name}: memory of ${each}`,
          unit: "GB",
          ours: peak / 1e9,
          rival: theirPeak / 1e9,
          ratio: peak / theirPeak,
          better: "lower",
          limit: 1.1,
          note: rival.name,
        });
    }
  }
  if (jax !== null) await printPerceptron(device, jax);
  // Behind the models, whose most memory in use would be hidden by theirs.
  await printLoops(device, () => device.synchronize(), rival);
  rival?.stop();
  jax?.stop();
}
