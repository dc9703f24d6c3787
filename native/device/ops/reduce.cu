// Reductions of [outer, length, inner], row-major, along `length`: each result is one part of a row, and passes are repeated until one part is left.
#include <warpcell/layout.cuh>
#include <warpcell/numbers.cuh>

using namespace warpcell;

constexpr int kThreads = 256;
// Sums that a thread keeps side by side: fewer roundings in a row, and work for a processor that waits.
constexpr int kLanes = 8;

struct SumOf {
  template <class A> static __device__ A start() { return A(0); }
  static __device__ float of(float a, float b) { return a + b; }
  static __device__ double of(double a, double b) { return a + b; }
  static __device__ long long of(long long a, long long b) { return (long long)((unsigned long long)a + (unsigned long long)b); }
  static __device__ unsigned long long of(unsigned long long a, unsigned long long b) { return a + b; }
};

// NaN wins: `!(a >= b)` is true when either is NaN, and then the one that is.
struct MaxOf {
  template <class A> static __device__ A of(A a, A b) { return a != a ? a : (a >= b ? a : b); }
};
struct MinOf {
  template <class A> static __device__ A of(A a, A b) { return a != a ? a : (a <= b ? a : b); }
};

// Elements first, first + step, … before `end` of one column, by kLanes side by side. There is at least one.
template <class Op, class T, class A> __device__ A reduce_part(const T* column, long long first, long long end, long long step, long long stride) {
  A lanes[kLanes];
  int used = 0;
  for (; used < kLanes && first + used * step < end; used++) lanes[used] = A(widen<T>(column[(first + used * step) * stride]));
  for (long long at = first + kLanes * step; at < end;) {
    for (int lane = 0; lane < kLanes && at < end; lane++, at += step) lanes[lane] = Op::of(lanes[lane], A(widen<T>(column[at * stride])));
  }
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; lane++) {
      if (lane + width < used) lanes[lane] = Op::of(lanes[lane], lanes[lane + width]);
    }
    if (used > width) used = width;
  }
  return lanes[0];
}

// One thread a part of `chunk` elements: for columns (inner > 1) and short rows. `count` = outer · parts · inner results.
template <class Op, class T, class A> __global__ void columns(const T* in, A* out, long long count, long long length, long long inner, long long parts, long long chunk) {
  long long index = global_index();
  if (index >= count) return;
  long long column = index % inner;
  long long part = index / inner % parts;
  long long outer = index / inner / parts;
  long long first = part * chunk;
  long long end = first + chunk < length ? first + chunk : length;
  out[index] = reduce_part<Op, T, A>(in + outer * length * inner + column, first, end, 1, inner);
}

// One block of kThreads a part of a long row, inner = 1. Result blockIdx.x of outer · parts.
template <class Op, class T, class A> __global__ void rows(const T* in, A* out, long long length, long long parts, long long chunk) {
  __shared__ A results[kThreads];
  long long part = blockIdx.x % parts;
  long long outer = blockIdx.x / parts;
  long long first = part * chunk;
  long long end = first + chunk < length ? first + chunk : length;
  int used = end - first < kThreads ? int(end - first) : kThreads;
  int thread = threadIdx.x;

  if (thread < used) results[thread] = reduce_part<Op, T, A>(in + outer * length, first + thread, end, kThreads, 1);
  __syncthreads();
  for (int width = kThreads / 2; width > 0; width /= 2) {
    if (thread < width && thread + width < used) results[thread] = Op::of(results[thread], results[thread + width]);
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = results[0];
}
