// Convolutions: the elements of windows as columns of a matrix and back, for what a matrix product does with them, and
// those where each channel has filters of its own, which need none.
#include <warpcell/windows.cuh>

using namespace warpcell;

// out[plane][tap][window] = that element of the window, 0 outside.
template <class T>
__global__ void patches(const T* x, Windows w, T* out, long long planes) {
#ifdef WARPCELL_SERIAL
  const Planes mine = block_planes(planes * w.taps);
  const T zero = narrow<T>(Wide<T>(0));
  for (long long at = mine.begin; at < mine.end; at++) {
    const T* from = x + at / w.taps * w.elements;
    T* to = out + at * w.positions;
    int filled = 0;
    auto clear = [&](int end) WARPCELL_INLINED {
      for (; filled < end; filled++) to[filled] = zero;
    };
    each_stretch(w, int(at % w.taps), [&](int window, int element, int count) WARPCELL_INLINED {
      clear(window);
      const int step = w.stride[2];
      if (step == 1)
        for (int i = 0; i < count; i++) to[window + i] = from[element + i];
      else
        for (int i = 0; i < count; i++) to[window + i] = from[element + i * step];
      filled = window + count;
    });
    clear(w.positions);
  }
#else
  const Item item = own_item(planes, w.positions);
  if (!item.is_there) return;
  const T* from = x + item.plane * w.elements;
  T* to = out + item.plane * w.taps * w.positions + item.index;
  const Place3 o = place_of(item.index, w.count);
  for (int a = 0; a < w.kernel[0]; a++) {
    const int i = element_at(w, 0, o.at[0], a);
    for (int b = 0; b < w.kernel[1]; b++) {
      const int j = element_at(w, 1, o.at[1], b);
      for (int c = 0; c < w.kernel[2]; c++) {
        const int k = element_at(w, 2, o.at[2], c);
        const bool is_inside = i >= 0 && j >= 0 && k >= 0;
        *to = is_inside ? from[(i * w.size[1] + j) * w.size[2] + k] : narrow<T>(Wide<T>(0));
        to += w.positions;
      }
    }
  }
#endif
}

// out[plane][element] = the sum of its places in columns as `patches` makes them.
template <class T>
__global__ void from_patches(const T* columns, Windows w, T* out, long long planes) {
  using A = Sum<T>;
  auto summed = [&](const T* from, int element) WARPCELL_INLINED {
    A sum = A(0);
    each_window(w, element, [&](int tap, int window) WARPCELL_INLINED {
      sum += A(widen<T>(from[(long long)tap * w.positions + window]));
    });
    return narrow<T>(sum);
  };
#ifdef WARPCELL_SERIAL
  const Planes mine = block_planes(planes);
  for (long long plane = mine.begin; plane < mine.end; plane++) {
    const T* from = columns + plane * w.taps * w.positions;
    T* to = out + plane * w.elements;
    if constexpr (same<T, A>) {
      for (int i = 0; i < w.elements; i++) to[i] = A(0);
      for (int tap = 0; tap < w.taps; tap++, from += w.positions)
        each_stretch(w, tap, [&](int window, int element, int count) WARPCELL_INLINED {
          const int step = w.stride[2];
          if (step == 1)
            for (int i = 0; i < count; i++) to[element + i] += from[window + i];
          else
            for (int i = 0; i < count; i++) to[element + i * step] += from[window + i];
        });
    } else {
      for (int i = 0; i < w.elements; i++) to[i] = summed(from, i);
    }
  }
#else
  const Item item = own_item(planes, w.elements);
  if (item.is_there)
    out[item.plane * w.elements + item.index] = summed(columns + item.plane * w.taps * w.positions, item.index);
#endif
}

// Each of `channels` has `filters` of its own: y[n][c · filters + f] = the windows of x[n][c] times a filter, plus a
// bias, which may be null.
template <class T>
__global__ void depthwise(const T* x, const T* weight, const T* bias, Windows w, T* y, long long images, int channels,
                          int filters) {
  using A = Sum<T>;
  const int outputs = channels * filters;
  auto summed = [&](const T* from, const T* filter, A start, int window) WARPCELL_INLINED {
    A sum = start;
    each_element(w, window, [&](int tap, int element) WARPCELL_INLINED {
      sum += A(widen<T>(from[element])) * A(widen<T>(filter[tap]));
    });
    return narrow<T>(sum);
  };
#ifdef WARPCELL_SERIAL
  const Planes mine = block_planes(images * outputs);
  for (long long plane = mine.begin; plane < mine.end; plane++) {
    const long long image = plane / outputs;
    const int output = int(plane - image * outputs);
    const T* from = x + (image * channels + output / filters) * w.elements;
    const T* filter = weight + (long long)output * w.taps;
    const A start = bias == nullptr ? A(0) : A(widen<T>(bias[output]));
    T* to = y + plane * w.positions;
    if constexpr (same<T, A>) {
      for (int i = 0; i < w.positions; i++) to[i] = start;
      for (int tap = 0; tap < w.taps; tap++) {
        const A factor = filter[tap];
        each_stretch(w, tap, [&](int window, int element, int count) WARPCELL_INLINED {
          const int step = w.stride[2];
          if (step == 1)
            for (int i = 0; i < count; i++) to[window + i] += factor * from[element + i];
          else
            for (int i = 0; i < count; i++) to[window + i] += factor * from[element + i * step];
        });
      }
    } else {
      for (int i = 0; i < w.positions; i++) to[i] = summed(from, filter, start, i);
    }
  }
#else
  const Item item = own_item(images * outputs, w.positions);
  if (!item.is_there) return;
  const long long image = item.plane / outputs;
  const int output = int(item.plane - image * outputs);
  const A start = bias == nullptr ? A(0) : A(widen<T>(bias[output]));
  y[item.plane * w.positions + item.index] = summed(x + (image * channels + output / filters) * w.elements,
                                                    weight + (long long)output * w.taps, start, item.index);
#endif
}

// The gradient of x of `depthwise` by that of y.
template <class T>
__global__ void depthwise_input(const T* g, const T* weight, Windows w, T* out, long long images, int channels,
                                int filters) {
  using A = Sum<T>;
  auto summed = [&](long long plane, int element) WARPCELL_INLINED {
    A sum = A(0);
    for (int f = 0; f < filters; f++) {
      const T* above = g + (plane * filters + f) * w.positions;
      const T* filter = weight + (plane % channels * filters + f) * w.taps;
      each_window(w, element, [&](int tap, int window) WARPCELL_INLINED {
        sum += A(widen<T>(above[window])) * A(widen<T>(filter[tap]));
      });
    }
    return narrow<T>(sum);
  };
#ifdef WARPCELL_SERIAL
  const Planes mine = block_planes(images * channels);
  for (long long plane = mine.begin; plane < mine.end; plane++) {
    T* to = out + plane * w.elements;
    if constexpr (same<T, A>) {
      for (int i = 0; i < w.elements; i++) to[i] = A(0);
      for (int f = 0; f < filters; f++) {
        const T* above = g + (plane * filters + f) * w.positions;
        const T* filter = weight + (plane % channels * filters + f) * w.taps;
        for (int tap = 0; tap < w.taps; tap++) {
          const A factor = filter[tap];
          each_stretch(w, tap, [&](int window, int element, int count) WARPCELL_INLINED {
            const int step = w.stride[2];
            if (step == 1)
              for (int i = 0; i < count; i++) to[element + i] += factor * above[window + i];
            else
              for (int i = 0; i < count; i++) to[element + i * step] += factor * above[window + i];
          });
        }
      }
    } else {
      for (int i = 0; i < w.elements; i++) to[i] = summed(plane, i);
    }
  }
#else
  const Item item = own_item(images * channels, w.elements);
  if (item.is_there) out[item.plane * w.elements + item.index] = summed(item.plane, item.index);
#endif
}

// Threads of a block that sums one element of a filter's gradient.
constexpr int kFilterThreads = 128;

// The gradient of the weight of `depthwise`: of each filter and each element of it the sum over images and windows.
template <class T>
__global__ void __launch_bounds__(kFilterThreads)
    depthwise_weight(const T* g, const T* x, Windows w, T* out, long long images, int channels, int filters) {
  using A = Sum<T>;
  const long long outputs = (long long)channels * filters;
#ifdef WARPCELL_SERIAL
  constexpr int kSums = 16;
  const Planes mine = block_planes(outputs * w.taps);
  for (long long at = mine.begin; at < mine.end; at++) {
    const long long output = at / w.taps;
    A total = A(0);
    for (long long image = 0; image < images; image++) {
      const T* above = g + (image * outputs + output) * w.positions;
      const T* from = x + (image * channels + output / filters) * w.elements;
      A sums[kSums] = {};
      each_stretch(w, int(at % w.taps), [&](int window, int element, int count) WARPCELL_INLINED {
        const int step = w.stride[2];
        auto product = [&](int i) WARPCELL_INLINED {
          return A(widen<T>(above[window + i])) * A(widen<T>(from[element + i * step]));
        };
        int i = 0;
        for (; i + kSums <= count; i += kSums)
          for (int k = 0; k < kSums; k++) sums[k] += product(i + k);
        for (int k = 0; i < count; i++, k++) sums[k] += product(i);
      });
      for (int width = kSums / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) sums[k] += sums[k + width];
      total += sums[0];
    }
    out[at] = narrow<T>(total);
  }
#else
  const long long at = blockIdx.x, output = at / w.taps;
  const Place3 tap = place_of(int(at - output * w.taps), w.kernel);
  const long long all = images * w.positions;
  A sum = A(0);
  for (long long i = threadIdx.x; i < all; i += kFilterThreads) {
    const long long image = all >> 31 == 0 ? (long long)(unsigned(i) / unsigned(w.positions)) : i / w.positions;
    const int window = int(i - image * w.positions);
    const Place3 o = place_of(window, w.count);
    const int a = element_at(w, 0, o.at[0], tap.at[0]), b = element_at(w, 1, o.at[1], tap.at[1]),
              c = element_at(w, 2, o.at[2], tap.at[2]);
    if (a < 0 || b < 0 || c < 0) continue;
    const T* from = x + (image * channels + output / filters) * w.elements;
    sum += A(widen<T>(g[(image * outputs + output) * w.positions + window])) *
           A(widen<T>(from[(a * w.size[1] + b) * w.size[2] + c]));
  }
  __shared__ A sums[kFilterThreads];
  sums[threadIdx.x] = sum;
  for (int width = kFilterThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) sums[threadIdx.x] += sums[threadIdx.x + width];
  }
  if (threadIdx.x == 0) out[at] = narrow<T>(sums[0]);
#endif
}
