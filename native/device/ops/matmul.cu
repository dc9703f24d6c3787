// Batched matrix product of strided operands: out[b] (m × n, row-major) = a[b] (m × k) · b[b] (k × n). A block makes a
// 64 × 64 tile of one result.
#include <warpcell/numbers.cuh>

using namespace warpcell;

constexpr int kTile = 64;   // rows and columns of a block's tile
constexpr int kDepth = 16;  // of k at a time through shared memory
constexpr int kSide = 16;   // threads along each side of a block
constexpr int kMicro = kTile / kSide;

// Strides in elements; `batch` is 0 for an operand that all batches share.
struct Matrix {
  long long batch, row, column;
};

template <class T>
__global__ void __launch_bounds__(kSide* kSide)
    matmul(const T* a, Matrix a_strides, const T* b, Matrix b_strides, T* out, long long m, long long n, long long k) {
  __shared__ Sum<T> a_tile[kDepth][kTile + 1];
  __shared__ Sum<T> b_tile[kDepth][kTile + 1];
  int x = threadIdx.x, y = threadIdx.y;
  int thread = y * kSide + x;
  long long tiles_x = (n + kTile - 1) / kTile, tiles_y = (m + kTile - 1) / kTile;
  long long row0 = blockIdx.x / tiles_x % tiles_y * kTile, column0 = blockIdx.x % tiles_x * kTile,
            batch = blockIdx.x / tiles_x / tiles_y;
  a += batch * a_strides.batch;
  b += batch * b_strides.batch;
  out += batch * m * n;

  Sum<T> sums[kMicro][kMicro];
  for (int i = 0; i < kMicro; i++)
    for (int j = 0; j < kMicro; j++) sums[i][j] = Sum<T>(0);

  for (long long depth0 = 0; depth0 < k; depth0 += kDepth) {
    // Edges are filled with zeros, which add nothing.
    for (int index = thread; index < kDepth * kTile; index += kSide * kSide) {
      int depth = index % kDepth, row = index / kDepth;
      bool inside = row0 + row < m && depth0 + depth < k;
      a_tile[depth][row] =
          inside ? Sum<T>(widen<T>(a[(row0 + row) * a_strides.row + (depth0 + depth) * a_strides.column])) : Sum<T>(0);
    }
    for (int index = thread; index < kDepth * kTile; index += kSide * kSide) {
      int column = index % kTile, depth = index / kTile;
      bool inside = column0 + column < n && depth0 + depth < k;
      b_tile[depth][column] =
          inside ? Sum<T>(widen<T>(b[(depth0 + depth) * b_strides.row + (column0 + column) * b_strides.column]))
                 : Sum<T>(0);
    }
    __syncthreads();
    for (int depth = 0; depth < kDepth; depth++) {
      Sum<T> left[kMicro], right[kMicro];
      for (int i = 0; i < kMicro; i++) left[i] = a_tile[depth][y + i * kSide];
      for (int j = 0; j < kMicro; j++) right[j] = b_tile[depth][x + j * kSide];
      for (int i = 0; i < kMicro; i++)
        for (int j = 0; j < kMicro; j++) sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }

  for (int i = 0; i < kMicro; i++) {
    for (int j = 0; j < kMicro; j++) {
      long long row = row0 + y + i * kSide, column = column0 + x + j * kSide;
      if (row < m && column < n) out[row * n + column] = narrow<T>(sums[i][j]);
    }
  }
}
