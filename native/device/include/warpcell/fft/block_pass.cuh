// A pass of a transform by the threads of a block: a tile of transforms side by side in shared memory.
#pragma once

namespace warpcell {

// Whether a pass packs and unpacks.
constexpr bool kHasHalves = false;

// unpack_pair of k from `k` to `end`, and pack_pair.
template <class T>
__device__ inline void unpack_row(Point<T>* row, const Point<T>* roots, long long h, long long k, long long end,
                                  T inside, bool conjugates) {
  for (; k < end; k++) unpack_pair<T, T>(row, roots, h, k, inside, conjugates);
}
template <class T>
__device__ inline void pack_row(const Point<T>* row, Point<T>* out, const Point<T>* roots, long long h, long long k,
                                long long end, T inside, bool conjugates) {
  for (; k < end; k++) pack_pair<T, T>(row, out, roots, h, k, inside, conjugates);
}

template <class T>
__device__ inline long long lanes_of(const Chain& chain) {
  return chain.lanes;
}

template <class T>
struct Tile {
  const Pass& pass;
  const Ends<T> ends;
  const Point<T>* source;
  Point<T>* target;
  const Point<T>* table;
  long long read_rows, write_rows;
  long long first;  // lane of all
  int lanes, used;  // of the tile

  __device__ inline Point<T> read(int lane, int j) const {
    long long columns = pass.s * pass.l, g = first + lane;
    Point<T> z = source[g / columns * read_rows + g % columns + columns * j];
    if (ends.swaps_in) swap_parts(z);
    return z;
  }

  __device__ inline void write(int lane, int k, Point<T> z) const {
    long long columns = pass.s * pass.l, g = first + lane;
    long long outer = g / columns, p = g % columns / pass.s, q = g % pass.s;
    if (pass.l > 1) {
      Point<T> factor = table[pass.twiddles + k * pass.l + p];
      z = times(z, factor.re, factor.im);
    }
    z = {z.re * ends.scale, z.im * ends.scale};
    if (ends.swaps_out) swap_parts(z);
    target[outer * write_rows + q + pass.s * (pass.m * p + k)] = z;
  }

  // One radix of the tile's transforms, of which the first `s` factors are done.
  template <int R>
  __device__ inline void step(const Point<T>* from, Point<T>* to, int s, bool is_first, bool is_last) const {
    const int m = int(pass.m), l = m / (R * s);
    for (int item = threadIdx.x; item < m / R * lanes; item += blockDim.x) {
      const int lane = item % lanes, p = item / lanes / s, q = item / lanes % s;
      if (lane >= used) continue;
      Point<T> z[R];
#pragma unroll
      for (int j = 0; j < R; j++) {
        int at = q + s * (p + l * j);
        z[j] = is_first ? read(lane, at) : from[at * lanes + lane];
      }
      butterfly<R, T>(z);
#pragma unroll
      for (int k = 0; k < R; k++) {
        int at = q + s * (R * p + k);
        if (k > 0 && l > 1) {
          Point<T> root = table[pass.roots + p * k * s];
          z[k] = times(z[k], root.re, root.im);
        }
        if (is_last)
          write(lane, at, z[k]);
        else
          to[at * lanes + lane] = z[k];
      }
    }
  }

  __device__ inline void run(Point<T>* a, Point<T>* b) const {
    long long radices = pass.radices;
    for (int s = 1; radices != 0; radices >>= 8) {
      const int radix = int(radices & 255);
      const bool is_first = s == 1, is_last = radices >> 8 == 0;
      with_radix(radix, [&](auto found) { this->template step<decltype(found)::value>(a, b, s, is_first, is_last); });
      __syncthreads();
      Point<T>* other = a;
      a = b;
      b = other;
      s *= radix;
    }
  }
};

// The transforms of lanes `first` to `end`, of all that a pass has.
template <class T>
__device__ inline void run_pass(const Chain& chain, int which, const T* source, const T*, long long read_rows,
                                T* target, long long write_rows, const T* table, long long first, long long end,
                                const Halves* = nullptr) {
  __shared__ Point<T> a[kFftTile], b[kFftTile];
  for (; first < end; first += chain.lanes) {
    const long long left = end - first;
    Tile<T> tile{chain.passes[which],
                 ends_of<T>(chain, which),
                 (const Point<T>*)source,
                 (Point<T>*)target,
                 (const Point<T>*)table,
                 read_rows,
                 write_rows,
                 first,
                 int(chain.lanes),
                 int(left < chain.lanes ? left : chain.lanes)};
    tile.run(b, a);
  }
}

}  // namespace warpcell
