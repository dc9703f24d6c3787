// Convolutions and their gradients by cuDNN's graphs, of the engines that give the same sums every time.
#include <algorithm>
#include <climits>

#include "../../host/convolution_terms.h"
#include "cudnn_call.h"

namespace warpcell::cuda {
namespace {

constexpr uint64_t kMostWorkspace = 512ull << 20;
constexpr size_t kMostMeasured = 10;
constexpr int64_t kAlignment = 16;  // bytes, which ConvolutionTerms tells of

// As the graph numbers its tensors.
constexpr int64_t kInput = 1, kWeight = 2, kOutput = 3;

struct Type {
  const char* name;
  DnnType type;
};
constexpr Type kTypes[] = {{"float32", DnnType::float32},
                           {"float64", DnnType::float64},
                           {"float16", DnnType::float16},
                           {"bfloat16", DnnType::bfloat16}};

DnnType type_of(const std::string& name) {
  for (const Type& type : kTypes) {
    if (name == type.name) return type.type;
  }
  throw DeviceError("UNSUPPORTED", "cuDNN does not convolve tensors of " + name + ".");
}

// What a result is, which attributes its operation has (its scalars, its convolution, its tensors by number), and the
// tensors of a run's places.
struct Row {
  DnnKind kind;
  int alpha, beta, convolution;
  int input, weight, output;
  std::vector<int64_t> places;
};
const Row& row_of(ConvolutionResult result) {
  static const Row rows[] = {
      {DnnKind::output, 700, 701, 702, 704, 703, 705, {kOutput, kInput, kWeight}},
      {DnnKind::input_gradient, 706, 707, 708, 710, 709, 711, {kInput, kOutput, kWeight}},
      {DnnKind::weight_gradient, 712, 713, 714, 716, 715, 717, {kWeight, kOutput, kInput}},
  };
  return rows[int(result)];
}

std::vector<CudnnMemory> places_of(const ConvolutionTerms& terms) {
  const std::vector<uint64_t> bytes = terms.place_bytes();
  std::vector<CudnnMemory> places;
  for (int64_t number : row_of(terms.result).places) places.push_back({number, bytes[places.size()]});
  return places;
}

using Sizes = std::vector<int64_t>;

class Convolution final : public CudnnCall {
 public:
  // Throws DeviceError UNSUPPORTED for what the library does not describe.
  Convolution(LibraryContext& context, const ConvolutionTerms& terms, const PlanRequest& request)
      : CudnnCall(context, "cuDNN convolution", "convolution", places_of(terms), {}, 0), terms_(terms) {
    choose(request, [this] { return graph(); },
           {kMostMeasured, kMostWorkspace, [this](const std::vector<DnnNote>& notes) { return is_exact(notes); }});
  }

 private:
  // It slides along two axes at least.
  Sizes sizes(const ConvolutionTerms::Sizes& of) const {
    return {of.end() - std::ptrdiff_t(std::max<size_t>(terms_.axes, 2)), of.end()};
  }
  static Sizes with(int64_t first, int64_t second, Sizes rest) {
    rest.insert(rest.begin(), {first, second});
    return rest;
  }

  CudnnDescriptor graph() const {
    const bool is_wide = terms_.type == "float64";
    CudnnDescriptor x = tensor(kInput, with(terms_.images, terms_.channels, sizes(terms_.size))),
                    y = tensor(kOutput, with(terms_.images, terms_.outputs, sizes(terms_.count))),
                    w = tensor(kWeight, with(terms_.outputs, terms_.channels / terms_.groups, sizes(terms_.kernel)));
    CudnnDescriptor convolution(library_, DnnKind::convolution);
    const Sizes padding = sizes(terms_.padding);
    convolution.set(dnn::kAxes, int64_t(padding.size()));
    convolution.set(dnn::kComputeType, is_wide ? DnnType::float64 : DnnType::float32);
    convolution.set(dnn::kMode, DnnConvolutionMode::cross_correlation);
    convolution.set(dnn::kPaddingBefore, padding);
    convolution.set(dnn::kPaddingAfter, padding);
    convolution.set(dnn::kStrides, sizes(terms_.stride));
    convolution.set(dnn::kDilations, sizes(terms_.dilation));
    convolution.finished();

    const Row& row = row_of(terms_.result);
    CudnnDescriptor operation(library_, row.kind);
    operation.set(row.convolution, convolution);
    operation.set(row.input, x);
    operation.set(row.weight, w);
    operation.set(row.output, y);
    if (is_wide) {
      operation.set(row.alpha, 1.0);
      operation.set(row.beta, 0.0);
    } else {
      operation.set(row.alpha, 1.0f);
      operation.set(row.beta, 0.0f);
    }
    operation.finished();
    CudnnDescriptor graph(library_, DnnKind::graph);
    graph.set(dnn::kGraphHandle, library_.handle);
    graph.set(dnn::kGraphOperations, operation);
    graph.finished();
    return graph;
  }

  CudnnDescriptor tensor(int64_t number, const Sizes& shape) const {
    Sizes steps(shape.size());
    int64_t step = terms_.channels_last ? shape[1] : 1;
    for (size_t axis = shape.size() - 1; axis >= 2; axis--) {
      steps[axis] = step;
      step *= shape[axis];
    }
    steps[1] = terms_.channels_last ? 1 : step;
    steps[0] = terms_.channels_last ? step : step * shape[1];
    CudnnDescriptor made(library_, DnnKind::tensor);
    made.set(dnn::kType, type_of(terms_.type));
    made.set(dnn::kSizes, shape);
    made.set(dnn::kSteps, steps);
    made.set(dnn::kNumber, number);
    made.set(dnn::kAlignment, kAlignment);
    made.finished();
    return made;
  }

  // Whether it adds up products as they stand, in an order that stays: Fourier's and Winograd's transforms are further
  // from the result, some engines add up by atomics.
  bool is_exact(const std::vector<DnnNote>& notes) const {
    return std::all_of(notes.begin(), notes.end(), [&](DnnNote note) {
      switch (note) {
        case DnnNote::narrowed_factors:
        case DnnNote::narrowed_sums:
        case DnnNote::fourier:
        case DnnNote::varying:
        case DnnNote::winograd:
        case DnnNote::winograd_4:
        case DnnNote::winograd_6:
        case DnnNote::winograd_13:
          return false;
        case DnnNote::tensor_cores:
          return terms_.type != "float32" || terms_.tf32;
        default:
          return true;
      }
    });
  }

  const ConvolutionTerms terms_;
};

std::unique_ptr<PlannedCall> plan_convolution(LibraryContext& context, const PlanRequest& request) {
  ConvolutionTerms terms(request);
  if (terms.unaligned) throw DeviceError("UNSUPPORTED", "cuDNN takes tensors that begin at multiples of 16 bytes.");
  if (terms.bias) throw DeviceError("UNSUPPORTED", "The convolution by cuDNN has no bias.");
  for (int64_t size :
       {terms.images * terms.channels * terms.elements(), terms.images * terms.outputs * terms.positions()}) {
    if (size > INT_MAX) throw DeviceError("UNSUPPORTED", "cuDNN counts the elements of a tensor in 31 bits.");
  }
  return std::make_unique<Convolution>(context, terms, request);
}

}  // namespace

LibraryRows cudnn_rows() { return {{"convolution", plan_convolution}}; }

}  // namespace warpcell::cuda
