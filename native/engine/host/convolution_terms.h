// What a convolution is planned by: turns the terms of the call "convolution" into numbers, and into the bytes that
// each of its places must hold.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "../device.h"

namespace warpcell {

constexpr size_t kMostSpatialAxes = 3;

// One of the three that make a convolution y = x ∗ w and its gradients: each is of the other two.
enum class ConvolutionResult { output, input, weight };

// x [images, channels, size…], y [images, outputs, count…], w [outputs, channels / groups, kernel…], of one dtype and
// without gaps; "channels last": x, y and w lie with their second axis behind all others. Places: the result; then of y
// x, w and, where there is one, a bias [outputs]; of x: y, w; of w: y, x.
struct ConvolutionTerms {
  using Sizes = std::array<int64_t, kMostSpatialAxes>;

  ConvolutionResult result;
  int64_t images, channels, outputs, groups;
  size_t axes;  // fewer than three: those in front have size 1, and nothing moves along them
  Sizes size, count, kernel, stride, padding, dilation;
  std::string type;
  uint64_t element_bytes;
  bool channels_last, bias;
  bool unaligned;  // a place is no multiple of 16 bytes
  bool tf32;       // factors of float32 may be rounded to 10 bits of mantissa

  // Throws DeviceError PROTOCOL for terms that contradict themselves, UNSUPPORTED for types that no library takes.
  explicit ConvolutionTerms(const PlanRequest& request);

  int64_t elements() const { return product(size); }    // of a plane of x
  int64_t positions() const { return product(count); }  // of a plane of y
  int64_t taps() const { return product(kernel); }      // of a filter's plane
  uint64_t input_bytes() const { return uint64_t(images * channels * elements()) * element_bytes; }
  uint64_t output_bytes() const { return uint64_t(images * outputs * positions()) * element_bytes; }
  uint64_t weight_bytes() const { return uint64_t(outputs * (channels / groups) * taps()) * element_bytes; }
  // In the order of the places.
  std::vector<uint64_t> place_bytes() const;

 private:
  static int64_t product(const Sizes& sizes) { return sizes[0] * sizes[1] * sizes[2]; }
};

}  // namespace warpcell
