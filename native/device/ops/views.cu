// What a viewer of a tensor asks for: cells that stand for blocks of a region, places of elements of a kind, and how
// elements spread over a range. A region may have any strides; only what it covers is read.
#include <warpcell/layout.cuh>
#include <warpcell/numbers.cuh>

using namespace warpcell;

__device__ inline double infinity() { return double(bits_float(0x7f800000u)); }
__device__ inline bool is_nan(double value) { return value != value; }
__device__ inline bool is_inf(double value) { return value == value && value - value != value - value; }

// Of a block of elements, or a part of one. Sum, least and most are of finite ones.
struct Part {
  double sum, count, min, max, nan, positive, negative;
};

__device__ inline Part empty_part() { return {0, 0, infinity(), -infinity(), 0, 0, 0}; }

__device__ inline void add(Part& part, double value) {
  if (is_nan(value)) {
    part.nan += 1;
  } else if (is_inf(value)) {
    (value > 0 ? part.positive : part.negative) += 1;
  } else {
    part.sum += value;
    part.count += 1;
    part.min = value < part.min ? value : part.min;
    part.max = value > part.max ? value : part.max;
  }
}

__device__ inline void merge(Part& part, const Part& other) {
  part.sum += other.sum;
  part.count += other.count;
  part.min = other.min < part.min ? other.min : part.min;
  part.max = other.max > part.max ? other.max : part.max;
  part.nan += other.nan;
  part.positive += other.positive;
  part.negative += other.negative;
}

#ifdef WARPCELL_SERIAL
constexpr int kBeside = 512;  // columns that are gathered side by side: their sums stay in the core's first cache

// One row of `count` columns to the sums and extremes of the rows above it, which become vectors only in a function of
// their own.
template <class T, bool kIsUnit>
__attribute__((noinline)) void gather_row(const T* x, long long stride, int count, double* sum, Wide<T>* least,
                                          Wide<T>* most) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (int j = 0; j < count; j++) {
    const Wide<T> value = widen<T>(x[kIsUnit ? j : j * stride]);
    sum[j] += double(value);
    least[j] = value < least[j] ? value : least[j];
    most[j] = value > most[j] ? value : most[j];
  }
}
#endif

// Cell (row, column) covers step × step elements of the region, `step` a power of two: out[(row · columns + column) ·
// splits + split]. On a GPU `lanes` neighbouring threads, as many as a cell is wide or a warp, go along its rows, and
// its rows are cut into `rowSplits`, its columns into `columnSplits`. Where a block is one thread, nothing is split,
// and a block goes down some cells of one row of them.
template <class T>
__global__ void cells(const T* in, long long height, long long width, long long rowStride, long long columnStride,
                      long long step, long long lanes, long long rowSplits, long long columnSplits, Part* out) {
  const long long rows = (height + step - 1) / step, columns = (width + step - 1) / step;
#ifdef WARPCELL_SERIAL
  const long long parts = gridDim.x / rows, row = blockIdx.x / parts, part = blockIdx.x % parts;
  const long long begin = part * columns / parts, stop = (part + 1) * columns / parts;
  const long long top = row * step, bottom = top + step < height ? top + step : height;
  const long long right = stop * step < width ? stop * step : width;
  Part* cell = out + row * columns;
  for (long long column = begin; column < stop; column++) cell[column] = empty_part();
  double sum[kBeside];
  Wide<T> least[kBeside], most[kBeside];
  for (long long left = begin * step; left < right; left += kBeside) {
    const int count = int(right - left < kBeside ? right - left : kBeside);
    const T* x = in + top * rowStride + left * columnStride;
    for (int j = 0; j < count; j++) {
      sum[j] = 0;
      least[j] = most[j] = widen<T>(x[j * columnStride]);
      if constexpr (Number<T>::is_float) {
        // What is not finite is no extreme, and is found by its sum.
        if (least[j] - least[j] != Wide<T>(0)) least[j] = Wide<T>(infinity()), most[j] = -least[j];
      }
    }
    for (long long i = top; i < bottom; i++, x += rowStride) {
      if (columnStride == 1)
        gather_row<T, true>(x, 1, count, sum, least, most);
      else
        gather_row<T, false>(x, columnStride, count, sum, least, most);
    }
    for (long long column = left / step; column * step < left + count; column++) {
      const int from = int(column * step > left ? column * step - left : 0);
      const int to = int((column + 1) * step - left < count ? (column + 1) * step - left : count);
      Part found = {0, double(to - from) * double(bottom - top), infinity(), -infinity(), 0, 0, 0};
      for (int j = from; j < to; j++) {
        found.sum += sum[j];
        found.min = double(least[j]) < found.min ? double(least[j]) : found.min;
        found.max = double(most[j]) > found.max ? double(most[j]) : found.max;
      }
      // An element that is not finite shows in the sum: few cells have one, and those are gone through again.
      if (found.sum - found.sum != 0) {
        found = empty_part();
        for (long long i = top; i < bottom; i++)
          for (int j = from; j < to; j++) add(found, double(widen<T>(in[i * rowStride + (left + j) * columnStride])));
      }
      merge(cell[column], found);
    }
  }
#else
  const long long splits = rowSplits * columnSplits;
  long long rest = global_index();
  const int lane = int(rest % lanes);
  rest /= lanes;
  const long long column = rest % columns;
  rest /= columns;
  const long long split = rest % splits, row = rest / splits;
  Part part = empty_part();
  if (row < rows) {
    const long long tall = row * step + step < height ? step : height - row * step;
    const long long wide = column * step + step < width ? step : width - column * step;
    const long long across = split % columnSplits, down = split / columnSplits;
    const long long top = tall * down / rowSplits, bottom = tall * (down + 1) / rowSplits;
    const long long left = wide * across / columnSplits + lane, right = wide * (across + 1) / columnSplits;
    const T* x = in + (row * step + top) * rowStride + (column * step + left) * columnStride;
    // Four loads are on their way at a time.
    auto go = [&](const T* first, long long count, long long stride) {
      long long k = 0;
      for (; k + 4 <= count; k += 4) {
        T loaded[4];
#pragma unroll
        for (int u = 0; u < 4; u++) loaded[u] = first[(k + u) * stride];
#pragma unroll
        for (int u = 0; u < 4; u++) add(part, double(widen<T>(loaded[u])));
      }
      for (; k < count; k++) add(part, double(widen<T>(first[k * stride])));
    };
    const long long mine = left < right ? (right - left + lanes - 1) / lanes : 0;
    if (mine == 1)
      go(x, bottom - top, rowStride);
    else
      for (long long i = top; i < bottom; i++, x += rowStride) go(x, mine, lanes * columnStride);
  }
  for (int distance = int(lanes) / 2; distance > 0; distance /= 2) {
    Part other;
    other.sum = __shfl_down_sync(0xffffffffu, part.sum, distance, int(lanes));
    other.count = __shfl_down_sync(0xffffffffu, part.count, distance, int(lanes));
    other.min = __shfl_down_sync(0xffffffffu, part.min, distance, int(lanes));
    other.max = __shfl_down_sync(0xffffffffu, part.max, distance, int(lanes));
    other.nan = __shfl_down_sync(0xffffffffu, part.nan, distance, int(lanes));
    other.positive = __shfl_down_sync(0xffffffffu, part.positive, distance, int(lanes));
    other.negative = __shfl_down_sync(0xffffffffu, part.negative, distance, int(lanes));
    merge(part, other);
  }
  if (row < rows && lane == 0) out[(row * columns + column) * splits + split] = part;
#endif
}

// What cells are told in: the narrower float that has every element of the type.
template <class T>
struct ShownAs {
  using type = double;
  static constexpr double most = 1.7976931348623157e308;
};
struct ShownAsFloat {
  using type = float;
  static constexpr double most = 3.4028234663852886e38;
};
template <>
struct ShownAs<float> : ShownAsFloat {};
template <>
struct ShownAs<float8_e4m3> : ShownAsFloat {};
template <>
struct ShownAs<float8_e5m2> : ShownAsFloat {};
template <>
struct ShownAs<signed char> : ShownAsFloat {};
template <>
struct ShownAs<uchar> : ShownAsFloat {};
template <>
struct ShownAs<short> : ShownAsFloat {};
template <>
struct ShownAs<ushort> : ShownAsFloat {};
template <>
struct ShownAs<bool> : ShownAsFloat {};
#ifdef WARPCELL_SIXTEEN_BITS
template <>
struct ShownAs<__half> : ShownAsFloat {};
template <>
struct ShownAs<__nv_bfloat16> : ShownAsFloat {};
#endif

constexpr int kNan = 1, kPositive = 2, kNegative = 4;

// Joins the splits of each cell and tells the means of all cells, then the least, then the most, then a byte each that
// says what is not finite. A cell without finite elements has NaN, or the infinity that there is more of, for all
// three. `isTurned`: rows of the parts are columns of what is told.
template <class T>
__global__ void tell_cells(const Part* parts, long long rows, long long columns, long long splits, long long isTurned,
                           unsigned char* out) {
  using Out = typename ShownAs<T>::type;
  const double most = ShownAs<T>::most;
  const long long count = rows * columns;
  Out* means = (Out*)out;
  for (long long at = global_index(); at < count; at += (long long)gridDim.x * blockDim.x) {
    const long long cell = isTurned ? at % columns * rows + at / columns : at;
    Part part = parts[cell * splits];
    for (long long split = 1; split < splits; split++) merge(part, parts[cell * splits + split]);
    double mean, least, greatest;
    if (part.count > 0) {
      mean = part.sum / part.count;
      mean = mean > most ? most : mean < -most ? -most : mean;
      least = part.min, greatest = part.max;
    } else {
      mean = part.nan > 0 ? double(bits_float(0x7fc00000u)) : part.positive >= part.negative ? infinity() : -infinity();
      least = greatest = mean;
    }
    means[at] = Out(mean);
    means[count + at] = Out(least);
    means[2 * count + at] = Out(greatest);
    out[3 * count * sizeof(Out) + at] =
        (unsigned char)((part.nan > 0 ? kNan : 0) | (part.positive > 0 ? kPositive : 0) |
                        (part.negative > 0 ? kNegative : 0));
  }
}

enum Kind { kIsNan, kIsInfinite, kIsEqual };

// The first element of a kind that each thread of a block finds among its `chunk` of in[first … end − 1]; −1 where
// there is none. out[block · threads + thread].
template <class T>
__global__ void find(const T* in, long long first, long long end, long long chunk, long long kind, double wanted,
                     long long* out) {
  const long long begin = first + blockIdx.x * chunk, stop = begin + chunk < end ? begin + chunk : end;
  auto look = [&](auto is_it) -> long long {
#ifdef WARPCELL_SERIAL
    constexpr long long kRun = 1024;
    for (long long at = begin; at < stop; at += kRun) {
      const long long length = stop - at < kRun ? stop - at : kRun;
      int hits = 0;
      for (long long i = 0; i < length; i++) hits += is_it(double(widen<T>(in[at + i]))) ? 1 : 0;
      for (long long i = 0; hits > 0; i++)
        if (is_it(double(widen<T>(in[at + i])))) return at + i;
    }
#else
    for (long long at = begin + threadIdx.x; at < stop; at += blockDim.x)
      if (is_it(double(widen<T>(in[at])))) return at;
#endif
    return -1;
  };
  long long found;
  if (kind == kIsNan)
    found = look([](double value) { return is_nan(value); });
  else if (kind == kIsInfinite)
    found = look([](double value) { return is_inf(value); });
  else
    found = look([wanted](double value) { return value == wanted; });
  out[global_index()] = found;
}

constexpr int kBins = 256;
constexpr int kSpreadThreads = 256;

struct Spread {
  double squares, below, least, most;
  double counts[kBins];
};

// Of a block's `chunk` of elements: the squares of their distances to `mean`, how many lie below the range, and how
// many in each of its bins, of `perHalf` bins to 0.5. What is not finite counts nowhere. out[block].
template <class T>
__global__ void spread(const T* in, long long count, long long chunk, double low, double high, double perHalf,
                       double mean, Spread* out) {
  const long long end = (blockIdx.x + 1) * chunk < count ? (blockIdx.x + 1) * chunk : count;
  auto bin_of = [=](double value) {
    const int bin = int((value * 0.5 - low * 0.5) * perHalf);
    return bin < kBins ? bin : kBins - 1;
  };
#ifdef WARPCELL_SERIAL
  Spread& mine = out[blockIdx.x];
  mine.squares = mine.below = 0;
  mine.least = infinity(), mine.most = -infinity();
  for (int bin = 0; bin < kBins; bin++) mine.counts[bin] = 0;
  for (long long at = blockIdx.x * chunk; at < end; at++) {
    const double value = double(widen<T>(in[at]));
    if (value - value != 0) continue;
    mine.squares += (value - mean) * (value - mean);
    if (value < low) {
      mine.below += 1;
    } else if (value <= high) {
      mine.counts[bin_of(value)] += 1;
      mine.least = value < mine.least ? value : mine.least;
      mine.most = value > mine.most ? value : mine.most;
    }
  }
#else
  __shared__ unsigned counts[kBins];
  __shared__ double squares;
  __shared__ unsigned below;
  __shared__ double leasts[kSpreadThreads], mosts[kSpreadThreads];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) counts[bin] = 0;
  if (threadIdx.x == 0) squares = 0, below = 0;
  __syncthreads();
  double sum = 0, least = infinity(), most = -infinity();
  unsigned under = 0;
  for (long long at = blockIdx.x * chunk + threadIdx.x; at < end; at += blockDim.x) {
    const double value = double(widen<T>(in[at]));
    if (value - value != 0) continue;
    sum += (value - mean) * (value - mean);
    if (value < low) {
      under++;
    } else if (value <= high) {
      atomicAdd(&counts[bin_of(value)], 1u);
      least = value < least ? value : least;
      most = value > most ? value : most;
    }
  }
  leasts[threadIdx.x] = least;
  mosts[threadIdx.x] = most;
  atomicAdd(&squares, sum);
  atomicAdd(&below, under);
  __syncthreads();
  Spread& mine = out[blockIdx.x];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) mine.counts[bin] = counts[bin];
  if (threadIdx.x != 0) return;
  for (int i = 1; i < int(blockDim.x); i++) {
    least = leasts[i] < least ? leasts[i] : least;
    most = mosts[i] > most ? mosts[i] : most;
  }
  mine.squares = squares, mine.below = below, mine.least = least, mine.most = most;
#endif
}
