// The tensor library on every device of this machine, in turns with NumPy and JAX on the CPU and with PyTorch on a GPU:
// elementwise, copies, reductions, norms, products, training. Prints one JSON object per figure: ours, the rival's, the
// ratio (above 1: ours is faster), and the share of the copy rate measured in the same run. `node --expose-gc
// test/bench/tensors.mjs`; WARPCELL_RIVAL_PYTHON names a Python that has the rivals; else NumPy is in .cache/rivals,
// once `npm run bench` ran.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { devices, median, print, rivalPythons } from "./common/devices.mjs";

const beginning = performance.now();
const warpcell = await import("warpcell");
const { apply } = await import("../../native/dist/ops/core/apply.js");
const { operations } = await import("../../native/dist/ops/core/table.js");
const { full, randn, tensor, zeros } = warpcell;

const program = fileURLToPath(new URL("rivals/tensors.py", import.meta.url));
const rounds = 7;
/** Milliseconds that one turn takes at least. */
const turn = 30;

/** What a case needs that the library has not (yet). */
class Missing extends Error {}
const has = (name) => {
  if (!(name in operations)) throw new Missing(name);
  return name;
};
const exported = (name) => {
  if (typeof warpcell[name] !== "function") throw new Missing(name);
  return warpcell[name];
};
/** From bytes or operations a millisecond: on a GPU in units of 10¹² a second, on a CPU of 10⁹. */
const speedOf = (device, amount, milliseconds, unit) =>
  device.kind === "cpu"
    ? `${(amount / milliseconds / 1e6).toFixed(1)} G${unit}`
    : `${(amount / milliseconds / 1e9).toFixed(2)} T${unit}`;
const bytesOf = { float32: 4, bfloat16: 2, float16: 2 };

/**
 * `make` prepares on [rows, columns] of a dtype and returns what runs once, whose results it leaves to be disposed of.
 * `moves`: arrays of the input's size that must be read or written; `flops`: of one run.
 */
const operation = (name, attributes = {}) => ({
  make:
    ({ x }) =>
    () =>
      apply(has(name), [x], attributes),
});
const gradient = (name, attributes = {}) => ({
  make:
    ({ x, y }) =>
    () =>
      apply(has(name), [y, x], attributes),
});
const along = (axes) => ({ axes, keepdims: false });
/** Backward of a function by the tape, with the forward run kept. */
const backwards = (forward) => ({
  make(given) {
    const leaf = given.x.clone();
    leaf.requiresGrad = true;
    const out = forward(leaf, given);
    return () => warpcell.gradients(out, [leaf], { gradient: given.y, retainGraph: true })[0];
  },
});
/** The same with the gradients of parameters. */
const allBackwards = (forward, parametersOf) => ({
  make(given) {
    const leaves = [given.x, ...parametersOf(given)].map((each) => each.clone());
    for (const leaf of leaves) leaf.requiresGrad = true;
    const out = forward(...leaves);
    return () => warpcell.gradients(out, leaves, { gradient: given.y, retainGraph: true });
  },
});
const chain = (x, y) => x.mul(2).add(y).tanh().mul(y).add(1).sigmoid().sum({ axis: 1 });

const rows = {
  add: {
    moves: 3,
    make:
      ({ x, y }) =>
      () =>
        x.add(y),
  },
  exp: { moves: 2, ...operation("exp") },
  sigmoid: { moves: 2, ...operation("sigmoid") },
  sin: { moves: 2, ...operation("sin") },
  pow: {
    moves: 2,
    make: ({ x }) => {
      const size = x.abs();
      return () => size.pow(2.5);
    },
  },
  clone: {
    moves: 2,
    make:
      ({ x }) =>
      () =>
        x.clone(),
  },
  transposedCopy: {
    moves: 2,
    make:
      ({ x }) =>
      () =>
        x.T.contiguous(),
  },
  rowSum: { moves: 1, ...operation("sum", along([1])) },
  columnSum: { moves: 1, ...operation("sum", along([0])) },
  rowStd: { moves: 1, ...operation("std", { ...along([1]), correction: 1 }) },
  softmax: {
    moves: 2,
    make: ({ x }) => {
      has("softmax");
      return () => x.softmax({ axis: 1 });
    },
  },
  softmaxBackward: {
    moves: 3,
    make: (given) => {
      has("softmax");
      return backwards((x) => x.softmax({ axis: 1 })).make(given);
    },
  },
  layerNorm: {
    moves: 2,
    make: ({ x, weight, bias }) => {
      const layerNorm = exported("layerNorm");
      return () => layerNorm(x, weight, bias);
    },
  },
  layerNormBackward: {
    moves: 3,
    make: (given) => {
      const layerNorm = exported("layerNorm");
      return backwards((x, { weight, bias }) => layerNorm(x, weight, bias)).make(given);
    },
  },
  layerNormGradients: {
    moves: 3,
    make: (given) => allBackwards(exported("layerNorm"), ({ weight, bias }) => [weight, bias]).make(given),
  },
  rmsNorm: {
    moves: 2,
    make: ({ x, weight }) => {
      const rmsNorm = exported("rmsNorm");
      return () => rmsNorm(x, weight);
    },
  },
  rmsNormBackward: {
    moves: 3,
    make: (given) => {
      const rmsNorm = exported("rmsNorm");
      return backwards((x, { weight }) => rmsNorm(x, weight)).make(given);
    },
  },
  rmsNormGradients: {
    moves: 3,
    make: (given) => allBackwards(exported("rmsNorm"), ({ weight }) => [weight]).make(given),
  },
  gelu: { moves: 2, ...operation("gelu", { approximate: "none" }) },
  geluBackward: { moves: 3, ...gradient("geluGradient") },
  mseLoss: {
    moves: 2,
    make: ({ x, y }) => {
      const mseLoss = exported("mseLoss");
      return () => mseLoss(x, y);
    },
  },
  mseLossBackward: {
    moves: 3,
    make: ({ x, y }) => {
      const [mseLoss, leaf] = [exported("mseLoss"), x.clone()];
      leaf.requiresGrad = true;
      const loss = mseLoss(leaf, y);
      return () => warpcell.gradients(loss, [leaf], { retainGraph: true })[0];
    },
  },
  cumsum: {
    moves: 2,
    make: ({ x }) => {
      has("cumsum");
      return () => x.cumsum({ axis: 1 });
    },
  },
  chainAndRowSum: {
    moves: 2,
    make: ({ x, y }) => {
      const fused = exported("fuse")((a, b) => chain(a, b), { wait: true });
      fused(x, y);
      return () => fused(x, y);
    },
  },
};
const shapes = {
  cpu: [
    [1024, 1024],
    [4096, 4096],
  ],
  cuda: [[16384, 8192]],
};
const dtypes = { cpu: ["float32"], cuda: ["float32", "bfloat16"] };
const sorted = { cpu: 2 ** 20, cuda: 2 ** 26 };
const products = {
  cpu: [
    [512, "float32"],
    [1024, "float32"],
  ],
  cuda: [
    [4096, "float32"],
    [4096, "float16"],
    [4096, "bfloat16"],
    [8192, "float32"],
    [8192, "bfloat16"],
  ],
};

/** Disposes of what a run returned: a tensor, several, or an object of them. */
function dispose(result) {
  for (const each of result instanceof warpcell.Tensor ? [result] : Object.values(result ?? {})) each?.dispose?.();
}

/** The rivals' process, or null where no Python on this machine has one. */
async function start(kind) {
  for (const python of rivalPythons) {
    const child = spawn(python, [program, kind], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { OPENBLAS_THREAD_TIMEOUT: "20", ...process.env },
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [first] = await Promise.all([lines.next(), once(child, "spawn").catch(() => undefined)]);
    if (first.done) continue;
    const ask = async (...words) => {
      child.stdin.write(`${words.join(" ")}\n`);
      return JSON.parse((await lines.next()).value);
    };
    return { names: first.value, ask, stop: () => child.stdin.end() };
  }
  return null;
}

/** Milliseconds of one run, over as many as fill a turn. */
function timed(device, run) {
  const begin = performance.now();
  let count = 0;
  const limit = 2 ** 12;
  for (let batch = 1; performance.now() - begin < turn && count < limit; batch = Math.min(2 * batch, 64)) {
    for (let i = 0; i < batch; i++) dispose(run());
    count += batch;
    device.synchronize();
  }
  return (performance.now() - begin) / count;
}

/** Ours and the rivals' best, in turns: the medians, and the median of the rounds' ratios. */
async function compared(device, rival, words, run) {
  for (let i = 0; i < 3; i++) dispose(run());
  device.synchronize();
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    const ours = timed(device, run);
    const theirs = rival === null ? {} : await rival.ask(...words, turn);
    const [name, best] = Object.entries(theirs).sort(([, a], [, b]) => a - b)[0] ?? [undefined, undefined];
    measured.push({ ours, name, best });
  }
  if (rival !== null) await rival.ask("forget");
  const ours = median(measured.map((each) => each.ours));
  if (measured[0].best === undefined) return { ours };
  return {
    ours,
    rival: median(measured.map((each) => each.best)),
    ratio: median(measured.map((each) => each.best / each.ours)),
    name: measured[rounds >> 1].name,
  };
}

const skip = (device, name, error) => {
  if (!(error instanceof Missing)) throw error;
  console.log(`${device.name}: ${name}: not measured: the library has no ${error.message}.`);
};

async function arrays(device, rival, limits) {
  for (const shape of shapes[device.kind])
    for (const dtype of dtypes[device.kind]) {
      const on = { device: device.name, dtype };
      const given = {
        x: randn(shape, on),
        y: randn(shape, on),
        weight: randn([shape[1]], on),
        bias: randn([shape[1]], on),
      };
      const bytes = shape[0] * shape[1] * bytesOf[dtype];
      let copyRate;
      for (const name of ["clone", ...Object.keys(rows).filter((each) => each !== "clone")]) {
        const { moves, make } = rows[name];
        try {
          const {
            ours,
            rival: best,
            ratio,
            name: who,
          } = await compared(device, rival, [name, ...shape, dtype], make(given));
          const rate = (moves * bytes) / ours / 1e9;
          // What a copy reaches, by whoever is faster.
          copyRate ??= Math.max(rate, best === undefined ? 0 : (moves * bytes) / best / 1e9);
          print({
            name: `${device.name}: ${name} ${shape.join(" × ")} ${dtype}`,
            unit: "ms",
            ours,
            rival: best,
            ratio,
            better: "higher",
            limit: ratio === undefined ? undefined : limits(shape),
            note: `${speedOf(device, moves * bytes, ours, "B/s")}, ${(rate / copyRate).toFixed(2)} of the copy rate${who === undefined ? "" : `, ${who}`}`,
          });
        } catch (error) {
          skip(device, name, error);
        }
      }
      for (const each of Object.values(given)) each.dispose();
    }
}

async function others(device, rival) {
  const on = { device: device.name };
  const cases = [
    ...products[device.kind].map(([n, dtype]) => ({
      name: "matmul",
      words: [n, n, dtype],
      flops: 2 * n ** 3,
      make: () => {
        const [a, b] = [randn([n, n], { ...on, dtype }), randn([n, n], { ...on, dtype })];
        return () => a.matmul(b);
      },
    })),
    ...(device.kind === "cpu" ? [[512, "float32"]] : [[4096, "bfloat16"]]).map(([n, dtype]) => ({
      name: "linearGelu",
      words: [n, n, dtype],
      flops: 2 * n ** 3,
      make: () => {
        const [x, w, b] = [
          randn([n, n], { ...on, dtype }),
          randn([n, n], { ...on, dtype }),
          randn([n], { ...on, dtype }),
        ];
        return () => warpcell.linear(x, w, b, { activation: "gelu" });
      },
    })),
    {
      name: "sort",
      words: [1, sorted[device.kind], "float32"],
      make: () => {
        has("sort");
        const x = randn([sorted[device.kind]], on);
        return () => x.sort();
      },
    },
    { name: "perceptron", words: [32, 256, "float32"], make: () => perceptron(on) },
    {
      name: "adamW",
      words: [4096, device.kind === "cpu" ? 256 : 16384, "float32"],
      bytes: 7 * 4096 * (device.kind === "cpu" ? 256 : 16384) * 4,
      make: () => adamW([4096, device.kind === "cpu" ? 256 : 16384], on),
    },
    { name: "blockStep", words: [512, 48, "float32"], make: () => blockStep(on) },
  ];
  for (const { name, words, flops, bytes, make } of cases) {
    try {
      const { ours, rival: best, ratio, name: who } = await compared(device, rival, [name, ...words], make());
      const speed =
        flops !== undefined
          ? speedOf(device, flops, ours, "FLOP/s")
          : bytes !== undefined
            ? speedOf(device, bytes, ours, "B/s")
            : "";
      print({
        name: `${device.name}: ${name} ${words.join(" ")}`,
        unit: "ms",
        ours,
        rival: best,
        ratio,
        better: "higher",
        note: [speed, who].filter(Boolean).join(", "),
      });
    } catch (error) {
      skip(device, name, error);
    }
  }
}

/** Forward and backward of three layers at batch 32. */
function perceptron(on) {
  const input = randn([32, 256], on);
  const weights = [0, 1, 2].map(() => randn([256, 256], on).mul(0.06));
  const biases = [0, 1, 2].map(() => zeros([256], on));
  const leaves = [...weights, ...biases];
  for (const each of leaves) each.requiresGrad = true;
  return () => {
    let x = input;
    weights.forEach((w, layer) => {
      x = x.matmul(w).add(biases[layer]);
      if (layer < 2) x = x.relu();
    });
    return warpcell.gradients(x.square().mean(), leaves);
  };
}

/** A step of AdamW, which reads four arrays and writes three. */
function adamW(shape, on) {
  const weight = randn(shape, on);
  weight.requiresGrad = true;
  weight.grad = randn(shape, on);
  const optimizer = new warpcell.optim.AdamW([weight]);
  return () => optimizer.step();
}

/** A step of training one block of a transformer of width 48 on 64 sequences of 8, and its loss read back. */
function blockStep(on) {
  const { nn, optim } = warpcell;
  const norms = [0, 1].map(() => new nn.LayerNorm(48, on)),
    look = new nn.SelfAttention(48, 4, on),
    digit = new nn.Embedding(10, 48, on),
    out = new nn.Linear(48, 10, on);
  const think = new nn.Sequential(new nn.Linear(48, 128, { ...on, activation: "gelu" }), new nn.Linear(128, 48, on));
  const optimizer = new optim.AdamW(
    [...norms, look, digit, think, out].flatMap((each) => each.parameters()),
    { lr: 1e-3 },
  );
  const [digits, targets] = [0, 1].map(() => warpcell.randint(0, 10, [64, 8], on));
  return () => {
    optimizer.zeroGrad();
    let x = digit.forward(digits);
    x = x.add(look.forward(norms[0].forward(x)));
    x = x.add(think.forward(norms[1].forward(x)));
    const loss = warpcell.crossEntropy(out.forward(x).reshape([-1, 10]), targets.reshape([-1]));
    loss.backward();
    optimizer.step();
    loss.item();
  };
}

/** Microseconds that a call takes before it returns; the device is idle. In turns with the rival. */
async function caller(device, rival) {
  const [x, y] = [full([64], 1, { device: device.name }), full([64], 2, { device: device.name })];
  const measured = [];
  for (let round = 0; round < 9; round++) {
    const timings = Array.from({ length: 20 }, () => {
      const begin = process.hrtime.bigint();
      for (let i = 0; i < 1000; i++) x.add(y).dispose();
      const time = Number(process.hrtime.bigint() - begin) / 1e6;
      device.synchronize();
      return time;
    });
    const [[name, best] = []] =
      rival === null
        ? []
        : Object.entries(await rival.ask("smallOp", 1, 64, "float32", turn)).sort(([, a], [, b]) => a - b);
    measured.push({ ours: median(timings), name, best });
  }
  const [first] = measured;
  const middle = (pick) => (first.best === undefined ? undefined : median(measured.slice(2).map(pick)));
  print({
    name: `${device.name}: a small op, for the caller`,
    unit: "µs",
    ours: median(measured.slice(2).map(({ ours }) => ours)),
    rival: middle(({ best }) => best * 1e3),
    ratio: middle(({ ours, best }) => (best * 1e3) / ours),
    better: "higher",
    note: first.name,
  });
}

/**
 * Milliseconds of the first call of each of these operations, of the first of a dtype among them: this process has used
 * none.
 */
function firstUse(device) {
  const uses = {
    add: (x) => x.add(x),
    exp: (x) => x.exp(),
    sum: (x) => x.sum(),
    softmax: (x) => x.softmax({ axis: 0 }),
    erfc: (x) => x.erfc(),
    cumsum: (x) => x.cumsum({ axis: 0 }),
    argmax: (x) => x.argmax(),
    sort: (x) => x.sort().values,
    flip: (x) => x.flip(0),
    pow: (x) => x.pow(2),
    std: (x) => x.std(),
    less: (x) => x.lt(2),
  };
  // What loading the library left behind is not an operation's.
  globalThis.gc();
  const times = ["float32", "float64", "float16", "bfloat16"].flatMap((dtype) => {
    const x = tensor([1, 2, 3], { device: device.name, dtype });
    device.synchronize();
    return Object.entries(uses).map(([name, use]) => {
      const begin = performance.now();
      use(x).toArray();
      return { name: `${name} of ${dtype}`, time: performance.now() - begin };
    });
  });
  const [longest, second] = [...times].sort((a, b) => b.time - a.time);
  const over = times.filter(({ time }) => time > 5).length;
  print({
    name: `${device.name}: first use of an operation`,
    unit: "ms",
    ours: median(times.map(({ time }) => time)),
    limit: 5,
    better: "lower",
    absolute: true,
    note: `${over} of ${times.length} take more than 5 ms; the longest: ${longest.name} ${longest.time.toFixed(1)}, ${second.name} ${second.time.toFixed(1)} ms`,
  });
}

console.log(`The library is loaded after ${(performance.now() - beginning).toFixed(0)} ms.`);
for await (const { name, device } of devices()) {
  console.log(`${device.name}: ${device.properties.name}`);
  firstUse(device);
  const rival = await start(name);
  console.log(
    rival === null
      ? `No Python here has a rival: name one in WARPCELL_RIVAL_PYTHON.`
      : `${device.name}: beside ${rival.names}, in turns, the faster one; medians of ${rounds} rounds`,
  );
  await caller(device, rival);
  // On the CPU, arrays that do not fit the caches are to win by half: their memory is not fresh each time.
  await arrays(device, rival, (shape) => (name === "cuda" ? undefined : shape[0] > 1024 ? 1.5 : 1));
  await others(device, rival);
  rival?.stop();
}
process.exit(0);
