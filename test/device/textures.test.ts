// Textures on every device beside the Programming Guide's formulas in float64, on random texels of a printed seed; what
// they refuse, what they keep, and what a wrong read says.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  arange,
  check,
  compile,
  graph,
  ones,
  Stream,
  surface,
  synchronize,
  tensor,
  texture,
  withStream,
  zeros,
  type DType,
  type Kernel,
  type Tensor,
  type TextureOptions,
} from "../../native/lib/index.ts";
import { kernelsWithSymbol } from "../../native/lib/cuda/loaded-module.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";
import { DeviceFault, LaunchError } from "../../native/lib/errors.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { launch } from "./records.ts";
import {
  cases,
  coordinate,
  fetched,
  kernelName,
  lanesOf,
  most,
  shapes,
  source,
  type Case,
  type Texels,
} from "./texture-cases.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);

const span: Partial<Record<DType, readonly [number, number]>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65535],
  int16: [-32768, 32767],
  int32: [-(2 ** 23), 2 ** 23],
  uint32: [0, 2 ** 24],
};
function randomTexel(dtype: DType): number {
  const range = span[dtype];
  if (range !== undefined) return range[0] + below(range[1] - range[0] + 1);
  return dtype === "float16" ? (below(4096) - 2048) / 256 : Math.fround(random() * 4 - 2);
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const module = compile(source, { device });
  const kernels = async () => (await module).kernels as Record<string, Kernel>;

  /** Random texels of a case as a tensor, and as the reference has them. */
  function texelsOf({ shape, type, dtype, options }: Case): { x: Tensor; texels: Texels } {
    const { axes, layered } = shapes[shape];
    const lanes = lanesOf(type);
    const size = Array.from({ length: axes }, () => 1 + below(9));
    const layers = layered ? 1 + below(4) : 0;
    const [w = 1, h = 1, d = 1] = size;
    const count = w * h * d * Math.max(1, layers) * lanes;
    const values = Array.from({ length: count }, () => randomTexel(dtype));
    const dims = [...(layered ? [layers] : []), ...[...size].reverse(), ...(lanes > 1 ? [lanes] : [])];
    const x = tensor(values, { dtype: dtype as "float32", device }).reshape(dims);
    const scale = options.read === "normalized" ? most[dtype]! : 1;
    return {
      x,
      texels: {
        size,
        layers,
        lanes,
        at: (i, j, k, layer, lane) =>
          Math.max(values[(((layer * d + k) * h + j) * w + i) * lanes + lane]! / scale, scale === 1 ? -Infinity : -1),
      },
    };
  }

  /** Coordinates from before the first texel to behind the last; for the nearest texel away from the borders of two. */
  function coordinates({ size, layers }: Texels, { filter, normalized }: TextureOptions): number[][] {
    return Array.from({ length: 100 }, () => {
      const c = [0, 1, 2].map((axis) => {
        const n = size[axis] ?? 1;
        const place = filter === "linear" ? random() * 3 * n - n : below(3 * n) - n + 0.05 + 0.9 * random();
        return Math.fround(normalized ? place / n : place);
      });
      return [...c, layers === 0 ? 0 : below(layers + 1)];
    });
  }

  test.each(cases)("$shape of $type, $dtype, $options", async (each) => {
    const { shape, type, dtype, options } = each;
    const { x, texels } = texelsOf(each);
    const at = coordinates(texels, options);
    const { lanes, size, layers } = texels;
    const out = zeros([at.length, lanes], { device });
    using t = texture(x, { ...options, channels: lanes as 1, layered: layers > 0 });
    (await kernels())[kernelName(shape, type)]!.over(at.length)(t, tensor(at, { device }), out, at.length);
    const got = out.toArray() as number[][];

    const largest =
      Math.max(...(x.to("float64").abs().reshape([-1]).toArray() as number[])) /
      (options.read === "normalized" ? most[dtype]! : 1);
    const exactly = device === "cpu";
    // A weight has 8 bits behind the point, however it is rounded, and a coordinate the precision of a float32; two
    // neighbours are at most twice the largest texel apart. A GPU may filter small integers in their own precision.
    const perAxis = (exactly ? 0 : 2 ** -8) + 2 ** -20 * Math.max(...size);
    const own = exactly || most[dtype] === undefined ? 0 : 1 / most[dtype];
    const bound =
      options.filter === "linear" ? size.length * perAxis * 2 * largest + own + 2 ** -20 * largest : 2 ** -22 * largest;
    for (const [index, c] of at.entries())
      for (let lane = 0; lane < lanes; lane++) {
        const wanted = fetched(texels, options, c, lane, !exactly);
        // Where a weight is between two of 8 bits, the coordinate's own rounding may take either.
        const tie = exactly && options.filter === "linear" ? 2 ** -8 * tiesOf(c, texels, options) * 2 * largest : 0;
        expect(
          Math.abs(got[index]![lane]! - wanted),
          `${c} lane ${lane}: ${got[index]![lane]} for ${wanted}`,
        ).toBeLessThanOrEqual(bound + tie);
      }
  });

  /** Along how many axes a weight of 256ths is next to a half. */
  function tiesOf(
    c: readonly number[],
    { size }: Texels,
    { normalized = false, address: modes = "clamp" }: TextureOptions,
  ): number {
    return size.filter((n, axis) => {
      const mode = typeof modes === "string" ? modes : (modes[axis] ?? "clamp");
      const scaled = (coordinate(c[axis]!, n, mode, normalized) - 0.5) * 256;
      return Math.abs(scaled - Math.floor(scaled) - 0.5) < 256 * n * 2 ** -20;
    }).length;
  }

  test.each<[DType, string, TextureOptions]>([
    ["float32", "float", {}],
    ["uint8", "uchar4", { channels: 4 }],
    ["int32", "int", {}],
    ["uint8", "float", { read: "normalized" }],
  ])("tex1Dfetch of %s as %s, and 0 beyond the ends", async (dtype, type, options) => {
    const lanes = lanesOf(type);
    const values = Array.from({ length: 37 * lanes }, () => randomTexel(dtype));
    const x = tensor(values, { dtype: dtype as "float32", device }).reshape(lanes > 1 ? [37, lanes] : [37]);
    const at = Array.from({ length: 41 }, (_, i) => [i - 2, 0, 0, 0]);
    const out = zeros([41, lanes], { device });
    const t = texture(x, { ...options, memory: "linear" });
    (await kernels())[kernelName("tex1Dfetch", type)]!.over(41)(t, tensor(at, { device }), out, 41);
    const scale = options.read === "normalized" ? 255 : 1;
    const wanted = at.map(([i]) =>
      Array.from({ length: lanes }, (_, lane) =>
        i! < 0 || i! > 36 ? 0 : Math.fround(values[i! * lanes + lane]! / scale),
      ),
    );
    for (const [index, row] of (out.toArray() as number[][]).entries())
      for (const [lane, value] of row.entries()) expect(value).toBeCloseTo(wanted[index]![lane]!, 5);
  });

  const read1D = async () => (await kernels())["tex1D_float"]!;
  const places = (n: number) =>
    tensor(
      Array.from({ length: n }, (_, i) => [i + 0.5, 0, 0, 0]),
      { device },
    );

  test("a texture keeps what its tensor held until it is updated", async () => {
    const k = await read1D();
    const [x, out] = [tensor([1, 2, 3], { device }), zeros([3], { device })];
    const t = texture(x);
    x.fill_(9);
    k.over(3)(t, places(3), out, 3);
    expect(out.toArray()).toEqual([1, 2, 3]);
    t.update(x);
    k.over(3)(t, places(3), out, 3);
    expect(out.toArray()).toEqual([9, 9, 9]);
    expect([String(t), t.dtype, t.shape, t.device]).toEqual([
      `texture(shape [3], float32, ${device})`,
      "float32",
      [3],
      device,
    ]);
  });

  test("it is there again after the device process was lost", async () => {
    const k = await read1D();
    const trap = (await compile("__global__ void trap() { __trap(); }", { device })).kernels["trap"] as Kernel;
    const [x, out] = [tensor([4, 5, 6], { device }), zeros([3], { device })];
    const t = texture(x);
    trap.launch({ grid: 1, block: 1 });
    await expect(synchronize()).rejects.toThrow(DeviceFault);
    k.over(3)(t, places(3), out, 3);
    expect(out.toArray()).toEqual([4, 5, 6]);
  });

  test("graphs and other streams read it, and a graph keeps it", async () => {
    const k = await read1D();
    const [x, out] = [tensor([1, 2, 3], { device }), zeros([3], { device })];
    const at = places(3);
    let t: ReturnType<typeof texture> | undefined = texture(x);
    const run = graph(() => {
      k.over(3)(t!, at, out, 3);
      return out.add(1);
    });
    expect(run().toArray()).toEqual([2, 3, 4]);
    t.update(x.mul(10));
    expect(run().toArray()).toEqual([11, 21, 31]);
    t = undefined;
    expect(run().toArray()).toEqual([11, 21, 31]);

    const other = texture(x);
    withStream(new Stream({ device }), () => {
      k.over(3)(other, at, out, 3);
      expect(out.toArray()).toEqual([1, 2, 3]);
    });
    const sentence = (word: string) =>
      `A graph neither makes a ${word} nor copies to or from one: do it before or after.`;
    const recorded = (work: () => unknown) => {
      const run = graph(() => (work(), x.add(1)));
      run(); // which only runs it
      return run;
    };
    expect(recorded(() => texture(x))).toThrow(sentence("texture"));
    expect(recorded(() => other.update(x))).toThrow(sentence("texture"));
    expect(recorded(() => surface(x))).toThrow(sentence("surface"));
  });

  test("in a struct and an array of a struct, and in barriers' loops", async () => {
    const k = (
      await compile(
        `struct Both { float scale; cudaTextureObject_t t[2]; };
        extern "C" __global__ void both(Both b, float* out) {
          __shared__ float s[32];
          s[threadIdx.x] = tex1D<float>(b.t[0], threadIdx.x + 0.5f);
          __syncthreads();
          out[threadIdx.x] = b.scale * s[31 - threadIdx.x] + tex1D<float>(b.t[1], 0.5f);
        }`,
        { device },
      )
    ).kernels["both"] as Kernel;
    const out = zeros([32], { device });
    k.launch(
      { grid: 1, block: 32 },
      { scale: 2, t: [texture(arange(32, { device })), texture(ones([1], { device }))] },
      out,
    );
    expect(out.toArray()).toEqual(Array.from({ length: 32 }, (_, i) => 2 * (31 - i) + 1));
  });

  test("a launch refuses what is no texture in one sentence", async () => {
    const k = await read1D();
    const [x, out] = [tensor([1, 2, 3], { device }), zeros([3], { device })];
    const launch = (value: unknown) => () => k.over(3)(value, places(3), out, 3);
    const wanted =
      "Argument 1 (t) of kernel tex1D_float must be a texture, made by texture(x) (cudaTextureObject_t), but got";
    expect(launch(x)).toThrow(`${wanted} a tensor of float32.`);
    expect(launch(surface(x))).toThrow(`${wanted} a Surface.`);
    expect(launch(5n)).toThrow(`${wanted} 5n.`);
    expect(launch(null)).toThrow(`${wanted} null.`);
    const gone = texture(x);
    gone.dispose();
    gone.dispose();
    expect([gone.isDisposed, String(gone)]).toEqual([true, `texture(disposed, shape [3], float32, ${device})`]);
    expect(launch(gone)).toThrow("Argument 1 (t) of kernel tex1D_float is a texture that has been disposed of.");
    expect(launch(gone)).toThrow(LaunchError);
    expect(() => gone.update(x)).toThrow("This texture, shape [3], has been disposed of.");
    if (device !== "cpu")
      expect(launch(texture(tensor([1], { device: "cpu" })))).toThrow(
        `Argument 1 (t) of kernel tex1D_float is a texture on cpu, but the kernel runs on ${device}. Make one there, of a tensor.`,
      );
  });

  test.each<[(on: { device: string }) => unknown, string]>([
    [
      () => texture([1, 2] as never),
      "texture takes a tensor or a surface but got an array of 2. Make a tensor of it with tensor(…).",
    ],
    [() => surface(3 as never), "surface takes a tensor but got 3. Make a tensor of it with tensor(…)."],
    [
      (on) => texture(zeros([4], { dtype: "float64", ...on })),
      "texture takes a tensor of uint8, int8, uint16, int16, uint32, int32, float16 or float32, but got one of float64.",
    ],
    [
      (on) => texture(zeros([4, 3], on), { channels: 3 as never }),
      "texture has 1, 2 or 4 channels, but got 3: make a fourth one with cat.",
    ],
    [
      (on) => texture(zeros([4, 3], on), { channels: 4 }),
      "texture with 4 channels takes a tensor whose last axis has 4 elements, but got shape [4, 3].",
    ],
    [
      (on) => texture(zeros([2, 2, 2, 4], on)),
      "texture has 1, 2 or 3 axes, but got shape [2, 2, 2, 4]. Values of a texel are said so: { channels: 4 }.",
    ],
    [
      (on) => texture(zeros([2, 2, 2, 2], on), { layered: true }),
      "texture with layers has 1 or 2 axes besides them, but got shape [2, 2, 2, 2]. Values of a texel are said so: { channels: 2 }.",
    ],
    [
      (on) => texture(zeros([2, 2], on), { memory: "linear" }),
      "texture of linear memory has 1 axis, but got shape [2, 2]. Values of a texel are said so: { channels: 2 }.",
    ],
    [(on) => texture(zeros([0], on)), "texture has from 1 to 131072 texels, but got shape [0]."],
    [(on) => texture(zeros([131073], on)), "texture has from 1 to 131072 texels, but got shape [131073]."],
    [(on) => surface(zeros([32769], on)), "surface has from 1 to 32768 texels, but got shape [32769]."],
    [
      (on) => texture(zeros([2049, 2], on), { layered: true }),
      "texture has from 1 to 32768 texels and 2048 layers, but got shape [2049, 2].",
    ],
    [
      (on) => texture(zeros([2, 3], on).T),
      "texture takes a contiguous tensor, but got one of shape [3, 2] with strides [1, 3]. Pass .contiguous(), a copy in row-major order without gaps.",
    ],
    [
      (on) => texture(zeros([4], on), { filter: "cubic" as never }),
      'texture takes "point" or "linear" as filter but got "cubic".',
    ],
    [
      (on) => texture(zeros([4], on), { address: "repeat" as never }),
      'texture takes "clamp", "wrap", "mirror" or "border", or a list of these for x, y and z, as address but got "repeat".',
    ],
    [(on) => texture(zeros([4], on), { adress: "wrap" } as never), "texture has no option adress. Write address."],
    [
      (on) => texture(zeros([4], on), { address: ["clamp", "wrap"] }),
      'texture with address: "wrap" takes coordinates from 0 to 1: add normalized: true.',
    ],
    [
      (on) => texture(zeros([4], { dtype: "uint8", ...on }), { filter: "linear" }),
      'texture with filter: "linear" gives floats, but got uint8: add read: "normalized".',
    ],
    [
      (on) => texture(zeros([4], { dtype: "int32", ...on }), { filter: "linear" }),
      'texture with filter: "linear" gives floats, but got int32: make the tensor float32.',
    ],
    [
      (on) => texture(zeros([4], on), { read: "normalized" }),
      'texture with read: "normalized" takes integers of 8 or 16 bits, but got float32.',
    ],
    [
      (on) => texture(zeros([4], on), { memory: "linear", normalized: true }),
      'texture of linear memory is read by its index: { memory: "linear" } goes with channels and read alone.',
    ],
    [
      (on) => texture(surface(zeros([4], on)), { layered: true }),
      "texture of a surface has its channels, layers and memory: leave these options out.",
    ],
    [
      (on) => texture(zeros([4], on)).update(zeros([5], on)),
      "texture.update takes a tensor of float32 and shape [4], but got one of float32 and shape [5].",
    ],
    [
      (on) => texture(zeros([4], on)).update(3 as never),
      "texture.update takes a tensor of float32 and shape [4], but got something else.",
    ],
  ])("refused: %s", (make, sentence) => {
    expect(() => make({ device })).toThrow(sentence);
  });
});

describe("what only the cpu tells", () => {
  const fault = async (line: string, x: Tensor, options: TextureOptions): Promise<DeviceFault> => {
    const module = await compile(`extern "C" __global__ void k(cudaTextureObject_t t, float* out) {\n  ${line}\n}`, {
      device: "cpu",
    });
    (module.kernels["k"] as Kernel).launch({ grid: 2, block: 3 }, texture(x, options), zeros([1], { device: "cpu" }));
    return synchronize().then(
      () => expect.fail("nothing was said"),
      (error: unknown) => error as DeviceFault,
    );
  };
  const on = { device: "cpu" };

  test.each<[string, Tensor, TextureOptions, string]>([
    [
      "out[0] = tex3D<float>(t, 0, 0, 0);",
      zeros([4, 4], on),
      {},
      "tex3D in line 2 is given a texture that only tex2D reads.",
    ],
    [
      "out[0] = tex1D<float>(t, 0);",
      zeros([4], on),
      { memory: "linear" },
      "tex1D in line 2 is given a texture that only tex1Dfetch reads.",
    ],
    [
      "out[0] = tex2D<float>(t, 0, 0);",
      zeros([2, 4], on),
      { layered: true },
      "tex2D in line 2 is given a texture that only tex1DLayered reads.",
    ],
    [
      "out[0] = tex1D<float4>(t, 0).x;",
      zeros([4], on),
      {},
      "tex1D in line 2 reads 4 values of a texel, but the texture has 1.",
    ],
    [
      "out[0] = tex1D<float>(t, 0);",
      zeros([4], { dtype: "uint8", ...on }),
      {},
      'tex1D in line 2 reads float, but the texture has values of unsigned char: read these, or make the texture with { read: "normalized" } to read float.',
    ],
    [
      "out[0] = tex1D<int>(t, 0);",
      zeros([4], on),
      {},
      "tex1D in line 2 reads int, but the texture has values of float: read these.",
    ],
  ])("%s", async (line, x, options, sentence) => {
    const { message } = await fault(line, x, options);
    expect(message).toContain(sentence);
    expect(message).toContain("(block 0,0,0 thread 0,0,0)");
  });

  test.each([
    ["texture dtype=float64 channels=1 size=4 layers=0", "A texture has dtype=float64, which it cannot have."],
    ["texture dtype=float32 channels=3 size=4 layers=0", "A texture has channels=3, which it cannot have."],
    ["texture dtype=float32 channels=1 size=4x0 layers=0", "A texture has size=4x0, which it cannot have."],
    [
      "texture dtype=float32 channels=1 size=4 layers=0 filter=point memory=array read=element address=clamp,away,clamp",
      "A texture has address=away, which it cannot have.",
    ],
  ])("a message that says nonsense is refused: %s", (terms, sentence) => {
    const cpu = DeviceProcess.get("cpu");
    expect(() => cpu.request("texture_create", { texture: 9999, array: 9999, place: 0, terms })).toThrow(sentence);
  });

  test("a launch with a texture that is not there is refused", async () => {
    const { kernels } = await compile('extern "C" __global__ void k(float* p) { }', on);
    const cpu = DeviceProcess.get("cpu");
    (kernels["k"] as Kernel).launch({ grid: 1, block: 1 }, null);
    const kernel = kernelsWithSymbol(cpu, "warpcell_cpu_kernel_0").at(-1)!;
    launch(cpu, { kernel, pointers: [2 ** 63 + 4096] });
    await expect(synchronize()).rejects.toThrow("Texture 4096 is not there");
  });

  test("fewer values than a texel has are its first ones, and a checked launch reads it", async () => {
    const module = await compile(
      'extern "C" __global__ void k(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 0.5f); }',
      on,
    );
    const out = zeros([2], on);
    const k = module.kernels["k"] as Kernel;
    check(() =>
      k.launch(
        { grid: 1, block: 2 },
        texture(
          tensor(
            [
              [1, 2],
              [3, 4],
            ],
            on,
          ),
          { channels: 2 },
        ),
        out,
      ),
    );
    expect(out.toArray()).toEqual([1, 3]);
  });
});
