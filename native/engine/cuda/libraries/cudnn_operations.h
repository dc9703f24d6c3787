// A graph of cuDNN's operations as it is written down: one operation after the other, and the tensors between them.
#pragma once
#include <initializer_list>
#include <vector>

#include "cudnn_descriptor.h"

namespace warpcell::cuda {

struct CudnnTensor {
  using Sizes = std::vector<int64_t>;

  CudnnDescriptor descriptor;
  Sizes sizes;
};

class CudnnOperations {
 public:
  using Sizes = CudnnTensor::Sizes;

  // Throws DeviceError UNSUPPORTED, as all below do: this library does not know such a thing.
  explicit CudnnOperations(const CudnnApi& library) : library_(library) {}

  // What a run gives, by its number: memory that begins at a multiple of 16 bytes, or a number, which it reads at once.
  CudnnTensor memory(int64_t number, DnnType type, const Sizes& sizes, const Sizes& steps) const;
  CudnnTensor scalar(int64_t number, DnnType type) const;
  // What only operations see. Without steps: without gaps.
  CudnnTensor passing(DnnType type, const Sizes& sizes);
  CudnnTensor passing(DnnType type, const Sizes& sizes, const Sizes& steps);

  // y from one to three operands, computed in `type`.
  void pointwise(DnnPointwise mode, std::initializer_list<const CudnnTensor*> operands, const CudnnTensor& y,
                 DnnType type = DnnType::float32);
  // Each element's place along an axis of x.
  void place(int64_t axis, const CudnnTensor& x, const CudnnTensor& y);
  // Along the axes where y has one element.
  void reduce(DnnReduction mode, const CudnnTensor& x, const CudnnTensor& y);
  void multiply(const CudnnTensor& a, const CudnnTensor& b, const CudnnTensor& c);
  // The same elements by other sizes and steps.
  void reshape(const CudnnTensor& x, const CudnnTensor& y);

  // A tensor like the first operand, of float32.
  CudnnTensor pointwise(DnnPointwise mode, std::initializer_list<const CudnnTensor*> operands);

  CudnnDescriptor graph() const;

  static Sizes packed(const Sizes& sizes);

 private:
  CudnnDescriptor tensor(int64_t number, DnnType type, const Sizes& sizes, const Sizes& steps) const;
  void pointwise(const CudnnDescriptor& settings, std::initializer_list<const CudnnTensor*> operands,
                 const CudnnTensor& y);

  const CudnnApi& library_;
  std::vector<CudnnDescriptor> operations_;
  int64_t next_ = 1000;  // above the numbers of what runs give
};

}  // namespace warpcell::cuda
