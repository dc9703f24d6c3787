// Streams and events as users have them, on every device: work on them is right beside other work, waiting blocks no
// event loop, and memory that several use is nobody else's before all have done with it.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  compile,
  Event,
  graph,
  linalg,
  ones,
  randn,
  Stream,
  tensor,
  withStream,
  zeros,
  type Kernel,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed } from "../helpers/random.ts";

const start = freshSeed();

/** What a function throws, or a promise rejects with, as its code and its sentence. */
async function thrown(body: () => unknown): Promise<[string, string] | undefined> {
  try {
    await body();
  } catch (error) {
    return [(error as { code: string }).code, (error as Error).message];
  }
  return undefined;
}

describe.each(devices.map((device) => ({ device, on: { device: device.name } })))("$device.name", ({ device, on }) => {
  test("work on several streams is right, and reading waits for all", () => {
    const x = randn([64, 64], { ...on, seed: start });
    const streams = Array.from({ length: 3 }, () => new Stream(on));
    const expected = streams.map((_, index) => x.matmul(x.add(index)).sum().item());
    for (let round = 0; round < 10; round++) {
      const sums = streams.map((stream, index) => {
        stream.wait();
        return withStream(stream, () => x.matmul(x.add(index)).sum());
      });
      expect(sums.map((sum) => sum.item())).toEqual(expected);
    }
  });

  test("so do copies of what has gaps, and what is shown", () => {
    const stream = new Stream(on);
    const x = randn([300, 400], { ...on, seed: start });
    const expected = x.matmul(x.T).T.toArray();
    stream.wait();
    for (let round = 0; round < 5; round++) {
      expect(withStream(stream, () => x.matmul(x.T).T).toArray()).toEqual(expected);
      const made = withStream(stream, () => zeros([300, 400], on).add(x).mul(0).add(round).T);
      expect(String(made)).toContain(`[${round}, ${round}`);
      expect([...new Set(made.data())]).toEqual([round]);
    }
  });

  test("a stream waits for another, and for an event of it", () => {
    const [one, two] = [new Stream(on), new Stream(on)];
    for (let round = 0; round < 20; round++) {
      const made = withStream(one, () => zeros([1 << 16], on).add(round));
      if (round % 2 === 0) two.wait(one);
      else two.wait(one.record());
      expect(withStream(two, () => made.mul(2).max()).item()).toBe(2 * round);
      const event = two.record();
      event.wait();
      event.wait(one);
    }
  });

  test("memory that another stream uses is not given out before it has done with it", async () => {
    const side = new Stream(on);
    for (let round = 0; round < 20; round++) {
      const x = ones([1 << 18], on).mul(round);
      side.wait();
      // Copies, fills, products of libraries and launches.
      const results = withStream(side, () => [
        x.clone(),
        x.reshape([512, 512]).matmul(x.reshape([512, 512])),
        zeros([1 << 18], on).copy_(x),
      ]);
      x.dispose();
      const others = Array.from({ length: 4 }, () => zeros([1 << 18], on).sub(1));
      await side.synchronize();
      expect(results.map((each) => each.max().item())).toEqual([round, 512 * round * round, round]);
      for (const each of [...results, ...others]) each.dispose();
    }
  });

  test("a kernel is launched on a stream of its own", async () => {
    const { kernels } = await compile(
      `extern "C" __global__ void plus(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }`,
      on,
    );
    const plus = kernels["plus"] as Kernel;
    const stream = new Stream(on);
    const x = zeros([1000], on);
    stream.wait();
    for (let at = 0; at < 10; at++) plus.launch({ grid: 8, block: 128, stream }, x, 1000);
    withStream(stream, () => plus.over(1000)(x, 1000));
    plus.over(1000, { stream })(x, 1000);
    await stream.synchronize();
    expect([...new Set(x.data())]).toEqual([12]);
    expect(await thrown(() => plus.launch({ grid: 8, block: 128, stream: 3 as never }, x, 1000))).toEqual([
      "OPERANDS",
      "A stream is made by new Stream(), but got 3.",
    ]);
  });

  test("waiting for it leaves the event loop free", async () => {
    const stream = new Stream(on);
    let turns = 0;
    const count = setInterval(() => (turns += 1), 0);
    const x = randn([700, 700], { ...on, seed: start });
    stream.wait();
    withStream(stream, () => {
      let y: Tensor = x;
      for (let at = 0; at < 30; at++) y = y.matmul(x).tanh();
    });
    const event = stream.record();
    const order: string[] = [];
    await Promise.all([
      stream.synchronize().then(() => order.push("stream")),
      event.synchronize().then(() => order.push("event")),
      new Promise(setImmediate).then(() => order.push("turn")),
    ]);
    clearInterval(count);
    expect(order.sort()).toEqual(["event", "stream", "turn"]);
  });

  test("events tell the time between them", async () => {
    const [first, second, third] = [new Event(), new Event(), new Event()];
    const stream = new Stream(on);
    const x = randn([512, 512], { ...on, seed: start });
    stream.wait();
    first.record(stream);
    withStream(stream, () => x.matmul(x).matmul(x));
    second.record(stream);
    withStream(stream, () => x.matmul(x));
    third.record(stream);
    const [early, late, whole] = await Promise.all([
      first.elapsedTime(second),
      second.elapsedTime(third),
      first.elapsedTime(third),
    ]);
    expect(early).toBeGreaterThan(0);
    expect(late).toBeGreaterThan(0);
    // Each is rounded by the device: a GPU's clock counts half microseconds.
    expect(Math.abs(early + late - whole)).toBeLessThanOrEqual(2e-3);
    expect(await first.elapsedTime(first)).toBe(0);
  });

  test("a graph runs in order with the stream that it is called on", () => {
    const stream = new Stream(on);
    const x = zeros([1 << 16], on);
    const step = graph((given: Tensor) => given.add(1).max());
    stream.wait();
    const found = withStream(stream, () => Array.from({ length: 6 }, (_, at) => step(x.add(at)).add(0.5)));
    expect(found.map((each) => each.item())).toEqual([1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
  });

  test("what goes on on it fails where it is waited for", async () => {
    const stream = new Stream(on);
    const x = tensor([1, 2], on);
    const far = tensor([7], { ...on, dtype: "int64" });
    stream.wait();
    withStream(stream, () => x.take(far));
    expect((await thrown(() => stream.synchronize()))?.[0]).toBe("INDEX");
    await stream.synchronize();
  });

  test("solvers run on streams, too", () => {
    const stream = new Stream(on);
    const a = randn([32, 32], { ...on, seed: start }).add(zeros([32, 32], on));
    const well = a.matmul(a.T).add(tensor(40, on).mul(ones([32], on).diag()));
    const expected = linalg.cholesky(well);
    stream.wait();
    const found = withStream(stream, () => linalg.cholesky(well));
    stream.record().wait();
    expect(found.arrayEqual(expected)).toBe(true);
  });

  test("what is no stream, event or device is refused", async () => {
    const stream = new Stream(on);
    expect(stream.device).toBe(device.name);
    expect(String(stream)).toMatch(new RegExp(`^stream \\d+ of ${device.name}$`));
    const refused: [() => unknown, string, string][] = [
      [() => new Stream({ priority: 1 } as never), "OPTIONS", "Stream has no option priority: it takes device."],
      [() => stream.wait(3 as never), "OPERANDS", "Stream.wait takes a stream or an event but got 3."],
      [() => withStream(3 as never, () => 1), "OPERANDS", "withStream takes a stream, new Stream(), but got 3."],
      [
        () => withStream(stream, async () => 1),
        "ASYNC",
        "withStream takes a function that is not async: other code would be on the stream while it awaits.",
      ],
      [
        () => new Event().synchronize(),
        "OPERANDS",
        "Event.synchronize is for an event that was recorded: call record() first.",
      ],
      [() => stream.record().elapsedTime(3 as never), "OPERANDS", "Event.elapsedTime takes an event but got 3."],
    ];
    for (const [body, code, sentence] of refused) expect(await thrown(body)).toEqual([code, sentence]);
    const inGraph = async (body: () => unknown) => {
      let isSecond = false;
      const step = graph(() => (isSecond ? body() : undefined), on);
      step();
      isSecond = true;
      return thrown(() => step());
    };
    expect(await inGraph(() => withStream(stream, () => zeros([1], on)))).toEqual([
      "RECORDED",
      "A graph records work in one order: use streams outside of its function, and a graph on each.",
    ]);
    expect(await inGraph(() => new Event().record())).toEqual([
      "RECORDED",
      "A graph has no events: record them before and after its call.",
    ]);
  });
});

test("a device has so many, and those that are collected again", () => {
  const kept: Stream[] = [];
  const before = () => {
    for (;;) kept.push(new Stream({ device: devices[0]!.name }));
  };
  expect(before).toThrow(`${devices[0]!.name} has 31 streams, and all of them are in use`);
  kept.length = 0;
});
