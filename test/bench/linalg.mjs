// Linear algebra on every device of this machine, in turns with NumPy on the CPU and with PyTorch on a GPU: one large
// matrix, and batches of small ones. `npm run bench -- linalg` prints one JSON object per figure.
import { devices, median, print } from "./common/devices.mjs";
import { served, startRival, timedTurn } from "./common/turns.mjs";

const { eye, linalg, randn, tidy } = await import("warpcell");

const rounds = 7;
const pattern = new RegExp(process.argv[2] ?? "", "i");

// `a` is any matrix, `s` positive definite, `b` right-hand sides.
const rivals = {
  cpu: {
    name: "NumPy",
    program: served(
      `
import numpy as np
def make(question):
    shape, dtype = question["shape"], question["dtype"]
    a = np.random.randn(*shape).astype(dtype)
    n = shape[-1]
    s = (a.swapaxes(-1, -2) @ a / shape[-2] + np.eye(n)).astype(dtype)
    return dict(np=np, a=a, s=s, b=np.random.randn(*shape[:-1], 8).astype(dtype))
`,
      "pass",
      "np.__version__",
    ),
  },
  cuda: {
    name: "PyTorch",
    program: served(
      `
import torch
def make(question):
    shape, dtype = question["shape"], question["dtype"]
    a = torch.randn(*shape, dtype=getattr(torch, dtype), device="cuda")
    n = shape[-1]
    s = a.mT @ a / shape[-2] + torch.eye(n, dtype=a.dtype, device="cuda")
    return dict(torch=torch, a=a, s=s, b=torch.randn(*shape[:-1], 8, dtype=a.dtype, device="cuda"))
`,
      "torch.cuda.synchronize()",
      "torch.__version__",
    ),
  },
};

/** Name, ours, NumPy's expression (null: it has none); PyTorch's where it is not the same with another name in front. */
const calls = {
  cholesky: [({ s }) => linalg.cholesky(s), "np.linalg.cholesky(s)"],
  solve: [({ s, b }) => linalg.solve(s, b), "np.linalg.solve(s, b)"],
  solveTriangular: [
    ({ s, b }) => linalg.solveTriangular(s, b),
    null,
    "torch.linalg.solve_triangular(s, b, upper=False)",
  ],
  choleskySolve: [({ s, b }) => linalg.choleskySolve(s, b), null, "torch.cholesky_solve(b, s)"],
  inv: [({ s }) => linalg.inv(s), "np.linalg.inv(s)"],
  det: [({ s }) => linalg.det(s), "np.linalg.det(s)"],
  eigh: [({ s }) => linalg.eigh(s), "np.linalg.eigh(s)"],
  eig: [({ s }) => linalg.eig(s), "np.linalg.eig(s)"],
  eigvalsh: [({ s }) => linalg.eigvalsh(s), "np.linalg.eigvalsh(s)"],
  svd: [({ a }) => linalg.svd(a), "np.linalg.svd(a, full_matrices=False)"],
  svdvals: [({ a }) => linalg.svdvals(a), "np.linalg.svd(a, compute_uv=False)", "torch.linalg.svdvals(a)"],
  qr: [({ a }) => linalg.qr(a), "np.linalg.qr(a)"],
};
const shapes = {
  cpu: [
    [8, 8],
    [64, 64],
    [512, 512],
    [2000, 64],
    [1000, 8, 8],
    [100, 32, 32],
  ],
  cuda: [
    [64, 64],
    [1024, 1024],
    [20000, 64],
    [10000, 8, 8],
    [10000, 32, 32],
    [1000, 64, 64],
    [64, 256, 256],
  ],
};
const limits = { cpu: 0.95, cuda: 1 };

for await (const { name, device } of devices()) {
  const rival = await startRival(rivals[name]);
  if (rival === null) console.log(`No Python here has ${rivals[name].name}: name one in WARPCELL_RIVAL_PYTHON.`);
  for (const shape of shapes[name])
    for (const dtype of ["float32", "float64"]) {
      const options = { dtype, device: device.name };
      const a = randn(shape, options);
      const s = a
        .swapAxes(-1, -2)
        .matmul(a)
        .div(shape.at(-2))
        .add(eye(shape.at(-1), options));
      const given = { a, s, b: randn([...shape.slice(0, -1), 8], options) };
      for (const [call, [ours, numpy, torch = numpy.replace("np.", "torch.")]] of Object.entries(calls)) {
        if (name === "cpu" && numpy === null) continue;
        const title = `${device.name}: ${call} of ${dtype} ${shape.join(" × ")}`;
        const isSquare = shape.at(-1) === shape.at(-2);
        if (!pattern.test(title) || (!isSquare && !["svd", "svdvals", "qr"].includes(call))) continue;
        const run = () => ours(given);
        tidy(() => void run());
        device.synchronize();
        await rival?.ask({ shape, dtype, expression: name === "cpu" ? numpy : torch });
        const measured = [];
        for (let round = 0; round < rounds; round++)
          measured.push({ ours: timedTurn(device, run), rival: await rival?.ask({}) });
        const figure = { name: title, unit: "ms", ours: median(measured.map((each) => each.ours)), better: "lower" };
        if (rival === null) print(figure);
        else
          print({
            ...figure,
            rival: median(measured.map((each) => each.rival)),
            ratio: median(measured.map((each) => each.rival / each.ours)),
            limit: limits[name],
            note: `${rival.name}, in turns, median of ${rounds} ratios`,
          });
      }
      for (const each of [s, ...Object.values(given)]) each.dispose();
    }
  rival?.stop();
}
process.exit(0);
