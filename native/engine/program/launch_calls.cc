// The functions of CUDA's runtime that launch with attributes.
#include "../../device/program/warpcell_program/launches.h"
#include "runtime.h"

using warpcell::program_runtime;
using warpcell::ProgramLaunch;

namespace {

// Takes an attribute over; false for one that a launch here cannot have. What only hurries a kernel needs no following:
// one that may begin before the last one ends may also begin behind it.
bool take(const cudaLaunchAttribute& attribute, ProgramLaunch* launch) {
  const cudaLaunchAttributeValue& value = attribute.val;
  switch (attribute.id) {
    case cudaLaunchAttributeCooperative:
      launch->cooperative = value.cooperative != 0;
      return true;
    case cudaLaunchAttributeClusterDimension:
      launch->cluster[0] = value.clusterDim.x;
      launch->cluster[1] = value.clusterDim.y;
      launch->cluster[2] = value.clusterDim.z;
      return value.clusterDim.x > 0 && value.clusterDim.y > 0 && value.clusterDim.z > 0;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributePriority:
      return true;
  }
  return false;
}

}  // namespace

cudaError_t warpcell_program_launch_configured(const cudaLaunchConfig_t* config, const void* kernel, void** arguments,
                                               unsigned line) {
  constexpr const char* kCall = "cudaLaunchKernelEx";
  if (config == nullptr || (config->attrs == nullptr && config->numAttrs > 0))
    return program_runtime->note(kCall, line, cudaErrorInvalidValue);
  const dim3 &grid = config->gridDim, &block = config->blockDim;
  ProgramLaunch launch{0,
                       {grid.x, grid.y, grid.z},
                       {block.x, block.y, block.z},
                       config->dynamicSmemBytes,
                       warpcell::real(config->stream),
                       false,
                       arguments};
  for (unsigned i = 0; i < config->numAttrs; i++) {
    if (!take(config->attrs[i], &launch)) return program_runtime->note(kCall, line, cudaErrorInvalidValue);
  }
  return program_runtime->launch(program_runtime->kernel_at(kernel), launch, line);
}
