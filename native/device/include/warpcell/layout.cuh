// Where elements of strided operands lie: turns an index in row-major order into an offset per operand.
#pragma once

namespace warpcell {

constexpr int kMaxRank = 8;

// Strides of up to two operands over one shape, in elements; axes that step evenly have been joined, so `rank` is small.
struct Layout {
  int rank;
  long long shape[8];
  long long first[8];
  long long second[8];
};

struct Offsets { long long first, second; };

__device__ inline Offsets offsets(const Layout& layout, long long index) {
  Offsets result = {0, 0};
  for (int axis = layout.rank - 1; axis > 0; axis--) {
    long long position = index % layout.shape[axis];
    index /= layout.shape[axis];
    result.first += position * layout.first[axis];
    result.second += position * layout.second[axis];
  }
  if (layout.rank > 0) {
    result.first += index * layout.first[0];
    result.second += index * layout.second[0];
  }
  return result;
}

__device__ inline long long global_index() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }

}  // namespace warpcell
