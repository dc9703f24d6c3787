// What follows a matrix product in a layer, where no library does it on the way: a bias for each column, then an
// activation, in one pass.
#include <warpcell/functors.cuh>
#include <warpcell/map.cuh>

using namespace warpcell;

// z = in + bias, rounded to T; out = f(z). `bias` may be null; `kept` gets z, or is null. `in` may be `out` or `kept`.
template <class Op, class T>
__global__ void finish(const T* in, const T* bias, T* kept, T* out, long long rows, long long columns) {
#ifdef WARPCELL_SERIAL
  // Each pass over a row is a plain loop, and the row stays in the cache between them.
  long long share = (rows + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share,
            end = begin + share < rows ? begin + share : rows;
  for (long long row = begin; row < end; row++) {
    const T* from = in + row * columns;
    T* to = out + row * columns;
    T* z = kept == nullptr ? to : kept + row * columns;
    if (bias != nullptr) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (long long i = 0; i < columns; i++) z[i] = narrow<T>(widen<T>(from[i]) + widen<T>(bias[i]));
      from = z;
    } else if (kept != nullptr && z != from) {
      for (long long i = 0; i < columns; i++) z[i] = from[i];
    }
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (long long i = 0; i < columns; i++) to[i] = narrow<T>(Op::of(widen<T>(from[i])));
  }
#else
  Span span = strided_span(rows * columns);
#pragma unroll 1
  for (long long i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
    Wide<T> z = widen<T>(in[i]);
    if (bias != nullptr) z += widen<T>(bias[i % columns]);
    T rounded = narrow<T>(z);
    if (kept != nullptr) kept[i] = rounded;
    out[i] = narrow<T>(Op::of(widen<T>(rounded)));
  }
#endif
}
