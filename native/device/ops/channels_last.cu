// Batch normalisation of [rows, channels], images with their channels last: what is known of each channel over all
// rows, and the pass that normalises by it, with their gradients.
#include <warpcell/batch_norm.cuh>
#include <warpcell/widths.cuh>

using namespace warpcell;

// Threads of a block of a GPU, and packs of at most 16 bytes that each brings at a time.
constexpr int kLastThreads = 256, kLoads = 4;
// What the channels of a block are a multiple of, and how many it has at most.
template <class T>
constexpr int kLastWidth = kPackBytes / sizeof(T);
template <class T>
constexpr int kMostChannels = 32 * kLastWidth<T>;
// Channels and threads for each of them where parts are joined.
constexpr int kJoinedChannels = 8, kJoiners = kLastThreads / kJoinedChannels;

// The channels and rows of a block: of `parts` times as many blocks as `width` channels are in all.
struct Own {
  int first, count, part;
  long long begin, end;
};
__device__ inline Own own_part(long long rows, int channels, int width, int parts) {
  const int tiles = (channels + width - 1) / width, part = int(blockIdx.x) / tiles;
  const int first = (int(blockIdx.x) - part * tiles) * width;
  return {first, channels - first < width ? channels - first : width, part, rows * part / parts,
          rows * (part + 1) / parts};
}

#ifdef WARPCELL_SERIAL
// Rows that are summed by themselves.
constexpr int kStretch = 256;

// Calls f(first row, how many) for pieces of the rows of a part.
template <class F>
inline WARPCELL_INLINED void each_stretch(const Own& own, F f) {
  for (long long row = own.begin; row < own.end; row += kStretch)
    f(row, own.end - row < kStretch ? int(own.end - row) : kStretch);
}
#else
// A thread's W channels, beside each other, in every so many rows of a block.
template <int W>
struct Column {
  int across, down;  // packs of a row of the block, and the rows that it has at a time
  int column, row;   // of this thread
  int channel;
  bool is_there;
  __device__ inline Column(const Own& own, int width) {
    across = width / W;
    down = kLastThreads / across;
    row = int(threadIdx.x) / across;
    column = int(threadIdx.x) - row * across;
    channel = own.first + column * W;
    is_there = row < down && column * W < own.count;
  }
};

// Calls f(place, packs, one of each tensor) for the rows of a thread, several at a time; `backwards`: the last first.
template <int W, class T, int N, class F>
__device__ inline void each_row(const Own& own, const Column<W>& mine, int channels, bool backwards,
                                const T* const (&from)[N], F f) {
  constexpr int together = kLoads / N;
  if (!mine.is_there) return;
  const long long rows = own.end - own.begin;
  const long long first = (backwards ? own.end - 1 - mine.row : own.begin + mine.row) * channels + mine.channel;
  const long long step = (long long)(backwards ? -mine.down : mine.down) * channels;
  long long at = first;
  for (long long row = mine.row; row < rows; row += together * mine.down, at += together * step) {
    Pack<T, W> loaded[together][N];
#pragma unroll
    for (int k = 0; k < together; k++) {
      if (row + k * mine.down >= rows) break;
#pragma unroll
      for (int n = 0; n < N; n++) loaded[k][n] = *(const Pack<T, W>*)(from[n] + at + k * step);
    }
#pragma unroll
    for (int k = 0; k < together; k++) {
      if (row + k * mine.down >= rows) break;
      f(at + k * step, loaded[k]);
    }
  }
}

// out = the joined states of the threads with the same channels.
template <int W, class S>
__device__ inline void put_joined(const Own& own, const Column<W>& mine, S (&states)[W], S* out) {
  __shared__ S all[W][kLastThreads];
  int rows = mine.down;
  if (mine.row < rows)
    for (int e = 0; e < W; e++) all[e][threadIdx.x] = states[e];
  while (rows > 1) {
    const int half = (rows + 1) / 2;
    __syncthreads();
    if (mine.row < rows - half) {
#pragma unroll
      for (int e = 0; e < W; e++) {
        states[e] = joined(states[e], all[e][threadIdx.x + half * mine.across]);
        all[e][threadIdx.x] = states[e];
      }
    }
    rows = half;
  }
  if (mine.row == 0 && mine.is_there)
    for (int e = 0; e < W; e++) out[mine.channel + e] = states[e];
}
#endif

// out[part][channel] = the moments of the part.
template <class T>
__global__ void __launch_bounds__(kLastThreads)
    last_moments(const T* x, Moments<Sum<T>>* out, long long rows, int channels, int width, int parts) {
  using A = Sum<T>;
  const Own own = own_part(rows, channels, width, parts);
  out += (long long)own.part * channels;
#ifdef WARPCELL_SERIAL
  Moments<A> all[kMostChannels<T>] = {};
  each_stretch(own, [&](long long first, int count) {
    const T* from = x + first * channels + own.first;
    A base[kMostChannels<T>], sum[kMostChannels<T>] = {}, squares[kMostChannels<T>] = {};
    for (int c = 0; c < own.count; c++) base[c] = widen<T>(from[c]);
    for (int row = 0; row < count; row++, from += channels)
      for (int c = 0; c < own.count; c++) {
        const A off = A(widen<T>(from[c])) - base[c];
        sum[c] += off;
        squares[c] += off * off;
      }
    for (int c = 0; c < own.count; c++) all[c] = joined(all[c], moments_of(A(count), base[c], sum[c], squares[c]));
  });
  for (int c = 0; c < own.count; c++) out[own.first + c] = all[c];
#else
  const T* const from[1] = {x};
  with_width(channels, from, [&](auto wide) {
    constexpr int W = decltype(wide)::value;
    const Column<W> mine(own, width);
    int count = 0;
    A base[W] = {}, sum[W] = {}, squares[W] = {};
    each_row(own, mine, channels, false, from, [&](long long, const Pack<T, W>(&loaded)[1]) {
      if (count++ == 0) {
#pragma unroll
        for (int e = 0; e < W; e++) base[e] = widen<T>(loaded[0].element[e]);
      }
#pragma unroll
      for (int e = 0; e < W; e++) {
        const A off = A(widen<T>(loaded[0].element[e])) - base[e];
        sum[e] += off;
        squares[e] += off * off;
      }
    });
    Moments<A> states[W];
#pragma unroll
    for (int e = 0; e < W; e++) states[e] = moments_of(A(count), base[e], sum[e], squares[e]);
    put_joined(own, mine, states, out);
  });
#endif
}

// Calls put(channel, its parts joined) for the channels of this block.
template <class S, class F>
__device__ inline void each_joined(const S* in, int channels, int parts, F put) {
#ifdef WARPCELL_SERIAL
  for (int channel = blockIdx.x * kJoinedChannels; channel < channels && channel < (blockIdx.x + 1) * kJoinedChannels;
       channel++) {
    S all = S();
    for (int part = 0; part < parts; part++) all = joined(all, in[(long long)part * channels + channel]);
    put(channel, all);
  }
#else
  __shared__ S found[kLastThreads];
  const int own = threadIdx.x % kJoinedChannels, channel = int(blockIdx.x) * kJoinedChannels + own;
  S all = S();
  if (channel < channels) {
#pragma unroll 4
    for (int part = int(threadIdx.x) / kJoinedChannels; part < parts; part += kJoiners)
      all = joined(all, in[(long long)part * channels + channel]);
  }
  for (int half = kLastThreads / 2; half >= kJoinedChannels; half /= 2) {
    found[threadIdx.x] = all;
    __syncthreads();
    if (threadIdx.x < half) all = joined(all, found[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x < kJoinedChannels && channel < channels) put(channel, all);
#endif
}

// The mean and the variance (of all there is) of each channel, of its parts.
template <class T>
__global__ void __launch_bounds__(kLastThreads)
    last_statistics(const Moments<Sum<T>>* in, Sum<T>* means, Sum<T>* variances, int channels, int parts) {
  each_joined(in, channels, parts, [&](int channel, const Moments<Sum<T>>& all) {
    means[channel] = all.mean;
    variances[channel] = all.squares / all.count;
  });
}

// y = (x − mean) · weight / √(variance + eps) + bias; weight and bias may be null.
template <class T>
__global__ void __launch_bounds__(kLastThreads)
    normalize_last(const T* x, const Sum<T>* means, const Sum<T>* variances, const T* weight, const T* bias, double eps,
                   T* y, long long rows, int channels, int width, int parts) {
  using A = Sum<T>;
  const Own own = own_part(rows, channels, width, parts);
  auto of = [&](int channel)
                WARPCELL_INLINED { return rule_of(channel, means[channel], variances[channel], eps, weight, bias); };
#ifdef WARPCELL_SERIAL
  A mean[kMostChannels<T>], rate[kMostChannels<T>], added[kMostChannels<T>];
  for (int c = 0; c < own.count; c++) {
    const Rule<A> rule = of(own.first + c);
    mean[c] = rule.mean, rate[c] = rule.rate, added[c] = rule.bias;
  }
  for (long long row = own.begin; row < own.end; row++) {
    const T* from = x + row * channels + own.first;
    T* to = y + row * channels + own.first;
    for (int c = 0; c < own.count; c++) to[c] = Rule<A>{mean[c], rate[c], added[c]}(from[c]);
  }
#else
  const T* const from[1] = {x};
  with_width(channels, from, [&](auto wide) {
    constexpr int W = decltype(wide)::value;
    const Column<W> mine(own, width);
    Rule<A> rules[W];
    if (mine.is_there)
      for (int e = 0; e < W; e++) rules[e] = of(mine.channel + e);
    each_row(own, mine, channels, true, from, [&](long long at, const Pack<T, W>(&loaded)[1]) {
      Pack<T, W> result;
#pragma unroll
      for (int e = 0; e < W; e++) result.element[e] = rules[e](loaded[0].element[e]);
      *(Pack<T, W>*)(y + at) = result;
    });
  });
#endif
}

// out[part][channel] = Σ g and Σ g · (x − mean) of the part.
template <class T>
__global__ void __launch_bounds__(kLastThreads)
    last_slopes(const T* g, const T* x, const Sum<T>* means, Two<Sum<T>>* out, long long rows, int channels, int width,
                int parts) {
  using A = Sum<T>;
  const Own own = own_part(rows, channels, width, parts);
  out += (long long)own.part * channels;
#ifdef WARPCELL_SERIAL
  Two<A> all[kMostChannels<T>] = {};
  each_stretch(own, [&](long long first, int count) {
    const T *above = g + first * channels + own.first, *from = x + first * channels + own.first;
    A sum[kMostChannels<T>] = {}, products[kMostChannels<T>] = {};
    for (int row = 0; row < count; row++, above += channels, from += channels)
      for (int c = 0; c < own.count; c++) {
        const Two<A> each = both(above[c], from[c], means[own.first + c]);
        sum[c] += each.first;
        products[c] += each.second;
      }
    for (int c = 0; c < own.count; c++) all[c] = joined(all[c], Two<A>{sum[c], products[c]});
  });
  for (int c = 0; c < own.count; c++) out[own.first + c] = all[c];
#else
  const T* const from[2] = {g, x};
  with_width(channels, from, [&](auto wide) {
    constexpr int W = decltype(wide)::value;
    const Column<W> mine(own, width);
    A mean[W];
    Two<A> states[W] = {};
    if (mine.is_there)
      for (int e = 0; e < W; e++) mean[e] = means[mine.channel + e];
    each_row(own, mine, channels, false, from, [&](long long, const Pack<T, W>(&loaded)[2]) {
#pragma unroll
      for (int e = 0; e < W; e++)
        states[e] = joined(states[e], both(loaded[0].element[e], loaded[1].element[e], mean[e]));
    });
    put_joined(own, mine, states, out);
  });
#endif
}

// Of its parts: the gradients of weight and bias, which may be null, and by what the gradient of x is made.
template <class T>
__global__ void __launch_bounds__(kLastThreads)
    last_gradients(const Two<Sum<T>>* in, const Sum<T>* variances, double eps, Two<Sum<T>>* sums, T* weight, T* bias,
                   int channels, int parts) {
  each_joined(in, channels, parts, [&](int channel, const Two<Sum<T>>& all) {
    sums[channel] = all;
    put_gradients(channel, variances[channel], eps, all, weight, bias);
  });
}

// The gradient of x by those sums.
template <class T>
__global__ void __launch_bounds__(kLastThreads)
    normalize_last_gradient(const T* g, const T* x, const Sum<T>* means, const Sum<T>* variances, const T* weight,
                            const Two<Sum<T>>* sums, double eps, T* out, long long rows, int channels, int width,
                            int parts) {
  using A = Sum<T>;
  const Own own = own_part(rows, channels, width, parts);
  auto of = [&](int channel) WARPCELL_INLINED {
    return slope_of(channel, means[channel], variances[channel], eps, weight, sums[channel], A(rows));
  };
#ifdef WARPCELL_SERIAL
  A mean[kMostChannels<T>], rate[kMostChannels<T>], less[kMostChannels<T>], by[kMostChannels<T>];
  for (int c = 0; c < own.count; c++) {
    const Slope<A> slope = of(own.first + c);
    mean[c] = slope.mean, rate[c] = slope.rate, less[c] = slope.less, by[c] = slope.by;
  }
  for (long long row = own.begin; row < own.end; row++) {
    const long long at = row * channels + own.first;
    for (int c = 0; c < own.count; c++) out[at + c] = Slope<A>{mean[c], rate[c], less[c], by[c]}(g[at + c], x[at + c]);
  }
#else
  const T* const from[2] = {g, x};
  with_width(channels, from, [&](auto wide) {
    constexpr int W = decltype(wide)::value;
    const Column<W> mine(own, width);
    Slope<A> slopes[W];
    if (mine.is_there)
      for (int e = 0; e < W; e++) slopes[e] = of(mine.channel + e);
    each_row(own, mine, channels, true, from, [&](long long at, const Pack<T, W>(&loaded)[2]) {
      Pack<T, W> result;
#pragma unroll
      for (int e = 0; e < W; e++) result.element[e] = slopes[e](loaded[0].element[e], loaded[1].element[e]);
      *(Pack<T, W>*)(out + at) = result;
    });
  });
#endif
}
