// Batch normalisation of [images, channels, elements]: what is known of each channel over all images, and the one pass
// that normalises by it, with their gradients.
#include <warpcell/math.cuh>
#include <warpcell/numbers.cuh>

using namespace warpcell;

// Threads of a block that sums, and elements of each thread of one that normalises.
constexpr int kChannelThreads = 256, kNormalized = 4;

// How many numbers, their mean, and the sum of the squares of what they are off it.
template <class A>
struct Moments {
  A count, mean, squares;
};
// Chan, Golub and LeVeque, 1979.
template <class A>
__device__ inline Moments<A> joined(const Moments<A>& a, const Moments<A>& b) {
  if (b.count == A(0)) return a;
  if (a.count == A(0)) return b;
  const A count = a.count + b.count, off = b.mean - a.mean, share = b.count / count;
  return {count, a.mean + off * share, a.squares + b.squares + off * off * a.count * share};
}
// Of numbers of which `count` sums are known less the first.
template <class A>
__device__ inline Moments<A> moments_of(A count, A first, A sum, A squares) {
  if (count == A(0)) return {A(0), A(0), A(0)};
  const A mean = sum / count, rest = squares - sum * mean;
  return {count, first + mean, rest > A(0) ? rest : A(0)};
}

template <class A>
struct Two {
  A first, second;
};
template <class A>
__device__ inline Two<A> joined(const Two<A>& a, const Two<A>& b) {
  return {a.first + b.first, a.second + b.second};
}

// The images of a part of a channel: [begin, end).
struct Part {
  int channel, part;
  long long begin, end;
};
__device__ inline Part own_part(long long images, int parts) {
  const int channel = int(blockIdx.x / parts), part = int(blockIdx.x - (unsigned)channel * (unsigned)parts);
  return {channel, part, images * part / parts, images * (part + 1) / parts};
}

#ifdef WARPCELL_SERIAL
constexpr int kSums = 16, kTogether = 4096;
// Calls f(where it begins, how many) for pieces of the elements of a part.
template <class F>
inline WARPCELL_INLINED void each_stretch(const Part& mine, int channels, long long elements, F f) {
  for (long long image = mine.begin; image < mine.end; image++)
    for (long long i = 0; i < elements; i += kTogether)
      f((image * channels + mine.channel) * elements + i, elements - i < kTogether ? int(elements - i) : kTogether);
}
// The sums of f(i) for i < count, two at a time.
template <class A, class F>
inline WARPCELL_INLINED Two<A> sums_of(int count, F f) {
  A first[kSums] = {}, second[kSums] = {};
  int i = 0;
  for (; i + kSums <= count; i += kSums)
    for (int k = 0; k < kSums; k++) {
      const Two<A> each = f(i + k);
      first[k] += each.first;
      second[k] += each.second;
    }
  for (int k = 0; i < count; i++, k++) {
    const Two<A> each = f(i);
    first[k] += each.first;
    second[k] += each.second;
  }
  for (int width = kSums / 2; width > 0; width /= 2)
    for (int k = 0; k < width; k++) first[k] += first[k + width], second[k] += second[k + width];
  return {first[0], second[0]};
}
#else
// Calls f(where it lies) for the elements of this thread.
template <class F>
__device__ inline void each_own(const Part& mine, int channels, long long elements, F f) {
  const long long count = (mine.end - mine.begin) * elements;
  for (long long i = threadIdx.x; i < count; i += kChannelThreads) {
    const long long image = count >> 31 == 0 ? (long long)(unsigned(i) / unsigned(elements)) : i / elements;
    f(((mine.begin + image) * channels + mine.channel) * elements + i - image * elements);
  }
}
// All threads' joined, for the first.
template <class S>
__device__ inline S block_joined(S mine) {
  __shared__ S all[kChannelThreads];
  all[threadIdx.x] = mine;
  for (int width = kChannelThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) all[threadIdx.x] = joined(all[threadIdx.x], all[threadIdx.x + width]);
  }
  return all[0];
}
#endif

// out[channel][part] = the moments of the part.
template <class T>
__global__ void __launch_bounds__(kChannelThreads)
    channel_moments(const T* x, Moments<Sum<T>>* out, long long images, int channels, long long elements, int parts) {
  using A = Sum<T>;
  const Part mine = own_part(images, parts);
#ifdef WARPCELL_SERIAL
  Moments<A> all = {A(0), A(0), A(0)};
  each_stretch(mine, channels, elements, [&](long long at, int count) WARPCELL_INLINED {
    const A base = widen<T>(x[at]);
    const Two<A> sums = sums_of<A>(count, [&](int i) WARPCELL_INLINED {
      const A off = A(widen<T>(x[at + i])) - base;
      return Two<A>{off, off * off};
    });
    all = joined(all, moments_of(A(count), base, sums.first, sums.second));
  });
  out[blockIdx.x] = all;
#else
  A count = A(0), base = A(0), sum = A(0), squares = A(0);
  each_own(mine, channels, elements, [&](long long at) {
    const A value = widen<T>(x[at]);
    if (count == A(0)) base = value;
    const A off = value - base;
    count += A(1);
    sum += off;
    squares += off * off;
  });
  const Moments<A> all = block_joined(moments_of(count, base, sum, squares));
  if (threadIdx.x == 0) out[blockIdx.x] = all;
#endif
}

// The mean and the variance (of all there is) of each channel, of its parts.
template <class T>
__global__ void channel_statistics(const Moments<Sum<T>>* in, Sum<T>* means, Sum<T>* variances, int channels,
                                   int parts) {
  using A = Sum<T>;
  const long long threads = (long long)gridDim.x * blockDim.x;
  for (long long channel = (long long)blockIdx.x * blockDim.x + threadIdx.x; channel < channels; channel += threads) {
    Moments<A> all = {A(0), A(0), A(0)};
    for (int part = 0; part < parts; part++) all = joined(all, in[channel * parts + part]);
    means[channel] = all.mean;
    variances[channel] = all.squares / all.count;
  }
}

// y = (x − mean) · weight / √(variance + eps) + bias; weight and bias may be null.
template <class T>
__global__ void normalize_channels(const T* x, const Sum<T>* means, const Sum<T>* variances, const T* weight,
                                   const T* bias, double eps, T* y, long long images, int channels,
                                   long long elements) {
  using A = Sum<T>;
  struct Of {
    A mean, rate, bias;
  };
  auto of = [&](int channel) WARPCELL_INLINED {
    const A rate = A(1) / fn::sqrt(variances[channel] + A(eps));
    return Of{means[channel], weight == nullptr ? rate : rate * A(widen<T>(weight[channel])),
              bias == nullptr ? A(0) : A(widen<T>(bias[channel]))};
  };
#ifdef WARPCELL_SERIAL
  const long long planes = images * channels, share = (planes + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share, end = begin + share < planes ? begin + share : planes;
  for (long long plane = begin; plane < end; plane++) {
    const Of each = of(int(plane % channels));
    const T* from = x + plane * elements;
    T* to = y + plane * elements;
    for (long long i = 0; i < elements; i++)
      to[i] = narrow<T>((A(widen<T>(from[i])) - each.mean) * each.rate + each.bias);
  }
#else
  const long long all = images * channels * elements;
  const long long first = (long long)blockIdx.x * kChannelThreads * kNormalized + threadIdx.x;
  const bool is_small = all >> 31 == 0;
  T loaded[kNormalized];
#pragma unroll
  for (int k = 0; k < kNormalized; k++)
    if (first + k * kChannelThreads < all) loaded[k] = x[first + k * kChannelThreads];
#pragma unroll
  for (int k = 0; k < kNormalized; k++) {
    const long long at = first + k * kChannelThreads;
    if (at >= all) break;
    const int channel =
        is_small ? int(unsigned(at) / unsigned(elements) % unsigned(channels)) : int(at / elements % channels);
    const Of each = of(channel);
    y[at] = narrow<T>((A(widen<T>(loaded[k])) - each.mean) * each.rate + each.bias);
  }
#endif
}

// out[channel][part] = Σ g and Σ g · (x − mean) of the part.
template <class T>
__global__ void __launch_bounds__(kChannelThreads)
    channel_slopes(const T* g, const T* x, const Sum<T>* means, Two<Sum<T>>* out, long long images, int channels,
                   long long elements, int parts) {
  using A = Sum<T>;
  const Part mine = own_part(images, parts);
  const A mean = means[mine.channel];
  auto both = [&](long long at) WARPCELL_INLINED {
    const A above = widen<T>(g[at]);
    return Two<A>{above, above * (A(widen<T>(x[at])) - mean)};
  };
  Two<A> all = {A(0), A(0)};
#ifdef WARPCELL_SERIAL
  each_stretch(mine, channels, elements, [&](long long at, int count) WARPCELL_INLINED {
    all = joined(all, sums_of<A>(count, [&](int i) WARPCELL_INLINED { return both(at + i); }));
  });
  out[blockIdx.x] = all;
#else
  each_own(mine, channels, elements, [&](long long at) { all = joined(all, both(at)); });
  all = block_joined(all);
  if (threadIdx.x == 0) out[blockIdx.x] = all;
#endif
}

// Of its parts: the gradients of weight and bias, which may be null, and by what the gradient of x is made.
template <class T>
__global__ void channel_gradients(const Two<Sum<T>>* in, const Sum<T>* variances, double eps, Two<Sum<T>>* sums,
                                  T* weight, T* bias, int channels, int parts) {
  using A = Sum<T>;
  const long long threads = (long long)gridDim.x * blockDim.x;
  for (long long channel = (long long)blockIdx.x * blockDim.x + threadIdx.x; channel < channels; channel += threads) {
    Two<A> all = {A(0), A(0)};
    for (int part = 0; part < parts; part++) all = joined(all, in[channel * parts + part]);
    sums[channel] = all;
    if (weight != nullptr) weight[channel] = narrow<T>(all.second / fn::sqrt(variances[channel] + A(eps)));
    if (bias != nullptr) bias[channel] = narrow<T>(all.first);
  }
}

// With r = 1/√(variance + eps) and n elements of a channel: weight · r · (g − Σg/n − (x − mean) · r² · Σg(x − mean)/n).
template <class T>
__global__ void normalize_channels_gradient(const T* g, const T* x, const Sum<T>* means, const Sum<T>* variances,
                                            const T* weight, const Two<Sum<T>>* sums, double eps, T* out,
                                            long long images, int channels, long long elements) {
  using A = Sum<T>;
  const A count = A(images) * A(elements);
  struct Of {
    A mean, rate, less, by;
  };
  auto of = [&](int channel) WARPCELL_INLINED {
    const A rate = A(1) / fn::sqrt(variances[channel] + A(eps));
    return Of{means[channel], weight == nullptr ? rate : rate * A(widen<T>(weight[channel])),
              sums[channel].first / count, sums[channel].second / count * rate * rate};
  };
  auto slope = [&](T above, T value, const Of& each) WARPCELL_INLINED {
    return narrow<T>(each.rate * (A(widen<T>(above)) - each.less - (A(widen<T>(value)) - each.mean) * each.by));
  };
#ifdef WARPCELL_SERIAL
  const long long planes = images * channels, share = (planes + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share, end = begin + share < planes ? begin + share : planes;
  for (long long plane = begin; plane < end; plane++) {
    const Of each = of(int(plane % channels));
    const T *above = g + plane * elements, *from = x + plane * elements;
    T* to = out + plane * elements;
    for (long long i = 0; i < elements; i++) to[i] = slope(above[i], from[i], each);
  }
#else
  const long long all = images * channels * elements;
  const long long first = (long long)blockIdx.x * kChannelThreads * kNormalized + threadIdx.x;
  const bool is_small = all >> 31 == 0;
  T above[kNormalized], loaded[kNormalized];
#pragma unroll
  for (int k = 0; k < kNormalized; k++) {
    const long long at = first + k * kChannelThreads;
    if (at < all) above[k] = g[at], loaded[k] = x[at];
  }
#pragma unroll
  for (int k = 0; k < kNormalized; k++) {
    const long long at = first + k * kChannelThreads;
    if (at >= all) break;
    const int channel =
        is_small ? int(unsigned(at) / unsigned(elements) % unsigned(channels)) : int(at / elements % channels);
    out[at] = slope(above[k], loaded[k], of(channel));
  }
#endif
}
