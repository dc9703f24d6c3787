// One result per index: arithmetic of two broadcast operands, conversions and copies of strided ones. The result is row-major without gaps.
#include <warpcell/layout.cuh>
#include <warpcell/numbers.cuh>

using namespace warpcell;

// Integers wrap around, as the unsigned arithmetic of C++ does.
struct Add {
  static __device__ float of(float a, float b) { return a + b; }
  static __device__ double of(double a, double b) { return a + b; }
  static __device__ long long of(long long a, long long b) { return (long long)((unsigned long long)a + (unsigned long long)b); }
};
struct Sub {
  static __device__ float of(float a, float b) { return a - b; }
  static __device__ double of(double a, double b) { return a - b; }
  static __device__ long long of(long long a, long long b) { return (long long)((unsigned long long)a - (unsigned long long)b); }
};
struct Mul {
  static __device__ float of(float a, float b) { return a * b; }
  static __device__ double of(double a, double b) { return a * b; }
  static __device__ long long of(long long a, long long b) { return (long long)((unsigned long long)a * (unsigned long long)b); }
};
struct Div {
  static __device__ float of(float a, float b) { return a / b; }
  static __device__ double of(double a, double b) { return a / b; }
  static __device__ float of(long long a, long long b) { return float(double(a) / double(b)); }
};

template <class Op, class T, class Out> __global__ void binary(Layout layout, const T* a, const T* b, Out* out, long long count) {
  long long index = global_index();
  if (index >= count) return;
  Offsets at = offsets(layout, index);
  out[index] = narrow<Out>(Op::of(widen<T>(a[at.first]), widen<T>(b[at.second])));
}

template <class From, class To> __global__ void cast(Layout layout, const From* in, To* out, long long count) {
  long long index = global_index();
  if (index >= count) return;
  out[index] = convert<To, From>(in[offsets(layout, index).first]);
}
