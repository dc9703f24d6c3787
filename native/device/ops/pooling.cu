// Pools of images in rows: the largest element of each window, with its place, or the mean of its elements, and their
// gradients.
#include <warpcell/pools.cuh>

using namespace warpcell;

#ifdef WARPCELL_SERIAL
// Windows of a line that are worked on together, side by side.
constexpr int kSideBySide = 128;

// Calls f(first window, how many, for each tap: f.tap(first of them, how many, element of the first, step)) for pieces
// of the lines of a plane.
template <class Begin, class Tap, class End>
inline WARPCELL_INLINED void each_piece(const Windows& w, Begin begin, Tap tap, End end) {
  for (int line = 0; line < w.count[0] * w.count[1]; line++) {
    const int i = line / w.count[1], j = line - i * w.count[1];
    for (int first = 0; first < w.count[2]; first += kSideBySide) {
      const int count = w.count[2] - first < kSideBySide ? w.count[2] - first : kSideBySide;
      begin(count);
      for (int a = 0; a < w.kernel[0]; a++) {
        const int slice = element_at(w, 0, i, a);
        for (int b = 0; slice >= 0 && b < w.kernel[1]; b++) {
          const int row = element_at(w, 1, j, b);
          for (int c = 0; row >= 0 && c < w.kernel[2]; c++) {
            const Reach reach = reach_of(w, 2, c);
            const int from = reach.begin > first ? reach.begin : first;
            const int stop = reach.end < first + count ? reach.end : first + count;
            if (from >= stop) continue;
            const int column = from * w.stride[2] - w.padding[2] + c * w.dilation[2];
            tap(from - first, stop - from, (slice * w.size[1] + row) * w.size[2] + column);
          }
        }
      }
      end(line * w.count[2] + first, count);
    }
  }
}
#endif

// `index`: the place of the largest in its plane (the first of equal ones, NaN is the largest), or null.
template <class T, bool adaptive>
__global__ void max_pool(const T* x, Windows w, T* y, long long* index, long long planes) {
  using A = Wide<T>;
  auto largest = [&](const T* from, int window, T& most, int& at) WARPCELL_INLINED {
    A top = -A(1) / A(0);
    at = -1;
    each_place(elements_of<adaptive>(w, window), w.size, [&](int element) WARPCELL_INLINED {
      const A value = widen<T>(from[element]);
      if (value > top || value != value || at < 0) top = value, at = element;
    });
    most = narrow<T>(top);
  };
#ifdef WARPCELL_SERIAL
  const Planes mine = block_planes(planes);
  for (long long plane = mine.begin; plane < mine.end; plane++) {
    const T* from = x + plane * w.elements;
    T* to = y + plane * w.positions;
    long long* places = index == nullptr ? nullptr : index + plane * w.positions;
    if constexpr (adaptive) {
      for (int window = 0; window < w.positions; window++) {
        int at;
        largest(from, window, to[window], at);
        if (places != nullptr) places[window] = at;
      }
    } else {
      A top[kSideBySide];
      int at[kSideBySide];
      each_piece(
          w,
          [&](int count) WARPCELL_INLINED {
            for (int i = 0; i < count; i++) top[i] = -A(1) / A(0), at[i] = -1;
          },
          [&](int first, int count, int element) WARPCELL_INLINED {
            const int step = w.stride[2];
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
            for (int i = 0; i < count; i++) {
              const A value = widen<T>(from[element + i * step]);
              const bool is_more = (value > top[first + i]) | (value != value) | (at[first + i] < 0);
              top[first + i] = is_more ? value : top[first + i];
              at[first + i] = is_more ? element + i * step : at[first + i];
            }
          },
          [&](int window, int count) WARPCELL_INLINED {
            for (int i = 0; i < count; i++) to[window + i] = narrow<T>(top[i]);
            if (places != nullptr)
              for (int i = 0; i < count; i++) places[window + i] = at[i];
          });
    }
  }
#else
  const Item item = own_item(planes, w.positions);
  if (!item.is_there) return;
  const long long to = item.plane * w.positions + item.index;
  int at;
  largest(x + item.plane * w.elements, item.index, y[to], at);
  if (index != nullptr) index[to] = at;
#endif
}

// Each element gets the gradients of the windows whose largest it is.
template <class T, bool adaptive>
__global__ void max_pool_gradient(const T* g, const long long* index, Windows w, T* out, long long planes) {
  using A = Sum<T>;
  auto summed = [&](const T* above, const long long* places, int element) WARPCELL_INLINED {
    A sum = A(0);
    each_place(windows_of<adaptive>(w, element), w.count, [&](int window) WARPCELL_INLINED {
      if (places[window] == element) sum += A(widen<T>(above[window]));
    });
    return narrow<T>(sum);
  };
#ifdef WARPCELL_SERIAL
  const Planes mine = block_planes(planes);
  for (long long plane = mine.begin; plane < mine.end; plane++) {
    const T* above = g + plane * w.positions;
    const long long* places = index + plane * w.positions;
    T* to = out + plane * w.elements;
    if constexpr (same<T, A>) {
      for (int i = 0; i < w.elements; i++) to[i] = A(0);
      for (int window = 0; window < w.positions; window++)
        if (places[window] >= 0) to[places[window]] += above[window];
    } else {
      for (int i = 0; i < w.elements; i++) to[i] = summed(above, places, i);
    }
  }
#else
  const Item item = own_item(planes, w.elements);
  if (item.is_there)
    out[item.plane * w.elements + item.index] =
        summed(g + item.plane * w.positions, index + item.plane * w.positions, item.index);
#endif
}

template <class T, bool adaptive>
__global__ void average_pool(const T* x, Windows w, int divisor, int with_padding, T* y, long long planes) {
  using A = Sum<T>;
  const Divided divided = {divisor, with_padding};
  auto mean = [&](const T* from, int window) WARPCELL_INLINED {
    A sum = A(0);
    each_place(elements_of<adaptive>(w, window), w.size,
               [&](int element) WARPCELL_INLINED { sum += A(widen<T>(from[element])); });
    return narrow<T>(sum / A(divisor_of<adaptive>(w, window, divided)));
  };
#ifdef WARPCELL_SERIAL
  const Planes mine = block_planes(planes);
  for (long long plane = mine.begin; plane < mine.end; plane++) {
    const T* from = x + plane * w.elements;
    T* to = y + plane * w.positions;
    if constexpr (adaptive) {
      for (int window = 0; window < w.positions; window++) to[window] = mean(from, window);
    } else {
      A sum[kSideBySide];
      each_piece(
          w,
          [&](int count) WARPCELL_INLINED {
            for (int i = 0; i < count; i++) sum[i] = A(0);
          },
          [&](int first, int count, int element) WARPCELL_INLINED {
            const int step = w.stride[2];
            for (int i = 0; i < count; i++) sum[first + i] += A(widen<T>(from[element + i * step]));
          },
          [&](int window, int count) WARPCELL_INLINED {
            for (int i = 0; i < count; i++)
              to[window + i] = narrow<T>(sum[i] / A(divisor_of<adaptive>(w, window + i, divided)));
          });
    }
  }
#else
  const Item item = own_item(planes, w.positions);
  if (item.is_there) y[item.plane * w.positions + item.index] = mean(x + item.plane * w.elements, item.index);
#endif
}

template <class T, bool adaptive>
__global__ void average_pool_gradient(const T* g, Windows w, int divisor, int with_padding, T* out, long long planes) {
  using A = Sum<T>;
  const Divided divided = {divisor, with_padding};
  auto summed = [&](const T* above, int element) WARPCELL_INLINED {
    A sum = A(0);
    each_place(windows_of<adaptive>(w, element), w.count, [&](int window) WARPCELL_INLINED {
      sum += A(widen<T>(above[window])) / A(divisor_of<adaptive>(w, window, divided));
    });
    return narrow<T>(sum);
  };
#ifdef WARPCELL_SERIAL
  const Planes mine = block_planes(planes);
  for (long long plane = mine.begin; plane < mine.end; plane++) {
    const T* above = g + plane * w.positions;
    T* to = out + plane * w.elements;
    if constexpr (same<T, A>) {
      for (int i = 0; i < w.elements; i++) to[i] = A(0);
      for (int window = 0; window < w.positions; window++) {
        const A share = above[window] / A(divisor_of<adaptive>(w, window, divided));
        each_place(elements_of<adaptive>(w, window), w.size,
                   [&](int element) WARPCELL_INLINED { to[element] += share; });
      }
    } else {
      for (int i = 0; i < w.elements; i++) to[i] = summed(above, i);
    }
  }
#else
  const Item item = own_item(planes, w.elements);
  if (item.is_there) out[item.plane * w.elements + item.index] = summed(g + item.plane * w.positions, item.index);
#endif
}
