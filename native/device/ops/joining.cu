// Up to four arrays one after the other along an axis, in one launch: rows of the result are rows of each.
#include <warpcell/map.cuh>
#include <warpcell/row_copies.cuh>

using namespace warpcell;

constexpr int kParts = 4, kEach = 4;  // of a thread: its loads are under way together
constexpr int kFew = 16;              // elements of a row that go a column at a time on the CPU: it is longer
constexpr int kTile = 16384;          // bytes of rows that stay in a core's cache while parts are added to them

// Elements that stand for several, where all parts are whole ones.
using Sixteen = uint4;

// Rows of the result are `step` apart, and this launch fills `row` elements of each: those up to the first end are of
// the first part, and so on. Rows of a part lie its step apart.
template <class T>
__global__ void join_parts(const T* first, const T* second, const T* third, const T* fourth, T* out, long long count,
                           long long step, long long row, long long end_first, long long end_second,
                           long long end_third, long long step_first, long long step_second, long long step_third,
                           long long step_fourth) {
#ifdef WARPCELL_SERIAL
  const T* const parts[kParts] = {first, second, third, fourth};
  const long long ends[kParts] = {end_first, end_second, end_third, row};
  const long long steps[kParts] = {step_first, step_second, step_third, step_fourth};
  const long long fitting = kTile / (row * (long long)sizeof(T)), most = fitting > 1 ? fitting : 1;
  const Span span = block_span(count);
  for (long long i = span.begin; i < span.end;) {
    const long long line = i / row, at = i - line * row, left = span.end - i;
    const bool is_whole = at == 0 && left >= row;
    const long long lines = !is_whole ? 1 : left / row < most ? left / row : most;
    const long long until = is_whole ? row : row - at < left ? row : at + left;
    for (int p = 0; p < kParts; p++) {
      const long long begin = p == 0 ? 0 : ends[p - 1], from = at > begin ? at : begin,
                      end = ends[p] < until ? ends[p] : until, width = end - from, apart = steps[p];
      const T* source = parts[p] + line * apart + (from - begin);
      T* to = out + line * step + from;
      if (row <= kFew) {
        for (long long c = 0; c < width; c++)
          for (long long l = 0; l < lines; l++) to[l * step + c] = source[l * apart + c];
      } else if (width > 0) {
        for (long long l = 0; l < lines; l++) copy_row(to + l * step, source + l * apart, width);
      }
    }
    i += is_whole ? lines * row : until - at;
  }
#else
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
