// What goes wrong with whole programs: what they ignore, how they crash, what is refused, each in one sentence.
import { describe, expect, test } from "vitest";
import { CompileError, InterruptedError, ProgramError, runProgram, zeros } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

const kernel = "__global__ void fill(int* p, int v) { p[threadIdx.x] = v; }\n";

describe.each(devices)("programs that go wrong on $name", ({ name: device, kind }) => {
  const run = (source: string, options = {}) => runProgram(source, { device, name: "Cell [3]", ...options });
  const failure = async (source: string, options = {}) => {
    const error: unknown = await run(source, options).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return error as Error & { code: string };
  };

  test("a call that failed unseen is told with its line; one that was looked at is not", async () => {
    const { unchecked, exitCode } = await run(`${kernel}
int main() {
  int *p, host;
  cudaMalloc(&p, 16);
  cudaMemcpy(&host, p, 64, (cudaMemcpyKind)7);
  fill<<<1, 5000>>>(p, 1);
  if (cudaFree(&host) != cudaSuccess) return 4;
}`);
    expect(exitCode).toBe(4);
    expect(unchecked).toEqual([
      "cudaMemcpy in line 6 failed: invalid copy direction for memcpy (cudaErrorInvalidMemcpyDirection), and nobody looked at it.",
      "The launch of fill in line 7 failed: invalid configuration argument (cudaErrorInvalidConfiguration), and nobody looked at it.",
    ]);
  });

  test("an error that the program asks for afterwards has been looked at", async () => {
    const { unchecked } = await run(
      `${kernel}int main() { fill<<<1, 5000>>>(nullptr, 1); return cudaGetLastError() != cudaErrorInvalidConfiguration; }`,
    );
    expect(unchecked).toEqual([]);
  });

  test("host code that crashes", async () => {
    const error = await failure(
      `${kernel}int main() { int* p; cudaMalloc(&p, 16);\n fill<<<1, 4>>>(p, 1);\n int* q = nullptr; *(volatile int*)q = 1; }`,
    );
    expect(error).toBeInstanceOf(ProgramError);
    expect(error.code).toBe("PROGRAM_CRASH");
    expect(error.message).toBe(
      "The program crashed: its host code accessed memory that is not its own (a pointer to device memory is one that host code cannot use) (SIGSEGV). The last kernel was fill, launched in line 3.",
    );
    expect(await failure("#include <cstdlib>\nint main() { abort(); }")).toMatchObject({
      code: "PROGRAM_CRASH",
      message: "The program crashed: it called abort(), or an exception or assertion ended it (SIGABRT).",
    });
  });

  test("a kernel that goes astray", async () => {
    const source = `${kernel}int main() {\n  int* p; cudaMalloc(&p, 16);\n  fill<<<1, 4>>>(p - (1ll << 40), 1);\n  return cudaDeviceSynchronize();\n}`;
    if (kind === "cpu") {
      // Its process is lost: the memory that it wrote may be anyone's.
      const error = await failure(source);
      expect(error.code).toBe("ILLEGAL_ADDRESS");
      expect(error.message).toMatch(
        /^The kernel fill, launched in line 4, failed: Block \(0,0,0\) accessed .*, which is in no array\.$/,
      );
      expect(error).toMatchObject({ kernel: "fill", line: 4 });
    } else {
      expect((await run(source)).exitCode).toBe(700 % 256);
      const ignored = await run(source.replace("return cudaDeviceSynchronize();", ""));
      expect(ignored.unchecked).toEqual([
        "The launch of fill in line 4 failed: an illegal memory access was encountered (cudaErrorIllegalAddress), and nobody looked at it.",
      ]);
    }
    // Tensors and later programs are as they were.
    expect(zeros([2], { device }).toArray()).toEqual([0, 0]);
    expect((await run("int main() { return 5; }")).exitCode).toBe(5);
  });

  test("mistakes of either half have the program's lines", async () => {
    const host = await failure("int main() {\n  return missing;\n}");
    expect(host).toBeInstanceOf(CompileError);
    expect(host.message).toMatch(/^Cell \[3\] does not compile: .*missing.*\n\nCell \[3\]:2:10\n/);
    const inKernel = await failure(
      "#include <cstdio>\n__global__ void k(int* p) {\n  p[0] = missing;\n}\nint main() { k<<<1, 1>>>(nullptr); }",
    );
    expect(inKernel).toBeInstanceOf(CompileError);
    expect(inKernel.message).toMatch(/^Cell \[3\] does not compile: .*missing.*\n\nCell \[3\]:3:10\n/);
    const inLambda = await failure(
      "template <class F> __global__ void k(F f) { f(1); }\nint main() {\n  k<<<1, 1>>>([=] __device__ (int i) {\n    i = missing;\n  });\n}",
    );
    expect(inLambda).toBeInstanceOf(CompileError);
    expect(inLambda.message).toMatch(/^Cell \[3\] does not compile: .*missing.*\n\nCell \[3\]:4:9\n/);
  });

  test("an algorithm of Thrust that goes astray, with the line of its call", async () => {
    const error = await failure(`#include <thrust/device_vector.h>
#include <thrust/for_each.h>
int main() {
  thrust::device_vector<int> x(8);
  int* p = thrust::raw_pointer_cast(x.data()) - (1ll << 40);
  thrust::for_each(x.begin(), x.end(), [=] __device__ (int& v) { v = p[v]; });
}`);
    expect(error).toBeInstanceOf(ProgramError);
    expect(error.message).toMatch(
      kind === "cpu"
        ? /^The kernel of an algorithm of Thrust or CUB, launched in line 6, failed: .*accessed 0x[0-9a-f]+/
        : /abort\(\).* The last kernel was of an algorithm of Thrust or CUB, launched in line 6\.$/,
    );
  });

  test("a function of a library that goes astray, with its library and the line of its call", async () => {
    const blas = `#include <cublas_v2.h>
int main() {
  float *x = nullptr, sum = 0;
  cudaMalloc(&x, 4);
  x -= 1ll << 40;
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSasum(handle, 8, x, 1, &sum);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}`;
    const rand = `#include <curand.h>
int main() {
  float* x;
  cudaMalloc(&x, 4);
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandGenerateUniform(generator, x - (1ll << 40), 8);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}`;
    if (kind !== "cpu") {
      // The program sees it, and says so.
      for (const source of [blas, rand]) expect((await run(source)).exitCode).toBe(1);
      return;
    }
    expect((await failure(blas)).message).toMatch(
      /^The kernel of a function of cuBLAS, launched in line 8, failed: .*accessed 0x/,
    );
    expect((await failure(rand)).message).toMatch(
      /^The kernel of a generator of cuRAND, launched in line 7, failed: .*accessed 0x/,
    );
  });

  test.each([
    [
      "a function of the runtime that is not here",
      "int main() { cudaIpcOpenMemHandle(nullptr); }",
      /cudaIpcOpenMemHandle is not among the functions of CUDA's runtime that a program has here: the guide "CUDA cells" lists them\./,
    ],
    [
      "a library",
      "#include <cufft.h>\nint main() {}",
      /cufft\.h belongs to a library that programs do not have here: use kernels of your own, or the methods of tensors in a TypeScript cell\./,
    ],
    [
      "a texture reference",
      "texture<float, 2> image;\nint main() {}",
      /CUDA 12 has no texture references: make a texture object, cudaCreateTextureObject\(.*\), and give the kernel a parameter cudaTextureObject_t t\.\n\nCell \[3\]:1:1\n/,
    ],
    [
      "a lambda for a device in a member",
      "template <class F> __global__ void k(F f) { f(); }\nstruct App {\n  void run() { k<<<1, 1>>>([=] __device__ () {}); }\n};\nint main() { App().run(); }",
      /^The lambda in line 3 is in a member of a class, which device code cannot be here: write a struct with a __device__ operator\(\), and pass that\.$/,
    ],
    [
      "a lambda for a device with the object around it",
      "template <class F> __global__ void k(F f) { f(); }\nstruct App { void run(); };\nvoid App::run() {\n  k<<<1, 1>>>([this] __device__ () {});\n}\nint main() { App().run(); }",
      /^The lambda in line 4 captures the object around it, which device code cannot be here: write a struct with a __device__ operator\(\), and pass that\.$/,
    ],
    [
      "a lambda for a device without a body",
      "int main() {\n  auto f = [=] __device__ (int i);\n}",
      /^The lambda in line 2 has no body, which device code cannot be here: write a struct with a __device__ operator\(\), and pass that\.$/,
    ],
    [
      "a lambda for a device with references",
      "template <class F> __global__ void k(F f) { f(); }\nint main() {\n  int n = 1;\n  k<<<1, 1>>>([&] __device__ () { n++; });\n}",
      /^The lambda in line 4 captures by reference, but a kernel cannot reach variables of the host: capture by value, \[=\]\.$/,
    ],
    [
      "a lambda for a device with one reference",
      "template <class F> __global__ void k(F f) { f(); }\nint main() {\n  int n = 1;\n  k<<<1, 1>>>([=, &n] __device__ () { n++; });\n}",
      /^The lambda in line 4 captures by reference, but a kernel cannot reach variables of the host: capture by value, \[=\]\.$/,
    ],
    [
      "a lambda for a device with an array",
      "template <class F> __global__ void k(F f) { f(); }\nint main() {\n  int a[3] = {1, 2, 3};\n  k<<<1, 1>>>([=] __device__ () { return a[0]; });\n}",
      /^The lambda in line 4 captures the array a, which no kernel is given by value here: put it into a struct, and capture that\.$/,
    ],
    [
      "a lambda of the host for a kernel",
      "template <class F> __global__ void k(F f) { }\nint main() { auto f = [] { return 1; }; k<<<1, 1>>>(f); }",
      /^Cell \[3\] launches k with a lambda that has no __device__, or a type that is local to a function, which device code cannot have: write \[=\] __device__ \(…\) \{ … \} for a lambda, and a type outside of functions\.$/,
    ],
    [
      "a lambda of the host for an algorithm",
      "#include <thrust/for_each.h>\n#include <thrust/device_vector.h>\nint main() {\n  thrust::device_vector<int> x(3);\n  thrust::for_each(x.begin(), x.end(), [](int) {});\n}",
      /^Cell \[3\] gives an algorithm of Thrust or CUB a lambda that has no __device__, or a type that is local/,
    ],
    [
      "elements of both sides for an algorithm",
      "#include <thrust/device_vector.h>\n#include <thrust/host_vector.h>\nint main() {\n  thrust::device_vector<int> x(3);\n  thrust::host_vector<int> y(3);\n  thrust::transform(x.begin(), x.end(), y.begin(), x.begin(), thrust::plus<int>());\n}",
      /^Cell \[3\] does not compile: this algorithm is given elements of the host and of the device: copy them to one side first\.\n\nCell \[3\]:6:\d+\n/,
    ],
    [
      "an algorithm of Thrust that is not here",
      "#include <thrust/set_operations.h>\nint main() {\n  thrust::set_symmetric_difference();\n}",
      /set_symmetric_difference is not among what a program has of Thrust here: the guide "CUDA cells" lists it; write a kernel for the rest\.\n\nCell \[3\]:3:/,
    ],
    [
      "an algorithm of CUB that is not here",
      "#include <cub/cub.cuh>\nint main() {\n  cub::DeviceReduce::Median();\n}",
      /Median is not among what a program has of CUB here: the guide "CUDA cells" lists it; write a kernel for the rest\.\n\nCell \[3\]:3:/,
    ],
    [
      "a kernel that launches another",
      "__global__ void a() {}\n__global__ void b() {\n  a<<<1, 1>>>();\n}\nint main() { b<<<1, 1>>>(); }",
      /a kernel that launches kernels \(dynamic parallelism\) .* launch the next one from a TypeScript cell or from main\(\)/,
    ],
    [
      "a parameter without a name",
      "__global__ void k(int*) {}\nint main() { k<<<1, 1>>>(nullptr); }",
      /^A parameter of the kernel in line 1 has no name: give it one\.$/,
    ],
    [
      "a launch in pieces",
      "__global__ void k() {}\nint main() {\n  k<<<1, 1>>;\n}",
      /^The launch in line 3 is not complete: write kernel<<<grid, block>>>\(arguments\), with its <<< and >>> in one piece\.$/,
    ],
    [
      "several managed variables at once",
      "__managed__ int a, b;\nint main() {}",
      /^Line 1 declares several __managed__ variables at once: give each a line of its own\.$/,
    ],
    [
      "no program",
      kernel,
      /^Cell \[3\] has no main\(\), so it is no program: compile\(source\) makes kernels of it\.$/,
    ],
  ])("%s is refused", async (_, source, message) => {
    const error = await failure(source);
    expect(error).toBeInstanceOf(CompileError);
    expect(error.message).toMatch(message);
  });

  test("a bracket that is not closed, and arguments that are no text", async () => {
    expect((await failure("int main() { (]; }")).message).toContain("has no main()");
    expect((await failure("int main() {}", { args: [3] })).message).toBe(
      "The option args must be an array of text, but got an array of 1.",
    );
  });

  test("graphs, volumes and pools that cannot be", async () => {
    const { stdout, exitCode } = await run(`#include <cstdio>
${kernel}
void say(const char* what, cudaError_t error) { printf("%s: %s\\n", what, cudaGetErrorName(error)); }
int main() {
  cudaGraph_t graph, child;
  cudaGraphNode_t first, second, none = (cudaGraphNode_t)99;
  cudaGraphExec_t executable;
  int* p;
  cudaMalloc(&p, 64);
  say("flags", cudaGraphCreate(&graph, 1));
  cudaGraphCreate(&graph, 0);
  cudaGraphCreate(&child, 0);
  say("no list", cudaGraphAddEmptyNode(&first, graph, nullptr, 1));
  cudaGraphAddEmptyNode(&first, graph, nullptr, 0);
  cudaGraphAddEmptyNode(&second, graph, &first, 1);
  cudaKernelNodeParams launch = {0};
  int value = 1;
  void* arguments[] = {&p, &value};
  launch.func = (void*)fill;
  launch.blockDim = dim3(5000);
  launch.kernelParams = arguments;
  say("large block", cudaGraphAddKernelNode(&second, graph, &first, 1, &launch));
  launch.func = (void*)&value;
  say("no kernel", cudaGraphAddKernelNode(&second, graph, &first, 1, &launch));
  cudaMemsetParams words = {p, 0, 0x01020304, 4, 16, 1};
  say("words", cudaGraphAddMemsetNode(&second, graph, &first, 1, &words));
  words.value = 0x05050505;
  say("bytes", cudaGraphAddMemsetNode(&second, graph, &first, 1, &words));
  say("no copy", cudaGraphAddMemcpyNode(&second, graph, &first, 1, nullptr));
  say("no function", cudaGraphAddHostNode(&second, graph, &first, 1, nullptr));
  say("itself", cudaGraphAddChildGraphNode(&second, graph, &first, 1, graph));
  if (${Number(kind === "cpu")}) say("no node", cudaGraphAddDependencies(graph, &first, &none, 1));
  say("no nodes", cudaGraphAddDependencies(graph, nullptr, &first, 1));
  cudaGraphAddEmptyNode(&first, child, nullptr, 0);
  cudaGraphAddEmptyNode(&second, child, &first, 1);
  // A GPU's driver takes circles of empty nodes.
  cudaGraphAddDependencies(child, &second, &first, 1);
  if (${Number(kind === "cpu")}) say("circle", cudaGraphInstantiate(&executable, child, 0));
  cudaPitchedPtr volume;
  say("huge", cudaMalloc3D(&volume, make_cudaExtent(64, 1ull << 40, 1ull << 40)));
  cudaMalloc3D(&volume, make_cudaExtent(64, 4, 4));
  say("high", cudaMemset3D(volume, 0, make_cudaExtent(64, 5, 2)));
  cudaMemPool_t pool;
  say("device", cudaDeviceGetDefaultMemPool(&pool, 7));
  say("attribute", cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)77, &value));
  say("no pool", cudaMemPoolTrimTo(nullptr, 0));
  say("from none", cudaMallocFromPoolAsync(&p, 4, nullptr, 0));
  cudaMemPoolProps properties = {};
  unsigned long long five = 5;
  int* q;
  say("no kind", cudaMemPoolCreate(&pool, &properties));
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 3};
  say("another device", cudaMemPoolCreate(&pool, &properties));
  properties.location.id = 0;
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  say("for other processes", cudaMemPoolCreate(&pool, &properties));
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.maxSize = 1024;
  say("small", cudaMemPoolCreate(&pool, &properties));
  say("beyond its limit", cudaMallocFromPoolAsync(&q, 4096, pool, 0));
  say("told alone", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &five));
  say("reset to five", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &five));
  cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtNone};
  say("its own device", cudaMemPoolSetAccess(pool, &access, 1));
  say("destroyed", cudaMemPoolDestroy(pool));
  say("twice", cudaMemPoolDestroy(pool));
  say("made of it", cudaDeviceSetMemPool(0, pool));
  cudaDeviceGetDefaultMemPool(&pool, 0);
  say("the default", cudaMemPoolDestroy(pool));
  say("not managed", cudaStreamAttachMemAsync(0, p));
  say("bank", cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)9));
  say("peer", cudaMemcpyPeer(p, 0, p, 3, 4));
  cudaGetLastError();
  return 5;
}`);
    expect(stdout.split("\n")).toEqual([
      "flags: cudaErrorInvalidValue",
      "no list: cudaErrorInvalidValue",
      "large block: cudaErrorInvalidConfiguration",
      "no kernel: cudaErrorInvalidDeviceFunction",
      "words: cudaErrorNotSupported",
      "bytes: cudaSuccess",
      "no copy: cudaErrorInvalidValue",
      "no function: cudaErrorInvalidValue",
      "itself: cudaErrorInvalidValue",
      ...(kind === "cpu" ? ["no node: cudaErrorInvalidValue"] : []),
      "no nodes: cudaErrorInvalidValue",
      ...(kind === "cpu" ? ["circle: cudaErrorInvalidValue"] : []),
      "huge: cudaErrorMemoryAllocation",
      "high: cudaErrorInvalidValue",
      "device: cudaErrorInvalidDevice",
      "attribute: cudaErrorInvalidValue",
      "no pool: cudaErrorInvalidValue",
      "from none: cudaErrorInvalidValue",
      "no kind: cudaErrorInvalidValue",
      "another device: cudaErrorInvalidDevice",
      "for other processes: cudaErrorNotSupported",
      "small: cudaSuccess",
      "beyond its limit: cudaErrorMemoryAllocation",
      "told alone: cudaErrorInvalidValue",
      "reset to five: cudaErrorInvalidValue",
      "its own device: cudaErrorInvalidValue",
      "destroyed: cudaSuccess",
      "twice: cudaErrorInvalidValue",
      "made of it: cudaErrorInvalidValue",
      "the default: cudaErrorInvalidValue",
      "not managed: cudaErrorInvalidValue",
      "bank: cudaErrorInvalidValue",
      "peer: cudaErrorInvalidDevice",
      "",
    ]);
    expect(exitCode).toBe(5);
  });

  test("output comes while the program runs, and an abort ends it", async () => {
    const stop = new AbortController();
    let printed = "";
    const running = run('#include <cstdio>\nint main() { puts("begun"); for (;;) ; }', {
      signal: stop.signal,
      onOutput: (text: string, stream: string) => {
        printed += `${stream}: ${text}`;
        stop.abort();
      },
    });
    await expect(running).rejects.toThrow(InterruptedError);
    await expect(running).rejects.toThrow("The program was ended by an interrupt.");
    expect(printed).toBe("stdout: begun\n");
    await expect(run("int main() {}", { signal: AbortSignal.abort() })).rejects.toThrow(InterruptedError);
  });

  test("it is found in the cache the second time", async () => {
    const source = `${kernel}int main() { return ${Math.floor(Math.random() * 1e6)} & 0; } // ${Math.random()}`;
    expect((await run(source)).cached).toBe(false);
    expect((await run(source)).cached).toBe(true);
    expect((await run(source, { defines: ["N=3"] })).cached).toBe(false);
  });
});
