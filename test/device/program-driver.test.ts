// A program on a GPU that is made here: what its calls of CUDA's runtime become for the driver, and what errors of the
// driver become for the program.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileHost } from "../../native/lib/cuda/program/host-code.ts";
import type { EndOfProgram } from "../../native/lib/cuda/program/report.ts";
import { splitProgram } from "../../native/lib/cuda/program/split.ts";
import { deviceExecutable } from "../../native/lib/wire/binding.ts";
import { madeArtifact } from "./made-gpu.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-program-driver-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  const source = readFileSync(new URL("program-driver.cc", import.meta.url), "utf8");
  const names = ["driver/driver_api.h", "program/driver_functions.h"].flatMap((file) =>
    [
      ...readFileSync(new URL(`../../native/engine/cuda/${file}`, import.meta.url), "utf8").matchAll(
        / X\(\w+, (\w+), \(/g,
      ),
    ].map(([, name]) => name!),
  );
  expect(names.length).toBeGreaterThan(80);
  const others = names
    .filter((name) => !new RegExp(`\\b${name}\\(`).test(source))
    .map((name) => `extern "C" int ${name}() { return 0; }`);
  writeFileSync(join(folder, "driver.cc"), `${source}\n${others.join("\n")}\n`);
  const compiled = spawnSync(
    "g++",
    ["-shared", "-fPIC", "-w", "-o", join(folder, "libcuda.so.1"), join(folder, "driver.cc")],
    { encoding: "utf8" },
  );
  expect(compiled.stderr).toBe("");
});

async function run(source: string, index = 0) {
  const host = await compileHost(splitProgram(source), source, "program.cu", {});
  writeFileSync(join(folder, "object"), host.object);
  writeFileSync(join(folder, "artifact"), madeArtifact);
  writeFileSync(join(folder, "symbols"), host.symbols.join("\n"));
  writeFileSync(join(folder, "lowered"), host.symbols.join("\n"));
  const { output } = spawnSync(
    deviceExecutable,
    ["program", "run", "cuda", String(index), folder, "program", "an argument"],
    { encoding: "utf8", stdio: ["ignore", "pipe", "pipe", "pipe"], env: { ...process.env, LD_LIBRARY_PATH: folder } },
  );
  const [, stdout, stderr, told] = output as string[];
  return { stdout: stdout!, stderr: stderr!, end: JSON.parse(told!) as EndOfProgram };
}

const kernel = `#include <cstdio>
__constant__ float weights[4];
__global__ void scale(float* x, int n, float by) { if (threadIdx.x < n) x[threadIdx.x] = x[threadIdx.x] * by + weights[threadIdx.x % 4]; }
`;

test("memory, variables, launches, streams, events and graphs reach the driver", async () => {
  const { stdout, stderr, end } = await run(`${kernel}
void called(void* text) { printf("%s\\n", (const char*)text); }
void called_back(cudaStream_t, cudaError_t error, void* text) { printf("%s %d\\n", (const char*)text, error); }
int main(int argc, char** argv) {
  float host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[4] = {10, 20, 30, 40}, *x;
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  printf("%s %d %s\\n", prop.name, prop.warpSize, argv[1]);
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(weights, w, sizeof w);
  scale<<<1, 8>>>(x, 8, 2);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  scale<<<dim3(2), dim3(4), 64, stream>>>(x, 8, 0.5);
  cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  printf("%g %g %g\\n", host[0], host[1], host[7]);
  cudaMemset(x, 0, 4);
  cudaMemcpy2D(host, 8, x, 16, 8, 2, cudaMemcpyDeviceToHost);
  printf("%g %g %g\\n", host[0], host[1], host[2]);
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  float ms;
  cudaEventElapsedTime(&ms, a, b);
  cudaLaunchHostFunc(stream, called, (void*)"first");
  cudaStreamAddCallback(0, called_back, (void*)"second", 0);
  cudaGraph_t graph;
  size_t nodes;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphGetNodes(graph, nullptr, &nodes);
  int blocks;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0);
  printf("%g %d %d\\n", ms, (int)nodes, blocks);
}`);
  expect(stderr).toBe("");
  // x·2 + w, then half of that + w.
  expect(stdout).toBe(
    "Made GPU 0 32 an argument\nlaunch 1 8 0 default\nlaunch 2 4 64 stream\n16 32 68\n0 32 58\nhost function on stream\nfirst\nhost function on default\nsecond 0\n1.5 5 4\n".replace(
      "16 32 68\n0 32 58",
      `${(1 * 2 + 10) / 2 + 10} ${(2 * 2 + 20) / 2 + 20} ${(8 * 2 + 40) / 2 + 40}\n0 ${(2 * 2 + 20) / 2 + 20} ${(5 * 2 + 10) / 2 + 10}`,
    ),
  );
  expect(end).toMatchObject({ exitCode: 0, signal: null, problem: "", fault: null, failures: [] });
});

test("nodes of a graph are recorded as graphs, which the driver takes as children", async () => {
  const { stdout, end } = await run(`${kernel}
int main() {
  float* x;
  int n = 4;
  float by = 3;
  cudaMalloc(&x, 16);
  cudaMemset(x, 0, 16);
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  cudaGraphCreate(&graph);
  void* arguments[] = {&x, &n, &by};
  cudaKernelNodeParams launch = {(void*)scale, dim3(1), dim3(4), 32, arguments, nullptr};
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &launch);
  cudaGraphAddEmptyNode(&second, graph, &first, 1);
  cudaGraphAddDependencies(graph, &second, &first, 1);
}`);
  expect(stdout).toBe("launch 1 4 32 stream\nnode behind 0\nnode behind 1\n1 edge from 2 to 1\n");
  expect(end).toMatchObject({ exitCode: 0, failures: [] });
});

test("errors of the driver are the program's, and one that nobody saw is told with its kernel", async () => {
  const { stdout, end } = await run(`${kernel}
int main() {
  float* x;
  printf("%s\\n", cudaGetErrorName(cudaMalloc(&x, 1ll << 40)));
  printf("%s\\n", cudaGetErrorName(cudaFree(&x)));
  scale<<<1, 600>>>(x, 1, 1);
  printf("%s\\n", cudaGetErrorName(cudaGetLastError()));
  cudaMalloc(&x, 64);
  scale<<<1, 8>>>(x, 800, 2);
  return 6;
}`);
  expect(stdout).toBe(
    "cudaErrorMemoryAllocation\ncudaErrorInvalidValue\ncudaErrorLaunchOutOfResources\nlaunch 1 8 0 default\n",
  );
  expect(end).toMatchObject({
    exitCode: 6,
    kernel: "scale",
    failures: [{ call: "scale", line: 12, name: "cudaErrorIllegalAddress", isLaunch: true }],
  });
});

test("a GPU that is not there, and a kernel that the machine code lacks", async () => {
  const { end } = await run("int main() {}", 2);
  expect(end.problem).toBe("NO_DEVICE: There is no GPU 2: this machine has 2, numbered from 0.");
  const lacking = await run("__global__ void other() {}\nint main() { other<<<1, 1>>>(); }");
  expect(lacking.end.problem).toMatch(/^\w+: .*loading the kernels of the program/);
});
