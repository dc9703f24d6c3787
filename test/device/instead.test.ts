// What users of PyTorch, NumPy and arrays write first, and what tensors are to JavaScript: sentences, rows, JSON.
import { afterAll, describe, expect, test } from "vitest";
import * as w from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

const { arange, full, nn, optim, tensor, zeros } = w;
/** As cells write it, without the checker's help. */
type Any = any;

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const x: Any = zeros([2, 3], { device });
  const model: Any = new nn.Linear(2, 3, { device });
  const optimizer: Any = new optim.SGD(model.parameters(), { lr: 0.1 });
  const space: Any = nn;

  const sentences: [written: string, run: () => unknown, sentence: string][] = [
    ["x[0]", () => x[0], "Brackets do not index a tensor: write x.get(0) for x[0]."],
    ["x[-1]", () => x[-1], "Brackets do not index a tensor: write x.get(-1) for x[-1]."],
    ["x[31]", () => x[31], "Brackets do not index a tensor: write x.get(31) for x[31]."],
    ["x[1] = 2", () => (x[1] = 2), "Brackets do not write to a tensor: write x.set([1], value) for x[1] = value."],
    [
      "x.length",
      () => x.length,
      "A tensor has no length: write x.size for the number of elements, x.shape[0] for that of rows.",
    ],
    ["x.view", () => x.view(3, 2), "A tensor has no view: write x.reshape([2, 3]), a view where the strides allow."],
    ["x.clip", () => x.clip(0, 1), "A tensor has no clip: write x.clamp(0, 1)."],
    ["x.fill", () => x.fill(0), "A tensor has no fill: write x.fill_(1)."],
    ["x.float", () => x.float(), 'A tensor has no float: write x.to("float32").'],
    ["x.expandAs", () => x.expandAs(x), "A tensor has no expandAs: write x.expand(y.shape)."],
    ["x.isCuda", () => x.isCuda, "A tensor has no isCuda: write x.device."],
    ["x.long", () => x.long(), 'A tensor has no long: write x.to("int64").'],
    ["x.cuda", () => x.cuda(), 'A tensor has no cuda: write x.to("cuda").'],
    ["x.numpy", () => x.numpy(), "A tensor has no numpy: write x.toArray(), or x.data() for a typed array."],
    ["x.dim", () => x.dim(), "A tensor has no dim: write x.ndim."],
    [
      "x.data = y",
      () => (x.data = x),
      "data() copies what is in a tensor: write noGrad(() => x.copy_(y)) for x.data = y.",
    ],
    ["x.not", () => x.not(), "A tensor has no not: write x.logicalNot()."],
    ["x.toFixed", () => x.toFixed(1), "A tensor has no toFixed: write x.item().toFixed(2)."],
    ["x.lerp_", () => x.lerp_(x, 1), "A tensor has no lerp_: write x.copy_(x.lerp(y, 0.1))."],
    ["x.t", () => x.t(), "A tensor has no t: write x.T."],
    ["x.unsqueeze_", () => x.unsqueeze_(0), "A tensor has no unsqueeze_: write x = x.unsqueeze(…)."],
    ["x.clamp_", () => x.clamp_(), "A tensor has no clamp_: write x.copy_(x.clamp(…))."],
    ["x.index_select", () => x.index_select(0, [1]), "A tensor has no index_select: write x.indexSelect(…)."],
    ["x.requires_grad = true", () => (x.requires_grad = true), "A tensor has no requires_grad: write x.requiresGrad."],
    [
      "x.map",
      () => x.map(Math.exp),
      "A tensor has no map: write x.toArray().map(…), or operations on the whole, x.mul(2).",
    ],
    ["manualSeed", () => (w as Any).manualSeed(0), "There is no manualSeed: write seed(0)."],
    [
      "new nn.LazyLinear",
      () => new space.LazyLinear(3),
      "There is no nn.LazyLinear: write new nn.Linear(inputs, outputs): sizes are told when a layer is made, and x.shape says them.",
    ],
    [
      "nn.SyncBatchNorm",
      () => new space.SyncBatchNorm(3),
      "There is no nn.SyncBatchNorm: write new nn.BatchNorm2d(channels), since a model is on one device.",
    ],
    [
      "nn.FractionalMaxPool2d",
      () => new space.FractionalMaxPool2d(3),
      "There is no nn.FractionalMaxPool2d: write new nn.AdaptiveMaxPool2d(size).",
    ],
    [
      "nn.Parameter",
      () => space.Parameter(x),
      "There is no nn.Parameter: write a tensor in a property of the module, with requiresGrad = true.",
    ],
    [
      "model.registerBuffer",
      () => model.registerBuffer("mean", x),
      "A module has no registerBuffer: write this.mean = x, since a tensor that wants no gradient is saved and not trained.",
    ],
    [
      "list.append",
      () => (new nn.ModuleList() as Any).append(model),
      "A ModuleList has no append: write list.push(each).",
    ],
    [
      "sequential.append",
      () => (new nn.Sequential() as Any).append(model),
      "A Sequential has no append: write new nn.Sequential(...net.layers, layer).",
    ],
    [
      "dict.items",
      () => (new nn.ModuleDict() as Any).items(),
      "A ModuleDict has no items: write for (const [name, module] of dict).",
    ],
    [
      "nn.init.xavier_uniform_",
      () => space.init.xavier_uniform_(x),
      "There is no nn.init.xavier_uniform_: write nn.init.xavierUniform(…).",
    ],
    ["model.zero_grad", () => model.zero_grad(), "A module has no zero_grad: write model.zeroGrad(…)."],
    [
      "model.save",
      () => model.save("a"),
      'A module has no save: write await io.save("model.safetensors", model.stateDict()).',
    ],
    [
      "model.apply",
      () => model.apply(() => 0),
      "A module has no apply: write for (const [name, module] of model.namedModules()) ….",
    ],
    ["model.cuda", () => model.cuda(), 'A module has no cuda: write model.to("cuda").'],
    ["optimizer.zero_grad", () => optimizer.zero_grad(), "An optimiser has no zero_grad: write optimizer.zeroGrad(…)."],
    [
      "optimizer.param_groups",
      () => optimizer.param_groups,
      "An optimiser has no param_groups: write optimizer.groups, or optimizer.lr.",
    ],
    [
      "new optim.lr_scheduler.StepLR",
      () => new (optim as Any).lr_scheduler.StepLR(optimizer, 30),
      "There is no optim.lr_scheduler.StepLR: write new optim.StepLR(optimizer, 30).",
    ],
    [
      "new optim.lrScheduler.LambdaLR",
      () => new (optim as Any).lrScheduler.LambdaLR(optimizer),
      "There is no optim.lr_scheduler.LambdaLR: write new optim.LambdaLR(optimizer, (step) => 0.95 ** step).",
    ],
    [
      "optim.SparseAdam",
      () => new (optim as Any).SparseAdam([]),
      "There is no optim.SparseAdam: write optim.Adam, since gradients of tables are dense.",
    ],
    [
      "SGD of a tensor",
      () => new optim.SGD(model.weight, { lr: 0.1 }),
      "SGD takes parameters, e.g. new optim.SGD(model.parameters()), but got a Tensor.",
    ],
    [
      "clipGradNorm of a tensor",
      () => optim.clipGradNorm(model.weight, 1),
      "clipGradNorm takes a list of parameters but got a tensor: write [x].",
    ],
    [
      "[...scalar]",
      () => [...full([], 1, { device })],
      "A tensor without axes has no rows to iterate over: x.item() is its element.",
    ],
  ];
  test.each(sentences)("%s says what to write", (_, run, sentence) => {
    expect(run).toThrow(w.TensorError);
    expect(run).toThrow(new RegExp(`^${sentence.replace(/[^\w\s]/g, "\\$&")}$`));
  });

  test("names that say what to write are in nobody's way", () => {
    expect(Object.keys(x)).not.toContain("view");
    class Net extends nn.Module {
      float = 3;
      constructor() {
        super();
        (this as Any).cuda = true;
      }
      forward(): number {
        return this.float;
      }
    }
    expect(new Net().forward()).toBe(3);
  });

  test("a tensor is gone through by its rows, which are views", () => {
    const table = arange(6, { device }).reshape([3, 2]);
    const rows: w.Tensor[] = [];
    for (const row of table) rows.push(row);
    expect(rows.map((row) => row.toArray())).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    rows[1]!.fill_(9);
    expect(table.toArray()).toEqual([
      [0, 1],
      [9, 9],
      [4, 5],
    ]);
    expect([...arange(3, { device })].map((each) => each.item())).toEqual([0, 1, 2]);
    expect(Array.from(table, (row) => row.sum().item())).toEqual([1, 18, 9]);
    expect([...zeros([0, 3], { device })]).toEqual([]);
    const leaf = tensor([1, 2, 3], { device });
    leaf.requiresGrad = true;
    const [first, , last] = leaf;
    first!.mul(last!).backward();
    expect(leaf.grad!.toArray()).toEqual([3, 0, 1]);
  });

  test("JSON has the numbers", () => {
    const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
    expect(json({ x: arange(4, { device }).reshape([2, 2]).T })).toEqual({
      x: [
        [0, 2],
        [1, 3],
      ],
    });
    expect(json(tensor([true, false], { device }))).toEqual([true, false]);
    expect(json(tensor([1n, -(2n ** 53n - 1n), 2n ** 53n], { device }))).toEqual([
      1,
      -(2 ** 53 - 1),
      "9007199254740992",
    ]);
    expect(json(tensor([1, NaN, Infinity], { device }))).toEqual([1, null, null]);
    expect(json(full([], 0.5, { device }))).toBe(0.5);
    expect(json(zeros([2, 0], { device }))).toEqual([[], []]);
  });
});
