// Convolutions and their gradients by cuDNN: chooses an algorithm of those that it proposes and that give the same sums
// every time, by measuring where there are several, and runs it.
#include <algorithm>
#include <climits>
#include <cstring>

#include "../../host/convolution_terms.h"
#include "../../host/json.h"
#include "cudnn_api.h"
#include "libraries.h"

namespace warpcell::cuda {
namespace {

constexpr uint64_t kMostWorkspace = 512ull << 20;
constexpr int kCandidates = 10;
constexpr uint32_t kRepeats = 5;

struct Type {
  const char* name;
  int number;
};
constexpr Type kTypes[] = {
    {"float32", kDnnFloat32}, {"float64", kDnnFloat64}, {"float16", kDnnFloat16}, {"bfloat16", kDnnBfloat16}};

int type_number(const std::string& name) {
  for (const Type& type : kTypes) {
    if (name == type.name) return type.number;
  }
  throw DeviceError("UNSUPPORTED", "cuDNN does not convolve tensors of " + name + ".");
}

// Of each result, the algorithms that are sums of products as they stand, in an order that stays: those by Fourier or
// Winograd transforms are further from the result, some add up by atomics.
bool is_exact(ConvolutionResult result, int algorithm) {
  return result == ConvolutionResult::output ? algorithm <= 2 : algorithm == 1;
}

// What cuDNN knows of a convolution: its descriptors.
class CudnnConvolution {
 public:
  // Throws DeviceError UNSUPPORTED for what the library does not describe.
  CudnnConvolution(const CudnnApi& library, const ConvolutionTerms& terms) : library_(library), terms_(terms) {
    try {
      describe();
    } catch (...) {
      release();
      throw;
    }
  }
  ~CudnnConvolution() { release(); }
  CudnnConvolution(const CudnnConvolution&) = delete;
  CudnnConvolution& operator=(const CudnnConvolution&) = delete;

  // What the library proposes, the most promising first.
  std::vector<ConvolutionCandidate> candidates() const {
    std::vector<ConvolutionCandidate> found(kCandidates);
    int count = 0;
    DnnStatus status = kDnnSuccess;
    switch (terms_.result) {
      case ConvolutionResult::output:
        status = library_.cudnnGetConvolutionForwardAlgorithm_v7(library_.handle, x_, w_, convolution_, y_, kCandidates,
                                                                 &count, found.data());
        break;
      case ConvolutionResult::input:
        status = library_.cudnnGetConvolutionBackwardDataAlgorithm_v7(library_.handle, w_, y_, convolution_, x_,
                                                                      kCandidates, &count, found.data());
        break;
      case ConvolutionResult::weight:
        status = library_.cudnnGetConvolutionBackwardFilterAlgorithm_v7(library_.handle, x_, y_, convolution_, w_,
                                                                        kCandidates, &count, found.data());
        break;
    }
    found.resize(status == kDnnSuccess ? size_t(count) : 0);
    auto unfit = [&](const ConvolutionCandidate& each) {
      return each.status != kDnnSuccess || each.workspace > kMostWorkspace ||
             !is_exact(terms_.result, each.algorithm) ||
             (terms_.type == "float32" &&
              (terms_.tf32 ? each.math == kDnnNarrowed : each.math != kDnnPlainProducts && each.math != kDnnUsual));
    };
    found.erase(std::remove_if(found.begin(), found.end(), unfit), found.end());
    if (terms_.type == "float32" && !terms_.tf32) {
      for (ConvolutionCandidate& each : found) each.math = kDnnPlainProducts;
    }
    return found;
  }

  // `places`: the result, then its operands as ConvolutionTerms has them.
  DnnStatus run(const ConvolutionCandidate& candidate, const DevicePointer* places, DevicePointer workspace,
                Stream stream) const {
    DnnStatus status = library_.cudnnSetStream(library_.handle, stream);
    if (status == kDnnSuccess) status = library_.cudnnSetConvolutionMathType(convolution_, candidate.math);
    if (status != kDnnSuccess) return status;
    const float one = 1, zero = 0;
    const double wide_one = 1, wide_zero = 0;
    const bool is_wide = terms_.type == "float64";
    const void* alpha = is_wide ? static_cast<const void*>(&wide_one) : &one;
    const void* beta = is_wide ? static_cast<const void*>(&wide_zero) : &zero;
    auto at = [&](size_t which) { return reinterpret_cast<void*>(places[which]); };
    void* room = reinterpret_cast<void*>(workspace);
    switch (terms_.result) {
      case ConvolutionResult::output:
        return library_.cudnnConvolutionForward(library_.handle, alpha, x_, at(1), w_, at(2), convolution_,
                                                candidate.algorithm, room, candidate.workspace, beta, y_, at(0));
      case ConvolutionResult::input:
        return library_.cudnnConvolutionBackwardData(library_.handle, alpha, w_, at(2), y_, at(1), convolution_,
                                                     candidate.algorithm, room, candidate.workspace, beta, x_, at(0));
      default:
        return library_.cudnnConvolutionBackwardFilter(library_.handle, alpha, x_, at(2), y_, at(1), convolution_,
                                                       candidate.algorithm, room, candidate.workspace, beta, w_, at(0));
    }
  }

 private:
  // It slides along two axes at least.
  static std::vector<int> sizes(const ConvolutionTerms::Sizes& of, size_t axes) {
    return {of.end() - std::ptrdiff_t(std::max<size_t>(axes, 2)), of.end()};
  }
  static std::vector<int> with(int64_t first, int64_t second, std::vector<int> rest) {
    rest.insert(rest.begin(), {int(first), int(second)});
    return rest;
  }

  void describe() {
    auto expect = [](DnnStatus status) {
      if (status != kDnnSuccess) throw DeviceError("UNSUPPORTED", "cuDNN does not describe this convolution.");
    };
    const int type = type_number(terms_.type);
    const auto kernel = with(terms_.outputs, terms_.channels / terms_.groups, sizes(terms_.kernel, terms_.axes));
    expect(library_.cudnnCreateTensorDescriptor(&x_));
    expect(library_.cudnnCreateTensorDescriptor(&y_));
    expect(library_.cudnnCreateFilterDescriptor(&w_));
    expect(library_.cudnnCreateConvolutionDescriptor(&convolution_));
    expect(tensor(x_, type, with(terms_.images, terms_.channels, sizes(terms_.size, terms_.axes))));
    expect(tensor(y_, type, with(terms_.images, terms_.outputs, sizes(terms_.count, terms_.axes))));
    expect(library_.cudnnSetFilterNdDescriptor(w_, type, terms_.channels_last ? kDnnChannelsLast : kDnnChannelsFirst,
                                               int(kernel.size()), kernel.data()));
    const auto padding = sizes(terms_.padding, terms_.axes), stride = sizes(terms_.stride, terms_.axes),
               dilation = sizes(terms_.dilation, terms_.axes);
    expect(library_.cudnnSetConvolutionNdDescriptor(convolution_, int(padding.size()), padding.data(), stride.data(),
                                                    dilation.data(), kDnnCrossCorrelation,
                                                    terms_.type == "float64" ? kDnnFloat64 : kDnnFloat32));
    expect(library_.cudnnSetConvolutionGroupCount(convolution_, int(terms_.groups)));
    expect(library_.cudnnSetConvolutionMathType(convolution_, terms_.element_bytes == 2 ? kDnnTensorOps
                                                              : terms_.tf32             ? kDnnUsual
                                                                                        : kDnnPlainProducts));
  }

  DnnStatus tensor(TensorDescriptor descriptor, int type, const std::vector<int>& shape) const {
    std::vector<int> strides(shape.size());
    int step = terms_.channels_last ? shape[1] : 1;
    for (size_t axis = shape.size() - 1; axis >= 2; axis--) {
      strides[axis] = step;
      step *= shape[axis];
    }
    strides[1] = terms_.channels_last ? 1 : step;
    strides[0] = terms_.channels_last ? step : step * shape[1];
    return library_.cudnnSetTensorNdDescriptor(descriptor, type, int(shape.size()), shape.data(), strides.data());
  }

  void release() {
    if (convolution_ != nullptr) library_.cudnnDestroyConvolutionDescriptor(convolution_);
    if (w_ != nullptr) library_.cudnnDestroyFilterDescriptor(w_);
    if (y_ != nullptr) library_.cudnnDestroyTensorDescriptor(y_);
    if (x_ != nullptr) library_.cudnnDestroyTensorDescriptor(x_);
  }

  const CudnnApi& library_;
  const ConvolutionTerms terms_;
  TensorDescriptor x_ = nullptr, y_ = nullptr;
  FilterDescriptor w_ = nullptr;
  ConvolutionDescriptor convolution_ = nullptr;
};

class Convolution final : public PlannedCall {
 public:
  // Four descriptors.
  static constexpr uint64_t kDescriptorBytes = 4 * 512;

  Convolution(LibraryContext& context, const ConvolutionTerms& terms, const PlanRequest& request)
      : PlannedCall("cuDNN convolution", terms.place_bytes().size(), 0),
        context_(context),
        library_(cudnn()),
        bytes_(terms.place_bytes()),
        convolution_(library_, terms) {
    choose(request);
    planned.workspace = chosen_.workspace;
    planned.kept = sizeof *this + kDescriptorBytes;
    planned.choice.assign(reinterpret_cast<const char*>(&chosen_), sizeof chosen_);
    planned.chosen = JsonObject()
                         .text("library", "cuDNN")
                         .text("version", library_.version)
                         .text("path", library_.path)
                         .text("algorithm", "algorithm " + std::to_string(chosen_.algorithm) + ", math " +
                                                std::to_string(chosen_.math))
                         .done();
  }

  void run(const RunRequest& request) override {
    DevicePointer workspace =
        chosen_.workspace > 0 ? context_.segments.address(request.workspace, chosen_.workspace) : 0;
    DevicePointer places[3];
    place(request, places);
    DnnStatus status = kDnnSuccess;
    WorkStream& stream = context_.streams.at(request.stream);
    stream.submit(request.sequence,
                  [&](Stream handle) { status = convolution_.run(chosen_, places, workspace, handle); });
    if (status == kDnnSuccess) return;
    stream.expect_sound();
    library_.check(status, "a convolution");
  }

 private:
  void place(const RunRequest& request, DevicePointer* places) const {
    for (size_t which = 0; which < bytes_.size(); which++)
      places[which] = context_.segments.address(request.places[which], bytes_[which]);
  }

  void choose(const PlanRequest& request) {
    if (request.choice.size() == sizeof chosen_) {
      std::memcpy(&chosen_, request.choice.data(), sizeof chosen_);
      return;
    }
    auto candidates = convolution_.candidates();
    if (candidates.empty()) throw DeviceError("UNSUPPORTED", "cuDNN has no algorithm for this convolution.");
    chosen_ = candidates.front();
    if (!request.trial || candidates.size() == 1) return;
    expect(*request.trial);
    DevicePointer places[3];
    place(*request.trial, places);
    chosen_ = fastest(candidates, places);
  }

  ConvolutionCandidate fastest(const std::vector<ConvolutionCandidate>& candidates, const DevicePointer* places) {
    uint64_t most = 0;
    for (const ConvolutionCandidate& each : candidates) most = std::max<uint64_t>(most, each.workspace);
    DevicePointer workspace = 0;
    if (most > 0 && context_.api.cuMemAlloc(&workspace, most) != 0) return candidates.front();
    const ConvolutionCandidate* best = &candidates.front();
    double least = -1;
    for (const ConvolutionCandidate& each : candidates) {
      bool works = true;
      auto time = [&](uint32_t repeats) {
        return context_.streams.at(0).milliseconds(
            [&](Stream stream) { works = convolution_.run(each, places, workspace, stream) == kDnnSuccess && works; },
            repeats);
      };
      time(1);  // the first time its code is loaded
      double milliseconds = time(kRepeats);
      if (!works || (least >= 0 && milliseconds >= least)) continue;
      least = milliseconds;
      best = &each;
    }
    if (workspace != 0) context_.api.cuMemFree(workspace);
    if (least < 0) throw DeviceError("UNSUPPORTED", "cuDNN proposes algorithms for this convolution, but none runs.");
    return *best;
  }

  LibraryContext& context_;
  const CudnnApi& library_;
  const std::vector<uint64_t> bytes_;
  const CudnnConvolution convolution_;
  ConvolutionCandidate chosen_{};
};

}  // namespace

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

}  // namespace warpcell::cuda
