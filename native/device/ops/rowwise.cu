// Functions of whole rows of [rows, length], and their gradients: softmax, normalisation, cross entropy. One block a
// row on a GPU; each row is read once where it fits.
#include <warpcell/line.cuh>
#include <warpcell/outside.cuh>
#include <warpcell/philox.cuh>
#include <warpcell/softmax.cuh>

using namespace warpcell;

// `L` is the line of a row (line.cuh): which one, lib/ops/rows/row-lines.ts decides by the length of the rows and where
// they start.

// Blocks that a processor of a GPU is to hold at a time, so that one loads while another sums: 40 registers are left
// for each of 1536 threads, 48 of 1280, or 64 of 1024 where more is kept.
template <class T, class L>
constexpr int kBlocks = L::most_threads > 512   ? 1
                        : L::most_threads < 256 ? 1024 / L::most_threads
                                                : (sizeof(T) == 2   ? 1280
                                                   : sizeof(T) == 4 ? 1536
                                                                    : 1024) /
                                                      L::most_threads;
template <class L>
constexpr int kBlocksOfTwo = L::most_threads > 512   ? 1
                             : L::most_threads < 256 ? 6
                                                     : 1024 / L::most_threads;

// e^(x − most) / Σ, or its logarithm. A row of −∞ alone is NaN.
template <class T, bool is_log, class L>
__global__ void __launch_bounds__(L::most_threads, kBlocks<T, L>)
    softmax(const T* x, T* y, long long rows, long long length) {
  using A = Sum<T>;
#ifdef WARPCELL_SERIAL
  if (length < kShortLine) {
    const Rows mine = block_rows(rows);
    for (long long row = mine.begin; row < mine.end; row += kTogether)
      turned_softmax<T, is_log>(x + row * length, y + row * length,
                                mine.end - row < kTogether ? int(mine.end - row) : kTogether, length, length, 1);
    return;
  }
#endif
  L line(length, rows);
  auto exp = [](A value) WARPCELL_INLINED { return exp_for<T>(value); };
  line.each_row(
      rows, y,
      [&](long long, T* out, const auto& in) WARPCELL_INLINED {
        if constexpr (is_log) {
          const Powers<A> found = line.template powers<A>(exp, in);
          const A most = found.most, shift = fn::log(found.sum);
          line.store(out, [=](A value) { return (value - most) - shift; }, in);
        } else {
#ifdef WARPCELL_SERIAL
          if constexpr (same<T, A>) {
            // Each e^x is worked out once and waits in the result.
            const A most = line.template most<A>(in);
            A factor =
                A(1) / line.template sum<A>([=](long long at, A value) { return out[at] = fn::exp(value - most); },
                                            line.indices(), in);
            line.store(out, [=](A power) { return power * factor; }, line.keep(out));
            return;
          } else if (length <= kMostHeld) {
            // Or beside it, where that has 16 bits.
            alignas(kLineBytes) A powers[kMostHeld];
            A* kept = powers;
            const A most = line.template most<A>(in);
            const A factor =
                A(1) / line.template sum<A>([=](long long at, A value) { return kept[at] = fn::exp(value - most); },
                                            line.indices(), in);
            line.store(out, [=](A power) { return power * factor; }, line.keep(powers));
            return;
          }
#endif
          const Powers<A> found = line.template powers<A>(exp, in);
          const A most = found.most, factor = A(1) / found.sum;
          line.store(out, [=](A value) { return exp(value - most) * factor; }, in);
        }
      },
      x);
}

// y(g − Σgy), or of the logarithm g − e^y Σg.
template <class T, bool is_log, class L>
__global__ void __launch_bounds__(L::most_threads, kBlocksOfTwo<L>)
    softmax_gradient(const T* g, const T* y, T* out, long long rows, long long length) {
  using A = Sum<T>;
  L line(length, rows);
  line.each_row(
      rows, out,
      [&](long long, T* to, const auto& above, const auto& result) WARPCELL_INLINED {
        A total = line.template sum<A>([](A g, A y) { return is_log ? g : g * y; }, above, result);
        line.store(to, [=](A g, A y) { return is_log ? g - exp_for<T>(y) * total : y * (g - total); }, above, result);
      },
      g, y);
}

// (x − mean) · rstd · weight + bias, or x · rstd · weight. `weight` and `bias` may be null. `means` are relative to the
// first element of their rows.
template <class T, bool is_centered, class L>
__global__ void __launch_bounds__(L::most_threads, kBlocks<T, L>)
    normalize(const T* x, const T* weight, const T* bias, T* y, Sum<T>* means, Sum<T>* rstds, long long rows,
              long long length, double eps) {
  using A = Sum<T>;
  L line(length, rows);
  line.each_row(
      rows, y,
      [&](long long row, T* out, const auto& in) WARPCELL_INLINED {
        A center = A(0), rest = A(0), squares;
        if constexpr (is_centered) {
          // Relative to the first element: equal ones have a mean of exactly 0 then, and one far from 0 loses nothing
          // to it.
          const A origin = A(line.element(in, x + row * length, 0));
          center = origin + line.template sum<A>([=](A value) { return value - origin; }, in) / A(length);
          // What the center lacks of the mean for its roundings is the mean of what is left, and the squares have too
          // much for it.
          Two<A> left = line.template sums<A>([=](A value) { return value - center; },
                                              [=](A value) {
                                                A d = value - center;
                                                return d * d;
                                              },
                                              in);
          rest = left.first / A(length);
          squares = left.second - left.first * rest;
          if (squares < A(0)) squares = A(0);
          if (line.is_first()) means[row] = (center - origin) + rest;
        } else {
          squares = line.template sum<A>([](A value) { return value * value; }, in);
        }
        const A rstd = A(1) / fn::sqrt(squares / A(length) + A(eps)), shift = rest * rstd;
        auto normal = [=](A value) { return is_centered ? (value - center) * rstd - shift : value * rstd; };
        auto w = line.stream(weight), b = line.stream(bias);
        if (weight != nullptr && bias != nullptr)
          line.store(out, [=](A value, A w, A b) { return normal(value) * w + b; }, in, w, b);
        else if (weight != nullptr)
          line.store(out, [=](A value, A w) { return normal(value) * w; }, in, w);
        else if (bias != nullptr)
          line.store(out, [=](A value, A b) { return normal(value) + b; }, in, b);
        else
          line.store(out, normal, in);
        if (line.is_first()) rstds[row] = rstd;
      },
      x);
}

// What is known of a row of x.
template <class A>
struct Statistics {
  A rstd, mean, origin;
};

// x̂ = (x − mean) · rstd of a row; where it is not centred, x · rstd.
template <class A, bool is_centered>
struct Normal {
  A rstd, center, shift;
  __device__ inline explicit Normal(const Statistics<A>& known) : rstd(known.rstd) {
    center = known.origin + known.mean;
    const A moved = center - known.origin;
    // What the center lacks of the mean for its rounding.
    const A rest = (known.origin - (center - moved)) + (known.mean - moved);
    shift = rest * rstd;
  }
  WARPCELL_INLINED __device__ inline A operator()(A value) const {
    return is_centered ? (value - center) * rstd - shift : value * rstd;
  }
};

// d = g · weight, x̂ = (x − mean) · rstd: rstd (d − mean(d) − x̂ mean(d x̂)). `weight` may be null. With `has_sums`,
// `sums` [grid, 2, length] gets Σ g x̂ and Σ g over each block's rows.
template <class T, bool is_centered, bool has_sums, class L>
__global__ void __launch_bounds__(L::most_threads, has_sums ? 1 : kBlocksOfTwo<L>)
    normalize_gradient(const T* g, const T* x, const Sum<T>* means, const Sum<T>* rstds, const T* weight, T* out,
                       Sum<T>* sums, long long rows, long long length) {
  using A = Sum<T>;
  L line(length, rows);
  const A share = A(1) / A(length);
  auto statistics = [&](long long row, const auto& in) WARPCELL_INLINED {
    Statistics<A> found = {rstds[row], A(0), A(0)};
    if constexpr (is_centered) found.mean = means[row], found.origin = A(line.element(in, x + row * length, 0));
    return found;
  };
  // `add` gets g, x, and what makes x̂ of an element.
  auto each_row = [&](const auto& w, auto add) WARPCELL_INLINED {
    auto one = [&](T* to, const Statistics<A>& known, const auto& above, const auto& in) WARPCELL_INLINED {
      const A rstd = known.rstd;
      const Normal<A, is_centered> normal(known);
      A part = A(0), slope;
      if constexpr (is_centered) {
        Two<A> found = line.template sums<A>([](A g, A, A w) { return g * w; },
                                             [=](A g, A x, A w) { return g * w * normal(x); }, above, in, w);
        part = found.first * share * rstd, slope = found.second * share * rstd;
      } else {
        slope = line.template sum<A>([=](A g, A x, A w) { return g * w * normal(x); }, above, in, w) * share * rstd;
      }
      line.store(to, [=](A g, A x, A w) { return g * w * rstd - (normal(x) * slope + part); }, above, in, w);
      add(above, in, normal);
    };
    // Where one block fills the processor with its sums, the next row is on its way while this one is summed.
    if constexpr (has_sums && sizeof(T) == 2 && L::most_threads == 512)
      line.each_row_ahead(rows, out, statistics, one, g, x);
    else
      line.each_row(
          rows, out,
          [&](long long row, T* to, const auto& above, const auto& in)
              WARPCELL_INLINED { one(to, statistics(row, in), above, in); },
          g, x);
  };
  auto each_weighted = [&](auto add) WARPCELL_INLINED {
    if (weight == nullptr)
      each_row(Ones(), add);
    else if constexpr (has_sums)
      each_row(line.keep(weight), add);
    else
      each_row(line.stream(weight), add);
  };
  if constexpr (has_sums) {
    auto slopes = line.template totals<A>(sums + 2 * blockIdx.x * length),
         offsets = line.template totals<A>(sums + (2 * blockIdx.x + 1) * length);
    each_weighted([&](const auto& above, const auto& in, auto normal) WARPCELL_INLINED {
      slopes.add(line, [=](A g, A x) { return g * normal(x); }, above, in);
      offsets.add(line, [](A g) { return g; }, above);
    });
    slopes.finish(line);
    offsets.finish(line);
  } else {
    each_weighted([](const auto&, const auto&, auto) WARPCELL_INLINED {});
  }
}

// The sums of normalize_gradient by themselves, for rows of which a block has no room for a sum of each element: over
// `chunk` rows, [parts, 2, length]. A block takes kSumColumns of a part, and its warps take turns with the rows.
constexpr int kSumColumns = 32, kSumWarps = 8;
template <class T, bool is_centered>
__global__ void normalize_sums(const T* g, const T* x, const Sum<T>* means, const Sum<T>* rstds, Sum<T>* sums,
                               long long rows, long long length, long long chunk) {
  using A = Sum<T>;
  const long long tiles = (length + kSumColumns - 1) / kSumColumns, part = blockIdx.x / tiles, first = part * chunk,
                  last = first + chunk < rows ? first + chunk : rows;
  auto normal_of = [=](long long row) {
    Statistics<A> found = {rstds[row], A(0), A(0)};
    if constexpr (is_centered) found.mean = means[row], found.origin = A(widen<T>(x[row * length]));
    return Normal<A, is_centered>(found);
  };
  const long long column = blockIdx.x % tiles * kSumColumns;
#ifdef WARPCELL_SERIAL
  const int width = length - column < kSumColumns ? int(length - column) : kSumColumns;
  A slopes[kSumColumns] = {}, offsets[kSumColumns] = {};
  for (long long row = first; row < last; row++) {
    const Normal<A, is_centered> normal = normal_of(row);
    const long long at = row * length + column;
    for (int j = 0; j < width; j++) {
      slopes[j] += A(widen<T>(g[at + j])) * normal(widen<T>(x[at + j]));
      offsets[j] += A(widen<T>(g[at + j]));
    }
  }
  for (int j = 0; j < width; j++) {
    sums[2 * part * length + column + j] = slopes[j];
    sums[(2 * part + 1) * length + column + j] = offsets[j];
  }
#else
  __shared__ A parts[2][kSumWarps][kSumColumns];
  const int warp = threadIdx.y, lane = threadIdx.x;
  const long long own = column + lane;
  A slope = A(0), offset = A(0);
  if (own < length) {
#pragma unroll 4
    for (long long row = first + warp; row < last; row += kSumWarps) {
      const A above = widen<T>(g[row * length + own]);
      slope += above * normal_of(row)(widen<T>(x[row * length + own]));
      offset += above;
    }
  }
  parts[0][warp][lane] = slope, parts[1][warp][lane] = offset;
  __syncthreads();
  if (warp > 1 || own >= length) return;
  A sum = parts[warp][0][lane];
#pragma unroll
  for (int other = 1; other < kSumWarps; other++) sum += parts[warp][other][lane];
  sums[(2 * part + warp) * length + own] = sum;
#endif
}

// On a GPU a block takes kTotalColumns with a warp for each of kTotalWarps shares of what is summed.
constexpr int kTotalColumns = 32, kTotalWarps = 32;

// The sums of normalize_gradient over all of `blocks`, as the gradients of weight and bias.
template <class T>
__global__ void total_sums(const Sum<T>* sums, T* slopes, T* offsets, long long blocks, long long length) {
  using A = Sum<T>;
  auto total = [&](long long column, long long first, long long step) {
    A sum = A(0);
    for (long long block = first; block < blocks; block += step) sum += sums[2 * block * length + column];
    return sum;
  };
  auto put = [&](long long column, A sum) {
    if (column < length)
      slopes[column] = narrow<T>(sum);
    else
      offsets[column - length] = narrow<T>(sum);
  };
#ifdef WARPCELL_SERIAL
  Span span = block_span(2 * length);
  for (long long column = span.begin; column < span.end; column++) put(column, total(column, 0, 1));
#else
  __shared__ A parts[kTotalWarps][kTotalColumns];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const long long column = (long long)blockIdx.x * kTotalColumns + lane;
  const bool is_inside = column < 2 * length;
  parts[warp][lane] = is_inside ? total(column, warp, kTotalWarps) : A(0);
  __syncthreads();
  if (warp > 0 || !is_inside) return;
  A sum = parts[0][lane];
#pragma unroll
  for (int other = 1; other < kTotalWarps; other++) sum += parts[other][lane];
  put(column, sum);
#endif
}

// losses[row] = log Σe^x − (1 − smoothing) x[target] − smoothing · mean(x), 0 where the target is `ignored`; a target
// that is no class is told in `outside`, and gives NaN.
template <class T, class L>
__global__ void __launch_bounds__(L::most_threads, kBlocks<T, L>)
    cross_entropy(const T* x, const long long* targets, Sum<T>* losses, Sum<T>* logs, long long rows, long long length,
                  long long ignored, double smoothing, long long* outside) {
  using A = Sum<T>;
  L line(length, rows);
  line.each_row(
      rows, (T*)nullptr,
      [&](long long row, T*, const auto& in) WARPCELL_INLINED {
        const Powers<A> found = line.template powers<A>([](A value) { return exp_for<T>(value); }, in);
        const A log = found.most + fn::log(found.sum);
        A spread = A(0);
        if (smoothing != 0) spread = line.template sum<A>([=](A value) { return value - log; }, in) / A(length);
        if (line.is_first()) {
          long long target = targets[row];
          bool is_class = target >= 0 && target < length;
          if (!is_class && target != ignored) tell_outside(outside, target);
          A chosen = is_class ? A(line.element(in, x + row * length, target)) - log : A(0) / (A(0) * log);
          losses[row] = target == ignored ? A(0) : -(A(1 - smoothing) * chosen + A(smoothing) * spread);
          logs[row] = log;
        }
      },
      x);
}

// g[row] (e^(x − log) − (1 − smoothing) [target] − smoothing/length)
template <class T, class L>
__global__ void __launch_bounds__(L::most_threads, kBlocks<T, L>)
    cross_entropy_gradient(const Sum<T>* g, const T* x, const long long* targets, const Sum<T>* logs, T* out,
                           long long rows, long long length, long long ignored, double smoothing) {
  using A = Sum<T>;
  L line(length, rows);
  line.each_row(
      rows, out,
      [&](long long row, T* to, const auto& in) WARPCELL_INLINED {
        long long target = targets[row];
        A above = target == ignored ? A(0) : g[row], log = logs[row], rest = A(smoothing / double(length)),
          chosen = A(1 - smoothing);
        line.store(
            to,
            [=](long long at, A value) {
              A slope = exp_for<T>(value - log) - rest - (at == target ? chosen : A(0));
              return target == ignored ? A(0) : above * slope;
            },
            line.indices(), in);
      },
      x);
}

// Elements of a thread, each by one word of a counter.
constexpr int kDropped = sizeof(Words) / sizeof(uint);

// x/(1 − p) with probability 1 − p, else 0: element i by word i of a stream, so that the gradient has the same mask.
template <class T>
__global__ void dropout(const T* x, T* y, long long count, double p, unsigned long long seed,
                        unsigned long long stream) {
  const Sum<T> scale = p < 1 ? Sum<T>(1 / (1 - p)) : Sum<T>(0);
  const unsigned long long threshold = (unsigned long long)(p * 4294967296.0);
  auto each = [&](long long group) {
    Words random = philox(group, stream, seed);
#pragma unroll
    for (int k = 0; k < kDropped; k++) {
      long long i = group * kDropped + k;
      if (i < count)
        y[i] = random.word[k] < threshold ? narrow<T>(Sum<T>(0)) : narrow<T>(Sum<T>(widen<T>(x[i])) * scale);
    }
  };
#ifdef WARPCELL_SERIAL
  Span span = block_span((count + kDropped - 1) / kDropped);
  for (long long group = span.begin; group < span.end; group++) each(group);
#else
  long long group = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (group * kDropped < count) each(group);
#endif
}
