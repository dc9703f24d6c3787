// Batch normalisation of [images, channels, elements]: what is known of each channel over all images, and the one pass
// that normalises by it, with their gradients.
#include <warpcell/batches.cuh>
#include <warpcell/math.cuh>
#include <warpcell/numbers.cuh>

using namespace warpcell;

// Threads of a block of a GPU, and packs of 16 bytes that each brings at a time where it sums and where it normalises.
constexpr int kChannelThreads = 256, kSummed = 4, kNormalized = 2;
template <class T>
constexpr int kPackWidth = kPackBytes / sizeof(T);
template <class T>
constexpr int kNormalizedElements = kNormalized * kPackWidth<T>;

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
// Of numbers of which `count` sums are known less `base`.
template <class A>
__device__ inline Moments<A> moments_of(A count, A base, A sum, A squares) {
  if (count == A(0)) return {A(0), A(0), A(0)};
  const A mean = sum / count, rest = squares - sum * mean;
  return {count, base + mean, rest > A(0) ? rest : A(0)};
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
template <class T, int N>
__device__ inline bool are_aligned(const T* const (&from)[N]) {
  unsigned long long all = 0;
  for (int n = 0; n < N; n++) all |= (unsigned long long)from[n];
  return all % kPackBytes == 0;
}

// Calls f(its elements) for every place of this thread in a part, W beside each other.
template <int W, class T, int N, class F>
__device__ inline void each_own(const Part& mine, int channels, long long elements, const T* const (&from)[N], F f) {
  const long long packs = elements / W, count = (mine.end - mine.begin) * packs;
  const bool is_small = count >> 31 == 0;
  for (long long first = threadIdx.x; first < count; first += kSummed * kChannelThreads) {
    Pack<T, W> loaded[kSummed][N];
#pragma unroll
    for (int k = 0; k < kSummed; k++) {
      const long long i = first + k * kChannelThreads;
      if (i >= count) break;
      const long long image = is_small ? (long long)(unsigned(i) / unsigned(packs)) : i / packs;
      const long long at = ((mine.begin + image) * channels + mine.channel) * elements + (i - image * packs) * W;
#pragma unroll
      for (int n = 0; n < N; n++) loaded[k][n] = *(const Pack<T, W>*)(from[n] + at);
    }
#pragma unroll
    for (int k = 0; k < kSummed; k++) {
      if (first + k * kChannelThreads >= count) break;
#pragma unroll
      for (int e = 0; e < W; e++) {
        T values[N];
#pragma unroll
        for (int n = 0; n < N; n++) values[n] = loaded[k][n].element[e];
        f(values);
      }
    }
  }
}
template <class T, int N, class F>
__device__ inline void each_own(const Part& mine, int channels, long long elements, const T* const (&from)[N], F f) {
  constexpr int W = kPackWidth<T>;
  if (elements % W == 0 && are_aligned(from))
    each_own<W>(mine, channels, elements, from, f);
  else
    each_own<1>(mine, channels, elements, from, f);
}

template <class A>
__device__ inline Moments<A> from_lane(const Moments<A>& mine, int apart) {
  return {__shfl_xor_sync(0xffffffffu, mine.count, apart), __shfl_xor_sync(0xffffffffu, mine.mean, apart),
          __shfl_xor_sync(0xffffffffu, mine.squares, apart)};
}
template <class A>
__device__ inline Two<A> from_lane(const Two<A>& mine, int apart) {
  return {__shfl_xor_sync(0xffffffffu, mine.first, apart), __shfl_xor_sync(0xffffffffu, mine.second, apart)};
}
// All threads' joined, for the first.
template <class S>
__device__ inline S block_joined(S mine) {
  constexpr int warps = kChannelThreads / 32;
  __shared__ S all[warps];
  for (int apart = 16; apart > 0; apart /= 2) mine = joined(mine, from_lane(mine, apart));
  if (threadIdx.x % 32 == 0) all[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int warp = 1; warp < warps; warp++) mine = joined(mine, all[warp]);
  return mine;
}

// out = f(what is known of its channel, its elements) for the elements of this thread, W beside each other. `of` says
// what is known of a channel.
template <int W, class T, int N, class Of, class F>
__device__ inline void normalize_packs(T* out, long long all, int channels, long long elements,
                                       const T* const (&from)[N], Of of, F f) {
  constexpr int each = kNormalizedElements<T> / W;
  const long long count = all / W, first = (long long)blockIdx.x * kChannelThreads * each + threadIdx.x;
  const bool is_small = all >> 31 == 0;
  for (int begin = 0; begin < each; begin += kNormalized) {
    Pack<T, W> loaded[kNormalized][N];
#pragma unroll
    for (int k = 0; k < kNormalized; k++) {
      const long long i = first + (begin + k) * kChannelThreads;
      if (i >= count) break;
#pragma unroll
      for (int n = 0; n < N; n++) loaded[k][n] = *(const Pack<T, W>*)(from[n] + i * W);
    }
#pragma unroll
    for (int k = 0; k < kNormalized; k++) {
      const long long i = first + (begin + k) * kChannelThreads, at = i * W;
      if (i >= count) break;
      const long long plane = is_small ? (long long)(unsigned(at) / unsigned(elements)) : at / elements;
      long long next = (plane + 1) * elements - at;  // elements until the next channel
      int channel = is_small ? int(unsigned(plane) % unsigned(channels)) : int(plane % channels);
      auto known = of(channel);
      Pack<T, W> result;
      auto put = [&](int e) WARPCELL_INLINED {
        T values[N];
#pragma unroll
        for (int n = 0; n < N; n++) values[n] = loaded[k][n].element[e];
        result.element[e] = f(known, values);
      };
      if (next >= W) {
#pragma unroll
        for (int e = 0; e < W; e++) put(e);
      } else {
#pragma unroll
        for (int e = 0; e < W; e++) {
          if (next-- == 0) {
            channel = channel + 1 == channels ? 0 : channel + 1;
            known = of(channel);
            next = elements - 1;
          }
          put(e);
        }
      }
      *(Pack<T, W>*)(out + at) = result;
    }
  }
}
template <class T, int N, class Of, class F>
__device__ inline void normalize_all(T* out, long long all, int channels, long long elements, const T* const (&from)[N],
                                     Of of, F f) {
  constexpr int W = kPackWidth<T>;
  if (!are_aligned(from)) return normalize_packs<1>(out, all, channels, elements, from, of, f);
  normalize_packs<W>(out, all, channels, elements, from, of, f);
  const long long at = all / W * W + threadIdx.x;
  if (blockIdx.x > 0 || at >= all) return;
  T values[N];
#pragma unroll
  for (int n = 0; n < N; n++) values[n] = from[n][at];
  out[at] = f(of(int(at / elements % channels)), values);
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
  // Sums are less one of the numbers, another for each thread, so that one that is far off spoils few.
  const long long origin = (mine.begin * channels + mine.channel) * elements + threadIdx.x % elements;
  const A base = widen<T>(x[origin]);
  int count = 0;
  A sum = A(0), squares = A(0);
  each_own<T, 1>(mine, channels, elements, {x}, [&](const T(&values)[1]) {
    const A off = A(widen<T>(values[0])) - base;
    count++;
    sum += off;
    squares += off * off;
  });
  const Moments<A> all = block_joined(moments_of(A(count), base, sum, squares));
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
  normalize_all<T, 1>(y, images * channels * elements, channels, elements, {x}, of,
                      [](const Of& each, const T(&values)[1]) {
                        return narrow<T>((A(widen<T>(values[0])) - each.mean) * each.rate + each.bias);
                      });
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
  auto both = [&](T slope, T value) WARPCELL_INLINED {
    const A above = widen<T>(slope);
    return Two<A>{above, above * (A(widen<T>(value)) - mean)};
  };
  Two<A> all = {A(0), A(0)};
#ifdef WARPCELL_SERIAL
  each_stretch(mine, channels, elements, [&](long long at, int count) WARPCELL_INLINED {
    all = joined(all, sums_of<A>(count, [&](int i) WARPCELL_INLINED { return both(g[at + i], x[at + i]); }));
  });
  out[blockIdx.x] = all;
#else
  each_own<T, 2>(mine, channels, elements, {g, x},
                 [&](const T(&values)[2]) { all = joined(all, both(values[0], values[1])); });
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
  normalize_all<T, 2>(out, images * channels * elements, channels, elements, {g, x}, of,
                      [&](const Of& each, const T(&values)[2]) { return slope(values[0], values[1], each); });
#endif
}
