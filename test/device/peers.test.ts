// Tensors that go from one device to another: the same elements, behind all that was launched before, and gradients that
// come back. Needs two GPUs for what goes between them, one for what goes to it and back.
import { describe, expect, test } from "vitest";
import {
  compile,
  grad,
  noGrad,
  nn,
  rand,
  randn,
  tensor,
  zeros,
  type Kernel,
  type Tensor,
} from "../../native/lib/index.ts";
import { deviceNamed } from "../../native/lib/device/choice.ts";
import { DeviceUnavailable } from "../../native/lib/errors.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const gpus = ["cuda:0", "cuda:1"].filter((name) => {
  if (!devices.some(({ kind }) => kind === "cuda")) return false;
  try {
    return deviceNamed(name).kind === "cuda";
  } catch (error) {
    if (error instanceof DeviceUnavailable) return false;
    throw error;
  }
});
const pairs: [string, string][] = [
  ...gpus.flatMap((gpu): [string, string][] => [
    ["cpu", gpu],
    [gpu, "cpu"],
  ]),
  ...(gpus.length === 2 ? ([gpus, [...gpus].reverse()] as [string, string][]) : []),
];

/** Byte for byte. */
function expectSame(copy: Tensor, x: Tensor): void {
  const [got, wanted] = [copy, x].map((each) => {
    const { buffer, byteOffset, byteLength } = each.data() as Float32Array;
    return Buffer.from(buffer, byteOffset, byteLength);
  });
  expect(got!.equals(wanted!)).toBe(true);
}

describe.skipIf(gpus.length === 0).each(gpus.length === 0 ? [["cpu", "cuda:0"] as const] : pairs)(
  "from %s to %s",
  (from, to) => {
    test.each([1, 4099, 2 ** 18, 2 ** 20 + 3, 2 ** 24 + 5])("%i elements, whole, offset and strided", (size) => {
      const x = rand([size], { device: from });
      expectSame(x.to(to), x);
      expect(x.to(to).device).toBe(to);
      if (size < 2) return;
      const part = x.slice([1, null]);
      expectSame(part.to(to), part);
      const rows = x.slice([0, size - (size % 2)]).reshape([2, Math.floor(size / 2)]);
      expectSame(rows.T.to(to), rows.T);
    });

    test("behind the kernels that write it, and before those that write it again", async () => {
      const module = await compile(
        `__global__ void slow(int* p, int n, int value) {
        long long sum = 0;
        for (int k = 0; k < 200000; k++) sum += clock64() & 1;
        for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = value + (sum < 0);
      }`,
        { device: from },
      );
      const size = 2 ** 20;
      const x = zeros([size], { device: from, dtype: "int32" });
      const slow = module.kernels["slow"] as Kernel;
      const copies = [1, 2, 3].map((value) => {
        slow.launch({ grid: 1, block: 32 }, x, size, value);
        return x.to(to);
      });
      x.dispose();
      zeros([size], { device: from, dtype: "int32" }).fill_(9);
      expect(copies.map((each) => [each.min().item(), each.max().item()])).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
      ]);
    });

    test("gradients come back, second ones too", () => {
      const values = Array.from({ length: 6 }, () => 0.5 + random());
      const x = tensor(values, { device: from, dtype: "float64" });
      const cube = (each: Tensor): Tensor => each.to(to).pow(3).to(from).sum();
      const first = grad(cube)(x) as Tensor;
      expect(first.device).toBe(from);
      const close = (got: Tensor, wanted: number[]) =>
        (got.toArray() as number[]).forEach((each, at) => expect(Math.abs(each - wanted[at]!)).toBeLessThan(1e-12));
      close(
        first,
        values.map((each) => 3 * each ** 2),
      );
      close(
        grad((each: Tensor) => (grad(cube)(each) as Tensor).sum())(x) as Tensor,
        values.map((each) => 6 * each),
      );
    });

    test("a model on two devices learns on both; a parameter that moves is a leaf", () => {
      const [front, back] = [new nn.Linear(4, 8, { device: from }), new nn.Linear(8, 1, { device: to })];
      back
        .forward(front.forward(randn([3, 4], { device: from })).to(to))
        .sum()
        .backward();
      for (const [layer, device] of [
        [front, from],
        [back, to],
      ] as const) {
        expect(layer.weight.grad!.device).toBe(device);
        expect(layer.weight.grad!.abs().sum().item()).toBeGreaterThan(0);
      }
      front.to(to);
      expect([front.weight.device, front.weight.requiresGrad, front.weight.grad!.device]).toEqual([to, true, to]);
      noGrad(() => expect(front.weight.to(from).requiresGrad).toBe(false));
    });
  },
);
