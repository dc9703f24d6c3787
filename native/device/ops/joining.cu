// On a GPU up to four arrays one after the other along an axis, in one launch: rows of the result are rows of each.
#include <warpcell/map.cuh>

using namespace warpcell;

constexpr int kParts = 4, kEach = 4;  // of a thread: its loads are under way together

// Elements that stand for several, where all parts are whole ones.
using Sixteen = uint4;

// Rows of the result are `step` apart, and this launch fills `row` elements of each: those up to the first end are of
// the first part, and so on. Rows of a part lie its step apart.
template <class T>
__global__ void join_parts(const T* first, const T* second, const T* third, const T* fourth, T* out, long long count,
                           long long step, long long row, long long end_first, long long end_second,
                           long long end_third, long long step_first, long long step_second, long long step_third,
                           long long step_fourth) {
#ifndef WARPCELL_SERIAL
  const bool is_small = count < 0x7fffffffLL;
  const long long begin = (long long)blockIdx.x * blockDim.x * kEach + threadIdx.x;
  T loaded[kEach];
  long long places[kEach];
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const long long i = begin + (long long)k * blockDim.x;
    if (i >= count) break;
    const long long line = is_small ? (long long)(unsigned(i) / unsigned(row)) : i / row, at = i - line * row;
    places[k] = line * step + at;
    const T* from = at < end_first    ? first + line * step_first + at
                    : at < end_second ? second + line * step_second + (at - end_first)
                    : at < end_third  ? third + line * step_third + (at - end_second)
                                      : fourth + line * step_fourth + (at - end_third);
    loaded[k] = *from;
  }
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const long long i = begin + (long long)k * blockDim.x;
    if (i < count) out[places[k]] = loaded[k];
  }
#endif
}
