// On a GPU floats added where indices along an axis say (axis.cu), by sums that do not depend on the order of their
// elements: each is a whole number of units, which the largest of its place says, and whole numbers are added up
// exactly, by atomics.
#include <warpcell/axis_lines.cuh>

using namespace warpcell;

// An element loses what lies `room` bits and more behind the
// last of the largest one, of which 2^(38 - room) may come. Where one is not finite they are counted: in the lowest
// bits those that are +Infinity, above them -Infinity, then NaN, each 2^20 times at most.
constexpr int kUnitBits = 38, kMostSummed = 1 << 20;
#ifndef WARPCELL_SERIAL
constexpr uint kInfinite = 0x7f800000u, kMagnitude = 0x7fffffffu;
__device__ inline int exponent_of(uint magnitude) { return magnitude < 0x00800000u ? 1 : int(magnitude >> 23); }

__device__ inline long long units_of(float x, uint most, int room) {
  const uint bits = float_bits(x), magnitude = bits & kMagnitude;
  if (most >= kInfinite)
    return magnitude < kInfinite ? 0 : magnitude > kInfinite ? 1LL << 42 : bits == magnitude ? 1 : 1LL << 21;
  const long long digits = magnitude < 0x00800000u ? magnitude : (magnitude & 0x007fffffu) | 0x00800000u;
  const int shift = room - (exponent_of(most) - exponent_of(magnitude));
  const long long units = shift >= 0 ? digits << shift : shift < -25 ? 0 : (digits + (1LL << (-shift - 1))) >> -shift;
  return bits == magnitude ? units : -units;
}
__device__ inline float with_units(float x, uint most, long long units, int room) {
  if (units == 0) return x;
  if (most < kInfinite) {
    union {
      uint64 bits;
      double value;
    } unit;
    unit.bits = uint64(1023 + exponent_of(most) - 150 - room) << 52;
    return float(double(x) + double(units) * unit.value);
  }
  const float infinity = __uint_as_float(kInfinite), nan = infinity - infinity;
  const bool is_nan = units >> 42 != 0, has_least = (units >> 21 & 0x1fffff) != 0, has_most = (units & 0x1fffff) != 0;
  return x + (is_nan || (has_least && has_most) ? nan : has_least ? -infinity : infinity);
}
#endif

// Rows or columns whose places a block has room for: their largest elements, and the low and the high half of the sums.
template <class T, class I>
__global__ void __launch_bounds__(kJoinThreads)
    add_lines(const T* x, const I* index, const T* source, T* out, long long outer, int length, int own,
              long long inner, int lines, int room, long long* outside) {
#ifndef WARPCELL_SERIAL
  extern __shared__ uint words[];
  const Lines mine(outer, length, own, inner, lines);
  const int places = mine.places();
  uint *most = words, *low = most + places, *high = low + places;
  for (int i = threadIdx.x; i < 3 * places; i += kJoinThreads) words[i] = 0;
  __syncthreads();
  Checked checked(length);
  const I* at = index + mine.first_element;
  const T* from = source + mine.first_element;
  I indices[kEach];
  T loaded[kEach];
  auto load = [&](int k, long long i) {
    indices[k] = at[i];
    loaded[k] = from[i];
  };
  mine.each_element(load, [&](int k, int, int line) {
    atomicMax(&most[mine.cell_of(int(checked(indices[k])), line)], float_bits(widen<T>(loaded[k])) & kMagnitude);
  });
  checked.tell(outside);
  __syncthreads();
  mine.each_element(load, [&](int k, int, int line) {
    const int cell = mine.cell_of(int(checked(indices[k])), line);
    const uint64 units = uint64(units_of(widen<T>(loaded[k]), most[cell], room));
    const uint before = atomicAdd(&low[cell], uint(units));
    atomicAdd(&high[cell], uint(units >> 32) + (before + uint(units) < before ? 1u : 0u));
  });
  __syncthreads();
#pragma unroll 4
  for (int cell = threadIdx.x; cell < places; cell += kJoinThreads) {
    const long long to = mine.first_place + mine.place_at(cell);
    const long long units = (long long)(uint64(high[cell]) << 32 | low[cell]);
    out[to] = narrow<T>(with_units(widen<T>(x[to]), most[cell], units, room));
  }
#endif
}

// The same where the places of a line are more than a block has room for, in three launches.
#ifndef WARPCELL_SERIAL
// Calls use(k, the place of element k) for this thread's, once load(k, where it lies) was called for each.
template <class I, class Load, class Use>
__device__ inline void each_placed(const I* index, long long count, int length, int own, int inner, Checked& checked,
                                   Load load, Use use) {
  const long long first = (long long)blockIdx.x * blockDim.x * kEach + threadIdx.x;
  I indices[kEach];
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const long long i = first + (long long)k * blockDim.x;
    if (i >= count) break;
    indices[k] = index[i];
    load(k, i);
  }
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const long long i = first + (long long)k * blockDim.x;
    if (i >= count) break;
    const uint line = uint(i) / uint(inner), n = uint(i) - line * uint(inner), o = line / uint(own);
    use(k, ((long long)o * length + checked(indices[k])) * inner + n);
  }
}
#endif

template <class T, class I>
__global__ void add_most(const I* index, const T* source, uint* most, long long count, int length, int own, int inner,
                         long long* outside) {
#ifndef WARPCELL_SERIAL
  Checked checked(length);
  T loaded[kEach];
  each_placed(
      index, count, length, own, inner, checked, [&](int k, long long i) { loaded[k] = source[i]; },
      [&](int k, long long place) { atomicMax(&most[place], float_bits(widen<T>(loaded[k])) & kMagnitude); });
  checked.tell(outside);
#endif
}
template <class T, class I>
__global__ void add_units(const I* index, const T* source, const uint* most, uint64* sums, long long count, int length,
                          int own, int inner, int room) {
#ifndef WARPCELL_SERIAL
  Checked checked(length);
  T loaded[kEach];
  long long places[kEach];
  uint largest[kEach];
  each_placed(
      index, count, length, own, inner, checked, [&](int k, long long i) { loaded[k] = source[i]; },
      [&](int k, long long place) {
        places[k] = place;
        largest[k] = most[place];
      });
  const long long first = (long long)blockIdx.x * blockDim.x * kEach + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kEach; k++)
    if (first + (long long)k * blockDim.x < count)
      atomicAdd(&sums[places[k]], uint64(units_of(widen<T>(loaded[k]), largest[k], room)));
#endif
}
template <class T>
__global__ void add_summed(const T* x, const uint* most, const long long* sums, T* out, long long count, int room) {
#ifndef WARPCELL_SERIAL
  const long long first = (long long)blockIdx.x * blockDim.x * kEach + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const long long i = first + (long long)k * blockDim.x;
    if (i < count) out[i] = narrow<T>(with_units(widen<T>(x[i]), most[i], sums[i], room));
  }
#endif
}
