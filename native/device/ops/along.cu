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

template <class T>
__global__ void take_along(const T* in, const long long* at, T* out, long long count, long long length, long long own,
                           long long inner) {
  FOR_MINE(i, count) out[i] = in[(i / (own * inner) * length + at[i]) * inner + i % inner];
}

template <class T>
__global__ void put_along(const T* in, const long long* at, T* out, long long count, long long length, long long own,
                          long long inner) {
  FOR_MINE(i, count) out[(i / (own * inner) * length + at[i]) * inner + i % inner] = in[i];
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
