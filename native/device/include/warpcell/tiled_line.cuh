// Rows of a few elements on a GPU, one thread each, out of a tile in shared memory that all threads of a block bring
// and take away: they need not be whole packs. See line.cuh.
#pragma once
#include "block_line.cuh"

namespace warpcell {

struct TiledLine {
  static constexpr int most_threads = kShortThreads;
  int length;
  __device__ inline explicit TiledLine(long long length, long long) : length(int(length)) {}
  static __device__ inline bool is_first() { return true; }

  template <class T>
  struct InTile {
    const T* first;
    __device__ inline Wide<T> operator[](int at) const { return widen<T>(first[at]); }
  };
  struct Indices {
    __device__ inline long long operator[](int at) const { return at; }
  };
  template <class T>
  __device__ inline InTile<T> stream(const T* row) const {
    return {row};
  }
  __device__ inline Indices indices() const { return {}; }

  // A row's results lie where its part of the first operand was.
  template <class T, class F>
  __device__ inline void each_row(long long rows, T* out, F f, const T* x) {
    __shared__ __align__(kPackBytes) char memory[kTileMemory];
    each_tile(rows, kTileBytes, out, [&](long long first, int count) {
      T* tile = bring(memory, x + first * length, count * length);
      arrived();
      for (int row = threadIdx.x; row < count; row += blockDim.x) {
        T* mine = tile + row * length;
        f(first + row, mine, InTile<T>{mine});
      }
      return tile;
    });
  }
  template <class T, class F>
  __device__ inline void each_row(long long rows, T* out, F f, const T* a, const T* b) {
    __shared__ __align__(kPackBytes) char memory[2][kTileMemory / 2];
    each_tile(rows, kTileBytes / 2, out, [&](long long first, int count) {
      T* tile = bring(memory[0], a + first * length, count * length);
      const T* other = bring(memory[1], b + first * length, count * length);
      arrived();
      for (int row = threadIdx.x; row < count; row += blockDim.x) {
        T* mine = tile + row * length;
        f(first + row, mine, InTile<T>{mine}, InTile<T>{other + row * length});
      }
      return tile;
    });
  }
  template <class T, class Tile>
  __device__ inline void each_tile(long long rows, int bytes, T* out, Tile tile) {
    const int share = rows_of_tile(rows, length * int(sizeof(T)), bytes);
    for (long long first = (long long)blockIdx.x * share; first < rows; first += (long long)gridDim.x * share) {
      const int count = rows - first < share ? int(rows - first) : share;
      T* results = tile(first, count);
      if (out != nullptr) take_away(out + first * length, results, count * length);
      __syncthreads();
    }
  }

  template <class T, class Operand>
  static __device__ inline Wide<T> element(const Operand& in, const T*, long long at) {
    return in[int(at)];
  }
  template <class A, class F, class... Operands>
  __device__ inline A sum(F f, const Operands&... operands) const {
    A total = A(0);
    for (int i = 0; i < length; i++) total += f(operands[i]...);
    return total;
  }
  template <class A, class F, class G, class... Operands>
  __device__ inline Two<A> sums(F f, G g, const Operands&... operands) const {
    Two<A> total = {A(0), A(0)};
    for (int i = 0; i < length; i++) {
      total.first += f(operands[i]...);
      total.second += g(operands[i]...);
    }
    return total;
  }
  template <class A, class Exp, class Operand>
  __device__ inline Powers<A> powers(Exp exp, const Operand& operand) const {
    A most = operand[0];
    for (int i = 1; i < length; i++) most = operand[i] > most ? operand[i] : most;
    return {most, sum<A>([=](A value) { return exp(value - most); }, operand)};
  }
  template <class Out, class F, class... Operands>
  __device__ inline void store(Out* out, F f, const Operands&... operands) const {
    for (int i = 0; i < length; i++) out[i] = narrow<Out>(f(operands[i]...));
  }
};
template <class T>
using Tiled = TiledLine;

}  // namespace warpcell
