// Programs as cells, as texts: what each part of host code becomes, and what is left of what has no counterpart.
import { describe, expect, test } from "vitest";
import { translated } from "./translate.ts";

/** The lines of the cell that does what these statements of main() do, behind its arguments. */
function mainOf(statements: string, before = ""): string[] {
  const { cells } = translated(`${before}\nint main(int argc, char** argv) {\n${statements}\n}`, "%%cuda", []);
  const lines = cells.at(-1)!.split("\n");
  return lines.slice(lines.indexOf('const argv = ["program"];') + 1);
}

const fill = "__global__ void fill(int* p, int n, float value) {}";

describe("memory", () => {
  test("what is made and filled at once is one tensor, also of zeros; what is used between is not", () => {
    const lines = mainOf(
      `int n = 8;
       int *a, *b, *c, host[8];
       cudaMalloc(&a, n * sizeof(int));
       cudaMalloc((void**)&b, sizeof(int) * n);
       cudaMalloc(&c, n * sizeof(int));
       cudaMemset(a, 0, n * sizeof(int));
       fill<<<1, 8>>>(b, n, 1);
       cudaMemcpy(b, host, sizeof(host), cudaMemcpyHostToDevice);
       cudaMemcpy(c, host, 4 * sizeof(int), cudaMemcpyHostToDevice);
       cudaFree(a);`,
      fill,
    );
    expect(lines).toEqual([
      "const n = 8;",
      "const host = new Int32Array(8);",
      'const b = empty([n], { dtype: "int32" });',
      'const c = empty([n], { dtype: "int32" });',
      'const a = zeros([n], { dtype: "int32" });',
      "fill.launch({ grid: 1, block: 8 }, b, n, 1);",
      "b.slice([0, 8]).copy_(tensor(host));",
      "c.slice([0, 4]).copy_(tensor(host.subarray(0, 4)));",
    ]);
  });

  test("with a device all memory and streams are there, of helpers, too", () => {
    const { cells, left } = translated(
      `${fill}
struct P { float x; };
int main() {
  int *a, *b, *m, host[8];
  P* p;
  bool *e, flags[8];
  cudaStream_t side;
  cudaStreamCreate(&side);
  cudaMalloc(&a, 32);
  cudaMalloc(&b, 32);
  cudaMalloc(&e, 8);
  cudaMallocManaged(&m, 32);
  cudaMallocManaged(&p, 8 * sizeof(P));
  cudaMemset(a, 0, 32);
  cudaMemcpy(b, host, 32, cudaMemcpyHostToDevice);
  cudaMemcpy(e, flags, 8, cudaMemcpyHostToDevice);
  fill<<<1, 8>>>(m, 8, 1);
}`,
      "%%cuda --device cuda:1",
      [],
      "cuda:1",
    );
    expect(left).toEqual([]);
    const made = cells.join("\n").match(/\b(empty|zeros|tensor|new Stream)\((?:[^()]|\([^()]*\))*\)/g)!;
    expect(made.filter((text) => text !== "tensor()").length).toBeGreaterThanOrEqual(8);
    for (const text of made) if (text !== "tensor()") expect(text).toContain('device: "cuda:1"');
  });

  test.each([
    ["int", "0xff", "-1"],
    ["unsigned", "0x01", "16843009"],
    ["unsigned char", "7", "7"],
    ["char", "0xff", "-1"],
  ])("%s filled with bytes %s is %s", (type, byte, filled) => {
    const lines = mainOf(
      `${type}* p; cudaMalloc(&p, 4 * sizeof(${type})); cudaMemset(p, ${byte}, 4 * sizeof(${type}));`,
    );
    expect(lines.at(-1)).toBe(`p.fill_(${filled});`);
  });

  test("bytes of a number of elements, of a variable that says so, and of neither", () => {
    const lines = mainOf(
      "int n = 3; size_t bytes = n * sizeof(double), odd = 24; double *a, *b, *c; cudaMalloc(&a, bytes); cudaMalloc(&b, odd); cudaMalloc(&c, 24);",
    );
    expect(lines.filter((line) => line.includes("empty"))).toEqual([
      'const a = empty([n], { dtype: "float64" });',
      'const b = empty([3], { dtype: "float64" });',
      'const c = empty([3], { dtype: "float64" });',
    ]);
  });

  test("a copy back is data(), of one number its first element", () => {
    const lines = mainOf(
      "int *d, count, host[4]; cudaMalloc(&d, sizeof(host)); cudaMemcpy(&count, d, sizeof(int), cudaMemcpyDeviceToHost); cudaMemcpy(host, d, sizeof(host), cudaMemcpyDeviceToHost); cudaMemcpy(host, d + 2, 2 * sizeof(int), cudaMemcpyDeviceToHost);",
    );
    expect(lines.slice(-3)).toEqual([
      "const count = d.slice([0, 1]).data()[0];",
      "host.set(d.data());",
      "host.set(d.slice([2, null]).slice([0, 2]).data());",
    ]);
  });
});

describe("launches", () => {
  test("sizes, shared memory, dim3, and the arguments of templates", () => {
    const lines = mainOf(
      `float* p; cudaMalloc(&p, 64);
       dim3 block(16, 8), grid;
       scaled<<<dim3((64 + 15) / 16, 2), block, 256>>>(p, 2.0f);
       scaled<<<dim3(4), 32>>>(p, 1);
       chosen<double, 3><<<grid, 1>>>(nullptr);`,
      "template <class T> __global__ void scaled(T* p, T by) {}\ntemplate <class T, int N> __global__ void chosen(T* p) {}",
    );
    expect(lines.slice(-4)).toEqual([
      "const grid = [1, 1, 1];",
      'scaled.as("float").launch({ grid: [Math.ceil(64 / 16), 2], block, shared: 256 }, p, 2);',
      'scaled.as("float").launch({ grid: 4, block: 32 }, p, 1);',
      'chosen.as("double", 3).launch({ grid, block: 1 }, null);',
    ]);
  });
});

describe("printing", () => {
  test.each([
    ["%d of %u\\n", "1, 2u", "console.log(`${1} of ${2}`);"],
    [
      "%5d|%-5d|%05d\\n",
      "1, 2, 3",
      'console.log(`${String(1).padStart(5)}|${String(2).padEnd(5)}|${String(3).padStart(5, "0")}`);',
    ],
    ["%.3f %8.2f\\n", "0.5, 0.25", "console.log(`${0.5.toFixed(3)} ${0.25.toFixed(2).padStart(8)}`);"],
    ["%x %08x\\n", "255, 16u", 'console.log(`${(255).toString(16)} ${(16).toString(16).padStart(8, "0")}`);'],
    ['100%%, `${x}` and \\"quotes\\"\\n', "", 'console.log(`100%, \\`\\${x}\\` and \\"quotes\\"`);'],
    ["no end %s", "argv[0]", "process.stdout.write(`no end ${argv[0]}`);"],
    ["%c%c\\n", "'a', 1 < 2 ? ' ' : ','", 'console.log(`a${1 < 2 ? " " : ","}`);'],
    ["\\n", "", "console.log();"],
  ])("printf of %s", (format, args, line) => {
    expect(mainOf(`printf("${format}"${args === "" ? "" : `, ${args}`});`).at(-1)).toBe(line);
  });

  test("numbers that a format's method is called on have brackets where TypeScript needs them", () => {
    const lines = mainOf('double x = 2; printf("%.1f\\n", x * 3);');
    expect(lines.at(-1)).toBe("console.log(`${(x * 3).toFixed(1)}`);");
  });

  test("streams of C++", () => {
    const lines = mainOf(
      'int n = 3; std::cout << "n " << n << (n > 2) << std::endl; std::cerr << std::boolalpha << (n > 2);',
    );
    expect(lines).toEqual([
      "const n = 3;",
      "console.log(`n ${n}${Number(n > 2)}`);",
      "process.stderr.write(`${n > 2}`);",
    ]);
  });
});

describe("what is left", () => {
  test("a statement without a counterpart is a comment with its line, and the cell begins with all of them", () => {
    const { cells, left } = translated(
      `#include <cstdio>
int main() {
  int device;
  cudaGetDevice(&device);
  printf("%d\\n",
         device);
  printf("end\\n");
}`,
      "%%cuda",
      [],
    );
    expect(left).toEqual([4]);
    expect(cells.at(-1)).toBe(`// Line 4 is not translated: see TODO.

// TODO from line 4: cudaGetDevice(&device);
let device = 0;
console.log(\`\${device}\`);
console.log("end");`);
  });

  test.each([
    "std::map<int, int> counts;",
    "void (*f)(int*) = local;",
    "goto end;",
    "auto f = [](auto x) { return x; };",
    "auto f = [](int* x) { return x[0]; };",
    "auto f = [](int& x) { x++; };",
    "auto f = [](int x = 3) { return x; };",
    "auto f = [x = 3] { return x; };",
    "auto f = [] __device__(int x) { return x; };",
    "auto f = [](int x) { return missing(x); };",
    "std::function<int(int)> f = [](int x) { return x; };",
    "thrust::sort(argv, argv + 1);",
    'printf("%s\\n", cudaGetErrorName(cudaSetDevice(99)));',
    "srand(42);",
    "exit(0);",
    "cudaSetDevice(1);",
  ])("%s", (statement) => {
    expect(mainOf(`  ${statement}\n  int after = 1;`)).toEqual([
      `// TODO from line 3: ${statement}`,
      "const after = 1;",
    ]);
  });

  test("a lambda with copies of what changes, since an arrow function sees the variable", () => {
    expect(mainOf("int z = 1;\nauto f = [=] { return z; };\nz++;\nint after = f();")).toEqual([
      "let z = 1;",
      "// TODO from line 4: auto f = [=] { return z; };",
      "z++;",
      "// TODO from line 6: int after = f();",
    ]);
    expect(mainOf("int z = 1;\nauto f = [&] { return z; };\nz++;\nint after = f();")).toEqual([
      "let z = 1;",
      "const f = () => {",
      "  return z;",
      "};",
      "z++;",
      "const after = f();",
    ]);
  });

  test("a test of what CUDA returns vanishes, since the library throws, with a macro for it, too", () => {
    const check =
      '#define CHECK(call) { cudaError_t e = call; if (e != cudaSuccess) { printf("%s", cudaGetErrorString(e)); exit(1); } }';
    const lines = mainOf(
      `int* p;
       CHECK(cudaMalloc(&p, 4));
       if (cudaDeviceSynchronize() != cudaSuccess) return 1;
       cudaError_t error = cudaGetLastError();
       if (error != cudaSuccess) { printf("failed\\n"); return 2; }
       if (error == cudaSuccess) printf("well\\n");`,
      check,
    );
    expect(lines).toEqual(['const p = empty([1], { dtype: "int32" });', 'console.log("well");']);
  });

  test("what is imported is used", () => {
    const { cells } = translated(
      "int main() { int x[2] = {}, *d; cudaMalloc(&d, sizeof(x)); cudaMemcpy(d, x, sizeof(x), cudaMemcpyHostToDevice); }",
      "%%cuda",
      [],
    );
    expect(cells).toEqual(['import { tensor } from "warpcell";\n\nconst x = new Int32Array(2);\nconst d = tensor(x);']);
  });

  test("macros that only host code uses are not in the cell of the device", () => {
    const { cells } = translated(
      "#define CHECK(call) if (call != cudaSuccess) exit(1)\n#define SIZE 4\n__global__ void f(int* p) { p[0] = SIZE; }\nint main() { CHECK(cudaDeviceReset()); }",
      "%%cuda --std c++20",
      [],
    );
    expect(cells[0]).toBe("%%cuda --std c++20\n#define SIZE 4\n__global__ void f(int* p) { p[0] = SIZE; }");
  });
});

test("names that TypeScript, the library or the cell has itself get a line behind them", () => {
  expect(mainOf("int in = 1, tensor = 2, general = in + tensor;")).toEqual([
    "const in_ = 1;",
    "const tensor_ = 2;",
    "const general_ = in_ + tensor_;",
  ]);
});

test("clocks and events", () => {
  const lines = mainOf(
    `auto start = std::chrono::high_resolution_clock::now();
     auto stop = std::chrono::steady_clock::now();
     std::chrono::duration<double> took = stop - start;
     std::chrono::duration<float, std::milli> milliseconds = stop - start;
     printf("%.1f %.1f %zu\\n", took.count(), milliseconds.count(), std::chrono::duration_cast<std::chrono::microseconds>(stop - start).count());
     clock_t ticks = clock();
     printf("%f\\n", (double)(clock() - ticks) / CLOCKS_PER_SEC);
     cudaEvent_t a, b;
     cudaEventCreate(&a);
     cudaEventCreate(&b);
     cudaEventRecord(a, 0);
     cudaEventSynchronize(b);
     float passed;
     cudaEventElapsedTime(&passed, a, b);`,
  );
  expect(lines).toEqual([
    "const start = performance.now();",
    "const stop = performance.now();",
    "const took = (stop - start) / 1000;",
    "const milliseconds = stop - start;",
    "console.log(`${took.toFixed(1)} ${milliseconds.toFixed(1)} ${Math.trunc((stop - start) * 1000)}`);",
    "const ticks = Math.round(performance.now() * 1000);",
    "console.log(`${((Math.round(performance.now() * 1000) - ticks) / 1000000).toFixed(6)}`);",
    "const a = new Event();",
    "const b = new Event();",
    "a.record();",
    "await b.synchronize();",
    "const passed = await a.elapsedTime(b);",
  ]);
});
