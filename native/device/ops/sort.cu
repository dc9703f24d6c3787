// Stable sorts of rows by integer keys (order.cuh), eight bits a pass from the lowest: short rows whole in one block, long ones in tiles, whose digits are counted,
// the counts added up, and the elements put where they belong. Positions are 32-bit: rows are shorter than 2^32. And searches in sorted rows.
#include <warpcell/map.cuh>
#include <warpcell/order.cuh>

using namespace warpcell;

constexpr int kThreads = 256, kDigits = 256;
template <class K> constexpr int kItems = sizeof(K) == 4 ? 16 : 8;
template <class K> constexpr int kTile = kThreads * kItems<K>;

template <class K> __device__ inline int digit_of(K key, int shift) { return int(key >> shift & 255); }

template <class T> __global__ void sort_keys(const T* in, SortKey<T>* keys, long long count, int descending) {
  map(count, keys, [=](T x) { return sort_key(x, descending); }, in);
}

#ifndef WARPCELL_CPU
template <class K> struct Ranking {
  uint warps[kThreads / 32][kDigits];   // each warp's elements of a digit, then those of the warps before it
  uint starts[kDigits];                 // elements of smaller digits
  uint totals[kThreads / 32];
};

// The place of each of this thread's keys among the tile's by one digit. Key k of a thread is element (warp · kItems + k) · 32 + lane of the tile. All threads of the block call it.
template <class K> __device__ inline void rank_tile(Ranking<K>& shared, const K (&keys)[kItems<K>], int shift, int (&ranks)[kItems<K>]) {
  int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  for (int w = 0; w < kThreads / 32; w++) shared.warps[w][thread] = 0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems<K>; k++) {
    int digit = digit_of(keys[k], shift);
    unsigned peers = __match_any_sync(0xffffffffu, digit);
    int before = __popc(peers & ((1u << lane) - 1));
    uint base = shared.warps[warp][digit];
    __syncwarp();
    if (before == 0) shared.warps[warp][digit] = base + __popc(peers);
    __syncwarp();
    ranks[k] = int(base) + before;
  }
  __syncthreads();
  uint total = 0;
  for (int w = 0; w < kThreads / 32; w++) {
    uint count = shared.warps[w][thread];
    shared.warps[w][thread] = total;
    total += count;
  }
  uint inclusive = total;
#pragma unroll
  for (int delta = 1; delta < 32; delta *= 2) {
    uint other = __shfl_up_sync(0xffffffffu, inclusive, delta);
    if (lane >= delta) inclusive += other;
  }
  if (lane == 31) shared.totals[warp] = inclusive;
  __syncthreads();
  for (int w = 0; w < warp; w++) inclusive += shared.totals[w];
  shared.starts[thread] = inclusive - total;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems<K>; k++) {
    int digit = digit_of(keys[k], shift);
    ranks[k] += int(shared.starts[digit] + shared.warps[warp][digit]);
  }
}
#endif

// Whole rows: `indices` gets the positions in sorted order. On a GPU a block sorts one row of at most kTile elements; on the CPU `scratch` has four times `length` keys a block.
template <class T> __global__ void sort_rows(const T* in, long long* indices, SortKey<T>* scratch, long long rows, long long length, int descending) {
  using K = SortKey<T>;
#ifdef WARPCELL_CPU
  K *keys = scratch + blockIdx.x * 4 * length, *next_keys = keys + length;
  uint *places = (uint*)(next_keys + length), *next_places = (uint*)(next_keys + 2 * length);
  long long share = (rows + gridDim.x - 1) / gridDim.x, end = (blockIdx.x + 1) * share < rows ? (blockIdx.x + 1) * share : rows;
  for (long long row = blockIdx.x * share; row < end; row++) {
    const T* x = in + row * length;
    long long* out = indices + row * length;
    if (length <= 32) {
      for (long long i = 0; i < length; i++) {
        K key = sort_key(x[i], descending);
        long long j = i;
        for (; j > 0 && keys[j - 1] > key; j--) {
          keys[j] = keys[j - 1];
          out[j] = out[j - 1];
        }
        keys[j] = key;
        out[j] = i;
      }
      continue;
    }
    uint counts[sizeof(T)][kDigits];
    for (int pass = 0; pass < int(sizeof(T)); pass++) for (int d = 0; d < kDigits; d++) counts[pass][d] = 0;
    // Clang 14 takes the counts of one loop for independent ones and makes vectors of them, where keys have one digit.
#pragma clang loop vectorize(disable)
    for (long long i = 0; i < length; i++) {
      K key = sort_key(x[i], descending);
      keys[i] = key;
      places[i] = uint(i);
      for (int pass = 0; pass < int(sizeof(T)); pass++) counts[pass][digit_of(key, 8 * pass)]++;
    }
    K *from = keys, *to = next_keys;
    uint *from_places = places, *to_places = next_places;
    for (int pass = 0; pass < int(sizeof(T)); pass++) {
      uint* count = counts[pass];
      // All keys agree in this digit.
      if (count[digit_of(from[0], 8 * pass)] == length) continue;
      uint sum = 0;
      for (int d = 0; d < kDigits; d++) {
        uint own = count[d];
        count[d] = sum;
        sum += own;
      }
#pragma clang loop vectorize(disable)
      for (long long i = 0; i < length; i++) {
        K key = from[i];
        uint at = count[digit_of(key, 8 * pass)]++;
        to[at] = key;
        to_places[at] = from_places[i];
      }
      K* keys_then = from;
      from = to;
      to = keys_then;
      uint* places_then = from_places;
      from_places = to_places;
      to_places = places_then;
    }
    for (long long i = 0; i < length; i++) out[i] = from_places[i];
  }
#else
  __shared__ Ranking<K> ranking;
  __shared__ K sorted[kTile<K>];
  __shared__ ushort places[kTile<K>];
  const T* x = in + blockIdx.x * length;
  int first = threadIdx.x / 32 * 32 * kItems<K> + threadIdx.x % 32;
  K keys[kItems<K>];
  ushort mine[kItems<K>];
  int ranks[kItems<K>];
#pragma unroll
  for (int k = 0; k < kItems<K>; k++) {
    int i = first + k * 32;
    keys[k] = i < length ? sort_key(x[i], descending) : ~K(0);
    mine[k] = ushort(i);
  }
  for (int pass = 0; pass < int(sizeof(T)); pass++) {
    rank_tile<K>(ranking, keys, 8 * pass, ranks);
#pragma unroll
    for (int k = 0; k < kItems<K>; k++) {
      sorted[ranks[k]] = keys[k];
      places[ranks[k]] = mine[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems<K>; k++) {
      keys[k] = sorted[first + k * 32];
      mine[k] = places[first + k * 32];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < length; i += kThreads) indices[blockIdx.x * length + i] = places[i];
#endif
}

// counts[row][digit][tile]: keys of the row's tile with that digit.
template <class K> __global__ void sort_counts(const K* keys, long long* counts, long long length, long long tiles, long long tile, int shift) {
  long long row = blockIdx.x / tiles, at = blockIdx.x % tiles, first = at * tile, last = first + tile < length ? first + tile : length;
  const K* x = keys + row * length;
#ifdef WARPCELL_CPU
  long long found[kDigits] = {};
#pragma clang loop vectorize(disable)
  for (long long i = first; i < last; i++) found[digit_of(x[i], shift)]++;
  for (int d = 0; d < kDigits; d++) counts[(row * kDigits + d) * tiles + at] = found[d];
#else
  __shared__ uint found[kDigits];
  found[threadIdx.x] = 0;
  __syncthreads();
  for (long long i = first + threadIdx.x; i < last; i += kThreads) atomicAdd(&found[digit_of(x[i], shift)], 1u);
  __syncthreads();
  counts[(row * kDigits + threadIdx.x) * tiles + at] = found[threadIdx.x];
#endif
}

// Moves keys and positions (null: their own) to their places by one digit. `sums` holds the counts added up.
template <class K> __global__ void sort_scatter(const K* keys, const uint* places, K* to, uint* to_places, const long long* counts, const long long* sums, long long length, long long tiles, long long tile, int shift) {
  long long row = blockIdx.x / tiles, at = blockIdx.x % tiles, first = at * tile, last = first + tile < length ? first + tile : length;
  const K* x = keys + row * length;
  const uint* p = places == nullptr ? nullptr : places + row * length;
  to += row * length;
  to_places += row * length;
#ifdef WARPCELL_CPU
  long long start[kDigits];
  for (int d = 0; d < kDigits; d++) {
    long long cell = (row * kDigits + d) * tiles + at;
    start[d] = sums[cell] - counts[cell];
  }
#pragma clang loop vectorize(disable)
  for (long long i = first; i < last; i++) {
    long long place = start[digit_of(x[i], shift)]++;
    to[place] = x[i];
    to_places[place] = p == nullptr ? uint(i) : p[i];
  }
#else
  __shared__ Ranking<K> ranking;
  __shared__ K sorted[kTile<K>];
  __shared__ uint sorted_places[kTile<K>];
  __shared__ long long start[kDigits];
  int lane_first = threadIdx.x / 32 * 32 * kItems<K> + threadIdx.x % 32, here = int(last - first);
  K mine[kItems<K>];
  uint mine_places[kItems<K>];
  int ranks[kItems<K>];
#pragma unroll
  for (int k = 0; k < kItems<K>; k++) {
    int i = lane_first + k * 32;
    mine[k] = i < here ? x[first + i] : ~K(0);
    mine_places[k] = i < here ? (p == nullptr ? uint(first + i) : p[first + i]) : 0;
  }
  long long cell = (row * kDigits + threadIdx.x) * tiles + at;
  start[threadIdx.x] = sums[cell] - counts[cell];
  rank_tile<K>(ranking, mine, shift, ranks);
#pragma unroll
  for (int k = 0; k < kItems<K>; k++) {
    sorted[ranks[k]] = mine[k];
    sorted_places[ranks[k]] = mine_places[k];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < here; i += kThreads) {
    K key = sorted[i];
    int digit = digit_of(key, shift);
    long long place = start[digit] + (i - int(ranking.starts[digit]));
    to[place] = key;
    to_places[place] = sorted_places[i];
  }
#endif
}

// out[i]: how many elements of the sorted row come before value i: those smaller, or with `right` those not larger. A row serves `values` values; one row may serve all.
template <class T> __global__ void search_sorted(const T* rows, const T* in, long long* out, long long count, long long length, long long values, int right) {
#ifdef WARPCELL_CPU
  // Several at a time, whose steps are the same and have no branches: what one waits for from the memory, the others do not.
  constexpr int kSearches = 16;
  Span span = block_span(count);
#else
  constexpr int kSearches = 1;
  Span span = {global_index(), global_index() < count ? global_index() + 1 : global_index()};
#endif
  for (long long i = span.begin; i < span.end; i += kSearches) {
    int here = span.end - i < kSearches ? int(span.end - i) : kSearches;
    const T* first[kSearches];
    const T* row[kSearches];
    SortKey<T> keys[kSearches];
    for (int k = 0; k < here; k++) {
      first[k] = row[k] = rows + (i + k) / values * length;
      keys[k] = sort_key(in[i + k], 0);
    }
    auto is_before = [&](T x, SortKey<T> key) {
      SortKey<T> there = sort_key(x, 0);
      return there < key || (right && there == key);
    };
    for (long long left = length; left > 1; left -= left / 2) {
      for (int k = 0; k < here; k++) row[k] += is_before(row[k][left / 2 - 1], keys[k]) ? left / 2 : 0;
    }
    for (int k = 0; k < here; k++) out[i + k] = row[k] - first[k] + (length > 0 && is_before(*row[k], keys[k]) ? 1 : 0);
  }
}
