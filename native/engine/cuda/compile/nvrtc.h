// NVIDIA's run-time compiler: turns CUDA C++ text into an artifact for one architecture.
#pragma once
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../../device.h"
#include "compile_options.h"
#include "include_trace.h"
#include "precompiled.h"

namespace warpcell::cuda {

struct ProgramTag;
using Program = ProgramTag*;  // nvrtcProgram

// clang-format off
#define WARPCELL_NVRTC_FUNCTIONS(X) \
  X(nvrtcVersion, (int*, int*)) \
  X(nvrtcGetErrorString, (int)) \
  X(nvrtcGetNumSupportedArchs, (int*)) \
  X(nvrtcGetSupportedArchs, (int*)) \
  X(nvrtcCreateProgram, (Program*, const char*, const char*, int, const char* const*, const char* const*)) \
  X(nvrtcDestroyProgram, (Program*)) \
  X(nvrtcAddNameExpression, (Program, const char*)) \
  X(nvrtcCompileProgram, (Program, int, const char* const*)) \
  X(nvrtcGetProgramLogSize, (Program, size_t*)) \
  X(nvrtcGetProgramLog, (Program, char*)) \
  X(nvrtcGetLoweredName, (Program, const char*, const char**)) \
  X(nvrtcGetCUBINSize, (Program, size_t*)) \
  X(nvrtcGetCUBIN, (Program, char*)) \
  X(nvrtcGetPTXSize, (Program, size_t*)) \
  X(nvrtcGetPTX, (Program, char*))
// clang-format on

struct NvrtcApi {
#define X(name, parameters) int(*name) parameters = nullptr;
  // clang-format off
  WARPCELL_NVRTC_FUNCTIONS(X)
// clang-format on
#undef X
  std::string path;
  int major = 0;
  int minor = 0;
  std::vector<int> architectures;  // 75, 80, 90 …
};

class ProgramScope;

class Nvrtc {
 public:
  // Opens the library and compiles an empty kernel on a thread of its own, because the first compilation of a process
  // costs 250 ms more than the next. `driver_version` as cuDriverGetVersion counts: a newer major's machine code would
  // not load.
  Nvrtc(int driver_version, int capability, Purpose purpose);
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  // Waits for the library. Throws DeviceError NO_NVRTC with where it was looked for and how to get it.
  const NvrtcApi& api();

  // The same library as JSON: name, version, path.
  std::string description();

  // Throws DeviceError COMPILE with the compiler's log, INVALID_OPTION, NO_NVRTC or ARCHITECTURE.
  // The artifact is read by read_artifact.
  Compiled compile(const CompileRequest& request);

  // The exact architecture: "sm_90a" of capability 90, so that every instruction of the device can be used.
  static std::string architecture_of(int capability);

 private:
  void open();
  // One try, with a list of the files that were read where NVRTC gives one.
  int run(ProgramScope& program, std::vector<std::string> options);

  int driver_version_;
  int capability_;
  Purpose purpose_;
  std::mutex opening_;
  bool opened_ = false;
  NvrtcApi api_;
  std::string missing_;  // why there is no library
  std::string tried_;
  std::vector<std::string> headers_;
  PrecompiledHeaders precompiled_;
  IncludeTrace includes_;
  std::mutex compiling_;  // compilations do not overlap inside NVRTC either
  std::thread warm_up_;
};

}  // namespace warpcell::cuda
