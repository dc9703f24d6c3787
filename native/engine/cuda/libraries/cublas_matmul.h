// One matrix product as cuBLASLt describes it: turns terms into its descriptors, proposals of algorithms and runs.
#pragma once
#include <string>
#include <vector>

#include "../../host/matmul_terms.h"
#include "cublas_api.h"

namespace warpcell::cuda {

// Addresses of one run; 0 where the terms have none.
struct Operands {
  double alpha, beta;
  DevicePointer out, a, b, vector, auxiliary, a_scale, b_scale;
};

class CublasMatmul {
 public:
  // A cublasLtMatmulDescOpaque_t and three cublasLtMatrixLayoutOpaque_t.
  static constexpr uint64_t kDescriptorBytes = 256 + 3 * 64;

  // Throws DeviceError UNSUPPORTED for types that the library does not combine.
  CublasMatmul(const CublasApi& library, const MatmulTerms& terms);
  ~CublasMatmul() { release(); }
  CublasMatmul(const CublasMatmul&) = delete;
  CublasMatmul& operator=(const CublasMatmul&) = delete;

  // What the library proposes, the most promising first, at least one. Throws DeviceError UNSUPPORTED.
  std::vector<MatmulCandidate> candidates(int most, uint64_t workspace) const;
  // Whether the library still takes what it proposed to an earlier process.
  bool admits(const MatmulCandidate& candidate) const;
  // "algorithm 66, tile 20, split 1, stages 36", by the library's own numbers.
  std::string describe(const MatmulAlgorithm& algorithm) const;

  BlasStatus run(const MatmulCandidate& candidate, const Operands& operands, DevicePointer workspace, Stream stream);

 private:
  template <class T>
  void set(MatmulAttribute attribute, const T& value) {
    library_.check(library_.cublasLtMatmulDescSetAttribute(description_, attribute, &value, sizeof value),
                   "describing a matrix product");
  }
  void set_scale_mode(MatmulAttribute attribute, const std::string& scales);
  MatrixLayout layout(const MatrixTerms& matrix, int64_t rows, int64_t columns);
  void point(const Operands& operands);
  void release();

  const CublasApi& library_;
  const MatmulTerms terms_;
  MatmulDescription description_ = nullptr;
  MatrixLayout left_ = nullptr, right_ = nullptr, result_ = nullptr;  // the library's A, B, and C and D
};

}  // namespace warpcell::cuda
