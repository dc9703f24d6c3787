// Indices along an axis of [outer, length, inner], row-major, checked on the way; and on a GPU the rows or neighbouring
// columns of a block.
#pragma once
#include "map.cuh"
#include "outside.cuh"

namespace warpcell {

struct Checked {
  long long length, found = 0;
  bool is_outside = false;
  __device__ inline Checked(long long length) : length(length) {}
  __device__ inline long long operator()(long long index) {
    const long long at = index < 0 ? index + length : index;
    const bool is_inside = uint64(at) < uint64(length);
    found = is_inside ? found : index;
    is_outside |= !is_inside;
    return is_inside ? at : 0;
  }
  // Any of those outside will do.
  __device__ inline void tell(long long* outside) const {
    if (is_outside) tell_outside(outside, found);
  }
};

// On a GPU a thread has several loads under way.
constexpr int kEach = 4;

// On a GPU a block takes `lines` neighbouring rows (inner = 1) or columns, whose places it has in its shared memory.
constexpr int kJoinThreads = 512;

#ifndef WARPCELL_SERIAL
// Places of a row lie side by side, as do those of neighbouring columns: cells and elements are numbered as they lie.
struct Lines {
  long long inner, first_place, first_element;
  int length, own, here;
  bool is_rows;
  __device__ inline Lines(long long outer, int length, int own, long long inner, int lines)
      : inner(inner), length(length), own(own), is_rows(inner == 1) {
    const long long groups = is_rows ? 1 : (inner + lines - 1) / lines;
    const long long o = is_rows ? blockIdx.x * (long long)lines : blockIdx.x / groups;
    const long long column = is_rows ? 0 : blockIdx.x % groups * lines, rest = is_rows ? outer - o : inner - column;
    here = rest < lines ? int(rest) : lines;
    first_place = o * length * inner + column;
    first_element = o * own * inner + column;
  }
  __device__ inline int places() const { return length * here; }
  __device__ inline int elements() const { return own * here; }
  __device__ inline int cell_of(int place, int line) const {
    return is_rows ? line * length + place : place * here + line;
  }
  __device__ inline int line_of(int e) const { return is_rows ? e / own : e % here; }
  __device__ inline int order_of(int e) const { return is_rows ? e % own : e / here; }
  // Behind the first place or element of the block.
  __device__ inline long long place_at(int cell) const {
    return is_rows ? (long long)cell : cell / here * inner + cell % here;
  }
  __device__ inline long long element_at(int e) const {
    return is_rows ? (long long)e : order_of(e) * inner + line_of(e);
  }
  // Calls load(k, where it lies) for kEach of this thread's elements, then use(k, order, line) for each of them:
  // divisions are for the first alone.
  template <class Load, class Use>
  __device__ inline void each_element(Load load, Use use) const {
    const int count = elements(), row = count == 0 ? 1 : is_rows ? own : here;
    const int rows = kJoinThreads / row, rest = kJoinThreads % row;
    int q = threadIdx.x / row, r = threadIdx.x % row;
    for (int e = threadIdx.x; e < count; e += kEach * kJoinThreads) {
      int quotients[kEach], places[kEach];
#pragma unroll
      for (int k = 0; k < kEach; k++) {
        quotients[k] = q;
        places[k] = r;
        if (e + k * kJoinThreads < count) load(k, is_rows ? (long long)(e + k * kJoinThreads) : q * inner + r);
        q += rows;
        r += rest;
        if (r >= row) {
          r -= row;
          q++;
        }
      }
#pragma unroll
      for (int k = 0; k < kEach; k++)
        if (e + k * kJoinThreads < count)
          use(k, is_rows ? places[k] : quotients[k], is_rows ? quotients[k] : places[k]);
    }
  }
};
#endif

}  // namespace warpcell
