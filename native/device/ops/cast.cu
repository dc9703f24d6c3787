// Conversions between dtypes; copies of strided tensors to strided ones and transposes by the size of an
// element, whatever it stands for.
#include <warpcell/map.cuh>
#include <warpcell/numbers.cuh>
#ifdef WARPCELL_SERIAL
#include <warpcell/row_copies.cuh>
#include <warpcell/squares.cuh>
#endif

using namespace warpcell;

template <class From, class To>
__global__ void cast(const From* in, Plane rows, To* out, long long count) {
#ifdef WARPCELL_SERIAL
  // By way of floats, which are whole stretches of vectors: integers that these round are infinite as float16.
  if constexpr (is_held<To> && !Number<From>::is_float)
    return map_rows(rows, count, out, [](Wide<From> x) { return float(x); }, in);
#endif
  map_rows(rows, count, out, [](Wide<From> x) { return x; }, in);
}
template <class T>
__global__ void copy_flat(const T* in, T* out, long long count) {
  map(count, out, [](T x) { return x; }, in);
}

#ifdef WARPCELL_SERIAL
// Rows whose elements lie side by side on both sides. Short ones go a column at a time: it is longer.
template <class T>
inline void copy_rows(const Layout<2>& layout, const T* in, T* out, long long count) {
  const long long length = layout.shape[1], to_step = layout.strides[0][0], from_step = layout.strides[1][0];
  const Span span = block_span(count);
  auto part = [=](long long row, long long begin, long long end) {
    copy_row(out + row * to_step + begin, in + row * from_step + begin, end - begin);
  };
  long long row = span.begin / length, last = span.end / length;
  if (row == last) return part(row, span.begin - row * length, span.end - row * length);
  if (row * length < span.begin) {
    part(row, span.begin - row * length, length);
    row++;
  }
  if (length < kShortRow && length * (long long)sizeof(T) < 32) {
    for (long long column = 0; column < length; column++)
      for (long long r = row; r < last; r++) out[r * to_step + column] = in[r * from_step + column];
  } else {
    for (long long r = row; r < last; r++) part(r, 0, length);
  }
  if (last * length < span.end) part(last, 0, span.end - last * length);
}
#endif

template <class T>
__global__ void copy_strided(Layout<2> layout, const T* in, T* out, long long count) {
#ifdef WARPCELL_SERIAL
  if (layout.rank == 2 && layout.strides[0][1] == 1 && layout.strides[1][1] == 1)
    return copy_rows(layout, in, out, count);
#endif
  map_strided(layout, count, out, [](T x) { return x; }, in);
}

// Rows and columns of a tile.
template <class T>
constexpr int kTileOf = sizeof(T) > 8 ? 32 : 64;
constexpr int kRows = 8;  // warps of a block on a GPU

// out[b][j][i] = in[b][i][j] of `rows` × `columns` matrices, `out` without gaps, `in` at strides. A block moves one
// tile of one matrix, on a GPU with 32 × 8 threads.
template <class T>
__global__ void transpose(const T* in, T* out, long long rows, long long columns, long long row_stride,
                          long long batches, long long batch_stride) {
  constexpr int kTile = kTileOf<T>;
  long long tiles_x = (columns + kTile - 1) / kTile, tiles_y = (rows + kTile - 1) / kTile;
  long long tile = blockIdx.x;
  long long x0 = tile % tiles_x * kTile, y0 = tile / tiles_x % tiles_y * kTile, batch = tile / tiles_x / tiles_y;
  in += batch * batch_stride;
  out += batch * rows * columns;
#ifdef WARPCELL_SERIAL
  long long x1 = x0 + kTile < columns ? x0 + kTile : columns, y1 = y0 + kTile < rows ? y0 + kTile : rows;
  if (x1 - x0 == kTile && y1 - y0 == kTile) {
    const bool streams = batches * rows * columns * (long long)sizeof(T) >= kStreamedBytes;
    alignas(kLineBytes) T turned[kTile][kTile];
#ifdef WARPCELL_SQUARES
    if constexpr (has_square<T>) {
      using S = Square<T>;
      for (int by = 0; by < kTile; by += S::size) {
        for (int bx = 0; bx < kTile; bx += S::size) {
          S square;
          for (int i = 0; i < S::size; i++)
            __builtin_memcpy(&square.rows[i], in + (y0 + by + i) * row_stride + x0 + bx, sizeof square.rows[i]);
          square.turn();
          for (int j = 0; j < S::size; j++)
            __builtin_memcpy(streams ? &turned[bx + j][by] : out + (x0 + bx + j) * rows + y0 + by, &square.rows[j],
                             sizeof square.rows[j]);
        }
      }
      if (!streams) return;
    } else
#endif
      // Eight by eight at a time, in registers; rows that are a power of two apart share few places of a cache, so each
      // is read, and later written, at once.
      for (int by = 0; by < kTile; by += 8) {
        for (int bx = 0; bx < kTile; bx += 8) {
          T block[8][8];
          for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) block[j][i] = in[(y0 + by + i) * row_stride + x0 + bx + j];
          for (int j = 0; j < 8; j++)
            for (int i = 0; i < 8; i++) turned[bx + j][by + i] = block[j][i];
        }
      }
    for (int j = 0; j < kTile; j++) {
      T* place = out + (x0 + j) * rows + y0;
      if (streams)
        store_streaming(place, turned[j], sizeof turned[j]);
      else
        __builtin_memcpy(place, turned[j], sizeof turned[j]);
    }
    if (!streams) return;
    return end_streaming();
  }
  for (long long x = x0; x < x1; x++)
    for (long long y = y0; y < y1; y++) out[x * rows + y] = in[y * row_stride + x];
#else
  using Two = Pack<T, 2>;
  __shared__ T cells[kTile][kTile + 1];
  int x = threadIdx.x * 2;
  bool is_whole = x0 + kTile <= columns && y0 + kTile <= rows;
  // A warp reads 64 neighbours of a row, and writes 64 of a column.
  if (kTile == 64 && is_whole && row_stride % 2 == 0 && rows % 2 == 0 && (unsigned long long)in % sizeof(Two) == 0 &&
      (unsigned long long)out % sizeof(Two) == 0) {
    Two loaded[kTile / kRows];
#pragma unroll
    for (int k = 0; k < kTile / kRows; k++)
      loaded[k] = *(const Two*)(in + (y0 + threadIdx.y + k * kRows) * row_stride + x0 + x);
#pragma unroll
    for (int k = 0; k < kTile / kRows; k++) {
      cells[threadIdx.y + k * kRows][x] = loaded[k].element[0];
      cells[threadIdx.y + k * kRows][x + 1] = loaded[k].element[1];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile / kRows; k++) {
      int y = threadIdx.y + k * kRows;
      *(Two*)(out + (x0 + y) * rows + y0 + x) = {{cells[x][y], cells[x + 1][y]}};
    }
    return;
  }
  for (int y = threadIdx.y; y < kTile; y += kRows) {
    for (int each = threadIdx.x; each < kTile; each += 32)
      if (x0 + each < columns && y0 + y < rows) cells[y][each] = in[(y0 + y) * row_stride + x0 + each];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < kTile; y += kRows) {
    for (int each = threadIdx.x; each < kTile; each += 32)
      if (y0 + each < rows && x0 + y < columns) out[(x0 + y) * rows + y0 + each] = cells[each][y];
  }
#endif
}
