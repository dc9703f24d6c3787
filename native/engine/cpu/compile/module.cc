// Finds the kernels and variables of loaded cells.
#include "module.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <dlfcn.h>
#include <link.h>

#include "../../host/errors.h"
#include "../../host/json.h"
#include "../../host/shared_object.h"
#include "../run/stacks.h"

namespace warpcell::cpu {

namespace {

// The loops of a checked cell's kernel are its proof.
KernelProof proof_of(void* handle, const std::string& name, void (**split)(warpcell_cpu::Run*)) {
  std::string uses = "warpcell_cpu_proof_uses_" + name.substr(name.rfind('_') + 1);
  KernelProof proof;
  proof.run = std::exchange(*split, nullptr);
  proof.uses = static_cast<const char*>(dlsym(handle, uses.c_str()));
  proof.table = static_cast<ProofTable**>(dlsym(handle, "warpcell_cpu_proof_table"));
  return proof;
}

}  // namespace

Module::Module(const std::string& artifact, const std::vector<std::string>& lowered) {
  handle_ = load_shared_object(artifact);
  try {
    link_map* map = nullptr;
    if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) throw_unloadable(dlerror());
    auto* needed = static_cast<const unsigned*>(dlsym(handle_, "warpcell_cpu_stack"));
    size_t stack = needed == nullptr ? Stacks::kBytes : *needed;
    std::vector<uint64_t> entries;
    for (const std::string& name : lowered) {
      auto* description = static_cast<const warpcell_cpu::Kernel*>(dlsym(handle_, name.c_str()));
      if (description == nullptr) throw_unloadable("it has no kernel " + name);
      if (description->version != warpcell_cpu::kVersion)
        throw_unloadable("it was built by another version of the library");
      kernels_.push_back({name, description});
      LoadedKernel& kernel = kernels_.back();
      kernel.stack = stack;
      std::string number = name.substr(name.rfind('_') + 1);
      kernel.split =
          reinterpret_cast<void (*)(warpcell_cpu::Run*)>(dlsym(handle_, ("warpcell_cpu_split_" + number).c_str()));
      auto* way = static_cast<const char*>(dlsym(handle_, ("warpcell_cpu_way_" + number).c_str()));
      if (way != nullptr) kernel.way = way;
      auto* cluster = static_cast<const unsigned* const*>(dlsym(handle_, ("warpcell_cpu_cluster_" + number).c_str()));
      for (int axis = 0; cluster != nullptr && axis < 3; axis++) kernel.cluster[axis] = std::max((*cluster)[axis], 1u);
      kernel.has_cluster = cluster != nullptr;
      entries.push_back(reinterpret_cast<uint64_t>(description->entry) - map->l_addr);
    }
    if (dlsym(handle_, "warpcell_cpu_places") != nullptr) checked_ = std::make_unique<CheckedImage>(handle_, artifact);
    std::vector<StaticShared> shared = static_shared(artifact, entries);
    for (size_t i = 0; i < kernels_.size(); i++) {
      kernels_[i].shared = shared[i];
      kernels_[i].checked = checked_.get();
      if (checked_ != nullptr) kernels_[i].proof = proof_of(handle_, kernels_[i].name, &kernels_[i].split);
      kernels_[i].label = {shared[i].kernel.empty() ? kernels_[i].name : shared[i].kernel};
    }
  } catch (...) {
    dlclose(handle_);
    throw;
  }
}

warpcell_cpu::Variable Module::variable(const std::string& symbol) const {
  auto* found = static_cast<const warpcell_cpu::Variable*>(dlsym(handle_, symbol.c_str()));
  if (found == nullptr) throw_unloadable("it has no variable " + symbol);
  return *found;
}

Module::~Module() { dlclose(handle_); }

std::string describe(const LoadedKernel& kernel) {
  std::vector<std::string> parameters;
  for (uint32_t i = 0; i < kernel.description->parameters; i++) {
    parameters.push_back(JsonObject()
                             .number("offset", kernel.description->offsets[i])
                             .number("size", kernel.description->sizes[i])
                             .done());
  }
  return JsonObject()
      .text("name", kernel.name)
      .raw("registers", "null")
      .number("shared", kernel.shared.own + kernel.shared.of_functions)
      .raw("local", "null")
      .raw("constant", "null")
      .number("maxThreads", kernel.description->max_threads)
      .raw("spillStores", "null")
      .raw("spillLoads", "null")
      .raw("binary", "null")
      .raw("cluster", !kernel.has_cluster
                          ? "null"
                          : json_list({std::to_string(kernel.cluster[0]), std::to_string(kernel.cluster[1]),
                                       std::to_string(kernel.cluster[2])}))
      .text("execution", kernel.way.empty() ? "loop" : kernel.way)
      .raw("parameters", json_list(parameters))
      .done();
}

}  // namespace warpcell::cpu
