// Where elements of strided operands lie: turns an index in row-major order into an offset per operand.
#pragma once

namespace warpcell {

constexpr int kMaxRank = 16;

// Numbers below 2³¹ are divided by a size with a product and a shift (Granlund and Montgomery, 1994).
struct Divisor {
  unsigned multiplier, shift;
};
__device__ inline unsigned quotient(unsigned number, Divisor by) {
  const unsigned high = unsigned((unsigned long long)number * by.multiplier >> 32);
  return (high + number) >> by.shift;
}

// How the elements of an operand lie: rows of `length` that are `step` apart, and the rows `row` apart.
struct Plane {
  long long length, row, step;
  Divisor by_length;  // where is_small
  int is_small;       // every index and offset fits 31 bits
};

// Strides of N operands over one shape, in elements; axes that step evenly have been joined, so `rank` is small.
template <int N>
struct Layout {
  int rank;
  int is_small;  // every index and offset fits 31 bits
  long long shape[kMaxRank];
  Divisor divisors[kMaxRank];  // by the shape, where is_small
  long long strides[N][kMaxRank];
};

template <int N, class I = long long>
struct Offsets {
  I at[N];
};

// Where elements lie by their indices, which are used up; the layout is small.
template <int U, int N>
__device__ inline void near_offsets(const Layout<N>& layout, unsigned (&index)[U], Offsets<N, int> (&result)[U]) {
#pragma unroll
  for (int k = 0; k < U; k++) result[k] = {};
  for (int axis = layout.rank - 1; axis > 0; axis--) {
    const Divisor by = layout.divisors[axis];
    const unsigned size = unsigned(layout.shape[axis]);
#pragma unroll
    for (int k = 0; k < U; k++) {
      const unsigned rest = quotient(index[k], by);
      const int position = int(index[k] - rest * size);
      index[k] = rest;
#pragma unroll
      for (int n = 0; n < N; n++) result[k].at[n] += position * int(layout.strides[n][axis]);
    }
  }
#pragma unroll
  for (int k = 0; k < U; k++) {
#pragma unroll
    for (int n = 0; n < N; n++) result[k].at[n] += int(index[k]) * int(layout.strides[n][0]);
  }
}

template <int N>
__device__ inline Offsets<N> offsets(const Layout<N>& layout, long long index) {
  Offsets<N> result = {};
  if (layout.is_small) {
    unsigned indices[1] = {unsigned(index)};
    Offsets<N, int> near[1];
    near_offsets(layout, indices, near);
    for (int n = 0; n < N; n++) result.at[n] = near[0].at[n];
    return result;
  }
  for (int axis = layout.rank - 1; axis > 0; axis--) {
    long long position = index % layout.shape[axis];
    index /= layout.shape[axis];
    for (int n = 0; n < N; n++) result.at[n] += position * layout.strides[n][axis];
  }
  if (layout.rank > 0)
    for (int n = 0; n < N; n++) result.at[n] += index * layout.strides[n][0];
  return result;
}

__device__ inline long long global_index() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }

}  // namespace warpcell
