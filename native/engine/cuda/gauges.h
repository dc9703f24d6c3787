// Reads a GPU's memory, utilization, temperature and power through NVML.
#pragma once
#include <string>

#include "../../protocol/commands.h"

namespace warpcell::cuda {

struct NvmlApi;
struct NvmlDeviceTag;

class GpuGauges {
 public:
  // `bus_id` as cuDeviceGetPCIBusId writes it, because NVML numbers devices its own way. Without NVML there are no
  // figures and path() is empty.
  explicit GpuGauges(const std::string& bus_id);

  // Fills the figures of `gauges`; −1 where one is not known. Not its version.
  void sample(Gauges& gauges) const;

  // Path of the library; empty when there is none.
  const std::string& path() const { return path_; }
  const std::string& version() const { return version_; }

 private:
  const NvmlApi* api_ = nullptr;
  NvmlDeviceTag* device_ = nullptr;
  std::string path_;
  std::string version_;
};

}  // namespace warpcell::cuda
