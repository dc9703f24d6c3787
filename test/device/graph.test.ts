// graph(fn), on every device: what is recorded computes what the function does, call after call, with new inputs, new
// random numbers and an optimiser that goes on; memory is the graph's; what cannot be recorded is refused.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  compile,
  crossEntropy,
  dropout,
  Generator,
  graph,
  nn,
  noGrad,
  ones,
  optim,
  rand,
  randn,
  relu,
  seed,
  tensor,
  zeros,
  type Kernel,
  type Tensor,
} from "../../native/lib/index.ts";
import { Capture, captures } from "../../native/lib/device/capture.ts";
import { Execution } from "../../native/lib/device/execution.ts";
import { binding } from "../../native/lib/wire/binding.ts";
import { headerBytes, headerOffsets, Op } from "../../native/lib/wire/commands.ts";
import { writeFill } from "../../native/lib/wire/copy.ts";
import { argumentsAt, writeGraphLaunch, writeGraphRelease, writeGraphUpdate } from "../../native/lib/wire/graph.ts";
import { writeFence } from "../../native/lib/wire/mark.ts";
import { Recording } from "../../native/lib/wire/recording.ts";
import { begin } from "../../native/lib/wire/target.ts";
import { devices } from "./devices.ts";
import { freshSeed } from "../helpers/random.ts";

const start = freshSeed();

/** What a function throws, as its code and its sentence. */
function thrown(body: () => unknown): [string, string] | undefined {
  try {
    body();
  } catch (error) {
    return [(error as { code: string }).code, (error as Error).message];
  }
  return undefined;
}

describe.each(devices.map((device) => ({ device, on: { device: device.name } })))("$device.name", ({ device, on }) => {
  const vector = (...values: number[]) => tensor(values, on) as Tensor<"float32">;

  test("each call computes with its own inputs, and results stay as they are", () => {
    const generator = new Generator(start);
    let calls = 0;
    const step = graph((x: Tensor, y: Tensor) => {
      calls += 1;
      return { sum: x.add(y), products: [x.mul(y).sum(), x.matmul(y.T)] };
    });
    const given = Array.from({ length: 5 }, () => [0, 1].map(() => randn([33, 20], { ...on, generator })));
    const found = given.map(([x, y]) => step(x!, y!));
    expect(calls).toBe(2);
    found.forEach(({ sum, products }, index) => {
      const [x, y] = given[index]!;
      expect(sum.arrayEqual(x!.add(y!))).toBe(true);
      expect(products[0]!.arrayEqual(x!.mul(y!).sum())).toBe(true);
      expect(products[1]!.arrayEqual(x!.matmul(y!.T))).toBe(true);
    });
  });

  test.each(["SGD", "AdamW", "RMSprop"] as const)("a training step with %s goes as without a graph", (kind) => {
    const train = (recorded: boolean) => {
      seed(start);
      const net = new nn.Sequential(new nn.Linear(8, 16), relu, new nn.Linear(16, 3)).to(device.name);
      const optimizer =
        kind === "SGD"
          ? new optim.SGD(net.parameters(), { lr: 0.05, momentum: 0.9, dampening: 0.5 })
          : new optim[kind](net.parameters(), { lr: 0.05 });
      const body = (x: Tensor, y: Tensor) => {
        optimizer.zeroGrad();
        const loss = crossEntropy(dropout(net(x), { p: 0.3 }), y);
        loss.backward();
        optim.clipGradNorm(net.parameters(), 1);
        optimizer.step();
        return loss;
      };
      const step = recorded ? graph(body) : body;
      const generator = new Generator(start);
      return Array.from({ length: 8 }, (_, at) => {
        optimizer.lr = 0.05 / (at + 1);
        const x = randn([12, 8], { ...on, generator });
        return step(x, x.argmax(1).remainder(3)).item();
      });
    };
    expect(train(true)).toEqual(train(false));
  });

  test("an optimiser's state that is loaded is what the graph goes on with", () => {
    const w = vector(1, 2, 3);
    w.requiresGrad = true;
    const optimizer = new optim.AdamW([w], { lr: 0.1 });
    const body = (x: Tensor) => {
      optimizer.zeroGrad();
      w.mul(x).square().sum().backward();
      optimizer.step();
    };
    const step = graph(body);
    const run = (each: (x: Tensor) => void) => {
      for (let at = 0; at < 4; at++) each(vector(1, at, 2));
      return [...w.data()];
    };
    run(step);
    const state = Object.fromEntries(Object.entries(optimizer.stateDict()).map(([name, each]) => [name, each.clone()]));
    const weights = w.detach().clone();
    const found = run(step);
    noGrad(() => w.copy_(weights));
    optimizer.loadStateDict(state);
    expect(run(step)).toEqual(found);
    noGrad(() => w.copy_(weights));
    optimizer.loadStateDict(state);
    expect(run(body)).toEqual(found);
  });

  test("gradients that are not cleared are added to, call after call", () => {
    const w = vector(1, 2);
    w.requiresGrad = true;
    const step = graph((x: Tensor) => void w.mul(x).sum().backward());
    for (let at = 0; at < 4; at++) step(vector(at, 1));
    expect([...w.grad!.data()]).toEqual([6, 4]);
  });

  test("random numbers are those that the generator gives without a graph", () => {
    const draw = (generator: Generator) => () =>
      rand([100], { ...on, generator }).add(dropout(ones([100], on), { p: 0.5, generator }));
    const step = graph(draw(new Generator(start)));
    const plain = draw(new Generator(start));
    for (let at = 0; at < 5; at++) expect(step().arrayEqual(plain())).toBe(true);
  });

  test("attention draws what it drops, and drops the same backward", () => {
    const made = (generator: Generator) => {
      const w = randn([2, 16, 8], { ...on, seed: start });
      w.requiresGrad = true;
      return () => {
        w.grad = null;
        const out = nn.attention(w, w, w, { dropout: 0.5, generator });
        out.square().sum().backward();
        return [out, w.grad!];
      };
    };
    const step = graph(made(new Generator(start)), on);
    const plain = made(new Generator(start));
    for (let at = 0; at < 5; at++) {
      const [found, expected] = [step(), plain()];
      found.forEach((each, index) => expect(each.arrayEqual(expected[index]!)).toBe(true));
    }
  });

  test("a graph within another one is a part of it", () => {
    const inner = graph((x: Tensor) => x.add(1));
    const outer = graph((x: Tensor) => inner(x).mul(2));
    for (let at = 0; at < 4; at++) expect([...outer(vector(at)).data()]).toEqual([2 * (at + 1)]);
  });

  test("two graphs keep their memory apart, and one may use what the other has made", () => {
    const w = vector(1, 2);
    w.requiresGrad = true;
    const forth = graph((x: Tensor) => {
      w.grad = null;
      w.mul(x).sum().backward();
    });
    const back = graph((x: Tensor) => w.grad!.mul(10).add(x));
    for (let at = 0; at < 5; at++) {
      forth(vector(at, 1));
      expect([...back(vector(1, 1)).data()]).toEqual([10 * at + 1, 11]);
    }
    forth.dispose();
    expect([...back(vector(2, 2)).data()]).toEqual([42, 12]);
  });

  test("steps one after the other need no more memory", () => {
    const x = randn([256, 256], { ...on, seed: start });
    const step = graph((given: Tensor) => given.matmul(given).softmax(1).sum());
    for (let at = 0; at < 5; at++) step(x).dispose();
    const before = binding.memory(device.client);
    for (let at = 0; at < 200; at++) step(x).dispose();
    const { allocated, reserved } = binding.memory(device.client);
    expect([allocated, reserved]).toEqual([before.allocated, before.reserved]);
  });

  test("kernels of cells, fills, copies and tensors of JavaScript's are recorded", async () => {
    const { kernels } = await compile(
      `__global__ void axpy(float a, const float* x, float* y, int n) {
         int i = blockIdx.x * blockDim.x + threadIdx.x;
         if (i < n) y[i] += a * x[i];
       }`,
      on,
    );
    const axpy = kernels["axpy"] as Kernel;
    const y = zeros([100], on);
    const step = graph((x: Tensor) => {
      y.fill_(1);
      axpy.launch({ grid: 1, block: 128 }, 2, x, y, 100);
      return y.mul(tensor([3], on));
    });
    for (let at = 0; at < 4; at++)
      expect([...new Set(step(zeros([100], on).add(at)).data())]).toEqual([3 * (1 + 2 * at)]);
  });

  test("its memory is nobody else's while it lives, and everybody's afterwards", () => {
    const x = randn([1000], { ...on, seed: start });
    const step = graph((given: Tensor) => given.mul(2).add(1).exp().sum());
    const expected = step(x).item();
    step(x);
    for (let at = 0; at < 20; at++) {
      const others = Array.from({ length: 8 }, () => zeros([1000], on).sub(7));
      expect(step(x).item()).toBe(expected);
      for (const other of others) expect(other.min().item()).toBe(-7);
      for (const other of others) other.dispose();
    }
    step.dispose();
    const before = binding.memory(device.client).reserved;
    for (let at = 0; at < 20; at++) zeros([1000], on).sub(7).dispose();
    expect(binding.memory(device.client).reserved).toBe(before);
    expect(step(x).item()).toBe(expected);
  });

  test("tensors that it uses may be disposed of: the graph keeps their memory", () => {
    const w = vector(1, 2, 3);
    const step = graph((x: Tensor) => x.mul(w));
    step(vector(1, 1, 1));
    step(vector(1, 1, 1));
    w.dispose();
    for (let at = 0; at < 10; at++) zeros([3], on).add(9);
    expect([...step(vector(1, 1, 2)).data()]).toEqual([1, 2, 6]);
  });

  test("it is there again after the device process was lost", () => {
    const w = vector(1, 2, 3);
    const step = graph((x: Tensor) => x.mul(w).matmul(w));
    for (let at = 0; at < 3; at++) step(vector(1, 1, 1)).item();
    binding.kill(device.client);
    expect(thrown(() => device.synchronize())).toBeDefined();
    expect(step(vector(1, 1, 2)).item()).toBe(1 + 4 + 18);
  });

  test("what cannot be recorded is refused with what to do", () => {
    const x = vector(1, 2);
    const second = (body: (x: Tensor) => unknown) => {
      const step = graph(body);
      return thrown(() => (step(x), step(x)));
    };
    const refused = [
      "RECORDED",
      "What is recorded has not been computed, so this operation cannot read it: run it before or after, not as a part of what is recorded.",
    ];
    expect(second((given) => given.sum().item())).toEqual(refused);
    expect(second((given) => given.mul(2).data())).toEqual(refused);
    expect(second((given) => given.mul(2).toArray())).toEqual(refused);
    // And work goes on as before.
    expect(x.mul(2).sum().item()).toBe(6);
    expect(thrown(() => graph(async () => 1)())).toEqual([
      "ASYNC",
      "graph takes a function that is not async: what comes after an await would not be recorded.",
    ]);
    expect(thrown(() => graph(3 as never))).toEqual([
      "OPERANDS",
      "graph takes a function, graph((x) => x.mul(2).sum()), but got 3.",
    ]);
    const w = vector(1, 2);
    w.requiresGrad = true;
    expect(thrown(() => graph((given: Tensor) => given.sum())(w))?.[1]).toBe(
      "Input given of the graph of a function requires a gradient, which would be that of a copy: give it detached, and use parameters from outside of the function.",
    );
  });

  test("marks and memory that is gone are not recorded", () => {
    const capture = new Capture(device);
    const later = new Execution(device, 0, capture);
    expect(thrown(() => later.fence())).toEqual([
      "RECORDED",
      `A graph takes launches, copies, fills and calls of libraries, not command 1 of ${device.name}: do it outside of the graph's function.`,
    ]);
    const place = device.allocate(256, "device");
    expect(writeFill(later, place, 256, 0n, 1)).toBe(0);
    device.free(place);
    expect(writeFill(later, place, 256, 0n, 1)).toBe(0);
    const other = device.allocate(4096, "device");
    device.free(other);
    expect(thrown(() => writeFill(later, other, 256, 0n, 1))).toEqual([
      "DISPOSED",
      "Memory that is recorded into a graph has been disposed of: keep the tensor while the graph is recorded.",
    ]);
    capture.close(0, () => {});
    expect(thrown(() => capture.close(0, () => {}))?.[0]).toBe("NOT_ALLOCATED");
  });

  test("the device process checks what it is to keep, and what is to change", () => {
    const x = zeros([64], on);
    const recording = new Recording();
    const later = new Execution(device, 0, recording);
    writeFill(later, x.place, 256, 0n, 1);
    writeFence(later);
    const [whole, fence] = recording.records as [Uint8Array, Uint8Array];
    const create = (records: Uint8Array) => thrown(() => device.request("graph_create", { graph: 1e6, records }));
    const shortened = fence.slice();
    new Uint16Array(shortened.buffer)[headerOffsets.op / 2] = Op.copy;
    const odd = whole.slice();
    new Uint32Array(odd.buffer)[headerBytes / 4 + 6] = 3;
    expect(create(fence)?.[1]).toBe("A graph takes launches, copies, fills and runs, not command 1.");
    expect(create(whole.slice(0, 40))?.[1]).toBe("A record of a graph goes beyond its end.");
    expect(create(shortened)?.[1]).toBe("A record of a graph is too short for its command.");
    expect(create(odd)?.[1]).toBe("A fill takes whole elements of 1, 2, 4 or 8 bytes, not of 256 bytes of width 3.");
    expect(create(whole)).toBeUndefined();

    const said = (write: () => void) => (write(), thrown(() => device.synchronize())?.[1]);
    const change = (graph: number, record: number, byte = headerBytes) =>
      said(() => writeGraphUpdate(device.execution, graph, [record, byte, 0, 0]));
    expect(change(1e6, 0)).toBe("Only arguments of launches change in a graph.");
    expect(change(1e6, 1)).toBe("A graph has no record 1.");
    expect(said(() => writeGraphLaunch(device.execution, 999_999))).toMatch(/^There is no graph 999999/);
    const truncated = said(() => {
      const { words } = begin(device.execution, Op.graph_update, headerBytes + 8);
      words.set([1e6, 5], headerBytes / 4);
      device.execution.target.commit();
    });
    expect(truncated).toBe("The record of a change of a graph does not hold its 5 changes.");

    x.add(1); // what is recorded names a kernel that the device process has loaded
    const capture = new Capture(device);
    device.divert(new Execution(device, 0, capture), capture.pool, () => captures.run(capture, () => x.add(1)));
    expect(create(capture.records[0]!)).toBeUndefined();
    const words = new Uint32Array(capture.records[0]!.buffer);
    expect(change(1e6, 0, 4 * argumentsAt(words))).toBe("Pointers of launches do not change in a graph.");
    capture.close(0, () => {});
    writeGraphRelease(device.execution, 1e6);
    device.synchronize();
  });

  test("a fault within it names the graph, which works again afterwards", async () => {
    const { kernels } = await compile(
      `extern "C" __global__ void strict(float* x, int* gone) { if (x[0] > 1) *gone = 1; else x[0] += 1; }`,
      on,
    );
    const strict = kernels["strict"] as Kernel;
    const step = graph(function careful(x: Tensor) {
      strict.launch({ grid: 1, block: 1 }, x, null);
      return x.clone();
    });
    for (let at = 0; at < 3; at++) expect(step(vector(0.5)).item()).toBe(1.5);
    step(vector(2));
    const [code, message] = thrown(() => device.synchronize())!;
    expect([code, message]).toEqual(["ILLEGAL_ADDRESS", expect.stringMatching(/^Kernel graph careful accessed/)]);
    expect(step(vector(0.25)).item()).toBe(1.25);
  });

  test("other inputs than the recorded ones are refused by name", () => {
    const step = graph(({ tokens, rate }: { tokens: Tensor; rate: number }, ...more: number[]) =>
      tokens.mul(rate + more.length),
    );
    const call = (tokens: Tensor, rate = 2) => step({ tokens, rate });
    call(vector(1, 2));
    call(vector(1, 2));
    expect([...call(vector(3, 4)).data()]).toEqual([6, 8]);
    expect(thrown(() => call(vector(1, 2, 3)))).toEqual([
      "SHAPE",
      "Input number 0.tokens of the graph of a function was float32[2] when it was recorded but is float32[3] now: give what has the same shape and dtype, or record another with graph().",
    ]);
    expect(thrown(() => call(vector(1, 2), 3))).toEqual([
      "OPERANDS",
      "Input number 0.rate of the graph of a function was 2 when it was recorded and is 3 now: give a tensor, whose numbers may change.",
    ]);
    expect(thrown(() => step({ rate: 2, tokens: vector(1, 2) }))).toEqual([
      "OPERANDS",
      "Input number 0.tokens of the graph of a function is missing: it got number 0.rate instead.",
    ]);
    expect(thrown(() => step({ tokens: vector(1, 2), rate: 2 }, 5))).toEqual([
      "OPERANDS",
      "The graph of a function was recorded with 2 inputs but got 3: call it with the same ones, or record another with graph().",
    ]);
  });

  test("an index that is outside is reported by the next wait, in whichever call it was", () => {
    const table = vector(1, 2, 3);
    const step = graph((at: Tensor) => table.take(at).sum());
    const at = (index: number) => tensor([index], { ...on, dtype: "int64" });
    for (let call = 0; call < 3; call++) expect(step(at(call)).item()).toBe(call + 1);
    expect(thrown(() => step(at(7)).item())).toEqual([
      "INDEX",
      "Index 7 is outside axis 0, which has 3 elements: give one from -3 to 2.",
    ]);
    expect(step(at(1)).item()).toBe(2);
  });

  test("it says what its nodes are", () => {
    const double = graph((x: Tensor) => x.add(1).clone());
    expect(double.toString()).toBe("graph of a function: recorded by its second call");
    double(vector(1));
    expect(double.toString()).toBe("graph of a function: recorded by its next call");
    double(vector(1));
    const [title, ...nodes] = double.toString().split("\n");
    expect(title).toBe(`graph of a function on ${device.name}: ${nodes.length} nodes`);
    expect(nodes.length).toBeGreaterThan(0);
    expect(nodes.every((node) => /^ {2}(.+: \d+ blocks of \d+ threads|copy of .+|fill of .+)$/.test(node))).toBe(true);
  });
});

test("work of another device than the graph's is refused", () => {
  if (devices.length < 2) return;
  const [first, second] = devices.map(({ name }) => name);
  const step = graph((x: Tensor) => (zeros([2], { device: second! }).add(1), x.add(1)));
  const x = zeros([2], { device: first! });
  expect(thrown(() => (step(x), step(x)))?.[0]).toBe("DEVICE");
  expect(noGrad(() => zeros([2], { device: second! }).add(1).sum().item())).toBe(2);
});
