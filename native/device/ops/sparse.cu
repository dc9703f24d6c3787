// Products of sparse matrices with dense ones. Rows of a sparse matrix: row r has the elements indptr[r] to indptr[r +
// 1] of values, in the columns that indices names.
#include <warpcell/numbers.cuh>

using namespace warpcell;

constexpr int kSparseWarps = 4;    // of a block
constexpr int kSparseColumns = 4;  // of the dense matrix, that a lane has
constexpr int kAhead = 4;          // elements that a lane brings at a time

#ifndef WARPCELL_SERIAL
template <class A>
__device__ inline A lanes_sum(A value, int from) {
  for (int distance = 16; distance >= from; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}
#endif

// out [rows, columns] = sparse · dense. A warp has a row and kSparseColumns · `width` columns: `width` lanes, a power
// of two, have one element each, and where it is less than a warp others the next elements.
template <class T>
__global__ void __launch_bounds__(kSparseWarps * 32)
    sparse_product(const T* values, const int* indptr, const int* indices, const T* dense, T* out, long long rows,
                   long long columns, int width, int is_packed) {
  using A = Sum<T>;
#ifdef WARPCELL_SERIAL
  constexpr int kStretch = 512;
  const long long share = (rows + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share,
                  end = begin + share < rows ? begin + share : rows;
  for (long long row = begin; row < end; row++) {
    for (long long first = 0; first < columns; first += kStretch) {
      const int there = int(columns - first < kStretch ? columns - first : kStretch);
      A sums[kStretch];
      for (int j = 0; j < there; j++) sums[j] = A(0);
      for (int e = indptr[row]; e < indptr[row + 1]; e++) {
        const A value = A(widen<T>(values[e]));
        const T* from = dense + (long long)indices[e] * columns + first;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
        for (int j = 0; j < there; j++) sums[j] += value * A(widen<T>(from[j]));
      }
      T* to = out + row * columns + first;
      for (int j = 0; j < there; j++) to[j] = narrow<T>(sums[j]);
    }
  }
#else
  struct alignas(kSparseColumns * sizeof(T)) Several {
    T element[kSparseColumns];
  };
  const int lane = threadIdx.x % 32;
  const long long of_tile = (long long)width * kSparseColumns, tiles = (columns + of_tile - 1) / of_tile;
  const long long item = (long long)blockIdx.x * kSparseWarps + threadIdx.x / 32;
  const long long row = item / tiles, first = item % tiles * of_tile + lane % width * kSparseColumns;
  if (row >= rows) return;
  const int last = indptr[row + 1], step = 32 / width;
  const long long inside = first < columns ? first : 0;
  A sums[kSparseColumns] = {};
  for (int e = indptr[row] + lane / width; e < last; e += step * kAhead) {
    // Past the last element is the first of these again, of which nothing is added.
    T value[kAhead];
    int index[kAhead];
    Several found[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; k++) {
      const int at = e + k * step < last ? e + k * step : e;
      value[k] = values[at];
      index[k] = indices[at];
    }
#pragma unroll
    for (int k = 0; k < kAhead; k++) {
      const T* from = dense + (long long)index[k] * columns + inside;
      if (is_packed) {
        found[k] = *(const Several*)from;
      } else {
#pragma unroll
        for (int c = 0; c < kSparseColumns; c++) found[k].element[c] = from[inside + c < columns ? c : 0];
      }
    }
#pragma unroll
    for (int k = 0; k < kAhead; k++) {
      if (e + k * step >= last) continue;
#pragma unroll
      for (int c = 0; c < kSparseColumns; c++) sums[c] += A(widen<T>(value[k])) * A(widen<T>(found[k].element[c]));
    }
  }
#pragma unroll
  for (int c = 0; c < kSparseColumns; c++) {
    const A sum = lanes_sum(sums[c], width);
    if (lane < width && first + c < columns) out[row * columns + first + c] = narrow<T>(sum);
  }
#endif
}

// out[e] = left [rows, columns], its row of e, times right, the row that indices names: the product of the two at the
// places that the sparse matrix has. A warp has a row.
template <class T>
__global__ void __launch_bounds__(kSparseWarps * 32)
    sampled_product(const T* left, const T* right, const int* indptr, const int* indices, T* out, long long rows,
                    long long columns) {
  using A = Sum<T>;
#ifdef WARPCELL_SERIAL
  constexpr int kBeside = 16;
  const long long share = (rows + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share,
                  end = begin + share < rows ? begin + share : rows;
  for (long long row = begin; row < end; row++)
    for (int e = indptr[row]; e < indptr[row + 1]; e++) {
      const T *x = left + row * columns, *y = right + (long long)indices[e] * columns;
      A sums[kBeside] = {};
      const long long whole = columns / kBeside * kBeside;
      for (long long first = 0; first < whole; first += kBeside) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
        for (int j = 0; j < kBeside; j++) sums[j] += A(widen<T>(x[first + j])) * A(widen<T>(y[first + j]));
      }
      for (long long j = whole; j < columns; j++) sums[j - whole] += A(widen<T>(x[j])) * A(widen<T>(y[j]));
      A sum = A(0);
      for (int j = 0; j < kBeside; j++) sum += sums[j];
      out[e] = narrow<T>(sum);
    }
#else
  const int lane = threadIdx.x % 32;
  const long long row = (long long)blockIdx.x * kSparseWarps + threadIdx.x / 32;
  if (row >= rows) return;
  const T* x = left + row * columns;
  for (int e = indptr[row]; e < indptr[row + 1]; e++) {
    const T* y = right + (long long)indices[e] * columns;
    A sum = A(0);
    for (long long j = lane; j < columns; j += 32) sum += A(widen<T>(x[j])) * A(widen<T>(y[j]));
    sum = lanes_sum(sum, 1);
    if (lane == 0) out[e] = narrow<T>(sum);
  }
#endif
}

// Of every 4 elements of a row 2 are kept, and where they were, 2 bits each: out [rows, columns] with zeros between.
// values [rows, columns / 2], places [rows, columns / 8].
template <class T>
__global__ void __launch_bounds__(kSparseWarps * 32)
    expand_pairs(const T* values, const uchar* places, T* out, long long count) {
#ifdef WARPCELL_SERIAL
  const long long share = (count + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share,
                  end = begin + share < count ? begin + share : count, step = 1;
#else
  const long long begin = (long long)blockIdx.x * blockDim.x + threadIdx.x, end = count,
                  step = (long long)gridDim.x * blockDim.x;
#endif
  struct alignas(4 * sizeof(T)) Four {
    T element[4];
  };
  for (long long group = begin; group < end; group += step) {
    const int bits = places[group / 2] >> (group % 2 * 4), first = bits & 3, second = bits >> 2 & 3;
    Four found;
#pragma unroll
    for (int e = 0; e < 4; e++)
      found.element[e] = e == first ? values[2 * group] : e == second ? values[2 * group + 1] : T{};
    *(Four*)(out + 4 * group) = found;
  }
}
