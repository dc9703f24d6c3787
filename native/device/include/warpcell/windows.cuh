// Windows that slide over the axes of images, as convolutions and pooling have them.
#pragma once
#include <warpcell/numbers.cuh>

namespace warpcell {

// Over one to three axes; where there are fewer, the first have one element. A plane, the elements of one channel of an
// image, has fewer than 2³¹, and so have its windows.
struct Windows {
  int size[3], count[3];  // of each axis: its elements, and the windows along it
  int kernel[3], stride[3], padding[3], dilation[3];
  int elements, positions, taps;  // of a plane, windows of it, elements of a window
};

// A place along each axis.
struct Place3 {
  int at[3];
};
__device__ inline Place3 place_of(int index, const int (&sizes)[3]) {
  const int row = index / sizes[2], slice = row / sizes[1];
  return {{slice, row - slice * sizes[1], index - row * sizes[2]}};
}

// Which windows along an axis have an element at `shift` from their beginning inside it: [begin, end).
struct Reach {
  int begin, end;
};
__device__ inline int ceiling(int number, int by) { return number <= 0 ? 0 : (number + by - 1) / by; }
__device__ inline Reach reach_of(const Windows& w, int axis, int tap) {
  const int shift = tap * w.dilation[axis] - w.padding[axis];
  const int begin = ceiling(-shift, w.stride[axis]), end = ceiling(w.size[axis] - shift, w.stride[axis]);
  const int last = end < w.count[axis] ? end : w.count[axis];
  return {begin < last ? begin : last, last};
}

// Where the element of a window lies that is `tap` from its beginning; -1 where that is outside.
__device__ inline int element_at(const Windows& w, int axis, int window, int tap) {
  const int at = window * w.stride[axis] - w.padding[axis] + tap * w.dilation[axis];
  return at >= 0 && at < w.size[axis] ? at : -1;
}
// The window whose element `tap` is this one; -1 where there is none.
__device__ inline int window_at(const Windows& w, int axis, int element, int tap) {
  const int from = element + w.padding[axis] - tap * w.dilation[axis];
  if (from < 0) return -1;
  const int window = from / w.stride[axis];
  return window * w.stride[axis] == from && window < w.count[axis] ? window : -1;
}

// Calls f(tap, element) for the elements of a window that are inside, in their order.
template <class F>
__device__ inline WARPCELL_INLINED void each_element(const Windows& w, int window, F f) {
  const Place3 o = place_of(window, w.count);
  for (int a = 0; a < w.kernel[0]; a++) {
    const int i = element_at(w, 0, o.at[0], a);
    for (int b = 0; i >= 0 && b < w.kernel[1]; b++) {
      const int j = element_at(w, 1, o.at[1], b);
      for (int c = 0; j >= 0 && c < w.kernel[2]; c++) {
        const int k = element_at(w, 2, o.at[2], c);
        if (k >= 0) f((a * w.kernel[1] + b) * w.kernel[2] + c, (i * w.size[1] + j) * w.size[2] + k);
      }
    }
  }
}

// Calls f(tap, window) for the windows that an element is in.
template <class F>
__device__ inline WARPCELL_INLINED void each_window(const Windows& w, int element, F f) {
  const Place3 e = place_of(element, w.size);
  for (int a = 0; a < w.kernel[0]; a++) {
    const int i = window_at(w, 0, e.at[0], a);
    for (int b = 0; i >= 0 && b < w.kernel[1]; b++) {
      const int j = window_at(w, 1, e.at[1], b);
      for (int c = 0; j >= 0 && c < w.kernel[2]; c++) {
        const int k = window_at(w, 2, e.at[2], c);
        if (k >= 0) f((a * w.kernel[1] + b) * w.kernel[2] + c, (i * w.count[1] + j) * w.count[2] + k);
      }
    }
  }
}

#ifdef WARPCELL_SERIAL
// Calls f(first window, first element, how many) for the stretches of windows along the last axis whose element `tap`
// is inside: their elements are the last axis' stride apart.
template <class F>
inline WARPCELL_INLINED void each_stretch(const Windows& w, int tap, F f) {
  const Place3 t = place_of(tap, w.kernel);
  const Reach x = reach_of(w, 0, t.at[0]), y = reach_of(w, 1, t.at[1]), z = reach_of(w, 2, t.at[2]);
  if (z.begin == z.end) return;
  const int column = z.begin * w.stride[2] - w.padding[2] + t.at[2] * w.dilation[2];
  for (int i = x.begin; i < x.end; i++) {
    const int slice = i * w.stride[0] - w.padding[0] + t.at[0] * w.dilation[0];
    for (int j = y.begin; j < y.end; j++) {
      const int row = j * w.stride[1] - w.padding[1] + t.at[1] * w.dilation[1];
      f((i * w.count[1] + j) * w.count[2] + z.begin, (slice * w.size[1] + row) * w.size[2] + column, z.end - z.begin);
    }
  }
}

// The planes, or what there is one of for each, that this block has.
struct Planes {
  long long begin, end;
};
inline Planes block_planes(long long count) {
  const long long share = (count + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share;
  return {begin, begin + share < count ? begin + share : count};
}
#else
// One item of `count` in each of `planes`, for this thread.
struct Item {
  long long plane;
  int index;
  bool is_there;
};
__device__ inline Item own_item(long long planes, int count) {
  const long long all = planes * count, at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const long long plane = all >> 31 == 0 ? (long long)(unsigned(at) / unsigned(count)) : at / count;
  return {plane, int(at - plane * count), at < all};
}
#endif

}  // namespace warpcell
