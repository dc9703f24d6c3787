// Functions of whole rows of [rows, length], and their gradients: softmax, normalisation, cross entropy. One block a row on a GPU; each row is read once where it fits.
#include <warpcell/line.cuh>
#include <warpcell/philox.cuh>

using namespace warpcell;

// Packs of 16 bytes of each operand that a thread keeps, as lib/ops/rowwise.ts has them: more where the kernel keeps little else.
constexpr int kKept = 8, kFewer = 4;

// e^(x − most) / Σ, or its logarithm. A row of −∞ alone is NaN.
template <class T, bool is_log> __global__ void __launch_bounds__(1024) softmax(const T* x, T* y, long long rows, long long length) {
  using A = Sum<T>;
  along<T, kKept>(length, [&](auto line) {
    Rows mine = block_rows(rows);
    for (long long row = mine.begin; row < mine.end; row += mine.step) {
      auto in = line.keep(x + row * length);
      A most = line.template most<A>([&](auto at) { return in(at); });
      if constexpr (is_log) {
        A total = line.template sum<A>([&](auto at) { return fn::exp(A(in(at)) - most); }), shift = fn::log(total);
        line.store(y + row * length, [&](auto at) { return (A(in(at)) - most) - shift; });
      } else {
#ifdef WARPCELL_CPU
        if constexpr (same<T, A>) {
          // Each e^x is worked out once and waits in the result.
          T* out = y + row * length;
          A factor = A(1) / line.template sum<A>([&](auto at) { return out[at] = fn::exp(in(at) - most); });
          line.store(out, [&](auto at) { return out[at] * factor; });
          continue;
        }
#endif
        A factor = A(1) / line.template sum<A>([&](auto at) { return fn::exp(A(in(at)) - most); });
        line.store(y + row * length, [&](auto at) { return fn::exp(A(in(at)) - most) * factor; });
      }
    }
  }, x, y);
}

// y(g − Σgy), or of the logarithm g − e^y Σg.
template <class T, bool is_log> __global__ void __launch_bounds__(1024) softmax_gradient(const T* g, const T* y, T* out, long long rows, long long length) {
  using A = Sum<T>;
  along<T, kFewer>(length, [&](auto line) {
    Rows mine = block_rows(rows);
    for (long long row = mine.begin; row < mine.end; row += mine.step) {
      auto above = line.keep(g + row * length), result = line.keep(y + row * length);
      A total = line.template sum<A>([&](auto at) { return is_log ? A(above(at)) : A(above(at)) * A(result(at)); });
      line.store(out + row * length, [&](auto at) {
        if constexpr (is_log) return A(above(at)) - fn::exp(A(result(at))) * total;
        else return A(result(at)) * (A(above(at)) - total);
      });
    }
  }, g, y, out);
}

// (x − mean) · rstd · weight + bias, or x · rstd · weight. `weight` and `bias` may be null. `means` are relative to the first element of their rows.
template <class T, bool is_centered> __global__ void __launch_bounds__(512) normalize(const T* x, const T* weight, const T* bias, T* y, Sum<T>* means, Sum<T>* rstds, long long rows, long long length, double eps) {
  using A = Sum<T>;
  along<T, kKept>(length, [&](auto line) {
    Rows mine = block_rows(rows);
    for (long long row = mine.begin; row < mine.end; row += mine.step) {
      const T* first = x + row * length;
      auto in = line.keep(first);
      A origin = A(0), mean = A(0), squares;
      if constexpr (is_centered) {
        // Relative to the first element: equal ones have a mean of exactly 0 then, and one far from 0 loses nothing to it.
        origin = A(widen<T>(first[0]));
        mean = line.template sum<A>([&](auto at) { return A(in(at)) - origin; }) / A(length);
        mean += line.template sum<A>([&](auto at) { return (A(in(at)) - origin) - mean; }) / A(length);
        squares = line.template sum<A>([&](auto at) { A d = (A(in(at)) - origin) - mean; return d * d; });
      } else {
        squares = line.template sum<A>([&](auto at) { return A(in(at)) * A(in(at)); });
      }
      A rstd = A(1) / fn::sqrt(squares / A(length) + A(eps));
      auto finish = [&](auto has_weight, auto has_bias) {
        auto w = line.keep(has_weight ? weight : first), b = line.keep(has_bias ? bias : first);
        line.store(y + row * length, [&](auto at) {
          A value = ((A(in(at)) - origin) - mean) * rstd;
          if constexpr (decltype(has_weight)::value) value *= A(w(at));
          if constexpr (decltype(has_bias)::value) value += A(b(at));
          return value;
        });
      };
      if (weight != nullptr && bias != nullptr) finish(Yes{}, Yes{});
      else if (weight != nullptr) finish(Yes{}, No{});
      else if (bias != nullptr) finish(No{}, Yes{});
      else finish(No{}, No{});
      if (is_first_thread()) {
        if constexpr (is_centered) means[row] = mean;
        rstds[row] = rstd;
      }
    }
  }, x, weight, bias, y);
}

// d = g · weight, x̂ = (x − mean) · rstd: rstd (d − mean(d) − x̂ mean(d x̂)). `sums` [grid, 2, length] gets Σ g x̂ and Σ g over each block's rows, or is null.
template <class T, bool is_centered> __global__ void __launch_bounds__(512) normalize_gradient(const T* g, const T* x, const Sum<T>* means, const Sum<T>* rstds, const T* weight, T* out, Sum<T>* sums, long long rows, long long length) {
  using A = Sum<T>;
  along<T, kFewer>(length, [&](auto line) {
    Rows mine = block_rows(rows);
    auto go = [&](auto has_weight, auto has_sums) {
      auto totals = [&](int which) {
        if constexpr (decltype(has_sums)::value) return line.totals(sums + (2 * blockIdx.x + which) * length);
        else return 0;
      };
      auto slopes = totals(0), offsets = totals(1);
      for (long long row = mine.begin; row < mine.end; row += mine.step) {
        auto above = line.keep(g + row * length), in = line.keep(x + row * length), w = line.keep(has_weight ? weight : x);
        A origin = A(0), mean = A(0), rstd = rstds[row];
        if constexpr (is_centered) {
          origin = A(widen<T>(x[row * length]));
          mean = means[row];
        }
        auto d = [&](auto at) {
          if constexpr (decltype(has_weight)::value) return A(above(at)) * A(w(at));
          else return A(above(at));
        };
        auto normal = [&](auto at) { return ((A(in(at)) - origin) - mean) * rstd; };
        A part = A(0);
        if constexpr (is_centered) part = line.template sum<A>([&](auto at) { return d(at); }) / A(length);
        A slope = line.template sum<A>([&](auto at) { return d(at) * normal(at); }) / A(length);
        line.store(out + row * length, [&](auto at) { return rstd * (d(at) - part - normal(at) * slope); });
        if constexpr (decltype(has_sums)::value) {
          slopes.add(line, [&](auto at) { return A(above(at)) * normal(at); });
          offsets.add(line, [&](auto at) { return A(above(at)); });
        }
      }
      if constexpr (decltype(has_sums)::value) {
        slopes.finish(line);
        offsets.finish(line);
      }
    };
    if (weight != nullptr && sums != nullptr) go(Yes{}, Yes{});
    else if (weight != nullptr) go(Yes{}, No{});
    else if (sums != nullptr) go(No{}, Yes{});
    else go(No{}, No{});
  }, g, x, weight, out);
}

// losses[row] = log Σe^x − (1 − smoothing) x[target] − smoothing · mean(x), 0 where the target is `ignored`; a target that is no class gives NaN.
template <class T> __global__ void __launch_bounds__(1024) cross_entropy(const T* x, const long long* targets, Sum<T>* losses, Sum<T>* logs, long long rows, long long length, long long ignored, double smoothing) {
  using A = Sum<T>;
  along<T, kKept>(length, [&](auto line) {
    Rows mine = block_rows(rows);
    for (long long row = mine.begin; row < mine.end; row += mine.step) {
      auto in = line.keep(x + row * length);
      A most = line.template most<A>([&](auto at) { return in(at); });
      A log = most + fn::log(line.template sum<A>([&](auto at) { return fn::exp(A(in(at)) - most); }));
      A spread = A(0);
      if (smoothing != 0) spread = line.template sum<A>([&](auto at) { return A(in(at)) - log; }) / A(length);
      if (is_first_thread()) {
        long long target = targets[row];
        bool is_class = target >= 0 && target < length;
        A chosen = is_class ? A(widen<T>(x[row * length + target])) - log : A(0) / (A(0) * log);
        losses[row] = target == ignored ? A(0) : -(A(1 - smoothing) * chosen + A(smoothing) * spread);
        logs[row] = log;
      }
    }
  }, x);
}

// g[row] (e^(x − log) − (1 − smoothing) [target] − smoothing/length)
template <class T> __global__ void __launch_bounds__(1024) cross_entropy_gradient(const Sum<T>* g, const T* x, const long long* targets, const Sum<T>* logs, T* out, long long rows, long long length, long long ignored, double smoothing) {
  using A = Sum<T>;
  along<T, kKept>(length, [&](auto line) {
    Rows mine = block_rows(rows);
    for (long long row = mine.begin; row < mine.end; row += mine.step) {
      auto in = line.keep(x + row * length);
      long long target = targets[row];
      A above = target == ignored ? A(0) : g[row], log = logs[row], rest = A(smoothing / double(length)), chosen = A(1 - smoothing);
      line.store(out + row * length, [&](auto at) {
        A slope = fn::exp(A(in(at)) - log) - rest - (line.index(at) == target ? chosen : A(0));
        return target == ignored ? A(0) : above * slope;
      });
    }
  }, x, out);
}

// x/(1 − p) with probability 1 − p, else 0: element i by word i of a stream, so that the gradient has the same mask.
template <class T> __global__ void dropout(const T* x, T* y, long long count, double p, unsigned long long seed, unsigned long long stream) {
  const Sum<T> scale = p < 1 ? Sum<T>(1 / (1 - p)) : Sum<T>(0);
  const unsigned long long threshold = (unsigned long long)(p * 4294967296.0);
  auto four = [&](long long group) {
    Words random = philox(group, stream, seed);
#pragma unroll
    for (int k = 0; k < 4; k++) {
      long long i = group * 4 + k;
      if (i < count) y[i] = random.word[k] < threshold ? narrow<T>(Sum<T>(0)) : narrow<T>(Sum<T>(widen<T>(x[i])) * scale);
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
