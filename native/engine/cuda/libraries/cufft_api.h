// The functions of libcufft.so that transform, opened at run time, as one typed table. The types are declared here, as
// the library's ABI has them.
#pragma once
#include <cstddef>
#include <string>

#include "../driver/driver_api.h"

namespace warpcell::cuda {

using FftStatus = int;  // cufftResult
using FftHandle = int;  // cufftHandle

// cufftType
constexpr int kFftRealToComplex = 0x2a, kFftComplexToReal = 0x2c, kFftComplex = 0x29, kFftDoubleToComplex = 0x6a,
              kFftComplexToDouble = 0x6c, kFftDoubleComplex = 0x69;
// The sign of the exponent.
constexpr int kFftForward = -1, kFftInverse = 1;

// X(result, name, parameters)
// clang-format off
#define WARPCELL_CUFFT_FUNCTIONS(X) \
  X(FftStatus, cufftGetVersion, (int*)) \
  X(FftStatus, cufftCreate, (FftHandle*)) \
  X(FftStatus, cufftDestroy, (FftHandle)) \
  X(FftStatus, cufftSetAutoAllocation, (FftHandle, int)) \
  X(FftStatus, cufftMakePlanMany64, (FftHandle, int, long long*, long long*, long long, long long, long long*, long long, long long, int, long long, size_t*)) \
  X(FftStatus, cufftSetStream, (FftHandle, Stream)) \
  X(FftStatus, cufftSetWorkArea, (FftHandle, void*)) \
  X(FftStatus, cufftExecC2C, (FftHandle, void*, void*, int)) \
  X(FftStatus, cufftExecZ2Z, (FftHandle, void*, void*, int)) \
  X(FftStatus, cufftExecR2C, (FftHandle, void*, void*)) \
  X(FftStatus, cufftExecD2Z, (FftHandle, void*, void*)) \
  X(FftStatus, cufftExecC2R, (FftHandle, void*, void*)) \
  X(FftStatus, cufftExecZ2D, (FftHandle, void*, void*))
// clang-format on

struct CufftApi {
#define X(result, name, parameters) result(*name) parameters = nullptr;
  // clang-format off
  WARPCELL_CUFFT_FUNCTIONS(X)
// clang-format on
#undef X
  std::string path;
  std::string version;  // "11.3.3"

  // Throws DeviceError("LIBRARY") with the status of the failure.
  void check(FftStatus status, const char* doing) const;
};

// Opened by the first call, with a context current. Throws DeviceError NO_LIBRARY with the way to get it.
const CufftApi& cufft();

}  // namespace warpcell::cuda
