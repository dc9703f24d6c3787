// A loaded cell: turns the bytes of a shared object into kernels that can be run.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../../device/cpu/warpcell_cpu/block.h"
#include "../../host/profile_log.h"
#include "../check/image.h"
#include "../check/proof.h"
#include "static_shared.h"

namespace warpcell::cpu {

struct LoadedKernel {
  std::string name;                         // its symbol
  const warpcell_cpu::Kernel* description;  // in the shared object
  StaticShared shared;
  void (*split)(warpcell_cpu::Run*) = nullptr;  // runs a block's threads as loops; null: they are fibers
  std::string way;                              // "split", "fibers: why"; empty where the kernel has no barriers
  size_t stack = 0;                             // bytes of a thread's
  uint32_t cluster[3] = {1, 1, 1};              // blocks, as __cluster_dims__ says
  bool has_cluster = false;                     // it says so
  double cost = 0;                              // nanoseconds of one block, as far as known
  const CheckedImage* checked = nullptr;        // of a checked cell
  KernelProof proof{};                          // of one, where it has a proof
  ProfileLabel label{};                         // its name as the cell has it, where that is known
};

class Module {
 public:
  // Throws DeviceError("INVALID_IMAGE").
  Module(const std::string& artifact, const std::vector<std::string>& lowered);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module();

  // One per lowered name, in that order; they live as long as the module.
  std::vector<LoadedKernel>& kernels() { return kernels_; }
  // A variable by its symbol. Throws DeviceError("INVALID_IMAGE").
  warpcell_cpu::Variable variable(const std::string& symbol) const;

 private:
  void* handle_ = nullptr;
  std::unique_ptr<CheckedImage> checked_;
  std::vector<LoadedKernel> kernels_;
};

// The answer of module_load for one kernel (device.h).
std::string describe(const LoadedKernel& kernel);

}  // namespace warpcell::cpu
