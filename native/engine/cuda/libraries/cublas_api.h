// The functions of libcublasLt.so, opened at run time, as one typed table. The types are declared here, as the
// library's ABI has them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "../driver/driver_api.h"

namespace warpcell::cuda {

using BlasStatus = int;                                  // cublasStatus_t
using BlasHandle = struct BlasHandleTag*;                // cublasLtHandle_t
using MatmulDescription = struct MatmulDescriptionTag*;  // cublasLtMatmulDesc_t
using MatrixLayout = struct MatrixLayoutTag*;            // cublasLtMatrixLayout_t
using MatmulPreference = struct MatmulPreferenceTag*;    // cublasLtMatmulPreference_t

struct MatmulAlgorithm {
  uint64_t data[8];
};  // cublasLtMatmulAlgo_t

// cublasLtMatmulHeuristicResult_t
struct MatmulCandidate {
  MatmulAlgorithm algorithm;
  size_t workspace;
  BlasStatus state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(MatmulCandidate) == 96);

constexpr BlasStatus kBlasSuccess = 0;

// cublasComputeType_t
constexpr int kComputeFloat32 = 68, kComputeFloat64 = 70, kComputeTf32 = 77;
// cudaDataType_t
constexpr int kTypeFloat32 = 0, kTypeFloat64 = 1, kTypeFloat16 = 2, kTypeBfloat16 = 14, kTypeE4m3 = 28, kTypeE5m2 = 29;
// cublasOperation_t
constexpr int32_t kOperationTranspose = 1;
// cublasLtReductionScheme_t: partial sums only in the type of the computation, never in that of the result.
constexpr uint32_t kReductionInComputeType = 2;

enum class MatmulAttribute : int {
  transpose_a = 3,
  transpose_b = 4,
  epilogue = 7,
  bias_pointer = 8,
  auxiliary_pointer = 11,
  auxiliary_leading = 12,
  a_scale_pointer = 17,
  b_scale_pointer = 18,
  fast_accumulation = 25,
  bias_type = 26,
  a_scale_mode = 31,
  b_scale_mode = 32,
};

enum class LayoutAttribute : int { batch_count = 5, batch_stride = 6 };

enum class PreferenceAttribute : int {
  workspace = 1,
  reduction_schemes = 3,
  alignment_a = 5,
  alignment_b = 6,
  alignment_c = 7,
  alignment_d = 8,
};

enum class AlgorithmAttribute : int { id = 0, tile = 1, split_k = 2, stages = 6 };

// X(result, name, parameters)
// clang-format off
#define WARPCELL_CUBLAS_FUNCTIONS(X) \
  X(size_t, cublasLtGetVersion, ()) \
  X(const char*, cublasLtGetStatusName, (BlasStatus)) \
  X(BlasStatus, cublasLtCreate, (BlasHandle*)) \
  X(BlasStatus, cublasLtMatmulDescCreate, (MatmulDescription*, int, int)) \
  X(BlasStatus, cublasLtMatmulDescSetAttribute, (MatmulDescription, MatmulAttribute, const void*, size_t)) \
  X(BlasStatus, cublasLtMatmulDescDestroy, (MatmulDescription)) \
  X(BlasStatus, cublasLtMatrixLayoutCreate, (MatrixLayout*, int, uint64_t, uint64_t, int64_t)) \
  X(BlasStatus, cublasLtMatrixLayoutSetAttribute, (MatrixLayout, LayoutAttribute, const void*, size_t)) \
  X(BlasStatus, cublasLtMatrixLayoutDestroy, (MatrixLayout)) \
  X(BlasStatus, cublasLtMatmulPreferenceCreate, (MatmulPreference*)) \
  X(BlasStatus, cublasLtMatmulPreferenceSetAttribute, (MatmulPreference, PreferenceAttribute, const void*, size_t)) \
  X(BlasStatus, cublasLtMatmulPreferenceDestroy, (MatmulPreference)) \
  X(BlasStatus, cublasLtMatmulAlgoGetHeuristic, (BlasHandle, MatmulDescription, MatrixLayout, MatrixLayout, MatrixLayout, MatrixLayout, MatmulPreference, int, MatmulCandidate*, int*)) \
  X(BlasStatus, cublasLtMatmulAlgoCheck, (BlasHandle, MatmulDescription, MatrixLayout, MatrixLayout, MatrixLayout, MatrixLayout, const MatmulAlgorithm*, MatmulCandidate*)) \
  X(BlasStatus, cublasLtMatmulAlgoConfigGetAttribute, (const MatmulAlgorithm*, AlgorithmAttribute, void*, size_t, size_t*)) \
  X(BlasStatus, cublasLtMatmul, (BlasHandle, MatmulDescription, const void*, const void*, MatrixLayout, const void*, MatrixLayout, const void*, const void*, MatrixLayout, void*, MatrixLayout, const MatmulAlgorithm*, void*, size_t, Stream))
// clang-format on

struct CublasApi {
#define X(result, name, parameters) result(*name) parameters = nullptr;
  // clang-format off
  WARPCELL_CUBLAS_FUNCTIONS(X)
// clang-format on
#undef X
  BlasHandle handle = nullptr;
  std::string path;
  std::string version;  // "13.1.0"

  // Throws DeviceError("LIBRARY") with the library's own name of the failure.
  void check(BlasStatus status, const char* doing) const;
};

// Opened by the first call, with a context current. Throws DeviceError NO_LIBRARY with the way to get it.
const CublasApi& cublas(const DriverApi& driver);

}  // namespace warpcell::cuda
