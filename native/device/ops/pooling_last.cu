// Pools of images with channels last, [images, places, channels]: the largest element of each window, with its place,
// or the mean of its elements, and their gradients, of neighbouring channels side by side.
#include <warpcell/pools.cuh>
#include <warpcell/batches.cuh>

using namespace warpcell;

// Neighbouring channels of a place.
template <int W>
struct Beside {
  static constexpr int width = W;
  long long image;
  int place, channel;
};

#ifdef WARPCELL_SERIAL
// Channels that are worked on together, side by side.
constexpr int kSideBySide = 32;

// Calls f(Beside) for the places of this block, of `count` in each image; there are no `wide` channels for a thread.
template <class T, class F>
inline WARPCELL_INLINED void each_beside(long long images, int count, int channels, int, F f) {
  const Planes mine = block_planes(images * count);
  for (long long at = mine.begin; at < mine.end; at++) {
    const long long image = at / count;
    const int place = int(at - image * count);
    int channel = 0;
    for (; channel + kSideBySide <= channels; channel += kSideBySide) f(Beside<kSideBySide>{image, place, channel});
    for (; channel < channels; channel++) f(Beside<1>{image, place, channel});
  }
}
#else
template <int W, class F>
__device__ inline void own_beside(long long images, int count, int channels, F f) {
  const Item pack = own_item(images * count, channels / W);
  if (!pack.is_there) return;
  const bool is_small = images * count >> 31 == 0;
  const long long image = is_small ? (long long)(unsigned(pack.plane) / unsigned(count)) : pack.plane / count;
  f(Beside<W>{image, int(pack.plane - image * count), pack.index * W});
}
// The same for this thread, which has `wide` channels: as many as 16 bytes have, half of them, or one.
template <class T, class F>
__device__ inline void each_beside(long long images, int count, int channels, int wide, F f) {
  constexpr int W = kPackBytes / sizeof(T);
  if (wide == W) return own_beside<W>(images, count, channels, f);
  if constexpr (W > 2) {
    if (wide == W / 2) return own_beside<W / 2>(images, count, channels, f);
  }
  own_beside<1>(images, count, channels, f);
}
#endif

// Where elements of images with so many places lie.
template <int W>
__device__ inline long long place_in(const Beside<W>& own, int place, int places, int channels) {
  return (own.image * places + place) * channels + own.channel;
}
template <int W, class T>
__device__ inline Pack<T, W> load(const T* from) {
#ifdef WARPCELL_SERIAL
  Pack<T, W> pack;
  for (int e = 0; e < W; e++) pack.element[e] = from[e];
  return pack;
#else
  return *(const Pack<T, W>*)from;
#endif
}
template <int W, class T>
__device__ inline void store(T* to, const Pack<T, W>& pack) {
#ifdef WARPCELL_SERIAL
  for (int e = 0; e < W; e++) to[e] = pack.element[e];
#else
  *(Pack<T, W>*)to = pack;
#endif
}

// `index`: the place of the largest in its channel (the first of equal ones, NaN is the largest), or null.
template <class T, bool adaptive>
__global__ void max_pool_last(const T* x, Windows w, T* y, long long* index, long long images, int channels, int wide) {
  using A = Wide<T>;
  auto work = [&](auto own) WARPCELL_INLINED {
    constexpr int W = decltype(own)::width;
    A top[W];
    int at[W];
    for (int e = 0; e < W; e++) top[e] = -A(1) / A(0), at[e] = -1;
    each_place(elements_of<adaptive>(w, own.place), w.size, [&](int element) WARPCELL_INLINED {
      const Pack<T, W> loaded = load<W>(x + place_in(own, element, w.elements, channels));
#pragma unroll
      for (int e = 0; e < W; e++) {
        const A value = widen<T>(loaded.element[e]);
        const bool is_more = (value > top[e]) | (value != value) | (at[e] < 0);
        top[e] = is_more ? value : top[e];
        at[e] = is_more ? element : at[e];
      }
    });
    Pack<T, W> result;
#pragma unroll
    for (int e = 0; e < W; e++) result.element[e] = narrow<T>(top[e]);
    const long long to = place_in(own, own.place, w.positions, channels);
    store<W>(y + to, result);
    if (index != nullptr)
      for (int e = 0; e < W; e++) index[to + e] = at[e];
  };
  each_beside<T>(images, w.positions, channels, wide, work);
}

// Each element gets the gradients of the windows whose largest it is.
template <class T, bool adaptive>
__global__ void max_pool_last_gradient(const T* g, const long long* index, Windows w, T* out, long long images,
                                       int channels, int wide) {
  using A = Sum<T>;
  auto work = [&](auto own) WARPCELL_INLINED {
    constexpr int W = decltype(own)::width;
    A sum[W] = {};
    each_place(windows_of<adaptive>(w, own.place), w.count, [&](int window) WARPCELL_INLINED {
      const long long from = place_in(own, window, w.positions, channels);
      const Pack<T, W> above = load<W>(g + from);
#pragma unroll
      for (int e = 0; e < W; e++) sum[e] += index[from + e] == own.place ? A(widen<T>(above.element[e])) : A(0);
    });
    Pack<T, W> result;
#pragma unroll
    for (int e = 0; e < W; e++) result.element[e] = narrow<T>(sum[e]);
    store<W>(out + place_in(own, own.place, w.elements, channels), result);
  };
  each_beside<T>(images, w.elements, channels, wide, work);
}

template <class T, bool adaptive>
__global__ void average_pool_last(const T* x, Windows w, int divisor, int with_padding, T* y, long long images,
                                  int channels, int wide) {
  using A = Sum<T>;
  auto work = [&](auto own) WARPCELL_INLINED {
    constexpr int W = decltype(own)::width;
    A sum[W] = {};
    each_place(elements_of<adaptive>(w, own.place), w.size, [&](int element) WARPCELL_INLINED {
      const Pack<T, W> loaded = load<W>(x + place_in(own, element, w.elements, channels));
#pragma unroll
      for (int e = 0; e < W; e++) sum[e] += A(widen<T>(loaded.element[e]));
    });
    const A by = A(divisor_of<adaptive>(w, own.place, {divisor, with_padding}));
    Pack<T, W> result;
#pragma unroll
    for (int e = 0; e < W; e++) result.element[e] = narrow<T>(sum[e] / by);
    store<W>(y + place_in(own, own.place, w.positions, channels), result);
  };
  each_beside<T>(images, w.positions, channels, wide, work);
}

template <class T, bool adaptive>
__global__ void average_pool_last_gradient(const T* g, Windows w, int divisor, int with_padding, T* out,
                                           long long images, int channels, int wide) {
  using A = Sum<T>;
  auto work = [&](auto own) WARPCELL_INLINED {
    constexpr int W = decltype(own)::width;
    A sum[W] = {};
    each_place(windows_of<adaptive>(w, own.place), w.count, [&](int window) WARPCELL_INLINED {
      const Pack<T, W> above = load<W>(g + place_in(own, window, w.positions, channels));
      const A by = A(divisor_of<adaptive>(w, window, {divisor, with_padding}));
#pragma unroll
      for (int e = 0; e < W; e++) sum[e] += A(widen<T>(above.element[e])) / by;
    });
    Pack<T, W> result;
#pragma unroll
    for (int e = 0; e < W; e++) result.element[e] = narrow<T>(sum[e]);
    store<W>(out + place_in(own, own.place, w.elements, channels), result);
  };
  each_beside<T>(images, w.elements, channels, wide, work);
}
