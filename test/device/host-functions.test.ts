// Host functions of cells: functions in C++ that take tensors, launch kernels with <<<>>> and return tensors, as
// TypeScript calls them.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import {
  AutogradFunction,
  compile,
  CompileError,
  DeviceFault,
  type FunctionContext,
  grad,
  graph,
  HostFunctionError,
  LaunchError,
  memory,
  ones,
  type HostFunction,
  rand,
  synchronize,
  tensor,
  TensorError,
  type Tensor,
  tidy,
  zeros,
} from "../../native/lib/index.ts";
import { hostDTypes } from "../../native/lib/cuda/host/values.ts";
import { devices } from "./devices.ts";

const scaleKernel = `__global__ void scale(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
`;
const example = `${scaleKernel}warpcell::Tensor scaled(const warpcell::Tensor& x, float a) {
  WARPCELL_CHECK(x.dtype() == warpcell::float32, "scaled takes float32, not ", x.dtype());
  auto y = warpcell::empty_like(x);
  int n = x.numel();
  scale<<<(n + 255) / 256, 256>>>(x.data<float>(), y.data<float>(), a, n);
  return y;
}
`;

test("dtypes have the numbers of the header", () => {
  const header = readFileSync(
    new URL("../../native/device/program/warpcell_program/session.h", import.meta.url),
    "utf8",
  );
  expect([...header.matchAll(/ X\(\w+, "(\w+)"\)/g)].map((match) => match[1])).toEqual(hostDTypes);
});

describe.each(devices)("host functions on $name", ({ name: device, kind }) => {
  const compiled = async (source: string, options = {}): Promise<Record<string, HostFunction>> =>
    (await compile(source, { device, name: "Cell [3]", cell: { cell: null, count: 3 }, ...options })).functions;
  const failure = (call: () => unknown): Error & { code: string; where?: string } => {
    try {
      call();
    } catch (error) {
      return error as Error & { code: string };
    }
    throw new Error("It did not throw.");
  };
  const refused = async (source: string): Promise<Error> =>
    await compiled(source).then(
      () => new Error("It compiled."),
      (error: Error) => error,
    );
  const on = <T extends object>(options?: T) => ({ device, ...options });
  let scaled: HostFunction<[x: Tensor, a: number], Tensor>;

  beforeAll(async () => {
    ({ scaled } = (await compiled(example)) as { scaled: typeof scaled });
  });

  test("it takes a tensor and a number, and returns a tensor", async () => {
    const x = rand([1000], on());
    const y = scaled(x, 2.5);
    const expected = (x.toArray() as number[]).map((value) => Math.fround(2.5 * value));
    expect(y.toArray()).toEqual(expected);
    expect([y.device, y.dtype, y.shape]).toEqual([device, "float32", [1000]]);
  });

  test("what it is", async () => {
    const module = await compile(example, { device });
    expect(module.declarations.map(({ text }) => text)).toContain(
      'declare const scaled: import("warpcell").HostFunction<[x: import("warpcell").Tensor, a: number], import("warpcell").Tensor>',
    );
    expect(Object.keys(module.kernels)).toEqual(["scale"]);
    const { scaled: fn } = module.functions;
    expect([fn!.name, fn!.source, `${fn}`]).toEqual([
      "scaled",
      example,
      "warpcell::Tensor scaled(const warpcell::Tensor& x, float a)",
    ]);
  });

  test("checks are errors with the cell's line, and arguments are checked before", () => {
    const check = failure(() => scaled(tensor([1n], on()), 2));
    expect(check).toBeInstanceOf(HostFunctionError);
    expect(check).toMatchObject({
      code: "CHECK",
      message: "scaled takes float32, not int64 (Cell [3]:6).",
      where: "Cell [3]:6",
      function: "scaled",
    });
    const call = scaled as unknown as (...args: unknown[]) => unknown;
    const x = zeros([2], on());
    const gone = zeros([2], on());
    gone.dispose();
    expect(failure(() => call(x)).message).toBe("scaled takes 2 arguments (x, a), but got 1.");
    expect(failure(() => call([1], 2)).message).toBe(
      `Argument x of scaled must be a tensor on ${device}, but got an array of 1.`,
    );
    expect(failure(() => call(x, "2")).message).toBe('Argument a of scaled must be a number (float), but got "2".');
    expect(failure(() => call(x, 1e300)).message).toBe(
      "Argument a of scaled must be a number (float), but got 1e+300.",
    );
    expect(failure(() => call(gone, 2))).toBeInstanceOf(TensorError);
    expect(scaled(x, 2).toArray()).toEqual([0, 0]);
  });
});
