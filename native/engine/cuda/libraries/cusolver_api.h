// The functions of libcusolver.so, and of libcublas.so, which it needs and which does for batches what it does not:
// opened at run time, as typed tables. The types are declared here, as the libraries' ABI has them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "../../host/complex_numbers.h"
#include "../driver/driver_api.h"

namespace warpcell::cuda {

using SolverStatus = int;                        // cusolverStatus_t
using SolverHandle = struct SolverHandleTag*;    // cusolverDnHandle_t
using SolverOptions = struct SolverOptionsTag*;  // cusolverDnParams_t
using JacobiOptions = struct JacobiOptionsTag*;  // syevjInfo_t, gesvdjInfo_t
using VectorHandle = struct VectorHandleTag*;    // cublasHandle_t

// cublasOperation_t, cublasFillMode_t, cublasDiagType_t, cublasSideMode_t, cusolverEigMode_t
enum class Turn : int { none = 0, transposed = 1 };
enum class Triangle : int { lower = 0, upper = 1 };
enum class DiagonalOf : int { matrix = 0, ones = 1 };
enum class Side : int { left = 0, right = 1 };
enum class Vectors : int { none = 0, wanted = 1 };

// cudaDataType_t of a type.
template <class T>
constexpr int kTypeNumber = (is_complex<T> ? 4 : 0) + (sizeof(Real<T>) == 4 ? 0 : 1);

// X(name, symbol, parameters) of functions that are the same for all types.
// clang-format off
#define WARPCELL_CUSOLVER_FUNCTIONS(X) \
  X(cusolverDnCreate, cusolverDnCreate, (SolverHandle*)) \
  X(cusolverDnSetStream, cusolverDnSetStream, (SolverHandle, Stream)) \
  X(cusolverGetProperty, cusolverGetProperty, (int, int*)) \
  X(cusolverDnCreateParams, cusolverDnCreateParams, (SolverOptions*)) \
  X(cusolverDnCreateSyevjInfo, cusolverDnCreateSyevjInfo, (JacobiOptions*)) \
  X(cusolverDnCreateGesvdjInfo, cusolverDnCreateGesvdjInfo, (JacobiOptions*)) \
  X(cusolverDnXgesvdp_bufferSize, cusolverDnXgesvdp_bufferSize, (SolverHandle, SolverOptions, Vectors, int, int64_t, int64_t, int, const void*, int64_t, int, const void*, int, const void*, int64_t, int, const void*, int64_t, int, size_t*, size_t*)) \
  X(cusolverDnXgesvdp, cusolverDnXgesvdp, (SolverHandle, SolverOptions, Vectors, int, int64_t, int64_t, int, void*, int64_t, int, void*, int, void*, int64_t, int, void*, int64_t, int, void*, size_t, void*, size_t, int*, double*))
// Of cuSOLVER since CUDA 12.6, geev since 12.8: null before.
#define WARPCELL_CUSOLVER_LATE_FUNCTIONS(X) \
  X(cusolverDnXgeev_bufferSize, cusolverDnXgeev_bufferSize, (SolverHandle, SolverOptions, Vectors, Vectors, int64_t, int, const void*, int64_t, int, const void*, int, const void*, int64_t, int, const void*, int64_t, int, size_t*, size_t*)) \
  X(cusolverDnXgeev, cusolverDnXgeev, (SolverHandle, SolverOptions, Vectors, Vectors, int64_t, int, void*, int64_t, int, void*, int, void*, int64_t, int, void*, int64_t, int, void*, size_t, void*, size_t, int*)) \
  X(cusolverDnXsyevBatched_bufferSize, cusolverDnXsyevBatched_bufferSize, (SolverHandle, SolverOptions, Vectors, Triangle, int64_t, int, const void*, int64_t, int, const void*, int, size_t*, size_t*, int64_t)) \
  X(cusolverDnXsyevBatched, cusolverDnXsyevBatched, (SolverHandle, SolverOptions, Vectors, Triangle, int64_t, int, void*, int64_t, int, void*, int, void*, size_t, void*, size_t, int*, int64_t))
#define WARPCELL_CUBLAS_CLASSIC_FUNCTIONS(X) \
  X(cublasCreate, cublasCreate_v2, (VectorHandle*)) \
  X(cublasSetStream, cublasSetStream_v2, (VectorHandle, Stream))

// X(name, before, after, after of complex numbers, parameters) of functions for one type T, whose parts are of type R;
// the symbol has the type's letter in between.
#define WARPCELL_CUSOLVER_TYPED_FUNCTIONS(X) \
  X(potrf_size, "cusolverDn", "potrf_bufferSize", "potrf_bufferSize", (SolverHandle, Triangle, int, T*, int, int*)) \
  X(potrf, "cusolverDn", "potrf", "potrf", (SolverHandle, Triangle, int, T*, int, T*, int, int*)) \
  X(potri_size, "cusolverDn", "potri_bufferSize", "potri_bufferSize", (SolverHandle, Triangle, int, T*, int, int*)) \
  X(potri, "cusolverDn", "potri", "potri", (SolverHandle, Triangle, int, T*, int, T*, int, int*)) \
  X(potrf_batched, "cusolverDn", "potrfBatched", "potrfBatched", (SolverHandle, Triangle, int, T**, int, int*, int)) \
  X(getrf_size, "cusolverDn", "getrf_bufferSize", "getrf_bufferSize", (SolverHandle, int, int, T*, int, int*)) \
  X(getrf, "cusolverDn", "getrf", "getrf", (SolverHandle, int, int, T*, int, T*, int*, int*)) \
  X(getrs, "cusolverDn", "getrs", "getrs", (SolverHandle, Turn, int, int, const T*, int, const int*, T*, int, int*)) \
  X(geqrf_size, "cusolverDn", "geqrf_bufferSize", "geqrf_bufferSize", (SolverHandle, int, int, T*, int, int*)) \
  X(geqrf, "cusolverDn", "geqrf", "geqrf", (SolverHandle, int, int, T*, int, T*, T*, int, int*)) \
  X(orgqr_size, "cusolverDn", "orgqr_bufferSize", "ungqr_bufferSize", (SolverHandle, int, int, int, const T*, int, const T*, int*)) \
  X(orgqr, "cusolverDn", "orgqr", "ungqr", (SolverHandle, int, int, int, T*, int, const T*, T*, int, int*)) \
  X(syevd_size, "cusolverDn", "syevd_bufferSize", "heevd_bufferSize", (SolverHandle, Vectors, Triangle, int, const T*, int, const R*, int*)) \
  X(syevd, "cusolverDn", "syevd", "heevd", (SolverHandle, Vectors, Triangle, int, T*, int, R*, T*, int, int*)) \
  X(syevj_batched_size, "cusolverDn", "syevjBatched_bufferSize", "heevjBatched_bufferSize", (SolverHandle, Vectors, Triangle, int, const T*, int, const R*, int*, JacobiOptions, int)) \
  X(syevj_batched, "cusolverDn", "syevjBatched", "heevjBatched", (SolverHandle, Vectors, Triangle, int, T*, int, R*, T*, int, int*, JacobiOptions, int)) \
  X(gesvdj_size, "cusolverDn", "gesvdj_bufferSize", "gesvdj_bufferSize", (SolverHandle, Vectors, int, int, int, const T*, int, const R*, const T*, int, const T*, int, int*, JacobiOptions)) \
  X(gesvdj, "cusolverDn", "gesvdj", "gesvdj", (SolverHandle, Vectors, int, int, int, T*, int, R*, T*, int, T*, int, T*, int, int*, JacobiOptions)) \
  X(gesvdj_batched_size, "cusolverDn", "gesvdjBatched_bufferSize", "gesvdjBatched_bufferSize", (SolverHandle, Vectors, int, int, const T*, int, const R*, const T*, int, const T*, int, int*, JacobiOptions, int)) \
  X(gesvdj_batched, "cusolverDn", "gesvdjBatched", "gesvdjBatched", (SolverHandle, Vectors, int, int, T*, int, R*, T*, int, T*, int, T*, int, int*, JacobiOptions, int)) \
  X(gesvd_size, "cusolverDn", "gesvd_bufferSize", "gesvd_bufferSize", (SolverHandle, int, int, int*)) \
  X(gesvd, "cusolverDn", "gesvd", "gesvd", (SolverHandle, signed char, signed char, int, int, T*, int, R*, T*, int, T*, int, T*, int, R*, int*))
#define WARPCELL_CUBLAS_TYPED_FUNCTIONS(X) \
  X(trsm, "cublas", "trsm_v2", "trsm_v2", (VectorHandle, Side, Triangle, Turn, DiagonalOf, int, int, const T*, const T*, int, T*, int)) \
  X(trsm_batched, "cublas", "trsmBatched", "trsmBatched", (VectorHandle, Side, Triangle, Turn, DiagonalOf, int, int, const T*, const T* const*, int, T* const*, int, int)) \
  X(getrf_batched, "cublas", "getrfBatched", "getrfBatched", (VectorHandle, int, T* const*, int, int*, int*, int)) \
  X(getrs_batched, "cublas", "getrsBatched", "getrsBatched", (VectorHandle, Turn, int, int, const T* const*, int, const int*, T* const*, int, int*, int))
// clang-format on

template <class T>
struct SolverCalls {
  using R = Real<T>;
#define X(name, before, after, complex_after, parameters) SolverStatus(*name) parameters = nullptr;
  // clang-format off
  WARPCELL_CUSOLVER_TYPED_FUNCTIONS(X)
  WARPCELL_CUBLAS_TYPED_FUNCTIONS(X)
// clang-format on
#undef X
};

struct SolverApi {
#define X(name, symbol, parameters) SolverStatus(*name) parameters = nullptr;
  // clang-format off
  WARPCELL_CUSOLVER_FUNCTIONS(X)
  WARPCELL_CUSOLVER_LATE_FUNCTIONS(X)
  WARPCELL_CUBLAS_CLASSIC_FUNCTIONS(X)
// clang-format on
#undef X
  SolverCalls<float> single_calls;
  SolverCalls<double> double_calls;
  SolverCalls<std::complex<float>> complex_single_calls;
  SolverCalls<std::complex<double>> complex_double_calls;
  SolverHandle handle = nullptr;
  VectorHandle vectors = nullptr;
  SolverOptions options = nullptr;
  JacobiOptions eigen_options = nullptr, singular_options = nullptr;
  std::string path;
  std::string version;  // "11.7.5"

  template <class T>
  const SolverCalls<T>& calls() const {
    if constexpr (std::is_same_v<T, float>)
      return single_calls;
    else if constexpr (std::is_same_v<T, double>)
      return double_calls;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
      return complex_single_calls;
    else
      return complex_double_calls;
  }
  // Throws DeviceError("LIBRARY") with the library's own number of the failure.
  void check(SolverStatus status, const char* doing) const;
};

// Opened by the first call, with a context current. Throws DeviceError NO_LIBRARY with the way to get it.
const SolverApi& cusolver();

}  // namespace warpcell::cuda
