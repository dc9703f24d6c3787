// Every operation on every shape, beside PyTorch on a GPU and beside NumPy, PyTorch and JAX on the CPU, in turns: `npm
// run bench -- shapes [--only PATTERN] [--quick] [--seconds N] [--device NAME] [--seed N] [--processor] [--json FILE]`,
// or this file with Node.
// Prints a line for each cell, worst first (the ratio is the rival's time divided by ours), then what the grid comes
// to. --processor: by the time that processors worked, of a CPU that others keep busy. --seed also draws the sample.
// Results are compared with the rivals': a cell where they differ is a failure. WARPCELL_RIVAL_PYTHON names a
// Python that has the rivals.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as warpcell from "warpcell";
import { binding } from "../../native/dist/wire/binding.js";
import { devices, median, rivalPythons } from "./common/devices.mjs";
import { bytesOf, cells, readBytes, sizeOf } from "./common/grid.mjs";
import { families } from "./common/grid-operations.mjs";
import { inputsOf, normals } from "./common/grid-inputs.mjs";

const { values: wanted } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    seconds: { type: "string" },
    device: { type: "string" },
    seed: { type: "string", default: "1" },
    json: { type: "string" },
    processor: { type: "boolean", default: false },
  },
});
const pattern = wanted.only === undefined ? /(?:)/ : new RegExp(wanted.only, "i");
/** What a sample may take on each device, seconds. */
const quickly = { cuda: 90, cpu: 280 };
const rounds = 3;
/** Milliseconds of a turn: five batches. */
const turn = { cuda: 15, cpu: 20 };
/** How far a result may be from a rival's: roundings add up, an operation that is wrong is farther off. */
const within = { float32: 2e-3, float16: 2e-2, bfloat16: 1e-1, int64: 0, bool: 0 };

/** Below this a number of 16 bits has no digits. */
const least = 1e-6;

const program = fileURLToPath(new URL("rivals/shapes.py", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "warpcell-shapes-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const numbers = join(folder, "normal.f32");
const normal = normals(Number(wanted.seed));
writeFileSync(numbers, normal);

/** What a rival's process is told when it died once: virtual machines may name matrix units that they then forbid. */
const careful = { ONEDNN_MAX_CPU_ISA: "AVX512_CORE_FP16" };
class RivalDied extends Error {}

async function start(kind, more = {}) {
  for (const python of rivalPythons) {
    const child = spawn(python, [program, kind, numbers], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { OPENBLAS_THREAD_TIMEOUT: "20", ...more, ...process.env },
    });
    let broken;
    child.stdin.on("error", (error) => (broken = error));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [first] = await Promise.all([lines.next(), once(child, "spawn").catch(() => undefined)]);
    if (first.done) continue;
    const ask = async (question) => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await lines.next();
      if (done)
        throw new RivalDied(`the rivals' process died (${child.signalCode ?? broken?.message ?? "its output ended"})`);
      return JSON.parse(value);
    };
    return { names: first.value, ask, stop: () => child.stdin.end() };
  }
  throw new Error("No Python here has a rival: name one in WARPCELL_RIVAL_PYTHON.");
}

const partsOf = (result) => (result instanceof warpcell.Tensor ? [result] : Object.values(result));
const dispose = (result) => partsOf(result).forEach((each) => each.dispose());

/** A run that frees what it made; small arrays are worth no scope, which costs as much as they do. */
function running(cell, given) {
  const { ours } = families[cell.family][cell.op];
  const first = ours(given);
  const run = typeof first === "function" ? first : () => ours(given);
  if (typeof first !== "function") dispose(first);
  return sizeOf(cell.shape) < 2 ** 20 ? run : () => warpcell.tidy(run);
}

/** Elements far apart, the first and the last: as `sampled` of rivals/shapes.py takes them. */
function sampled(x) {
  const flat = x.reshape([-1]);
  const apart = flat.size <= 512 ? flat : flat.slice([0, null, Math.floor(flat.size / 384) | 1]);
  return [flat.slice([-64, null]), apart].flatMap((each) => each.toArray().map(Number));
}

function samples(result, cell, given) {
  const parts = partsOf(result).slice(0, cell.values ? 1 : undefined);
  return warpcell.tidy(() => {
    if (!cell.index) return { shapes: parts.map(({ shape }) => shape), sample: parts.flatMap(sampled) };
    const [index] = parts;
    const x = given.x;
    const at = index.shape.length < x.shape.length ? index.unsqueeze(cell.axis) : index;
    const found = x.gather(cell.axis, at);
    return { shapes: [found.shape], sample: sampled(found) };
  });
}

/** What is wrong with our result beside a rival's, or null. */
function difference(cell, { shapes, sample }, { parts, sample: text }) {
  const theirs = new Float64Array(new Uint8Array(Buffer.from(text, "base64")).buffer);
  if (String(shapes.map(sizeOf)) !== String(parts.map(({ count }) => count)))
    return `shapes ${JSON.stringify(shapes)} and ${JSON.stringify(parts.map(({ shape }) => shape))}`;
  const finite = theirs.filter(Number.isFinite);
  const usual = Math.sqrt(finite.reduce((sum, value) => sum + value * value, 0) / Math.max(1, finite.length));
  const limit = cell.within ?? within[cell.dtype];
  for (const [index, value] of theirs.entries()) {
    const own = sample[index];
    if (Object.is(own, value) || own === value) continue;
    if (!(Math.abs(own - value) <= limit * (Math.abs(value) + usual) + least)) return `${own} and ${value}`;
  }
  return null;
}

/** Milliseconds that the threads of a process have run. */
function workedBy(id) {
  const tasks = `/proc/${id}/task`;
  const each = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]),
  );
  return each.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}
const now = wanted.processor
  ? (device) => workedBy(process.pid) + workedBy(binding.processId(device.client))
  : () => performance.now();

/** Milliseconds of one run: the median of five batches, after one that is not counted. */
function timed(device, run, milliseconds, state) {
  const count = Math.max(1, Math.min(4096, Math.round(milliseconds / 5 / Math.max(state.once, 1e-4))));
  const batches = [];
  let spent = 0;
  for (let batch = 0; batch < 6 && spent < 4 * milliseconds; batch++) {
    const begin = now(device);
    for (let i = 0; i < count; i++) dispose(run());
    device.synchronize();
    batches.push((now(device) - begin) / count);
    spent += batches.at(-1) * count;
  }
  state.once = Math.min(...batches);
  return median(batches.length > 1 ? batches.slice(1) : batches);
}

async function measured(device, kind, rival, base, cell) {
  // What it fails with counts only after ours is made, at the same time.
  const asking = rival.ask({ cell }).then(
    (answers) => ({ answers }),
    (error) => ({ error }),
  );
  const given = inputsOf(base, cell, device.name);
  try {
    const run = running(cell, given);
    const result = run();
    const written = partsOf(result).reduce((sum, { size, dtype }) => sum + size * bytesOf[dtype], 0);
    const { answers, error } = await asking;
    if (error !== undefined) throw error;
    const refused = Object.entries(answers).filter(([, { refuses }]) => refuses !== undefined);
    const answered = Object.entries(answers).filter(([, { refuses }]) => refuses === undefined);
    if (answered.length === 0)
      return { cell, unmatched: refused.map(([name, { refuses }]) => `${name}: ${refuses}`)[0] ?? "no rival has it" };
    let wrong = null;
    if (!cell.isRandom) {
      const own = samples(result, cell, given);
      // Of several rivals one that agrees is enough.
      const differences = answered.map(([name, answer]) => [name, difference(cell, own, answer)]);
      if (differences.every(([, each]) => each !== null))
        wrong = `${differences[0][1]} (ours and ${differences[0][0]}'s)`;
    }
    dispose(result);
    device.synchronize();
    const begin = performance.now();
    dispose(run());
    device.synchronize();
    const state = { once: performance.now() - begin };
    const turns = [];
    for (let round = 0; round < rounds; round++)
      turns.push({
        ours: timed(device, run, turn[kind], state),
        theirs: await rival.ask({ turn: turn[kind], processor: wanted.processor }),
      });
    const ours = Math.min(...turns.map((each) => each.ours));
    const bests = Object.keys(turns[0].theirs).map((name) => [
      name,
      Math.min(...turns.map(({ theirs }) => theirs[name])),
    ]);
    const [name, best] = bests.sort(([, a], [, b]) => a - b)[0];
    return { cell, ours, best, who: name, ratio: best / ours, rate: (readBytes(cell) + written) / ours / 1e6, wrong };
  } finally {
    await asking;
    for (const each of Object.values(given)) each?.dispose?.();
  }
}

const number = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const geometric = (values) =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / Math.max(1, values.length));

function summed(title, results) {
  const ratios = results.map(({ ratio }) => ratio);
  const below = (limit) => ratios.filter((ratio) => ratio < limit).length;
  const worst = results[0];
  console.log(
    `${title.padEnd(14)} ${String(ratios.length).padStart(6)} cells, geometric mean ${number(geometric(ratios))}, ${below(0.8)} below 0.8, ${below(0.95)} below 0.95 (${((100 * below(0.95)) / ratios.length).toFixed(1)} %), the worst ${number(worst.ratio)}: ${worst.cell.name}`,
  );
}

function shown(device, results, copyRate) {
  const matched = results.filter(({ ratio }) => ratio !== undefined).sort((a, b) => a.ratio - b.ratio);
  const width = Math.max(...matched.map(({ cell }) => cell.name.length));
  console.log(
    `${"".padEnd(width)} ${"ours µs".padStart(9)} ${"rival".padStart(9)} ${"ratio".padStart(6)} ${"of copy".padStart(7)}`,
  );
  for (const { cell, ours, best, who, ratio, rate } of matched)
    console.log(
      `${cell.name.padEnd(width)} ${number(ours * 1e3).padStart(9)} ${number(best * 1e3).padStart(9)} ${number(ratio).padStart(6)} ${(rate / copyRate).toFixed(2).padStart(7)}  ${who.split(" ")[0]}`,
    );
  console.log(`${device.name}:`);
  for (const family of Object.keys(families)) {
    const own = matched.filter(({ cell }) => cell.family === family);
    if (own.length > 0) summed(family, own);
  }
  if (matched.length > 0) summed("all", matched);
  const alone = results.filter(({ unmatched }) => unmatched !== undefined);
  if (alone.length > 0)
    console.log(
      `${alone.length} cells have no rival: ${[...new Map(alone.map(({ cell, unmatched }) => [cell.op, unmatched]))].map(([op, why]) => `${op} (${why})`).join("; ")}`,
    );
}

// Whoever ends it sees what was measured until then.
let isEnded = false;
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => (isEnded = true));

let failures = 0;
const everything = [];
for await (const { name: kind, device } of devices()) {
  if (wanted.device !== undefined && wanted.device !== kind) continue;
  let rival = await start(kind);
  const base = warpcell.tensor(normal, { device: device.name });
  const chosen = cells(kind, { isSample: wanted.quick || wanted.seconds !== undefined, seed: wanted.seed }).filter(
    ({ name, family }) => pattern.test(`${family} ${name}`),
  );
  const limit = wanted.seconds === undefined ? (wanted.quick ? quickly[kind] : Infinity) : Number(wanted.seconds);
  console.log(
    `${device.name}: ${device.properties.name}, beside ${rival.names}; ${chosen.length} cells${limit === Infinity ? "" : `, as many as ${limit} s allow`}; seed ${wanted.seed}`,
  );
  const begin = performance.now();
  const clone = cells(kind, { isSample: false }).find(({ op, dtype }) => op === "clone" && dtype === "float32");
  const { rate: copyRate } = await measured(device, kind, rival, base, clone);
  const results = [];
  for (const cell of chosen) {
    if (isEnded || performance.now() - begin > limit * 1e3) break;
    let result;
    for (let trial = 0; result === undefined; trial++) {
      try {
        result = await measured(device, kind, rival, base, cell);
      } catch (error) {
        if (error instanceof RivalDied) rival = await start(kind, careful);
        // The signal that ends this process may have reached the device's, too.
        if (!(error instanceof RivalDied))
          result = isEnded ? { cell, unmatched: "ended" } : { cell, wrong: error.message };
        else if (trial > 0) result = { cell, unmatched: error.message };
      }
    }
    if (result.wrong) {
      failures++;
      console.log(`✗ ${cell.name}: ${result.wrong}`);
    }
    results.push(result);
  }
  shown(device, results, copyRate);
  console.log(
    `${results.length} of ${chosen.length} cells in ${((performance.now() - begin) / 1e3).toFixed(0)} s; a copy moves ${number(copyRate)} GB/s; ${failures} results differ.`,
  );
  everything.push(
    ...results.map(({ cell: { name, family, op, dtype, layout, axis, shape }, ...rest }) => ({
      device: kind,
      name,
      family,
      op,
      dtype,
      layout,
      axis,
      shape,
      ...rest,
    })),
  );
  rival.stop();
}
if (wanted.json !== undefined) writeFileSync(wanted.json, JSON.stringify(everything));
process.exit(failures === 0 ? 0 : 1);
