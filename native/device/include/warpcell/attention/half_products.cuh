// Products of a warp with tiles of 16-bit elements in shared memory.
#pragma once
#include "fragments.cuh"

namespace warpcell::attention {

template <class T>
struct HalfProducts {
  using Element = T;
  // sums[f] += rows 16f of `left` from `row` · `right` turned: over the width of both.
  template <int fragments, int columns, int rows, int width>
  __device__ static void multiply_turned(Fragment<columns> (&sums)[fragments], const SharedTile<T, rows, width>& left,
                                         int row, const SharedTile<T, columns, width>& right, int lane) {
#pragma unroll
    for (int depth = 0; depth < width / 16; depth++) {
      uint a[fragments][4];
#pragma unroll
      for (int f = 0; f < fragments; f++) left.left(a[f], row + f * 16, depth, lane);
#pragma unroll
      for (int n = 0; n < columns / 16; n++) {
        uint b[4];
        right.turned_right(b, n * 16, depth, lane);
#pragma unroll
        for (int f = 0; f < fragments; f++) {
          instructions::multiply<T>(sums[f].at[2 * n], a[f], b[0], b[1]);
          instructions::multiply<T>(sums[f].at[2 * n + 1], a[f], b[2], b[3]);
        }
      }
    }
  }

  // sums[f] += left[f] (rounded to T) · `right` from its column `column`: over the rows of `right`.
  template <int fragments, int columns, int depths, int width>
  __device__ static void multiply(Fragment<columns> (&sums)[fragments], const Fragment<depths> (&left)[fragments],
                                  const SharedTile<T, depths, width>& right, int column, int lane) {
#pragma unroll
    for (int depth = 0; depth < depths / 16; depth++) {
      uint a[fragments][4];
#pragma unroll
      for (int f = 0; f < fragments; f++) left[f].template left<T>(a[f], depth);
#pragma unroll
      for (int n = 0; n < columns / 16; n++) {
        uint b[4];
        right.right(b, column + n * 16, depth, lane);
#pragma unroll
        for (int f = 0; f < fragments; f++) {
          instructions::multiply<T>(sums[f].at[2 * n], a[f], b[0], b[1]);
          instructions::multiply<T>(sums[f].at[2 * n + 1], a[f], b[2], b[3]);
        }
      }
    }
  }
  template <int columns>
  __device__ static void write(const Fragment<columns>& from, T* to, long long step, int rows, int width, float upper,
                               float lower, int lane) {
    from.template write<T>(to, step, rows, width, upper, lower, lane);
  }
};

}  // namespace warpcell::attention
