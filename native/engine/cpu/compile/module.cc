// Loads compiled cells with the dynamic linker, from memory that no other process can name.
#include "module.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../host/demangle.h"
#include "../../host/errors.h"
#include "../../host/json.h"
#include "../run/stacks.h"

namespace warpcell::cpu {
namespace {

[[noreturn]] void throw_artifact(const std::string& reason) {
  throw DeviceError("INVALID_IMAGE", "The compiled cell cannot be loaded: " + reason + ". Compile the cell again.");
}

// Why the dynamic linker refused, in the words of the cell: a shared object may lack functions, so no compiler has said
// it before.
[[noreturn]] void throw_unloadable(const std::string& reason) {
  const std::string undefined = "undefined symbol: ";
  size_t at = reason.find(undefined);
  if (at == std::string::npos) throw_artifact(reason);
  std::string symbol = reason.substr(at + undefined.size());
  throw DeviceError("INVALID_IMAGE",
                    "The cell uses " + demangle(symbol) + ", which it only declares. Define it in the cell.");
}

// A path to a descriptor that no other call has returned: the dynamic linker takes two equal paths for one object, and
// descriptors are used again. So the path spells a counter, one "/." or "//." per bit.
std::string unique_path(int descriptor) {
  static uint32_t counter = 0;
  uint32_t number = counter++;
  std::string path = "/proc/self/fd";
  for (int bit = 0; bit < 32; bit++) path += number >> bit & 1 ? "//." : "/.";
  return path + "/" + std::to_string(descriptor);
}

}  // namespace

Module::Module(const std::string& artifact, const std::vector<std::string>& lowered) {
  load(artifact);
  try {
    link_map* map = nullptr;
    if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) throw_artifact(dlerror());
    auto* needed = static_cast<const unsigned*>(dlsym(handle_, "warpcell_cpu_stack"));
    size_t stack = needed == nullptr ? Stacks::kBytes : *needed;
    std::vector<uint64_t> entries;
    for (const std::string& name : lowered) {
      auto* description = static_cast<const warpcell_cpu::Kernel*>(dlsym(handle_, name.c_str()));
      if (description == nullptr) throw_artifact("it has no kernel " + name);
      if (description->version != warpcell_cpu::kVersion)
        throw_artifact("it was built by another version of the library");
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
      kernels_[i].label = {shared[i].kernel.empty() ? kernels_[i].name : shared[i].kernel};
    }
  } catch (...) {
    dlclose(handle_);
    throw;
  }
}

warpcell_cpu::Variable Module::variable(const std::string& symbol) const {
  auto* found = static_cast<const warpcell_cpu::Variable*>(dlsym(handle_, symbol.c_str()));
  if (found == nullptr) throw_artifact("it has no variable " + symbol);
  return *found;
}

Module::~Module() { dlclose(handle_); }

void Module::load(const std::string& artifact) {
  int file = memfd_create("warpcell-cell", MFD_CLOEXEC);
  if (file < 0) throw_artifact(std::string("memfd_create failed: ") + std::strerror(errno));
  for (size_t at = 0; at < artifact.size();) {
    ssize_t written = write(file, artifact.data() + at, artifact.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      int failure = errno;
      close(file);
      throw_artifact(std::string("write failed: ") + std::strerror(failure));
    }
    at += size_t(written);
  }
  handle_ = dlopen(unique_path(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (handle_ == nullptr) throw_unloadable(dlerror());
}

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
