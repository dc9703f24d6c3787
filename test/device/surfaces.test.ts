// Surfaces on every device: reads, writes and what is beyond their ends, copies in and out, textures of them; and what a
// fault takes.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  arange,
  compile,
  surface,
  synchronize,
  tensor,
  texture,
  zeros,
  type DType,
  type Kernel,
} from "../../native/lib/index.ts";
import { DeviceError, DeviceFault, TensorError } from "../../native/lib/errors.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const kernelOf = async (body: string, parameters = "cudaSurfaceObject_t s"): Promise<Kernel> =>
    (await compile(`extern "C" __global__ void k(${parameters}) {\n${body}\n}`, { device })).kernels["k"] as Kernel;
  const values = (count: number, dtype: DType) =>
    Array.from({ length: count }, () =>
      dtype.startsWith("float") ? Math.fround(random()) : Math.floor(random() * 100),
    );

  const [x, y, z] = ["blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.y", "threadIdx.z"];
  test.each<[string, DType, number, readonly number[], boolean, string]>([
    ["float", "float32", 1, [13], false, "surf1D#s, x * sizeof(T))"],
    ["float4", "float32", 4, [5, 7], false, "surf2D#s, x * sizeof(T), y)"],
    ["unsigned char", "uint8", 1, [6, 9], false, "surf2D#s, x * sizeof(T), y)"],
    ["uchar4", "uint8", 4, [6, 9], false, "surf2D#s, x * sizeof(T), y)"],
    ["short2", "int16", 2, [3, 4, 5], false, "surf3D#s, x * sizeof(T), y, z)"],
    ["int", "int32", 1, [3, 11], true, "surf1DLayered#s, x * sizeof(T), y)"],
    ["int4", "int32", 4, [3, 4, 5], true, "surf2DLayered#s, x * sizeof(T), y, z)"],
  ])("%s of %s, %i values in each of %j, layered: %s", async (type, dtype, channels, shape, layered, call) => {
    const write = call.replace("#", "write(v, ");
    const read = call.replace("#", "read<T>(");
    const k = await kernelOf(`using T = ${type}; int x = ${x}, y = ${y}, z = ${z};
      T v = ${read}; ${call.replace("#", "read(&v, ")};
      ${channels === 1 ? "v += 1" : "v.x += 1; v.y += 2"}; ${write};`);
    const dims = channels > 1 ? [...shape, channels] : [...shape];
    const given = values(
      dims.reduce((product, length) => product * length, 1),
      dtype,
    );
    const source = tensor(given, { dtype: dtype as "float32", device }).reshape(dims);
    const s = surface(source, { channels: channels as 1, layered });
    const [w = 1, h = 1, d = 1] = [...shape].reverse();
    k.launch({ grid: 1, block: [w, h, d] }, s);
    const out = zeros(dims, { dtype: dtype as "float32", device });
    s.copyTo(out);
    const wanted = given.map((value, index) => {
      const lane = channels === 1 ? 0 : index % channels;
      return Math.fround(value + (lane === 0 ? 1 : lane === 1 ? 2 : 0));
    });
    expect(out.reshape([-1]).toArray()).toEqual(wanted);
    expect(source.reshape([-1]).toArray()).toEqual(given); // its memory is its own
    expect(String(s)).toBe(
      `surface(shape [${dims.join(", ")}], ${dtype}${channels > 1 ? `, ${channels} channels` : ""}${layered ? `, ${shape[0]} layers` : ""}, ${device})`,
    );
  });

  test("beyond its ends: zero and clamp", async () => {
    const k = await kernelOf(
      `int i = threadIdx.x, x = (i - 2) * 4, y = i - 2;
      out[i] = surf1Dread<int>(s, x, cudaBoundaryModeZero);
      out[8 + i] = surf1Dread<int>(s, x, cudaBoundaryModeClamp);
      __syncthreads();
      surf1Dwrite(-1, s, i < 4 ? -4 : 16, cudaBoundaryModeZero);
      out[16 + i] = surf2Dread<int>(t, 0, y, cudaBoundaryModeZero);`,
      "cudaSurfaceObject_t s, cudaSurfaceObject_t t, int* out",
    );
    const on = { dtype: "int32", device } as const;
    const [s, t, out] = [surface(tensor([1, 2, 3, 4], on)), surface(tensor([[5], [6]], on)), zeros([24], on)];
    k.launch({ grid: 1, block: 8 }, s, t, out);
    expect(out.toArray()).toEqual([0, 0, 1, 2, 3, 4, 0, 0, 1, 1, 1, 2, 3, 4, 4, 4, 0, 0, 5, 6, 0, 0, 0, 0]);
    s.copyTo(out.slice([0, 4]));
    expect((out.toArray() as number[]).slice(0, 4)).toEqual([1, 2, 3, 4]);
  });

  test("a texture of a surface reads what kernels wrote to it", async () => {
    const module = await compile(
      `extern "C" __global__ void ramp(cudaSurfaceObject_t s) { surf1Dwrite(10.0f * threadIdx.x, s, threadIdx.x * sizeof(float)); }
      extern "C" __global__ void between(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 1); }`,
      { device },
    );
    const s = surface(zeros([5], { device }));
    const t = texture(s, { filter: "linear" });
    const out = zeros([4], { device });
    (module.kernels["ramp"] as Kernel).launch({ grid: 1, block: 5 }, s);
    (module.kernels["between"] as Kernel).launch({ grid: 1, block: 4 }, t, out);
    expect(out.toArray()).toEqual([5, 15, 25, 35]);
    s.update(arange(5, { device }));
    s.dispose();
    (module.kernels["between"] as Kernel).launch({ grid: 1, block: 4 }, t, out);
    expect(out.toArray()).toEqual([0.5, 1.5, 2.5, 3.5]);
    t.update(arange(5, { device }).mul(2)); // which has outlived the surface
    (module.kernels["between"] as Kernel).launch({ grid: 1, block: 4 }, t, out);
    expect(out.toArray()).toEqual([1, 3, 5, 7]);
  });

  test("a fault keeps what was set; what kernels had written is there or said to be lost", async () => {
    const k = await kernelOf("surf1Dwrite(7, s, threadIdx.x * 4);");
    const trap = await kernelOf("__trap();", "");
    const on = { dtype: "int32", device } as const;
    const [touched, untouched, out] = [surface(zeros([2], on)), surface(tensor([1, 2], on)), zeros([2], on)];
    k.launch({ grid: 1, block: 2 }, touched);
    await synchronize();
    trap.launch({ grid: 1, block: 1 });
    await expect(synchronize()).rejects.toThrow(DeviceFault);
    untouched.copyTo(out);
    expect(out.toArray()).toEqual([1, 2]);
    if (device === "cpu") {
      touched.copyTo(out);
      expect(out.toArray()).toEqual([7, 7]);
      return;
    }
    const lost = `What kernels had written to a surface was lost when the device process of ${device} ended. Give it values again, surface.update(x), before you read it.`;
    expect(() => touched.copyTo(out)).toThrow(lost);
    expect(() => touched.copyTo(out)).toThrow(DeviceError);
    touched.update(tensor([3, 4], on));
    touched.copyTo(out);
    expect(out.toArray()).toEqual([3, 4]);
  });

  test("an access beyond its ends traps", async () => {
    const k = await kernelOf("surf2Dwrite(1.0f, s, threadIdx.x * 4, 2);");
    k.launch({ grid: 1, block: 4 }, surface(zeros([2, 4], { device })));
    const fault = await synchronize().then(
      () => expect.fail("nothing was said"),
      (error: unknown) => error as DeviceFault,
    );
    expect(fault).toBeInstanceOf(DeviceFault);
    if (device === "cpu")
      expect(fault.message).toContain(
        "surf2Dwrite in line 2 is outside of its surface: 4 bytes at byte 0 of x, y = 2. (x counts bytes: x * sizeof(float) of floats.)",
      );
  });

  test("what it refuses", async () => {
    const k = await kernelOf("surf1Dwrite(7, s, 0);");
    const x = zeros([4], { device });
    expect(() => k.launch({ grid: 1, block: 1 }, texture(x))).toThrow(
      "Argument 1 (s) of kernel k must be a surface, made by surface(x) (cudaSurfaceObject_t), but got a Texture.",
    );
    const s = surface(x);
    expect(() => s.copyTo(zeros([5], { device }))).toThrow(
      "surface.copyTo takes a tensor of float32 and shape [4], but got one of float32 and shape [5].",
    );
    expect(() => surface(zeros([2, 2], { device })).copyTo(zeros([2, 2], { device }).T)).toThrow(
      "surface.copyTo takes a contiguous tensor, but got one of shape [2, 2] with strides [1, 2]. Pass .contiguous(), a copy in row-major order without gaps.",
    );
    const gone = zeros([4], { device });
    gone.dispose();
    expect(() => s.update(gone)).toThrow("An operand of surface.update, shape [4], has been disposed of.");
    s.dispose();
    expect(() => s.copyTo(x)).toThrow(TensorError);
    expect(() => k.launch({ grid: 1, block: 1 }, s)).toThrow(
      "Argument 1 (s) of kernel k is a surface that has been disposed of.",
    );
  });
});
