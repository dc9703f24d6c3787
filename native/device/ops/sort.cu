// Stable sorts of rows by integer keys (order.cuh), eight bits a pass from the lowest: short rows whole in one block,
// long ones in tiles. On the CPU a tile's digits are counted, the counts added up, and the elements put where they
// belong; on a GPU all digits are counted at first, and then a pass reads and writes each element once (Merrill and
// Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"; Adinets and Merrill 2022, "Onesweep").
// Positions are 32-bit: rows are shorter than 2^32. And searches in sorted rows.
#include <warpcell/digits.cuh>
#include <warpcell/map.cuh>
#include <warpcell/order.cuh>
#include <warpcell/sorted_beside.cuh>

using namespace warpcell;

constexpr int kThreads = 256;
template <class K>
constexpr int kItems = sizeof(K) == 4 ? 16 : 8;
template <class K>
constexpr int kTile = kThreads * kItems<K>;
// Of a block of sort_rows on the CPU, for each element of a row; of rows up to kMostBeside.
constexpr int kScratchKeys = 4, kScratchBeside = 2 * kBeside;

#ifndef WARPCELL_SERIAL
// The place of each of this thread's `used` keys among the tile's by one digit. Key k of a thread is element (warp ·
// used + k) · 32 + lane of the tile. All threads of the block call it.
template <class K>
__device__ inline void rank_tile(uint (&warps)[kThreads / 32][kDigits], const K (&keys)[kItems<K>], int used, int shift,
                                 int (&ranks)[kItems<K>]) {
  const int thread = threadIdx.x, warp = thread / 32;
  for (int w = 0; w < kThreads / 32; w++) warps[w][thread] = 0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems<K>; k++)
    if (k < used) ranks[k] = place_in_warp(warps[warp], keys[k], shift);
  __syncthreads();
  uint total = 0;
  for (int w = 0; w < kThreads / 32; w++) total += warps[w][thread];
  uint before = sum_before(total);
  for (int w = 0; w < kThreads / 32; w++) {
    uint count = warps[w][thread];
    warps[w][thread] = before;
    before += count;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems<K>; k++)
    if (k < used) ranks[k] += warps[warp][digit_of(keys[k], shift)];
}
#endif

// Whole rows: `indices` gets the positions in sorted order, `values` the elements there, unless it is null. On a GPU a
// block sorts one row of at most kTile elements and writes the first `kept`; on the CPU all are kept, and `scratch` has
// kScratchKeys or kScratchBeside times `length` keys a block.
template <class T>
__global__ void sort_rows(const T* in, T* values, long long* indices, SortKey<T>* scratch, long long rows,
                          long long length, long long kept, int descending) {
  using K = SortKey<T>;
#ifdef WARPCELL_SERIAL
  K *keys = scratch + blockIdx.x * (length <= kMostBeside ? kScratchBeside : kScratchKeys) * length,
    *next_keys = keys + length;
  uint *places = (uint*)(next_keys + length), *next_places = (uint*)(next_keys + 2 * length);
  long long share = (rows + gridDim.x - 1) / gridDim.x,
            end = (blockIdx.x + 1) * share < rows ? (blockIdx.x + 1) * share : rows;
  long long row = blockIdx.x * share;
  if constexpr (sizeof(K) == 4) row = sort_beside(in, values, indices, keys, row, end, length, descending);
  for (; row < end; row++) {
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
      if (values != nullptr)
        for (long long i = 0; i < length; i++) values[row * length + i] = x[out[i]];
      continue;
    }
    uint counts[sizeof(T)][kDigits];
    for (int pass = 0; pass < int(sizeof(T)); pass++)
      for (int d = 0; d < kDigits; d++) counts[pass][d] = 0;
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
    if (values != nullptr)
      for (long long i = 0; i < length; i++) values[row * length + i] = x[from_places[i]];
  }
#else
  __shared__ uint warps[kThreads / 32][kDigits];
  __shared__ K sorted[kTile<K>];
  __shared__ ushort places[kTile<K>];
  const T* x = in + blockIdx.x * length;
  const int used = int((length + kThreads - 1) / kThreads), first = threadIdx.x / 32 * 32 * used + threadIdx.x % 32;
  K keys[kItems<K>];
  ushort mine[kItems<K>];
  int ranks[kItems<K>];
#pragma unroll
  for (int k = 0; k < kItems<K>; k++) {
    int i = first + k * 32;
    keys[k] = k < used && i < length ? sort_key(x[i], descending) : ~K(0);
    mine[k] = ushort(i);
  }
  for (int pass = 0; pass < int(sizeof(T)); pass++) {
    rank_tile<K>(warps, keys, used, 8 * pass, ranks);
#pragma unroll
    for (int k = 0; k < kItems<K>; k++) {
      if (k >= used) break;
      sorted[ranks[k]] = keys[k];
      places[ranks[k]] = mine[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems<K>; k++) {
      if (k >= used) break;
      keys[k] = sorted[first + k * 32];
      mine[k] = places[first + k * 32];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < kept; i += kThreads) {
    indices[blockIdx.x * kept + i] = places[i];
    if (values != nullptr) values[blockIdx.x * kept + i] = x[places[i]];
  }
#endif
}

// Long rows on the CPU. Keys; then for each digit counts[row][digit][tile], the keys of the row's tile with that digit;
// and keys and positions (null: their own) moved to their places, `sums` being the counts added up.
template <class T>
__global__ void sort_keys(const T* in, SortKey<T>* keys, long long count, int descending) {
#ifdef WARPCELL_SERIAL
  map(count, keys, [=](T x) { return sort_key(x, descending); }, in);
#endif
}

template <class K>
__global__ void sort_counts(const K* keys, long long* counts, long long length, long long tiles, long long tile,
                            int shift) {
#ifdef WARPCELL_SERIAL
  long long row = blockIdx.x / tiles, at = blockIdx.x % tiles, first = at * tile,
            last = first + tile < length ? first + tile : length;
  const K* x = keys + row * length;
  long long found[kDigits] = {};
#pragma clang loop vectorize(disable)
  for (long long i = first; i < last; i++) found[digit_of(x[i], shift)]++;
  for (int d = 0; d < kDigits; d++) counts[(row * kDigits + d) * tiles + at] = found[d];
#endif
}

template <class K>
__global__ void sort_scatter(const K* keys, const uint* places, K* to, uint* to_places, const long long* counts,
                             const long long* sums, long long length, long long tiles, long long tile, int shift) {
#ifdef WARPCELL_SERIAL
  long long row = blockIdx.x / tiles, at = blockIdx.x % tiles, first = at * tile,
            last = first + tile < length ? first + tile : length;
  const K* x = keys + row * length;
  const uint* p = places == nullptr ? nullptr : places + row * length;
  to += row * length;
  to_places += row * length;
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
#endif
}

// Long rows on a GPU: sort_histogram counts all digits, then sort_sweep goes once through the row for each. `state` is
// what their blocks tell each other, all zeros at first: the number of the next tile, for each of up to eight passes;
// counts[row][pass][digit], how many keys of the row have a digit; and a word for each digit of each tile: behind one
// mark how many keys of the tile have it, behind the other in which place of the row the first such key of the next
// tile goes. Marks of a pass are larger than those before.
template <class T>
struct SweepState {
  uint *numbers, *counts;
  uint64* words;
  static constexpr int kPasses = 8, kRowCounts = sizeof(T) * kDigits;
  // Of all numbers, of a row, and of each of its tiles.
  static constexpr int head_bytes = kPasses * sizeof(uint), row_bytes = kRowCounts * sizeof(uint),
                       tile_bytes = kDigits * sizeof(uint64);
  __device__ SweepState(uint* state, long long rows)
      : numbers(state), counts(state + kPasses), words((uint64*)(counts + rows * kRowCounts)) {}
};
struct Marks {
  uint64 part, whole;
  __device__ Marks(int pass) : part(uint64(2 * pass + 1) << 32), whole(uint64(2 * pass + 2) << 32) {}
};
template <class K>
struct alignas(2 * sizeof(K)) Item {
  K key;
  uint place;
};

constexpr int kCountThreads = 512, kCountItems = 16, kSweepThreads = 384, kSweepWarps = kSweepThreads / 32;
// As many as leave a processor registers and shared memory for two blocks: one loads while another ranks.
template <class K>
constexpr int kSweepItems = sizeof(K) == 4 ? 22 : 11;

template <class T>
__global__ void __launch_bounds__(kCountThreads)
    sort_histogram(const T* in, uint* state, long long length, long long parts, int descending) {
#ifndef WARPCELL_SERIAL
  constexpr int kPasses = sizeof(T), kPart = kCountThreads * kCountItems;
  __shared__ uint found[kPasses][kDigits];
  for (int i = threadIdx.x; i < kPasses * kDigits; i += kCountThreads) found[0][i] = 0;
  __syncthreads();
  const long long row = blockIdx.x / parts;
  const T* x = in + row * length;
  for (long long first = blockIdx.x % parts * kPart; first < length; first += parts * kPart) {
    const int here = length - first < kPart ? int(length - first) : kPart;
    T mine[kCountItems];
#pragma unroll
    for (int k = 0; k < kCountItems; k++)
      if (k * kCountThreads + int(threadIdx.x) < here) mine[k] = x[first + threadIdx.x + k * kCountThreads];
#pragma unroll
    for (int k = 0; k < kCountItems; k++) {
      if (k * kCountThreads + int(threadIdx.x) >= here) break;
      SortKey<T> key = sort_key(mine[k], descending);
#pragma unroll
      for (int pass = 0; pass < kPasses; pass++) atomicAdd(&found[pass][digit_of(key, 8 * pass)], 1u);
    }
  }
  __syncthreads();
  uint* counts = SweepState<T>(state, gridDim.x / parts).counts + row * kPasses * kDigits;
  for (int i = threadIdx.x; i < kPasses * kDigits; i += kCountThreads)
    if (found[0][i] > 0) atomicAdd(&counts[i], found[0][i]);
#endif
}

#ifndef WARPCELL_SERIAL
// In which place of the row the first of a tile's keys with a digit goes, by the words of that digit for the tiles
// before, of which there are `tiles`: back to the nearest that says it. Tiles have numbers in the order in which their
// blocks began, so each word comes without this block's doing; and one holds all that it tells, so no order of memory
// matters.
__device__ inline uint look_back(const volatile uint64* word, uint tiles, Marks marks) {
  constexpr int kAhead = 4;
  for (uint before = 0;;) {
    uint64 seen[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; k++) seen[k] = k < tiles ? word[-(k + 1) * kDigits] : 0;
#pragma unroll
    for (int k = 0; k < kAhead; k++) {
      if (seen[k] < marks.part) break;
      before += uint(seen[k]);
      if (seen[k] >= marks.whole) return before;
      word -= kDigits;
      tiles--;
    }
  }
}
#endif

// One pass. Keys go with their positions between `items` and `others`; the first pass takes them from `in`, the last
// puts values (unless null) and positions. A pass in whose digit all keys of a row agree leaves that row alone.
template <class T>
__global__ void __launch_bounds__(kSweepThreads, 2)
    sort_sweep(const T* in, T* values, long long* indices, Item<SortKey<T>>* items, Item<SortKey<T>>* others,
               uint* state, long long length, long long tiles, int pass, int descending) {
#ifndef WARPCELL_SERIAL
  using K = SortKey<T>;
  constexpr int kPasses = sizeof(T), kEach = kSweepItems<K>, kAll = kSweepThreads * kEach;
  extern __shared__ uint4 memory[];
  Item<K>* sorted = (Item<K>*)memory;
  uint(*warps)[kDigits] =
      (uint(*)[kDigits])(sorted + kAll);  // a warp's keys with a digit, then where the next of them goes
  __shared__ uint starts[kDigits], number, active;
  const SweepState<T> shared(state, gridDim.x / tiles);
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32, shift = 8 * pass;

  if (warp == 0) {
    uint next = lane == 0 ? atomicAdd(&shared.numbers[pass], 1u) : 0;
    next = __shfl_sync(0xffffffffu, next, 0);
    const long long row = next / uint(tiles);
    // Lane p looks at pass p.
    bool differs =
        lane < kPasses &&
        shared.counts[(row * kPasses + lane) * kDigits + digit_of(sort_key(in[row * length], descending), 8 * lane)] !=
            length;
    const uint passes = __ballot_sync(0xffffffffu, differs);
    if (lane == 0) {
      number = next;
      active = passes == 0 ? 1 : passes;
    }
  }
  for (int i = thread; i < kSweepWarps * kDigits; i += kSweepThreads) warps[0][i] = 0;
  __syncthreads();
  if (!(active >> pass & 1)) return;
  const int earlier = __popc(active & ((1u << pass) - 1));
  const uint row = number / uint(tiles), tile = number % uint(tiles), first = tile * kAll;
  const long long begin = row * length;
  const int here = length - first < kAll ? int(length - first) : kAll;
  const int own = warp * 32 * kEach + lane;

  // Element k of a thread is number own + 32 · k of the tile. Behind the end of the row are keys that stay behind all
  // others.
  K keys[kEach];
  uint places[kEach];
  if (earlier == 0) {
    const T* x = in + begin + first + own;
    T mine[kEach];
#pragma unroll
    for (int k = 0; k < kEach; k++)
      if (own + 32 * k < here) mine[k] = x[32 * k];
#pragma unroll
    for (int k = 0; k < kEach; k++) {
      keys[k] = own + 32 * k < here ? sort_key(mine[k], descending) : ~K(0);
      places[k] = first + own + 32 * k;
    }
  } else {
    const Item<K>* x = (earlier % 2 == 1 ? items : others) + begin + first + own;
#pragma unroll
    for (int k = 0; k < kEach; k++) {
      Item<K> item = {~K(0), 0};
      if (own + 32 * k < here) item = x[32 * k];
      keys[k] = item.key;
      places[k] = item.place;
    }
  }

  // The tile's counts are known, and told, before any key has its place: other tiles wait for them.
#pragma unroll
  for (int k = 0; k < kEach; k++) atomicAdd(&warps[warp][digit_of(keys[k], shift)], 1u);
  __syncthreads();
  const Marks marks(pass);
  volatile uint64* word = shared.words + (long long)number * kDigits + thread;
  uint count = 0, found = 0, row_before = 0;
  if (tile == 0)
    row_before = sum_before(thread < kDigits ? shared.counts[((long long)row * kPasses + pass) * kDigits + thread] : 0);
  if (thread < kDigits) {
#pragma unroll
    for (int w = 0; w < kSweepWarps; w++) count += warps[w][thread];
    found = count - (thread == kDigits - 1 ? kAll - here : 0);
    *word = tile == 0 ? marks.whole | row_before + found : marks.part | found;
  }
  const uint before = sum_before(count);
  if (thread < kDigits) {
    uint next = before;
#pragma unroll
    for (int w = 0; w < kSweepWarps; w++) {
      uint own_count = warps[w][thread];
      warps[w][thread] = next;
      next += own_count;
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    forget(keys[k]);
    sorted[place_in_warp(warps[warp], keys[k], shift)] = {keys[k], places[k]};
  }
  if (thread < kDigits) {
    if (tile > 0) {
      row_before = look_back(word, tile, marks);
      *word = marks.whole | row_before + found;
    }
    starts[thread] = row_before - before;
  }
  __syncthreads();

  if (active >> pass > 1) {
    Item<K>* to = (earlier % 2 == 1 ? others : items) + begin;
    forget(to);
#pragma unroll 8
    for (int k = 0; k < kEach; k++) {
      const int i = thread + k * kSweepThreads;
      if (i >= here) break;
      Item<K> item = sorted[i];
      to[starts[digit_of(item.key, shift)] + uint(i)] = item;
    }
  } else {
    const T* x = in + begin;
    T* out = values == nullptr ? nullptr : values + begin;
    long long* positions = indices + begin;
    forget(positions);
#pragma unroll 4
    for (int k = 0; k < kEach; k++) {
      const int i = thread + k * kSweepThreads;
      if (i >= here) break;
      Item<K> item = sorted[i];
      const uint place = starts[digit_of(item.key, shift)] + uint(i);
      positions[place] = item.place;
      if (out != nullptr)
        out[place] = is_shared_key<T>(item.key, descending) ? x[item.place] : element_of<T>(item.key, descending);
    }
  }
#endif
}

// out[i]: how many elements of the sorted row come before value i: those smaller, or with `right` those not larger. A
// row serves `values` values; one row may serve all. Several are looked for at a time, by steps that are the same and
// have no branches: what one waits for from the memory, the others do not.
constexpr int kEdges = 2048;  // of a row that serves all, in the shared memory of a block of a GPU
#ifdef WARPCELL_SERIAL
constexpr int kSearches = 16;
#else
constexpr int kSearches = 4;
#endif

template <class T>
__global__ void search_sorted(const T* rows, const T* in, long long* out, long long count, long long length,
                              long long values, int right) {
  using K = SortKey<T>;
  auto is_before = [&](K there, K key) { return there < key || (right && there == key); };
#ifdef WARPCELL_SERIAL
  Span span = block_span(count);
  for (long long i = span.begin; i < span.end; i += kSearches) {
    int here = span.end - i < kSearches ? int(span.end - i) : kSearches;
    const T* first[kSearches];
    const T* row[kSearches];
    K keys[kSearches];
    for (int k = 0; k < here; k++) {
      first[k] = row[k] = rows + (i + k) / values * length;
      keys[k] = sort_key(in[i + k], 0);
    }
    for (long long left = length; left > 1; left -= left / 2) {
      for (int k = 0; k < here; k++) row[k] += is_before(sort_key(row[k][left / 2 - 1], 0), keys[k]) ? left / 2 : 0;
    }
    for (int k = 0; k < here; k++)
      out[i + k] = row[k] - first[k] + (length > 0 && is_before(sort_key(*row[k], 0), keys[k]) ? 1 : 0);
  }
#else
  __shared__ K edges[kEdges];
  const bool is_one = values >= count, is_near = is_one && length <= kEdges;
  if (is_near) {
    for (int i = threadIdx.x; i < length; i += blockDim.x) edges[i] = sort_key(rows[i], 0);
    __syncthreads();
  }
  const long long stride = (long long)gridDim.x * blockDim.x;
  for (long long first = global_index(); first < count; first += kSearches * stride) {
    const T* row[kSearches];
    K keys[kSearches];
    uint at[kSearches];
#pragma unroll
    for (int k = 0; k < kSearches; k++) {
      const long long i = first + k * stride;
      keys[k] = i < count ? sort_key(in[i], 0) : K(0);
      row[k] = is_one || i >= count ? rows : rows + i / values * length;
      at[k] = 0;
    }
    auto search = [&](auto key_at) {
      for (uint left = uint(length); left > 1; left -= left / 2) {
#pragma unroll
        for (int k = 0; k < kSearches; k++) at[k] += is_before(key_at(k, at[k] + left / 2 - 1), keys[k]) ? left / 2 : 0;
      }
#pragma unroll
      for (int k = 0; k < kSearches; k++) at[k] += length > 0 && is_before(key_at(k, at[k]), keys[k]) ? 1 : 0;
    };
    if (is_near)
      search([&](int, uint i) { return edges[i]; });
    else
      search([&](int k, uint i) { return sort_key(row[k][i], 0); });
#pragma unroll
    for (int k = 0; k < kSearches; k++)
      if (first + k * stride < count) out[first + k * stride] = at[k];
  }
#endif
}
