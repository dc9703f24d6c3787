// What the checker knows of tensors as one writes: dtypes of results, lines that are right, lines that are not.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dtypeNames, type DType } from "../native/lib/memory/dtype.ts";
import { floatOf, promoted, promotedWith } from "../native/lib/memory/promotion.ts";
import { binaryRows, unaryRows } from "../native/lib/ops/core/table.ts";
import { Tensor } from "../native/lib/index.ts";
import { results } from "./helpers/result-dtypes.ts";
import { CheckedText } from "./helpers/checked-text.ts";

let library: CheckedText;
beforeAll(() => {
  library = new CheckedText();
}, 120_000);
afterAll(() => library[Symbol.dispose]());

/** Text in which `is<A, B>()` is an error unless the types are the same. */
const prelude = `
import * as w from "warpcell";
import { Tensor, type DType } from "warpcell";
declare function is<A, B>(...same: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : [A, B]): void;
declare function of<D extends DType>(dtype: D): Tensor<D>;
const f32 = of("float32"), f64 = of("float64"), f16 = of("float16"), i32 = of("int32"), i64 = of("int64"), bool = of("bool");
declare const unknown: Tensor, some: number;
`;

/** Findings in lines that follow the prelude, each with its line. */
function foundIn(lines: readonly string[]): string[] {
  const before = prelude.split("\n").length;
  return library
    .check([prelude, ...lines].join("\n"))
    .map(({ line, message }) => `${lines[line - before - 1] ?? `line ${line}`}: ${message}`);
}

const or = <T>(compute: () => T): T | "never" => {
  try {
    return compute();
  } catch {
    return "never";
  }
};

describe("dtypes of results", () => {
  test("the checker's table of promotion is the one that computes", () => {
    const quoted = (dtype: DType | "never") => (dtype === "never" ? dtype : JSON.stringify(dtype));
    const lines = dtypeNames.flatMap((a) =>
      dtypeNames.map((b) => `is<w.Promoted<"${a}", "${b}">, ${quoted(or(() => promoted(a, b)))}>();`),
    );
    const withNumbers = dtypeNames.flatMap((a) =>
      [1, -7, 0.5, 1e-7, 3n, true].map((number) => {
        const type = typeof number === "bigint" ? `${number}n` : String(number);
        return `is<w.PromotedWith<"${a}", ${type}>, "${promotedWith(a, number)}">();`;
      }),
    );
    expect(lines).toHaveLength(289);
    expect(foundIn([...lines, ...withNumbers])).toEqual([]);
  });

  test("of every row of the table, as its domain says", () => {
    const resultOf = ({ domain, result }: { domain: string; result: string }, dtype: DType): DType => {
      if (result === "bool" || domain === "logical") return "bool";
      return domain === "float" || domain === "wide" ? floatOf(dtype) : dtype;
    };
    const lines = (["int32", "float16"] as const).flatMap((dtype) => [
      ...Object.entries(unaryRows).map(([name, row]) => [`of("${dtype}").${name}()`, resultOf(row, dtype)]),
      ...Object.entries(unaryRows).map(([name, row]) => [`w.${name}(of("${dtype}"))`, resultOf(row, dtype)]),
      ...Object.entries(binaryRows).flatMap(([name, row]) => [
        [`of("${dtype}").${name}(1)`, resultOf(row, promotedWith(dtype, 1))],
        [`of("${dtype}").${name}(of("int64"))`, resultOf(row, promoted(dtype, "int64"))],
        [`w.${name}(0.5, of("${dtype}"))`, resultOf(row, promotedWith(dtype, 0.5))],
      ]),
    ]);
    expect(
      foundIn(
        lines.map(
          ([expression, dtype], at) => `const v${at} = ${expression}; is<typeof v${at}, Tensor<"${dtype}">>();`,
        ),
      ),
    ).toEqual([]);
  });

  test("of every kind of function", () => {
    const lines = results.map(
      ([expression, dtype], at) =>
        `const v${at} = ${expression}; is<typeof v${at}, Tensor<${dtype === "any" ? dtype : JSON.stringify(dtype)}>>();`,
    );
    expect(foundIn(lines)).toEqual([]);
  });

  test("a tensor of a dtype that is not known is assigned where one is wanted, as a value of any", () => {
    const lines = [
      "let h = w.zeros([2]); const f = (x: Tensor): Tensor => x.mul(2); h = f(h); h = h.mul(f32).add(1).tanh();",
      "h = h.matmul(f32); h = h.get(0); h = w.cat([h, h]); h = w.softmax(h);",
      "const n: number = f(h).mean().item(); const t: number = f(h).sum().item();",
      "const best: number = f32.argmax().item() + 1; const s: number = i64.sum().item(); const b: boolean = bool.any().item();",
    ];
    expect(foundIn(lines)).toEqual([]);
  });
});

// As one types them in a first notebook on training; none has a cast.
const ordinary = String.raw`
import { arange, cat, crossEntropy, dropout, exp, grad, layerNorm, linear, mseLoss, nn, noGrad, ones, optim, rand, randint, randn, relu, softmax, stack, tensor, tidy, valueAndGrad, where, zeros, type Tensor } from "warpcell";
const net = new nn.Sequential(new nn.Linear(2, 16), relu, new nn.Linear(16, 3));
const optimizer = new optim.Adam(net.parameters(), { lr: 1e-2 });
const x = randn([32, 2], { seed: 1 });
const y = randint(0, 3, [32], { seed: 2 });
let total = 0, best = Infinity;
const losses: number[] = [];
for (let step = 0; step < 10; step++) {
  const loss = crossEntropy(net.forward(x), y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  total += loss.item();
  if (loss.item() < best) best = loss.item();
  losses.push(loss.item());
}
const last = tensor([losses.at(-1)!, total]);
const again = tensor([mseLoss(x, x.mul(2)).item()]);
const accuracy: number = net.forward(x).argmax(1).eq(y).to("float32").mean().item();
const right: number = y.eq(1).sum().item() + 1;
const place: number = x.get(0).argmax().item() + 1;
let h = zeros([1, 2]);
const w = ones([2, 2]);
for (let step = 0; step < 3; step++) h = h.matmul(w).add(1).mul(0.5).tanh();
h = cat([h, h]);
h = softmax(h);
h = stack([h, h]).sum(0);
const cell = (state: Tensor, input: Tensor) => state.matmul(w).add(input).sigmoid();
h = cell(h, zeros([2, 2]));
const [a, b] = x.toArray();
const spread = Math.max(...x.get(0).toArray());
const rows = x.toArray<number[]>().map((row) => row[0]! + row[1]!);
for (const row of x) total += row.sum().item();
const [first, second] = x;
const means = Array.from(x, (row) => row.mean().item()).filter((mean) => mean > 0);
const n: number = x.sum().item(), m: number = x.abs().max().item(), p: number = x.norm().item();
const isFine: boolean = x.isfinite().all().item();
const size = x.shape[0]! * x.shape[1]!;
const part = x.get([0, 3], 1).mul(x.get([3, 6], 1));
const { values, indices } = x.sort({ axis: 1 });
const top = x.flatten().topk(3).values.get(0).item();
const mixed = arange(3, { dtype: "int64" }).add(1).to("float32").div(rand([3]));
const slope = grad((z: Tensor) => z.square().sum())(x);
const { value, gradients } = valueAndGrad((z: Tensor) => z.exp().mean())(x);
const average = value.item().toFixed(2), inward = gradients[0];
const normed = dropout(layerNorm(linear(x, ones([4, 2]))), 0.1).clamp({ min: 0 });
const masked = x.where(x.gt(0), 0).add(x.gelu()).sub(exp(x));
const kept = noGrad(() => tidy(() => x.mean(0)));
class Tied extends nn.Module {
  emb = new nn.Embedding(10, 4);
  head = new nn.Linear(4, 10, { bias: false });
  constructor() {
    super();
    this.head.weight = this.emb.weight;
  }
  forward(x: Tensor) {
    return this.head(this.emb(x).relu());
  }
}
const logits = new Tied()(arange(3, { dtype: "int64" })), picked: number = logits.argmax(-1).get(0).item();
const text = x.mean().item().toFixed(3) + JSON.stringify(x);
class Net extends nn.Module {
  name = "net";
  hidden = new nn.Linear(2, 3);
  blocks = new nn.ModuleList([new nn.Linear(3, 3)]);
  heads = new nn.ModuleDict({ out: new nn.Linear(3, 1) });
  forward(z: Tensor, scale = 1) {
    let each: Tensor = this.hidden(z).relu();
    for (const block of this.blocks) each = block(each);
    return this.heads.get("out")(each).mul(scale);
  }
}
const model = new Net(), scores: Tensor = model(x, 2);
const body = new nn.Sequential(model, (z) => z.mul(2), new nn.Dropout(0.1)), all: Tensor = body(x);
const stop = body.registerForwardHook((module, inputs, output) => console.log(module.layers.length, inputs.length, output));
nn.init.kaimingNormal(model.hidden.weight, { mode: "fanOut" });
const near: Tensor<"float32"> = x.round({ decimals: 2 }), wide: Tensor<"float64"> = x.softmax(-1, { dtype: "float64" });
const net2 = new nn.Sequential(new nn.Conv2d(3, 8, 3), new nn.BatchNorm2d(8), new nn.ReLU(), new nn.LeakyReLU(0.2));
const criterion = new nn.CrossEntropyLoss({ labelSmoothing: 0.1 }), lost: Tensor = criterion(net2(x), y).add(x.softplus({ beta: 2 }));
`;

// What users of PyTorch, NumPy and arrays type first, and options that are none.
const mistakes = String.raw`
x + 1;
x * x;
x > 0;
x - x;
x[0];
x[0] = zeros([3]);
x[i];
x.length;
x.view(3, 2);
x.size(0);
x.float();
x.long();
x.cpu();
x.cuda();
x.numpy();
x.dim();
x.t();
x.unsqueeze_(0);
x.index_select(0, [1]);
x.requires_grad = true;
x.clamp({ lo: 0 });
x.clamp({ min: "a" });
x.sum({ axes: 0 });
x.sum({ keepDims: true });
x.std({ dof: 0 });
x.sort({ reverse: true });
softmax(x, { along: 0 });
cat(x, x);
cat([x, 1]);
zeros([2], { type: "int32" });
zeros([2], { dtype: "float" });
zeros("2");
randn([3], { requiresGrad: true });
new optim.Adam(net.parameters(), { learningRate: 0.1 });
new nn.ReLU(true);
net("x");
net();
new nn.Linear(3, 4, false);
nn.Linear(2, 3);
nn.Parameter(x);
optimizer.zero_grad();
x.add("1");
x.matmul(2);
const n: string = x.sum().item();
const f: Tensor<"float32"> = x.eq(1);
const d: Tensor<"float64"> = x.mul(2);
x.reshape("3, 2");
x.max({ axis: 1 }).values;
`;

describe("a cell", () => {
  const linesOf = (text: string) => text.trim().split("\n");

  test("of ordinary lines has no finding", () => {
    expect(linesOf(ordinary).length).toBeGreaterThan(40);
    expect(library.check(ordinary)).toEqual([]);
  });

  test("has a finding at every mistake", () => {
    const lines = linesOf(mistakes);
    expect(lines.length).toBeGreaterThanOrEqual(43);
    const setting = [
      'import { cat, nn, optim, randn, softmax, zeros, type Tensor } from "warpcell";',
      "const x = zeros([3, 2]), i: number = 1, net = new nn.Linear(2, 3);",
      "const optimizer = new optim.SGD(net.parameters(), { lr: 1 });",
    ];
    const expecting = lines.flatMap((line) => ["// @ts-expect-error", `{ ${line} }`]);
    const passed = library.check([...setting, ...expecting].join("\n"));
    expect(passed.map(({ line, message }) => `${expecting[line - setting.length] ?? line}: ${message}`)).toEqual([]);
  });
});

describe("operations that call each other", () => {
  const setting = [
    'import { call, callAll } from "../declarations/ops/core/calls.js";',
    'import { apply, applyInto } from "../declarations/ops/core/apply.js";',
    'import { zeros } from "warpcell";',
    "const x = zeros([3, 2]), pairs = [x, x] as const, which = Math.random() < 0.5 ? 'max' : 'min';",
  ];

  test("has no findings where names, operands and attributes are those of a row", () => {
    const right = [
      'call("exp", [x]); call("exp", [x], {});',
      'call("add", [x, 2]); call("add", [2, x]); call("sub", pairs);',
      'call("sum", [x], { axes: [0], keepdims: false }); call(which, [x], { axes: [0], keepdims: false });',
      'callAll("cummax", [x], { axis: 0 }); callAll("cumsum", [x], { axis: 0, reverse: true });',
      'call("cat", [x, x, x], { axis: 0 }); call("where", [x, x, 0]);',
      'callAll("layerNorm", [x, x, x], { eps: 0, axes: 1, hasWeight: true, hasBias: true });',
      'apply("permute", [x], { axes: [1, 0] }); applyInto("mul", x, [x, 2], {});',
    ];
    expect(library.check([...setting, ...right].join("\n"))).toEqual([]);
  });

  test("has a finding at every mistake", () => {
    const wrong = [
      'call("ad", [x, x])',
      'call("exp", [])',
      'call("exp", [x, x])',
      'call("exp", [2])',
      'call("add", [x])',
      'call("add", [x, x, x])',
      'call("exp", [x], { axis: 0 })',
      'call("sum", [x])',
      'call("sum", [x], { axes: [0] })',
      'call("sum", [x], { axes: [0], keepDims: false })',
      'call("sum", [x], { axes: 0, keepdims: false })',
      "call(which, [x, x], { axes: [0], keepdims: false })",
      'callAll("cumsum", [x], { axes: 0 })',
      'call("matmul", [x, 2])',
      'call("where", [true, x, x])',
      'call("cat", [x, 2], { axis: 0 })',
      'callAll("layerNorm", [], { eps: 0, axes: 1, hasWeight: false, hasBias: false })',
      'apply("permute", [x], { axis: [1, 0] })',
      'apply("permute", [x, x], { axes: [1, 0] })',
      'applyInto("mull", x, [x, 2], {})',
      'applyInto("mul", x, [x], {})',
    ];
    const lines = wrong.flatMap((line) => ["// @ts-expect-error", `${line};`]);
    const passed = library.check([...setting, ...lines].join("\n"));
    expect(passed.map(({ line, message }) => `${lines[line - setting.length] ?? line}: ${message}`)).toEqual([]);
  });
});

describe("documentation", () => {
  test("every name that a program can import, and every member of a tensor, has a sentence in the declarations", () => {
    const { exports, members } = library.documentation();
    const silent = (names: Map<string, string>) => [...names].filter(([, text]) => text === "").map(([name]) => name);
    expect(exports.size).toBeGreaterThan(250);
    expect(members.size).toBeGreaterThan(250);
    // Of a namespace the checker does not take the sentence that stands before `export * as`.
    expect([silent(exports), silent(members)]).toEqual([
      ["io", "nn", "init", "utils", "optim", "sparse", "linalg"],
      [],
    ]);
    // A function says what the method says, and the form in place, too, but of dtypes, which it keeps.
    const plain = (text: string | undefined) => text?.toLowerCase().replace("in place: ", "");
    for (const name of [...Object.keys(unaryRows), ...Object.keys(binaryRows)]) {
      expect(exports.get(name), name).toBe(members.get(name));
      if (members.has(`${name}_`)) expect(plain(members.get(name)), name).toContain(plain(members.get(`${name}_`)));
    }
  });

  test("the declarations are right by themselves", () => {
    expect(library.checkDeclarations()).toBe("");
  });

  test("what a tensor has is declared, and what is the library's own is not", () => {
    const { members } = library.documentation();
    const own = [
      "become",
      "checkLiving",
      "deviceProcess",
      "execution",
      "living",
      "place",
      "storage",
      "track",
      "usedOn",
    ];
    const has: string[] = [];
    for (let each: object = Tensor.prototype; each !== Object.prototype; each = Object.getPrototypeOf(each) as object)
      has.push(...Object.getOwnPropertyNames(each));
    const undeclared = has.filter((name) => !members.has(name) && !own.includes(name) && name !== "constructor");
    // All others are names of other libraries, which say what to write.
    for (const name of undeclared)
      expect(() => (Tensor.prototype as unknown as Record<string, unknown>)[name], name).toThrow(/: write /);
    expect(undeclared).toContain("view");
    expect([...own, "placeHigh", "placeLow", "lineage"].filter((name) => members.has(name))).toEqual([]);
    expect(foundIn(["Tensor.empty;"])).toEqual([expect.stringContaining("Property 'empty' does not exist")]);
  });
});

test("batches have the types of the data, of a transform or of a collate, and columns those that were asked for", () => {
  const lines = [
    "{ for (const { x, names } of new w.DataLoader({ x: f32, names: ['a'] })) { const a: Tensor = x; const b: string[] = names; } }",
    "{ for await (const b of new w.DataLoader([1, 2], { transform: (x: number) => ({ p: x, s: String(x) }) })) { const p: Tensor = b.p; const s: string[] = b.s; } }",
    "{ for await (const b of new w.DataLoader(['a'], { workers: 1, transform: async (x: string) => Uint8Array.of(x.length) })) is<typeof b, Tensor>(); }",
    "{ for (const b of new w.DataLoader(['a'], { transform: (x: string) => x.length, collate: (all: number[]) => all.length })) is<typeof b, number>(); }",
    "function all(loader: w.DataLoader) { for (const [x, y] of loader) x.add(y); } all(new w.DataLoader([f32, i64]));",
    "{ const net = new w.nn.Sequential(new w.nn.Linear(2, 3), w.relu, (x) => x.gelu()); const p: Tensor = net.layers[0].weight; const any: w.nn.Sequential = net; const y: Tensor = net(f32); for (const layer of net.layers) layer(f32); }",
    "{ const all: w.nn.Module[] = []; const net = new w.nn.Sequential(...all); new w.nn.Sequential(net, ...all, (x) => x.exp()); class Net extends w.nn.Module { body: w.nn.Sequential = net; forward(x: Tensor) { return this.body(x); } } }",
    "{ const t = await w.io.load('t.csv'); t.age.mean(); t.name.map(String); }",
    "{ const t = await w.io.load('t.csv', { texts: ['name'] }); const name: string[] = t.name; const age: Tensor | undefined = t.age; const more: string[] = t.city; t.age.mean(); }",
    "{ const x = await w.io.load('cat.png'); is<typeof x, Tensor>(); const y = await w.io.load('cat.jpeg', { channels: 1 }); y.shape; await w.io.save('x.jpg', x, { quality: 80 }); }",
    "is<Awaited<ReturnType<typeof matrix>>, Tensor>(); function matrix() { return w.io.load('t.parquet', { matrix: true }); }",
  ];
  expect(foundIn(lines)).toEqual([]);
});
