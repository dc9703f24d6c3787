// What programs check beforehand on every device: tensors, launches, and matrices in padded shapes.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  checkTensor,
  compile,
  LaunchError,
  ones,
  tensor,
  TensorCheckError,
  TensorError,
  TensorLayout,
  validateLaunch,
  zeros,
  type Kernel,
  type LaunchToValidate,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

describe.each(devices.map(({ name, properties }) => ({ device: name, properties })))("on $device", ({
  device,
  properties,
}) => {
  test("checkTensor returns what fits and says of everything else what it must be", () => {
    const x = ones([2, 3], { device });
    expect(
      checkTensor(x, {
        device: device.replace(/:0$/, ""),
        ndim: 2,
        shape: [null, 3],
        dtype: ["float32", "float16"],
        contiguous: true,
      }),
    ).toBe(x);
    expect(checkTensor(x)).toBe(x);
    const gone = ones([1], { device });
    gone.dispose();
    const said = (value: unknown, wanted: Parameters<typeof checkTensor>[1]) => {
      try {
        checkTensor(value, wanted);
        return null;
      } catch (error) {
        expect(error).toBeInstanceOf(TensorCheckError);
        return [(error as TensorCheckError).code, (error as Error).message];
      }
    };
    expect([
      said(ones([4], { device }), { ndim: 2 }),
      said(x, { shape: [null, 4], name: "weight" }),
      said(x, { shape: [2] }),
      said(x, { dtype: "int32" }),
      said(x, { dtype: ["float16", "bfloat16"] }),
      said(x.T, { contiguous: true }),
      said([1], {}),
      said(gone, {}),
      said(x, { device: "cuda:7" }),
    ]).toEqual([
      ["NDIM", "input must be 2D, but has shape [4]."],
      ["SHAPE", "weight must have shape [any, 4], but has shape [2, 3]."],
      ["SHAPE", "input must have shape [2], but has shape [2, 3]."],
      ["DTYPE", 'input must be int32, but is float32. Convert it with .to("int32").'],
      ["DTYPE", 'input must be float16 or bfloat16, but is float32. Convert it with .to("float16").'],
      ["CONTIGUOUS", "input must be contiguous, but has strides [1, 3]. Pass .contiguous(), a copy."],
      ["TENSOR", "input must be a tensor, but is an array of 1."],
      ["DISPOSED", "input must be a live tensor, but has been disposed of."],
      ["DEVICE", `input must be on cuda:7, but is on ${device}. Copy it with .to("cuda:7").`],
    ]);
    expect(() => checkTensor(x, { device: "gpu" })).toThrow(
      'checkTensor knows the devices "cpu", "cuda" and "cuda:N", not "gpu".',
    );
    expect(() => checkTensor(x, { rank: 2 } as never)).toThrow(
      'checkTensor has no check "rank". It has device, ndim, shape, dtype, contiguous and name.',
    );
  });

  test("validateLaunch throws what a launch would throw, and launches nothing", async () => {
    const { kernels } = await compile(
      "__global__ void __launch_bounds__(64) k(int* p) { __shared__ int room[16]; room[threadIdx.x % 16] = 1; p[0] = room[0]; }",
      { device },
    );
    const kernel = kernels["k"] as Kernel<never>;
    const said = (launch: LaunchToValidate) => {
      try {
        validateLaunch(launch);
        return null;
      } catch (error) {
        expect(error).toBeInstanceOf(LaunchError);
        return (error as Error).message;
      }
    };
    const most = properties.maxThreadsPerBlock;
    expect(said({ grid: [1, 2, 3], block: [8, 8], shared: 1024, device })).toBeNull();
    expect(said({ grid: 1, block: 64, kernel })).toBeNull();
    expect(said({ grid: 1, block: [most, 2], device })).toBe(
      `A block of a launch has at most ${most} threads on ${device}, since the device allows no more, but this one has ${most * 2}.`,
    );
    expect(said({ grid: 1, block: 65, kernel })).toBe(
      `A block of kernel k has at most 64 threads on ${device}, since its __launch_bounds__ or registers allow no more there, but this one has 65.`,
    );
    expect(said({ grid: [1, 1.5], block: 1, device })).toMatch(
      /^The grid of a launch must be a whole number ≥ 1 or \[x, y, z\] of them, at most .* but got \[1, 1\.5\]\. Round up: Math\.ceil\(n \/ block\)\.$/,
    );
    expect(said({ grid: 1, block: [1, 1, properties.maxBlock[2] + 1], device })).toMatch(
      /^The block of a launch must be/,
    );
    expect(said({ grid: 1, block: 1, shared: properties.sharedPerBlockOptin + 1, device })).toBe(
      `The dynamic shared memory of a launch must be a whole number of bytes from 0 to ${properties.sharedPerBlockOptin} on ${device}, but got ${properties.sharedPerBlockOptin + 1}.`,
    );
    expect(said({ grid: 1, block: 1, shared: properties.sharedPerBlockOptin, kernel })).toMatch(
      /besides the 64 that it declares/,
    );
    expect(said({ grid: 1, block: 1, kernel: {} as never, device })).toBe(
      'validateLaunch takes a kernel, or none, but got an object with no fields. An instance of a template is one: axpy.as("float").',
    );
    if (device !== "cpu")
      expect(said({ grid: 1, block: 1, kernel, device: "cpu" })).toBe(
        `Kernel k was compiled for ${device}: its limits on cpu are not known.`,
      );
  });

  test("TensorLayout pads matrices and finds them again", () => {
    const sizes = [0, 1, 31, 32, 33, 255, 256, 257];
    expect(sizes.map((size) => new TensorLayout([size, size], "float32").paddedShape)).toEqual([
      [0, 0],
      [32, 256],
      [32, 256],
      [32, 256],
      [64, 256],
      [256, 256],
      [256, 256],
      [288, 512],
    ]);
    const layout = new TensorLayout([2, 3], "float16", { rowMultiple: 4, colMultiple: 5 });
    expect([layout.paddedShape, layout.paddedBytes]).toEqual([[4, 5], 40]);
    const matrix = tensor(
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      { dtype: "float16", device },
    ).T;
    const padded = layout.pad(matrix);
    expect(padded.toArray()).toEqual([
      [1, 3, 5, 0, 0],
      [2, 4, 6, 0, 0],
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
    ]);
    expect([padded.device, layout.unpad(padded).toArray()]).toEqual([
      device,
      [
        [1, 3, 5],
        [2, 4, 6],
      ],
    ]);
    expect(new TensorLayout([0, 3], "float32").pad(zeros([0, 3], { device })).shape).toEqual([0, 256]);
    expect(() => layout.pad(zeros([3, 2], { dtype: "float16", device }))).toThrow(
      "input must have shape [2, 3], but has shape [3, 2].",
    );
    expect(() => layout.unpad(zeros([4, 5], { device }) as never)).toThrow("input must be float16, but is float32.");
    expect(() => new TensorLayout([1, 2, 3] as never, "float32")).toThrow(
      new TensorError("SHAPE", "A TensorLayout is for matrices, but shape [1, 2, 3] has 3 axes."),
    );
    expect(() => new TensorLayout([1, 2], "float32", { rowMultiple: 0 })).toThrow(
      "rowMultiple and colMultiple must be whole numbers ≥ 1, but one is 0.",
    );
  });
});
