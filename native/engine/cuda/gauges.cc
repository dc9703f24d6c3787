// Opens libnvidia-ml.so.1, which the driver brings, and samples one device.
#include "gauges.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "../host/dynamic_library.h"
#include "library_table.h"

namespace warpcell::cuda {

// nvmlMemory_t, nvmlUtilization_t and nvmlProcessInfo_v2_t
struct NvmlMemory {
  unsigned long long total, free, used;
};
struct NvmlUtilization {
  unsigned gpu, memory;
};
struct NvmlProcess {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

// clang-format off
#define WARPCELL_NVML_FUNCTIONS(X) \
  X(nvmlInit_v2, ()) \
  X(nvmlSystemGetNVMLVersion, (char*, unsigned)) \
  X(nvmlDeviceGetHandleByPciBusId_v2, (const char*, NvmlDeviceTag**)) \
  X(nvmlDeviceGetMemoryInfo, (NvmlDeviceTag*, NvmlMemory*)) \
  X(nvmlDeviceGetUtilizationRates, (NvmlDeviceTag*, NvmlUtilization*)) \
  X(nvmlDeviceGetTemperature, (NvmlDeviceTag*, int, unsigned*)) \
  X(nvmlDeviceGetPowerUsage, (NvmlDeviceTag*, unsigned*)) \
  X(nvmlDeviceGetComputeRunningProcesses_v3, (NvmlDeviceTag*, unsigned*, NvmlProcess*))
// clang-format on

struct NvmlApi {
#define X(name, parameters) int(*name) parameters = nullptr;
  // clang-format off
  WARPCELL_NVML_FUNCTIONS(X)
// clang-format on
#undef X
};

namespace {

constexpr int kOk = 0;
constexpr int kTemperatureOfGpu = 0;
constexpr unsigned long long kNotAvailable = ~0ull;
constexpr unsigned kMostProcesses = 256;

// Null where a function is missing: NVML is of no use then.
const NvmlApi* open_nvml(std::string* path) {
  DynamicLibrary library(kNvmlRow.file);
  if (!library) return nullptr;
  static NvmlApi api;
  bool complete = true;
#define X(name, parameters) complete = library.resolve(#name, api.name) && complete;
  // clang-format off
  WARPCELL_NVML_FUNCTIONS(X)
// clang-format on
#undef X
  if (!complete || api.nvmlInit_v2() != kOk) return nullptr;
  *path = library.file_of("nvmlInit_v2");
  return &api;
}

// In a container NVML may show other process numbers: then this one is not found.
int64_t memory_of_this_process(const NvmlApi& api, NvmlDeviceTag* device) {
  std::vector<NvmlProcess> processes(kMostProcesses);
  unsigned count = kMostProcesses;
  if (api.nvmlDeviceGetComputeRunningProcesses_v3(device, &count, processes.data()) != kOk) return -1;
  processes.resize(std::min(count, kMostProcesses));
  auto own = std::find_if(processes.begin(), processes.end(),
                          [](const NvmlProcess& process) { return process.pid == unsigned(getpid()); });
  return own == processes.end() || own->memory == kNotAvailable ? -1 : int64_t(own->memory);
}

}  // namespace

GpuGauges::GpuGauges(const std::string& bus_id) {
  api_ = open_nvml(&path_);
  if (api_ == nullptr) return;
  char version[80] = "";
  if (api_->nvmlSystemGetNVMLVersion(version, sizeof version) == kOk) version_ = version;
  if (api_->nvmlDeviceGetHandleByPciBusId_v2(bus_id.c_str(), &device_) != kOk) device_ = nullptr;
}

void GpuGauges::sample(Gauges& gauges) const {
  gauges.memory_total = gauges.memory_used = gauges.process_memory = -1;
  gauges.utilization = gauges.temperature = gauges.power = -1;
  if (device_ == nullptr) return;

  NvmlMemory memory = {};
  if (api_->nvmlDeviceGetMemoryInfo(device_, &memory) == kOk) {
    gauges.memory_total = int64_t(memory.total);
    gauges.memory_used = int64_t(memory.used);
  }
  NvmlUtilization utilization = {};
  if (api_->nvmlDeviceGetUtilizationRates(device_, &utilization) == kOk) gauges.utilization = utilization.gpu / 100.0;
  unsigned value = 0;
  if (api_->nvmlDeviceGetTemperature(device_, kTemperatureOfGpu, &value) == kOk) gauges.temperature = value;
  if (api_->nvmlDeviceGetPowerUsage(device_, &value) == kOk) gauges.power = value / 1000.0;
  gauges.process_memory = memory_of_this_process(*api_, device_);
}

}  // namespace warpcell::cuda
