// A descriptor of cuDNN's graphs: is given attributes, finished, and asked for others.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "../../device.h"
#include "cudnn_api.h"

namespace warpcell::cuda {

// cudnnBackendDescriptorType_t
enum class DnnKind : int {
  pointwise = 0,
  convolution = 1,
  engine = 2,
  configuration = 3,
  heuristics = 4,
  plan = 5,
  output = 10,
  weight_gradient = 11,
  input_gradient = 12,
  pointwise_operation = 13,
  graph = 15,
  pack = 16,
  tensor = 17,
  matmul = 18,
  matmul_operation = 19,
  reduction = 21,
  reduction_operation = 22,
  reshape_operation = 31,
};

// cudnnBackendAttributeName_t
namespace dnn {
constexpr int kPointwiseMode = 0, kPointwiseType = 1, kPointwiseAxis = 9;
constexpr int kComputeType = 100, kMode = 101, kDilations = 102, kStrides = 103, kPaddingAfter = 104,
              kPaddingBefore = 105, kAxes = 106;
constexpr int kHeuristicsMode = 200, kHeuristicsGraph = 201, kHeuristicsResults = 202;
constexpr int kConfiguredEngine = 300;
constexpr int kPlanHandle = 400, kPlanConfiguration = 401, kPlanWorkspace = 402, kPlanText = 405;
constexpr int kPointwise = 750, kPointwiseX = 751, kPointwiseB = 752, kPointwiseY = 753, kPointwiseT = 758;
constexpr int kGraphHandle = 800, kGraphOperations = 801;
constexpr int kAlignment = 900, kType = 901, kSizes = 902, kSteps = 903, kNumber = 906, kVirtual = 907, kByValue = 908;
constexpr int kPackNumbers = 1000, kPackPointers = 1001, kPackWorkspace = 1003;
constexpr int kEngineNumber = 1301, kEngineNotes = 1303;
constexpr int kMatmulType = 1500, kMatmulA = 1520, kMatmulB = 1521, kMatmulC = 1522, kMatmul = 1523;
constexpr int kReductionMode = 1600, kReductionType = 1601, kReductionX = 1610, kReductionY = 1611, kReduction = 1612;
constexpr int kReshapeX = 2200, kReshapeY = 2201;
}  // namespace dnn

// What a tensor of a graph takes, by the graph's number.
struct CudnnMemory {
  int64_t number;
  uint64_t bytes;
};

class CudnnDescriptor {
 public:
  // Throws DeviceError UNSUPPORTED, as `set` does: this library does not know such a thing.
  CudnnDescriptor(const CudnnApi& library, DnnKind kind) : library_(&library) {
    expect(library.cudnnBackendCreateDescriptor(int(kind), &descriptor_));
  }
  ~CudnnDescriptor() {
    if (descriptor_ != nullptr) library_->cudnnBackendDestroyDescriptor(descriptor_);
  }
  CudnnDescriptor(CudnnDescriptor&& other) noexcept
      : library_(other.library_), descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  DnnDescriptor handle() const { return descriptor_; }

  void set(int attribute, int64_t number) { give(attribute, kInteger, 1, &number); }
  void set(int attribute, const std::vector<int64_t>& numbers) {
    give(attribute, kInteger, int64_t(numbers.size()), numbers.data());
  }
  void set(int attribute, bool is) { give(attribute, kBoolean, 1, &is); }
  void set(int attribute, float number) { give(attribute, kFloat, 1, &number); }
  void set(int attribute, double number) { give(attribute, kDouble, 1, &number); }
  void set(int attribute, DnnType type) { give(attribute, kDataType, 1, &type); }
  void set(int attribute, DnnConvolutionMode mode) { give(attribute, kConvolutionMode, 1, &mode); }
  void set(int attribute, DnnPointwise mode) { give(attribute, kPointwiseKind, 1, &mode); }
  void set(int attribute, DnnReduction mode) { give(attribute, kReductionKind, 1, &mode); }
  void set(int attribute, DnnHeuristics mode) { give(attribute, kHeuristics, 1, &mode); }
  void set(int attribute, DnnHandle handle) { give(attribute, kHandle, 1, &handle); }
  void set(int attribute, const CudnnDescriptor& other) { give(attribute, kDescriptor, 1, &other.descriptor_); }
  void set(int attribute, const std::vector<CudnnDescriptor>& others) {
    std::vector<DnnDescriptor> handles;
    for (const CudnnDescriptor& other : others) handles.push_back(other.descriptor_);
    give(attribute, kDescriptor, int64_t(handles.size()), handles.data());
  }
  void set(int attribute, const std::string& text) { give(attribute, kText, int64_t(text.size()), text.data()); }
  void set(int attribute, const std::vector<void*>& pointers) {
    give(attribute, kPointer, int64_t(pointers.size()), pointers.data());
  }

  // Whether what it has been given makes sense to the library, on this device. Nothing can be set afterwards.
  bool finish() { return library_->cudnnBackendFinalize(descriptor_) == kDnnSuccess; }
  void finished() {
    if (!finish()) refuse();
  }

  int64_t number(int attribute) const {
    int64_t found = 0, count = 0;
    expect(library_->cudnnBackendGetAttribute(descriptor_, attribute, kInteger, 1, &count, &found));
    return found;
  }
  std::string text(int attribute) const {
    int64_t count = 0;
    expect(library_->cudnnBackendGetAttribute(descriptor_, attribute, kText, 0, &count, nullptr));
    std::string found(size_t(count), '\0');
    expect(library_->cudnnBackendGetAttribute(descriptor_, attribute, kText, count, &count, found.data()));
    found.resize(size_t(count));
    return found;
  }
  std::vector<DnnNote> notes(int attribute) const {
    std::vector<DnnNote> found(kMostNotes);
    int64_t count = 0;
    expect(library_->cudnnBackendGetAttribute(descriptor_, attribute, kNote, kMostNotes, &count, found.data()));
    found.resize(size_t(count));
    return found;
  }
  // At most `most` of them.
  std::vector<CudnnDescriptor> others(int attribute, DnnKind kind, size_t most) const {
    std::vector<CudnnDescriptor> found;
    std::vector<DnnDescriptor> handles;
    for (size_t at = 0; at < most; at++) handles.push_back(found.emplace_back(*library_, kind).descriptor_);
    int64_t count = 0;
    expect(
        library_->cudnnBackendGetAttribute(descriptor_, attribute, kDescriptor, int64_t(most), &count, handles.data()));
    while (int64_t(found.size()) > count) found.pop_back();
    return found;
  }

 private:
  // cudnnBackendAttributeType_t
  static constexpr int kHandle = 0, kDataType = 1, kBoolean = 2, kInteger = 3, kFloat = 4, kDouble = 5, kPointer = 6,
                       kConvolutionMode = 7, kHeuristics = 8, kNote = 11, kPointwiseKind = 14, kDescriptor = 15,
                       kReductionKind = 18, kText = 24;
  static constexpr int kMostNotes = 32;

  [[noreturn]] static void refuse() { throw DeviceError("UNSUPPORTED", "cuDNN does not describe this operation."); }
  static void expect(DnnStatus status) {
    if (status != kDnnSuccess) refuse();
  }
  void give(int attribute, int type, int64_t count, const void* values) {
    expect(library_->cudnnBackendSetAttribute(descriptor_, attribute, type, count, values));
  }

  const CudnnApi* library_;
  DnnDescriptor descriptor_ = nullptr;
};

}  // namespace warpcell::cuda
