// The functions of libcudnn.so that plan and run graphs of operations, opened at run time, as one typed table. The
// types are declared here, as the library's ABI has them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "../driver/driver_api.h"

namespace warpcell::cuda {

using DnnStatus = int;                           // cudnnStatus_t
using DnnHandle = struct DnnHandleTag*;          // cudnnHandle_t
using DnnDescriptor = struct DnnDescriptorTag*;  // cudnnBackendDescriptor_t

constexpr DnnStatus kDnnSuccess = 0;
// cudnnDataType_t
enum class DnnType : int { float32 = 0, float64 = 1, float16 = 2, int32 = 4, bfloat16 = 9, boolean = 11 };
// cudnnConvolutionMode_t: filters are not turned round.
enum class DnnConvolutionMode : int { cross_correlation = 1 };
// cudnnPointwiseMode_t: of elements that stand at the same place; the number of the place along an axis; the first or
// the second of two, as a third has it.
enum class DnnPointwise : int {
  add = 0,
  multiply = 1,
  divide = 6,
  subtract = 9,
  exp = 13,
  log = 15,
  identity = 21,
  at_least = 303,
  place = 501,
  select = 601,
};
// cudnnReduceTensorOp_t
enum class DnnReduction : int { sum = 0, maximum = 3 };
// cudnnBackendHeurMode_t: decision trees; whatever works.
enum class DnnHeuristics : int { fallback = 2, decisions = 3 };
// cudnnBackendNumericalNote_t: what an engine does to numbers.
enum class DnnNote : int {
  tensor_cores = 0,
  narrowed_factors = 1,
  narrowed_sums = 2,
  fourier = 3,
  varying = 4,
  winograd = 5,
  winograd_4 = 6,
  winograd_6 = 7,
  winograd_13 = 8,
};

// X(result, name, parameters)
// clang-format off
#define WARPCELL_CUDNN_FUNCTIONS(X) \
  X(size_t, cudnnGetVersion, ()) \
  X(const char*, cudnnGetErrorString, (DnnStatus)) \
  X(DnnStatus, cudnnCreate, (DnnHandle*)) \
  X(DnnStatus, cudnnSetStream, (DnnHandle, Stream)) \
  X(DnnStatus, cudnnBackendCreateDescriptor, (int, DnnDescriptor*)) \
  X(DnnStatus, cudnnBackendDestroyDescriptor, (DnnDescriptor)) \
  X(DnnStatus, cudnnBackendSetAttribute, (DnnDescriptor, int, int, int64_t, const void*)) \
  X(DnnStatus, cudnnBackendGetAttribute, (DnnDescriptor, int, int, int64_t, int64_t*, void*)) \
  X(DnnStatus, cudnnBackendFinalize, (DnnDescriptor)) \
  X(DnnStatus, cudnnBackendExecute, (DnnHandle, DnnDescriptor, DnnDescriptor))
// clang-format on

struct CudnnApi {
#define X(result, name, parameters) result(*name) parameters = nullptr;
  // clang-format off
  WARPCELL_CUDNN_FUNCTIONS(X)
// clang-format on
#undef X
  DnnHandle handle = nullptr;
  std::string path;
  std::string version;  // "9.20.0"

  // Throws DeviceError("LIBRARY") with the library's own words for the failure.
  void check(DnnStatus status, const char* doing) const;
};

// Opened by the first call, with a context current. Throws DeviceError NO_LIBRARY with the way to get it.
const CudnnApi& cudnn();

}  // namespace warpcell::cuda
