// Reads the terms of a convolution and refuses those that do not go together.
#include "convolution_terms.h"

#include <algorithm>

#include "plan_terms.h"

namespace warpcell {
namespace {

struct ResultName {
  const char* name;
  ConvolutionResult result;
};
constexpr ResultName kResults[] = {
    {"output", ConvolutionResult::output}, {"input", ConvolutionResult::input}, {"weight", ConvolutionResult::weight}};

struct TypeBytes {
  const char* name;
  uint64_t bytes;
};
constexpr TypeBytes kTypes[] = {{"float32", 4}, {"float64", 8}, {"float16", 2}, {"bfloat16", 2}};

ConvolutionResult result_of(const PlanRequest& request) {
  const std::string& name = text_term(request, "result");
  for (const ResultName& each : kResults) {
    if (name == each.name) return each.result;
  }
  throw DeviceError("PROTOCOL", "The plan of " + request.call + " has result=" + name + ".");
}

uint64_t bytes_of(const std::string& type) {
  for (const TypeBytes& each : kTypes) {
    if (type == each.name) return each.bytes;
  }
  throw DeviceError("UNSUPPORTED", "No library convolves tensors of " + type + ".");
}

}  // namespace

ConvolutionTerms::ConvolutionTerms(const PlanRequest& request)
    : result(result_of(request)),
      images(size_term(request, "images")),
      channels(size_term(request, "channels")),
      outputs(size_term(request, "outputs")),
      groups(size_term_or(request, "groups", 1)),
      type(text_term(request, "type")),
      element_bytes(bytes_of(type)),
      channels_last(flag_term(request, "channelsLast")),
      bias(flag_term(request, "bias")),
      unaligned(flag_term(request, "unaligned")),
      tf32(flag_term(request, "tf32")) {
  std::vector<int64_t> sizes = sizes_term(request, "size");
  axes = sizes.size();
  auto spread = [&](const char* term, int64_t otherwise) {
    std::vector<int64_t> given = sizes_term(request, term);
    Sizes all;
    all.fill(otherwise);
    if (given.size() != axes || axes > kMostSpatialAxes)
      throw DeviceError("PROTOCOL", "The plan of " + request.call + " has sizes of different axes.");
    std::copy(given.begin(), given.end(), all.end() - std::ptrdiff_t(axes));
    return all;
  };
  size = spread("size", 1);
  kernel = spread("kernel", 1);
  stride = spread("stride", 1);
  padding = spread("padding", 0);
  dilation = spread("dilation", 1);
  for (size_t axis = 0; axis < kMostSpatialAxes; axis++) {
    int64_t room = size[axis] + 2 * padding[axis] - dilation[axis] * (kernel[axis] - 1) - 1;
    count[axis] = stride[axis] > 0 && room >= 0 ? room / stride[axis] + 1 : 0;
  }
  if (groups == 0 || channels % groups != 0 || outputs % groups != 0)
    throw DeviceError("PROTOCOL", "The plan of " + request.call + " has channels that no groups share.");
  if (input_bytes() == 0 || output_bytes() == 0 || weight_bytes() == 0)
    throw DeviceError("PROTOCOL", "The plan of " + request.call + " has nothing to convolve.");
}

std::vector<uint64_t> ConvolutionTerms::place_bytes() const {
  std::vector<uint64_t> bytes;
  switch (result) {
    case ConvolutionResult::output:
      bytes = {output_bytes(), input_bytes(), weight_bytes()};
      break;
    case ConvolutionResult::input:
      bytes = {input_bytes(), output_bytes(), weight_bytes()};
      break;
    case ConvolutionResult::weight:
      bytes = {weight_bytes(), output_bytes(), input_bytes()};
      break;
  }
  if (bias) bytes.push_back(uint64_t(outputs) * element_bytes);
  return bytes;
}

}  // namespace warpcell
