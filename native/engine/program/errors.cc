// The table of errors that programs can meet.
#include "errors.h"

#include <vector>

#include "../host/json.h"

namespace warpcell {
namespace {

struct Row {
  cudaError_t error;
  const char* name;
  const char* words;
};

// clang-format off
#define ROW(name, words) {name, #name, words}
constexpr Row kRows[] = {
  ROW(cudaSuccess, "no error"),
  ROW(cudaErrorInvalidValue, "invalid argument"),
  ROW(cudaErrorMemoryAllocation, "out of memory"),
  ROW(cudaErrorInitializationError, "initialization error"),
  ROW(cudaErrorInvalidConfiguration, "invalid configuration argument"),
  ROW(cudaErrorInvalidPitchValue, "invalid pitch argument"),
  ROW(cudaErrorInvalidSymbol, "invalid device symbol"),
  ROW(cudaErrorInvalidDevicePointer, "invalid device pointer"),
  ROW(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
  ROW(cudaErrorInvalidDeviceFunction, "invalid device function"),
  ROW(cudaErrorNoDevice, "no CUDA-capable device is detected"),
  ROW(cudaErrorInvalidDevice, "invalid device ordinal"),
  ROW(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
  ROW(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
  ROW(cudaErrorInvalidResourceHandle, "invalid resource handle"),
  ROW(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
  ROW(cudaErrorSymbolNotFound, "named symbol not found"),
  ROW(cudaErrorNotReady, "device not ready"),
  ROW(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
  ROW(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
  ROW(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
  ROW(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
  ROW(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
  ROW(cudaErrorAssert, "device-side assert triggered"),
  ROW(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
  ROW(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
  ROW(cudaErrorHardwareStackError, "hardware stack error"),
  ROW(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
  ROW(cudaErrorMisalignedAddress, "misaligned address"),
  ROW(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
  ROW(cudaErrorInvalidPc, "invalid program counter"),
  ROW(cudaErrorLaunchFailure, "unspecified launch failure"),
  ROW(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
  ROW(cudaErrorNotPermitted, "operation not permitted"),
  ROW(cudaErrorNotSupported, "operation not supported"),
  ROW(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
  ROW(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
  ROW(cudaErrorStreamCaptureUnmatched, "stream capture was not initiated in this stream"),
  ROW(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
  ROW(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
  ROW(cudaErrorStreamCaptureImplicit, "operation would make the legacy stream depend on a capturing blocking stream"),
  ROW(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
  ROW(cudaErrorInvalidClusterSize, "cluster misconfiguration"),
  ROW(cudaErrorUnknown, "unknown error"),
};
#undef ROW
// clang-format on

const Row* row(cudaError_t error) {
  for (const Row& each : kRows) {
    if (each.error == error) return &each;
  }
  return nullptr;
}

}  // namespace

const char* error_name(cudaError_t error) {
  const Row* known = row(error);
  return known == nullptr ? "unrecognized error code" : known->name;
}

const char* error_words(cudaError_t error) {
  const Row* known = row(error);
  return known == nullptr ? "unrecognized error code" : known->words;
}

std::string failures_json(const ProgramFailure* failures, size_t count) {
  std::vector<std::string> all;
  for (size_t i = 0; i < count; i++) {
    all.push_back(JsonObject()
                      .text("call", failures[i].call)
                      .number("line", failures[i].line)
                      .text("name", error_name(cudaError_t(failures[i].error)))
                      .text("words", error_words(cudaError_t(failures[i].error)))
                      .boolean("isLaunch", failures[i].is_launch != 0)
                      .done());
  }
  return json_list(all);
}

}  // namespace warpcell
