// Quantised numbers: codes of 8 or 4 bits in groups along a row, each group with a scale and perhaps a zero point. A
// number is (code − zero) · scale.
#pragma once
#include "numbers.cuh"

namespace warpcell {

// Without zero points codes are signed: 8 bits are an int8, 4 bits count from 8.
template <int bits>
constexpr int kMiddle = bits == 8 ? 128 : 8;
template <int bits>
constexpr int kMostCode = (1 << bits) - 1;

// A row of `length` codes begins at a byte of its own; of two in a byte the first is in the low half.
template <int bits>
__host__ __device__ constexpr long long row_bytes(long long length) {
  return bits == 8 ? length : (length + 1) / 2;
}

// What every row of codes has beside it.
struct Groups {
  const float* scales;  // [rows, groups]
  const uchar* zeros;   // the same, or null
  long long length;     // of a row, elements
  long long size;       // of a group; the last of a row may be shorter

  __device__ long long count() const { return (length + size - 1) / size; }
  template <int bits>
  __device__ int zero(long long group) const {
    return zeros == nullptr ? kMiddle<bits> : int(zeros[group]);
  }
};

// The code of an element, from 0: where codes are signed bytes, 128 more than they say.
template <int bits>
__device__ inline int code_at(const uchar* row, long long at, bool is_signed) {
  if constexpr (bits == 8)
    return is_signed ? int(row[at] ^ 0x80) : int(row[at]);
  else
    return row[at / 2] >> (at % 2 * 4) & 15;
}

}  // namespace warpcell
