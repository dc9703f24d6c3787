// Loaded machine code: turns an artifact into functions that can be launched, and tells what the driver knows of each.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../host/refusals.h"
#include "artifact.h"
#include "../driver/driver_api.h"

namespace warpcell::cuda {

struct Parameter {
  size_t offset;
  size_t size;
};

struct Kernel {
  Function function = nullptr;  // null once its module is unloaded
  std::string name;
  uint32_t parameter_bytes = 0;  // to the end of the last one, without padding
  std::vector<Parameter> parameters;
  bool prints = false;  // its module calls printf
  uint32_t static_shared = 0;
  uint32_t dynamic_shared = 0;  // how much it may be launched with, as the driver has been told

  // Tells the driver that this much dynamic shared memory is meant, where that is more than before.
  // Throws DeviceError INVALID_LAUNCH when the device has less.
  void allow_shared(uint32_t bytes, uint32_t limit);
};

// A variable of device code, which ends with its module.
struct Variable {
  uint32_t module;
  DevicePointer address;
  size_t bytes;
};

class Modules {
 public:
  explicit Modules(const DriverApi& api) : api_(api) {}

  // Loads and makes resident, so that no launch has to wait for it. Kernel k gets the id first_kernel + k.
  // Returns a JSON object for each, as Device::module_load describes. Throws DeviceError.
  std::vector<std::string> load(uint32_t module, uint32_t first_kernel, const std::string& artifact,
                                const std::vector<std::string>& symbols);

  // Variables of a module by their symbols, which get the numbers first, first + 1 …; returns the bytes of each.
  std::vector<uint64_t> find(uint32_t module, uint32_t first, const std::vector<std::string>& symbols);
  // Throws DeviceError INVALID_MODULE.
  const Variable& variable(uint32_t number) const;

  // Nothing of the module may still run.
  void unload(uint32_t module);

  // Throws DeviceError INVALID_LAUNCH.
  Kernel& kernel(uint32_t id) {
    if (id < kernels_.size() && kernels_[id].function != nullptr) return kernels_[id];
    throw unknown_kernel(id);
  }

 private:
  struct Loaded {
    Module handle;
    std::vector<uint32_t> kernels;
  };

  Kernel open(Module handle, const std::string& symbol);
  std::string describe(const Kernel& kernel, const Artifact& artifact);

  const DriverApi& api_;
  std::unordered_map<uint32_t, Loaded> modules_;
  std::vector<Kernel> kernels_;                       // by id
  std::unordered_map<uint32_t, Variable> variables_;  // by number
};

}  // namespace warpcell::cuda
