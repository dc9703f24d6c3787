// Kernels as CUDA C++ spells them: what signature.ts reads out of cells, and what it refuses.
import { describe, expect, test } from "vitest";
import { parseSignatures } from "./signature.ts";

/** "name(type name @offset, …)" for each kernel. */
function summary(source: string, defines: string[] = []): string[] {
  return parseSignatures(source, defines).kernels.map((kernel) => {
    if (kernel.template !== null)
      return `${kernel.name}<${kernel.template.map(({ name, fallback }) => name + (fallback === null ? "" : `=${fallback}`)).join(",")}>(${kernel.written.map(({ name }) => name).join(",")})`;
    return `${kernel.name}(${kernel
      .parameters()
      .parameters.map(
        ({ name, type, offset }) =>
          `${type.kind === "pointer" && type.const ? "const " : ""}${describeType(type)} ${name} @${offset}`,
      )
      .join(", ")})`;
  });
}

function describeType(type: {
  kind: string;
  name: string;
  scalar?: string;
  dtypes?: readonly string[] | null;
}): string {
  return type.kind === "pointer"
    ? `pointer(${type.dtypes === null ? "any" : type.dtypes!.join("|")})`
    : type.kind === "scalar"
      ? type.scalar!
      : type.name;
}

const cases: [string, string, string[]][] = [
  [
    "a plain kernel",
    `extern "C" __global__ void fill(float* p, int n, float value) { p[n] = value; }`,
    ["fill(pointer(float32) p @0, i32 n @8, f32 value @12)"],
  ],
  [
    "const and restrict in any order",
    `__global__ void k(const float* __restrict__ a, float const *b, double* const __restrict__ c) {}`,
    ["k(const pointer(float32) a @0, const pointer(float32) b @8, pointer(float64) c @16)"],
  ],
  [
    "natural alignment of what follows a small type",
    `__global__ void k(bool a, double b, char c, short d, size_t e) {}`,
    ["k(bool a @0, f64 b @8, i8 c @16, i16 d @18, u64 e @24)"],
  ],
  [
    "integers in many words",
    `__global__ void k(unsigned a, long long unsigned int b, std::uint8_t c, long d, signed char e, unsigned short int f) {}`,
    ["k(u32 a @0, u64 b @8, u8 c @16, i64 d @24, i8 e @32, u16 f @34)"],
  ],
  [
    "vector types with CUDA's alignment",
    `__global__ void k(char a, float3 b, float4 c, int2 d, dim3 e, uchar4 f) {}`,
    ["k(i8 a @0, float3 b @4, float4 c @16, int2 d @32, dim3 e @40, uchar4 f @52)"],
  ],
  [
    "views of tensors, by every name",
    `using Row = warpcell::Tensor<const double, 1>; using namespace warpcell; constexpr int kAxes = 4; __global__ void k(char c, Row a, ::warpcell::Tensor<__half, 2> b, Tensor<long, kAxes> d, Row* e, int end) {}`,
    [
      "k(i8 c @0, warpcell::Tensor<const double, 1> a @8, warpcell::Tensor<__half, 2> b @32, warpcell::Tensor<long, 4> d @72, pointer(uint8) e @144, i32 end @152)",
    ],
  ],
  [
    "16-bit floats",
    `__global__ void k(__half a, half* b, nv_bfloat16 c, const __nv_bfloat16* d) {}`,
    ["k(f16 a @0, pointer(float16) b @8, bf16 c @16, const pointer(bfloat16) d @24)"],
  ],
  [
    "pointers to void, to vectors, to structs",
    `struct P { int a; }; __global__ void k(void* a, const float4* b, P* c, unsigned int* d) {}`,
    ["k(pointer(any) a @0, const pointer(float32) b @8, pointer(uint8) c @16, pointer(uint32|int32) d @24)"],
  ],
  [
    "launch bounds, attributes and inline",
    `static inline __global__ void __launch_bounds__(256, 2) __attribute__((noinline)) [[maybe_unused]] k(int n) {}`,
    ["k(i32 n @0)"],
  ],
  [
    "void in another place, or by a name",
    `typedef void nothing; void __global__ j(int n) {} __global__ nothing k(int n) {} auto __global__ l(int n) -> void {}`,
    ["j(i32 n @0)", "k(i32 n @0)", "l(i32 n @0)"],
  ],
  [
    "namespaces, nested and unnamed",
    `namespace a::b { __global__ void k(int n) {} namespace { __global__ void hidden(int n) {} } } namespace c { inline namespace d { __global__ void k(int n) {} } }`,
    ["a::b::k(i32 n @0)", "a::b::hidden(i32 n @0)", "c::d::k(i32 n @0)"],
  ],
  [
    "comments, strings and raw strings that look like code",
    `// __global__ void a(int n) {}\n/* __global__ void b(int n) {} */ const char* s = "__global__ void c(int n) {}"; const char* r = R"x(__global__ void d(int n) {} )" )x";\n__global__ void e(int n /* count */, // the\n  float x) { printf("}"); char c = '}'; }\n__global__ void f(int n) {}`,
    ["e(i32 n @0, f32 x @4)", "f(i32 n @0)"],
  ],
  [
    "preprocessor lines, with continuation",
    `#define KERNEL __global__ void bad(\\\n  int n) {}\n#if 0\n__global__ void off(int n) {}\n#else\n__global__ void on(int n) {}\n#endif\n`,
    ["on(i32 n @0)"],
  ],
  [
    "aliases: using, typedef, macros",
    `using real = double; typedef const float readonly_t; #define unused\n#define count_t long\nnamespace m { using real = float; __global__ void k(real* a, ::real b) {} }\n__global__ void l(real* a, readonly_t* b) {}`.replace(
      "; #define unused",
      ";\n#define unused",
    ),
    ["m::k(pointer(float32) a @0, f64 b @8)", "l(pointer(float64) a @0, const pointer(float32) b @8)"],
  ],
  ["a macro as a type", `#define count_t long long\n__global__ void k(count_t n) {}`, ["k(i64 n @0)"]],
  [
    "enumerations",
    `enum Mode { A, B }; enum class Small : unsigned char { X }; __global__ void k(Mode m, Small s) {}`,
    ["k(i32 m @0, u8 s @4)"],
  ],
  [
    "structs by value",
    `struct alignas(16) Box { float2 low, high; int ids[3]; float size() const { return high.x; } }; __global__ void k(char c, Box box) {}`,
    ["k(i8 c @0, Box box @16)"],
  ],
  [
    "structs with initialisers, methods, constants and macros for lengths",
    `#define LENGTH 0x2\nstruct Box { double d; int a = int(3); int b; static constexpr int N = 3; char c[N], e[LENGTH], f[010]; Box& operator=(const Box&) = default; enum { Z = 4 }; int g; }; __global__ void k(Box box, char end) {}`,
    ["k(Box box @0, i8 end @40)"],
  ],
  [
    "names that a typedef gives",
    `typedef struct Tagged { float x; } Plain; typedef enum Mode_ { X } Mode; typedef struct { float x, y; } Pair, *PairPointer; __global__ void k(Plain p, struct Tagged t, Mode m, Pair q) {}`,
    ["k(Plain p @0, Tagged t @4, i32 m @8, Pair q @12)"],
  ],
  [
    "an alignment by name",
    `constexpr int kAlign = 16; struct alignas(kAlign) P { float x; }; __global__ void k(char c, P p, char d) {}`,
    ["k(i8 c @0, P p @16, i8 d @32)"],
  ],
  [
    "macros that say __global__",
    `#define KERNEL extern "C" __global__ void\n#define GLOBAL __global__\nKERNEL a(int n) {}\nGLOBAL void b(int n) {}`,
    ["a(i32 n @0)", "b(i32 n @0)"],
  ],
  [
    "templates with a requires clause, and parameters without names",
    `template <class T, int = 0, class = int, std::enable_if_t<sizeof(T) == 4, int> = 0> requires (sizeof(T) == 4) __global__ void k(T* p, int n) {}`,
    ["k<T,argument2=0,argument3=int,argument4=0>(p,n)"],
  ],
  [
    "device functions, structs and host code around",
    `struct Op { __device__ float operator()(float x) const { return x; } }; __device__ float twice(float x) { return 2 * x; }\n__constant__ float table[] = {1, 2, 3}; __device__ int counter = 0;\n__global__ void k(float* p) { auto f = [](float x) { return twice(x); }; p[0] = f(p[0]); }`,
    ["k(pointer(float32) p @0)"],
  ],
  [
    "default arguments and operators with an equals sign",
    `__device__ float f(float x, float y = 2.0f) { return x * y; }\ntemplate <class T = int> __device__ T g(T x = T(1)) { return x; }\n__device__ float4& operator+=(float4& a, float4 b) { return a; } __device__ bool operator==(int2 a, int2 b) { return a.x == b.x; }\n__device__ bool operator<=(int2 a, int2 b) { return true; } __device__ void h(int (*f)(int) = nullptr) {}\n__global__ void k(float* o, int n = 3) {}`,
    ["k(pointer(float32) o @0, i32 n @8)"],
  ],
  [
    "templates with defaults",
    `template <class T, int N = 4, typename U = T> __global__ void k(T* p, U u) {}`,
    ["k<T,N=4,U=T>(p,u)"],
  ],
  [
    "a declaration without a body, then its definition",
    `__global__ void k(int n);\n__global__ void k(int n) {}`,
    ["k(i32 n @0)"],
  ],
  [
    "unnamed parameters and arrays",
    `__global__ void k(int, float p[], const int q[16]) {}`,
    ["k(i32 argument1 @0, pointer(float32) p @8, const pointer(int32) q @16)"],
  ],
  [
    "parameters named as types are",
    `__global__ void k(float half, unsigned uint, const int dim3, half float4, unsigned int) {}`,
    ["k(f32 half @0, u32 uint @4, i32 dim3 @8, f16 float4 @12, u32 argument5 @16)"],
  ],
  [
    "pointers to arrays and to pointers",
    `__global__ void k(float (*p)[8], const int (*q)[2][4], float* const* r, int* s[4]) {}`,
    ["k(pointer(float32) p @0, const pointer(int32) q @8, const pointer(int64) r @16, pointer(int64) s @24)"],
  ],
  [
    "structs with pointers",
    `struct N { char c; N* next; const float *a, b, * const d[2]; void* e; short f; }; __global__ void k(N n, char end) {}`,
    ["k(N n @0, i8 end @64)"],
  ],
  ["no parameters", `__global__ void k() {} __global__ void l(void) {}`, ["k()", "l()"]],
  [
    "specialisations and explicit instances",
    `template <class T> __global__ void k(T* p) {}\ntemplate <> __global__ void k<int>(int* p) {}\ntemplate __global__ void k<float>(float*);`,
    ["k<T>(p)"],
  ],
];

describe("kernels are found with their parameters", () => {
  test.each(cases)("%s", (_, source, expected) => {
    expect(summary(source)).toEqual(expected);
  });

  test("macros from outside choose branches", () => {
    const source = "#ifdef WIDE\n__global__ void k(double x) {}\n#else\n__global__ void k(float x) {}\n#endif";
    expect(summary(source, ["WIDE"])).toEqual(["k(f64 x @0)"]);
    expect(summary(source)).toEqual(["k(f32 x @0)"]);
  });

  test("headers lend their types and macros, in their order", () => {
    const headers = [
      "#define USE_INT\n#define KERNEL __global__\nstruct A { int n; };",
      "#ifdef USE_INT\nstruct B { A a; };\n#endif",
    ];
    const { kernels } = parseSignatures(
      "#ifdef USE_INT\nKERNEL void k(int n, B b) {}\n#else\nKERNEL void k(float x) {}\n#endif",
      [],
      headers,
    );
    expect(kernels[0]!.parameters().parameters.map(({ type }) => describeType(type))).toEqual(["i32", "B"]);
  });

  test("long tables in strings and comments are passed over", () => {
    const long = "a".repeat(1e7);
    expect(summary(`const char* s = "${long}"; // ${long}\n__global__ void k(int n) {}`)).toEqual(["k(i32 n @0)"]);
  });

  test("lines count from 1, through comments and continued lines", () => {
    expect(parseSignatures("\n/* a\nb */\n#define X \\\n 1\n__global__ void k() {}").kernels[0]!.line).toBe(6);
  });
});

describe("templates are filled in", () => {
  const [kernel] = parseSignatures(
    "template <class T, int N = 4, typename U = const T> __global__ void k(T* p, U* u, T value) {}",
  ).kernels;
  const types = (args: string[]) =>
    kernel!
      .parameters(args)
      .parameters.map(({ type }) => `${type.kind === "pointer" && type.const ? "const " : ""}${describeType(type)}`);

  test("with defaults that name earlier parameters", () =>
    expect(types(["float"])).toEqual(["pointer(float32)", "const pointer(float32)", "f32"]));
  test("with types of several words", () =>
    expect(types(["unsigned long long", "8", "double"])).toEqual(["pointer(uint64|int64)", "pointer(float64)", "u64"]));
  test("with parameters that hide what the cell declares, or have no name", () => {
    const [hiding] = parseSignatures(
      "struct T { float a; }; template <class T, int = 0> __global__ void k(T value, int n) {}",
    ).kernels;
    expect(hiding!.parameters(["short"]).parameters.map(({ type }) => describeType(type))).toEqual(["i16", "i32"]);
  });
  test("with a type of the host, which is refused as it is written", () =>
    expect(() => parseSignatures("__global__ void k(std::vector<float> v) {}").kernels[0]!.parameters([])).toThrow(
      'but is "std::vector<float> v".',
    ));
  test("a missing argument is named", () =>
    expect(() => kernel!.parameters([])).toThrow(
      "k needs a template argument for T but got none. Write k.as(T, N, U).",
    ));
});

describe("what TypeScript cannot pass is refused by name", () => {
  test.each([
    ["a reference", "__global__ void k(float& x) {}", /Parameter x of kernel k .* is "float& x".*reference/],
    [
      "an unknown type",
      "__global__ void k(int n, Widget w) {}",
      /Parameter w of kernel k .* is "Widget w".*plain struct/,
    ],
    ["a function pointer", "__global__ void k(float (*f)(float)) {}", /kernel k .* Functions cannot be passed/],
    [
      "a struct with a base",
      "struct A { int a; }; struct B : A { int b; }; __global__ void k(B b) {}",
      /Parameter b of kernel k .*known to the compiler alone/,
    ],
    [
      "a packed struct",
      "struct alignas(8) __attribute__((packed)) P { char c; int x; }; __global__ void k(P p) {}",
      /known to the compiler alone/,
    ],
    [
      "a struct with an alignment to work out",
      "struct alignas(sizeof(float4)) P { float x; }; __global__ void k(P p) {}",
      /known to the compiler alone/,
    ],
    [
      "a struct with several initialised members in one declaration",
      "struct P { double d; int a = 1, b = 2; }; __global__ void k(P p) {}",
      /known to the compiler alone/,
    ],
    [
      "a struct with a type of its own",
      "struct P { double d; struct Q { int x; }; int b; }; __global__ void k(P p) {}",
      /known to the compiler alone/,
    ],
    [
      "a parameter pack",
      "template <class... T> __global__ void k(T... values) {}",
      /Parameter values of kernel k .*Parameter packs/,
    ],
    [
      "a result",
      "static __global__ unsigned int k(int n) { return n; }",
      /Kernel k must return void, but returns unsigned int\. Write the result to memory/,
    ],
    [
      "two kernels of one name",
      "__global__ void k(int n) {}\n__global__ void k(float x) {}",
      /Two kernels with different parameters are named k, on lines 1 and 2/,
    ],
  ])("%s", (_, source, sentence) => {
    expect(() => parseSignatures(source)).toThrow(sentence);
  });
});

test("lengths of arrays may be computed, and arrays hold arrays", () => {
  const { kernels, variables } = parseSignatures(
    "#define R 2\n#define DIM (2 * R + 1)\nconstexpr int planes = (DIM << 1) - 7 % 4;\nstruct F { float w[DIM][R + 1]; char tag; };\n__constant__ double filter[DIM][planes], last[] = {1, 2, 3};\n__global__ void k(const __grid_constant__ F f) {}",
  );
  expect(kernels[0]!.parameters().parameters[0]!.type).toMatchObject({ name: "F", size: 64, align: 4 });
  expect(variables.map(({ name, type }) => [name, type.name])).toEqual([
    ["filter", "double[5][7]"],
    ["last", "double[3]"],
  ]);
  expect(() => parseSignatures("struct F { float w[f(3)]; }; __global__ void k(F f) {}")).toThrow(
    'but is "F f". Its layout is known to the compiler alone',
  );
});
