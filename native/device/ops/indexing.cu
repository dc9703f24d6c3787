// Reading and writing at positions: indices into the leading axes of an array, counted in row-major order, each of
// which stands for a row of the axes behind them. Moves by the size of an element; adds and compares by its type.
// Positions that come several times are sorted first, so that results are the same from run to run.
#include <warpcell/joins.cuh>
#include <warpcell/map.cuh>
#include <warpcell/mask_bits.cuh>

using namespace warpcell;

// Elements wider than any dtype, for rows that lie without gaps.
struct alignas(16) Sixteen {
  uint64 word[2];
};

// Calls `f(index)` for this block's part of `count` indices.
template <class F>
__device__ inline void for_each_index(long long count, F f) {
#ifdef WARPCELL_SERIAL
  Span span = block_span(count);
  for (long long i = span.begin; i < span.end; i++) f(i);
#else
  Span span = strided_span(count);
#pragma unroll 1
  for (long long i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) f(i);
#endif
}

// out = (out or 0) + index · stride + where the element lies along the other axes, which layout.strides[2] counts.
// Negative indices count from `limit`; `bad` gets the smallest place of one that is outside.
template <class I>
__global__ void positions(Layout<3> layout, const I* index, long long* out, long long count, long long limit,
                          long long stride, int accumulate, long long* bad) {
  auto place = [&](const I* from, long long* to, long long along) {
    long long value = (long long)*from;
    if (value < 0) value += limit;
    bool is_outside = value < 0 || value >= limit;
    *to = (accumulate ? *to : 0) + (is_outside ? 0 : value * stride) + along;
    return is_outside;
  };
#ifdef WARPCELL_SERIAL
  const int inner = layout.rank - 1;
  const long long step = layout.strides[0][inner], step_index = layout.strides[1][inner],
                  step_along = layout.strides[2][inner];
  const long long none = 0x7fffffffffffffffLL;
  long long first_bad = none, at = block_span(count).begin;
  for_rows(layout, count, [&](const Offsets<3>& offsets, long long length) {
    bool is_any_outside = false;
    for (long long i = 0; i < length; i++)
      is_any_outside |=
          place(index + offsets.at[1] + i * step_index, out + offsets.at[0] + i * step, offsets.at[2] + i * step_along);
    // Which one is looked for only where there is one.
    for (long long i = 0; is_any_outside && i < length; i++) {
      long long value = (long long)index[offsets.at[1] + i * step_index];
      if ((value < -limit || value >= limit) && at + i < first_bad) first_bad = at + i;
    }
    at += length;
  });
  if (first_bad < none) atomicMin(bad, first_bad);
#else
  for_each_index(count, [&](long long i) {
    Offsets<3> at = offsets(layout, i);
    if (place(index + at.at[1], out + at.at[0], at.at[2])) atomicMin(bad, i);
  });
#endif
}

// out[b, r] = in[positions[b], r]; `out` lies without gaps, `width` elements a row.
template <class T>
__global__ void take_rows(Layout<1> lead, Layout<1> rest, const T* in, const long long* positions, T* out,
                          long long count, long long width) {
#ifdef WARPCELL_SERIAL
  Span span = block_span(count * width);
  const bool is_dense = rest.rank == 1 && rest.strides[0][0] == 1;
  if (width == 1) {
    const long long stride = lead.strides[0][0];
    if (lead.rank == 1)
      for (long long i = span.begin; i < span.end; i++) out[i] = in[positions[i] * stride];
    else
      for (long long i = span.begin; i < span.end; i++) out[i] = in[offsets(lead, positions[i]).at[0]];
    return;
  }
  for (long long at = span.begin; at < span.end;) {
    long long row = at / width, first = at - row * width,
              steps = width - first < span.end - at ? width - first : span.end - at;
    const T* from = in + offsets(lead, positions[row]).at[0];
    if (is_dense) {
      for (long long r = 0; r < steps; r++) out[at + r] = from[first + r];
    } else {
      for (long long r = 0; r < steps; r++) out[at + r] = from[offsets(rest, first + r).at[0]];
    }
    at += steps;
  }
#else
  const bool is_small = count * width < 0x7fffffffLL;
  for_each_index(count * width, [&](long long i) {
    long long row = is_small ? (long long)(unsigned(i) / unsigned(width)) : i / width;
    out[i] = in[offsets(lead, positions[row]).at[0] + offsets(rest, i - row * width).at[0]];
  });
#endif
}

// A mask in parts of `chunk` elements, one for each warp on a GPU and each block on the CPU: how many are true in each,
// and then, from the sums of those, what is done with each element by the number of true ones before it.
constexpr int kBits = 16;  // of a thread on a GPU: neighbours of a mask that are read at once

#ifndef WARPCELL_SERIAL
// A bit for each of the kBits elements from `first` on that is true. Those past `end` are not.
__device__ inline uint true_bits(const bool* mask, long long first, long long end) {
  uint bits = 0;
  if (first + kBits <= end && (unsigned long long)(mask + first) % kBits == 0) {
    const uint4 words = *(const uint4*)(mask + first);
    auto of = [](uint word) {
      const uint marks = (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7 & 0x01010101u;
      return marks * 0x10204080u >> 28;
    };
    return of(words.x) | of(words.y) << 4 | of(words.z) << 8 | of(words.w) << 12;
  }
  for (int i = 0; i < kBits; i++)
    if (first + i < end && mask[first + i]) bits |= 1u << i;
  return bits;
}
__device__ inline long long part_of_thread() { return global_index() / 32; }
#endif

__global__ void count_true(const bool* mask, long long* counts, long long count, long long chunk) {
#ifdef WARPCELL_SERIAL
  long long begin = blockIdx.x * chunk, end = begin + chunk < count ? begin + chunk : count, found = 0, i = begin;
  for (; i + kEight <= end; i += kEight) found += __builtin_popcount(eight_bits(mask + i));
  for (; i < end; i++) found += mask[i] ? 1 : 0;
  counts[blockIdx.x] = found;
#else
  const long long part = part_of_thread(), begin = part * chunk, end = begin + chunk < count ? begin + chunk : count;
  if (begin >= count) return;
  const int lane = threadIdx.x % 32;
  int found = 0;
  for (long long first = begin + lane * kBits; first < end; first += 32 * kBits)
    found += __popc(true_bits(mask, first, end));
#pragma unroll
  for (int delta = 16; delta > 0; delta /= 2) found += __shfl_down_sync(0xffffffffu, found, delta);
  if (lane == 0) counts[part] = found;
#endif
}

// Calls f(i, whether mask[i] is true, how many true ones are before it) for each i of this thread's.
template <class F>
__device__ inline void for_each_true(const bool* mask, const long long* starts, long long count, long long chunk, F f) {
#ifdef WARPCELL_SERIAL
  long long begin = blockIdx.x * chunk, end = begin + chunk < count ? begin + chunk : count, at = starts[blockIdx.x];
  for (long long i = begin; i < end; i++) {
    f(i, mask[i], at);
    at += mask[i] ? 1 : 0;
  }
#else
  const long long part = part_of_thread(), begin = part * chunk, end = begin + chunk < count ? begin + chunk : count;
  if (begin >= count) return;
  const int lane = threadIdx.x % 32;
  long long at = starts[part];
  for (long long first = begin; first < end; first += 32 * kBits) {
    const uint bits = true_bits(mask, first + lane * kBits, end);
    // The bits of two threads are a row of 32 elements, of which each thread takes one, so that neighbours go together.
#pragma unroll
    for (int row = 0; row < kBits; row++) {
      const uint low = __shfl_sync(0xffffffffu, bits, 2 * row), high = __shfl_sync(0xffffffffu, bits, 2 * row + 1);
      const uint word = low | high << kBits;
      const long long i = first + row * 32 + lane;
      if (i < end) f(i, (word >> lane & 1) != 0, at + __popc(word & ((1u << lane) - 1)));
      at += __popc(word);
    }
  }
#endif
}

// Writes at(i) for each true one, without gaps.
template <class T, class At>
__device__ inline void write_true(const bool* mask, const long long* starts, T* out, long long count, long long chunk,
                                  At at) {
#ifdef WARPCELL_SERIAL
  // No branch depends on the mask: what is not true is written over by the next.
  constexpr int kStretch = 1024;
  T found[kStretch + 1];
  long long begin = blockIdx.x * chunk, end = begin + chunk < count ? begin + chunk : count;
  out += starts[blockIdx.x];
  for (long long first = begin; first < end; first += kStretch) {
    const int length = int(end - first < kStretch ? end - first : kStretch);
    int kept = 0;
    for (int i = 0; i < length; i++) {
      found[kept] = at(first + i);
      kept += mask[first + i] ? 1 : 0;
    }
    __builtin_memcpy(out, found, kept * sizeof(T));
    out += kept;
  }
#else
  for_each_true(mask, starts, count, chunk, [=](long long i, bool is_true, long long place) {
    if (is_true) out[place] = at(i);
  });
#endif
}

// The places of the true ones.
__global__ void place_true(const bool* mask, const long long* starts, long long* out, long long count,
                           long long chunk) {
#ifdef WARPCELL_SERIAL
  const long long begin = blockIdx.x * chunk, end = begin + chunk < count ? begin + chunk : count;
  long long *to = out + starts[blockIdx.x], *const stop = out + starts[blockIdx.x + 1];
  long long i = begin;
  // All eight are written: those behind the true ones are written over by the next.
  for (; i + kEight <= end && to + kEight <= stop; i += kEight) {
    const uint bits = eight_bits(mask + i);
    const uchar* places = kEights.places[bits];
    for (int k = 0; k < kEight; k++) to[k] = i + places[k];
    to += __builtin_popcount(bits);
  }
  for (; i < end; i++)
    if (mask[i]) *to++ = i;
#else
  write_true(mask, starts, out, count, chunk, [](long long i) { return i; });
#endif
}

// The elements of `in` where the mask is true.
template <class T>
__global__ void select_true(const bool* mask, const long long* starts, const T* in, T* out, long long count,
                            long long chunk) {
  write_true(mask, starts, out, count, chunk, [=](long long i) { return in[i]; });
}

// The other way round: where the mask is true the next of `in`, else 0.
template <class T>
__global__ void spread_true(const bool* mask, const long long* starts, const T* in, T* out, long long count,
                            long long chunk) {
  for_each_true(mask, starts, count, chunk, [=](long long i, bool is_true, long long place) {
    if (is_true)
      out[i] = in[place];
    else
      out[i] = T{};
  });
}

// Whether an element of a sorted list is the first of a group of equal ones.
template <class T>
__global__ void mark_groups(const T* sorted, bool* is_first, long long count) {
  for_each_index(count,
                 [=](long long i) { is_first[i] = i == 0 || !(widen<T>(sorted[i]) == widen<T>(sorted[i - 1])); });
}

// For each group where it begins in the sorted list, and in the list as it was, whose elements get the number of
// theirs.
__global__ void place_groups(const bool* is_first, const long long* starts, const long long* order, long long* begins,
                             long long* firsts, long long* groups, long long count, long long chunk) {
  for_each_true(is_first, starts, count, chunk, [=](long long i, bool is_true, long long before) {
    const long long place = order[i];
    if (is_true) {
      begins[before] = i;
      firsts[before] = place;
    }
    groups[place] = is_true ? before : before - 1;
  });
}

// How many elements each group has, of `count` in all.
__global__ void count_groups(const long long* begins, long long* counts, long long groups, long long count) {
  for_each_index(groups, [=](long long i) { counts[i] = (i + 1 < groups ? begins[i + 1] : count) - begins[i]; });
}

constexpr int kMostThreads = 1024;
#ifndef WARPCELL_SERIAL
// The sum of the threads before this one, for blocks of up to kMostThreads; `total` becomes that of all.
__device__ inline long long before(long long value, long long& total) {
  __shared__ long long sums[kMostThreads / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
  long long sum = value;
#pragma unroll
  for (int delta = 1; delta < 32; delta *= 2) {
    long long other = __shfl_up_sync(0xffffffffu, sum, delta);
    if (lane >= delta) sum += other;
  }
  __syncthreads();
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  long long base = 0, all = 0;
  for (int w = 0; w < warps; w++) {
    if (w < warp) base += sums[w];
    all += sums[w];
  }
  total = all;
  return base + sum - value;
}
#endif

// Where positions lie along one axis, of `size`, whose steps are `step` positions; results are `rank` apart.
template <class I>
__global__ void coordinates(const I* positions, I* out, long long count, long long size, long long step,
                            long long rank) {
  for_each_index(count, [&](long long p) {
    const long long position = positions[p];
    // Half the time, where 31 bits are enough.
    if (position >> 31 == 0 && step >> 31 == 0 && size >> 31 == 0)
      out[p * rank] = uint(position) / uint(step) % uint(size);
    else
      out[p * rank] = position / step % size;
  });
}

// Each becomes the sum of those before it, by one block; the sum of all is written behind them.
template <class T>
__global__ void sums_before(T* values, long long count) {
#ifdef WARPCELL_SERIAL
  T sum = 0;
  for (long long i = 0; i < count; i++) {
    T value = values[i];
    values[i] = sum;
    sum += value;
  }
  values[count] = sum;
#else
  long long base = 0;
  for (long long first = 0; first < count; first += blockDim.x) {
    long long i = first + threadIdx.x, total;
    long long value = i < count ? values[i] : 0;
    long long sum = before(value, total);
    if (i < count) values[i] = base + sum;
    base += total;
  }
  if (threadIdx.x == 0) values[count] = base;
#endif
}

// A stable sort by the digits of a number (Knuth, The Art of Computer Programming 3, 5.2.5), lowest first. A block
// counts the digits of its part; `counts` is [digits, blocks]. `order` says where each key came from; null: it is still
// where it began.
#ifdef WARPCELL_SERIAL
constexpr int kDigits = 256;
#else
constexpr int kDigits = 16;
#endif
constexpr int kThreads = 256, kItems = 16;  // of a block of radix_place on a GPU; its part is all of them

template <class K>
__global__ void radix_count(const K* keys, long long* counts, long long count, long long chunk, int shift) {
  long long begin = blockIdx.x * chunk, end = begin + chunk < count ? begin + chunk : count;
#ifdef WARPCELL_SERIAL
  long long found[kDigits] = {};
  // See sort_rows: counts are no vectors, whatever Clang 14 thinks.
#pragma clang loop vectorize(disable)
  for (long long i = begin; i < end; i++) found[keys[i] >> shift & (kDigits - 1)] += 1;
  for (int digit = 0; digit < kDigits; digit++) counts[digit * gridDim.x + blockIdx.x] = found[digit];
#else
  __shared__ int found[kDigits];
  if (threadIdx.x < kDigits) found[threadIdx.x] = 0;
  __syncthreads();
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x)
    atomicAdd(&found[keys[i] >> shift & (kDigits - 1)], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) counts[(long long)threadIdx.x * gridDim.x + blockIdx.x] = found[threadIdx.x];
#endif
}

template <class K>
__global__ void radix_place(const K* keys, const long long* order, const long long* starts, K* sorted,
                            long long* sorted_order, long long count, long long chunk, int shift, int is_first) {
  long long begin = blockIdx.x * chunk, end = begin + chunk < count ? begin + chunk : count;
#ifdef WARPCELL_SERIAL
  long long next[kDigits];
  for (int digit = 0; digit < kDigits; digit++) next[digit] = starts[digit * gridDim.x + blockIdx.x];
#pragma clang loop vectorize(disable)
  for (long long i = begin; i < end; i++) {
    long long at = next[keys[i] >> shift & (kDigits - 1)]++;
    sorted[at] = keys[i];
    sorted_order[at] = is_first ? i : order[i];
  }
#else
  // A thread takes neighbours, so that earlier threads have earlier keys.
  __shared__ ushort found[kDigits][kThreads];
#pragma unroll
  for (int digit = 0; digit < kDigits; digit++) found[digit][threadIdx.x] = 0;
  long long first = begin + threadIdx.x * kItems;
  for (int item = 0; item < kItems && first + item < end; item++)
    found[keys[first + item] >> shift & (kDigits - 1)][threadIdx.x] += 1;
  __syncthreads();
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int digit = warp; digit < kDigits; digit += kThreads / 32) {
    int own = 0;
#pragma unroll
    for (int k = 0; k < kThreads / 32; k++) own += found[digit][lane * (kThreads / 32) + k];
    int sum = own;
#pragma unroll
    for (int delta = 1; delta < 32; delta *= 2) {
      int other = __shfl_up_sync(0xffffffffu, sum, delta);
      if (lane >= delta) sum += other;
    }
    sum -= own;
#pragma unroll
    for (int k = 0; k < kThreads / 32; k++) {
      int here = found[digit][lane * (kThreads / 32) + k];
      found[digit][lane * (kThreads / 32) + k] = ushort(sum);
      sum += here;
    }
  }
  __syncthreads();
  for (int item = 0; item < kItems && first + item < end; item++) {
    long long i = first + item;
    K key = keys[i];
    int digit = int(key >> shift & (kDigits - 1));
    long long at = starts[(long long)digit * gridDim.x + blockIdx.x] + found[digit][threadIdx.x]++;
    sorted[at] = key;
    sorted_order[at] = is_first ? i : order[i];
  }
#endif
}

// out[keys[i], r] = in[order[i], r] for the last of equal keys. `rest` has the strides of `out` and of `in`, whose rows
// lie `step` apart. Without `order` keys are not sorted, and none comes twice.
template <class T>
__global__ void put_rows(Layout<1> lead, Layout<2> rest, const long long* keys, const long long* order, int is_sorted,
                         const T* in, T* out, long long count, long long width, long long step) {
#ifdef WARPCELL_SERIAL
  Span span = block_span(count);
  const bool is_dense = rest.rank == 1 && rest.strides[0][0] == 1 && rest.strides[1][0] == 1;
  for (long long i = span.begin; i < span.end; i++) {
    if (is_sorted && i + 1 < count && keys[i + 1] == keys[i]) continue;
    T* to = out + offsets(lead, keys[i]).at[0];
    const T* from = in + (is_sorted ? order[i] : i) * step;
    if (is_dense) {
      for (long long r = 0; r < width; r++) to[r] = from[r];
    } else {
      for (long long r = 0; r < width; r++) {
        Offsets<2> at = offsets(rest, r);
        to[at.at[0]] = from[at.at[1]];
      }
    }
  }
#else
  const bool is_small = count * width < 0x7fffffffLL;
  for_each_index(count * width, [&](long long index) {
    long long i = is_small ? (long long)(unsigned(index) / unsigned(width)) : index / width;
    if (is_sorted && i + 1 < count && keys[i + 1] == keys[i]) return;
    Offsets<2> at = offsets(rest, index - i * width);
    out[offsets(lead, keys[i]).at[0] + at.at[0]] = in[(is_sorted ? order[i] : i) * step + at.at[1]];
  });
#endif
}

#ifdef WARPCELL_SERIAL
constexpr int kWindow = 256;  // elements of a row that are gathered at a time
#endif

// out[key, r] joined with in[order[i], r] of every i with that key, in their order; keys are sorted. The rest as in
// put_rows.
template <template <class> class Op, class T>
__global__ void join_rows(Layout<1> lead, Layout<2> rest, const long long* keys, const long long* order, const T* in,
                          T* out, long long count, long long width, long long step) {
#ifdef WARPCELL_SERIAL
  Span span = block_span(count);
  const bool is_dense = rest.rank == 1 && rest.strides[0][0] == 1 && rest.strides[1][0] == 1;
  for (long long i = span.begin; i < span.end; i++) {
    if (i > 0 && keys[i - 1] == keys[i]) continue;
    T* to = out + offsets(lead, keys[i]).at[0];
    for (long long first = 0; first < width; first += kWindow) {
      int steps = width - first < kWindow ? int(width - first) : kWindow;
      Op<Wide<T>> states[kWindow];
      for (int r = 0; r < steps; r++)
        states[r].start(widen<T>(to[is_dense ? first + r : offsets(rest, first + r).at[0]]));
      for (long long j = i; j < count && keys[j] == keys[i]; j++) {
        const T* from = in + order[j] * step;
        if (is_dense) {
          for (int r = 0; r < steps; r++) states[r].add(widen<T>(from[first + r]));
        } else {
          for (int r = 0; r < steps; r++) states[r].add(widen<T>(from[offsets(rest, first + r).at[1]]));
        }
      }
      for (int r = 0; r < steps; r++)
        to[is_dense ? first + r : offsets(rest, first + r).at[0]] = narrow<T>(states[r].finish());
    }
  }
#else
  const bool is_small = count * width < 0x7fffffffLL;
  for_each_index(count * width, [&](long long index) {
    long long i = is_small ? (long long)(unsigned(index) / unsigned(width)) : index / width;
    long long key = keys[i];
    if (i > 0 && keys[i - 1] == key) return;
    Offsets<2> at = offsets(rest, index - i * width);
    T* to = out + offsets(lead, key).at[0] + at.at[0];
    const T* from = in + at.at[1];
    Op<Wide<T>> state;
    state.start(widen<T>(*to));
    for (long long j = i; j < count && keys[j] == key; j++) state.add(widen<T>(from[order[j] * step]));
    *to = narrow<T>(state.finish());
  });
#endif
}
