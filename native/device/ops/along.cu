// Elements taken from and put at positions along an axis of [outer, length, inner], row-major. `own` is the length of
// the side that has the positions.
#include <warpcell/map.cuh>
#include <warpcell/numbers.cuh>

using namespace warpcell;

#ifdef WARPCELL_SERIAL
#define FOR_MINE(i, count)                                                          \
  for (Span span = block_span(count); span.begin < span.end; span.begin = span.end) \
    for (long long i = span.begin; i < span.end; i++)
#else
#define FOR_MINE(i, count) for (long long i = global_index(); i < (count); i += (long long)gridDim.x * blockDim.x)
#endif

// Calls f(i, its slab, its column) for this thread's of `count` elements in slabs [own, inner]. A processor counts
// along: its divisions take longer than all else here.
template <class F>
__device__ inline void each_placed(long long count, long long own, long long inner, F f) {
#ifdef WARPCELL_SERIAL
  const Span span = block_span(count);
  const long long size = own * inner;
  long long slab = span.begin / size, within = span.begin % size, column = span.begin % inner;
  for (long long i = span.begin; i < span.end; i++) {
    f(i, slab, column);
    if (++column == inner) column = 0;
    if (++within == size) within = 0, slab++;
  }
#else
  FOR_MINE(i, count) f(i, i / (own * inner), i % inner);
#endif
}

template <class T>
__global__ void take_along(const T* in, const long long* at, T* out, long long count, long long length, long long own,
                           long long inner) {
  each_placed(count, own, inner, [=](long long i, long long slab, long long column) {
    out[i] = in[(slab * length + at[i]) * inner + column];
  });
}

template <class T>
__global__ void put_along(const T* in, const long long* at, T* out, long long count, long long length, long long own,
                          long long inner) {
  each_placed(count, own, inner, [=](long long i, long long slab, long long column) {
    out[(slab * length + at[i]) * inner + column] = in[i];
  });
}

// Where a run of equal positions begins, its elements are added and put there.
template <class T>
__global__ void sum_runs(const T* in, const long long* at, T* out, long long count, long long length, long long inner) {
  FOR_MINE(i, count) {
    long long place = i / inner % length, position = at[i];
    if (place > 0 && at[i - inner] == position) continue;
    Sum<T> sum = 0;
    for (long long j = i, p = place; p < length && at[j] == position; j += inner, p++) sum += widen<T>(in[j]);
    out[i + (position - place) * inner] = narrow<T>(sum);
  }
}
