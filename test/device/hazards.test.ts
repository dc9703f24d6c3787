// What setChecking({ streams: true }) finds, on every device: reads and writes of one tensor on two streams that nothing
// orders, with both lines; and that it finds nothing where something does.
import "./cache.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  CheckError,
  compile,
  DataLoader,
  Event,
  graph,
  nn,
  offload,
  ones,
  optim,
  randn,
  setChecking,
  Stream,
  synchronize,
  tidy,
  withStream,
  zeros,
  type Kernel,
  type Tensor,
} from "../../native/lib/index.ts";
import { describeOrigins, origin } from "../../native/lib/device/origins.ts";
import { devices } from "./devices.ts";

describeOrigins((line) => ({ cell: null, count: 3, label: "Cell [3]", line }));

/** Runs `fn` as what stands on a line. */
function at<T>(line: number, fn: () => T): T {
  const before = origin.current;
  origin.current = line;
  try {
    return fn();
  } finally {
    origin.current = before;
  }
}

describe.each(devices.map((device) => device.name))("on %s", (device) => {
  const on = { device };
  const follow = () => {
    const scope = setChecking({ streams: true });
    onTestFinished(() => scope[Symbol.dispose]());
    return scope;
  };
  /** Work on the first stream is done, and nothing is known of it. */
  const settled = async <T>(value: T): Promise<T> => {
    await synchronize();
    return value;
  };
  const found = async (): Promise<string | undefined> => {
    try {
      await synchronize();
    } catch (error) {
      expect(error).toBeInstanceOf(CheckError);
      expect(error).toMatchObject({ code: "STREAMS" });
      return (error as Error).message;
    }
    return undefined;
  };

  const uses: Record<string, (x: Tensor) => unknown> = {
    operation: (x) => x.mul(2),
    product: (x) => x.matmul(ones([64, 64], on)),
    copy: (x) => x.clone(),
    change: (x) => x.add_(1),
    fill: (x) => x.fill_(3),
    list: (x) => {
      const parameter = x.detach();
      parameter.requiresGrad = true;
      parameter.grad = ones([64, 64], on);
      new optim.SGD([parameter], { lr: 0.1 }).step();
    },
  };
  const writes = new Set(["change", "fill", "list"]);
  const names = Object.keys(uses);

  test.each(
    names.flatMap((first) => names.map((second) => [first, second] as const)),
  )("%s, then %s, on two streams", async (first, second) => {
    follow();
    const isHazard = writes.has(first) || writes.has(second);
    const [one, two] = [new Stream(on), new Stream(on)];
    const x = await settled(randn([64, 64], on));
    const run = () => {
      at(11, () => withStream(one, () => void uses[first]!(x)));
      at(22, () => withStream(two, () => void uses[second]!(x)));
    };
    run();
    const said = await found();
    if (!isHazard) expect(said).toBeUndefined();
    else {
      const does = (name: string) => (writes.has(name) ? "writes" : "reads");
      const [earlier, later] = [one, two].map((stream) => String(stream).split(" ")[1]);
      expect(said).toContain(`Stream ${later} ${does(second)} memory in `);
      expect(said).toContain(` (Cell [3]:22) that stream ${earlier} ${does(first)} in `);
      expect(said).toContain(" (Cell [3]:11), and nothing orders the two");
    }
    // Said once, and not again.
    expect(await found()).toBeUndefined();
    // Each way to order them.
    const ways: (() => void | Promise<void>)[] = [
      () => two.wait(one),
      () => two.wait(one.record()),
      () => one.record().wait(two),
      () => {
        one.record().wait();
        two.wait();
      },
      () => one.synchronize(),
      () => one.record().synchronize(),
      () => void x.data(),
      () => synchronize(),
    ];
    for (const way of ways) {
      at(33, () => withStream(one, () => void uses[first]!(x)));
      await way();
      at(44, () => withStream(two, () => void uses[second]!(x)));
      one.wait(two);
      expect(await found()).toBeUndefined();
    }
  });

  test("the whole sentence", async () => {
    follow();
    const [one, two] = [new Stream(on), new Stream(on)];
    const number = (stream: Stream) => String(stream).split(" ")[1]!;
    const x = await settled(zeros([1000], on));
    at(5, () => withStream(one, () => x.fill_(1)));
    at(6, () => withStream(two, () => x.fill_(2)));
    expect(await found()).toBe(
      `Stream ${number(two)} writes memory in a fill (Cell [3]:6) that stream ${number(one)} writes in a fill (Cell [3]:5), and nothing orders the two: have stream ${number(two)} wait for stream ${number(one)} between them, with stream.wait() or an event.`,
    );
  });

  test("an event or a wait that comes too early orders nothing that follows", async () => {
    follow();
    const [one, two] = [new Stream(on), new Stream(on)];
    const x = await settled(zeros([1000], on));
    const event = one.record();
    withStream(one, () => x.add_(1));
    two.wait(event);
    withStream(two, () => void x.mul(2));
    expect(await found()).toContain("reads memory");
    two.wait(one);
    withStream(one, () => x.add_(1));
    withStream(two, () => void x.mul(2));
    expect(await found()).toContain("reads memory");
    const early = one.record();
    withStream(one, () => x.add_(1));
    await early.synchronize();
    withStream(two, () => void x.mul(2));
    expect(await found()).toContain("reads memory");
    // An event that is recorded again is the later place.
    const again = new Event().record(one);
    withStream(one, () => x.add_(1));
    again.record(one).wait(two);
    withStream(two, () => void x.mul(2));
    expect(await found()).toBeUndefined();
  });

  test("the first stream is one of them, and order is handed on", async () => {
    follow();
    const [one, two] = [new Stream(on), new Stream(on)];
    const x = ones([1000], on);
    withStream(one, () => void x.mul(2));
    expect(await found()).toContain("that stream 0 writes in");
    const y = ones([1000], on);
    one.wait();
    withStream(one, () => void y.mul(2));
    two.wait(one);
    withStream(two, () => y.add_(2));
    expect(await found()).toBeUndefined();
  });

  test("parts of a tensor are apart, unless they overlap", async () => {
    follow();
    const [one, two] = [new Stream(on), new Stream(on)];
    const x = await settled(zeros([4, 100], on));
    const part = (from: number, to: number) => x.slice([from, to]) as Tensor;
    withStream(one, () => part(0, 2).add_(1));
    withStream(two, () => part(2, 4).add_(1));
    expect(await found()).toBeUndefined();
    withStream(one, () => part(0, 3).add_(1));
    withStream(two, () => part(2, 4).add_(1));
    expect(await found()).toContain("writes memory");
  });

  test("kernels of users, whose pointers that are const are read", async () => {
    const { kernels } = await compile(
      `extern "C" __global__ void put(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }`,
      on,
    );
    follow();
    const put = kernels["put"] as Kernel;
    const [one, two] = [new Stream(on), new Stream(on)];
    const [a, b, c] = await settled([zeros([32], on), zeros([32], on), zeros([32], on)] as const);
    const launch = (stream: Stream, to: Tensor, from: Tensor) => put.launch({ grid: 1, block: 32, stream }, to, from);
    launch(one, a, c);
    launch(two, b, c);
    expect(await found()).toBeUndefined();
    launch(one, a, c);
    launch(two, c, b);
    expect(await found()).toMatch(/^Stream \d+ writes memory in put .*that stream \d+ reads in put/);
  });

  test("memory that is handed out again is another tensor's", async () => {
    follow();
    const [one, two] = [new Stream(on), new Stream(on)];
    await settled(null);
    for (let round = 0; round < 20; round++) {
      const x = withStream(one, () => zeros([1 << 16], on).add(1));
      x.dispose();
      const y = withStream(two, () => zeros([1 << 16], on).add(2));
      y.dispose();
      expect(await found()).toBeUndefined();
    }
  });

  test("what the library does on streams of its own is in order", async () => {
    follow();
    const net = new nn.Sequential(new nn.Linear(8, 8, on), new nn.Linear(8, 8, on));
    const optimizer = new optim.AdamW(net.parameters());
    const loader = new DataLoader({ x: randn([64, 8], on) }, { batchSize: 16, device, prefetch: 2 } as object);
    for await (const { x } of loader as AsyncIterable<{ x: Tensor }>) {
      optimizer.zeroGrad();
      tidy(() => {
        const h = offload((given: Tensor) => net(given).tanh(), x);
        h.square().mean().backward();
        optimizer.step();
      });
    }
    const step = graph((x: Tensor) => {
      optimizer.zeroGrad();
      const loss = net(x).square().mean();
      loss.backward();
      optimizer.step();
      return loss;
    });
    for (let at = 0; at < 4; at++) step(randn([4, 8], on));
    expect(await found()).toBeUndefined();
  });

  test("it ends with its scope, and is in force from then on only", async () => {
    const [one, two] = [new Stream(on), new Stream(on)];
    const x = await settled(zeros([1000], on));
    const hazard = () => {
      withStream(one, () => x.add_(1));
      withStream(two, () => x.add_(1));
    };
    hazard();
    const scope = follow();
    expect(await found()).toBeUndefined();
    hazard();
    const within = setChecking({ streams: false });
    hazard();
    within[Symbol.dispose]();
    const other = setChecking({ launches: true });
    other[Symbol.dispose]();
    scope[Symbol.dispose]();
    // What was found is still said.
    expect(await found()).toContain("writes memory");
    hazard();
    expect(await found()).toBeUndefined();
  });
});
