// Stable sorts of rows of up to 1,024 elements on a GPU: a thread, or some lanes of a warp, has a row in its registers,
// sorts its part by a network (Batcher 1968), and the lanes merge theirs. No element is counted, and no barrier stands
// between two steps, which is what a block that sorts a row of 17 by its digits spends its time on.
#include <warpcell/map.cuh>
#include <warpcell/order.cuh>

using namespace warpcell;

constexpr int kThreads = 128;
constexpr int kPad = 2;  // of the places of a thread, so that those of neighbours begin in different banks

#ifndef WARPCELL_SERIAL
// A key with its place behind it: no two of a row are the same, so any network keeps equal elements in their order.
template <class T, int bytes = sizeof(T)>
struct Entry {
  uint word;
  static __device__ inline Entry of(uint key, int place) { return {key << 16 | uint(place)}; }
  __device__ inline uint key() const { return word >> 16; }
  __device__ inline int place() const { return int(word & 0xffff); }
  __device__ inline bool operator<(const Entry& other) const { return word < other.word; }
  __device__ inline Entry of_lane(int mask) const { return {__shfl_xor_sync(0xffffffffu, word, mask)}; }
};
template <class T>
struct Entry<T, 4> {
  uint64 word;
  static __device__ inline Entry of(uint key, int place) { return {uint64(key) << 32 | uint(place)}; }
  __device__ inline uint key() const { return uint(word >> 32); }
  __device__ inline int place() const { return int(uint(word)); }
  __device__ inline bool operator<(const Entry& other) const { return word < other.word; }
  __device__ inline Entry of_lane(int mask) const { return {__shfl_xor_sync(0xffffffffu, word, mask)}; }
};
template <class T>
struct Entry<T, 8> {
  uint64 word;
  int at;
  static __device__ inline Entry of(uint64 key, int place) { return {key, place}; }
  __device__ inline uint64 key() const { return word; }
  __device__ inline int place() const { return at; }
  __device__ inline bool operator<(const Entry& other) const {
    return word < other.word || (word == other.word && at < other.at);
  }
  __device__ inline Entry of_lane(int mask) const {
    return {__shfl_xor_sync(0xffffffffu, word, mask), __shfl_xor_sync(0xffffffffu, at, mask)};
  }
};

template <class E>
__device__ inline void put_in_order(E& a, E& b) {
  const bool is_less = b < a;
  const E low = is_less ? b : a, high = is_less ? a : b;
  a = low;
  b = high;
}

// Batcher's odd-even merge sort: runs of P elements are merged to runs of 2 · P, comparing at distances K = P, P/2,
// … 1.
template <int P, int K, int N, class E>
__device__ inline void merge_runs(E (&own)[N]) {
#pragma unroll
  for (int a = K % P; a + K < N; a++)
    if ((a - K % P) / K % 2 == 0 && a / (2 * P) == (a + K) / (2 * P)) put_in_order(own[a], own[a + K]);
  if constexpr (K > 1) merge_runs<P, K / 2>(own);
}
template <int P, int N, class E>
__device__ inline void sort_runs(E (&own)[N]) {
  merge_runs<P, P>(own);
  if constexpr (2 * P < N) sort_runs<2 * P>(own);
}
// Sorts what first rises and then falls.
template <int K, int N, class E>
__device__ inline void merge_bitonic(E (&own)[N]) {
#pragma unroll
  for (int a = 0; a < N; a++)
    if ((a & K) == 0) put_in_order(own[a], own[a + K]);
  if constexpr (K > 1) merge_bitonic<K / 2>(own);
}

// Of an element and that of another lane, the lesser where that is wanted.
template <class E>
__device__ inline E one_of(const E& mine, const E& other, bool is_lesser) {
  return (other < mine) == is_lesser ? other : mine;
}

// Merges the sorted elements of `lanes` neighbours, so that each has those behind its predecessor's.
template <int N, class E>
__device__ inline void merge_lanes(E (&own)[N], int lanes) {
  const int lane = threadIdx.x % 32;
  for (int size = 2; size <= lanes; size *= 2) {
    const bool is_low = (lane & size / 2) == 0;
#pragma unroll
    for (int k = 0; k < N / 2; k++) {
      const E first = own[k].of_lane(size - 1), second = own[N - 1 - k].of_lane(size - 1);
      own[k] = one_of(own[k], second, is_low);
      own[N - 1 - k] = one_of(own[N - 1 - k], first, is_low);
    }
    for (int step = size / 4; step > 0; step /= 2) {
      const bool is_lesser = (lane & step) == 0;
#pragma unroll
      for (int k = 0; k < N; k++) own[k] = one_of(own[k], own[k].of_lane(step), is_lesser);
    }
    merge_bitonic<N / 2>(own);
  }
}

// Calls f(e, e / length, e % length) for this thread's of `count` elements, without a division for each.
template <class F>
__device__ inline void for_elements(int count, int length, F f) {
  const int rows = kThreads / length, rest = kThreads % length;
  int row = threadIdx.x / length, at = threadIdx.x % length;
#pragma unroll 8
  for (int e = threadIdx.x; e < count; e += kThreads) {
    f(e, row, at);
    row += rows;
    at += rest;
    if (at >= length) {
      at -= length;
      row++;
    }
  }
}
#endif

// Rows of `length` elements, `inner` apart, of which `kept` of the sorted are wanted from `first` on, by `lanes`
// threads each, which have room for EACH elements. Rows that lie side by side go through shared memory, `stride` apart
// there; of columns neighbouring threads have neighbours.
template <class T, int EACH>
__global__ void __launch_bounds__(kThreads)
    sort_short(const T* in, T* values, long long* indices, long long rows, long long inner, int length, int lanes,
               int first, int kept, int stride, int descending) {
#ifndef WARPCELL_SERIAL
  using E = Entry<T>;
  extern __shared__ uint4 memory[];
  const int share = kThreads / lanes, group = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const long long begin = (long long)blockIdx.x * share, row = begin + group;
  const int here = rows - begin < share ? int(rows - begin) : share;
  const bool is_columns = inner > 1, is_mine = row < rows;
  T* tile = (T*)memory;
  ushort* places = (ushort*)(tile + share * stride);
  const long long outer = is_columns ? row / inner : row, column = row - outer * inner;
  const T* x = in + outer * length * inner + (is_columns ? column : 0);

  T mine[EACH];
  if (is_columns) {
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (is_mine && k * lanes + lane < length) mine[k] = x[(k * lanes + lane) * inner];
  } else {
    const T* from = in + begin * length;
    for_elements(here * length, length, [&](int e, int r, int i) { tile[r * stride + i] = from[e]; });
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (is_mine && k * lanes + lane < length) mine[k] = tile[group * stride + k * lanes + lane];
  }
  // Behind the end of the row are keys behind all others.
  E own[EACH];
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    const int i = k * lanes + lane;
    own[k] = E::of(is_mine && i < length ? sort_key(mine[k], descending) : ~SortKey<T>(0), i);
  }
  sort_runs<1>(own);
  merge_lanes(own, lanes);

  if (is_columns) {
    const long long to = outer * kept * inner + column;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      const int at = lane * EACH + k - first;
      if (!is_mine || at < 0 || at >= kept) continue;
      const SortKey<T> key = own[k].key();
      indices[to + at * inner] = own[k].place();
      if (values != nullptr)
        values[to + at * inner] =
            is_shared_key<T>(key, descending) ? x[own[k].place() * inner] : element_of<T>(key, descending);
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < EACH; k += 2)
    *(uint*)(places + threadIdx.x * (EACH + kPad) + k) = uint(own[k].place()) | uint(own[k + 1].place()) << 16;
  __syncthreads();
  for_elements(here * kept, kept, [&](int e, int r, int i) {
    const int at = first + i;
    const int place = places[(r * lanes + at / EACH) * (EACH + kPad) + at % EACH];
    indices[begin * kept + e] = place;
    if (values != nullptr) values[begin * kept + e] = tile[r * stride + place];
  });
#endif
}
