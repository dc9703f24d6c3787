// What follows a matrix product in a layer, where no library does it on the way: a bias for each column, then an
// activation, in one pass.
#include <warpcell/functors/activations.cuh>
#include <warpcell/functors/functions.cuh>
#include <warpcell/map.cuh>

using namespace warpcell;

// z = in + bias, rounded to T; out = f(z). `lines`: `bias` as each row has it. `bias` may be null; `kept` gets z, or is
// null. `in` may be `out` or `kept`.
template <class Op, class T>
__global__ void finish(const T* in, const T* bias, Plane lines, T* kept, T* out, long long rows) {
  const long long columns = lines.length;
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
  constexpr int W = kPackBytes / sizeof(T), all = W * kVectors, U = all < kSingles ? all : kSingles;
  const long long count = rows * columns, block = (long long)blockIdx.x * blockDim.x * all;
  const FlatOperand<T> from{(T*)in}, to{out}, between{kept};
  const PlaneOperand<T> beside{(T*)bias, lines};
  auto finished = [&](auto& z, const auto& added) {
    auto results = z;
#pragma unroll
    for (int e = 0; e < int(sizeof(z.element) / sizeof(T)); e++) {
      if (bias != nullptr) z.element[e] = narrow<T>(widen<T>(z.element[e]) + widen<T>(added.element[e]));
      results.element[e] = narrow<T>(Op::of(widen<T>(z.element[e])));
    }
    return results;
  };
  const bool has_packs = from.template has_packs<W>() && to.template has_packs<W>() && between.template has_packs<W>();
  if (has_packs && lines.is_small && (bias == nullptr || beside.template has_packs<W>()) &&
      block + (long long)blockDim.x * all <= count) {
    Vectors<T, kVectors, W> z = load_vectors<kVectors, W>(in + block), added;
    if (bias != nullptr) {
#pragma unroll
      for (int v = 0; v < kVectors; v++)
        added.pack[v] = load_pack<W>(beside, beside.place(unsigned(block) + (v * blockDim.x + threadIdx.x) * W));
    }
#pragma unroll
    for (int v = 0; v < kVectors; v++) {
      const int at = v * blockDim.x + threadIdx.x;
      ((Pack<T, W>*)(out + block))[at] = finished(z.pack[v], added.pack[v]);
      if (kept != nullptr) ((Pack<T, W>*)(kept + block))[at] = z.pack[v];
    }
    return;
  }
#pragma unroll 1
  for (int done = 0; done < all; done += U) {
    const long long first = block + (long long)done * blockDim.x + threadIdx.x;
    if (first >= count) return;
    Few<T, U> z, added;
#pragma unroll
    for (int k = 0; k < U; k++) {
      const long long at = batch_index(first, k, count - 1);
      z.element[k] = in[at];
      if (bias != nullptr) added.element[k] = bias[lines.is_small ? beside.place(unsigned(at)) : beside.place(at)];
    }
    put_few(out, first, count, finished(z, added));
    if (kept != nullptr) put_few(kept, first, count, z);
  }
#endif
}
