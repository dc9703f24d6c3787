// Kernels that break on the cpu device, each kind of fault by its code, place and sentence; launches beyond the limits;
// what kernels print.
import "./cache.ts";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { binding, deviceExecutable, deviceSources } from "../../native/lib/wire/binding.ts";
import { DeviceFault, InterruptedError, LaunchError } from "../../native/lib/errors.ts";
import { Cell, compilers, cpu, poisoned, use, type Shape } from "./cpu-cell.ts";
import { compiled, copy, launch, write } from "./records.ts";

const source = `#include <cassert>
__global__ void good(int* p, int n) { int t = threadIdx.x; __syncthreads(); p[t] = t + n; }
__global__ void wild(int* p, int n) { p[(n < 0 ? -(1ll << -n) : 1ll << n) + threadIdx.x] = n; }
__global__ void known(int* p, int n) { __syncthreads(); if (threadIdx.x == n && blockIdx.y == 1) *(volatile int*)(size_t)64 = 1; __syncthreads(); }
__global__ void divide(int* p, int n) { p[threadIdx.x] = 100 / (n - (int)threadIdx.x); }
__device__ __noinline__ int deep(int* p, int n) { volatile int here[32]; here[n & 31] = p[0]; return n == 0 ? here[0] : deep(p, n - 1) + here[n & 31]; }
__global__ void overflow(int* p, int n) { p[0] = deep(p, n); }
__global__ void null(int* p, int n) { int* nothing = nullptr; *nothing = n; p[0] = n; }
__global__ void trap(int* p, int n) { __syncthreads(); if (threadIdx.y == n) __trap(); }
__global__ void assertion(int* p, int n) {
  assert(int(threadIdx.x) != n);
}
__global__ void half_barrier(int* p, int n) {
  if (threadIdx.x < n) {
    __syncthreads();
  } else {
    __shfl_sync(0xffffffff, n, 0);
  }
}
__global__ void wrong_mask(int* p, int n) {
  p[threadIdx.x] = __shfl_sync(0xfffffffe, n, 1);
}
__global__ void lone_lane(int* p, int n) {
  if (threadIdx.x % 32 == 3) p[0] = __ballot_sync(0x18, 1);
  else p[1] = __ballot_sync(~0u, 1);
}
__global__ void print(const int* p, int n) {
  printf("block %d ", blockIdx.x);
  printf("thread %d: %s %.2f %lld%c", threadIdx.x, "text", p[0] * 0.5, 1ll << 40, 10);
}
__global__ void print_much(const int* p, int n) { for (int i = 0; i < n; i++) printf("%d/%d/%064d\\n", blockIdx.x, i, 0); }
__global__ void big_static(int* p, int n) { __shared__ int s[13000]; s[(threadIdx.x * n) % 13000] = n; __syncthreads(); p[threadIdx.x] = s[threadIdx.x]; }
__global__ void misaligned(int* p, int n) { *(float4*)(p + n) = make_float4(1, 2, 3, 4); }
// Nothing in these loops tells a host compiler that they may be endless.
__global__ void endless(int* p, int n) { while (1) p[threadIdx.x] += n; }
__global__ void waits(int* p, int n) { while (p[0] == n) { } }
__global__ void counts_down(int* p, int n) { for (unsigned i = n; i >= 0; i--) p[0] ^= i; }
__global__ void large_frame(int* p, int n) {
  int here[100000], mine = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 100000; i += 64) here[i] = n + mine;
  __syncthreads();
  p[mine] = here[n * 640];
}
`;
const kernels = [
  "good",
  "wild",
  "known",
  "divide",
  "overflow",
  "large_frame",
  "null",
  "trap",
  "assertion",
  "half_barrier",
  "wrong_mask",
  "lone_lane",
  "print",
  "print_much",
  "big_static",
  "misaligned",
  "endless",
  "waits",
  "counts_down",
] as const;
type Kernel = (typeof kernels)[number];

describe.each(compilers)("compiled by %s", (compiler) => {
  let cell: Cell;
  beforeAll(() => {
    use(compiler);
    cell = new Cell(source, [...kernels]);
  });
  /** The next cell works. */
  afterEach(() => {
    const out = poisoned(64);
    cell.run("good", { block: [64, 1, 1] }, [out], [5]);
    expect([...out]).toEqual(Array.from(out, (_, t) => t + 5));
  });

  function faultOf(kernel: Kernel, shape: Shape, n: number): DeviceFault {
    const place = cpu.allocate(4096, "device");
    try {
      launch(cpu, { kernel: cell.id(kernel), ...shape, pointers: [place], integers: [n] });
      cpu.synchronize();
    } catch (error) {
      if (error instanceof DeviceFault) return error;
      throw error;
    } finally {
      cpu.free(place);
    }
    throw new Error("Expected a DeviceFault but there was none.");
  }
  const block: [number, number, number] = [64, 1, 1];

  test("a wild address, with the block; with the thread where it has waited before", () => {
    expect(faultOf("wild", { block }, -36)).toMatchObject({
      code: "ILLEGAL_ADDRESS",
      message: expect.stringMatching(/Block \(0,0,0\) accessed 0x[0-9a-f]+, which is in no array\./),
    });
    expect(faultOf("wild", { block }, 58)).toMatchObject({
      code: "ILLEGAL_ADDRESS",
      message: expect.stringContaining("Block (0,0,0) accessed an address that no memory can have"),
    });
    const fault = faultOf("known", { grid: [2, 3, 1], block }, 37);
    expect(fault).toMatchObject({
      code: "ILLEGAL_ADDRESS",
      block: [expect.any(Number), 1, 0],
      thread: [37, 0, 0],
      message: expect.stringContaining("accessed 0x40"),
    });
  });

  test("an integer division by zero", () => {
    expect(faultOf("divide", { block }, 9)).toMatchObject({
      code: "DIVISION_BY_ZERO",
      message: expect.stringContaining("Block (0,0,0) divided an integer by zero (or the smallest integer by -1)."),
    });
  });

  test("a recursion without end overflows the stack", () => {
    expect(faultOf("overflow", {}, 100_000)).toMatchObject({
      code: "STACK_OVERFLOW",
      message: expect.stringMatching(
        /used more than the \d+ KiB of stack that a thread has: its local arrays are too large, or its recursion is too deep\./,
      ),
    });
  });

  test("address 0 is no array, whatever a compiler concludes from it", () => {
    expect(faultOf("null", { block }, 3)).toMatchObject({
      code: "ILLEGAL_ADDRESS",
      message: expect.stringContaining("Block (0,0,0) accessed 0x0, which is in no array."),
    });
  });

  test("a local array of 400 KB is there, for each of many threads", () => {
    const out = poisoned(256);
    cell.run("large_frame", { grid: [4, 1, 1], block: [64, 1, 1] }, [out], [5]);
    expect([...out]).toEqual(Array.from(out, (_, t) => 5 + t));
  });

  test("a trap, with block and thread", () => {
    expect(faultOf("trap", { grid: [1, 1, 1], block: [4, 8, 1] }, 6)).toMatchObject({
      code: "TRAP",
      block: [0, 0, 0],
      thread: [expect.any(Number), 6, 0],
      message: expect.stringContaining("The kernel called __trap()."),
    });
  });

  test("an assertion, with its condition and line", () => {
    const fault = faultOf("assertion", { grid: [1, 1, 1], block }, 21);
    expect(fault).toMatchObject({
      code: "ASSERT",
      block: [0, 0, 0],
      thread: [21, 0, 0],
      message: expect.stringContaining("The assertion int(threadIdx.x) != n failed (test.cu, line 11)."),
    });
  });

  test("a vector at an address that is no multiple of its size", () => {
    expect(faultOf("misaligned", { block: [1, 1, 1] }, 1)).toMatchObject({
      code: "ILLEGAL_ADDRESS",
      message: expect.stringContaining("or that is not aligned for its type (a float4: 16 bytes)"),
    });
  });

  test("a deadlock, with who waits where and for whom", () => {
    const fault = faultOf("half_barrier", { grid: [3, 1, 1], block }, 48);
    expect(fault).toMatchObject({
      code: "DEADLOCK",
      message: expect.stringContaining(
        "48 of 64 threads that have not exited wait at __syncthreads in line 15; lanes 0xffff0000 of warp 1 wait in line 17 for lanes 0x0000ffff",
      ),
    });
    expect(faultOf("lone_lane", { block: [32, 1, 1] }, 0)).toMatchObject({
      code: "DEADLOCK",
      message: expect.stringContaining(
        "no thread waits at __syncthreads; lanes 0xfffffff7 of warp 0 wait in line 25 for lanes 0x00000008; lanes 0x00000008 of warp 0 wait in line 24 for lanes 0x00000010",
      ),
    });
  });

  test.each<Kernel>([
    "endless",
    "waits",
    "counts_down",
  ])("a loop that never ends runs until an interrupt: %s", async (kernel) => {
    const place = cpu.allocate(4096, "device");
    write(cpu, place, new Uint8Array(4096));
    const addon = deviceExecutable.replace("warpcell-device", "addon.node");
    launch(cpu, { kernel: cell.id(kernel), block, pointers: [place], integers: [0] });
    const worker = new Worker(
      `const { interrupt } = require(${JSON.stringify(addon)}); require("node:worker_threads").parentPort.postMessage(0); setTimeout(interrupt, 50);`,
      { eval: true },
    );
    await once(worker, "message");
    expect(() => cpu.synchronize()).toThrow(InterruptedError);
    await worker.terminate();
    cpu.free(place);
  });

  test("a mask without the calling lane", () => {
    expect(faultOf("wrong_mask", { block: [32, 1, 1] }, 0)).toMatchObject({
      code: "WARP_MASK",
      thread: [0, 0, 0],
      message: expect.stringMatching(
        /^Kernel .* called a warp intrinsic with a mask that leaves out the calling lane .*The mask 0x[0-9a-f]{8} of the warp intrinsic in line \d+ leaves out the calling lane 0\./,
      ),
    });
  });

  test.each<[string, Kernel, Shape, string]>([
    [
      "too many threads",
      "good",
      { block: [1024, 2, 1] },
      "A block has at most 1024 threads, but this one has 2048 (1024×2×1)",
    ],
    [
      "a block too deep",
      "good",
      { block: [1, 1, 65] },
      "A block has from 1×1×1 to 1024×1024×64 threads, but this one has 1×1×65",
    ],
    [
      "a grid too high",
      "good",
      { grid: [1, 65536, 1] },
      "A grid has from 1×1×1 to 2147483647×65535×65535 blocks, but this one has 1×65536×1",
    ],
    [
      "too much dynamic shared memory",
      "good",
      { shared: 232449 },
      "A block has at most 232448 bytes of shared memory, but this launch needs 0 static and 232449 dynamic bytes",
    ],
    [
      "clusters that do not make up the grid",
      "good",
      { grid: [5, 2, 1], cluster: [2, 1, 1] },
      "Clusters of up to 8 blocks make up a grid, but this grid has 5×2×1 blocks, and a cluster 2×1×1",
    ],
    [
      "too much static shared memory",
      "big_static",
      {},
      "A kernel may declare at most 49152 bytes of shared memory, but this one declares 52000. Use dynamic shared memory for more",
    ],
  ])("%s is refused, and the process lives", (_name, kernel, shape, sentence) => {
    const process = binding.processId(cpu.client);
    const refused = (): void => cell.run(kernel, shape, [poisoned(64)], [1]);
    expect(refused).toThrow(LaunchError);
    expect(refused).toThrow(sentence);
    expect(binding.processId(cpu.client)).toBe(process);
  });

  test("too few arguments are refused", () => {
    expect(() => cell.run("good", {}, [poisoned(1)], [])).toThrow(
      "The kernel takes 12 bytes of arguments, but the launch has 8",
    );
  });

  test("dynamic shared memory is there to its last byte, and not beyond", () => {
    const fits = new Cell(
      "__global__ void k(int* p, int n) { extern __shared__ char s[]; s[n] = 7; __syncthreads(); p[0] = s[n]; }",
      ["k"],
    );
    const out = poisoned(1);
    fits.run("k", { shared: 232448 }, [out], [232447]);
    expect(out[0]).toBe(7);
    expect(() => fits.run("k", { shared: 232448 }, [out], [232448])).toThrow(DeviceFault);
    expect(() => fits.run("k", { shared: 1024 }, [out], [1024])).toThrow(
      "Block (0,0,0) went beyond the dynamic shared memory that the launch gave it: launch({ shared: bytes }) gives more.",
    );
    expect(() => fits.run("k", {}, [out], [0])).toThrow(
      "Block (0,0,0) went beyond the dynamic shared memory that the launch gave it",
    );
  });
});

describe("what kernels print", () => {
  /** Standard output of a program that launches a kernel of `source`, through the library as it is installed. */
  function printed(
    kernel: Kernel,
    grid: number,
    block: number,
    n: number,
    environment: Record<string, string> = {},
  ): string {
    const library = new URL("../../native/dist/index.js", import.meta.url).href;
    const program = `import { compile, full } from ${JSON.stringify(library)};
      const { kernels } = await compile(${JSON.stringify(source)}, { device: "cpu", name: "cell.cu" });
      kernels.${kernel}.launch({ grid: ${grid}, block: ${block} }, full([4], 3, { dtype: "int32", device: "cpu" }), ${n});
      full([1], 1, { device: "cpu" }).toArray();`;
    const result = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
      env: { ...process.env, WARPCELL_CXX: "", ...environment },
    });
    expect([result.status, result.stderr]).toEqual([0, ""]);
    return result.stdout;
  }

  test("comes in whole lines, in the order of blocks and threads, from any number of cores", () => {
    const wanted = Array.from(
      { length: 400 },
      (_, i) => `block ${Math.floor(i / 4)} thread ${i % 4}: text 1.50 1099511627776\n`,
    ).join("");
    expect(printed("print", 100, 4, 0)).toBe(wanted);
    expect(printed("print", 100, 4, 0, { WARPCELL_CPU_CORES: "5" })).toBe(wanted);
  });

  test("is complete beyond the size of the buffer", () => {
    const lines = printed("print_much", 8, 1, 5000).trimEnd().split("\n");
    expect(lines.length).toBe(40_000);
    for (let block = 0; block < 8; block++) {
      expect(lines.filter((line) => line.startsWith(`${block}/`))).toEqual(
        Array.from({ length: 5000 }, (_, i) => `${block}/${i}/${"0".repeat(64)}`),
      );
    }
  });
});

test("gauges: memory of the machine and the process, a busy core while a kernel spins", async () => {
  use(compilers[0]!);
  const cell = new Cell("__global__ void busy(volatile int* go_on) { while (*go_on) ; }", ["busy"]);
  const place = cpu.allocate(64, "device");
  const goOn = new Int32Array(cpu.part(place, 4)).fill(1);
  launch(cpu, { kernel: cell.id("busy"), pointers: [place] });
  const sampled = () => binding.gauges().find(({ client }) => client === cpu.client)!;
  await expect
    .poll(() => sampled().utilization)
    .toBeGreaterThan(0)
    .finally(() => goOn.fill(0));
  const gauge = sampled();
  await cpu.synchronizeAsync();
  expect(gauge.memoryTotal).toBeGreaterThan(2 ** 28);
  expect(gauge.memoryUsed).toBeGreaterThan(0);
  expect(gauge.memoryUsed).toBeLessThan(gauge.memoryTotal!);
  expect(gauge.processMemory).toBeGreaterThan(1 << 20);
  expect(gauge.utilization).toBeLessThanOrEqual(1);
  expect([gauge.temperature, gauge.power]).toEqual([null, null]);
  cpu.free(place);
});

test("a core's thread that cannot be started fails one launch, and the next one starts it", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "warpcell-test-"));
  try {
    // The device process's fifth thread is refused, once.
    const refusing = `#define _GNU_SOURCE
#include <dlfcn.h>\n#include <errno.h>\n#include <pthread.h>\n#include <string.h>
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  static int started;
  int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  *(void**)&real = dlsym(RTLD_NEXT, "pthread_create");
  if (strcmp(program_invocation_short_name, "warpcell-device") == 0 && __sync_add_and_fetch(&started, 1) == 5) return EAGAIN;
  return real(thread, attributes, start, argument);
}`;
    writeFileSync(path.join(folder, "refusing.c"), refusing);
    expect(
      spawnSync(
        "gcc",
        ["-shared", "-fPIC", "-o", path.join(folder, "refusing.so"), path.join(folder, "refusing.c"), "-ldl"],
        { encoding: "utf8" },
      ),
    ).toMatchObject({ status: 0 });
    const library = new URL("../../native/dist/index.js", import.meta.url).href;
    const program = `import { compile, zeros } from ${JSON.stringify(library)};
      const { kernels } = await compile("__global__ void k(int* o, int n) { for (int i = 0; i < n; i++) atomicAdd(o + threadIdx.x, 1); }", { device: "cpu", name: "cell.cu" });
      for (let i = 0; i < 4; i++) {
        const out = zeros([32], { dtype: "int32", device: "cpu" });
        try { kernels.k.launch({ grid: 200, block: 32 }, out, 500); console.log(out.data().every((value) => value === 100000)); } catch (error) { console.log(error.message); }
      }`;
    const environment = {
      ...process.env,
      WARPCELL_CPU_CORES: "8",
      WARPCELL_CXX: "",
      LD_PRELOAD: path.join(folder, "refusing.so"),
    };
    const result = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
      env: environment,
    });
    expect([result.stderr, result.stdout.trim().split("\n")]).toEqual([
      "",
      [
        expect.stringMatching(
          /^The threads of 8 cores could not all be started: .*Set WARPCELL_CPU_CORES to a smaller number/,
        ),
        "true",
        "true",
        "true",
      ],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ["WARPCELL_CPU_CORES", "many", 'WARPCELL_CPU_CORES must be a number from 1 to 4096, but is "many".'],
  ["WARPCELL_CPU_LIBRARY", "fast", 'WARPCELL_CPU_LIBRARY must be "loops" or "threads", but is "fast".'],
])("%s is checked", (variable, value, sentence) => {
  const library = new URL("../../native/dist/index.js", import.meta.url).href;
  const program = `import { zeros } from ${JSON.stringify(library)};\ntry { zeros([1], { device: "cpu" }); } catch (error) { console.log(error.message); }`;
  const result = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    env: { ...process.env, [variable]: value },
  });
  expect(result.stdout + result.stderr).toContain(sentence);
});

describe("what the cpu device refuses", () => {
  beforeAll(() => use(compilers[0]!));
  const loading =
    (artifact: string | Uint8Array, lowered = "warpcell_cpu_kernel_0") =>
    (): unknown =>
      cpu.request("module_load", {
        module: 800_000,
        firstKernel: 800_000,
        artifact: Buffer.from(artifact),
        lowered: [lowered],
      });

  test("an artifact that is none, or has other kernels", () => {
    expect(loading("no object")).toThrow(/^The compiled cell cannot be loaded: .*Compile the cell again\.$/);
    const { artifact } = compiled(cpu, "__global__ void k() {}", ["k"]);
    expect(loading(artifact, "another")).toThrow(
      "The compiled cell cannot be loaded: it has no kernel another. Compile the cell again.",
    );
  });

  test("a function that is declared and never defined, by its name in the cell", () => {
    const cell = (): unknown =>
      new Cell("__device__ float missing(float, int);\n__global__ void k(float* o) { o[0] = missing(o[0], 1); }", [
        "k",
      ]);
    expect(cell).toThrow("The cell uses missing(float, int), which it only declares. Define it in the cell.");
  });

  test("what only a GPU knows", () => {
    expect(() => cpu.request("occupancy", { kernel: 1000, threads: 256, shared: 0 })).toThrow(
      'Only a GPU has an occupancy, and this kernel was compiled for the cpu. Name an architecture, kernel.occupancy(256, 0, "sm_90"), or run the cell with --device cuda.',
    );
    expect(() =>
      cpu.request("disassemble", { artifact: new Uint8Array(), form: "ptx", headers: deviceSources }),
    ).toThrow(
      "Only kernels of a GPU have ptx, and this one was compiled for the cpu. Run the cell with --device cuda.",
    );
  });

  test("a kernel that is not loaded, a copy beyond a segment", () => {
    launch(cpu, { kernel: 4_000_000 });
    expect(() => cpu.synchronize()).toThrow("Kernel 4000000 is not loaded. Its module may have been unloaded");
    const place = cpu.allocate(64, "device");
    copy(cpu, place, place, 2 ** 39);
    expect(() => cpu.synchronize()).toThrow(
      /549755813888 bytes at offset \d+ do not lie inside segment \d+, which has \d+ bytes/,
    );
    cpu.free(place);
  });

  test("a verbose compile names the command, and what --arch is for", () => {
    expect(compiled(cpu, "__global__ void k() {}", ["k"], ["--verbose", "--arch=sm_90"]).log).toMatch(
      /^(g|clang)\+\+ [\d.]+: .* -O2 .*--arch is for GPUs: on the cpu device a cell is compiled for the processor it runs on\./s,
    );
  });
});

test("a block that waits for one that has not started says so after two seconds, and stays interruptible", async () => {
  const library = new URL("../../native/dist/index.js", import.meta.url).href;
  const program = `import { compile, synchronize, zeros } from ${JSON.stringify(library)};
    import { interrupt } from ${JSON.stringify(new URL("device/process.js", library).href)};
    const { kernels } = await compile("template <int N> __global__ void spin(volatile int* p) { if (blockIdx.x == 0) while (p[0] < N) ; else p[0] = 9; }", { device: "cpu", name: "cell.cu" });
    kernels.spin.as(5).launch({ grid: [2, 2], block: 1 }, zeros([1], { dtype: "int32", device: "cpu" }));
    process.stdin.once("data", interrupt);
    await synchronize().catch((error) => console.log(error.name));
    process.exit(0);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: "pipe",
    env: { ...process.env, WARPCELL_CPU_CORES: "1" },
  });
  let [said, printed] = ["", ""];
  child.stdout.on("data", (text) => (printed += String(text)));
  child.stderr.on("data", (text) => {
    said += String(text);
    if (said.endsWith("\n")) child.stdin.write("stop\n");
  });
  await once(child, "close");
  expect(said).toBe(
    "Kernel spin<5>: block (0,0,0) has run for 2 s, and 3 blocks have not started. If it waits for one of them, it waits for ever: launch it with cooperative: true, so that all blocks run at once. An interrupt stops it.\n",
  );
  expect(printed).toBe("InterruptedError\n");
});
