// What threads do that bring elements into order, by merging, and that count them in histograms.
#pragma once
#include "bodies.cuh"

namespace warpcell_algorithms {

struct NoValues {
  __host__ __device__ NoValues operator+(size_t) const { return {}; }
};
// The elements of each stretch in order, equal ones as they were.
template <class Keys, class Values, class Less>
struct SortStretch {
  Keys keys;
  Values values;
  size_t n;
  Less less;
  __host__ __device__ void operator()(size_t piece) {
    size_t from = piece * kStretch, end = least(from + kStretch, n);
    for (size_t i = from + 1; i < end; i++) {
      value_t<Keys> key = keys[i];
      size_t at = i;
      if constexpr (Same<Values, NoValues>::value) {
        for (; at > from && less(key, keys[at - 1]); at--) keys[at] = keys[at - 1];
      } else {
        value_t<Values> value = values[i];
        for (; at > from && less(key, keys[at - 1]); at--) {
          keys[at] = keys[at - 1];
          values[at] = values[at - 1];
        }
        values[at] = value;
      }
      keys[at] = key;
    }
  }
};
// A stretch of what two neighbours in order, A and B, become together. How many of A are in front of it a binary search
// tells. (Green, McColl and Bader, GPU Merge Path, 2012.)
template <class A, class B, class AV, class BV, class Out, class OutV, class Less>
__host__ __device__ void merge_stretch(A a, size_t as, B b, size_t bs, AV av, BV bv, Out out, OutV out_v, size_t from,
                                       size_t end, Less& less) {
  size_t low = from > bs ? from - bs : 0, high = least(from, as);
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (less(b[from - middle - 1], a[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  size_t i = low, j = from - low;
  for (size_t k = from; k < end; k++) {
    bool takes_b = i >= as || (j < bs && less(b[j], a[i]));
    if (takes_b)
      out[k] = b[j];
    else
      out[k] = a[i];
    if constexpr (!Same<OutV, NoValues>::value) {
      if (takes_b)
        out_v[k] = bv[j];
      else
        out_v[k] = av[i];
    }
    j += takes_b;
    i += !takes_b;
  }
}
template <class In, class InV, class Out, class OutV, class Less>
struct MergeNeighbours {
  In in;
  InV in_v;
  Out out;
  OutV out_v;
  size_t n;
  size_t width;
  Less less;
  __host__ __device__ void operator()(size_t piece) {
    size_t at = piece * kStretch, first = at / (2 * width) * (2 * width);
    size_t middle = least(first + width, n), end = least(first + 2 * width, n);
    merge_stretch(in + first, middle - first, in + middle, end - middle, in_v + first, in_v + middle, out + first,
                  out_v + first, at - first, least(at + kStretch, n) - first, less);
  }
};
template <class A, class B, class AV, class BV, class Out, class OutV, class Less>
struct Merge {
  A a;
  size_t as;
  B b;
  size_t bs;
  AV av;
  BV bv;
  Out out;
  OutV out_v;
  Less less;
  __host__ __device__ void operator()(size_t piece) {
    size_t at = piece * kStretch;
    merge_stretch(a, as, b, bs, av, bv, out, out_v, at, least(at + kStretch, as + bs), less);
  }
};
// What cub::DeviceRadixSort goes by: some bits of a key, from the lowest one; of floats in the order of numbers.
template <class T, bool IsDescending>
struct ByBits {
  int begin, end;
  __host__ __device__ static unsigned long long bits_of(T key) {
    constexpr int size = int(sizeof(T)) * 8;
    constexpr unsigned long long sign = 1ull << (size - 1), all = sign | (sign - 1);
    if constexpr (T(0.5) != T(0)) {
      if (key == T(0)) return sign;
      unsigned long long bits = 0;
      const auto* from = reinterpret_cast<const unsigned char*>(&key);
      for (int i = size / 8 - 1; i >= 0; i--) bits = bits << 8 | from[i];
      return bits & sign ? ~bits & all : bits | sign;
    } else {
      return ((unsigned long long)key & all) ^ (T(-1) < T(0) ? sign : 0);
    }
  }
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    int count = end - begin;
    unsigned long long mask = count >= 64 ? ~0ull : (1ull << count) - 1;
    unsigned long long x = bits_of(a) >> begin & mask, y = bits_of(b) >> begin & mask;
    return IsDescending ? y < x : x < y;
  }
};

// --- counts

template <class In, class Counter, class Level>
struct EvenHistogram {
  In in;
  Counter* counts;
  int bins;
  Level low, high;
  __host__ __device__ void operator()(size_t i) {
    auto value = Level(in[i]);
    if (!(value >= low && value < high)) return;
    int bin;
    if constexpr (Level(0.5) != Level(0))
      bin = int((value - low) * (bins / (high - low)));
    else
      bin = int((unsigned long long)(value - low) * bins / (unsigned long long)(high - low));
    add(counts + least(size_t(bin), size_t(bins - 1)));
  }
#if defined(WARPCELL_HOST_CODE)
  static void add(Counter*);
#else
  __device__ static void add(Counter* count) { atomicAdd(count, Counter(1)); }
#endif
};
template <class In, class Counter, class Level>
struct RangeHistogram {
  In in;
  Counter* counts;
  int bins;
  const Level* levels;  // bins + 1, in order
  __host__ __device__ void operator()(size_t i) {
    auto value = Level(in[i]);
    if (!(value >= levels[0] && value < levels[bins])) return;
    int from = 0, to = bins;
    while (to - from > 1) {
      int middle = (from + to) / 2;
      if (value >= levels[middle])
        from = middle;
      else
        to = middle;
    }
    EvenHistogram<In, Counter, Level>::add(counts + from);
  }
};

}  // namespace warpcell_algorithms
