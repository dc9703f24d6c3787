// The functions of libcudnn.so that convolve, opened at run time, as one typed table. The types are declared here, as
// the library's ABI has them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "../driver/driver_api.h"

namespace warpcell::cuda {

using DnnStatus = int;                                           // cudnnStatus_t
using DnnHandle = struct DnnHandleTag*;                          // cudnnHandle_t
using TensorDescriptor = struct TensorDescriptorTag*;            // cudnnTensorDescriptor_t
using FilterDescriptor = struct FilterDescriptorTag*;            // cudnnFilterDescriptor_t
using ConvolutionDescriptor = struct ConvolutionDescriptorTag*;  // cudnnConvolutionDescriptor_t

// cudnnConvolutionFwdAlgoPerf_t, and those of the gradients.
struct ConvolutionCandidate {
  int algorithm;
  DnnStatus status;
  float milliseconds;
  size_t workspace;
  int is_deterministic;
  int math;
  int reserved[3];
};
static_assert(sizeof(ConvolutionCandidate) == 48);

constexpr DnnStatus kDnnSuccess = 0;
// cudnnDataType_t
constexpr int kDnnFloat32 = 0, kDnnFloat64 = 1, kDnnFloat16 = 2, kDnnBfloat16 = 9;
// cudnnTensorFormat_t
constexpr int kDnnChannelsFirst = 0, kDnnChannelsLast = 1;
// cudnnMathType_t: what suits the type, for float32 tensor cores and factors of 10 bits of mantissa; tensor cores;
// those, and factors of float32 made narrower; products of float32 as they are.
constexpr int kDnnUsual = 0, kDnnTensorOps = 1, kDnnNarrowed = 2, kDnnPlainProducts = 3;
// cudnnConvolutionMode_t: filters are not turned round.
constexpr int kDnnCrossCorrelation = 1;

// X(result, name, parameters)
// clang-format off
#define WARPCELL_CUDNN_FUNCTIONS(X) \
  X(size_t, cudnnGetVersion, ()) \
  X(const char*, cudnnGetErrorString, (DnnStatus)) \
  X(DnnStatus, cudnnCreate, (DnnHandle*)) \
  X(DnnStatus, cudnnSetStream, (DnnHandle, Stream)) \
  X(DnnStatus, cudnnCreateTensorDescriptor, (TensorDescriptor*)) \
  X(DnnStatus, cudnnSetTensorNdDescriptor, (TensorDescriptor, int, int, const int*, const int*)) \
  X(DnnStatus, cudnnDestroyTensorDescriptor, (TensorDescriptor)) \
  X(DnnStatus, cudnnCreateFilterDescriptor, (FilterDescriptor*)) \
  X(DnnStatus, cudnnSetFilterNdDescriptor, (FilterDescriptor, int, int, int, const int*)) \
  X(DnnStatus, cudnnDestroyFilterDescriptor, (FilterDescriptor)) \
  X(DnnStatus, cudnnCreateConvolutionDescriptor, (ConvolutionDescriptor*)) \
  X(DnnStatus, cudnnSetConvolutionNdDescriptor, (ConvolutionDescriptor, int, const int*, const int*, const int*, int, int)) \
  X(DnnStatus, cudnnSetConvolutionGroupCount, (ConvolutionDescriptor, int)) \
  X(DnnStatus, cudnnSetConvolutionMathType, (ConvolutionDescriptor, int)) \
  X(DnnStatus, cudnnDestroyConvolutionDescriptor, (ConvolutionDescriptor)) \
  X(DnnStatus, cudnnGetConvolutionForwardAlgorithm_v7, (DnnHandle, TensorDescriptor, FilterDescriptor, ConvolutionDescriptor, TensorDescriptor, int, int*, ConvolutionCandidate*)) \
  X(DnnStatus, cudnnGetConvolutionBackwardDataAlgorithm_v7, (DnnHandle, FilterDescriptor, TensorDescriptor, ConvolutionDescriptor, TensorDescriptor, int, int*, ConvolutionCandidate*)) \
  X(DnnStatus, cudnnGetConvolutionBackwardFilterAlgorithm_v7, (DnnHandle, TensorDescriptor, TensorDescriptor, ConvolutionDescriptor, FilterDescriptor, int, int*, ConvolutionCandidate*)) \
  X(DnnStatus, cudnnConvolutionForward, (DnnHandle, const void*, TensorDescriptor, const void*, FilterDescriptor, const void*, ConvolutionDescriptor, int, void*, size_t, const void*, TensorDescriptor, void*)) \
  X(DnnStatus, cudnnConvolutionBackwardData, (DnnHandle, const void*, FilterDescriptor, const void*, TensorDescriptor, const void*, ConvolutionDescriptor, int, void*, size_t, const void*, TensorDescriptor, void*)) \
  X(DnnStatus, cudnnConvolutionBackwardFilter, (DnnHandle, const void*, TensorDescriptor, const void*, TensorDescriptor, const void*, ConvolutionDescriptor, int, void*, size_t, const void*, FilterDescriptor, void*))
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
