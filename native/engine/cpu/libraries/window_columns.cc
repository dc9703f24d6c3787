// Lines of neighbouring windows have neighbouring elements; where a plane has as many windows as elements, so have
// whole stretches of lines, but for their borders.
#include "window_columns.h"

#include <algorithm>

#if defined(__x86_64__) && !defined(__clang__)
#define FOR_THIS_PROCESSOR __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define FOR_THIS_PROCESSOR
#endif

namespace warpcell::cpu {
namespace {

FOR_THIS_PROCESSOR void add(const float* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; i++) to[i] += from[i];
}
FOR_THIS_PROCESSOR void add(const double* from, double* to, int64_t count) {
  for (int64_t i = 0; i < count; i++) to[i] += from[i];
}

int64_t ceiling(int64_t number, int64_t by) { return number <= 0 ? 0 : (number + by - 1) / by; }

}  // namespace

WindowColumns::WindowColumns(const ConvolutionTerms& terms)
    : terms_(terms),
      is_even_(terms.stride[1] == 1 && terms.stride[2] == 1 && terms.count[1] == terms.size[1] &&
               terms.count[2] == terms.size[2]) {}

WindowColumns::Reach WindowColumns::reach(size_t axis, int64_t tap) const {
  int64_t shift = tap * terms_.dilation[axis] - terms_.padding[axis], stride = terms_.stride[axis];
  int64_t end = std::min(ceiling(terms_.size[axis] - shift, stride), terms_.count[axis]);
  return {shift, std::min(ceiling(-shift, stride), end), end};
}

template <class Line, class Outside>
void WindowColumns::each_line(int64_t from, int64_t end, const Reach* reaches, Line line, Outside outside) const {
  const int64_t width = terms_.count[2], height = terms_.count[1];
  const auto [shift, first, last] = reaches[2];
  while (from < end) {
    int64_t number = from / width, begin = number * width, slice = number / height, row = number - slice * height;
    int64_t stop = std::min(end, begin + width);
    auto is_in = [](const Reach& reach, int64_t at) { return at >= reach.begin && at < reach.end; };
    if (!is_in(reaches[0], slice) || !is_in(reaches[1], row)) {
      outside(from, stop);
    } else {
      int64_t left = std::clamp(begin + first, from, stop), right = std::clamp(begin + last, left, stop);
      int64_t element =
          ((slice * terms_.stride[0] + reaches[0].shift) * terms_.size[1] + row * terms_.stride[1] + reaches[1].shift) *
              terms_.size[2] +
          (left - begin) * terms_.stride[2] + shift;
      if (from < left) outside(from, left);
      if (left < right) line(left, right, element);
      if (right < stop) outside(right, stop);
    }
    from = stop;
  }
}

template <class Use>
void WindowColumns::each_stretch(const ColumnPart& part, Use use) const {
  const int64_t taps = terms_.taps(), plane = terms_.positions();
  for (int64_t row = 0; row < part.channels * taps; row++) {
    int64_t tap = row % taps;
    const Reach reaches[] = {reach(0, tap / (terms_.kernel[1] * terms_.kernel[2])),
                             reach(1, tap / terms_.kernel[2] % terms_.kernel[1]), reach(2, tap % terms_.kernel[2])};
    for (int64_t column = 0; column < part.positions;) {
      int64_t at = part.position + column, image = at / plane, from = at - image * plane;
      int64_t count = std::min(part.positions - column, plane - from);
      use(row / taps, reaches, image, from, from + count, row * part.positions + column);
      column += count;
    }
  }
}

template <class T>
void WindowColumns::gather(const T* x, const ColumnPart& part, T* to) const {
  const int64_t elements = terms_.elements(), step = terms_.stride[2];
  each_stretch(part, [&](int64_t channel, const Reach* reaches, int64_t image, int64_t from, int64_t end, int64_t at) {
    const T* plane = x + (image * terms_.channels + part.channel + channel) * elements;
    T* row = to + at - from;
    auto clear = [&](int64_t first, int64_t last) { std::fill(row + first, row + last, T{}); };
    if (is_even_ && terms_.count[0] == 1) {
      int64_t shift = (reaches[0].shift * terms_.size[1] + reaches[1].shift) * terms_.size[2] + reaches[2].shift;
      int64_t first = std::clamp(-shift, from, end), last = std::clamp(elements - shift, first, end);
      if (first < last) std::copy(plane + first + shift, plane + last + shift, row + first);
      if (reaches[0].begin == reaches[0].end) return clear(from, end);
      if (reaches[2].begin > 0 || reaches[2].end < terms_.count[2] || reaches[1].begin > 0 ||
          reaches[1].end < terms_.count[1])
        each_line(from, end, reaches, [](int64_t, int64_t, int64_t) {}, clear);
      return;
    }
    each_line(
        from, end, reaches,
        [&](int64_t first, int64_t last, int64_t element) {
          if (step == 1) {
            std::copy_n(plane + element, last - first, row + first);
          } else {
            for (int64_t i = first; i < last; i++, element += step) row[i] = plane[element];
          }
        },
        clear);
  });
}

template <class T>
void WindowColumns::scatter(T* from_columns, const ColumnPart& part, T* x, int64_t step_of_images) const {
  const int64_t elements = terms_.elements(), step = terms_.stride[2];
  const int64_t first_image = part.position / terms_.positions();
  each_stretch(part, [&](int64_t channel, const Reach* reaches, int64_t image, int64_t from, int64_t end, int64_t at) {
    T* plane = x + (image - first_image) * step_of_images + channel * elements;
    T* row = from_columns + at - from;
    if (is_even_ && terms_.count[0] == 1) {
      if (reaches[0].begin == reaches[0].end) return;
      int64_t shift = (reaches[0].shift * terms_.size[1] + reaches[1].shift) * terms_.size[2] + reaches[2].shift;
      each_line(
          from, end, reaches, [](int64_t, int64_t, int64_t) {},
          [&](int64_t first, int64_t last) { std::fill(row + first, row + last, T{}); });
      int64_t first = std::clamp(-shift, from, end), last = std::clamp(elements - shift, first, end);
      return add(row + first, plane + first + shift, last - first);
    }
    each_line(
        from, end, reaches,
        [&](int64_t first, int64_t last, int64_t element) {
          if (step == 1) return add(row + first, plane + element, last - first);
          for (int64_t i = first; i < last; i++, element += step) plane[element] += row[i];
        },
        [](int64_t, int64_t) {});
  });
}

// Bits of 16 are gathered as they are.
template void WindowColumns::gather(const float*, const ColumnPart&, float*) const;
template void WindowColumns::gather(const double*, const ColumnPart&, double*) const;
template void WindowColumns::gather(const uint16_t*, const ColumnPart&, uint16_t*) const;
template void WindowColumns::scatter(float*, const ColumnPart&, float*, int64_t) const;
template void WindowColumns::scatter(double*, const ColumnPart&, double*, int64_t) const;

}  // namespace warpcell::cpu
