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

struct Cell {
  double sum, count, nan, positive, negative;
};

#ifdef WARPCELL_SERIAL
constexpr int kSideBySide = 8;

struct Finite {
  double sum, count, min, max;
};

// Of `length` neighbours, the finite ones, side by side, so that a compiler makes vectors of them; which it does only
// in a function of their own.
template <class T>
__attribute__((noinline)) Finite finite_of(const T* x, long long length) {
  double sums[kSideBySide] = {}, counts[kSideBySide] = {}, least[kSideBySide], most[kSideBySide];
  for (int k = 0; k < kSideBySide; k++) least[k] = 1.0 / 0.0, most[k] = -1.0 / 0.0;
  auto add = [](double value, double& sum, double& count, double& min, double& max) WARPCELL_INLINED {
    const bool is_finite = value - value == 0;
    // Chosen before they are added: an addition under a condition becomes no vector.
    const double finite = is_finite ? value : 0.0, one = is_finite ? 1.0 : 0.0;
    sum += finite;
    count += one;
    min = (is_finite & (value < min)) ? value : min;
    max = (is_finite & (value > max)) ? value : max;
  };
  long long i = 0;
  for (; i + kSideBySide <= length; i += kSideBySide) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (int k = 0; k < kSideBySide; k++) add(double(widen<T>(x[i + k])), sums[k], counts[k], least[k], most[k]);
  }
  for (int width = kSideBySide / 2; width > 0; width /= 2) {
    for (int k = 0; k < width; k++) {
      sums[k] += sums[k + width];
      counts[k] += counts[k + width];
      least[k] = least[k + width] < least[k] ? least[k + width] : least[k];
      most[k] = most[k + width] > most[k] ? most[k + width] : most[k];
    }
  }
  Finite all = {sums[0], counts[0], least[0], most[0]};
  for (; i < length; i++) add(double(widen<T>(x[i])), all.sum, all.count, all.min, all.max);
  return all;
}
#endif

// A block goes over `chunk` neighbouring elements, its threads side by side; out[block · threads + thread]. The sum is
// in float64.
template <class T>
__global__ void figures(const T* in, long long count, long long chunk, Figures* out) {
  long long end = (blockIdx.x + 1) * chunk < count ? (blockIdx.x + 1) * chunk : count;
  Figures result = {0, 0, 0, 0, 0, 0};
#ifdef WARPCELL_SERIAL
  const long long first = blockIdx.x * chunk;
  const Finite finite = finite_of(in + first, end - first);
  result = {finite.min, finite.max, finite.sum, finite.count, 0, 0};
  // Few arrays have others, which are looked for where there are.
  for (long long i = finite.count == end - first ? end : first; i < end; i++) {
    double value = double(widen<T>(in[i]));
    result.nan += is_nan(value);
    result.inf += is_inf(value);
  }
#else
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
#endif
  out[global_index()] = result;
}

// Cell (row, column) of the picture covers rowStep × columnStep elements of the matrix; `splits` threads share its
// rows' columns. out[(row · columns + column) · splits + split]. Where a block is one thread it goes along the matrix's
// rows for neighbouring cells of one row of the picture, and nothing is split.
template <class T>
__global__ void tile(const T* in, long long matrixRows, long long matrixColumns, long long rows, long long columns,
                     long long rowStep, long long columnStep, long long splits, Cell* out) {
#ifdef WARPCELL_SERIAL
  const long long parts = gridDim.x / rows, row = blockIdx.x / parts, part = blockIdx.x % parts;
  const long long begin = part * columns / parts, stop = (part + 1) * columns / parts;
  const long long rowEnd = (row + 1) * rowStep < matrixRows ? (row + 1) * rowStep : matrixRows;
  Cell* cells = out + row * columns;
  for (long long column = begin; column < stop; column++) cells[column] = {0, 0, 0, 0, 0};
  for (long long i = row * rowStep; i < rowEnd; i++) {
    for (long long column = begin; column < stop; column++) {
      const T* x = in + i * matrixColumns + column * columnStep;
      const long long left = matrixColumns - column * columnStep, length = columnStep < left ? columnStep : left;
      Cell& cell = cells[column];
      const Finite finite = finite_of(x, length);
      cell.sum += finite.sum;
      cell.count += finite.count;
      for (long long j = finite.count == length ? length : 0; j < length; j++) {
        double value = double(widen<T>(x[j]));
        cell.nan += is_nan(value);
        if (is_inf(value)) (value > 0 ? cell.positive : cell.negative) += 1;
      }
    }
  }
#else
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
#endif
}
