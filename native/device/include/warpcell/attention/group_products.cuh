// Products of a warp group (hopper_instructions.cuh) with tiles in shared memory. They run on their own: until
// `await_products`, nobody touches what they read or make.
#pragma once
#include "../hopper_instructions.cuh"
#include "fragments.cuh"

namespace warpcell::attention {

// Part of a tile as an operand: 16 columns from 16 · depth of the rows from `row`; or, turned, 16 rows from 16 · depth
// of the columns from `column`, a multiple of 64.
template <class T, int rows, int width>
__device__ inline uint64 operand_of(const SharedTile<T, rows, width>& tile, int row, int depth) {
  return instructions::operand(tile.base + depth / 4 * (rows * 128) + row * 128 + depth % 4 * 32, 0);
}
template <class T, int rows, int width>
__device__ inline uint64 turned_operand_of(const SharedTile<T, rows, width>& tile, int column, int depth) {
  return instructions::operand(tile.base + column / 64 * (rows * 128) + depth * (16 * 128), rows * 128);
}

// sums = 64 rows of `left` from `row` · `right` turned.
template <class T, int rows, int columns, int width>
__device__ inline void group_product_turned(Fragment<columns>& sums, const SharedTile<T, rows, width>& left, int row,
                                            const SharedTile<T, columns, width>& right) {
#pragma unroll
  for (int depth = 0; depth < width / 16; depth++)
    instructions::multiply_group<T, columns, false, false>(sums.at, operand_of(left, row, depth),
                                                           operand_of(right, 0, depth), depth > 0);
}

// sums += left (elements of T, as Fragment::left gives them) · `right`, `columns` of it from `column`.
template <class T, int columns, int depths, int width>
__device__ inline void group_product(Fragment<columns>& sums, const uint (&left)[depths / 16][4],
                                     const SharedTile<T, depths, width>& right, int column, bool adds) {
  constexpr int kPart = columns < 128 ? columns : 128;
#pragma unroll
  for (int depth = 0; depth < depths / 16; depth++)
#pragma unroll
    for (int part = 0; part < columns; part += kPart)
      instructions::multiply_group<T, kPart, true>(sums.at + part / 8, left[depth],
                                                   turned_operand_of(right, column + part, depth), adds || depth > 0);
}

template <int columns>
__device__ inline void settle(Fragment<columns>& sums) {
#pragma unroll
  for (int n = 0; n < columns / 8; n++)
#pragma unroll
    for (int e = 0; e < 4; e++) instructions::settle(sums.at[n][e]);
}

}  // namespace warpcell::attention
