// Products of a warp with tiles of floats in shared memory, on tensor cores, which take 11 of a float's 24 bits: each
// factor goes as the sum of two such numbers, in three products (Ootomo and Yokota, arXiv 2203.03341), or as the
// nearest one, in one. Of three a product is at most 3 · 2⁻²² of it off.
#pragma once
#include "fragments.cuh"

namespace warpcell::attention {

// Numbers of one factor that a lane holds.
template <int count, bool is_exact>
struct Split {
  float high[count], low[count];
  __device__ void take(int at, float x) {
    high[at] = instructions::nearest_tf32(x);
    if constexpr (is_exact) low[at] = x - high[at];
  }
};

template <bool is_exact>
struct FloatProducts {
  using Element = float;
  using Left = Split<4, is_exact>;
  using Right = Split<2, is_exact>;

  __device__ static void add_product(float (&sums)[4], const Left& a, const Right& b) {
    if constexpr (is_exact) {
      instructions::multiply(sums, a.low, b.high);
      instructions::multiply(sums, a.high, b.low);
    }
    instructions::multiply(sums, a.high, b.high);
  }

  // sums[f] += rows 16f of `left` from `row` · `right` turned: over the width of both. Columns c + 4t to c + 4t + 3 are
  // lane t's of four, those of two products.
  template <int fragments, int columns, int rows, int width>
  __device__ static void multiply_turned(Fragment<columns> (&sums)[fragments],
                                         const SharedTile<float, rows, width>& left, int row,
                                         const SharedTile<float, columns, width>& right, int lane) {
    const uint place = SharedTile<float, columns, width>::place_of(lane / 4, lane % 4);
#pragma unroll
    for (int depth = 0; depth < width / 16; depth++) {
      Left a[fragments][2];
#pragma unroll
      for (int f = 0; f < fragments; f++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
          float four[4];
          instructions::load_shared(four, left.at_place(place, row + f * 16 + half * 8, depth * 4));
#pragma unroll
          for (int e = 0; e < 4; e++) a[f][e / 2].take(e % 2 * 2 + half, four[e]);
        }
#pragma unroll
      for (int n = 0; n < columns / 8; n++) {
        float four[4];
        instructions::load_shared(four, right.at_place(place, n * 8, depth * 4));
        Right b[2];
#pragma unroll
        for (int e = 0; e < 4; e++) b[e / 2].take(e % 2, four[e]);
#pragma unroll
        for (int f = 0; f < fragments; f++) {
          add_product(sums[f].at[n], a[f][0], b[0]);
          add_product(sums[f].at[n], a[f][1], b[1]);
        }
      }
    }
  }

  // sums[f] += left[f] · `right` from its column `column`: over the rows of `right`. Tensor cores cut sums off, always
  // towards 0: those of one tile are added to those of before by floats.
  template <int fragments, int columns, int depths, int width>
  __device__ static void multiply(Fragment<columns> (&sums)[fragments], const Fragment<depths> (&left)[fragments],
                                  const SharedTile<float, depths, width>& right, int column, int lane) {
    constexpr int kPart = columns < 32 ? columns : 32;
    using Tile = SharedTile<float, depths, width>;
    const uint place = Tile::place_of(lane % 4 * 2, lane / 16) + lane / 4 % 4 * 4;
    const Tile moved{right.base + column * 4};
#pragma unroll
    for (int from = 0; from < columns; from += kPart) {
      Fragment<kPart> parts[fragments];
#pragma unroll
      for (int f = 0; f < fragments; f++) parts[f].clear();
#pragma unroll
      for (int depth = 0; depth < depths / 8; depth++) {
        // Column t of the first factor is the result's 2t, column t + 4 its 2t + 1.
        Left a[fragments];
#pragma unroll
        for (int f = 0; f < fragments; f++)
#pragma unroll
          for (int e = 0; e < 4; e++) a[f].take(e % 2 * 2 + e / 2, left[f].at[depth][e]);
#pragma unroll
        for (int n = 0; n < kPart / 8; n++) {
          Right b;
          // The next row has its pieces four further, or before.
#pragma unroll
          for (int e = 0; e < 2; e++)
            b.take(e, instructions::load_shared(moved.at_place(place, depth * 8, (from / 4 + n * 2) ^ e * 4) +
                                                e * (width * 4)));
#pragma unroll
          for (int f = 0; f < fragments; f++) add_product(parts[f].at[n], a[f], b);
        }
      }
#pragma unroll
      for (int f = 0; f < fragments; f++)
#pragma unroll
        for (int n = 0; n < kPart / 8; n++)
#pragma unroll
          for (int e = 0; e < 4; e++) sums[f].at[from / 8 + n][e] += parts[f].at[n][e];
    }
  }

  // Writes what is there of the rows and columns, the upper eight rows times one factor, the lower times another.
  template <int columns>
  __device__ static void write(const Fragment<columns>& from, float* to, long long step, int rows, int width,
                               float upper, float lower, int lane) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int row = lane / 4 + half * 8;
      const float factor = half == 0 ? upper : lower;
#pragma unroll
      for (int n = 0; n < columns / 8; n++) {
        const int column = n * 8 + lane % 4 * 2;
        if (row < rows && column < width)
          *(float2*)(to + row * step + column) =
              make_float2(from.at[n][half * 2] * factor, from.at[n][half * 2 + 1] * factor);
      }
    }
  }
};

}  // namespace warpcell::attention
