// CUPTI's functions that count, as one table: those of the range profiler and of its host side, which CUPTI 12.6 and
// newer have. The types are declared here, as the library's ABI has them.
#pragma once
#include <cstddef>
#include <cstdint>

#include "cupti_api.h"

namespace warpcell::cuda {

using RangeProfiler = struct RangeProfilerTag*;  // CUpti_RangeProfiler_Object
using CounterHost = struct CounterHostTag*;      // CUpti_Profiler_Host_Object

struct NoParameters {
  ParameterHead head;
};  // CUpti_Profiler_Initialize_Params
struct ChipNameParameters {
  ParameterHead head;
  size_t device;
  const char* name;
};  // CUpti_Device_GetChipName_Params
struct AvailabilityParameters {
  ParameterHead head;
  Context context;
  size_t size;
  uint8_t* image;
};  // CUpti_Profiler_GetCounterAvailability_Params

// CUpti_Profiler_Host_…_Params
struct HostOpenParameters {
  ParameterHead head;
  int type;
  const char* chip;
  const uint8_t* availability;
  CounterHost host;
};
struct HostParameters {
  ParameterHead head;
  CounterHost host;
};
struct MetricsParameters {
  ParameterHead head;
  CounterHost host;
  const char** names;
  size_t count;
};
struct ConfigSizeParameters {
  ParameterHead head;
  CounterHost host;
  size_t size;
};
struct ConfigParameters {
  ParameterHead head;
  CounterHost host;
  size_t size;
  uint8_t* image;
};
struct PassesParameters {
  ParameterHead head;
  size_t size;
  uint8_t* image;
  size_t passes;
};
struct ValuesParameters {
  ParameterHead head;
  CounterHost host;
  const uint8_t* image;
  size_t size;
  size_t range;
  const char** names;
  size_t count;
  double* values;
};

// CUpti_RangeProfiler_…_Params
struct RangeOpenParameters {
  ParameterHead head;
  Context context;
  RangeProfiler profiler;
};
struct RangeParameters {
  ParameterHead head;
  RangeProfiler profiler;
};
struct StopParameters {
  ParameterHead head;
  RangeProfiler profiler;
  size_t pass, level;
  uint8_t has_all_passes;
};
struct DecodeParameters {
  ParameterHead head;
  RangeProfiler profiler;
  size_t dropped;
};
struct CounterSizeParameters {
  ParameterHead head;
  RangeProfiler profiler;
  const char** names;
  size_t count;
  size_t ranges;
  uint32_t nodes;
  size_t size;
};
struct CounterImageParameters {
  ParameterHead head;
  RangeProfiler profiler;
  size_t size;
  uint8_t* image;
};
struct CounterInfoParameters {
  ParameterHead head;
  const uint8_t* image;
  size_t size;
  size_t ranges;
};
struct RangeConfigParameters {
  ParameterHead head;
  RangeProfiler profiler;
  size_t config_size;
  const uint8_t* config;
  size_t image_size;
  uint8_t* image;
  int range, replay;
  size_t ranges;
  uint16_t levels, first_level;
  size_t pass;
  uint16_t level;
};
static_assert(offsetof(RangeConfigParameters, level) == 88);

constexpr int kRangeProfiler = 0;  // CUpti_ProfilerType
constexpr int kRangeOfKernel = 1;  // CUpti_ProfilerRange: each kernel is one
constexpr int kNoReplay = 3;       // CUpti_ProfilerReplayMode: that is the user's affair

// X(name, parameters)
// clang-format off
#define WARPCELL_RANGE_FUNCTIONS(X) \
  X(cuptiProfilerInitialize, NoParameters) \
  X(cuptiProfilerDeInitialize, NoParameters) \
  X(cuptiDeviceGetChipName, ChipNameParameters) \
  X(cuptiProfilerGetCounterAvailability, AvailabilityParameters) \
  X(cuptiProfilerHostInitialize, HostOpenParameters) \
  X(cuptiProfilerHostDeinitialize, HostParameters) \
  X(cuptiProfilerHostConfigAddMetrics, MetricsParameters) \
  X(cuptiProfilerHostGetConfigImageSize, ConfigSizeParameters) \
  X(cuptiProfilerHostGetConfigImage, ConfigParameters) \
  X(cuptiProfilerHostGetNumOfPasses, PassesParameters) \
  X(cuptiProfilerHostEvaluateToGpuValues, ValuesParameters) \
  X(cuptiRangeProfilerEnable, RangeOpenParameters) \
  X(cuptiRangeProfilerDisable, RangeParameters) \
  X(cuptiRangeProfilerStart, RangeParameters) \
  X(cuptiRangeProfilerStop, StopParameters) \
  X(cuptiRangeProfilerDecodeData, DecodeParameters) \
  X(cuptiRangeProfilerGetCounterDataSize, CounterSizeParameters) \
  X(cuptiRangeProfilerCounterDataImageInitialize, CounterImageParameters) \
  X(cuptiRangeProfilerGetCounterDataInfo, CounterInfoParameters) \
  X(cuptiRangeProfilerSetConfig, RangeConfigParameters)
// clang-format on

struct RangeApi {
#define X(name, parameters) CuptiResult (*name)(parameters*) = nullptr;
  // clang-format off
  WARPCELL_RANGE_FUNCTIONS(X)
// clang-format on
#undef X

  // Whether the library has all of them.
  bool resolve(const DynamicLibrary& library) {
    bool complete = true;
#define X(name, parameters) complete = library.resolve(#name, name) && complete;
    // clang-format off
    WARPCELL_RANGE_FUNCTIONS(X)
// clang-format on
#undef X
    return complete;
  }
};

}  // namespace warpcell::cuda
