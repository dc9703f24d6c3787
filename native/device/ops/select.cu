// The first k elements of rows in sorted order, or the k-th alone, without sorting the rest. On a GPU digits of keys
// are counted from the highest, and what a digit decides is left out of the next count (Zhang, Naruse, Li and Wang
// 2023, "Parallel Top-K Algorithms on GPU"); places are further digits, so that of equal elements the earlier come
// first. On the CPU a block reads its part once, and keeps what comes before the k-th of those so far.
#include <warpcell/map.cuh>
#include <warpcell/order.cuh>

using namespace warpcell;

template <class K>
struct alignas(2 * sizeof(K)) Candidate {
  K key;
  uint place;
  __device__ inline bool is_before(const Candidate& other) const {
    return key < other.key || (key == other.key && place < other.place);
  }
};

constexpr int kDigitBits = 11, kCounters = 1 << kDigitBits;
constexpr int kThreads = 512, kEach = 8, kTile = kThreads * kEach;
constexpr int kCopies = 4;   // of a block's counters, among which lanes share: neighbours often count the same
constexpr int kMost = 2048;  // elements that are wanted of a row
constexpr int kRun = 64;     // elements that the CPU looks at together

template <class T>
constexpr int kKeyRounds = (8 * int(sizeof(T)) + kDigitBits - 1) / kDigitBits;
constexpr int kPlaceRounds = (32 + kDigitBits - 1) / kDigitBits;

// How far up the digit of a round is, of `bits` bits.
__device__ inline int shift_of(int bits, int round) {
  const int shift = bits - kDigitBits * (round + 1);
  return shift > 0 ? shift : 0;
}
__device__ inline int mask_of(int bits, int round) {
  const int rest = bits - kDigitBits * round;
  return (1 << (rest < kDigitBits ? rest : kDigitBits)) - 1;
}

// What is known of a row after some rounds, all zeros at first: the digits chosen, how many elements with these digits
// are still wanted (less k, so that it begins as 0), how many there are, and where.
struct Choice {
  uint64 key;
  uint place, found, alive, digits, is_done;
  uint held;  // elements in the buffer that is `source`; 0 is the row itself
  uint source;
  uint winners, stored, finished;
};

#ifndef WARPCELL_SERIAL
// Whether a candidate's first `digits` digits come before those chosen (-1), are those (0), or come behind (1).
template <class T>
__device__ inline int compared(const Candidate<SortKey<T>>& item, const Choice& choice, int digits) {
  if (digits == 0) return 0;
  using K = SortKey<T>;
  const int last = digits < kKeyRounds<T> ? digits : kKeyRounds<T>, shift = shift_of(8 * sizeof(T), last - 1);
  const K mine = item.key >> shift, wanted = K(choice.key) >> shift;
  if (mine != wanted) return mine < wanted ? -1 : 1;
  if (digits <= kKeyRounds<T>) return 0;
  const int low = shift_of(32, digits - kKeyRounds<T> - 1);
  const uint place = item.place >> low, chosen = choice.place >> low;
  return place == chosen ? 0 : place < chosen ? -1 : 1;
}

template <class T>
__device__ inline int digit_of_round(const Candidate<SortKey<T>>& item, int round) {
  constexpr int kBits = 8 * sizeof(T);
  if (round < kKeyRounds<T>) return int(item.key >> shift_of(kBits, round)) & mask_of(kBits, round);
  return int(item.place >> shift_of(32, round - kKeyRounds<T>)) & mask_of(32, round - kKeyRounds<T>);
}

// Calls `use(candidate, is_there)` for all elements of a row's source that are this block's, kEach a thread at a time,
// and `end()` after each tile. All threads call both.
template <class T, class Use, class End>
__device__ inline void for_candidates(const T* x, const Candidate<SortKey<T>>* held, const Choice& choice,
                                      long long length, long long part, long long parts, int descending, Use use,
                                      End end) {
  const bool is_row = choice.source == 0;
  const long long count = is_row ? length : choice.held;
  for (long long first = part * kTile; first < count; first += parts * kTile) {
    Candidate<SortKey<T>> items[kEach];
    T loaded[kEach];
#pragma unroll
    for (int k = 0; k < kEach; k++) {
      const long long i = first + k * kThreads + threadIdx.x;
      if (i >= count) continue;
      if (is_row)
        loaded[k] = x[i];
      else
        items[k] = held[i];
    }
#pragma unroll
    for (int k = 0; k < kEach; k++) {
      const long long i = first + k * kThreads + threadIdx.x;
      if (is_row && i < count) items[k] = {sort_key(loaded[k], descending), uint(i)};
      use(k, items[k], i < count);
    }
    end(items);
  }
}
#endif

#ifdef WARPCELL_SERIAL
// Leaves the first k of `count` candidates, which come in the order of their places, in that order; returns the key of
// the last of them in sorted order.
template <class K>
__device__ inline K keep_first(Candidate<K>* items, long long count, long long k) {
  K key = 0, known = 0;
  long long left = k;
  for (int shift = 8 * sizeof(K) - 8; shift >= 0; shift -= 8) {
    long long counts[256] = {};
#pragma clang loop vectorize(disable)
    for (long long i = 0; i < count; i++)
      if ((items[i].key & known) == key) counts[items[i].key >> shift & 255]++;
    int digit = 0;
    for (; counts[digit] < left; digit++) left -= counts[digit];
    key |= K(digit) << shift;
    known |= K(255) << shift;
  }
  long long at = 0;
  for (long long i = 0; i < count; i++) {
    const bool is_kept = items[i].key < key || (items[i].key == key && left-- > 0);
    items[at] = items[i];
    at += is_kept;
  }
  return key;
}
#endif

// Candidates of a part of a row on the CPU: the first k of its elements, and where there are fewer some that come
// behind all. A block has room for `room` of them, kRun more than k at least.
template <class T>
__global__ void select_part(const T* in, Candidate<SortKey<T>>* rooms, Candidate<SortKey<T>>* winners, long long rows,
                            long long length, long long parts, long long k, long long room, int descending) {
#ifdef WARPCELL_SERIAL
  using K = SortKey<T>;
  Candidate<K>* items = rooms + blockIdx.x * room;
  const long long share = (length + parts - 1) / parts;
  for (long long at = blockIdx.x; at < rows * parts; at += gridDim.x) {
    const long long row = at / parts, begin = at % parts * share;
    const long long end = begin + share < length ? begin + share : length;
    const T* x = in + row * length;
    long long count = 0;
    // From the first time on that there were too many, the k-th so far: what comes later must be before it.
    bool is_bound = false;
    K bound = 0;
    for (long long first = begin; first < end; first += kRun) {
      const int here = end - first < kRun ? int(end - first) : kRun;
      K keys[kRun];
      bool is_any = !is_bound;
      for (int i = 0; i < here; i++) keys[i] = sort_key(x[first + i], descending);
      for (int i = 0; i < here; i++) is_any |= keys[i] < bound;
      if (!is_any) continue;
      if (count + kRun > room) {
        bound = keep_first(items, count, k);
        is_bound = true;
        count = k;
      }
      for (int i = 0; i < here; i++) {
        items[count] = {keys[i], uint(first + i)};
        count += !is_bound || keys[i] < bound;
      }
    }
    if (count > k) {
      keep_first(items, count, k);
      count = k;
    }
    for (long long i = 0; i < k; i++) winners[at * k + i] = i < count ? items[i] : Candidate<K>{~K(0), ~0u};
  }
#endif
}

// The first k of all candidates of a row, of which there are `count`, in sorted order.
template <class T>
__global__ void select_merged(const T* in, Candidate<SortKey<T>>* winners, Candidate<SortKey<T>>* rooms, T* values,
                              long long* indices, long long rows, long long length, long long count, long long k) {
#ifdef WARPCELL_SERIAL
  using Item = Candidate<SortKey<T>>;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    Item *from = winners + row * count, *to = rooms + row * k;
    if (count > k) keep_first(from, count, k);
    // By merging runs, which keeps the order of equal ones.
    for (long long run = 1; run < k; run *= 2) {
      for (long long first = 0; first < k; first += 2 * run) {
        const long long middle = first + run < k ? first + run : k, end = middle + run < k ? middle + run : k;
        long long a = first, b = middle;
        for (long long i = first; i < end; i++)
          to[i] = b >= end || (a < middle && from[a].key <= from[b].key) ? from[a++] : from[b++];
      }
      Item* next = from;
      from = to;
      to = next;
    }
    for (long long i = 0; i < k; i++) {
      values[row * k + i] = in[row * length + from[i].place];
      indices[row * k + i] = from[i].place;
    }
  }
#endif
}

// One digit more. `buffers` has twice `capacity` candidates a row, `winners` k of them.
template <class T>
__global__ void __launch_bounds__(kThreads)
    select_digit(const T* in, Candidate<SortKey<T>>* buffers, Candidate<SortKey<T>>* winners, Choice* choices,
                 uint* counters, long long length, long long parts, int k, long long capacity, int round,
                 int descending, int is_kth) {
#ifndef WARPCELL_SERIAL
  using Item = Candidate<SortKey<T>>;
  __shared__ uint found[kCopies][kCounters], won, kept, won_base, kept_base;
  __shared__ uint sums[kThreads / 32];
  __shared__ bool is_last;
  const long long row = blockIdx.x / parts, part = blockIdx.x % parts;
  const Choice choice = choices[row];
  if (choice.is_done) return;
  const bool is_stored = round > 0 && choice.alive <= capacity;
  Item* target = buffers + (row * 2 + round % 2) * capacity;
  const Item* held = buffers + (row * 2 + (round + 1) % 2) * capacity;
  for (int i = threadIdx.x; i < kCopies * kCounters; i += kThreads) found[0][i] = 0;
  if (threadIdx.x == 0) won = kept = 0;
  __syncthreads();
  int status[kEach];
  uint rank[kEach];
  for_candidates<T>(
      in + row * length, held, choice, length, part, parts, descending,
      [&](int e, const Item& item, bool is_there) {
        status[e] = 1;
        if (!is_there || (choice.source == 0 && round > 0 && compared<T>(item, choice, round - 1) != 0)) return;
        status[e] = compared<T>(item, choice, round);
        if (status[e] == 0) atomicAdd(&found[threadIdx.x % kCopies][digit_of_round<T>(item, round)], 1u);
        if (status[e] < 0 && !is_kth) rank[e] = atomicAdd(&won, 1u);
        if (status[e] == 0 && is_stored) rank[e] = atomicAdd(&kept, 1u);
      },
      [&](const Item* items) {
        if (round == 0) return;
        __syncthreads();
        if (threadIdx.x == 0) {
          won_base = won > 0 ? atomicAdd(&choices[row].winners, won) : 0;
          kept_base = kept > 0 ? atomicAdd(&choices[row].stored, kept) : 0;
          won = kept = 0;
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < kEach; e++) {
          if (status[e] < 0 && !is_kth) winners[row * k + won_base + rank[e]] = items[e];
          if (status[e] == 0 && is_stored) target[kept_base + rank[e]] = items[e];
        }
      });
  __syncthreads();
  for (int i = threadIdx.x; i < kCounters; i += kThreads) {
    uint sum = 0;
    for (int copy = 0; copy < kCopies; copy++) sum += found[copy][i];
    if (sum > 0) atomicAdd(&counters[row * kCounters + i], sum);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&choices[row].finished, 1u) == uint(parts) - 1;
  __syncthreads();
  if (!is_last) return;

  // The block that is done last chooses: the digit in which the last element that is wanted lies.
  __threadfence();
  constexpr int kOwn = kCounters / kThreads;
  uint own[kOwn], sum = 0;
  for (int i = 0; i < kOwn; i++) {
    volatile uint* counter = &counters[row * kCounters + threadIdx.x * kOwn + i];
    own[i] = *counter;
    *counter = 0;
    sum += own[i];
  }
  uint before = sum;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int delta = 1; delta < 32; delta *= 2) {
    const uint other = __shfl_up_sync(0xffffffffu, before, delta);
    if (lane >= delta) before += other;
  }
  if (lane == 31) sums[warp] = before;
  __syncthreads();
  before -= sum;
  for (int w = 0; w < warp; w++) before += sums[w];
  const uint wanted = uint(k) - choice.found;
  for (int i = 0; i < kOwn; i++) {
    if (before < wanted && wanted <= before + own[i]) {
      Choice* next = &choices[row];
      const uint digit = threadIdx.x * kOwn + i;
      if (round < kKeyRounds<T>)
        next->key = choice.key | uint64(digit) << shift_of(8 * sizeof(T), round);
      else
        next->place = choice.place | digit << shift_of(32, round - kKeyRounds<T>);
      next->found = choice.found + before;
      next->alive = own[i];
      next->digits = round + 1;
      next->is_done = is_kth ? own[i] == 1 : own[i] == wanted - before;
      if (is_stored) {
        next->source = 1;
        next->held = choice.alive;
      }
      next->stored = 0;
      next->finished = 0;
    }
    before += own[i];
  }
#endif
}

// What is left when all that are alive are wanted: they, and those that the last digit put before them.
template <class T>
__global__ void __launch_bounds__(kThreads)
    select_rest(const T* in, const Candidate<SortKey<T>>* buffers, Candidate<SortKey<T>>* winners, Choice* choices,
                long long length, long long parts, int k, long long capacity, int descending, int is_kth) {
#ifndef WARPCELL_SERIAL
  using Item = Candidate<SortKey<T>>;
  const long long row = blockIdx.x / parts, part = blockIdx.x % parts;
  const Choice choice = choices[row];
  const Item* held = buffers + (row * 2 + (choice.digits + 1) % 2) * capacity;
  for_candidates<T>(
      in + row * length, held, choice, length, part, parts, descending,
      [&](int, const Item& item, bool is_there) {
        if (!is_there || (choice.source == 0 && compared<T>(item, choice, choice.digits - 1) != 0)) return;
        const int status = compared<T>(item, choice, choice.digits);
        if (is_kth ? status == 0 : status <= 0)
          winners[row * (is_kth ? 1 : k) + (is_kth ? 0 : atomicAdd(&choices[row].winners, 1u))] = item;
      },
      [](const Item*) {});
#endif
}

// The winners of a row in order, by a block of a GPU (Batcher 1968): `width` is the power of two that holds them.
template <class T>
__global__ void select_sorted(const T* in, const Candidate<SortKey<T>>* winners, T* values, long long* indices,
                              long long length, int k, int width) {
#ifndef WARPCELL_SERIAL
  using Item = Candidate<SortKey<T>>;
  extern __shared__ uint4 memory[];
  Item* items = (Item*)memory;
  const long long row = blockIdx.x;
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    items[i] = i < k ? winners[row * k + i] : Item{~SortKey<T>(0), ~0u};
  for (int size = 2; size <= width; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      for (int pair = threadIdx.x; pair < width / 2; pair += blockDim.x) {
        const int i = pair / step * 2 * step + pair % step, j = i + step;
        const bool is_up = (i & size) == 0;
        if (items[j].is_before(items[i]) == is_up) {
          const Item item = items[i];
          items[i] = items[j];
          items[j] = item;
        }
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < k; i += blockDim.x) {
    const uint place = items[i].place;
    values[row * k + i] = in[row * length + place];
    indices[row * k + i] = place;
  }
#endif
}
