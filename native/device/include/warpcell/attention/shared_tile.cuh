// Tiles of rows of 16-bit elements in shared memory, as tensor cores read them.
#pragma once
#include "../tensor_instructions.cuh"

namespace warpcell::attention {

// Panels of 64 columns, 128 bytes a row; the eight pieces of 16 bytes of a row change places by its number, so that one
// piece of eight rows lies in all banks.
template <class T, int rows, int width>
struct SharedTile {
  static constexpr int kRows = rows, kWidth = width, kBytes = rows * width * 2, kPieces = width / 8;
  static_assert(width % 64 == 0 && rows % 8 == 0);
  uint base;

  __device__ uint at(int row, int piece) const {
    return base + (piece >> 3) * (rows * 128) + row * 128 + (((piece ^ row) & 7) << 4);
  }

  // Copies what is there of rows from `begin`, and zeros for the rest. `step`: from row to row.
  template <int threads>
  __device__ void copy(const T* from, long long step, int begin, int present, int present_width, int thread) const {
    constexpr int kTogether = threads / kPieces;
    const int piece = thread % kPieces;
    int mine = thread / kPieces;
    const T* source = from + (begin + mine) * step + piece * 8;
    // How many of the rows are there.
    const int there = piece * 8 < present_width ? present - begin : 0;
#pragma unroll 4
    for (int pass = 0; pass < rows / kTogether; pass++) {
      instructions::copy_or_clear(at(mine, piece), mine < there ? source : from, mine < there);
      mine += kTogether;
      source += kTogether * step;
    }
  }

  // The first operand of a product: rows from `row`, 16 columns from 16 · `depth`.
  __device__ void left(uint (&to)[4], int row, int depth, int lane) const {
    instructions::load_matrices(to, at(row + (lane & 15), depth * 2 + (lane >> 4)));
  }
  // The second operand, which is the tile turned: columns are its rows from `row`, 16 of them.
  __device__ void turned_right(uint (&to)[4], int row, int depth, int lane) const {
    instructions::load_matrices(to, at(row + (lane & 7) + (lane >> 4) * 8, depth * 2 + (lane >> 3 & 1)));
  }
  // The second operand: 16 rows from 16 · `depth`, 16 columns from `column`.
  __device__ void right(uint (&to)[4], int column, int depth, int lane) const {
    instructions::load_turned(to, at(depth * 16 + (lane & 15), column / 8 + (lane >> 4)));
  }
};

}  // namespace warpcell::attention
