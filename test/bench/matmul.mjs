// Matrix products on every device of this machine, in turns with NumPy on the CPU and with PyTorch on a GPU. Prints one
// JSON object per figure.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { devices, median, print, rivalPythons } from "./common/devices.mjs";

const { randn, zeros } = await import("warpcell");
const { LibraryPlan } = await import("../../native/dist/device/library-plan.js");
const { libraryMatmul, matmulLibrary } = await import("../../native/dist/ops/linear/library-matmul.js");

const rounds = 9;

// Reads "SIZE TYPE REPEATS" and answers with the milliseconds of one product, for as long as there are lines.
const rivals = {
  cpu: {
    name: "NumPy",
    program: `
import sys, time, numpy
print(numpy.__version__, flush=True)
made = {}
for line in sys.stdin:
    n, kind, repeats = line.split(); n = int(n); repeats = int(repeats)
    if (n, kind) not in made:
        made[n, kind] = [numpy.random.rand(n, n).astype(kind) for _ in range(2)] + [numpy.empty((n, n), kind)]
    a, b, out = made[n, kind]
    start = time.perf_counter()
    for _ in range(repeats): numpy.matmul(a, b, out=out)
    print((time.perf_counter() - start) / repeats * 1e3, flush=True)
`,
  },
  cuda: {
    name: "PyTorch",
    program: `
import sys, time, torch
print(torch.__version__, flush=True)
made = {}
def product(n, kind):
    if kind == "float8":
        a, b = (torch.randn(n, n, device="cuda").to(torch.float8_e4m3fn) for _ in range(2)); one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    a, b = (torch.randn(n, n, device="cuda", dtype=getattr(torch, "float32" if kind == "tf32" else kind)) for _ in range(2)); out = torch.empty_like(a)
    return lambda: torch.mm(a, b, out=out)
for line in sys.stdin:
    n, kind, repeats = line.split(); n = int(n); repeats = int(repeats)
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    if (n, kind) not in made:
        made.clear(); made[n, kind] = product(n, kind)
        for _ in range(3): made[n, kind]()
    made[n, kind](); torch.cuda.synchronize(); start = time.perf_counter()
    for _ in range(repeats): made[n, kind]()
    torch.cuda.synchronize()
    print((time.perf_counter() - start) / repeats * 1e3, flush=True)
`,
  },
};

/** A rival's process, or null where no Python on this machine has it. */
async function start({ name, program }) {
  for (const python of rivalPythons) {
    // NumPy's threads would spin for 20 ms into our turn: they sleep as soon as ours do.
    const child = spawn(python, ["-c", program], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { OPENBLAS_THREAD_TIMEOUT: "20", ...process.env },
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [first] = await Promise.all([lines.next(), once(child, "spawn").catch(() => undefined)]);
    if (first.done) continue;
    return {
      name: `${name} ${first.value}`,
      stop: () => child.stdin.end(),
      time: async (...words) => (child.stdin.write(`${words.join(" ")}\n`), Number((await lines.next()).value)),
    };
  }
  return null;
}

const place = ({ placeHigh, placeLow }) => placeHigh * 2 ** 32 + placeLow;

/** What multiplies two n × n matrices once, and how to be done with them. */
function product(device, n, kind) {
  const on = { device: device.name };
  if (kind === "float8") {
    const [a, b] = [0, 1].map(() => randn([n, n], on).to("float8_e4m3"));
    const one = zeros([1], on).add(1);
    const out = zeros([n, n], { ...on, dtype: "bfloat16" });
    const side = (name, type) => `${name}.type=${type} ${name}.leading=${n} ${name}.alignment=256`;
    const text = `matmul m=${n} n=${n} k=${n} compute=float32 a.scales=one b.scales=one ${side("a", "float8_e4m3")} ${side("b", "float8_e4m3")} b.transposed=1 ${side("out", "bfloat16")}`;
    const places = [out, a, b, one, one].map(place);
    const plan = LibraryPlan.obtain(device, text, { places, scalars: [1, 0] });
    return {
      once: () => plan.run(device.execution, places, [1, 0]),
      algorithm: plan.chosen.algorithm,
      done: () => [a, b, one, out].forEach((tensor) => tensor.dispose()),
    };
  }
  const dtype = kind === "tf32" ? "float32" : kind;
  const [a, b, out] = [
    randn([n, n], { ...on, dtype }),
    randn([n, n], { ...on, dtype }),
    zeros([n, n], { ...on, dtype }),
  ];
  const [x, y, z] = [a, b, out].map((tensor) => ({
    place: place(tensor),
    rows: n,
    columns: n,
    batch: 0,
    row: n,
    column: 1,
  }));
  const compute = { tf32: "tf32", float64: "float64" }[kind] ?? "float32";
  return {
    once: () => libraryMatmul(device.execution, dtype, 1, z, x, y, compute),
    done: () => [a, b, out].forEach((tensor) => tensor.dispose()),
  };
}

async function compare(device, rival, n, kind, repeats, limit) {
  const { once, done } = product(device, n, kind);
  for (let i = 0; i < 3; i++) once();
  device.synchronize();
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    // Both sides have rested during the other's turn, and are woken before they are timed.
    once();
    device.synchronize();
    const begin = performance.now();
    for (let i = 0; i < repeats; i++) once();
    device.synchronize();
    const ours = (performance.now() - begin) / repeats;
    measured.push({ ours, rival: await rival?.time(n, kind, repeats) });
  }
  done();
  const speed = (milliseconds) => (2 * n ** 3) / milliseconds / (device.kind === "cpu" ? 1e6 : 1e9);
  const figure = {
    name: `${device.name}: ${kind} ${n} × ${n} × ${n}`,
    unit: device.kind === "cpu" ? "GFLOP/s" : "TFLOP/s",
    ours: speed(median(measured.map(({ ours }) => ours))),
    better: "higher",
  };
  if (rival === null) return print(figure);
  print({
    ...figure,
    rival: speed(median(measured.map(({ rival }) => rival))),
    ratio: median(measured.map(({ ours, rival }) => rival / ours)),
    limit,
    note: `${rival.name}, in turns, median of ${rounds} ratios`,
  });
}

const plans = {
  cpu: {
    limit: 0.95,
    rows: [
      [512, "float32", 20],
      [1024, "float32", 4],
      [512, "float64", 10],
    ],
  },
  cuda: {
    limit: 0.98,
    rows: [4096, 8192].flatMap((n) =>
      ["float32", "tf32", "float16", "bfloat16", "float8"].map((kind) => [
        n,
        kind,
        Math.max(3, Math.round((kind === "float32" ? 40 : 480) * (4096 / n) ** 3)),
      ]),
    ),
  },
};

for await (const { name, device } of devices()) {
  const { library, version } = matmulLibrary(device);
  console.log(`${device.name}: ${device.properties.name}, ${library} ${version}`);
  const rival = await start(rivals[name]);
  if (rival === null) console.log(`No Python here has ${rivals[name].name}: name one in WARPCELL_RIVAL_PYTHON.`);
  for (const [n, kind, repeats] of plans[name].rows) await compare(device, rival, n, kind, repeats, plans[name].limit);
  rival?.stop();
}
process.exit(0);
