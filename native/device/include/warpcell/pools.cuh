// Which elements the windows of pools have, and which windows an element is in.
#pragma once
#include <warpcell/windows.cuh>

namespace warpcell {

// Where windows lie: a stride apart, or, adaptive, so that they cover the axis evenly; then a window may be an element
// longer than another, and they overlap.
struct Stretch3 {
  int begin[3], end[3], step[3];
};
__device__ inline int floor_part(int number, int of, int parts) { return int((long long)number * of / parts); }
__device__ inline int ceil_part(int number, int of, int parts) {
  return int(((long long)number * of + parts - 1) / parts);
}

// The elements of a window, those outside left out.
template <bool adaptive>
__device__ inline Stretch3 elements_of(const Windows& w, int window) {
  const Place3 o = place_of(window, w.count);
  Stretch3 result;
  for (int axis = 0; axis < 3; axis++) {
    if (adaptive) {
      result.begin[axis] = floor_part(o.at[axis], w.size[axis], w.count[axis]);
      result.end[axis] = ceil_part(o.at[axis] + 1, w.size[axis], w.count[axis]);
      result.step[axis] = 1;
      continue;
    }
    const int first = o.at[axis] * w.stride[axis] - w.padding[axis], step = w.dilation[axis];
    const int last = first + (w.kernel[axis] - 1) * step + 1;
    result.begin[axis] = first >= 0 ? first : first + ceiling(-first, step) * step;
    result.end[axis] = last < w.size[axis] ? last : w.size[axis];
    result.step[axis] = step;
  }
  return result;
}
// The windows that an element may be in.
template <bool adaptive>
__device__ inline Stretch3 windows_of(const Windows& w, int element) {
  const Place3 e = place_of(element, w.size);
  Stretch3 result;
  for (int axis = 0; axis < 3; axis++) {
    result.step[axis] = 1;
    if (adaptive) {
      result.begin[axis] = floor_part(e.at[axis], w.count[axis], w.size[axis]);
      result.end[axis] = ceil_part(e.at[axis] + 1, w.count[axis], w.size[axis]);
      continue;
    }
    const int at = e.at[axis] + w.padding[axis], reach = (w.kernel[axis] - 1) * w.dilation[axis];
    const int end = at / w.stride[axis] + 1;
    result.begin[axis] = ceiling(at - reach, w.stride[axis]);
    result.end[axis] = end < w.count[axis] ? end : w.count[axis];
  }
  return result;
}
template <class F>
__device__ inline WARPCELL_INLINED void each_place(const Stretch3& s, const int (&sizes)[3], F f) {
  for (int i = s.begin[0]; i < s.end[0]; i += s.step[0])
    for (int j = s.begin[1]; j < s.end[1]; j += s.step[1])
      for (int k = s.begin[2]; k < s.end[2]; k += s.step[2]) f((i * sizes[1] + j) * sizes[2] + k);
}
__device__ inline int places(const Stretch3& s) {
  int all = 1;
  for (int axis = 0; axis < 3; axis++) all *= ceiling(s.end[axis] - s.begin[axis], s.step[axis]);
  return all;
}

// What a mean is divided by: a number, or, where that is 0, the elements of its window, those of the padding too where
// they count.
struct Divided {
  int by;
  int with_padding;
};
template <bool adaptive>
__device__ inline int divisor_of(const Windows& w, int window, Divided divided) {
  if (divided.by != 0) return divided.by;
  if (adaptive || !divided.with_padding) return places(elements_of<adaptive>(w, window));
  const Place3 o = place_of(window, w.count);
  int all = 1;
  for (int axis = 0; axis < 3; axis++) {
    const int first = o.at[axis] * w.stride[axis] - w.padding[axis], last = first + w.kernel[axis];
    const int most = w.size[axis] + w.padding[axis];
    all *= (last < most ? last : most) - first;
  }
  return all;
}

}  // namespace warpcell
