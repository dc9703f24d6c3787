// Batch normalisation of [images, channels, elements]: what is known of each channel over all images, and the pass that
// normalises by it, with their gradients. Few elements of a channel are held by one block between the two.
#include <warpcell/batch_norm.cuh>
#include <warpcell/widths.cuh>

using namespace warpcell;

// Threads of a block of a GPU, and packs of at most 16 bytes that each brings at a time.
constexpr int kChannelThreads = 256, kLoads = 4;
// Elements of a channel that a thread holds: of one tensor, and of two.
constexpr int kMostThreads = 1024;
template <class T>
constexpr int kHeld = sizeof(T) == 8 ? 16 : 32;
template <class T>
constexpr int kHeldOfTwo = kHeld<T> / 2;

// A part of a channel; those of one part are neighbours, so that what lies beside each other is read together.
// `backwards`: what was read last is asked for first.
struct Own {
  int channel, part;
};
__device__ inline Own own_part(int channels, bool backwards = false) {
  const unsigned block = backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const int part = int(block / unsigned(channels));
  return {int(block - unsigned(part) * unsigned(channels)), part};
}

#ifdef WARPCELL_SERIAL
constexpr int kStretch = 4096;
// Calls f(where it begins, how many) for pieces of a part of a channel.
template <class F>
inline WARPCELL_INLINED void each_stretch(const Own& own, long long images, int channels, long long elements, int parts,
                                          F f) {
  const long long all = images * elements, end = all * (own.part + 1) / parts;
  for (long long i = all * own.part / parts; i < end;) {
    const long long image = i / elements, at = i - image * elements;
    const long long left = elements - at < end - i ? elements - at : end - i;
    const int count = left < kStretch ? int(left) : kStretch;
    f((image * channels + own.channel) * elements + at, count);
    i += count;
  }
}
template <class T, class A = Sum<T>>
inline Moments<A> part_moments(const T* x, const Own& own, long long images, int channels, long long elements,
                               int parts) {
  Moments<A> all = {A(0), A(0), A(0)};
  each_stretch(own, images, channels, elements, parts, [&](long long at, int count) WARPCELL_INLINED {
    const A base = widen<T>(x[at]);
    const Two<A> sums = sums_of<A>(count, [&](int i) WARPCELL_INLINED {
      const A off = A(widen<T>(x[at + i])) - base;
      return Two<A>{off, off * off};
    });
    all = joined(all, moments_of(A(count), base, sums.first, sums.second));
  });
  return all;
}
template <class T, class A = Sum<T>>
inline Two<A> part_slopes(const T* g, const T* x, A mean, const Own& own, long long images, int channels,
                          long long elements, int parts) {
  Two<A> all = {A(0), A(0)};
  each_stretch(own, images, channels, elements, parts, [&](long long at, int count) WARPCELL_INLINED {
    all = joined(all, sums_of<A>(count, [&](int i) WARPCELL_INLINED { return both(g[at + i], x[at + i], mean); }));
  });
  return all;
}
#else
// Where a thread's packs of W elements of a channel lie, `apart` of them from each to the next.
template <int W>
struct Walk {
  long long pack, packs;            // which of its plane, and how many a plane has
  long long place;                  // of its first element
  long long pack_step, place_step;  // to the next
  long long image_step;             // more of a place where the next is of another image
  __device__ inline Walk(long long first, int apart, int channel, int channels, long long elements) {
    packs = elements / W;
    const long long plane = (long long)channels * elements;
    const bool is_small = first >> 31 == 0 && packs >> 31 == 0;
    const long long image = is_small ? (long long)(unsigned(first) / unsigned(packs)) : first / packs;
    const int images = packs > apart ? 0 : apart / int(packs);
    pack = first - image * packs;
    place = image * plane + channel * elements + pack * W;
    pack_step = apart - images * packs;
    place_step = images * plane + pack_step * W;
    image_step = plane - elements;
  }
  __device__ inline void step() {
    pack += pack_step;
    place += place_step;
    if (pack < packs) return;
    pack -= packs;
    place += image_step;
  }
};

// Calls f(place, packs of W elements, one of each tensor) for what this thread has of a part, several at a time.
template <int W, class T, int N, class F>
__device__ inline void each_pack(const Own& own, long long images, int channels, long long elements, int parts,
                                 const T* const (&from)[N], F f) {
  constexpr int together = kLoads / N;
  const long long all = images * (elements / W);
  const long long begin = all * own.part / parts + threadIdx.x, end = all * (own.part + 1) / parts;
  if (begin >= end) return;
  Walk<W> walk(begin, kChannelThreads, own.channel, channels, elements);
  for (long long i = begin; i < end; i += together * kChannelThreads) {
    Pack<T, W> loaded[together][N];
    long long places[together];
#pragma unroll
    for (int k = 0; k < together; k++) {
      if (i + k * kChannelThreads >= end) break;
      places[k] = walk.place;
#pragma unroll
      for (int n = 0; n < N; n++) loaded[k][n] = *(const Pack<T, W>*)(from[n] + walk.place);
      walk.step();
    }
#pragma unroll
    for (int k = 0; k < together; k++) {
      if (i + k * kChannelThreads >= end) break;
      f(places[k], loaded[k]);
    }
  }
}

// What this block holds of its channel: packs of W elements, `held` of N tensors a thread.
template <int W, int held, class T, int N>
struct Held {
  static constexpr int packs = held / W;
  Pack<T, W> pack[packs][N];
  int count;  // of this thread
  __device__ inline Held(int channel, long long images, int channels, long long elements, const T* const (&from)[N]) {
    const int all = int(images * (elements / W));
    count = int(threadIdx.x) < all ? (all - int(threadIdx.x) + int(blockDim.x) - 1) / int(blockDim.x) : 0;
    Walk<W> walk(threadIdx.x, blockDim.x, channel, channels, elements);
#pragma unroll
    for (int k = 0; k < packs; k++) {
      if (k >= count) break;
#pragma unroll
      for (int n = 0; n < N; n++) pack[k][n] = *(const Pack<T, W>*)(from[n] + walk.place);
      walk.step();
    }
  }
  // Calls f(elements of the tensors) for each place.
  template <class F>
  __device__ inline void each(F f) const {
#pragma unroll
    for (int k = 0; k < packs; k++) {
      if (k >= count) break;
#pragma unroll
      for (int e = 0; e < W; e++) {
        T values[N];
#pragma unroll
        for (int n = 0; n < N; n++) values[n] = pack[k][n].element[e];
        f(values);
      }
    }
  }
  // out = f(elements of the tensors).
  template <class F>
  __device__ inline void put(T* out, int channel, int channels, long long elements, F f) const {
    Walk<W> walk(threadIdx.x, blockDim.x, channel, channels, elements);
#pragma unroll
    for (int k = 0; k < packs; k++) {
      if (k >= count) break;
      Pack<T, W> result;
#pragma unroll
      for (int e = 0; e < W; e++) {
        T values[N];
#pragma unroll
        for (int n = 0; n < N; n++) values[n] = pack[k][n].element[e];
        result.element[e] = f(values);
      }
      *(Pack<T, W>*)(out + walk.place) = result;
      walk.step();
    }
  }
};
#endif

// out[channel][part] = the moments of the part.
template <class T>
__global__ void __launch_bounds__(kChannelThreads)
    channel_moments(const T* x, Moments<Sum<T>>* out, long long images, int channels, long long elements, int parts) {
  using A = Sum<T>;
  const Own own = own_part(channels);
#ifdef WARPCELL_SERIAL
  out[own.channel * (long long)parts + own.part] = part_moments(x, own, images, channels, elements, parts);
#else
  Moments<A> all = {A(0), A(0), A(0)};
  const T* const from[1] = {x};
  with_width(elements, from, [&](auto width) {
    constexpr int W = decltype(width)::value;
    // Sums are less one of the numbers, another for each thread, so that one that is far off spoils few.
    int packs = 0;
    A base = A(0), sum = A(0), squares = A(0);
    each_pack<W>(own, images, channels, elements, parts, from, [&](long long, const Pack<T, W>(&loaded)[1]) {
      if (packs++ == 0) base = widen<T>(loaded[0].element[0]);
#pragma unroll
      for (int e = 0; e < W; e++) {
        const A off = A(widen<T>(loaded[0].element[e])) - base;
        sum += off;
        squares += off * off;
      }
    });
    all = moments_of(A(packs) * A(W), base, sum, squares);
  });
  all = block_joined(all);
  if (threadIdx.x == 0) out[own.channel * (long long)parts + own.part] = all;
#endif
}

// y = (x − mean) · weight / √(variance + eps) + bias; weight and bias may be null. Of the parts that `moments` has,
// mean and variance (of all there is) of each channel are written first; where it is null, they are given.
template <class T>
__global__ void __launch_bounds__(kChannelThreads)
    normalize_channels(const T* x, const Moments<Sum<T>>* moments, int known, const Sum<T>* given_means,
                       const Sum<T>* given_variances, Sum<T>* means, Sum<T>* variances, const T* weight, const T* bias,
                       double eps, T* y, long long images, int channels, long long elements, int parts) {
  using A = Sum<T>;
  const Own own = own_part(channels, moments != nullptr);
  A mean, variance;
  if (moments != nullptr) {
    const Moments<A>* found = moments + own.channel * (long long)known;
#ifdef WARPCELL_SERIAL
    const Moments<A> all = all_parts(found, known);
#else
    const Moments<A> all = block_parts(found, known);
#endif
    mean = all.mean;
    variance = all.squares / all.count;
    if (own.part == 0 && threadIdx.x == 0) means[own.channel] = mean, variances[own.channel] = variance;
  } else {
    mean = given_means[own.channel];
    variance = given_variances[own.channel];
  }
  const Rule<A> rule = rule_of(own.channel, mean, variance, eps, weight, bias);
#ifdef WARPCELL_SERIAL
  each_stretch(own, images, channels, elements, parts, [&](long long at, int count) WARPCELL_INLINED {
    for (int i = 0; i < count; i++) y[at + i] = rule(x[at + i]);
  });
#else
  const T* const from[1] = {x};
  with_width(elements, from, [&](auto width) {
    constexpr int W = decltype(width)::value;
    each_pack<W>(own, images, channels, elements, parts, from, [&](long long at, const Pack<T, W>(&loaded)[1]) {
      Pack<T, W> result;
#pragma unroll
      for (int e = 0; e < W; e++) result.element[e] = rule(loaded[0].element[e]);
      *(Pack<T, W>*)(y + at) = result;
    });
  });
#endif
}

// out[channel][part] = Σ g and Σ g · (x − mean) of the part.
template <class T>
__global__ void __launch_bounds__(kChannelThreads)
    channel_slopes(const T* g, const T* x, const Sum<T>* means, Two<Sum<T>>* out, long long images, int channels,
                   long long elements, int parts) {
  using A = Sum<T>;
  const Own own = own_part(channels);
  const A mean = means[own.channel];
#ifdef WARPCELL_SERIAL
  out[own.channel * (long long)parts + own.part] = part_slopes(g, x, mean, own, images, channels, elements, parts);
#else
  Two<A> all = {A(0), A(0)};
  const T* const from[2] = {g, x};
  with_width(elements, from, [&](auto width) {
    constexpr int W = decltype(width)::value;
    each_pack<W>(own, images, channels, elements, parts, from, [&](long long, const Pack<T, W>(&loaded)[2]) {
#pragma unroll
      for (int e = 0; e < W; e++) all = joined(all, both(loaded[0].element[e], loaded[1].element[e], mean));
    });
  });
  all = block_joined(all);
  if (threadIdx.x == 0) out[own.channel * (long long)parts + own.part] = all;
#endif
}

// The gradient of x by the sums of `known` parts, and of weight and bias, which may be null.
template <class T>
__global__ void __launch_bounds__(kChannelThreads)
    normalize_channels_gradient(const T* g, const T* x, const Sum<T>* means, const Sum<T>* variances, const T* weight,
                                const Two<Sum<T>>* slopes, int known, double eps, T* out, T* weight_gradient,
                                T* bias_gradient, long long images, int channels, long long elements, int parts) {
  using A = Sum<T>;
  const Own own = own_part(channels, true);
  const Two<A>* found = slopes + own.channel * (long long)known;
#ifdef WARPCELL_SERIAL
  const Two<A> sums = all_parts(found, known);
#else
  const Two<A> sums = block_parts(found, known);
#endif
  const A variance = variances[own.channel];
  if (own.part == 0 && threadIdx.x == 0)
    put_gradients(own.channel, variance, eps, sums, weight_gradient, bias_gradient);
  const Slope<A> slope =
      slope_of(own.channel, means[own.channel], variance, eps, weight, sums, A(images) * A(elements));
#ifdef WARPCELL_SERIAL
  each_stretch(own, images, channels, elements, parts, [&](long long at, int count) WARPCELL_INLINED {
    for (int i = 0; i < count; i++) out[at + i] = slope(g[at + i], x[at + i]);
  });
#else
  const T* const from[2] = {g, x};
  with_width(elements, from, [&](auto width) {
    constexpr int W = decltype(width)::value;
    each_pack<W>(own, images, channels, elements, parts, from, [&](long long at, const Pack<T, W>(&loaded)[2]) {
      Pack<T, W> result;
#pragma unroll
      for (int e = 0; e < W; e++) result.element[e] = slope(loaded[0].element[e], loaded[1].element[e]);
      *(Pack<T, W>*)(out + at) = result;
    });
  });
#endif
}

// All of it for the channel of a block, which holds x in between; where a block is one thread, its cache does.
template <class T>
__global__ void __launch_bounds__(kMostThreads)
    held_batch_norm(const T* x, Sum<T>* means, Sum<T>* variances, const T* weight, const T* bias, double eps, T* y,
                    long long images, int channels, long long elements) {
  using A = Sum<T>;
  const int channel = blockIdx.x;
#ifdef WARPCELL_SERIAL
  const Own own = {channel, 0};
  const Moments<A> all = part_moments(x, own, images, channels, elements, 1);
  const A mean = all.mean, variance = all.squares / all.count;
  means[channel] = mean, variances[channel] = variance;
  const Rule<A> rule = rule_of(channel, mean, variance, eps, weight, bias);
  each_stretch(own, images, channels, elements, 1, [&](long long at, int count) WARPCELL_INLINED {
    for (int i = 0; i < count; i++) y[at + i] = rule(x[at + i]);
  });
#else
  const A count = A(images) * A(elements), base = widen<T>(x[channel * elements]);
  const T* const from[1] = {x};
  with_width(elements, from, [&](auto width) {
    const Held<decltype(width)::value, kHeld<T>, T, 1> held(channel, images, channels, elements, from);
    Two<A> sums = {A(0), A(0)};
    held.each([&](const T(&values)[1]) { sums.first += A(widen<T>(values[0])) - base; });
    const A mean = base + block_joined(sums).first / count;
    sums = {A(0), A(0)};
    held.each([&](const T(&values)[1]) {
      const A off = A(widen<T>(values[0])) - mean;
      sums.first += off;
      sums.second += off * off;
    });
    // The mean is rounded: what that adds to the squares goes off again.
    sums = block_joined(sums);
    const A variance = (sums.second - sums.first * (sums.first / count)) / count;
    if (threadIdx.x == 0) means[channel] = mean, variances[channel] = variance;
    const Rule<A> rule = rule_of(channel, mean, variance, eps, weight, bias);
    held.put(y, channel, channels, elements, [&](const T(&values)[1]) { return rule(values[0]); });
  });
#endif
}

// Its gradients, of a channel whose g and x a block holds.
template <class T>
__global__ void __launch_bounds__(kMostThreads)
    held_batch_norm_gradient(const T* g, const T* x, const Sum<T>* means, const Sum<T>* variances, const T* weight,
                             double eps, T* out, T* weight_gradient, T* bias_gradient, long long images, int channels,
                             long long elements) {
  using A = Sum<T>;
  const int channel = blockIdx.x;
  const A mean = means[channel], variance = variances[channel];
#ifdef WARPCELL_SERIAL
  const Own own = {channel, 0};
  const Two<A> sums = part_slopes(g, x, mean, own, images, channels, elements, 1);
  put_gradients(channel, variance, eps, sums, weight_gradient, bias_gradient);
  const Slope<A> slope = slope_of(channel, mean, variance, eps, weight, sums, A(images) * A(elements));
  each_stretch(own, images, channels, elements, 1, [&](long long at, int count) WARPCELL_INLINED {
    for (int i = 0; i < count; i++) out[at + i] = slope(g[at + i], x[at + i]);
  });
#else
  const T* const from[2] = {g, x};
  with_width(elements, from, [&](auto width) {
    const Held<decltype(width)::value, kHeldOfTwo<T>, T, 2> held(channel, images, channels, elements, from);
    Two<A> sums = {A(0), A(0)};
    held.each([&](const T(&values)[2]) { sums = joined(sums, both(values[0], values[1], mean)); });
    sums = block_joined(sums);
    if (threadIdx.x == 0) put_gradients(channel, variance, eps, sums, weight_gradient, bias_gradient);
    const Slope<A> slope = slope_of(channel, mean, variance, eps, weight, sums, A(images) * A(elements));
    held.put(out, channel, channels, elements, [&](const T(&values)[2]) { return slope(values[0], values[1]); });
  });
#endif
}
