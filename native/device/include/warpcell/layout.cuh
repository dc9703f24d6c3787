// Where elements of strided operands lie: turns an index in row-major order into an offset per operand.
#pragma once

namespace warpcell {

constexpr int kMaxRank = 8;

// Strides of N operands over one shape, in elements; axes that step evenly have been joined, so `rank` is small.
template <int N>
struct Layout {
  int rank;
  int is_small;  // every index and offset fits 31 bits
  long long shape[kMaxRank];
  long long strides[N][kMaxRank];
};

template <int N>
struct Offsets {
  long long at[N];
};

template <int N>
__device__ inline Offsets<N> offsets(const Layout<N>& layout, long long index) {
  Offsets<N> result = {};
  if (layout.is_small) {
    unsigned rest = unsigned(index);
    for (int axis = layout.rank - 1; axis > 0; axis--) {
      unsigned size = unsigned(layout.shape[axis]), quotient = rest / size, position = rest - quotient * size;
      rest = quotient;
      for (int n = 0; n < N; n++) result.at[n] += int(position) * int(layout.strides[n][axis]);
    }
    if (layout.rank > 0)
      for (int n = 0; n < N; n++) result.at[n] += int(rest) * int(layout.strides[n][0]);
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
