// The elements of windows as columns of a matrix (im2col), a part of it at a time, and back: what stands between a
// convolution and matrix products.
#pragma once
#include <cstdint>

#include "../../host/convolution_terms.h"

namespace warpcell::cpu {

// Rows are the elements of a window, of one channel after the other; columns are windows, of one image after the other.
struct ColumnPart {
  int64_t channel, channels;    // the first is one of all channels, not of its group
  int64_t position, positions;  // the first is one of all images
};

class WindowColumns {
 public:
  explicit WindowColumns(const ConvolutionTerms& terms);

  // to[(channel · taps + tap) · positions + position] of the part; what lies outside of an image is 0.
  template <class T>
  void gather(const T* x, const ColumnPart& part, T* to) const;
  // Adds them to the elements that they are of, and leaves them as they please. x[image · step] are the images, from
  // the first that the part has windows of, which begin with the part's first channel.
  template <class T>
  void scatter(T* from, const ColumnPart& part, T* x, int64_t step) const;

 private:
  // Which windows along an axis have their element `shift` from the beginning inside: [begin, end).
  struct Reach {
    int64_t shift, begin, end;
  };
  Reach reach(size_t axis, int64_t tap) const;
  // Calls line(window, end, element of the first) for stretches of the windows [from, end) of a plane that lie in one
  // line each, and outside(window, end) for those whose element is outside.
  template <class Line, class Outside>
  void each_line(int64_t from, int64_t end, const Reach* reaches, Line line, Outside outside) const;
  // Calls use(row, first window of the plane, their end, image, first column of the part) for each row and image.
  template <class Use>
  void each_stretch(const ColumnPart& part, Use use) const;

  const ConvolutionTerms terms_;
  // Windows lie beside each other as their elements do: lines of them are one stretch.
  const bool is_even_;
};

}  // namespace warpcell::cpu
