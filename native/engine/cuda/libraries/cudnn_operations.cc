// Turns operations into descriptors of cuDNN's.
#include "cudnn_operations.h"

namespace warpcell::cuda {
namespace {

constexpr int64_t kAlignmentBytes = 16;
// Of the operands of a pointwise operation, in order.
constexpr int kOperands[] = {dnn::kPointwiseX, dnn::kPointwiseB, dnn::kPointwiseT};

}  // namespace

CudnnOperations::Sizes CudnnOperations::packed(const Sizes& sizes) {
  Sizes steps(sizes.size());
  int64_t step = 1;
  for (size_t axis = sizes.size(); axis-- > 0; step *= sizes[axis]) steps[axis] = step;
  return steps;
}

CudnnDescriptor CudnnOperations::tensor(int64_t number, DnnType type, const Sizes& sizes, const Sizes& steps) const {
  CudnnDescriptor made(library_, DnnKind::tensor);
  made.set(dnn::kType, type);
  made.set(dnn::kSizes, sizes);
  made.set(dnn::kSteps, steps);
  made.set(dnn::kNumber, number);
  made.set(dnn::kAlignment, kAlignmentBytes);
  return made;
}

CudnnTensor CudnnOperations::memory(int64_t number, DnnType type, const Sizes& sizes, const Sizes& steps) const {
  CudnnDescriptor made = tensor(number, type, sizes, steps);
  made.finished();
  return {std::move(made), sizes};
}

CudnnTensor CudnnOperations::scalar(int64_t number, DnnType type) const {
  const Sizes one(4, 1);
  CudnnDescriptor made = tensor(number, type, one, one);
  made.set(dnn::kByValue, true);
  made.finished();
  return {std::move(made), one};
}

CudnnTensor CudnnOperations::passing(DnnType type, const Sizes& sizes) { return passing(type, sizes, packed(sizes)); }

CudnnTensor CudnnOperations::passing(DnnType type, const Sizes& sizes, const Sizes& steps) {
  CudnnDescriptor made = tensor(next_++, type, sizes, steps);
  made.set(dnn::kVirtual, true);
  made.finished();
  return {std::move(made), sizes};
}

void CudnnOperations::pointwise(const CudnnDescriptor& settings, std::initializer_list<const CudnnTensor*> operands,
                                const CudnnTensor& y) {
  CudnnDescriptor operation(library_, DnnKind::pointwise_operation);
  operation.set(dnn::kPointwise, settings);
  const int* attribute = kOperands;
  for (const CudnnTensor* operand : operands) operation.set(*attribute++, operand->descriptor);
  operation.set(dnn::kPointwiseY, y.descriptor);
  operation.finished();
  operations_.push_back(std::move(operation));
}

void CudnnOperations::pointwise(DnnPointwise mode, std::initializer_list<const CudnnTensor*> operands,
                                const CudnnTensor& y, DnnType type) {
  CudnnDescriptor settings(library_, DnnKind::pointwise);
  settings.set(dnn::kPointwiseMode, mode);
  settings.set(dnn::kPointwiseType, type);
  settings.finished();
  pointwise(settings, operands, y);
}

CudnnTensor CudnnOperations::pointwise(DnnPointwise mode, std::initializer_list<const CudnnTensor*> operands) {
  CudnnTensor y = passing(DnnType::float32, (*operands.begin())->sizes);
  pointwise(mode, operands, y);
  return y;
}

void CudnnOperations::place(int64_t axis, const CudnnTensor& x, const CudnnTensor& y) {
  CudnnDescriptor settings(library_, DnnKind::pointwise);
  settings.set(dnn::kPointwiseMode, DnnPointwise::place);
  settings.set(dnn::kPointwiseType, DnnType::float32);
  settings.set(dnn::kPointwiseAxis, axis);
  settings.finished();
  pointwise(settings, {&x}, y);
}

void CudnnOperations::reduce(DnnReduction mode, const CudnnTensor& x, const CudnnTensor& y) {
  CudnnDescriptor settings(library_, DnnKind::reduction);
  settings.set(dnn::kReductionMode, mode);
  settings.set(dnn::kReductionType, DnnType::float32);
  settings.finished();
  CudnnDescriptor operation(library_, DnnKind::reduction_operation);
  operation.set(dnn::kReduction, settings);
  operation.set(dnn::kReductionX, x.descriptor);
  operation.set(dnn::kReductionY, y.descriptor);
  operation.finished();
  operations_.push_back(std::move(operation));
}

void CudnnOperations::multiply(const CudnnTensor& a, const CudnnTensor& b, const CudnnTensor& c) {
  CudnnDescriptor settings(library_, DnnKind::matmul);
  settings.set(dnn::kMatmulType, DnnType::float32);
  settings.finished();
  CudnnDescriptor operation(library_, DnnKind::matmul_operation);
  operation.set(dnn::kMatmul, settings);
  operation.set(dnn::kMatmulA, a.descriptor);
  operation.set(dnn::kMatmulB, b.descriptor);
  operation.set(dnn::kMatmulC, c.descriptor);
  operation.finished();
  operations_.push_back(std::move(operation));
}

void CudnnOperations::reshape(const CudnnTensor& x, const CudnnTensor& y) {
  CudnnDescriptor operation(library_, DnnKind::reshape_operation);
  operation.set(dnn::kReshapeX, x.descriptor);
  operation.set(dnn::kReshapeY, y.descriptor);
  operation.finished();
  operations_.push_back(std::move(operation));
}

CudnnDescriptor CudnnOperations::graph() const {
  CudnnDescriptor made(library_, DnnKind::graph);
  made.set(dnn::kGraphHandle, library_.handle);
  made.set(dnn::kGraphOperations, operations_);
  made.finished();
  return made;
}

}  // namespace warpcell::cuda
