// The functions of libcupti.so, opened at run time, as one typed table. The types are declared here, as the library's
// ABI has them: of its records only the beginning, which CUPTI 12.4 to 13.5 lay out alike.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../host/dynamic_library.h"
#include "../../host/errors.h"
#include "../driver/driver_api.h"

namespace warpcell::cuda {

using CuptiResult = int;                   // CUptiResult
using Subscriber = struct SubscriberTag*;  // CUpti_SubscriberHandle

constexpr CuptiResult kCuptiSuccess = 0;
constexpr CuptiResult kCuptiOutOfMemory = 8;
constexpr CuptiResult kCuptiBufferEnd = 12;  // CUPTI_ERROR_MAX_LIMIT_REACHED
constexpr CuptiResult kCuptiHardwareBusy = 26;
constexpr CuptiResult kCuptiVirtualised = 33;
constexpr CuptiResult kCuptiNotPermitted = 35;
constexpr CuptiResult kCuptiOtherSubscriber = 39;
constexpr CuptiResult kCuptiVirtualisedNotPermitted = 40;

// CUpti_ActivityKind
enum class ActivityKind : uint32_t { copy = 1, fill = 2, overhead = 17, kernel = 10 };

// CUpti_ActivityAttribute
constexpr int kBuffersAreZero = 5;

// CUpti_ActivityMemcpy
struct CopyActivity {
  ActivityKind kind;
  uint8_t copy_kind, source_kind, destination_kind, flags;
  uint64_t bytes;
  uint64_t start, end;
  uint32_t device, context, stream, correlation;
};
static_assert(offsetof(CopyActivity, correlation) == 44);

// CUpti_ActivityMemset
struct FillActivity {
  ActivityKind kind;
  uint32_t value;
  uint64_t bytes;
  uint64_t start, end;
  uint32_t device, context, stream, correlation;
};
static_assert(offsetof(FillActivity, correlation) == 44);

// CUpti_ActivityKernel
struct KernelActivity {
  ActivityKind kind;
  uint8_t cache_configuration, shared_configuration;
  uint16_t registers;
  uint32_t cache_requested, cache_executed;
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t static_shared, dynamic_shared;
  uint32_t local, local_total;
  uint32_t correlation;
  int64_t grid_id;
  const char* name;
};
static_assert(offsetof(KernelActivity, correlation) == 92 && offsetof(KernelActivity, name) == 104);

// CUpti_ActivityOverhead
struct OverheadActivity {
  ActivityKind kind;
  uint32_t overhead;
  uint32_t object_kind, object[3];
  uint64_t start, end;
};
static_assert(offsetof(OverheadActivity, start) == 24);

// CUpti_CallbackDomain, CUpti_ApiCallbackSite
constexpr int kDriverCalls = 1, kRuntimeCalls = 2;
constexpr int kCallBegins = 0;

// CUpti_CallbackData
struct CallbackData {
  int site;
  const char* function;
  const void* parameters;
  void* result;
  const char* symbol;
  Context context;
  uint32_t context_number;
  uint64_t* data;
  uint32_t correlation;
};
static_assert(offsetof(CallbackData, correlation) == 64);

using CuptiCallback = void (*)(void* user, int domain, uint32_t function, const void* data);
using BufferRequested = void (*)(uint8_t** buffer, size_t* size, size_t* most_records);
using BufferCompleted = void (*)(Context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid);

// X(name, parameters)
// clang-format off
#define WARPCELL_CUPTI_FUNCTIONS(X) \
  X(cuptiGetVersion, (uint32_t*)) \
  X(cuptiGetResultString, (CuptiResult, const char**)) \
  X(cuptiSubscribe, (Subscriber*, CuptiCallback, void*)) \
  X(cuptiUnsubscribe, (Subscriber)) \
  X(cuptiEnableCallback, (uint32_t, Subscriber, int, uint32_t)) \
  X(cuptiGetStreamId, (Context, Stream, uint32_t*)) \
  X(cuptiActivitySetAttribute, (int, size_t*, void*)) \
  X(cuptiActivityRegisterCallbacks, (BufferRequested, BufferCompleted)) \
  X(cuptiActivityRegisterTimestampCallback, (uint64_t (*)())) \
  X(cuptiActivityEnable, (ActivityKind)) \
  X(cuptiActivityDisable, (ActivityKind)) \
  X(cuptiActivityFlushAll, (uint32_t)) \
  X(cuptiActivityGetNextRecord, (uint8_t*, size_t, uint8_t**)) \
  X(cuptiActivityGetNumDroppedRecords, (Context, uint32_t, size_t*)) \
  X(cuptiFinalize, ())
// clang-format on

struct CuptiApi {
#define X(name, parameters) CuptiResult(*name) parameters = nullptr;
  // clang-format off
  WARPCELL_CUPTI_FUNCTIONS(X)
// clang-format on
#undef X
  std::string path;
  std::string version;  // "13.0"

  // Throws DeviceError with what keeps CUPTI from `doing`.
  void check(CuptiResult result, const char* doing) const;
};

// Opened by the first call. Throws DeviceError NO_LIBRARY with the way to get it.
const CuptiApi& cupti(const DriverApi& driver);

// The same library, with those beside it that its profilers ask the loader for by name, which does not look into
// wheels. Where they are missing, it may find others.
DynamicLibrary cupti_with_profilers(const CuptiApi& cupti);

// The functions of one of those profilers, which only a CUPTI that can `purpose` has. Throws DeviceError NO_LIBRARY
// with the way to get one.
template <class Api>
const Api& profiler_api(const CuptiApi& cupti, const char* purpose) {
  static const Api api = [&] {
    DynamicLibrary library = cupti_with_profilers(cupti);
    Api found;
    if (library && found.resolve(library)) return found;
    throw DeviceError(
        "NO_LIBRARY",
        "CUPTI " + cupti.version + " (" + cupti.path + ") cannot " + purpose +
            ". Get one that can with: pip install nvidia-cuda-cupti (nvidia-cuda-cupti-cu12 for drivers before 580).");
  }();
  return api;
}

// What every struct of a profiler's parameters begins with. `bytes`: up to and with the last field that is known here,
// so that a newer CUPTI knows what is not.
struct ParameterHead {
  size_t bytes;
  void* unused;
};

// Parameters without values, whose last field is `last`.
template <class Parameters, class Owner, class Field>
Parameters parameters(Field Owner::* last) {
  Parameters made{};
  made.head.bytes = size_t(reinterpret_cast<char*>(&(made.*last) + 1) - reinterpret_cast<char*>(&made));
  return made;
}

}  // namespace warpcell::cuda
