// Tiles of rows in shared memory, as tensor cores read them: of 16-bit elements, and of floats.
#pragma once
#include "../tensor_instructions.cuh"

namespace warpcell::attention {

// Pieces of 16 bytes of a row change places by its number. Of 16 bits: panels of 64 columns, so that one piece of eight
// rows lies in all banks. Of floats: four pieces of two rows do, and a column of two pieces in four even or odd rows.
template <class T, int rows, int width>
struct SharedTile {
  static constexpr int kRows = rows, kWidth = width, kBytes = rows * width * int(sizeof(T)),
                       kElements = 16 / int(sizeof(T)), kPieces = width / kElements;
  static_assert(kPieces % 8 == 0 && rows % 8 == 0);
  uint base;

  __device__ uint at(int row, int piece) const {
    if constexpr (sizeof(T) == 4)
      return at_place(place_of(row & 7, 0), row & ~7, piece);
    else
      return base + (piece >> 3) * (rows * 128) + row * 128 + (((piece ^ row) & 7) << 4);
  }

  // Of floats: the place of one of eight rows and a piece that a lane knows, and the address of one that lies rows, in
  // eights, and pieces from it. What is known to the compiler takes no arithmetic there.
  static __device__ uint place_of(int row, int piece) {
    return row * (width * 4) + ((piece ^ (row & 2) ^ ((row ^ row >> 2) & 1) * 4) << 4);
  }
  __device__ uint at_place(uint place, int rows_from, int pieces) const {
    return base + rows_from * (width * 4) + (pieces >> 3 << 7) + (place ^ (pieces & 7) << 4);
  }

  // Copies what is there of rows from `begin`, and zeros for the rest. `step`: from row to row.
  template <int threads>
  __device__ void copy(const T* from, long long step, int begin, int present, int present_width, int thread) const {
    constexpr int kTogether = threads / kPieces;
    const int piece = thread % kPieces;
    int mine = thread / kPieces;
    const T* source = from + (begin + mine) * step + piece * kElements;
    // How many of the rows are there.
    const int there = piece * kElements < present_width ? present - begin : 0;
#pragma unroll 4
    for (int pass = 0; pass < rows / kTogether; pass++) {
      instructions::copy_or_clear(at(mine, piece), mine < there ? source : from, mine < there);
      mine += kTogether;
      source += kTogether * step;
    }
  }

  // Of 16 bits. The first operand of a product: rows from `row`, 16 columns from 16 · `depth`.
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
