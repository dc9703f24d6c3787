// Launches with attributes (Runtime API, "Execution Control"): what cudaLaunchKernelEx takes.
#pragma once
#include "functions.h"

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeSynchronizationPolicy = 3,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributePriority = 8,
};
enum cudaClusterSchedulingPolicy {
  cudaClusterSchedulingPolicyDefault = 0,
  cudaClusterSchedulingPolicySpread = 1,
  cudaClusterSchedulingPolicyLoadBalancing = 2,
};
enum cudaAccessProperty {
  cudaAccessPropertyNormal = 0,
  cudaAccessPropertyStreaming = 1,
  cudaAccessPropertyPersisting = 2,
};
struct cudaAccessPolicyWindow {
  void* base_ptr;
  size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};
union cudaLaunchAttributeValue {
  char pad[64];
  cudaAccessPolicyWindow accessPolicyWindow;
  int cooperative;
  struct {
    unsigned int x, y, z;
  } clusterDim;
  cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
  int programmaticStreamSerializationAllowed;
  int priority;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  char pad[8 - sizeof(cudaLaunchAttributeID)];
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned int numAttrs;
};

// Of a stream: hints, of which none changes what is computed.
typedef cudaLaunchAttributeID cudaStreamAttrID;
typedef cudaLaunchAttributeValue cudaStreamAttrValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority

static inline cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue* value) {
  return value == nullptr ? cudaErrorInvalidValue : cudaSuccess;
}

extern "C" cudaError_t warpcell_program_launch_configured(const cudaLaunchConfig_t* config, const void* kernel,
                                                          void** arguments, unsigned line);

namespace warpcell_program {

// The configuration with the line of the call, which has no place behind a list of arguments.
struct Configured {
  Configured(const cudaLaunchConfig_t* config, WARPCELL_LINE) : config(config), line(warpcell_line) {}
  const cudaLaunchConfig_t* config;
  unsigned line;
};

}  // namespace warpcell_program

template <class... Wanted, class... Given>
cudaError_t cudaLaunchKernelEx(warpcell_program::Configured to, void (*kernel)(Wanted...), Given&&... given) {
  // As a call would, this makes each argument what its parameter is.
  auto launch = [&](Wanted... values) {
    void* arguments[] = {(void*)&values..., nullptr};
    return warpcell_program_launch_configured(to.config, (const void*)kernel, arguments, to.line);
  };
  return launch(static_cast<Given&&>(given)...);
}
template <class T>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, T* kernel, void** arguments, WARPCELL_LINE) {
  return warpcell_program_launch_configured(config, (const void*)kernel, arguments, warpcell_line);
}
