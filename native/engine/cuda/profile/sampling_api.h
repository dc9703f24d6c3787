// CUPTI's functions that sample program counters, as one table. The types are declared here, as the library's ABI has
// them, which CUPTI 12.4 to 13.5 lay out alike.
#pragma once
#include <cstddef>
#include <cstdint>

#include "cupti_api.h"

namespace warpcell::cuda {

// CUpti_PCSamplingStallReason
struct StallCount {
  uint32_t reason;
  uint32_t samples;
};

// CUpti_PCSamplingPCData
struct SampledInstruction {
  size_t bytes;
  uint64_t checksum;  // of the machine code
  uint64_t offset;    // in its function
  uint32_t function_index, unused;
  const char* function;
  size_t stall_count;
  StallCount* stalls;
  uint32_t correlation;
};
static_assert(offsetof(SampledInstruction, stalls) == 48 && sizeof(SampledInstruction) == 64);

// CUpti_PCSamplingData
struct SampleBuffer {
  size_t bytes;
  size_t room;  // instructions
  uint64_t samples;
  uint64_t dropped;         // of them
  size_t count, remaining;  // instructions that are here, and that are still to come
  uint64_t range;
  SampledInstruction* instructions;
  uint64_t foreign;  // samples of what is not the user's
  uint8_t is_full;   // the hardware's own buffer
};
static_assert(offsetof(SampleBuffer, is_full) == 72 && sizeof(SampleBuffer) == 80);

// CUpti_PCSamplingConfigurationAttributeType
enum class SamplingAttribute : int {
  period = 1,
  reasons = 2,
  scratch_bytes = 3,
  hardware_bytes = 4,
  mode = 5,
  starts_and_stops = 6,
  format = 7,
  buffer = 8,
  milliseconds_between_readings = 9
};

constexpr uint64_t kContinuous = 1;  // CUpti_PCSamplingCollectionMode: kernels run as they would without
constexpr uint64_t kParsed = 1;      // CUpti_PCSamplingOutputDataFormat

// CUpti_PCSamplingConfigurationInfo
struct SamplingSetting {
  SamplingAttribute attribute;
  CuptiResult status;
  uint64_t values[3];
};
static_assert(sizeof(SamplingSetting) == 32);

// CUpti_PCSampling…Params
struct SamplingParameters {
  ParameterHead head;
  Context context;
};
struct SamplingSettingParameters {
  ParameterHead head;
  Context context;
  size_t count;
  SamplingSetting* settings;
};
struct SamplingDataParameters {
  ParameterHead head;
  Context context;
  SampleBuffer* buffer;
};
struct ReasonCountParameters {
  ParameterHead head;
  Context context;
  size_t* count;
};
struct ReasonParameters {
  ParameterHead head;
  Context context;
  size_t count;
  uint32_t* numbers;
  char** names;
};

constexpr size_t kReasonNameBytes = 128;  // CUPTI_STALL_REASON_STRING_SIZE

// X(name, parameters)
// clang-format off
#define WARPCELL_SAMPLING_FUNCTIONS(X) \
  X(cuptiPCSamplingEnable, SamplingParameters) \
  X(cuptiPCSamplingDisable, SamplingParameters) \
  X(cuptiPCSamplingStart, SamplingParameters) \
  X(cuptiPCSamplingStop, SamplingParameters) \
  X(cuptiPCSamplingSetConfigurationAttribute, SamplingSettingParameters) \
  X(cuptiPCSamplingGetData, SamplingDataParameters) \
  X(cuptiPCSamplingGetNumStallReasons, ReasonCountParameters) \
  X(cuptiPCSamplingGetStallReasons, ReasonParameters)
// clang-format on

struct SamplingApi {
#define X(name, parameters) CuptiResult (*name)(parameters*) = nullptr;
  // clang-format off
  WARPCELL_SAMPLING_FUNCTIONS(X)
// clang-format on
#undef X

  // Whether the library has all of them.
  bool resolve(const DynamicLibrary& library) {
    bool complete = true;
#define X(name, parameters) complete = library.resolve(#name, name) && complete;
    // clang-format off
    WARPCELL_SAMPLING_FUNCTIONS(X)
// clang-format on
#undef X
    return complete;
  }
};

}  // namespace warpcell::cuda
