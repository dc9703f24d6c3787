// Functions of whole rows of [rows, length], and their gradients: softmax, normalisation, cross entropy. One block a
// row on a GPU; each row is read once where it fits.
#include <warpcell/line.cuh>
#include <warpcell/philox.cuh>

using namespace warpcell;

// `L` is the line of a row (line.cuh): which one, lib/ops/rowwise.ts decides by the length of the rows and where they
// start.

// Blocks that a processor of a GPU is to hold at a time, so that one loads while another sums: 40 registers are left
// for each of 1536 threads, 48 of 1280, or 64 of 1024 where more is kept.
template <class T, class L>
constexpr int kBlocks = L::most_threads > 512 ? 1
                                              : (sizeof(T) == 2   ? 1280
                                                 : sizeof(T) == 4 ? 1536
                                                                  : 1024) /
                                                    L::most_threads;
template <class L>
constexpr int kBlocksOfTwo = L::most_threads > 512 ? 1 : 1024 / L::most_threads;

// e^x for what becomes a T: of 16 bits it shows no error below 2⁻¹², and |x| · 2⁻²⁴ is one for any x that does not give
// 0.
template <class T, class A>
__device__ inline A exp_for(A x) {
#ifndef WARPCELL_CPU
  if constexpr (sizeof(T) == 2) return __expf(x);
#endif
  return fn::exp(x);
}

// e^(x − most) / Σ, or its logarithm. A row of −∞ alone is NaN.
template <class T, bool is_log, class L>
__global__ void __launch_bounds__(L::most_threads, kBlocks<T, L>)
    softmax(const T* x, T* y, long long rows, long long length) {
  using A = Sum<T>;
  L line(length, rows);
  Rows mine = block_rows(rows);
  for (long long row = mine.begin; row < mine.end; row += mine.step) {
    auto in = line.keep(x + row * length);
    T* out = y + row * length;
    A most = line.template most<A>(in);
    if constexpr (is_log) {
      A total = line.template sum<A>([=](A value) { return exp_for<T>(value - most); }, in), shift = fn::log(total);
      line.store(out, [=](A value) { return (value - most) - shift; }, in);
    } else {
#ifdef WARPCELL_CPU
      if constexpr (same<T, A>) {
        // Each e^x is worked out once and waits in the result.
        A factor = A(1) / line.template sum<A>([=](long long at, A value) { return out[at] = fn::exp(value - most); },
                                               line.indices(), in);
        line.store(out, [=](A power) { return power * factor; }, line.keep(out));
        continue;
      }
#endif
      auto power = [=](A value) { return exp_for<T>(value - most); };
      A factor = A(1) / line.template sum<A>(power, in);
      line.store(out, [=](A value) { return power(value) * factor; }, in);
    }
  }
}

// y(g − Σgy), or of the logarithm g − e^y Σg.
template <class T, bool is_log, class L>
__global__ void __launch_bounds__(L::most_threads, kBlocksOfTwo<L>)
    softmax_gradient(const T* g, const T* y, T* out, long long rows, long long length) {
  using A = Sum<T>;
  L line(length, rows);
  Rows mine = block_rows(rows);
  for (long long row = mine.begin; row < mine.end; row += mine.step) {
    auto above = line.keep(g + row * length), result = line.keep(y + row * length);
    A total = line.template sum<A>([](A g, A y) { return is_log ? g : g * y; }, above, result);
    line.store(
        out + row * length, [=](A g, A y) { return is_log ? g - exp_for<T>(y) * total : y * (g - total); }, above,
        result);
  }
}

// (x − mean) · rstd · weight + bias, or x · rstd · weight. `weight` and `bias` may be null. `means` are relative to the
// first element of their rows.
template <class T, bool is_centered, class L>
__global__ void __launch_bounds__(L::most_threads, kBlocks<T, L>)
    normalize(const T* x, const T* weight, const T* bias, T* y, Sum<T>* means, Sum<T>* rstds, long long rows,
              long long length, double eps) {
  using A = Sum<T>;
  L line(length, rows);
  Rows mine = block_rows(rows);
  for (long long row = mine.begin; row < mine.end; row += mine.step) {
    T* out = y + row * length;
    auto in = line.keep(x + row * length);
    A center = A(0), rest = A(0), squares;
    if constexpr (is_centered) {
      // Relative to the first element: equal ones have a mean of exactly 0 then, and one far from 0 loses nothing to
      // it.
      const A origin = A(widen<T>(x[row * length]));
      center = origin + line.template sum<A>([=](A value) { return value - origin; }, in) / A(length);
      // What the center lacks of the mean for its roundings is the mean of what is left, and the squares have too much
      // for it.
      Two<A> left = line.template sums<A>([=](A value) { return value - center; },
                                          [=](A value) {
                                            A d = value - center;
                                            return d * d;
                                          },
                                          in);
      rest = left.first / A(length);
      squares = left.second - left.first * rest;
      if (squares < A(0)) squares = A(0);
      if (is_first_thread()) means[row] = (center - origin) + rest;
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
    if (is_first_thread()) rstds[row] = rstd;
  }
}

// A row of g and of x, and what is known of the row of x.
template <class A, class Kept>
struct GradientRow {
  long long row;
  Kept above, in;
  A rstd, mean, origin;
};

// d = g · weight, x̂ = (x − mean) · rstd: rstd (d − mean(d) − x̂ mean(d x̂)). `weight` may be null. With `has_sums`,
// `sums` [grid, 2, length] gets Σ g x̂ and Σ g over each block's rows.
template <class T, bool is_centered, bool has_sums, class L>
__global__ void __launch_bounds__(L::most_threads, has_sums ? 1 : kBlocksOfTwo<L>)
    normalize_gradient(const T* g, const T* x, const Sum<T>* means, const Sum<T>* rstds, const T* weight, T* out,
                       Sum<T>* sums, long long rows, long long length) {
  using A = Sum<T>;
  L line(length, rows);
  Rows mine = block_rows(rows);
  const A share = A(1) / A(length);
  using Row = GradientRow<A, decltype(line.keep(x))>;
  auto take = [&](long long row) {
    A mean = A(0), origin = A(0);
    if constexpr (is_centered) mean = means[row], origin = A(widen<T>(x[row * length]));
    return Row{row, line.keep(g + row * length), line.keep(x + row * length), rstds[row], mean, origin};
  };
  // `add` gets g, x, and what makes x̂ of an element.
  auto one = [&](const Row& taken, const auto& w, auto add) {
    const auto& above = taken.above;
    const auto& in = taken.in;
    const A rstd = taken.rstd, center = taken.origin + taken.mean, moved = center - taken.origin;
    // What the center lacks of the mean for its rounding.
    const A rest = (taken.origin - (center - moved)) + (taken.mean - moved), shift = rest * rstd;
    auto normal = [=](A value) { return is_centered ? (value - center) * rstd - shift : value * rstd; };
    A part = A(0), slope;
    if constexpr (is_centered) {
      Two<A> found = line.template sums<A>([](A g, A, A w) { return g * w; },
                                           [=](A g, A x, A w) { return g * w * normal(x); }, above, in, w);
      part = found.first * share * rstd, slope = found.second * share * rstd;
    } else {
      slope = line.template sum<A>([=](A g, A x, A w) { return g * w * normal(x); }, above, in, w) * share * rstd;
    }
    line.store(
        out + taken.row * length, [=](A g, A x, A w) { return g * w * rstd - (normal(x) * slope + part); }, above, in,
        w);
    add(above, in, normal);
  };
  auto each_row = [&](const auto& w, auto add) {
#ifndef WARPCELL_CPU
    if constexpr (has_sums && sizeof(T) == 2 && L::most_threads == 512) {
      // One block fills the processor with its sums: the next row is on its way while this one is summed.
      Row next = take(mine.begin < rows ? mine.begin : 0);
      for (long long row = mine.begin; row < mine.end; row += mine.step) {
        const Row taken = next;
        next = take(row + mine.step < mine.end ? row + mine.step : row);
        one(taken, w, add);
      }
    } else
#endif
      for (long long row = mine.begin; row < mine.end; row += mine.step) one(take(row), w, add);
  };
  auto each_weighted = [&](auto add) {
    if (weight == nullptr)
      each_row(Ones(), add);
    else if constexpr (has_sums)
      each_row(line.keep(weight), add);
    else
      each_row(line.stream(weight), add);
  };
  if constexpr (has_sums) {
    auto slopes = line.totals(sums + 2 * blockIdx.x * length),
         offsets = line.totals(sums + (2 * blockIdx.x + 1) * length);
    each_weighted([&](const auto& above, const auto& in, auto normal) {
      slopes.add(line, [=](A g, A x) { return g * normal(x); }, above, in);
      offsets.add(line, [](A g) { return g; }, above);
    });
    slopes.finish(line);
    offsets.finish(line);
  } else {
    each_weighted([](const auto&, const auto&, auto) {});
  }
}

// The sums of normalize_gradient over all of `blocks`, as the gradients of weight and bias. On a GPU 32 warps take 32
// columns.
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
#ifdef WARPCELL_CPU
  Span span = block_span(2 * length);
  for (long long column = span.begin; column < span.end; column++) put(column, total(column, 0, 1));
#else
  constexpr int kWarps = 32;
  __shared__ A parts[kWarps][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const long long column = (long long)blockIdx.x * 32 + lane;
  const bool is_inside = column < 2 * length;
  parts[warp][lane] = is_inside ? total(column, warp, kWarps) : A(0);
  __syncthreads();
  if (warp > 0 || !is_inside) return;
  A sum = parts[0][lane];
#pragma unroll
  for (int other = 1; other < kWarps; other++) sum += parts[other][lane];
  put(column, sum);
#endif
}

// losses[row] = log Σe^x − (1 − smoothing) x[target] − smoothing · mean(x), 0 where the target is `ignored`; a target
// that is no class gives NaN.
template <class T, class L>
__global__ void __launch_bounds__(L::most_threads, kBlocks<T, L>)
    cross_entropy(const T* x, const long long* targets, Sum<T>* losses, Sum<T>* logs, long long rows, long long length,
                  long long ignored, double smoothing) {
  using A = Sum<T>;
  L line(length, rows);
  Rows mine = block_rows(rows);
  for (long long row = mine.begin; row < mine.end; row += mine.step) {
    auto in = line.keep(x + row * length);
    const A most = line.template most<A>(in);
    const A log = most + fn::log(line.template sum<A>([=](A value) { return exp_for<T>(value - most); }, in));
    A spread = A(0);
    if (smoothing != 0) spread = line.template sum<A>([=](A value) { return value - log; }, in) / A(length);
    if (is_first_thread()) {
      long long target = targets[row];
      bool is_class = target >= 0 && target < length;
      A chosen = is_class ? A(widen<T>(x[row * length + target])) - log : A(0) / (A(0) * log);
      losses[row] = target == ignored ? A(0) : -(A(1 - smoothing) * chosen + A(smoothing) * spread);
      logs[row] = log;
    }
  }
}

// g[row] (e^(x − log) − (1 − smoothing) [target] − smoothing/length)
template <class T, class L>
__global__ void __launch_bounds__(L::most_threads, kBlocks<T, L>)
    cross_entropy_gradient(const Sum<T>* g, const T* x, const long long* targets, const Sum<T>* logs, T* out,
                           long long rows, long long length, long long ignored, double smoothing) {
  using A = Sum<T>;
  L line(length, rows);
  Rows mine = block_rows(rows);
  for (long long row = mine.begin; row < mine.end; row += mine.step) {
    long long target = targets[row];
    A above = target == ignored ? A(0) : g[row], log = logs[row], rest = A(smoothing / double(length)),
      chosen = A(1 - smoothing);
    line.store(
        out + row * length,
        [=](long long at, A value) {
          A slope = exp_for<T>(value - log) - rest - (at == target ? chosen : A(0));
          return target == ignored ? A(0) : above * slope;
        },
        line.indices(), line.stream(x + row * length));
  }
}

// x/(1 − p) with probability 1 − p, else 0: element i by word i of a stream, so that the gradient has the same mask.
template <class T>
__global__ void dropout(const T* x, T* y, long long count, double p, unsigned long long seed,
                        unsigned long long stream) {
  const Sum<T> scale = p < 1 ? Sum<T>(1 / (1 - p)) : Sum<T>(0);
  const unsigned long long threshold = (unsigned long long)(p * 4294967296.0);
  auto four = [&](long long group) {
    Words random = philox(group, stream, seed);
#pragma unroll
    for (int k = 0; k < 4; k++) {
      long long i = group * 4 + k;
      if (i < count)
        y[i] = random.word[k] < threshold ? narrow<T>(Sum<T>(0)) : narrow<T>(Sum<T>(widen<T>(x[i])) * scale);
    }
  };
#ifdef WARPCELL_CPU
  Span span = block_span((count + 3) / 4);
  for (long long group = span.begin; group < span.end; group++) four(group);
#else
  long long group = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (group * 4 < count) four(group);
#endif
}
