// What a preview tells of a tensor: figures over all its elements and a small picture, reduced here so that the tensor
// itself never travels.
#include <warpcell/layout.cuh>
#include <warpcell/numbers.cuh>

using namespace warpcell;

struct Figures {
  double min, max, sum, finite, nan, inf;
};

__device__ inline bool is_nan(double value) { return value != value; }
__device__ inline bool is_inf(double value) { return value == value && value - value != value - value; }

// A block goes over `chunk` neighbouring elements, its threads side by side; out[block · threads + thread]. The sum is
// in float64.
template <class T>
__global__ void figures(const T* in, long long count, long long chunk, Figures* out) {
  long long end = (blockIdx.x + 1) * chunk < count ? (blockIdx.x + 1) * chunk : count;
  Figures result = {0, 0, 0, 0, 0, 0};
  for (long long index = blockIdx.x * chunk + threadIdx.x; index < end; index += blockDim.x) {
    double value = double(widen<T>(in[index]));
    if (is_nan(value)) {
      result.nan += 1;
    } else if (is_inf(value)) {
      result.inf += 1;
    } else {
      if (result.finite == 0 || value < result.min) result.min = value;
      if (result.finite == 0 || value > result.max) result.max = value;
      result.sum += value;
      result.finite += 1;
    }
  }
  out[global_index()] = result;
}

struct Cell {
  double sum, count, nan, positive, negative;
};

// Cell (row, column) of the picture covers rowStep × columnStep elements of the matrix; `splits` threads share its
// rows' columns. out[(row · columns + column) · splits + split].
template <class T>
__global__ void tile(const T* in, long long matrixRows, long long matrixColumns, long long rows, long long columns,
                     long long rowStep, long long columnStep, long long splits, Cell* out) {
  long long index = global_index();
  if (index >= rows * columns * splits) return;
  long long split = index % splits;
  long long column = index / splits % columns;
  long long row = index / splits / columns;
  long long rowEnd = (row + 1) * rowStep < matrixRows ? (row + 1) * rowStep : matrixRows;
  long long columnEnd = (column + 1) * columnStep < matrixColumns ? (column + 1) * columnStep : matrixColumns;

  Cell cell = {0, 0, 0, 0, 0};
  for (long long i = row * rowStep; i < rowEnd; i++) {
    for (long long j = column * columnStep + split; j < columnEnd; j += splits) {
      double value = double(widen<T>(in[i * matrixColumns + j]));
      if (is_nan(value)) {
        cell.nan += 1;
      } else if (is_inf(value)) {
        (value > 0 ? cell.positive : cell.negative) += 1;
      } else {
        cell.sum += value;
        cell.count += 1;
      }
    }
  }
  out[index] = cell;
}
