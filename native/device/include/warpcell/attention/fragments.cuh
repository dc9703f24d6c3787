// A warp's part of a matrix product: 16 rows of the result, in registers.
#pragma once
#include "shared_tile.cuh"

namespace warpcell::attention {

// 16 rows and `columns` columns, 8 columns at a time: element e of column block n lies in row lane / 4 + 8 · (e / 2)
// and column 8n + 2 · (lane % 4) + e % 2.
template <int columns>
struct Fragment {
  float at[columns / 8][4];

  __device__ void clear() {
#pragma unroll
    for (int n = 0; n < columns / 8; n++)
#pragma unroll
      for (int e = 0; e < 4; e++) at[n][e] = 0;
  }
  // Calls each(at[n][e], n, e, row, column), of the 16 rows and the columns.
  template <class F>
  __device__ void each(int lane, F each) {
#pragma unroll
    for (int n = 0; n < columns / 8; n++)
#pragma unroll
      for (int e = 0; e < 4; e++) each(at[n][e], n, e, lane / 4 + e / 2 * 8, n * 8 + lane % 4 * 2 + e % 2);
  }
#ifdef WARPCELL_SIXTEEN_BITS
  // Elements as the first operand of a product: columns 16 · depth and on.
  template <class T>
  __device__ void left(uint (&to)[4], int depth) const {
    to[0] = instructions::pack<T>(at[2 * depth][0], at[2 * depth][1]);
    to[1] = instructions::pack<T>(at[2 * depth][2], at[2 * depth][3]);
    to[2] = instructions::pack<T>(at[2 * depth + 1][0], at[2 * depth + 1][1]);
    to[3] = instructions::pack<T>(at[2 * depth + 1][2], at[2 * depth + 1][3]);
  }
  // Writes what is there of the rows and columns as elements of T, the upper eight rows times one factor, the lower
  // times another. Four lanes exchange words, so that each writes 16 bytes.
  template <class T>
  __device__ void write(T* to, long long step, int rows, int width, float upper, float lower, int lane) const {
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int row = lane / 4 + half * 8;
      const float factor = half == 0 ? upper : lower;
#pragma unroll
      for (int n = 0; n < columns / 8; n += 4) {
        uint words[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
          words[i] = instructions::pack<T>(at[n + i][half * 2] * factor, at[n + i][half * 2 + 1] * factor);
        exchange(words, 1, lane);
        exchange(words, 2, lane);
        const int column = (n + lane % 4) * 8;
        if (row < rows && column < width)
          *(uint4*)(to + row * step + column) = make_uint4(words[0], words[1], words[2], words[3]);
      }
    }
  }
  // Of words i and i + distance, the one that the lane at that distance is to have.
  __device__ static void exchange(uint (&words)[4], int distance, int lane) {
    const bool is_upper = (lane & distance) != 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      if ((i & distance) != 0) continue;
      const uint got = __shfl_xor_sync(0xffffffffu, is_upper ? words[i] : words[i + distance], distance);
      (is_upper ? words[i] : words[i + distance]) = got;
    }
  }
#endif
};

}  // namespace warpcell::attention
