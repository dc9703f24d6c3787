// The types of cuBLAS, its handle, and what it does with one.
#pragma once
#include "thrust/primitives.h"
#include "../../include/warpcell/blas.cuh"

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
};

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};
typedef cublasContext* cublasHandle_t;

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext();
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

// clang-format off
#define WARPCELL_SETTING(type, member, set, get) \
  inline cublasStatus_t set(cublasHandle_t handle, type value) { \
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED; \
    handle->member = value; \
    return CUBLAS_STATUS_SUCCESS; } \
  inline cublasStatus_t get(cublasHandle_t handle, type* value) { \
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED; \
    *value = handle->member; \
    return CUBLAS_STATUS_SUCCESS; }
// clang-format on
WARPCELL_SETTING(cudaStream_t, stream, cublasSetStream, cublasGetStream)
WARPCELL_SETTING(cublasPointerMode_t, mode, cublasSetPointerMode, cublasGetPointerMode)
// All sums are of the type of the elements, whatever is allowed.
WARPCELL_SETTING(cublasMath_t, math, cublasSetMathMode, cublasGetMathMode)
#undef WARPCELL_SETTING

inline cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  *version = 120000;
  return CUBLAS_STATUS_SUCCESS;
}
inline const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define WARPCELL_STATUS(name) \
  case name:                  \
    return #name;
    WARPCELL_STATUS(CUBLAS_STATUS_SUCCESS)
    WARPCELL_STATUS(CUBLAS_STATUS_NOT_INITIALIZED)
    WARPCELL_STATUS(CUBLAS_STATUS_ALLOC_FAILED)
    WARPCELL_STATUS(CUBLAS_STATUS_INVALID_VALUE)
    WARPCELL_STATUS(CUBLAS_STATUS_ARCH_MISMATCH)
    WARPCELL_STATUS(CUBLAS_STATUS_MAPPING_ERROR)
    WARPCELL_STATUS(CUBLAS_STATUS_EXECUTION_FAILED)
    WARPCELL_STATUS(CUBLAS_STATUS_INTERNAL_ERROR)
    WARPCELL_STATUS(CUBLAS_STATUS_NOT_SUPPORTED)
    WARPCELL_STATUS(CUBLAS_STATUS_LICENSE_ERROR)
#undef WARPCELL_STATUS
  }
  return "unknown status";
}
inline const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

namespace warpcell_blas {
using warpcell_algorithms::CallLine;
using warpcell_algorithms::OnDevice;
using warpcell_algorithms::Start;

inline cublasStatus_t status_of(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation) return CUBLAS_STATUS_ALLOC_FAILED;
  if (error == cudaErrorInvalidValue) return CUBLAS_STATUS_MAPPING_ERROR;
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
// Work, whose errors become a status.
template <class Work>
cublasStatus_t done(Work work) {
  try {
    work();
    return CUBLAS_STATUS_SUCCESS;
  } catch (const std::bad_alloc&) { return CUBLAS_STATUS_ALLOC_FAILED; } catch (const warpcell_thrust::system_error&) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
}
template <class Body>
cublasStatus_t each(cublasHandle_t handle, CallLine line, size_t count, Body body) {
  return done([&] { OnDevice(handle->stream, line, false, nullptr).each(count, body); });
}
// What elements have in common becomes the result, which lies where the handle says.
template <class From, class To, class In, class Op, class End>
cublasStatus_t folded(cublasHandle_t handle, CallLine line, In in, long long n, Op op, End end, To* result) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  bool is_hosts = handle->mode == CUBLAS_POINTER_MODE_HOST;
  if (n <= 0) {
    if (!is_hosts) return each(handle, line, 1, warpcell_algorithms::Fill<To*, To>{result, To(0)});
    *result = To(0);
    return CUBLAS_STATUS_SUCCESS;
  }
  return done([&] {
    warpcell_thrust::device_policy policy;
    warpcell_algorithms::run(policy.on(handle->stream), line, [&](auto& on) {
      const From* place = warpcell_algorithms::fold<From>(on, in, size_t(n), op, Start<From>{From(), false});
      if (is_hosts)
        *result = To(end(on.read(place)));
      else
        on.each(1, Give<From, To, End>{place, result, end});
    });
  });
}

template <class T>
Factor<T> factor(cublasHandle_t handle, const T* given) {
  if (handle->mode == CUBLAS_POINTER_MODE_HOST) return {*given, nullptr};
  return {T(), given};
}
// A vector with a step below 0 begins at its end.
template <class T>
Elements<T> elements(T* x, long long n, long long step) {
  return {step < 0 ? x + (1 - n) * step : x, step};
}
// Matrices lie column by column.
template <class T>
Matrix<T> matrix(T* first, long long lead, cublasOperation_t operation = CUBLAS_OP_N) {
  return operation == CUBLAS_OP_N ? Matrix<T>{first, 1, lead} : Matrix<T>{first, lead, 1};
}

}  // namespace warpcell_blas
