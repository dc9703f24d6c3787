// A kernel's machine code beside its source, on every device and by every compiler of this machine.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { compile, type Kernel, type KernelTemplate } from "../../native/lib/index.ts";
import { deviceSources } from "../../native/lib/wire/binding.ts";
import { compilers, cpu, use } from "./cpu-cell.ts";
import { devices } from "./devices.ts";
import { loadMadeKernels, openMadeGpu } from "./made-gpu.ts";

const source = `// Two kernels, and what one of them calls.
__device__ float twice(float v) { return 2 * v; }
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = twice(a) * x[i] + y[i];
}
template <class T>
__global__ void product(const T* a, const T* b, T* c, int n) {
  __shared__ T left[16][16], right[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  T sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}`;

interface Shown {
  listings: { name: string; lines: string[]; source: number[]; live: number[] }[];
  notes: string[];
  source: string[];
}

/** Instructions of one line of the source. */
const at = ({ lines, source: numbers }: Shown["listings"][number], line: number): string[] =>
  lines.filter((_, index) => numbers[index] === line);

async function kernels(device: string): Promise<{ saxpy: Kernel; product: Kernel }> {
  const { kernels: all } = await compile(source, { device, name: "Cell [7]" });
  return { saxpy: all["saxpy"] as Kernel, product: (all["product"] as KernelTemplate).as("float") };
}

describe.each(compilers)("the cpu, by %s", (compiler) => {
  test("has each kernel's own assembly, linked to the lines that it is written in", async () => {
    use(compiler);
    const { saxpy, product } = await kernels("cpu");
    const shown = saxpy.asm as unknown as Shown;
    expect(shown.listings.map(({ name }) => name)).toEqual(["assembly"]);
    expect(shown.notes).toEqual([]);
    const [listing] = shown.listings;
    expect(listing!.lines).toHaveLength(listing!.source.length);
    expect(new Set(listing!.source).size).toBeGreaterThan(2);
    // What it computes is in its line; that of the other kernel is not there.
    expect(at(listing!, 5).join("\n")).toMatch(/v?f?m(add|ul)/);
    expect(Math.max(...listing!.source)).toBe(5);
    expect(listing!.lines.join("\n")).not.toMatch(/product|touch|^\s+\.|# |\.LFE/m);

    const tiled = (product.asm as unknown as Shown).listings[0]!;
    expect(at(tiled, 16).join("\n")).toMatch(/v?f?m(add|ul)/);
    expect(new Set(tiled.source.filter((line) => line > 0))).toEqual(
      new Set(tiled.source.filter((line) => line >= 7 && line <= 20)),
    );
    expect(tiled.lines.join("\n")).not.toContain("saxpy");
    // Symbols of C++ are read as people write them.
    expect(tiled.lines.filter((line) => /\b_Z/.test(line))).toEqual([]);
    expect(tiled.lines.some((line) => /product<float>.*:$/.test(line))).toBe(true);
    expect(String(product.asm)).toMatch(/^product<float> · assembly · x86_64|^product<float> · assembly · aarch64/);
  });
});

test("the cpu has no PTX, no SASS, and nothing of what it did not compile", async () => {
  const { saxpy } = await kernels("cpu");
  for (const form of ["ptx", "sass"] as const) {
    expect(() => saxpy[form]).toThrow(
      expect.objectContaining({
        code: "NO_SUCH_FORM",
        message: `Only kernels of a GPU have ${form}, and this one was compiled for the cpu. Run the cell with --device cuda.`,
      }) as Error,
    );
  }
  for (const artifact of [
    Buffer.alloc(0),
    Buffer.from("no cell"),
    Buffer.concat([Buffer.alloc(8, 255), Buffer.from("warpcell-cpu-2\0")]),
  ]) {
    expect(() => cpu.request("disassemble", { artifact, form: "assembly", headers: deviceSources })).toThrow(
      expect.objectContaining({
        code: "INVALID_IMAGE",
        message: "This compiled cell does not say what it was compiled from. Compile the cell again.",
      }) as Error,
    );
  }
});

test("a GPU has no assembly of a host", () => {
  const device = openMadeGpu();
  loadMadeKernels(device, ["one"]);
  const artifact = Buffer.concat([
    Buffer.from([3, 0, 0, 0]),
    ...["warpcell-cuda-1", "machine code", ""].flatMap((field) => [
      Buffer.from(BigUint64Array.of(BigInt(field.length)).buffer),
      Buffer.from(field),
    ]),
  ]);
  expect(() => device.request("disassemble", { artifact, form: "assembly", headers: deviceSources })).toThrow(
    expect.objectContaining({
      code: "NO_SUCH_FORM",
      message: "A kernel of a GPU is listed as ptx, sass, sass-lines or sass-registers, not as assembly.",
    }) as Error,
  );
});

describe.each(
  devices.filter(({ kind }) => kind === "cuda").map((device) => [device.name, device] as const),
)("%s", (name) => {
  test("has each kernel's PTX, and its SASS where there is a disassembler", async () => {
    const { saxpy, product } = await kernels(name);
    const { listings, notes } = saxpy.asm as unknown as Shown;
    expect(listings[0]!.name).toBe("PTX");
    expect(at(listings[0]!, 5).join("\n")).toMatch(/fma\.rn\.f32/);
    expect(listings.flatMap(({ lines }) => lines.filter((line) => /\b_Z/.test(line)))).toEqual([]);
    expect(at((product.asm as unknown as Shown).listings[0]!, 15).join("\n")).toMatch(/bar(rier)?\.sync/);
    const sass = listings.find((listing) => listing.name === "SASS");
    if (sass === undefined) {
      expect(notes).toEqual([expect.stringMatching(/^SASS needs nvdisasm, which is not in /)]);
      return;
    }
    expect(at(sass, 5).join("\n")).toMatch(/FFMA/);
    expect(Math.max(...sass.live)).toBeGreaterThan(2);
  });
});
